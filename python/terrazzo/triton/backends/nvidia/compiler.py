"""`triton.backends.nvidia.compiler`: the compiler as libraries ask about it. What compiles is Terrazzo's plugin."""

import functools
import subprocess

from .... import knobs
from ..._absent import missing
from ..compiler import BaseBackend, GPUTarget, Options


def min_dot_size(target):
    """f(type of lhs, type of rhs) -> (m, n, k), the least sizes of a dot that keep the matrix units busy.

    `tl.dot` takes smaller ones, from 1 on.
    """

    def least(lhs, rhs):
        bits = lhs.scalar.primitive_bitwidth
        if bits != rhs.scalar.primitive_bitwidth:
            raise ValueError(f"a dot's operands have types of one width, not {lhs} and {rhs}")
        return 1, 1, 32 if bits == 8 else 16

    return least


def sm_arch_from_capability(capability):
    """"sm_90a" for 90."""
    return f"sm_{capability}{'a' if capability >= 90 else ''}"


def get_ptxas(arch=90):
    """The assembler that would be called; it has `path` and `version`."""
    return knobs.nvidia.ptxas


@functools.cache
def get_ptxas_version(arch=90):
    """What the assembler prints of its version."""
    return subprocess.check_output([get_ptxas(arch).path, "--version"], text=True)


class CUDAOptions(Options):
    """Options of a compilation; those left out have Triton's defaults."""

    def __init__(self, **options):
        super().__init__(**{"backend_name": "cuda", **options})
        if self.num_warps < 1 or self.num_warps & (self.num_warps - 1):
            raise ValueError(f"num_warps is a power of 2, not {self.num_warps}")


class CUDABackend(BaseBackend):
    """The compiler for a target of the backend "cuda"."""

    binary_ext = "cubin"

    @staticmethod
    def supports_target(target):
        return target.backend == "cuda"

    def __init__(self, target):
        if not self.supports_target(target):
            raise ValueError(f"this is the backend 'cuda', and the target is {target}")
        super().__init__(target)

    def code_target(self):
        """"nvidia:sm_90a"."""
        return f"nvidia:{sm_arch_from_capability(int(self.target.arch))}"

    def get_target_name(self, options=None):
        return f"cuda:{self.target.arch}"

    def parse_options(self, options):
        return CUDAOptions(**{"arch": sm_arch_from_capability(int(self.target.arch)), "warp_size": self.target.warp_size,
                              **options})


def __getattr__(name):
    raise missing(__name__, name)
