"""CompiledKernel for callers that compile first and launch by hand, as torch's Inductor does."""

from collections import namedtuple

from ... import knobs

KernelMetadata = namedtuple("KernelMetadata", (
    "name", "hash", "target", "num_warps", "num_stages", "num_ctas", "cluster_dims", "shared", "maxnreg",
    "enable_fp_fusion", "launch_cooperative_grid", "launch_pdl", "debug", "backend_name", "arch", "warp_size", "tmem_size",
    "global_scratch_size", "global_scratch_align", "profile_scratch_size", "profile_scratch_align"))


class CompiledKernel:
    """A function compiled for one signature.

    What is in its __dict__ can be pickled, and an object with that dictionary compiles again when it is asked for
    its code: found in the cache on disk where another process compiled it.
    """

    __slots__ = ("__dict__", "__weakref__", "_inner")

    def __init__(self, src, target, options, chosen, code_target=None):
        """code_target: Terrazzo's name of the target, if it is not the one that kernels run on here."""
        import hashlib

        self.src = src
        self.options = chosen
        self.code_target = code_target
        inner = self.inner
        text = repr((src.hash(), target, sorted(chosen.items())))
        self.hash = hashlib.sha256(text.encode()).hexdigest()
        self.name = src.fn.__name__
        self.n_regs = getattr(inner, "n_regs", 0) or 0
        self.n_spills = getattr(inner, "n_spills", 0) or 0
        self.n_max_threads = getattr(inner, "n_max_threads", 1024)
        inner_metadata = getattr(inner, "metadata", None)
        self.metadata = KernelMetadata(
            self.name, self.hash, target, options.num_warps, options.num_stages, options.num_ctas, (1, 1, 1),
            getattr(inner_metadata, "shared", 0), options.maxnreg, options.enable_fp_fusion,
            options.launch_cooperative_grid, options.launch_pdl, options.debug, target.backend, target.arch,
            target.warp_size, 0, 0, 1, 0, 1)
        self.packed_metadata = (options.num_warps, options.num_ctas, self.metadata.shared)
        self.module = self.function = None

    def __getstate__(self):
        return {**self.__dict__, "module": None, "function": None}

    @property
    def inner(self):
        """The CompiledKernel that a launch would give."""
        if getattr(self, "_inner", None) is None:
            self._inner = self.src.fn._compile(self.src.examples(), self.options, tells=False, target=self.code_target)
        return self._inner

    @property
    def asm(self):
        return getattr(self.inner, "asm", {})

    @property
    def kernel(self):
        return next(reversed(self.asm.values()), None) if isinstance(self.asm, dict) else None

    def _init_handles(self):
        """Loads the kernel, and compiles it in a process that has not."""
        self._check_device()
        self.module = self.function = self.inner
        self.__dict__.pop("run", None)  # torch sets what is made anew here to None

    def _check_device(self):
        if self.code_target is not None:
            self.inner.check_device()

    def run(self, grid_0, grid_1, grid_2, stream, function, metadata, launch_metadata, enter_hook, exit_hook, *args):
        """Launches. Arrays say where they lie and whose stream is current; `stream` is that one."""
        self._check_device()
        if enter_hook:
            enter_hook(launch_metadata)
        self.src.fn._launch((grid_0, grid_1, grid_2), args, self.options)
        if exit_hook:
            exit_hook(launch_metadata)

    def launch_metadata(self, grid, stream, *args):
        """What launch hooks are given; computed only if there are some."""
        if not knobs.runtime.launch_enter_hook:
            return None
        return LazyMetadata({"name": self.name, "function": self.function, "stream": stream}, self, grid, args)

    def __getitem__(self, grid):
        sizes = tuple(grid) + (1,) * (3 - len(grid))

        def launch(*args, stream=None):
            self._check_device()
            self.src.fn._launch(sizes, args, self.options)
        return launch


class LazyMetadata:
    """Metadata of a launch; get() also asks the function's own launch_metadata."""

    def __init__(self, data, kernel, grid, args):
        self.data, self._kernel, self._grid, self._args = data, kernel, grid, args

    def get(self):
        own = getattr(self._kernel.src.fn, "launch_metadata", None)
        if own:
            names = self._kernel.src.fn.arg_names
            self.data.update(own(self._grid, self._kernel.metadata, dict(zip(names, self._args))))
        return self.data
