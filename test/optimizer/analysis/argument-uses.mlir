// What the code makes of its arguments: pointers are read and written in steps,
// integers scale addresses and bound rows.
// RUN: tz-opt %s --tile-print-argument-uses -o /dev/null | FileCheck %s

// Read; written, by rows of a stride that is an argument; a bound of rows; a
// factor; a number that is only computed with.
// CHECK-LABEL: tile-print-argument-uses @roles
// CHECK-NEXT: %arg0: read, steps []
// CHECK-NEXT: %arg1: written, steps any
// CHECK-NEXT: %arg2: scales elements of 4 bytes
// CHECK-NEXT: %arg3: scales elements of 2 bytes, folds one
// CHECK-NEXT: %arg4: scales nothing
tile.kernel @roles(%x: !tile.ptr<f32>, %y: !tile.ptr<f16>, %n: i32, %stride: i32, %seed: i32) {
  %lanes = tile.range 0 to 64 : tensor<64xi32>
  %limit = tile.splat %n : i32 -> tensor<64xi32>
  %mask = arith.cmpi slt, %lanes, %limit : tensor<64xi32>
  %base = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %p = tile.addptr %base, %lanes : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.load %p mask %mask : tensor<64x!tile.ptr<f32>> mask tensor<64xi1> -> tensor<64xf32>
  %pid = tile.program_id 0
  %first = arith.muli %pid, %stride : i32
  %row = tile.addptr %y, %first : !tile.ptr<f16>, i32
  %to = tile.splat %row : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
  %q = tile.addptr %to, %lanes : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
  %hash = arith.xori %seed, %pid : i32
  %h = tile.sitofp %hash : i32 to f16
  %all = tile.splat %h : f16 -> tensor<64xf16>
  tile.store %q, %all : tensor<64x!tile.ptr<f16>>, tensor<64xf16>
  tile.return
}

// Bits that are left out leave gaps: of & 6 the elements 0, 2, 4 and 6, of & 5
// the elements 0, 1, 4 and 5. Bits by an argument leave any.
// CHECK-LABEL: tile-print-argument-uses @bits
// CHECK-NEXT: %arg0: read, steps [2]
// CHECK-NEXT: %arg1: read, steps [4]
// CHECK-NEXT: %arg2: read, steps any
// CHECK-NEXT: %arg3: scales nothing
tile.kernel @bits(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %z: !tile.ptr<f32>, %m: i32) {
  %lanes = tile.range 0 to 64 : tensor<64xi32>
  %six = arith.constant dense<6> : tensor<64xi32>
  %five = arith.constant dense<5> : tensor<64xi32>
  %any = tile.splat %m : i32 -> tensor<64xi32>
  %a = arith.andi %lanes, %six : tensor<64xi32>
  %b = arith.andi %lanes, %five : tensor<64xi32>
  %c = arith.andi %lanes, %any : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %zs = tile.splat %z : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %p = tile.addptr %xs, %a : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %q = tile.addptr %ys, %b : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %r = tile.addptr %zs, %c : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %u = tile.load %p : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  %v = tile.load %q : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  %w = tile.load %r : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  tile.return
}

// A pointer that stands where a mask is off may come out of the load, and be
// written through: it is not known any more.
// CHECK-LABEL: tile-print-argument-uses @escapes
// CHECK-NEXT: %arg0: read, steps []
// CHECK-NEXT: %arg1: not known
// CHECK-NEXT: %arg2: scales nothing
tile.kernel @escapes(%table: !tile.ptr<!tile.ptr<f32>>, %x: !tile.ptr<f32>, %on: i1, %v: f32) {
  %p = tile.load %table mask %on other %x : !tile.ptr<!tile.ptr<f32>> mask i1 other !tile.ptr<f32> -> !tile.ptr<f32>
  tile.store %p, %v : !tile.ptr<f32>, f32
  tile.return
}

// Carried by a loop, through a branch and a select.
// CHECK-LABEL: tile-print-argument-uses @carried
// CHECK-NEXT: %arg0: read and written, steps [48]
// CHECK-NEXT: %arg1: read and written, steps []
// CHECK-NEXT: %arg2: scales nothing
// CHECK-NEXT: %arg3: scales nothing
tile.kernel @carried(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32, %on: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c48 = arith.constant 48 : i32
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%p = %x) -> (!tile.ptr<f32>) : i32 {
    %q = scf.if %on -> (!tile.ptr<f32>) {
      scf.yield %p : !tile.ptr<f32>
    } else {
      scf.yield %y : !tile.ptr<f32>
    }
    %v = tile.load %q : !tile.ptr<f32> -> f32
    %next = tile.addptr %p, %c48 : !tile.ptr<f32>, i32
    scf.yield %next : !tile.ptr<f32>
  }
  %either = arith.select %on, %end, %y : !tile.ptr<f32>
  %f = arith.constant 0.0 : f32
  tile.store %either, %f : !tile.ptr<f32>, f32
  tile.return
}

// The divisor of a tile says how far quotients and remainders run: neighbours
// below a multiple of 4 share a quotient where %n is divisible by 4. A divisor
// of numbers, and a dividend, say nothing.
// CHECK-LABEL: tile-print-argument-uses @divisors
// CHECK-NEXT: %arg0: written, steps []
// CHECK-NEXT: %arg1: scales elements of 4 bytes, folds one
// CHECK-NEXT: %arg2: scales nothing, folds one
// CHECK-NEXT: %arg3: scales nothing
tile.kernel @divisors(%x: !tile.ptr<f32>, %n: i32, %m: i32, %first: i32) {
  %lanes = tile.range 0 to 64 : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %column = tile.remsi %lanes, %ns : tensor<64xi32>
  %block = tile.divsi %first, %m : i32
  %row = tile.addptr %x, %block : !tile.ptr<f32>, i32
  %to = tile.splat %row : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %p = tile.addptr %to, %column : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %one = arith.constant dense<1.0> : tensor<64xf32>
  tile.store %p, %one : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  tile.return
}

// A mask of rows cuts vectors where rows may lie side by side: by a stride that is an
// argument, or 1.
// CHECK-LABEL: tile-print-argument-uses @rows
// CHECK-NEXT: %arg0: read
// CHECK-NEXT: %arg1: scales elements of 2 bytes
// CHECK-NEXT: %arg2: scales elements of 2 bytes
// CHECK-NEXT: %arg3: scales elements of 2 bytes
tile.kernel @rows(%x: !tile.ptr<f16>, %n: i32, %row: i32, %column: i32) {
  %lanes = tile.range 0 to 64 : tensor<64xi32>
  %few = tile.range 0 to 4 : tensor<4xi32>
  %limit = tile.splat %n : i32 -> tensor<64xi32>
  %bound = arith.cmpi slt, %lanes, %limit : tensor<64xi32>
  %tall = tile.reshape %bound : tensor<64xi1> -> tensor<64x1xi1>
  %mask = tile.broadcast %tall : tensor<64x1xi1> -> tensor<64x4xi1>
  %r = tile.reshape %lanes : tensor<64xi32> -> tensor<64x1xi32>
  %rs = tile.splat %row : i32 -> tensor<64x1xi32>
  %ro = arith.muli %rs, %r : tensor<64x1xi32>
  %c = tile.reshape %few : tensor<4xi32> -> tensor<1x4xi32>
  %cs = tile.splat %column : i32 -> tensor<1x4xi32>
  %co = arith.muli %cs, %c : tensor<1x4xi32>
  %base = tile.splat %x : !tile.ptr<f16> -> tensor<64x1x!tile.ptr<f16>>
  %p = tile.addptr %base, %ro : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi32>
  %q = tile.broadcast %p : tensor<64x1x!tile.ptr<f16>> -> tensor<64x4x!tile.ptr<f16>>
  %d = tile.broadcast %co : tensor<1x4xi32> -> tensor<64x4xi32>
  %at = tile.addptr %q, %d : tensor<64x4x!tile.ptr<f16>>, tensor<64x4xi32>
  %v = tile.load %at mask %mask : tensor<64x4x!tile.ptr<f16>> mask tensor<64x4xi1> -> tensor<64x4xf16>
  tile.return
}

// Where columns lie side by side, it lets whole vectors through or none.
// CHECK-LABEL: tile-print-argument-uses @columns
// CHECK-NEXT: %arg0: read
// CHECK-NEXT: %arg1: scales nothing
// CHECK-NEXT: %arg2: scales elements of 2 bytes
tile.kernel @columns(%x: !tile.ptr<f16>, %n: i32, %row: i32) {
  %lanes = tile.range 0 to 64 : tensor<64xi32>
  %few = tile.range 0 to 4 : tensor<4xi32>
  %limit = tile.splat %n : i32 -> tensor<64xi32>
  %bound = arith.cmpi slt, %lanes, %limit : tensor<64xi32>
  %tall = tile.reshape %bound : tensor<64xi1> -> tensor<64x1xi1>
  %mask = tile.broadcast %tall : tensor<64x1xi1> -> tensor<64x4xi1>
  %r = tile.reshape %lanes : tensor<64xi32> -> tensor<64x1xi32>
  %rs = tile.splat %row : i32 -> tensor<64x1xi32>
  %ro = arith.muli %rs, %r : tensor<64x1xi32>
  %c = tile.reshape %few : tensor<4xi32> -> tensor<1x4xi32>
  %base = tile.splat %x : !tile.ptr<f16> -> tensor<64x1x!tile.ptr<f16>>
  %p = tile.addptr %base, %ro : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi32>
  %q = tile.broadcast %p : tensor<64x1x!tile.ptr<f16>> -> tensor<64x4x!tile.ptr<f16>>
  %d = tile.broadcast %c : tensor<1x4xi32> -> tensor<64x4xi32>
  %at = tile.addptr %q, %d : tensor<64x4x!tile.ptr<f16>>, tensor<64x4xi32>
  %v = tile.load %at mask %mask : tensor<64x4x!tile.ptr<f16>> mask tensor<64x4xi1> -> tensor<64x4xf16>
  tile.return
}
