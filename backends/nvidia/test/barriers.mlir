// A barrier stands where threads meet in memory, and nowhere else.
// RUN: split-file %s %t
// RUN: tz compile %t/none.mlir --target nvidia:sm_90a --option exact_num_warps=1 --emit asm -o - | FileCheck %s --check-prefix=NONE
// RUN: tz compile %t/reductions.mlir --target nvidia:sm_90a --option exact_num_warps=1 --emit asm -o - | FileCheck %s --check-prefix=REDUCTIONS
// RUN: tz compile %t/turns.mlir --target nvidia:sm_90a --option exact_num_warps=1 --emit asm -o - | FileCheck %s --check-prefix=TURNS
// RUN: tz compile %t/reload.mlir --target nvidia:sm_90a --option exact_num_warps=1 --emit asm -o - | FileCheck %s --check-prefix=RELOAD
// RUN: tz compile %t/release.mlir --target nvidia:sm_90a --option exact_num_warps=1 --emit asm -o - | FileCheck %s --check-prefix=RELEASE

// RUN: tz compile %t/halves.mlir --target nvidia:sm_90a --option exact_num_warps=1 --emit asm -o - | FileCheck %s --check-prefix=HALVES
// RUN: tz compile %t/apart.mlir --target nvidia:sm_90a --option exact_num_warps=1 --emit asm -o - | FileCheck %s --check-prefix=APART
// RUN: tz compile %t/near.mlir --target nvidia:sm_90a --option exact_num_warps=1 --emit asm -o - | FileCheck %s --check-prefix=NEAR
// RUN: tz compile %t/again.mlir --target nvidia:sm_90a --option exact_num_warps=1 --emit asm -o - | FileCheck %s --check-prefix=AGAIN
// RUN: tz compile %t/odd.mlir --target nvidia:sm_90a --option exact_num_warps=1 --emit asm -o - | FileCheck %s --check-prefix=ODD
// RUN: tz compile %t/place.mlir --target nvidia:sm_90a --option exact_num_warps=1 --emit asm -o - | FileCheck %s --check-prefix=PLACE
// RUN: tz compile %t/rows.mlir --target nvidia:sm_90a --option exact_num_warps=1 --emit asm -o - | FileCheck %s --check-prefix=ROWS
// RUN: tz compile %t/chosen.mlir --target nvidia:sm_90a --option exact_num_warps=1 --emit asm -o - | FileCheck %s --check-prefix=CHOSEN
// RUN: tz compile %t/large.mlir --target nvidia:sm_90a --option exact_num_warps=1 --emit asm -o - | FileCheck %s --check-prefix=LARGE
// RUN: tz compile %t/constant.mlir --target nvidia:sm_90a --option exact_num_warps=1 --emit asm -o - | FileCheck %s --check-prefix=CONSTANT

// Different arguments never touch the same bytes, in branches either.
// NONE-NOT: bar.sync
//--- none.mlir
tile.kernel @none(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>, %n: i32) {
  %range = tile.range 0 to 1024 : tensor<1024xi32>
  %from = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %ins = tile.addptr %from, %range : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %to = tile.splat %out : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %outs = tile.addptr %to, %range : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %zero = arith.constant 0 : i32
  %isSome = arith.cmpi ne, %n, %zero : i32
  scf.if %isSome {
    %v = tile.load %ins {group = 1 : i64} : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
    tile.store %outs, %v {group = 2 : i64} : tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>
  }
  tile.return
}

// Between writing the warps' parts and reading them; the second reduction uses
// other bytes of shared memory.
// REDUCTIONS-COUNT-2: bar.sync
// REDUCTIONS-NOT: bar.sync
//--- reductions.mlir
tile.kernel @reductions(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>) {
  %range = tile.range 0 to 1024 : tensor<1024xi32>
  %from = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %ins = tile.addptr %from, %range : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %v = tile.load %ins {group = 1 : i64} : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
  %sum = tile.reduce(%v) axis 0 : (tensor<1024xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  %product = tile.reduce(%v) axis 0 : (tensor<1024xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.mulf %a, %b : f32
    tile.yield %s : f32
  }
  %both = arith.addf %sum, %product : f32
  tile.store %out, %both {group = 2 : i64} : !tile.ptr<f32>, f32
  tile.return
}

// What this iteration reads the next one overwrites.
// TURNS-COUNT-2: bar.sync
// TURNS-NOT: bar.sync
//--- turns.mlir
tile.kernel @turns(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>, %n: i32) {
  %range = tile.range 0 to 1024 : tensor<1024xi32>
  %from = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %ins = tile.addptr %from, %range : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant 0.0 : f32
  %total = scf.for %i = %zero to %n step %one iter_args(%t = %start) -> (f32) : i32 {
    %v = tile.load %ins {group = 1 : i64} : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
    %sum = tile.reduce(%v) axis 0 : (tensor<1024xf32>) -> f32 {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tile.yield %s : f32
    }
    %next = arith.addf %t, %sum : f32
    scf.yield %next : f32
  } {tile.num_stages = 1 : i32} // one iteration at a time
  tile.store %out, %total {group = 2 : i64} : !tile.ptr<f32>, f32
  tile.return
}

// Each iteration reads what the one before wrote, and writes what others may read:
// two barriers. None before the loop.
// RELOAD-NOT: bar.sync
// RELOAD: {{^}}$L{{.*}}:
// RELOAD-COUNT-2: bar.sync
// RELOAD-NOT: bar.sync
//--- reload.mlir
tile.kernel @reload(%x: !tile.ptr<f32>, %n: i32) {
  %range = tile.range 0 to 1024 : tensor<1024xi32>
  %from = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %ins = tile.addptr %from, %range : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %across = arith.constant dense<1> : tensor<1024xi32>
  %outs = tile.addptr %ins, %across : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %n step %one : i32 {
    %v = tile.load %ins {group = 1 : i64} : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
    tile.store %outs, %v {group = 1 : i64} : tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>
  }
  tile.return
}

// What the program stored is there before the atomic that tells of it.
// RELEASE: st.global
// RELEASE: bar.sync
// RELEASE: fence.acq_rel.gpu
// RELEASE: red.relaxed.gpu
//--- release.mlir
tile.kernel @release(%x: !tile.ptr<i32>, %flags: !tile.ptr<i32>) {
  %range = tile.range 0 to 1024 : tensor<1024xi32>
  %to = tile.splat %x : !tile.ptr<i32> -> tensor<1024x!tile.ptr<i32>>
  %outs = tile.addptr %to, %range : tensor<1024x!tile.ptr<i32>>, tensor<1024xi32>
  %one = tile.splat %flags : !tile.ptr<i32> -> tensor<1024x!tile.ptr<i32>>
  %all = tile.addptr %one, %range : tensor<1024x!tile.ptr<i32>>, tensor<1024xi32>
  tile.store %outs, %range {group = 1 : i64} : tensor<1024x!tile.ptr<i32>>, tensor<1024xi32>
  %old = tile.atomic_rmw add release device %all, %range {group = 2 : i64} : tensor<1024x!tile.ptr<i32>> -> tensor<1024xi32>, tensor<1024xi32>
  tile.return
}

// Each iteration stores to other memory.
// APART-NOT: bar.sync
//--- apart.mlir
tile.kernel @apart(%x: !tile.ptr<f32>, %v0: f32, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %step = arith.constant 1024 : i32
  %size = arith.extsi %n : i32 to i64
  %unit = arith.constant 1 : i64
  %v = tile.splat %v0 : f32 -> tensor<1024xf32>
  %view = tile.make_view %x shape [%size] strides [%unit] : !tile.ptr<f32> -> !tile.view<1024xf32>
  scf.for %i = %zero to %n step %step : i32 {
    %at = arith.extsi %i : i32 to i64
    tile.store_view %view[%at], %v checked [false] {group = 1 : i64} : !tile.view<1024xf32>, tensor<1024xf32>
  }
  tile.return
}

// What an iteration stores the next one overwrites in part, by other threads.
// NEAR: bar.sync
//--- near.mlir
tile.kernel @near(%x: !tile.ptr<f32>, %v0: f32, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %step = arith.constant 512 : i32
  %size = arith.extsi %n : i32 to i64
  %unit = arith.constant 1 : i64
  %v = tile.splat %v0 : f32 -> tensor<1024xf32>
  %view = tile.make_view %x shape [%size] strides [%unit] : !tile.ptr<f32> -> !tile.view<1024xf32>
  scf.for %i = %zero to %n step %step : i32 {
    %at = arith.extsi %i : i32 to i64
    tile.store_view %view[%at], %v checked [false] {group = 1 : i64} : !tile.view<1024xf32>, tensor<1024xf32>
  }
  tile.return
}

// The loop stores to the same memory when it runs again, by the same threads:
// blocks begin at multiples of their length.
// AGAIN-NOT: bar.sync
//--- again.mlir
tile.kernel @again(%x: !tile.ptr<f32>, %v0: f32, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %step = arith.constant 1024 : i32
  %size = arith.extsi %n : i32 to i64
  %unit = arith.constant 1 : i64
  %v = tile.splat %v0 : f32 -> tensor<1024xf32>
  %view = tile.make_view %x shape [%size] strides [%unit] : !tile.ptr<f32> -> !tile.view<1024xf32>
  scf.for %j = %zero to %n step %one : i32 {
    scf.for %i = %zero to %n step %step : i32 {
      %at = arith.extsi %i : i32 to i64
      tile.store_view %view[%at], %v checked [false] {group = 1 : i64} : !tile.view<1024xf32>, tensor<1024xf32>
    }
  }
  tile.return
}

// So again, but blocks begin anywhere: other threads store the same elements.
// ODD-COUNT-1: bar.sync
// ODD-NOT: bar.sync
//--- odd.mlir
tile.kernel @odd(%x: !tile.ptr<f32>, %v0: f32, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %step = arith.constant 1024 : i32
  %size = arith.extsi %n : i32 to i64
  %unit = arith.constant 1 : i64
  %v = tile.splat %v0 : f32 -> tensor<1024xf32>
  %view = tile.make_view %x shape [%size] strides [%unit] : !tile.ptr<f32> -> !tile.view<1024xf32>
  scf.for %j = %zero to %n step %one : i32 {
    scf.for %i = %j to %n step %step : i32 {
      %at = arith.extsi %i : i32 to i64
      tile.store_view %view[%at], %v checked [false] {group = 1 : i64} : !tile.view<1024xf32>, tensor<1024xf32>
    }
  }
  tile.return
}

// Each thread stores what it has loaded: in place, in a loop and behind it.
// PLACE-NOT: bar.sync
//--- place.mlir
tile.kernel @place(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i32) {
  %zero = arith.constant 0 : i32
  %step = arith.constant 1024 : i32
  %blocks = tile.divsi %n, %step : i32
  %whole = arith.muli %blocks, %step : i32
  %size = arith.extsi %n : i32 to i64
  %unit = arith.constant 1 : i64
  %view = tile.make_view %x shape [%size] strides [%unit] : !tile.ptr<f32> -> !tile.view<1024xf32>
  scf.for %i = %zero to %whole step %step : i32 {
    %at = arith.extsi %i : i32 to i64
    %v = tile.load_view %view[%at] checked [false] {group = 1 : i64} : !tile.view<1024xf32> -> tensor<1024xf32>
    %twice = arith.addf %v, %v : tensor<1024xf32>
    tile.store_view %view[%at], %twice checked [false] {group = 1 : i64} : !tile.view<1024xf32>, tensor<1024xf32>
  }
  %at = arith.extsi %whole : i32 to i64
  %v = tile.load_view %view[%at] checked [true] {group = 1 : i64} : !tile.view<1024xf32> -> tensor<1024xf32>
  %twice = arith.addf %v, %v : tensor<1024xf32>
  tile.store_view %view[%at], %twice checked [true] {group = 1 : i64} : !tile.view<1024xf32>, tensor<1024xf32>
  tile.return
}

// Rows that may overlap: an element of one row may be one of the next row too.
// ROWS-COUNT-1: bar.sync
// ROWS-NOT: bar.sync
//--- rows.mlir
tile.kernel @rows(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %stride: i64) {
  %z = arith.constant 0 : i64
  %unit = arith.constant 1 : i64
  %size = arith.constant 32 : i64
  %view = tile.make_view %x shape [%size, %size] strides [%stride, %unit] : !tile.ptr<f32> -> !tile.view<32x32xf32>
  %v = tile.load_view %view[%z, %z] checked [false, false] {group = 1 : i64} : !tile.view<32x32xf32> -> tensor<32x32xf32>
  %twice = arith.addf %v, %v : tensor<32x32xf32>
  tile.store_view %view[%z, %z], %twice checked [false, false] {group = 1 : i64} : !tile.view<32x32xf32>, tensor<32x32xf32>
  tile.return
}

// Halves of one array, 64 elements for 128 threads: the thread that stores an
// element loads it, no other one does.
// HALVES: @%p{{.*}} ld.global
// HALVES-NOT: bar.sync
// HALVES: @%p{{.*}} st.global
//--- halves.mlir
tile.kernel @halves(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.num_warps = 4 : i32} {
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %half = arith.constant 64 : i64
  %q = tile.addptr %x, %half : !tile.ptr<f32>, i64
  %v = tile.make_view %x shape[%half] strides[%one] : !tile.ptr<f32> -> !tile.view<64xf32>
  %w = tile.make_view %q shape[%half] strides[%one] : !tile.ptr<f32> -> !tile.view<64xf32>
  %a = tile.load_view %v[%z] checked [false] {group = 1 : i64} : !tile.view<64xf32> -> tensor<64xf32>
  %b = tile.load_view %w[%z] checked [false] {group = 1 : i64} : !tile.view<64xf32> -> tensor<64xf32>
  %sum = arith.addf %a, %b : tensor<64xf32>
  %difference = arith.subf %a, %b : tensor<64xf32>
  tile.store_view %v[%z], %sum checked [false] {group = 1 : i64} : !tile.view<64xf32>, tensor<64xf32>
  tile.store_view %w[%z], %difference checked [false] {group = 1 : i64} : !tile.view<64xf32>, tensor<64xf32>
  tile.return
}

// What a branch gives may go anywhere: all threads load the elements that they
// hold, before one of two stores.
// CHOSEN: ld.global
// CHOSEN-COUNT-1: bar.sync
// CHOSEN: st.global
//--- chosen.mlir
tile.kernel @chosen(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %twice: i1) attributes {tile.num_warps = 4 : i32} {
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %size = arith.constant 64 : i64
  %v = tile.make_view %x shape[%size] strides[%one] : !tile.ptr<f32> -> !tile.view<64xf32>
  %a = tile.load_view %v[%z] checked [false] {group = 1 : i64} : !tile.view<64xf32> -> tensor<64xf32>
  %b = scf.if %twice -> tensor<64xf32> {
    %sum = arith.addf %a, %a : tensor<64xf32>
    scf.yield %sum : tensor<64xf32>
  } else {
    scf.yield %a : tensor<64xf32>
  }
  tile.store_view %v[%z], %b checked [false] {group = 1 : i64} : !tile.view<64xf32>, tensor<64xf32>
  tile.return
}

// A tile of 16 KiB: all reads of the block stand before its writes, though each
// thread stores what it loaded. Memory turns around less often.
// LARGE: ld.global
// LARGE-COUNT-1: bar.sync
// LARGE: st.global
// LARGE-NOT: bar.sync
//--- large.mlir
tile.kernel @large(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.num_warps = 8 : i32} {
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %size = arith.constant 4096 : i64
  %v = tile.make_view %x shape[%size] strides[%one] : !tile.ptr<f32> -> !tile.view<4096xf32>
  %a = tile.load_view %v[%z] checked [false] {group = 1 : i64} : !tile.view<4096xf32> -> tensor<4096xf32>
  %b = arith.addf %a, %a : tensor<4096xf32>
  tile.store_view %v[%z], %b checked [false] {group = 1 : i64} : !tile.view<4096xf32>, tensor<4096xf32>
  tile.return
}

// Of stores of one constant each may be the last, in later iterations too; of
// another constant none may.
// CONSTANT-NOT: bar.sync
// CONSTANT: st.global
// CONSTANT-NOT: bar.sync
// CONSTANT: st.global
// CONSTANT: bar.sync
// CONSTANT: st.global
// CONSTANT-NOT: bar.sync
// CONSTANT: ret;
//--- constant.mlir
tile.kernel @constant(%x: !tile.ptr<f32>, %n: i32, %step: i32) attributes {tile.num_warps = 4 : i32} {
  %range = tile.range 0 to 128 : tensor<128xi32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %two = arith.constant dense<2.0> : tensor<128xf32>
  %three = arith.constant dense<3.0> : tensor<128xf32>
  %all = tile.splat %x : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %first = tile.addptr %all, %range : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %by = arith.muli %i, %step : i32
    %further = tile.splat %by : i32 -> tensor<128xi32>
    %to = tile.addptr %first, %further : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    tile.store %to, %two {group = 1 : i64} : tensor<128x!tile.ptr<f32>>, tensor<128xf32>
  }
  %far = tile.splat %step : i32 -> tensor<128xi32>
  %behind = tile.addptr %first, %far : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  tile.store %behind, %two {group = 1 : i64} : tensor<128x!tile.ptr<f32>>, tensor<128xf32>
  tile.store %first, %three {group = 1 : i64} : tensor<128x!tile.ptr<f32>>, tensor<128xf32>
  tile.return
}
