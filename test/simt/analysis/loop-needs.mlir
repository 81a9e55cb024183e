// What a loop with dots keeps while it runs.
// RUN: tz-opt %s --simt-assign-layouts --simt-remove-conversions --simt-print-loop-needs -o /dev/null | FileCheck %s

// 128 threads: 32 words of the sum, and 16 of each operand, an element of which
// is counted as a word until it is packed. Both are staged
// (4096 bytes each; 2048 bytes are reserved). What is copied feeds no dot.
// CHECK-LABEL: simt-print-loop-needs @operands
// CHECK-NEXT: scf.for %{{.*}}: 3 stages, 4 warps, 64 words a thread, 10240 bytes shared
// CHECK-NEXT: tile.load_view %{{.*}}: feeds a dot
// CHECK-NEXT: tile.load_view %{{.*}}: feeds a dot
// CHECK-NEXT: tile.load_view %{{.*}}: feeds no dot
tile.kernel @operands(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %out: !tile.ptr<f32> {tile.group = 3 : i64}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 4 : i64}, %d: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 5 : i64}, %k: i64) attributes {tile.num_warps = 4 : i32} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 64 : i64
  %wide = arith.constant 4096 : i64
  %va = tile.make_view %a shape[%m, %wide] strides[%wide, %one] : <f16> -> <64x32xf16>
  %vb = tile.make_view %b shape[%wide, %m] strides[%m, %one] : <f16> -> <32x64xf16>
  %few = arith.constant 16 : i64
  %vc = tile.make_view %c shape[%few, %wide] strides[%wide, %one] : <f32> -> <16x32xf32>
  %vd = tile.make_view %d shape[%few, %wide] strides[%wide, %one] : <f32> -> <16x32xf32>
  %sum = scf.for %i = %z to %k step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i64 {
    %x = tile.load_view %va[%z, %i] checked [false, false] {group = 1 : i64} : <64x32xf16> -> tensor<64x32xf16>
    %y = tile.load_view %vb[%i, %z] checked [false, false] {group = 2 : i64} : <32x64xf16> -> tensor<32x64xf16>
    %t = tile.load_view %vc[%z, %i] checked [false, false] {group = 4 : i64} : <16x32xf32> -> tensor<16x32xf32>
    tile.store_view %vd[%z, %i], %t checked [false, false] {group = 5 : i64} : <16x32xf32>, tensor<16x32xf32>
    %next = tile.dot %x, %y, %acc : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %vo = tile.make_view %out shape[%m, %m] strides[%m, %one] : <f32> -> <64x64xf32>
  tile.store_view %vo[%z, %z], %sum checked [false, false] {group = 3 : i64} : <64x64xf32>, tensor<64x64xf32>
  tile.return
}
