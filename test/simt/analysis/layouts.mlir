// The layouts that accesses ask for, and those that tiles get.
// RUN: tz-opt %s --simt-print-layouts -o /dev/null | FileCheck %s

// As wide as the alignment allows; of two accesses of a shape both take the wider
// one's, and what is computed with them has it.
// CHECK-LABEL: simt-print-layouts @vector
// CHECK-NEXT: %0: #simt.layout<rank 1, register {{\[\[}}1], [2]], lane {{\[\[}}4], [8], [16], [32], [64]], warp {{\[\[}}128]]>
// CHECK-NEXT: %1: #simt.layout<rank 1, register {{\[\[}}1], [2]], lane {{\[\[}}4], [8], [16], [32], [64]], warp {{\[\[}}128]]>
// CHECK-NEXT: %2: #simt.layout<rank 1, register {{\[\[}}1], [2]], lane {{\[\[}}4], [8], [16], [32], [64]], warp {{\[\[}}128]]>
// CHECK-NEXT: tile.load %3: asks for #simt.layout<rank 1, register {{\[\[}}1], [2]], lane {{\[\[}}4], [8], [16], [32], [64]], warp {{\[\[}}128]]>
// CHECK-NEXT: %3: #simt.layout<rank 1, register {{\[\[}}1], [2]], lane {{\[\[}}4], [8], [16], [32], [64]], warp {{\[\[}}128]]>
// CHECK-NEXT: %4: #simt.layout<rank 1, register {{\[\[}}1], [2]], lane {{\[\[}}4], [8], [16], [32], [64]], warp {{\[\[}}128]]>
// CHECK-NEXT: %5: #simt.layout<rank 1, register {{\[\[}}1], [2]], lane {{\[\[}}4], [8], [16], [32], [64]], warp {{\[\[}}128]]>
// CHECK-NEXT: %6: #simt.layout<rank 1, register {{\[\[}}1], [2]], lane {{\[\[}}4], [8], [16], [32], [64]], warp {{\[\[}}128]]>
// CHECK-NEXT: tile.store: asks for #simt.layout<rank 1, register {{\[\[}}1], [2]], lane {{\[\[}}4], [8], [16], [32], [64]], warp {{\[\[}}128]]>
tile.kernel @vector(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f32>) attributes {tile.num_warps = 2 : i32} {
  %lanes = tile.range 0 to 256 : tensor<256xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %p = tile.addptr %xs, %lanes : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %v = tile.load %p : tensor<256x!tile.ptr<f32>> -> tensor<256xf32>
  %w = arith.addf %v, %v : tensor<256xf32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %q = tile.addptr %ys, %lanes : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  tile.store %q, %w : tensor<256x!tile.ptr<f32>>, tensor<256xf32>
  tile.return
}

// Columns that lie beside each other in memory lie along the lanes, also behind a
// transposition. A reduction's result has the layout without that dimension.
// CHECK-LABEL: simt-print-layouts @columns
// CHECK-NEXT: %0: #simt.layout<rank 1, register {{\[\[}}1], [2]], lane {{\[\[}}4], [8], [16], [0], [0]]>
// CHECK-NEXT: %cst: #simt.layout<rank 2, register {{\[\[}}4, 0]], lane {{\[\[}}0, 0], [0, 0], [0, 0], [1, 0], [2, 0]]>
// CHECK-NEXT: %1: #simt.layout<rank 1, register {{\[\[}}4]], lane {{\[\[}}0], [0], [0], [1], [2]]>
// CHECK-NEXT: %2: #simt.layout<rank 2, register {{\[\[}}0, 1], [0, 2]], lane {{\[\[}}0, 4], [0, 8], [0, 16], [0, 0], [0, 0]]>
// CHECK-NEXT: %3: #simt.layout<rank 2, register {{\[\[}}4, 0]], lane {{\[\[}}0, 0], [0, 0], [0, 0], [1, 0], [2, 0]]>
// CHECK-NEXT: %4: #simt.layout<rank 2, register {{\[\[}}4, 0]], lane {{\[\[}}0, 0], [0, 0], [0, 0], [1, 0], [2, 0]]>
// CHECK-NEXT: %5: #simt.layout<rank 2, register {{\[\[}}0, 1], [0, 2], [4, 0]], lane {{\[\[}}0, 4], [0, 8], [0, 16], [1, 0], [2, 0]]>
// CHECK-NEXT: %6: #simt.layout<rank 2, register {{\[\[}}0, 1], [0, 2], [4, 0]], lane {{\[\[}}0, 4], [0, 8], [0, 16], [1, 0], [2, 0]]>
// CHECK-NEXT: %7: #simt.layout<rank 2, register {{\[\[}}0, 1], [0, 2], [4, 0]], lane {{\[\[}}0, 4], [0, 8], [0, 16], [1, 0], [2, 0]]>
// CHECK-NEXT: %8: #simt.layout<rank 2, register {{\[\[}}0, 1], [0, 2], [4, 0]], lane {{\[\[}}0, 4], [0, 8], [0, 16], [1, 0], [2, 0]]>
// CHECK-NEXT: %9: #simt.layout<rank 2, register {{\[\[}}0, 1], [0, 2], [4, 0]], lane {{\[\[}}0, 4], [0, 8], [0, 16], [1, 0], [2, 0]]>
// CHECK-NEXT: tile.load %10: asks for #simt.layout<rank 2, register {{\[\[}}0, 1], [0, 2], [4, 0]], lane {{\[\[}}0, 4], [0, 8], [0, 16], [1, 0], [2, 0]]>
// CHECK-NEXT: %10: #simt.layout<rank 2, register {{\[\[}}0, 1], [0, 2], [4, 0]], lane {{\[\[}}0, 4], [0, 8], [0, 16], [1, 0], [2, 0]]>
// CHECK-NEXT: %11: #simt.layout<rank 2, register {{\[\[}}1, 0], [2, 0], [0, 4]], lane {{\[\[}}4, 0], [8, 0], [16, 0], [0, 1], [0, 2]]>
// CHECK-NEXT: %12: #simt.layout<rank 1, register {{\[\[}}1], [2]], lane {{\[\[}}4], [8], [16], [0], [0]]>
tile.kernel @columns(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.num_warps = 1 : i32} {
  %rows = tile.range 0 to 32 : tensor<32xi32>
  %far = arith.constant dense<64> : tensor<8x1xi32>
  %eight = tile.range 0 to 8 : tensor<8xi32>
  %r = tile.reshape %rows : tensor<32xi32> -> tensor<1x32xi32>
  %c = tile.reshape %eight : tensor<8xi32> -> tensor<8x1xi32>
  %scaled = arith.muli %c, %far : tensor<8x1xi32>
  %r2 = tile.broadcast %r : tensor<1x32xi32> -> tensor<8x32xi32>
  %c2 = tile.broadcast %scaled : tensor<8x1xi32> -> tensor<8x32xi32>
  %at = arith.addi %r2, %c2 : tensor<8x32xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<8x32x!tile.ptr<f32>>
  %p = tile.addptr %xs, %at : tensor<8x32x!tile.ptr<f32>>, tensor<8x32xi32>
  %v = tile.load %p : tensor<8x32x!tile.ptr<f32>> -> tensor<8x32xf32>
  %turned = tile.transpose %v [1, 0] : tensor<8x32xf32> -> tensor<32x8xf32>
  %sum = "tile.reduce"(%turned) <{axis = 1 : i32}> ({
  ^bb0(%l: f32, %s: f32):
    %a = arith.addf %l, %s : f32
    tile.yield %a : f32
  }) : (tensor<32x8xf32>) -> tensor<32xf32>
  tile.return
}
