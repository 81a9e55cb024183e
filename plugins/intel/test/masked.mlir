// A masked load has no branch where a CPU may run the code: lanes that load nothing read zeros of the module's own. On a GPU
// the load is in a branch. `other` is chosen for each element: SPIR-V 1.3 has no choice between vectors by one condition.
// A conversion to an integer chooses 0 for NaN, and the bounds, where a CPU may run it. The compiler for GPUs does so itself.
// RUN: tz compile %s --target intel:opencl --emit spirv-asm -o - | FileCheck %s --check-prefix=CPU --implicit-check-not=SaturatedConversion
// RUN: tz compile %s --target intel:dg2-emulated --emit spirv-asm -o - | FileCheck %s --check-prefix=CPU --implicit-check-not=SaturatedConversion
// RUN: tz compile %s --target intel:pvc --emit spirv-asm -o - | FileCheck %s --check-prefix=GPU --implicit-check-not=terrazzo_nowhere --implicit-check-not='OpSelect %uint'
// CPU: OpDecorate %terrazzo_nowhere Constant
// CPU: %terrazzo_nowhere = OpVariable %{{.*}} CrossWorkgroup %
// CPU: OpBranchConditional %{{.*}} %if %else
// CPU-NOT: OpBranchConditional
// CPU: OpSelect %_ptr_CrossWorkgroup_
// CPU: OpLoad %v4float
// CPU-NEXT: OpCompositeInsert %v4bool
// CPU-NEXT: %[[FOUR:.*]] = OpVectorShuffle %v4bool
// CPU-NEXT: OpSelect %v4float %[[FOUR]]
// CPU: OpOrdered %bool
// CPU: OpConvertFToU %uint
// CPU-NEXT: OpSelect %uint
// GPU: SaturatedConversion
// GPU: OpBranchConditional %{{.*}} %load %loaded
// GPU: OpLoad %v4float
// GPU: OpConvertFToU %uint
tile.kernel @masked(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %out: !tile.ptr<i32> {tile.divisibility = 16 : i64}, %n: i32 {tile.divisibility = 16 : i64}) {
  %range = tile.range 0 to 256 : tensor<256xi32>
  %from = tile.splat %x : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %at = tile.addptr %from, %range : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %end = tile.splat %n : i32 -> tensor<256xi32>
  %mask = arith.cmpi slt, %range, %end : tensor<256xi32>
  %other = arith.constant dense<1.0> : tensor<256xf32>
  %v = tile.load %at mask %mask other %other {group = 1 : i64} : tensor<256x!tile.ptr<f32>> mask tensor<256xi1> other tensor<256xf32> -> tensor<256xf32>
  %u = tile.fptoui %v : tensor<256xf32> to tensor<256xi32>
  %to = tile.splat %out : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>>
  %there = tile.addptr %to, %range : tensor<256x!tile.ptr<i32>>, tensor<256xi32>
  tile.store %there, %u {group = 2 : i64} : tensor<256x!tile.ptr<i32>>, tensor<256xi32>
  tile.return
}
