// RUN: tz-opt %s --tile-combine --split-input-file --verify-diagnostics | FileCheck %s
// RUN: tz-opt %s --tile-combine --split-input-file --verify-diagnostics -mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS

// STATS: tile-combine
// STATS: 3  declined
// STATS: 2  dot-accumulators
// STATS: 2  guarded-loads

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
  // expected-remark @below {{this sum is a pass over the tile of its own: the product without the sum is used as well}}
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

// where(~m, other, loaded)
// CHECK-LABEL: @select_of_load_negated
// CHECK: tile.load %{{.*}} mask %{{.*}} other
// CHECK-NOT: arith.select
tile.kernel @select_of_load_negated(%p: !tile.ptr<f32>, %s: f32) {
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<48x!tile.ptr<f32>>
  %other = tile.splat %s : f32 -> tensor<48xf32>
  %lane = tile.range 0 to 48 : tensor<48xi32>
  %ten = arith.constant dense<10> : tensor<48xi32>
  %true = arith.constant dense<true> : tensor<48xi1>
  %m = arith.cmpi slt, %lane, %ten : tensor<48xi32>
  %not = arith.xori %m, %true : tensor<48xi1>
  %v = tile.load %ps mask %m : tensor<48x!tile.ptr<f32>> mask tensor<48xi1> -> tensor<48xf32>
  %w = arith.select %not, %other, %v : tensor<48xi1>, tensor<48xf32>
  tile.store %ps, %w : tensor<48x!tile.ptr<f32>>, tensor<48xf32>
  tile.return
}

// -----

// The order of the additions and the rounding of the products are the author's.
// CHECK-LABEL: @no_combine_sum_of_products
// CHECK-NOT: tile.dot
// CHECK: tile.reduce
tile.kernel @no_combine_sum_of_products(%p: !tile.ptr<f32>, %s: f32) {
  %a = tile.splat %s : f32 -> tensor<16x48x1xf32>
  %b = tile.splat %s : f32 -> tensor<1x48x16xf32>
  %as = tile.broadcast %a : tensor<16x48x1xf32> -> tensor<16x48x16xf32>
  %bs = tile.broadcast %b : tensor<1x48x16xf32> -> tensor<16x48x16xf32>
  %ab = arith.mulf %as, %bs : tensor<16x48x16xf32>
  // expected-remark @below {{this sum of products is a matrix product whose products are a tile of their own}}
  %sum = tile.reduce(%ab) axis 1 : (tensor<16x48x16xf32>) -> tensor<16x16xf32> {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    tile.yield %z : f32
  }
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  tile.store %ps, %sum : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xf32>
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

// -----

// The sum of two products is one chain of accumulators.
// CHECK-LABEL: @sum_of_products
// CHECK: %[[FIRST:.*]] = tile.dot
// CHECK: tile.dot %{{.*}}, %{{.*}}, %[[FIRST]]
// CHECK-NOT: arith.addf
tile.kernel @sum_of_products(%p: !tile.ptr<f32>) {
  %zero = arith.constant dense<0.0> : tensor<16x48xf32>
  %as = tile.splat %p : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  %bs = tile.splat %p : !tile.ptr<f32> -> tensor<16x48x!tile.ptr<f32>>
  %a = tile.load %as : tensor<16x16x!tile.ptr<f32>> -> tensor<16x16xf32>
  %b = tile.load %bs : tensor<16x48x!tile.ptr<f32>> -> tensor<16x48xf32>
  %d = tile.dot %a, %b, %zero : tensor<16x16xf32>, tensor<16x48xf32> -> tensor<16x48xf32>
  %e = tile.dot %a, %b, %zero : tensor<16x16xf32>, tensor<16x48xf32> -> tensor<16x48xf32>
  %sum = arith.addf %d, %e : tensor<16x48xf32>
  tile.store %bs, %sum : tensor<16x48x!tile.ptr<f32>>, tensor<16x48xf32>
  tile.return
}

// -----

// A product before the loop cannot take what the loop carries.
// CHECK-LABEL: @in_guard
// CHECK: arith.addf
tile.kernel @in_guard(%p: !tile.ptr<f32>, %s: f32, %n: i32, %go: i1) {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %low = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  scf.if %go {
    %a = tile.load %ps : tensor<16x16x!tile.ptr<f32>> -> tensor<16x16xf32>
    %d = tile.dot %a, %a, %zero : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    %end = scf.for %i = %low to %n step %one iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
      // expected-remark @below {{the product is computed in another branch or outside of the loop}}
      %sum = arith.addf %acc, %d : tensor<16x16xf32>
      scf.yield %sum : tensor<16x16xf32>
    }
    tile.store %ps, %end : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xf32>
  }
  tile.return
}
