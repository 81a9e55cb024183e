// Passes that reason with signed numbers leave loops over unsigned ones alone,
// unless both bounds are known to be no larger than the largest signed number.
// RUN: tz-opt %s --tile-peel-masks --split-input-file 2>&1 | FileCheck %s --check-prefix=PEEL
// RUN: tz-opt %s --tile-hoist-invariants --split-input-file 2>&1 | FileCheck %s --check-prefix=HOIST
// RUN: tz-opt %s --tile-unroll-loops --split-input-file 2>&1 | FileCheck %s --check-prefix=UNROLL

// PEEL: the loop counts unsigned numbers that may be above the largest signed one; tl.assume(end < 0x80000000) says that they are not
// PEEL-LABEL: @open
// PEEL-COUNT-1: scf.for unsigned
// PEEL-NOT: scf.for
// PEEL: tile.return
tile.kernel @open(%y: !tile.ptr<f32>, %n: i32, %s: f32) {
  %zero = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %v = tile.splat %s : f32 -> tensor<64xf32>
  %size = arith.extui %n : i32 to i64
  %view = tile.make_view %y shape [%size] strides [%unit] : !tile.ptr<f32> -> !tile.view<64xf32>
  scf.for unsigned %i = %zero to %n step %block : i32 {
    %at = arith.extsi %i : i32 to i64
    tile.store_view %view[%at], %v checked [true] : !tile.view<64xf32>, tensor<64xf32>
  }
  tile.return
}

// -----

// PEEL-LABEL: @bounded
// PEEL: scf.for unsigned
// PEEL: checked [false]
// PEEL: scf.for unsigned
// PEEL: checked [true]
tile.kernel @bounded(%y: !tile.ptr<f32>, %n: i32, %s: f32) {
  %zero = arith.constant 0 : i32
  %top = arith.constant -2147483648 : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %small = arith.cmpi ult, %n, %top : i32
  tile.assume %small
  %v = tile.splat %s : f32 -> tensor<64xf32>
  %size = arith.extsi %n : i32 to i64
  %view = tile.make_view %y shape [%size] strides [%unit] : !tile.ptr<f32> -> !tile.view<64xf32>
  scf.for unsigned %i = %zero to %n step %block : i32 {
    %at = arith.extsi %i : i32 to i64
    tile.store_view %view[%at], %v checked [true] : !tile.view<64xf32>, tensor<64xf32>
  }
  tile.return
}

// -----

// From -1, the largest unsigned number, to 5: no iteration, and no load.
// HOIST-LABEL: @never
// HOIST: scf.for unsigned
// HOIST: tile.load
tile.kernel @never(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) {
  %low = arith.constant -1 : i32
  %high = arith.constant 5 : i32
  %one = arith.constant 1 : i32
  scf.for unsigned %i = %low to %high step %one : i32 {
    %v = tile.load %x {group = 1 : i64} : !tile.ptr<f32> -> f32
    %at = tile.addptr %y, %i : !tile.ptr<f32>, i32
    tile.store %at, %v {group = 2 : i64} : !tile.ptr<f32>, f32
  }
  tile.return
}

// -----

// UNROLL-LABEL: @copies
// UNROLL: tile.maxui
// UNROLL: tile.divui
// UNROLL: tile.remui
// UNROLL: scf.for unsigned
// UNROLL: scf.for unsigned
tile.kernel @copies(%y: !tile.ptr<i32>, %low: i32, %high: i32, %step: i32) {
  scf.for unsigned %i = %low to %high step %step : i32 {
    tile.store %y, %i : !tile.ptr<i32>, i32
  } {tile.loop_unroll_factor = 2 : i32}
  tile.return
}
