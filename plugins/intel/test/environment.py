"""The variables that this plugin's tests run with, for lit.cfg.py and ci/test: Intel's OpenCL runtime for CPUs, which
ci/setup installs, behind the machine's OpenCL loader. Without the runtime no variable is set, and the tests that need it
are skipped. Kernels are built without its optimisations, which take most of the time; run.test has some of both kinds."""
import os


def cache_folder():
    """Where ci/setup keeps what is no package of the machine."""
    given = os.environ.get("TERRAZZO_SETUP_CACHE")
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return given or os.path.join(cache, "terrazzo-setup")


def runtime_library():
    """The path of the runtime's library, or None. Of several versions the newest."""
    folder = cache_folder()
    names = sorted(os.listdir(folder), reverse=True) if os.path.isdir(folder) else []
    for name in names:
        library = os.path.join(folder, name, "lib", "libintelocl.so")
        if name.startswith("intel-opencl-rt-") and not name.endswith(".part") and os.path.exists(library):
            return library
    return None


def environment(root):
    library = runtime_library()
    if not library:
        return {}
    folder = os.path.join(root, "build", "intel-opencl-vendors")
    os.makedirs(folder, exist_ok=True)
    file = os.path.join(folder, "intel-cpu.icd")
    if not os.path.exists(file) or open(file).read() != library + "\n":
        part = f"{file}.{os.getpid()}"
        with open(part, "w") as text:
            text.write(library + "\n")
        os.replace(part, file)
    # Code that is not optimised keeps each value on the stack: that of products of large tiles took 7.7 of the usual 8 MiB.
    return {"OCL_ICD_VENDORS": folder + "/", "CL_CONFIG_CPU_O0_VECTORIZATION": "1", "CL_CONFIG_STACK_DEFAULT_SIZE": str(64 << 20)}
