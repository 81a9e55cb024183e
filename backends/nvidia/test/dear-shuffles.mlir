// A tile that changes its layout within a warp goes by shuffles while these are
// few. Where lanes choose among what registers send, more go than are kept.
// RUN: tz compile %s --target nvidia:sm_90a --emit asm -o - | FileCheck %s

// Of sums each thread stores eight beside each other, each one of four that are
// sent: 32 shuffles.
// CHECK-LABEL: .entry sums
// CHECK: mma.sync
// CHECK-NOT: shfl.sync
// CHECK: ld.shared.v4
// CHECK-NOT: shfl.sync
// CHECK: st.global.v4
tile.kernel @sums(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %out: !tile.ptr<f16> {tile.divisibility = 16 : i64}) attributes {tile.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %sixteen = arith.constant 16 : i64
  %none = arith.constant dense<0.0> : tensor<16x16xf32>
  %from = tile.make_view %x shape[%sixteen, %sixteen] strides[%sixteen, %one] : <f16> -> <16x16xf16>
  %to = tile.make_view %out shape[%sixteen, %sixteen] strides[%sixteen, %one] : <f16> -> <16x16xf16>
  %a = tile.load_view %from[%zero, %zero] checked [false, false] : <16x16xf16> -> tensor<16x16xf16>
  %s = tile.dot %a, %a, %none : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  %short = tile.truncf rtne %s : tensor<16x16xf32> to tensor<16x16xf16>
  tile.store_view %to[%zero, %zero], %short checked [false, false] : <16x16xf16>, tensor<16x16xf16>
  tile.return
}
