// Blocks of views lose and gain dimensions of one element with the views, not by reshapes.
// RUN: tz-opt %s --tile-reduce-ranks --canonicalize --split-input-file | FileCheck %s
// RUN: tz-opt %s --tile-reduce-ranks --split-input-file -mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS

// STATS: tile-reduce-ranks
// STATS: 5  reduced

// The block of expert %e, which may be any number: beyond the array its rows are.
// CHECK-LABEL: @example
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[LOW:.*]] = arith.cmpi sge, %[[E:.*]], %[[ZERO]]
// CHECK-DAG: %[[HIGH:.*]] = arith.cmpi slt, %[[E]], %{{.*}}
// CHECK: %[[IN:.*]] = arith.andi %[[LOW]], %[[HIGH]]
// CHECK: %[[AT:.*]] = tile.maxsi %[[E]], %[[ZERO]]
// CHECK: %[[STEP:.*]] = arith.muli %[[AT]], %[[STRIDE:.*]] : i64
// CHECK: %[[BASE:.*]] = tile.addptr %arg0, %[[STEP]]
// CHECK: %[[ROW:.*]] = arith.select %[[IN]], %arg5, %arg3 : i64
// CHECK: %[[VIEW:.*]] = tile.make_view %[[BASE]] shape[%arg3, %{{.*}}] strides[%{{.*}}, %{{.*}}] : <f16> -> <32x64xf16>
// CHECK: tile.load_view %[[VIEW]][%[[ROW]], %[[ZERO]]] checked [true, false] {group = 1 : i64} : <32x64xf16> -> tensor<32x64xf16>
// CHECK-NOT: tile.reshape
tile.kernel @example(%w: !tile.ptr<f16> {tile.group = 1 : i64}, %y: !tile.ptr<f16> {tile.group = 2 : i64}, %experts: i64, %rows: i64, %e: i64, %row: i64) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %width = arith.constant 64 : i64
  %size = arith.muli %rows, %width : i64
  %view = tile.make_view %w shape[%experts, %rows, %width] strides[%size, %width, %one] : <f16> -> <1x32x64xf16>
  %block = tile.load_view %view[%e, %row, %zero] checked [true, true, false] {group = 1 : i64} : <1x32x64xf16> -> tensor<1x32x64xf16>
  %matrix = tile.reshape %block : tensor<1x32x64xf16> -> tensor<32x64xf16>
  %to = tile.make_view %y shape[%rows, %width] strides[%width, %one] : <f16> -> <32x64xf16>
  tile.store_view %to[%row, %zero], %matrix checked [true, false] {group = 2 : i64} : <32x64xf16>, tensor<32x64xf16>
  tile.return
}

// -----

// A counter that stays in the array needs no test; a row that the view was moved to does.
// CHECK-LABEL: @inside
// CHECK: scf.for %[[I:.*]] = %
// CHECK-NEXT: %[[STEP:.*]] = arith.muli %[[I]], %{{.*}} : i64
// CHECK-NEXT: %[[MATRIX:.*]] = tile.addptr %arg0, %[[STEP]]
// CHECK: arith.cmpi slt, %arg3, %arg2
// CHECK: tile.addptr %[[MATRIX]], %{{.*}}
// CHECK: tile.load_view {{.*}} checked [true] {{.*}} -> tensor<64xf16>
// CHECK: tile.store_view {{.*}} checked [false] {{.*}} : <64xf16>, tensor<64xf16>
tile.kernel @inside(%w: !tile.ptr<f16> {tile.group = 1 : i64}, %y: !tile.ptr<f16> {tile.group = 2 : i64}, %rows: i64, %row: i64) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %eight = arith.constant 8 : i64
  %width = arith.constant 64 : i64
  %size = arith.muli %rows, %width : i64
  %root = tile.make_view %w shape[%eight, %rows, %width] strides[%size, %width, %one] : <f16> -> <1x1x64xf16>
  %view = tile.advance_view %root[%zero, %row, %zero] : <1x1x64xf16>
  %to = tile.make_view %y shape[%eight, %width] strides[%width, %one] : <f16> -> <1x64xf16>
  scf.for %i = %zero to %eight step %one : i64 {
    %block = tile.load_view %view[%i, %zero, %zero] checked [true, true, false] {group = 1 : i64} : <1x1x64xf16> -> tensor<1x1x64xf16>
    %line = tile.reshape %block : tensor<1x1x64xf16> -> tensor<64xf16>
    %back = tile.reshape %line : tensor<64xf16> -> tensor<1x64xf16>
    tile.store_view %to[%i, %zero], %back checked [true, false] {group = 2 : i64} : <1x64xf16>, tensor<1x64xf16>
  }
  tile.return
}

// -----

// What lies outside is the author's number; a store there stores nothing.
// CHECK-LABEL: @others
// CHECK: tile.load_view {{.*}} other %{{.*}} checked [true] {{.*}} -> tensor<64xf32>
// CHECK: tile.store_view {{.*}} checked [true] {{.*}} : <64xf32>, tensor<64xf32>
// CHECK-NOT: tile.reshape
tile.kernel @others(%x: !tile.ptr<f32> {tile.group = 1 : i64}, %y: !tile.ptr<f32> {tile.group = 2 : i64}, %rows: i64, %row: i64) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %width = arith.constant 64 : i64
  %three = arith.constant 3.0 : f32
  %from = tile.make_view %x shape[%rows, %width] strides[%width, %one] : <f32> -> <1x64xf32>
  %to = tile.make_view %y shape[%rows, %width] strides[%width, %one] : <f32> -> <1x64xf32>
  %block = tile.load_view %from[%row, %zero] other %three checked [true, false] {group = 1 : i64} : <1x64xf32>, f32 -> tensor<1x64xf32>
  %line = tile.reshape %block : tensor<1x64xf32> -> tensor<64xf32>
  %twice = arith.addf %line, %line : tensor<64xf32>
  %back = tile.reshape %twice : tensor<64xf32> -> tensor<1x64xf32>
  tile.store_view %to[%row, %zero], %back checked [true, false] {group = 2 : i64} : <1x64xf32>, tensor<1x64xf32>
  tile.return
}

// -----

// A reshape that does more, a block with another user, and a view that a loop carries stay.
// CHECK-LABEL: @stays
// CHECK-COUNT-3: tile.reshape
tile.kernel @stays(%x: !tile.ptr<f32> {tile.group = 1 : i64}, %y: !tile.ptr<f32> {tile.group = 2 : i64}, %rows: i64) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %four = arith.constant 4 : i64
  %width = arith.constant 64 : i64
  %from = tile.make_view %x shape[%rows, %width] strides[%width, %one] : <f32> -> <1x64xf32>
  %to = tile.make_view %y shape[%rows, %width] strides[%width, %one] : <f32> -> <8x8xf32>
  %line = tile.make_view %y shape[%width] strides[%one] : <f32> -> <64xf32>
  %a = tile.load_view %from[%zero, %zero] checked [true, false] {group = 1 : i64} : <1x64xf32> -> tensor<1x64xf32>
  %square = tile.reshape %a : tensor<1x64xf32> -> tensor<8x8xf32>
  tile.store_view %to[%zero, %zero], %square checked [true, false] {group = 2 : i64} : <8x8xf32>, tensor<8x8xf32>
  %b = tile.load_view %from[%one, %zero] checked [true, false] {group = 1 : i64} : <1x64xf32> -> tensor<1x64xf32>
  tile.store_view %from[%zero, %zero], %b checked [true, false] {group = 1 : i64} : <1x64xf32>, tensor<1x64xf32>
  %flat = tile.reshape %b : tensor<1x64xf32> -> tensor<64xf32>
  tile.store_view %line[%zero], %flat checked [false] {group = 2 : i64} : <64xf32>, tensor<64xf32>
  %end = scf.for %i = %zero to %four step %one iter_args(%view = %from) -> (!tile.view<1x64xf32>) : i64 {
    %c = tile.load_view %view[%zero, %zero] checked [true, false] {group = 1 : i64} : <1x64xf32> -> tensor<1x64xf32>
    %other = tile.reshape %c : tensor<1x64xf32> -> tensor<64xf32>
    tile.store_view %line[%zero], %other checked [false] {group = 2 : i64} : <64xf32>, tensor<64xf32>
    %next = tile.advance_view %view[%one, %zero] : <1x64xf32>
    scf.yield %next : !tile.view<1x64xf32>
  }
  tile.return
}
