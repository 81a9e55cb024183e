// Remainders of floats: the divisor's reciprocal, which a clamp keeps normal, is
// one instruction. One branch goes around the rare cases of four elements.
// RUN: tz compile %s --target nvidia:sm_90a --emit asm -o - | FileCheck %s

// CHECK-LABEL: .entry by_number
// CHECK-NOT: {{div.full|bra}}
// CHECK: max.f32 [[AT_LEAST:%r[0-9]+]], {{.*}}, 0f00800000;
// CHECK-NEXT: min.f32 [[BOUNDED:%r[0-9]+]], [[AT_LEAST]], 0f7E800000;
// CHECK-NEXT: rcp.approx.ftz.f32 {{.*}}, [[BOUNDED]];
// CHECK-NOT: {{div.full|rcp.approx|bra}}
// CHECK: setp.lt.u32 [[FOUR:%p[0-9]+]],
// CHECK-NEXT: @[[FOUR]] bra [[BEHIND:.*]];
// CHECK: {{^}}[[BEHIND]]:
// CHECK-NOT: {{div.full|rcp.approx|bra}}
// CHECK: setp.{{lt|ge}}.u32 [[REST:%p[0-9]+]],
// CHECK-NEXT: @[[REST]] bra
tile.kernel @by_number(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %y: f32) attributes {tile.num_warps = 1 : i32} {
  %at = tile.range 0 to 256 : tensor<256xi32>
  %base = tile.splat %x : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %to = tile.addptr %base, %at : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %v = tile.load %to : tensor<256x!tile.ptr<f32>> -> tensor<256xf32>
  %divisor = tile.splat %y : f32 -> tensor<256xf32>
  %r = tile.remf %v, %divisor : tensor<256xf32>
  tile.store %to, %r : tensor<256x!tile.ptr<f32>>, tensor<256xf32>
  tile.return
}
