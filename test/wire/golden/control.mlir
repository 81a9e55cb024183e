// Total arithmetic, constants of every type, structured control flow.
tile.kernel @control(%n: i32, %l: i64, %f: f32, %h: f16, %b: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant -1 : i32
  %big = arith.constant 9223372036854775807 : i64
  %true = arith.constant true
  %byte = arith.constant -128 : i8
  %short = arith.constant 32767 : i16
  %half = arith.constant 1.5 : f16
  %bhalf = arith.constant -2.0 : bf16
  %single = arith.constant 0x7F800000 : f32
  %nan = arith.constant 0x7FC00001 : f32
  %double = arith.constant -0.0 : f64
  %tiny = arith.constant 1.0 : f8E4M3FN
  %tiny2 = arith.constant 1.0 : f8E5M2
  %splat = arith.constant dense<-7> : tensor<16x112xi32>
  %bools = arith.constant dense<true> : tensor<16xi1>
  %list = arith.constant dense<[1, -2, 3]> : tensor<3xi64>
  %floats = arith.constant dense<[1.0, -2.5]> : tensor<2xf32>
  %mixed = arith.constant dense<[true, false, true]> : tensor<3xi1>
  %0 = arith.addi %n, %c1 : i32
  %1 = arith.subi %n, %0 : i32
  %2 = arith.muli %n, %1 : i32
  %3 = arith.andi %n, %2 : i32
  %4 = arith.ori %n, %3 : i32
  %5 = arith.xori %n, %4 : i32
  %p0 = arith.cmpi eq, %n, %5 : i32
  %p1 = arith.cmpi ne, %n, %5 : i32
  %p2 = arith.cmpi slt, %n, %5 : i32
  %p3 = arith.cmpi sle, %n, %5 : i32
  %p4 = arith.cmpi sgt, %n, %5 : i32
  %p5 = arith.cmpi sge, %n, %5 : i32
  %p6 = arith.cmpi ult, %n, %5 : i32
  %p7 = arith.cmpi ule, %n, %5 : i32
  %p8 = arith.cmpi ugt, %n, %5 : i32
  %p9 = arith.cmpi uge, %n, %5 : i32
  %s = arith.select %p0, %n, %5 : i32
  %e0 = arith.extsi %n : i32 to i64
  %e1 = arith.extui %n : i32 to i64
  %e2 = arith.trunci %l : i64 to i32
  %f0 = arith.addf %f, %single : f32
  %f1 = arith.subf %f, %f0 : f32
  %f2 = arith.mulf %f, %f1 : f32
  %f3 = arith.negf %f2 : f32
  %f4 = arith.extf %h : f16 to f32
  %q0 = arith.cmpf false, %f, %f4 : f32
  %q1 = arith.cmpf oeq, %f, %f4 : f32
  %q2 = arith.cmpf ogt, %f, %f4 : f32
  %q3 = arith.cmpf oge, %f, %f4 : f32
  %q4 = arith.cmpf olt, %f, %f4 : f32
  %q5 = arith.cmpf ole, %f, %f4 : f32
  %q6 = arith.cmpf one, %f, %f4 : f32
  %q7 = arith.cmpf ord, %f, %f4 : f32
  %q8 = arith.cmpf ueq, %f, %f4 : f32
  %q9 = arith.cmpf ugt, %f, %f4 : f32
  %q10 = arith.cmpf uge, %f, %f4 : f32
  %q11 = arith.cmpf ult, %f, %f4 : f32
  %q12 = arith.cmpf ule, %f, %f4 : f32
  %q13 = arith.cmpf une, %f, %f4 : f32
  %q14 = arith.cmpf uno, %f, %f4 : f32
  %q15 = arith.cmpf true, %f, %f4 : f32
  scf.for %i = %c0 to %n step %s : i32 {
    scf.if %b {
      tile.barrier
    }
  } {tile.num_stages = 4 : i32, tile.loop_unroll_factor = 2 : i32, tile.disallow_acc_multi_buffer, tile.flatten, tile.warp_specialize, tile.disable_licm}
  %sum = scf.for unsigned %i = %c0 to %n step %s iter_args(%carried = %f) -> (f32) : i32 {
    %next = scf.if %b -> (f32) {
      %inner = arith.addf %carried, %f : f32
      scf.yield %inner : f32
    } else {
      scf.yield %carried : f32
    }
    scf.yield %next : f32
  }
  %w:2 = scf.while (%x = %n, %y = %sum) : (i32, f32) -> (f32, i32) {
    %more = arith.cmpi sgt, %x, %c0 : i32
    scf.condition(%more) %y, %x : f32, i32
  } do {
  ^bb0(%y: f32, %x: i32):
    %less = arith.subi %x, %s : i32
    scf.yield %less, %y : i32, f32
  }
  tile.return
}
