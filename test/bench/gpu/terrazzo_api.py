"""libterrazzo through its C API (include/terrazzo/terrazzo.h), by ctypes.

Kernels are launched on the caller's stream with the addresses of the caller's
tensors: nothing of Terrazzo's is between a launch and the driver but the library.
"""

import ctypes as C
import os

I1, I32, I64, U64, F32 = 2, 5, 6, 10, 13
NONE, STRING, DESCRIPTOR, TUPLE = 64, 65, 66, 67
POINTER = 1
ELEMENTS = {
    "bool": 2, "int8": 3, "int16": 4, "int32": 5, "int64": 6, "uint8": 7, "uint16": 8, "uint32": 9, "uint64": 10,
    "float16": 11, "bfloat16": 12, "float32": 13, "float64": 14, "float8_e4m3fn": 15, "float8_e5m2": 16,
}
OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg")


class Arg(C.Structure):
    _fields_ = [("type", C.c_uint32), ("element", C.c_uint32), ("bits", C.c_uint64)]


class Named(C.Structure):
    _fields_ = [("name", C.c_char_p), ("value", Arg)]


class Descriptor(C.Structure):
    _fields_ = [
        ("struct_size", C.c_size_t), ("data", C.c_uint64), ("element", C.c_uint32), ("rank", C.c_uint32),
        ("shape", C.c_int64 * 5), ("strides", C.c_int64 * 5), ("block", C.c_uint32 * 5), ("padding", C.c_uint32),
    ]


class Tuple(C.Structure):
    _fields_ = [
        ("struct_size", C.c_size_t), ("items", C.POINTER(Arg)), ("num_items", C.c_size_t),
        ("names", C.POINTER(C.c_char_p)),
    ]


class MemoryRange(C.Structure):
    _fields_ = [("address", C.c_uint64), ("bytes", C.c_int64), ("name", C.c_char_p)]


class Source(C.Structure):
    _fields_ = [
        ("struct_size", C.c_size_t), ("path", C.c_char_p), ("text", C.c_char_p), ("text_size", C.c_size_t),
        ("function", C.c_char_p), ("constants", C.POINTER(Named)), ("num_constants", C.c_size_t),
        ("options", C.POINTER(Named)), ("num_options", C.c_size_t), ("import_roots", C.POINTER(C.c_char_p)),
        ("num_import_roots", C.c_size_t), ("globals", C.c_void_p), ("num_globals", C.c_size_t),
    ]


class SessionOptions(C.Structure):
    _fields_ = [
        ("struct_size", C.c_size_t), ("flags", C.c_uint32), ("rsvd", C.c_uint32), ("cache_folder", C.c_char_p),
        ("plugin_folders", C.POINTER(C.c_char_p)), ("num_plugin_folders", C.c_size_t), ("ctx", C.c_void_p),
        ("on_diagnostic", C.c_void_p), ("on_print", C.c_void_p),
    ]


class Error(Exception):
    pass


class Library:
    """The shared object; `folder` holds lib/ (an installation or a bundle)."""

    def __init__(self, folder):
        lib = C.CDLL(os.path.join(folder, "lib", "libterrazzo.so.0"))
        self.plugins = os.path.join(folder, "lib", "terrazzo", "plugins.d")
        self.lib = lib
        p = C.c_void_p
        for name, arguments in {
            "tz_session_create": [p, p], "tz_device_open": [p, C.c_char_p, p], "tz_stream_wrap": [p, p, p],
            "tz_stream_create": [p, p], "tz_stream_sync": [p],
            "tz_stream_know_memory": [p, p, C.c_size_t], "tz_kernel_load": [p, p, p],
            "tz_kernel_launch": [p, p, p, p, C.c_size_t], "tz_kernel_prepare": [p, p, p, C.c_size_t],
            "tz_kernel_compile_for": [p, C.c_char_p, p, C.c_size_t, p], "tz_code_stage": [p, C.c_char_p, p, p],
        }.items():
            function = getattr(lib, name)
            function.argtypes, function.restype = arguments, p
        lib.tz_status_message.argtypes, lib.tz_status_message.restype = [p], C.c_char_p
        lib.tz_status_release.argtypes, lib.tz_status_release.restype = [p], None
        for name in ("tz_session_destroy", "tz_kernel_destroy", "tz_stream_destroy"):
            getattr(lib, name).argtypes, getattr(lib, name).restype = [p], None

    def check(self, status):
        if status:
            text = self.lib.tz_status_message(status).decode()
            self.lib.tz_status_release(status)
            raise Error(text)


def number(value):
    if isinstance(value, bool):
        return Arg(I1, 0, int(value))
    if isinstance(value, int):
        return Arg(I32 if -(2**31) <= value < 2**31 else I64, 0, value & (2**64 - 1))
    return Arg(F32, 0, C.c_uint32.from_buffer_copy(C.c_float(value)).value)


class Arguments:
    """Python values as an array of tz_arg; keeps alive what it points to."""

    def __init__(self, values):
        self.kept = []
        self.count = len(values)
        self.array = (Arg * max(1, self.count))(*[self.convert(v) for v in values])

    def convert(self, value):
        if value is None:
            return Arg(NONE, 0, 0)
        if isinstance(value, (bool, int, float)):
            return number(value)
        if isinstance(value, str):
            self.kept.append(C.c_char_p(value.encode()))
            return Arg(STRING, 0, C.cast(self.kept[-1], C.c_void_p).value)
        if hasattr(value, "data_ptr"):
            self.kept.append(value)
            return Arg(POINTER, ELEMENTS[str(value.dtype).split(".")[-1]], value.data_ptr())
        if hasattr(value, "block_shape"):  # triton.tools.tensor_descriptor.TensorDescriptor
            return self.descriptor(value)
        if isinstance(value, tuple):
            return self.tuple(value)
        raise TypeError(f"no way to hand over {value!r}")

    def ranges(self):
        """The memory of each tensor: what lies around it belongs to the same allocation of PyTorch's."""
        storages = [v.untyped_storage() for v in self.kept if hasattr(v, "data_ptr")]
        return (MemoryRange * max(1, len(storages)))(*[MemoryRange(s.data_ptr(), s.nbytes()) for s in storages])

    def descriptor(self, value):
        rank = len(value.shape)
        made = Descriptor(C.sizeof(Descriptor), value.base.data_ptr(),
                          ELEMENTS[str(value.base.dtype).split(".")[-1]], rank)
        made.shape[:rank], made.strides[:rank] = list(value.shape), list(value.strides)
        made.block[:rank] = list(value.block_shape)
        made.padding = int(getattr(value, "padding", "zero") == "nan")
        self.kept += [value, made]
        return Arg(DESCRIPTOR, 0, C.addressof(made))

    def tuple(self, value):
        items = (Arg * max(1, len(value)))(*[self.convert(v) for v in value])
        names = getattr(value, "_fields", None)
        text = (C.c_char_p * len(value))(*[n.encode() for n in names]) if names else None
        made = Tuple(C.sizeof(Tuple), items, len(value), text)
        self.kept += [items, text, made]
        return Arg(TUPLE, 0, C.addressof(made))


class Session:
    """A session with one device and the stream that its launches go to. Without a target it has neither, and only compiles."""

    def __init__(self, library, target, stream=None, cache=""):
        self.api, self.lib = library, library.lib
        folders = (C.c_char_p * 1)(library.plugins.encode())
        options = SessionOptions(C.sizeof(SessionOptions), 0, 0, cache.encode(), folders, 1)
        self.handle, self.device, self.stream = C.c_void_p(), C.c_void_p(), C.c_void_p()
        self.kernels = {}
        library.check(self.lib.tz_session_create(C.byref(options), C.byref(self.handle)))
        if target is None:
            return
        library.check(self.lib.tz_device_open(self.handle, target.encode(), C.byref(self.device)))
        if stream is None:
            library.check(self.lib.tz_stream_create(self.device, C.byref(self.stream)))
        else:
            library.check(self.lib.tz_stream_wrap(self.device, C.c_void_p(stream), C.byref(self.stream)))

    def load(self, path, function, constants, options):
        key = (path, function, tuple(sorted(constants.items())), tuple(sorted(options.items())))
        if key not in self.kernels:
            keep = Arguments(list(constants.values()))
            fixed = (Named * max(1, len(constants)))(
                *[Named(n.encode(), keep.array[i]) for i, n in enumerate(constants)])
            chosen = (Named * max(1, len(options)))(*[Named(n.encode(), number(v)) for n, v in options.items()])
            roots = (C.c_char_p * 1)(os.path.dirname(path).encode())
            source = Source(C.sizeof(Source), path.encode(), None, 0, function.encode(), fixed, len(constants),
                            chosen, len(options), roots, 1, None, 0)
            kernel = C.c_void_p()
            self.api.check(self.lib.tz_kernel_load(self.handle, C.byref(source), C.byref(kernel)))
            self.kernels[key] = kernel
        return self.kernels[key]

    def bind(self, kernel, grid, values):
        """Compiles for these arguments; gives a function that launches with them."""
        arguments = Arguments(values)
        sizes = (C.c_int64 * 3)(*(list(grid) + [1, 1])[:3])
        self.api.check(self.lib.tz_kernel_prepare(kernel, self.device, arguments.array, arguments.count))
        start, check = self.lib.tz_kernel_launch, self.api.check
        stream, array, count = self.stream, arguments.array, arguments.count
        if os.environ.get("TERRAZZO_SANITIZE"):
            return self.checked(kernel, sizes, arguments)

        def launch(_keep=arguments):
            status = start(kernel, stream, sizes, array, count)
            if status:
                check(status)

        return launch

    def checked(self, kernel, sizes, arguments):
        """A launch whose sanitizers know the tensors, as one from Python does."""
        ranges = arguments.ranges()

        def launch():
            self.api.check(self.lib.tz_stream_know_memory(self.stream, ranges, len(ranges)))
            self.api.check(self.lib.tz_kernel_launch(kernel, self.stream, sizes, arguments.array, arguments.count))

        return launch

    def compile_for(self, kernel, target, values):
        """Compiles for a target whose device need not be here."""
        arguments, code = Arguments(values), C.c_void_p()
        self.api.check(self.lib.tz_kernel_compile_for(kernel, target.encode(), arguments.array, arguments.count, C.byref(code)))
        return code

    def assembly_of(self, code):
        text, size = C.c_char_p(), C.c_size_t()
        self.api.check(self.lib.tz_code_stage(code, b"asm", C.byref(text), C.byref(size)))
        return C.string_at(text, size.value)

    def sync(self):
        self.api.check(self.lib.tz_stream_sync(self.stream))

    def close(self):
        for kernel in self.kernels.values():
            self.lib.tz_kernel_destroy(kernel)
        if self.stream:
            self.lib.tz_stream_destroy(self.stream)
        self.lib.tz_session_destroy(self.handle)
