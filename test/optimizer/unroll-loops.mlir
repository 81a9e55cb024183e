// RUN: tz-opt %s --tile-unroll-loops=limit=60 --tile-simplify --split-input-file --verify-diagnostics | FileCheck %s
// RUN: tz-opt %s --tile-unroll-loops=limit=60 --split-input-file --verify-diagnostics -mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS
// RUN: tz-opt %s --tile-neutral --tile-prepared --split-input-file | FileCheck %s --check-prefix=KEPT

// STATS: tile-unroll-loops
// STATS: 1  declined
// STATS: 3  unrolled-loops

// Eight iterations, two at a time: nothing is left for a second loop.
// CHECK-LABEL: @example
// CHECK: scf.for %[[T:[a-z0-9]+]] = %{{.*}} to %{{.*}} step %{{.*}} : i32 {
// CHECK: tile.store %{{.*}}, %[[T]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[T]]
// CHECK: tile.store %{{.*}}, %[[NEXT]]
// CHECK-NOT: scf.for
tile.kernel @example(%y: !tile.ptr<i32>) {
  %low = arith.constant 0 : i32
  %high = arith.constant 8 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %low to %high step %one : i32 {
    %at = tile.addptr %y, %i : !tile.ptr<i32>, i32
    tile.store %at, %i : !tile.ptr<i32>, i32
  } {tile.loop_unroll_factor = 2 : i32}
  tile.return
}

// -----

// What is carried goes from copy to copy and into the loop of the rest; the
// other options of the loop stay with both.
// CHECK-LABEL: @in_guard
// CHECK: scf.if
// CHECK: %[[WHOLE:.*]] = scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}) -> (tensor<48xf32>)
// CHECK: %[[B:.*]] = arith.addf %[[A]]
// CHECK: %[[C:.*]] = arith.addf %[[B]]
// CHECK: %[[D:.*]] = arith.addf %[[C]]
// CHECK: scf.yield %[[D]]
// CHECK: } {tile.flatten, tile.num_stages = 4 : i32}
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[WHOLE]])
// CHECK: } {tile.flatten, tile.num_stages = 4 : i32}
tile.kernel @in_guard(%y: !tile.ptr<f32>, %s: f32, %n: i32, %by: i32, %go: i1) {
  %low = arith.constant 3 : i32
  %v = tile.splat %s : f32 -> tensor<48xf32>
  %lane = tile.range 0 to 48 : tensor<48xi32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<48x!tile.ptr<f32>>
  %to = tile.addptr %ys, %lane : tensor<48x!tile.ptr<f32>>, tensor<48xi32>
  scf.if %go {
    %sum = scf.for %i = %low to %n step %by iter_args(%acc = %v) -> (tensor<48xf32>) : i32 {
      %next = arith.addf %acc, %v : tensor<48xf32>
      scf.yield %next : tensor<48xf32>
    } {tile.loop_unroll_factor = 3 : i32, tile.num_stages = 4 : i32, tile.flatten}
    tile.store %to, %sum : tensor<48x!tile.ptr<f32>>, tensor<48xf32>
  }
  tile.return
}

// -----

// CHECK-LABEL: @no_unroll_too_large
// CHECK: scf.for
// CHECK-NOT: loop_unroll_factor
tile.kernel @no_unroll_too_large(%y: !tile.ptr<i32>, %n: i32) {
  %low = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  // expected-remark @below {{this loop is not unrolled: 100 copies of 3 ops are more than the 60 that are left to this kernel; a smaller loop_unroll_factor may fit}}
  scf.for %i = %low to %n step %one : i32 {
    %at = tile.addptr %y, %i : !tile.ptr<i32>, i32
    tile.store %at, %i : !tile.ptr<i32>, i32
  } {tile.loop_unroll_factor = 100 : i32}
  tile.return
}

// -----

// Through the neutral passes a loop keeps what a target may want to know, also
// where it is split; the loop of partial blocks is not unrolled.
// KEPT-LABEL: @options_kept
// KEPT: scf.for
// KEPT: tile.store_view {{.*}} checked [false]
// KEPT: tile.store_view {{.*}} checked [false]
// KEPT: } {tile.disallow_acc_multi_buffer, tile.num_stages = 2 : i32, tile.warp_specialize}
// KEPT: scf.for
// KEPT: tile.store_view {{.*}} checked [true]
// KEPT-NOT: tile.store_view
// KEPT: } {tile.disallow_acc_multi_buffer, tile.num_stages = 2 : i32, tile.warp_specialize}
tile.kernel @options_kept(%y: !tile.ptr<f32>, %n: i32, %s: f32) {
  %low = arith.constant 0 : i32
  %block = arith.constant 64 : i32
  %v = tile.splat %s : f32 -> tensor<64xf32>
  %lane = tile.range 0 to 64 : tensor<64xi32>
  %limit = tile.splat %n : i32 -> tensor<64xi32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %end = scf.for %i = %low to %n step %block iter_args(%unused = %low) -> (i32) : i32 {
    %start = tile.splat %i : i32 -> tensor<64xi32>
    %cols = arith.addi %start, %lane : tensor<64xi32>
    %mask = arith.cmpi slt, %cols, %limit : tensor<64xi32>
    %to = tile.addptr %ys, %cols : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    tile.store %to, %v mask %mask {group = 1 : i64} : tensor<64x!tile.ptr<f32>>, tensor<64xf32>, tensor<64xi1>
    %next = arith.addi %unused, %block : i32
    scf.yield %next : i32
  } {tile.loop_unroll_factor = 2 : i32, tile.num_stages = 2 : i32, tile.warp_specialize, tile.disallow_acc_multi_buffer}
  tile.return
}
