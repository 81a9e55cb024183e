// What a scalar is where its load is off stands in the register before it: no select.
// RUN: tz compile %s --target nvidia:sm_90a --emit asm -o - | FileCheck %s

// CHECK-LABEL: .entry scalars
// CHECK-NOT: selp
// CHECK: mov.b32 %r{{[0-9]+}}, 0; @%p{{[0-9]+}} ld.global.b32
// CHECK-NOT: selp
// CHECK: mov.b32 %r{{[0-9]+}}, 1065353216; @%p{{[0-9]+}} ld.global.b32
// CHECK-NOT: selp
// CHECK: ret;
tile.kernel @scalars(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) attributes {tile.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %some = arith.cmpi sgt, %n, %c0 : i32
  %v = tile.load %x mask %some other %zero : !tile.ptr<f32> mask i1 other f32 -> f32
  tile.store %y, %v : !tile.ptr<f32>, f32
  %w = tile.load %x mask %some other %one : !tile.ptr<f32> mask i1 other f32 -> f32
  tile.store %y, %w : !tile.ptr<f32>, f32
  tile.return
}
