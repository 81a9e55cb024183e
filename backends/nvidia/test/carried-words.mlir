// Elements of 16 bits that a branch or a loop gives go over its edges in words,
// two in a register, and are widened behind it.
// RUN: tz compile %s --target nvidia:sm_90a --emit asm -o - | FileCheck %s

// CHECK-LABEL: .entry chosen
// CHECK-NOT: mov.b16
// CHECK: bra
// CHECK: ld.global{{.*}}.v2.b32
// CHECK-NOT: shl.b32
// CHECK: ld.global{{.*}}.v2.b32
// CHECK-NOT: mov.b16
// CHECK: {{shl|prmt|and}}.b32
// CHECK: ret;
tile.kernel @chosen(%x: !tile.ptr<bf16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %y: !tile.ptr<bf16> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 3 : i64}, %which: i32) attributes {tile.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %m = arith.constant 128 : i64
  %condition = arith.cmpi eq, %which, %zero : i32
  %value = scf.if %condition -> (tensor<128xf32>) {
    %view = tile.make_view %x shape[%m] strides[%c1] : <bf16> -> <128xbf16>
    %v = tile.load_view %view[%c0] checked [false] {group = 1 : i64} : <128xbf16> -> tensor<128xbf16>
    %wide = arith.extf %v : tensor<128xbf16> to tensor<128xf32>
    scf.yield %wide : tensor<128xf32>
  } else {
    %view = tile.make_view %y shape[%m] strides[%c1] : <bf16> -> <128xbf16>
    %v = tile.load_view %view[%c0] checked [false] {group = 2 : i64} : <128xbf16> -> tensor<128xbf16>
    %wide = arith.extf %v : tensor<128xbf16> to tensor<128xf32>
    scf.yield %wide : tensor<128xf32>
  }
  %to = tile.make_view %out shape[%m] strides[%c1] : <f32> -> <128xf32>
  tile.store_view %to[%c0], %value checked [false] {group = 3 : i64} : <128xf32>, tensor<128xf32>
  tile.return
}
