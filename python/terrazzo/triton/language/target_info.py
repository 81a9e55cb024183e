"""`tl.target_info`: questions about the target, for kernels and for the host.

On the host they are answered for the target that is active.
"""

from ...language.constexpr_functions import ConstexprFunction
from ...runtime.drivers import driver


def current_target():
    """The target that a launch would use now, or None."""
    return driver.active.get_current_target()


def _machine():
    target = current_target()
    return (target.backend, target.arch) if target else (None, None)


def _question(name, doc):
    def decorate(function):
        function.__doc__ = doc
        question = ConstexprFunction(function)
        question.__terrazzo__ = "triton.language.target_info." + name
        globals()[name] = question
        return question
    return decorate


@_question("is_cuda", "Whether the target runs CUDA code.")
def _is_cuda():
    return _machine()[0] == "cuda"


@_question("cuda_capability_geq", "Whether the target runs CUDA code of this compute capability or a later one.")
def _cuda_capability_geq(major, minor=0):
    backend, arch = _machine()
    return backend == "cuda" and arch >= major * 10 + minor


@_question("is_hip", "Whether the target runs HIP code.")
def _is_hip():
    return _machine()[0] == "hip"


def _is_arch(arch):
    return lambda: _machine() == ("hip", arch)


for _name, _arch in (("is_hip_cdna3", "gfx942"), ("is_hip_cdna4", "gfx950"), ("is_hip_gfx1250", "gfx1250")):
    _question(_name, f"Whether the target is {_arch}.")(_is_arch(_arch))
