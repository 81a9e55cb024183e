// Along a run a thread divides once: quotients are equal, remainders follow
// each other.
// RUN: tz compile %s --target nvidia:sm_90a --emit asm -o - | FileCheck %s

// CHECK-LABEL: .entry aligned_divisor
// CHECK-COUNT-1: div.u32
// CHECK-NOT: {{(div|rem).u32}}
// CHECK: ret;
tile.kernel @aligned_divisor(%x: !tile.ptr<i32> {tile.divisibility = 16 : i64}, %n: i32 {tile.divisibility = 16 : i64}) attributes {tile.num_warps = 1 : i32} {
  %at = tile.range 0 to 128 : tensor<128xi32>
  %by = tile.splat %n : i32 -> tensor<128xi32>
  %q = tile.divui %at, %by : tensor<128xi32>
  %r = tile.remui %at, %by : tensor<128xi32>
  %sum = arith.addi %q, %r : tensor<128xi32>
  %base = tile.splat %x : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %to = tile.addptr %base, %at : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  tile.store %to, %sum : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  tile.return
}
