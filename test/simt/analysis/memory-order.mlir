// The order of accesses to memory (R6).
// RUN: tz-opt %s --simt-print-memory-order -o /dev/null | FileCheck %s

// A volatile load counts as a write. An atomic that orders is in order with all;
// if nobody looks at its result, a load may go ahead of it where it is of another
// group.
// CHECK-LABEL: simt-print-memory-order @kinds
// CHECK-NEXT: tile.load %0: reads group 1
// CHECK-NEXT: tile.load %1: writes group 1
// CHECK-NEXT: tile.load %2: reads group 0
// CHECK-NEXT: tile.store: writes group 2
// CHECK-NEXT: tile.atomic_rmw %3: writes group 3
// CHECK-NEXT: tile.atomic_rmw %4: writes group 0; ahead of it: writes group 3
// CHECK-NEXT: tile.atomic_rmw %5: writes group 0
// CHECK-NEXT: tile.store: writes group 3
tile.kernel @kinds(%x: !tile.ptr<i32>, %v: i32) {
  %a = tile.load %x {group = 1 : i64} : !tile.ptr<i32> -> i32
  %b = tile.load %x {group = 1 : i64, isVolatile} : !tile.ptr<i32> -> i32
  %c = tile.load %x : !tile.ptr<i32> -> i32
  tile.store %x, %v {group = 2 : i64} : !tile.ptr<i32>, i32
  %d = tile.atomic_rmw add relaxed device %x, %v {group = 3 : i64} : !tile.ptr<i32> -> i32, i32
  %e = tile.atomic_rmw add acq_rel device %x, %v {group = 3 : i64} : !tile.ptr<i32> -> i32, i32
  %f = tile.atomic_rmw add acq_rel device %x, %v {group = 3 : i64} : !tile.ptr<i32> -> i32, i32
  tile.store %x, %f {group = 3 : i64} : !tile.ptr<i32>, i32
  tile.return
}

// Blocks of a vector, one after the other: each iteration stores elsewhere. Not
// so by less than a block, from what the loop does not count, in a view that the
// loop makes, in rows of a matrix.
// CHECK-LABEL: simt-print-memory-order @moving
// CHECK-NEXT: tile.store_view: writes group 1, other memory in each iteration
// CHECK-NEXT: tile.store_view: writes group 1, other memory in each iteration
// CHECK-NEXT: tile.store_view: writes group 1
// CHECK-NEXT: tile.store_view: writes group 1
// CHECK-NEXT: tile.store_view: writes group 1
// CHECK-NEXT: tile.store_view: writes group 1
// CHECK-NEXT: tile.store_view: writes group 1
tile.kernel @moving(%x: !tile.ptr<f32>, %n: i32, %w: i64) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %one = arith.constant 1 : i64
  %z = arith.constant 0 : i64
  %v = arith.constant dense<0.0> : tensor<32xf32>
  %m = arith.constant dense<0.0> : tensor<4x32xf32>
  %s = arith.constant dense<0.0> : tensor<64xf32>
  %view = tile.make_view %x shape[%w] strides[%one] : <f32> -> <32xf32>
  %large = tile.make_view %x shape[%w] strides[%one] : <f32> -> <64xf32>
  %matrix = tile.make_view %x shape[%w, %w] strides[%w, %one] : <f32> -> <4x32xf32>
  scf.for %i = %c0 to %n step %c32 : i32 {
    %at = arith.extsi %i : i32 to i64
    %later = arith.addi %at, %w : i64
    %twice = arith.addi %at, %at : i64
    tile.store_view %view[%at], %v checked [false] {group = 1 : i64} : <32xf32>, tensor<32xf32>
    tile.store_view %view[%later], %v checked [false] {group = 1 : i64} : <32xf32>, tensor<32xf32>
    tile.store_view %view[%twice], %v checked [false] {group = 1 : i64} : <32xf32>, tensor<32xf32>
    tile.store_view %view[%w], %v checked [false] {group = 1 : i64} : <32xf32>, tensor<32xf32>
    tile.store_view %large[%at], %s checked [false] {group = 1 : i64} : <64xf32>, tensor<64xf32>
    tile.store_view %matrix[%z, %at], %m checked [false, false] {group = 1 : i64} : <4x32xf32>, tensor<4x32xf32>
    %own = tile.make_view %x shape[%at] strides[%one] : <f32> -> <32xf32>
    tile.store_view %own[%at], %v checked [false] {group = 1 : i64} : <32xf32>, tensor<32xf32>
  }
  tile.return
}
