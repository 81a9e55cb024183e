// What the last of several loops reads of a view leaves the cache first, and so
// do stores to what is not read.
// RUN: tz-opt %s --simt-mark-last-reads | FileCheck %s

// CHECK-LABEL: tile.kernel @example
// CHECK: scf.for
// CHECK: tile.load_view {{.*}} checked [false] {group = 1 : i64}
// CHECK: scf.for
// CHECK: tile.load_view {{.*}} checked [false] {evict = {{.*}}evict_first{{.*}}group = 1 : i64}
// CHECK: tile.load_view {{.*}} checked [false] {group = 2 : i64}
// CHECK: tile.store_view {{.*}} checked [false] {evict = {{.*}}evict_first{{.*}}group = 3 : i64}
// The rest of a row:
// CHECK: tile.load_view {{.*}} checked [true] {evict = {{.*}}evict_first{{.*}}group = 1 : i64}
tile.kernel @example(%x: !tile.ptr<f32> {tile.group = 1 : i64}, %w: !tile.ptr<f32> {tile.group = 2 : i64}, %y: !tile.ptr<f32> {tile.group = 3 : i64}, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<1024xf32>
  %c0 = arith.constant 0 : i32
  %c1024 = arith.constant 1024 : i32
  %unit = arith.constant 1 : i64
  %size = arith.extsi %n : i32 to i64
  %vx = tile.make_view %x shape[%size] strides[%unit] : !tile.ptr<f32> -> !tile.view<1024xf32>
  %vw = tile.make_view %w shape[%size] strides[%unit] : !tile.ptr<f32> -> !tile.view<1024xf32>
  %vy = tile.make_view %y shape[%size] strides[%unit] : !tile.ptr<f32> -> !tile.view<1024xf32>
  %sum = scf.for %i = %c0 to %n step %c1024 iter_args(%t = %zero) -> (tensor<1024xf32>) : i32 {
    %at = arith.extsi %i : i32 to i64
    %v = tile.load_view %vx[%at] checked [false] {group = 1 : i64} : !tile.view<1024xf32> -> tensor<1024xf32>
    %next = arith.addf %t, %v : tensor<1024xf32>
    scf.yield %next : tensor<1024xf32>
  }
  scf.for %i = %c0 to %n step %c1024 : i32 {
    %at = arith.extsi %i : i32 to i64
    %v = tile.load_view %vx[%at] checked [false] {group = 1 : i64} : !tile.view<1024xf32> -> tensor<1024xf32>
    %s = tile.load_view %vw[%at] checked [false] {group = 2 : i64} : !tile.view<1024xf32> -> tensor<1024xf32>
    %d = arith.subf %v, %sum : tensor<1024xf32>
    %p = arith.mulf %d, %s : tensor<1024xf32>
    tile.store_view %vy[%at], %p checked [false] {group = 3 : i64} : !tile.view<1024xf32>, tensor<1024xf32>
  }
  %rest = tile.load_view %vx[%size] checked [true] {group = 1 : i64} : !tile.view<1024xf32> -> tensor<1024xf32>
  tile.store_view %vy[%size], %rest checked [true] {group = 3 : i64} : !tile.view<1024xf32>, tensor<1024xf32>
  tile.return
}


// One loop reads; what is stored stays, too: nothing is wanted beside it.
// CHECK-LABEL: tile.kernel @no_second_loop
// CHECK-NOT: evict_first
tile.kernel @no_second_loop(%x: !tile.ptr<f32> {tile.group = 1 : i64}, %y: !tile.ptr<f32> {tile.group = 2 : i64}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1024 = arith.constant 1024 : i32
  %unit = arith.constant 1 : i64
  %size = arith.extsi %n : i32 to i64
  %vx = tile.make_view %x shape[%size] strides[%unit] : !tile.ptr<f32> -> !tile.view<1024xf32>
  %vy = tile.make_view %y shape[%size] strides[%unit] : !tile.ptr<f32> -> !tile.view<1024xf32>
  scf.for %i = %c0 to %n step %c1024 : i32 {
    %at = arith.extsi %i : i32 to i64
    %v = tile.load_view %vx[%at] checked [false] {group = 1 : i64} : !tile.view<1024xf32> -> tensor<1024xf32>
    tile.store_view %vy[%at], %v checked [false] {group = 2 : i64} : !tile.view<1024xf32>, tensor<1024xf32>
  }
  tile.return
}


// What the author asked for stays, and what is read is not stored to leave.
// CHECK-LABEL: tile.kernel @no_other_wish
// CHECK: tile.load_view {{.*}}evict_last
// CHECK: tile.load_view {{.*}}evict_last
// CHECK-NOT: evict_first
tile.kernel @no_other_wish(%x: !tile.ptr<f32> {tile.group = 1 : i64}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1024 = arith.constant 1024 : i32
  %unit = arith.constant 1 : i64
  %size = arith.extsi %n : i32 to i64
  %vx = tile.make_view %x shape[%size] strides[%unit] : !tile.ptr<f32> -> !tile.view<1024xf32>
  %zero = arith.constant dense<0.0> : tensor<1024xf32>
  %sum = scf.for %i = %c0 to %n step %c1024 iter_args(%t = %zero) -> (tensor<1024xf32>) : i32 {
    %at = arith.extsi %i : i32 to i64
    %v = tile.load_view %vx[%at] checked [false] {group = 1 : i64, evict = #tile<eviction evict_last>} : !tile.view<1024xf32> -> tensor<1024xf32>
    %next = arith.addf %t, %v : tensor<1024xf32>
    scf.yield %next : tensor<1024xf32>
  }
  scf.for %i = %c0 to %n step %c1024 : i32 {
    %at = arith.extsi %i : i32 to i64
    %v = tile.load_view %vx[%at] checked [false] {group = 1 : i64, evict = #tile<eviction evict_last>} : !tile.view<1024xf32> -> tensor<1024xf32>
    %d = arith.subf %v, %sum : tensor<1024xf32>
    tile.store_view %vx[%at], %d checked [false] {group = 1 : i64} : !tile.view<1024xf32>, tensor<1024xf32>
  }
  tile.return
}
