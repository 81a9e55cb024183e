// A product whose operands need more shared memory than there is is taken in parts along k, each of which fits; but not in parts that
// are too short for a matrix instruction.
// RUN: tz-opt %s --simt-split-dots=shared-bytes=32768 | FileCheck %s

// CHECK-LABEL: tile.kernel @example
// CHECK: %[[A:.*]] = tile.reshape %{{.*}} : tensor<64x64xf64> -> tensor<64x2x32xf64>
// CHECK: %[[TURNED:.*]] = tile.transpose %[[A]] [0, 2, 1] : tensor<64x2x32xf64> -> tensor<64x32x2xf64>
// CHECK: %[[A0:.*]], %[[A1:.*]] = tile.split %[[TURNED]]
// CHECK: %[[B:.*]] = tile.reshape %{{.*}} : tensor<64x64xf64> -> tensor<2x32x64xf64>
// CHECK: %[[TURNEDB:.*]] = tile.transpose %[[B]] [1, 2, 0] : tensor<2x32x64xf64> -> tensor<32x64x2xf64>
// CHECK: %[[B0:.*]], %[[B1:.*]] = tile.split %[[TURNEDB]]
// CHECK: %[[FIRST:.*]] = tile.dot %[[A0]], %[[B0]], %{{.*}} : tensor<64x32xf64>, tensor<32x64xf64> -> tensor<64x64xf64>
// CHECK: %[[SECOND:.*]] = tile.dot %[[A1]], %[[B1]], %[[FIRST]]
// CHECK-NOT: tile.dot
// CHECK: tile.store_view %{{.*}}, %[[SECOND]]
tile.kernel @example(%x: !tile.ptr<f64>, %y: !tile.ptr<f64>) {
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = arith.constant 64 : i64
  %vx = tile.make_view %x shape[%n, %n] strides[%n, %one] : !tile.ptr<f64> -> !tile.view<64x64xf64>
  %vy = tile.make_view %y shape[%n, %n] strides[%n, %one] : !tile.ptr<f64> -> !tile.view<64x64xf64>
  %a = tile.load_view %vx[%z, %z] checked [false, false] {group = 1 : i64} : !tile.view<64x64xf64> -> tensor<64x64xf64>
  %zero = arith.constant dense<0.0> : tensor<64x64xf64>
  %sum = tile.dot %a, %a, %zero : tensor<64x64xf64>, tensor<64x64xf64> -> tensor<64x64xf64>
  tile.store_view %vy[%z, %z], %sum checked [false, false] {group = 2 : i64} : !tile.view<64x64xf64>, tensor<64x64xf64>
  tile.return
}

// Numbers of 64 bits have instructions of depth 4.
// CHECK-LABEL: tile.kernel @short_of_f64
// CHECK-COUNT-2: tile.dot %{{.*}} : tensor<256x4xf64>, tensor<4x512xf64> -> tensor<256x512xf64>
// CHECK-NOT: tile.dot
tile.kernel @short_of_f64(%x: !tile.ptr<f64>, %y: !tile.ptr<f64>) {
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = arith.constant 512 : i64
  %va = tile.make_view %x shape[%n, %n] strides[%n, %one] : !tile.ptr<f64> -> !tile.view<256x8xf64>
  %vb = tile.make_view %x shape[%n, %n] strides[%n, %one] : !tile.ptr<f64> -> !tile.view<8x512xf64>
  %vy = tile.make_view %y shape[%n, %n] strides[%n, %one] : !tile.ptr<f64> -> !tile.view<256x512xf64>
  %a = tile.load_view %va[%z, %z] checked [false, false] {group = 1 : i64} : !tile.view<256x8xf64> -> tensor<256x8xf64>
  %b = tile.load_view %vb[%z, %z] checked [false, false] {group = 1 : i64} : !tile.view<8x512xf64> -> tensor<8x512xf64>
  %zero = arith.constant dense<0.0> : tensor<256x512xf64>
  %sum = tile.dot %a, %b, %zero : tensor<256x8xf64>, tensor<8x512xf64> -> tensor<256x512xf64>
  tile.store_view %vy[%z, %z], %sum checked [false, false] {group = 2 : i64} : !tile.view<256x512xf64>, tensor<256x512xf64>
  tile.return
}

// CHECK-LABEL: tile.kernel @no_split_too_short
// CHECK: tile.dot %{{.*}} : tensor<1024x16xf16>, tensor<16x512xf16> -> tensor<1024x512xf32>
// CHECK-NOT: tile.dot
tile.kernel @no_split_too_short(%x: !tile.ptr<f16>, %y: !tile.ptr<f32>) {
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = arith.constant 1024 : i64
  %va = tile.make_view %x shape[%n, %n] strides[%n, %one] : !tile.ptr<f16> -> !tile.view<1024x16xf16>
  %vb = tile.make_view %x shape[%n, %n] strides[%n, %one] : !tile.ptr<f16> -> !tile.view<16x512xf16>
  %vy = tile.make_view %y shape[%n, %n] strides[%n, %one] : !tile.ptr<f32> -> !tile.view<1024x512xf32>
  %a = tile.load_view %va[%z, %z] checked [false, false] {group = 1 : i64} : !tile.view<1024x16xf16> -> tensor<1024x16xf16>
  %b = tile.load_view %vb[%z, %z] checked [false, false] {group = 1 : i64} : !tile.view<16x512xf16> -> tensor<16x512xf16>
  %zero = arith.constant dense<0.0> : tensor<1024x512xf32>
  %sum = tile.dot %a, %b, %zero : tensor<1024x16xf16>, tensor<16x512xf16> -> tensor<1024x512xf32>
  tile.store_view %vy[%z, %z], %sum checked [false, false] {group = 2 : i64} : !tile.view<1024x512xf32>, tensor<1024x512xf32>
  tile.return
}
