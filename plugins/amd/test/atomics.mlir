// Scopes of atomics, and which caches they reach.
// RUN: split-file %s %t
// RUN: tz compile %t/words.mlir --target amd:gfx942 --emit llvm -o - | FileCheck %s --check-prefix=LLVM
// RUN: tz compile %t/words.mlir --target amd:gfx942 --emit asm -o - | FileCheck %s --check-prefix=CODE
// RUN: tz compile %t/bytes.mlir --target amd:gfx1100 --emit asm -o - | FileCheck %s --check-prefix=BYTES

// LLVM: atomicrmw add {{.*}} syncscope("agent") monotonic
// LLVM: atomicrmw max {{.*}} acq_rel
// CODE: global_atomic_add
// The whole system sees what was done before: the second level's cache is written back.
// CODE: buffer_wbl2 sc0 sc1
// Memory that the host shares has no maximum: a loop.
// CODE: global_atomic_cmpswap
// CODE: buffer_inv sc0 sc1
// Of 16 bits there is none: a loop on the word around it.
// BYTES: global_atomic_cmpswap_b32
//--- words.mlir
tile.kernel @words(%x: !tile.ptr<i32>, %out: !tile.ptr<i32>) attributes {tile.num_warps = 1 : i32} {
  %one = arith.constant 1 : i32
  %old = tile.atomic_rmw add relaxed device %x, %one {group = 1 : i64} : !tile.ptr<i32> -> i32, i32
  %most = tile.atomic_rmw max acq_rel system %x, %old {group = 1 : i64} : !tile.ptr<i32> -> i32, i32
  tile.store %out, %most {group = 2 : i64} : !tile.ptr<i32>, i32
  tile.return
}
//--- bytes.mlir
tile.kernel @bytes(%x: !tile.ptr<f16>, %out: !tile.ptr<f16>) attributes {tile.num_warps = 1 : i32} {
  %one = arith.constant 1.0 : f16
  %old = tile.atomic_rmw fadd relaxed device %x, %one {group = 1 : i64} : !tile.ptr<f16> -> f16, f16
  tile.store %out, %old {group = 2 : i64} : !tile.ptr<f16>, f16
  tile.return
}
