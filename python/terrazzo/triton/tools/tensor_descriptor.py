"""`triton.tools.tensor_descriptor`."""

from ...runtime.descriptor import TensorDescriptor
from ..language.host import validate_block_shape
