// The lanes of a run that a bound cuts nowhere share one comparison, and what
// is made of it.
// RUN: tz compile %s --target nvidia:sm_90a --emit asm -o - | FileCheck %s

// CHECK-LABEL: .entry masks
// CHECK-COUNT-1: setp.{{(lt|ge|gt|le)}}.{{[su]}}32
// CHECK-NOT: setp.
// CHECK: ret;
tile.kernel @masks(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i32 {tile.divisibility = 16 : i64}) attributes {tile.num_warps = 1 : i32} {
  %at = tile.range 0 to 128 : tensor<128xi32>
  %end = tile.splat %n : i32 -> tensor<128xi32>
  %there = arith.cmpi slt, %at, %end : tensor<128xi32>
  %one = arith.constant dense<1.0> : tensor<128xf32>
  %two = arith.constant dense<2.0> : tensor<128xf32>
  %value = arith.select %there, %one, %two : tensor<128xi1>, tensor<128xf32>
  %base = tile.splat %x : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %to = tile.addptr %base, %at : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  tile.store %to, %value : tensor<128x!tile.ptr<f32>>, tensor<128xf32>
  tile.return
}
