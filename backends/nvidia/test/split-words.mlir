// ptxas for sm_86 and later may copy the wrong half of a word whose halves are
// chosen after a branch, unless mov.b32 takes the low one. Halves that nobody
// chooses are taken as LLVM does.
// RUN: tz compile %s --target nvidia:sm_90a --emit asm -o - | FileCheck %s

// CHECK-LABEL: .entry chosen
// CHECK: ld.param.b32 %r[[WORD:[0-9]+]], [chosen_param_0];
// CHECK-NOT: cvt.u16.u32 %rs{{[0-9]+}}, %r[[WORD]];
// CHECK-COUNT-1: mov.b32 {%rs{{[0-9]+}}, _}, %r[[WORD]];
// CHECK-NOT: cvt.u16.u32 %rs{{[0-9]+}}, %r[[WORD]];
// CHECK-NOT: , _}
// CHECK: ret;
tile.kernel @chosen(%word: i32, %c: i1, %d: i1, %x: i16, %y: i16, %out: !tile.ptr<i16>, %other: !tile.ptr<i16>, %third: i32, %plain: !tile.ptr<i16>) {
  %sixteen = arith.constant 16 : i32
  %low = arith.trunci %word : i32 to i16
  %shifted = tile.shrui %word, %sixteen : i32
  %high = arith.trunci %shifted : i32 to i16
  %left = arith.select %c, %low, %x : i16
  %right = arith.select %d, %high, %y : i16
  tile.store %out, %left : !tile.ptr<i16>, i16
  tile.store %other, %right : !tile.ptr<i16>, i16
  %a = arith.trunci %third : i32 to i16
  %moved = tile.shrui %third, %sixteen : i32
  %b = arith.trunci %moved : i32 to i16
  %product = arith.muli %a, %b : i16
  tile.store %plain, %product : !tile.ptr<i16>, i16
  tile.return
}
