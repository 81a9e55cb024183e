// A float constant becomes an integer one: cut off, at the ends of the range beyond it, NaN as 0.
// RUN: tz-opt %s --tile-simplify | FileCheck %s

// CHECK-LABEL: tile.kernel @constants
// CHECK-NOT: tile.fpto
// CHECK-DAG: arith.constant 0 : i8
// CHECK-DAG: arith.constant -128 : i8
// CHECK-DAG: arith.constant -1 : i8
// CHECK-DAG: arith.constant dense<-2> : tensor<4xi32>
// CHECK-DAG: arith.constant 1 : i32
// CHECK: tile.fptosi %{{.*}} : f32 to i1
tile.kernel @constants(%a: !tile.ptr<i8>, %b: !tile.ptr<i32>, %c: !tile.ptr<i1>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant -1000.0 : f32
  %high = arith.constant 300.0 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %many = arith.constant dense<-2.75> : tensor<4xf32>
  %one = arith.constant 1.5 : bf16
  %i = tile.fptosi %zero : f32 to i8
  tile.store %a, %i : !tile.ptr<i8>, i8
  %j = tile.fptosi %low : f32 to i8
  tile.store %a, %j : !tile.ptr<i8>, i8
  %k = tile.fptoui %high : f32 to i8
  tile.store %a, %k : !tile.ptr<i8>, i8
  %l = tile.fptoui %nan : f32 to i8
  tile.store %a, %l : !tile.ptr<i8>, i8
  %m = tile.fptosi %one : bf16 to i32
  tile.store %b, %m : !tile.ptr<i32>, i32
  %n = tile.fptosi %many : tensor<4xf32> to tensor<4xi32>
  %bs = tile.splat %b : !tile.ptr<i32> -> tensor<4x!tile.ptr<i32>>
  tile.store %bs, %n : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
  %t = tile.fptosi %zero : f32 to i1
  tile.store %c, %t : !tile.ptr<i1>, i1
  tile.return
}
