// 8-bit floats are converted by one instruction where the machine has it, and
// where it rounds as the language does.
// RUN: tz compile %s --target nvidia:sm_90a --emit asm -o - | FileCheck %s
// RUN: tz compile %s --target nvidia:sm_89 --emit asm -o - | FileCheck %s
// RUN: tz compile %s --target nvidia:sm_80 --emit asm -o - | FileCheck %s --check-prefix=OLD

// OLD-NOT: e4m3x2
// OLD-NOT: e5m2x2
// CHECK-LABEL: .entry conversions
tile.kernel @conversions(%x: !tile.ptr<f8E4M3FN>, %y: !tile.ptr<f8E5M2>, %f: !tile.ptr<f32>, %h: !tile.ptr<f16>, %d: !tile.ptr<f64>) attributes {tile.num_warps = 1 : i32} {
  // CHECK: cvt.rn.f16x2.e4m3x2
  %a = tile.load %x : !tile.ptr<f8E4M3FN> -> f8E4M3FN
  %wide = arith.extf %a : f8E4M3FN to f32
  tile.store %f, %wide : !tile.ptr<f32>, f32
  // CHECK: cvt.rn.f16x2.e5m2x2
  %b = tile.load %y : !tile.ptr<f8E5M2> -> f8E5M2
  %half = arith.extf %b : f8E5M2 to f16
  tile.store %h, %half : !tile.ptr<f16>, f16
  // CHECK: cvt.rn.satfinite.e4m3x2.f32
  %p = tile.load %f : !tile.ptr<f32> -> f32
  %narrow = tile.truncf rtne %p : f32 to f8E4M3FN
  tile.store %x, %narrow : !tile.ptr<f8E4M3FN>, f8E4M3FN
  // CHECK: cvt.rn.satfinite.e5m2x2.f32
  %q = tile.load %h : !tile.ptr<f16> -> f16
  %least = tile.truncf rtne %q : f16 to f8E5M2
  tile.store %y, %least : !tile.ptr<f8E5M2>, f8E5M2
  // CHECK-NOT: cvt.rn.satfinite
  %cut = tile.truncf rtz %p : f32 to f8E4M3FN
  tile.store %x, %cut : !tile.ptr<f8E4M3FN>, f8E4M3FN
  %r = tile.load %d : !tile.ptr<f64> -> f64
  %once = tile.truncf rtne %r : f64 to f8E4M3FN
  tile.store %x, %once : !tile.ptr<f8E4M3FN>, f8E4M3FN
  tile.return
}
