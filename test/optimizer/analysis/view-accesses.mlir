// Accesses by pointers as accesses of views, and why others are of none.
// RUN: tz-opt %s --tile-print-view-accesses -o /dev/null | FileCheck %s

// The mask says which part of the start is an offset, and where the view ends.
// CHECK-LABEL: tile-print-view-accesses @vector
// CHECK-NEXT: tile.load %9: base %arg0, start 0, dim 1 * (64*%0) below [%arg1]
// CHECK-NEXT: tile.store: base %arg0, start 64*%0, dim 1 * (0)
tile.kernel @vector(%x: !tile.ptr<f32>, %n: i32) {
  %c64 = arith.constant 64 : i32
  %pid = tile.program_id 0
  %first = arith.muli %pid, %c64 : i32
  %lanes = tile.range 0 to 64 : tensor<64xi32>
  %from = tile.splat %first : i32 -> tensor<64xi32>
  %at = arith.addi %from, %lanes : tensor<64xi32>
  %limit = tile.splat %n : i32 -> tensor<64xi32>
  %mask = arith.cmpi slt, %at, %limit : tensor<64xi32>
  %base = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %p = tile.addptr %base, %at : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.load %p mask %mask : tensor<64x!tile.ptr<f32>> mask tensor<64xi1> -> tensor<64xf32>
  tile.store %p, %v : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  tile.return
}

// An offset that may be negative stays in the base, and the bound is beside it.
// CHECK-LABEL: tile-print-view-accesses @shifted
// CHECK-NEXT: tile.load %7: base %arg0, start %arg2, dim 1 * (0) below [-1*%arg2 + %arg1], rebased
tile.kernel @shifted(%x: !tile.ptr<f32>, %n: i32, %shift: i32) {
  %lanes = tile.range 0 to 64 : tensor<64xi32>
  %from = tile.splat %shift : i32 -> tensor<64xi32>
  %at = arith.addi %from, %lanes : tensor<64xi32>
  %limit = tile.splat %n : i32 -> tensor<64xi32>
  %mask = arith.cmpi slt, %at, %limit : tensor<64xi32>
  %base = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %p = tile.addptr %base, %at : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.load %p mask %mask : tensor<64x!tile.ptr<f32>> mask tensor<64xi1> -> tensor<64xf32>
  tile.return
}

// Rows that wrap around: the store tells that nobody sees those beyond the limit,
// or does not.
// CHECK-LABEL: tile-print-view-accesses @rows
// CHECK-NEXT: tile.load %9: base %arg0, start 0, dim 1 * (64*%0) below [%arg2], folded
// CHECK-NEXT: tile.load %10: no view: in the lanes beyond the limit, what is read there reaches a store that does not mask it off; mask the store by offsets < limit
// CHECK-NEXT: tile.store: base %arg1, start 0, dim 1 * (64*%0) below [%arg2]
// CHECK-NEXT: tile.store: base %arg1, start 64*%0, dim 1 * (0)
tile.kernel @rows(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) {
  %c64 = arith.constant 64 : i32
  %pid = tile.program_id 0
  %first = arith.muli %pid, %c64 : i32
  %lanes = tile.range 0 to 64 : tensor<64xi32>
  %from = tile.splat %first : i32 -> tensor<64xi32>
  %at = arith.addi %from, %lanes : tensor<64xi32>
  %limit = tile.splat %n : i32 -> tensor<64xi32>
  %rest = tile.remsi %at, %limit : tensor<64xi32>
  %base = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %p = tile.addptr %base, %rest : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.load %p : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  %seen = tile.load %p : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  %mask = arith.cmpi slt, %at, %limit : tensor<64xi32>
  %to = tile.splat %y : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %q = tile.addptr %to, %at : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store %q, %v mask %mask : tensor<64x!tile.ptr<f32>>, tensor<64xf32>, tensor<64xi1>
  tile.store %q, %seen : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  tile.return
}

// Of none: loaded offsets; one address for all lanes of a store; two lower bounds.
// CHECK-LABEL: tile-print-view-accesses @none
// CHECK-NEXT: tile.load %3: base %arg1, start 0, dim 0 * (0)
// CHECK-NEXT: tile.load %5: no view: the pointers are not one base plus strides times indices (%, //, loaded offsets, or a loop that does not add the same every iteration)
// CHECK-NEXT: tile.store: no view: several lanes store to one address
// CHECK-NEXT: tile.load %12: no view: two lower bounds on one dimension
tile.kernel @none(%x: !tile.ptr<f32>, %y: !tile.ptr<i32>, %n: i32, %m: i32) {
  %lanes = tile.range 0 to 64 : tensor<64xi32>
  %base = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %q = tile.splat %y : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %read = tile.load %q : tensor<64x!tile.ptr<i32>> -> tensor<64xi32>
  %p = tile.addptr %base, %read : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.load %p : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  tile.store %base, %v : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  %one = tile.splat %n : i32 -> tensor<64xi32>
  %two = tile.splat %m : i32 -> tensor<64xi32>
  %first = arith.cmpi sge, %lanes, %one : tensor<64xi32>
  %second = arith.cmpi sge, %lanes, %two : tensor<64xi32>
  %mask = arith.andi %first, %second : tensor<64xi1>
  %r = tile.addptr %base, %lanes : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %w = tile.load %r mask %mask : tensor<64x!tile.ptr<f32>> mask tensor<64xi1> -> tensor<64xf32>
  tile.return
}

// What a loop adds is counted by its counter. A bound that may wrap is what it
// is: the counter begins there, not at what the formula says.
// CHECK-LABEL: tile-print-view-accesses @loop
// CHECK-NEXT: tile.load %6: base %arg0, start -2*%arg1 + 2*%arg4, dim 1 * (0)
// CHECK-NEXT: tile.load %6: base %arg0, start -2*%4 + 2*%arg4, dim 1 * (0)
tile.kernel @loop(%x: !tile.ptr<f32>, %n: i32, %a: i32, %b: i32) {
  %c16 = arith.constant 16 : i32
  %lanes = tile.range 0 to 16 : tensor<16xi32>
  %base = tile.splat %x : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  %start = tile.addptr %base, %lanes : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %step = arith.constant dense<32> : tensor<16xi32>
  scf.for %k = %n to %a step %c16 iter_args(%p = %start) -> (tensor<16x!tile.ptr<f32>>) : i32 {
    %v = tile.load %p : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
    %next = tile.addptr %p, %step : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
    scf.yield %next : tensor<16x!tile.ptr<f32>>
  }
  %low = arith.muli %n, %b : i32
  scf.for %k = %low to %a step %c16 iter_args(%p = %start) -> (tensor<16x!tile.ptr<f32>>) : i32 {
    %v = tile.load %p : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
    %next = tile.addptr %p, %step : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
    scf.yield %next : tensor<16x!tile.ptr<f32>>
  }
  tile.return
}
