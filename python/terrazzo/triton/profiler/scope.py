"""`triton.profiler.scope`: the module; the package's attribute is the class."""

from ...profiler.scopes import cpu_timed_scope, enter_scope, exit_scope, scope
