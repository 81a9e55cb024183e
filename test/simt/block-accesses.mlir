// Tiles whose layout is made of rectangles go straight between memory and registers.
// RUN: tz-opt %s "--simt-block-accesses=block-bytes=64 lanes=16" | FileCheck %s
// RUN: tz-opt %s --simt-block-accesses | FileCheck %s --check-prefix=OFF
// RUN: tz-opt %s "--simt-block-accesses=block-bytes=64 lanes=16" --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
// OFF-NOT: simt.load_block
// COUNT: 3 loads
// COUNT: 2 prefetched
// COUNT: 2 stores

// Messages are as large as registers and 64 bytes a row allow. Blocks of the next two
// iterations are prefetched (three stages).
// CHECK-DAG: #[[A:.*]] = #simt.layout<rank 2, register {{\[}}[1, 0], [2, 0], [4, 0], [0, 16], [8, 0]], lane {{\[}}[0, 1], [0, 2], [0, 4], [0, 8]]>
// CHECK-DAG: #[[B:.*]] = #simt.layout<rank 2, register {{\[}}[1, 0], [2, 0], [4, 0], [8, 0], [0, 16], [16, 0]], lane {{\[}}[0, 1], [0, 2], [0, 4], [0, 8]]>
// CHECK-DAG: #[[C:.*]] = #simt.layout<rank 2, register {{\[}}[1, 0], [2, 0], [4, 0]], lane {{\[}}[0, 1], [0, 2], [0, 4], [0, 8]]>
// CHECK-LABEL: tile.kernel @example
// CHECK-DAG: %[[FA:.*]] = simt.descriptor %arg0{{.*}} -> <[16, 32], f16, swizzle 0>
// CHECK-DAG: %[[FB:.*]] = simt.descriptor %arg1{{.*}} -> <[32, 32], f16, swizzle 0>
// CHECK: simt.prefetch_block %[[FA]]
// CHECK: simt.prefetch_block %[[FB]]
// CHECK: scf.for
// CHECK: simt.prefetch_block %[[FA]]{{.*}} when %{{.*}} by #[[A]] fast 1
// CHECK: simt.prefetch_block %[[FB]]{{.*}} when %{{.*}} by #[[B]] fast 1
// CHECK: %[[X:.*]] = simt.load_block %[[FA]]{{.*}} by #[[A]] fast 1 {group = 1 : i64}
// CHECK: %[[Y:.*]] = simt.load_block %[[FB]]{{.*}} by #[[B]] fast 1 {group = 2 : i64}
// CHECK: simt.dot %[[X]], %[[Y]]
// CHECK: simt.store_block %{{.*}} by #[[C]] fast 1 {group = 3 : i64}
// CHECK-NOT: tile.store_view
#a = #simt.layout<rank 2, register [[1, 0], [2, 0], [4, 0], [0, 16], [8, 0]], lane [[0, 1], [0, 2], [0, 4], [0, 8]], warp [[16, 0], [32, 0]]>
#b = #simt.layout<rank 2, register [[1, 0], [2, 0], [4, 0], [8, 0], [0, 16], [16, 0]], lane [[0, 1], [0, 2], [0, 4], [0, 8]], warp [[0, 0], [0, 0]]>
#c = #simt.layout<rank 2, register [[1, 0], [2, 0], [4, 0], [0, 16], [8, 0]], lane [[0, 1], [0, 2], [0, 4], [0, 8]], warp [[16, 0], [32, 0]]>
tile.kernel @example(%a: !tile.ptr<f16> {tile.divisibility = 64 : i64, tile.group = 1 : i64}, %b: !tile.ptr<f16> {tile.divisibility = 64 : i64, tile.group = 2 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 64 : i64, tile.group = 3 : i64}, %k: i32) attributes {tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {
  %zero = arith.constant dense<0.0> : tensor<64x32xf32, #c>
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 64 : i64
  %n = arith.constant 32 : i64
  %wide = arith.constant 4096 : i64
  %va = tile.make_view %a shape[%m, %wide] strides[%wide, %one] : !tile.ptr<f16> -> !tile.view<64x32xf16>
  %vb = tile.make_view %b shape[%wide, %n] strides[%n, %one] : !tile.ptr<f16> -> !tile.view<32x32xf16>
  %sum = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero) -> (tensor<64x32xf32, #c>) : i32 {
    %at = arith.extsi %i : i32 to i64
    %x = tile.load_view %va[%z, %at] checked [false, false] {group = 1 : i64} : !tile.view<64x32xf16> -> tensor<64x32xf16, #a>
    %y = tile.load_view %vb[%at, %z] checked [false, false] {group = 2 : i64} : !tile.view<32x32xf16> -> tensor<32x32xf16, #b>
    %next = simt.dot %x, %y, %acc {instruction = "product"} : tensor<64x32xf16, #a>, tensor<32x32xf16, #b> -> tensor<64x32xf32, #c>
    scf.yield %next : tensor<64x32xf32, #c>
  }
  %vo = tile.make_view %out shape[%m, %n] strides[%n, %one] : !tile.ptr<f32> -> !tile.view<64x32xf32>
  tile.store_view %vo[%z, %z], %sum checked [false, false] {group = 3 : i64} : !tile.view<64x32xf32>, tensor<64x32xf32, #c>
  tile.return
}

// Memory's columns are the tile's rows here: a message's rows are the lanes. What is loaded with another number than
// zero, and what a loaded pointer leads to, stays as it is.
// CHECK-LABEL: tile.kernel @others
// CHECK: simt.load_block %{{.*}} by #[[C]] fast 0 {group = 1 : i64} : <[16, 8], f32, swizzle 0>
// CHECK: tile.load_view {{.*}} other
// CHECK: tile.load_view
#d = #simt.layout<rank 2, register [[1, 0], [2, 0], [4, 0]], lane [[0, 1], [0, 2], [0, 4], [0, 8]]>
tile.kernel @others(%a: !tile.ptr<f32> {tile.divisibility = 64 : i64, tile.group = 1 : i64}, %table: !tile.ptr<!tile.ptr<f32>> {tile.group = 2 : i64}) attributes {tile.num_warps = 1 : i32} {
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 8 : i64
  %n = arith.constant 64 : i64
  %five = arith.constant 5.0 : f32
  %va = tile.make_view %a shape[%m, %n] strides[%one, %n] : !tile.ptr<f32> -> !tile.view<8x16xf32>
  %x = tile.load_view %va[%z, %z] checked [true, true] {group = 1 : i64} : !tile.view<8x16xf32> -> tensor<8x16xf32, #d>
  %y = tile.load_view %va[%z, %z] other %five checked [true, true] {group = 1 : i64} : !tile.view<8x16xf32>, f32 -> tensor<8x16xf32, #d>
  %p = tile.load %table {group = 2 : i64} : !tile.ptr<!tile.ptr<f32>> -> !tile.ptr<f32>
  %vp = tile.make_view %p shape[%m, %n] strides[%one, %n] : !tile.ptr<f32> -> !tile.view<8x16xf32>
  %w = tile.load_view %vp[%z, %z] checked [true, true] : !tile.view<8x16xf32> -> tensor<8x16xf32, #d>
  %s = arith.addf %x, %y : tensor<8x16xf32, #d>
  %t = arith.addf %s, %w : tensor<8x16xf32, #d>
  tile.store_view %va[%z, %z], %t checked [true, true] {group = 1 : i64} : !tile.view<8x16xf32>, tensor<8x16xf32, #d>
  tile.return
}
