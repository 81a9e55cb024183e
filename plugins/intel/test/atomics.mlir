// Scopes and orders of atomics, and what is made of elements that are narrower than a word.
// RUN: split-file %s %t
// RUN: tz compile %t/words.mlir --target intel:opencl --emit asm -o - | FileCheck %s --check-prefix=WORDS
// RUN: tz compile %t/bytes.mlir --target intel:opencl --emit asm -o - | FileCheck %s --check-prefix=BYTES

// The device (1), relaxed (0), and for all that share memory (0), acquire and release (8).
// WORDS: %[[ZERO:.*]] = OpConstantNull %uint
// WORDS: OpAtomicIAdd %uint %x %uint_1 %[[ZERO]] %uint_1
// WORDS: OpAtomicSMax %uint %x %[[ZERO]] %uint_8
// BYTES-NOT: OpAtomic{{.*}} %ushort
// BYTES: OpAtomicCompareExchange %uint
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
