// A tile that is staged for a loop is written behind the copies that the loop begins with,
// on either side of the branch if something behind it reads it, too.
// RUN: tz-opt %s --simt-stage-behind-copies --split-input-file | FileCheck %s

#tile = #simt.layout<rank 2, register [[0, 1]], lane [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp [[4, 0], [8, 0]]>
#sum = #simt.layout<rank 2, register [[0, 1], [8, 0]], lane [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp [[0, 8], [0, 0]]>
#shared = #simt.shared<order[1, 0], panel 16, swizzle 0 4 3>

// CHECK-LABEL: tile.kernel @example
// CHECK: %[[A:.*]] = tile.load_view
// CHECK-NOT: simt.stage
// CHECK: %[[OWN:.*]] = simt.ring : <1 x
// CHECK: scf.if
// CHECK: simt.async_copy_view
// CHECK-NEXT: simt.async_commit
// CHECK: %[[SLOT:.*]] = simt.slot %[[OWN]][
// CHECK-NEXT: simt.write %[[A]] to %[[SLOT]]
// CHECK-NEXT: simt.sync
// CHECK-NEXT: simt.async_wait 0
// CHECK: %[[READ:.*]] = simt.slot %[[OWN]][
// CHECK-NEXT: simt.dot %[[READ]],
// CHECK: } else {
// CHECK: simt.slot %[[OWN]][
// CHECK-NEXT: simt.write %[[A]] to
// CHECK-NEXT: simt.sync
// CHECK: }
// CHECK-COUNT-2: simt.slot %[[OWN]][
// CHECK-NOT: simt.ring
// CHECK: tile.return
tile.kernel @example(%x: !tile.ptr<f16> {tile.group = 1 : i64}, %y: !tile.ptr<f16> {tile.group = 2 : i64}, %z: !tile.ptr<f32> {tile.group = 3 : i64}, %n: i32) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %rows = arith.constant 16 : i64
  %none = arith.constant 0 : i32
  %first = arith.constant 0 : i32
  %sums = arith.constant dense<0.0> : tensor<16x16xf32, #sum>
  %of_x = tile.make_view %x shape[%rows, %rows] strides[%rows, %one] : <f16> -> <16x16xf16>
  %of_y = tile.make_view %y shape[%rows, %rows] strides[%rows, %one] : <f16> -> <16x16xf16>
  %a = tile.load_view %of_x[%zero, %zero] checked [false, false] {group = 1 : i64} : <16x16xf16> -> tensor<16x16xf16, #tile>
  %staged = simt.stage %a : tensor<16x16xf16, #tile> -> <16x16xf16, #shared>
  %has = arith.cmpi slt, %none, %n : i32
  %sum = scf.if %has -> (tensor<16x16xf32, #sum>) {
    %ring = simt.ring : <2 x <16x16xf16, #shared>>
    %slot = simt.slot %ring[%first] : <2 x <16x16xf16, #shared>> -> <16x16xf16, #shared>
    simt.async_copy_view %of_y[%zero, %zero] to %slot when %has checked [false, false] layout <rank 2, register [[0, 1]], lane [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp [[4, 0], [8, 0]]> {group = 2 : i64} : <16x16xf16> to <16x16xf16, #shared>
    simt.async_commit
    simt.async_wait 0
    %d = simt.dot %staged, %slot, %sums : !simt.buffer<16x16xf16, #shared>, !simt.buffer<16x16xf16, #shared> -> tensor<16x16xf32, #sum>
    scf.yield %d : tensor<16x16xf32, #sum>
  } else {
    scf.yield %sums : tensor<16x16xf32, #sum>
  }
  %e = simt.dot %staged, %staged, %sum : !simt.buffer<16x16xf16, #shared>, !simt.buffer<16x16xf16, #shared> -> tensor<16x16xf32, #sum>
  %out = tile.make_view %z shape[%rows, %rows] strides[%rows, %one] : <f32> -> <16x16xf32>
  tile.store_view %out[%zero, %zero], %e checked [false, false] {group = 3 : i64} : <16x16xf32>, tensor<16x16xf32, #sum>
  tile.return
}

// -----
// What is read before the loop stays, and so does what stands before a store.
#tile = #simt.layout<rank 2, register [[0, 1]], lane [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp [[4, 0], [8, 0]]>
#sum = #simt.layout<rank 2, register [[0, 1], [8, 0]], lane [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp [[0, 8], [0, 0]]>
#shared = #simt.shared<order[1, 0], panel 16, swizzle 0 4 3>

// CHECK-LABEL: tile.kernel @stays
// CHECK: simt.stage
// CHECK: simt.stage
// CHECK-NOT: simt.write
tile.kernel @stays(%x: !tile.ptr<f16> {tile.group = 1 : i64}, %y: !tile.ptr<f16> {tile.group = 2 : i64}, %z: !tile.ptr<f32> {tile.group = 3 : i64}, %n: i32) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %rows = arith.constant 16 : i64
  %none = arith.constant 0 : i32
  %sums = arith.constant dense<0.0> : tensor<16x16xf32, #sum>
  %of_x = tile.make_view %x shape[%rows, %rows] strides[%rows, %one] : <f16> -> <16x16xf16>
  %of_y = tile.make_view %y shape[%rows, %rows] strides[%rows, %one] : <f16> -> <16x16xf16>
  %out = tile.make_view %z shape[%rows, %rows] strides[%rows, %one] : <f32> -> <16x16xf32>
  %a = tile.load_view %of_x[%zero, %zero] checked [false, false] {group = 1 : i64} : <16x16xf16> -> tensor<16x16xf16, #tile>
  %before = simt.stage %a : tensor<16x16xf16, #tile> -> <16x16xf16, #shared>
  tile.store_view %out[%zero, %zero], %sums checked [false, false] {group = 3 : i64} : <16x16xf32>, tensor<16x16xf32, #sum>
  %b = tile.load_view %of_x[%rows, %zero] checked [false, false] {group = 1 : i64} : <16x16xf16> -> tensor<16x16xf16, #tile>
  %staged = simt.stage %b : tensor<16x16xf16, #tile> -> <16x16xf16, #shared>
  %start = simt.dot %before, %staged, %sums : !simt.buffer<16x16xf16, #shared>, !simt.buffer<16x16xf16, #shared> -> tensor<16x16xf32, #sum>
  %has = arith.cmpi slt, %none, %n : i32
  %sum = scf.if %has -> (tensor<16x16xf32, #sum>) {
    %ring = simt.ring : <2 x <16x16xf16, #shared>>
    %slot = simt.slot %ring[%none] : <2 x <16x16xf16, #shared>> -> <16x16xf16, #shared>
    simt.async_copy_view %of_y[%zero, %zero] to %slot when %has checked [false, false] layout <rank 2, register [[0, 1]], lane [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp [[4, 0], [8, 0]]> {group = 2 : i64} : <16x16xf16> to <16x16xf16, #shared>
    simt.async_commit
    simt.async_wait 0
    %d = simt.dot %staged, %slot, %start : !simt.buffer<16x16xf16, #shared>, !simt.buffer<16x16xf16, #shared> -> tensor<16x16xf32, #sum>
    scf.yield %d : tensor<16x16xf32, #sum>
  } else {
    scf.yield %start : tensor<16x16xf32, #sum>
  }
  tile.store_view %out[%zero, %zero], %sum checked [false, false] {group = 3 : i64} : <16x16xf32>, tensor<16x16xf32, #sum>
  tile.return
}
