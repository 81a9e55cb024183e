"""TensorDescriptor: a tensor of which a kernel loads and stores blocks."""

from dataclasses import dataclass


@dataclass(eq=False)
class TensorDescriptor:
    """Passed to a kernel it is what tl.make_tensor_descriptor makes inside of one.

    base is a torch, NumPy ... array; shape, strides (in elements, the last is 1)
    and block_shape have as many entries as the view has dimensions.
    """

    base: object
    shape: list
    strides: list
    block_shape: list
    padding: str = "zero"
    round_f32_to_tf32: bool = False

    def __post_init__(self):
        rank = len(self.shape)
        if not 1 <= rank <= 5:
            raise ValueError(f"a TensorDescriptor has 1 to 5 dimensions, not {rank}")
        for name in ("strides", "block_shape"):
            if len(getattr(self, name)) != rank:
                raise ValueError(f"{name} has {len(getattr(self, name))} entries, shape has {rank}")
        if any(size < 0 for size in self.shape):
            raise ValueError(f"no size of shape may be negative: {list(self.shape)}")
        if self.strides[-1] != 1:
            raise ValueError(f"the last stride must be 1, not {self.strides[-1]}: transpose or copy the tensor")
        for i, size in enumerate(self.block_shape):
            if not isinstance(size, int) or size < 1 or size & (size - 1):
                raise ValueError(f"block_shape[{i}] must be a power of 2, not {size}")
        if self.padding not in ("zero", "nan"):
            raise ValueError(f"padding must be 'zero' or 'nan', not {self.padding!r}")
        if self.padding == "nan" and "float" not in str(self.base.dtype):
            raise ValueError(f"padding 'nan' is for floats, and the tensor holds {self.base.dtype}")

    @staticmethod
    def from_tensor(tensor, block_shape, padding="zero", round_f32_to_tf32=False):
        """Of all of a tensor."""
        strides = tensor.stride() if callable(getattr(tensor, "stride", None)) else \
            [size // tensor.dtype.itemsize for size in tensor.strides]
        return TensorDescriptor(tensor, list(tensor.shape), list(strides), list(block_shape), padding, round_f32_to_tf32)
