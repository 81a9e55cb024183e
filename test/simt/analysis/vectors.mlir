// How many elements a thread accesses at once.
// RUN: tz-opt %s --simt-assign-layouts --simt-print-vectors -o /dev/null | FileCheck %s

// As many as lie beside each other, are aligned, and that no mask divides: a bound
// of a multiple of 4, of 2, and of any number.
// CHECK-LABEL: simt-print-vectors @pointers
// CHECK-NEXT: tile.load %3: 4 along dim 0
// CHECK-NEXT: tile.load %6: 4 along dim 0
// CHECK-NEXT: tile.load %9: 2 along dim 0
// CHECK-NEXT: tile.load %12: 1 along dim 0
// CHECK-NEXT: tile.load %14: 1 along dim 0
// CHECK-NEXT: tile.store: 2 along dim 0
tile.kernel @pointers(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f32> {tile.divisibility = 8 : i64}, %four: i32 {tile.divisibility = 4 : i64}, %two: i32 {tile.divisibility = 2 : i64}, %any: i32) attributes {tile.num_warps = 1 : i32} {
  %lanes = tile.range 0 to 128 : tensor<128xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %p = tile.addptr %xs, %lanes : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %all = tile.load %p : tensor<128x!tile.ptr<f32>> -> tensor<128xf32>
  %n4 = tile.splat %four : i32 -> tensor<128xi32>
  %m4 = arith.cmpi slt, %lanes, %n4 : tensor<128xi32>
  %a = tile.load %p mask %m4 : tensor<128x!tile.ptr<f32>> mask tensor<128xi1> -> tensor<128xf32>
  %n2 = tile.splat %two : i32 -> tensor<128xi32>
  %m2 = arith.cmpi slt, %lanes, %n2 : tensor<128xi32>
  %b = tile.load %p mask %m2 : tensor<128x!tile.ptr<f32>> mask tensor<128xi1> -> tensor<128xf32>
  %n1 = tile.splat %any : i32 -> tensor<128xi32>
  %m1 = arith.cmpi slt, %lanes, %n1 : tensor<128xi32>
  %c = tile.load %p mask %m1 : tensor<128x!tile.ptr<f32>> mask tensor<128xi1> -> tensor<128xf32>
  // Behind the bound is not before it: at most cuts off in the middle.
  %most = arith.cmpi sle, %lanes, %n4 : tensor<128xi32>
  %d = tile.load %p mask %most : tensor<128x!tile.ptr<f32>> mask tensor<128xi1> -> tensor<128xf32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %q = tile.addptr %ys, %lanes : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  tile.store %q, %all : tensor<128x!tile.ptr<f32>>, tensor<128xf32>
  tile.return
}

// Of views: a load may end within a vector, a store must not. A row that begins
// anywhere is read one by one.
// CHECK-LABEL: simt-print-vectors @views
// CHECK-NEXT: tile.load_view %1: 4 along dim 0
// CHECK-NEXT: tile.store_view: 1 along dim 0
// CHECK-NEXT: tile.store_view: 4 along dim 0
// CHECK-NEXT: tile.store_view: 4 along dim 0
// CHECK-NEXT: tile.store_view: 1 along dim 0
// CHECK-NEXT: tile.load_view %4: 1 along dim 0
// CHECK-NEXT: tile.load_view %6: 4 along dim 1
tile.kernel @views(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i64, %four: i64 {tile.divisibility = 4 : i64}) attributes {tile.num_warps = 1 : i32} {
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %open = tile.make_view %x shape[%n] strides[%one] : <f32> -> <128xf32>
  %a = tile.load_view %open[%z] checked [true] : <128xf32> -> tensor<128xf32>
  tile.store_view %open[%z], %a checked [true] : <128xf32>, tensor<128xf32>
  tile.store_view %open[%z], %a checked [false] : <128xf32>, tensor<128xf32>
  %whole = tile.make_view %x shape[%four] strides[%one] : <f32> -> <128xf32>
  tile.store_view %whole[%z], %a checked [true] : <128xf32>, tensor<128xf32>
  tile.store_view %whole[%n], %a checked [false] : <128xf32>, tensor<128xf32>
  %rows = tile.make_view %x shape[%n, %n] strides[%n, %one] : <f32> -> <8x32xf32>
  %b = tile.load_view %rows[%z, %z] checked [false, false] : <8x32xf32> -> tensor<8x32xf32>
  %even = tile.make_view %x shape[%n, %n] strides[%four, %one] : <f32> -> <8x32xf32>
  %c = tile.load_view %even[%n, %z] checked [false, false] : <8x32xf32> -> tensor<8x32xf32>
  tile.return
}

// Behind 19 begins at 20; a dimension without an end is checked below zero alone.
// CHECK-LABEL: simt-print-vectors @from_twenty
// CHECK-NEXT: tile.load {{.*}}: 4 along dim 0
// CHECK-NEXT: tile.load_view {{.*}}: 4 along dim 0
tile.kernel @from_twenty(%x: !tile.ptr<bf16> {tile.divisibility = 16 : i64}) attributes {tile.num_warps = 1 : i32} {
  %lanes = tile.range 0 to 256 : tensor<256xi32>
  %xs = tile.splat %x : !tile.ptr<bf16> -> tensor<256x!tile.ptr<bf16>>
  %p = tile.addptr %xs, %lanes : tensor<256x!tile.ptr<bf16>>, tensor<256xi32>
  %bound = arith.constant dense<19> : tensor<256xi32>
  %mask = arith.cmpi sgt, %lanes, %bound : tensor<256xi32>
  %a = tile.load %p mask %mask : tensor<256x!tile.ptr<bf16>> mask tensor<256xi1> -> tensor<256xbf16>
  %one = arith.constant 1 : i64
  %from = arith.constant -20 : i64
  %end = arith.constant 9223372036854775807 : i64
  %view = tile.make_view %x shape[%end] strides[%one] : <bf16> -> <256xbf16>
  %b = tile.load_view %view[%from] checked [true] {group = 0 : i64} : <256xbf16> -> tensor<256xbf16>
  tile.return
}
