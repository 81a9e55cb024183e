// Two floats of 16 bits that lie beside each other are computed at once, from the
// words that were loaded to those that are stored.
// RUN: tz compile %s --target nvidia:sm_90a --emit asm -o - | FileCheck %s
// CHECK: ld.global.v4.b32
// CHECK-NOT: {{(mul|add|sub|fma\.rn)}}.bf16{{ }}
// CHECK-COUNT-4: {{(mul|fma\.rn)}}.bf16x2
// CHECK-NOT: {{(mul|add|sub|fma\.rn)}}.bf16{{ }}
// CHECK: st.global
tile.kernel @scaled(%x: !tile.ptr<bf16> {tile.divisibility = 16 : i64}, %y: !tile.ptr<bf16> {tile.divisibility = 16 : i64}) attributes {tile.num_warps = 1 : i32} {
  %at = tile.range 0 to 256 : tensor<256xi32>
  %xs = tile.splat %x : !tile.ptr<bf16> -> tensor<256x!tile.ptr<bf16>>
  %from = tile.addptr %xs, %at : tensor<256x!tile.ptr<bf16>>, tensor<256xi32>
  %ys = tile.splat %y : !tile.ptr<bf16> -> tensor<256x!tile.ptr<bf16>>
  %to = tile.addptr %ys, %at : tensor<256x!tile.ptr<bf16>>, tensor<256xi32>
  %v = tile.load %from : tensor<256x!tile.ptr<bf16>> -> tensor<256xbf16>
  %w = tile.load %to : tensor<256x!tile.ptr<bf16>> -> tensor<256xbf16>
  %half = arith.constant dense<5.0e-01> : tensor<256xbf16>
  %product = arith.mulf %v, %half : tensor<256xbf16>
  %sum = arith.mulf %product, %w : tensor<256xbf16>
  tile.store %to, %sum : tensor<256x!tile.ptr<bf16>>, tensor<256xbf16>
  tile.return
}
