// What stands in the halves of a kernel, and at which barriers.
// RUN: tz-opt %s --split-input-file --verify-diagnostics

tile.kernel @expect_c1() attributes {tile.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %true = arith.constant true
  %full, %empty = simt.barriers : !simt.barriers<1>, !simt.barriers<1 arrivals 4>
  // expected-error @+1 {{C1: bytes are expected where warps arrive}}
  simt.expect 16 at %empty[%c0] when %true : <1 arrivals 4>
  tile.return
}

// -----

tile.kernel @acquire_c1() attributes {tile.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %true = arith.constant true
  %full = simt.barriers : !simt.barriers<1>
  // expected-error @+1 {{C1: a phase has 1 arrivals, the block 4 warps}}
  simt.acquire %full[%c0] phase %c0 when %true : <1>
  tile.return
}

// -----

tile.kernel @release_c1() attributes {tile.num_warps = 8 : i32} {
  %c0 = arith.constant 0 : i32
  %true = arith.constant true
  %empty = simt.barriers : !simt.barriers<1 arrivals 4>
  // expected-error @+1 {{C1: a phase has 4 arrivals, the block 8 warps}}
  simt.release %empty[%c0] when %true : <1 arrivals 4>
  tile.return
}

// -----

tile.kernel @barriers_number() {
  // expected-error @+1 {{1 to 64 barriers are expected, of 1 to 4096 arrivals a phase, not 65 of 1}}
  %full = simt.barriers : !simt.barriers<65>
  tile.return
}

// -----

tile.kernel @specialize_c1() {
  // expected-error @+1 {{C1: it is not the last of the kernel}}
  simt.specialize 4 copies {
  } work {
  }
  tile.barrier
  tile.return
}

// -----

tile.kernel @specialize_c2() {
  simt.specialize 4 copies {
    // expected-error @+1 {{C2: stands among the copies of a specialised kernel}}
    tile.barrier
  } work {
  }
  tile.return
}

// -----

tile.kernel @specialize_c3() attributes {tile.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %true = arith.constant true
  %empty = simt.barriers : !simt.barriers<1 arrivals 4>
  simt.specialize 4 copies {
  } work {
    // expected-error @+1 {{C3: stands in the work of a specialised kernel}}
    simt.acquire %empty[%c0] phase %c0 when %true : <1 arrivals 4>
  }
  tile.return
}
