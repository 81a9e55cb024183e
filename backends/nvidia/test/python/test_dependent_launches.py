"""Names of dependent launches: kernels of others wait for the launch before, which costs nothing on other targets."""

import subprocess
import sys

WAITING = """
import sys
import numpy as np
import terrazzo
terrazzo.install_as_triton()
import triton
import triton.language as tl
from triton.language.extra.cuda.gdc import gdc_launch_dependents, gdc_wait

@triton.jit
def kernel(x, out, N: tl.constexpr):
    gdc_wait()
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i) + 1)
    gdc_launch_dependents()

x = np.arange(8, dtype=np.int32)
out = np.zeros(8, np.int32)
kernel[(1,)](x, out, N=8)
print(*out)
"""


def test_kernels_that_wait_for_the_launch_before(tmp_path):
    program = tmp_path / "program.py"  # a kernel's text is read from a file
    program.write_text(WAITING)
    found = subprocess.run([sys.executable, str(program)], capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    assert found.stdout.split() == "1 2 3 4 5 6 7 8".split()
