// Two stores of which one takes the even elements and the other the odd ones need
// no barrier between them, whatever else is known of their places.
// RUN: split-file %s %t
// RUN: tz compile %t/pairs.mlir --target nvidia:sm_90a --emit asm -o - | FileCheck %t/pairs.mlir
// RUN: tz compile %t/rows.mlir --target nvidia:sm_90a --emit asm -o - | FileCheck %t/rows.mlir
// RUN: tz compile %t/any.mlir --target nvidia:sm_90a --emit asm -o - | FileCheck %t/any.mlir

//--- pairs.mlir
// Through pointers; and in a loop, of which iterations may meet: a barrier stands
// at its end alone.
// CHECK-LABEL: .entry pairs
// CHECK-NOT: bar.sync
// CHECK: st.global
// CHECK-NOT: bar.sync
// CHECK: st.global
// CHECK: bar.sync
// CHECK-NOT: bar.sync
// CHECK: ret;
tile.kernel @pairs(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %n: i32, %v: f32) attributes {tile.num_warps = 4 : i32} {
  %two = arith.constant dense<2> : tensor<128xi32>
  %one = arith.constant dense<1> : tensor<128xi32>
  %zero = arith.constant 0 : i32
  %step = arith.constant 2 : i32
  %values = tile.splat %v : f32 -> tensor<128xf32>
  %lane = tile.range 0 to 128 : tensor<128xi32>
  %at = arith.muli %lane, %two : tensor<128xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  scf.for %i = %zero to %n step %step : i32 {
    %is = tile.splat %i : i32 -> tensor<128xi32>
    %even = arith.addi %at, %is : tensor<128xi32>
    %odd = arith.addi %even, %one : tensor<128xi32>
    %to = tile.addptr %xs, %even : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    tile.store %to, %values {group = 1 : i64} : tensor<128x!tile.ptr<f32>>, tensor<128xf32>
    %other = tile.addptr %xs, %odd : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    tile.store %other, %values {group = 1 : i64} : tensor<128x!tile.ptr<f32>>, tensor<128xf32>
  }
  tile.return
}

//--- rows.mlir
// Rows that are a multiple of eight apart.
// CHECK-LABEL: .entry rows
// CHECK-NOT: bar.sync
// CHECK: ret;
tile.kernel @rows(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %stride: i32 {tile.divisibility = 8 : i64}, %row: i32, %v: f32) attributes {tile.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %m = arith.constant 4096 : i64
  %values = tile.splat %v : f32 -> tensor<4x32xf32>
  %wide = arith.extsi %stride : i32 to i64
  %at = arith.extsi %row : i32 to i64
  %next = tile.addptr %x, %c1 : !tile.ptr<f32>, i64
  %even = tile.make_view %x shape[%m, %m] strides[%wide, %c2] : <f32> -> <4x32xf32>
  %odd = tile.make_view %next shape[%m, %m] strides[%wide, %c2] : <f32> -> <4x32xf32>
  tile.store_view %even[%at, %c0] , %values checked [false, false] {group = 1 : i64} : <4x32xf32>, tensor<4x32xf32>
  tile.store_view %odd[%at, %c0] , %values checked [false, false] {group = 1 : i64} : <4x32xf32>, tensor<4x32xf32>
  tile.return
}

//--- any.mlir
// Rows that may be an odd number apart.
// CHECK-LABEL: .entry any
// CHECK: st.global
// CHECK: bar.sync
// CHECK: st.global
// CHECK: ret;
tile.kernel @any(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %stride: i32, %row: i32, %v: f32) attributes {tile.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %m = arith.constant 4096 : i64
  %values = tile.splat %v : f32 -> tensor<4x32xf32>
  %wide = arith.extsi %stride : i32 to i64
  %at = arith.extsi %row : i32 to i64
  %next = tile.addptr %x, %c1 : !tile.ptr<f32>, i64
  %even = tile.make_view %x shape[%m, %m] strides[%wide, %c2] : <f32> -> <4x32xf32>
  %odd = tile.make_view %next shape[%m, %m] strides[%wide, %c2] : <f32> -> <4x32xf32>
  tile.store_view %even[%at, %c0] , %values checked [false, false] {group = 1 : i64} : <4x32xf32>, tensor<4x32xf32>
  tile.store_view %odd[%at, %c0] , %values checked [false, false] {group = 1 : i64} : <4x32xf32>, tensor<4x32xf32>
  tile.return
}
