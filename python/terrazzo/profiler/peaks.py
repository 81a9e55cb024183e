"""What the machine can do at most, measured: bytes of its memory, and products of matrices of f32, in a second.

On the host, with NumPy, which is the measure of a profile of the target cpu; on an accelerator that torch has, with torch.
"""

import importlib
import time

_BYTES = 256 << 20  # of the array that is copied: more than caches hold
_SIDE = 2048  # of the matrices


def _best(function, synchronize, repeats=5):
    """The least seconds of some calls, behind one that warms up."""
    function()
    synchronize()
    taken = []
    for _ in range(repeats):
        begin = time.perf_counter()
        function()
        synchronize()
        taken.append(time.perf_counter() - begin)
    return min(taken)


def _accelerator():
    """(torch, device), or None: there is none."""
    try:
        import torch
    except ImportError:
        return None
    return (torch, torch.accelerator.current_accelerator()) if torch.accelerator.is_available() else None


def bytes_per_second():
    """Read and written by a copy."""
    found = _accelerator()
    if found:
        torch, device = found
        source = torch.ones(_BYTES // 4, device=device)
        to = torch.empty_like(source)
        seconds = _best(lambda: to.copy_(source), torch.accelerator.synchronize)
    else:
        np = importlib.import_module("numpy")
        source = np.ones(_BYTES // 4, np.float32)
        to = np.empty_like(source)
        seconds = _best(lambda: np.copyto(to, source), lambda: None)
    return 2 * _BYTES / seconds


def flops_per_second():
    """Of a product of two matrices."""
    found = _accelerator()
    if found:
        torch, device = found
        a = torch.ones(_SIDE, _SIDE, device=device)
        seconds = _best(lambda: a @ a, torch.accelerator.synchronize)
    else:
        np = importlib.import_module("numpy")
        a = np.ones((_SIDE, _SIDE), np.float32)
        seconds = _best(lambda: a @ a, lambda: None)
    return 2 * _SIDE**3 / seconds
