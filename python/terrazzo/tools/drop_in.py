"""install_as_triton: `import triton` means terrazzo.triton from then on."""

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys

from . import inductor

_OURS = "terrazzo.triton"


class _Loader(importlib.abc.Loader):
    """Gives a module of terrazzo.triton under Triton's name: one module, two names."""

    def __init__(self, real):
        self.real = real

    def create_module(self, spec):
        module = importlib.import_module(self.real)
        self.spec = module.__spec__
        return module

    def get_code(self, name):
        """Of `python -m triton.something`, in processes that have Triton's names from the start."""
        return importlib.util.find_spec(self.real).loader.get_code(self.real)

    def exec_module(self, module):
        from ..triton import _absent

        module.__spec__ = self.spec  # the import set the alias's
        # What came with it has its second name too: a later import would set the name in the package anew, over
        # what the package has there, as triton.runtime.driver.
        for name, loaded in list(sys.modules.items()):
            if name == _OURS or name.startswith(_OURS + "."):
                alias = "triton" + name[len(_OURS):]
                sys.modules.setdefault(alias, loaded)
                _absent.attach(loaded, alias)


class _Finder(importlib.abc.MetaPathFinder):
    """Answers for triton and what is below it."""

    def find_spec(self, name, path=None, target=None):
        if name != "triton" and not name.startswith("triton."):
            return None
        real = _OURS + name[len("triton"):]
        try:
            found = importlib.util.find_spec(real)
        except ModuleNotFoundError:
            found = None
        if found is None:
            from ..triton import _absent

            said = _absent.missing_module(name)
            if said is not None:
                raise said
            return None
        return importlib.machinery.ModuleSpec(name, _Loader(real), origin=found.origin,
                                              is_package=found.submodule_search_locations is not None)


def is_installed():
    """Whether `import triton` means this package."""
    return any(isinstance(finder, _Finder) for finder in sys.meta_path)


def install_as_triton():
    """Makes `import triton` and `import triton.language` give Terrazzo's modules in this process.

    Call it before anything imports Triton; calling it again does nothing. Processes that are started with this
    one's sys.path (multiprocessing's, torch.compile's workers) have them, too. torch.compile compiles on threads of
    this process (see inductor.py).
    """
    if is_installed():
        return
    there = sys.modules.get("triton")
    if there is not None and getattr(there, "__name__", "") != _OURS:
        raise RuntimeError(f"triton was imported before ({getattr(there, '__file__', 'unknown')}): call "
                           "terrazzo.install_as_triton() before what imports it, or run `python -m terrazzo script.py`")
    sys.meta_path.insert(0, _Finder())
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "for_children")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    inductor.install()
