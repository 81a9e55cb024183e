"""Triton's tutorial 05, layer norm, forward and backward, at its own benchmark's sizes and others. Argument: a checkout.

  race.py record --without-gpu --keep 12 --out records -- python test/bench/race/shapes/tutorials.py ~/src/triton
"""

import linecache
import os
import sys

import torch
import triton  # first: the recorder waits for it

assert triton

import as_cuda  # noqa: E402
from without_gpu import attempt, forward_backward, random  # noqa: E402

as_cuda.install()
path = os.path.join(sys.argv[1], "python", "tutorials", "05-layer-norm.py")
# What stands behind the definitions tests and measures, with a GPU.
with open(path) as file:
    text = file.read().partition("def test_layer_norm(")[0].replace("triton.runtime.driver.active.get_active_torch_device()", "'cuda'")
linecache.cache[path] = len(text), None, text.splitlines(True), path
tutorial = {"__name__": "layer_norm", "__file__": path}
exec(compile(text, path, "exec"), tutorial)

for columns in (4096, 8192, 12288, 14336, 14848, 15360, 15872):
    def fp16(*shape):
        return random(*shape, dtype=torch.float16).requires_grad_()
    attempt(f"layer norm of {columns}", lambda columns=columns: forward_backward(tutorial["LayerNorm"].apply, fp16(4096, columns), (columns,), fp16(columns),
                                                                                 fp16(columns), 1e-5))
