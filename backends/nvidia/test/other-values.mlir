// What a lane that is off gets stands in the register before the load: no select.
// RUN: tz compile %s --target nvidia:sm_90a --emit asm -o - | FileCheck %s

// Two halves of -inf are a word; a wide integer is two.
// CHECK-LABEL: .entry others
// CHECK-NOT: selp
// CHECK: mov.b32 %r{{[0-9]+}}, 4227922944; {{.*}}mov.b32 %r{{[0-9]+}}, 4227922944; @%p{{[0-9]+}} ld.global.v4.b32
// CHECK-NOT: selp
// CHECK: mov.b32 %r{{[0-9]+}}, 5; mov.b32 %r{{[0-9]+}}, 1; @%p{{[0-9]+}} ld.global.v2.b32
// CHECK-NOT: selp
// CHECK: mov.b16 %rs{{[0-9]+}}, 255; @%p{{[0-9]+}} ld.global.b8
// CHECK-NOT: selp
// CHECK: ret;
tile.kernel @others(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %y: !tile.ptr<i64> {tile.divisibility = 16 : i64}, %z: !tile.ptr<i8>, %n: i32 {tile.divisibility = 16 : i64}) attributes {tile.num_warps = 1 : i32} {
  %at = tile.range 0 to 256 : tensor<256xi32>
  %ends = tile.splat %n : i32 -> tensor<256xi32>
  %inside = arith.cmpi slt, %at, %ends : tensor<256xi32>
  %low = arith.constant dense<0xFC00> : tensor<256xf16>
  %halves = tile.splat %x : !tile.ptr<f16> -> tensor<256x!tile.ptr<f16>>
  %from = tile.addptr %halves, %at : tensor<256x!tile.ptr<f16>>, tensor<256xi32>
  %v = tile.load %from mask %inside other %low : tensor<256x!tile.ptr<f16>> mask tensor<256xi1> other tensor<256xf16> -> tensor<256xf16>
  tile.store %from, %v : tensor<256x!tile.ptr<f16>>, tensor<256xf16>
  %few = tile.range 0 to 32 : tensor<32xi32>
  %end = tile.splat %n : i32 -> tensor<32xi32>
  %within = arith.cmpi slt, %few, %end : tensor<32xi32>
  %wide = arith.constant dense<4294967301> : tensor<32xi64>
  %words = tile.splat %y : !tile.ptr<i64> -> tensor<32x!tile.ptr<i64>>
  %where = tile.addptr %words, %few : tensor<32x!tile.ptr<i64>>, tensor<32xi32>
  %w = tile.load %where mask %within other %wide : tensor<32x!tile.ptr<i64>> mask tensor<32xi1> other tensor<32xi64> -> tensor<32xi64>
  tile.store %where, %w : tensor<32x!tile.ptr<i64>>, tensor<32xi64>
  %ones = arith.constant dense<-1> : tensor<32xi8>
  %bytes = tile.splat %z : !tile.ptr<i8> -> tensor<32x!tile.ptr<i8>>
  %place = tile.addptr %bytes, %few : tensor<32x!tile.ptr<i8>>, tensor<32xi32>
  %b = tile.load %place mask %within other %ones : tensor<32x!tile.ptr<i8>> mask tensor<32xi1> other tensor<32xi8> -> tensor<32xi8>
  tile.store %place, %b : tensor<32x!tile.ptr<i8>>, tensor<32xi8>
  tile.return
}
