// Records of parts: what the second one computes is computed between its two
// readings of the time stamp counter, not where it is stored.
// RUN: tz compile %s --target cpu:x86-64-v3 --emit asm -o - | FileCheck %s

// CHECK-LABEL: record_parts:
// CHECK: rdtsc
// CHECK: rdtsc
// CHECK-NOT: vmulps
// CHECK: rdtsc
// CHECK: vmulps
// CHECK: rdtsc
// CHECK-NOT: vmulps
// CHECK: vmovups
// CHECK: rdtsc
// CHECK: lock
tile.kernel @record_parts(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) {
  %lane = tile.range 0 to 64 : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %from = tile.addptr %xs, %lane : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.load %from {group = 1 : i64} : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  tile.record "nothing"
  tile.record "compute"
  %w = arith.mulf %v, %v : tensor<64xf32>
  tile.record "compute" end
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %to = tile.addptr %ys, %lane : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store %to, %w {group = 2 : i64} : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  tile.return
}
