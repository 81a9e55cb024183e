"""`triton.knobs`: terrazzo.knobs itself, with the groups that Triton has for its vendors."""

import sys

from .. import knobs as _knobs
from ..knobs import Setting, _boolean, _Plain, base_knobs


class build_knobs(base_knobs):
    cc = Setting("CC")
    cudacrt_path = Setting("TRITON_CUDACRT_PATH")
    cudart_path = Setting("TRITON_CUDART_PATH")
    impl = _Plain()

    @property
    def backend_dirs(self):
        return {path for path in (self.cudacrt_path, self.cudart_path) if path}


class nvidia_knobs(base_knobs):
    ptxas = Setting("TRITON_PTXAS_PATH")
    ptxas_blackwell = Setting("TRITON_PTXAS_BLACKWELL_PATH")
    cuobjdump = Setting("TRITON_CUOBJDUMP_PATH")
    nvdisasm = Setting("TRITON_NVDISASM_PATH")
    dump_nvptx = Setting("NVPTX_ENABLE_DUMP", False, _boolean)
    disable_ptxas_opt = Setting("DISABLE_PTXAS_OPT", False, _boolean)
    ptxas_options = Setting("PTXAS_OPTIONS")
    mock_ptx_version = Setting("TRITON_MOCK_PTX_VERSION")
    dump_ptxas_log = Setting("TRITON_DUMP_PTXAS_LOG", False, _boolean)
    libdevice_path = Setting("TRITON_LIBDEVICE_PATH")
    libcuda_path = Setting("TRITON_LIBCUDA_PATH")


class amd_knobs(base_knobs):
    use_buffer_ops = Setting("AMDGCN_USE_BUFFER_OPS", True, _boolean)
    use_buffer_atomics = Setting("AMDGCN_USE_BUFFER_ATOMICS", True, _boolean)
    dump_amdgcn = Setting("AMDGCN_ENABLE_DUMP", False, _boolean)
    libhip_path = Setting("TRITON_LIBHIP_PATH")
    use_block_pingpong = Setting("TRITON_HIP_USE_BLOCK_PINGPONG", None, _boolean)
    use_in_thread_transpose = Setting("TRITON_HIP_USE_IN_THREAD_TRANSPOSE", None, _boolean)
    use_async_copy = Setting("TRITON_HIP_USE_ASYNC_COPY", False, _boolean)
    scalarize_packed_fops = Setting("AMDGCN_SCALARIZE_PACKED_FOPS", False, _boolean)


class proton_knobs(base_knobs):
    disable = Setting("TRITON_PROTON_DISABLE", False, _boolean)
    cupti_lib_dir = Setting("TRITON_CUPTI_LIB_PATH", "")
    enable_nvtx = Setting("TRITON_ENABLE_NVTX", True, _boolean)


for _kind in (build_knobs, nvidia_knobs, amd_knobs, proton_knobs):
    setattr(_knobs, _kind.__name__, _kind)
    setattr(_knobs, _kind.__name__.removesuffix("_knobs"), _kind())
sys.modules[__name__] = _knobs  # one module by both names: what is set in one holds in the other
