// Which instruction each operation on floats becomes.
// RUN: tz compile %s --target nvidia:sm_90a --emit asm -o - | FileCheck %s
// RUN: sed 's/attributes {/attributes {tile.contract = false, /' %s > %t.mlir
// RUN: tz compile %t.mlir --target nvidia:sm_90a --emit asm -o - | FileCheck %s --check-prefix=EXACT

// CHECK-LABEL: .entry floats
// EXACT-LABEL: .entry floats
tile.kernel @floats(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %h: !tile.ptr<f16>, %d: !tile.ptr<bf16>) attributes {tile.num_warps = 1 : i32} {
  %a = tile.load %x : !tile.ptr<f32> -> f32
  %b = tile.load %y : !tile.ptr<f32> -> f32
  // A product goes into its sum, unless the kernel forbids it.
  // CHECK: fma.rn.f32
  // EXACT: mul.rn.f32
  // EXACT-NEXT: add.rn.f32
  %ab = arith.mulf %a, %b : f32
  %sum = arith.addf %ab, %a : f32
  // One that is written as a multiply-add to stay apart does.
  // CHECK-NEXT: mul.rn.f32
  // CHECK-NEXT: add.f32
  %none = arith.constant -0.0 : f32
  %alone = tile.fma %sum, %b, %none : f32
  %apart = arith.addf %alone, %a : f32
  // CHECK-NOT: setp
  // CHECK: max.f32
  %max = tile.maxf %apart, %b : f32
  // CHECK: min.NaN.f32
  %min = tile.minf %max, %a propagate_nan : f32
  // CHECK: ex2.approx.ftz.f32
  %exp = tile.math exp2 %min : f32
  // CHECK: sqrt.approx.f32
  %sqrt = tile.math sqrt %exp : f32
  // CHECK: sqrt.rn.f32
  %exact = tile.math sqrt_rn %sqrt : f32
  tile.store %x, %exact : !tile.ptr<f32>, f32
  // CHECK: max.f16
  %p = tile.load %h : !tile.ptr<f16> -> f16
  %zero = arith.constant 0.0 : f16
  %relu = tile.maxf %p, %zero : f16
  tile.store %h, %relu : !tile.ptr<f16>, f16
  // CHECK: min.NaN.bf16
  %q = tile.load %d : !tile.ptr<bf16> -> bf16
  %one = arith.constant 1.0 : bf16
  %least = tile.minf %q, %one propagate_nan : bf16
  tile.store %d, %least : !tile.ptr<bf16>, bf16
  // CHECK: cvt.rn.bf16.f32
  %narrow = tile.truncf rtne %exact : f32 to bf16
  tile.store %d, %narrow : !tile.ptr<bf16>, bf16
  tile.return
}
