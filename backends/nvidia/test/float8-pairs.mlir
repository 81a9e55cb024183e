// Numbers that are stored, or were loaded, beside each other are converted two at a time: a thread has eight.
// RUN: tz compile %s --target nvidia:sm_90a --emit asm -o - | FileCheck %s

// CHECK-LABEL: .entry beside
// CHECK-COUNT-4: cvt.rn.f16x2.e4m3x2
// CHECK-NOT: cvt.rn.f16x2.e4m3x2
// CHECK-COUNT-4: cvt.rn.satfinite.e5m2x2.f32
// CHECK-NOT: cvt.rn.satfinite.e5m2x2.f32
tile.kernel @beside(%x: !tile.ptr<f8E4M3FN> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %y: !tile.ptr<f8E5M2> {tile.divisibility = 16 : i64, tile.group = 2 : i64}) attributes {tile.num_warps = 1 : i32} {
  %range = tile.range 0 to 256 : tensor<256xi32>
  %xs = tile.splat %x : !tile.ptr<f8E4M3FN> -> tensor<256x!tile.ptr<f8E4M3FN>>
  %from = tile.addptr %xs, %range : tensor<256x!tile.ptr<f8E4M3FN>>, tensor<256xi32>
  %v = tile.load %from {group = 1 : i64} : tensor<256x!tile.ptr<f8E4M3FN>> -> tensor<256xf8E4M3FN>
  %wide = arith.extf %v : tensor<256xf8E4M3FN> to tensor<256xf32>
  %sum = arith.addf %wide, %wide : tensor<256xf32>
  %narrow = tile.truncf rtne %sum : tensor<256xf32> to tensor<256xf8E5M2>
  %ys = tile.splat %y : !tile.ptr<f8E5M2> -> tensor<256x!tile.ptr<f8E5M2>>
  %to = tile.addptr %ys, %range : tensor<256x!tile.ptr<f8E5M2>>, tensor<256xi32>
  tile.store %to, %narrow {group = 2 : i64} : tensor<256x!tile.ptr<f8E5M2>>, tensor<256xf8E5M2>
  tile.return
}
