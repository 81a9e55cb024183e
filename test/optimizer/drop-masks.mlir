// RUN: tz-opt %s --tile-drop-masks --canonicalize --split-input-file | FileCheck %s
// RUN: tz-opt %s --tile-drop-masks --split-input-file -mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS

// STATS: tile-drop-masks
// STATS: 4  dropped-bounds

// CHECK-LABEL: @example
// CHECK-NOT: arith.select
// CHECK: %[[W:.*]] = arith.mulf
// CHECK: tile.store %{{.*}}, %[[W]] mask
tile.kernel @example(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %lane = tile.range 0 to 64 : tensor<64xi32>
  %limit = tile.splat %n : i32 -> tensor<64xi32>
  %inside = arith.cmpi slt, %lane, %limit : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %from = tile.addptr %xs, %lane : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.load %from : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  %w = arith.mulf %v, %v : tensor<64xf32>
  %full = arith.select %inside, %w, %zero : tensor<64xi1>, tensor<64xf32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %to = tile.addptr %ys, %lane : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store %to, %full mask %inside : tensor<64x!tile.ptr<f32>>, tensor<64xf32>, tensor<64xi1>
  tile.return
}

// -----
// The rows of a product in a loop are rows of its accumulator, and masked off
// at the end; what is summed over keeps its bound, and so does the mask.

// CHECK-LABEL: @rows_of_a_product
// CHECK: scf.for
// CHECK: %[[COLS:.*]] = arith.cmpi slt, %{{.*}} : tensor<1x16xi32>
// CHECK: %[[MASK:.*]] = tile.broadcast %[[COLS]]
// CHECK-NOT: arith.andi
// CHECK: arith.select %[[MASK]]
// CHECK: tile.dot
tile.kernel @rows_of_a_product(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32, %m: i32) {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %low = arith.constant 0 : i32
  %step = arith.constant 16 : i32
  %pid = tile.program_id 0
  %first = arith.muli %pid, %step : i32
  %lane = tile.range 0 to 16 : tensor<16xi32>
  %start = tile.splat %first : i32 -> tensor<16xi32>
  %rows = arith.addi %start, %lane : tensor<16xi32>
  %column = tile.reshape %rows : tensor<16xi32> -> tensor<16x1xi32>
  %limit = tile.splat %n : i32 -> tensor<16x1xi32>
  %inside = arith.cmpi slt, %column, %limit : tensor<16x1xi32>
  %wide = tile.broadcast %column : tensor<16x1xi32> -> tensor<16x16xi32>
  %here = tile.broadcast %inside : tensor<16x1xi1> -> tensor<16x16xi1>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  %from = tile.addptr %xs, %wide : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  %a = tile.load %from : tensor<16x16x!tile.ptr<f32>> -> tensor<16x16xf32>
  %other = tile.splat %m : i32 -> tensor<1x16xi32>
  %sum = scf.for %k = %low to %m step %step iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
    %at = tile.splat %k : i32 -> tensor<16xi32>
    %ks = arith.addi %at, %lane : tensor<16xi32>
    %row = tile.reshape %ks : tensor<16xi32> -> tensor<1x16xi32>
    %below = arith.cmpi slt, %row, %other : tensor<1x16xi32>
    %cols = tile.broadcast %below : tensor<1x16xi1> -> tensor<16x16xi1>
    %visible = arith.andi %cols, %here : tensor<16x16xi1>
    %w = arith.select %visible, %a, %zero : tensor<16x16xi1>, tensor<16x16xf32>
    %next = tile.dot %w, %a, %acc : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  }
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  %to = tile.addptr %ys, %wide : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  tile.store %to, %sum mask %here : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xf32>, tensor<16x16xi1>
  tile.return
}

// -----
// The limit of the store is one less: what the mask hides is hidden. The other
// way round a lane is seen.

// CHECK-LABEL: @tighter_store
// CHECK: arith.select
// CHECK-NOT: arith.select
tile.kernel @tighter_store(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32, %v: f32) {
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %tile = tile.splat %v : f32 -> tensor<64xf32>
  %lane = tile.range 0 to 64 : tensor<64xi32>
  %limit = tile.splat %n : i32 -> tensor<64xi32>
  %less = arith.cmpi slt, %lane, %limit : tensor<64xi32>
  %notMore = arith.cmpi sge, %limit, %lane : tensor<64xi32>
  %wider = arith.select %less, %tile, %zero : tensor<64xi1>, tensor<64xf32>
  %same = arith.select %notMore, %tile, %zero : tensor<64xi1>, tensor<64xf32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %at = tile.addptr %xs, %lane : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %to = tile.addptr %ys, %lane : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store %at, %wider mask %notMore : tensor<64x!tile.ptr<f32>>, tensor<64xf32>, tensor<64xi1>
  tile.store %to, %same mask %less : tensor<64x!tile.ptr<f32>>, tensor<64xf32>, tensor<64xi1>
  tile.return
}

// -----
// A bound and the diagonal: only the bound goes.

// CHECK-LABEL: @diagonal_stays
// CHECK: %[[SEEN:.*]] = arith.cmpi sle
// CHECK-NOT: arith.andi
// CHECK: arith.select %[[SEEN]]
tile.kernel @diagonal_stays(%y: !tile.ptr<f32>, %n: i32, %v: f32) {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %tile = tile.splat %v : f32 -> tensor<16x16xf32>
  %lane = tile.range 0 to 16 : tensor<16xi32>
  %column = tile.reshape %lane : tensor<16xi32> -> tensor<16x1xi32>
  %row = tile.reshape %lane : tensor<16xi32> -> tensor<1x16xi32>
  %is = tile.broadcast %column : tensor<16x1xi32> -> tensor<16x16xi32>
  %js = tile.broadcast %row : tensor<1x16xi32> -> tensor<16x16xi32>
  %seen = arith.cmpi sle, %js, %is : tensor<16x16xi32>
  %limit = tile.splat %n : i32 -> tensor<16x1xi32>
  %below = arith.cmpi slt, %column, %limit : tensor<16x1xi32>
  %inside = tile.broadcast %below : tensor<16x1xi1> -> tensor<16x16xi1>
  %both = arith.andi %inside, %seen : tensor<16x16xi1>
  %w = arith.select %both, %tile, %zero : tensor<16x16xi1>, tensor<16x16xf32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  %to = tile.addptr %ys, %is : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  tile.store %to, %w mask %inside : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xf32>, tensor<16x16xi1>
  tile.return
}

// -----
// Sums and stores without the bound see what lies beyond it.

// CHECK-LABEL: @no_drop_seen
// CHECK: arith.select
// CHECK: arith.select
tile.kernel @no_drop_seen(%y: !tile.ptr<f32>, %z: !tile.ptr<f32>, %n: i32, %v: f32) {
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %tile = tile.splat %v : f32 -> tensor<64xf32>
  %lane = tile.range 0 to 64 : tensor<64xi32>
  %limit = tile.splat %n : i32 -> tensor<64xi32>
  %inside = arith.cmpi slt, %lane, %limit : tensor<64xi32>
  %summed = arith.select %inside, %tile, %zero : tensor<64xi1>, tensor<64xf32>
  %sum = "tile.reduce"(%summed) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }) : (tensor<64xf32>) -> f32
  tile.store %z, %sum : !tile.ptr<f32>, f32
  %shown = arith.select %inside, %tile, %zero : tensor<64xi1>, tensor<64xf32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %to = tile.addptr %ys, %lane : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store %to, %shown : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  tile.return
}
