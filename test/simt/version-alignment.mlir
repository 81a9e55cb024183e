// A loop over operands at loaded pointers gets a copy for aligned rows.
// RUN: tz-opt %s --simt-version-alignment --split-input-file | FileCheck %s
// RUN: tz-opt --simt-version-alignment --simt-assign-layouts "--simt-pipeline-loops=async-copy-bytes=4 shared-bytes=65536" --split-input-file %s | FileCheck %s --check-prefix=COPIES

// Pointer and stride are asked for; of the second operand everything is known.
// CHECK-LABEL: tile.kernel @example
// CHECK: %[[A:.*]] = tile.int_to_ptr
// CHECK: %[[S:.*]] = arith.extsi
// CHECK: %[[BITS:.*]] = tile.ptr_to_int %[[A]]
// CHECK: %[[BYTES:.*]] = arith.muli %[[S]], %c2
// CHECK: %[[ALL:.*]] = arith.ori %[[BITS]], %[[BYTES]]
// CHECK: %[[REST:.*]] = arith.andi %[[ALL]], %c15
// CHECK: %[[IS:.*]] = arith.cmpi eq, %[[REST]]
// CHECK: scf.if %[[IS]]
// CHECK: %[[HA:.*]] = tile.hint %[[A]] {divisibility = array<i64: 16>}
// CHECK: %[[HS:.*]] = tile.hint %[[S]] {divisibility = array<i64: 8>}
// CHECK: %[[V:.*]] = tile.make_view %[[HA]] {{.*}} strides[%[[HS]],
// CHECK: scf.for
// CHECK: tile.load_view %[[V]]
// CHECK: else
// CHECK-NOT: tile.make_view
// CHECK: scf.for
// COPIES-LABEL: tile.kernel @example
// COPIES: scf.for
// COPIES: simt.async_copy_view
// COPIES: simt.async_copy_view
// COPIES: else
// COPIES: scf.for
// COPIES: tile.load_view
tile.kernel @example(%pointers: !tile.ptr<i64> {tile.group = 1 : i64}, %strides: !tile.ptr<i32> {tile.group = 2 : i64}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 3 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 4 : i64}, %k: i32) attributes {tile.num_warps = 4 : i32} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 64 : i64
  %wide = arith.constant 4096 : i64
  %number = tile.load %pointers {group = 1 : i64} : !tile.ptr<i64> -> i64
  %a = tile.int_to_ptr %number : i64 to !tile.ptr<f16>
  %short = tile.load %strides {group = 2 : i64} : !tile.ptr<i32> -> i32
  %stride = arith.extsi %short : i32 to i64
  %va = tile.make_view %a shape[%m, %wide] strides[%stride, %one] : !tile.ptr<f16> -> !tile.view<64x32xf16>
  %vb = tile.make_view %b shape[%wide, %m] strides[%m, %one] : !tile.ptr<f16> -> !tile.view<32x64xf16>
  %sum = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %at = arith.extsi %i : i32 to i64
    %x = tile.load_view %va[%z, %at] checked [false, false] : !tile.view<64x32xf16> -> tensor<64x32xf16>
    %y = tile.load_view %vb[%at, %z] checked [false, false] {group = 3 : i64} : !tile.view<32x64xf16> -> tensor<32x64xf16>
    %next = tile.dot %x, %y, %acc : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %vo = tile.make_view %out shape[%m, %m] strides[%m, %one] : !tile.ptr<f32> -> !tile.view<64x64xf32>
  tile.store_view %vo[%z, %z], %sum checked [false, false] {group = 4 : i64} : !tile.view<64x64xf32>, tensor<64x64xf32>
  tile.return
}

// -----

// What is not known of an argument was not so when the kernel was specialised.
// CHECK-LABEL: tile.kernel @no_argument
// CHECK-NOT: scf.if
// COPIES-LABEL: tile.kernel @no_argument
tile.kernel @no_argument(%a: !tile.ptr<f16> {tile.group = 1 : i64}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 3 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 4 : i64}, %k: i32) attributes {tile.num_warps = 4 : i32} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 64 : i64
  %wide = arith.constant 4096 : i64
  %va = tile.make_view %a shape[%m, %wide] strides[%wide, %one] : !tile.ptr<f16> -> !tile.view<64x32xf16>
  %vb = tile.make_view %b shape[%wide, %m] strides[%m, %one] : !tile.ptr<f16> -> !tile.view<32x64xf16>
  %sum = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %at = arith.extsi %i : i32 to i64
    %x = tile.load_view %va[%z, %at] checked [false, false] {group = 1 : i64} : !tile.view<64x32xf16> -> tensor<64x32xf16>
    %y = tile.load_view %vb[%at, %z] checked [false, false] {group = 3 : i64} : !tile.view<32x64xf16> -> tensor<32x64xf16>
    %next = tile.dot %x, %y, %acc : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %vo = tile.make_view %out shape[%m, %m] strides[%m, %one] : !tile.ptr<f32> -> !tile.view<64x64xf32>
  tile.store_view %vo[%z, %z], %sum checked [false, false] {group = 4 : i64} : !tile.view<64x64xf32>, tensor<64x64xf32>
  tile.return
}
