"""CompiledKernel: what a launch ran, for programs that look at it."""

import collections
import collections.abc
import functools
import os
import weakref

from .. import _native, knobs
from ..errors import LaunchError, TerrazzoError
from .targets import target_of, vendors


_OWN = ("tile", "neutral", "prepared", "simt", "llvm", "asm")
_BINARY = ("cubin", "obj", "hsaco", "spv", "main", "portable")


_IR = ("tile", "neutral", "prepared")  # of every target


class Stages(collections.abc.Mapping):
    """Stage -> its text or bytes; made when it is asked for. Of the stages that the target has."""

    def __init__(self, code, plugin):
        self._code, self._plugin, self._known = code, plugin, {}

    @functools.cached_property
    def _names(self):
        """The name that Triton has for a stage of the vendor -> ours."""
        return {"ttir": "neutral", "ttgir": "simt", "llir": "llvm", **vendors().get(self._plugin, {}).get("stages", {})}

    def _made(self, name):
        """The stage, or None if the target has none of that name."""
        if name not in self._known:
            try:
                content = self._code.stage(self._names.get(name, name))
                # A vendor may have more that is no text; a text has no zero byte.
                self._known[name] = content if name in _BINARY or 0 in content else content.decode()
            except TerrazzoError as error:
                if error.code not in ("TZ_E_NOT_FOUND", "TZ_E_UNIMPLEMENTED"):
                    raise
                self._known[name] = None
        return self._known[name]

    def __getitem__(self, name):
        if name not in self._names and name not in _OWN:
            raise KeyError(name)
        content = self._made(name)
        if content is None:
            raise KeyError(name)
        return content

    def __contains__(self, name):
        if name not in self._names and name not in _OWN:
            return False
        return self._names.get(name, name) in _IR or self._made(name) is not None

    def __iter__(self):
        return (name for name in dict.fromkeys((*self._names, *_OWN)) if name in self)

    def __len__(self):
        return sum(1 for _ in self)


KernelMetadata = collections.namedtuple(
    "KernelMetadata", "name shared num_warps num_stages num_ctas cluster_dims target hash enable_fp_fusion "
    "launch_cooperative_grid launch_pdl maxnreg")


class CompiledKernel:
    """Code of one specialisation: texts of its stages, registers, memory.

    asm: stage -> text or bytes; metadata: a named tuple; n_regs, n_spills: of a
    thread, in registers of 32 bits (0: the target has no such number).
    """

    def __init__(self, code, function, options):
        self._code, self._options = code, options
        self._function = weakref.ref(function)
        self._facts = code.describe()
        self.name = self._facts["name"]
        self.hash = self._facts["hash"]
        self.asm = Stages(code, self._facts["plugin"])
        self.kernel = self.function = self.module = code.address

    @property
    def src(self):
        """The jit function, while it lives."""
        return self._function()

    @property
    def metadata(self):
        given = self._options
        return KernelMetadata(
            name=self.name, shared=self._facts["shared"], num_warps=given.get("num_warps", 4),
            num_stages=given.get("num_stages", 3), num_ctas=given.get("num_ctas", 1),
            cluster_dims=self._facts["cluster_dims"], target=target_of(self._facts["plugin"], self._facts["target"]), hash=self.hash,
            enable_fp_fusion=given.get("enable_fp_fusion", True),
            launch_cooperative_grid=given.get("launch_cooperative_grid", False),
            launch_pdl=given.get("launch_pdl", False), maxnreg=given.get("maxnreg"))

    @property
    def n_regs(self):
        return self._facts["n_regs"]

    @property
    def n_spills(self):
        return self._facts["n_spills"]

    @property
    def n_max_threads(self):
        return self._facts["threads"]

    @property
    def plugin(self):
        """The vendor's part of the target: "cpu"."""
        return self._facts["plugin"]

    @property
    def target(self):
        """As Terrazzo says it: "cpu:x86-64-v3"."""
        return self._facts["target"]

    def check_device(self):
        """LaunchError unless kernels run on a device of the code's target."""
        try:
            here = _native.describe_device(self.plugin)["target"]
        except LaunchError as error:
            here = f"none ({error})"
        if here != self.target:
            raise LaunchError(f"kernel '{self.name}' was compiled for {self.target}, and the device here is {here}: its code can be "
                              "looked at (asm), and launched where there is such a device")

    def dump(self, folder):
        """Writes each stage that there is to folder/NAME.STAGE (knobs.compilation.dump_ir)."""
        os.makedirs(folder, exist_ok=True)
        for stage, content in self.asm.items():
            with open(os.path.join(folder, f"{self.name}.{stage}"), "wb") as file:
                file.write(content if isinstance(content, bytes) else content.encode())

    def _init_handles(self):
        """For callers of Triton: code is loaded when it is made."""

    def __getitem__(self, grid):
        function = self._function()
        if function is None:
            raise LaunchError(f"the function of kernel '{self.name}' is gone; keep it to launch its code")

        def launch(*args, **kwargs):
            return function[grid](*args, **{**self._options, **kwargs})

        return launch

    def __repr__(self):
        return f"CompiledKernel({self.name} for {self.target}, {self.hash[:12]})"


def make(code, specialization):
    """Called by the launcher for code that it has not seen."""
    function = specialization.function
    made = CompiledKernel(code, function, specialization.options)
    function._note_compiled(made, specialization)
    return made


class LazyDict:
    """What a launch hook is given; `get()` computes what costs time."""

    def __init__(self, data):
        self.data, self.extras = data, []

    def get(self):
        for function, args in self.extras:
            self.data = self.data | function(*args)
        self.extras.clear()
        return self.data

    def add(self, function, args):
        self.extras.append((function, args))


def call_hook(which, function, compiled, grid, arguments, stream):
    """Calls knobs.runtime's launch hook with what is known of the launch."""
    metadata = LazyDict({"name": compiled.name, "function": compiled.function, "stream": stream, "target": compiled.target})
    if function.launch_metadata is not None:
        metadata.add(function.launch_metadata, (grid, compiled.metadata, arguments))
    getattr(knobs.runtime, which)(metadata)
