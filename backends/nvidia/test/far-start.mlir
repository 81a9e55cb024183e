// A block may begin at the last index that 31 bits hold. Without a mask its elements lie
// behind that, and their addresses are sums of 64 bits.
// RUN: tz compile %s --target nvidia:sm_90a --option exact_num_warps=1 --emit asm -o - | FileCheck %s
// CHECK: and.b32 [[FIRST:%r[0-9]+]], {{%r[0-9]+}}, 2147483647;
// CHECK: mul.wide.u32 {{%rd[0-9]+}}, [[FIRST]], 4;
// CHECK: ld.global
tile.kernel @copy(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %start: i32) attributes {tile.num_warps = 4 : i32} {
  %mask = arith.constant 2147483647 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i64
  %end = arith.constant 9223372036854775807 : i64
  %word = arith.andi %start, %mask : i32
  %first = arith.extsi %word : i32 to i64
  %from = tile.make_view %x shape[%end] strides[%one] : <f32> -> <128xf32>
  %v = tile.load_view %from[%first] checked [false] {group = 1 : i64} : <128xf32> -> tensor<128xf32>
  %to = tile.make_view %y shape[%end] strides[%one] : <f32> -> <128xf32>
  tile.store_view %to[%zero], %v checked [false] {group = 2 : i64} : !tile.view<128xf32>, tensor<128xf32>
  tile.return
}
