"""`triton.profiler.profile`: the module; the package's attribute is the decorator."""

from ...profiler.sessions import DEFAULT_PROFILE_NAME, activate, deactivate, finalize, profile, start
