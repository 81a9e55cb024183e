// RUN: tz-opt %s --split-input-file --tile-peel-masks=features=views.bounds | FileCheck %s

// What follows the full blocks of a loop is one iteration at most: a branch, not a
// loop.

// CHECK-LABEL: @one_turn_left
// CHECK: %[[FULL:.*]] = scf.for %{{.*}} = %[[LOW:[a-z0-9_]*]] to
// CHECK: tile.load_view {{.*}} checked [false]
// CHECK: %[[LEFT:.*]] = arith.cmpi slt, %[[AT:.*]], %{{.*}} : i32
// CHECK: %[[ALL:.*]] = scf.if %[[LEFT]] -> (tensor<48xf32>) {
// CHECK: %[[WIDE:.*]] = arith.extsi %[[AT]] : i32 to i64
// CHECK: %[[PART:.*]] = tile.load_view %{{.*}}[%[[WIDE]]] checked [true]
// CHECK: %[[SUM:.*]] = arith.addf %[[FULL]], %[[PART]]
// CHECK: scf.yield %[[SUM]]
// CHECK: } else {
// CHECK: scf.yield %[[FULL]]
// CHECK: tile.store_view %{{.*}}, %[[ALL]]
tile.kernel @one_turn_left(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) {
  %low = arith.constant 0 : i32
  %step = arith.constant 48 : i32
  %unit = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<48xf32>
  %origin = arith.constant 0 : i64
  %wide = arith.extsi %n : i32 to i64
  %view = tile.make_view %x shape [%wide] strides [%unit] : !tile.ptr<f32> -> !tile.view<48xf32>
  %sum = scf.for %k = %low to %n step %step iter_args(%acc = %zero) -> (tensor<48xf32>) : i32 {
    %at = arith.extsi %k : i32 to i64
    %v = tile.load_view %view[%at] checked [true] : !tile.view<48xf32> -> tensor<48xf32>
    %next = arith.addf %acc, %v : tensor<48xf32>
    scf.yield %next : tensor<48xf32>
  }
  %out = tile.make_view %y shape [%wide] strides [%unit] : !tile.ptr<f32> -> !tile.view<48xf32>
  tile.store_view %out[%origin], %sum checked [false] : !tile.view<48xf32>, tensor<48xf32>
  tile.return
}

// -----
// The same where the loop counts blocks: (n + 47) / 48 is no more than one above the
// number of full blocks, and negative where the sum wraps.

// CHECK-LABEL: @one_block_left
// CHECK: scf.for
// CHECK: tile.load_view {{.*}} checked [false]
// CHECK: scf.if
// CHECK: tile.load_view {{.*}} checked [true]
// CHECK-NOT: scf.for
// CHECK: tile.return
tile.kernel @one_block_left(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) {
  %low = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %more = arith.constant 47 : i32
  %width = arith.constant 48 : i32
  %unit = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<48xf32>
  %origin = arith.constant 0 : i64
  %block = arith.constant 48 : i64
  %wide = arith.extsi %n : i32 to i64
  %view = tile.make_view %x shape [%wide] strides [%unit] : !tile.ptr<f32> -> !tile.view<48xf32>
  %rounded = arith.addi %n, %more : i32
  %blocks = tile.divsi %rounded, %width : i32
  %sum = scf.for %k = %low to %blocks step %one iter_args(%acc = %zero) -> (tensor<48xf32>) : i32 {
    %number = arith.extsi %k : i32 to i64
    %at = arith.muli %number, %block : i64
    %v = tile.load_view %view[%at] checked [true] : !tile.view<48xf32> -> tensor<48xf32>
    %next = arith.addf %acc, %v : tensor<48xf32>
    scf.yield %next : tensor<48xf32>
  }
  %out = tile.make_view %y shape [%wide] strides [%unit] : !tile.ptr<f32> -> !tile.view<48xf32>
  tile.store_view %out[%origin], %sum checked [false] : !tile.view<48xf32>, tensor<48xf32>
  tile.return
}

// -----
// Of (n + 96) / 48 blocks two may not be full.

// CHECK-LABEL: @two_blocks_left
// CHECK: scf.for
// CHECK: tile.load_view {{.*}} checked [false]
// CHECK: scf.for
// CHECK: tile.load_view {{.*}} checked [true]
// CHECK: tile.return
tile.kernel @two_blocks_left(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) {
  %low = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %more = arith.constant 96 : i32
  %width = arith.constant 48 : i32
  %unit = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<48xf32>
  %origin = arith.constant 0 : i64
  %block = arith.constant 48 : i64
  %wide = arith.extsi %n : i32 to i64
  %view = tile.make_view %x shape [%wide] strides [%unit] : !tile.ptr<f32> -> !tile.view<48xf32>
  %rounded = arith.addi %n, %more : i32
  %blocks = tile.divsi %rounded, %width : i32
  %sum = scf.for %k = %low to %blocks step %one iter_args(%acc = %zero) -> (tensor<48xf32>) : i32 {
    %number = arith.extsi %k : i32 to i64
    %at = arith.muli %number, %block : i64
    %v = tile.load_view %view[%at] checked [true] : !tile.view<48xf32> -> tensor<48xf32>
    %next = arith.addf %acc, %v : tensor<48xf32>
    scf.yield %next : tensor<48xf32>
  }
  %out = tile.make_view %y shape [%wide] strides [%unit] : !tile.ptr<f32> -> !tile.view<48xf32>
  tile.store_view %out[%origin], %sum checked [false] : !tile.view<48xf32>, tensor<48xf32>
  tile.return
}

// -----
// Blocks of 48 every 16: three iterations cross the bound.

// CHECK-LABEL: @no_branch_for_blocks_that_overlap
// CHECK: scf.for
// CHECK: tile.store_view {{.*}} checked [false]
// CHECK: scf.for
// CHECK: tile.store_view {{.*}} checked [true]
tile.kernel @no_branch_for_blocks_that_overlap(%y: !tile.ptr<f32>, %n: i64, %s: f32) {
  %zero = arith.constant 0 : i64
  %unit = arith.constant 1 : i64
  %step = arith.constant 16 : i64
  %v = tile.splat %s : f32 -> tensor<48xf32>
  %view = tile.make_view %y shape [%n] strides [%unit] : !tile.ptr<f32> -> !tile.view<48xf32>
  scf.for %at = %zero to %n step %step : i64 {
    tile.store_view %view[%at], %v checked [true] : !tile.view<48xf32>, tensor<48xf32>
  }
  tile.return
}

// -----
// The loop may go on beyond the bound.

// CHECK-LABEL: @no_branch_for_another_end
// CHECK: scf.for
// CHECK: tile.store_view {{.*}} checked [false]
// CHECK: scf.for
// CHECK: tile.store_view {{.*}} checked [true]
tile.kernel @no_branch_for_another_end(%y: !tile.ptr<f32>, %n: i64, %m: i64, %s: f32) {
  %zero = arith.constant 0 : i64
  %unit = arith.constant 1 : i64
  %step = arith.constant 48 : i64
  %v = tile.splat %s : f32 -> tensor<48xf32>
  %view = tile.make_view %y shape [%n] strides [%unit] : !tile.ptr<f32> -> !tile.view<48xf32>
  scf.for %at = %zero to %m step %step : i64 {
    tile.store_view %view[%at], %v checked [true] : !tile.view<48xf32>, tensor<48xf32>
  }
  tile.return
}

// -----
// What is compared was loaded: no bound says anything of it, and the loop with
// the dot stays one.

// CHECK-LABEL: @no_copy_for_comparisons_of_data
// CHECK: scf.for
// CHECK: tile.load_view {{.*}} checked [true, true]
// CHECK: tile.dot
// CHECK-NOT: scf.for
// CHECK-NOT: tile.dot
tile.kernel @no_copy_for_comparisons_of_data(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) {
  %low = arith.constant 0 : i32
  %step = arith.constant 16 : i32
  %unit = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %none = arith.constant dense<0> : tensor<16x16xi32>
  %origin = arith.constant 0 : i64
  %wide = arith.extsi %n : i32 to i64
  %view = tile.make_view %x shape [%wide, %wide] strides [%wide, %unit] : !tile.ptr<f32> -> !tile.view<16x16xf32>
  %sum = scf.for %k = %low to %n step %step iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
    %at = arith.extsi %k : i32 to i64
    %v = tile.load_view %view[%origin, %at] checked [true, true] : !tile.view<16x16xf32> -> tensor<16x16xf32>
    %bits = tile.bitcast %v : tensor<16x16xf32> to tensor<16x16xi32>
    %isNone = arith.cmpi eq, %bits, %none : tensor<16x16xi32>
    %w = arith.select %isNone, %zero, %v : tensor<16x16xi1>, tensor<16x16xf32>
    %next = tile.dot %w, %v, %acc : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  }
  %out = tile.make_view %y shape [%wide, %wide] strides [%wide, %unit] : !tile.ptr<f32> -> !tile.view<16x16xf32>
  tile.store_view %out[%origin, %origin], %sum checked [false, false] : !tile.view<16x16xf32>, tensor<16x16xf32>
  tile.return
}

// -----
// The bound of a load before a loop with dots does not copy the loop; that of
// the store behind it copies the store.

// CHECK-LABEL: @no_copy_of_a_loop_with_dots
// CHECK-NOT: scf.if
// CHECK: tile.load_view {{.*}} checked [true, false]
// CHECK-NOT: scf.if
// CHECK: tile.dot
// CHECK-NOT: tile.dot
// CHECK: scf.if
// CHECK: tile.store_view {{.*}} checked [false, false]
// CHECK: } else {
// CHECK: tile.store_view {{.*}} checked [true, false]
tile.kernel @no_copy_of_a_loop_with_dots(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32, %rows: i64, %at: i64) {
  %low = arith.constant 0 : i32
  %step = arith.constant 16 : i32
  %unit = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %origin = arith.constant 0 : i64
  %wide = arith.constant 16 : i64
  %view = tile.make_view %x shape [%rows, %wide] strides [%wide, %unit] : !tile.ptr<f32> -> !tile.view<16x16xf32>
  %v = tile.load_view %view[%at, %origin] checked [true, false] : !tile.view<16x16xf32> -> tensor<16x16xf32>
  %sum = scf.for %k = %low to %n step %step iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
    %next = tile.dot %v, %v, %acc : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  }
  %out = tile.make_view %y shape [%rows, %wide] strides [%wide, %unit] : !tile.ptr<f32> -> !tile.view<16x16xf32>
  tile.store_view %out[%at, %origin], %sum checked [true, false] : !tile.view<16x16xf32>, tensor<16x16xf32>
  tile.return
}
