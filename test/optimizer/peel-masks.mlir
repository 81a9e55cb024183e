// RUN: tz-opt %s --tile-peel-masks --split-input-file --verify-diagnostics | FileCheck %s
// RUN: tz-opt %s --tile-peel-masks --split-input-file --verify-diagnostics -mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS

// STATS: tile-peel-masks
// STATS: 3  declined
// STATS: 3  known-masks
// STATS: 2  peeled-loops
// STATS: 10  unmasked-dims
// STATS: 5  versioned-blocks

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

// The loop may start below zero: it is not split, each iteration asks both bounds.
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
    // expected-remark @below {{asked in every iteration of the loop, not once: the loop is not known to begin at 0 or above; tl.assume(start >= 0) says so}}
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
    // expected-remark @below {{dimension 0 of this load is checked in every block: a tile leaves the part of the kernel}}
    %w = tile.load_view %view[%zero] checked [true] : !tile.view<64xf32> -> tensor<64xf32>
    %next = arith.addf %acc, %w : tensor<64xf32>
    scf.yield %next : tensor<64xf32>
  }
  // expected-remark @below {{a block of 64 never fits; a smaller block may}}
  tile.store_view %out[%zero], %sum checked [true] : !tile.view<64xf32>, tensor<64xf32>
  tile.return
}

// -----

// The mask that guards a load guards the rest of the kernel as well; in a full
// row both uses are gone, and the checked copy makes its own.
// CHECK-LABEL: @mask_used_elsewhere
// CHECK-NOT: arith.cmpi slt
// CHECK: scf.if
// CHECK: %[[YES:.*]] = arith.constant dense<true>
// CHECK: tile.load_view {{.*}} checked [false]
// CHECK: arith.select %[[YES]]
// CHECK: } else {
// CHECK: %[[MASK:.*]] = arith.cmpi slt
// CHECK: tile.load_view {{.*}} checked [true]
// CHECK: arith.select %[[MASK]]
tile.kernel @mask_used_elsewhere(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) {
  %zero = arith.constant 0 : i64
  %unit = arith.constant 1 : i64
  %nothing = arith.constant dense<0.0> : tensor<64xf32>
  %cols = tile.range 0 to 64 : tensor<64xi32>
  %limit = tile.splat %n : i32 -> tensor<64xi32>
  %mask = arith.cmpi slt, %cols, %limit : tensor<64xi32>
  %extent = arith.extsi %n : i32 to i64
  %from = tile.make_view %x shape [%extent] strides [%unit] : !tile.ptr<f32> -> !tile.view<64xf32>
  %to = tile.make_view %y shape [%extent] strides [%unit] : !tile.ptr<f32> -> !tile.view<64xf32>
  %v = tile.load_view %from[%zero] checked [true] : !tile.view<64xf32> -> tensor<64xf32>
  %e = arith.mulf %v, %v : tensor<64xf32>
  %w = arith.select %mask, %e, %nothing : tensor<64xi1>, tensor<64xf32>
  tile.store_view %to[%zero], %w checked [true] : !tile.view<64xf32>, tensor<64xf32>
  tile.return
}

// -----

// In the iterations before the split, what compares the loop's own columns is known;
// `sgt` with the sides changed is the same comparison.
// CHECK-LABEL: @mask_in_loop
// CHECK: scf.for
// CHECK: %[[YES:.*]] = arith.constant dense<true>
// CHECK: tile.load_view {{.*}} checked [false]
// CHECK: arith.select %[[YES]]
// CHECK: arith.select %[[YES]]
// CHECK: scf.for
// CHECK: tile.load_view {{.*}} checked [true]
tile.kernel @mask_in_loop(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) {
  %low = arith.constant 0 : i32
  %step = arith.constant 48 : i32
  %unit = arith.constant 1 : i64
  %nothing = arith.constant dense<0.0> : tensor<48xf32>
  %lane = tile.range 0 to 48 : tensor<48xi32>
  %limit = tile.splat %n : i32 -> tensor<48xi32>
  %extent = arith.extsi %n : i32 to i64
  %from = tile.make_view %x shape [%extent] strides [%unit] : !tile.ptr<f32> -> !tile.view<48xf32>
  %to = tile.make_view %y shape [%unit] strides [%unit] : !tile.ptr<f32> -> !tile.view<48xf32>
  scf.for %k = %low to %n step %step : i32 {
    %start = tile.splat %k : i32 -> tensor<48xi32>
    %cols = arith.addi %start, %lane : tensor<48xi32>
    %mask = arith.cmpi slt, %cols, %limit : tensor<48xi32>
    %same = arith.cmpi sgt, %limit, %cols : tensor<48xi32>
    %at = arith.extsi %k : i32 to i64
    %v = tile.load_view %from[%at] checked [true] : !tile.view<48xf32> -> tensor<48xf32>
    %w = arith.select %mask, %v, %nothing : tensor<48xi1>, tensor<48xf32>
    %u = arith.select %same, %w, %nothing : tensor<48xi1>, tensor<48xf32>
    tile.store_view %to[%at], %u checked [false] : !tile.view<48xf32>, tensor<48xf32>
  }
  tile.return
}

// -----

// Not known: a comparison with another limit, and one whose product may wrap
// before it is widened (R3: it guards no access).
// CHECK-LABEL: @no_fold_other_mask
// CHECK: scf.if
// CHECK-NOT: dense<true>
// CHECK: } else {
tile.kernel @no_fold_other_mask(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32, %m: i32) {
  %zero = arith.constant 0 : i64
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %nothing = arith.constant dense<0.0> : tensor<64xf32>
  %pid = tile.program_id 0
  %first = arith.muli %pid, %block : i32
  %lane = tile.range 0 to 64 : tensor<64xi32>
  %start = tile.splat %first : i32 -> tensor<64xi32>
  %cols = arith.addi %start, %lane : tensor<64xi32>
  %wide = arith.extsi %cols : tensor<64xi32> to tensor<64xi64>
  %other = tile.splat %m : i32 -> tensor<64xi32>
  %extent = arith.extsi %n : i32 to i64
  %limit = tile.splat %extent : i64 -> tensor<64xi64>
  %mask = arith.cmpi slt, %cols, %other : tensor<64xi32>
  %wraps = arith.cmpi slt, %wide, %limit : tensor<64xi64>
  %at = arith.extsi %first : i32 to i64
  %from = tile.make_view %x shape [%extent] strides [%unit] : !tile.ptr<f32> -> !tile.view<64xf32>
  %to = tile.make_view %y shape [%extent] strides [%unit] : !tile.ptr<f32> -> !tile.view<64xf32>
  %v = tile.load_view %from[%at] checked [true] : !tile.view<64xf32> -> tensor<64xf32>
  %w = arith.select %mask, %v, %nothing : tensor<64xi1>, tensor<64xf32>
  %u = arith.select %wraps, %w, %nothing : tensor<64xi1>, tensor<64xf32>
  tile.store_view %to[%at], %u checked [true] : !tile.view<64xf32>, tensor<64xf32>
  tile.return
}

// -----

// Which array it is, is not known before.
// CHECK-LABEL: @no_view_from_branch
// CHECK: tile.store_view {{.*}} checked [true]
tile.kernel @no_view_from_branch(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i64, %c: i1, %s: f32) {
  %zero = arith.constant 0 : i64
  %unit = arith.constant 1 : i64
  %v = tile.splat %s : f32 -> tensor<64xf32>
  %view = scf.if %c -> (!tile.view<64xf32>) {
    %a = tile.make_view %x shape [%n] strides [%unit] : !tile.ptr<f32> -> !tile.view<64xf32>
    scf.yield %a : !tile.view<64xf32>
  } else {
    %b = tile.make_view %y shape [%n] strides [%unit] : !tile.ptr<f32> -> !tile.view<64xf32>
    scf.yield %b : !tile.view<64xf32>
  }
  // expected-remark @below {{its view comes out of a branch or a loop that does not move it by the same amounts every iteration; make the view where it is used}}
  tile.store_view %view[%zero], %v checked [true] : !tile.view<64xf32>, tensor<64xf32>
  tile.return
}

// -----

// CHECK-LABEL: @no_split_run_time_step
tile.kernel @no_split_run_time_step(%y: !tile.ptr<f32>, %n: i64, %by: i64, %s: f32) {
  %zero = arith.constant 0 : i64
  %unit = arith.constant 1 : i64
  %v = tile.splat %s : f32 -> tensor<64xf32>
  %view = tile.make_view %y shape [%n] strides [%unit] : !tile.ptr<f32> -> !tile.view<64xf32>
  scf.for %at = %zero to %n step %by : i64 {
    // expected-remark @below {{the loop's step is no positive constant; make it a constexpr}}
    tile.store_view %view[%at], %v checked [true] : !tile.view<64xf32>, tensor<64xf32>
  }
  tile.return
}
