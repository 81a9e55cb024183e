// Blocks start in any order, so those of a kernel that waits take their programs from a counter: one thread takes the
// next number, and coordinates are made of it. Other kernels have no counter.
// RUN: split-file %s %t
// RUN: tz compile %t/waits.mlir --target intel:opencl --emit asm -o - | FileCheck %s --check-prefix=WAITS
// RUN: tz compile %t/plain.mlir --target intel:opencl --emit asm -o - | FileCheck %s --check-prefix=PLAIN

// WAITS: OpFunctionParameter %_ptr_CrossWorkgroup_uint
// WAITS: %[[COUNTER:.*]] = OpFunctionParameter %_ptr_CrossWorkgroup
// WAITS-NOT: WorkgroupId
// WAITS: OpAtomicIAdd %uint {{.*}}
// WAITS: OpControlBarrier
// WAITS: %[[NUMBER:.*]] = OpUDiv
// WAITS: OpUMod %uint %[[NUMBER]]
// PLAIN: OpFunctionParameter
// PLAIN-NOT: OpFunctionParameter
// PLAIN-NOT: OpAtomicIAdd
//--- waits.mlir
tile.kernel @waits(%out: !tile.ptr<i32>) attributes {tile.waits, tile.num_warps = 2 : i32} {
  %y = tile.program_id 1
  tile.store %out, %y {group = 1 : i64} : !tile.ptr<i32>, i32
  tile.return
}
//--- plain.mlir
tile.kernel @plain(%out: !tile.ptr<i32>) attributes {tile.num_warps = 2 : i32} {
  %y = tile.program_id 1
  tile.store %out, %y {group = 1 : i64} : !tile.ptr<i32>, i32
  tile.return
}
