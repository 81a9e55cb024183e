// A division by what may be 0 or -1 divides by the number itself: what it gives
// for 0 is left out, and for -1 it gives the negated dividend. With a sign it is a
// product with a reciprocal, which gives 0 for 0.
// RUN: split-file %s %t
// RUN: tz compile %t/both.mlir --target nvidia:sm_90a --emit asm -o - | FileCheck %t/both.mlir
// RUN: tz compile %t/others.mlir --target nvidia:sm_90a --emit asm -o - | FileCheck %t/others.mlir

//--- both.mlir
// CHECK-LABEL: .entry both
// CHECK-DAG: ld.param.b32 [[X:%r[0-9]+]], [both_param_2];
// CHECK-DAG: ld.param.b32 [[Y:%r[0-9]+]], [both_param_3];
// CHECK: abs.s32 [[SIZE:%r[0-9]+]], [[Y]];
// CHECK: setp.eq.b32 [[ZERO:%p[0-9]+]], [[Y]], 0;
// CHECK: selp.b32 [[BY:%r[0-9]+]], -1, [[SIZE]], [[ZERO]];
// CHECK: cvt.rn.f32.u32 [[FLOAT:%r[0-9]+]], [[BY]];
// CHECK: rcp.approx.ftz.f32 [[INVERSE:%r[0-9]+]], [[FLOAT]];
// CHECK: mul.rn.f32 [[SCALED:%r[0-9]+]], [[INVERSE]], 0f4F7FFFFC;
// CHECK: cvt.rzi.u32.f32 {{.*}}, [[SCALED]];
// CHECK-COUNT-2: mul.hi.u32
// CHECK: setp.ge.u32
// CHECK-NOT: div.s32
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

//--- others.mlir
// A divisor that is neither needs no choice; 64 bits are LLVM's to shorten.
// CHECK-LABEL: .entry others
// CHECK: max.s32 [[DIVISOR:%r[0-9]+]], %r{{[0-9]+}}, 4;
// CHECK: cvt.rn.f32.u32 {{.*}}, [[DIVISOR]];
// CHECK: rcp.approx.ftz.f32
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
