// tanh has two special functions where |x| is not small. Of a soft cap x is a part of a
// logit: a warp goes around them if the elements of its threads are all small, four of a
// thread at a time.
// RUN: split-file %s %t
// RUN: tz compile %t/tanh.mlir --target nvidia:sm_90a --emit asm -o - | FileCheck %s
// RUN: sed 's/256/131072/g; s/num_warps = 1/num_warps = 32/' %t/tanh.mlir > %t/many.mlir
// RUN: tz compile %t/many.mlir --target nvidia:sm_90a --emit asm -o - | FileCheck %s --check-prefix=MANY
// RUN: sed 's/0.03125/0.797/' %t/tanh.mlir > %t/gelu.mlir
// RUN: tz compile %t/gelu.mlir --target nvidia:sm_90a --emit asm -o - | FileCheck %s --check-prefix=COMMON
// RUN: sed 's/256/65536/g; s/num_warps = 1/num_warps = 32/' %t/held.mlir > %t/wide.mlir
// RUN: tz compile %t/wide.mlir --target nvidia:sm_90a --emit asm -o - | FileCheck %s --check-prefix=HELD
// RUN: tz compile %t/own.mlir --target nvidia:sm_90a --emit asm -o - | FileCheck %s --check-prefix=COMMON

// The sign and the factor are done before the next four begin: only the result stays.
// CHECK-NOT: ex2
// CHECK-COUNT-4: setp.lt.f32 %p{{[0-9]+}}, {{.*}}, 0f3F100000;
// CHECK: bra [[SMALL:\$L[A-Z0-9_]+]];
// CHECK-COUNT-4: ex2.approx
// CHECK: [[SMALL]]:
// CHECK-COUNT-4: mul{{.*}}.f32 %{{.*}}, 0f41F00000;
// CHECK-COUNT-4: setp.lt.f32 %p{{[0-9]+}}, {{.*}}, 0f3F100000;
// CHECK: bra [[ALSO:\$L[A-Z0-9_]+]];
// CHECK-COUNT-4: ex2.approx
// CHECK: [[ALSO]]:
// CHECK-NOT: ex2

// So it is where all results wait for a reduction behind the last branch: 64 of a thread
// that has 64 registers.
// HELD: bra [[FIRST:\$L[A-Z0-9_]+]];
// HELD: [[FIRST]]:
// HELD-NOT: bra
// HELD-COUNT-4: mul{{.*}}.f32 %{{.*}}, 0f41F00000;
// HELD: bra [[SECOND:\$L[A-Z0-9_]+]];
// HELD: [[SECOND]]:
// HELD-NOT: bra
// HELD-COUNT-4: mul{{.*}}.f32 %{{.*}}, 0f41F00000;
// HELD: shfl

// With 128 elements a thread of 64 registers no order would be kept.
// MANY: ex2.approx
// MANY-NOT: bra
// MANY: ret;
//--- tanh.mlir
tile.kernel @tanh(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %o: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.num_warps = 1 : i32} {
  %range = tile.range 0 to 256 : tensor<256xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %from = tile.addptr %xs, %range : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %v = tile.load %from {group = 1 : i64} : tensor<256x!tile.ptr<f32>> -> tensor<256xf32>
  %part = arith.constant dense<0.03125> : tensor<256xf32>
  %cap = arith.constant dense<30.0> : tensor<256xf32>
  %x0 = arith.mulf %v, %part : tensor<256xf32>
  %t = tile.math tanh %x0 : tensor<256xf32>
  %r = arith.mulf %t, %cap : tensor<256xf32>
  %os = tile.splat %o : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %to = tile.addptr %os, %range : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  tile.store %to, %r {group = 2 : i64} : tensor<256x!tile.ptr<f32>>, tensor<256xf32>
  tile.return
}

//--- held.mlir
tile.kernel @held(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %o: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.num_warps = 1 : i32} {
  %range = tile.range 0 to 256 : tensor<256xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %from = tile.addptr %xs, %range : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %v = tile.load %from {group = 1 : i64} : tensor<256x!tile.ptr<f32>> -> tensor<256xf32>
  %part = arith.constant dense<0.03125> : tensor<256xf32>
  %cap = arith.constant dense<30.0> : tensor<256xf32>
  %x0 = arith.mulf %v, %part : tensor<256xf32>
  %t = tile.math tanh %x0 : tensor<256xf32>
  %r = arith.mulf %t, %cap : tensor<256xf32>
  %most = tile.reduce(%r) axis 0 : (tensor<256xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %max = tile.maxf %a, %b : f32
    tile.yield %max : f32
  }
  %all = tile.splat %most : f32 -> tensor<256xf32>
  %below = arith.subf %r, %all : tensor<256xf32>
  %os = tile.splat %o : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %to = tile.addptr %os, %range : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  tile.store %to, %below {group = 2 : i64} : tensor<256x!tile.ptr<f32>>, tensor<256xf32>
  tile.return
}

// Who chooses by himself knows what is common, and of GELU one of a warp is far most
// often: a branch would be for nothing.
// COMMON: ex2.approx
// COMMON-NOT: bra
// COMMON: ret;
//--- own.mlir
tile.kernel @own(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %o: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.num_warps = 1 : i32} {
  %range = tile.range 0 to 256 : tensor<256xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %from = tile.addptr %xs, %range : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %v = tile.load %from {group = 1 : i64} : tensor<256x!tile.ptr<f32>> -> tensor<256xf32>
  %one = arith.constant dense<1.0> : tensor<256xf32>
  %e = tile.math exp2 %v : tensor<256xf32>
  %s = arith.addf %e, %one : tensor<256xf32>
  %l = tile.divf approx %one, %s : tensor<256xf32>
  %large = arith.constant dense<20.0> : tensor<256xf32>
  %is = arith.cmpf ole, %v, %large : tensor<256xf32>
  %r = arith.select %is, %l, %v : tensor<256xi1>, tensor<256xf32>
  %os = tile.splat %o : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %to = tile.addptr %os, %range : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  tile.store %to, %r {group = 2 : i64} : tensor<256x!tile.ptr<f32>>, tensor<256xf32>
  tile.return
}
