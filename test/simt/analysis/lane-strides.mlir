// By how much tiles mostly grow from lane to lane.
// RUN: tz-opt %s --simt-print-lane-strides -o /dev/null | FileCheck %s

// Sums, differences and products by constants are exact; remainders, minima and
// selects are taken for what they mostly are, quotients for equal lanes.
// CHECK-LABEL: simt-print-lane-strides @vector
// CHECK-NEXT: %0: lane strides [1]
// CHECK-NEXT: %cst: lane strides [0]
// CHECK-NEXT: %cst_0: lane strides [0]
// CHECK-NEXT: %1: lane strides [0]
// CHECK-NEXT: %2: lane strides [3]
// CHECK-NEXT: %3: lane strides [-3]
// CHECK-NEXT: %4: lane strides [-2]
// CHECK-NEXT: %5: lane strides [?]
// CHECK-NEXT: %6: lane strides [?]
// CHECK-NEXT: %7: lane strides [3]
// CHECK-NEXT: %8: lane strides [0]
// CHECK-NEXT: %9: lane strides [1]
// CHECK-NEXT: %10: lane strides [3]
// CHECK-NEXT: %11: lane strides [?]
// CHECK-NEXT: %12: lane strides [3]
// CHECK-NEXT: %13: lane strides [?]
tile.kernel @vector(%n: i32) {
  %lanes = tile.range 0 to 64 : tensor<64xi32>
  %three = arith.constant dense<3> : tensor<64xi32>
  %one = arith.constant dense<1> : tensor<64xi32>
  %limit = tile.splat %n : i32 -> tensor<64xi32>
  %tripled = arith.muli %lanes, %three : tensor<64xi32>
  %less = arith.subi %limit, %tripled : tensor<64xi32>
  %sum = arith.addi %less, %lanes : tensor<64xi32>
  %unknown = arith.muli %lanes, %limit : tensor<64xi32>
  %square = arith.muli %lanes, %lanes : tensor<64xi32>
  %rest = tile.remsi %tripled, %limit : tensor<64xi32>
  %part = tile.divsi %lanes, %limit : tensor<64xi32>
  %same = tile.divsi %lanes, %one : tensor<64xi32>
  %least = tile.minsi %limit, %tripled : tensor<64xi32>
  %inside = arith.cmpi slt, %lanes, %limit : tensor<64xi32>
  %chosen = arith.select %inside, %tripled, %limit : tensor<64xi1>, tensor<64xi32>
  %both = arith.select %inside, %tripled, %lanes : tensor<64xi1>, tensor<64xi32>
  tile.return
}

// Rows and columns, in the order that a transposition gives them; lanes that are
// regrouped say nothing; what a loop carries grows as what it begins with.
// CHECK-LABEL: simt-print-lane-strides @matrix
// CHECK-NEXT: %0: lane strides [1]
// CHECK-NEXT: %1: lane strides [1, 0]
// CHECK-NEXT: %2: lane strides [1, 0]
// CHECK-NEXT: %3: lane strides [0, 1]
// CHECK-NEXT: %4: lane strides [?, ?]
// CHECK-NEXT: %5: lane strides [0, 0]
// CHECK-NEXT: %6: lane strides [1, 0]
// CHECK-NEXT: %7: lane strides [?, ?]
// CHECK-NEXT: %arg3: lane strides [1, 0]
// CHECK-NEXT: %8: lane strides [2, 0]
tile.kernel @matrix(%x: !tile.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %rows = tile.range 0 to 32 : tensor<32xi32>
  %column = tile.reshape %rows : tensor<32xi32> -> tensor<32x1xi32>
  %wide = tile.broadcast %column : tensor<32x1xi32> -> tensor<32x16xi32>
  %turned = tile.transpose %wide [1, 0] : tensor<32x16xi32> -> tensor<16x32xi32>
  %regrouped = tile.reshape %rows : tensor<32xi32> -> tensor<4x8xi32>
  %base = tile.splat %x : !tile.ptr<f32> -> tensor<32x16x!tile.ptr<f32>>
  %p = tile.addptr %base, %wide : tensor<32x16x!tile.ptr<f32>>, tensor<32x16xi32>
  scf.for %i = %c0 to %n step %c1 iter_args(%q = %p) -> (tensor<32x16x!tile.ptr<f32>>) : i32 {
    %next = tile.addptr %q, %wide : tensor<32x16x!tile.ptr<f32>>, tensor<32x16xi32>
    scf.yield %next : tensor<32x16x!tile.ptr<f32>>
  }
  tile.return
}
