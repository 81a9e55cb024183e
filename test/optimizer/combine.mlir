// RUN: tz-opt %s --tile-combine --split-input-file | FileCheck %s

// CHECK-LABEL: @example
// CHECK: %[[ACC:.*]] = tile.splat %{{.*}} : f32
// CHECK: tile.dot %{{.*}}, %{{.*}}, %[[ACC]]
// CHECK-NOT: arith.addf
tile.kernel @example(%p: !tile.ptr<f32>, %s: f32) {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  %a = tile.load %ps : tensor<16x16x!tile.ptr<f32>> -> tensor<16x16xf32>
  %acc = tile.splat %s : f32 -> tensor<16x16xf32>
  %d = tile.dot %a, %a, %zero : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %sum = arith.addf %acc, %d : tensor<16x16xf32>
  tile.store %ps, %sum : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xf32>
  tile.return
}

// -----

// The product alone is wanted as well.
// CHECK-LABEL: @no_combine_two_uses
// CHECK: tile.dot
// CHECK: arith.addf
tile.kernel @no_combine_two_uses(%p: !tile.ptr<f32>, %s: f32) {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  %a = tile.load %ps : tensor<16x16x!tile.ptr<f32>> -> tensor<16x16xf32>
  %acc = tile.splat %s : f32 -> tensor<16x16xf32>
  %d = tile.dot %a, %a, %zero : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %sum = arith.addf %acc, %d : tensor<16x16xf32>
  tile.store %ps, %d : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xf32>
  tile.store %ps, %sum : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xf32>
  tile.return
}

// -----

// CHECK-LABEL: @select_of_load
// CHECK: tile.load %{{.*}} mask %{{.*}} other
// CHECK-NOT: arith.select
tile.kernel @select_of_load(%p: !tile.ptr<f32>, %m: i1, %s: f32) {
  %v = tile.load %p mask %m : !tile.ptr<f32> mask i1 -> f32
  %w = arith.select %m, %v, %s : f32
  tile.store %p, %w : !tile.ptr<f32>, f32
  tile.return
}

// -----

// CHECK-LABEL: @no_combine_other_mask
// CHECK: arith.select
tile.kernel @no_combine_other_mask(%p: !tile.ptr<f32>, %m: i1, %k: i1, %s: f32) {
  %v = tile.load %p mask %m : !tile.ptr<f32> mask i1 -> f32
  %w = arith.select %k, %v, %s : f32
  tile.store %p, %w : !tile.ptr<f32>, f32
  tile.return
}
