// Checks that a kernel asks for by tile.sanitize; without it nothing changes.
// RUN: tz-opt %s --tile-sanitize --split-input-file | FileCheck %s
// RUN: tz-opt %s --tile-sanitize --split-input-file -mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS
// RUN: tz-opt %s --tile-sanitize --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// STATS: tile-sanitize
// STATS-DAG: 20 accesses
// STATS-DAG: 1  unknown
// STATS-DAG: 5  values

// A scalar access: compared with the ends of its array, which are arguments.
// CHECK-LABEL: @example(
// CHECK-SAME: %[[X:.*]]: !tile.ptr<f32> {tile.name = "x"}, %[[N:.*]]: i32, %[[BEGIN:.*]]: i64 {tile.name = "x.begin"}, %[[END:.*]]: i64 {tile.name = "x.end"})
// CHECK-NOT: tile.sanitize
// CHECK: arith.cmpi ult
// CHECK: scf.if
// CHECK: tile.print "bounds;store;x;"{{.*}}report
// CHECK: tile.store {{.*}} mask
// CHECK: } else {
// CHECK-NEXT: tile.store %{{.*}}, %{{.*}} {group = 1 : i64} : !tile.ptr<f32>, f32
tile.kernel @example(%x: !tile.ptr<f32> {tile.name = "x"}, %n: i32) attributes {tile.sanitize = ["bounds"]} {
  %one = arith.constant 1.0 : f32
  %p = tile.addptr %x, %n : !tile.ptr<f32>, i32
  tile.store %p, %one {group = 1 : i64} : !tile.ptr<f32>, f32
  tile.return
}

// -----
// A tile: the mask holds, one reduction where all is well, and the bad lanes are
// left out. The pointer is followed through a loop.
// CHECK-LABEL: @tile(
// CHECK: scf.for
// CHECK: tile.ptr_to_int
// CHECK: arith.andi
// CHECK: tile.reduce
// CHECK: scf.if
// CHECK: tile.print "bounds;load;x;8x4"
// CHECK: tile.load {{.*}} mask
// CHECK: } else {
// CHECK-NEXT: tile.load %{{.*}} mask %[[MASK:.*]] {group
tile.kernel @tile(%x: !tile.ptr<f16> {tile.name = "x"}, %n: i32, %mask: i1) attributes {tile.sanitize = ["bounds"]} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<8x4xf16>
  %inside = tile.splat %mask : i1 -> tensor<8x4xi1>
  %step = tile.splat %n : i32 -> tensor<8x4xi32>
  %xs = tile.splat %x : !tile.ptr<f16> -> tensor<8x4x!tile.ptr<f16>>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %xs, %sum = %zero) -> (tensor<8x4x!tile.ptr<f16>>, tensor<8x4xf16>) : i32 {
    %v = tile.load %p mask %inside {group = 1 : i64} : tensor<8x4x!tile.ptr<f16>> mask tensor<8x4xi1> -> tensor<8x4xf16>
    %s = arith.addf %sum, %v : tensor<8x4xf16>
    %q = tile.addptr %p, %step : tensor<8x4x!tile.ptr<f16>>, tensor<8x4xi32>
    scf.yield %q, %s : tensor<8x4x!tile.ptr<f16>>, tensor<8x4xf16>
  }
  tile.return
}

// -----
// A block of a view: its corners are compared, lanes are made where it is wrong.
// CHECK-LABEL: @view(
// CHECK: tile.view_parts
// CHECK-NOT: tensor
// CHECK: scf.if
// CHECK: tile.print "bounds;store;x;16"
// CHECK: tile.store
// CHECK: } else {
// CHECK-NEXT: tile.store_view
tile.kernel @view(%x: !tile.ptr<f32> {tile.name = "x"}, %n: i64) attributes {tile.sanitize = ["bounds"]} {
  %c1 = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  %v = tile.make_view %x shape [%n] strides [%c1] : !tile.ptr<f32> -> !tile.view<16xf32>
  tile.store_view %v [%c1], %zero checked [true] : !tile.view<16xf32>, tensor<16xf32>
  tile.return
}

// -----
// 32-bit offsets from one address are compared as such.
// CHECK-LABEL: @offsets(
// CHECK: tile.ptr_to_int %{{.*}} : !tile.ptr<f32> to i64
// CHECK: arith.cmpi ult, {{.*}} : tensor<16xi32>
// CHECK: tile.reduce
// CHECK: scf.if
// CHECK: tile.ptr_to_int {{.*}} to tensor<16xi64>
// CHECK: tile.print "bounds;load;x;16"
tile.kernel @offsets(%x: !tile.ptr<f32> {tile.name = "x"}) attributes {tile.sanitize = ["bounds"]} {
  %at = tile.range 0 to 16 : tensor<16xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  %p = tile.addptr %xs, %at : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %v = tile.load %p : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
  tile.return
}

// -----
// An exchange with comparison has no mask; one array of two; an address that
// comes from none.
// CHECK-LABEL: @others(
// CHECK: tile.print "bounds;atomic update;x;"
// CHECK-NOT: tile.atomic_cas
// CHECK: } else {
// CHECK-NEXT: tile.atomic_cas
// CHECK: arith.ori
// CHECK: tile.print "bounds;load;x' or 'y;"
// CHECK: tile.print "bounds;atomic update;y;4"
// CHECK: tile.int_to_ptr
// CHECK-NEXT: tile.load
// REMARK: remark: the address of this load comes from no argument alone, so its bounds are not checked
tile.kernel @others(%x: !tile.ptr<i32> {tile.name = "x"}, %y: !tile.ptr<i32> {tile.name = "y"}, %which: i1, %at: i64) attributes {tile.sanitize = ["bounds"]} {
  %one = arith.constant 1 : i32
  %ones = arith.constant dense<1> : tensor<4xi32>
  %old = tile.atomic_cas relaxed device %x, %one, %one : !tile.ptr<i32> -> i32, i32, i32
  %p = arith.select %which, %x, %y : !tile.ptr<i32>
  %v = tile.load %p : !tile.ptr<i32> -> i32
  %ys = tile.splat %y : !tile.ptr<i32> -> tensor<4x!tile.ptr<i32>>
  %w = tile.atomic_rmw add relaxed device %ys, %ones : tensor<4x!tile.ptr<i32>> -> tensor<4xi32>, tensor<4xi32>
  %q = tile.int_to_ptr %at : i64 to !tile.ptr<i32>
  %u = tile.load %q : !tile.ptr<i32> -> i32
  tile.return
}

// -----
// nan: the operands are looked at only where the result is not finite, and
// only lanes that the store keeps.
// CHECK-LABEL: @values(
// CHECK: %[[D:.*]] = tile.divf
// CHECK: tile.bitcast %[[D]]
// CHECK: arith.andi %{{.*}}, %[[KEPT:.*]] : tensor<4xi1>
// CHECK: tile.reduce
// CHECK: scf.if
// CHECK: scf.if
// CHECK: tile.print "nan;/;;4"
// CHECK: tile.math exp
// CHECK: tile.print "nan;exp;;"
tile.kernel @values(%x: !tile.ptr<f32> {tile.name = "x"}, %a: f32, %mask: i1) attributes {tile.sanitize = ["nan"]} {
  %inside = tile.splat %mask : i1 -> tensor<4xi1>
  %as = tile.splat %a : f32 -> tensor<4xf32>
  %d = tile.divf approx %as, %as : tensor<4xf32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  tile.store %xs, %d mask %inside : tensor<4x!tile.ptr<f32>>, tensor<4xf32>, tensor<4xi1>
  %e = tile.math exp %a : f32
  tile.store %x, %e : !tile.ptr<f32>, f32
  tile.return
}

// -----
// overflow: the frontend's assert becomes a report, and the program goes on.
// CHECK-LABEL: @overflows(
// CHECK-NOT: tile.assert
// CHECK: tile.print "overflow;integer overflow of int32 in +;;"
// CHECK: tile.assert
tile.kernel @overflows(%a: i32, %b: i32) attributes {tile.sanitize = ["overflow"]} {
  %s = arith.addi %a, %b : i32
  %x = arith.extsi %a : i32 to i64
  %y = arith.extsi %b : i32 to i64
  %z = arith.addi %x, %y : i64
  %w = arith.extsi %s : i32 to i64
  %same = arith.cmpi eq, %z, %w : i64
  tile.assert %same, "integer overflow of int32 in +" : i1
  tile.assert %same, "mine" : i1
  tile.return
}

// -----
// CHECK-LABEL: @none(
// CHECK-NOT: scf.if
tile.kernel @none(%x: !tile.ptr<f32>) {
  %v = tile.load %x : !tile.ptr<f32> -> f32
  tile.return
}

// -----
// Divisors and shift amounts are looked at unless they are known to be fine;
// only lanes that the store keeps.
// CHECK-LABEL: @integers(
// CHECK: tile.divsi
// CHECK-NEXT: arith.constant 0
// CHECK: arith.andi %{{.*}}, %{{.*}} : tensor<4xi1>
// CHECK: tile.print "overflow;division by zero of;;4"
// CHECK: tile.print "overflow;a quotient by -1 does not fit: that of;;4"
// CHECK: tile.remui
// CHECK-NOT: tile.print
// CHECK: tile.shl
// CHECK: arith.cmpi uge
// CHECK: tile.print "overflow;shift of 32 bits by;;"
tile.kernel @integers(%x: !tile.ptr<i32> {tile.name = "x"}, %a: i32, %b: i32, %mask: i1) attributes {tile.sanitize = ["overflow"]} {
  %as = tile.splat %a : i32 -> tensor<4xi32>
  %bs = tile.splat %b : i32 -> tensor<4xi32>
  %inside = tile.splat %mask : i1 -> tensor<4xi1>
  %q = tile.divsi %as, %bs : tensor<4xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<4x!tile.ptr<i32>>
  tile.store %xs, %q mask %inside : tensor<4x!tile.ptr<i32>>, tensor<4xi32>, tensor<4xi1>
  %c8 = arith.constant 8 : i32
  %r = tile.remui %a, %c8 : i32
  %s = tile.shl %r, %b : i32
  tile.store %x, %s : !tile.ptr<i32>, i32
  tile.return
}

// -----
// uninitialized: the shadow is the array moved by a distance; a store notes, a
// load looks, an atomic update does both in one.
// CHECK-LABEL: @written(
// CHECK-SAME: %[[BEGIN:[^ ]*]]: i64 {tile.name = "x.begin"}, %{{.*}}: i64 {tile.name = "x.end"}, %[[SHADOW:[^ ]*]]: i64 {tile.name = "x.written"}
// CHECK: arith.cmpi ne, %[[SHADOW]]
// CHECK: scf.if
// CHECK: arith.subi %[[SHADOW]], %[[BEGIN]]
// CHECK: tile.bitcast {{.*}} to tensor<4x!tile.ptr<i16>>
// CHECK: arith.constant 257 : i16
// CHECK: %[[MARKS:.*]] = tile.load {{.*}} mask
// CHECK: arith.cmpi ne, %[[MARKS]]
// CHECK: tile.print "uninitialized;load;x;4"
// CHECK: tile.load {{.*}}f16
// CHECK: arith.constant 257 : i16
// CHECK-NOT: tile.print
// CHECK: tile.store {{.*}} mask {{.*}}i16
// CHECK: tile.store {{.*}}f16
// CHECK: tile.atomic_rmw xchg relaxed device {{.*}} mask
// CHECK: tile.print "uninitialized;atomic update;n;"
// CHECK: tile.atomic_rmw add
tile.kernel @written(%x: !tile.ptr<f16> {tile.name = "x"}, %n: !tile.ptr<i32> {tile.name = "n"}) attributes {tile.sanitize = ["uninitialized"]} {
  %at = tile.range 0 to 4 : tensor<4xi32>
  %xs = tile.splat %x : !tile.ptr<f16> -> tensor<4x!tile.ptr<f16>>
  %p = tile.addptr %xs, %at : tensor<4x!tile.ptr<f16>>, tensor<4xi32>
  %v = tile.load %p : tensor<4x!tile.ptr<f16>> -> tensor<4xf16>
  tile.store %p, %v : tensor<4x!tile.ptr<f16>>, tensor<4xf16>
  %one = arith.constant 1 : i32
  %old = tile.atomic_rmw add relaxed device %n, %one : !tile.ptr<i32> -> i32, i32
  tile.return
}

// -----
// race: three planes of keys without atomics. An array that is only read has
// keys where another argument writes its memory. Where none does, only stores
// are looked at, and writers' keys alone, in no order with other accesses.
// CHECK-LABEL: @races(
// CHECK-SAME: %[[PLANES:[^ ]*]]: i64 {tile.name = "x.reads:2:3"}
// CHECK-SAME: tile.name = "out.race:2:3"
// CHECK: %[[FREE:.*]] = arith.cmpi eq, %[[PLANES]], %{{.*}} : i64
// CHECK: scf.if %[[FREE]]
// CHECK-NOT: isVolatile
// CHECK: tile.load {{.*}} : !tile.ptr<f16> -> f16
// CHECK-NOT: isVolatile
// CHECK: tile.atomic_rmw xchg relaxed device
// CHECK-NOT: isVolatile
// CHECK: tile.print "race;store;out;;reads@{{.*}}|writes@{{.*}}"
// CHECK: tile.store {{.*}} : !tile.ptr<f32>, f32
// CHECK: } else {
// Of readers two keys are enough: who finds them leaves none.
// CHECK: tile.load {{.*}}{isVolatile}
// CHECK: tile.load {{.*}}{isVolatile}
// CHECK: scf.if
// CHECK: tile.atomic_rmw xchg acq_rel device
// CHECK: tile.load {{.*}}{isVolatile}
// CHECK: tile.print "race;load;x;;reads@{{.*}}|writes@{{.*}}"
// CHECK: tile.load {{.*}} : !tile.ptr<f16> -> f16
// CHECK: tile.atomic_rmw xchg acq_rel device
// CHECK: tile.load {{.*}}{isVolatile}
// CHECK: tile.load {{.*}}{isVolatile}
// CHECK-NOT: isVolatile
// CHECK: tile.print "race;store;out;;reads@{{.*}}|writes@{{.*}}"
// CHECK: tile.store {{.*}} : !tile.ptr<f32>, f32
tile.kernel @races(%x: !tile.ptr<f16> {tile.name = "x"}, %out: !tile.ptr<f32> {tile.name = "out"}) attributes {tile.sanitize = ["race"]} {
  %v = tile.load %x : !tile.ptr<f16> -> f16
  %w = arith.extf %v : f16 to f32
  tile.store %out, %w : !tile.ptr<f32>, f32
  tile.return
}

// -----
// A loop that reads what nobody writes runs as it was written; a copy looks.
// CHECK-LABEL: @reads_in_a_loop(
// CHECK-SAME: %[[PLANES:[^ ]*]]: i64 {tile.name = "x.reads:4:3"}
// CHECK: %[[FREE:.*]] = arith.cmpi eq, %[[PLANES]], %{{.*}} : i64
// CHECK: scf.if %[[FREE]]
// CHECK-NEXT: scf.for
// CHECK-NOT: tile.print "race;load
// CHECK: tile.print "race;store;out;;
// CHECK: } else {
// CHECK-NEXT: scf.for
// CHECK: tile.atomic_rmw xchg
// CHECK: tile.print "race;load;x;;reads@{{.*}}|writes@{{.*}}"
// CHECK: tile.print "race;store;out;;
tile.kernel @reads_in_a_loop(%x: !tile.ptr<f32> {tile.name = "x"}, %out: !tile.ptr<f32> {tile.name = "out"}, %n: i32) attributes {tile.sanitize = ["race"]} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant 0.0 : f32
  %sum = scf.for %i = %zero to %n step %one iter_args(%s = %none) -> (f32) : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f32>, i32
    %v = tile.load %p : !tile.ptr<f32> -> f32
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  tile.store %out, %sum : !tile.ptr<f32>, f32
  tile.return
}

// -----
// A kernel that reads nothing has nothing to decide; nor does one that writes
// nothing have anything to look at.
// CHECK-LABEL: @stores_alone(
// CHECK-SAME: tile.name = "out.race:4:3"
// CHECK: tile.atomic_rmw xchg relaxed device
// CHECK-NOT: isVolatile
// CHECK: tile.store
// CHECK-NEXT: tile.return
tile.kernel @stores_alone(%out: !tile.ptr<f32> {tile.name = "out"}, %v: f32) attributes {tile.sanitize = ["race"]} {
  tile.store %out, %v : !tile.ptr<f32>, f32
  tile.return
}

// CHECK-LABEL: @loads_alone(
// CHECK-NEXT: tile.load
// CHECK-NEXT: tile.return
tile.kernel @loads_alone(%x: !tile.ptr<f32> {tile.name = "x"}) attributes {tile.sanitize = ["race"]} {
  %v = tile.load %x : !tile.ptr<f32> -> f32
  tile.return
}

// -----
// Readers of the array itself leave keys in every launch.
// CHECK-LABEL: @in_place(
// CHECK-SAME: tile.name = "y.race:4:3"
// CHECK: tile.print "race;load;y;
// CHECK-NOT: xchg relaxed
// CHECK: tile.print "race;store;y;
tile.kernel @in_place(%y: !tile.ptr<f32> {tile.name = "y"}) attributes {tile.sanitize = ["race"]} {
  %v = tile.load %y : !tile.ptr<f32> -> f32
  %w = arith.addf %v, %v : f32
  tile.store %y, %w : !tile.ptr<f32>, f32
  tile.return
}

// -----
// What an acquire may order is not looked at, the acquire itself is.
// CHECK-LABEL: @acquired(
// CHECK: tile.print "race;store;
// CHECK: tile.print "race;atomic update;
// CHECK-NOT: tile.print
tile.kernel @acquired(%x: !tile.ptr<i32> {tile.name = "x"}, %lock: !tile.ptr<i32> {tile.name = "lock"}) attributes {tile.sanitize = ["race"]} {
  %one = arith.constant 1 : i32
  tile.store %x, %one : !tile.ptr<i32>, i32
  %old = tile.atomic_rmw add acq_rel device %lock, %one : !tile.ptr<i32> -> i32, i32
  %last = arith.cmpi eq, %old, %one : i32
  scf.if %last {
    %v = tile.load %x : !tile.ptr<i32> -> i32
    tile.store %x, %v : !tile.ptr<i32>, i32
  }
  tile.return
}
