// The last dot of an iteration runs in the next one, beside what threads compute of its first dot.
// RUN: tz-opt %s "--simt-pipeline-loops=async-copy-bytes=4 sums-to-delay=16" --cse | FileCheck %s
// RUN: tz-opt %s "--simt-pipeline-loops=async-copy-bytes=4 sums-to-delay=16" --cse --simt-overlap-dots | FileCheck %s --check-prefix=BESIDE
// RUN: tz-opt %s "--simt-pipeline-loops=async-copy-bytes=4 sums-to-delay=64" --cse | FileCheck %s --check-prefix=NONE
// RUN: tz-opt %s "--simt-pipeline-loops=async-copy-bytes=4 sums-to-delay=16 shared-bytes=45000" --cse | FileCheck %s --check-prefix=NONE
// RUN: tz-opt %s --simt-print-pipeline-plans -o /dev/null | FileCheck %s --check-prefix=PLAN
// PLAN-LABEL: simt-print-pipeline-plans @attention
// PLAN-NEXT: 2 fetches, 2 iterations ahead, 4 slots, 0 dots in flight, {{.*}}, last dot delayed with 1 computed operand, 1 op on its sum
// PLAN-LABEL: simt-print-pipeline-plans @recurrence
// PLAN-NOT: delayed
// With 64 sums asked for, or no room for three slots, the loop has both dots in each iteration.
// NONE-LABEL: tile.kernel @attention
// NONE: simt.ring : <2 x
// NONE: scf.for
// NONE: simt.dot
// NONE: simt.dot
// NONE: scf.yield
// NONE-NOT: simt.dot
// NONE-LABEL: tile.kernel @recurrence

#acc = #simt.layout<rank 2, register [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp [[16, 0], [32, 0]]>
#row = #simt.layout<rank 1, register [[8]], lane [[0], [0], [1], [2], [4]], warp [[16], [32]]>
#load = #simt.layout<rank 2, register [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp [[4, 0], [8, 0]]>
#rows = #simt.shared<order [1, 0], panel 64, swizzle 3 4 3>
#columns = #simt.shared<order [0, 1], panel 64, swizzle 3 4 3>
!tile = tensor<64x64xf32, #acc>
!half = tensor<64x64xf16, #acc>
!loaded = tensor<64x64xf16, #load>
!buffer = !simt.buffer<64x64xf16, #rows>
!turned = !simt.buffer<64x64xf16, #columns>
!column = tensor<64x1xf32, #simt.layout<rank 2, register [[8, 0]], lane [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], warp [[16, 0], [32, 0]]>>
!row = tensor<64xf32, #row>

// Two iterations begin before the loop, the first one's scores and weights are computed there, and the loop goes on
// with the second one. It carries the weights. Its slot of values is the one before that of its keys.
// CHECK-LABEL: tile.kernel @attention
// CHECK: %[[RK:.*]] = simt.ring : <3 x
// CHECK: %[[RV:.*]] = simt.ring : <3 x
// CHECK: simt.async_commit
// CHECK: simt.async_commit
// CHECK-NOT: simt.async_commit
// CHECK: simt.async_wait 1
// CHECK: simt.dot
// CHECK: %[[P0:.*]] = tile.truncf
// CHECK: %[[X0:.*]] = arith.mulf
// CHECK: %[[LOWER:.*]] = arith.select
// CHECK: %[[L:.*]]:{{[0-9]+}} = scf.for {{.*}} = %[[LOWER]] to {{.*}} iter_args(%[[SUM:.*]] = %[[X0]], {{.*}}, %[[P:.*]] = %[[P0]], %[[READ:[^ ]*]] = {{.*}}, %[[FILL:[^ ]*]] = {{.*}})
// CHECK: simt.async_wait 0
// CHECK: simt.slot %[[RK]][%[[FILL]]]
// CHECK: simt.async_commit
// CHECK: %[[K:.*]] = simt.slot %[[RK]][%[[READ]]]
// CHECK: simt.dot %{{.*}}, %{{.*}}, %{{.*}} {instruction
// CHECK: %[[BEFORE:.*]] = arith.select
// CHECK: %[[V:.*]] = simt.slot %[[RV]][%[[BEFORE]]]
// CHECK: %[[O:.*]] = simt.dot %[[P]], %[[V]], %[[SUM]]
// CHECK: tile.math exp2
// CHECK: %[[PN:.*]] = tile.truncf
// CHECK: %[[XN:.*]] = arith.mulf %[[O]]
// CHECK: scf.yield %[[XN]], {{.*}}, %[[PN]],
// CHECK: simt.slot %[[RV]]
// CHECK: %[[LAST:.*]] = simt.dot %[[L]]#2, %{{.*}}, %[[L]]#0 {async
// CHECK: simt.dot_wait 0, %[[LAST]]
// CHECK: simt.async_wait 0
// BESIDE-LABEL: tile.kernel @attention
// BESIDE: scf.for
// BESIDE: %[[S:.*]] = simt.dot {{.*}} {async,
// BESIDE: %[[O:.*]] = simt.dot {{.*}} {async,
// BESIDE: simt.dot_wait 1, %[[S]]
// BESIDE: tile.math exp2
// BESIDE: simt.dot_wait 0, %[[O]]
// BESIDE-NEXT: arith.mulf
tile.kernel @attention(%k: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %v: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %n: i32) attributes {tile.num_warps = 4 : i32, tile.num_stages = 2 : i32} {
  %zero = arith.constant dense<0.0> : !tile
  %none = arith.constant dense<0xFF800000> : !row
  %x = arith.constant dense<1.0> : !half
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %d = arith.constant 64 : i64
  %rows = arith.extsi %n : i32 to i64
  %vk = tile.make_view %k shape[%rows, %d] strides[%d, %one] : !tile.ptr<f16> -> !tile.view<64x64xf16>
  %vv = tile.make_view %v shape[%rows, %d] strides[%d, %one] : !tile.ptr<f16> -> !tile.view<64x64xf16>
  %q = simt.stage %x : !half -> !buffer
  %out:2 = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero, %top = %none) -> (!tile, !row) : i32 {
    %at = arith.extsi %i : i32 to i64
    %kt = tile.load_view %vk[%at, %z] checked [false, false] {group = 1 : i64} : !tile.view<64x64xf16> -> !loaded
    %kb = simt.stage %kt : !loaded -> !buffer
    %kp = simt.permute %kb [1, 0] : !buffer -> !turned
    %s = simt.dot %q, %kp, %zero {instruction = "product"} : !buffer, !turned -> !tile
    %most = tile.reduce(%s) axis 1 : (!tile) -> !row {
    ^bb0(%a: f32, %b: f32):
      %m = tile.maxf %a, %b : f32
      tile.yield %m : f32
    }
    %new = tile.maxf %top, %most : !row
    %column = tile.reshape %new : !row -> !column
    %wide = tile.broadcast %column : !column -> !tile
    %less = arith.subf %s, %wide : !tile
    %e = tile.math exp2 %less : !tile
    %p = tile.truncf rtne %e : !tile to !half
    %vt = tile.load_view %vv[%at, %z] checked [false, false] {group = 2 : i64} : !tile.view<64x64xf16> -> !loaded
    %vb = simt.stage %vt : !loaded -> !buffer
    %scaled = arith.mulf %acc, %wide : !tile
    %next = simt.dot %p, %vb, %scaled {instruction = "product"} : !half, !buffer -> !tile
    scf.yield %next, %new : !tile, !row
  }
  tile.return
}

// Scores that need the sum of the iteration before cannot begin before it.
// CHECK-LABEL: tile.kernel @recurrence
// CHECK: scf.for
// CHECK: simt.dot
// CHECK: simt.dot
// CHECK: scf.yield
// CHECK-NOT: simt.dot
tile.kernel @recurrence(%k: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %n: i32) attributes {tile.num_warps = 4 : i32, tile.num_stages = 2 : i32} {
  %zero = arith.constant dense<0.0> : !tile
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %d = arith.constant 64 : i64
  %rows = arith.extsi %n : i32 to i64
  %vk = tile.make_view %k shape[%rows, %d] strides[%d, %one] : !tile.ptr<f16> -> !tile.view<64x64xf16>
  %out = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero) -> (!tile) : i32 {
    %at = arith.extsi %i : i32 to i64
    %kt = tile.load_view %vk[%at, %z] checked [false, false] {group = 1 : i64} : !tile.view<64x64xf16> -> !loaded
    %kb = simt.stage %kt : !loaded -> !buffer
    %h = tile.truncf rtne %acc : !tile to !half
    %s = simt.dot %h, %kb, %zero {instruction = "product"} : !half, !buffer -> !tile
    %e = tile.math exp2 %s : !tile
    %p = tile.truncf rtne %e : !tile to !half
    %next = simt.dot %p, %kb, %acc {instruction = "product"} : !half, !buffer -> !tile
    scf.yield %next : !tile
  }
  tile.return
}

// A part that the kernel records has its dot between its beginning and its end.
// CHECK-LABEL: tile.kernel @recorded
// CHECK: scf.for
// CHECK: simt.dot
// CHECK: tile.record "values"
// CHECK: simt.dot
// CHECK: tile.record "values" end
// CHECK: scf.yield
// CHECK-NOT: simt.dot
tile.kernel @recorded(%k: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %v: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %n: i32) attributes {tile.num_warps = 4 : i32, tile.num_stages = 2 : i32} {
  %zero = arith.constant dense<0.0> : !tile
  %none = arith.constant dense<0xFF800000> : !row
  %x = arith.constant dense<1.0> : !half
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %d = arith.constant 64 : i64
  %rows = arith.extsi %n : i32 to i64
  %vk = tile.make_view %k shape[%rows, %d] strides[%d, %one] : !tile.ptr<f16> -> !tile.view<64x64xf16>
  %vv = tile.make_view %v shape[%rows, %d] strides[%d, %one] : !tile.ptr<f16> -> !tile.view<64x64xf16>
  %q = simt.stage %x : !half -> !buffer
  %out:2 = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero, %top = %none) -> (!tile, !row) : i32 {
    %at = arith.extsi %i : i32 to i64
    %kt = tile.load_view %vk[%at, %z] checked [false, false] {group = 1 : i64} : !tile.view<64x64xf16> -> !loaded
    %kb = simt.stage %kt : !loaded -> !buffer
    %kp = simt.permute %kb [1, 0] : !buffer -> !turned
    %s = simt.dot %q, %kp, %zero {instruction = "product"} : !buffer, !turned -> !tile
    %most = tile.reduce(%s) axis 1 : (!tile) -> !row {
    ^bb0(%a: f32, %b: f32):
      %m = tile.maxf %a, %b : f32
      tile.yield %m : f32
    }
    %new = tile.maxf %top, %most : !row
    %column = tile.reshape %new : !row -> !column
    %wide = tile.broadcast %column : !column -> !tile
    %less = arith.subf %s, %wide : !tile
    %e = tile.math exp2 %less : !tile
    %p = tile.truncf rtne %e : !tile to !half
    %vt = tile.load_view %vv[%at, %z] checked [false, false] {group = 2 : i64} : !tile.view<64x64xf16> -> !loaded
    %vb = simt.stage %vt : !loaded -> !buffer
    %scaled = arith.mulf %acc, %wide : !tile
    tile.record "values"
    %next = simt.dot %p, %vb, %scaled {instruction = "product"} : !half, !buffer -> !tile
    tile.record "values" end(%next : !tile)
    scf.yield %next, %new : !tile, !row
  }
  tile.return
}
