"""Names of Triton that libraries ask for and Terrazzo does not have: what each is, and what to use.

Libraries probe for many of them and go on without, so an absent name is an AttributeError, an absent module and what
`from module import name` does not find an ImportError, as in a Triton that does not have it. Only the text is ours.
"""

import dis
import sys

_GLUON = ("it is Triton's second language, in which layouts and copies are written by hand; Terrazzo compiles Triton's first "
          "language (@triton.jit), and its optimizer chooses layouts and copies")
_IR = ("it is Triton's compiler in C++; Terrazzo reads a kernel's text with its own (asm['ttir'] of a compiled kernel, or "
       "`tz explain`, shows its IR)")
_OLD_DESCRIPTOR = "it was an early form of descriptors; use tl.make_tensor_descriptor(...).load([...]) and .store([...], value)"
_TMA_FILL = ("it filled a descriptor by hand before Triton had TensorDescriptor; use triton.tools.tensor_descriptor."
             "TensorDescriptor on the host, or tl.make_tensor_descriptor in the kernel")
_ASM = "write it as tl.inline_asm_elementwise({!r}, {!r}, [], dtype={}, is_pure=False, pack=1)"
_FORK = "it belongs to a fork of Triton ({}), not to Triton; use that fork for it"
_VENDOR = "it is the backend of a fork of Triton for {}; Terrazzo has no such target (`tz targets` lists what there is)"
_META = _FORK.format("Meta's, TLX")
_DISTRIBUTED = _FORK.format("Triton-distributed")
_ATTRS = "it is of Triton before 3.3; attributes are {(index,): [['tt.divisibility', 16]]} now, the `attrs` of ASTSource"
_RAW_LAUNCH = ("code is launched by Terrazzo's launch plan, which a launcher made by hand does not know; use kernel[grid](...), "
               "or the C interface (docs/guide/embedding.md)")
_GONE = "it was taken out of Triton before 3.6"

_KNOB_PARTS = "Triton's settings are made of it, or it is their type; hooks are functions, the rest are plain attributes"
_PROTON = "it is of the C++ part of Triton's profiler; triton.profiler has scopes, launches and their times"
_HOST_C = "it builds C that launches kernels; " + _RAW_LAUNCH
_SORT_PARTS = "its arguments change from version to version; use tl.sort, tl.topk or tl.bitonic_merge"
_LAYOUT = "it is how Triton's compiler spreads tiles over registers; `tz explain --emit simt` shows Terrazzo's layouts"

# By Triton's names; what stands below one of them is absent with it.
NAMES = {
    "triton._C": _IR,
    "triton.common": _GONE + "; use triton.runtime",
    "triton.compiler.AttrsDescriptor": _ATTRS,
    "triton.compiler.compiler.AttrsDescriptor": _ATTRS,
    "triton.backends.compiler.AttrsDescriptor": _ATTRS,
    "triton.backends.compiler.BaseBackend.get_arg_specialization":
        _GONE + "; use get_tensor_specialization and get_int_specialization",
    "triton.backends.amd": _VENDOR.format("AMD GPUs"),
    "triton.backends.intel": _VENDOR.format("Intel GPUs"),
    "triton.backends.mlu": _VENDOR.format("Cambricon's devices"),
    "triton.backends.cpu": _FORK.format("triton-cpu"),
    "triton.backends.qcom_hexagon_backend": _VENDOR.format("Qualcomm's Hexagon"),
    "triton.backends.tileir": _VENDOR.format("CUDA's tile IR"),
    "triton.backends.nvidia.driver.CudaLauncher": _RAW_LAUNCH,
    "triton.backends.nvidia.driver.make_launcher": _RAW_LAUNCH,
    "triton.backends.nvidia.driver.TMA_DTYPE_DEVICE_TO_HOST": _RAW_LAUNCH,
    "triton.backends.nvidia.driver.TMA_TF32": _RAW_LAUNCH,
    "triton.compiler.code_generator.ast_to_ttir": _IR,
    "triton.distributed": _DISTRIBUTED,
    "triton.experimental": _GLUON,
    "triton.experimental.tle": _FORK.format("FlagTree"),
    "triton.extension": _FORK.format("Huawei's, for Ascend"),
    "triton.fb": _META,
    "triton.intraprof": _META,
    "triton.kernels": _GONE + "; the package triton_kernels is apart",
    "triton.language.async_task": _META + "; warp specialisation needs no mark here",
    "triton.language._experimental_descriptor_load": _OLD_DESCRIPTOR,
    "triton.language._experimental_descriptor_store": _OLD_DESCRIPTOR,
    "triton.language.extra.ascend": _VENDOR.format("Huawei's Ascend"),
    "triton.language.extra.cann": _VENDOR.format("Huawei's Ascend"),
    "triton.language.extra.cuda.experimental_device_tensormap_create1d": _OLD_DESCRIPTOR,
    "triton.language.extra.cuda.experimental_device_tensormap_create2d": _OLD_DESCRIPTOR,
    "triton.language.extra.cuda.experimental_tensormap_fenceproxy_acquire": _OLD_DESCRIPTOR + "; no fence is needed",
    "triton.language.extra.cuda.globaltimer":
        "the GPU's clock is no function of the language; " + _ASM.format("mov.u64 $0, %globaltimer;", "=l", "tl.int64"),
    "triton.language.extra.cuda.smid":
        "a multiprocessor's number is no function of the language; " + _ASM.format("mov.u32 $0, %smid;", "=r", "tl.int32"),
    "triton.language.extra.cuda.utils": _DISTRIBUTED,
    "triton.language.extra.hip.librocshmem_device": _DISTRIBUTED,
    "triton.language.extra.intel": _VENDOR.format("Intel GPUs"),
    "triton.language.extra.mlu": _VENDOR.format("Cambricon's devices"),
    "triton.language.extra.libshmem_device": _DISTRIBUTED,
    "triton.language.extra.subtile_ops": _META,
    "triton.language.extra.tlx": _META,
    "triton.language.extract_slice": _VENDOR.format("Huawei's Ascend"),
    "triton.language.insert_slice": _VENDOR.format("Huawei's Ascend"),
    "triton.language.core.dispatch": _GONE + "; use tl.extern_elementwise or tl.inline_asm_elementwise",
    "triton.language.core._constexpr_to_value": _GONE + "; use triton.language.core._unwrap_if_constexpr",
    "triton.language.core._experimental_reinterpret_tensor_descriptor": _OLD_DESCRIPTOR,
    "triton.language.core._unwrap_iterable": _IR,
    "triton.language.standard.squeeze": "it is of Triton after 3.6; use tl.reshape",
    "triton.language.standard.unsqueeze": "it is of Triton after 3.6; use tl.expand_dims",
    "triton.language.int32.to_ir": _IR,
    "triton.language.core.int32.to_ir": _IR,
    "triton.language.cidv": "it is spelled tl.cdiv",
    "triton.language.empty": _VENDOR.format("other devices") + "; use tl.zeros",
    "triton.language.float": "types have their widths: tl.float32",
    "triton.language.float8e4": "types have their formats: tl.float8e4nv, tl.float8e4b8 or tl.float8e4b15",
    "triton.language.inline_intrinsic_elementwise": _DISTRIBUTED + "; tl.inline_asm_elementwise is in the language",
    "triton.language.masked_select": _VENDOR.format("other devices"),
    "triton.language.math.max": _GONE + "; use tl.maximum",
    "triton.language.math.round": _GONE + "; use tl.extra.libdevice.round",
    "triton.language.semantic": "it builds Triton's IR; " + _IR,
    "triton.language.tanh": "it is in tl.extra.libdevice: from triton.language.extra.libdevice import tanh",
    "triton.musa_testing": _VENDOR.format("Moore Threads' GPUs"),
    "triton.ops": _GONE + "; the repository triton-lang/kernels has these kernels",
    "triton.pymaca": _DISTRIBUTED,
    "triton.pymxshmem": _DISTRIBUTED,
    "triton.runtime.build": "nothing is built with a C compiler; torch.utils.cpp_extension builds C++",
    "triton.runtime.cache.default_cache_dir": _GONE + "; use triton.knobs.cache.dir",
    "triton.runtime.libentry": _FORK.format("FlagTree"),
    "triton.runtime.driver.utils": _GONE + "; use triton.runtime.driver.active.utils",
    "triton.runtime.driver.active._obj": _GONE + "; the driver is triton.runtime.driver.active itself",
    "triton.runtime.driver.active.utils.fill_1d_tma_descriptor": _TMA_FILL,
    "triton.runtime.driver.active.utils.fill_2d_tma_descriptor": _TMA_FILL,
    "triton.runtime.driver.active.utils.load_binary": _RAW_LAUNCH,
    "triton.runtime.interpreter": "it is a class of Triton's own interpreter, which runs kernels as Python programs; "
                                  "TRITON_INTERPRET=1 runs them in Terrazzo's (docs/guide/python.md)",
    "triton.runtime.jit._find_paths_if": _GONE + "; use triton._utils.find_paths_if",
    "triton.runtime.jit._get_iterable_path": _GONE + "; use triton._utils.get_iterable_path",
    "triton.runtime.jit.JITFunction.cache_hook": _GONE + "; use triton.knobs.runtime.jit_cache_hook",
    "triton.runtime.jit.create_specialize_impl": _GONE + "; use native_specialize_impl",
    "triton.runtime.cache.clear": "it was no function; remove the folder triton.knobs.cache.dir, or call `tz cache clear`",
    "triton.tools.compile": "it writes C that launches a kernel by the GPU's driver, which knows no launch plan; `tz compile` and "
                            "tz_kernel_save write code that a C or C++ program loads and launches (docs/guide/embedding.md)",
    "triton.tools.build_extern": "there are no tables of external functions to build; tl.extra.libdevice has the functions",
    "triton.tools.disasm.extract": "it reads the output of cuobjdump line by line; use triton.tools.disasm.get_sass",
    "triton.tools.experimental_descriptor": _TMA_FILL,
    "triton.tools.link": "objects of kernels need no linking; tz_kernel_load reads each (docs/guide/embedding.md)",
}

# Several names of one module that are absent for one reason.
_OF_MODULES = {
    "triton.compiler.code_generator": (_IR, "CodeGenerator ContainsReturnChecker enter_sub_region flatten_values_to_ir "
                                       "unflatten_ir_values mangle_fn check_identifier_legality ASTFunction BoundJITMethod"),
    "triton.compiler.compiler": (_IR, "AsmDict filter_traceback max_shared_mem parse ptx_prototype_pattern CompileTimer ir"),
    "triton.compiler": (_HOST_C, "make_launcher"),
    "triton.backends.nvidia.compiler": (_IR, "ir passes llvm nvidia ptx_get_version get_ptx_version_from_options file_hash get_features"),
    "triton.backends.nvidia.driver": (_HOST_C, "compile_module_from_src library_dirs include_dirs libraries libdevice_dir PyCUtensorMap "
                                      "make_tensordesc_arg wrap_handle_tensordesc"),
    "triton.runtime.jit": (_IR, "DependenciesFinder create_function_from_signature"),
    "triton.runtime.cache": (_HOST_C, "make_so_cache_key"),
    "triton.knobs": (_KNOB_PARTS, "env_base env_bool env_class env_int env_nvidia_tool env_opt_bool env_opt_str env_str "
                     "env_str_callable_default getenv getenv_bool setenv toenv BuildImpl CompileTimes CompilationListener InitHandleHook "
                     "JITHook JITHookCompileInfo LaunchHook PipelineStagesHook"),
    "triton.language.standard": (_SORT_PARTS, "_bitonic_merge _bitonic_merge_hypercube _compare_and_swap _get_flip_dim _indicator"),
    "triton.language.core": (_IR, "_promote_bfloat16_to_float32 _reduce_with_indices _insertion_guard _tensor_member_fn ir "
                             "binary_op_type_legalization check_bit_width"),
    "triton.language.math": (_IR, "_check_dtype"),
    "triton.language.extra.hip": ("the GPU's clock is no function of the language", "memrealtime"),
    "triton.language.extra.cuda": ("old GPUs had no such type; value.to(tl.float8e4b15) and back is a conversion of the language",
                                   "convert_custom_float8 convert_custom_float8_sm70 convert_custom_float8_sm80"),
    "triton.testing": ("checks of accesses are a setting: TERRAZZO_CHECKED=1 (docs/guide/debugging.md)", "cuda_memcheck"),
    "triton.profiler": (_PROTON, "hook metric metadata"),
    "triton.tools": (_LAYOUT, "LinearLayout triton_to_gluon_translater"),
    "triton": ("it tests Triton's own compiler; `FileCheck` reads what `tz compile --emit` writes", "_filecheck"),
}
NAMES.update({f"{module}.{name}": said for module, (said, names) in _OF_MODULES.items() for name in names.split()})


def reason(name):
    """What is said of a name of Triton, or of what it is below; None if nothing is known of it."""
    while name:
        if name in NAMES:
            return NAMES[name]
        name = name.rpartition(".")[0]
    return None


def _text(name):
    said = reason(name)
    return said and f"Terrazzo has no {name}: {said}"


def missing(module, name):
    """The error for a name that a module of ours does not have; for `__getattr__` of the module to raise."""
    module = module.removeprefix("terrazzo.")
    said = _text(f"{module}.{name}")
    if said and _is_from_import(sys._getframe(2)):
        return ImportError(said, name=module)  # of an AttributeError, `from` would keep no text
    return AttributeError(said or f"module '{module}' has no attribute '{name}'", name=name)


def _is_from_import(frame):
    return dis.opname[frame.f_code.co_code[frame.f_lasti]] == "IMPORT_FROM"


def missing_module(name):
    """The ImportError for a module, or None if nothing is known of it."""
    said = _text(name)
    return said and ModuleNotFoundError(said, name=name)


def attach(module, name):
    """Lets a module of ours say what its absent names are, if something is known of any; name: Triton's of the module."""
    def absent(attribute):
        raise missing(name, attribute)

    if not hasattr(module, "__getattr__") and any(known.rpartition(".")[0] == name for known in NAMES):
        module.__getattr__ = absent
