// A store of what a dot computed leaves by the bulk copy unit, if its frame is known
// at launch; the branches of its full and its checked form become one.
// RUN: tz-opt %s --simt-bulk-stores --cse --split-input-file --verify-diagnostics | FileCheck %s

// CHECK: #[[ROWS:.*]] = #simt.shared<order[1, 0], panel 64, swizzle 3 4 3>
// CHECK-LABEL: tile.kernel @example
// CHECK-SAME: %[[C:arg2]]
// CHECK: %[[FRAME:.*]] = simt.descriptor %[[C]][{{.*}}] shape[%arg3, %arg4] strides[%arg4, {{.*}}] : <f16> -> <[64, 64], f16, swizzle 3>
// CHECK: %[[SUM:.*]] = tile.dot
// CHECK-NOT: scf.if
// CHECK: %[[HALF:.*]] = tile.truncf rtne %[[SUM]]
// CHECK: simt.bulk_store %[[HALF]] to %[[FRAME]][{{.*}}, {{.*}}] by !simt.buffer<64x128xf16, #[[ROWS]]> {group = 3 : i64}
// CHECK-NOT: tile.store_view
tile.kernel @example(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %c: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 3 : i64}, %m: i64, %n: i64 {tile.divisibility = 8 : i64}) attributes {tile.num_warps = 4 : i32} {
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %rows = arith.constant 64 : i64
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %pid = tile.program_id 0
  %wide = arith.extsi %pid : i32 to i64
  %row = arith.muli %wide, %rows : i64
  %va = tile.make_view %a shape[%m, %rows] strides[%rows, %one] : !tile.ptr<f16> -> !tile.view<64x64xf16>
  %vb = tile.make_view %b shape[%rows, %n] strides[%n, %one] : !tile.ptr<f16> -> !tile.view<64x128xf16>
  %vc = tile.make_view %c shape[%m, %n] strides[%n, %one] : !tile.ptr<f16> -> !tile.view<64x128xf16>
  %x = tile.load_view %va[%row, %z] checked [true, false] {group = 1 : i64} : !tile.view<64x64xf16> -> tensor<64x64xf16>
  %y = tile.load_view %vb[%z, %z] checked [false, true] {group = 2 : i64} : !tile.view<64x128xf16> -> tensor<64x128xf16>
  %sum = tile.dot %x, %y, %zero : tensor<64x64xf16>, tensor<64x128xf16> -> tensor<64x128xf32>
  %end = arith.addi %row, %rows : i64
  %full = arith.cmpi sle, %end, %m : i64
  scf.if %full {
    %half = tile.truncf rtne %sum : tensor<64x128xf32> to tensor<64x128xf16>
    tile.store_view %vc[%row, %z], %half checked [false, true] {group = 3 : i64} : !tile.view<64x128xf16>, tensor<64x128xf16>
  } else {
    %half = tile.truncf rtne %sum : tensor<64x128xf32> to tensor<64x128xf16>
    tile.store_view %vc[%row, %z], %half checked [true, true] {group = 3 : i64} : !tile.view<64x128xf16>, tensor<64x128xf16>
  }
  tile.return
}

// -----

// Columns beside each other in memory: panels of rows.
// CHECK: #[[COLUMNS:.*]] = #simt.shared<order[0, 1], panel 32, swizzle 3 4 3>
// CHECK-LABEL: tile.kernel @columns
// CHECK: simt.descriptor {{.*}} -> <[64, 32], f32, swizzle 3>
// CHECK: simt.bulk_store {{.*}} by !simt.buffer<32x64xf32, #[[COLUMNS]]>
tile.kernel @columns(%c: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 3 : i64}, %m: i64 {tile.divisibility = 8 : i64}) attributes {tile.num_warps = 4 : i32} {
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = arith.constant 64 : i64
  %x = arith.constant dense<1.0> : tensor<32x32xf16>
  %y = arith.constant dense<2.0> : tensor<32x64xf16>
  %zero = arith.constant dense<0.0> : tensor<32x64xf32>
  %vc = tile.make_view %c shape[%m, %n] strides[%one, %m] : !tile.ptr<f32> -> !tile.view<32x64xf32>
  %sum = tile.dot %x, %y, %zero : tensor<32x32xf16>, tensor<32x64xf16> -> tensor<32x64xf32>
  tile.store_view %vc[%z, %z], %sum checked [true, false] {group = 3 : i64} : !tile.view<32x64xf32>, tensor<32x64xf32>
  tile.return
}

// -----

// What no dot computed stays with the threads: they hold it as memory wants it.
// CHECK-LABEL: tile.kernel @no_dot
// CHECK: tile.store_view
tile.kernel @no_dot(%c: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 3 : i64}) attributes {tile.num_warps = 4 : i32} {
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = arith.constant 64 : i64
  %x = arith.constant dense<1.0> : tensor<32x64xf32>
  %vc = tile.make_view %c shape[%n, %n] strides[%n, %one] : !tile.ptr<f32> -> !tile.view<32x64xf32>
  tile.store_view %vc[%z, %z], %x checked [false, false] {group = 3 : i64} : !tile.view<32x64xf32>, tensor<32x64xf32>
  tile.return
}

// -----

// The base comes from memory: no host knows it.
// CHECK-LABEL: tile.kernel @no_loaded_base
// CHECK: tile.store_view
tile.kernel @no_loaded_base(%c: !tile.ptr<!tile.ptr<f32>> {tile.group = 1 : i64}) attributes {tile.num_warps = 4 : i32} {
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = arith.constant 64 : i64
  %x = arith.constant dense<1.0> : tensor<32x32xf16>
  %y = arith.constant dense<2.0> : tensor<32x64xf16>
  %zero = arith.constant dense<0.0> : tensor<32x64xf32>
  %base = tile.load %c {group = 1 : i64} : !tile.ptr<!tile.ptr<f32>> -> !tile.ptr<f32>
  %vc = tile.make_view %base shape[%n, %n] strides[%n, %one] : !tile.ptr<f32> -> !tile.view<32x64xf32>
  %sum = tile.dot %x, %y, %zero : tensor<32x32xf16>, tensor<32x64xf16> -> tensor<32x64xf32>
  // expected-remark@+1 {{threads store this tile: its base is not an argument}}
  tile.store_view %vc[%z, %z], %sum checked [false, false] : !tile.view<32x64xf32>, tensor<32x64xf32>
  tile.return
}

// -----

// A branch that also reads a whole tile keeps its full form.
// CHECK-LABEL: tile.kernel @branch_with_a_tile
// CHECK: scf.if
// CHECK: simt.bulk_store
// CHECK: else
// CHECK: simt.bulk_store
tile.kernel @branch_with_a_tile(%c: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 3 : i64}, %d: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 4 : i64}, %m: i64, %n: i64 {tile.divisibility = 8 : i64}, %full: i1) attributes {tile.num_warps = 4 : i32} {
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %x = arith.constant dense<1.0> : tensor<32x32xf16>
  %y = arith.constant dense<2.0> : tensor<32x64xf16>
  %zero = arith.constant dense<0.0> : tensor<32x64xf32>
  %vc = tile.make_view %c shape[%m, %n] strides[%n, %one] : !tile.ptr<f32> -> !tile.view<32x64xf32>
  %vd = tile.make_view %d shape[%m, %n] strides[%n, %one] : !tile.ptr<f32> -> !tile.view<32x64xf32>
  %sum = tile.dot %x, %y, %zero : tensor<32x32xf16>, tensor<32x64xf16> -> tensor<32x64xf32>
  scf.if %full {
    %more = tile.load_view %vd[%z, %z] checked [false, false] {group = 4 : i64} : !tile.view<32x64xf32> -> tensor<32x64xf32>
    %all = arith.addf %sum, %more : tensor<32x64xf32>
    tile.store_view %vc[%z, %z], %all checked [false, false] {group = 3 : i64} : !tile.view<32x64xf32>, tensor<32x64xf32>
  } else {
    %more = tile.load_view %vd[%z, %z] checked [true, true] {group = 4 : i64} : !tile.view<32x64xf32> -> tensor<32x64xf32>
    %all = arith.addf %sum, %more : tensor<32x64xf32>
    tile.store_view %vc[%z, %z], %all checked [true, true] {group = 3 : i64} : !tile.view<32x64xf32>, tensor<32x64xf32>
  }
  tile.return
}

// -----

// A program id times a size is nowhere before the frame: it does not overflow on
// its way to an address. A number that was loaded may be.
// CHECK-LABEL: tile.kernel @begins_inside
// CHECK-NOT: scf.if
// CHECK: simt.bulk_store
// CHECK-NOT: tile.store_view
tile.kernel @begins_inside(%c: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 3 : i64}, %m: i64, %n: i64 {tile.divisibility = 4 : i64}) attributes {tile.num_warps = 4 : i32} {
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %pid = tile.program_id 0
  %first = arith.muli %pid, %block : i32
  %row = arith.extsi %first : i32 to i64
  %x = arith.constant dense<1.0> : tensor<64x32xf16>
  %y = arith.constant dense<2.0> : tensor<32x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %vc = tile.make_view %c shape[%m, %n] strides[%n, %one] : !tile.ptr<f32> -> !tile.view<64x64xf32>
  %sum = tile.dot %x, %y, %zero : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
  tile.store_view %vc[%row, %z], %sum checked [true, true] {group = 3 : i64} : !tile.view<64x64xf32>, tensor<64x64xf32>
  tile.return
}

// -----

// CHECK-LABEL: tile.kernel @may_begin_before
// CHECK: scf.if
// CHECK: simt.bulk_store
// CHECK: } else {
// CHECK: tile.store_view
tile.kernel @may_begin_before(%c: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 3 : i64}, %at: !tile.ptr<i32> {tile.group = 1 : i64}, %m: i64, %n: i64 {tile.divisibility = 4 : i64}) attributes {tile.num_warps = 4 : i32} {
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %first = tile.load %at : !tile.ptr<i32> -> i32
  %row = arith.extsi %first : i32 to i64
  %x = arith.constant dense<1.0> : tensor<64x32xf16>
  %y = arith.constant dense<2.0> : tensor<32x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %vc = tile.make_view %c shape[%m, %n] strides[%n, %one] : !tile.ptr<f32> -> !tile.view<64x64xf32>
  %sum = tile.dot %x, %y, %zero : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
  tile.store_view %vc[%row, %z], %sum checked [true, true] {group = 3 : i64} : !tile.view<64x64xf32>, tensor<64x64xf32>
  tile.return
}

// -----

// Rows that may end between multiples of 16 bytes: the threads store the block in
// which one does.
// CHECK-LABEL: tile.kernel @may_end_between
// CHECK: scf.if
// CHECK: simt.bulk_store
// CHECK: } else {
// CHECK: tile.store_view {{.*}} checked [true, true] {{.*}}simt.instead_of_bulk
tile.kernel @may_end_between(%c: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 3 : i64}, %m: i64, %n: i64, %stride: i64 {tile.divisibility = 4 : i64}) attributes {tile.num_warps = 4 : i32} {
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %x = arith.constant dense<1.0> : tensor<64x32xf16>
  %y = arith.constant dense<2.0> : tensor<32x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %vc = tile.make_view %c shape[%m, %n] strides[%stride, %one] : !tile.ptr<f32> -> !tile.view<64x64xf32>
  %sum = tile.dot %x, %y, %zero : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
  tile.store_view %vc[%z, %z], %sum checked [true, true] {group = 3 : i64} : !tile.view<64x64xf32>, tensor<64x64xf32>
  tile.return
}

// -----

// The halves of what a dot computed.
// CHECK-LABEL: tile.kernel @halves
// CHECK-COUNT-2: simt.bulk_store
// CHECK-NOT: tile.store_view
tile.kernel @halves(%c: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 3 : i64}, %m: i64, %n: i64 {tile.divisibility = 4 : i64}) attributes {tile.num_warps = 4 : i32} {
  %z = arith.constant 0 : i64
  %half = arith.constant 32 : i64
  %one = arith.constant 1 : i64
  %x = arith.constant dense<1.0> : tensor<64x32xf16>
  %y = arith.constant dense<2.0> : tensor<32x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %vc = tile.make_view %c shape[%m, %n] strides[%n, %one] : !tile.ptr<f32> -> !tile.view<64x32xf32>
  %sum = tile.dot %x, %y, %zero : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
  %parts = tile.reshape %sum : tensor<64x64xf32> -> tensor<64x2x32xf32>
  %last = tile.transpose %parts [0, 2, 1] : tensor<64x2x32xf32> -> tensor<64x32x2xf32>
  %low, %high = tile.split %last : tensor<64x32x2xf32> -> tensor<64x32xf32>
  tile.store_view %vc[%z, %z], %low checked [true, true] {group = 3 : i64} : !tile.view<64x32xf32>, tensor<64x32xf32>
  tile.store_view %vc[%z, %half], %high checked [true, true] {group = 3 : i64} : !tile.view<64x32xf32>, tensor<64x32xf32>
  tile.return
}

// -----

// A state that each iteration stores, and that the next one multiplies: threads
// store it. The same sum stored behind the loop, or made from what is loaded
// alone, is stored in bulk.
// CHECK-LABEL: tile.kernel @state
// CHECK: scf.for
// CHECK: tile.store_view
// CHECK: simt.bulk_store
tile.kernel @state(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %h: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %m: i64) attributes {tile.num_warps = 4 : i32} {
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %rows = arith.constant 64 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %va = tile.make_view %a shape[%m, %rows] strides[%rows, %one] : !tile.ptr<f16> -> !tile.view<64x64xf16>
  %vh = tile.make_view %h shape[%m, %rows] strides[%rows, %one] : !tile.ptr<f16> -> !tile.view<64x64xf16>
  %last = scf.for %row = %z to %m step %rows iter_args(%state = %zero) -> (tensor<64x64xf32>) : i64 {
    %half = tile.truncf rtne %state : tensor<64x64xf32> to tensor<64x64xf16>
    %x = tile.load_view %va[%row, %z] checked [true, false] {group = 1 : i64} : !tile.view<64x64xf16> -> tensor<64x64xf16>
    %next = tile.dot %x, %half, %state : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    %made = tile.truncf rtne %next : tensor<64x64xf32> to tensor<64x64xf16>
    // expected-remark@+1 {{threads store this tile: the loop's next product would wait until the bulk copy has read it}}
    tile.store_view %vh[%row, %z], %made checked [true, false] {group = 2 : i64} : !tile.view<64x64xf16>, tensor<64x64xf16>
    scf.yield %next : tensor<64x64xf32>
  }
  %half = tile.truncf rtne %last : tensor<64x64xf32> to tensor<64x64xf16>
  tile.store_view %vh[%z, %z], %half checked [true, false] {group = 2 : i64} : !tile.view<64x64xf16>, tensor<64x64xf16>
  tile.return
}

// -----

// CHECK-LABEL: tile.kernel @products
// CHECK: scf.for
// CHECK: simt.bulk_store
// CHECK-NOT: tile.store_view
tile.kernel @products(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %h: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %m: i64) attributes {tile.num_warps = 4 : i32} {
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %rows = arith.constant 64 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %va = tile.make_view %a shape[%m, %rows] strides[%rows, %one] : !tile.ptr<f16> -> !tile.view<64x64xf16>
  %vh = tile.make_view %h shape[%m, %rows] strides[%rows, %one] : !tile.ptr<f16> -> !tile.view<64x64xf16>
  scf.for %row = %z to %m step %rows : i64 {
    %x = tile.load_view %va[%row, %z] checked [true, false] {group = 1 : i64} : !tile.view<64x64xf16> -> tensor<64x64xf16>
    %sum = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    %half = tile.truncf rtne %sum : tensor<64x64xf32> to tensor<64x64xf16>
    tile.store_view %vh[%row, %z], %half checked [true, false] {group = 2 : i64} : !tile.view<64x64xf16>, tensor<64x64xf16>
  }
  tile.return
}

// -----

// Of 2 KiB each of 256 threads has half a vector: they store it themselves.
// CHECK-LABEL: tile.kernel @few_bytes
// CHECK-NOT: simt.bulk_store
// CHECK: tile.store_view
tile.kernel @few_bytes(%c: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 3 : i64}, %m: i64) attributes {tile.num_warps = 8 : i32} {
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = arith.constant 32 : i64
  %x = arith.constant dense<1.0> : tensor<16x32xf16>
  %y = arith.constant dense<2.0> : tensor<32x32xf16>
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %vc = tile.make_view %c shape[%m, %n] strides[%n, %one] : !tile.ptr<f32> -> !tile.view<16x32xf32>
  %sum = tile.dot %x, %y, %zero : tensor<16x32xf16>, tensor<32x32xf16> -> tensor<16x32xf32>
  // expected-remark@+1 {{its tile is too large, or too small}}
  tile.store_view %vc[%z, %z], %sum checked [true, false] {group = 3 : i64} : !tile.view<16x32xf32>, tensor<16x32xf32>
  tile.return
}
