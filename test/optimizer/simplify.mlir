// RUN: tz-opt %s --tile-simplify --split-input-file | FileCheck %s
// RUN: tz-opt %s --tile-simplify --split-input-file -mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS

// STATS: tile-simplify
// STATS: 4  canonicalized
// STATS: 2  carried-values
// STATS: 9  compared-integers
// STATS: 4  constant-integers
// STATS: 3  constant-masks
// STATS: {{[1-9][0-9]*}}  dead-ops
// STATS: 2  empty-ops
// STATS: 2  folded-ops
// STATS: 1  scalar-work
// STATS: 1  shape-chains

// CHECK-LABEL: @example
// CHECK: %[[SUM:.*]] = arith.addi %{{.*}}, %{{.*}} : i32
// CHECK-NEXT: %[[TILE:.*]] = tile.splat %[[SUM]] : i32 -> tensor<64x32xi32>
// CHECK-NEXT: tile.store %{{.*}}, %[[TILE]] :
tile.kernel @example(%p: !tile.ptr<i32>, %a: i32, %b: i32) {
  %one = arith.constant 1 : i32
  %base = tile.splat %p : !tile.ptr<i32> -> tensor<64x32x!tile.ptr<i32>>
  %rows = tile.splat %a : i32 -> tensor<64x1xi32>
  %wide = tile.broadcast %rows : tensor<64x1xi32> -> tensor<64x32xi32>
  %same = tile.divsi %b, %one : i32
  %cols = tile.splat %same : i32 -> tensor<64x32xi32>
  %sum = arith.addi %wide, %cols : tensor<64x32xi32>
  tile.store %base, %sum : tensor<64x32x!tile.ptr<i32>>, tensor<64x32xi32>
  tile.return
}

// -----

// What a loop carries only to make its own next value goes away.
// CHECK-LABEL: @carried_for_nothing
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} : i32 {
// CHECK-NOT: addptr
tile.kernel @carried_for_nothing(%p: !tile.ptr<i32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %end = scf.for %i = %zero to %n step %one iter_args(%at = %p) -> (!tile.ptr<i32>) : i32 {
    tile.store %p, %i : !tile.ptr<i32>, i32
    %next = tile.addptr %at, %one : !tile.ptr<i32>, i32
    scf.yield %next : !tile.ptr<i32>
  }
  tile.return
}

// -----

// A number that counts beside the loop's counter is made of it.
// CHECK-LABEL: @counts_twice
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} : i32 {
// CHECK-NEXT: tile.store %{{.*}}, %[[I]]
// CHECK-NEXT: }
tile.kernel @counts_twice(%p: !tile.ptr<i32>, %n: i32) {
  %pid = tile.program_id 0
  %step = arith.constant 132 : i32
  %before = arith.subi %pid, %step : i32
  %end = scf.for %i = %pid to %n step %step iter_args(%count = %before) -> (i32) : i32 {
    %next = arith.addi %count, %step : i32
    tile.store %p, %next : !tile.ptr<i32>, i32
    scf.yield %next : i32
  }
  tile.return
}

// -----

// One that begins elsewhere, or takes other steps, is not.
// CHECK-LABEL: @counts_otherwise
// CHECK: iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (i32, i32)
tile.kernel @counts_otherwise(%p: !tile.ptr<i32>, %m: i32, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %end:2 = scf.for %i = %zero to %n step %one iter_args(%a = %m, %b = %zero) -> (i32, i32) : i32 {
    tile.store %p, %a : !tile.ptr<i32>, i32
    tile.store %p, %b : !tile.ptr<i32>, i32
    %next = arith.addi %a, %one : i32
    %far = arith.addi %b, %two : i32
    scf.yield %next, %far : i32, i32
  }
  tile.return
}

// -----

// CHECK-LABEL: @no_carried_result_used
// CHECK: iter_args
tile.kernel @no_carried_result_used(%p: !tile.ptr<i32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %end = scf.for %i = %zero to %n step %one iter_args(%at = %p) -> (!tile.ptr<i32>) : i32 {
    %next = tile.addptr %at, %one : !tile.ptr<i32>, i32
    scf.yield %next : !tile.ptr<i32>
  }
  tile.store %end, %n : !tile.ptr<i32>, i32
  tile.return
}

// -----

// CHECK-LABEL: @constant_masks
// CHECK: %[[V:.*]] = tile.load %{{.*}} : !tile.ptr<i32> -> i32
// CHECK-NEXT: tile.store %{{.*}}, %[[V]] : !tile.ptr<i32>, i32
// CHECK-NEXT: tile.return
tile.kernel @constant_masks(%p: !tile.ptr<i32>) {
  %on = arith.constant true
  %off = arith.constant false
  %v = tile.load %p mask %on : !tile.ptr<i32> mask i1 -> i32
  tile.store %p, %v mask %on : !tile.ptr<i32>, i32, i1
  tile.store %p, %v mask %off : !tile.ptr<i32>, i32, i1
  tile.return
}

// -----

// Shifts by the width and more have a value (P6); x / 0 is left alone (P7).
// CHECK-LABEL: @constants
// CHECK-DAG: %[[MINUS:.*]] = arith.constant -1 : i32
// CHECK-DAG: %[[Q:.*]] = tile.divsi %{{.*}}, %{{.*}} : i32
// CHECK: tile.store %{{.*}}, %[[MINUS]]
// CHECK: tile.store %{{.*}}, %[[Q]]
tile.kernel @constants(%p: !tile.ptr<i32>) {
  %zero = arith.constant 0 : i32
  %big = arith.constant 40 : i32
  %low = arith.constant -7 : i32
  %sign = tile.shrsi %low, %big : i32
  %q = tile.divsi %low, %zero : i32
  tile.store %p, %sign : !tile.ptr<i32>, i32
  tile.store %p, %q : !tile.ptr<i32>, i32
  tile.return
}

// -----

// CHECK-LABEL: @empty
// CHECK-NEXT: tile.store %{{.*}}, %{{.*}} : !tile.ptr<i32>, i32
// CHECK-NEXT: tile.return
tile.kernel @empty(%p: !tile.ptr<i32>, %a: i32) {
  %yes = arith.constant true
  %zero = arith.constant 0 : i32
  tile.assume %yes
  %at = tile.addptr %p, %zero : !tile.ptr<i32>, i32
  %same = arith.addi %a, %zero : i32
  tile.store %at, %same : !tile.ptr<i32>, i32
  tile.return
}

// -----

// CHECK-LABEL: @leading_zeros
// CHECK-DAG: %[[SOME:.*]] = arith.constant 3 : i8
// CHECK-DAG: %[[ALL:.*]] = arith.constant 8 : i8
// CHECK: tile.store %{{.*}}, %[[SOME]]
// CHECK: tile.store %{{.*}}, %[[ALL]]
tile.kernel @leading_zeros(%p: !tile.ptr<i8>) {
  %value = arith.constant 31 : i8
  %zero = arith.constant 0 : i8
  %some = tile.clz %value : i8
  %all = tile.clz %zero : i8
  tile.store %p, %some : !tile.ptr<i8>, i8
  tile.store %p, %all : !tile.ptr<i8>, i8
  tile.return
}

// -----

// The lesser or greater of two integers is a minimum or maximum, in a reduction
// too: equal ones are the same.
// CHECK-LABEL: @chosen_by_comparison
// CHECK: tile.reduce
// CHECK-NEXT: ^bb0(%[[A:.*]]: i64, %[[B:.*]]: i64):
// CHECK-NEXT: %[[MAX:.*]] = tile.maxsi %[[A]], %[[B]] : i64
// CHECK-NEXT: tile.yield %[[MAX]]
tile.kernel @chosen_by_comparison(%p: !tile.ptr<i64>, %x: !tile.ptr<i64>) {
  %at = tile.splat %x : !tile.ptr<i64> -> tensor<32x!tile.ptr<i64>>
  %lane = tile.range 0 to 32 : tensor<32xi32>
  %each = tile.addptr %at, %lane : tensor<32x!tile.ptr<i64>>, tensor<32xi32>
  %values = tile.load %each : tensor<32x!tile.ptr<i64>> -> tensor<32xi64>
  %most = tile.reduce(%values) axis 0 : (tensor<32xi64>) -> i64 {
  ^bb0(%a: i64, %b: i64):
    %less = arith.cmpi slt, %a, %b : i64
    %more = arith.select %less, %b, %a : i64
    tile.yield %more : i64
  }
  tile.store %p, %most : !tile.ptr<i64>, i64
  tile.return
}

// -----

// CHECK-LABEL: @each_comparison
// CHECK: tile.minsi
// CHECK-NEXT: tile.minsi
// CHECK-NEXT: tile.maxsi
// CHECK-NEXT: tile.maxsi
// CHECK-NEXT: tile.minui
// CHECK-NEXT: tile.minui
// CHECK-NEXT: tile.maxui
// CHECK-NEXT: tile.maxui
// CHECK: arith.select
tile.kernel @each_comparison(%p: !tile.ptr<i32>, %a: i32, %b: i32) {
  %slt = arith.cmpi slt, %a, %b : i32
  %sge = arith.cmpi sge, %a, %b : i32
  %sgt = arith.cmpi sgt, %a, %b : i32
  %sle = arith.cmpi sle, %a, %b : i32
  %ult = arith.cmpi ult, %a, %b : i32
  %uge = arith.cmpi uge, %a, %b : i32
  %ugt = arith.cmpi ugt, %a, %b : i32
  %ule = arith.cmpi ule, %a, %b : i32
  %0 = arith.select %slt, %a, %b : i32
  %1 = arith.select %sge, %b, %a : i32
  %2 = arith.select %sgt, %a, %b : i32
  %3 = arith.select %sle, %b, %a : i32
  %4 = arith.select %ult, %a, %b : i32
  %5 = arith.select %uge, %b, %a : i32
  %6 = arith.select %ugt, %a, %b : i32
  %7 = arith.select %ule, %b, %a : i32
  // One that is neither.
  %8 = arith.addi %a, %a : i32
  %9 = arith.select %slt, %a, %8 : i32
  tile.store %p, %0 : !tile.ptr<i32>, i32
  tile.store %p, %1 : !tile.ptr<i32>, i32
  tile.store %p, %2 : !tile.ptr<i32>, i32
  tile.store %p, %3 : !tile.ptr<i32>, i32
  tile.store %p, %4 : !tile.ptr<i32>, i32
  tile.store %p, %5 : !tile.ptr<i32>, i32
  tile.store %p, %6 : !tile.ptr<i32>, i32
  tile.store %p, %7 : !tile.ptr<i32>, i32
  tile.store %p, %8 : !tile.ptr<i32>, i32
  tile.store %p, %9 : !tile.ptr<i32>, i32
  tile.return
}

// What both sides of a branch widen leaves it narrow; what only one side widens,
// or from another type, does not.
// CHECK-LABEL: tile.kernel @widened_behind
// CHECK: %[[CHOSEN:.*]]:3 = scf.if %{{.*}} -> (f16, f32, f32) {
// CHECK: %[[BEHIND:.*]] = arith.extf %[[CHOSEN]]#0 : f16 to f32
// CHECK: tile.store %{{.*}}, %[[BEHIND]]
// CHECK: tile.store %{{.*}}, %[[CHOSEN]]#1
// CHECK: tile.store %{{.*}}, %[[CHOSEN]]#2
tile.kernel @widened_behind(%p: !tile.ptr<f32>, %halves: !tile.ptr<f16>, %c: i1, %d: bf16, %e: f32) {
  %values:3 = scf.if %c -> (f32, f32, f32) {
    %a = tile.load %halves : !tile.ptr<f16> -> f16
    %wide = arith.extf %a : f16 to f32
    scf.yield %wide, %wide, %wide : f32, f32, f32
  } else {
    %c1 = arith.constant 1 : i32
    %next = tile.addptr %halves, %c1 : !tile.ptr<f16>, i32
    %b = tile.load %next : !tile.ptr<f16> -> f16
    %wide = arith.extf %b : f16 to f32
    %other = arith.extf %d : bf16 to f32
    scf.yield %wide, %other, %e : f32, f32, f32
  }
  tile.store %p, %values#0 : !tile.ptr<f32>, f32
  tile.store %p, %values#1 : !tile.ptr<f32>, f32
  tile.store %p, %values#2 : !tile.ptr<f32>, f32
  tile.return
}
