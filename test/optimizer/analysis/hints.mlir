// Ranges and divisors of integers and pointers: what each op makes of its operands'.
// RUN: tz-opt %s --tile-print-hints -o /dev/null | FileCheck %s

// CHECK-LABEL: tile-print-hints @sources
// CHECK-NEXT: %arg0: range any, divisor 16
// CHECK-NEXT: %arg1: range any, divisor 8
// CHECK-NEXT: %arg2: range any, divisor 1
// CHECK-NEXT: %c12_i32: range [12, 12], divisor 12
// CHECK-NEXT: %c-6_i32: range [-6, -6], divisor 6
// CHECK-NEXT: %c0_i32: range [0, 0], divisor 0
// CHECK-NEXT: %0: range [0, 2147483647], divisor 1
// CHECK-NEXT: %1: range [1, 2147483647], divisor 1
// CHECK-NEXT: %2: range [4, 19], divisor 1
// CHECK-NEXT: %3: range any, divisor 16
tile.kernel @sources(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 8 : i32}, %b: i1, %f: f32) {
  %c12 = arith.constant 12 : i32
  %minus = arith.constant -6 : i32
  %zero = arith.constant 0 : i32
  %pid = tile.program_id 0
  %count = tile.num_programs 0
  %lanes = tile.range 4 to 20 : tensor<16xi32>
  %at = tile.addptr %x, %n : !tile.ptr<f32>, i32
  tile.return
}

// CHECK-LABEL: tile-print-hints @arithmetic
// CHECK-NEXT: %arg0: range any, divisor 16
// CHECK-NEXT: %arg1: range any, divisor 1
// CHECK-NEXT: %c64_i32: range [64, 64], divisor 64
// CHECK-NEXT: %0: range [0, 2147483647], divisor 1
// CHECK-NEXT: %1: range any, divisor 64
// CHECK-NEXT: %2: range [0, 2147483647], divisor 1
// CHECK-NEXT: %c64_i64: range [64, 64], divisor 64
// CHECK-NEXT: %3: range [0, 137438953408], divisor 64
// CHECK-NEXT: %4: range [0, 63], divisor 1
// CHECK-NEXT: %5: range [0, 0], divisor 1
// CHECK-NEXT: %6: range [64, 127], divisor 1
// CHECK-NEXT: %7: range any, divisor 16
// CHECK-NEXT: %8: range [-2147483648, 64], divisor 16
tile.kernel @arithmetic(%n: i32 {tile.divisibility = 16 : i32}, %m: i32) {
  %c64 = arith.constant 64 : i32
  %pid = tile.program_id 0
  %base = arith.muli %pid, %c64 : i32
  %wide = arith.extsi %pid : i32 to i64
  %k = arith.constant 64 : i64
  %exact = arith.muli %wide, %k : i64
  %rest = tile.remsi %pid, %c64 : i32
  %part = tile.divsi %rest, %c64 : i32
  %sum = arith.addi %rest, %c64 : i32
  %difference = arith.subi %n, %c64 : i32
  %least = tile.minsi %n, %c64 : i32
  tile.return
}

// CHECK-LABEL: tile-print-hints @assumed
// CHECK-NEXT: %arg0: range [1, 100], divisor 1
// CHECK-NEXT: %arg1: range any, divisor 1
// CHECK-NEXT: %c0_i32: range [0, 0], divisor 0
// CHECK-NEXT: %c100_i32: range [100, 100], divisor 100
// CHECK-NEXT: %0: range any, divisor 1
// CHECK-NEXT: %1: range any, divisor 1
// CHECK-NEXT: %2: range any, divisor 1
// CHECK-NEXT: %3: range [2, 200], divisor 1
tile.kernel @assumed(%n: i32, %m: i32) {
  %zero = arith.constant 0 : i32
  %c100 = arith.constant 100 : i32
  %some = arith.cmpi sgt, %n, %zero : i32
  %few = arith.cmpi sle, %n, %c100 : i32
  %both = arith.andi %some, %few : i1
  tile.assume %both
  %twice = arith.addi %n, %n : i32
  tile.return
}

// CHECK-LABEL: tile-print-hints @loop
// CHECK-NEXT: %arg0: range any, divisor 1
// CHECK-NEXT: %arg1: range any, divisor 32
// CHECK-NEXT: %c0_i32: range [0, 0], divisor 0
// CHECK-NEXT: %c16_i32: range [16, 16], divisor 16
// CHECK-NEXT: %c256_i32: range [256, 256], divisor 256
// CHECK-NEXT: %0: range any, divisor 16
// CHECK-NEXT: %arg2: range [0, 240], divisor 16
// CHECK-NEXT: %arg3: range any, divisor 16
// CHECK-NEXT: %1: range any, divisor 16
tile.kernel @loop(%n: i32, %start: i32 {tile.divisibility = 32 : i32}) {
  %zero = arith.constant 0 : i32
  %step = arith.constant 16 : i32
  %end = arith.constant 256 : i32
  %sum = scf.for %i = %zero to %end step %step iter_args(%at = %start) -> (i32) : i32 {
    %next = arith.addi %at, %step : i32
    scf.yield %next : i32
  }
  tile.return
}

// A true bit is all ones where it is widened as a signed number. Unsigned
// quotients and remainders by what is known to be above 1 are not negative,
// whatever the sign bit. By zero a negative number gives anything.
// CHECK-LABEL: tile-print-hints @widths
// CHECK-NEXT: %arg0: range any, divisor 1
// CHECK-NEXT: %arg1: range any, divisor 12
// CHECK-NEXT: %c1_i32: range [1, 1], divisor 1
// CHECK-NEXT: %c6_i32: range [6, 6], divisor 6
// CHECK-NEXT: %0: range [-1, 0], divisor 1
// CHECK-NEXT: %1: range [0, 1], divisor 1
// CHECK-NEXT: %2: range any, divisor 4
// CHECK-NEXT: %3: range [0, 715827882], divisor 1
// CHECK-NEXT: %4: range [0, 5], divisor 2
// CHECK-NEXT: %5: range [-5, 5], divisor 6
// CHECK-NEXT: %6: range [0, 2147483647], divisor 1
// CHECK-NEXT: %7: range [-2147483648, 6], divisor 6
// CHECK-NEXT: %8: range any, divisor 1
tile.kernel @widths(%bit: i1, %n: i32 {tile.divisibility = 12 : i64}) {
  %c1 = arith.constant 1 : i32
  %c6 = arith.constant 6 : i32
  %signed = arith.extsi %bit : i1 to i32
  %unsigned = arith.extui %bit : i1 to i32
  %same = tile.divui %n, %c1 : i32
  %part = tile.divui %n, %c6 : i32
  %rest = tile.remui %n, %c6 : i32
  %signed_rest = tile.remsi %n, %c6 : i32
  %pid = tile.program_id 0
  %least = tile.minsi %n, %c6 : i32
  %any = tile.divsi %least, %pid : i32
  tile.return
}

// What is counted by threes is none of them behind the sign bit.
// CHECK-LABEL: tile-print-hints @unsigned_loop
// CHECK-NEXT: %arg0: range any, divisor 1
// CHECK-NEXT: %c0_i32: range [0, 0], divisor 0
// CHECK-NEXT: %c12_i32: range [12, 12], divisor 12
// CHECK-NEXT: %arg1: range any, divisor 4
// CHECK-NEXT: %arg1: range [0, 2147483640], divisor 12
tile.kernel @unsigned_loop(%n: i32) {
  %zero = arith.constant 0 : i32
  %step = arith.constant 12 : i32
  scf.for unsigned %i = %zero to %n step %step : i32 {
  }
  scf.for %i = %zero to %n step %step : i32 {
  }
  tile.return
}

// Branches in branches: what all of them give.
// CHECK-LABEL: tile-print-hints @nested_branches
// CHECK: %[[CHOSEN:.*]]#0: range any, divisor 8
// CHECK-NEXT: %[[CHOSEN]]#1: range any, divisor 16
// CHECK: range any, divisor 8
tile.kernel @nested_branches(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i64},
                             %m: i32 {tile.divisibility = 8 : i64}, %n: i32 {tile.divisibility = 24 : i64}) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %id = tile.program_id 0
  %isFirst = arith.cmpi eq, %id, %zero : i32
  %chosen:2 = scf.if %isFirst -> (i32, !tile.ptr<f16>) {
    scf.yield %m, %a : i32, !tile.ptr<f16>
  } else {
    %isSecond = arith.cmpi eq, %id, %one : i32
    %inner:2 = scf.if %isSecond -> (i32, !tile.ptr<f16>) {
      scf.yield %n, %b : i32, !tile.ptr<f16>
    } else {
      scf.yield %m, %b : i32, !tile.ptr<f16>
    }
    scf.yield %inner#0, %inner#1 : i32, !tile.ptr<f16>
  }
  %both = arith.addi %chosen#0, %m : i32
  tile.return
}

// A quotient keeps what is left of its dividend's divisor. Zero bits are zero in
// what is masked, and go away with a shift.
// CHECK-LABEL: tile-print-hints @quotients
// CHECK: %[[COLUMN:.*]]: range any, divisor 4096
// CHECK-NEXT: %{{.*}}: range {{.*}}, divisor 512
// CHECK-NEXT: %{{.*}}: range {{.*}}, divisor 1
// CHECK-NEXT: %{{.*}}: range {{.*}}, divisor 512
// CHECK-NEXT: %{{.*}}: range [0, 48], divisor 16
tile.kernel @quotients(%n: i32) {
  %c3 = arith.constant 3 : i32
  %c8 = arith.constant 8 : i32
  %mask = arith.constant 48 : i32
  %many = arith.constant 4096 : i32
  %column = arith.muli %n, %many : i32
  %part = tile.divsi %column, %c8 : i32
  %third = tile.divsi %column, %c3 : i32
  %shifted = tile.shrsi %column, %c3 : i32
  %masked = arith.andi %n, %mask : i32
  tile.return
}
