// Shifts by amounts of 64 bits: all of them counts, and one instruction shifts.
// RUN: tz compile %s --target nvidia:sm_90a --emit asm -o - | FileCheck %s

// CHECK-LABEL: .entry both
// CHECK: min.u64 [[SMALL:%rd[0-9]+]], %{{rd[0-9]+}}, 64;
// CHECK: cvt.u32.u64 [[AMOUNT:%r[0-9]+]], [[SMALL]];
// CHECK-NOT: setp
// CHECK-DAG: shr.u64 %{{.*}}, [[AMOUNT]];
// CHECK-DAG: shl.b64 %{{.*}}, %r
// CHECK-NOT: setp
// CHECK: ret;
tile.kernel @both(%x: !tile.ptr<i64>, %y: !tile.ptr<i64>, %v: i64, %n: i64) {
  %right = tile.shrui %v, %n : i64
  tile.store %x, %right : !tile.ptr<i64>, i64
  %left = tile.shl %v, %n : i64
  tile.store %y, %left : !tile.ptr<i64>, i64
  tile.return
}
