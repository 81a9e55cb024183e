// Quotients of one divisor share its reciprocal; two of them are divisions.
// RUN: tz compile %s --target nvidia:sm_90a --emit asm -o - | FileCheck %s

// CHECK-LABEL: .entry quotients
// CHECK-DAG: setp.gt.f32 {{.*}}, 0f7E800000;
// CHECK-DAG: setp.lt.f32 {{.*}}, 0f00800000;
// CHECK: rcp.approx.ftz.f32
// CHECK-NOT: div.full
// CHECK-COUNT-16: mul.rn.f32
// CHECK-NOT: rcp.approx
// CHECK-COUNT-2: div.full.f32
// CHECK-NOT: div.full
// CHECK: ret;
tile.kernel @quotients(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %sum: f32, %other: f32) attributes {tile.num_warps = 1 : i32} {
  %at = tile.range 0 to 256 : tensor<256xi32>
  %base = tile.splat %x : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %to = tile.addptr %base, %at : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %v = tile.load %to : tensor<256x!tile.ptr<f32>> -> tensor<256xf32>
  %sums = tile.splat %sum : f32 -> tensor<256xf32>
  %q = tile.divf approx %v, %sums : tensor<256xf32>
  tile.store %to, %q : tensor<256x!tile.ptr<f32>>, tensor<256xf32>
  %few = tile.range 0 to 64 : tensor<64xi32>
  %second = tile.splat %y : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %where = tile.addptr %second, %few : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %w = tile.load %where : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  %others = tile.splat %other : f32 -> tensor<64xf32>
  %p = tile.divf approx %w, %others : tensor<64xf32>
  tile.store %where, %p : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  tile.return
}
