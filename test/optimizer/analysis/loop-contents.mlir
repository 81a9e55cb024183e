// What loops hold, and who reads their masks.
// RUN: tz-opt %s --tile-print-loop-contents -o /dev/null | FileCheck %s

// CHECK-LABEL: tile-print-loop-contents @loops
// CHECK-NEXT: scf.for: no dots, loops that load behind it
// CHECK-NEXT: arith.cmpi %7: predicate
// CHECK-NEXT: arith.cmpi %9: selects
// CHECK-NEXT: arith.cmpi %12: neither
// CHECK-NEXT: arith.cmpi %13: neither
// CHECK-NEXT: scf.for: with dots, loops that load behind it
// CHECK-NEXT: scf.for: last with dots, computes operands
// CHECK-NEXT: arith.cmpi %5: neither
tile.kernel @loops(%x: !tile.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %lanes = tile.range 0 to 16 : tensor<16xi32>
  %limit = tile.splat %n : i32 -> tensor<16xi32>
  %base = tile.splat %x : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  %p = tile.addptr %base, %lanes : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  // Behind it is a loop; it has no products. A mask of loads alone, one that also
  // selects, one that is stored by, one whose load has another value in its lanes.
  scf.for %i = %c0 to %n step %c16 : i32 {
    %from = tile.splat %i : i32 -> tensor<16xi32>
    %at = arith.addi %from, %lanes : tensor<16xi32>
    %loads = arith.cmpi slt, %at, %limit : tensor<16xi32>
    %a = tile.load %p mask %loads : tensor<16x!tile.ptr<f32>> mask tensor<16xi1> -> tensor<16xf32>
    %selects = arith.cmpi sle, %at, %limit : tensor<16xi32>
    %b = tile.load %p mask %selects : tensor<16x!tile.ptr<f32>> mask tensor<16xi1> -> tensor<16xf32>
    %c = arith.select %selects, %a, %b : tensor<16xi1>, tensor<16xf32>
    %stores = arith.cmpi sgt, %at, %limit : tensor<16xi32>
    tile.store %p, %c mask %stores : tensor<16x!tile.ptr<f32>>, tensor<16xf32>, tensor<16xi1>
    %fills = arith.cmpi sge, %at, %limit : tensor<16xi32>
    %d = tile.load %p mask %fills other %c : tensor<16x!tile.ptr<f32>> mask tensor<16xi1> other tensor<16xf32> -> tensor<16xf32>
  }
  // The operands are loaded, or computed. A branch between hides nothing.
  %base2 = tile.splat %x : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  scf.for %i = %c0 to %n step %c16 : i32 {
    %a = tile.load %base2 : tensor<16x16x!tile.ptr<f32>> -> tensor<16x16xf32>
    %dot = tile.dot %a, %a, %zero : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    tile.store %base2, %dot : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xf32>
  }
  scf.for %i = %c0 to %n step %c16 : i32 {
    %some = arith.cmpi slt, %i, %c16 : i32
    scf.if %some {
      %a = tile.load %base2 : tensor<16x16x!tile.ptr<f32>> -> tensor<16x16xf32>
      %twice = arith.addf %a, %a : tensor<16x16xf32>
      %turned = tile.transpose %twice [1, 0] : tensor<16x16xf32> -> tensor<16x16xf32>
      %dot = tile.dot %turned, %a, %zero : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
      tile.store %base2, %dot : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xf32>
    }
  }
  tile.return
}
