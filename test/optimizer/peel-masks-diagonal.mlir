// RUN: tz-opt %s --split-input-file --tile-peel-masks=features=views.bounds --canonicalize --cse | FileCheck %s
// RUN: tz-opt %s --split-input-file --tile-peel-masks --canonicalize --cse | FileCheck %s --check-prefix=PLAIN

// Columns after a row are hidden. Up to the iteration whose last column the first
// row sees, no iteration asks; n + 15 <= 2^31 - 1 is asked once, since the sum might
// wrap.

// CHECK-LABEL: @rows_see_columns_before
// CHECK: %[[FITS:.*]] = arith.cmpi sge
// CHECK: arith.select %[[FITS]], %{{.*}}, %{{.*}} : i64
// CHECK: %[[FULL:.*]] = scf.for
// CHECK-NOT: arith.cmpi
// CHECK: tile.dot %[[P:.*]], %[[P]],
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[FULL]])
// CHECK: arith.cmpi sle
// CHECK: arith.select
// CHECK: tile.dot

// PLAIN-LABEL: @rows_see_columns_before
// PLAIN-COUNT-2: arith.select {{.*}} : tensor<16x16xi1>
tile.kernel @rows_see_columns_before(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32, %shift: i32) {
  %low = arith.constant 0 : i32
  %step = arith.constant 16 : i32
  %unit = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %origin = arith.constant 0 : i64
  %wide = arith.extsi %n : i32 to i64
  %pid = tile.program_id 0
  %first = arith.muli %pid, %step : i32
  %moved = arith.addi %first, %shift : i32
  %lane = tile.range 0 to 16 : tensor<16xi32>
  %start = tile.splat %moved : i32 -> tensor<16xi32>
  %rows = arith.addi %start, %lane : tensor<16xi32>
  %column = tile.reshape %rows : tensor<16xi32> -> tensor<16x1xi32>
  %is = tile.broadcast %column : tensor<16x1xi32> -> tensor<16x16xi32>
  %view = tile.make_view %x shape [%wide, %wide] strides [%wide, %unit] : !tile.ptr<f32> -> !tile.view<16x16xf32>
  %v = tile.load_view %view[%origin, %origin] checked [true, true] : !tile.view<16x16xf32> -> tensor<16x16xf32>
  %sum = scf.for %k = %low to %n step %step iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
    %at = tile.splat %k : i32 -> tensor<16xi32>
    %ks = arith.addi %at, %lane : tensor<16xi32>
    %row = tile.reshape %ks : tensor<16xi32> -> tensor<1x16xi32>
    %js = tile.broadcast %row : tensor<1x16xi32> -> tensor<16x16xi32>
    %seen = arith.cmpi sle, %js, %is : tensor<16x16xi32>
    %w = arith.select %seen, %v, %zero : tensor<16x16xi1>, tensor<16x16xf32>
    %next = tile.dot %w, %w, %acc : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  }
  %out = tile.make_view %y shape [%wide, %wide] strides [%wide, %unit] : !tile.ptr<f32> -> !tile.view<16x16xf32>
  tile.store_view %out[%origin, %origin], %sum checked [true, true] : !tile.view<16x16xf32>, tensor<16x16xf32>
  tile.return
}

// -----
// The same with the loop over the rows: the first iterations are those that ask.

// CHECK-LABEL: @columns_seen_from_a_row_on
// CHECK: %[[HEAD:.*]] = scf.for
// CHECK: arith.select
// CHECK: tile.dot
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[HEAD]])
// CHECK-NOT: arith.cmpi
// CHECK: tile.dot
// CHECK-NOT: scf.for
tile.kernel @columns_seen_from_a_row_on(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) {
  %low = arith.constant 0 : i32
  %step = arith.constant 16 : i32
  %unit = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %origin = arith.constant 0 : i64
  %wide = arith.extsi %n : i32 to i64
  %pid = tile.program_id 0
  %first = arith.muli %pid, %step : i32
  %lane = tile.range 0 to 16 : tensor<16xi32>
  %start = tile.splat %first : i32 -> tensor<16xi32>
  %cols = arith.addi %start, %lane : tensor<16xi32>
  %row = tile.reshape %cols : tensor<16xi32> -> tensor<1x16xi32>
  %js = tile.broadcast %row : tensor<1x16xi32> -> tensor<16x16xi32>
  %view = tile.make_view %x shape [%wide, %wide] strides [%wide, %unit] : !tile.ptr<f32> -> !tile.view<16x16xf32>
  %v = tile.load_view %view[%origin, %origin] checked [true, true] : !tile.view<16x16xf32> -> tensor<16x16xf32>
  %sum = scf.for %k = %low to %n step %step iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
    %at = tile.splat %k : i32 -> tensor<16xi32>
    %ks = arith.addi %at, %lane : tensor<16xi32>
    %column = tile.reshape %ks : tensor<16xi32> -> tensor<16x1xi32>
    %is = tile.broadcast %column : tensor<16x1xi32> -> tensor<16x16xi32>
    %seen = arith.cmpi sge, %is, %js : tensor<16x16xi32>
    %w = arith.select %seen, %v, %zero : tensor<16x16xi1>, tensor<16x16xf32>
    %next = tile.dot %w, %w, %acc : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  }
  %out = tile.make_view %y shape [%wide, %wide] strides [%wide, %unit] : !tile.ptr<f32> -> !tile.view<16x16xf32>
  tile.store_view %out[%origin, %origin], %sum checked [true, true] : !tile.view<16x16xf32>, tensor<16x16xf32>
  tile.return
}

// -----
// Nothing would be spared: no select asks for the mask.

// CHECK-LABEL: @no_split_without_select
// CHECK: tile.dot
// CHECK-NOT: tile.dot
tile.kernel @no_split_without_select(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %z: !tile.ptr<i1>, %n: i32, %m: i32) {
  %low = arith.constant 0 : i32
  %step = arith.constant 16 : i32
  %unit = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %origin = arith.constant 0 : i64
  %wide = arith.extsi %n : i32 to i64
  %lane = tile.range 0 to 16 : tensor<16xi32>
  %limit = tile.splat %m : i32 -> tensor<16xi32>
  %view = tile.make_view %x shape [%wide, %wide] strides [%wide, %unit] : !tile.ptr<f32> -> !tile.view<16x16xf32>
  %v = tile.load_view %view[%origin, %origin] checked [true, true] : !tile.view<16x16xf32> -> tensor<16x16xf32>
  %zs = tile.splat %z : !tile.ptr<i1> -> tensor<16x!tile.ptr<i1>>
  %sum = scf.for %k = %low to %n step %step iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
    %at = tile.splat %k : i32 -> tensor<16xi32>
    %ks = arith.addi %at, %lane : tensor<16xi32>
    %seen = arith.cmpi slt, %ks, %limit : tensor<16xi32>
    tile.store %zs, %seen : tensor<16x!tile.ptr<i1>>, tensor<16xi1>
    %next = tile.dot %v, %v, %acc : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  }
  %out = tile.make_view %y shape [%wide, %wide] strides [%wide, %unit] : !tile.ptr<f32> -> !tile.view<16x16xf32>
  tile.store_view %out[%origin, %origin], %sum checked [true, true] : !tile.view<16x16xf32>, tensor<16x16xf32>
  tile.return
}

// -----
// A loop that may begin below zero is not split.

// CHECK-LABEL: @no_split_of_negative_turns
// CHECK: scf.for
// CHECK: arith.select
// CHECK: tile.dot
// CHECK-NOT: tile.dot
tile.kernel @no_split_of_negative_turns(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %low: i32, %n: i32, %m: i32) {
  %step = arith.constant 16 : i32
  %unit = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %origin = arith.constant 0 : i64
  %wide = arith.extsi %n : i32 to i64
  %lane = tile.range 0 to 16 : tensor<16xi32>
  %limit = tile.splat %m : i32 -> tensor<1x16xi32>
  %view = tile.make_view %x shape [%wide, %wide] strides [%wide, %unit] : !tile.ptr<f32> -> !tile.view<16x16xf32>
  %v = tile.load_view %view[%origin, %origin] checked [true, true] : !tile.view<16x16xf32> -> tensor<16x16xf32>
  %sum = scf.for %k = %low to %n step %step iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
    %at = tile.splat %k : i32 -> tensor<16xi32>
    %ks = arith.addi %at, %lane : tensor<16xi32>
    %row = tile.reshape %ks : tensor<16xi32> -> tensor<1x16xi32>
    %seen = arith.cmpi slt, %row, %limit : tensor<1x16xi32>
    %all = tile.broadcast %seen : tensor<1x16xi1> -> tensor<16x16xi1>
    %w = arith.select %all, %v, %zero : tensor<16x16xi1>, tensor<16x16xf32>
    %next = tile.dot %w, %w, %acc : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  }
  %out = tile.make_view %y shape [%wide, %wide] strides [%wide, %unit] : !tile.ptr<f32> -> !tile.view<16x16xf32>
  tile.store_view %out[%origin, %origin], %sum checked [true, true] : !tile.view<16x16xf32>, tensor<16x16xf32>
  tile.return
}
