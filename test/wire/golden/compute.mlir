// Arithmetic of the dialect, every enum case of it, dot, reduce, scan.
tile.kernel @compute(%i: i32, %f: f32, %h: f16, %p: !tile.ptr<f32>, %l: i64) {
  %t = tile.splat %i : i32 -> tensor<48xi32>
  %0 = tile.divsi %t, %t : tensor<48xi32>
  %1 = tile.divui %t, %0 : tensor<48xi32>
  %2 = tile.remsi %t, %1 : tensor<48xi32>
  %3 = tile.remui %i, %i : i32
  %4 = tile.shl %i, %3 : i32
  %5 = tile.shrsi %i, %4 : i32
  %6 = tile.shrui %i, %5 : i32
  %7 = tile.mulhisi %i, %6 : i32
  %8 = tile.mulhiui %i, %7 : i32
  %9 = tile.minsi %i, %8 : i32
  %10 = tile.minui %i, %9 : i32
  %11 = tile.maxsi %i, %10 : i32
  %12 = tile.maxui %i, %11 : i32
  %13 = tile.absi %t : tensor<48xi32>
  %zeros = tile.clz %13 : tensor<48xi32>
  %14 = tile.divf approx %f, %f : f32
  %15 = tile.divf rn %f, %14 : f32
  %16 = tile.remf %f, %15 : f32
  %17 = tile.minf %f, %16 : f32
  %18 = tile.minf %f, %17 propagate_nan : f32
  %19 = tile.maxf %f, %18 : f32
  %20 = tile.maxf %f, %19 propagate_nan : f32
  %21 = tile.fma %f, %20, %19 : f32
  %22 = tile.pow %f, %21 : f32
  %m0 = tile.math exp %f : f32
  %m1 = tile.math exp2 %m0 : f32
  %m2 = tile.math log %m1 : f32
  %m3 = tile.math log2 %m2 : f32
  %m4 = tile.math sin %m3 : f32
  %m5 = tile.math cos %m4 : f32
  %m6 = tile.math tan %m5 : f32
  %m7 = tile.math sqrt %m6 : f32
  %m8 = tile.math sqrt_rn %m7 : f32
  %m9 = tile.math rsqrt %m8 : f32
  %m10 = tile.math erf %m9 : f32
  %m11 = tile.math tanh %m10 : f32
  %m12 = tile.math floor %m11 : f32
  %m13 = tile.math ceil %m12 : f32
  %m14 = tile.math trunc %m13 : f32
  %m15 = tile.math rint %m14 : f32
  %m16 = tile.math abs %m15 : f32
  %m17 = tile.math log1p %m16 : f32
  %m18 = tile.math expm1 %m17 : f32
  %c0 = tile.truncf rtne %f : f32 to f16
  %c1 = tile.truncf rtz %f : f32 to bf16
  %c2 = tile.truncf rtne %f : f32 to f8E4M3FN
  %c3 = tile.sitofp %i : i32 to f16
  %c4 = tile.uitofp %i : i32 to f64
  %c5 = tile.fptosi %f : f32 to i8
  %c6 = tile.fptoui %f : f32 to i64
  %c7 = tile.bitcast %f : f32 to i32
  %c8 = tile.ptr_to_int %p : !tile.ptr<f32> to i64
  %c9 = tile.int_to_ptr %c8 : i64 to !tile.ptr<f16>
  %a = tile.splat %h : f16 -> tensor<16x80xf16>
  %b = tile.splat %h : f16 -> tensor<80x48xf16>
  %acc = tile.splat %f : f32 -> tensor<16x48xf32>
  %d0 = tile.dot %a, %b, %acc : tensor<16x80xf16>, tensor<80x48xf16> -> tensor<16x48xf32>
  %af = tile.splat %f : f32 -> tensor<16x80xf32>
  %bf = tile.splat %f : f32 -> tensor<80x48xf32>
  %d1 = tile.dot %af, %bf, %d0 {precision = #tile<precision tf32>} : tensor<16x80xf32>, tensor<80x48xf32> -> tensor<16x48xf32>
  %d2 = tile.dot %af, %bf, %d1 {precision = #tile<precision tf32x3>} : tensor<16x80xf32>, tensor<80x48xf32> -> tensor<16x48xf32>
  %d3 = tile.dot %af, %bf, %d2 {precision = #tile<precision bf16x3>} : tensor<16x80xf32>, tensor<80x48xf32> -> tensor<16x48xf32>
  %d4 = tile.dot %af, %bf, %d3 {precision = #tile<precision bf16x6>} : tensor<16x80xf32>, tensor<80x48xf32> -> tensor<16x48xf32>
  %d5 = tile.dot %af, %bf, %d4 {precision = #tile<precision target_default>} : tensor<16x80xf32>, tensor<80x48xf32> -> tensor<16x48xf32>
  %d6 = tile.dot %af, %bf, %d5 {maxImprecise = 128 : i64} : tensor<16x80xf32>, tensor<80x48xf32> -> tensor<16x48xf32>
  %r0 = tile.reduce (%d6) axis 1 : (tensor<16x48xf32>) -> tensor<16xf32> {
  ^bb0(%x: f32, %y: f32):
    %sum = arith.addf %x, %y : f32
    tile.yield %sum : f32
  }
  %r1:2 = tile.reduce (%r0, %r0) axis 0 : (tensor<16xf32>, tensor<16xf32>) -> (f32, f32) {
  ^bb0(%x0: f32, %y0: f32, %x1: f32, %y1: f32):
    %less = arith.cmpf olt, %x0, %x1 : f32
    %first = arith.select %less, %x0, %x1 : f32
    %second = arith.select %less, %y0, %y1 : f32
    tile.yield %first, %second : f32, f32
  }
  %s0 = tile.scan (%13) axis 0 : (tensor<48xi32>) -> tensor<48xi32> {
  ^bb0(%x: i32, %y: i32):
    %sum = arith.addi %x, %y : i32
    tile.yield %sum : i32
  }
  %s1 = tile.scan (%s0) axis 0 reverse : (tensor<48xi32>) -> tensor<48xi32> {
  ^bb0(%x: i32, %y: i32):
    %max = tile.maxsi %x, %y : i32
    tile.yield %max : i32
  }
  %hist = tile.histogram %s1 : tensor<48xi32> -> tensor<7xi32>
  %mask = arith.cmpi ne, %t, %s1 : tensor<48xi32>
  %hist1 = tile.histogram %s1 mask %mask : tensor<48xi32>, tensor<48xi1> -> tensor<7xi32>
  %map:2 = tile.map (%s0, %s1) : (tensor<48xi32>, tensor<48xi32>) -> (tensor<48xi32>, tensor<48xi1>) {
  ^bb0(%x: i32, %y: i32):
    %less = arith.cmpi slt, %x, %y : i32
    %low = scf.if %less -> (i32) {
      scf.yield %x : i32
    } else {
      scf.yield %y : i32
    }
    tile.yield %low, %less : i32, i1
  }
  tile.return
}
