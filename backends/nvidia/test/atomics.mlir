// Which instruction an atomic becomes.
// RUN: split-file %s %t
// RUN: tz compile %t/floats.mlir --target nvidia:sm_90a --emit asm -o - | FileCheck %s --check-prefix=FLOATS
// RUN: tz compile %t/floats.mlir --target nvidia:sm_80 --emit asm -o - | FileCheck %s --check-prefix=SM80
// RUN: tz compile %t/largest.mlir --target nvidia:sm_90a --emit asm -o - | FileCheck %s --check-prefix=LARGEST
// RUN: sed 's/fmax/fmin/' %t/largest.mlir > %t/smallest.mlir
// RUN: tz compile %t/smallest.mlir --target nvidia:sm_90a --emit asm -o - | FileCheck %s --check-prefix=SMALLEST
// RUN: sed 's/f32/f64/g' %t/largest.mlir > %t/wide.mlir
// RUN: tz compile %t/wide.mlir --target nvidia:sm_90a --emit asm -o - | FileCheck %s --check-prefix=WIDE
// RUN: tz compile %t/scalars.mlir --target nvidia:sm_90a --emit asm -o - | FileCheck %s --check-prefix=SCALARS
// RUN: tz compile %t/tile.mlir --target nvidia:sm_90a --emit asm -o - | FileCheck %s --check-prefix=TILE
// RUN: sed 's/acq_rel/release/' %t/tile.mlir > %t/told.mlir
// RUN: tz compile %t/told.mlir --target nvidia:sm_90a --emit asm -o - | FileCheck %s --check-prefix=TOLD
// RUN: sed 's/acq_rel/acquire/' %t/tile.mlir > %t/seen.mlir
// RUN: tz compile %t/seen.mlir --target nvidia:sm_90a --emit asm -o - | FileCheck %s --check-prefix=SEEN
// RUN: sed 's/128/8/g' %t/tile.mlir > %t/few.mlir
// RUN: tz compile %t/few.mlir --target nvidia:sm_90a --emit asm -o - | FileCheck %s --check-prefix=FEW
// RUN: tz compile %t/halves.mlir --target nvidia:sm_90a --emit asm -o - | FileCheck %s --check-prefix=HALVES
// RUN: sed 's/64x/32x/g; s/0 to 64/0 to 32/' %t/halves.mlir > %t/lanes.mlir
// RUN: tz compile %t/lanes.mlir --target nvidia:sm_90a --emit asm -o - | FileCheck %s --check-prefix=LANES
// RUN: tz compile %t/halves.mlir --target nvidia:sm_80 --emit asm -o - | FileCheck %s --check-prefix=ALONE

// Sums that nobody reads, side by side: four at a time, on machines that can.
// FLOATS: .version 8.1
// FLOATS: red.relaxed.gpu.global.add.v4.f32
// FLOATS: red.relaxed.gpu.global.add.noftz.v4.bf16
// FLOATS: atom.relaxed.gpu.global.add.f32
// SM80: red.relaxed.gpu.global.add.f32
// SM80: atom.relaxed.gpu.global.cas
// SM80: atom.relaxed.gpu.global.add.f32
//--- floats.mlir
tile.kernel @floats(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %h: !tile.ptr<bf16> {tile.divisibility = 16 : i64}) attributes {tile.num_warps = 1 : i32} {
  %range = tile.range 0 to 128 : tensor<128xi32>
  %base = tile.splat %x : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %at = tile.addptr %base, %range : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %one = arith.constant dense<1.0> : tensor<128xf32>
  %o = tile.atomic_rmw fadd relaxed device %at, %one {group = 1 : i64} : tensor<128x!tile.ptr<f32>> -> tensor<128xf32>, tensor<128xf32>
  %narrow = tile.splat %h : !tile.ptr<bf16> -> tensor<128x!tile.ptr<bf16>>
  %there = tile.addptr %narrow, %range : tensor<128x!tile.ptr<bf16>>, tensor<128xi32>
  %half = arith.constant dense<0.5> : tensor<128xbf16>
  %p = tile.atomic_rmw fadd relaxed device %there, %half {group = 2 : i64} : tensor<128x!tile.ptr<bf16>> -> tensor<128xbf16>, tensor<128xbf16>
  %old = tile.atomic_rmw fadd relaxed device %at, %one {group = 1 : i64} : tensor<128x!tile.ptr<f32>> -> tensor<128xf32>, tensor<128xf32>
  tile.store %at, %old {group = 1 : i64} : tensor<128x!tile.ptr<f32>>, tensor<128xf32>
  tile.return
}

// A maximum of floats is one of integers, signed or not by the sign of the operand. What is odd, a NaN in memory, is exchanged. So is an f64.
// LARGEST-DAG: atom.global.max.s32
// LARGEST-DAG: atom.global.min.u32
// LARGEST: atom.relaxed.gpu.global.cas.b32
// SMALLEST-DAG: atom.global.min.s32
// SMALLEST-DAG: atom.global.max.u32
// SMALLEST: atom.relaxed.gpu.global.cas.b32
// WIDE-NOT: .s64
// WIDE: atom.relaxed.gpu.global.cas.b64
//--- largest.mlir
tile.kernel @largest(%x: !tile.ptr<f32>, %v: f32) attributes {tile.num_warps = 1 : i32} {
  %o = tile.atomic_rmw fmax relaxed device %x, %v {group = 1 : i64} : !tile.ptr<f32> -> f32, f32
  tile.return
}

// Order and scope are the instruction's.
// SCALARS: red.release.sys.global.max.s32
// SCALARS: red.relaxed.cta.global.add.u64
// SCALARS: atom.acquire.gpu.global.exch.b32
//--- scalars.mlir
tile.kernel @scalars(%x: !tile.ptr<i32>, %y: !tile.ptr<i64>) attributes {tile.num_warps = 1 : i32} {
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i64
  %o = tile.atomic_rmw max release system %x, %one {group = 1 : i64} : !tile.ptr<i32> -> i32, i32
  %p = tile.atomic_rmw add relaxed program %y, %two {group = 2 : i64} : !tile.ptr<i64> -> i64, i64
  %q = tile.atomic_rmw xchg acquire device %x, %one {group = 1 : i64} : !tile.ptr<i32> -> i32, i32
  tile.return
}

// A tile's order: one fence before all of its elements and one behind.
// TILE: fence.acq_rel.gpu
// TILE-COUNT-4: red.relaxed.gpu.global.add.u32
// TILE: fence.acq_rel.gpu
// A release orders what is before it, an acquire what is behind it.
// TOLD: fence.acq_rel.gpu
// TOLD-COUNT-4: red.relaxed.gpu.global.add.u32
// TOLD-NOT: fence
// SEEN-NOT: fence
// SEEN-COUNT-4: red.relaxed.gpu.global.add.u32
// SEEN: fence.acq_rel.gpu
// Threads without an element go around the fences.
// FEW-NOT: fence
// FEW: bra
// FEW-COUNT-2: fence.acq_rel.gpu
// FEW-NOT: fence
//--- tile.mlir
tile.kernel @tile(%x: !tile.ptr<i32> {tile.divisibility = 16 : i64}) attributes {tile.num_warps = 1 : i32} {
  %range = tile.range 0 to 128 : tensor<128xi32>
  %base = tile.splat %x : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %at = tile.addptr %base, %range : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  %o = tile.atomic_rmw add acq_rel device %at, %range {group = 1 : i64} : tensor<128x!tile.ptr<i32>> -> tensor<128xi32>, tensor<128xi32>
  tile.return
}

// An instruction for one element of 16 bits tries until nobody else updates its word.
// Where two elements of a thread, or of two lanes, turn out to be one word, it is one
// instruction for both.
// HALVES-NOT: shfl
// HALVES: xor.b64
// HALVES: red.relaxed.gpu.global.add.noftz.v2.f16
// HALVES-COUNT-2: red.relaxed.gpu.global.add.noftz.f16
// HALVES-NOT: red.
// LANES-COUNT-3: shfl.sync.bfly
// LANES: xor.b64
// LANES: red.relaxed.gpu.global.add.noftz.v2.f16
// LANES-COUNT-1: red.relaxed.gpu.global.add.noftz.f16
// LANES-NOT: red.
// ALONE-NOT: .v2.f16
// ALONE-COUNT-2: red.relaxed.gpu.global.add.noftz.f16
//--- halves.mlir
tile.kernel @halves(%x: !tile.ptr<f16>, %i: !tile.ptr<i32> {tile.divisibility = 16 : i64}) attributes {tile.num_warps = 1 : i32} {
  %range = tile.range 0 to 64 : tensor<64xi32>
  %index = tile.splat %i : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %of = tile.addptr %index, %range : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %place = tile.load %of {group = 1 : i64} : tensor<64x!tile.ptr<i32>> -> tensor<64xi32>
  %base = tile.splat %x : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
  %at = tile.addptr %base, %place : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
  %half = arith.constant dense<0.5> : tensor<64xf16>
  %o = tile.atomic_rmw fadd relaxed device %at, %half {group = 2 : i64} : tensor<64x!tile.ptr<f16>> -> tensor<64xf16>, tensor<64xf16>
  tile.return
}
