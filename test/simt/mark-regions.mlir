// The parts of loops that a scheduler cares for have names.
// RUN: tz-opt %s --split-input-file --verify-diagnostics --simt-mark-regions=wants-regions=true | FileCheck %s
// RUN: tz-opt %s --split-input-file --verify-diagnostics --simt-mark-regions=wants-regions=true -mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS
// RUN: tz-opt %s --split-input-file --verify-diagnostics --simt-mark-regions | FileCheck %s --check-prefix=NONE
// NONE-LABEL: tile.kernel @example
// NONE-NOT: _region
// NONE: tile.return

// STATS-DAG: 3  groups
// STATS-DAG: 1  pipelines

#acc = #simt.layout<rank 2, register [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp [[16, 0], [32, 0]]>
#rows = #simt.shared<order [1, 0], panel 64, swizzle 3 4 3>
!tile = tensor<64x64xf32, #acc>
!half = tensor<64x64xf16, #acc>
!buffer = !simt.buffer<64x64xf16, #rows>

// Two products follow each other, a third one reads what was computed from the first.
// The loop reads a ring buffer: its body is a pipeline.
// CHECK-LABEL: tile.kernel @example
// CHECK: scf.for
// CHECK-NEXT: simt.begin_region "pipeline"
// CHECK-NEXT: simt.slot
// CHECK-NEXT: simt.begin_region "products"
// CHECK-NEXT: simt.dot
// CHECK-NEXT: simt.permute
// CHECK-NEXT: simt.dot
// CHECK-NEXT: simt.end_region "products"
// CHECK-NEXT: tile.truncf
// CHECK-NEXT: simt.begin_region "products"
// CHECK-NEXT: simt.dot
// CHECK-NEXT: simt.end_region "products"
// CHECK-NEXT: arith.addf
// CHECK-NEXT: simt.end_region "pipeline"
// CHECK-NEXT: scf.yield
tile.kernel @example(%n: i32) attributes {tile.num_warps = 4 : i32} {
  %zero = arith.constant dense<0.0> : !tile
  %x = arith.constant dense<1.0> : !half
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %q = simt.stage %x : !half -> !buffer
  %ring = simt.ring : <2 x <64x64xf16, #rows>>
  %sums:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %last = %zero) -> (!tile, !tile) : i32 {
    %k = simt.slot %ring[%c0] : <2 x <64x64xf16, #rows>> -> <64x64xf16, #rows>
    %s = simt.dot %q, %k, %zero {instruction = "product"} : !buffer, !buffer -> !tile
    %t = simt.permute %q [1, 0] : !buffer -> !simt.buffer<64x64xf16, #simt.shared<order [0, 1], panel 64, swizzle 3 4 3>>
    %d = simt.dot %q, %t, %zero {instruction = "product"} : !buffer, !simt.buffer<64x64xf16, #simt.shared<order [0, 1], panel 64, swizzle 3 4 3>> -> !tile
    %h = tile.truncf rtne %s : !tile to !half
    %o = simt.dot %h, %q, %acc {instruction = "product"} : !half, !buffer -> !tile
    %e = arith.addf %d, %last : !tile
    scf.yield %o, %e : !tile, !tile
  }
  tile.return
}

// A loop whose operands were there before is no pipeline.
// CHECK-LABEL: tile.kernel @staged_before
// CHECK: scf.for
// CHECK-NEXT: simt.begin_region "products"
// CHECK-NEXT: simt.dot
// CHECK-NEXT: simt.end_region "products"
// CHECK-NEXT: scf.yield
tile.kernel @staged_before(%n: i32) attributes {tile.num_warps = 4 : i32} {
  %zero = arith.constant dense<0.0> : !tile
  %x = arith.constant dense<1.0> : !half
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %q = simt.stage %x : !half -> !buffer
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!tile) : i32 {
    %o = simt.dot %q, %q, %acc {instruction = "product"} : !buffer, !buffer -> !tile
    scf.yield %o : !tile
  }
  tile.return
}

// -----

// A region that is not whole is refused.
tile.kernel @no_end() {
  // expected-error @+1 {{C1: no whole region 'mine' begins here: its end is not in this block}}
  simt.begin_region "mine"
  tile.return
}

// -----

tile.kernel @crossed() {
  // expected-error @+1 {{C1: no whole region 'outer' begins here}}
  simt.begin_region "outer"
  simt.begin_region "inner"
  simt.end_region "outer"
  simt.end_region "inner"
  tile.return
}

// -----

tile.kernel @no_begin() {
  // expected-error @+1 {{C1: no whole region 'mine' ends here: its begin is not in this block}}
  simt.end_region "mine"
  tile.return
}
