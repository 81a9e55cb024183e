"""`triton.tools.tensor_descriptor`."""

from ...runtime.descriptor import TensorDescriptor
