// Accesses of one shape share a layout, as wide as the widest one, but not wider
// than a store: 16 bytes a thread, beside each other. What comes out of a dot
// alone asks nobody else.
// RUN: tz-opt %s --simt-assign-layouts | FileCheck %s

// CHECK-DAG: #[[EIGHT:.*]] = #simt.layout<rank 2, register {{\[}}[0, 1], [0, 2], [0, 4], {{.*}}lane {{\[}}[0, 8]
// CHECK-DAG: #[[FOUR:.*]] = #simt.layout<rank 2, register {{\[}}[0, 1], [0, 2], {{\[[1-9].*}}lane {{\[}}[0, 4]
// CHECK-LABEL: tile.kernel @of_a_dot
// CHECK: tile.load_view {{.*}} -> tensor<64x64xf16, #[[EIGHT]]>
// CHECK: tile.store_view {{.*}} tensor<64x64xf32, #[[FOUR]]>
tile.kernel @of_a_dot(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 2 : i64}) attributes {tile.num_warps = 4 : i32} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = arith.constant 64 : i64
  %from = tile.make_view %x shape[%n, %n] strides[%n, %one] : !tile.ptr<f16> -> !tile.view<64x64xf16>
  %v = tile.load_view %from[%z, %z] checked [false, false] {group = 1 : i64} : !tile.view<64x64xf16> -> tensor<64x64xf16>
  %product = tile.dot %v, %v, %zero : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  %twice = arith.addf %product, %product : tensor<64x64xf32>
  %to = tile.make_view %out shape[%n, %n] strides[%n, %one] : !tile.ptr<f32> -> !tile.view<64x64xf32>
  tile.store_view %to[%z, %z], %twice checked [false, false] {group = 2 : i64} : !tile.view<64x64xf32>, tensor<64x64xf32>
  tile.return
}

// What is widened is loaded as it will be stored.
// CHECK-LABEL: tile.kernel @of_a_load
// CHECK: tile.load_view {{.*}} -> tensor<64x64xf16, #[[FOUR]]>
// CHECK: tile.store_view {{.*}} tensor<64x64xf32, #[[FOUR]]>
tile.kernel @of_a_load(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 2 : i64}) attributes {tile.num_warps = 4 : i32} {
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = arith.constant 64 : i64
  %from = tile.make_view %x shape[%n, %n] strides[%n, %one] : !tile.ptr<f16> -> !tile.view<64x64xf16>
  %v = tile.load_view %from[%z, %z] checked [false, false] {group = 1 : i64} : !tile.view<64x64xf16> -> tensor<64x64xf16>
  %wide = arith.extf %v : tensor<64x64xf16> to tensor<64x64xf32>
  %to = tile.make_view %out shape[%n, %n] strides[%n, %one] : !tile.ptr<f32> -> !tile.view<64x64xf32>
  tile.store_view %to[%z, %z], %wide checked [false, false] {group = 2 : i64} : !tile.view<64x64xf32>, tensor<64x64xf32>
  tile.return
}
