// A division by what may be 0 or -1 divides by the number itself: what it gives
// for 0 is left out, and for -1 it gives the negated dividend. Where threads differ, a
// quotient with a sign is a product with a reciprocal, which gives 0 for 0.
// RUN: split-file %s %t
// RUN: tz compile %t/both.mlir --target nvidia:sm_90a --emit asm -o - | FileCheck %t/both.mlir
// RUN: tz compile %t/lanes.mlir --target nvidia:sm_90a --emit asm -o - | FileCheck %t/lanes.mlir
// RUN: tz compile %t/others.mlir --target nvidia:sm_90a --emit asm -o - | FileCheck %t/others.mlir

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
// A divisor that is neither needs no choice; 64 bits are LLVM's to shorten.
// CHECK-LABEL: .entry others
// CHECK: max.s32 [[DIVISOR:%r[0-9]+]], %r{{[0-9]+}}, 4;
// CHECK: div.s32 %r{{[0-9]+}}, %r{{[0-9]+}}, [[DIVISOR]];
// CHECK: selp.b64 [[SAFE:%rd[0-9]+]], 1, %rd{{[0-9]+}}, %p
// CHECK: div.s64 %rd{{[0-9]+}}, %rd{{[0-9]+}}, [[SAFE]];
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
