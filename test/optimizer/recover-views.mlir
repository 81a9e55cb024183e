// RUN: tz-opt %s --tile-recover-views --canonicalize --split-input-file --verify-diagnostics | FileCheck %s
// RUN: tz-opt %s --tile-recover-views --split-input-file --verify-diagnostics -mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS

// STATS: tile-recover-views
// STATS: 2  declined
// STATS: 1  fixed-views
// STATS: 2  recovered-loads
// STATS: 4  recovered-stores

// CHECK-LABEL: @example
// CHECK: %[[N:.*]] = arith.extsi %{{.*}} : i32 to i64
// CHECK: %[[VIEW:.*]] = tile.make_view %{{.*}} shape[%[[N]]]
// CHECK: %[[AT:.*]] = arith.muli
// CHECK: tile.load_view %[[VIEW]][%[[AT]]] checked [true] {group = 1 : i64}
// CHECK: tile.store_view %{{.*}} checked [false]
tile.kernel @example(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) {
  %block = arith.constant 64 : i32
  %pid = tile.program_id 0
  %first = arith.muli %pid, %block : i32
  %start = tile.splat %first : i32 -> tensor<64xi32>
  %lane = tile.range 0 to 64 : tensor<64xi32>
  %at = arith.addi %start, %lane : tensor<64xi32>
  %limit = tile.splat %n : i32 -> tensor<64xi32>
  %inside = arith.cmpi slt, %at, %limit : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %from = tile.addptr %xs, %at : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.load %from mask %inside {group = 1 : i64} : tensor<64x!tile.ptr<f32>> mask tensor<64xi1> -> tensor<64xf32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %to = tile.addptr %ys, %lane : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store %to, %v : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  tile.return
}

// -----

// The offset %s may be negative: the base moves with the block, and n - s is left.
// CHECK-LABEL: @unknown_sign
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK: tile.addptr
// CHECK: arith.subi
// CHECK: tile.load_view %{{.*}}[%[[ZERO]]] other %{{.*}} checked [true]
tile.kernel @unknown_sign(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32, %s: i32) {
  %start = tile.splat %s : i32 -> tensor<64xi32>
  %lane = tile.range 0 to 64 : tensor<64xi32>
  %at = arith.addi %start, %lane : tensor<64xi32>
  %limit = tile.splat %n : i32 -> tensor<64xi32>
  %inside = arith.cmpi slt, %at, %limit : tensor<64xi32>
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %from = tile.addptr %xs, %at : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  // expected-remark @below {{not known to be >= 0}}
  %v = tile.load %from mask %inside other %one : tensor<64x!tile.ptr<f32>> mask tensor<64xi1> other tensor<64xf32> -> tensor<64xf32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %to = tile.addptr %ys, %lane : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store %to, %v : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  tile.return
}

// -----

// A row that is off as a whole is a view of extent zero.
// CHECK-LABEL: @uniform_mask
// CHECK: %[[EXTENT:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : i64
// CHECK: tile.make_view %{{.*}} shape[%[[EXTENT]]]
// CHECK: tile.store_view {{.*}} checked [true]
tile.kernel @uniform_mask(%y: !tile.ptr<f32>, %go: i1, %s: f32) {
  %v = tile.splat %s : f32 -> tensor<64xf32>
  %on = tile.splat %go : i1 -> tensor<64xi1>
  %lane = tile.range 0 to 64 : tensor<64xi32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %to = tile.addptr %ys, %lane : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store %to, %v mask %on : tensor<64x!tile.ptr<f32>>, tensor<64xf32>, tensor<64xi1>
  tile.return
}

// -----

// CHECK-LABEL: @no_view_wrapped_rows
// CHECK: tile.load %
tile.kernel @no_view_wrapped_rows(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) {
  %lane = tile.range 0 to 64 : tensor<64xi32>
  %limit = tile.splat %n : i32 -> tensor<64xi32>
  %at = tile.remsi %lane, %limit : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %from = tile.addptr %xs, %at : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  // expected-remark @below {{stays an access by pointers: the pointers are not one base plus strides times indices}}
  %v = tile.load %from : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %to = tile.addptr %ys, %lane : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store %to, %v : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  tile.return
}

// -----

// A block pointer that the loop advances is a fixed view with an offset; the
// width 48 is no power of two (R4).
// CHECK-LABEL: @in_guard
// CHECK: scf.if
// CHECK: scf.for %[[I:[a-z0-9]+]] =
// CHECK: %[[W:.*]] = arith.extsi %[[I]] : i32 to i64
// CHECK: %[[AT:.*]] = arith.muli %[[W]], %{{.*}} : i64
// CHECK: tile.store_view %{{.*}}[%[[AT]]]
tile.kernel @in_guard(%y: !tile.ptr<f32>, %s: f32, %n: i32, %size: i64, %go: i1) {
  %v = tile.splat %s : f32 -> tensor<48xf32>
  %low = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i64
  %unit = arith.constant 1 : i64
  %width = arith.constant 48 : i64
  scf.if %go {
    %view = tile.make_view %y shape [%size] strides [%unit] : !tile.ptr<f32> -> !tile.view<48xf32>
    %end = scf.for %i = %low to %n step %one iter_args(%w = %view) -> (!tile.view<48xf32>) : i32 {
      tile.store_view %w[%zero], %v checked [true] : !tile.view<48xf32>, tensor<48xf32>
      %next = tile.advance_view %w[%width] : !tile.view<48xf32>
      scf.yield %next : !tile.view<48xf32>
    }
  }
  tile.return
}

// -----

// CHECK-LABEL: @no_fixed_view_other_steps
// CHECK: tile.store_view
// CHECK: tile.advance_view
tile.kernel @no_fixed_view_other_steps(%y: !tile.ptr<f32>, %s: f32, %n: i64, %size: i64) {
  %v = tile.splat %s : f32 -> tensor<64xf32>
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %view = tile.make_view %y shape [%size] strides [%one] : !tile.ptr<f32> -> !tile.view<64xf32>
  %end = scf.for %i = %zero to %n step %one iter_args(%w = %view) -> (!tile.view<64xf32>) : i64 {
    // expected-remark @below {{keeps a view that moves: its view comes out of a branch or a loop that does not move it by the same amounts every turn; make the view once}}
    tile.store_view %w[%zero], %v checked [true] : !tile.view<64xf32>, tensor<64xf32>
    %next = tile.advance_view %w[%i] : !tile.view<64xf32>
    scf.yield %next : !tile.view<64xf32>
  }
  tile.return
}
