// Quotients and remainders of what is not negative become unsigned.
// RUN: tz-opt %s --tile-unsigned-divisions --split-input-file | FileCheck %s
// RUN: tz-opt %s --tile-unsigned-divisions --split-input-file -mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS
// RUN: tz-opt %s --tile-unsigned-divisions --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// STATS: tile-unsigned-divisions
// STATS: 9  divisions

// A mask is made of the dividend, so it does not wrap.
// CHECK-LABEL: @example
// CHECK: tile.remui
// CHECK: tile.divui
// CHECK-NOT: tile.{{(div|rem)}}si
tile.kernel @example(%x: !tile.ptr<f32>, %n: i32) {
  %c64 = arith.constant 64 : i32
  %width = arith.constant dense<24> : tensor<64xi32>
  %pid = tile.program_id 0
  %first = arith.muli %pid, %c64 : i32
  %lanes = tile.range 0 to 64 : tensor<64xi32>
  %from = tile.splat %first : i32 -> tensor<64xi32>
  %at = arith.addi %from, %lanes : tensor<64xi32>
  %limit = tile.splat %n : i32 -> tensor<64xi32>
  %inside = arith.cmpi slt, %at, %limit : tensor<64xi32>
  %column = tile.remsi %at, %width : tensor<64xi32>
  %row = tile.divsi %at, %width : tensor<64xi32>
  %sum = arith.addi %column, %row : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %p = tile.addptr %xs, %sum : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.load %p mask %inside : tensor<64x!tile.ptr<f32>> mask tensor<64xi1> -> tensor<64xf32>
  tile.return
}

// -----
// Of the same dividend without a mask nothing is known: programs behind the
// 2^25th have negative numbers, and their remainders are negative. A remark says
// so.
// CHECK-LABEL: @wraps
// CHECK: tile.remsi
// REMARK: remark: the dividend is negative where it wraps
tile.kernel @wraps(%x: !tile.ptr<f32>) {
  %c64 = arith.constant 64 : i32
  %width = arith.constant dense<24> : tensor<64xi32>
  %pid = tile.program_id 0
  %first = arith.muli %pid, %c64 : i32
  %lanes = tile.range 0 to 64 : tensor<64xi32>
  %from = tile.splat %first : i32 -> tensor<64xi32>
  %at = arith.addi %from, %lanes : tensor<64xi32>
  %column = tile.remsi %at, %width : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %p = tile.addptr %xs, %column : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.load %p : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  tile.return
}

// -----
// By their ranges: lanes, a program's number, what an assumption says, 64 bits
// that hold the product; and what of these is divided once more.
// CHECK-LABEL: @ranges
// CHECK-COUNT-6: tile.{{(div|rem)}}ui
// CHECK-NOT: tile.{{(div|rem)}}si
tile.kernel @ranges(%n: i32) {
  %zero = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %wide = arith.constant 1024 : i64
  %eight = arith.constant dense<8> : tensor<64xi32>
  %known = arith.cmpi sge, %n, %zero : i32
  tile.assume %known
  %lanes = tile.range 0 to 64 : tensor<64xi32>
  %a = tile.remsi %lanes, %eight : tensor<64xi32>
  %pid = tile.program_id 0
  %b = tile.divsi %pid, %c8 : i32
  %c = tile.remsi %n, %c8 : i32
  %number = arith.extsi %pid : i32 to i64
  %first = arith.muli %number, %wide : i64
  %d = tile.divsi %first, %wide : i64
  %e = tile.remsi %b, %c8 : i32
  %f = tile.divsi %e, %c8 : i32
  tile.return
}

// -----
// A sum of lanes and a multiple of more than there are does not wrap. (Of its
// product that is not known.)
// CHECK-LABEL: @blocks
// CHECK: tile.remui
tile.kernel @blocks(%n: i32) {
  %zero = arith.constant 0 : i32
  %step = arith.constant 64 : i32
  %eight = arith.constant dense<8> : tensor<64xi32>
  %lanes = tile.range 0 to 64 : tensor<64xi32>
  scf.for %i = %zero to %n step %step : i32 {
    %from = tile.splat %i : i32 -> tensor<64xi32>
    %at = arith.addi %from, %lanes : tensor<64xi32>
    %a = tile.remsi %at, %eight : tensor<64xi32>
  }
  tile.return
}

// -----
// It stays signed: what may be negative, a divisor that may be negative or zero,
// bits that are taken out of what wraps, what a loop takes off, a mask of one
// array and the sum of another.
// CHECK-LABEL: @signed
// CHECK-COUNT-6: tile.{{(div|rem)}}si
// CHECK-NOT: tile.{{(div|rem)}}ui
tile.kernel @signed(%x: !tile.ptr<f32>, %n: i32, %m: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %eight = arith.constant dense<8> : tensor<64xi32>
  %lanes = tile.range 0 to 64 : tensor<64xi32>
  %pid = tile.program_id 0
  %a = tile.divsi %n, %c8 : i32
  %b = tile.remsi %pid, %n : i32
  %less = arith.subi %lanes, %eight : tensor<64xi32>
  %c = tile.remsi %less, %eight : tensor<64xi32>
  %first = arith.muli %pid, %c8 : i32
  %bits = arith.andi %first, %n : i32
  %to = tile.addptr %x, %bits : !tile.ptr<f32>, i32
  %v = tile.load %to : !tile.ptr<f32> -> f32
  %d = tile.remsi %first, %c8 : i32
  %rest = scf.for %i = %zero to %n step %one iter_args(%r = %c8) -> (i32) : i32 {
    %e = tile.divsi %r, %c8 : i32
    %next = arith.subi %r, %one : i32
    scf.yield %next : i32
  }
  %from = tile.splat %first : i32 -> tensor<64xi32>
  %at = arith.addi %from, %lanes : tensor<64xi32>
  %limit = tile.splat %m : i32 -> tensor<64xi32>
  %inside = arith.cmpi slt, %lanes, %limit : tensor<64xi32>
  %f = tile.remsi %at, %eight : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %p = tile.addptr %xs, %f : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %w = tile.load %p mask %inside : tensor<64x!tile.ptr<f32>> mask tensor<64xi1> -> tensor<64xf32>
  tile.return
}
