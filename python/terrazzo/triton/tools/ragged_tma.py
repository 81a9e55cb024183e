"""`triton.tools.ragged_tma`: a run of rows of a tensor in blocks, as if these rows were all that it had.

Reads outside of the run give zeros, and writes outside of it are dropped, also where the tensor goes on.
"""

from ...runtime.descriptor import TensorDescriptor
from ...runtime.jit_function import jit
from .. import language as tl


def create_ragged_descriptor(T, block_shape, ragged_dim=0):
    """A TensorDescriptor for kernels: the tensor `T` of 1 to 5 dimensions, of which runs are read and written in blocks.

    ragged_dim: the dimension whose runs these are; load_ragged and the others are told it again.
    """
    shape, rank = tuple(T.shape), len(T.shape)
    # NumPy counts bytes.
    strides = tuple(T.stride()) if callable(getattr(T, "stride", None)) else tuple(s // T.itemsize for s in T.strides)
    if not 1 <= rank <= 5:
        raise ValueError(f"a ragged descriptor is of a tensor of 1 to 5 dimensions, not {rank}")
    if len(block_shape) != rank:
        raise ValueError(f"block_shape has {len(block_shape)} entries, and the tensor {rank} dimensions")
    if not -rank <= ragged_dim < rank:
        raise ValueError(f"ragged_dim {ragged_dim} is outside of a tensor of {rank} dimensions")
    if strides[-1] != 1:
        raise ValueError(f"the last stride must be 1, not {strides[-1]}: transpose or copy the tensor")
    return TensorDescriptor(T, list(shape), list(strides), list(block_shape))


@jit
def _run(T, batch_offset, batch_size, ragged_dim: tl.constexpr):
    """The descriptor of rows batch_offset ... batch_offset + batch_size."""
    dim: tl.constexpr = ragged_dim % len(T.shape)
    base = T.base + tl.to_tensor(batch_offset).to(tl.int64) * T.strides[dim]
    return tl.make_tensor_descriptor(base, T.shape[:dim] + (batch_size,) + T.shape[dim + 1:], T.strides, T.block_shape)


@jit
def load_ragged(TMA, batch_offset, batch_size, coords, ragged_dim: tl.constexpr = 0):
    """A block of the run; coords, one for each dimension, count from the run's first row."""
    return _run(TMA, batch_offset, batch_size, ragged_dim).load(coords)


@jit
def store_ragged(TMA, batch_offset, batch_size, coords, data, ragged_dim: tl.constexpr = 0):
    """Writes a block of the run."""
    _run(TMA, batch_offset, batch_size, ragged_dim).store(coords, data)


@jit
def atomic_add_ragged(TMA, batch_offset, batch_size, coords, data, ragged_dim: tl.constexpr = 0):
    """Adds to a block of the run."""
    _run(TMA, batch_offset, batch_size, ragged_dim).atomic_add(coords, data)
