// Loads that do not need an exchange begin before it, with what they are
// computed from; not across a store, not what the exchange gives.
// RUN: tz-opt %s --simt-assign-layouts --simt-remove-conversions --simt-load-before-exchange | FileCheck %s

// CHECK-LABEL: tile.kernel @example
// CHECK:     %[[FIRST:.*]] = tile.load %
// CHECK-NOT: simt.convert
// CHECK:     tile.load_view
// CHECK-NOT: simt.convert
// CHECK:     %[[THIRD:.*]] = tile.load %
// CHECK:     simt.convert %[[FIRST]]
// CHECK:     simt.convert %[[THIRD]]
tile.kernel @example(%x: !tile.ptr<f32> {tile.group = 1 : i64}, %y: !tile.ptr<f32> {tile.group = 2 : i64}, %z: !tile.ptr<f32> {tile.group = 3 : i64}, %n: i64) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %rows = tile.range 0 to 32 : tensor<32xi32>
  %column = tile.reshape %rows : tensor<32xi32> -> tensor<32x1xi32>
  %row = tile.reshape %rows : tensor<32xi32> -> tensor<1x32xi32>
  %wide = arith.constant dense<32> : tensor<1x32xi32>
  %far = arith.muli %row, %wide : tensor<1x32xi32>
  %down = tile.broadcast %column : tensor<32x1xi32> -> tensor<32x32xi32>
  %across = tile.broadcast %far : tensor<1x32xi32> -> tensor<32x32xi32>
  %turned = arith.addi %across, %down : tensor<32x32xi32>
  %base = tile.splat %x : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %from = tile.addptr %base, %turned : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %a = tile.load %from {group = 1 : i64} : tensor<32x32x!tile.ptr<f32>> -> tensor<32x32xf32>
  %view = tile.make_view %y shape[%n, %n] strides[%n, %one] : <f32> -> <32x32xf32>
  %b = tile.load_view %view[%zero, %zero] checked [false, false] {group = 2 : i64} : <32x32xf32> -> tensor<32x32xf32>
  %ab = arith.addf %a, %b : tensor<32x32xf32>
  %some = arith.constant dense<4096> : tensor<32x32xi32>
  %later = tile.addptr %from, %some : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %c = tile.load %later {group = 1 : i64} : tensor<32x32x!tile.ptr<f32>> -> tensor<32x32xf32>
  %abc = arith.addf %ab, %c : tensor<32x32xf32>
  %out = tile.make_view %z shape[%n, %n] strides[%n, %one] : <f32> -> <32x32xf32>
  tile.store_view %out[%zero, %zero], %abc checked [false, false] {group = 3 : i64} : <32x32xf32>, tensor<32x32xf32>
  tile.return
}

// What is stored before may be what is loaded.
// CHECK-LABEL: tile.kernel @behind_a_store
// CHECK:     %[[A:.*]] = tile.load %
// CHECK:     simt.convert %[[A]]
// CHECK:     tile.store_view
// CHECK:     tile.load_view
tile.kernel @behind_a_store(%x: !tile.ptr<f32>, %z: !tile.ptr<f32>, %n: i64) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %rows = tile.range 0 to 32 : tensor<32xi32>
  %column = tile.reshape %rows : tensor<32xi32> -> tensor<32x1xi32>
  %row = tile.reshape %rows : tensor<32xi32> -> tensor<1x32xi32>
  %wide = arith.constant dense<32> : tensor<1x32xi32>
  %far = arith.muli %row, %wide : tensor<1x32xi32>
  %down = tile.broadcast %column : tensor<32x1xi32> -> tensor<32x32xi32>
  %across = tile.broadcast %far : tensor<1x32xi32> -> tensor<32x32xi32>
  %turned = arith.addi %across, %down : tensor<32x32xi32>
  %base = tile.splat %x : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %from = tile.addptr %base, %turned : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %a = tile.load %from : tensor<32x32x!tile.ptr<f32>> -> tensor<32x32xf32>
  %view = tile.make_view %z shape[%n, %n] strides[%n, %one] : <f32> -> <32x32xf32>
  tile.store_view %view[%zero, %zero], %a checked [false, false] : <32x32xf32>, tensor<32x32xf32>
  %b = tile.load_view %view[%one, %zero] checked [false, false] : <32x32xf32> -> tensor<32x32xf32>
  tile.store_view %view[%zero, %zero], %b checked [false, false] : <32x32xf32>, tensor<32x32xf32>
  tile.return
}

// An exchange that makes the address stays before the load.
// CHECK-LABEL: tile.kernel @of_the_exchange
// CHECK:     simt.convert
// CHECK:     tile.load %
// CHECK:     tile.return
tile.kernel @of_the_exchange(%x: !tile.ptr<i32>, %z: !tile.ptr<i32>, %n: i64) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %in = tile.make_view %x shape[%n, %n] strides[%one, %n] : <i32> -> <32x32xi32>
  %at = tile.load_view %in[%zero, %zero] checked [false, false] : <32x32xi32> -> tensor<32x32xi32>
  %base = tile.splat %x : !tile.ptr<i32> -> tensor<32x32x!tile.ptr<i32>>
  %from = tile.addptr %base, %at : tensor<32x32x!tile.ptr<i32>>, tensor<32x32xi32>
  %a = tile.load %from : tensor<32x32x!tile.ptr<i32>> -> tensor<32x32xi32>
  %view = tile.make_view %z shape[%n, %n] strides[%n, %one] : <i32> -> <32x32xi32>
  tile.store_view %view[%zero, %zero], %a checked [false, false] : <32x32xi32>, tensor<32x32xi32>
  tile.return
}

// A row is exchanged soon; a tile would take many registers meanwhile.
// CHECK-LABEL: tile.kernel @small_exchange
// CHECK:     simt.convert
// CHECK-NOT: simt.convert
// CHECK:     tile.load_view
// CHECK:     tile.return
tile.kernel @small_exchange(%x: !tile.ptr<i32> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %z: !tile.ptr<i32> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %n: i64, %d: i32) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 64 : i64
  %range = tile.range 0 to 64 : tensor<64xi32>
  %by = tile.splat %d : i32 -> tensor<64xi32>
  %q = tile.divsi %range, %by : tensor<64xi32>
  %column = tile.reshape %q : tensor<64xi32> -> tensor<64x1xi32>
  %row = tile.reshape %q : tensor<64xi32> -> tensor<1x64xi32>
  %down = tile.broadcast %column : tensor<64x1xi32> -> tensor<64x64xi32>
  %across = tile.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %sum = arith.addi %down, %across : tensor<64x64xi32>
  %in = tile.make_view %x shape[%m, %m] strides[%m, %one] : <i32> -> <64x64xi32>
  %a = tile.load_view %in[%zero, %zero] checked [false, false] {group = 1 : i64} : <64x64xi32> -> tensor<64x64xi32>
  %all = arith.addi %sum, %a : tensor<64x64xi32>
  %out = tile.make_view %z shape[%m, %m] strides[%m, %one] : <i32> -> <64x64xi32>
  tile.store_view %out[%zero, %zero], %all checked [false, false] {group = 2 : i64} : <64x64xi32>, tensor<64x64xi32>
  tile.return
}

// A thread waits once for the words of several tiles that are reduced in turn.
// CHECK-LABEL: tile.kernel @turns
// CHECK-COUNT-3: tile.load %
// CHECK-NOT: tile.load %
// CHECK-COUNT-3: tile.reduce
tile.kernel @turns(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %o: !tile.ptr<f32> {tile.group = 2 : i64}) {
  %at = tile.range 0 to 256 : tensor<256xi32>
  %step = arith.constant dense<256> : tensor<256xi32>
  %base = tile.splat %x : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %p = tile.addptr %base, %at : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %a = tile.load %p {group = 1 : i64} : tensor<256x!tile.ptr<f32>> -> tensor<256xf32>
  %sa = tile.reduce(%a) axis 0 : (tensor<256xf32>) -> f32 {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    tile.yield %s : f32
  }
  %q = tile.addptr %p, %step : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %b = tile.load %q {group = 1 : i64} : tensor<256x!tile.ptr<f32>> -> tensor<256xf32>
  %sb = tile.reduce(%b) axis 0 : (tensor<256xf32>) -> f32 {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    tile.yield %s : f32
  }
  %t = tile.addptr %q, %step : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %c = tile.load %t {group = 1 : i64} : tensor<256x!tile.ptr<f32>> -> tensor<256xf32>
  %sc = tile.reduce(%c) axis 0 : (tensor<256xf32>) -> f32 {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    tile.yield %s : f32
  }
  %ab = arith.addf %sa, %sb : f32
  %abc = arith.addf %ab, %sc : f32
  tile.store %o, %abc {group = 2 : i64} : !tile.ptr<f32>, f32
  tile.return
}

// Of a large tile it would take registers that more blocks use better; a place that
// a reduction gives is behind it.
// CHECK-LABEL: tile.kernel @large
// CHECK: tile.load %
// CHECK: tile.reduce
// CHECK: tile.load %
// CHECK: tile.load %
tile.kernel @large(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %o: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 2 : i64}) {
  %at = tile.range 0 to 4096 : tensor<4096xi32>
  %step = arith.constant dense<4096> : tensor<4096xi32>
  %base = tile.splat %x : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>>
  %p = tile.addptr %base, %at : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
  %a = tile.load %p {group = 1 : i64} : tensor<4096x!tile.ptr<f32>> -> tensor<4096xf32>
  %sa = tile.reduce(%a) axis 0 : (tensor<4096xf32>) -> f32 {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    tile.yield %s : f32
  }
  %i = tile.fptosi %sa : f32 to i32
  %one = tile.addptr %x, %i : !tile.ptr<f32>, i32
  %w = tile.load %one {group = 1 : i64} : !tile.ptr<f32> -> f32
  %q = tile.addptr %p, %step : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
  %b = tile.load %q {group = 1 : i64} : tensor<4096x!tile.ptr<f32>> -> tensor<4096xf32>
  %ws = tile.splat %w : f32 -> tensor<4096xf32>
  %c = arith.mulf %b, %ws : tensor<4096xf32>
  %os = tile.splat %o : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>>
  %to = tile.addptr %os, %at : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
  tile.store %to, %c {group = 2 : i64} : tensor<4096x!tile.ptr<f32>>, tensor<4096xf32>
  tile.return
}
