// Integers whose arithmetic does not wrap, and that are not negative.
// RUN: tz-opt %s --tile-print-exact-integers -o /dev/null | FileCheck %s

// By range: a program's number times 64 may wrap in 32 bits, not in 64; lanes
// that are added to a multiple of more than there are do not. What such a sum
// begins with may have wrapped.
// CHECK-LABEL: tile-print-exact-integers @ranges
// CHECK-NEXT: %arg0: exact
// CHECK-NEXT: %c0_i32: exact, not negative
// CHECK-NEXT: %c64_i32: exact, not negative
// CHECK-NEXT: %c64_i64: exact, not negative
// CHECK-NEXT: %0: exact, not negative
// CHECK-NEXT: %1: may wrap, not negative unless it wraps
// CHECK-NEXT: %2: exact, not negative
// CHECK-NEXT: %3: exact, not negative
// CHECK-NEXT: %4: exact, not negative
// CHECK-NEXT: %5: may wrap, not negative unless it wraps
// CHECK-NEXT: %6: may wrap, not negative unless it wraps
// CHECK-NEXT: %arg1: exact, not negative
// CHECK-NEXT: %7: exact, not negative
// CHECK-NEXT: %8: exact, not negative
tile.kernel @ranges(%n: i32) {
  %zero = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %wide = arith.constant 64 : i64
  %pid = tile.program_id 0
  %first = arith.muli %pid, %c64 : i32
  %number = arith.extsi %pid : i32 to i64
  %far = arith.muli %number, %wide : i64
  %lanes = tile.range 0 to 64 : tensor<64xi32>
  %from = tile.splat %first : i32 -> tensor<64xi32>
  %at = arith.addi %from, %lanes : tensor<64xi32>
  scf.for %i = %zero to %n step %c64 : i32 {
    %block = tile.splat %i : i32 -> tensor<64xi32>
    %sum = arith.addi %block, %lanes : tensor<64xi32>
  }
  tile.return
}

// By their uses: an offset, a mask of an access, also through a loop that carries
// it. A mask that no access has, and bits of an offset, say nothing.
// CHECK-LABEL: tile-print-exact-integers @uses
// CHECK-NEXT: %arg1: exact
// CHECK-NEXT: %arg2: exact
// CHECK-NEXT: %c0_i32: exact, not negative
// CHECK-NEXT: %c7_i32: exact, not negative
// CHECK-NEXT: %0: exact, not negative
// CHECK-NEXT: %1: exact, not negative
// CHECK-NEXT: %2: exact
// CHECK-NEXT: %3: may wrap, not negative unless it wraps
// CHECK-NEXT: %5: may wrap, not negative unless it wraps
// CHECK-NEXT: %6: exact, not negative
// CHECK-NEXT: %11: exact
// CHECK-NEXT: %arg3: exact, not negative
// CHECK-NEXT: %arg4: exact, not negative
// CHECK-NEXT: %14: exact, not negative
tile.kernel @uses(%x: !tile.ptr<f32>, %n: i32, %m: i32) {
  %zero = arith.constant 0 : i32
  %seven = arith.constant 7 : i32
  %pid = tile.program_id 0
  %offset = arith.muli %pid, %seven : i32
  %masked = arith.subi %n, %m : i32
  %compared = arith.addi %pid, %seven : i32
  %unused = arith.cmpi slt, %compared, %m : i32
  %taken = arith.addi %pid, %pid : i32
  %bits = arith.andi %taken, %seven : i32
  %on = arith.cmpi slt, %masked, %m : i32
  %p = tile.addptr %x, %offset : !tile.ptr<f32>, i32
  %q = tile.addptr %p, %bits : !tile.ptr<f32>, i32
  %v = tile.load %q mask %on : !tile.ptr<f32> mask i1 -> f32
  %end = scf.for %i = %zero to %n step %seven iter_args(%k = %zero) -> (i32) : i32 {
    %r = tile.addptr %x, %k : !tile.ptr<f32>, i32
    %w = tile.load %r : !tile.ptr<f32> -> f32
    %next = arith.addi %k, %seven : i32
    scf.yield %next : i32
  }
  tile.return
}
