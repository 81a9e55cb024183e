// Loops in loops: copies go on from one time round to the next.
// RUN: tz-opt %s --split-input-file --simt-assign-layouts "--simt-pipeline-loops=async-copy-bytes=4 bulk-copies" --cse | FileCheck %s

// A loop in a loop: the ring buffers are there before the outer one, each time the loop
// ends the copies of the next time begin, and which slot is read goes on. Nothing
// waits between the last dot and them.
// CHECK-LABEL: tile.kernel @goes_on
// CHECK: %[[RA:.*]] = simt.ring : <3 x <64x32xf16
// CHECK: %[[RB:.*]] = simt.ring : <3 x <32x64xf16
// CHECK: %[[BARS:.*]] = simt.barriers : !simt.barriers<3>
// CHECK: %[[THERE:.*]] = arith.cmpi slt, %[[LOW:.*]], %[[TILES:.*]] : i32
// CHECK: simt.expect 8192 at %[[BARS]][%{{.*}}] when
// CHECK: simt.expect 8192 at %[[BARS]][%{{.*}}] when
// CHECK: scf.for %[[TILE:.*]] = %[[LOW]] to %[[TILES]] step %{{.*}} iter_args(%[[READ:.*]] = %{{.*}}, %[[PHASE:.*]] = %{{.*}})
// CHECK: %[[AGAIN:.*]]:3 = scf.if
// CHECK: %[[FILL:.*]] = arith.select
// CHECK: %[[END:.*]]:4 = scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %[[READ]], %{{.*}} = %[[FILL]], %{{.*}} = %[[PHASE]])
// CHECK: simt.dot
// CHECK: scf.yield
// CHECK-NOT: simt.sync
// CHECK: %[[NEXT:.*]] = arith.addi %[[TILE]]
// CHECK: arith.extsi %[[NEXT]]
// CHECK: simt.expect 8192 at %[[BARS]][%[[END]]#1] when
// CHECK: simt.expect 8192 at %[[BARS]]
// CHECK: scf.yield %[[END]]#0, %[[END]]#1, %[[END]]#3
// CHECK: } else {
// CHECK: simt.expect 8192 at %[[BARS]][%[[READ]]] when
// CHECK: scf.yield %{{.*}}, %[[READ]], %[[PHASE]]
// CHECK: tile.store_view
// CHECK: scf.yield %[[AGAIN]]#1, %[[AGAIN]]#2
// CHECK: simt.barriers_end %[[BARS]]
tile.kernel @goes_on(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 3 : i64}, %k: i32, %tiles: i32) attributes {tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 64 : i64
  %wide = arith.constant 4096 : i64
  %pid = tile.program_id 0
  %blocks = tile.num_programs 0
  %va = tile.make_view %a shape[%wide, %wide] strides[%wide, %one] : !tile.ptr<f16> -> !tile.view<64x32xf16>
  %vb = tile.make_view %b shape[%wide, %wide] strides[%wide, %one] : !tile.ptr<f16> -> !tile.view<32x64xf16>
  %vo = tile.make_view %out shape[%wide, %wide] strides[%wide, %one] : !tile.ptr<f32> -> !tile.view<64x64xf32>
  scf.for %tile = %pid to %tiles step %blocks : i32 {
    %tile64 = arith.extsi %tile : i32 to i64
    %row = arith.muli %tile64, %m : i64
    %sum = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
      %at = arith.extsi %i : i32 to i64
      %x = tile.load_view %va[%row, %at] checked [true, true] {group = 1 : i64} : !tile.view<64x32xf16> -> tensor<64x32xf16>
      %y = tile.load_view %vb[%at, %z] checked [true, true] {group = 2 : i64} : !tile.view<32x64xf16> -> tensor<32x64xf16>
      %next = tile.dot %x, %y, %acc : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    tile.store_view %vo[%row, %z], %sum checked [true, true] {group = 3 : i64} : !tile.view<64x64xf32>, tensor<64x64xf32>
  }
  tile.return
}

// -----

// Where the next tile is, is known when it was loaded: its copies begin then.
// CHECK-LABEL: tile.kernel @no_loaded_tile
// CHECK-NOT: simt.ring
// CHECK: scf.for
// CHECK: simt.ring
tile.kernel @no_loaded_tile(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 3 : i64}, %k: i32, %tiles: i32, %order: !tile.ptr<i32> {tile.divisibility = 4 : i64, tile.group = 4 : i64}) attributes {tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 64 : i64
  %wide = arith.constant 4096 : i64
  %pid = tile.program_id 0
  %blocks = tile.num_programs 0
  %va = tile.make_view %a shape[%wide, %wide] strides[%wide, %one] : !tile.ptr<f16> -> !tile.view<64x32xf16>
  %vb = tile.make_view %b shape[%wide, %wide] strides[%wide, %one] : !tile.ptr<f16> -> !tile.view<32x64xf16>
  %vo = tile.make_view %out shape[%wide, %wide] strides[%wide, %one] : !tile.ptr<f32> -> !tile.view<64x64xf32>
  scf.for %tile = %pid to %tiles step %blocks : i32 {
    %p = tile.addptr %order, %tile : !tile.ptr<i32>, i32
    %which = tile.load %p {group = 4 : i64} : !tile.ptr<i32> -> i32
    %tile64 = arith.extsi %which : i32 to i64
    %row = arith.muli %tile64, %m : i64
    %sum = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
      %at = arith.extsi %i : i32 to i64
      %x = tile.load_view %va[%row, %at] checked [true, true] {group = 1 : i64} : !tile.view<64x32xf16> -> tensor<64x32xf16>
      %y = tile.load_view %vb[%at, %z] checked [true, true] {group = 2 : i64} : !tile.view<32x64xf16> -> tensor<32x64xf16>
      %next = tile.dot %x, %y, %acc : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    tile.store_view %vo[%row, %z], %sum checked [true, true] {group = 3 : i64} : !tile.view<64x64xf32>, tensor<64x64xf32>
  }
  tile.return
}
