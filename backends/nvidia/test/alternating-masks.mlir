// A mask that cuts most vectors, such as one of every third element, loads single
// elements at once; one that ends a row loads vectors, and what it cuts apart.
// RUN: split-file %s %t
// RUN: tz compile %t/thirds.mlir --target nvidia:sm_90a --emit asm -o - | FileCheck %t/thirds.mlir
// RUN: tz compile %t/bits.mlir --target nvidia:sm_90a --emit asm -o - | FileCheck %t/bits.mlir
// RUN: tz compile %t/rows.mlir --target nvidia:sm_90a --emit asm -o - | FileCheck %t/rows.mlir

//--- thirds.mlir
// CHECK-LABEL: .entry thirds
// CHECK-NOT: bra
// CHECK-COUNT-4: ld.global{{.*}}.b32
// CHECK-NOT: ld.global
// CHECK: ret;
tile.kernel @thirds(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 2 : i64}) attributes {tile.num_warps = 1 : i32} {
  %zero = arith.constant dense<0.0> : tensor<1x128xf32>
  %one = arith.constant dense<1> : tensor<1x128xi32>
  %three = arith.constant dense<3> : tensor<1x128xi32>
  %lane = tile.range 0 to 128 : tensor<128xi32>
  %at = tile.reshape %lane : tensor<128xi32> -> tensor<1x128xi32>
  %rest = tile.remsi %at, %three : tensor<1x128xi32>
  %mask = arith.cmpi eq, %rest, %one : tensor<1x128xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<1x128x!tile.ptr<f32>>
  %from = tile.addptr %xs, %at : tensor<1x128x!tile.ptr<f32>>, tensor<1x128xi32>
  %v = tile.load %from mask %mask other %zero {group = 1 : i64} : tensor<1x128x!tile.ptr<f32>> mask tensor<1x128xi1> other tensor<1x128xf32> -> tensor<1x128xf32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<1x128x!tile.ptr<f32>>
  %to = tile.addptr %ys, %at : tensor<1x128x!tile.ptr<f32>>, tensor<1x128xi32>
  tile.store %to, %v {group = 2 : i64} : tensor<1x128x!tile.ptr<f32>>, tensor<1x128xf32>
  tile.return
}

//--- bits.mlir
// Bits of a word say it of 32 elements that lie in one row.
// CHECK-LABEL: .entry bits
// CHECK-NOT: bra
// CHECK-COUNT-4: st.global{{.*}}.b32
// CHECK-NOT: st.global
// CHECK: ret;
tile.kernel @bits(%x: !tile.ptr<i32> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %n: i32) attributes {tile.num_warps = 1 : i32} {
  %zero = arith.constant dense<0.0> : tensor<128xf32>
  %one = arith.constant dense<1> : tensor<4x32xi32>
  %none = arith.constant dense<0> : tensor<4x32xi32>
  %four = tile.range 0 to 4 : tensor<4xi32>
  %bits = tile.range 0 to 32 : tensor<32xi32>
  %at = tile.range 0 to 128 : tensor<128xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<4x!tile.ptr<i32>>
  %from = tile.addptr %xs, %four : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
  %words = tile.load %from {group = 1 : i64} : tensor<4x!tile.ptr<i32>> -> tensor<4xi32>
  %column = tile.reshape %words : tensor<4xi32> -> tensor<4x1xi32>
  %all = tile.broadcast %column : tensor<4x1xi32> -> tensor<4x32xi32>
  %row = tile.reshape %bits : tensor<32xi32> -> tensor<1x32xi32>
  %by = tile.broadcast %row : tensor<1x32xi32> -> tensor<4x32xi32>
  %shifted = tile.shrui %all, %by : tensor<4x32xi32>
  %bit = arith.andi %shifted, %one : tensor<4x32xi32>
  %isSet = arith.cmpi ne, %bit, %none : tensor<4x32xi32>
  %mask = tile.reshape %isSet : tensor<4x32xi1> -> tensor<128xi1>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %to = tile.addptr %ys, %at : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  tile.store %to, %zero mask %mask {group = 2 : i64} : tensor<128x!tile.ptr<f32>>, tensor<128xf32>, tensor<128xi1>
  tile.return
}

//--- rows.mlir
// CHECK-LABEL: .entry rows
// CHECK: ld.global{{.*}}.v4.b32
// CHECK: bra
// CHECK-COUNT-4: ld.global{{.*}}.b32
// CHECK: ret;
tile.kernel @rows(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %n: i32) attributes {tile.num_warps = 1 : i32} {
  %zero = arith.constant dense<0.0> : tensor<128xf32>
  %at = tile.range 0 to 128 : tensor<128xi32>
  %end = tile.splat %n : i32 -> tensor<128xi32>
  %mask = arith.cmpi slt, %at, %end : tensor<128xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %from = tile.addptr %xs, %at : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %v = tile.load %from mask %mask other %zero {group = 1 : i64} : tensor<128x!tile.ptr<f32>> mask tensor<128xi1> other tensor<128xf32> -> tensor<128xf32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %to = tile.addptr %ys, %at : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  tile.store %to, %v {group = 2 : i64} : tensor<128x!tile.ptr<f32>>, tensor<128xf32>
  tile.return
}
