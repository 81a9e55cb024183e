// Layouts as text: what is printed is read again, and each mistake is named.
// RUN: tz-opt %s --split-input-file --verify-diagnostics | tz-opt --split-input-file --verify-diagnostics | FileCheck %s

// CHECK: #simt.layout<rank 2, register [{{\[}}0, 1], [8, 0], [0, 8]], lane [{{\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp [{{\[}}16, 0], [32, 0]], repeat register 1 x 11>
tile.kernel @wide() {
  // 22 copies are two, which are a bit, and eleven.
  %0 = arith.constant dense<0.0> : tensor<64x176xf32, #simt.layout<rank 2, register [[0, 1], [8, 0]], lane [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp [[16, 0], [32, 0]], repeat register 1 x 22>>
  // CHECK: repeat warp copies x 3
  %1 = arith.constant dense<0> : tensor<8xi32, #simt.layout<rank 1, lane [[1], [2], [4]], repeat warp copies x 3>>
  tile.return
}

// -----

tile.kernel @staged(%p: !tile.ptr<f16>) {
  %0 = arith.constant dense<0.0> : tensor<8x64xf16, #simt.layout<rank 2, register [[0, 1], [0, 2], [0, 4]], lane [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp [[4, 0]]>>
  // CHECK: #simt.shared<order[1, 0], panel 64, swizzle 3 4 3>
  %1 = simt.stage %0 : tensor<8x64xf16, #simt.layout<rank 2, register [[0, 1], [0, 2], [0, 4]], lane [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp [[4, 0]]>> -> <8x64xf16, #simt.shared<order[1, 0], panel 64, swizzle 3 4 3>>
  tile.return
}

// -----

tile.kernel @half() {
  // expected-error @+1 {{C1: the layout does not cover a tile of 16}}
  %0 = arith.constant dense<0> : tensor<16xi32, #simt.layout<rank 1, lane [[1], [2], [4]]>>
  tile.return
}

// -----

tile.kernel @hole() {
  // expected-error @+1 {{C1: the layout does not cover a tile of 8}}
  %0 = arith.constant dense<0> : tensor<8xi32, #simt.layout<rank 1, lane [[1], [4]]>>
  tile.return
}

// -----

tile.kernel @order() {
  // expected-error @+1 {{register, lane, warp and block stand once each, before all repeats}}
  %0 = arith.constant dense<0> : tensor<8xi32, #simt.layout<rank 1, repeat register 0 x 2, lane [[1]]>>
  tile.return
}

// -----

tile.kernel @negative() {
  // expected-error @+1 {{coordinates are 0 to 1073741824, an axis has at most 32 bits}}
  %0 = arith.constant dense<0> : tensor<8xi32, #simt.layout<rank 1, lane [[-1]]>>
  tile.return
}

// -----

tile.kernel @shared() {
  %0 = arith.constant dense<0.0> : tensor<8xf16, #simt.layout<rank 1, lane [[1], [2], [4]]>>
  // expected-error @+1 {{C1: order is not a permutation}}
  %1 = simt.stage %0 : tensor<8xf16, #simt.layout<rank 1, lane [[1], [2], [4]]>> -> <8xf16, #simt.shared<order[1], panel 8, swizzle 0 4 3>>
  tile.return
}

// -----

tile.kernel @logical_grid_c1() {
  // expected-error @+1 {{C1: axis 3 is not 0, 1 or 2}}
  %n = simt.logical_grid 3
  tile.return
}

// -----

// Half of the columns are in other lanes than the rest: no register lies in one
// half for all of them.
tile.kernel @bulk_store_c3(%p: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 1 : i64}) {
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 64 : i64
  %frame = simt.descriptor %p[%z] shape[%m, %m] strides[%m, %one] : <f32> -> <[32, 32], f32, swizzle 3>
  %0 = arith.constant dense<0.0> : tensor<32x64xf32, #simt.layout<rank 2, register [[0, 1], [0, 2], [4, 0], [8, 0], [16, 0]], lane [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warp [[2, 0]]>>
  // expected-error @+1 {{C3: cannot be stored in 2 pieces}}
  simt.bulk_store %0 to %frame[%z, %z] by !simt.buffer<32x64xf32, #simt.shared<order[1, 0], panel 32, swizzle 3 4 3>> {pieces = 2 : i64} : tensor<32x64xf32, #simt.layout<rank 2, register [[0, 1], [0, 2], [4, 0], [8, 0], [16, 0]], lane [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warp [[2, 0]]>> to <[32, 32], f32, swizzle 3>
  tile.return
}

// -----

#words = #simt.layout<rank 1, lane [[1], [2], [4], [8], [16]]>
tile.kernel @packed_into_too_much() {
  %x = arith.constant dense<0.0> : tensor<64xf16, #simt.layout<rank 1, register [[1]], lane [[2], [4], [8], [16], [32]]>>
  %y = simt.pack %x : tensor<64xf16, #simt.layout<rank 1, register [[1]], lane [[2], [4], [8], [16], [32]]>> -> tensor<32xi32, #words>
  // expected-error @+1 {{C1: 'tensor<32xi32, #simt.layout<rank 1, lane}}
  %z = simt.unpack %y : tensor<32xi32, #words> -> tensor<128xf16, #simt.layout<rank 1, register [[1], [64]], lane [[2], [4], [8], [16], [32]]>>
  tile.return
}

// -----

tile.kernel @written_elsewhere(%i: i32) {
  %x = arith.constant dense<0.0> : tensor<8x8xf32>
  %ring = simt.ring : !simt.ring<2 x <8x8xf16, #simt.shared<order [1, 0], panel 8, swizzle 0 4 3>>>
  %slot = simt.slot %ring[%i] : !simt.ring<2 x <8x8xf16, #simt.shared<order [1, 0], panel 8, swizzle 0 4 3>>> -> !simt.buffer<8x8xf16, #simt.shared<order [1, 0], panel 8, swizzle 0 4 3>>
  // expected-error @+1 {{cannot hold 'tensor<8x8xf32>'}}
  simt.write %x to %slot : tensor<8x8xf32> to !simt.buffer<8x8xf16, #simt.shared<order [1, 0], panel 8, swizzle 0 4 3>>
  tile.return
}

// -----

tile.kernel @swizzled_and_padded() {
  %0 = arith.constant dense<0.0> : tensor<8x64xf16>
  %1 = simt.stage %0 : tensor<8x64xf16> -> <8x64xf16, #simt.shared<order[1, 0], panel 64, swizzle 0 4 3, padding 16 every 128>>
  // expected-error @+1 {{C3: padding is a multiple of 8 bytes, every a power of two from 16 on, and there is no swizzle beside it}}
  %2 = simt.stage %0 : tensor<8x64xf16> -> <8x64xf16, #simt.shared<order[1, 0], panel 64, swizzle 3 4 3, padding 16 every 128>>
  tile.return
}

// -----

tile.kernel @padded() {
  %0 = arith.constant dense<0.0> : tensor<8x64xf16>
  %1 = simt.stage %0 : tensor<8x64xf16> -> <8x64xf16, #simt.shared<order[1, 0], panel 64, swizzle 0 4 3, padding 16 every 128>>
  tile.return
}

// -----

tile.kernel @padded_bulk_store_c4(%p: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 1 : i64}) {
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 64 : i64
  %frame = simt.descriptor %p[%z] shape[%m, %m] strides[%m, %one] : <f32> -> <[32, 32], f32, swizzle 0>
  %0 = arith.constant dense<0.0> : tensor<32x32xf32>
  // expected-error @+1 {{C4: the bulk copy unit stores no padded buffer}}
  simt.bulk_store %0 to %frame[%z, %z] by !simt.buffer<32x32xf32, #simt.shared<order[1, 0], panel 32, swizzle 0 4 3, padding 16 every 128>> : tensor<32x32xf32> to <[32, 32], f32, swizzle 0>
  tile.return
}

// -----

#m = #simt.layout<rank 2, register [[1, 0], [2, 0]], lane [[0, 1], [0, 2], [0, 4]]>
#t = #simt.layout<rank 2, register [[1, 0], [2, 0], [4, 0]], lane [[0, 1], [0, 2], [0, 4]], warp [[8, 0]]>
tile.kernel @load_block_c1(%p: !tile.ptr<f32> {tile.group = 1 : i64}) {
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 64 : i64
  %frame = simt.descriptor %p[%z] shape[%m, %m] strides[%m, %one] : <f32> -> <[4, 8], f32, swizzle 0>
  %0 = simt.load_block %frame[%z, %z] by #m fast 1 : <[4, 8], f32, swizzle 0> -> tensor<16x8xf32, #t>
  // expected-error @+1 {{C1: 1 coordinates, and the frame has 2 dimensions}}
  %1 = simt.load_block %frame[%z] by #m fast 1 : <[4, 8], f32, swizzle 0> -> tensor<16x8xf32, #t>
  tile.return
}

// -----

#m = #simt.layout<rank 2, register [[1, 0], [4, 0]], lane [[0, 1], [0, 2], [0, 4]]>
#t = #simt.layout<rank 2, register [[1, 0], [4, 0], [2, 0]], lane [[0, 1], [0, 2], [0, 4]], warp [[8, 0]]>
tile.kernel @load_block_c2(%p: !tile.ptr<f32> {tile.group = 1 : i64}) {
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 64 : i64
  %frame = simt.descriptor %p[%z] shape[%m, %m] strides[%m, %one] : <f32> -> <[8, 8], f32, swizzle 0>
  // expected-error @+1 {{is not made of such messages}}
  %0 = simt.load_block %frame[%z, %z] by #m fast 1 : <[8, 8], f32, swizzle 0> -> tensor<16x8xf32, #t>
  tile.return
}
