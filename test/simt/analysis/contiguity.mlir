// Runs of consecutive and of equal lanes of tiles.
// RUN: tz-opt %s --simt-print-contiguity -o /dev/null | FileCheck %s

// The offsets, mask and pointers of a vector.
// CHECK-LABEL: simt-print-contiguity @vector
// CHECK-NEXT: %2: contiguity [64], constancy [1], divisibility [1073741824]
// CHECK-NEXT: %3: contiguity [1], constancy [64], divisibility [64]
// CHECK-NEXT: %4: contiguity [64], constancy [1], divisibility [64]
// CHECK-NEXT: %5: contiguity [1], constancy [64], divisibility [16]
// CHECK-NEXT: %6: contiguity [1], constancy [16], divisibility [1]
// CHECK-NEXT: %7: contiguity [1], constancy [64], divisibility [1]
// CHECK-NEXT: %8: contiguity [1], constancy [1], divisibility [1]
// CHECK-NEXT: %9: contiguity [1], constancy [64], divisibility [16]
// CHECK-NEXT: %10: contiguity [64], constancy [1], divisibility [16]
// CHECK-NEXT: %11: contiguity [64], constancy [1], divisibility [1]
tile.kernel @vector(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}, %m: i32) {
  %c64 = arith.constant 64 : i32
  %pid = tile.program_id 0
  %first = arith.muli %pid, %c64 : i32
  %rows = tile.range 0 to 64 : tensor<64xi32>
  %from = tile.splat %first : i32 -> tensor<64xi32>
  %at = arith.addi %from, %rows : tensor<64xi32>
  %limit = tile.splat %n : i32 -> tensor<64xi32>
  %mask = arith.cmpi slt, %at, %limit : tensor<64xi32>
  %free = tile.splat %m : i32 -> tensor<64xi32>
  %each = arith.cmpi slt, %at, %free : tensor<64xi32>
  %base = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %pointers = tile.addptr %base, %at : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %moved = arith.addi %at, %free : tensor<64xi32>
  tile.return
}

// Rows and columns of a matrix, and its transpose.
// CHECK-LABEL: simt-print-contiguity @matrix
// CHECK-NEXT: %0: contiguity [32], constancy [1], divisibility [1073741824]
// CHECK-NEXT: %1: contiguity [32, 1], constancy [1, 1], divisibility [1073741824, 1]
// CHECK-NEXT: %2: contiguity [1, 1], constancy [32, 1], divisibility [16, 16]
// CHECK-NEXT: %3: contiguity [1, 1], constancy [1, 1], divisibility [16, 16]
// CHECK-NEXT: %4: contiguity [1, 1], constancy [1, 64], divisibility [16, 16]
// CHECK-NEXT: %5: contiguity [64], constancy [1], divisibility [1073741824]
// CHECK-NEXT: %6: contiguity [1, 64], constancy [1, 1], divisibility [1, 1073741824]
// CHECK-NEXT: %7: contiguity [1, 64], constancy [32, 1], divisibility [1, 1073741824]
// CHECK-NEXT: %8: contiguity [1, 64], constancy [1, 1], divisibility [1, 16]
// CHECK-NEXT: %9: contiguity [1, 1], constancy [32, 64], divisibility [16, 16]
// CHECK-NEXT: %10: contiguity [1, 64], constancy [1, 1], divisibility [2, 16]
// CHECK-NEXT: %11: contiguity [64, 1], constancy [1, 1], divisibility [16, 2]
tile.kernel @matrix(%x: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %stride: i32 {tile.divisibility = 16 : i32}) {
  %rows = tile.range 0 to 32 : tensor<32xi32>
  %column = tile.reshape %rows : tensor<32xi32> -> tensor<32x1xi32>
  %wide = tile.splat %stride : i32 -> tensor<32x1xi32>
  %scaled = arith.muli %column, %wide : tensor<32x1xi32>
  %all = tile.broadcast %scaled : tensor<32x1xi32> -> tensor<32x64xi32>
  %lanes = tile.range 0 to 64 : tensor<64xi32>
  %row = tile.reshape %lanes : tensor<64xi32> -> tensor<1x64xi32>
  %each = tile.broadcast %row : tensor<1x64xi32> -> tensor<32x64xi32>
  %offsets = arith.addi %all, %each : tensor<32x64xi32>
  %base = tile.splat %x : !tile.ptr<f16> -> tensor<32x64x!tile.ptr<f16>>
  %pointers = tile.addptr %base, %offsets : tensor<32x64x!tile.ptr<f16>>, tensor<32x64xi32>
  %turned = tile.transpose %pointers [1, 0] : tensor<32x64x!tile.ptr<f16>> -> tensor<64x32x!tile.ptr<f16>>
  tile.return
}

// Quotients are equal and remainders consecutive as far as the divisor goes.
// CHECK-LABEL: simt-print-contiguity @groups
// CHECK-NEXT: %0: contiguity [64], constancy [1], divisibility [1073741824]
// CHECK-NEXT: %cst: contiguity [1], constancy [64], divisibility [8]
// CHECK-NEXT: %cst_0: contiguity [1], constancy [64], divisibility [2]
// CHECK-NEXT: %1: contiguity [1], constancy [8], divisibility [1]
// CHECK-NEXT: %2: contiguity [8], constancy [1], divisibility [8]
// CHECK-NEXT: %3: contiguity [2], constancy [1], divisibility [2]
// CHECK-NEXT: %4: contiguity [64], constancy [1], divisibility [1]
// CHECK-NEXT: %5: contiguity [1], constancy [1], divisibility [1]
// CHECK-NEXT: %6: contiguity [16], constancy [1], divisibility [16]
tile.kernel @groups() {
  %rows = tile.range 0 to 64 : tensor<64xi32>
  %eight = arith.constant dense<8> : tensor<64xi32>
  %six = arith.constant dense<6> : tensor<64xi32>
  %quotient = tile.divsi %rows, %eight : tensor<64xi32>
  %rest = tile.remsi %rows, %eight : tensor<64xi32>
  %pairs = tile.remsi %rows, %six : tensor<64xi32>
  %odd = tile.range 1 to 65 : tensor<64xi32>
  %moved = tile.remsi %odd, %eight : tensor<64xi32>
  %short = tile.range 0 to 48 : tensor<48xi32>
  tile.return
}

// A loop's tile keeps what both its start and its next value have.
// CHECK-LABEL: simt-print-contiguity @loop
// CHECK-NEXT: %0: contiguity [64], constancy [1], divisibility [1073741824]
// CHECK-NEXT: %cst: contiguity [1], constancy [64], divisibility [16]
// CHECK-NEXT: %1: contiguity [1], constancy [64], divisibility [1]
// CHECK-NEXT: %2: contiguity [64], constancy [1], divisibility [16]
// CHECK-NEXT: %arg4: contiguity [64], constancy [1], divisibility [16]
// CHECK-NEXT: %5: contiguity [64], constancy [1], divisibility [16]
// CHECK-NEXT: %3: contiguity [64], constancy [1], divisibility [1]
// CHECK-NEXT: %arg4: contiguity [64], constancy [1], divisibility [1]
// CHECK-NEXT: %5: contiguity [64], constancy [1], divisibility [1]
// CHECK-NEXT: %4: contiguity [1], constancy [1], divisibility [1]
tile.kernel @loop(%n: i32, %m: i32, %go: i1) {
  %zero = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %rows = tile.range 0 to 64 : tensor<64xi32>
  %aligned = arith.constant dense<16> : tensor<64xi32>
  %any = tile.splat %m : i32 -> tensor<64xi32>
  %a = scf.for %i = %zero to %n step %c1 iter_args(%at = %rows) -> (tensor<64xi32>) : i32 {
    %next = arith.addi %at, %aligned : tensor<64xi32>
    scf.yield %next : tensor<64xi32>
  }
  %b = scf.for %i = %zero to %n step %c1 iter_args(%at = %rows) -> (tensor<64xi32>) : i32 {
    %next = arith.addi %at, %any : tensor<64xi32>
    scf.yield %next : tensor<64xi32>
  }
  %c = scf.if %go -> (tensor<64xi32>) {
    scf.yield %rows : tensor<64xi32>
  } else {
    scf.yield %aligned : tensor<64xi32>
  }
  tile.return
}

// What the author promises of loaded indices.
// CHECK-LABEL: simt-print-contiguity @promised
// CHECK-NEXT: %0: contiguity [1], constancy [64], divisibility [1]
// CHECK-NEXT: %1: contiguity [64], constancy [1], divisibility [1073741824]
// CHECK-NEXT: %2: contiguity [64], constancy [1], divisibility [1]
// CHECK-NEXT: %3: contiguity [1], constancy [1], divisibility [1]
// CHECK-NEXT: %4: contiguity [8], constancy [1], divisibility [8]
tile.kernel @promised(%x: !tile.ptr<i32>) {
  %base = tile.splat %x : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %lanes = tile.range 0 to 64 : tensor<64xi32>
  %at = tile.addptr %base, %lanes : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %indices = tile.load %at {group = 1 : i64} : tensor<64x!tile.ptr<i32>> -> tensor<64xi32>
  %known = tile.hint %indices {contiguity = array<i64: 8>, divisibility = array<i64: 8>} : tensor<64xi32>
  tile.return
}

// A select or a branch between a run and equal lanes: a lane of the run is no
// multiple of what its first lane is one of. Pointers move by their bytes.
// CHECK-LABEL: simt-print-contiguity @either
// CHECK-NEXT: %0: contiguity [64], constancy [1], divisibility [1073741824]
// CHECK-NEXT: %cst: contiguity [1], constancy [64], divisibility [16]
// CHECK-NEXT: %1: contiguity [64], constancy [1], divisibility [16]
// CHECK-NEXT: %2: contiguity [1], constancy [1], divisibility [1]
// CHECK-NEXT: %3: contiguity [64], constancy [1], divisibility [16]
// CHECK-NEXT: %cst_0: contiguity [1], constancy [64], divisibility [8]
// CHECK-NEXT: %4: contiguity [1], constancy [8], divisibility [1]
// CHECK-NEXT: %5: contiguity [8], constancy [1], divisibility [8]
// CHECK-NEXT: %6: contiguity [1], constancy [1], divisibility [1]
// CHECK-NEXT: %arg4: contiguity [1], constancy [1], divisibility [1]
// CHECK-NEXT: %7: contiguity [1], constancy [64], divisibility [16]
// CHECK-NEXT: %8: contiguity [64], constancy [1], divisibility [16]
// CHECK-NEXT: %9: contiguity [1], constancy [1], divisibility [4]
tile.kernel @either(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %go: i1, %n: i32) {
  %rows = tile.range 0 to 64 : tensor<64xi32>
  %aligned = arith.constant dense<16> : tensor<64xi32>
  %more = arith.addi %rows, %aligned : tensor<64xi32>
  %chosen = arith.select %go, %rows, %aligned : tensor<64xi32>
  %runs = arith.select %go, %rows, %more : tensor<64xi32>
  %eight = arith.constant dense<8> : tensor<64xi32>
  %low = arith.cmpi slt, %rows, %eight : tensor<64xi32>
  %split = arith.select %low, %rows, %more : tensor<64xi1>, tensor<64xi32>
  %zero = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %carried = scf.for %i = %zero to %n step %c1 iter_args(%at = %rows) -> (tensor<64xi32>) : i32 {
    scf.yield %aligned : tensor<64xi32>
  }
  %base = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %pointers = tile.addptr %base, %rows : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %one = arith.select %go, %pointers, %base : tensor<64x!tile.ptr<f32>>
  tile.return
}

// Quotients truncate towards zero: of a run below it no more is known than of
// each lane. A sum that may wrap may be below, and so may what a loop adds up. An
// access that it masks says that it does not; unsigned runs do not cross zero.
// CHECK-LABEL: simt-print-contiguity @signs
// CHECK-NEXT: %0: contiguity [64], constancy [1], divisibility [1073741824]
// CHECK-NEXT: %cst: contiguity [1], constancy [64], divisibility [8]
// CHECK-NEXT: %1: contiguity [64], constancy [1], divisibility [8]
// CHECK-NEXT: %2: contiguity [1], constancy [1], divisibility [1]
// CHECK-NEXT: %3: contiguity [1], constancy [1], divisibility [1]
// CHECK-NEXT: %4: contiguity [8], constancy [1], divisibility [8]
// CHECK-NEXT: %7: contiguity [1], constancy [64], divisibility [64]
// CHECK-NEXT: %8: contiguity [64], constancy [1], divisibility [64]
// CHECK-NEXT: %9: contiguity [1], constancy [1], divisibility [1]
// CHECK-NEXT: %10: contiguity [1], constancy [8], divisibility [1]
// CHECK-NEXT: %11: contiguity [1], constancy [64], divisibility [1]
// CHECK-NEXT: %12: contiguity [1], constancy [64], divisibility [8]
// CHECK-NEXT: %13: contiguity [64], constancy [1], divisibility [8]
// CHECK-NEXT: %14: contiguity [1], constancy [1], divisibility [1]
// CHECK-NEXT: %15: contiguity [1], constancy [64], divisibility [1]
// CHECK-NEXT: %16: contiguity [1], constancy [1], divisibility [1]
// CHECK-NEXT: %17: contiguity [1], constancy [8], divisibility [1]
// CHECK-NEXT: %18: contiguity [64], constancy [1], divisibility [8]
// CHECK-NEXT: %arg3: contiguity [64], constancy [1], divisibility [8]
// CHECK-NEXT: %20: contiguity [1], constancy [1], divisibility [1]
// CHECK-NEXT: %21: contiguity [64], constancy [1], divisibility [8]
// CHECK-NEXT: %19: contiguity [64], constancy [1], divisibility [8]
// CHECK-NEXT: %arg3: contiguity [64], constancy [1], divisibility [8]
// CHECK-NEXT: %20: contiguity [1], constancy [1], divisibility [1]
// CHECK-NEXT: %21: contiguity [64], constancy [1], divisibility [8]
tile.kernel @signs(%m: i32, %x: !tile.ptr<i32>) {
  %rows = tile.range 0 to 64 : tensor<64xi32>
  %eight = arith.constant dense<8> : tensor<64xi32>
  %below = arith.subi %rows, %eight : tensor<64xi32>
  %quotient = tile.divsi %below, %eight : tensor<64xi32>
  %rest = tile.remsi %below, %eight : tensor<64xi32>
  %unsigned = tile.remui %below, %eight : tensor<64xi32>
  %c64 = arith.constant 64 : i32
  %pid = tile.program_id 0
  %first = arith.muli %pid, %c64 : i32
  %from = tile.splat %first : i32 -> tensor<64xi32>
  %at = arith.addi %from, %rows : tensor<64xi32>
  %part = tile.divsi %at, %eight : tensor<64xi32>
  %whole = tile.divui %at, %eight : tensor<64xi32>
  %limit = tile.splat %m : i32 -> tensor<64xi32>
  %masked = arith.addi %from, %eight : tensor<64xi32>
  %within = arith.addi %masked, %rows : tensor<64xi32>
  %inside = arith.cmpi slt, %within, %limit : tensor<64xi32>
  %base = tile.splat %x : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %v = tile.load %base mask %inside : tensor<64x!tile.ptr<i32>> mask tensor<64xi1> -> tensor<64xi32>
  %block = tile.divsi %within, %eight : tensor<64xi32>
  %zero = arith.constant 0 : i32
  %up = scf.for %i = %zero to %m step %c64 iter_args(%k = %rows) -> (tensor<64xi32>) : i32 {
    %group = tile.divsi %k, %eight : tensor<64xi32>
    %next = arith.addi %k, %eight : tensor<64xi32>
    scf.yield %next : tensor<64xi32>
  }
  %down = scf.for %i = %zero to %m step %c64 iter_args(%k = %rows) -> (tensor<64xi32>) : i32 {
    %group = tile.divsi %k, %eight : tensor<64xi32>
    %next = arith.subi %k, %eight : tensor<64xi32>
    scf.yield %next : tensor<64xi32>
  }
  tile.return
}

// Sixteen tokens have one number of a block, if it is loaded for all of them or
// for none; a volatile load may bring each another one.
// CHECK-LABEL: simt-print-contiguity @loaded
// CHECK: %4: contiguity [1], constancy [16], divisibility [1]
// CHECK: %7: contiguity [1], constancy [8], divisibility [1]
// CHECK: %8: contiguity [1], constancy [1], divisibility [1]
tile.kernel @loaded(%x: !tile.ptr<i32> {tile.divisibility = 16 : i64}, %n: i32 {tile.divisibility = 8 : i64}) {
  %token = tile.range 0 to 64 : tensor<64xi32>
  %sixteen = arith.constant dense<16> : tensor<64xi32>
  %block = tile.divsi %token, %sixteen : tensor<64xi32>
  %base = tile.splat %x : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %p = tile.addptr %base, %block : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %all = tile.load %p : tensor<64x!tile.ptr<i32>> -> tensor<64xi32>
  %limit = tile.splat %n : i32 -> tensor<64xi32>
  %inside = arith.cmpi slt, %token, %limit : tensor<64xi32>
  %some = tile.load %p mask %inside : tensor<64x!tile.ptr<i32>> mask tensor<64xi1> -> tensor<64xi32>
  %any = tile.load %p {isVolatile} : tensor<64x!tile.ptr<i32>> -> tensor<64xi32>
  tile.return
}
