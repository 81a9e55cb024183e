// A float that is rounded to bf16 and used as a float again is the upper half of
// a pair. One that is stored as bf16 is converted by itself.
// RUN: tz compile %s --target nvidia:sm_90a --emit asm -o - | FileCheck %s

// CHECK-LABEL: .entry rounded
// CHECK-NOT: cvt.rn.bf16.f32
// CHECK: cvt.rn.bf16x2.f32 %[[ROUNDED:r[0-9]+]], %{{r[0-9]+}}, 0f00000000;
// CHECK-NOT: shl
// CHECK: mul.{{.*}}f32 {{.*}}%[[ROUNDED]]
tile.kernel @rounded(%x: f32, %y: f32, %out: !tile.ptr<f32>) {
  %short = tile.truncf rtne %x : f32 to bf16
  %long = arith.extf %short : bf16 to f32
  %product = arith.mulf %long, %y : f32
  tile.store %out, %product : !tile.ptr<f32>, f32
  tile.return
}
