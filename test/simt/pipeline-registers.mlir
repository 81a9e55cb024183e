// Where there are no asynchronous copies, loads of later iterations wait in registers.
// RUN: tz-opt %s --simt-assign-layouts "--simt-pipeline-registers=registers=256" | FileCheck %s
// RUN: tz-opt %s --simt-assign-layouts "--simt-pipeline-registers=registers=256 shared-bytes=12000" | FileCheck %s --check-prefix=SMALL
// RUN: tz-opt %s --simt-assign-layouts "--simt-pipeline-registers=registers=72" | FileCheck %s --check-prefix=FEW
// RUN: tz-opt %s --simt-assign-layouts "--simt-pipeline-registers=registers=60" 2>&1 | FileCheck %s --check-prefix=LEFT
// RUN: tz-opt %s --simt-assign-layouts "--simt-pipeline-registers=registers=40" -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: tz-opt %s --simt-assign-layouts --simt-pipeline-registers | FileCheck %s --check-prefix=OFF
// RUN: tz-opt %s --simt-assign-layouts "--simt-pipeline-loops=async-copy-bytes=4" "--simt-pipeline-registers=registers=256" | FileCheck %s --check-prefix=COPIED
// RUN: tz-opt %s --simt-assign-layouts "--simt-pipeline-registers=registers=256" --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
// OFF-NOT: simt.ring
// COPIED-LABEL: tile.kernel @example
// COPIED: simt.async_copy
// COPIED-NOT: simt.pack
// COPIED-LABEL: tile.kernel @no_store_of_the_group
// COUNT: 1 held
// COUNT: 2 pipelined
// COUNT: 2 staged

// Two iterations ahead (three stages): the loop carries the next one's words, and
// writes them to the slot that it does not read. One barrier an iteration.
// CHECK-LABEL: tile.kernel @example
// CHECK: scf.if
// CHECK: %[[RA:.*]] = simt.ring : <2 x <64x32xf16
// CHECK: %[[RB:.*]] = simt.ring : <2 x <32x64xf16
// CHECK: %[[A0:.*]] = tile.load_view
// CHECK: %[[PA0:.*]] = simt.pack %[[A0]]
// CHECK: %[[B0:.*]] = tile.load_view
// CHECK: %[[ONE:.*]]:2 = scf.if
// CHECK: tile.load_view
// CHECK: tile.load_view
// CHECK: else
// CHECK: simt.slot %[[RA]][%{{.*}}]
// CHECK: %[[U0:.*]] = simt.unpack %[[PA0]]
// CHECK: simt.write %[[U0]] to
// CHECK: simt.write
// CHECK: simt.sync
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = {{.*}}, %[[SLOT:.*]] = {{.*}}, %[[HA:.*]] = %[[ONE]]#0, %[[HB:.*]] = %[[ONE]]#1)
// CHECK: %[[TWO:.*]]:2 = scf.if
// CHECK: tile.load_view
// CHECK: tile.load_view
// CHECK: else
// CHECK: %[[A:.*]] = simt.slot %[[RA]][%[[SLOT]]]
// CHECK: %[[B:.*]] = simt.slot %[[RB]][%[[SLOT]]]
// CHECK: %[[SUM:.*]] = simt.dot %[[A]], %[[B]], %[[ACC]]
// CHECK-NOT: simt.sync
// CHECK: %[[OTHER:.*]] = arith.xori %[[SLOT]]
// CHECK: %[[TO:.*]] = simt.slot %[[RA]][%[[OTHER]]]
// CHECK: %[[NEXT:.*]] = simt.unpack %[[HA]]
// CHECK: simt.write %[[NEXT]] to %[[TO]]
// CHECK: simt.unpack %[[HB]]
// CHECK: simt.write
// CHECK: simt.sync
// CHECK-NEXT: scf.yield %[[SUM]], %[[OTHER]], %[[TWO]]#0, %[[TWO]]#1

// Where shared memory has one slot: a barrier before it is written, and one behind.
// SMALL-LABEL: tile.kernel @example
// SMALL: simt.ring : <1 x <64x32xf16
// SMALL: scf.for
// SMALL: simt.dot
// SMALL-NEXT: simt.sync
// SMALL: simt.write
// SMALL: simt.write
// SMALL-NEXT: simt.sync

// Where a thread has few registers: one iteration ahead, and what was loaded in an
// iteration is written at its end.
// FEW-LABEL: tile.kernel @example
// FEW: scf.for {{.*}} iter_args(%[[ACC:[a-z0-9]*]] = {{[^,]*}}, %[[SLOT:[a-z0-9]*]] = {{[^,]*}}) ->
// FEW: %[[NEXT:.*]]:2 = scf.if
// FEW: simt.dot
// FEW: simt.unpack %[[NEXT]]#0

// With fewer registers a load stays where it is; then all do.
// LEFT: remark: some loads of this loop are not begun ahead: this iteration's values and the next one's loads take 48 registers of 45 that a thread has for them
// LEFT-LABEL: tile.kernel @example
// LEFT: simt.ring : <2 x <32x64xf16
// LEFT-NOT: simt.ring
// LEFT: scf.for
// LEFT: scf.if
// LEFT: tile.load_view
// LEFT: }
// LEFT: tile.load_view
// LEFT: simt.dot
// NONE: remark: the loads of this loop are not begun ahead: this iteration's values and the next one's loads take 40 registers of 30 that a thread has for them
tile.kernel @example(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 3 : i64}, %k: i32) attributes {tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 64 : i64
  %wide = arith.constant 4096 : i64
  %va = tile.make_view %a shape[%m, %wide] strides[%wide, %one] : !tile.ptr<f16> -> !tile.view<64x32xf16>
  %vb = tile.make_view %b shape[%wide, %m] strides[%m, %one] : !tile.ptr<f16> -> !tile.view<32x64xf16>
  %sum = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %at = arith.extsi %i : i32 to i64
    %x = tile.load_view %va[%z, %at] checked [false, false] {group = 1 : i64} : !tile.view<64x32xf16> -> tensor<64x32xf16>
    %y = tile.load_view %vb[%at, %z] checked [false, false] {group = 2 : i64} : !tile.view<32x64xf16> -> tensor<32x64xf16>
    %next = tile.dot %x, %y, %acc : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %vo = tile.make_view %out shape[%m, %m] strides[%m, %one] : !tile.ptr<f32> -> !tile.view<64x64xf32>
  tile.store_view %vo[%z, %z], %sum checked [false, false] {group = 3 : i64} : !tile.view<64x64xf32>, tensor<64x64xf32>
  tile.return
}

// What the loop stores may be what a later iteration loads: nothing goes ahead.
// CHECK-LABEL: tile.kernel @no_store_of_the_group
// CHECK-NOT: simt.pack
tile.kernel @no_store_of_the_group(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %k: i32) attributes {tile.num_warps = 1 : i32, tile.num_stages = 3 : i32} {
  %zero = arith.constant dense<0.0> : tensor<16x16xf16>
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 16 : i64
  %wide = arith.constant 4096 : i64
  %v = tile.make_view %a shape[%m, %wide] strides[%wide, %one] : !tile.ptr<f16> -> !tile.view<16x16xf16>
  scf.for %i = %c0 to %k step %c16 : i32 {
    %at = arith.extsi %i : i32 to i64
    %x = tile.load_view %v[%z, %at] checked [false, false] {group = 1 : i64} : !tile.view<16x16xf16> -> tensor<16x16xf16>
    %y = tile.dot %x, %x, %zero : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf16>
    tile.store_view %v[%z, %at], %y checked [false, false] {group = 1 : i64} : !tile.view<16x16xf16>, tensor<16x16xf16>
  }
  tile.return
}

// Pointers that the loop carries run ahead as well, with their mask and what stands
// where it is off. What is computed with stays in registers until its iteration: the
// loop carries two iterations of it.
// CHECK-LABEL: tile.kernel @carried_pointers
// CHECK-NOT: simt.ring
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = {{.*}}, %[[NOW:.*]] = {{.*}}, %[[NEXT:.*]] = {{.*}}, %[[AHEAD:.*]] = {{.*}})
// CHECK: %[[LATER:.*]] = scf.if
// CHECK: tile.load %[[AHEAD]] mask %{{.*}} other %{{.*}} {group
// CHECK: %[[BYTES:.*]] = simt.unpack %[[NOW]]
// CHECK: tile.sitofp %[[BYTES]]
// CHECK: simt.stage
// CHECK: simt.dot
// CHECK-NOT: simt.sync
// CHECK: scf.yield %{{.*}}, %{{.*}}, %[[NEXT]], %[[LATER]], %
tile.kernel @carried_pointers(%a: !tile.ptr<i8> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %out: !tile.ptr<f16> {tile.group = 2 : i64}, %k: i32) attributes {tile.num_warps = 1 : i32, tile.num_stages = 3 : i32} {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %range = tile.range 0 to 16 : tensor<16xi32>
  %rows = tile.reshape %range : tensor<16xi32> -> tensor<16x1xi32>
  %columns = tile.reshape %range : tensor<16xi32> -> tensor<1x16xi32>
  %width = arith.constant dense<16> : tensor<16x1xi32>
  %down = arith.muli %rows, %width : tensor<16x1xi32>
  %i0 = tile.broadcast %down : tensor<16x1xi32> -> tensor<16x16xi32>
  %j0 = tile.broadcast %columns : tensor<1x16xi32> -> tensor<16x16xi32>
  %ij = arith.addi %i0, %j0 : tensor<16x16xi32>
  %base = tile.splat %a : !tile.ptr<i8> -> tensor<16x16x!tile.ptr<i8>>
  %start = tile.addptr %base, %ij : tensor<16x16x!tile.ptr<i8>>, tensor<16x16xi32>
  %five = arith.constant dense<5> : tensor<16x16xi8>
  %most = arith.constant dense<250> : tensor<16x16xi32>
  %mask = arith.cmpi slt, %ij, %most : tensor<16x16xi32>
  %far = arith.constant dense<256> : tensor<16x16xi32>
  %sum:2 = scf.for %i = %c0 to %k step %c16 iter_args(%acc = %zero, %p = %start) -> (tensor<16x16xf32>, tensor<16x16x!tile.ptr<i8>>) : i32 {
    %x = tile.load %p mask %mask other %five {group = 1 : i64} : tensor<16x16x!tile.ptr<i8>> mask tensor<16x16xi1> other tensor<16x16xi8> -> tensor<16x16xi8>
    %h = tile.sitofp %x : tensor<16x16xi8> to tensor<16x16xf16>
    %next = tile.dot %h, %h, %acc : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    %q = tile.addptr %p, %far : tensor<16x16x!tile.ptr<i8>>, tensor<16x16xi32>
    scf.yield %next, %q : tensor<16x16xf32>, tensor<16x16x!tile.ptr<i8>>
  }
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 16 : i64
  %half = tile.truncf rtne %sum#0 : tensor<16x16xf32> to tensor<16x16xf16>
  %vo = tile.make_view %out shape[%m, %m] strides[%m, %one] : !tile.ptr<f16> -> !tile.view<16x16xf16>
  tile.store_view %vo[%z, %z], %half checked [false, false] {group = 2 : i64} : !tile.view<16x16xf16>, tensor<16x16xf16>
  tile.return
}
