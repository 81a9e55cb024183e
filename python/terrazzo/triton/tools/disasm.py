"""`triton.tools.disasm`: machine code as text, by the vendor's own tools."""

import os
import shutil
import subprocess
import tempfile


def _tool(name, variable):
    path = os.environ.get(variable) or shutil.which(name)
    if not path:
        raise RuntimeError(f"{name} is not installed: put it on PATH or name it in {variable}")
    return path


def get_sass(cubin_asm, fun=None):
    """SASS of a cubin (its bytes); of the function `fun`, or of all."""
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin_asm)
        file.flush()
        command = [_tool("cuobjdump", "TRITON_CUOBJDUMP_PATH"), "-sass", *(["-fun", fun] if fun else []), file.name]
        return subprocess.check_output(command, text=True)
