// How far ahead the copies of a loop go, for 64 KiB of shared memory.
// RUN: tz-opt %s --simt-assign-layouts --simt-remove-conversions --simt-print-pipeline-plans -o /dev/null | FileCheck %s

// Both operands, two iterations ahead. A counter of 64 bits by an unknown step
// cannot be counted.
// CHECK-LABEL: simt-print-pipeline-plans @operands
// CHECK-NEXT: scf.for %2: 2 fetches, 2 iterations ahead, 3 slots, 0 dots in flight, 0 ops and 0 carried values ahead
// CHECK-NEXT: scf.for %3: none: the loop's counter is 64 bits wide and its step unknown
tile.kernel @operands(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %out: !tile.ptr<f32> {tile.group = 3 : i64}, %k: i64, %step: i64) attributes {tile.num_warps = 4 : i32} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 64 : i64
  %wide = arith.constant 4096 : i64
  %va = tile.make_view %a shape[%m, %wide] strides[%wide, %one] : <f16> -> <64x32xf16>
  %vb = tile.make_view %b shape[%wide, %m] strides[%m, %one] : <f16> -> <32x64xf16>
  %sum = scf.for %i = %z to %k step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i64 {
    %x = tile.load_view %va[%z, %i] checked [false, false] {group = 1 : i64} : <64x32xf16> -> tensor<64x32xf16>
    %y = tile.load_view %vb[%i, %z] checked [false, false] {group = 2 : i64} : <32x64xf16> -> tensor<32x64xf16>
    %next = tile.dot %x, %y, %acc : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %more = scf.for %i = %z to %k step %step iter_args(%acc = %sum) -> (tensor<64x64xf32>) : i64 {
    %x = tile.load_view %va[%z, %i] checked [false, false] {group = 1 : i64} : <64x32xf16> -> tensor<64x32xf16>
    %y = tile.load_view %vb[%i, %z] checked [false, false] {group = 2 : i64} : <32x64xf16> -> tensor<32x64xf16>
    %next = tile.dot %x, %y, %acc : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %vo = tile.make_view %out shape[%m, %m] strides[%m, %one] : <f32> -> <64x64xf32>
  tile.store_view %vo[%z, %z], %more checked [false, false] {group = 3 : i64} : <64x64xf32>, tensor<64x64xf32>
  tile.return
}

// An operand that the loop writes stays; so does one that is not copied, since
// what it holds where it is masked off is no zero; nothing is left to fetch.
// CHECK-LABEL: simt-print-pipeline-plans @nothing
// CHECK-NEXT: scf.for: none: nothing to fetch
tile.kernel @nothing(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %k: i32) attributes {tile.num_warps = 1 : i32} {
  %zero = arith.constant dense<0.0> : tensor<16x16xf16>
  %h1 = arith.constant 1.0 : f16
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 16 : i64
  %wide = arith.constant 4096 : i64
  %v = tile.make_view %a shape[%m, %wide] strides[%wide, %one] : <f16> -> <16x16xf16>
  %w = tile.make_view %b shape[%m, %wide] strides[%wide, %one] : <f16> -> <16x16xf16>
  scf.for %i = %c0 to %k step %c16 : i32 {
    %at = arith.extsi %i : i32 to i64
    %x = tile.load_view %v[%z, %at] checked [false, false] {group = 1 : i64} : <16x16xf16> -> tensor<16x16xf16>
    %y = tile.load_view %w[%z, %at] other %h1 checked [true, true] {group = 2 : i64} : <16x16xf16>, f16 -> tensor<16x16xf16>
    %d = tile.dot %x, %y, %zero : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf16>
    tile.store_view %v[%z, %at], %d checked [false, false] {group = 1 : i64} : <16x16xf16>, tensor<16x16xf16>
  }
  tile.return
}
