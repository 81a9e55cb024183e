; Kernels of the tests of the device halves. llc makes SPIR-V of them when the
; tests are built.
target triple = "spirv64v1.3-unknown-unknown"

declare spir_func i64 @_Z13get_global_idj(i32)
declare spir_func i64 @_Z12get_local_idj(i32)
declare spir_func i64 @_Z12get_group_idj(i32)
declare spir_func float @_Z20sub_group_reduce_addf(float)
declare spir_func i32 @_Z22get_sub_group_local_idv()
declare spir_func void @_Z7barrierj(i32)

@table = addrspace(1) global [4 x i32] [i32 1, i32 2, i32 3, i32 4]
@scratch = internal addrspace(3) global [64 x float] undef

; out[i] = a[i] + b[i] where i < n
define spir_kernel void @add(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %out, i32 %n) {
  %id = call spir_func i64 @_Z13get_global_idj(i32 0)
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
define spir_kernel void @values(ptr addrspace(1) %out, i8 %b, i8 %c, i16 %h, i32 %w, i64 %l, float %f, double %d) {
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

; Writes `value` to out[0 .. n) a hundred times; work-groups of one item.
define spir_kernel void @mark(ptr addrspace(1) %out, i32 %value, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = urem i32 %i, %n
  %at64 = zext i32 %at to i64
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %at64
  store volatile i32 %value, ptr addrspace(1) %p
  %next = add i32 %i, 1
  %limit = mul i32 %n, 100
  %more = icmp ult i32 %next, %limit
  br i1 %more, label %loop, label %done
done:
  ret void
}

; out[0] += 1, n times: what a stream holds takes a while.
define spir_kernel void @count(ptr addrspace(1) %out, i32 %n) {
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

; The sums of sub-groups of 16 lanes, and the same array reversed through shared
; memory, of work-groups of 64.
define spir_kernel void @groups(ptr addrspace(1) %in, ptr addrspace(1) %sums, ptr addrspace(1) %reversed) !intel_reqd_sub_group_size !0 !reqd_work_group_size !1 {
  %id = call spir_func i64 @_Z13get_global_idj(i32 0)
  %local = call spir_func i64 @_Z12get_local_idj(i32 0)
  %group = call spir_func i64 @_Z12get_group_idj(i32 0)
  %pi = getelementptr float, ptr addrspace(1) %in, i64 %id
  %x = load float, ptr addrspace(1) %pi
  %sum = call spir_func float @_Z20sub_group_reduce_addf(float %x)
  %slot = getelementptr [64 x float], ptr addrspace(3) @scratch, i64 0, i64 %local
  store float %x, ptr addrspace(3) %slot
  call spir_func void @_Z7barrierj(i32 1)
  %other = sub i64 63, %local
  %from = getelementptr [64 x float], ptr addrspace(3) @scratch, i64 0, i64 %other
  %y = load float, ptr addrspace(3) %from
  %base = mul i64 %group, 64
  %to = add i64 %base, %local
  %pr = getelementptr float, ptr addrspace(1) %reversed, i64 %to
  store float %y, ptr addrspace(1) %pr
  %lane = call spir_func i32 @_Z22get_sub_group_local_idv()
  %first = icmp eq i32 %lane, 0
  br i1 %first, label %then, label %done
then:
  %number = lshr i64 %id, 4
  %ps = getelementptr float, ptr addrspace(1) %sums, i64 %number
  store float %sum, ptr addrspace(1) %ps
  br label %done
done:
  ret void
}

; out[i] = table[i]
define spir_kernel void @look(ptr addrspace(1) %out) {
  %id = call spir_func i64 @_Z13get_global_idj(i32 0)
  %from = getelementptr [4 x i32], ptr addrspace(1) @table, i64 0, i64 %id
  %x = load i32, ptr addrspace(1) %from
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %id
  store i32 %x, ptr addrspace(1) %to
  ret void
}

; *out = **where: an address that lies in memory.
define spir_kernel void @follow(ptr addrspace(1) %where, ptr addrspace(1) %out) {
  %bits = load i64, ptr addrspace(1) %where
  %p = inttoptr i64 %bits to ptr addrspace(1)
  %x = load i32, ptr addrspace(1) %p
  store i32 %x, ptr addrspace(1) %out
  ret void
}

!0 = !{i32 16}
!1 = !{i32 64, i32 1, i32 1}
