"""Imported when a Python process starts: recording begins when the program imports Triton."""

import importlib.util
import sys


class _AfterTriton:
    """Installs the recorder behind Triton's import."""

    def find_spec(self, name, path=None, target=None):
        if name != "triton":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return None
        inner = spec.loader.exec_module

        def exec_module(module):
            inner(module)
            import recorder  # installs itself
            assert recorder
        spec.loader.exec_module = exec_module
        return spec


sys.meta_path.insert(0, _AfterTriton())
