; A function that no driver has: its compiler fails.
target triple = "spirv64v1.3-unknown-unknown"
declare spir_func float @_Z20no_such_thing_at_allf(float)
define spir_kernel void @calls(ptr addrspace(1) %out) {
  %x = call spir_func float @_Z20no_such_thing_at_allf(float 1.0)
  store float %x, ptr addrspace(1) %out
  ret void
}
