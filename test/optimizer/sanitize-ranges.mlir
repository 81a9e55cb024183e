// Where the corners of an access say that it is inside, no element is looked at.
// RUN: tz-opt %s --tile-sanitize --split-input-file | FileCheck %s
// RUN: tz-opt %s --tile-sanitize --split-input-file | tz-opt --split-input-file -o /dev/null

// Corners of a block, of which the mask cuts off what is behind n: scalars decide,
// and elements are compared in the branch for what may be outside.
// CHECK-LABEL: @straight(
// CHECK-SAME: %[[N:[a-z0-9]+]]: i32, %[[BEGIN:.*]]: i64 {tile.name = "x.begin"}, %[[END:.*]]: i64 {tile.name = "x.end"})
// CHECK: %[[WIDE:.*]] = arith.extsi %[[N]] : i32 to i64
// CHECK: %[[LAST:.*]] = arith.subi %[[WIDE]], %{{.*}} : i64
// CHECK: tile.minsi %{{.*}}, %[[LAST]] : i64
// CHECK-NOT: tile.reduce
// CHECK: arith.cmpi sge, %{{.*}}, %[[BEGIN]] : i64
// CHECK-NEXT: arith.cmpi sle, %{{.*}}, %[[END]] : i64
// CHECK-NOT: tile.reduce
// CHECK: scf.if
// CHECK: tile.reduce
// CHECK: scf.if
// CHECK: tile.print "bounds;load;x;64"
// CHECK: tile.load {{.*}} mask
// CHECK: } else {
// CHECK-NEXT: tile.load {{.*}} mask
tile.kernel @straight(%x: !tile.ptr<f32> {tile.name = "x"}, %n: i32) attributes {tile.sanitize = ["bounds"]} {
  %program = tile.program_id 0
  %c64 = arith.constant 64 : i32
  %first = arith.muli %program, %c64 : i32
  %firsts = tile.splat %first : i32 -> tensor<64xi32>
  %lane = tile.range 0 to 64 : tensor<64xi32>
  %at = arith.addi %firsts, %lane : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %mask = arith.cmpi slt, %at, %ns : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %p = tile.addptr %xs, %at : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.load %p mask %mask {group = 1 : i64} : tensor<64x!tile.ptr<f32>> mask tensor<64xi1> -> tensor<64xf32>
  tile.return
}

// -----
// A loop is asked for before it runs. One copy has the author's access, the other
// one looks at elements. The load through a loaded index is looked at in both.
// CHECK-LABEL: @loop(
// CHECK-NOT: scf.for
// CHECK: %[[ALL:.*]]:2 = scf.if
// CHECK: scf.for
// CHECK-NEXT: %[[INDEX:.*]] = tile.load %{{.*}} {group = 1 : i64}
// CHECK: tile.reduce
// CHECK: tile.print "bounds;load;y;32"
// CHECK: scf.yield %{{.*}}, %{{.*}} : tensor<32x!tile.ptr<i32>>, tensor<32xf32>
// CHECK: } else {
// CHECK: scf.for
// CHECK: tile.print "bounds;load;x;32"
// CHECK: tile.print "bounds;load;y;32"
// CHECK: tile.store %{{.*}}, %[[ALL]]#1
tile.kernel @loop(%x: !tile.ptr<i32> {tile.name = "x"}, %y: !tile.ptr<f32> {tile.name = "y"}, %n: i32) attributes {tile.sanitize = ["bounds"]} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant dense<32> : tensor<32xi32>
  %zero = arith.constant dense<0.0> : tensor<32xf32>
  %lane = tile.range 0 to 32 : tensor<32xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<32x!tile.ptr<i32>>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %first = tile.addptr %xs, %lane : tensor<32x!tile.ptr<i32>>, tensor<32xi32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %first, %sum = %zero) -> (tensor<32x!tile.ptr<i32>>, tensor<32xf32>) : i32 {
    %index = tile.load %p {group = 1 : i64} : tensor<32x!tile.ptr<i32>> -> tensor<32xi32>
    %q = tile.addptr %ys, %index : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
    %v = tile.load %q {group = 2 : i64} : tensor<32x!tile.ptr<f32>> -> tensor<32xf32>
    %s = arith.addf %sum, %v : tensor<32xf32>
    %next = tile.addptr %p, %c32 : tensor<32x!tile.ptr<i32>>, tensor<32xi32>
    scf.yield %next, %s : tensor<32x!tile.ptr<i32>>, tensor<32xf32>
  }
  %to = tile.addptr %ys, %lane : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  tile.store %to, %r#1 {group = 2 : i64} : tensor<32x!tile.ptr<f32>>, tensor<32xf32>
  tile.return
}

// -----
// The outer loop's access is looked at in each of its iterations; the inner loop
// has the two copies.
// CHECK-LABEL: @nest(
// CHECK-NOT: scf.if
// CHECK: scf.for
// CHECK: scf.if
// CHECK: scf.for
// CHECK-NEXT: tile.program_id
// CHECK: } else {
// CHECK: scf.for
// CHECK: scf.if
// CHECK: tile.print "bounds;store;x;4"
tile.kernel @nest(%x: !tile.ptr<f32> {tile.name = "x"}, %n: i32) attributes {tile.sanitize = ["bounds"]} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant dense<4> : tensor<4xi32>
  %ones = arith.constant dense<1.0> : tensor<4xf32>
  %lane = tile.range 0 to 4 : tensor<4xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  scf.for %i = %c0 to %n step %c1 : i32 {
    scf.for %j = %c0 to %i step %c1 : i32 {
      %program = tile.program_id 0
      %row = arith.addi %program, %j : i32
      %rows = tile.splat %row : i32 -> tensor<4xi32>
      %start = arith.muli %rows, %c4 : tensor<4xi32>
      %at = arith.addi %start, %lane : tensor<4xi32>
      %p = tile.addptr %xs, %at : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
      tile.store %p, %ones {group = 1 : i64} : tensor<4x!tile.ptr<f32>>, tensor<4xf32>
    }
  }
  tile.return
}
