// Views whose frame is known at launch are filled by the bulk copy unit: the
// descriptor is made of arguments alone, the program's part is the position.
// RUN: tz-opt --simt-assign-layouts "--simt-pipeline-loops=async-copy-bytes=4 bulk-copies" --cse %s | FileCheck %s
// Where copies may have warps of their own, warps say when they have read a slot.
// RUN: tz-opt --simt-assign-layouts "--simt-pipeline-loops=async-copy-bytes=4 bulk-copies copy-warps=1" --cse %s | FileCheck %s --check-prefix=RELEASE
// RELEASE-LABEL: tile.kernel @rows_of_a_program
// RELEASE: %[[BARS:.*]]:2 = simt.barriers : !simt.barriers<3>, !simt.barriers<3 arrivals 4>
// RELEASE: scf.for {{.*}} iter_args({{.*}}, %[[READ:.*]] = {{.*}}, %[[FILL:.*]] = {{.*}}, %[[PHASE:.*]] = {{.*}}, %[[BEFORE:.*]] = {{.*}})
// RELEASE-NOT: simt.sync
// RELEASE: simt.acquire %[[BARS]]#1[%[[FILL]]] phase %[[BEFORE]] when
// RELEASE: simt.expect 8192 at %[[BARS]]#0[%[[FILL]]]
// RELEASE: simt.barrier_wait %[[BARS]]#0[%[[READ]]] phase %[[PHASE]]
// RELEASE: simt.dot
// RELEASE: simt.release %[[BARS]]#1[%[[READ]]] when
// RELEASE: arith.xori %[[PHASE]]
// RELEASE: arith.xori %[[BEFORE]]
// RELEASE: simt.barriers_end %[[BARS]]#0, %[[BARS]]#1

// a[M, K] from row pid * 64 on, and one batch of b: it gets a dimension of its
// own, whose index cannot be negative if `heads` is positive.
// CHECK-LABEL: tile.kernel @rows_of_a_program
// CHECK-SAME: %[[A:arg0]]
// CHECK-SAME: %[[B:arg1]]
// CHECK-DAG: %[[DA:.*]] = simt.descriptor %[[A]][{{.*}}] shape[{{.*}}, {{.*}}] strides[{{.*}}, {{.*}}] : <f16> -> <[64, 32], f16, swizzle 0>
// CHECK-DAG: %[[DB:.*]] = simt.descriptor %[[B]][{{.*}}] shape[{{.*}}, {{.*}}, {{.*}}] strides[{{.*}}, {{.*}}, {{.*}}] positive %arg7 : i32 : <f16> -> <[1, 32, 64], f16, swizzle 0>
// CHECK: %[[BARS:.*]] = simt.barriers : !simt.barriers<3>
// CHECK: simt.expect 8192 at %[[BARS]]
// CHECK: simt.bulk_copy %[[DA]]
// CHECK: simt.bulk_copy %[[DB]]
// CHECK: scf.for {{.*}} iter_args({{.*}}, %[[READ:.*]] = {{.*}}, %[[FILL:.*]] = {{.*}}, %[[PHASE:.*]] = {{.*}})
// CHECK: simt.sync
// CHECK: simt.expect 8192 at %[[BARS]][%[[FILL]]]
// CHECK: simt.barrier_wait %[[BARS]][%[[READ]]] phase %[[PHASE]]
// CHECK: simt.dot
// CHECK: arith.xori %[[PHASE]]
// CHECK: simt.barriers_end %[[BARS]]
tile.kernel @rows_of_a_program(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 3 : i64}, %k: i32, %rows: i64, %stride: i64 {tile.divisibility = 8 : i64}, %batch: i64 {tile.divisibility = 8 : i64}, %heads: i32) attributes {tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 64 : i64
  %pid = tile.program_id 0
  %pid64 = arith.extsi %pid : i32 to i64
  %start = arith.muli %pid64, %m : i64
  %left = arith.subi %rows, %start : i64
  %offset = arith.muli %start, %stride : i64
  %base = tile.addptr %a, %offset : !tile.ptr<f16>, i64
  %deep = arith.extsi %k : i32 to i64
  %va = tile.make_view %base shape[%left, %deep] strides[%stride, %one] : !tile.ptr<f16> -> !tile.view<64x32xf16>
  %other = tile.program_id 1
  %head = tile.divsi %other, %heads : i32
  %head64 = arith.extsi %head : i32 to i64
  %far = arith.muli %head64, %batch : i64
  %of = tile.addptr %b, %far : !tile.ptr<f16>, i64
  %vb = tile.make_view %of shape[%deep, %m] strides[%m, %one] : !tile.ptr<f16> -> !tile.view<32x64xf16>
  %sum = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %at = arith.extsi %i : i32 to i64
    %x = tile.load_view %va[%z, %at] checked [true, true] {group = 1 : i64} : !tile.view<64x32xf16> -> tensor<64x32xf16>
    %y = tile.load_view %vb[%at, %z] checked [true, false] {group = 2 : i64} : !tile.view<32x64xf16> -> tensor<32x64xf16>
    %next = tile.dot %x, %y, %acc : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %vo = tile.make_view %out shape[%m, %m] strides[%m, %one] : !tile.ptr<f32> -> !tile.view<64x64xf32>
  tile.store_view %vo[%z, %z], %sum checked [false, false] {group = 3 : i64} : !tile.view<64x64xf32>, tensor<64x64xf32>
  tile.return
}

// An atomic that acquires brings what others wrote, not what this kernel writes:
// the lowering publishes that for the copies.
// CHECK-LABEL: tile.kernel @with_a_counter
// CHECK: tile.atomic_rmw
// CHECK: simt.bulk_copy
// CHECK: scf.for
// CHECK: simt.bulk_copy
tile.kernel @with_a_counter(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %counter: !tile.ptr<i32> {tile.group = 3 : i64}, %k: i32, %stride: i64 {tile.divisibility = 8 : i64}) attributes {tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 64 : i64
  %before = tile.atomic_rmw add acq_rel device %counter, %c1 {group = 3 : i64} : !tile.ptr<i32> -> i32, i32
  %deep = arith.extsi %k : i32 to i64
  %va = tile.make_view %a shape[%m, %deep] strides[%stride, %one] : !tile.ptr<f16> -> !tile.view<64x64xf16>
  %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %at = arith.extsi %i : i32 to i64
    %x = tile.load_view %va[%z, %at] checked [false, true] {group = 1 : i64} : !tile.view<64x64xf16> -> tensor<64x64xf16>
    %next = tile.dot %x, %x, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %isFirst = arith.cmpi eq, %before, %c0 : i32
  scf.if %isFirst {
    %vo = tile.make_view %out shape[%m, %m] strides[%m, %one] : !tile.ptr<f32> -> !tile.view<64x64xf32>
    tile.store_view %vo[%z, %z], %sum checked [false, false] {group = 2 : i64} : !tile.view<64x64xf32>, tensor<64x64xf32>
  }
  tile.return
}

// The base is what another load brought: the host does not know it.
// CHECK-LABEL: tile.kernel @no_loaded_base
// CHECK-NOT: simt.descriptor
// CHECK: simt.async_copy_view
tile.kernel @no_loaded_base(%a: !tile.ptr<!tile.ptr<f16>> {tile.group = 1 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 3 : i64}, %k: i32) attributes {tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 32 : i64
  %p = tile.load %a {group = 1 : i64} : !tile.ptr<!tile.ptr<f16>> -> !tile.ptr<f16>
  %known = tile.hint %p {divisibility = array<i64: 16>} : !tile.ptr<f16>
  %v = tile.make_view %known shape[%m, %m] strides[%m, %one] : !tile.ptr<f16> -> !tile.view<32x32xf16>
  %sum = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero) -> (tensor<32x32xf32>) : i32 {
    %x = tile.load_view %v[%z, %z] checked [false, false] {group = 2 : i64} : !tile.view<32x32xf16> -> tensor<32x32xf16>
    %next = tile.dot %x, %x, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %next : tensor<32x32xf32>
  }
  %vo = tile.make_view %out shape[%m, %m] strides[%m, %one] : !tile.ptr<f32> -> !tile.view<32x32xf32>
  tile.store_view %vo[%z, %z], %sum checked [false, false] {group = 3 : i64} : !tile.view<32x32xf32>, tensor<32x32xf32>
  tile.return
}

// What the kernel stores before the loop reaches the threads' copies by a
// barrier, but not the bulk copy unit.
// CHECK-LABEL: tile.kernel @no_stored_before
// CHECK-NOT: simt.descriptor
// CHECK: simt.async_copy_view
tile.kernel @no_stored_before(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 3 : i64}, %k: i32) attributes {tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %ones = arith.constant dense<1.0> : tensor<32x32xf16>
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 32 : i64
  %v = tile.make_view %a shape[%m, %m] strides[%m, %one] : !tile.ptr<f16> -> !tile.view<32x32xf16>
  tile.store_view %v[%z, %z], %ones checked [false, false] {group = 1 : i64} : !tile.view<32x32xf16>, tensor<32x32xf16>
  %sum = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero) -> (tensor<32x32xf32>) : i32 {
    %x = tile.load_view %v[%z, %z] checked [false, false] {group = 1 : i64} : !tile.view<32x32xf16> -> tensor<32x32xf16>
    %next = tile.dot %x, %x, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %next : tensor<32x32xf32>
  }
  %vo = tile.make_view %out shape[%m, %m] strides[%m, %one] : !tile.ptr<f32> -> !tile.view<32x32xf32>
  tile.store_view %vo[%z, %z], %sum checked [false, false] {group = 3 : i64} : !tile.view<32x32xf32>, tensor<32x32xf32>
  tile.return
}
