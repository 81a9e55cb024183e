"""`triton.backends.compiler`."""

from enum import Enum
from types import SimpleNamespace

from ...compiler.targets import GPUTarget, library_identity
from ...errors import CompilationError
from ...language.dtypes import dtype
from .._absent import missing


class Language(Enum):
    """The language of a source."""

    TRITON = 0
    GLUON = 1


class Options(SimpleNamespace):
    """Options of a compilation; those left out have Triton's defaults."""

    _defaults = {
        "num_warps": 4, "num_stages": 3, "num_ctas": 1, "maxnreg": None, "cluster_dims": (1, 1, 1), "enable_fp_fusion": True,
        "launch_cooperative_grid": False, "launch_pdl": False, "extern_libs": None, "debug": False, "sanitize_overflow": False,
        "arch": None, "backend_name": None, "warp_size": 32,
        "supported_fp8_dtypes": tuple(name for name in dtype.FP_TYPES if name not in dtype.STANDARD_FP_TYPES),
        "deprecated_fp8_dot_operand_dtypes": (), "default_dot_input_precision": "tf32",
        "allowed_dot_input_precisions": ("tf32", "tf32x3", "ieee", "bf16x3", "bf16x6"), "max_num_imprecise_acc_default": 0,
        "ir_override": None, "instrumentation_mode": ""}

    def __init__(self, **options):
        super().__init__(**{**self._defaults, **options})

    def hash(self):
        import hashlib
        return hashlib.sha256(repr(sorted(self.__dict__.items(), key=str)).encode()).hexdigest()


_NOT_OPTIONS = {"backend_name", "arch", "warp_size", "cluster_dims", "supported_fp8_dtypes", "extern_libs"}


def launch_options(options):
    """Those that a launch takes, without the ones that say nothing."""
    given = options if isinstance(options, dict) else dict(vars(options))
    return {name: value for name, value in given.items()
            if name not in _NOT_OPTIONS and isinstance(value, (bool, int, str)) and
            (value is not False or name == "enable_fp_fusion")}


class BaseBackend:
    """The compiler as Triton's callers see a backend."""

    supports_native_tensor_specialization = False
    binary_ext = "obj"

    def __init__(self, target):
        self.target = target

    @staticmethod
    def supports_target(target):
        return True

    def hash(self):
        return f"{library_identity()}-{self.target.backend}-{self.target.arch}"

    def parse_options(self, options):
        return Options(**{"backend_name": self.target.backend, "arch": self.target.arch,
                          "warp_size": self.target.warp_size, **options})

    def code_target(self):
        """Terrazzo's name of the target; CompilationError if nothing compiles for it."""
        if self.target.backend == "cpu":
            return "cpu"
        raise CompilationError(f"Terrazzo has no compiler for {self.target}: it compiles for the backends 'cuda' and 'cpu'")

    def get_module_map(self):
        """Modules whose names kernels spell in another way: none."""
        return {}

    def load_dialects(self, context):
        raise missing("triton._C.libtriton", "ir")

    @staticmethod
    def parse_attr(desc):
        """[["tt.divisibility", 16]] for the key "D"."""
        return [["tt.divisibility", 16]] if "D" in desc else []

    @staticmethod
    def get_tensor_specialization(arg, align=True, **kwargs):
        return "D" if align and arg.data_ptr() % 16 == 0 else ""

    @staticmethod
    def get_int_specialization(arg, align=True, **kwargs):
        return "D" if align and arg % 16 == 0 else ""
