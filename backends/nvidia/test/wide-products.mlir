// Both halves of a product of 32 bits come from one instruction.
// RUN: tz compile %s --target nvidia:sm_90a --emit asm -o - | FileCheck %s

// CHECK-LABEL: .entry both
// CHECK: mul.wide.u32
// CHECK-NOT: mul.hi
// CHECK-NOT: mul.lo.s32
// CHECK: ret;
tile.kernel @both(%x: !tile.ptr<i32>, %n: i32, %m: i32) {
  %low = arith.muli %n, %m : i32
  %high = tile.mulhiui %m, %n : i32
  %one = arith.constant 1 : i32
  %next = tile.addptr %x, %one : !tile.ptr<i32>, i32
  tile.store %x, %low : !tile.ptr<i32>, i32
  tile.store %next, %high : !tile.ptr<i32>, i32
  tile.return
}
