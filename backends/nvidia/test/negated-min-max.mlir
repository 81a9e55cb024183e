// ptxas for sm_90 forgets negations and absolute values of what it compares:
// they are made of inverted numbers.
// RUN: tz compile %s --target nvidia:sm_90a --emit asm -o - | FileCheck %s

// CHECK-LABEL: .entry of_three
// CHECK-NOT: neg.s32
// CHECK-NOT: abs.s32
// CHECK: not.b32 inverted,
// CHECK: add.s32 %{{.*}}, inverted, 1;
// CHECK: max.s32 %r{{[0-9]+}}, %r{{[0-9]+}}, inverted;
// CHECK-NOT: neg.s32
// CHECK-NOT: abs.s32
// CHECK: ret;
tile.kernel @of_three(%a: i32, %b: i32, %c: i32, %out: !tile.ptr<i32>) {
  %zero = arith.constant 0 : i32
  %negated = arith.subi %zero, %a : i32
  %size = tile.absi %b : i32
  %two = tile.maxsi %negated, %size : i32
  %three = tile.maxsi %two, %c : i32
  tile.store %out, %three : !tile.ptr<i32>, i32
  tile.return
}

// CHECK-LABEL: .entry halves
// CHECK: not.b16 inverted,
// CHECK: add.s16 inverted, inverted,
// CHECK: min.s16
tile.kernel @halves(%a: i16, %b: i16, %c: i16, %out: !tile.ptr<i16>) {
  %difference = arith.subi %a, %b : i16
  %least = tile.minsi %difference, %c : i16
  tile.store %out, %least : !tile.ptr<i16>, i16
  tile.return
}

// A difference that nobody compares is one instruction.
// CHECK-LABEL: .entry plain
// CHECK-NOT: inverted
// CHECK: sub.s32
// CHECK: ret;
tile.kernel @plain(%a: i32, %b: i32, %out: !tile.ptr<i32>) {
  %difference = arith.subi %a, %b : i32
  tile.store %out, %difference : !tile.ptr<i32>, i32
  tile.return
}
