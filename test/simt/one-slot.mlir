// One iteration ahead, with a single slot: a copy begins when all have read the
// slot, and other blocks work until it is there. Twice as many share the unit.
// What lies by columns in memory is copied by columns.
// RUN: tz-opt %s --simt-assign-layouts "--simt-pipeline-loops=async-copy-bytes=4 shared-bytes=65536 unit-shared-bytes=131072" | FileCheck %s

// With room for as many blocks in any case, copies go one iteration ahead into
// a slot of their own.
// RUN: tz-opt %s --simt-assign-layouts "--simt-pipeline-loops=async-copy-bytes=4 shared-bytes=65536 unit-shared-bytes=65536" | FileCheck %s --check-prefix=FEW

// A block that would be alone, and waits for its products, shares the unit.
// RUN: tz-opt %s --simt-assign-layouts "--simt-pipeline-loops=async-copy-bytes=4 shared-bytes=65536 unit-shared-bytes=50000" | FileCheck %s --check-prefix=ALONE

// So do two blocks of one warp, if four would share it.
// RUN: tz-opt %s --simt-assign-layouts "--simt-pipeline-loops=async-copy-bytes=4 shared-bytes=65536 unit-shared-bytes=77000" | FileCheck %s --check-prefix=ALONE

// ALONE: simt.ring : <1 x <16x64xf32
// FEW: simt.ring : <2 x <16x64xf32
// CHECK-LABEL: tile.kernel @one_slot
// CHECK: simt.ring : <1 x <16x64xf32, #[[ROWS:.*]]>>
// CHECK: simt.ring : <1 x <64x16xf32, #[[COLUMNS:.*]]>>
// CHECK: scf.for
// CHECK: simt.async_wait 0
// CHECK: simt.dot
// CHECK: simt.sync
// CHECK: simt.async_copy_view
// CHECK: simt.async_commit
// CHECK: scf.yield
tile.kernel @one_slot(%a: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %b: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %out: !tile.ptr<f32> {tile.group = 3 : i64}, %k: i32) attributes {tile.num_warps = 1 : i32, tile.num_stages = 2 : i32} {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %z = arith.constant 0 : i64
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %m = arith.constant 16 : i64
  %wide = arith.constant 4096 : i64
  %va = tile.make_view %a shape[%m, %wide] strides[%wide, %one] : <f32> -> <16x64xf32>
  %vb = tile.make_view %b shape[%wide, %m] strides[%one, %wide] : <f32> -> <64x16xf32>
  %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
    %at = arith.extsi %i : i32 to i64
    %x = tile.load_view %va[%z, %at] checked [false, false] {group = 1 : i64} : <16x64xf32> -> tensor<16x64xf32>
    %y = tile.load_view %vb[%at, %z] checked [false, false] {group = 2 : i64} : <64x16xf32> -> tensor<64x16xf32>
    %twice = arith.addf %x, %x : tensor<16x64xf32>
    %more = arith.addf %y, %y : tensor<64x16xf32>
    %next = tile.dot %twice, %more, %acc : tensor<16x64xf32>, tensor<64x16xf32> -> tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  }
  %vo = tile.make_view %out shape[%m, %m] strides[%m, %one] : <f32> -> <16x16xf32>
  tile.store_view %vo[%z, %z], %sum checked [false, false] {group = 3 : i64} : <16x16xf32>, tensor<16x16xf32>
  tile.return
}
