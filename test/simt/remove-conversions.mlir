// What is cheap is computed again in the layout that its user wants.
// RUN: tz-opt %s --simt-assign-layouts --simt-remove-conversions | FileCheck %s

// A transposed store: its pointers are sums of ranges, so they are computed in
// the store's layout. What was loaded is moved.
// CHECK-LABEL: tile.kernel @example
tile.kernel @example(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.num_warps = 1 : i32} {
  %range = tile.range 0 to 32 : tensor<32xi32>
  %rows = tile.reshape %range : tensor<32xi32> -> tensor<32x1xi32>
  %columns = tile.reshape %range : tensor<32xi32> -> tensor<1x32xi32>
  %i = tile.broadcast %rows : tensor<32x1xi32> -> tensor<32x32xi32>
  %j = tile.broadcast %columns : tensor<1x32xi32> -> tensor<32x32xi32>
  %width = arith.constant dense<32> : tensor<32x32xi32>
  %iw = arith.muli %i, %width : tensor<32x32xi32>
  %jw = arith.muli %j, %width : tensor<32x32xi32>
  %down = arith.addi %iw, %j : tensor<32x32xi32>
  %across = arith.addi %jw, %i : tensor<32x32xi32>
  %base = tile.splat %x : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %from = tile.addptr %base, %down : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  // CHECK: %[[V:.*]] = tile.load {{.*}} -> tensor<32x32xf32, #[[ROWS:.*]]>
  %v = tile.load %from : tensor<32x32x!tile.ptr<f32>> -> tensor<32x32xf32>
  %target = tile.splat %out : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %to = tile.addptr %target, %across : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  // CHECK-NOT: simt.convert
  // CHECK: simt.convert %[[V]] : tensor<32x32xf32, #[[ROWS]]> -> tensor<32x32xf32, #[[COLUMNS:.*]]>
  // CHECK-NOT: simt.convert
  // CHECK: tile.store {{.*}} tensor<32x32xf32, #[[COLUMNS]]>
  tile.store %to, %v : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xf32>
  tile.return
}
