// Rings have a slot less where more blocks run beside each other then. An iteration's
// slots are 16 KiB; 2 KiB are in use beside them.
// RUN: tz-opt "--simt-pipeline-loops=async-copy-bytes=4 bulk-copies shared-bytes=131072 unit-shared-bytes=131072" %s | FileCheck %s --check-prefixes=CHECK,SHORT,BULK
// One block fits either way:
// RUN: tz-opt "--simt-pipeline-loops=async-copy-bytes=4 bulk-copies shared-bytes=131072 unit-shared-bytes=69000" %s | FileCheck %s --check-prefixes=CHECK,LONG
// By threads, in groups:
// RUN: tz-opt "--simt-pipeline-loops=async-copy-bytes=4 shared-bytes=131072 unit-shared-bytes=131072" %s | FileCheck %s --check-prefixes=CHECK,SHORT,GROUPS
// Two blocks fit or three:
// RUN: tz-opt "--simt-pipeline-loops=async-copy-bytes=4 bulk-copies shared-bytes=131072 unit-shared-bytes=160000" %s | FileCheck %s --check-prefix=THREE
// Three slots fit, four do not: copies go as far ahead, but begin late.
// RUN: tz-opt "--simt-pipeline-loops=async-copy-bytes=4 bulk-copies shared-bytes=51200" %s | FileCheck %s --check-prefix=LATE
// Nothing is known of units:
// RUN: tz-opt "--simt-pipeline-loops=async-copy-bytes=4 bulk-copies shared-bytes=131072" %s | FileCheck %s --check-prefixes=CHECK,LONG

#acc = #simt.layout<rank 2, register [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp [[16, 0], [32, 0]]>
#rows = #simt.layout<rank 2, register [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp [[4, 0], [8, 0]]>
#shared = #simt.shared<order [1, 0], panel 64, swizzle 3 4 3>
#half = #simt.shared<order [1, 0], panel 32, swizzle 2 4 3>
#wide_acc = #simt.layout<rank 2, register [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64], [64, 0]], lane [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp [[16, 0], [32, 0]]>
#tall = #simt.layout<rank 2, register [[0, 1], [0, 2], [0, 4], [32, 0], [64, 0]], lane [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp [[8, 0], [16, 0]]>
#wide = #simt.layout<rank 2, register [[0, 1], [0, 2], [0, 4], [8, 0], [16, 0]], lane [[0, 8], [0, 16], [0, 32], [0, 64], [1, 0]], warp [[2, 0], [4, 0]]>

#parts = #simt.layout<rank 3, register [[0, 0, 1], [8, 0, 0], [0, 0, 8], [0, 0, 16], [0, 1, 0]], lane [[0, 0, 2], [0, 0, 4], [1, 0, 0], [2, 0, 0], [4, 0, 0]], warp [[16, 0, 0], [32, 0, 0]]>
#last = #simt.layout<rank 3, register [[0, 1, 0], [8, 0, 0], [0, 8, 0], [0, 16, 0], [0, 0, 1]], lane [[0, 2, 0], [0, 4, 0], [1, 0, 0], [2, 0, 0], [4, 0, 0]], warp [[16, 0, 0], [32, 0, 0]]>
#pairs = #simt.layout<rank 3, register [[0, 0, 1], [0, 1, 0], [8, 0, 0], [0, 8, 0], [0, 16, 0]], lane [[0, 2, 0], [0, 4, 0], [1, 0, 0], [2, 0, 0], [4, 0, 0]], warp [[16, 0, 0], [32, 0, 0]]>
#part = #simt.layout<rank 2, register [[0, 1], [8, 0], [0, 8], [0, 16]], lane [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp [[16, 0], [32, 0]]>

// A dot in flight reads its slot an iteration longer; the copies go an iteration less far
// ahead.
// LATE-LABEL: tile.kernel @in_flight
// LATE: simt.ring : <3 x <64x64xf16
// LATE-COUNT-2: simt.bulk_copy
// LATE: scf.for
// LATE-NOT: simt.{{sync|bulk_copy}}
// LATE: simt.dot {{.*}} {async
// LATE: simt.dot_wait 1
// LATE-NEXT: simt.sync
// LATE: simt.bulk_copy
// LATE: scf.yield
// CHECK-LABEL: tile.kernel @in_flight
// SHORT: simt.ring : <3 x <64x64xf16
// LONG: simt.ring : <4 x <64x64xf16
// CHECK: scf.for
// SHORT: simt.{{bulk|async}}_copy
// CHECK: simt.dot {{.*}} {async
// SHORT: simt.dot_wait 1
// SHORT-NOT: simt.{{sync|bulk_copy|async_copy}}
// CHECK: scf.yield
tile.kernel @in_flight(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 3 : i64}, %k: i32, %n: i64 {tile.divisibility = 8 : i64}) attributes {tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %v = tile.make_view %a shape[%n, %n] strides[%n, %one] : !tile.ptr<f16> -> !tile.view<64x64xf16>
  %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32, #acc>) : i32 {
    %at = arith.extsi %i : i32 to i64
    %x = tile.load_view %v[%z, %at] checked [true, true] {group = 1 : i64} : !tile.view<64x64xf16> -> tensor<64x64xf16, #rows>
    %y = tile.load_view %v[%at, %z] checked [true, true] {group = 1 : i64} : !tile.view<64x64xf16> -> tensor<64x64xf16, #rows>
    %sx = simt.stage %x : tensor<64x64xf16, #rows> -> !simt.buffer<64x64xf16, #shared>
    %sy = simt.stage %y : tensor<64x64xf16, #rows> -> !simt.buffer<64x64xf16, #shared>
    %next = simt.dot %sx, %sy, %acc {instruction = "product"} : !simt.buffer<64x64xf16, #shared>, !simt.buffer<64x64xf16, #shared> -> tensor<64x64xf32, #acc>
    scf.yield %next : tensor<64x64xf32, #acc>
  }
  %vo = tile.make_view %out shape[%n, %n] strides[%n, %one] : !tile.ptr<f32> -> !tile.view<64x64xf32>
  tile.store_view %vo[%z, %z], %sum checked [false, false] {group = 3 : i64} : !tile.view<64x64xf32>, tensor<64x64xf32, #acc>
  tile.return
}

// With 128 sums a thread two blocks are enough.
// CHECK-LABEL: tile.kernel @many_sums
// SHORT: simt.ring : <3 x <128x32xf16
// LONG: simt.ring : <4 x <128x32xf16
// THREE-LABEL: tile.kernel @in_flight
// THREE: simt.ring : <3 x <64x64xf16
// THREE-LABEL: tile.kernel @many_sums
// THREE: simt.ring : <4 x <128x32xf16
tile.kernel @many_sums(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 3 : i64}, %k: i32, %n: i64 {tile.divisibility = 8 : i64}) attributes {tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32, #wide_acc>
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %vx = tile.make_view %a shape[%n, %n] strides[%n, %one] : !tile.ptr<f16> -> !tile.view<128x32xf16>
  %vy = tile.make_view %a shape[%n, %n] strides[%n, %one] : !tile.ptr<f16> -> !tile.view<32x128xf16>
  %sum = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero) -> (tensor<128x128xf32, #wide_acc>) : i32 {
    %at = arith.extsi %i : i32 to i64
    %x = tile.load_view %vx[%z, %at] checked [true, true] {group = 1 : i64} : !tile.view<128x32xf16> -> tensor<128x32xf16, #tall>
    %y = tile.load_view %vy[%at, %z] checked [true, true] {group = 1 : i64} : !tile.view<32x128xf16> -> tensor<32x128xf16, #wide>
    %sx = simt.stage %x : tensor<128x32xf16, #tall> -> !simt.buffer<128x32xf16, #half>
    %sy = simt.stage %y : tensor<32x128xf16, #wide> -> !simt.buffer<32x128xf16, #shared>
    %next = simt.dot %sx, %sy, %acc {instruction = "product"} : !simt.buffer<128x32xf16, #half>, !simt.buffer<32x128xf16, #shared> -> tensor<128x128xf32, #wide_acc>
    scf.yield %next : tensor<128x128xf32, #wide_acc>
  }
  %vo = tile.make_view %out shape[%n, %n] strides[%n, %one] : !tile.ptr<f32> -> !tile.view<128x128xf32>
  tile.store_view %vo[%z, %z], %sum checked [false, false] {group = 3 : i64} : !tile.view<128x128xf32>, tensor<128x128xf32, #wide_acc>
  tile.return
}

// A slot is filled again when it was read, at the end of the iteration.
// CHECK-LABEL: tile.kernel @waited_for
// SHORT: simt.ring : <2 x <64x64xf16
// LONG: simt.ring : <3 x <64x64xf16
// CHECK: scf.for
// BULK-NEXT: simt.barrier_wait
// GROUPS-NEXT: simt.async_wait 1
// SHORT-NOT: simt.{{sync|bulk_copy|async_copy}}
// CHECK: simt.dot
// SHORT-NEXT: simt.sync
// BULK: simt.bulk_copy
// GROUPS: simt.async_copy
// CHECK: scf.yield
tile.kernel @waited_for(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 3 : i64}, %k: i32, %n: i64 {tile.divisibility = 8 : i64}) attributes {tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %v = tile.make_view %a shape[%n, %n] strides[%n, %one] : !tile.ptr<f16> -> !tile.view<64x64xf16>
  %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32, #acc>) : i32 {
    %at = arith.extsi %i : i32 to i64
    %x = tile.load_view %v[%z, %at] checked [true, true] {group = 1 : i64} : !tile.view<64x64xf16> -> tensor<64x64xf16, #rows>
    %y = tile.load_view %v[%at, %z] checked [true, true] {group = 1 : i64} : !tile.view<64x64xf16> -> tensor<64x64xf16, #rows>
    %sx = simt.stage %x : tensor<64x64xf16, #rows> -> !simt.buffer<64x64xf16, #shared>
    %sy = simt.stage %y : tensor<64x64xf16, #rows> -> !simt.buffer<64x64xf16, #shared>
    %next = simt.dot %sx, %sy, %acc : !simt.buffer<64x64xf16, #shared>, !simt.buffer<64x64xf16, #shared> -> tensor<64x64xf32, #acc>
    scf.yield %next : tensor<64x64xf32, #acc>
  }
  %vo = tile.make_view %out shape[%n, %n] strides[%n, %one] : !tile.ptr<f32> -> !tile.view<64x64xf32>
  tile.store_view %vo[%z, %z], %sum checked [false, false] {group = 3 : i64} : !tile.view<64x64xf32>, tensor<64x64xf32, #acc>
  tile.return
}

// An iteration ahead they go anyway, with a slot to read from beside.
// CHECK-LABEL: tile.kernel @no_turn_less
// CHECK: simt.ring : <3 x <64x64xf16
tile.kernel @no_turn_less(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 3 : i64}, %k: i32, %n: i64 {tile.divisibility = 8 : i64}) attributes {tile.num_warps = 4 : i32, tile.num_stages = 2 : i32} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %v = tile.make_view %a shape[%n, %n] strides[%n, %one] : !tile.ptr<f16> -> !tile.view<64x64xf16>
  %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32, #acc>) : i32 {
    %at = arith.extsi %i : i32 to i64
    %x = tile.load_view %v[%z, %at] checked [true, true] {group = 1 : i64} : !tile.view<64x64xf16> -> tensor<64x64xf16, #rows>
    %y = tile.load_view %v[%at, %z] checked [true, true] {group = 1 : i64} : !tile.view<64x64xf16> -> tensor<64x64xf16, #rows>
    %sx = simt.stage %x : tensor<64x64xf16, #rows> -> !simt.buffer<64x64xf16, #shared>
    %sy = simt.stage %y : tensor<64x64xf16, #rows> -> !simt.buffer<64x64xf16, #shared>
    %next = simt.dot %sx, %sy, %acc {instruction = "product"} : !simt.buffer<64x64xf16, #shared>, !simt.buffer<64x64xf16, #shared> -> tensor<64x64xf32, #acc>
    scf.yield %next : tensor<64x64xf32, #acc>
  }
  %vo = tile.make_view %out shape[%n, %n] strides[%n, %one] : !tile.ptr<f32> -> !tile.view<64x64xf32>
  tile.store_view %vo[%z, %z], %sum checked [false, false] {group = 3 : i64} : !tile.view<64x64xf32>, tensor<64x64xf32, #acc>
  tile.return
}

// All of shared memory is taken by the ring buffers. They may live as long as the
// loop around: halves of the sum are registers of the same threads, so nothing is
// exchanged beside them.
// LATE-LABEL: tile.kernel @halves_of_tiles
// LATE: simt.ring : <3 x <64x64xf16
// LATE: simt.bulk_copy
// LATE: scf.for
// LATE: scf.for
// LATE: tile.split
tile.kernel @halves_of_tiles(%a: !tile.ptr<f16> {tile.divisibility = 16 : i64, tile.group = 1 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.group = 3 : i64}, %k: i32, %tiles: i32, %n: i64 {tile.divisibility = 8 : i64}) attributes {tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %half = arith.constant 32 : i64
  %v = tile.make_view %a shape[%n, %n] strides[%n, %one] : !tile.ptr<f16> -> !tile.view<64x64xf16>
  %vo = tile.make_view %out shape[%n, %n] strides[%n, %one] : !tile.ptr<f32> -> !tile.view<64x32xf32>
  scf.for %tile = %c0 to %tiles step %c1 : i32 {
    %first = arith.muli %tile, %c64 : i32
    %row = arith.extsi %first : i32 to i64
    %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32, #acc>) : i32 {
      %at = arith.extsi %i : i32 to i64
      %x = tile.load_view %v[%row, %at] checked [true, true] {group = 1 : i64} : !tile.view<64x64xf16> -> tensor<64x64xf16, #rows>
      %y = tile.load_view %v[%at, %z] checked [true, true] {group = 1 : i64} : !tile.view<64x64xf16> -> tensor<64x64xf16, #rows>
      %sx = simt.stage %x : tensor<64x64xf16, #rows> -> !simt.buffer<64x64xf16, #shared>
      %sy = simt.stage %y : tensor<64x64xf16, #rows> -> !simt.buffer<64x64xf16, #shared>
      %next = simt.dot %sx, %sy, %acc {instruction = "product"} : !simt.buffer<64x64xf16, #shared>, !simt.buffer<64x64xf16, #shared> -> tensor<64x64xf32, #acc>
      scf.yield %next : tensor<64x64xf32, #acc>
    }
    %parts = tile.reshape %sum : tensor<64x64xf32, #acc> -> tensor<64x2x32xf32, #parts>
    %last = tile.transpose %parts [0, 2, 1] : tensor<64x2x32xf32, #parts> -> tensor<64x32x2xf32, #last>
    %pairs = simt.convert %last : tensor<64x32x2xf32, #last> -> tensor<64x32x2xf32, #pairs>
    %low, %high = tile.split %pairs : tensor<64x32x2xf32, #pairs> -> tensor<64x32xf32, #part>
    tile.store_view %vo[%row, %z], %low checked [true, true] {group = 3 : i64} : !tile.view<64x32xf32>, tensor<64x32xf32, #part>
    tile.store_view %vo[%row, %half], %high checked [true, true] {group = 3 : i64} : !tile.view<64x32xf32>, tensor<64x32xf32, #part>
  }
  tile.return
}
