// RUN: tz-opt %s --tile-peel-masks --split-input-file | FileCheck %s

// CHECK-LABEL: @example
// CHECK: %[[FULL:.*]] = arith.cmpi sge
// CHECK: scf.if %[[FULL]] {
// CHECK: tile.store_view {{.*}} checked [false]
// CHECK: } else {
// CHECK: tile.store_view {{.*}} checked [true]
tile.kernel @example(%y: !tile.ptr<f32>, %n: i64, %s: f32) {
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

// The loop is split before the first partial block; 48 is no power of two.
// CHECK-LABEL: @in_guard
// CHECK: scf.if
// CHECK: scf.for
// CHECK: tile.store_view {{.*}} checked [false]
// CHECK: scf.for
// CHECK: tile.store_view {{.*}} checked [true]
tile.kernel @in_guard(%y: !tile.ptr<f32>, %n: i64, %s: f32, %go: i1) {
  %zero = arith.constant 0 : i64
  %unit = arith.constant 1 : i64
  %block = arith.constant 48 : i64
  %v = tile.splat %s : f32 -> tensor<48xf32>
  scf.if %go {
    %view = tile.make_view %y shape [%n] strides [%unit] : !tile.ptr<f32> -> !tile.view<48xf32>
    scf.for %at = %zero to %n step %block : i64 {
      tile.store_view %view[%at], %v checked [true] : !tile.view<48xf32>, tensor<48xf32>
    }
  }
  tile.return
}

// -----

// Sizes that are known need no test.
// CHECK-LABEL: @known_size
// CHECK-NOT: scf.if
// CHECK: tile.store_view {{.*}} checked [false]
tile.kernel @known_size(%y: !tile.ptr<f32>, %s: f32) {
  %zero = arith.constant 0 : i64
  %unit = arith.constant 1 : i64
  %n = arith.constant 100 : i64
  %v = tile.splat %s : f32 -> tensor<64xf32>
  %view = tile.make_view %y shape [%n] strides [%unit] : !tile.ptr<f32> -> !tile.view<64xf32>
  tile.store_view %view[%zero], %v checked [true] : !tile.view<64xf32>, tensor<64xf32>
  tile.return
}

// -----

// The loop may start below zero: it is not split, each turn asks both bounds.
// CHECK-LABEL: @no_split_negative_start
// CHECK: scf.for
// CHECK: arith.cmpi sge
// CHECK: arith.cmpi sge
// CHECK: scf.if
// CHECK: tile.store_view {{.*}} checked [false]
// CHECK: tile.store_view {{.*}} checked [true]
// CHECK-NOT: scf.for
tile.kernel @no_split_negative_start(%y: !tile.ptr<f32>, %n: i64, %low: i64, %s: f32) {
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i64
  %v = tile.splat %s : f32 -> tensor<64xf32>
  %view = tile.make_view %y shape [%n] strides [%unit] : !tile.ptr<f32> -> !tile.view<64xf32>
  scf.for %at = %low to %n step %block : i64 {
    tile.store_view %view[%at], %v checked [true] : !tile.view<64xf32>, tensor<64xf32>
  }
  tile.return
}

// -----

// A tile that leaves the guarded part would have to live in one place for both
// branches: such a part keeps its checks.
// CHECK-LABEL: @no_version_tile_result
// CHECK-NOT: scf.if
// CHECK: tile.load_view {{.*}} checked [true]
tile.kernel @no_version_tile_result(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32, %s: f32) {
  %zero = arith.constant 0 : i64
  %unit = arith.constant 1 : i64
  %low = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %v = tile.splat %s : f32 -> tensor<64xf32>
  %out = tile.make_view %y shape [%unit] strides [%unit] : !tile.ptr<f32> -> !tile.view<64xf32>
  %sum = scf.for %i = %low to %n step %one iter_args(%acc = %v) -> (tensor<64xf32>) : i32 {
    %at = tile.addptr %x, %i : !tile.ptr<f32>, i32
    %size = tile.load %x : !tile.ptr<f32> -> f32
    %extent = tile.fptosi %size : f32 to i64
    %view = tile.make_view %at shape [%extent] strides [%unit] : !tile.ptr<f32> -> !tile.view<64xf32>
    %w = tile.load_view %view[%zero] checked [true] : !tile.view<64xf32> -> tensor<64xf32>
    %next = arith.addf %acc, %w : tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  }
  tile.store_view %out[%zero], %sum checked [true] : !tile.view<64xf32>, tensor<64xf32>
  tile.return
}
