"""`triton.errors`."""

from ..errors import TerrazzoError as TritonError
