; Reads of LDS across rows (gfx950): each lane stores four elements, whose numbers
; count on over lanes, and reads at the same place.
target triple = "amdgcn-amd-amdhsa"

@shared = internal addrspace(3) global [512 x i8] poison, align 16

define amdgpu_kernel void @across(ptr addrspace(1) %out) #0 {
  %lane = call i32 @llvm.amdgcn.workitem.id.x()
  %first = mul i32 %lane, 4
  %first16 = trunc i32 %first to i16
  %begin = insertelement <4 x i16> poison, i16 %first16, i64 0
  %all = shufflevector <4 x i16> %begin, <4 x i16> poison, <4 x i32> zeroinitializer
  %values = add <4 x i16> %all, <i16 0, i16 1, i16 2, i16 3>
  %offset = mul i32 %lane, 8
  %at = getelementptr i8, ptr addrspace(3) @shared, i32 %offset
  store <4 x i16> %values, ptr addrspace(3) %at, align 8
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %read = call <4 x i16> @llvm.amdgcn.ds.read.tr16.b64.v4i16(ptr addrspace(3) %at)
  %to = getelementptr <4 x i16>, ptr addrspace(1) %out, i32 %lane
  store <4 x i16> %read, ptr addrspace(1) %to, align 8
  ret void
}

attributes #0 = { "amdgpu-flat-work-group-size"="64,64" }
