"""`triton.profiler.state`: the module; the package's attribute is the class."""

from ...profiler.states import COMPUTE_METADATA_SCOPE_NAME, enter_state, exit_state, metadata_state, state
