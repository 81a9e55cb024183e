// Which integers are the same in all programs.
// RUN: tz-opt %s --simt-print-programs -o /dev/null | FileCheck %s

// Arguments, the size of the grid and arithmetic on them; not a program's number,
// what is loaded, what a loop counts or a branch gives.
// CHECK-LABEL: simt-print-programs @sources
// CHECK-NEXT: %arg0: the same in all programs
// CHECK-NEXT: %arg2: the same in all programs
// CHECK-NEXT: %c2_i32: the same in all programs
// CHECK-NEXT: %0: the same in all programs
// CHECK-NEXT: %1: the same in all programs
// CHECK-NEXT: %2: the same in all programs
// CHECK-NEXT: %3: may differ
// CHECK-NEXT: %4: may differ
// CHECK-NEXT: %5: may differ
// CHECK-NEXT: %6: may differ
// CHECK-NEXT: %7: may differ
// CHECK-NEXT: %arg3: may differ
// CHECK-NEXT: %arg4: may differ
// CHECK-NEXT: %9: may differ
// CHECK-NEXT: %8: may differ
tile.kernel @sources(%n: i32, %p: !tile.ptr<i32>, %on: i1) {
  %c2 = arith.constant 2 : i32
  %count = tile.num_programs 1
  %all = arith.muli %n, %count : i32
  %part = tile.divsi %all, %c2 : i32
  %pid = tile.program_id 2
  %mine = arith.addi %part, %pid : i32
  %nothing = arith.muli %pid, %c2 : i32
  %read = tile.load %p : !tile.ptr<i32> -> i32
  %sum = scf.for %i = %c2 to %n step %c2 iter_args(%a = %n) -> (i32) : i32 {
    %b = arith.addi %a, %n : i32
    scf.yield %b : i32
  }
  %either = scf.if %on -> (i32) {
    scf.yield %n : i32
  } else {
    scf.yield %c2 : i32
  }
  tile.return
}
