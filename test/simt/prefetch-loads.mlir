// What is no asynchronous copy is loaded ahead into registers.
// RUN: tz-opt %s --simt-assign-layouts "--simt-pipeline-loops=async-copy-bytes=4 shared-bytes=65536" --simt-prefetch-loads --cse | FileCheck %s
// RUN: tz-opt --simt-assign-layouts --simt-prefetch-loads %s -mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS
// STATS: simt-prefetch-loads
// STATS: 22  prefetched

// The block to copy is loaded as well: its copies go two iterations ahead, its number
// three. After the last iteration the last number is loaded again.
// CHECK-LABEL: tile.kernel @example
// CHECK: %[[FIRST:.*]] = tile.load {{.*}} -> i32
// CHECK: simt.async_copy_view
// CHECK: simt.async_commit
// CHECK: simt.async_commit
// CHECK: %[[AHEAD:.*]] = tile.load {{.*}} -> i32
// CHECK: scf.for {{.*}}%[[NUMBER:[a-z0-9_]+]] = %[[AHEAD]])
// CHECK: arith.select
// CHECK: %[[NEXT:.*]] = tile.load {{.*}} -> i32
// CHECK: simt.async_wait 1
// CHECK: arith.extsi %[[NUMBER]]
// CHECK: simt.async_copy_view
// CHECK-NOT: tile.load
// CHECK: simt.dot
// CHECK: scf.yield {{.*}}, %[[NEXT]]
tile.kernel @example(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %numbers: !tile.ptr<i32> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 3 : i64}, %k: i32) attributes {tile.num_warps = 1 : i32, tile.num_stages = 3 : i32} {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %b = arith.constant dense<1.0> : tensor<16x16xf16>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 16 : i64
  %all = arith.constant 4096 : i64
  %va = tile.make_view %a shape[%all, %m] strides[%m, %one] : !tile.ptr<f16> -> !tile.view<16x16xf16>
  %sum = scf.for %i = %c0 to %k step %c1 iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
    %p = tile.addptr %numbers, %i : !tile.ptr<i32>, i32
    %n = tile.load %p {group = 2 : i64} : !tile.ptr<i32> -> i32
    %wide = arith.extsi %n : i32 to i64
    %at = arith.muli %wide, %m : i64
    %x = tile.load_view %va[%at, %z] checked [false, false] {group = 1 : i64} : !tile.view<16x16xf16> -> tensor<16x16xf16>
    %next = tile.dot %x, %b, %acc : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  }
  %vo = tile.make_view %out shape[%m, %m] strides[%m, %one] : !tile.ptr<f32> -> !tile.view<16x16xf32>
  tile.store_view %vo[%z, %z], %sum checked [false, false] {group = 3 : i64} : !tile.view<16x16xf32>, tensor<16x16xf32>
  tile.return
}

// Bytes one by one are no copies: an iteration multiplies what the one before loaded.
// CHECK-LABEL: tile.kernel @narrow
// CHECK-NOT: simt.ring
// CHECK: scf.if
// CHECK: %[[FIRST:.*]] = tile.load
// CHECK: scf.for {{.*}}%[[NOW:[a-z0-9_]+]] = %[[FIRST]])
// CHECK: %[[NEXT:.*]] = tile.load
// CHECK: simt.stage %[[NOW]]
// CHECK: simt.dot
// CHECK: scf.yield {{.*}}, %[[NEXT]]
tile.kernel @narrow(%a: !tile.ptr<i8>, %out: !tile.ptr<i32> {tile.divisibility = 16 : i64, tile.group = 3 : i64}, %k: i32) attributes {tile.num_warps = 4 : i32} {
  %zero = arith.constant dense<0> : tensor<16x16xi32>
  %b = arith.constant dense<1> : tensor<16x16xi8>
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %range = tile.range 0 to 16 : tensor<16xi32>
  %rows = tile.reshape %range : tensor<16xi32> -> tensor<16x1xi32>
  %offsets = tile.broadcast %rows : tensor<16x1xi32> -> tensor<16x16xi32>
  %base = tile.splat %a : !tile.ptr<i8> -> tensor<16x16x!tile.ptr<i8>>
  %from = tile.addptr %base, %offsets : tensor<16x16x!tile.ptr<i8>>, tensor<16x16xi32>
  %sum = scf.for %i = %c0 to %k step %c16 iter_args(%acc = %zero) -> (tensor<16x16xi32>) : i32 {
    %at = tile.splat %i : i32 -> tensor<16x16xi32>
    %p = tile.addptr %from, %at : tensor<16x16x!tile.ptr<i8>>, tensor<16x16xi32>
    %x = tile.load %p {group = 1 : i64} : tensor<16x16x!tile.ptr<i8>> -> tensor<16x16xi8>
    %next = tile.dot %x, %b, %acc : tensor<16x16xi8>, tensor<16x16xi8> -> tensor<16x16xi32>
    scf.yield %next : tensor<16x16xi32>
  }
  %to = tile.splat %out : !tile.ptr<i32> -> tensor<16x16x!tile.ptr<i32>>
  tile.store %to, %sum {group = 3 : i64} : tensor<16x16x!tile.ptr<i32>>, tensor<16x16xi32>
  tile.return
}

// A state that goes from iteration to iteration: eight iterations' loads, then the
// eight iterations. What is left is a group of four, and one of three, two or one.
// CHECK-LABEL: tile.kernel @in_guard
// CHECK: scf.if
// CHECK: %[[GROUPS:.*]] = tile.divui %[[ALL:.*]], %c8_i32 : i32
// CHECK: scf.for %{{.*}} to %[[GROUPS]]
// CHECK-COUNT-8: tile.load_view
// CHECK-NOT: tile.load_view
// CHECK-COUNT-8: tile.store_view
// CHECK: %[[DONE:.*]] = arith.muli %[[GROUPS]], %c8_i32
// CHECK: %[[FOUR:.*]] = arith.andi %[[ALL]], %c4_i32
// CHECK: scf.if
// CHECK: arith.muli %[[DONE]], %c1_i32
// CHECK-COUNT-4: tile.load_view
// CHECK-NOT: tile.load_view
// CHECK-COUNT-4: tile.store_view
// CHECK: %[[MORE:.*]] = arith.addi %[[DONE]], %[[FOUR]]
// CHECK: arith.andi %[[ALL]], %c2_i32
// CHECK: scf.if
// CHECK: arith.andi %[[ALL]], %c1_i32
// CHECK: scf.if
// CHECK: arith.muli %[[MORE]], %c1_i32
// CHECK-COUNT-3: tile.load_view
// CHECK-NOT: tile.load_view
// CHECK-COUNT-3: tile.store_view
// CHECK: } else {
// CHECK-COUNT-2: tile.load_view
// CHECK-NOT: tile.load_view
// CHECK-COUNT-2: tile.store_view
// CHECK: } else {
// CHECK: arith.andi %[[ALL]], %c1_i32
// CHECK: scf.if
// CHECK-COUNT-1: tile.load_view
// CHECK-COUNT-1: tile.store_view
// CHECK-NOT: tile.store_view
// CHECK: tile.return
tile.kernel @in_guard(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %n: i32, %c: i1) attributes {tile.num_warps = 4 : i32} {
  scf.if %c {
    %zero = arith.constant dense<0.0> : tensor<128xf32>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %z = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %m = arith.constant 128 : i64
    %all = arith.constant 4096 : i64
    %vx = tile.make_view %x shape[%all, %m] strides[%m, %one] : !tile.ptr<f32> -> !tile.view<1x128xf32>
    %vy = tile.make_view %y shape[%all, %m] strides[%m, %one] : !tile.ptr<f32> -> !tile.view<1x128xf32>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128xf32>) : i32 {
      %at = arith.extsi %i : i32 to i64
      %old = tile.reshape %acc : tensor<128xf32> -> tensor<1x128xf32>
      tile.store_view %vy[%at, %z], %old checked [false, false] {group = 2 : i64} : !tile.view<1x128xf32>, tensor<1x128xf32>
      %v = tile.load_view %vx[%at, %z] checked [false, false] {group = 1 : i64} : !tile.view<1x128xf32> -> tensor<1x128xf32>
      %line = tile.reshape %v : tensor<1x128xf32> -> tensor<128xf32>
      %next = arith.addf %acc, %line : tensor<128xf32>
      scf.yield %next : tensor<128xf32>
    }
  }
  tile.return
}

// An iteration may read what the one before wrote; where a thread loads much in a
// iteration, others are there to wait with it.
// CHECK-LABEL: tile.kernel @no_prefetch
// CHECK-NOT: arith.select
tile.kernel @no_prefetch(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %n: i32) attributes {tile.num_warps = 4 : i32} {
  %zero = arith.constant dense<0.0> : tensor<8192xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %m = arith.constant 8192 : i64
  %all = arith.constant 409600 : i64
  %v = tile.make_view %x shape[%all] strides[%one] : !tile.ptr<f32> -> !tile.view<8192xf32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<8192xf32>) : i32 {
    %wide = arith.extsi %i : i32 to i64
    %at = arith.muli %wide, %m : i64
    %much = tile.load_view %v[%at] checked [false] {group = 1 : i64} : !tile.view<8192xf32> -> tensor<8192xf32>
    %next = arith.addf %acc, %much : tensor<8192xf32>
    scf.yield %next : tensor<8192xf32>
  }
  scf.for %i = %c0 to %n step %c1 : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f32>, i32
    %s = tile.load %p {group = 1 : i64} : !tile.ptr<f32> -> f32
    %twice = arith.addf %s, %s : f32
    %q = tile.addptr %p, %c1 : !tile.ptr<f32>, i32
    tile.store %q, %twice {group = 1 : i64} : !tile.ptr<f32>, f32
  }
  %to = tile.make_view %x shape[%all] strides[%one] : !tile.ptr<f32> -> !tile.view<8192xf32>
  tile.store_view %to[%m], %sum checked [false] {group = 1 : i64} : !tile.view<8192xf32>, tensor<8192xf32>
  tile.return
}

// What is short is done in groups of four, each with its loads first; the rest one
// by one. Its loads are narrow.
// CHECK-LABEL: tile.kernel @grouped
// CHECK: scf.for
// CHECK-COUNT-8: tile.load_view
// CHECK-NOT: tile.load_view
// CHECK-COUNT-8: arith.addf
// CHECK-NOT: arith.addf
// CHECK: scf.for
// CHECK-COUNT-2: tile.load_view
// CHECK-COUNT-2: arith.addf
// CHECK: tile.return
tile.kernel @grouped(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %o: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %n: i32) attributes {tile.num_warps = 4 : i32} {
  %zero = arith.constant dense<0.0> : tensor<256xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 512 : i64
  %half = arith.constant 256 : i64
  %all = arith.constant 409600 : i64
  %v = tile.make_view %x shape[%all] strides[%one] : !tile.ptr<f32> -> !tile.view<256xf32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<256xf32>) : i32 {
    %wide = arith.extsi %i : i32 to i64
    %at = arith.muli %wide, %m : i64
    %then = arith.addi %at, %half : i64
    %some = tile.load_view %v[%at] checked [false] {group = 1 : i64} : !tile.view<256xf32> -> tensor<256xf32>
    %more = tile.load_view %v[%then] checked [false] {group = 1 : i64} : !tile.view<256xf32> -> tensor<256xf32>
    %both = arith.addf %some, %more : tensor<256xf32>
    %next = arith.addf %acc, %both : tensor<256xf32>
    scf.yield %next : tensor<256xf32>
  }
  %to = tile.make_view %o shape[%all] strides[%one] : !tile.ptr<f32> -> !tile.view<256xf32>
  tile.store_view %to[%z], %sum checked [false] {group = 2 : i64} : !tile.view<256xf32>, tensor<256xf32>
  tile.return
}

// One row, and a whole vector for each thread: other programs have loads under way.
// CHECK-LABEL: tile.kernel @one_row
// CHECK-COUNT-1: tile.load_view
// CHECK-NOT: tile.load_view
// CHECK: tile.return
tile.kernel @one_row(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %o: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %n: i32) attributes {tile.num_warps = 4 : i32} {
  %zero = arith.constant dense<0.0> : tensor<512xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 512 : i64
  %all = arith.constant 409600 : i64
  %v = tile.make_view %x shape[%all] strides[%one] : !tile.ptr<f32> -> !tile.view<512xf32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<512xf32>) : i32 {
    %wide = arith.extsi %i : i32 to i64
    %at = arith.muli %wide, %m : i64
    %some = tile.load_view %v[%at] checked [false] {group = 1 : i64} : !tile.view<512xf32> -> tensor<512xf32>
    %next = arith.addf %acc, %some : tensor<512xf32>
    scf.yield %next : tensor<512xf32>
  }
  %to = tile.make_view %o shape[%all] strides[%one] : !tile.ptr<f32> -> !tile.view<512xf32>
  tile.store_view %to[%z], %sum checked [false] {group = 2 : i64} : !tile.view<512xf32>, tensor<512xf32>
  tile.return
}

// A program of several rows leaves fewer programs: groups of whole vectors.
// CHECK-LABEL: tile.kernel @rows
// CHECK: scf.for
// CHECK-COUNT-4: tile.load_view
// CHECK-NOT: tile.load_view
// CHECK-COUNT-4: arith.addf
// CHECK-NOT: arith.addf
// CHECK: scf.for
// CHECK-COUNT-1: tile.load_view
// CHECK-NEXT: arith.addf
// CHECK: tile.return
tile.kernel @rows(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %o: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %n: i32) attributes {tile.num_warps = 4 : i32} {
  %zero = arith.constant dense<0.0> : tensor<4x128xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 128 : i64
  %four = arith.constant 4 : i64
  %all = arith.constant 409600 : i64
  %v = tile.make_view %x shape[%four, %all] strides[%all, %one] : !tile.ptr<f32> -> !tile.view<4x128xf32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<4x128xf32>) : i32 {
    %wide = arith.extsi %i : i32 to i64
    %at = arith.muli %wide, %m : i64
    %some = tile.load_view %v[%z, %at] checked [false, false] {group = 1 : i64} : !tile.view<4x128xf32> -> tensor<4x128xf32>
    %next = arith.addf %acc, %some : tensor<4x128xf32>
    scf.yield %next : tensor<4x128xf32>
  }
  %to = tile.make_view %o shape[%four, %all] strides[%all, %one] : !tile.ptr<f32> -> !tile.view<4x128xf32>
  tile.store_view %to[%z, %z], %sum checked [false, false] {group = 2 : i64} : !tile.view<4x128xf32>, tensor<4x128xf32>
  tile.return
}

// A recurrence: the state takes part in a reduction, and the next iteration waits
// for it. Its loads are done one iteration early, also where the address is
// carried; behind the last iteration this one's is loaded again.
// CHECK-LABEL: tile.kernel @recurrence
// CHECK: scf.if
// CHECK: %[[KEY:.*]] = tile.load_view
// CHECK: %[[DECAY:.*]] = tile.load %{{.*}} -> f32
// CHECK: scf.for {{.*}}%[[STATE:[a-z0-9_]+]] = %{{[a-z0-9_]+}}, %[[AT:[a-z0-9_]+]] = %{{[a-z0-9_]+}}, %[[K:[a-z0-9_]+]] = %[[KEY]], %[[D:[a-z0-9_]+]] = %[[DECAY]])
// CHECK: %[[LATER:.*]] = tile.addptr %[[AT]]
// CHECK: %[[THERE:.*]] = arith.select %{{.*}}, %[[LATER]], %[[AT]] : !tile.ptr<f32>
// CHECK: %[[NEXTKEY:.*]] = tile.load_view
// CHECK: %[[NEXTDECAY:.*]] = tile.load %[[THERE]]
// CHECK: tile.splat %[[D]]
// CHECK-NOT: tile.load
// CHECK: tile.reduce
// CHECK: scf.yield {{.*}}, %[[NEXTKEY]], %[[NEXTDECAY]]
tile.kernel @recurrence(%k: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %g: !tile.ptr<f32> {tile.group = 2 : i64}, %o: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 3 : i64}, %n: i32) attributes {tile.num_warps = 1 : i32} {
  %zero = arith.constant dense<0.0> : tensor<32x8xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %w = arith.constant 32 : i64
  %e = arith.constant 8 : i64
  %all = arith.constant 4096 : i64
  %vk = tile.make_view %k shape[%all] strides[%one] : !tile.ptr<f32> -> !tile.view<32xf32>
  %vo = tile.make_view %o shape[%all] strides[%one] : !tile.ptr<f32> -> !tile.view<8xf32>
  %last:2 = scf.for %i = %c0 to %n step %c1 iter_args(%state = %zero, %at = %g) -> (tensor<32x8xf32>, !tile.ptr<f32>) : i32 {
    %wide = arith.extsi %i : i32 to i64
    %from = arith.muli %wide, %w : i64
    %key = tile.load_view %vk[%from] checked [false] {group = 1 : i64} : !tile.view<32xf32> -> tensor<32xf32>
    %decay = tile.load %at {group = 2 : i64} : !tile.ptr<f32> -> f32
    %column = tile.reshape %key : tensor<32xf32> -> tensor<32x1xf32>
    %keys = tile.broadcast %column : tensor<32x1xf32> -> tensor<32x8xf32>
    %decays = tile.splat %decay : f32 -> tensor<32x8xf32>
    %less = arith.mulf %state, %decays : tensor<32x8xf32>
    %next = arith.addf %less, %keys : tensor<32x8xf32>
    %part = arith.mulf %next, %keys : tensor<32x8xf32>
    %sum = tile.reduce(%part) axis 0 : (tensor<32x8xf32>) -> tensor<8xf32> {
    ^bb0(%x: f32, %y: f32):
      %s = arith.addf %x, %y : f32
      tile.yield %s : f32
    }
    %to = arith.muli %wide, %e : i64
    tile.store_view %vo[%to], %sum checked [false] {group = 3 : i64} : !tile.view<8xf32>, tensor<8xf32>
    %later = tile.addptr %at, %c1 : !tile.ptr<f32>, i32
    scf.yield %next, %later : tensor<32x8xf32>, !tile.ptr<f32>
  }
  tile.return
}

// Without a state that is carried, other blocks hide the latency.
// CHECK-LABEL: tile.kernel @no_recurrence
// CHECK: scf.for
// CHECK-NOT: arith.select
// CHECK: tile.return
tile.kernel @no_recurrence(%k: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %o: !tile.ptr<f32> {tile.group = 3 : i64}, %n: i32) attributes {tile.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %w = arith.constant 8192 : i64
  %all = arith.constant 409600 : i64
  %vk = tile.make_view %k shape[%all] strides[%one] : !tile.ptr<f32> -> !tile.view<8192xf32>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %wide = arith.extsi %i : i32 to i64
    %from = arith.muli %wide, %w : i64
    %row = tile.load_view %vk[%from] checked [false] {group = 1 : i64} : !tile.view<8192xf32> -> tensor<8192xf32>
    %sum = tile.reduce(%row) axis 0 : (tensor<8192xf32>) -> f32 {
    ^bb0(%x: f32, %y: f32):
      %s = arith.addf %x, %y : f32
      tile.yield %s : f32
    }
    %p = tile.addptr %o, %i : !tile.ptr<f32>, i32
    tile.store %p, %sum {group = 3 : i64} : !tile.ptr<f32>, f32
  }
  tile.return
}

// What is reduced does not come of what is carried, and threads load narrow
// elements: a load again behind the last iteration would cost more than it hides.
// CHECK-LABEL: tile.kernel @narrow_beside_carried
// CHECK-NOT: tile.load_view
// CHECK: scf.for
// CHECK-COUNT-1: tile.load_view
// CHECK-NOT: tile.load_view
// CHECK: tile.store_view
tile.kernel @narrow_beside_carried(%k: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %o: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 3 : i64}, %n: i32) attributes {tile.num_warps = 4 : i32} {
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %w = arith.constant 512 : i64
  %far = arith.constant 262144 : i64
  %all = arith.constant 409600 : i64
  %count = arith.constant 8 : i64
  %vk = tile.make_view %k shape[%count, %all] strides[%far, %w] : !tile.ptr<f16> -> !tile.view<8x512xf16>
  %vo = tile.make_view %o shape[%count] strides[%one] : !tile.ptr<f32> -> !tile.view<8xf32>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%most = %zero) -> (tensor<8xf32>) : i32 {
    %wide = arith.extsi %i : i32 to i64
    %from = arith.muli %wide, %w : i64
    %rows = tile.load_view %vk[%z, %from] checked [false, false] {group = 1 : i64} : !tile.view<8x512xf16> -> tensor<8x512xf16>
    %long = arith.extf %rows : tensor<8x512xf16> to tensor<8x512xf32>
    %sum = tile.reduce(%long) axis 1 : (tensor<8x512xf32>) -> tensor<8xf32> {
    ^bb0(%x: f32, %y: f32):
      %s = arith.addf %x, %y : f32
      tile.yield %s : f32
    }
    %next = arith.addf %most, %sum : tensor<8xf32>
    scf.yield %next : tensor<8xf32>
  }
  tile.store_view %vo[%z], %last checked [false] {group = 3 : i64} : !tile.view<8xf32>, tensor<8xf32>
  tile.return
}

// Three iterations of a gather: all indices, then all that they lead to, are under
// way before the first sum.
// CHECK-LABEL: tile.kernel @few_gathers
// CHECK-NOT: scf.for
// CHECK-COUNT-6: tile.load
// CHECK-COUNT-3: arith.addf
// CHECK-NOT: tile.load
// CHECK: tile.store
tile.kernel @few_gathers(%x: !tile.ptr<f32> {tile.group = 1 : i64}, %at: !tile.ptr<i32> {tile.group = 2 : i64}, %out: !tile.ptr<f32> {tile.group = 3 : i64}) attributes {tile.num_warps = 4 : i32} {
  %zero = arith.constant dense<0.0> : tensor<128xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %lane = tile.range 0 to 128 : tensor<128xi32>
  %sum = scf.for %i = %c0 to %c3 step %c1 iter_args(%acc = %zero) -> (tensor<128xf32>) : i32 {
    %from = tile.addptr %at, %i : !tile.ptr<i32>, i32
    %row = tile.load %from {group = 2 : i64} : !tile.ptr<i32> -> i32
    %first = tile.addptr %x, %row : !tile.ptr<f32>, i32
    %firsts = tile.splat %first : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
    %ps = tile.addptr %firsts, %lane : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    %v = tile.load %ps {group = 1 : i64} : tensor<128x!tile.ptr<f32>> -> tensor<128xf32>
    %next = arith.addf %acc, %v : tensor<128xf32>
    scf.yield %next : tensor<128xf32>
  }
  %outs = tile.splat %out : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %to = tile.addptr %outs, %lane : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  tile.store %to, %sum {group = 3 : i64} : tensor<128x!tile.ptr<f32>>, tensor<128xf32>
  tile.return
}

// In place: halves of rows are loaded, turned and stored. Iterations have
// different rows, so the loads of four go ahead of their stores.
// CHECK-LABEL: tile.kernel @in_place
// CHECK: scf.for
// CHECK-COUNT-8: tile.load_view
// CHECK-NOT: tile.load_view
// CHECK-COUNT-8: tile.store_view
// CHECK-NOT: tile.store_view
// CHECK: scf.for
// CHECK: tile.return
tile.kernel @in_place(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %low: i32, %high: i32) attributes {tile.num_warps = 4 : i32} {
  %c1 = arith.constant 1 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %half = arith.constant 64 : i64
  %row = arith.constant 128 : i64
  scf.for %i = %low to %high step %c1 : i32 {
    %wide = arith.extsi %i : i32 to i64
    %at = arith.muli %wide, %row : i64
    %then = arith.addi %at, %half : i64
    %p = tile.addptr %x, %at : !tile.ptr<f32>, i64
    %q = tile.addptr %x, %then : !tile.ptr<f32>, i64
    %v = tile.make_view %p shape[%row] strides[%one] : !tile.ptr<f32> -> !tile.view<64xf32>
    %w = tile.make_view %q shape[%row] strides[%one] : !tile.ptr<f32> -> !tile.view<64xf32>
    %a = tile.load_view %v[%z] checked [false] {group = 1 : i64} : !tile.view<64xf32> -> tensor<64xf32>
    %b = tile.load_view %w[%z] checked [false] {group = 1 : i64} : !tile.view<64xf32> -> tensor<64xf32>
    %sum = arith.addf %a, %b : tensor<64xf32>
    %difference = arith.subf %a, %b : tensor<64xf32>
    tile.store_view %v[%z], %sum checked [false] {group = 1 : i64} : !tile.view<64xf32>, tensor<64xf32>
    tile.store_view %w[%z], %difference checked [false] {group = 1 : i64} : !tile.view<64xf32>, tensor<64xf32>
  }
  tile.return
}

// Rows that overlap the next ones stay in order.
// CHECK-LABEL: tile.kernel @overlapping
// CHECK-COUNT-1: tile.load_view
// CHECK-NOT: tile.load_view
// CHECK: tile.return
tile.kernel @overlapping(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %low: i32, %high: i32) attributes {tile.num_warps = 4 : i32} {
  %c1 = arith.constant 1 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %row = arith.constant 63 : i64
  %all = arith.constant 4096 : i64
  scf.for %i = %low to %high step %c1 : i32 {
    %wide = arith.extsi %i : i32 to i64
    %at = arith.muli %wide, %row : i64
    %p = tile.addptr %x, %at : !tile.ptr<f32>, i64
    %v = tile.make_view %p shape[%all] strides[%one] : !tile.ptr<f32> -> !tile.view<64xf32>
    %a = tile.load_view %v[%z] checked [false] {group = 1 : i64} : !tile.view<64xf32> -> tensor<64xf32>
    %twice = arith.addf %a, %a : tensor<64xf32>
    tile.store_view %v[%z], %twice checked [false] {group = 1 : i64} : !tile.view<64xf32>, tensor<64xf32>
  }
  tile.return
}

// What computes much and reduces across warps in each iteration waits for that:
// its loads stay.
// CHECK-LABEL: tile.kernel @reducing
// CHECK-COUNT-2: tile.load_view
// CHECK-NOT: tile.load_view
// CHECK: tile.return
tile.kernel @reducing(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %o: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %n: i32) attributes {tile.num_warps = 4 : i32} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %m = arith.constant 512 : i64
  %half = arith.constant 256 : i64
  %all = arith.constant 409600 : i64
  %v = tile.make_view %x shape[%all] strides[%one] : !tile.ptr<f32> -> !tile.view<256xf32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f32) : i32 {
    %wide = arith.extsi %i : i32 to i64
    %at = arith.muli %wide, %m : i64
    %some = tile.load_view %v[%at] checked [false] {group = 1 : i64} : !tile.view<256xf32> -> tensor<256xf32>
    %then = arith.addi %at, %half : i64
    %more = tile.load_view %v[%then] checked [false] {group = 1 : i64} : !tile.view<256xf32> -> tensor<256xf32>
    %both = arith.addf %some, %more : tensor<256xf32>
    %e = tile.math exp2 %both : tensor<256xf32>
    %f = tile.math exp2 %e : tensor<256xf32>
    %g = tile.math exp2 %f : tensor<256xf32>
    %h = tile.math exp2 %g : tensor<256xf32>
    %part = tile.reduce(%h) axis 0 : (tensor<256xf32>) -> f32 {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tile.yield %s : f32
    }
    %next = arith.addf %acc, %part : f32
    scf.yield %next : f32
  }
  tile.store %o, %sum {group = 2 : i64} : !tile.ptr<f32>, f32
  tile.return
}

// Four bytes an iteration: groups of eight loads, one of four, and a last group of as
// many as there are, for which the threads wait once.
// CHECK-LABEL: tile.kernel @scales
// CHECK: scf.for
// CHECK-COUNT-8: tile.load
// CHECK-NOT: tile.load
// CHECK-NOT: scf.if
// CHECK-COUNT-8: arith.addf
// CHECK: scf.yield
// CHECK: scf.if
// CHECK-COUNT-4: tile.load
// CHECK-NOT: tile.load
// CHECK-COUNT-4: arith.addf
// CHECK: scf.if
// CHECK: scf.if
// CHECK-COUNT-3: tile.load
// CHECK-NOT: tile.load
// CHECK-COUNT-3: arith.addf
// CHECK: } else {
// CHECK-COUNT-2: tile.load
// CHECK-COUNT-2: arith.addf
// CHECK: } else {
// CHECK: scf.if
// CHECK-COUNT-1: tile.load
// CHECK-COUNT-1: arith.addf
// CHECK-NOT: arith.addf
// CHECK: tile.return
tile.kernel @scales(%x: !tile.ptr<f32> {tile.group = 1 : i64}, %o: !tile.ptr<f32> {tile.group = 2 : i64}, %n: i32) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : i32
  %step = arith.constant 32 : i32
  %sum = scf.for %i = %c0 to %n step %step iter_args(%acc = %zero) -> (f32) : i32 {
    %from = tile.addptr %x, %i : !tile.ptr<f32>, i32
    %scale = tile.load %from {group = 1 : i64} : !tile.ptr<f32> -> f32
    %next = arith.addf %acc, %scale : f32
    scf.yield %next : f32
  }
  tile.store %o, %sum {group = 2 : i64} : !tile.ptr<f32>, f32
  tile.return
}

// At most four iterations, since the bound is the lesser of four more than the first
// and another one: one group, in which any but the first may not be there.
// CHECK-LABEL: tile.kernel @at_most_four
// CHECK: scf.if
// CHECK-COUNT-4: tile.load
// CHECK-NOT: tile.load
// CHECK-NOT: scf.for
// CHECK-COUNT-4: arith.addf
// CHECK-NOT: scf.for
// CHECK: tile.return
tile.kernel @at_most_four(%x: !tile.ptr<f32> {tile.group = 1 : i64}, %o: !tile.ptr<f32> {tile.group = 2 : i64}, %first: i32, %n: i32) {
  %zero = arith.constant 0.0 : f32
  %c4 = arith.constant 4 : i32
  %step = arith.constant 1 : i32
  %other = tile.minsi %first, %n : i32
  %end = arith.addi %other, %c4 : i32
  %sum = scf.for %i = %first to %end step %step iter_args(%acc = %zero) -> (f32) : i32 {
    %from = tile.addptr %x, %i : !tile.ptr<f32>, i32
    %scale = tile.load %from {group = 1 : i64} : !tile.ptr<f32> -> f32
    %next = arith.addf %acc, %scale : f32
    scf.yield %next : f32
  }
  tile.store %o, %sum {group = 2 : i64} : !tile.ptr<f32>, f32
  tile.return
}

// Four less are no bound: the difference may wrap. Groups, and a rest.
// CHECK-LABEL: tile.kernel @wraps
// CHECK: scf.for
// CHECK: tile.return
tile.kernel @wraps(%x: !tile.ptr<f32> {tile.group = 1 : i64}, %o: !tile.ptr<f32> {tile.group = 2 : i64}, %first: i32, %n: i32) {
  %zero = arith.constant 0.0 : f32
  %less = arith.constant -4 : i32
  %step = arith.constant 1 : i32
  %end = arith.addi %first, %less : i32
  %sum = scf.for %i = %first to %end step %step iter_args(%acc = %zero) -> (f32) : i32 {
    %from = tile.addptr %x, %i : !tile.ptr<f32>, i32
    %scale = tile.load %from {group = 1 : i64} : !tile.ptr<f32> -> f32
    %next = arith.addf %acc, %scale : f32
    scf.yield %next : f32
  }
  tile.store %o, %sum {group = 2 : i64} : !tile.ptr<f32>, f32
  tile.return
}

// Single elements of a column are no vectors, though a thread has 16 bytes of them:
// the loads of four iterations together. What is left begins at the bound where
// nothing is.
// CHECK-LABEL: tile.kernel @column
// CHECK: %[[GROUPS:.*]] = tile.divui %[[ALL:.*]], %c4_i32 : i32
// CHECK: scf.for
// CHECK-COUNT-4: tile.load_view
// CHECK-NOT: tile.load_view
// CHECK: %[[DONE:.*]] = arith.muli %[[GROUPS]], %c4_i32
// CHECK: %[[ANY:.*]] = arith.cmpi ne, %[[DONE]], %[[ALL]]
// CHECK: %[[NEXT:.*]] = arith.addi
// CHECK: %[[BEGIN:.*]] = arith.select %[[ANY]], %[[NEXT]], %arg2
// CHECK: scf.for %{{.*}} = %[[BEGIN]] to %arg2
// CHECK-COUNT-1: tile.load_view
// CHECK-NOT: tile.load_view
// CHECK: tile.return
tile.kernel @column(%x: !tile.ptr<f32> {tile.group = 1 : i64}, %o: !tile.ptr<f32> {tile.group = 2 : i64}, %n: i32) attributes {tile.num_warps = 1 : i32} {
  %zero = arith.constant dense<0.0> : tensor<128xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %m = arith.constant 128 : i64
  %pitch = arith.constant 16 : i64
  %all = arith.constant 409600 : i64
  %v = tile.make_view %x shape[%all] strides[%pitch] : !tile.ptr<f32> -> !tile.view<128xf32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128xf32>) : i32 {
    %wide = arith.extsi %i : i32 to i64
    %at = arith.muli %wide, %m : i64
    %some = tile.load_view %v[%at] checked [false] {group = 1 : i64} : !tile.view<128xf32> -> tensor<128xf32>
    %next = arith.addf %acc, %some : tensor<128xf32>
    scf.yield %next : tensor<128xf32>
  }
  %origin = arith.constant 0 : i64
  %to = tile.make_view %o shape[%all] strides[%pitch] : !tile.ptr<f32> -> !tile.view<128xf32>
  tile.store_view %to[%origin], %sum checked [false] {group = 2 : i64} : !tile.view<128xf32>, tensor<128xf32>
  tile.return
}

// Blocks of one warp, which combines its lanes in each iteration: there are fewer of
// them beside each other than of warps, so the next iteration's load goes ahead.
// CHECK-LABEL: tile.kernel @one_warp
// CHECK: %[[FIRST:.*]] = tile.load_view
// CHECK: scf.for {{.*}}%[[NOW:[a-z0-9_]+]] = %[[FIRST]])
// CHECK: %[[NEXT:.*]] = tile.load_view
// CHECK: tile.reduce(%[[NOW]])
// CHECK: scf.yield %[[NEXT]]
// CHECK-LABEL: tile.kernel @more_warps
// CHECK-COUNT-1: tile.load_view
// CHECK-NOT: tile.load_view
// CHECK: tile.return
tile.kernel @one_warp(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %o: !tile.ptr<f32> {tile.group = 2 : i64}, %n: i32) attributes {tile.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %m = arith.constant 128 : i64
  %all = arith.constant 409600 : i64
  %v = tile.make_view %x shape[%all] strides[%one] : !tile.ptr<f32> -> !tile.view<128xf32>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %wide = arith.extsi %i : i32 to i64
    %at = arith.muli %wide, %m : i64
    %some = tile.load_view %v[%at] checked [false] {group = 1 : i64} : !tile.view<128xf32> -> tensor<128xf32>
    %most = tile.reduce(%some) axis 0 : (tensor<128xf32>) -> f32 {
    ^bb0(%a: f32, %b: f32):
      %larger = tile.maxf %a, %b : f32
      tile.yield %larger : f32
    }
    %to = tile.addptr %o, %i : !tile.ptr<f32>, i32
    tile.store %to, %most {group = 2 : i64} : !tile.ptr<f32>, f32
  }
  tile.return
}
tile.kernel @more_warps(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %o: !tile.ptr<f32> {tile.group = 2 : i64}, %n: i32) attributes {tile.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %m = arith.constant 2048 : i64
  %all = arith.constant 409600 : i64
  %v = tile.make_view %x shape[%all] strides[%one] : !tile.ptr<f32> -> !tile.view<2048xf32>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %wide = arith.extsi %i : i32 to i64
    %at = arith.muli %wide, %m : i64
    %some = tile.load_view %v[%at] checked [false] {group = 1 : i64} : !tile.view<2048xf32> -> tensor<2048xf32>
    %most = tile.reduce(%some) axis 0 : (tensor<2048xf32>) -> f32 {
    ^bb0(%a: f32, %b: f32):
      %larger = tile.maxf %a, %b : f32
      tile.yield %larger : f32
    }
    %to = tile.addptr %o, %i : !tile.ptr<f32>, i32
    tile.store %to, %most {group = 2 : i64} : !tile.ptr<f32>, f32
  }
  tile.return
}

// From program to program there is most often one iteration: nothing divides by the
// number of programs.
// CHECK-LABEL: tile.kernel @by_programs
// CHECK-NOT: tile.divui
// CHECK: tile.return
tile.kernel @by_programs(%x: !tile.ptr<f32> {tile.group = 1 : i64}, %o: !tile.ptr<f32> {tile.group = 2 : i64}, %n: i32) {
  %pid = tile.program_id 0
  %programs = tile.num_programs 0
  scf.for %i = %pid to %n step %programs : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f32>, i32
    %v = tile.load %p {group = 1 : i64} : !tile.ptr<f32> -> f32
    %q = tile.addptr %o, %i : !tile.ptr<f32>, i32
    tile.store %q, %v {group = 2 : i64} : !tile.ptr<f32>, f32
  }
  tile.return
}

// Who asks for stages of such a loop has iterations for them.
// CHECK-LABEL: tile.kernel @by_programs_in_stages
// CHECK: tile.divui
// CHECK: tile.return
tile.kernel @by_programs_in_stages(%x: !tile.ptr<f32> {tile.group = 1 : i64}, %o: !tile.ptr<f32> {tile.group = 2 : i64}, %n: i32) {
  %pid = tile.program_id 0
  %programs = tile.num_programs 0
  scf.for %i = %pid to %n step %programs : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f32>, i32
    %v = tile.load %p {group = 1 : i64} : !tile.ptr<f32> -> f32
    %q = tile.addptr %o, %i : !tile.ptr<f32>, i32
    tile.store %q, %v {group = 2 : i64} : !tile.ptr<f32>, f32
  } {tile.num_stages = 3 : i32}
  tile.return
}

// Of 16 warps each thread has few registers: groups of four, each of which keeps an
// index for its store beside what it loads. Of four warps there are eight in a group.
// 32 warps hide each other's loads: nothing changes.
// CHECK-LABEL: tile.kernel @many_warps
// CHECK: scf.for
// CHECK-COUNT-4: tile.load_view
// CHECK-NOT: tile.load_view
// CHECK-COUNT-4: tile.store_view
// CHECK: scf.if
// CHECK: tile.return
// CHECK-LABEL: tile.kernel @all_warps
// CHECK: scf.for
// CHECK-COUNT-1: tile.load_view
// CHECK-NOT: tile.load_view
// CHECK: tile.store_view
// CHECK-NOT: scf.if
// CHECK: tile.return
// CHECK-LABEL: tile.kernel @few_warps
// CHECK: scf.for
// CHECK-COUNT-8: tile.load_view
// CHECK-NOT: tile.load_view
// CHECK-COUNT-8: tile.store_view
// CHECK: scf.if
// CHECK: tile.return
tile.kernel @many_warps(%x: !tile.ptr<i32> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %o: !tile.ptr<i32> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %n: i32, %d: i32) attributes {tile.num_warps = 16 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %m = arith.constant 512 : i64
  %all = arith.constant 409600 : i64
  %v = tile.make_view %x shape[%all] strides[%one] : !tile.ptr<i32> -> !tile.view<512xi32>
  %to = tile.make_view %o shape[%all] strides[%one] : !tile.ptr<i32> -> !tile.view<512xi32>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %row = tile.divui %i, %d : i32
    %wide = arith.extui %row : i32 to i64
    %at = arith.muli %wide, %m : i64
    %some = tile.load_view %v[%at] checked [false] {group = 1 : i64} : !tile.view<512xi32> -> tensor<512xi32>
    %more = arith.addi %some, %some : tensor<512xi32>
    tile.store_view %to[%at], %more checked [false] {group = 2 : i64} : !tile.view<512xi32>, tensor<512xi32>
  }
  tile.return
}

tile.kernel @all_warps(%x: !tile.ptr<i32> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %o: !tile.ptr<i32> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %n: i32, %d: i32) attributes {tile.num_warps = 32 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %m = arith.constant 1024 : i64
  %all = arith.constant 409600 : i64
  %v = tile.make_view %x shape[%all] strides[%one] : !tile.ptr<i32> -> !tile.view<1024xi32>
  %to = tile.make_view %o shape[%all] strides[%one] : !tile.ptr<i32> -> !tile.view<1024xi32>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %row = tile.divui %i, %d : i32
    %wide = arith.extui %row : i32 to i64
    %at = arith.muli %wide, %m : i64
    %some = tile.load_view %v[%at] checked [false] {group = 1 : i64} : !tile.view<1024xi32> -> tensor<1024xi32>
    %more = arith.addi %some, %some : tensor<1024xi32>
    tile.store_view %to[%at], %more checked [false] {group = 2 : i64} : !tile.view<1024xi32>, tensor<1024xi32>
  }
  tile.return
}

tile.kernel @few_warps(%x: !tile.ptr<i32> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %o: !tile.ptr<i32> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %n: i32, %d: i32) attributes {tile.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %m = arith.constant 128 : i64
  %all = arith.constant 409600 : i64
  %v = tile.make_view %x shape[%all] strides[%one] : !tile.ptr<i32> -> !tile.view<128xi32>
  %to = tile.make_view %o shape[%all] strides[%one] : !tile.ptr<i32> -> !tile.view<128xi32>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %row = tile.divui %i, %d : i32
    %wide = arith.extui %row : i32 to i64
    %at = arith.muli %wide, %m : i64
    %some = tile.load_view %v[%at] checked [false] {group = 1 : i64} : !tile.view<128xi32> -> tensor<128xi32>
    %more = arith.addi %some, %some : tensor<128xi32>
    tile.store_view %to[%at], %more checked [false] {group = 2 : i64} : !tile.view<128xi32>, tensor<128xi32>
  }
  tile.return
}

// Bytes stay four to a register until they are used: eight iterations are in a group.
// CHECK-LABEL: tile.kernel @bytes
// CHECK: scf.for
// CHECK-COUNT-8: tile.load_view
// CHECK-NOT: tile.load_view
// CHECK: scf.yield
tile.kernel @bytes(%x: !tile.ptr<i8> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %o: !tile.ptr<i32> {tile.divisibility = 16 : i64, tile.group = 2 : i64}, %n: i32) attributes {tile.num_warps = 16 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %m = arith.constant 4096 : i64
  %all = arith.constant 409600 : i64
  %none = arith.constant dense<0> : tensor<4096xi32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %none) -> (tensor<4096xi32>) : i32 {
    %wide = arith.extsi %i : i32 to i64
    %at = arith.muli %wide, %m : i64
    %row = tile.addptr %x, %at : !tile.ptr<i8>, i64
    %v = tile.make_view %row shape[%all] strides[%one] : !tile.ptr<i8> -> !tile.view<4096xi8>
    %some = tile.load_view %v[%zero] checked [false] {group = 1 : i64} : !tile.view<4096xi8> -> tensor<4096xi8>
    %more = arith.extui %some : tensor<4096xi8> to tensor<4096xi32>
    %next = arith.addi %acc, %more : tensor<4096xi32>
    scf.yield %next : tensor<4096xi32>
  }
  %to = tile.make_view %o shape[%all] strides[%one] : !tile.ptr<i32> -> !tile.view<4096xi32>
  tile.store_view %to[%zero], %sum checked [false] {group = 2 : i64} : !tile.view<4096xi32>, tensor<4096xi32>
  tile.return
}
