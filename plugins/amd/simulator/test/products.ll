; Matrix products whose results the tests know, for machines with MFMA.
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half>, <4 x half>, <4 x float>, i32, i32, i32)
declare <16 x float> @llvm.amdgcn.mfma.f32.32x32x8f16(<4 x half>, <4 x half>, <16 x float>, i32, i32, i32)

; D = A * B for 16 x 16 x 16 halves, lane by lane as the instruction wants them
define amdgpu_kernel void @product16(ptr addrspace(1) %d, ptr addrspace(1) %a, ptr addrspace(1) %b) #0 {
  %i = call i32 @llvm.amdgcn.workitem.id.x()
  %aa = getelementptr <4 x half>, ptr addrspace(1) %a, i32 %i
  %ba = getelementptr <4 x half>, ptr addrspace(1) %b, i32 %i
  %av = load <4 x half>, ptr addrspace(1) %aa
  %bv = load <4 x half>, ptr addrspace(1) %ba
  %dv = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half> %av, <4 x half> %bv, <4 x float> zeroinitializer, i32 0, i32 0, i32 0)
  %da = getelementptr <4 x float>, ptr addrspace(1) %d, i32 %i
  store <4 x float> %dv, ptr addrspace(1) %da
  ret void
}

define amdgpu_kernel void @product32(ptr addrspace(1) %d, ptr addrspace(1) %a, ptr addrspace(1) %b) #0 {
  %i = call i32 @llvm.amdgcn.workitem.id.x()
  %aa = getelementptr <4 x half>, ptr addrspace(1) %a, i32 %i
  %ba = getelementptr <4 x half>, ptr addrspace(1) %b, i32 %i
  %av = load <4 x half>, ptr addrspace(1) %aa
  %bv = load <4 x half>, ptr addrspace(1) %ba
  %dv = call <16 x float> @llvm.amdgcn.mfma.f32.32x32x8f16(<4 x half> %av, <4 x half> %bv, <16 x float> zeroinitializer, i32 0, i32 0, i32 0)
  %da = getelementptr <16 x float>, ptr addrspace(1) %d, i32 %i
  store <16 x float> %dv, ptr addrspace(1) %da
  ret void
}

attributes #0 = { "amdgpu-flat-work-group-size"="1,256" nounwind }
