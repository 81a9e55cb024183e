// Masks as bounds on the indices of the lanes.
// RUN: tz-opt %s --tile-print-mask-bounds -o /dev/null | FileCheck %s

// Rows and columns, of which the mask is a conjunction; and transposed.
// CHECK-LABEL: tile-print-mask-bounds @matrix
// CHECK-NEXT: tile.load %16: upper {{\[\[}}-64*%0 + %arg1], [%arg2]], lower {{\[\[}}], []]
// CHECK-NEXT: tile.load %19: upper {{\[\[}}%arg2], [-64*%0 + %arg1]], lower {{\[\[}}], []]
tile.kernel @matrix(%x: !tile.ptr<f32>, %m: i32, %n: i32) {
  %c64 = arith.constant 64 : i32
  %pid = tile.program_id 0
  %first = arith.muli %pid, %c64 : i32
  %rows = tile.range 0 to 64 : tensor<64xi32>
  %from = tile.splat %first : i32 -> tensor<64xi32>
  %at = arith.addi %from, %rows : tensor<64xi32>
  %height = tile.splat %m : i32 -> tensor<64xi32>
  %down = arith.cmpi slt, %at, %height : tensor<64xi32>
  %columns = tile.range 0 to 32 : tensor<32xi32>
  %width = tile.splat %n : i32 -> tensor<32xi32>
  %along = arith.cmpi sgt, %width, %columns : tensor<32xi32>
  %d1 = tile.reshape %down : tensor<64xi1> -> tensor<64x1xi1>
  %a1 = tile.reshape %along : tensor<32xi1> -> tensor<1x32xi1>
  %d = tile.broadcast %d1 : tensor<64x1xi1> -> tensor<64x32xi1>
  %a = tile.broadcast %a1 : tensor<1x32xi1> -> tensor<64x32xi1>
  %mask = arith.andi %d, %a : tensor<64x32xi1>
  %p = tile.splat %x : !tile.ptr<f32> -> tensor<64x32x!tile.ptr<f32>>
  %v = tile.load %p mask %mask : tensor<64x32x!tile.ptr<f32>> mask tensor<64x32xi1> -> tensor<64x32xf32>
  %turned = tile.transpose %mask [1, 0] : tensor<64x32xi1> -> tensor<32x64xi1>
  %pt = tile.splat %x : !tile.ptr<f32> -> tensor<32x64x!tile.ptr<f32>>
  %vt = tile.load %pt mask %turned : tensor<32x64x!tile.ptr<f32>> mask tensor<32x64xi1> -> tensor<32x64xf32>
  tile.return
}

// Each way to write a bound: below, at most, at least, above; by an index that
// falls; by the masks of two arrays of different lengths.
// CHECK-LABEL: tile-print-mask-bounds @ways
// CHECK-NEXT: tile.load %5: upper {{\[\[}}%arg2]], lower {{\[\[}}]]
// CHECK-NEXT: tile.load %7: upper {{\[\[}}1 + %arg2]], lower {{\[\[}}]]
// CHECK-NEXT: tile.load %9: upper {{\[\[}}]], lower {{\[\[}}%arg2]]
// CHECK-NEXT: tile.load %11: upper {{\[\[}}]], lower {{\[\[}}1 + %arg2]]
// CHECK-NEXT: tile.load %14: upper {{\[\[}}%arg2]], lower {{\[\[}}]]
// CHECK-NEXT: tile.load %17: upper {{\[\[}}%arg1, %arg2]], lower {{\[\[}}]]
// CHECK-NEXT: tile.store: upper {{\[\[}}%arg1]], lower {{\[\[}}%arg2]]
tile.kernel @ways(%x: !tile.ptr<f32>, %m: i32, %n: i32) {
  %lanes = tile.range 0 to 32 : tensor<32xi32>
  %bound = tile.splat %n : i32 -> tensor<32xi32>
  %other = tile.splat %m : i32 -> tensor<32xi32>
  %zero = arith.constant dense<0> : tensor<32xi32>
  %p = tile.splat %x : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %below = arith.cmpi slt, %lanes, %bound : tensor<32xi32>
  %v0 = tile.load %p mask %below : tensor<32x!tile.ptr<f32>> mask tensor<32xi1> -> tensor<32xf32>
  %most = arith.cmpi sle, %lanes, %bound : tensor<32xi32>
  %v1 = tile.load %p mask %most : tensor<32x!tile.ptr<f32>> mask tensor<32xi1> -> tensor<32xf32>
  %least = arith.cmpi sge, %lanes, %bound : tensor<32xi32>
  %v2 = tile.load %p mask %least : tensor<32x!tile.ptr<f32>> mask tensor<32xi1> -> tensor<32xf32>
  %above = arith.cmpi sgt, %lanes, %bound : tensor<32xi32>
  %v3 = tile.load %p mask %above : tensor<32x!tile.ptr<f32>> mask tensor<32xi1> -> tensor<32xf32>
  %left = arith.subi %bound, %lanes : tensor<32xi32>
  %falling = arith.cmpi sgt, %left, %zero : tensor<32xi32>
  %v4 = tile.load %p mask %falling : tensor<32x!tile.ptr<f32>> mask tensor<32xi1> -> tensor<32xf32>
  %second = arith.cmpi slt, %lanes, %other : tensor<32xi32>
  %both = arith.andi %below, %second : tensor<32xi1>
  %v5 = tile.load %p mask %both : tensor<32x!tile.ptr<f32>> mask tensor<32xi1> -> tensor<32xf32>
  %window = arith.andi %second, %least : tensor<32xi1>
  tile.store %p, %v5 mask %window : tensor<32x!tile.ptr<f32>>, tensor<32xf32>, tensor<32xi1>
  tile.return
}

// Conditions that are the same in all lanes, and a mask that is on.
// CHECK-LABEL: tile-print-mask-bounds @uniform
// CHECK-NEXT: tile.load %3: upper {{\[\[}}]], lower {{\[\[}}]]
// CHECK-NEXT: tile.load %5: upper {{\[\[}}]], lower {{\[\[}}]], if %arg1 + -1*%arg2 < 0
// CHECK-NEXT: tile.load %7: upper {{\[\[}}]], lower {{\[\[}}]], if %arg1 + -1*%arg2 == 0
// CHECK-NEXT: tile.load %9: upper {{\[\[}}]], lower {{\[\[}}]], if %arg3
tile.kernel @uniform(%x: !tile.ptr<f32>, %m: i32, %n: i32, %flag: i1) {
  %on = arith.constant dense<true> : tensor<32xi1>
  %p = tile.splat %x : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %one = tile.splat %m : i32 -> tensor<32xi32>
  %two = tile.splat %n : i32 -> tensor<32xi32>
  %v0 = tile.load %p mask %on : tensor<32x!tile.ptr<f32>> mask tensor<32xi1> -> tensor<32xf32>
  %less = arith.cmpi slt, %one, %two : tensor<32xi32>
  %v1 = tile.load %p mask %less : tensor<32x!tile.ptr<f32>> mask tensor<32xi1> -> tensor<32xf32>
  %same = arith.cmpi eq, %one, %two : tensor<32xi32>
  %v2 = tile.load %p mask %same : tensor<32x!tile.ptr<f32>> mask tensor<32xi1> -> tensor<32xf32>
  %all = tile.splat %flag : i1 -> tensor<32xi1>
  %v3 = tile.load %p mask %all : tensor<32x!tile.ptr<f32>> mask tensor<32xi1> -> tensor<32xf32>
  tile.return
}

// No bounds: of a multiple of the index, of two dimensions at once, of one value,
// of either of two, of what was loaded, of unsigned numbers that may be negative.
// CHECK-LABEL: tile-print-mask-bounds @none
// CHECK-NEXT: tile.load %5: none: a comparison in the mask scales the index
// CHECK-NEXT: tile.load %7: none: the mask compares the index for (in)equality
// CHECK-NEXT: tile.load %10: none: the mask is no conjunction of comparisons
// CHECK-NEXT: tile.load %14: none: a side of a comparison in the mask is not linear in the index (%, //, or a loaded value)
// CHECK-NEXT: tile.load %16: none: an unsigned comparison of values not known to be >= 0
// CHECK-NEXT: tile.load %18: upper {{\[\[}}2]], lower {{\[\[}}]]
// CHECK-NEXT: tile.load %25: none: a comparison in the mask mixes two dimensions
tile.kernel @none(%x: !tile.ptr<f32>, %y: !tile.ptr<i32>, %n: i32) {
  %lanes = tile.range 0 to 32 : tensor<32xi32>
  %bound = tile.splat %n : i32 -> tensor<32xi32>
  %p = tile.splat %x : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %two = arith.constant dense<2> : tensor<32xi32>
  %even = arith.muli %lanes, %two : tensor<32xi32>
  %scaled = arith.cmpi slt, %even, %bound : tensor<32xi32>
  %v0 = tile.load %p mask %scaled : tensor<32x!tile.ptr<f32>> mask tensor<32xi1> -> tensor<32xf32>
  %hole = arith.cmpi ne, %lanes, %bound : tensor<32xi32>
  %v1 = tile.load %p mask %hole : tensor<32x!tile.ptr<f32>> mask tensor<32xi1> -> tensor<32xf32>
  %below = arith.cmpi slt, %lanes, %bound : tensor<32xi32>
  %either = arith.ori %below, %hole : tensor<32xi1>
  %v2 = tile.load %p mask %either : tensor<32x!tile.ptr<f32>> mask tensor<32xi1> -> tensor<32xf32>
  %q = tile.splat %y : !tile.ptr<i32> -> tensor<32x!tile.ptr<i32>>
  %read = tile.load %q : tensor<32x!tile.ptr<i32>> -> tensor<32xi32>
  %by = arith.cmpi slt, %lanes, %read : tensor<32xi32>
  %v3 = tile.load %p mask %by : tensor<32x!tile.ptr<f32>> mask tensor<32xi1> -> tensor<32xf32>
  %unsigned = arith.cmpi ult, %lanes, %bound : tensor<32xi32>
  %v4 = tile.load %p mask %unsigned : tensor<32x!tile.ptr<f32>> mask tensor<32xi1> -> tensor<32xf32>
  %positive = arith.cmpi ult, %lanes, %two : tensor<32xi32>
  %v5 = tile.load %p mask %positive : tensor<32x!tile.ptr<f32>> mask tensor<32xi1> -> tensor<32xf32>
  %d1 = tile.reshape %lanes : tensor<32xi32> -> tensor<32x1xi32>
  %a1 = tile.reshape %lanes : tensor<32xi32> -> tensor<1x32xi32>
  %d = tile.broadcast %d1 : tensor<32x1xi32> -> tensor<32x32xi32>
  %a = tile.broadcast %a1 : tensor<1x32xi32> -> tensor<32x32xi32>
  %triangle = arith.cmpi sle, %a, %d : tensor<32x32xi32>
  %pp = tile.splat %x : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %v6 = tile.load %pp mask %triangle : tensor<32x32x!tile.ptr<f32>> mask tensor<32x32xi1> -> tensor<32x32xf32>
  tile.return
}
