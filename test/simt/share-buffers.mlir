// A transposed tile is staged as it is; the dot reads the buffer the other way.
// RUN: tz-opt %s --simt-assign-layouts --simt-share-buffers --cse | FileCheck %s

// A target whose dots read either order gets one buffer of both; this one wants
// rows of both operands.
// CHECK-LABEL: tile.kernel @example
// CHECK: %[[X:.*]] = tile.load_view
// CHECK-NOT: tile.transpose
// CHECK-DAG: %[[A:.*]] = simt.stage %[[X]] : {{.*}} -> <32x64xf16, #[[ROWS:.*]]>
// CHECK-DAG: %[[B:.*]] = simt.stage %[[X]] : {{.*}} -> <32x64xf16, #[[COLUMNS:.*]]>
// CHECK: %[[T:.*]] = simt.permute %[[B]] [1, 0] : <32x64xf16, #[[COLUMNS]]> -> <64x32xf16, #[[TURNED:.*]]>
// CHECK-NOT: tile.transpose
// CHECK: simt.dot %[[A]], %[[T]]
tile.kernel @example(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 2 : i64}) attributes {tile.num_warps = 4 : i32} {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %rows = arith.constant 32 : i64
  %columns = arith.constant 64 : i64
  %v = tile.make_view %a shape[%rows, %columns] strides[%columns, %one] : !tile.ptr<f16> -> !tile.view<32x64xf16>
  %x = tile.load_view %v[%z, %z] checked [false, false] {group = 1 : i64} : !tile.view<32x64xf16> -> tensor<32x64xf16>
  %t = tile.transpose %x [1, 0] : tensor<32x64xf16> -> tensor<64x32xf16>
  %sum = tile.dot %x, %t, %zero : tensor<32x64xf16>, tensor<64x32xf16> -> tensor<32x32xf32>
  %vo = tile.make_view %out shape[%rows, %rows] strides[%rows, %one] : !tile.ptr<f32> -> !tile.view<32x32xf32>
  tile.store_view %vo[%z, %z], %sum checked [false, false] {group = 2 : i64} : !tile.view<32x32xf32>, tensor<32x32xf32>
  tile.return
}
