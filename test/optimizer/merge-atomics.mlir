// RUN: tz-opt %s --tile-merge-atomics --canonicalize --split-input-file | FileCheck %s
// RUN: tz-opt %s --tile-merge-atomics --split-input-file -mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS
// RUN: tz-opt %s --tile-merge-atomics=fewest=64 --split-input-file | FileCheck %s --check-prefix=DEAR

// STATS: tile-merge-atomics
// STATS: 3  merged
// DEAR-NOT: tile.histogram

// CHECK-LABEL: @example
// CHECK: %[[HITS:.*]] = tile.histogram %[[AT:.*]] mask %[[MASK:.*]] : tensor<256xi32>
// CHECK: %[[ANY:.*]] = arith.cmpi ne, %[[HITS]]
// CHECK: %[[BASE:.*]] = tile.splat %arg1
// CHECK: %[[BINS:.*]] = tile.range 0 to 8
// CHECK: %[[TO:.*]] = tile.addptr %[[BASE]], %[[BINS]]
// CHECK: tile.atomic_rmw add relaxed device %[[TO]], %[[HITS]] mask %[[ANY]] {group = 2 : i64}
// CHECK-NOT: tile.atomic_rmw
tile.kernel @example(%x: !tile.ptr<i32>, %counts: !tile.ptr<i32>) {
  %zero = arith.constant dense<0> : tensor<256xi32>
  %five = arith.constant dense<5> : tensor<256xi32>
  %one = arith.constant dense<1> : tensor<256xi32>
  %all = tile.splat %x : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>>
  %at = tile.load %all {group = 1 : i64} : tensor<256x!tile.ptr<i32>> -> tensor<256xi32>
  %low = arith.cmpi sge, %at, %zero : tensor<256xi32>
  %high = arith.cmpi slt, %at, %five : tensor<256xi32>
  %inside = arith.andi %low, %high : tensor<256xi1>
  %base = tile.splat %counts : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>>
  %to = tile.addptr %base, %at : tensor<256x!tile.ptr<i32>>, tensor<256xi32>
  %old = tile.atomic_rmw add relaxed device %to, %one mask %inside {group = 2 : i64} : tensor<256x!tile.ptr<i32>>, tensor<256xi1> -> tensor<256xi32>, tensor<256xi32>
  tile.return
}

// -----

// Constants on the left and unsigned; a number of 64 bits from the outside.
// CHECK-LABEL: @in_guard
// CHECK: scf.if
// CHECK: %[[HITS:.*]] = tile.histogram
// CHECK: %[[ANY:.*]] = arith.cmpi ne, %[[HITS]]
// CHECK: %[[WIDE:.*]] = arith.extui %[[HITS]] : tensor<16xi32> to tensor<16xi64>
// CHECK: %[[EACH:.*]] = tile.splat %arg2 : i64
// CHECK: %[[SUM:.*]] = arith.muli %[[WIDE]], %[[EACH]]
// CHECK: tile.atomic_rmw add acq_rel system %{{.*}}, %[[SUM]] mask %[[ANY]]
tile.kernel @in_guard(%x: !tile.ptr<i32>, %sums: !tile.ptr<i64>, %each: i64, %c: i1) {
  scf.if %c {
    %end = arith.constant dense<16> : tensor<96xi32>
    %number = tile.splat %each : i64 -> tensor<96xi64>
    %all = tile.splat %x : !tile.ptr<i32> -> tensor<96x!tile.ptr<i32>>
    %at = tile.load %all {group = 1 : i64} : tensor<96x!tile.ptr<i32>> -> tensor<96xi32>
    %inside = arith.cmpi ult, %at, %end : tensor<96xi32>
    %base = tile.splat %sums : !tile.ptr<i64> -> tensor<96x!tile.ptr<i64>>
    %to = tile.addptr %base, %at : tensor<96x!tile.ptr<i64>>, tensor<96xi32>
    %old = tile.atomic_rmw add acq_rel system %to, %number mask %inside : tensor<96x!tile.ptr<i64>>, tensor<96xi1> -> tensor<96xi64>, tensor<96xi64>
  }
  tile.return
}

// -----

// No mask is needed where the index is known to be small.
// CHECK-LABEL: @known_range
// CHECK: tile.histogram %{{[a-z0-9_]+}} : tensor<64xi32> -> tensor<4xi32>
tile.kernel @known_range(%x: !tile.ptr<i32>, %counts: !tile.ptr<i32>) {
  %three = arith.constant dense<3> : tensor<64xi32>
  %one = arith.constant dense<1> : tensor<64xi32>
  %all = tile.splat %x : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %v = tile.load %all {group = 1 : i64} : tensor<64x!tile.ptr<i32>> -> tensor<64xi32>
  %at = arith.andi %v, %three : tensor<64xi32>
  %base = tile.splat %counts : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %to = tile.addptr %base, %at : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %old = tile.atomic_rmw add relaxed device %to, %one : tensor<64x!tile.ptr<i32>> -> tensor<64xi32>, tensor<64xi32>
  tile.return
}

// -----

// Somebody asks for what was there, lanes add different numbers, an index may
// be below zero, there are as many addresses as lanes, floats: nothing changes.
// CHECK-LABEL: @no_merge
// CHECK-NOT: tile.histogram
tile.kernel @no_merge(%x: !tile.ptr<i32>, %counts: !tile.ptr<i32>, %sums: !tile.ptr<f32>) {
  %three = arith.constant dense<3> : tensor<64xi32>
  %many = arith.constant dense<31> : tensor<64xi32>
  %one = arith.constant dense<1> : tensor<64xi32>
  %half = arith.constant dense<0.5> : tensor<64xf32>
  %all = tile.splat %x : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %v = tile.load %all {group = 1 : i64} : tensor<64x!tile.ptr<i32>> -> tensor<64xi32>
  %base = tile.splat %counts : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %at = arith.andi %v, %three : tensor<64xi32>
  %to = tile.addptr %base, %at : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %used = tile.atomic_rmw add relaxed device %to, %one : tensor<64x!tile.ptr<i32>> -> tensor<64xi32>, tensor<64xi32>
  tile.store %all, %used : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %different = tile.atomic_rmw add relaxed device %to, %v : tensor<64x!tile.ptr<i32>> -> tensor<64xi32>, tensor<64xi32>
  %below = arith.cmpi sle, %v, %three : tensor<64xi32>
  %unbounded = tile.addptr %base, %v : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %negative = tile.atomic_rmw add relaxed device %unbounded, %one mask %below : tensor<64x!tile.ptr<i32>>, tensor<64xi1> -> tensor<64xi32>, tensor<64xi32>
  %wide = arith.andi %v, %many : tensor<64xi32>
  %spread = tile.addptr %base, %wide : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %thin = tile.atomic_rmw add relaxed device %spread, %one : tensor<64x!tile.ptr<i32>> -> tensor<64xi32>, tensor<64xi32>
  %floats = tile.splat %sums : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %fto = tile.addptr %floats, %at : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %float = tile.atomic_rmw fadd relaxed device %fto, %half : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>, tensor<64xf32>
  tile.return
}
