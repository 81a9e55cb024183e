// Dots run while the threads work on the results of others.
// RUN: tz-opt %s --simt-overlap-dots | FileCheck %s

#acc = #simt.layout<rank 2, register [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp [[16, 0], [32, 0]]>
#rows = #simt.shared<order [1, 0], panel 64, swizzle 3 4 3>
!tile = tensor<64x64xf32, #acc>
!half = tensor<64x64xf16, #acc>
!buffer = !simt.buffer<64x64xf16, #rows>

// The second product begins before the exponentials of the first one, the third
// beside what is made of the second; an iteration ends with all of them.
// CHECK-LABEL: tile.kernel @example
// CHECK: scf.for
// CHECK: %[[S:.*]] = simt.dot %{{.*}}, %{{.*}}, %{{.*}} {async,
// CHECK-NEXT: simt.permute
// CHECK-NEXT: %[[D:.*]] = simt.dot %{{.*}}, %{{.*}}, %{{.*}} {async,
// CHECK-NEXT: %[[S1:.*]] = simt.dot_wait 1, %[[S]] reads %[[Q:.*]] :
// CHECK-NEXT: %[[P:.*]] = tile.math exp2 %[[S1]]
// CHECK-NEXT: %[[H:.*]] = tile.truncf rtne %[[P]]
// CHECK-NEXT: %[[O:.*]] = simt.dot %[[H]], %{{.*}}, %{{.*}} {async,
// CHECK-NEXT: %[[D1:.*]] = simt.dot_wait 1, %[[D]] reads
// CHECK-NEXT: %[[E:.*]] = arith.mulf %[[P]], %[[D1]]
// CHECK-NEXT: %[[O1:.*]] = simt.dot_wait 0, %[[O]] reads %[[Q]]
// CHECK-NEXT: scf.yield %[[O1]], %[[E]]
tile.kernel @example(%n: i32) attributes {tile.num_warps = 4 : i32} {
  %zero = arith.constant dense<0.0> : !tile
  %x = arith.constant dense<1.0> : !half
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %q = simt.stage %x : !half -> !buffer
  %sums:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %last = %zero) -> (!tile, !tile) : i32 {
    %s = simt.dot %q, %q, %zero {instruction = "product"} : !buffer, !buffer -> !tile
    %p = tile.math exp2 %s : !tile
    %h = tile.truncf rtne %p : !tile to !half
    %o = simt.dot %h, %q, %acc {instruction = "product"} : !half, !buffer -> !tile
    %t = simt.permute %q [1, 0] : !buffer -> !simt.buffer<64x64xf16, #simt.shared<order [0, 1], panel 64, swizzle 3 4 3>>
    %d = simt.dot %q, %t, %zero {instruction = "product"} : !buffer, !simt.buffer<64x64xf16, #simt.shared<order [0, 1], panel 64, swizzle 3 4 3>> -> !tile
    %e = arith.mulf %p, %d : !tile
    scf.yield %o, %e : !tile, !tile
  }
  tile.return
}

// A tile in shared memory that the first product's result is scaled by is read
// while the product runs, before the next one begins; one that others may
// overwrite before that is not.
// CHECK-LABEL: tile.kernel @reads_come_late
// CHECK: %[[S:.*]] = simt.dot {{.*}} {async,
// CHECK-NEXT: %[[H:.*]] = simt.read
// CHECK-NEXT: %[[K:.*]] = simt.read
// CHECK-NEXT: %[[F:.*]] = simt.read
// CHECK-NEXT: arith.addf %[[F]], %[[F]]
// CHECK-NEXT: %[[D:.*]] = simt.dot {{.*}} {async,
// CHECK-NEXT: simt.dot_wait 1, %[[S]]
// CHECK: arith.addf %[[K]], %[[K]]
// CHECK: simt.dot_wait 0, %[[D]]
// CHECK: arith.mulf %{{.*}}, %[[H]]
// CHECK-LABEL: tile.kernel @no_read_behind_a_barrier
// CHECK: simt.read
// CHECK: simt.dot
tile.kernel @reads_come_late(%n: i32) attributes {tile.num_warps = 4 : i32} {
  %zero = arith.constant dense<0.0> : !tile
  %x = arith.constant dense<1.0> : !half
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %q = simt.stage %x : !half -> !buffer
  %all = simt.stage %zero : !tile -> !simt.buffer<64x64xf32, #simt.shared<order [1, 0], panel 64, swizzle 0 4 3>>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%last = %zero) -> (!tile) : i32 {
    %f = simt.read %all : !simt.buffer<64x64xf32, #simt.shared<order [1, 0], panel 64, swizzle 0 4 3>> -> !tile
    %g = arith.addf %f, %f : !tile
    %k = simt.read %all : !simt.buffer<64x64xf32, #simt.shared<order [1, 0], panel 64, swizzle 0 4 3>> -> !tile
    %h = simt.read %all : !simt.buffer<64x64xf32, #simt.shared<order [1, 0], panel 64, swizzle 0 4 3>> -> !tile
    %s = simt.dot %q, %q, %zero {instruction = "product"} : !buffer, !buffer -> !tile
    %d = simt.dot %q, %q, %zero {instruction = "product"} : !buffer, !buffer -> !tile
    %l = arith.mulf %s, %g : !tile
    %m = arith.addf %k, %k : !tile
    %p = arith.mulf %l, %m : !tile
    %e = arith.mulf %d, %h : !tile
    %r = arith.addf %p, %e : !tile
    scf.yield %r : !tile
  }
  tile.return
}

tile.kernel @no_read_behind_a_barrier(%n: i32) attributes {tile.num_warps = 4 : i32} {
  %zero = arith.constant dense<0.0> : !tile
  %x = arith.constant dense<1.0> : !half
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %q = simt.stage %x : !half -> !buffer
  %all = simt.stage %zero : !tile -> !simt.buffer<64x64xf32, #simt.shared<order [1, 0], panel 64, swizzle 0 4 3>>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%last = %zero) -> (!tile) : i32 {
    %f = simt.read %all : !simt.buffer<64x64xf32, #simt.shared<order [1, 0], panel 64, swizzle 0 4 3>> -> !tile
    simt.sync
    %s = simt.dot %q, %q, %zero {instruction = "product"} : !buffer, !buffer -> !tile
    %p = arith.mulf %s, %f : !tile
    %t = tile.math exp2 %p : !tile
    scf.yield %t : !tile
  }
  tile.return
}

// The copy for the next iteration, and the barrier behind which its slot is free,
// come while the product runs; not where it is the copy that this iteration waits
// for.
// CHECK-LABEL: tile.kernel @copies_begin_behind_dots
// CHECK-NOT: simt.sync
// CHECK-NOT: simt.bulk_copy
// CHECK: simt.barrier_wait
// CHECK: simt.dot {{.*}} {async,
// CHECK-NEXT: simt.sync
// CHECK-NEXT: simt.expect
// CHECK-NEXT: simt.bulk_copy
// CHECK: simt.dot_wait 0
// CHECK-LABEL: tile.kernel @no_copy_behind_its_wait
// CHECK: simt.sync
// CHECK: simt.expect
// CHECK-NEXT: simt.bulk_copy
// CHECK-NEXT: simt.barrier_wait
// CHECK: simt.dot {{.*}} {async,
tile.kernel @copies_begin_behind_dots(%a: !tile.ptr<f16>, %n: i32, %m: i64) attributes {tile.num_warps = 4 : i32} {
  %zero = arith.constant dense<0.0> : !tile
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %true = arith.constant true
  %frame = simt.descriptor %a[%z] shape[%m, %m] strides[%m, %one] : <f16> -> <[64, 64], f16, swizzle 3>
  %ring = simt.ring : <2 x <64x64xf16, #rows>>
  %full = simt.barriers : !simt.barriers<2>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%last = %zero) -> (!tile) : i32 {
    %next = arith.xori %i, %c1 : i32
    simt.sync
    %to = simt.slot %ring[%next] : <2 x <64x64xf16, #rows>> -> <64x64xf16, #rows>
    simt.expect 8192 at %full[%next] when %true : <2>
    simt.bulk_copy %frame[%z, %z] to %to signal %full[%next] when %true : <[64, 64], f16, swizzle 3> to <64x64xf16, #rows>, <2>
    simt.barrier_wait %full[%i] phase %c0 : <2>
    %q = simt.slot %ring[%i] : <2 x <64x64xf16, #rows>> -> <64x64xf16, #rows>
    %s = simt.dot %q, %q, %zero {instruction = "product"} : !buffer, !buffer -> !tile
    %w = tile.math exp2 %last : !tile
    %p = arith.mulf %s, %w : !tile
    scf.yield %p : !tile
  }
  simt.barriers_end %full : !simt.barriers<2>
  tile.return
}

tile.kernel @no_copy_behind_its_wait(%a: !tile.ptr<f16>, %n: i32, %m: i64) attributes {tile.num_warps = 4 : i32} {
  %zero = arith.constant dense<0.0> : !tile
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %true = arith.constant true
  %frame = simt.descriptor %a[%z] shape[%m, %m] strides[%m, %one] : <f16> -> <[64, 64], f16, swizzle 3>
  %ring = simt.ring : <2 x <64x64xf16, #rows>>
  %full = simt.barriers : !simt.barriers<2>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%last = %zero) -> (!tile) : i32 {
    simt.sync
    %to = simt.slot %ring[%i] : <2 x <64x64xf16, #rows>> -> <64x64xf16, #rows>
    simt.expect 8192 at %full[%i] when %true : <2>
    simt.bulk_copy %frame[%z, %z] to %to signal %full[%i] when %true : <[64, 64], f16, swizzle 3> to <64x64xf16, #rows>, <2>
    simt.barrier_wait %full[%i] phase %c0 : <2>
    %s = simt.dot %to, %to, %zero {instruction = "product"} : !buffer, !buffer -> !tile
    %w = tile.math exp2 %last : !tile
    %p = arith.mulf %s, %w : !tile
    scf.yield %p : !tile
  }
  simt.barriers_end %full : !simt.barriers<2>
  tile.return
}
