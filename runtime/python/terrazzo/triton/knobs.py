"""`triton.knobs`: terrazzo.knobs itself, with the groups that Triton has for its vendors."""

import sys

from .. import knobs as _knobs
from ..knobs import Setting, _boolean, _Plain, base_knobs


_NO_C = "nothing is built with a C compiler"
_PTXAS = "the assembler's options are Terrazzo's"
_OTHER = "it is a setting of a compiler that is not here"


class build_knobs(base_knobs):
    cc = Setting("CC", idle=_NO_C)
    cudacrt_path = Setting("TRITON_CUDACRT_PATH", idle=_NO_C)
    cudart_path = Setting("TRITON_CUDART_PATH", idle=_NO_C)
    impl = _Plain(idle=_NO_C)

    @property
    def backend_dirs(self):
        return {path for path in (self.cudacrt_path, self.cudart_path) if path}


class nvidia_knobs(base_knobs):
    ptxas = Setting("TRITON_PTXAS_PATH")
    ptxas_blackwell = Setting("TRITON_PTXAS_BLACKWELL_PATH", idle="TRITON_PTXAS_PATH names the assembler of all targets")
    cuobjdump = Setting("TRITON_CUOBJDUMP_PATH")
    nvdisasm = Setting("TRITON_NVDISASM_PATH", idle="cuobjdump finds its own")
    dump_nvptx = Setting("NVPTX_ENABLE_DUMP", False, _boolean, idle="asm['ptx'] of a compiled kernel has the text")
    disable_ptxas_opt = Setting("DISABLE_PTXAS_OPT", False, _boolean, idle=_PTXAS)
    ptxas_options = Setting("PTXAS_OPTIONS", idle=_PTXAS)
    mock_ptx_version = Setting("TRITON_MOCK_PTX_VERSION", idle=_PTXAS)
    dump_ptxas_log = Setting("TRITON_DUMP_PTXAS_LOG", False, _boolean, idle="n_regs and n_spills of a compiled kernel have the figures")
    libdevice_path = Setting("TRITON_LIBDEVICE_PATH", idle="mathematical functions are Terrazzo's own")
    libcuda_path = Setting("TRITON_LIBCUDA_PATH", idle="TERRAZZO_NVIDIA_DRIVER names the driver's file")


class amd_knobs(base_knobs):
    use_buffer_ops = Setting("AMDGCN_USE_BUFFER_OPS", True, _boolean, idle=_OTHER)
    use_buffer_atomics = Setting("AMDGCN_USE_BUFFER_ATOMICS", True, _boolean, idle=_OTHER)
    dump_amdgcn = Setting("AMDGCN_ENABLE_DUMP", False, _boolean, idle=_OTHER)
    libhip_path = Setting("TRITON_LIBHIP_PATH", idle=_OTHER)
    use_block_pingpong = Setting("TRITON_HIP_USE_BLOCK_PINGPONG", None, _boolean, idle=_OTHER)
    use_in_thread_transpose = Setting("TRITON_HIP_USE_IN_THREAD_TRANSPOSE", None, _boolean, idle=_OTHER)
    use_async_copy = Setting("TRITON_HIP_USE_ASYNC_COPY", False, _boolean, idle=_OTHER)
    scalarize_packed_fops = Setting("AMDGCN_SCALARIZE_PACKED_FOPS", False, _boolean, idle=_OTHER)


class proton_knobs(base_knobs):
    disable = Setting("TRITON_PROTON_DISABLE", False, _boolean)
    cupti_lib_dir = Setting("TRITON_CUPTI_LIB_PATH", "", idle="launches are timed by events")
    enable_nvtx = Setting("TRITON_ENABLE_NVTX", True, _boolean, idle="launches are timed by events")


for _kind in (build_knobs, nvidia_knobs, amd_knobs, proton_knobs):
    setattr(_knobs, _kind.__name__, _kind)
    setattr(_knobs, _kind.__name__.removesuffix("_knobs"), _kind())
sys.modules[__name__] = _knobs  # one module by both names: what is set in one holds in the other
