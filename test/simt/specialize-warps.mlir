// What begins copies and what computes become two halves of the kernel.
// RUN: tz-opt %s --simt-specialize-warps=copy-warps=4 --split-input-file --verify-diagnostics | FileCheck %s
// RUN: tz-opt %s --simt-specialize-warps=copy-warps=4 --split-input-file --verify-diagnostics -mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS
// RUN: tz-opt %s --simt-specialize-warps --split-input-file | FileCheck %s --check-prefix=NONE
// NONE-NOT: simt.specialize

// STATS: 2  specialized

// CHECK-LABEL: tile.kernel @example
// CHECK: %[[FRAME:.*]] = simt.descriptor
// CHECK: %[[FULL:.*]]:2 = simt.barriers
// CHECK: %[[RING:.*]] = simt.ring
// CHECK: simt.specialize 4 copies {
// CHECK: scf.for {{.*}} iter_args(%[[BEFORE:[^ ]*]] = %{{[^,]*}}) -> (i32)
// CHECK: simt.acquire %[[FULL]]#1[{{.*}}] phase %[[BEFORE]] when
// CHECK: simt.expect 1024 at %[[FULL]]#0
// CHECK: simt.bulk_copy %[[FRAME]]
// CHECK-NOT: simt.barrier_wait
// CHECK: } work {
// CHECK-NOT: simt.acquire
// CHECK: simt.barrier_wait %[[FULL]]#0
// CHECK: simt.read
// CHECK: simt.release %[[FULL]]#1
// CHECK-NOT: simt.barriers_end
// CHECK: tile.store_view
// CHECK: tile.return
tile.kernel @example(%a: !tile.ptr<f32>, %out: !tile.ptr<f32>, %n: i32) attributes {tile.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 16 : i64
  %true = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %frame = simt.descriptor %a[%z] shape[%m, %m] strides[%m, %one] : <f32> -> <[16, 16], f32, swizzle 0>
  %v = tile.make_view %out shape[%m, %m] strides[%m, %one] : !tile.ptr<f32> -> !tile.view<16x16xf32>
  %ring = simt.ring : <1 x <16x16xf32, #simt.shared<order[1, 0], panel 16, swizzle 0 4 3>>>
  %full, %empty = simt.barriers : !simt.barriers<1>, !simt.barriers<1 arrivals 4>
  %sum:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %read = %c0, %before = %c1) -> (tensor<16x16xf32>, i32, i32) : i32 {
    simt.acquire %empty[%c0] phase %before when %true : <1 arrivals 4>
    simt.expect 1024 at %full[%c0] when %true : <1>
    %to = simt.slot %ring[%c0] : <1 x <16x16xf32, #simt.shared<order[1, 0], panel 16, swizzle 0 4 3>>> -> <16x16xf32, #simt.shared<order[1, 0], panel 16, swizzle 0 4 3>>
    %at = arith.extsi %i : i32 to i64
    simt.bulk_copy %frame[%at, %z] to %to signal %full[%c0] when %true : <[16, 16], f32, swizzle 0> to <16x16xf32, #simt.shared<order[1, 0], panel 16, swizzle 0 4 3>>, <1>
    simt.barrier_wait %full[%c0] phase %read : <1>
    %from = simt.slot %ring[%c0] : <1 x <16x16xf32, #simt.shared<order[1, 0], panel 16, swizzle 0 4 3>>> -> <16x16xf32, #simt.shared<order[1, 0], panel 16, swizzle 0 4 3>>
    %x = simt.read %from : <16x16xf32, #simt.shared<order[1, 0], panel 16, swizzle 0 4 3>> -> tensor<16x16xf32>
    simt.release %empty[%c0] when %true : <1 arrivals 4>
    %next = arith.addf %acc, %x : tensor<16x16xf32>
    %read2 = arith.xori %read, %c1 : i32
    %before2 = arith.xori %before, %c1 : i32
    scf.yield %next, %read2, %before2 : tensor<16x16xf32>, i32, i32
  }
  simt.barriers_end %full, %empty : !simt.barriers<1>, !simt.barriers<1 arrivals 4>
  tile.store_view %v[%z, %z], %sum#0 checked [false, false] : !tile.view<16x16xf32>, tensor<16x16xf32>
  tile.return
}

// -----

// The branch around the loop is taken by both halves.
// CHECK-LABEL: tile.kernel @in_guard
// CHECK: simt.specialize 4 copies {
// CHECK: %[[C:.*]] = arith.cmpi sgt
// CHECK: scf.if %[[C]] {
// CHECK: simt.bulk_copy
// CHECK: } work {
// CHECK: scf.if
// CHECK: simt.read
tile.kernel @in_guard(%a: !tile.ptr<f32>, %out: !tile.ptr<f32>, %n: i32) attributes {tile.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 16 : i64
  %true = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %frame = simt.descriptor %a[%z] shape[%m, %m] strides[%m, %one] : <f32> -> <[16, 16], f32, swizzle 0>
  %v = tile.make_view %out shape[%m, %m] strides[%m, %one] : !tile.ptr<f32> -> !tile.view<16x16xf32>
  %some = arith.cmpi sgt, %n, %c0 : i32
  scf.if %some {
    %ring = simt.ring : <1 x <16x16xf32, #simt.shared<order[1, 0], panel 16, swizzle 0 4 3>>>
    %full, %empty = simt.barriers : !simt.barriers<1>, !simt.barriers<1 arrivals 4>
    %sum:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %read = %c0, %before = %c1) -> (tensor<16x16xf32>, i32, i32) : i32 {
      simt.acquire %empty[%c0] phase %before when %true : <1 arrivals 4>
      simt.expect 1024 at %full[%c0] when %true : <1>
      %to = simt.slot %ring[%c0] : <1 x <16x16xf32, #simt.shared<order[1, 0], panel 16, swizzle 0 4 3>>> -> <16x16xf32, #simt.shared<order[1, 0], panel 16, swizzle 0 4 3>>
      %at = arith.extsi %i : i32 to i64
      simt.bulk_copy %frame[%at, %z] to %to signal %full[%c0] when %true : <[16, 16], f32, swizzle 0> to <16x16xf32, #simt.shared<order[1, 0], panel 16, swizzle 0 4 3>>, <1>
      simt.barrier_wait %full[%c0] phase %read : <1>
      %from = simt.slot %ring[%c0] : <1 x <16x16xf32, #simt.shared<order[1, 0], panel 16, swizzle 0 4 3>>> -> <16x16xf32, #simt.shared<order[1, 0], panel 16, swizzle 0 4 3>>
      %x = simt.read %from : <16x16xf32, #simt.shared<order[1, 0], panel 16, swizzle 0 4 3>> -> tensor<16x16xf32>
      simt.release %empty[%c0] when %true : <1 arrivals 4>
      %next = arith.addf %acc, %x : tensor<16x16xf32>
      %read2 = arith.xori %read, %c1 : i32
      %before2 = arith.xori %before, %c1 : i32
      scf.yield %next, %read2, %before2 : tensor<16x16xf32>, i32, i32
    }
    simt.barriers_end %full, %empty : !simt.barriers<1>, !simt.barriers<1 arrivals 4>
    tile.store_view %v[%z, %z], %sum#0 checked [false, false] : !tile.view<16x16xf32>, tensor<16x16xf32>
  }
  tile.return
}

// -----

// CHECK-LABEL: tile.kernel @no_loop_in_loop
// CHECK-NOT: simt.specialize
tile.kernel @no_loop_in_loop(%a: !tile.ptr<f32>, %out: !tile.ptr<f32>, %n: i32) attributes {tile.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 16 : i64
  %true = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %frame = simt.descriptor %a[%z] shape[%m, %m] strides[%m, %one] : <f32> -> <[16, 16], f32, swizzle 0>
  %v = tile.make_view %out shape[%m, %m] strides[%m, %one] : !tile.ptr<f32> -> !tile.view<16x16xf32>
  scf.for %j = %c0 to %n step %c1 : i32 {
    %ring = simt.ring : <1 x <16x16xf32, #simt.shared<order[1, 0], panel 16, swizzle 0 4 3>>>
    %full, %empty = simt.barriers : !simt.barriers<1>, !simt.barriers<1 arrivals 4>
    // expected-remark @+1 {{the copies of this loop have no warp of their own: it stands in another loop}}
    %sum:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %read = %c0, %before = %c1) -> (tensor<16x16xf32>, i32, i32) : i32 {
      simt.acquire %empty[%c0] phase %before when %true : <1 arrivals 4>
      simt.expect 1024 at %full[%c0] when %true : <1>
      %to = simt.slot %ring[%c0] : <1 x <16x16xf32, #simt.shared<order[1, 0], panel 16, swizzle 0 4 3>>> -> <16x16xf32, #simt.shared<order[1, 0], panel 16, swizzle 0 4 3>>
      %at = arith.extsi %i : i32 to i64
      simt.bulk_copy %frame[%at, %z] to %to signal %full[%c0] when %true : <[16, 16], f32, swizzle 0> to <16x16xf32, #simt.shared<order[1, 0], panel 16, swizzle 0 4 3>>, <1>
      simt.barrier_wait %full[%c0] phase %read : <1>
      %from = simt.slot %ring[%c0] : <1 x <16x16xf32, #simt.shared<order[1, 0], panel 16, swizzle 0 4 3>>> -> <16x16xf32, #simt.shared<order[1, 0], panel 16, swizzle 0 4 3>>
      %x = simt.read %from : <16x16xf32, #simt.shared<order[1, 0], panel 16, swizzle 0 4 3>> -> tensor<16x16xf32>
      simt.release %empty[%c0] when %true : <1 arrivals 4>
      %next = arith.addf %acc, %x : tensor<16x16xf32>
      %read2 = arith.xori %read, %c1 : i32
      %before2 = arith.xori %before, %c1 : i32
      scf.yield %next, %read2, %before2 : tensor<16x16xf32>, i32, i32
    }
    simt.barriers_end %full, %empty : !simt.barriers<1>, !simt.barriers<1 arrivals 4>
    tile.store_view %v[%z, %z], %sum#0 checked [false, false] : !tile.view<16x16xf32>, tensor<16x16xf32>
  }
  tile.return
}

// -----

// CHECK-LABEL: tile.kernel @no_assert
// CHECK-NOT: simt.specialize
tile.kernel @no_assert(%a: !tile.ptr<f32>, %out: !tile.ptr<f32>, %n: i32) attributes {tile.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 16 : i64
  %true = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %frame = simt.descriptor %a[%z] shape[%m, %m] strides[%m, %one] : <f32> -> <[16, 16], f32, swizzle 0>
  %v = tile.make_view %out shape[%m, %m] strides[%m, %one] : !tile.ptr<f32> -> !tile.view<16x16xf32>
  %some = arith.cmpi sgt, %n, %c0 : i32
  tile.assert %some, "n" : i1
  %ring = simt.ring : <1 x <16x16xf32, #simt.shared<order[1, 0], panel 16, swizzle 0 4 3>>>
  %full, %empty = simt.barriers : !simt.barriers<1>, !simt.barriers<1 arrivals 4>
  // expected-remark @+1 {{the copies of this loop have no warp of their own: a failed assert would end only one half of the program}}
  %sum:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %read = %c0, %before = %c1) -> (tensor<16x16xf32>, i32, i32) : i32 {
    simt.acquire %empty[%c0] phase %before when %true : <1 arrivals 4>
    simt.expect 1024 at %full[%c0] when %true : <1>
    %to = simt.slot %ring[%c0] : <1 x <16x16xf32, #simt.shared<order[1, 0], panel 16, swizzle 0 4 3>>> -> <16x16xf32, #simt.shared<order[1, 0], panel 16, swizzle 0 4 3>>
    %at = arith.extsi %i : i32 to i64
    simt.bulk_copy %frame[%at, %z] to %to signal %full[%c0] when %true : <[16, 16], f32, swizzle 0> to <16x16xf32, #simt.shared<order[1, 0], panel 16, swizzle 0 4 3>>, <1>
    simt.barrier_wait %full[%c0] phase %read : <1>
    %from = simt.slot %ring[%c0] : <1 x <16x16xf32, #simt.shared<order[1, 0], panel 16, swizzle 0 4 3>>> -> <16x16xf32, #simt.shared<order[1, 0], panel 16, swizzle 0 4 3>>
    %x = simt.read %from : <16x16xf32, #simt.shared<order[1, 0], panel 16, swizzle 0 4 3>> -> tensor<16x16xf32>
    simt.release %empty[%c0] when %true : <1 arrivals 4>
    %next = arith.addf %acc, %x : tensor<16x16xf32>
    %read2 = arith.xori %read, %c1 : i32
    %before2 = arith.xori %before, %c1 : i32
    scf.yield %next, %read2, %before2 : tensor<16x16xf32>, i32, i32
  }
  simt.barriers_end %full, %empty : !simt.barriers<1>, !simt.barriers<1 arrivals 4>
  tile.store_view %v[%z, %z], %sum#0 checked [false, false] : !tile.view<16x16xf32>, tensor<16x16xf32>
  tile.return
}

// -----

// CHECK-LABEL: tile.kernel @no_loaded_address
// CHECK-NOT: simt.specialize
tile.kernel @no_loaded_address(%a: !tile.ptr<f32>, %out: !tile.ptr<f32>, %n: i32, %where: !tile.ptr<i64>) attributes {tile.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 16 : i64
  %true = arith.constant true
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %frame = simt.descriptor %a[%z] shape[%m, %m] strides[%m, %one] : <f32> -> <[16, 16], f32, swizzle 0>
  %v = tile.make_view %out shape[%m, %m] strides[%m, %one] : !tile.ptr<f32> -> !tile.view<16x16xf32>
  %ring = simt.ring : <1 x <16x16xf32, #simt.shared<order[1, 0], panel 16, swizzle 0 4 3>>>
  %full, %empty = simt.barriers : !simt.barriers<1>, !simt.barriers<1 arrivals 4>
  // expected-remark @+1 {{the copies of this loop have no warp of their own: its addresses are computed from more than scalars}}
  %sum:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %read = %c0, %before = %c1) -> (tensor<16x16xf32>, i32, i32) : i32 {
    simt.acquire %empty[%c0] phase %before when %true : <1 arrivals 4>
    simt.expect 1024 at %full[%c0] when %true : <1>
    %to = simt.slot %ring[%c0] : <1 x <16x16xf32, #simt.shared<order[1, 0], panel 16, swizzle 0 4 3>>> -> <16x16xf32, #simt.shared<order[1, 0], panel 16, swizzle 0 4 3>>
    %at = tile.load %where : !tile.ptr<i64> -> i64
    simt.bulk_copy %frame[%at, %z] to %to signal %full[%c0] when %true : <[16, 16], f32, swizzle 0> to <16x16xf32, #simt.shared<order[1, 0], panel 16, swizzle 0 4 3>>, <1>
    simt.barrier_wait %full[%c0] phase %read : <1>
    %from = simt.slot %ring[%c0] : <1 x <16x16xf32, #simt.shared<order[1, 0], panel 16, swizzle 0 4 3>>> -> <16x16xf32, #simt.shared<order[1, 0], panel 16, swizzle 0 4 3>>
    %x = simt.read %from : <16x16xf32, #simt.shared<order[1, 0], panel 16, swizzle 0 4 3>> -> tensor<16x16xf32>
    simt.release %empty[%c0] when %true : <1 arrivals 4>
    %next = arith.addf %acc, %x : tensor<16x16xf32>
    %read2 = arith.xori %read, %c1 : i32
    %before2 = arith.xori %before, %c1 : i32
    scf.yield %next, %read2, %before2 : tensor<16x16xf32>, i32, i32
  }
  simt.barriers_end %full, %empty : !simt.barriers<1>, !simt.barriers<1 arrivals 4>
  tile.store_view %v[%z, %z], %sum#0 checked [false, false] : !tile.view<16x16xf32>, tensor<16x16xf32>
  tile.return
}
