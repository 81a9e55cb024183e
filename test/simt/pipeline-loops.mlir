// Loads of later iterations are begun while the dots of this iteration run.
// RUN: tz-opt %s --simt-assign-layouts "--simt-pipeline-loops=async-copy-bytes=4 shared-bytes=65536" | FileCheck %s
// RUN: tz-opt %s --simt-assign-layouts "--simt-pipeline-loops=async-copy-bytes=4 shared-bytes=20000" | FileCheck %s --check-prefix=SMALL
// RUN: tz-opt %s --simt-assign-layouts --simt-pipeline-loops | FileCheck %s --check-prefix=NONE
// NONE-NOT: simt.ring

// CHECK-DAG: #[[TURN:.*]] = #simt.layout<rank 2, register {{\[}}[1, 0], [2, 0], [0, 16], [0, 32]], lane {{\[}}[0, 1], [0, 2], [0, 4], [0, 8], [4, 0]], warp
// CHECK-DAG: #simt.shared<order[0, 1], panel 32, swizzle 3 4 3>

// Two iterations ahead (three stages), so three buffers each; the copies of an iteration
// are one group.
// CHECK-LABEL: tile.kernel @example
// CHECK: %[[RA:.*]] = simt.ring : <3 x <64x32xf16
// CHECK: %[[RB:.*]] = simt.ring : <3 x <32x64xf16
// CHECK: simt.async_copy_view {{.*}} when
// CHECK: simt.async_copy_view {{.*}} when
// CHECK: simt.async_commit
// CHECK: simt.async_copy_view
// CHECK: simt.async_copy_view
// CHECK: simt.async_commit
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = {{.*}}, %[[READ:.*]] = {{.*}}, %[[FILL:.*]] = {{.*}})
// CHECK: simt.async_wait 1
// CHECK: simt.slot %[[RA]][%[[FILL]]]
// CHECK: simt.async_copy_view
// CHECK: simt.slot %[[RB]][%[[FILL]]]
// CHECK: simt.async_copy_view
// CHECK: simt.async_commit
// CHECK: %[[A:.*]] = simt.slot %[[RA]][%[[READ]]]
// CHECK: %[[B:.*]] = simt.slot %[[RB]][%[[READ]]]
// CHECK-NOT: tile.load_view
// CHECK: simt.dot %[[A]], %[[B]], %[[ACC]]
// CHECK: }
// CHECK: simt.async_wait 0
// SMALL-LABEL: tile.kernel @example
// SMALL: simt.ring : <2 x <64x32xf16
tile.kernel @example(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 3 : i64}, %k: i32) attributes {tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 64 : i64
  %wide = arith.constant 4096 : i64
  %va = tile.make_view %a shape[%m, %wide] strides[%wide, %one] : !tile.ptr<f16> -> !tile.view<64x32xf16>
  %vb = tile.make_view %b shape[%wide, %m] strides[%m, %one] : !tile.ptr<f16> -> !tile.view<32x64xf16>
  %sum = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %at = arith.extsi %i : i32 to i64
    %x = tile.load_view %va[%z, %at] checked [false, false] {group = 1 : i64} : !tile.view<64x32xf16> -> tensor<64x32xf16>
    %y = tile.load_view %vb[%at, %z] checked [false, false] {group = 2 : i64} : !tile.view<32x64xf16> -> tensor<32x64xf16>
    %next = tile.dot %x, %y, %acc : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %vo = tile.make_view %out shape[%m, %m] strides[%m, %one] : !tile.ptr<f32> -> !tile.view<64x64xf32>
  tile.store_view %vo[%z, %z], %sum checked [false, false] {group = 3 : i64} : !tile.view<64x64xf32>, tensor<64x64xf32>
  tile.return
}

// What the loop stores may be what a later iteration loads: nothing goes ahead.
// CHECK-LABEL: tile.kernel @no_store_of_the_group
// CHECK-NOT: simt.ring
tile.kernel @no_store_of_the_group(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %k: i32) attributes {tile.num_warps = 1 : i32, tile.num_stages = 3 : i32} {
  %zero = arith.constant dense<0.0> : tensor<16x16xf16>
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 16 : i64
  %wide = arith.constant 4096 : i64
  %v = tile.make_view %a shape[%m, %wide] strides[%wide, %one] : !tile.ptr<f16> -> !tile.view<16x16xf16>
  scf.for %i = %c0 to %k step %c16 : i32 {
    %at = arith.extsi %i : i32 to i64
    %x = tile.load_view %v[%z, %at] checked [false, false] {group = 1 : i64} : !tile.view<16x16xf16> -> tensor<16x16xf16>
    %y = tile.dot %x, %x, %zero : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf16>
    tile.store_view %v[%z, %at], %y checked [false, false] {group = 1 : i64} : !tile.view<16x16xf16>, tensor<16x16xf16>
  }
  tile.return
}

// Pointers that the loop carries run ahead as well; a load that is computed
// with before the dot is read from its buffer.
// CHECK-LABEL: tile.kernel @carried_pointers
// CHECK: simt.ring : <3 x <16x16xi8
// CHECK: scf.for {{.*}} iter_args({{.*}}, %[[READ:.*]] = {{.*}}, %[[FILL:.*]] = {{.*}}, %[[AHEAD:.*]] = {{.*}})
// CHECK: %[[TO:.*]] = simt.slot {{.*}}[%[[FILL]]]
// CHECK: simt.async_copy %[[AHEAD]] to %[[TO]] when
// CHECK: %[[FROM:.*]] = simt.slot {{.*}}[%[[READ]]]
// CHECK: %[[BYTES:.*]] = simt.read %[[FROM]]
// CHECK: tile.sitofp %[[BYTES]]
// CHECK: simt.stage
// CHECK: simt.dot
tile.kernel @carried_pointers(%a: !tile.ptr<i8> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %out: !tile.ptr<f16> {tile.group = 2 : i64}, %k: i32) attributes {tile.num_warps = 1 : i32, tile.num_stages = 3 : i32} {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %range = tile.range 0 to 16 : tensor<16xi32>
  %rows = tile.reshape %range : tensor<16xi32> -> tensor<16x1xi32>
  %columns = tile.reshape %range : tensor<16xi32> -> tensor<1x16xi32>
  %width = arith.constant dense<16> : tensor<16x1xi32>
  %down = arith.muli %rows, %width : tensor<16x1xi32>
  %i0 = tile.broadcast %down : tensor<16x1xi32> -> tensor<16x16xi32>
  %j0 = tile.broadcast %columns : tensor<1x16xi32> -> tensor<16x16xi32>
  %ij = arith.addi %i0, %j0 : tensor<16x16xi32>
  %base = tile.splat %a : !tile.ptr<i8> -> tensor<16x16x!tile.ptr<i8>>
  %start = tile.addptr %base, %ij : tensor<16x16x!tile.ptr<i8>>, tensor<16x16xi32>
  %far = arith.constant dense<256> : tensor<16x16xi32>
  %sum:2 = scf.for %i = %c0 to %k step %c16 iter_args(%acc = %zero, %p = %start) -> (tensor<16x16xf32>, tensor<16x16x!tile.ptr<i8>>) : i32 {
    %x = tile.load %p {group = 1 : i64} : tensor<16x16x!tile.ptr<i8>> -> tensor<16x16xi8>
    %h = tile.sitofp %x : tensor<16x16xi8> to tensor<16x16xf16>
    %next = tile.dot %h, %h, %acc : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    %q = tile.addptr %p, %far : tensor<16x16x!tile.ptr<i8>>, tensor<16x16xi32>
    scf.yield %next, %q : tensor<16x16xf32>, tensor<16x16x!tile.ptr<i8>>
  }
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 16 : i64
  %half = tile.truncf rtne %sum#0 : tensor<16x16xf32> to tensor<16x16xf16>
  %vo = tile.make_view %out shape[%m, %m] strides[%m, %one] : !tile.ptr<f16> -> !tile.view<16x16xf16>
  tile.store_view %vo[%z, %z], %half checked [false, false] {group = 2 : i64} : !tile.view<16x16xf16>, tensor<16x16xf16>
  tile.return
}

// The iterations of this loop learn from an atomic that acquires: loads stay behind
// it.
// CHECK-LABEL: tile.kernel @no_acquire
// CHECK-NOT: simt.ring
tile.kernel @no_acquire(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %flag: !tile.ptr<i32> {tile.group = 2 : i64}, %out: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 3 : i64}, %k: i32) attributes {tile.num_warps = 1 : i32, tile.num_stages = 3 : i32} {
  %zero = arith.constant dense<0.0> : tensor<16x16xf16>
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 16 : i64
  %wide = arith.constant 4096 : i64
  %v = tile.make_view %a shape[%m, %wide] strides[%wide, %one] : !tile.ptr<f16> -> !tile.view<16x16xf16>
  %o = tile.make_view %out shape[%m, %wide] strides[%wide, %one] : !tile.ptr<f16> -> !tile.view<16x16xf16>
  scf.for %i = %c0 to %k step %c16 : i32 {
    %old = tile.atomic_rmw add acq_rel device %flag, %c16 {group = 2 : i64} : !tile.ptr<i32> -> i32, i32
    %at = arith.extsi %old : i32 to i64
    %in = arith.extsi %i : i32 to i64
    %x = tile.load_view %v[%z, %in] checked [false, false] {group = 1 : i64} : !tile.view<16x16xf16> -> tensor<16x16xf16>
    %y = tile.dot %x, %x, %zero : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf16>
    tile.store_view %o[%z, %at], %y checked [false, false] {group = 3 : i64} : !tile.view<16x16xf16>, tensor<16x16xf16>
  }
  tile.return
}

// Rows of memory that are columns for the dot: the ring has memory's rows, and
// threads turn a slot. A copy for each element would be the other way.
// CHECK-LABEL: tile.kernel @turned
// CHECK: simt.ring
// CHECK: %[[RB:.*]] = simt.ring : <3 x <32x64xf32, #[[MEMORY:.*]]>>
// CHECK: scf.for
// CHECK: simt.async_wait 1
// CHECK: simt.async_commit
// CHECK: %[[B:.*]] = simt.slot %[[RB]]
// CHECK: %[[TILE:.*]] = simt.read %[[B]] : {{.*}} -> tensor<32x64xf32, #[[TURN]]>
// CHECK-NOT: simt.convert
// CHECK: %[[ROWS:.*]] = simt.stage %[[TILE]]
// CHECK: simt.dot %{{.*}}, %[[ROWS]], %{{.*}}
tile.kernel @turned(%a: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %b: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 3 : i64}, %k: i32) attributes {tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 64 : i64
  %wide = arith.constant 4096 : i64
  %va = tile.make_view %a shape[%m, %wide] strides[%wide, %one] : !tile.ptr<f32> -> !tile.view<64x32xf32>
  %vb = tile.make_view %b shape[%wide, %m] strides[%one, %wide] : !tile.ptr<f32> -> !tile.view<32x64xf32>
  %sum = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %at = arith.extsi %i : i32 to i64
    %x = tile.load_view %va[%z, %at] checked [false, false] {group = 1 : i64} : !tile.view<64x32xf32> -> tensor<64x32xf32>
    %y = tile.load_view %vb[%at, %z] checked [false, false] {group = 2 : i64} : !tile.view<32x64xf32> -> tensor<32x64xf32>
    %next = tile.dot %x, %y, %acc : tensor<64x32xf32>, tensor<32x64xf32> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %vo = tile.make_view %out shape[%m, %m] strides[%m, %one] : !tile.ptr<f32> -> !tile.view<64x64xf32>
  tile.store_view %vo[%z, %z], %sum checked [false, false] {group = 3 : i64} : !tile.view<64x64xf32>, tensor<64x64xf32>
  tile.return
}

// A kernel that waits for other programs: loads of a loop of plain accesses go
// ahead within it, not those of a loop with an atomic.
// CHECK-LABEL: tile.kernel @waits
// CHECK: simt.ring
// CHECK: scf.for
// CHECK: simt.async_copy_view
// CHECK: scf.for
// CHECK: tile.load_view
// CHECK: tile.atomic_rmw
tile.kernel @waits(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %out: !tile.ptr<f16> {tile.group = 2 : i64}, %lock: !tile.ptr<i32> {tile.group = 3 : i64}, %k: i32) attributes {tile.num_warps = 1 : i32, tile.num_stages = 3 : i32, tile.waits} {
  %zero = arith.constant dense<0.0> : tensor<16x16xf16>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 16 : i64
  %wide = arith.constant 4096 : i64
  %v = tile.make_view %a shape[%m, %wide] strides[%wide, %one] : !tile.ptr<f16> -> !tile.view<16x16xf16>
  %w = tile.make_view %out shape[%m, %wide] strides[%wide, %one] : !tile.ptr<f16> -> !tile.view<16x16xf16>
  %first = scf.for %i = %c0 to %k step %c16 iter_args(%acc = %zero) -> (tensor<16x16xf16>) : i32 {
    %at = arith.extsi %i : i32 to i64
    %x = tile.load_view %v[%z, %at] checked [false, false] {group = 1 : i64} : !tile.view<16x16xf16> -> tensor<16x16xf16>
    %y = tile.dot %x, %x, %acc : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf16>
    scf.yield %y : tensor<16x16xf16>
  }
  %second = scf.for %i = %c0 to %k step %c16 iter_args(%acc = %first) -> (tensor<16x16xf16>) : i32 {
    %at = arith.extsi %i : i32 to i64
    %x = tile.load_view %v[%z, %at] checked [false, false] {group = 1 : i64} : !tile.view<16x16xf16> -> tensor<16x16xf16>
    %y = tile.dot %x, %x, %acc : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf16>
    %old = tile.atomic_rmw add acq_rel device %lock, %c1 {group = 3 : i64} : !tile.ptr<i32> -> i32, i32
    scf.yield %y : tensor<16x16xf16>
  }
  tile.store_view %w[%z, %z], %second checked [false, false] {group = 2 : i64} : !tile.view<16x16xf16>, tensor<16x16xf16>
  tile.return
}
