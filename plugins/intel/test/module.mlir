// What a module says of its kernels: version, sizes, and in which memory each pointer is.
// RUN: tz compile %s --target intel:opencl --emit spirv-asm -o - | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: tz compile %s --target intel:dg2 --emit spirv-asm -o - | FileCheck %s --check-prefixes=CHECK,NARROW
// RUN: tz compile %s --target intel:opencl --emit spirv -o %t.spv
// RUN: spirv-val --target-env spv1.3 %t.spv

// CHECK: ; Version: 1.3
// CHECK-NOT: OpExtension "SPV_INTEL
// CHECK: OpMemoryModel Physical64 OpenCL
// CHECK: OpEntryPoint Kernel %[[K:.*]] "sum"
// WIDE: OpExecutionMode %[[K]] LocalSize 64 1 1
// WIDE: OpExecutionMode %[[K]] SubgroupSize 16
// NARROW: OpExecutionMode %[[K]] LocalSize 32 1 1
// NARROW: OpExecutionMode %[[K]] SubgroupSize 8
// No kernel argument points into private memory, and shared memory is a variable of the module.
// CHECK-DAG: OpTypePointer CrossWorkgroup
// CHECK-DAG: OpVariable {{.*}} Workgroup
// CHECK-NOT: OpFunctionParameter %_ptr_Function
// One barrier, of the work-group (2), that orders its memory alone (0x108).
// CHECK: OpFunction
// CHECK: OpGroupNonUniformShuffleXor
// CHECK: OpControlBarrier %uint_2 %uint_2 %uint_264
tile.kernel @sum(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %out: !tile.ptr<f32>) {
  %range = tile.range 0 to 1024 : tensor<1024xi32>
  %from = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %at = tile.addptr %from, %range : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %v = tile.load %at {group = 1 : i64} : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
  %s = tile.reduce(%v) axis 0 : (tensor<1024xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %out, %s {group = 2 : i64} : !tile.ptr<f32>, f32
  tile.return
}
