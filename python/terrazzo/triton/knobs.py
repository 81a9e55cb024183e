"""`triton.knobs`: terrazzo.knobs itself, with the groups that Triton has for its vendors."""

import os
import re
import sys

from .. import knobs as _knobs
from ..knobs import Setting, _boolean, _Plain, base_knobs


_NO_C = "nothing is built with a C compiler"
_PTXAS = "the assembler's options are Terrazzo's"
_OTHER = "it is a setting of a compiler that is not here"


class NvidiaTool:
    """A tool of the vendor's; as a text it is its path."""

    def __init__(self, path):
        self.path = os.path.realpath(path)

    @property
    def version(self):
        """The release that it prints, as "13.0"; None if it cannot be run."""
        import subprocess

        try:
            said = subprocess.check_output([self.path, "--version"], text=True, stderr=subprocess.STDOUT)
        except (OSError, subprocess.CalledProcessError):
            return None
        found = re.search(r"release (\d+\.\d+)", said)
        return found and found[1]

    def __fspath__(self):
        return self.path

    def __str__(self):
        return self.path

    def __eq__(self, other):
        return str(self) == str(other) if isinstance(other, (str, NvidiaTool)) else NotImplemented

    def __hash__(self):
        return hash(self.path)


class _Tool(Setting):
    """A NvidiaTool or None: the one that the variable names, else the one on PATH."""

    def __init__(self, key, name, idle=None):
        super().__init__(key, lambda: self._on_path(name), lambda text, key: NvidiaTool(text), idle)

    @staticmethod
    def _on_path(name):
        import shutil

        path = shutil.which(name)
        return path and NvidiaTool(path)

    def __set__(self, group, value):
        super().__set__(group, NvidiaTool(value) if isinstance(value, str) else value)


class build_knobs(base_knobs):
    """Of what Triton builds with a C compiler."""

    cc = Setting("CC", idle=_NO_C)
    cudacrt_path = Setting("TRITON_CUDACRT_PATH", idle=_NO_C)
    cudart_path = Setting("TRITON_CUDART_PATH", idle=_NO_C)
    impl = _Plain(idle=_NO_C)

    @property
    def backend_dirs(self):
        return {path for path in (self.cudacrt_path, self.cudart_path) if path}


class nvidia_knobs(base_knobs):
    """Tools of the vendor, and settings of its assembler."""

    ptxas = _Tool("TRITON_PTXAS_PATH", "ptxas")
    ptxas_blackwell = _Tool("TRITON_PTXAS_BLACKWELL_PATH", "ptxas", idle="TRITON_PTXAS_PATH names the assembler of all targets")
    cuobjdump = _Tool("TRITON_CUOBJDUMP_PATH", "cuobjdump")
    nvdisasm = _Tool("TRITON_NVDISASM_PATH", "nvdisasm", idle="cuobjdump finds its own")
    dump_nvptx = Setting("NVPTX_ENABLE_DUMP", False, _boolean, idle="asm['ptx'] of a compiled kernel has the text")
    disable_ptxas_opt = Setting("DISABLE_PTXAS_OPT", False, _boolean, idle=_PTXAS)
    ptxas_options = Setting("PTXAS_OPTIONS", idle=_PTXAS)
    mock_ptx_version = Setting("TRITON_MOCK_PTX_VERSION", idle=_PTXAS)
    dump_ptxas_log = Setting("TRITON_DUMP_PTXAS_LOG", False, _boolean, idle="n_regs and n_spills of a compiled kernel have the figures")
    libdevice_path = Setting("TRITON_LIBDEVICE_PATH", idle="mathematical functions are Terrazzo's own")
    libcuda_path = Setting("TRITON_LIBCUDA_PATH", idle="TERRAZZO_NVIDIA_DRIVER names the driver's file")


class amd_knobs(base_knobs):
    """Settings of a compiler that is not here."""

    use_buffer_ops = Setting("AMDGCN_USE_BUFFER_OPS", True, _boolean, idle=_OTHER)
    use_buffer_atomics = Setting("AMDGCN_USE_BUFFER_ATOMICS", True, _boolean, idle=_OTHER)
    dump_amdgcn = Setting("AMDGCN_ENABLE_DUMP", False, _boolean, idle=_OTHER)
    libhip_path = Setting("TRITON_LIBHIP_PATH", idle=_OTHER)
    use_block_pingpong = Setting("TRITON_HIP_USE_BLOCK_PINGPONG", None, _boolean, idle=_OTHER)
    use_in_thread_transpose = Setting("TRITON_HIP_USE_IN_THREAD_TRANSPOSE", None, _boolean, idle=_OTHER)
    use_async_copy = Setting("TRITON_HIP_USE_ASYNC_COPY", False, _boolean, idle=_OTHER)
    scalarize_packed_fops = Setting("AMDGCN_SCALARIZE_PACKED_FOPS", False, _boolean, idle=_OTHER)


for _kind in (build_knobs, nvidia_knobs, amd_knobs):
    setattr(_knobs, _kind.__name__, _kind)
    setattr(_knobs, _kind.__name__.removesuffix("_knobs"), _kind())
sys.modules[__name__] = _knobs  # one module by both names: what is set in one holds in the other
