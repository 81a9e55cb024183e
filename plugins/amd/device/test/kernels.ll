; Kernels of the tests of device halves, as plugins/intel/device/test/kernels.ll
; has them for another vendor. llc makes code objects of them.
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
declare void @llvm.amdgcn.s.barrier()

@table = protected addrspace(1) externally_initialized global [4 x i32] [i32 1, i32 2, i32 3, i32 4]
@scratch = internal addrspace(3) global [64 x float] poison

; The size of a work-group is a hidden argument.
define internal i64 @globalId() alwaysinline {
  %local = call i32 @llvm.amdgcn.workitem.id.x()
  %group = call i32 @llvm.amdgcn.workgroup.id.x()
  %hidden = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %where = getelementptr i8, ptr addrspace(4) %hidden, i64 12
  %size = load i16, ptr addrspace(4) %where
  %size32 = zext i16 %size to i32
  %first = mul i32 %group, %size32
  %id = add i32 %first, %local
  %id64 = zext i32 %id to i64
  ret i64 %id64
}

; out[i] = a[i] + b[i] where i < n
define amdgpu_kernel void @add(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %out, i32 %n) {
  %id = call i64 @globalId()
  %i = trunc i64 %id to i32
  %inside = icmp slt i32 %i, %n
  br i1 %inside, label %then, label %done
then:
  %pa = getelementptr float, ptr addrspace(1) %a, i64 %id
  %pb = getelementptr float, ptr addrspace(1) %b, i64 %id
  %po = getelementptr float, ptr addrspace(1) %out, i64 %id
  %x = load float, ptr addrspace(1) %pa
  %y = load float, ptr addrspace(1) %pb
  %sum = fadd float %x, %y
  store float %sum, ptr addrspace(1) %po
  br label %done
done:
  ret void
}

; The values that it was given, one behind the other; the offsets of the
; parameters are 0, 8, 9, 10, 12, 16, 24, 32.
define amdgpu_kernel void @values(ptr addrspace(1) %out, i8 %b, i8 %c, i16 %h, i32 %w, i64 %l, float %f, double %d) {
  %b8 = zext i8 %b to i64
  %c8 = zext i8 %c to i64
  %h8 = zext i16 %h to i64
  %w8 = zext i32 %w to i64
  %fi = fptosi float %f to i64
  %di = fptosi double %d to i64
  %p1 = getelementptr i64, ptr addrspace(1) %out, i64 1
  %p2 = getelementptr i64, ptr addrspace(1) %out, i64 2
  %p3 = getelementptr i64, ptr addrspace(1) %out, i64 3
  %p4 = getelementptr i64, ptr addrspace(1) %out, i64 4
  %p5 = getelementptr i64, ptr addrspace(1) %out, i64 5
  %p6 = getelementptr i64, ptr addrspace(1) %out, i64 6
  store i64 %b8, ptr addrspace(1) %out
  store i64 %c8, ptr addrspace(1) %p1
  store i64 %h8, ptr addrspace(1) %p2
  store i64 %w8, ptr addrspace(1) %p3
  store i64 %l, ptr addrspace(1) %p4
  store i64 %fi, ptr addrspace(1) %p5
  store i64 %di, ptr addrspace(1) %p6
  ret void
}

; Writes `value` to out[0 .. n) once for each; work-groups of one item.
define amdgpu_kernel void @mark(ptr addrspace(1) %out, i32 %value, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at64 = zext i32 %i to i64
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %at64
  store volatile i32 %value, ptr addrspace(1) %p
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

; out[0] += 1, n times: what a stream holds takes a while.
define amdgpu_kernel void @count(ptr addrspace(1) %out, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %old = load volatile i32, ptr addrspace(1) %out
  %new = add i32 %old, 1
  store volatile i32 %new, ptr addrspace(1) %out
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}

; The sums of 16 neighbours, and the same array reversed, through LDS, of
; work-groups of 64.
define amdgpu_kernel void @groups(ptr addrspace(1) %in, ptr addrspace(1) %sums, ptr addrspace(1) %reversed) !reqd_work_group_size !1 {
entry:
  %local = call i32 @llvm.amdgcn.workitem.id.x()
  %group = call i32 @llvm.amdgcn.workgroup.id.x()
  %base = mul i32 %group, 64
  %id = add i32 %base, %local
  %id64 = zext i32 %id to i64
  %pi = getelementptr float, ptr addrspace(1) %in, i64 %id64
  %x = load float, ptr addrspace(1) %pi
  %slot = getelementptr [64 x float], ptr addrspace(3) @scratch, i32 0, i32 %local
  store float %x, ptr addrspace(3) %slot
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %other = sub i32 63, %local
  %from = getelementptr [64 x float], ptr addrspace(3) @scratch, i32 0, i32 %other
  %y = load float, ptr addrspace(3) %from
  %pr = getelementptr float, ptr addrspace(1) %reversed, i64 %id64
  store float %y, ptr addrspace(1) %pr
  %lane = and i32 %local, 15
  %isFirst = icmp eq i32 %lane, 0
  br i1 %isFirst, label %loop, label %done
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %grown, %loop ]
  %at = add i32 %local, %i
  %ps = getelementptr [64 x float], ptr addrspace(3) @scratch, i32 0, i32 %at
  %s = load float, ptr addrspace(3) %ps
  %grown = fadd float %sum, %s
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, 16
  br i1 %more, label %loop, label %write
write:
  %number = lshr i64 %id64, 4
  %pw = getelementptr float, ptr addrspace(1) %sums, i64 %number
  store float %grown, ptr addrspace(1) %pw
  br label %done
done:
  ret void
}

; out[i] = table[i]
define amdgpu_kernel void @look(ptr addrspace(1) %out) {
  %id = call i64 @globalId()
  %from = getelementptr [4 x i32], ptr addrspace(1) @table, i64 0, i64 %id
  %x = load i32, ptr addrspace(1) %from
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 %x, ptr addrspace(1) %to
  ret void
}

; *out = **where: an address that lies in memory.
define amdgpu_kernel void @follow(ptr addrspace(1) %where, ptr addrspace(1) %out) {
  %bits = load i64, ptr addrspace(1) %where
  %p = inttoptr i64 %bits to ptr addrspace(1)
  %x = load i32, ptr addrspace(1) %p
  store i32 %x, ptr addrspace(1) %out
  ret void
}

!1 = !{i32 64, i32 1, i32 1}
!llvm.module.flags = !{!2}
!2 = !{i32 1, !"amdhsa_code_object_version", i32 500}
