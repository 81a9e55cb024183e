// A division by what may be 0 or -1 divides by the number itself: what it gives
// for 0 is left out, and for -1 it gives the negated dividend. Where threads differ, a
// quotient with a sign is a product with a reciprocal, which gives 0 for 0. So it is where
// each iteration of a loop divides by one number.
// RUN: split-file %s %t
// RUN: tz compile %t/both.mlir --target nvidia:sm_90a --emit asm -o - | FileCheck %t/both.mlir
// RUN: tz compile %t/lanes.mlir --target nvidia:sm_90a --emit asm -o - | FileCheck %t/lanes.mlir
// RUN: tz compile %t/others.mlir --target nvidia:sm_90a --emit asm -o - | FileCheck %t/others.mlir
// RUN: tz compile %t/loop.mlir --target nvidia:sm_90a --emit asm -o - | FileCheck %t/loop.mlir
// RUN: tz compile %t/long.mlir --target nvidia:sm_90a --emit asm -o - | FileCheck %t/long.mlir

//--- both.mlir
// CHECK-LABEL: .entry both
// CHECK-DAG: ld.param.b32 [[X:%r[0-9]+]], [both_param_2];
// CHECK-DAG: ld.param.b32 [[Y:%r[0-9]+]], [both_param_3];
// CHECK-DAG: setp.eq.b32 [[ZERO:%p[0-9]+]], [[Y]], 0;
// CHECK-DAG: div.s32 [[SIGNED:%r[0-9]+]], [[X]], [[Y]];
// CHECK: selp.b32 %r{{[0-9]+}}, 0, [[SIGNED]], [[ZERO]];
// CHECK-NOT: selp
// CHECK: div.u32 [[UNSIGNED:%r[0-9]+]], [[X]], [[Y]];
// CHECK-NOT: selp
// CHECK: selp.b32 %r{{[0-9]+}}, 0, [[UNSIGNED]], [[ZERO]];
// CHECK-NOT: selp
// CHECK: ret;
tile.kernel @both(%x: !tile.ptr<i32>, %y: !tile.ptr<i32>, %v: i32, %n: i32) {
  %signed = tile.divsi %v, %n : i32
  tile.store %x, %signed : !tile.ptr<i32>, i32
  %unsigned = tile.divui %v, %n : i32
  tile.store %y, %unsigned : !tile.ptr<i32>, i32
  tile.return
}

//--- lanes.mlir
// One reciprocal for both quotients; 2^32 - 1 takes the place of 0.
// CHECK-LABEL: .entry lanes
// CHECK-DAG: ld.param.b32 [[Y:%r[0-9]+]], [lanes_param_1];
// CHECK-DAG: abs.s32 [[SIZE:%r[0-9]+]], [[Y]];
// CHECK-DAG: setp.eq.b32 [[ZERO:%p[0-9]+]], [[Y]], 0;
// CHECK: selp.b32 [[BY:%r[0-9]+]], -1, [[SIZE]], [[ZERO]];
// CHECK: cvt.rn.f32.u32 [[FLOAT:%r[0-9]+]], [[BY]];
// CHECK: rcp.approx.ftz.f32 [[INVERSE:%r[0-9]+]], [[FLOAT]];
// CHECK: mul.rn.f32 [[SCALED:%r[0-9]+]], [[INVERSE]], 0f4F7FFFFC;
// CHECK: cvt.rzi.u32.f32 {{.*}}, [[SCALED]];
// CHECK-COUNT-3: mul.hi.u32
// CHECK-NOT: mul.hi.u32
// CHECK-NOT: div.s32
// CHECK: ret;
tile.kernel @lanes(%x: !tile.ptr<i32>, %n: i32) attributes {tile.num_warps = 1 : i32} {
  %less = arith.constant dense<7> : tensor<64xi32>
  %at = tile.range 0 to 64 : tensor<64xi32>
  %v = arith.subi %at, %less : tensor<64xi32>
  %by = tile.splat %n : i32 -> tensor<64xi32>
  %quotients = tile.divsi %v, %by : tensor<64xi32>
  %base = tile.splat %x : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %to = tile.addptr %base, %at : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  tile.store %to, %quotients : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  tile.return
}

//--- others.mlir
// A divisor that is neither needs no choice. One of 64 bits divides as one of 32 where
// both numbers have so many.
// CHECK-LABEL: .entry others
// CHECK-DAG: max.s32 [[DIVISOR:%r[0-9]+]], %r{{[0-9]+}}, 4;
// CHECK-DAG: div.s32 %r{{[0-9]+}}, %r{{[0-9]+}}, [[DIVISOR]];
// CHECK-DAG: ld.param.b64 [[BY:%rd[0-9]+]], [others_param_5];
// CHECK-DAG: div.s64 %rd{{[0-9]+}}, %rd{{[0-9]+}}, [[BY]];
// CHECK-DAG: div.u32
// CHECK-NOT: neg.s64
// CHECK: ret;
tile.kernel @others(%x: !tile.ptr<i32>, %y: !tile.ptr<i64>, %v: i32, %n: i32, %wide: i64, %by: i64) {
  %four = arith.constant 4 : i32
  %divisor = tile.maxsi %n, %four : i32
  %some = tile.divsi %v, %divisor : i32
  tile.store %x, %some : !tile.ptr<i32>, i32
  %long = tile.divsi %wide, %by : i64
  tile.store %y, %long : !tile.ptr<i64>, i64
  tile.return
}

//--- loop.mlir
// Each iteration divides by the same number: its reciprocal is taken before the loop.
// CHECK-LABEL: .entry loop
// CHECK: rcp.approx.ftz.f32
// CHECK: [[LOOP:\$L[A-Z0-9_]+]]:
// CHECK-NOT: rcp.approx
// CHECK-NOT: div.s32
// CHECK: mul.hi.u32
// CHECK-NOT: rcp.approx
// CHECK-NOT: div.s32
// CHECK: bra [[LOOP]];
tile.kernel @loop(%x: !tile.ptr<i32>, %o: !tile.ptr<i32>, %n: i32, %by: i32) attributes {tile.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %seven = arith.constant 7 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %from = arith.muli %i, %seven : i32
    %row = tile.divsi %from, %by : i32
    %p = tile.addptr %o, %row : !tile.ptr<i32>, i32
    tile.store %p, %i {group = 2 : i64} : !tile.ptr<i32>, i32
  }
  tile.return
}

//--- long.mlir
// So it is with 64 bits, where both numbers may have 32. What the divisor was widened
// from is compared.
// CHECK-LABEL: .entry long
// CHECK-NOT: selp
// CHECK-DAG: div.u32
// CHECK-DAG: div.s64
// CHECK-NOT: neg.s64
// CHECK: selp.b64 %rd{{[0-9]+}}, 0, %rd
// CHECK-NOT: selp
// CHECK: ret;
tile.kernel @long(%slots: !tile.ptr<i64>, %o: !tile.ptr<i64>, %n: i32) attributes {tile.num_warps = 1 : i32} {
  %slot = tile.load %slots {group = 1 : i64} : !tile.ptr<i64> -> i64
  %by = arith.extsi %n : i32 to i64
  %row = tile.divsi %slot, %by : i64
  tile.store %o, %row {group = 2 : i64} : !tile.ptr<i64>, i64
  tile.return
}
