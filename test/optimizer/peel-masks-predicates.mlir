// RUN: tz-opt %s --split-input-file --tile-peel-masks=features=views.bounds,masks.predicates | FileCheck %s

// A mask that costs nothing is not worth a second copy of the kernel.

// CHECK-LABEL: @no_copy_for_a_mask
// CHECK-NOT: scf.if
// CHECK: tile.store_view {{.*}} checked [true]
// CHECK-NOT: tile.store_view
tile.kernel @no_copy_for_a_mask(%y: !tile.ptr<f32>, %n: i64, %s: f32) {
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i64
  %pid = tile.program_id 0
  %wide = arith.extsi %pid : i32 to i64
  %at = arith.muli %wide, %block : i64
  %v = tile.splat %s : f32 -> tensor<64xf32>
  %view = tile.make_view %y shape [%n] strides [%unit] : !tile.ptr<f32> -> !tile.view<64xf32>
  tile.store_view %view[%at], %v checked [true] : !tile.view<64xf32>, tensor<64xf32>
  tile.return
}

// -----
// A loop is split all the same: its hot part has no check.

// CHECK-LABEL: @loops_are_split
// CHECK: scf.for
// CHECK: tile.store_view {{.*}} checked [false]
// CHECK: scf.if
// CHECK: tile.store_view {{.*}} checked [true]
tile.kernel @loops_are_split(%y: !tile.ptr<f32>, %n: i32, %s: f32) {
  %low = arith.constant 0 : i32
  %step = arith.constant 48 : i32
  %unit = arith.constant 1 : i64
  %wide = arith.extsi %n : i32 to i64
  %v = tile.splat %s : f32 -> tensor<48xf32>
  %view = tile.make_view %y shape [%wide] strides [%unit] : !tile.ptr<f32> -> !tile.view<48xf32>
  scf.for %k = %low to %n step %step : i32 {
    %at = arith.extsi %k : i32 to i64
    tile.store_view %view[%at], %v checked [true] : !tile.view<48xf32>, tensor<48xf32>
  }
  tile.return
}

// -----
// Checks that a loop would ask in each iteration are asked once.

// CHECK-LABEL: @copied_around_a_loop
// CHECK: scf.if
// CHECK: scf.for
// CHECK: tile.store_view {{.*}} checked [false, false]
// CHECK: } else {
// CHECK: scf.for
// CHECK: tile.store_view {{.*}} checked [false, true]
tile.kernel @copied_around_a_loop(%y: !tile.ptr<f32>, %rows: i64, %n: i64, %s: f32) {
  %zero = arith.constant 0 : i64
  %unit = arith.constant 1 : i64
  %v = tile.splat %s : f32 -> tensor<1x48xf32>
  %view = tile.make_view %y shape [%rows, %n] strides [%n, %unit] : !tile.ptr<f32> -> !tile.view<1x48xf32>
  scf.for %at = %zero to %rows step %unit : i64 {
    tile.store_view %view[%at, %zero], %v checked [false, true] : !tile.view<1x48xf32>, tensor<1x48xf32>
  }
  tile.return
}

// -----
// A loop that asks for none of the checks is no reason to copy what stands around it.

// CHECK-LABEL: @no_copy_for_another_loop
// CHECK-NOT: scf.if
// CHECK: tile.load_view {{.*}} checked [true]
// CHECK: scf.for
// CHECK: tile.store_view {{.*}} checked [true]
// CHECK-NOT: tile.store_view
tile.kernel @no_copy_for_another_loop(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %s: !tile.ptr<f32>, %n: i64, %rounds: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %width = arith.constant 128 : i64
  %p = tile.program_id 0
  %pid = arith.extsi %p : i32 to i64
  %at = arith.muli %pid, %width : i64
  %from = tile.make_view %x shape [%n] strides [%one] : !tile.ptr<f32> -> !tile.view<128xf32>
  %begin = tile.load_view %from[%at] checked [true] : !tile.view<128xf32> -> tensor<128xf32>
  %sum = scf.for %i = %c0 to %rounds step %c1 iter_args(%acc = %begin) -> (tensor<128xf32>) : i32 {
    %q = tile.addptr %s, %i : !tile.ptr<f32>, i32
    %v = tile.load %q : !tile.ptr<f32> -> f32
    %all = tile.splat %v : f32 -> tensor<128xf32>
    %next = arith.addf %acc, %all : tensor<128xf32>
    scf.yield %next : tensor<128xf32>
  }
  %to = tile.make_view %y shape [%n] strides [%one] : !tile.ptr<f32> -> !tile.view<128xf32>
  tile.store_view %to[%at], %sum checked [true] : !tile.view<128xf32>, tensor<128xf32>
  tile.return
}

// -----
// Dots that run once do not change that: three of them would stand there twice.

// CHECK-LABEL: @no_copy_beside_a_dot
// CHECK: tile.dot
// CHECK-NOT: scf.if
// CHECK: tile.store_view {{.*}} checked [true, false]
// CHECK-NOT: tile.store_view
tile.kernel @no_copy_beside_a_dot(%y: !tile.ptr<f32>, %n: i64, %s: f32) {
  %zero = arith.constant 0 : i64
  %unit = arith.constant 1 : i64
  %block = arith.constant 16 : i64
  %v = tile.splat %s : f32 -> tensor<16x16xf32>
  %product = tile.dot %v, %v, %v : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %view = tile.make_view %y shape [%n, %block] strides [%block, %unit] : !tile.ptr<f32> -> !tile.view<16x16xf32>
  tile.store_view %view[%zero, %zero], %product checked [true, false] : !tile.view<16x16xf32>, tensor<16x16xf32>
  tile.return
}

// -----
// Behind a loop of dots masks would take registers from the loop.

// CHECK-LABEL: @copied_behind_a_loop_of_dots
// CHECK: scf.for
// CHECK: scf.if
// CHECK: tile.store_view {{.*}} checked [false, false]
// CHECK: } else {
// CHECK: tile.store_view {{.*}} checked [true, false]
tile.kernel @copied_behind_a_loop_of_dots(%y: !tile.ptr<f32>, %n: i64, %turns: i32, %s: f32) {
  %low = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i64
  %unit = arith.constant 1 : i64
  %block = arith.constant 16 : i64
  %v = tile.splat %s : f32 -> tensor<16x16xf32>
  %sum = scf.for %k = %low to %turns step %one iter_args(%at = %v) -> (tensor<16x16xf32>) : i32 {
    %product = tile.dot %v, %v, %at : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    scf.yield %product : tensor<16x16xf32>
  }
  %view = tile.make_view %y shape [%n, %block] strides [%block, %unit] : !tile.ptr<f32> -> !tile.view<16x16xf32>
  tile.store_view %view[%zero, %zero], %sum checked [true, false] : !tile.view<16x16xf32>, tensor<16x16xf32>
  tile.return
}

// -----
// Programs differ in whether their columns are full, and the loop over rows is
// split in any case: no iteration of it is full unless the columns are, and what
// follows has its check. One copy of the loop, not two.

// CHECK-LABEL: @asked_with_the_turns
// CHECK: %[[FULL:.*]] = arith.cmpi sge
// CHECK: arith.select %[[FULL]]
// CHECK: scf.for
// CHECK: tile.load_view {{.*}} checked [false, false]
// CHECK: scf.for
// CHECK: tile.load_view {{.*}} checked [true, true]
// CHECK: scf.yield
// CHECK-NOT: scf.
// CHECK: tile.store_view {{.*}} checked [true]
// CHECK-NOT: tile.store_view
tile.kernel @asked_with_the_turns(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %rows: i32, %n: i32) {
  %low = arith.constant 0 : i32
  %step = arith.constant 16 : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i64
  %none = arith.constant dense<0.0> : tensor<16x64xf32>
  %pid = tile.program_id 0
  %wide = arith.extsi %pid : i32 to i64
  %col = arith.muli %wide, %block : i64
  %m = arith.extsi %rows : i32 to i64
  %k = arith.extsi %n : i32 to i64
  %view = tile.make_view %x shape [%m, %k] strides [%k, %unit] : !tile.ptr<f32> -> !tile.view<16x64xf32>
  %sum = scf.for %i = %low to %rows step %step iter_args(%acc = %none) -> (tensor<16x64xf32>) : i32 {
    %row = arith.extsi %i : i32 to i64
    %v = tile.load_view %view[%row, %col] checked [true, true] : !tile.view<16x64xf32> -> tensor<16x64xf32>
    %next = arith.addf %acc, %v : tensor<16x64xf32>
    scf.yield %next : tensor<16x64xf32>
  }
  %all = tile.reduce(%sum) axis 0 : (tensor<16x64xf32>) -> tensor<64xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %to = tile.make_view %y shape [%k] strides [%unit] : !tile.ptr<f32> -> !tile.view<64xf32>
  tile.store_view %to[%col], %all checked [true] : !tile.view<64xf32>, tensor<64xf32>
  tile.return
}

// -----
// A loop that computes what it multiplies is not copied for predicates of its
// loads ...

// CHECK-LABEL: @operand_is_computed
// CHECK: scf.for
// CHECK: tile.load_view {{.*}} checked [false, true]
// CHECK: tile.load %{{.*}} mask
// CHECK: tile.dot
// CHECK-NOT: tile.dot
tile.kernel @operand_is_computed(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %y: !tile.ptr<f32>, %depth: i32) {
  %low = arith.constant 0 : i32
  %step = arith.constant 16 : i32
  %zero = arith.constant 0 : i64
  %unit = arith.constant 1 : i64
  %size = arith.constant 16 : i64
  %none = arith.constant dense<0.0> : tensor<16x16xf32>
  %off = arith.constant dense<0.0> : tensor<16x16xf16>
  %k = arith.extsi %depth : i32 to i64
  %view = tile.make_view %a shape [%size, %k] strides [%k, %unit] : !tile.ptr<f16> -> !tile.view<16x16xf16>
  %line = tile.range 0 to 16 : tensor<16xi32>
  %ends = tile.splat %depth : i32 -> tensor<16xi32>
  %base = tile.splat %b : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  %sum = scf.for %i = %low to %depth step %step iter_args(%acc = %none) -> (tensor<16x16xf32>) : i32 {
    %at = arith.extsi %i : i32 to i64
    %left = tile.load_view %view[%zero, %at] checked [false, true] : !tile.view<16x16xf16> -> tensor<16x16xf16>
    %first = tile.splat %i : i32 -> tensor<16xi32>
    %rows = arith.addi %first, %line : tensor<16xi32>
    %inside = arith.cmpi slt, %rows, %ends : tensor<16xi32>
    %column = tile.reshape %inside : tensor<16xi1> -> tensor<16x1xi1>
    %mask = tile.broadcast %column : tensor<16x1xi1> -> tensor<16x16xi1>
    %row = tile.reshape %rows : tensor<16xi32> -> tensor<16x1xi32>
    %steps = tile.broadcast %row : tensor<16x1xi32> -> tensor<16x16xi32>
    %where = tile.addptr %base, %steps : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
    %loaded = tile.load %where mask %mask other %off : tensor<16x16x!tile.ptr<f16>> mask tensor<16x16xi1> other tensor<16x16xf16> -> tensor<16x16xf16>
    %right = arith.mulf %loaded, %loaded : tensor<16x16xf16>
    %next = tile.dot %left, %right, %acc : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  }
  %to = tile.splat %y : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  tile.store %to, %sum : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xf32>
  tile.return
}

// -----
// ... one that multiplies what it loads is: predicates are much beside copies.

// CHECK-LABEL: @operands_are_loaded
// CHECK: scf.for
// CHECK: tile.load_view {{.*}} checked [false, false]
// CHECK: tile.dot
// CHECK: tile.load_view {{.*}} checked [false, true]
// CHECK: tile.dot
tile.kernel @operands_are_loaded(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %y: !tile.ptr<f32>, %depth: i32) {
  %low = arith.constant 0 : i32
  %step = arith.constant 16 : i32
  %zero = arith.constant 0 : i64
  %unit = arith.constant 1 : i64
  %size = arith.constant 16 : i64
  %none = arith.constant dense<0.0> : tensor<16x16xf32>
  %off = arith.constant dense<0.0> : tensor<16x16xf16>
  %k = arith.extsi %depth : i32 to i64
  %view = tile.make_view %a shape [%size, %k] strides [%k, %unit] : !tile.ptr<f16> -> !tile.view<16x16xf16>
  %line = tile.range 0 to 16 : tensor<16xi32>
  %ends = tile.splat %depth : i32 -> tensor<16xi32>
  %base = tile.splat %b : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  %sum = scf.for %i = %low to %depth step %step iter_args(%acc = %none) -> (tensor<16x16xf32>) : i32 {
    %at = arith.extsi %i : i32 to i64
    %left = tile.load_view %view[%zero, %at] checked [false, true] : !tile.view<16x16xf16> -> tensor<16x16xf16>
    %first = tile.splat %i : i32 -> tensor<16xi32>
    %rows = arith.addi %first, %line : tensor<16xi32>
    %inside = arith.cmpi slt, %rows, %ends : tensor<16xi32>
    %column = tile.reshape %inside : tensor<16xi1> -> tensor<16x1xi1>
    %mask = tile.broadcast %column : tensor<16x1xi1> -> tensor<16x16xi1>
    %row = tile.reshape %rows : tensor<16xi32> -> tensor<16x1xi32>
    %steps = tile.broadcast %row : tensor<16x1xi32> -> tensor<16x16xi32>
    %where = tile.addptr %base, %steps : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
    %right = tile.load %where mask %mask other %off : tensor<16x16x!tile.ptr<f16>> mask tensor<16x16xi1> other tensor<16x16xf16> -> tensor<16x16xf16>
    %next = tile.dot %left, %right, %acc : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  }
  %to = tile.splat %y : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  tile.store %to, %sum : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xf32>
  tile.return
}

// -----
// A loop over tiles of hundreds of elements a lane is not copied.

// CHECK-LABEL: @too_wide
// CHECK: scf.for
// CHECK: tile.store_view {{.*}} checked [true]
// CHECK-NOT: tile.store_view
tile.kernel @too_wide(%y: !tile.ptr<f32>, %n: i32, %s: f32) attributes {tile.num_warps = 4 : i32} {
  %low = arith.constant 0 : i32
  %step = arith.constant 32768 : i32
  %unit = arith.constant 1 : i64
  %wide = arith.extsi %n : i32 to i64
  %v = tile.splat %s : f32 -> tensor<32768xf32>
  %view = tile.make_view %y shape [%wide] strides [%unit] : !tile.ptr<f32> -> !tile.view<32768xf32>
  scf.for %k = %low to %n step %step : i32 {
    %at = arith.extsi %k : i32 to i64
    tile.store_view %view[%at], %v checked [true] : !tile.view<32768xf32>, tensor<32768xf32>
  }
  tile.return
}

// -----
// Products beside a loop that asks for nothing: without masks their operands
// leave more registers.

// CHECK-LABEL: @products_beside_a_loop
// CHECK: scf.if
// CHECK: tile.store_view {{.*}} checked [false, false]
// CHECK: tile.store_view {{.*}} checked [true, false]
tile.kernel @products_beside_a_loop(%x: !tile.ptr<f16>, %y: !tile.ptr<f32>, %n: i64, %count: i32, %s: f16) {
  %low = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %width = arith.constant 16 : i64
  %none = arith.constant 0 : i64
  %pid = tile.program_id 0
  %wide = arith.extsi %pid : i32 to i64
  %at = arith.muli %wide, %width : i64
  %v = tile.splat %s : f16 -> tensor<16x16xf16>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %view = tile.make_view %x shape [%n, %width] strides [%width, %unit] : !tile.ptr<f16> -> !tile.view<16x16xf16>
  tile.store_view %view[%at, %none], %v checked [true, false] : !tile.view<16x16xf16>, tensor<16x16xf16>
  %sum = tile.dot %v, %v, %zero : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  %turned = scf.for %i = %low to %count step %one iter_args(%t = %sum) -> (tensor<16x16xf32>) : i32 {
    %next = arith.addf %t, %t : tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  }
  %to = tile.splat %y : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  tile.store %to, %turned : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xf32>
  tile.return
}
