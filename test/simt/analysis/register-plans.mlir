// How far ahead the loads of a loop go into registers, of 256 and 64 KiB.
// RUN: tz-opt %s --simt-assign-layouts --simt-remove-conversions --simt-print-register-plans -o /dev/null | FileCheck %s

// 16 words of a thread are loaded in an iteration, and go by shared memory. What
// is copied to another array stays in place.
// CHECK-LABEL: simt-print-register-plans @operands
// CHECK-NEXT: scf.for %{{.*}}: 2 loads 2 iterations ahead, 2 slots, 16 words an iteration, 0 in registers alone
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

// Two stages are one iteration ahead.
// CHECK-LABEL: simt-print-register-plans @two_stages
// CHECK-NEXT: scf.for %{{.*}}: 2 loads 1 iterations ahead, 2 slots, 16 words an iteration, 0 in registers alone
tile.kernel @two_stages(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %out: !tile.ptr<f32> {tile.group = 3 : i64}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 4 : i64}, %d: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 5 : i64}, %k: i64) attributes {tile.num_warps = 4 : i32, tile.num_stages = 2 : i32} {
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

// A sum that takes all registers leaves none for loads.
// CHECK-LABEL: simt-print-register-plans @one_warp
// CHECK-NEXT: scf.for %{{.*}}: none: this iteration's values and the next one's loads take {{[0-9]+}} registers of 192 that a thread has for them
tile.kernel @one_warp(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %out: !tile.ptr<f32> {tile.group = 3 : i64}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 4 : i64}, %d: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 5 : i64}, %k: i64) attributes {tile.num_warps = 1 : i32} {
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %z = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 64 : i64
  %wide = arith.constant 4096 : i64
  %va = tile.make_view %a shape[%m, %wide] strides[%wide, %one] : <f16> -> <128x32xf16>
  %vb = tile.make_view %b shape[%wide, %m] strides[%m, %one] : <f16> -> <32x64xf16>
  %few = arith.constant 16 : i64
  %vc = tile.make_view %c shape[%few, %wide] strides[%wide, %one] : <f32> -> <16x32xf32>
  %vd = tile.make_view %d shape[%few, %wide] strides[%wide, %one] : <f32> -> <16x32xf32>
  %sum = scf.for %i = %z to %k step %c32 iter_args(%acc = %zero) -> (tensor<128x64xf32>) : i64 {
    %x = tile.load_view %va[%z, %i] checked [false, false] {group = 1 : i64} : <128x32xf16> -> tensor<128x32xf16>
    %y = tile.load_view %vb[%i, %z] checked [false, false] {group = 2 : i64} : <32x64xf16> -> tensor<32x64xf16>
    %t = tile.load_view %vc[%z, %i] checked [false, false] {group = 4 : i64} : <16x32xf32> -> tensor<16x32xf32>
    tile.store_view %vd[%z, %i], %t checked [false, false] {group = 5 : i64} : <16x32xf32>, tensor<16x32xf32>
    %next = tile.dot %x, %y, %acc : tensor<128x32xf16>, tensor<32x64xf16> -> tensor<128x64xf32>
    scf.yield %next : tensor<128x64xf32>
  }
  %vo = tile.make_view %out shape[%m, %m] strides[%m, %one] : <f32> -> <128x64xf32>
  tile.store_view %vo[%z, %z], %sum checked [false, false] {group = 3 : i64} : <128x64xf32>, tensor<128x64xf32>
  tile.return
}
