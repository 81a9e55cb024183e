// Tiles as formulas of their lane indices, and what has no formula.
// RUN: tz-opt %s --tile-print-lane-forms -o /dev/null | FileCheck %s

// The offsets and addresses of a tile of a matrix.
// CHECK-LABEL: tile-print-lane-forms @matrix
// CHECK-NEXT: %arg0: base %arg0, start 0
// CHECK-NEXT: %arg1: start %arg1
// CHECK-NEXT: %c64_i32: start 64
// CHECK-NEXT: %0: start %0
// CHECK-NEXT: %1: start 64*%0
// CHECK-NEXT: %2: start 0, lanes [1]
// CHECK-NEXT: %3: start 64*%0, lanes [0]
// CHECK-NEXT: %4: start 64*%0, lanes [1]
// CHECK-NEXT: %5: start 64*%0, lanes [1, 0]
// CHECK-NEXT: %6: start %arg1, lanes [0, 0]
// CHECK-NEXT: %7: start 64*%0*%arg1, lanes [%arg1, 0]
// CHECK-NEXT: %8: start 64*%0*%arg1, lanes [%arg1, 0]
// CHECK-NEXT: %9: start 3, lanes [1]
// CHECK-NEXT: %10: start 3, lanes [0, 1]
// CHECK-NEXT: %11: start 3, lanes [0, 1]
// CHECK-NEXT: %12: start 3 + 64*%0*%arg1, lanes [%arg1, 1]
// CHECK-NEXT: %13: base %arg0, start 0, lanes [0, 0]
// CHECK-NEXT: %14: base %arg0, start 3 + 64*%0*%arg1, lanes [%arg1, 1]
tile.kernel @matrix(%x: !tile.ptr<f32>, %stride: i32) {
  %c64 = arith.constant 64 : i32
  %pid = tile.program_id 0
  %first = arith.muli %pid, %c64 : i32
  %rows = tile.range 0 to 64 : tensor<64xi32>
  %from = tile.splat %first : i32 -> tensor<64xi32>
  %at = arith.addi %from, %rows : tensor<64xi32>
  %column = tile.reshape %at : tensor<64xi32> -> tensor<64x1xi32>
  %wide = tile.splat %stride : i32 -> tensor<64x1xi32>
  %scaled = arith.muli %column, %wide : tensor<64x1xi32>
  %all = tile.broadcast %scaled : tensor<64x1xi32> -> tensor<64x16xi32>
  %lanes = tile.range 3 to 19 : tensor<16xi32>
  %row = tile.reshape %lanes : tensor<16xi32> -> tensor<1x16xi32>
  %each = tile.broadcast %row : tensor<1x16xi32> -> tensor<64x16xi32>
  %offsets = arith.addi %all, %each : tensor<64x16xi32>
  %base = tile.splat %x : !tile.ptr<f32> -> tensor<64x16x!tile.ptr<f32>>
  %pointers = tile.addptr %base, %offsets : tensor<64x16x!tile.ptr<f32>>, tensor<64x16xi32>
  tile.return
}

// A product of two that vary, a division and lanes that are regrouped have no
// form; scalars have one always.
// CHECK-LABEL: tile-print-lane-forms @no_form
// CHECK-NEXT: %arg0: start %arg0
// CHECK-NEXT: %c4_i32: start 4
// CHECK-NEXT: %0: start 0, lanes [1]
// CHECK-NEXT: %cst: start 4, lanes [0]
// CHECK-NEXT: %4: start 4, lanes [0, 0]
// CHECK-NEXT: %5: start %5
// CHECK-NEXT: %6: start 2*%5
tile.kernel @no_form(%n: i32) {
  %c4 = arith.constant 4 : i32
  %rows = tile.range 0 to 64 : tensor<64xi32>
  %square = arith.muli %rows, %rows : tensor<64xi32>
  %fours = arith.constant dense<4> : tensor<64xi32>
  %quarter = tile.divsi %rows, %fours : tensor<64xi32>
  %grouped = tile.reshape %rows : tensor<64xi32> -> tensor<8x8xi32>
  %same = tile.reshape %fours : tensor<64xi32> -> tensor<8x8xi32>
  %part = tile.divsi %n, %c4 : i32
  %more = arith.addi %part, %part : i32
  tile.return
}

// Remainders, minima and selects fold the lanes at their limit.
// CHECK-LABEL: tile-print-lane-forms @folds
// CHECK-NEXT: %arg0: start %arg0
// CHECK-NEXT: %c64_i32: start 64
// CHECK-NEXT: %0: start %0
// CHECK-NEXT: %1: start 64*%0
// CHECK-NEXT: %2: start 0, lanes [1]
// CHECK-NEXT: %3: start 64*%0, lanes [0]
// CHECK-NEXT: %4: start 64*%0, lanes [1]
// CHECK-NEXT: %5: start %arg0, lanes [0]
// CHECK-NEXT: %cst: start 0, lanes [0]
// CHECK-NEXT: %6: start 64*%0, lanes [1], fold of dim 0 from 64*%0 at %arg0 if not negative
// CHECK-NEXT: %7: start 64*%0, lanes [1], fold of dim 0 from 64*%0 at 1 + %arg0
// CHECK-NEXT: %9: start 64*%0, lanes [1], fold of dim 0 from 64*%0 at %arg0
// CHECK-NEXT: %10: start 128*%0, lanes [2], fold of dim 0 from 64*%0 at %arg0 if not negative
tile.kernel @folds(%n: i32) {
  %c64 = arith.constant 64 : i32
  %pid = tile.program_id 0
  %first = arith.muli %pid, %c64 : i32
  %rows = tile.range 0 to 64 : tensor<64xi32>
  %from = tile.splat %first : i32 -> tensor<64xi32>
  %at = arith.addi %from, %rows : tensor<64xi32>
  %limit = tile.splat %n : i32 -> tensor<64xi32>
  %zero = arith.constant dense<0> : tensor<64xi32>
  %wrapped = tile.remsi %at, %limit : tensor<64xi32>
  %least = tile.minsi %at, %limit : tensor<64xi32>
  %inside = arith.cmpi slt, %at, %limit : tensor<64xi32>
  %chosen = arith.select %inside, %at, %zero : tensor<64xi1>, tensor<64xi32>
  %doubled = arith.addi %wrapped, %wrapped : tensor<64xi32>
  tile.return
}

// What loops carry: by the counter where the increment is a multiple of the
// step, by a counter of iterations that the analysis adds where it is not.
// CHECK-LABEL: tile-print-lane-forms @loops
// CHECK-NEXT: %arg0: base %arg0, start 0
// CHECK-NEXT: %arg1: start %arg1
// CHECK-NEXT: %arg2: start %arg2
// CHECK-NEXT: %c0_i32: start 0
// CHECK-NEXT: %c16_i32: start 16
// CHECK-NEXT: %c32_i32: start 32
// CHECK-NEXT: %0: base %0, start 0
// CHECK-NEXT: %arg3: start %arg3
// CHECK-NEXT: %arg4: base %arg0, start 2*%arg3
// CHECK-NEXT: %2: base %arg0, start 32 + 2*%arg3
// CHECK-NEXT: %1: base %1, start 0
// CHECK-NEXT: %arg3: start %arg3
// CHECK-NEXT: %arg4: base %arg0, start 32*%3
// CHECK-NEXT: %2: start %arg3
// CHECK-NEXT: %3: start %3
// CHECK-NEXT: %4: base %arg0, start 32 + 32*%3
tile.kernel @loops(%x: !tile.ptr<f32>, %n: i32, %step: i32) {
  %zero = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %c32 = arith.constant 32 : i32
  %p = scf.for %i = %zero to %n step %c16 iter_args(%at = %x) -> (!tile.ptr<f32>) : i32 {
    %next = tile.addptr %at, %c32 : !tile.ptr<f32>, i32
    scf.yield %next : !tile.ptr<f32>
  }
  %q = scf.for %i = %zero to %n step %step iter_args(%at = %x) -> (!tile.ptr<f32>) : i32 {
    %next = tile.addptr %at, %c32 : !tile.ptr<f32>, i32
    scf.yield %next : !tile.ptr<f32>
  }
  tile.return
}

// Views that move.
// CHECK-LABEL: tile-print-lane-forms @views
// CHECK-NEXT: %arg0: base %arg0, start 0
// CHECK-NEXT: %arg1: start %arg1
// CHECK-NEXT: %arg2: start %arg2
// CHECK-NEXT: %c1_i64: start 1
// CHECK-NEXT: %c0_i64: start 0
// CHECK-NEXT: %c16_i64: start 16
// CHECK-NEXT: %0: view %0, position [0, 0]
// CHECK-NEXT: %1: view %0, position [0, 16]
// CHECK-NEXT: %arg3: start %arg3
// CHECK-NEXT: %arg4: view %0, position [%arg3, 16]
// CHECK-NEXT: %3: view %0, position [16 + %arg3, 16]
tile.kernel @views(%x: !tile.ptr<f32>, %n: i64, %stride: i64) {
  %c1 = arith.constant 1 : i64
  %zero = arith.constant 0 : i64
  %c16 = arith.constant 16 : i64
  %view = tile.make_view %x shape [%n, %n] strides [%stride, %c1] : !tile.ptr<f32> -> !tile.view<16x16xf32>
  %moved = tile.advance_view %view [%zero, %c16] : !tile.view<16x16xf32>
  %last = scf.for %i = %zero to %n step %c16 iter_args(%at = %moved) -> (!tile.view<16x16xf32>) : i64 {
    %next = tile.advance_view %at [%c16, %zero] : !tile.view<16x16xf32>
    scf.yield %next : !tile.view<16x16xf32>
  }
  tile.return
}

// A sum that something is assumed of stays one scalar.
// CHECK-LABEL: tile-print-lane-forms @assumed
// CHECK-NEXT: %arg0: start %arg0
// CHECK-NEXT: %arg1: start %arg1
// CHECK-NEXT: %c0_i32: start 0
// CHECK-NEXT: %0: start %0
// CHECK-NEXT: %2: start %0 + %arg1
tile.kernel @assumed(%n: i32, %m: i32) {
  %zero = arith.constant 0 : i32
  %sum = arith.addi %n, %m : i32
  %positive = arith.cmpi sgt, %sum, %zero : i32
  tile.assume %positive
  %next = arith.addi %sum, %m : i32
  tile.return
}

// From a negative bound on, the distance to it may pass the largest signed
// number: iterations are counted by the unsigned one, in 64 bits.
// CHECK-LABEL: tile-print-lane-forms @far
// CHECK: %arg4: base %arg0, start 3*%3
// CHECK-NEXT: %1: start -1*%arg1 + %arg3
// CHECK-NEXT: %2: start %2
// CHECK-NEXT: %3: start %3
tile.kernel @far(%x: !tile.ptr<f32>, %low: i32, %high: i32) {
  %c5 = arith.constant 5 : i32
  %c3 = arith.constant 3 : i32
  scf.for %i = %low to %high step %c5 iter_args(%p = %x) -> (!tile.ptr<f32>) : i32 {
    %next = tile.addptr %p, %c3 : !tile.ptr<f32>, i32
    scf.yield %next : !tile.ptr<f32>
  }
  tile.return
}
