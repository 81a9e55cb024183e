// What is equal in all lanes of a warp.
// RUN: tz-opt %s --simt-print-uniform -o /dev/null | FileCheck %s

// Without layouts: how far elements are equal. A constant, a number for all and what
// is computed of them are equal everywhere; a range is nowhere, its halves are by pairs.
// CHECK-LABEL: simt-print-uniform @along
// CHECK-NEXT: %0: equal along [1]
// CHECK-NEXT: %cst: equal along [all]
// CHECK-NEXT: %1: equal along [all]
// CHECK-NEXT: %2: equal along [all]
// CHECK-NEXT: %3: equal along [2]
// CHECK-NEXT: %4: equal along [1]
tile.kernel @along(%x: f32) {
  %lanes = tile.range 0 to 64 : tensor<64xi32>
  %two = arith.constant dense<2> : tensor<64xi32>
  %all = tile.splat %x : f32 -> tensor<64xf32>
  %sum = arith.addf %all, %all : tensor<64xf32>
  %pairs = tile.divui %lanes, %two : tensor<64xi32>
  %more = arith.addi %lanes, %pairs : tensor<64xi32>
  tile.return
}

// A row for all rows is equal along the rows. Sums along the columns are as the rows
// are, a running sum is not equal along its own dimension.
// CHECK-LABEL: simt-print-uniform @shapes
// CHECK-NEXT: %0: equal along [1]
// CHECK-NEXT: %1: equal along [all, 1]
// CHECK-NEXT: %2: equal along [all, 1]
// CHECK-NEXT: %3: equal along [1, all]
// CHECK-NEXT: %4: equal along [all]
// CHECK: %5: equal along [all, 1]
// CHECK: %6: equal along [1]
tile.kernel @shapes(%n: i32) {
  %lanes = tile.range 0 to 64 : tensor<64xi32>
  %row = tile.reshape %lanes : tensor<64xi32> -> tensor<1x64xi32>
  %rows = tile.broadcast %row : tensor<1x64xi32> -> tensor<32x64xi32>
  %turned = tile.transpose %rows [1, 0] : tensor<32x64xi32> -> tensor<64x32xi32>
  %sums = "tile.reduce"(%rows) <{axis = 1 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    tile.yield %s : i32
  }) : (tensor<32x64xi32>) -> tensor<32xi32>
  %running = "tile.scan"(%rows) <{axis = 1 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    tile.yield %s : i32
  }) : (tensor<32x64xi32>) -> tensor<32x64xi32>
  %flat = tile.reshape %rows : tensor<32x64xi32> -> tensor<2048xi32>
  tile.return
}

// What a loop carries is equal as long as each iteration leaves it so: %same does,
// %own takes its lane's number in the first one.
// CHECK-LABEL: simt-print-uniform @carried
// CHECK: %arg{{[0-9]+}}: equal along [all]
// CHECK-NEXT: %arg{{[0-9]+}}: equal along [1]
tile.kernel @carried(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %lanes = tile.range 0 to 64 : tensor<64xi32>
  %zero = arith.constant dense<0> : tensor<64xi32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%same = %zero, %own = %zero) -> (tensor<64xi32>, tensor<64xi32>) : i32 {
    %one = tile.splat %i : i32 -> tensor<64xi32>
    %next = arith.addi %same, %one : tensor<64xi32>
    %other = arith.addi %own, %lanes : tensor<64xi32>
    scf.yield %next, %other : tensor<64xi32>, tensor<64xi32>
  }
  tile.return
}

// With layouts: the lanes of a warp lie along the columns. A row's number, its pointer
// and what is loaded there are the same in all of them; a volatile load is not.
// RUN: tz-opt %s --simt-assign-layouts --simt-print-uniform -o /dev/null | FileCheck %s --check-prefix=LANES
// LANES-LABEL: simt-print-uniform @lanes
// LANES: %6: equal along [1, all], uniform
// LANES: %13: equal along [1, all], uniform, loaded at one address
// LANES-NEXT: %14: equal along [1, 1], not uniform
// LANES-NEXT: %15: equal along [1, 1], not uniform
// LANES-NOT: at one address
tile.kernel @lanes(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.num_warps = 4 : i32} {
  %r = tile.range 0 to 4 : tensor<4xi32>
  %c = tile.range 0 to 128 : tensor<128xi32>
  %rc = tile.reshape %r : tensor<4xi32> -> tensor<4x1xi32>
  %cr = tile.reshape %c : tensor<128xi32> -> tensor<1x128xi32>
  %rows = tile.broadcast %rc : tensor<4x1xi32> -> tensor<4x128xi32>
  %columns = tile.broadcast %cr : tensor<1x128xi32> -> tensor<4x128xi32>
  %width = arith.constant dense<128> : tensor<4x128xi32>
  %begin = arith.muli %rows, %width : tensor<4x128xi32>
  %at = arith.addi %begin, %columns : tensor<4x128xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<4x128x!tile.ptr<f32>>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<4x128x!tile.ptr<f32>>
  %px = tile.addptr %xs, %rows : tensor<4x128x!tile.ptr<f32>>, tensor<4x128xi32>
  %py = tile.addptr %ys, %at : tensor<4x128x!tile.ptr<f32>>, tensor<4x128xi32>
  %v = tile.load %px : tensor<4x128x!tile.ptr<f32>> -> tensor<4x128xf32>
  %w = tile.load %px {isVolatile} : tensor<4x128x!tile.ptr<f32>> -> tensor<4x128xf32>
  %e = tile.load %py : tensor<4x128x!tile.ptr<f32>> -> tensor<4x128xf32>
  %s = arith.addf %v, %e : tensor<4x128xf32>
  %t = arith.addf %s, %w : tensor<4x128xf32>
  tile.store %py, %t : tensor<4x128x!tile.ptr<f32>>, tensor<4x128xf32>
  tile.return
}
