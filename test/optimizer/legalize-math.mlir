// RUN: tz-opt %s --tile-legalize-math=features=math.exp2.f32 | FileCheck %s
// RUN: tz-opt %s --tile-legalize-math=features=math.exp.f32,math.log1p.f16,math.log1p.f64 | FileCheck %s --check-prefix=NATIVE
// RUN: tz-opt %s --tile-legalize-math=features=math.exp2.f32 -mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS
// RUN: tz-opt %s --tile-legalize-math | tz-opt --tile-legalize-math | FileCheck %s --check-prefix=BARE

// RUN: tz-opt %s --tile-legalize-math=features=math.exp2.f32 -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: remark: becomes 3 ops of the embedded library: 'math.exp.f32' is not among the target's features

// STATS: tile-legalize-math
// STATS: 8  expanded
// STATS: 1  widened

// Nothing is left over for a target without any function.
// BARE-NOT: tile.math {{exp|log|sin}}
// BARE-NOT: tile.remf

// CHECK-LABEL: @example
// CHECK: %[[P:.*]] = arith.mulf
// CHECK-NEXT: tile.math exp2 %[[P]]
// CHECK-NEXT: tile.store
// NATIVE-LABEL: @example
// NATIVE-NOT: arith.
// NATIVE: tile.math exp %
tile.kernel @example(%p: !tile.ptr<f32>, %s: f32) {
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<48x!tile.ptr<f32>>
  %x = tile.splat %s : f32 -> tensor<48xf32>
  %e = tile.math exp %x : tensor<48xf32>
  tile.store %ps, %e : tensor<48x!tile.ptr<f32>>, tensor<48xf32>
  tile.return
}

// f16 is computed in f32, of which the target may have it.
// CHECK-LABEL: @narrow
// CHECK: %[[W:.*]] = arith.extf %{{.*}} : tensor<16xf16> to tensor<16xf32>
// CHECK-NOT: tile.math log1p
// CHECK: tile.truncf rtne %{{.*}} : tensor<16xf32> to tensor<16xf16>
// NATIVE-LABEL: @narrow
// NATIVE: tile.math log1p %{{.*}} : tensor<16xf16>
tile.kernel @narrow(%p: !tile.ptr<f16>, %s: f16) {
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<16x!tile.ptr<f16>>
  %x = tile.splat %s : f16 -> tensor<16xf16>
  %e = tile.math log1p %x : tensor<16xf16>
  tile.store %ps, %e : tensor<16x!tile.ptr<f16>>, tensor<16xf16>
  tile.return
}

// Exact functions, and the quotient of f32, are of every target.
// CHECK-LABEL: @no_source
// CHECK: tile.math floor
// CHECK-NEXT: tile.math abs
// CHECK-NEXT: tile.divf approx
// CHECK-NEXT: tile.math rsqrt
tile.kernel @no_source(%p: !tile.ptr<f32>, %x: f32) {
  %a = tile.math floor %x : f32
  %b = tile.math abs %a : f32
  %c = tile.divf approx %x, %b : f32
  %d = tile.math rsqrt %c : f32
  tile.store %p, %d : !tile.ptr<f32>, f32
  tile.return
}

// Scalars, in a branch and in the region of a reduction.
// CHECK-LABEL: @in_guard
// CHECK: scf.if
// CHECK-NOT: tile.math log
// CHECK: tile.reduce
// CHECK: tile.math exp2
// CHECK: tile.yield
tile.kernel @in_guard(%p: !tile.ptr<f32>, %s: f32, %go: i1) {
  scf.if %go {
    %l = tile.math log1p %s : f32
    %t = tile.splat %l : f32 -> tensor<32xf32>
    %r = tile.reduce(%t) axis 0 : (tensor<32xf32>) -> f32 {
    ^bb0(%a: f32, %b: f32):
      %e = tile.math exp %a : f32
      %sum = arith.addf %e, %b : f32
      tile.yield %sum : f32
    }
    tile.store %p, %r : !tile.ptr<f32>, f32
  }
  tile.return
}

// Branches and loops of the source are those of each element; tiles that they
// read are sources of the map, constants are repeated.
// CHECK-LABEL: @branches
// CHECK: tile.map(%{{[0-9]+}}, {{.*}} -> (tensor<16xf32>, tensor<16xi32>)
// CHECK: scf.if %{{.*}} -> (f32, i32)
// CHECK: tile.yield
// CHECK: tile.map
// CHECK: scf.while
// CHECK: tile.yield
// CHECK-LABEL: @branches_of_scalars
// CHECK-NOT: tile.map
// CHECK: scf.if
// CHECK: scf.while
tile.kernel @branches(%p: !tile.ptr<f32>, %s: f32) {
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  %x = tile.load %ps : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
  %y = tile.splat %s : f32 -> tensor<16xf32>
  %e = tile.math sin %x : tensor<16xf32>
  %r = tile.remf %e, %y : tensor<16xf32>
  tile.store %ps, %r : tensor<16x!tile.ptr<f32>>, tensor<16xf32>
  tile.return
}
tile.kernel @branches_of_scalars(%p: !tile.ptr<f32>, %s: f32) {
  %e = tile.math sin %s : f32
  %r = tile.remf %e, %s : f32
  tile.store %p, %r : !tile.ptr<f32>, f32
  tile.return
}

// Powers that a few products are, also of an integer.
// CHECK-LABEL: @powers
// CHECK: %[[SQUARE:.*]] = arith.mulf %[[X:.*]], %[[X]] : tensor<16xf32>
// CHECK: %[[TWO:.*]] = arith.mulf %[[X]], %[[X]] : tensor<16xf32>
// CHECK-NEXT: %[[CUBE:.*]] = arith.mulf %[[TWO]], %[[X]] : tensor<16xf32>
// CHECK-NOT: tile.select
// CHECK: tile.store %{{.*}}, %[[SQUARE]]
// CHECK: tile.store %{{.*}}, %[[CUBE]]
tile.kernel @powers(%p: !tile.ptr<f32>, %s: f32) {
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  %x = tile.splat %s : f32 -> tensor<16xf32>
  %two = arith.constant 2 : i32
  %float = tile.sitofp %two : i32 to f32
  %twos = tile.splat %float : f32 -> tensor<16xf32>
  %threes = arith.constant dense<3.0> : tensor<16xf32>
  %square = tile.pow %x, %twos : tensor<16xf32>
  %cube = tile.pow %x, %threes : tensor<16xf32>
  tile.store %ps, %square : tensor<16x!tile.ptr<f32>>, tensor<16xf32>
  tile.store %ps, %cube : tensor<16x!tile.ptr<f32>>, tensor<16xf32>
  tile.return
}
