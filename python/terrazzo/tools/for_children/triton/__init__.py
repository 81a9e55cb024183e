"""What `import triton` finds in a process that inherited sys.path from one with install_as_triton: Terrazzo's."""

import importlib
import sys

import terrazzo

del sys.modules[__name__]
terrazzo.install_as_triton()
importlib.import_module(__name__)
