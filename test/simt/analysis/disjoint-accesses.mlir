// Which accesses of one array share no element.
// RUN: tz-opt %s --simt-print-disjoint-accesses -o /dev/null | FileCheck %s

// Rows of 128 elements, as two halves: the halves of a row are apart, and so
// are all accesses of different rows.
// CHECK-LABEL: simt-print-disjoint-accesses @halves
// CHECK-NEXT: tile.load_view %{{.*}}: access 0, apart from [], in other iterations from [0]
// CHECK-NEXT: tile.load_view %{{.*}}: access 1, apart from [0], in other iterations from [0, 1]
// CHECK-NEXT: tile.store_view: access 2, apart from [1], in other iterations from [0, 1, 2]
// CHECK-NEXT: tile.store_view: access 3, apart from [0, 2], in other iterations from [0, 1, 2, 3]
tile.kernel @halves(%x: !tile.ptr<f32> {tile.group = 1 : i64}, %low: i32, %high: i32) {
  %c1 = arith.constant 1 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %half = arith.constant 64 : i64
  %row = arith.constant 128 : i64
  scf.for %i = %low to %high step %c1 : i32 {
    %wide = arith.extsi %i : i32 to i64
    %at = arith.muli %wide, %row : i64
    %then = arith.addi %at, %half : i64
    %p = tile.addptr %x, %at : !tile.ptr<f32>, i64
    %q = tile.addptr %x, %then : !tile.ptr<f32>, i64
    %v = tile.make_view %p shape[%row] strides[%one] : !tile.ptr<f32> -> !tile.view<64xf32>
    %w = tile.make_view %q shape[%row] strides[%one] : !tile.ptr<f32> -> !tile.view<64xf32>
    %a = tile.load_view %v[%z] checked [false] {group = 1 : i64} : !tile.view<64xf32> -> tensor<64xf32>
    %b = tile.load_view %w[%z] checked [false] {group = 1 : i64} : !tile.view<64xf32> -> tensor<64xf32>
    tile.store_view %v[%z], %b checked [false] {group = 1 : i64} : !tile.view<64xf32>, tensor<64xf32>
    tile.store_view %w[%z], %a checked [false] {group = 1 : i64} : !tile.view<64xf32>, tensor<64xf32>
  }
  tile.return
}

// Rows begin 64 elements apart and have 128: each overlaps the next one, and so
// do the store and the load of a row. Of a step that is not known nothing is.
// CHECK-LABEL: simt-print-disjoint-accesses @overlapping
// CHECK-NEXT: tile.load_view %{{.*}}: access 0, apart from [], in other iterations from []
// CHECK-NEXT: tile.store_view: access 1, apart from [], in other iterations from []
// CHECK-NEXT: tile.load_view %{{.*}}: access 2, apart from [], in other iterations from []
tile.kernel @overlapping(%x: !tile.ptr<f32> {tile.group = 1 : i64}, %high: i32, %step: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %half = arith.constant 64 : i64
  %row = arith.constant 128 : i64
  scf.for %i = %c0 to %high step %c1 : i32 {
    %wide = arith.extsi %i : i32 to i64
    %at = arith.muli %wide, %half : i64
    %p = tile.addptr %x, %at : !tile.ptr<f32>, i64
    %v = tile.make_view %p shape[%row] strides[%one] : !tile.ptr<f32> -> !tile.view<128xf32>
    %a = tile.load_view %v[%z] checked [false] {group = 1 : i64} : !tile.view<128xf32> -> tensor<128xf32>
    tile.store_view %v[%z], %a checked [false] {group = 1 : i64} : !tile.view<128xf32>, tensor<128xf32>
  }
  scf.for %i = %c0 to %high step %step : i32 {
    %wide = arith.extsi %i : i32 to i64
    %at = arith.muli %wide, %row : i64
    %p = tile.addptr %x, %at : !tile.ptr<f32>, i64
    %v = tile.make_view %p shape[%row] strides[%one] : !tile.ptr<f32> -> !tile.view<128xf32>
    %a = tile.load_view %v[%z] checked [false] {group = 1 : i64} : !tile.view<128xf32> -> tensor<128xf32>
  }
  tile.return
}

// Two arrays: other rules say whether they may be one (R6), this one does not.
// A matrix by columns: two columns share no element, as no row is that long.
// CHECK-LABEL: simt-print-disjoint-accesses @arrays
// CHECK-NEXT: tile.load_view %{{.*}}: access 0, apart from [], in other iterations from []
// CHECK-NEXT: tile.load_view %{{.*}}: access 1, apart from [], in other iterations from []
// CHECK-NEXT: tile.load_view %{{.*}}: access 2, apart from [1], in other iterations from []
tile.kernel @arrays(%x: !tile.ptr<f32> {tile.group = 1 : i64}, %y: !tile.ptr<f32> {tile.group = 2 : i64}) {
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %rows = arith.constant 32 : i64
  %wide = arith.constant 4096 : i64
  %v = tile.make_view %x shape[%rows, %wide] strides[%wide, %one] : !tile.ptr<f32> -> !tile.view<32x16xf32>
  %w = tile.make_view %y shape[%rows, %wide] strides[%wide, %one] : !tile.ptr<f32> -> !tile.view<32x16xf32>
  %beside = arith.constant 16 : i64
  %a = tile.load_view %v[%z, %z] checked [false, false] {group = 1 : i64} : !tile.view<32x16xf32> -> tensor<32x16xf32>
  %b = tile.load_view %w[%z, %z] checked [false, false] {group = 2 : i64} : !tile.view<32x16xf32> -> tensor<32x16xf32>
  %c = tile.load_view %w[%z, %beside] checked [false, false] {group = 2 : i64} : !tile.view<32x16xf32> -> tensor<32x16xf32>
  tile.return
}

// One element a thread: a thread stores what it loaded (0, 1), in any iteration,
// since blocks begin at multiples of their length. Behind %first they begin
// anywhere (2, 3).
// CHECK-LABEL: simt-print-disjoint-accesses @threads
// CHECK-NEXT: tile.load_view %{{.*}}: access 0, {{.*}}, by thread from [0], always from [0]
// CHECK-NEXT: tile.store_view: access 1, {{.*}}, by thread from [0, 1], always from [0, 1]
// CHECK-NEXT: tile.load %{{.*}}: access 2, apart from [], in other iterations from []
// CHECK-NEXT: tile.load_view %{{.*}}: access 3, {{.*}}, by thread from [3], always from []
// CHECK-NEXT: tile.store_view: access 4, {{.*}}, by thread from [3, 4], always from []
#one = #simt.layout<rank 1, lane [[1], [2], [4], [8], [16]], warp [[32], [64]]>
#two = #simt.layout<rank 1, lane [[1], [2], [4], [8], [16]], warp [[32], [0]]>
tile.kernel @threads(%x: !tile.ptr<f32> {tile.group = 1 : i64}, %high: i32, %n: i64) {
  %c0 = arith.constant 0 : i32
  %c128 = arith.constant 128 : i32
  %one = arith.constant 1 : i64
  %v = tile.make_view %x shape[%n] strides[%one] : !tile.ptr<f32> -> !tile.view<128xf32>
  scf.for %i = %c0 to %high step %c128 : i32 {
    %at = arith.extsi %i : i32 to i64
    %a = tile.load_view %v[%at] checked [false] {group = 1 : i64} : !tile.view<128xf32> -> tensor<128xf32, #one>
    tile.store_view %v[%at], %a checked [false] {group = 1 : i64} : !tile.view<128xf32>, tensor<128xf32, #one>
    %first = tile.load %x {group = 2 : i64} : !tile.ptr<f32> -> f32
    %number = tile.fptosi %first : f32 to i64
    %then = arith.addi %at, %number : i64
    %b = tile.load_view %v[%then] checked [false] {group = 1 : i64} : !tile.view<128xf32> -> tensor<128xf32, #one>
    tile.store_view %v[%then], %b checked [false] {group = 1 : i64} : !tile.view<128xf32>, tensor<128xf32, #one>
  }
  tile.return
}

// Two threads hold each element. What only reaches a store (0) the owners load
// alone, and a thread stores what it loaded; of what is reduced (2) each thread
// needs its own elements.
// CHECK-LABEL: simt-print-disjoint-accesses @owners
// CHECK-NEXT: tile.load_view %{{.*}}: access 0, {{.*}}, by owners alone, by thread from [0], always from [0]
// CHECK-NEXT: tile.store_view: access 1, {{.*}}, by thread from [0, 1], always from [0, 1]
// CHECK-NEXT: tile.load_view %{{.*}}: access 2, apart from [], in other iterations from []{{$}}
tile.kernel @owners(%x: !tile.ptr<f32> {tile.group = 1 : i64}, %n: i64) {
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %v = tile.make_view %x shape[%n] strides[%one] : !tile.ptr<f32> -> !tile.view<64xf32>
  %a = tile.load_view %v[%z] checked [false] {group = 1 : i64} : !tile.view<64xf32> -> tensor<64xf32, #two>
  %b = arith.addf %a, %a : tensor<64xf32, #two>
  tile.store_view %v[%z], %b checked [false] {group = 1 : i64} : !tile.view<64xf32>, tensor<64xf32, #two>
  %c = tile.load_view %v[%z] checked [false] {group = 1 : i64} : !tile.view<64xf32> -> tensor<64xf32, #two>
  %sum = tile.reduce(%c) axis 0 : (tensor<64xf32, #two>) -> f32 {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    tile.yield %s : f32
  }
  tile.store %x, %sum {group = 1 : i64} : !tile.ptr<f32>, f32
  tile.return
}

// Even and odd elements, through pointers, of a step that is even or any. What is
// apart in each iteration by one alone meets the next one's.
// CHECK-LABEL: simt-print-disjoint-accesses @residues
// CHECK: tile.store: access 0, apart from [], in other iterations from []
// CHECK-NEXT: tile.store: access 1, {{.*}}, by residue from [0], always from [0]
// CHECK-NEXT: tile.store: access 2, apart from [], in other iterations from []
// CHECK-NEXT: tile.store: access 3, {{.*}}, by residue from [2], always from []
tile.kernel @residues(%x: !tile.ptr<f32> {tile.group = 1 : i64}, %even: i32 {tile.divisibility = 2 : i64}, %n: i32, %v: f32) {
  %two = arith.constant dense<2> : tensor<64xi32>
  %one = arith.constant dense<1> : tensor<64xi32>
  %zero = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %values = tile.splat %v : f32 -> tensor<64xf32>
  %lane = tile.range 0 to 64 : tensor<64xi32>
  %at = arith.muli %lane, %two : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  scf.for %i = %zero to %n step %c1 : i32 {
    %row = arith.muli %i, %even : i32
    %rows = tile.splat %row : i32 -> tensor<64xi32>
    %here = arith.addi %at, %rows : tensor<64xi32>
    %next = arith.addi %here, %one : tensor<64xi32>
    %a = tile.addptr %xs, %here : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    %b = tile.addptr %xs, %next : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    tile.store %a, %values {group = 1 : i64} : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
    tile.store %b, %values {group = 1 : i64} : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
    %is = tile.splat %i : i32 -> tensor<64xi32>
    %step = arith.addi %at, %is : tensor<64xi32>
    %after = arith.addi %step, %one : tensor<64xi32>
    %c = tile.addptr %xs, %step : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    %d = tile.addptr %xs, %after : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    tile.store %c, %values {group = 1 : i64} : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
    tile.store %d, %values {group = 1 : i64} : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  }
  tile.return
}
