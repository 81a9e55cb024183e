"""`triton.tools.mxfp`: tensors of e2m1 numbers and of e8m0 scales, on torch, for tests of dot_scaled."""

import torch

# The magnitudes of e2m1 by code.
_E2M1 = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)


class MXFP4Tensor:
    """e2m1 numbers, one a byte: a sign in bit 3, then the code of a magnitude. `data` is numbers to round, `size` a shape."""

    def __init__(self, data=None, size=None, device=None):
        if data is None and size is None:
            raise ValueError("MXFP4Tensor needs data or a size")
        self.device = device if device is not None else getattr(data, "device", None)
        self.size = tuple(size) if data is None else tuple(data.shape)
        self.data = None if data is None else self._from_float(torch.as_tensor(data, device=self.device))

    def random(self):
        self.data = torch.randint(0, 16, self.size, dtype=torch.uint8, device=self.device)
        return self

    def to(self, dtype):
        """The numbers as floats."""
        magnitudes = torch.tensor(_E2M1, dtype=torch.float32, device=self.data.device)
        values = magnitudes[(self.data & 7).long()]
        return torch.where(self.data >= 8, -values, values).to(dtype)

    @staticmethod
    def _from_float(values):
        """The nearest code, an even one if two are as near; beyond 6 it is 6."""
        magnitudes = torch.tensor(_E2M1, dtype=torch.float32, device=values.device)
        distance = (values.float().abs().clamp(max=6.0).unsqueeze(-1) - magnitudes).abs()
        odd = torch.arange(8, device=values.device) % 2
        nearest = distance == distance.min(dim=-1, keepdim=True).values if values.numel() else distance.bool()
        code = torch.where(nearest, odd, 2).min(dim=-1).indices if values.numel() else torch.zeros_like(values)
        negative = (values < 0) | ((values == 0) & torch.signbit(values.float()))
        return (code + 8 * negative).to(torch.uint8)

    def to_packed_tensor(self, dim):
        """Two neighbours along `dim` in a byte, the first in the low bits; an odd last one has a zero beside it."""
        if not -self.data.dim() <= dim < self.data.dim():
            raise AssertionError(f"dim {dim} is outside of a tensor of {self.data.dim()} dimensions")
        data = self.data.movedim(dim, -1)
        if data.shape[-1] % 2:
            data = torch.nn.functional.pad(data, (0, 1))
        pairs = data.reshape(*data.shape[:-1], -1, 2)
        return (pairs[..., 0] | pairs[..., 1] << 4).movedim(-1, dim).contiguous()

    def unpack_packed_tensor(self, packed_tensor, dim, original_shape):
        """The reverse of to_packed_tensor."""
        packed = packed_tensor.movedim(dim, -1)
        data = torch.stack((packed & 15, packed >> 4), dim=-1).flatten(-2)
        return data[..., :original_shape[dim]].movedim(-1, dim).contiguous()


class MXScaleTensor:
    """e8m0 scales: powers of two from 2**-127 as their exponent plus 127 in a byte; 255 is NaN."""

    def __init__(self, data=None, size=None, device=None):
        if data is None and size is None:
            raise ValueError("MXScaleTensor needs data or a size")
        self.device = device if device is not None else getattr(data, "device", None)
        self.size = tuple(size) if data is None else tuple(data.shape)
        self.data = None if data is None else self._from_float(torch.as_tensor(data, device=self.device))

    def random(self, low=None, high=None):
        """Scales between low and high, all finite ones if left out."""
        def exponent(bound, otherwise):
            return otherwise if bound is None else int(torch.log2(torch.tensor(float(bound)))) + 127
        self.data = torch.randint(exponent(low, 0), exponent(high, 254) + 1, self.size, dtype=torch.uint8,
                                  device=self.device)
        return self

    def to(self, dtype):
        """The scales as floats."""
        values = torch.exp2(self.data.to(torch.float64) - 127)
        values[self.data == 255] = float("nan")
        return values.to(dtype)

    @staticmethod
    def _from_float(values):
        """The scale that is not above the number; NaN for what has none."""
        numbers = values.to(torch.float64)
        code = torch.floor(torch.log2(numbers)) + 127
        fine = torch.isfinite(numbers) & (numbers > 0)
        return torch.where(fine, code.clamp(0, 254), torch.full_like(code, 255)).to(torch.uint8)
