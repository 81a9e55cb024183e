; Kernels whose results the tests know: ids, loads, stores, LDS, barriers, loops,
; atomics and scratch, as LLVM compiles them.
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare void @llvm.amdgcn.s.barrier()
declare ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1), i16, i64, i32)
declare float @llvm.amdgcn.raw.ptr.buffer.load.f32(ptr addrspace(8), i32, i32, i32)
declare i32 @llvm.amdgcn.readfirstlane.i32(i32)
declare i32 @llvm.amdgcn.ds.bpermute(i32, i32)
declare i32 @llvm.amdgcn.update.dpp.i32(i32, i32, i32, i32, i32, i1)

@lds = internal addrspace(3) global [256 x float] poison, align 16

; out[i] = a * x[i] + out[i] for i < n
define amdgpu_kernel void @saxpy(ptr addrspace(1) %out, ptr addrspace(1) %x, float %a, i32 %n) #0 {
  %group = call i32 @llvm.amdgcn.workgroup.id.x()
  %item = call i32 @llvm.amdgcn.workitem.id.x()
  %first = mul i32 %group, 256
  %i = add i32 %first, %item
  %inside = icmp slt i32 %i, %n
  br i1 %inside, label %body, label %end
body:
  %at = getelementptr float, ptr addrspace(1) %x, i32 %i
  %to = getelementptr float, ptr addrspace(1) %out, i32 %i
  %v = load float, ptr addrspace(1) %at
  %o = load float, ptr addrspace(1) %to
  %p = fmul contract float %v, %a
  %s = fadd contract float %p, %o
  store float %s, ptr addrspace(1) %to
  br label %end
end:
  ret void
}

; out[group] = the sum of the group's 256 values, through LDS
define amdgpu_kernel void @reduce(ptr addrspace(1) %out, ptr addrspace(1) %x) #0 {
entry:
  %group = call i32 @llvm.amdgcn.workgroup.id.x()
  %item = call i32 @llvm.amdgcn.workitem.id.x()
  %first = mul i32 %group, 256
  %i = add i32 %first, %item
  %at = getelementptr float, ptr addrspace(1) %x, i32 %i
  %v = load float, ptr addrspace(1) %at
  %own = getelementptr float, ptr addrspace(3) @lds, i32 %item
  store float %v, ptr addrspace(3) %own
  br label %loop
loop:
  %distance = phi i32 [ 128, %entry ], [ %half, %next ]
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %takes = icmp slt i32 %item, %distance
  br i1 %takes, label %add, label %next
add:
  %j = add i32 %item, %distance
  %other = getelementptr float, ptr addrspace(3) @lds, i32 %j
  %b = load float, ptr addrspace(3) %other
  %a = load float, ptr addrspace(3) %own
  %s = fadd float %a, %b
  store float %s, ptr addrspace(3) %own
  br label %next
next:
  %half = lshr i32 %distance, 1
  %more = icmp ne i32 %half, 0
  br i1 %more, label %loop, label %done
done:
  %isFirst = icmp eq i32 %item, 0
  br i1 %isFirst, label %write, label %end
write:
  %sum = load float, ptr addrspace(3) @lds
  %to = getelementptr float, ptr addrspace(1) %out, i32 %group
  store float %sum, ptr addrspace(1) %to
  br label %end
end:
  ret void
}

; counts[x[i] & 15] += 1
define amdgpu_kernel void @histogram(ptr addrspace(1) %counts, ptr addrspace(1) %x) #0 {
  %group = call i32 @llvm.amdgcn.workgroup.id.x()
  %item = call i32 @llvm.amdgcn.workitem.id.x()
  %first = mul i32 %group, 256
  %i = add i32 %first, %item
  %at = getelementptr i32, ptr addrspace(1) %x, i32 %i
  %v = load i32, ptr addrspace(1) %at
  %bin = and i32 %v, 15
  %to = getelementptr i32, ptr addrspace(1) %counts, i32 %bin
  %old = atomicrmw add ptr addrspace(1) %to, i32 1 syncscope("agent") monotonic
  ret void
}

; out[i] = x[i] / y[i], correctly rounded; whole[i] = n[i] / d[i]
define amdgpu_kernel void @divide(ptr addrspace(1) %out, ptr addrspace(1) %x, ptr addrspace(1) %y,
                                  ptr addrspace(1) %whole, ptr addrspace(1) %n, ptr addrspace(1) %d) #0 {
  %i = call i32 @llvm.amdgcn.workitem.id.x()
  %xa = getelementptr double, ptr addrspace(1) %x, i32 %i
  %ya = getelementptr double, ptr addrspace(1) %y, i32 %i
  %oa = getelementptr double, ptr addrspace(1) %out, i32 %i
  %a = load double, ptr addrspace(1) %xa
  %b = load double, ptr addrspace(1) %ya
  %q = fdiv double %a, %b
  store double %q, ptr addrspace(1) %oa
  %na = getelementptr i64, ptr addrspace(1) %n, i32 %i
  %da = getelementptr i64, ptr addrspace(1) %d, i32 %i
  %wa = getelementptr i64, ptr addrspace(1) %whole, i32 %i
  %c = load i64, ptr addrspace(1) %na
  %e = load i64, ptr addrspace(1) %da
  %w = sdiv i64 %c, %e
  store i64 %w, ptr addrspace(1) %wa
  ret void
}

define amdgpu_kernel void @divide32(ptr addrspace(1) %out, ptr addrspace(1) %x, ptr addrspace(1) %y) #0 {
  %i = call i32 @llvm.amdgcn.workitem.id.x()
  %xa = getelementptr float, ptr addrspace(1) %x, i32 %i
  %ya = getelementptr float, ptr addrspace(1) %y, i32 %i
  %oa = getelementptr float, ptr addrspace(1) %out, i32 %i
  %a = load float, ptr addrspace(1) %xa
  %b = load float, ptr addrspace(1) %ya
  %q = fdiv float %a, %b
  store float %q, ptr addrspace(1) %oa
  ret void
}

; out[i] = x[i] where i is in the buffer's range of `bytes`, else 0
define amdgpu_kernel void @buffer(ptr addrspace(1) %out, ptr addrspace(1) %x, i32 %bytes) #0 {
  %i = call i32 @llvm.amdgcn.workitem.id.x()
  %b64 = zext i32 %bytes to i64
  %r = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %x, i16 0, i64 %b64, i32 159744)
  %o = shl i32 %i, 2
  %v = call float @llvm.amdgcn.raw.ptr.buffer.load.f32(ptr addrspace(8) %r, i32 %o, i32 0, i32 0)
  %to = getelementptr float, ptr addrspace(1) %out, i32 %i
  store float %v, ptr addrspace(1) %to
  ret void
}

; out[i] = table[x[i] & 7] of a private array, which lies in scratch
define amdgpu_kernel void @scratch(ptr addrspace(1) %out, ptr addrspace(1) %x) #0 {
entry:
  %table = alloca [64 x i32], addrspace(5)
  %i = call i32 @llvm.amdgcn.workitem.id.x()
  br label %fill
fill:
  %k = phi i32 [ 0, %entry ], [ %k1, %fill ]
  %value = mul i32 %k, %i
  %slot = getelementptr i32, ptr addrspace(5) %table, i32 %k
  store volatile i32 %value, ptr addrspace(5) %slot
  %k1 = add i32 %k, 1
  %more = icmp ult i32 %k1, 64
  br i1 %more, label %fill, label %done
done:
  %xa = getelementptr i32, ptr addrspace(1) %x, i32 %i
  %v = load i32, ptr addrspace(1) %xa
  %masked = and i32 %v, 63
  %from = getelementptr i32, ptr addrspace(5) %table, i32 %masked
  %r = load volatile i32, ptr addrspace(5) %from
  %to = getelementptr i32, ptr addrspace(1) %out, i32 %i
  store i32 %r, ptr addrspace(1) %to
  ret void
}

; out[i] = x[i] of the lane that is 63 - i, plus that of the lane before (or 0)
define amdgpu_kernel void @lanes(ptr addrspace(1) %out, ptr addrspace(1) %x) #0 {
  %i = call i32 @llvm.amdgcn.workitem.id.x()
  %xa = getelementptr i32, ptr addrspace(1) %x, i32 %i
  %v = load i32, ptr addrspace(1) %xa
  %mirror = sub i32 63, %i
  %address = shl i32 %mirror, 2
  %m = call i32 @llvm.amdgcn.ds.bpermute(i32 %address, i32 %v)
  %before = call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %v, i32 273, i32 15, i32 15, i1 true)
  %s = add i32 %m, %before
  %to = getelementptr i32, ptr addrspace(1) %out, i32 %i
  store i32 %s, ptr addrspace(1) %to
  ret void
}

attributes #0 = { "amdgpu-flat-work-group-size"="1,256" nounwind }
