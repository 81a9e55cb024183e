"""Cut cross entropy: the loss of a linear layer, forward and backward. Argument: a folder with the package (of version 25.1.1).

  race.py record --without-gpu --keep 4 --out records -- python test/bench/race/shapes/cut_cross_entropy.py ~/src/cut-cross-entropy
"""

import sys

import torch
import triton  # first: the recorder waits for it

assert triton

import as_cuda  # noqa: E402
from without_gpu import attempt, forward_backward, of, random  # noqa: E402

as_cuda.install()
sys.path.insert(0, sys.argv[1])


def run(tokens, width, words, dtype, **named):
    def loss():
        targets = torch.randint(0, words, (tokens,))
        targets[::17] = -100
        forward_backward(of("cut_cross_entropy", "linear_cross_entropy"), random(tokens, width, dtype=dtype, scale=0.5).requires_grad_(),
                         random(words, width, dtype=dtype, scale=0.05).requires_grad_(), targets, **named)
    attempt("linear_cross_entropy", loss)


for size in ((4096, 2304, 32000), (2048, 2048, 128256)):
    for kind in (torch.bfloat16, torch.float16):
        run(*size, kind)
    run(*size, torch.bfloat16, softcap=30.0)
    run(*size, torch.bfloat16, filter_eps=None)
    run(*size, torch.bfloat16, reduction="none")
