"""The variables that this backend's tests run with, for lit.cfg.py and ci/test:
the assembler that checks PTX, the machine's, else PyPI's."""
import os
import shutil
import subprocess
import sys

PACKAGE = "nvidia-cuda-nvcc==13.0.88"


def find_ptxas(folder):
    """A path, or None; what is installed goes to `folder`."""
    places = [os.environ.get("TERRAZZO_PTXAS"), shutil.which("ptxas"), "/usr/local/cuda/bin/ptxas",
              os.path.join(folder, "nvidia", "cu13", "bin", "ptxas")]
    for place in places:
        if place and os.access(place, os.X_OK):
            return place
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", folder, PACKAGE]
    try:
        done = subprocess.run(command, capture_output=True, timeout=300)
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode or not os.path.exists(places[-1]):
        return None
    os.chmod(places[-1], 0o755)
    return places[-1]


def environment(root):
    ptxas = find_ptxas(os.path.join(root, "build", "ptxas"))
    return {"TERRAZZO_PTXAS": ptxas} if ptxas else {}
