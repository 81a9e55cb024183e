// ptxas for sm_90 forgets negations and absolute values of what it compares:
// they are made of inverted numbers. A difference that nobody compares is one
// instruction.
// RUN: tz compile %s --target nvidia:sm_90a --emit asm -o - | FileCheck %s

// CHECK-LABEL: .entry compared
// CHECK-NOT: neg.s32
// CHECK-NOT: abs.s32
// CHECK-DAG: not.b32 inverted, %r{{[0-9]+}}; add.s32 inverted, inverted, %r{{[0-9]+}}; add.s32 %r{{[0-9]+}}, inverted, 1;
// CHECK-DAG: not.b32 inverted, %r{{[0-9]+}}; add.s32 inverted, inverted, 1; max.s32 %r{{[0-9]+}}, %r{{[0-9]+}}, inverted;
// CHECK-DAG: not.b16 inverted, %rs{{[0-9]+}}; add.s16 inverted, inverted, %rs{{[0-9]+}}; add.s16 %rs{{[0-9]+}}, inverted, 1;
// CHECK-DAG: sub.s32
// CHECK-NOT: neg.s32
// CHECK-NOT: abs.s32
// CHECK: ret;
tile.kernel @compared(%a: i32, %b: i32, %c: i32, %d: i16, %e: i16, %out: !tile.ptr<i32>, %narrow: !tile.ptr<i16>, %plain: !tile.ptr<i32>) {
  %zero = arith.constant 0 : i32
  %negated = arith.subi %zero, %a : i32
  %size = tile.absi %b : i32
  %two = tile.maxsi %negated, %size : i32
  %three = tile.maxsi %two, %c : i32
  tile.store %out, %three : !tile.ptr<i32>, i32
  %short = arith.subi %d, %e : i16
  %least = tile.minsi %short, %e : i16
  tile.store %narrow, %least : !tile.ptr<i16>, i16
  %difference = arith.subi %b, %c : i32
  tile.store %plain, %difference : !tile.ptr<i32>, i32
  // A loop that ptxas takes away stands between.
  %fifty = arith.constant 50 : i32
  %two_of = arith.constant 2 : i32
  %from = arith.subi %zero, %b : i32
  %shrunk = scf.while (%r = %from) : (i32) -> i32 {
    %isLarge = arith.cmpi sgt, %r, %fifty : i32
    scf.condition(%isLarge) %r : i32
  } do {
  ^bb0(%v: i32):
    %half = tile.divsi %v, %two_of : i32
    scf.yield %half : i32
  }
  %behind = tile.maxsi %shrunk, %c : i32
  tile.store %plain, %behind : !tile.ptr<i32>, i32
  tile.return
}
