// RUN: tz-opt %s --tile-legalize-precision=features=dot.tf32,fp8 | FileCheck %s
// RUN: tz-opt %s --tile-legalize-precision=features=dot.tf32,dot.f32,fp8 | FileCheck %s --check-prefix=FULL
// RUN: tz-opt %s --tile-legalize-precision=features=dot.tf32,fp8 -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not tz-opt %s --tile-legalize-precision=features=dot.f32 -o /dev/null 2>&1 | FileCheck %s --check-prefix=LACKS

// REMARK: remark: this product of f32 tiles is computed in tf32

// CHECK-LABEL: @example
// CHECK: tile.dot {{.*}}precision tf32>
// FULL-LABEL: @example
// FULL: tile.dot %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}} :
// FULL-NEXT: tile.store
tile.kernel @example(%p: !tile.ptr<f32>, %s: f32) {
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  %a = tile.splat %s : f32 -> tensor<16x16xf32>
  %d = tile.dot %a, %a, %a {precision = #tile<precision target_default>} : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  tile.store %ps, %d : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xf32>
  tile.return
}

// Products of parts: the corrections first, from nothing, and none where an
// operand is infinite or NaN; then the product of the high parts.
// CHECK-LABEL: @split_tf32x3
// CHECK: %[[A:.*]] = tile.splat {{.*}} -> tensor<16x16xf32>
// CHECK: %[[B:.*]] = tile.splat {{.*}} -> tensor<16x48xf32>
// CHECK: %[[CUT:.*]] = arith.andi {{.*}} : tensor<16x16xi32>
// CHECK: arith.cmpf uno, %[[A]], %[[A]]
// CHECK: %[[PART:.*]] = tile.bitcast %[[CUT]]
// CHECK: %[[AHIGH:.*]] = arith.select %{{.*}}, %{{.*}}, %[[PART]]
// CHECK: %[[ALOW:.*]] = arith.subf %[[A]], %[[AHIGH]]
// CHECK: %[[BHIGH:.*]] = arith.select
// CHECK: %[[BLOW:.*]] = arith.subf %[[B]], %[[BHIGH]]
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<16x48xf32>
// CHECK: %[[D0:.*]] = tile.dot %[[AHIGH]], %[[BLOW]], %[[ZERO]] {precision = #tile<precision tf32>}
// CHECK: %[[D1:.*]] = tile.dot %[[ALOW]], %[[BHIGH]], %[[D0]] {precision = #tile<precision tf32>}
// CHECK: %[[NAN:.*]] = arith.cmpf uno, %[[D1]], %[[D1]]
// CHECK: %[[SAFE:.*]] = arith.select %[[NAN]], %[[ZERO]], %[[D1]]
// CHECK: %[[ACC:.*]] = arith.addf %{{.*}}, %[[SAFE]]
// CHECK: tile.dot %[[AHIGH]], %[[BHIGH]], %[[ACC]] {precision = #tile<precision tf32>}
// A target whose f32 products keep all bits needs no parts.
// FULL-LABEL: @split_tf32x3
// FULL: tile.dot {{.*}}precision tf32x3
tile.kernel @split_tf32x3(%p: !tile.ptr<f32>, %s: f32) {
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<16x48x!tile.ptr<f32>>
  %a = tile.splat %s : f32 -> tensor<16x16xf32>
  %b = tile.splat %s : f32 -> tensor<16x48xf32>
  %d = tile.dot %a, %b, %b {precision = #tile<precision tf32x3>} : tensor<16x16xf32>, tensor<16x48xf32> -> tensor<16x48xf32>
  tile.store %ps, %d : tensor<16x48x!tile.ptr<f32>>, tensor<16x48xf32>
  tile.return
}

// CHECK-LABEL: @split_bf16x6
// CHECK-COUNT-3: tile.truncf rtz {{.*}} to tensor<16x16xbf16>
// CHECK-COUNT-3: tile.truncf rtz {{.*}} to tensor<16x48xbf16>
// CHECK-COUNT-5: tile.dot {{.*}}xbf16>, {{.*}}xbf16>
// CHECK: arith.addf
// CHECK: tile.dot {{.*}}xbf16>, {{.*}}xbf16>
// CHECK-NOT: tile.dot
tile.kernel @split_bf16x6(%p: !tile.ptr<f32>, %s: f32) {
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<16x48x!tile.ptr<f32>>
  %a = tile.splat %s : f32 -> tensor<16x16xf32>
  %b = tile.splat %s : f32 -> tensor<16x48xf32>
  %d = tile.dot %a, %b, %b {precision = #tile<precision bf16x6>} : tensor<16x16xf32>, tensor<16x48xf32> -> tensor<16x48xf32>
  tile.store %ps, %d : tensor<16x48x!tile.ptr<f32>>, tensor<16x48xf32>
  tile.return
}

// What the author asked for stays.
// CHECK-LABEL: @no_change_explicit
// CHECK: tile.dot {{[^#]*}} :
// CHECK-NEXT: tile.store
tile.kernel @no_change_explicit(%p: !tile.ptr<f32>, %s: f32) {
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<16x48x!tile.ptr<f32>>
  %a = tile.splat %s : f32 -> tensor<16x16xf32>
  %b = tile.splat %s : f32 -> tensor<16x48xf32>
  %d = tile.dot %a, %b, %b : tensor<16x16xf32>, tensor<16x48xf32> -> tensor<16x48xf32>
  tile.store %ps, %d : tensor<16x48x!tile.ptr<f32>>, tensor<16x48xf32>
  tile.return
}

// One message for a type, with the feature that is missing and the cure.
// CHECK-LABEL: @in_guard
// LACKS: legalize-precision.mlir:[[@LINE+4]]:{{.*}} error: {{.*}}the target has no values of type {{.*}}f8E5M2{{.*}}'fp8' is not among its features
// LACKS-NOT: error:
tile.kernel @in_guard(%p: !tile.ptr<f8E5M2>, %q: !tile.ptr<f32>, %go: i1) {
  scf.if %go {
    %v = tile.load %p : !tile.ptr<f8E5M2> -> f8E5M2
    %w = arith.extf %v : f8E5M2 to f32
    tile.store %q, %w : !tile.ptr<f32>, f32
  }
  tile.return
}

// Halves that were extended are multiplied as they are, also if they were turned
// since: the products are exact. Not where one operand has more bits, and not
// for ieee, whose sums have all bits.
// CHECK-LABEL: @narrow
// CHECK: %[[X:.*]] = tile.splat {{.*}} -> tensor<16x32xbf16>
// CHECK: %[[Y:.*]] = tile.splat {{.*}} -> tensor<16x32xbf16>
// CHECK: %[[TURNED:.*]] = tile.transpose %[[Y]] [1, 0] : tensor<16x32xbf16> -> tensor<32x16xbf16>
// CHECK: %[[D:.*]] = tile.dot %[[X]], %[[TURNED]], %{{[^ ]*}} : tensor<16x32xbf16>, tensor<32x16xbf16> -> tensor<16x16xf32>
// CHECK: tile.dot %[[D]], %{{.*}} {precision = #tile<precision tf32>} : tensor<16x16xf32>, tensor<16x32xf32>
// CHECK: tile.dot %{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}} : tensor<16x32xf32>, tensor<32x16xf32>
// FULL-LABEL: @narrow
// FULL: tile.dot {{.*}} : tensor<16x32xf32>, tensor<32x16xf32> -> tensor<16x16xf32>
tile.kernel @narrow(%p: !tile.ptr<f32>, %s: bf16, %t: bf16) {
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  %pw = tile.splat %p : !tile.ptr<f32> -> tensor<16x32x!tile.ptr<f32>>
  %x = tile.splat %s : bf16 -> tensor<16x32xbf16>
  %y = tile.splat %t : bf16 -> tensor<16x32xbf16>
  %wx = arith.extf %x : tensor<16x32xbf16> to tensor<16x32xf32>
  %wy = arith.extf %y : tensor<16x32xbf16> to tensor<16x32xf32>
  %turned = tile.transpose %wy [1, 0] : tensor<16x32xf32> -> tensor<32x16xf32>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %wide = arith.constant dense<0.0> : tensor<16x32xf32>
  %d = tile.dot %wx, %turned, %zero {precision = #tile<precision target_default>} : tensor<16x32xf32>, tensor<32x16xf32> -> tensor<16x16xf32>
  %e = tile.dot %d, %wy, %wide {precision = #tile<precision tf32>} : tensor<16x16xf32>, tensor<16x32xf32> -> tensor<16x32xf32>
  %f = tile.dot %wx, %turned, %zero : tensor<16x32xf32>, tensor<32x16xf32> -> tensor<16x16xf32>
  tile.store %ps, %f : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xf32>
  tile.store %pw, %e : tensor<16x32x!tile.ptr<f32>>, tensor<16x32xf32>
  tile.return
}
