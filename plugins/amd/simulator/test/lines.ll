; A kernel with lines, whose store is beyond its memory.
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

define amdgpu_kernel void @beyond(ptr addrspace(1) %out) #0 !dbg !4 {
  %i = call i32 @llvm.amdgcn.workitem.id.x(), !dbg !6
  %at = getelementptr i32, ptr addrspace(1) %out, i32 %i, !dbg !7
  %to = getelementptr i32, ptr addrspace(1) %at, i32 64, !dbg !7
  store i32 %i, ptr addrspace(1) %to, !dbg !7
  ret void, !dbg !8
}

attributes #0 = { "amdgpu-flat-work-group-size"="1,256" nounwind }

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, isOptimized: true, runtimeVersion: 0, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "kernel.py", directory: "")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 2, !"Dwarf Version", i32 5}
!4 = distinct !DISubprogram(name: "beyond", file: !1, line: 3, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !{})
!6 = !DILocation(line: 4, column: 7, scope: !4)
!7 = !DILocation(line: 5, column: 9, scope: !4)
!8 = !DILocation(line: 6, column: 1, scope: !4)
