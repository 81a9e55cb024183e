// Every op of tile IR, in its plain form and with each optional part: what
// is printed reads as the same, as text and in the generic form. A unit test
// (test-ir) sees that no op is missing here.
// RUN: tz-opt %s > %t.once
// RUN: tz-opt %t.once | diff %t.once -
// RUN: tz-opt --mlir-print-op-generic %s | tz-opt | diff %t.once -
// RUN: tz-opt --mlir-print-debuginfo %s > %t.places
// RUN: tz-opt --mlir-print-debuginfo %t.places | diff %t.places -

tile.kernel @empty() {
  tile.return
}

tile.kernel @program(%p: !tile.ptr<f16> {tile.name = "p", tile.divisibility = 16 : i64, tile.group = 1 : i64, tile.const},
                     %n: i32, %b: i1, %f: f8E4M3FN)
    attributes {tile.num_warps = 8 : i32, tile.num_stages = 2 : i32, tile.waits, tile.contract = true} {
  %id = tile.program_id 0
  %count = tile.num_programs 2
  tile.assume %b
  %h = tile.hint %n {divisibility = array<i64: 16>} : i32
  %t = tile.splat %h : i32 -> tensor<8x16xi32>
  %u = tile.hint %t {contiguity = array<i64: 1, 16>, constancy = array<i64: 8, 1>} : tensor<8x16xi32>
  tile.barrier
  tile.print "here" {isSigned = array<i1>}
  tile.print "x: "(%u, %n : tensor<8x16xi32>, i32) {hex, isSigned = array<i1: true, false>}
  tile.record "part"
  tile.record "part" end
  tile.record "part" end(%u, %n : tensor<8x16xi32>, i32)
  %m = tile.splat %b : i1 -> tensor<4xi1>
  tile.assert %b, "scalar" : i1
  tile.assert %m mask %m, "tile" : tensor<4xi1>, tensor<4xi1>
  tile.return
}

tile.kernel @shape(%i: i32, %f: f32) {
  %r = tile.range -3 to 93 : tensor<96xi32>
  %s = tile.splat %f : f32 -> tensor<1x112xf32>
  %b = tile.broadcast %s : tensor<1x112xf32> -> tensor<6x112xf32>
  %re = tile.reshape %r : tensor<96xi32> -> tensor<2x48xi32>
  %tr = tile.transpose %re [1, 0] : tensor<2x48xi32> -> tensor<48x2xi32>
  %j = tile.join %r, %r : tensor<96xi32> -> tensor<96x2xi32>
  %js = tile.join %f, %f : f32 -> tensor<2xf32>
  %l, %h = tile.split %j : tensor<96x2xi32> -> tensor<96xi32>
  %c = tile.cat %re, %re dim 0 : tensor<2x48xi32>, tensor<2x48xi32> -> tensor<4x48xi32>
  %g = tile.gather %re[%c] axis 0 : tensor<2x48xi32>, tensor<4x48xi32> -> tensor<4x48xi32>
  tile.return
}

tile.kernel @integers(%x: i8, %w: i64) {
  %t = tile.splat %w : i64 -> tensor<48xi64>
  %0 = tile.divsi %x, %x : i8
  %1 = tile.divui %t, %t : tensor<48xi64>
  %2 = tile.remsi %x, %x : i8
  %3 = tile.remui %x, %x : i8
  %4 = tile.shl %x, %x : i8
  %5 = tile.shrsi %x, %x : i8
  %6 = tile.shrui %x, %x : i8
  %7 = tile.mulhisi %x, %x : i8
  %8 = tile.mulhiui %x, %x : i8
  %9 = tile.minsi %x, %x : i8
  %10 = tile.minui %x, %x : i8
  %11 = tile.maxsi %x, %x : i8
  %12 = tile.maxui %x, %x : i8
  %13 = tile.absi %x : i8
  %14 = tile.clz %x : i8
  tile.return
}

tile.kernel @floats(%f: f32, %h: f16, %i: i32, %p: !tile.ptr<f32>) {
  %0 = tile.divf approx %f, %f : f32
  %1 = tile.divf rn %h, %h : f16
  %2 = tile.remf %f, %f : f32
  %3 = tile.minf %f, %f : f32
  %4 = tile.minf %f, %f propagate_nan : f32
  %5 = tile.maxf %f, %f : f32
  %6 = tile.maxf %f, %f propagate_nan : f32
  %7 = tile.fma %f, %f, %f : f32
  %8 = tile.math sqrt_rn %f : f32
  %9 = tile.pow %f, %f : f32
  %10 = tile.truncf rtne %f : f32 to bf16
  %11 = tile.truncf rtz %f : f32 to f8E5M2
  %12 = tile.sitofp %i : i32 to f16
  %13 = tile.uitofp %i : i32 to f64
  %14 = tile.fptosi %f : f32 to i1
  %15 = tile.fptoui %f : f32 to i64
  %16 = tile.bitcast %f : f32 to i32
  %17 = tile.ptr_to_int %p : !tile.ptr<f32> to i64
  %18 = tile.int_to_ptr %17 : i64 to !tile.ptr<!tile.ptr<f16>>
  tile.return
}

tile.kernel @combine(%h: f16, %f: f32, %i: i8, %b: i1) {
  %a = tile.splat %h : f16 -> tensor<16x80xf16>
  %c = tile.splat %h : f16 -> tensor<80x48xf16>
  %acc = tile.splat %f : f32 -> tensor<16x48xf32>
  %d = tile.dot %a, %c, %acc : tensor<16x80xf16>, tensor<80x48xf16> -> tensor<16x48xf32>
  %e = tile.splat %f : f32 -> tensor<48x48xf32>
  %d1 = tile.dot %d, %e, %acc {precision = #tile<precision bf16x3>, maxImprecise = 64 : i64} : tensor<16x48xf32>, tensor<48x48xf32> -> tensor<16x48xf32>
  %s = tile.reduce (%d) axis 1 : (tensor<16x48xf32>) -> tensor<16xf32> {
  ^bb0(%x: f32, %y: f32):
    %sum = arith.addf %x, %y : f32
    tile.yield %sum : f32
  }
  %q:2 = tile.scan (%s, %s) axis 0 reverse : (tensor<16xf32>, tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32, %w: f32):
    tile.yield %z, %w : f32, f32
  }
  %m = tile.map (%s) : (tensor<16xf32>) -> tensor<16xi1> {
  ^bb0(%x: f32):
    %less = arith.cmpf olt, %x, %f : f32
    tile.yield %less : i1
  }
  %v = tile.splat %i : i8 -> tensor<16xi8>
  %k = tile.histogram %v : tensor<16xi8> -> tensor<7xi32>
  %n = tile.histogram %v mask %m : tensor<16xi8>, tensor<16xi1> -> tensor<7xi32>
  tile.return
}

tile.kernel @memory(%p: !tile.ptr<f32>, %q: !tile.ptr<i32>, %n: i32, %k: i64, %f: f32) {
  %r = tile.range 0 to 48 : tensor<48xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<48x!tile.ptr<f32>>
  %at = tile.addptr %ps, %r : tensor<48x!tile.ptr<f32>>, tensor<48xi32>
  %ns = tile.splat %n : i32 -> tensor<48xi32>
  %mask = arith.cmpi slt, %r, %ns : tensor<48xi32>
  %a = tile.load %at : tensor<48x!tile.ptr<f32>> -> tensor<48xf32>
  %b = tile.load %at mask %mask : tensor<48x!tile.ptr<f32>> mask tensor<48xi1> -> tensor<48xf32>
  %c = tile.load %at mask %mask other %a {group = 2 : i64, cache = #tile<cache_hint cg>, evict = #tile<eviction evict_last>, isVolatile} : tensor<48x!tile.ptr<f32>> mask tensor<48xi1> other tensor<48xf32> -> tensor<48xf32>
  tile.store %p, %f : !tile.ptr<f32>, f32
  tile.store %at, %c mask %mask {group = 1 : i64, cache = #tile<cache_hint wt>, evict = #tile<eviction evict_first>} : tensor<48x!tile.ptr<f32>>, tensor<48xf32>, tensor<48xi1>
  %v = tile.make_view %p shape [%k, %k] strides [%k, %k] : !tile.ptr<f32> -> !tile.view<48x112xf32>
  %w = tile.advance_view %v[%k, %k] : !tile.view<48x112xf32>
  %parts:7 = tile.view_parts %w : !tile.view<48x112xf32> -> !tile.ptr<f32>, i64, i64, i64, i64, i64, i64
  %x = tile.load_view %w[%k, %k] checked [true, false] : !tile.view<48x112xf32> -> tensor<48x112xf32>
  %y = tile.load_view %w[%k, %k] other %f checked [true, true] {group = 1 : i64, cache = #tile<cache_hint ca>} : !tile.view<48x112xf32>, f32 -> tensor<48x112xf32>
  tile.store_view %w[%k, %k], %y checked [false, false] {evict = #tile<eviction evict_first>} : !tile.view<48x112xf32>, tensor<48x112xf32>
  %o = tile.atomic_rmw xchg relaxed system %q, %n : !tile.ptr<i32> -> i32, i32
  %o1 = tile.atomic_rmw fadd acq_rel device %at, %c mask %mask {group = 1 : i64} : tensor<48x!tile.ptr<f32>>, tensor<48xi1> -> tensor<48xf32>, tensor<48xf32>
  %o2 = tile.atomic_cas release program %q, %n, %o {group = 3 : i64} : !tile.ptr<i32> -> i32, i32, i32
  tile.return
}

tile.kernel @arithmetic(%i: i32, %f: f32, %h: f16, %b: i1) {
  %c = arith.constant -7 : i32
  %zeros = arith.constant dense<0.000000e+00> : tensor<16x48xf32>
  %few = arith.constant dense<[1, -2, 3]> : tensor<3xi8>
  %0 = arith.addi %i, %c : i32
  %1 = arith.subi %i, %c : i32
  %2 = arith.muli %i, %c : i32
  %3 = arith.andi %i, %c : i32
  %4 = arith.ori %i, %c : i32
  %5 = arith.xori %i, %c : i32
  %6 = arith.cmpi sle, %i, %c : i32
  %7 = arith.select %b, %i, %c : i32
  %8 = arith.extsi %i : i32 to i64
  %9 = arith.extui %b : i1 to i8
  %10 = arith.trunci %i : i32 to i16
  %11 = arith.addf %f, %f : f32
  %12 = arith.subf %f, %f : f32
  %13 = arith.mulf %zeros, %zeros : tensor<16x48xf32>
  %14 = arith.negf %h : f16
  %15 = arith.cmpf olt, %f, %f : f32
  %16 = arith.extf %h : f16 to f32
  tile.return
}

tile.kernel @control(%n: i32, %b: i1, %f: f32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %f) -> (f32) : i32 {
    %next = arith.addf %acc, %f : f32
    scf.yield %next : f32
  } {tile.loop_unroll_factor = 2 : i32}
  %chosen = scf.if %b -> (f32) {
    scf.yield %f : f32
  } else {
    scf.yield %sum : f32
  }
  %halves = scf.while (%x = %n) : (i32) -> i32 {
    %more = arith.cmpi sgt, %x, %one : i32
    scf.condition(%more) %x : i32
  } do {
  ^bb0(%x: i32):
    %half = tile.shrsi %x, %one : i32
    scf.yield %half : i32
  }
  tile.return
}
