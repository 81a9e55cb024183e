"""`triton.profiler.hooks.launch`."""

from ....profiler.hooks import LaunchHook, id, op_name
from ....profiler.states import COMPUTE_METADATA_SCOPE_NAME
