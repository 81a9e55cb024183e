// Branches whose sides differ in their checks alone.
// RUN: tz-opt %s --simt-print-checked-forms -o /dev/null | FileCheck %s

// CHECK-LABEL: simt-print-checked-forms @sides
// CHECK-NEXT: scf.if: else is then with more checks
// CHECK-NEXT: scf.if: the sides differ
// CHECK-NEXT: scf.if: the sides differ
// CHECK-NEXT: scf.if: the sides differ
// CHECK-NEXT: scf.if: both sides are the same
// CHECK-NEXT: scf.if: the sides differ
tile.kernel @sides(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %on: i1, %n: i64) {
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %from = tile.make_view %x shape[%n] strides[%one] : <f32> -> <32xf32>
  %to = tile.make_view %y shape[%n] strides[%one] : <f32> -> <32xf32>
  // More checks in the second side.
  scf.if %on {
    %a = tile.load_view %from[%z] checked [false] : <32xf32> -> tensor<32xf32>
    tile.store_view %to[%z], %a checked [false] : <32xf32>, tensor<32xf32>
  } else {
    %a = tile.load_view %from[%z] checked [true] : <32xf32> -> tensor<32xf32>
    tile.store_view %to[%z], %a checked [true] : <32xf32>, tensor<32xf32>
  }
  // One more here, one more there: neither stands for both.
  scf.if %on {
    %a = tile.load_view %from[%z] checked [false] : <32xf32> -> tensor<32xf32>
    tile.store_view %to[%z], %a checked [true] : <32xf32>, tensor<32xf32>
  } else {
    %a = tile.load_view %from[%z] checked [true] : <32xf32> -> tensor<32xf32>
    tile.store_view %to[%z], %a checked [false] : <32xf32>, tensor<32xf32>
  }
  // Other operands: the value that is stored, and where.
  scf.if %on {
    %a = tile.load_view %from[%z] checked [false] : <32xf32> -> tensor<32xf32>
    %b = arith.addf %a, %a : tensor<32xf32>
    tile.store_view %to[%z], %b checked [false] : <32xf32>, tensor<32xf32>
  } else {
    %a = tile.load_view %from[%z] checked [true] : <32xf32> -> tensor<32xf32>
    %b = arith.addf %a, %a : tensor<32xf32>
    tile.store_view %to[%z], %a checked [true] : <32xf32>, tensor<32xf32>
  }
  scf.if %on {
    %a = tile.load_view %from[%z] checked [false] : <32xf32> -> tensor<32xf32>
    tile.store_view %to[%z], %a checked [false] : <32xf32>, tensor<32xf32>
  } else {
    %a = tile.load_view %from[%n] checked [true] : <32xf32> -> tensor<32xf32>
    tile.store_view %to[%z], %a checked [true] : <32xf32>, tensor<32xf32>
  }
  // Nothing differs; a print is numbered, and none is like another.
  scf.if %on {
    %a = tile.load_view %from[%z] checked [true] : <32xf32> -> tensor<32xf32>
    tile.store_view %to[%z], %a checked [true] : <32xf32>, tensor<32xf32>
  } else {
    %a = tile.load_view %from[%z] checked [true] : <32xf32> -> tensor<32xf32>
    tile.store_view %to[%z], %a checked [true] : <32xf32>, tensor<32xf32>
  }
  scf.if %on {
    tile.print "n"(%n : i64) {isSigned = array<i1: true>}
  } else {
    tile.print "n"(%n : i64) {isSigned = array<i1: true>}
  }
  tile.return
}
