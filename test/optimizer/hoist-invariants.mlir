// RUN: tz-opt %s --tile-hoist-invariants --split-input-file --verify-diagnostics | FileCheck %s
// RUN: tz-opt %s --tile-hoist-invariants --split-input-file --verify-diagnostics -mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS

// STATS: tile-hoist-invariants
// STATS: 3  declined
// STATS: 3  hoisted-loads
// STATS: 2  hoisted-ops

// CHECK-LABEL: @example
// CHECK: tile.splat
// CHECK: tile.load
// CHECK: scf.for
// CHECK-NOT: tile.load
// CHECK: tile.store
tile.kernel @example(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) {
  %low = arith.constant 0 : i32
  %high = arith.constant 8 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %low to %high step %one : i32 {
    %from = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
    %v = tile.load %from {group = 1 : i64} : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
    %at = tile.addptr %y, %i : !tile.ptr<f32>, i32
    %to = tile.splat %at : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
    tile.store %to, %v {group = 2 : i64} : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  }
  tile.return
}

// -----

// The loop may not run: then nobody promised that %x points to anything.
// CHECK-LABEL: @no_hoist_zero_turns
// CHECK: scf.for
// CHECK: tile.load
tile.kernel @no_hoist_zero_turns(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) {
  %low = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %low to %n step %one : i32 {
    // expected-remark @below {{reads the same bytes in every iteration of the loop: it stays there, because the loop is not known to run; tl.assume(end > start) says so}}
    %v = tile.load %x {group = 1 : i64} : !tile.ptr<f32> -> f32
    tile.store %y, %v {group = 2 : i64} : !tile.ptr<f32>, f32
  }
  tile.return
}

// -----

// An assumption makes it run.
// CHECK-LABEL: @assumed_turns
// CHECK: tile.load
// CHECK: scf.for
tile.kernel @assumed_turns(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) {
  %low = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %some = arith.cmpi sgt, %n, %low : i32
  tile.assume %some
  scf.for %i = %low to %n step %one : i32 {
    %v = tile.load %x {group = 1 : i64} : !tile.ptr<f32> -> f32
    tile.store %y, %v {group = 2 : i64} : !tile.ptr<f32>, f32
  }
  tile.return
}

// -----

// CHECK-LABEL: @no_hoist_same_group
// CHECK: scf.for
// CHECK: tile.load
tile.kernel @no_hoist_same_group(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) {
  %low = arith.constant 0 : i32
  %high = arith.constant 8 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %low to %high step %one : i32 {
    // expected-remark @below {{because a write in the loop may reach those bytes; load before the loop if none does}}
    %v = tile.load %x {group = 1 : i64} : !tile.ptr<f32> -> f32
    %w = arith.addf %v, %v : f32
    tile.store %x, %w {group = 1 : i64} : !tile.ptr<f32>, f32
  }
  tile.return
}

// -----

// CHECK-LABEL: @no_hoist_volatile
// CHECK: scf.for
// CHECK: tile.load
tile.kernel @no_hoist_volatile(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) {
  %low = arith.constant 0 : i32
  %high = arith.constant 8 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %low to %high step %one : i32 {
    %v = tile.load %x {group = 1 : i64, isVolatile} : !tile.ptr<f32> -> f32
    tile.store %y, %v {group = 2 : i64} : !tile.ptr<f32>, f32
  }
  tile.return
}

// -----

// CHECK-LABEL: @in_guard
// CHECK: scf.if
// CHECK: tile.load
// CHECK: scf.for
tile.kernel @in_guard(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %go: i1) {
  %low = arith.constant 0 : i32
  %high = arith.constant 8 : i32
  %one = arith.constant 1 : i32
  scf.if %go {
    scf.for %i = %low to %high step %one : i32 {
      %v = tile.load %x {group = 1 : i64} : !tile.ptr<f32> -> f32
      tile.store %y, %v {group = 2 : i64} : !tile.ptr<f32>, f32
    }
  }
  tile.return
}

// -----

// CHECK-LABEL: @no_hoist_past_barrier
// CHECK: scf.for
// CHECK: tile.load
tile.kernel @no_hoist_past_barrier(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) {
  %low = arith.constant 0 : i32
  %high = arith.constant 8 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %low to %high step %one : i32 {
    // expected-remark @below {{because the loop has an op that orders memory or may end the program}}
    %v = tile.load %x {group = 1 : i64} : !tile.ptr<f32> -> f32
    tile.store %y, %v {group = 2 : i64} : !tile.ptr<f32>, f32
    tile.barrier
  }
  tile.return
}

// -----

// The author wants short live ranges: loads and floats stay, an address leaves.
// CHECK-LABEL: @disable_licm
// CHECK: tile.splat %{{.*}} : !tile.ptr<f32>
// CHECK: scf.for
// CHECK: tile.load
// CHECK: tile.splat %{{.*}} : f32
// CHECK: disable_licm
// CHECK: scf.while
// CHECK: tile.math
// CHECK: disable_licm
tile.kernel @disable_licm(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %s: f32, %go: i1) {
  %low = arith.constant 0 : i32
  %high = arith.constant 8 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %low to %high step %one : i32 {
    %from = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
    %v = tile.load %from {group = 1 : i64} : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
    %c = tile.splat %s : f32 -> tensor<64xf32>
    %sum = arith.addf %v, %c : tensor<64xf32>
    %at = tile.addptr %y, %i : !tile.ptr<f32>, i32
    %to = tile.splat %at : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
    tile.store %to, %sum {group = 2 : i64} : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  } {tile.disable_licm}
  scf.while : () -> () {
    %e = tile.math exp %s : f32
    tile.store %x, %e {group = 1 : i64} : !tile.ptr<f32>, f32
    scf.condition(%go)
  } do {
    scf.yield
  } attributes {tile.disable_licm}
  tile.return
}
