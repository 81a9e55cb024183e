// Two bf16 of a word become floats by an instruction each: the lower one is shifted up, the upper one
// is in its place and loses what is below it.
// RUN: tz compile %s --target nvidia:sm_90a --emit asm -o - | FileCheck %s
// CHECK-NOT: %rs
// CHECK: ld.global.v2.b32 {[[A:%r[0-9]+]], [[B:%r[0-9]+]]}
// CHECK: shl.b32 {{%r[0-9]+}}, [[A]], 16;
// CHECK: and.b32 {{%r[0-9]+}}, [[A]], -65536;
// CHECK: shl.b32 {{%r[0-9]+}}, [[B]], 16;
// CHECK: and.b32 {{%r[0-9]+}}, [[B]], -65536;
// CHECK-NOT: cvt.u32.u16
// CHECK: ret;
tile.kernel @widen(%x: !tile.ptr<bf16> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.num_warps = 1 : i32} {
  %at = tile.range 0 to 256 : tensor<256xi32>
  %from = tile.splat %x : !tile.ptr<bf16> -> tensor<256x!tile.ptr<bf16>>
  %ins = tile.addptr %from, %at : tensor<256x!tile.ptr<bf16>>, tensor<256xi32>
  %v = tile.load %ins {group = 1 : i64} : tensor<256x!tile.ptr<bf16>> -> tensor<256xbf16>
  %w = arith.extf %v : tensor<256xbf16> to tensor<256xf32>
  %to = tile.splat %y : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %outs = tile.addptr %to, %at : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  tile.store %outs, %w {group = 2 : i64} : tensor<256x!tile.ptr<f32>>, tensor<256xf32>
  tile.return
}
