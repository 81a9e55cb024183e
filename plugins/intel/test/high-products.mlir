// The high half of a product of 64 bits is OpenCL's mul_hi, also where a factor is a constant: SPIR-V has no 128 bits.
// RUN: tz compile %s --target intel:pvc --emit spirv-asm -o - | FileCheck %s
// CHECK: OpExtInst %ulong %{{.*}} u_mul_hi %
// CHECK: OpExtInst %ulong %{{.*}} u_mul_hi %
tile.kernel @high(%x: !tile.ptr<i64> {tile.divisibility = 16 : i64}, %out: !tile.ptr<i64> {tile.divisibility = 16 : i64}) {
  %range = tile.range 0 to 64 : tensor<64xi32>
  %from = tile.splat %x : !tile.ptr<i64> -> tensor<64x!tile.ptr<i64>>
  %at = tile.addptr %from, %range : tensor<64x!tile.ptr<i64>>, tensor<64xi32>
  %v = tile.load %at {group = 1 : i64} : tensor<64x!tile.ptr<i64>> -> tensor<64xi64>
  %c = arith.constant dense<1234567890123456789> : tensor<64xi64>
  %a = tile.mulhiui %v, %c : tensor<64xi64>
  %b = tile.mulhiui %v, %a : tensor<64xi64>
  %to = tile.splat %out : !tile.ptr<i64> -> tensor<64x!tile.ptr<i64>>
  %there = tile.addptr %to, %range : tensor<64x!tile.ptr<i64>>, tensor<64xi32>
  tile.store %there, %b {group = 2 : i64} : tensor<64x!tile.ptr<i64>>, tensor<64xi64>
  tile.return
}
