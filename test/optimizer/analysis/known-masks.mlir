// When comparisons are true in all lanes: where formulas are not negative, and in
// which iterations of a loop.
// RUN: tz-opt %s --tile-print-known-masks -o /dev/null | FileCheck %s

// The last lane decides, and the first one must not have wrapped.
// CHECK-LABEL: tile-print-known-masks @vector
// CHECK-NEXT: arith.cmpi %6: true where [-64 + -64*%0 + %arg0, 64*%0] >= 0
// CHECK-NEXT: arith.cmpi %7: true where [-63 + -64*%0 + %arg0, 64*%0] >= 0
// CHECK-NEXT: arith.cmpi %8: true where [-64 + -64*%0 + %arg0, 64*%0] >= 0
tile.kernel @vector(%n: i32) {
  %c64 = arith.constant 64 : i32
  %pid = tile.program_id 0
  %first = arith.muli %pid, %c64 : i32
  %rows = tile.range 0 to 64 : tensor<64xi32>
  %from = tile.splat %first : i32 -> tensor<64xi32>
  %at = arith.addi %from, %rows : tensor<64xi32>
  %limit = tile.splat %n : i32 -> tensor<64xi32>
  %less = arith.cmpi slt, %at, %limit : tensor<64xi32>
  %most = arith.cmpi sle, %at, %limit : tensor<64xi32>
  %greater = arith.cmpi sgt, %limit, %at : tensor<64xi32>
  tile.return
}

// Nothing is said of these: an unsigned comparison, one for equality, a bound
// that may have wrapped, and what was widened after it may have wrapped.
// CHECK-LABEL: tile-print-known-masks @unknown
tile.kernel @unknown(%n: i32, %m: i64) {
  %c64 = arith.constant 64 : i32
  %c1 = arith.constant 1 : i32
  %pid = tile.program_id 0
  %first = arith.muli %pid, %c64 : i32
  %rows = tile.range 0 to 64 : tensor<64xi32>
  %from = tile.splat %first : i32 -> tensor<64xi32>
  %at = arith.addi %from, %rows : tensor<64xi32>
  %limit = tile.splat %n : i32 -> tensor<64xi32>
  %unsigned = arith.cmpi ult, %at, %limit : tensor<64xi32>
  %equal = arith.cmpi eq, %at, %limit : tensor<64xi32>
  %more = arith.addi %n, %c1 : i32
  %wrapping = tile.splat %more : i32 -> tensor<64xi32>
  %bound = arith.cmpi slt, %at, %wrapping : tensor<64xi32>
  %wide = arith.extsi %at : tensor<64xi32> to tensor<64xi64>
  %far = tile.splat %m : i64 -> tensor<64xi64>
  %late = arith.cmpi slt, %wide, %far : tensor<64xi64>
  tile.return
}

// What is widened first does not wrap on the way.
// CHECK-LABEL: tile-print-known-masks @widened
// CHECK-NEXT: arith.cmpi %8: true where [-64 + -64*%0 + %arg0, 64*%0] >= 0
tile.kernel @widened(%m: i64) {
  %c64 = arith.constant 64 : i64
  %pid = tile.program_id 0
  %number = arith.extsi %pid : i32 to i64
  %first = arith.muli %number, %c64 : i64
  %rows = tile.range 0 to 64 : tensor<64xi32>
  %lanes = arith.extsi %rows : tensor<64xi32> to tensor<64xi64>
  %from = tile.splat %first : i64 -> tensor<64xi64>
  %at = arith.addi %from, %lanes : tensor<64xi64>
  %far = tile.splat %m : i64 -> tensor<64xi64>
  %less = arith.cmpi slt, %at, %far : tensor<64xi64>
  tile.return
}

// Where lanes fall, the first one is the largest, and the last one may be
// negative: it may be that it wrapped.
// CHECK-LABEL: tile-print-known-masks @falling
// CHECK-NEXT: arith.cmpi %4: true where [-1 + -1*%arg1 + %arg0, -63 + %arg1] >= 0
tile.kernel @falling(%n: i32, %m: i32) {
  %rows = tile.range 0 to 64 : tensor<64xi32>
  %from = tile.splat %m : i32 -> tensor<64xi32>
  %at = arith.subi %from, %rows : tensor<64xi32>
  %limit = tile.splat %n : i32 -> tensor<64xi32>
  %less = arith.cmpi slt, %at, %limit : tensor<64xi32>
  tile.return
}

// Rows against columns: the first row against the last column.
// CHECK-LABEL: tile-print-known-masks @causal
// CHECK-NEXT: arith.cmpi %6: true where [-47] >= 0
tile.kernel @causal(%n: i32) {
  %rows = tile.range 0 to 64 : tensor<64xi32>
  %columns = tile.range 16 to 48 : tensor<32xi32>
  %down = tile.reshape %rows : tensor<64xi32> -> tensor<64x1xi32>
  %along = tile.reshape %columns : tensor<32xi32> -> tensor<1x32xi32>
  %r = tile.broadcast %down : tensor<64x1xi32> -> tensor<64x32xi32>
  %c = tile.broadcast %along : tensor<1x32xi32> -> tensor<64x32xi32>
  %before = arith.cmpi sge, %r, %c : tensor<64x32xi32>
  tile.return
}

// Up to an iteration, from one on; and a bound that moves as the lanes do, which
// no iteration decides.
// CHECK-LABEL: tile-print-known-masks @loop
// CHECK-NEXT: scf.for: %4 by -32 + %arg0 + -1*%arg1 slope -1 if [] >= 0; %5 by %arg1 slope 1 if [2147483616 + -1*%arg0] >= 0
// CHECK-NEXT: arith.cmpi %4: true where [-32 + %arg0 + -1*%arg1, %arg1] >= 0
tile.kernel @loop(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %lanes = tile.range 0 to 32 : tensor<32xi32>
  %limit = tile.splat %n : i32 -> tensor<32xi32>
  scf.for %k = %c0 to %n step %c32 : i32 {
    %from = tile.splat %k : i32 -> tensor<32xi32>
    %at = arith.addi %from, %lanes : tensor<32xi32>
    %upto = arith.cmpi slt, %at, %limit : tensor<32xi32>
    %behind = arith.cmpi sge, %at, %lanes : tensor<32xi32>
    %never = arith.cmpi slt, %from, %at : tensor<32xi32>
  }
  tile.return
}

// Sums and bounds that may leave their type ask that they do not: of %k + %m the
// least, of %m + %n the greatest.
// CHECK-LABEL: tile-print-known-masks @sums
// CHECK-NEXT: scf.for: %6 by -32 + %arg0 + -1*%arg2 slope -1 if [2147483647 + -1*%arg1 + -1*%arg0] >= 0
tile.kernel @sums(%n: i32, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %lanes = tile.range 0 to 32 : tensor<32xi32>
  %sum = arith.addi %m, %n : i32
  %limit = tile.splat %sum : i32 -> tensor<32xi32>
  scf.for %k = %c0 to %n step %c32 : i32 {
    %first = arith.addi %k, %m : i32
    %from = tile.splat %first : i32 -> tensor<32xi32>
    %at = arith.addi %from, %lanes : tensor<32xi32>
    %upto = arith.cmpi slt, %at, %limit : tensor<32xi32>
  }
  tile.return
}

// A counter that is compared unsigned may be a negative number; 64 bits may wrap
// in the formulas themselves: nothing.
// CHECK-LABEL: tile-print-known-masks @counters
// CHECK-NEXT: arith.cmpi %3: true where [-1 + %arg0 + -1*%arg2] >= 0
// CHECK-NEXT: arith.cmpi %3: true where [-1 + %arg1 + -1*%arg2] >= 0
tile.kernel @counters(%n: i32, %m: i64) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %w0 = arith.constant 0 : i64
  %w32 = arith.constant 32 : i64
  %limit = tile.splat %n : i32 -> tensor<32xi32>
  %far = tile.splat %m : i64 -> tensor<32xi64>
  scf.for unsigned %k = %c0 to %n step %c32 : i32 {
    %from = tile.splat %k : i32 -> tensor<32xi32>
    %upto = arith.cmpi slt, %from, %limit : tensor<32xi32>
  }
  scf.for %k = %w0 to %m step %w32 : i64 {
    %from = tile.splat %k : i64 -> tensor<32xi64>
    %upto = arith.cmpi slt, %from, %far : tensor<32xi64>
  }
  tile.return
}
