// A kernel with a loop of dots becomes a loop over programs; what is the same in
// each of them stays outside.
// RUN: tz-opt %s --simt-persist-programs --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: tile.kernel @example
// CHECK-DAG: %[[FIRST:.*]] = tile.program_id 0
// CHECK-DAG: %[[BLOCKS:.*]] = tile.num_programs 0
// CHECK: %[[GRID:.*]] = simt.logical_grid 0
// CHECK: %[[END:.*]] = tile.maxsi %[[GRID]]
// CHECK: tile.make_view
// CHECK: scf.for %[[PID:.*]] = %[[FIRST]] to %[[END]] step %[[BLOCKS]]
// CHECK-NOT: tile.make_view
// CHECK: arith.extsi %[[PID]]
// CHECK: scf.for
// CHECK: tile.store_view
tile.kernel @example(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 3 : i64}, %k: i32) attributes {tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 64 : i64
  %wide = arith.constant 4096 : i64
  %va = tile.make_view %a shape[%wide, %wide] strides[%wide, %one] : !tile.ptr<f16> -> !tile.view<64x32xf16>
  %vb = tile.make_view %b shape[%wide, %wide] strides[%wide, %one] : !tile.ptr<f16> -> !tile.view<32x64xf16>
  %vo = tile.make_view %out shape[%wide, %wide] strides[%wide, %one] : !tile.ptr<f32> -> !tile.view<64x64xf32>
  %pid = tile.program_id 0
  %pid64 = arith.extsi %pid : i32 to i64
  %row = arith.muli %pid64, %m : i64
  %sum = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %at = arith.extsi %i : i32 to i64
    %x = tile.load_view %va[%row, %at] checked [true, true] {group = 1 : i64} : !tile.view<64x32xf16> -> tensor<64x32xf16>
    %y = tile.load_view %vb[%at, %z] checked [true, true] {group = 2 : i64} : !tile.view<32x64xf16> -> tensor<32x64xf16>
    %next = tile.dot %x, %y, %acc : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store_view %vo[%row, %z], %sum checked [true, true] {group = 3 : i64} : !tile.view<64x64xf32>, tensor<64x64xf32>
  tile.return
}

// -----

// Programs of three axes are counted by one number. How many there are is what
// was asked for.
// CHECK-LABEL: tile.kernel @axes
// CHECK-DAG: %[[X:.*]] = tile.maxsi %{{.*}}, %{{.*}}
// CHECK: simt.logical_grid 1
// CHECK: simt.logical_grid 2
// CHECK: scf.for %[[PID:.*]] =
// CHECK-DAG: tile.remsi %[[PID]]
// CHECK-DAG: %[[REST:.*]] = tile.divsi %[[PID]]
// CHECK-DAG: tile.remsi %[[REST]]
// CHECK-DAG: tile.divsi %[[REST]]
// CHECK: %[[COUNT:.*]] = simt.logical_grid 1
// CHECK: arith.subi %[[COUNT]]
// CHECK-NOT: tile.program_id
tile.kernel @axes(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 3 : i64}, %k: i32) attributes {tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 64 : i64
  %wide = arith.constant 4096 : i64
  %va = tile.make_view %a shape[%wide, %wide] strides[%wide, %one] : !tile.ptr<f16> -> !tile.view<64x32xf16>
  %vb = tile.make_view %b shape[%wide, %wide] strides[%wide, %one] : !tile.ptr<f16> -> !tile.view<32x64xf16>
  %vo = tile.make_view %out shape[%wide, %wide] strides[%wide, %one] : !tile.ptr<f32> -> !tile.view<64x64xf32>
  %pid = tile.program_id 0
  %count = tile.num_programs 1
  %other = tile.program_id 1
  %last = arith.subi %count, %other : i32
  %pid64 = arith.extsi %pid : i32 to i64
  %row = arith.muli %pid64, %m : i64
  %last64 = arith.extsi %last : i32 to i64
  %col = arith.muli %last64, %m : i64
  %sum = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %at = arith.extsi %i : i32 to i64
    %x = tile.load_view %va[%row, %at] checked [true, true] {group = 1 : i64} : !tile.view<64x32xf16> -> tensor<64x32xf16>
    %y = tile.load_view %vb[%at, %col] checked [true, true] {group = 2 : i64} : !tile.view<32x64xf16> -> tensor<32x64xf16>
    %next = tile.dot %x, %y, %acc : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store_view %vo[%row, %col], %sum checked [true, true] {group = 3 : i64} : !tile.view<64x64xf32>, tensor<64x64xf32>
  tile.return
}

// -----

// Programs that wait for others have their order from the device.
// CHECK-LABEL: tile.kernel @no_waits
// CHECK-NOT: simt.logical_grid
tile.kernel @no_waits(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 3 : i64}, %k: i32) attributes {tile.num_warps = 4 : i32, tile.waits} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 64 : i64
  %wide = arith.constant 4096 : i64
  %va = tile.make_view %a shape[%wide, %wide] strides[%wide, %one] : !tile.ptr<f16> -> !tile.view<64x32xf16>
  %vb = tile.make_view %b shape[%wide, %wide] strides[%wide, %one] : !tile.ptr<f16> -> !tile.view<32x64xf16>
  %vo = tile.make_view %out shape[%wide, %wide] strides[%wide, %one] : !tile.ptr<f32> -> !tile.view<64x64xf32>
  %pid = tile.program_id 0
  %pid64 = arith.extsi %pid : i32 to i64
  %row = arith.muli %pid64, %m : i64
  // expected-remark @+1 {{a block runs one program: programs wait for each other}}
  %sum = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %at = arith.extsi %i : i32 to i64
    %x = tile.load_view %va[%row, %at] checked [true, true] {group = 1 : i64} : !tile.view<64x32xf16> -> tensor<64x32xf16>
    %y = tile.load_view %vb[%at, %z] checked [true, true] {group = 2 : i64} : !tile.view<32x64xf16> -> tensor<32x64xf16>
    %next = tile.dot %x, %y, %acc : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store_view %vo[%row, %z], %sum checked [true, true] {group = 3 : i64} : !tile.view<64x64xf32>, tensor<64x64xf32>
  tile.return
}

// -----

// What is printed names the program, an assert ends it.
// CHECK-LABEL: tile.kernel @no_print
// CHECK-NOT: simt.logical_grid
tile.kernel @no_print(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 3 : i64}, %k: i32) attributes {tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 64 : i64
  %wide = arith.constant 4096 : i64
  %va = tile.make_view %a shape[%wide, %wide] strides[%wide, %one] : !tile.ptr<f16> -> !tile.view<64x32xf16>
  %vb = tile.make_view %b shape[%wide, %wide] strides[%wide, %one] : !tile.ptr<f16> -> !tile.view<32x64xf16>
  %vo = tile.make_view %out shape[%wide, %wide] strides[%wide, %one] : !tile.ptr<f32> -> !tile.view<64x64xf32>
  %pid = tile.program_id 0
  %pid64 = arith.extsi %pid : i32 to i64
  %row = arith.muli %pid64, %m : i64
  tile.print "row"(%row : i64) {isSigned = array<i1: true>}
  // expected-remark @+1 {{a block runs one program: it prints, asserts or records}}
  %sum = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %at = arith.extsi %i : i32 to i64
    %x = tile.load_view %va[%row, %at] checked [true, true] {group = 1 : i64} : !tile.view<64x32xf16> -> tensor<64x32xf16>
    %y = tile.load_view %vb[%at, %z] checked [true, true] {group = 2 : i64} : !tile.view<32x64xf16> -> tensor<32x64xf16>
    %next = tile.dot %x, %y, %acc : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store_view %vo[%row, %z], %sum checked [true, true] {group = 3 : i64} : !tile.view<64x64xf32>, tensor<64x64xf32>
  tile.return
}

// -----

// CHECK-LABEL: tile.kernel @in_guard
// CHECK-NOT: simt.logical_grid
tile.kernel @in_guard(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 3 : i64}, %k: i32) attributes {tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 64 : i64
  %wide = arith.constant 4096 : i64
  %va = tile.make_view %a shape[%wide, %wide] strides[%wide, %one] : !tile.ptr<f16> -> !tile.view<64x32xf16>
  %vb = tile.make_view %b shape[%wide, %wide] strides[%wide, %one] : !tile.ptr<f16> -> !tile.view<32x64xf16>
  %vo = tile.make_view %out shape[%wide, %wide] strides[%wide, %one] : !tile.ptr<f32> -> !tile.view<64x64xf32>
  %pid = tile.program_id 0
  %pid64 = arith.extsi %pid : i32 to i64
  %row = arith.muli %pid64, %m : i64
  %inside = arith.cmpi slt, %row, %wide : i64
  scf.if %inside {
    // expected-remark @+1 {{a block runs one program: the loop stands in a branch or another loop}}
    %sum = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
      %at = arith.extsi %i : i32 to i64
      %x = tile.load_view %va[%row, %at] checked [true, true] {group = 1 : i64} : !tile.view<64x32xf16> -> tensor<64x32xf16>
      %y = tile.load_view %vb[%at, %z] checked [true, true] {group = 2 : i64} : !tile.view<32x64xf16> -> tensor<32x64xf16>
      %next = tile.dot %x, %y, %acc : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    tile.store_view %vo[%row, %z], %sum checked [true, true] {group = 3 : i64} : !tile.view<64x64xf32>, tensor<64x64xf32>
  }
  tile.return
}

// -----

// Programs of a causal attention are not equally long.
// CHECK-LABEL: tile.kernel @no_length
// CHECK-NOT: simt.logical_grid
tile.kernel @no_length(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 3 : i64}, %k: i32) attributes {tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 64 : i64
  %wide = arith.constant 4096 : i64
  %va = tile.make_view %a shape[%wide, %wide] strides[%wide, %one] : !tile.ptr<f16> -> !tile.view<64x32xf16>
  %vb = tile.make_view %b shape[%wide, %wide] strides[%wide, %one] : !tile.ptr<f16> -> !tile.view<32x64xf16>
  %vo = tile.make_view %out shape[%wide, %wide] strides[%wide, %one] : !tile.ptr<f32> -> !tile.view<64x64xf32>
  %pid = tile.program_id 0
  %pid64 = arith.extsi %pid : i32 to i64
  %row = arith.muli %pid64, %m : i64
  // expected-remark @+1 {{a block runs one program: programs differ in length}}
  %sum = scf.for %i = %c0 to %pid step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
      %at = arith.extsi %i : i32 to i64
      %x = tile.load_view %va[%row, %at] checked [true, true] {group = 1 : i64} : !tile.view<64x32xf16> -> tensor<64x32xf16>
      %y = tile.load_view %vb[%at, %z] checked [true, true] {group = 2 : i64} : !tile.view<32x64xf16> -> tensor<32x64xf16>
      %next = tile.dot %x, %y, %acc : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    tile.store_view %vo[%row, %z], %sum checked [true, true] {group = 3 : i64} : !tile.view<64x64xf32>, tensor<64x64xf32>
  tile.return
}

// -----

// CHECK-LABEL: tile.kernel @no_sum
// CHECK-NOT: simt.logical_grid
tile.kernel @no_sum(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 3 : i64}, %k: i32) attributes {tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 64 : i64
  %wide = arith.constant 4096 : i64
  %va = tile.make_view %a shape[%wide, %wide] strides[%wide, %one] : !tile.ptr<f16> -> !tile.view<64x32xf16>
  %vb = tile.make_view %b shape[%wide, %wide] strides[%wide, %one] : !tile.ptr<f16> -> !tile.view<32x64xf16>
  %vo = tile.make_view %out shape[%wide, %wide] strides[%wide, %one] : !tile.ptr<f32> -> !tile.view<64x64xf32>
  %pid = tile.program_id 0
  %pid64 = arith.extsi %pid : i32 to i64
  %row = arith.muli %pid64, %m : i64
  // expected-remark @+1 {{a block runs one program: its dots are waited for in each iteration}}
  %sum = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
      %at = arith.extsi %i : i32 to i64
      %x = tile.load_view %va[%row, %at] checked [true, true] {group = 1 : i64} : !tile.view<64x32xf16> -> tensor<64x32xf16>
      %y = tile.load_view %vb[%at, %z] checked [true, true] {group = 2 : i64} : !tile.view<32x64xf16> -> tensor<32x64xf16>
      %part = tile.dot %x, %y, %zero : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
      %next = arith.addf %part, %acc : tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    tile.store_view %vo[%row, %z], %sum checked [true, true] {group = 3 : i64} : !tile.view<64x64xf32>, tensor<64x64xf32>
  tile.return
}

// -----

// CHECK-LABEL: tile.kernel @no_dots
// CHECK-NOT: simt.logical_grid
tile.kernel @no_dots(%k: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %k step %c1 : i32 {
    tile.barrier
  }
  tile.return
}
