// With one stage, what takes registers is loaded in its own iteration: a row
// of scales goes ahead, the 16 words of a tile that is computed do not.
// RUN: tz-opt %s --simt-assign-layouts --simt-prefetch-loads | FileCheck %s
// RUN: sed 's/num_stages = 1/num_stages = 2/' %s | tz-opt --simt-assign-layouts --simt-prefetch-loads | FileCheck %s --check-prefix=TWO

// CHECK: %[[FIRST:.*]] = tile.load_view {{.*}} -> tensor<32xf32
// CHECK: scf.for {{.*}}%[[NOW:[a-z0-9_]+]] = %[[FIRST]])
// CHECK: tile.load_view {{.*}} -> tensor<32xf32
// CHECK: tile.load_view {{.*}} -> tensor<64x32xf32
// CHECK: simt.dot

// TWO: tile.load_view {{.*}} -> tensor<32xf32
// TWO: tile.load_view {{.*}} -> tensor<64x32xf32
// TWO: scf.for
tile.kernel @scaled(%a: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %s: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 3 : i64}, %k: i64) attributes {tile.num_warps = 4 : i32, tile.num_stages = 1 : i32} {
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %b = arith.constant dense<1.0> : tensor<32x32xf16>
  %z = arith.constant 0 : i64
  %step = arith.constant 32 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 64 : i64
  %wide = arith.constant 4096 : i64
  %va = tile.make_view %a shape[%m, %wide] strides[%wide, %one] : <f32> -> <64x32xf32>
  %vs = tile.make_view %s shape[%wide] strides[%one] : <f32> -> <32xf32>
  %sum = scf.for %i = %z to %k step %step iter_args(%acc = %zero) -> (tensor<64x32xf32>) : i64 {
    %row = tile.load_view %vs[%i] checked [false] {group = 2 : i64} : <32xf32> -> tensor<32xf32>
    %x = tile.load_view %va[%z, %i] checked [false, false] {group = 1 : i64} : <64x32xf32> -> tensor<64x32xf32>
    %line = tile.reshape %row : tensor<32xf32> -> tensor<1x32xf32>
    %all = tile.broadcast %line : tensor<1x32xf32> -> tensor<64x32xf32>
    %scaled = arith.mulf %x, %all : tensor<64x32xf32>
    %half = tile.truncf rtne %scaled : tensor<64x32xf32> to tensor<64x32xf16>
    %next = tile.dot %half, %b, %acc : tensor<64x32xf16>, tensor<32x32xf16> -> tensor<64x32xf32>
    scf.yield %next : tensor<64x32xf32>
  }
  %n = arith.constant 32 : i64
  %vo = tile.make_view %out shape[%m, %n] strides[%n, %one] : <f32> -> <64x32xf32>
  tile.store_view %vo[%z, %z], %sum checked [false, false] {group = 3 : i64} : <64x32xf32>, tensor<64x32xf32>
  tile.return
}
