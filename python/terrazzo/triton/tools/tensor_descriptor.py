"""`triton.tools.tensor_descriptor`."""

from ...descriptor import TensorDescriptor  # noqa: F401
