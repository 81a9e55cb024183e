// RUN: tz-opt %s --split-input-file --tile-peel-masks=features=views.bounds,masks.predicates | FileCheck %s

// A mask that costs nothing is not worth a second copy of the kernel.

// CHECK-LABEL: @no_copy_for_a_mask
// CHECK-NOT: scf.if
// CHECK: tile.store_view {{.*}} checked [true]
// CHECK-NOT: tile.store_view
tile.kernel @no_copy_for_a_mask(%y: !tile.ptr<f32>, %n: i64, %s: f32) {
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i64
  %pid = tile.program_id 0
  %wide = arith.extsi %pid : i32 to i64
  %at = arith.muli %wide, %block : i64
  %v = tile.splat %s : f32 -> tensor<64xf32>
  %view = tile.make_view %y shape [%n] strides [%unit] : !tile.ptr<f32> -> !tile.view<64xf32>
  tile.store_view %view[%at], %v checked [true] : !tile.view<64xf32>, tensor<64xf32>
  tile.return
}

// -----
// A loop is split all the same: its hot part has no check.

// CHECK-LABEL: @loops_are_split
// CHECK: scf.for
// CHECK: tile.store_view {{.*}} checked [false]
// CHECK: scf.if
// CHECK: tile.store_view {{.*}} checked [true]
tile.kernel @loops_are_split(%y: !tile.ptr<f32>, %n: i32, %s: f32) {
  %low = arith.constant 0 : i32
  %step = arith.constant 48 : i32
  %unit = arith.constant 1 : i64
  %wide = arith.extsi %n : i32 to i64
  %v = tile.splat %s : f32 -> tensor<48xf32>
  %view = tile.make_view %y shape [%wide] strides [%unit] : !tile.ptr<f32> -> !tile.view<48xf32>
  scf.for %k = %low to %n step %step : i32 {
    %at = arith.extsi %k : i32 to i64
    tile.store_view %view[%at], %v checked [true] : !tile.view<48xf32>, tensor<48xf32>
  }
  tile.return
}

// -----
// Checks that a loop would ask in each turn are asked once.

// CHECK-LABEL: @copied_around_a_loop
// CHECK: scf.if
// CHECK: scf.for
// CHECK: tile.store_view {{.*}} checked [false, false]
// CHECK: } else {
// CHECK: scf.for
// CHECK: tile.store_view {{.*}} checked [false, true]
tile.kernel @copied_around_a_loop(%y: !tile.ptr<f32>, %rows: i64, %n: i64, %s: f32) {
  %zero = arith.constant 0 : i64
  %unit = arith.constant 1 : i64
  %v = tile.splat %s : f32 -> tensor<1x48xf32>
  %view = tile.make_view %y shape [%rows, %n] strides [%n, %unit] : !tile.ptr<f32> -> !tile.view<1x48xf32>
  scf.for %at = %zero to %rows step %unit : i64 {
    tile.store_view %view[%at, %zero], %v checked [false, true] : !tile.view<1x48xf32>, tensor<1x48xf32>
  }
  tile.return
}

// -----
// Dots that run once do not change that: three of them would stand there twice.

// CHECK-LABEL: @no_copy_beside_a_dot
// CHECK: tile.dot
// CHECK-NOT: scf.if
// CHECK: tile.store_view {{.*}} checked [true, false]
// CHECK-NOT: tile.store_view
tile.kernel @no_copy_beside_a_dot(%y: !tile.ptr<f32>, %n: i64, %s: f32) {
  %zero = arith.constant 0 : i64
  %unit = arith.constant 1 : i64
  %block = arith.constant 16 : i64
  %v = tile.splat %s : f32 -> tensor<16x16xf32>
  %product = tile.dot %v, %v, %v : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %view = tile.make_view %y shape [%n, %block] strides [%block, %unit] : !tile.ptr<f32> -> !tile.view<16x16xf32>
  tile.store_view %view[%zero, %zero], %product checked [true, false] : !tile.view<16x16xf32>, tensor<16x16xf32>
  tile.return
}

// -----
// Behind a loop of dots masks would take registers from the loop.

// CHECK-LABEL: @copied_behind_a_loop_of_dots
// CHECK: scf.for
// CHECK: scf.if
// CHECK: tile.store_view {{.*}} checked [false, false]
// CHECK: } else {
// CHECK: tile.store_view {{.*}} checked [true, false]
tile.kernel @copied_behind_a_loop_of_dots(%y: !tile.ptr<f32>, %n: i64, %turns: i32, %s: f32) {
  %low = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i64
  %unit = arith.constant 1 : i64
  %block = arith.constant 16 : i64
  %v = tile.splat %s : f32 -> tensor<16x16xf32>
  %sum = scf.for %k = %low to %turns step %one iter_args(%at = %v) -> (tensor<16x16xf32>) : i32 {
    %product = tile.dot %v, %v, %at : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    scf.yield %product : tensor<16x16xf32>
  }
  %view = tile.make_view %y shape [%n, %block] strides [%block, %unit] : !tile.ptr<f32> -> !tile.view<16x16xf32>
  tile.store_view %view[%zero, %zero], %sum checked [true, false] : !tile.view<16x16xf32>, tensor<16x16xf32>
  tile.return
}
