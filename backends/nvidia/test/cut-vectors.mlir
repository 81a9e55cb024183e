// Where a bound may cut vectors of 16-bit numbers, the way around the whole load
// and that through the parts meet in words: no element has a register of its own.
// RUN: tz compile %s --target nvidia:sm_90a --emit llvm -o - | FileCheck %s
// CHECK: br i1 {{.*}}label %cut{{($|,)}}
// CHECK: cut.after:
// CHECK-NOT: phi half
// CHECK: phi <4 x i32>
// CHECK-NOT: phi half
// CHECK: ret void
tile.kernel @cut(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %y: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %n: i64) attributes {tile.num_warps = 1 : i32} {
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %from = tile.make_view %x shape[%n] strides[%one] : <f16> -> <256xf16>
  %to = tile.make_view %y shape[%n] strides[%one] : <f16> -> <256xf16>
  %v = tile.load_view %from[%z] checked [true] {group = 1 : i64} : <256xf16> -> tensor<256xf16>
  %w = arith.addf %v, %v : tensor<256xf16>
  tile.store_view %to[%z], %w checked [false] {group = 2 : i64} : <256xf16>, tensor<256xf16>
  tile.return
}
