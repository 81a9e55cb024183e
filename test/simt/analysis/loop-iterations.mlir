// Which loads of a loop may go ahead of earlier iterations, and with what.
// RUN: tz-opt %s --simt-print-loop-iterations -o /dev/null | FileCheck %s

// By the counter; by what the loop carries; by what was loaded, which may go
// ahead as well; of what the loop writes: not.
// CHECK-LABEL: simt-print-loop-iterations @loads
// CHECK-NEXT: scf.for %0: counts iterations
// CHECK-NEXT: tile.load %2: may go ahead with 1 ops, carried []
// CHECK-NEXT: tile.load %3: may go ahead with 1 ops, carried [0]
// CHECK-NEXT: tile.load %5: may go ahead with 1 ops, carried []
// CHECK-NEXT: tile.load %7: may go ahead with 3 ops that load, carried []
// CHECK-NEXT: tile.load %9: may go ahead, but its address may not
// CHECK-NEXT: tile.load %10: must stay
tile.kernel @loads(%x: !tile.ptr<f32>, %i: !tile.ptr<i32>, %y: !tile.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %k = %c0 to %n step %c1 iter_args(%p = %x) -> (!tile.ptr<f32>) : i32 {
    %at = tile.addptr %x, %k : !tile.ptr<f32>, i32
    %a = tile.load %at {group = 1 : i64} : !tile.ptr<f32> -> f32
    %b = tile.load %p {group = 1 : i64} : !tile.ptr<f32> -> f32
    %which = tile.addptr %i, %k : !tile.ptr<i32>, i32
    %index = tile.load %which {group = 2 : i64} : !tile.ptr<i32> -> i32
    %far = tile.addptr %x, %index : !tile.ptr<f32>, i32
    %c = tile.load %far {group = 1 : i64} : !tile.ptr<f32> -> f32
    %both = tile.addptr %p, %index : !tile.ptr<f32>, i32
    %d = tile.load %both {group = 1 : i64} : !tile.ptr<f32> -> f32
    %e = tile.load %y {group = 3 : i64} : !tile.ptr<f32> -> f32
    tile.store %y, %a {group = 3 : i64} : !tile.ptr<f32>, f32
    %next = tile.addptr %p, %c1 : !tile.ptr<f32>, i32
    scf.yield %next : !tile.ptr<f32>
  }
  tile.return
}

// A store that is not traced to an argument may be of anything; an iteration that
// may end the program lets nothing go ahead; nor does a volatile load.
// CHECK-LABEL: simt-print-loop-iterations @stay
// CHECK-NEXT: scf.for: counts iterations
// CHECK-NEXT: tile.load %0: must stay
// CHECK-NEXT: tile.load %1: must stay
// CHECK-NEXT: scf.for: counts iterations
// CHECK-NEXT: tile.load %0: must stay
// CHECK-NEXT: scf.for: counts iterations
// CHECK-NEXT: tile.load %0: must stay
tile.kernel @stay(%x: !tile.ptr<f32>, %table: !tile.ptr<!tile.ptr<f32>>, %n: i32, %v: f32, %on: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %k = %c0 to %n step %c1 : i32 {
    %a = tile.load %x {group = 1 : i64} : !tile.ptr<f32> -> f32
    %to = tile.load %table {group = 2 : i64} : !tile.ptr<!tile.ptr<f32>> -> !tile.ptr<f32>
    tile.store %to, %v : !tile.ptr<f32>, f32
  }
  scf.for %k = %c0 to %n step %c1 : i32 {
    %a = tile.load %x {group = 1 : i64} : !tile.ptr<f32> -> f32
    tile.assert %on, "on" : i1
  }
  scf.for %k = %c0 to %n step %c1 : i32 {
    %a = tile.load %x {group = 1 : i64, isVolatile} : !tile.ptr<f32> -> f32
  }
  tile.return
}

// Counted: 32 bits by any step, 64 bits by a small constant.
// CHECK-LABEL: simt-print-loop-iterations @counters
// CHECK-NEXT: scf.for: counts iterations
// CHECK-NEXT: scf.for: counts iterations
// CHECK-NEXT: scf.for: iterations are not counted
// CHECK-NEXT: scf.for: iterations are not counted
tile.kernel @counters(%n: i32, %m: i64, %step: i64) {
  %c0 = arith.constant 0 : i32
  %w0 = arith.constant 0 : i64
  %w8 = arith.constant 8 : i64
  %far = arith.constant 4294967296 : i64
  scf.for %k = %c0 to %n step %n : i32 {
  }
  scf.for %k = %w0 to %m step %w8 : i64 {
  }
  scf.for %k = %w0 to %m step %far : i64 {
  }
  scf.for %k = %w0 to %m step %step : i64 {
  }
  tile.return
}
