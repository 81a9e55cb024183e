// Loads begin before stores that they cannot meet, beside the loads before them.
// RUN: tz-opt %s --simt-assign-layouts --simt-load-before-store | FileCheck %s

// CHECK-LABEL: tile.kernel @example
// CHECK:     tile.load_view
// CHECK:     tile.load_view
// CHECK:     arith.mulf
// CHECK:     tile.store_view
// CHECK-NOT: tile.load_view
// CHECK:     tile.store_view
tile.kernel @example(%x: !tile.ptr<f32> {tile.group = 1 : i64}, %y: !tile.ptr<f32> {tile.group = 2 : i64}, %n: i64) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %far = arith.constant 4096 : i64
  %two = arith.constant dense<2.0> : tensor<128xf32>
  %from = tile.make_view %x shape[%n] strides[%one] : <f32> -> <128xf32>
  %to = tile.make_view %y shape[%n] strides[%one] : <f32> -> <128xf32>
  %a = tile.load_view %from[%zero] checked [false] {group = 1 : i64} : <128xf32> -> tensor<128xf32>
  %scaled = arith.mulf %a, %two : tensor<128xf32>
  tile.store_view %to[%zero], %scaled checked [false] {group = 2 : i64} : <128xf32>, tensor<128xf32>
  %b = tile.load_view %from[%far] checked [false] {group = 1 : i64} : <128xf32> -> tensor<128xf32>
  tile.store_view %to[%far], %b checked [false] {group = 2 : i64} : <128xf32>, tensor<128xf32>
  tile.return
}

// In place: a load passes stores of other rows, but not of its own, nor where an
// argument says what is loaded.
// CHECK-LABEL: tile.kernel @in_place
// CHECK:     tile.load_view %{{.*}}[%[[FIRST:.*]]] checked
// CHECK:     tile.load_view %{{.*}}[%[[OTHER:.*]]] checked
// CHECK-NOT: tile.load_view
// CHECK:     tile.store_view %{{.*}}[%[[FIRST]]]
// CHECK:     tile.load_view %{{.*}}[%[[FIRST]]]
// CHECK-NOT: tile.load_view
// CHECK:     tile.store_view %{{.*}}[%[[OTHER]]]
// CHECK:     tile.store_view %{{.*}}[%[[OTHER]]]
// CHECK:     tile.load_view %{{.*}}[%arg
// CHECK:     tile.store_view
tile.kernel @in_place(%x: !tile.ptr<f32> {tile.group = 1 : i64}, %n: i64, %where: i64) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %far = arith.constant 4096 : i64
  %view = tile.make_view %x shape[%n] strides[%one] : <f32> -> <128xf32>
  %a = tile.load_view %view[%zero] checked [false] {group = 1 : i64} : <128xf32> -> tensor<128xf32>
  %twice = arith.addf %a, %a : tensor<128xf32>
  tile.store_view %view[%zero], %twice checked [false] {group = 1 : i64} : <128xf32>, tensor<128xf32>
  %b = tile.load_view %view[%far] checked [false] {group = 1 : i64} : <128xf32> -> tensor<128xf32>
  %more = arith.addf %b, %b : tensor<128xf32>
  tile.store_view %view[%far], %more checked [false] {group = 1 : i64} : <128xf32>, tensor<128xf32>
  %again = tile.load_view %view[%zero] checked [false] {group = 1 : i64} : <128xf32> -> tensor<128xf32>
  tile.store_view %view[%far], %again checked [false] {group = 1 : i64} : <128xf32>, tensor<128xf32>
  %c = tile.load_view %view[%where] checked [false] {group = 1 : i64} : <128xf32> -> tensor<128xf32>
  tile.store_view %view[%zero], %c checked [false] {group = 1 : i64} : <128xf32>, tensor<128xf32>
  tile.return
}

// Four tiles of eight registers: the fourth passes the second store and the third
// one, for two others have passed the first.
// CHECK-LABEL: tile.kernel @many
// CHECK-COUNT-3: tile.load_view
// CHECK-NOT: tile.load_view
// CHECK:     tile.store_view
// CHECK:     tile.load_view
// CHECK-COUNT-3: tile.store_view
tile.kernel @many(%x: !tile.ptr<f32> {tile.group = 1 : i64}, %y: !tile.ptr<f32> {tile.group = 2 : i64}, %n: i64) attributes {tile.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %b1 = arith.constant 256 : i64
  %b2 = arith.constant 512 : i64
  %b3 = arith.constant 768 : i64
  %from = tile.make_view %x shape[%n] strides[%one] : <f32> -> <256xf32>
  %to = tile.make_view %y shape[%n] strides[%one] : <f32> -> <256xf32>
  %a = tile.load_view %from[%zero] checked [false] {group = 1 : i64} : <256xf32> -> tensor<256xf32>
  tile.store_view %to[%zero], %a checked [false] {group = 2 : i64} : <256xf32>, tensor<256xf32>
  %b = tile.load_view %from[%b1] checked [false] {group = 1 : i64} : <256xf32> -> tensor<256xf32>
  tile.store_view %to[%b1], %b checked [false] {group = 2 : i64} : <256xf32>, tensor<256xf32>
  %c = tile.load_view %from[%b2] checked [false] {group = 1 : i64} : <256xf32> -> tensor<256xf32>
  tile.store_view %to[%b2], %c checked [false] {group = 2 : i64} : <256xf32>, tensor<256xf32>
  %d = tile.load_view %from[%b3] checked [false] {group = 1 : i64} : <256xf32> -> tensor<256xf32>
  tile.store_view %to[%b3], %d checked [false] {group = 2 : i64} : <256xf32>, tensor<256xf32>
  tile.return
}

// What acquires is passed by nothing.
// CHECK-LABEL: tile.kernel @behind_an_acquire
// CHECK:     tile.store
// CHECK:     tile.atomic_rmw
// CHECK:     tile.load
tile.kernel @behind_an_acquire(%x: !tile.ptr<i32> {tile.group = 1 : i64}, %y: !tile.ptr<i32> {tile.group = 2 : i64}, %lock: !tile.ptr<i32> {tile.group = 3 : i64}) {
  %one = arith.constant 1 : i32
  tile.store %y, %one {group = 2 : i64} : !tile.ptr<i32>, i32
  %old = tile.atomic_rmw add acquire device %lock, %one {group = 3 : i64} : !tile.ptr<i32> -> i32, i32
  %v = tile.load %x {group = 1 : i64} : !tile.ptr<i32> -> i32
  %sum = arith.addi %v, %old : i32
  tile.store %y, %sum {group = 2 : i64} : !tile.ptr<i32>, i32
  tile.return
}
