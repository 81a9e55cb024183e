"""`triton._internal_testing`: names that tests of Triton import.

Questions about a vendor are answered for the driver that is active; under
TRITON_INTERPRET=1 there is none. Needs torch, NumPy and pytest.
"""

import functools
import os
import re

import numpy as np
import pytest
import torch
from numpy.random import RandomState

from . import knobs
from . import language as tl
from .runtime.driver import driver
from .runtime.jit import TensorWrapper, reinterpret, type_canonicalisation_dict

int_dtypes = [f"int{bits}" for bits in (8, 16, 32, 64)]
uint_dtypes = ["u" + name for name in int_dtypes]
integral_dtypes = int_dtypes + uint_dtypes
float_dtypes = [f"float{bits}" for bits in (16, 32, 64)]
float_dtypes_with_bfloat16 = float_dtypes + ["bfloat16"]
dtypes = integral_dtypes + float_dtypes
dtypes_with_bfloat16 = dtypes + ["bfloat16"]
torch_float8_dtypes = ["float8_e4m3fn", "float8_e5m2"]
torch_dtypes = ["bool", *int_dtypes, "uint8", *float_dtypes, "bfloat16"]
tma_dtypes = sorted(set(dtypes_with_bfloat16).difference(("int64", "uint64", "float64")))


def is_interpreter():
    return os.environ.get("TRITON_INTERPRET", "0") == "1"


def get_current_target():
    return None if is_interpreter() else driver.active.get_current_target()


def _is(backend, arch=None):
    target = get_current_target()
    return target is not None and target.backend == backend and (arch is None or bool(arch(target.arch)))


is_cuda = functools.partial(_is, "cuda")
is_ampere_or_newer = functools.partial(_is, "cuda", lambda arch: arch >= 80)
is_hopper_or_newer = functools.partial(_is, "cuda", lambda arch: arch >= 90)
is_hopper = functools.partial(_is, "cuda", lambda arch: arch // 10 == 9)
is_blackwell = functools.partial(_is, "cuda", lambda arch: arch // 10 == 10)
is_sm12x = functools.partial(_is, "cuda", lambda arch: arch // 10 == 12)
is_hip = functools.partial(_is, "hip")
is_hip_cdna2 = functools.partial(_is, "hip", lambda arch: arch == "gfx90a")
is_hip_cdna3 = functools.partial(_is, "hip", lambda arch: arch == "gfx942")
is_hip_cdna4 = functools.partial(_is, "hip", lambda arch: arch == "gfx950")
is_hip_cdna = functools.partial(_is, "hip", lambda arch: arch in ("gfx90a", "gfx942", "gfx950"))
is_hip_gfx11 = functools.partial(_is, "hip", lambda arch: arch.startswith("gfx11"))
is_hip_gfx12 = functools.partial(_is, "hip", lambda arch: arch.startswith("gfx12"))
is_hip_gfx1250 = functools.partial(_is, "hip", lambda arch: arch == "gfx1250")
is_xpu = functools.partial(_is, "xpu")


def get_arch():
    target = get_current_target()
    return str(target.arch) if target else ""


def get_hip_lds_size():
    return 160 << 10 if is_hip_cdna4() else 64 << 10


def numpy_random(shape, dtype_str, rs=None, low=None, high=None):
    """Random numbers of a type: integers of its whole range without 0, floats of the normal distribution.

    The same call gives the same numbers; pass `rs` to go on.
    """
    shape = (shape,) if isinstance(shape, int) else shape
    rs = rs or RandomState(seed=17)
    if dtype_str in integral_dtypes:
        limits = np.iinfo(dtype_str)
        low = limits.min if low is None else max(low, limits.min)
        high = limits.max if high is None else min(high, limits.max)
        numbers = rs.randint(low, high, shape, dtype=dtype_str)
        numbers[numbers == 0] = 1
        return numbers
    if "float8" in dtype_str:
        return rs.randint(20, 40, shape, dtype=np.int8)  # bits of moderate numbers in every fp8 type
    normal = rs.normal(0, 1, shape)
    if dtype_str in float_dtypes:
        return normal.astype(dtype_str)
    if dtype_str == "bfloat16":
        bits = normal.astype(np.float32).view(np.uint32)
        return (bits & np.uint32(0xFFFF0000)).view(np.float32)
    if dtype_str in ("bool", "int1", "bool_"):
        return normal > 0
    raise RuntimeError(f"no random numbers of type {dtype_str}")


def to_triton(x, device, dst_type=None):
    """A NumPy array as a tensor on `device`; types that torch lacks are wrapped ones."""
    name = x.dtype.name
    if name in uint_dtypes:
        signed = x.astype(name[1:])
        return reinterpret(torch.tensor(signed, device=device), getattr(tl, name))
    tensor = torch.tensor(x, device=device)
    if dst_type and "float8" in dst_type:
        return reinterpret(tensor, getattr(tl, dst_type))
    return tensor.bfloat16() if name == "float32" and dst_type == "bfloat16" else tensor


def str_to_triton_dtype(x):
    return tl.str_to_ty(type_canonicalisation_dict[x], None)


def torch_dtype_name(dtype):
    if isinstance(dtype, tl.dtype):
        return dtype.name
    if isinstance(dtype, torch.dtype):
        return re.sub(r"^torch\.", "", str(dtype))
    raise TypeError(f"a dtype of torch or tl is expected, not {type(dtype).__name__}")


def to_numpy(x):
    if isinstance(x, TensorWrapper):
        return x.base.cpu().numpy().astype(torch_dtype_name(x.dtype))
    if isinstance(x, torch.Tensor):
        return (x.cpu().float() if x.dtype is torch.bfloat16 else x.cpu()).numpy()
    raise ValueError(f"no tensor: {x!r}")


def supports_tma(byval_only=False):
    """Whether descriptors work: they do on every target of Terrazzo."""
    return True


def supports_ws():
    """Whether tl.range(warp_specialize=True) is accepted: it is on every target."""
    return True


def tma_skip_msg(byval_only=False):
    return "descriptors work on every target"


requires_tma = pytest.mark.skipif(not supports_tma(), reason=tma_skip_msg())


def default_alloc_fn(size, align, _):
    return torch.empty(size, dtype=torch.int8, device=driver.active.get_active_torch_device())


def unwrap_tensor(t):
    return t.base if isinstance(t, TensorWrapper) else t


def _fresh_knobs_impl(skipped_attr=None):
    """(start, end): between them every setting is as without variables, and what is set is undone."""
    monkeypatch = pytest.MonkeyPatch()
    groups = {name: group for name, group in vars(knobs).items()
              if isinstance(group, knobs.base_knobs) and name not in (skipped_attr or ())}
    keys = [setting.key for group in groups.values() for setting in group.knob_descriptors.values()]
    propagated = knobs.propagate_env

    def start():
        for name, group in groups.items():
            setattr(knobs, name, group.copy().reset())
        for key in keys:
            monkeypatch.delenv(key, raising=False)
        knobs.propagate_env = True
        return knobs

    def end():
        for name, group in groups.items():
            setattr(knobs, name, group)
        for key in keys:
            os.environ.pop(key, None)
        monkeypatch.undo()
        knobs.propagate_env = propagated

    return start, end
