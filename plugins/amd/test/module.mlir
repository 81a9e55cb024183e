// What the assembly says of a kernel, and how lanes and threads meet.
// RUN: tz compile %s --target amd:gfx942 --emit amdgcn -o - | FileCheck %s --check-prefixes=CHECK,GFX9
// RUN: tz compile %s --target amd:gfx1201 --emit asm -o - | FileCheck %s --check-prefixes=CHECK,GFX12
// RUN: tz compile %s --target amd:gfx942 --emit llvm -o - | FileCheck %s --check-prefix=LLVM

// GFX9: .amdgcn_target "amdgcn-amd-amdhsa--gfx942"
// GFX12: .amdgcn_target "amdgcn-amd-amdhsa--gfx1201"
// CHECK: sum:
// Lanes of a row are exchanged within the sum, rows of 16 by an instruction of their own, the halves of 64 through LDS's
// crossbar.
// GFX9-DAG: v_add_f32_dpp {{.*}} quad_perm:[1,0,3,2]
// GFX9-DAG: v_mov_b32_dpp {{.*}} row_mirror
// GFX9-DAG: ds_swizzle_b32
// GFX9-DAG: ds_bpermute_b32
// GFX12-DAG: v_add_f32_dpp {{.*}} row_xmask:8
// GFX12-DAG: v_permlanex16_b32
// The barrier waits for LDS alone.
// GFX9: ds_write_b32
// GFX9: s_waitcnt lgkmcnt(0)
// GFX9-NOT: s_waitcnt
// GFX9: s_barrier
// GFX12: ds_store_b32
// GFX12: s_wait_dscnt 0x0
// GFX12-NOT: s_wait_
// GFX12: s_barrier_signal
// LLVM: fence syncscope("workgroup") release, !mmra ![[LDS:[0-9]+]]
// LLVM-NEXT: call void asm sideeffect "", "~{memory}"()
// LLVM-NEXT: call void @llvm.amdgcn.s.barrier()
// LLVM-NEXT: fence syncscope("workgroup") acquire, !mmra ![[LDS]]
// LLVM: ![[LDS]] = !{!"amdgpu-synchronize-as", !"local"}
// No hidden argument is asked for that the kernel does not read.
// CHECK: .args:
// CHECK-NOT: hidden_
// CHECK: .group_segment_fixed_size: {{[1-9]}}
// GFX9: .max_flat_workgroup_size: 256
// GFX12: .max_flat_workgroup_size: 128
// CHECK: .name: sum
// CHECK: .private_segment_fixed_size: 0
// CHECK: .reqd_workgroup_size:
// CHECK: .uniform_work_group_size: 1
// GFX9: .wavefront_size: 64
// GFX12: .wavefront_size: 32
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
