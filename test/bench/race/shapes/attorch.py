"""attorch: its layers at the sizes of its own tests and larger, forward and backward. Argument: a checkout.

  race.py record --without-gpu --keep 24 --out records -- python test/bench/race/shapes/attorch.py ~/src/attorch
"""

import sys

import torch
import triton  # first: the recorder waits for it

assert triton

import as_cuda  # noqa: E402
from without_gpu import attempt, forward_backward, of, random  # noqa: E402

as_cuda.install()
sys.path.insert(0, sys.argv[1])

FLOAT, HALF = torch.float32, torch.float16

ACTIVATIONS = """Sigmoid LogSigmoid Tanh ReLU GELU SiLU ReLU6 Hardsigmoid Hardtanh Hardswish SELU Mish Softplus Softsign Tanhshrink
                 LeakyReLU ELU CELU Hardshrink Softshrink""".split()


def x(*shape, dtype=FLOAT):
    return random(*shape, dtype=dtype).requires_grad_()


def run(name, make, *arguments, **named):
    """A layer, made of its arguments and run on what `make` gives."""
    def layer():
        given = make()
        forward_backward(of("attorch", name)(*arguments, **named), *given)
    attempt(name, layer)


def mixed(name, make, *arguments, **named):
    """The same under automatic mixed precision."""
    def layer():
        with torch.autocast("cuda", torch.float16):
            of("attorch", name)(*arguments, **named)(*make())
    attempt(name, layer)


def forward(name, make, *arguments, **named):
    """What goes backward by torch's own functions."""
    attempt(name, lambda: of("attorch", name)(*arguments, **named)(*make()))


def activations(*shape):
    for name in ACTIVATIONS:
        run(name, lambda: (x(*shape, dtype=HALF),))
    run("GELU", lambda: (x(*shape),), approximate="tanh")
    for name in ("ReLU", "SiLU"):
        run(name, lambda: (x(*shape, dtype=HALF),), drop_p=0.3)
    run("Dropout", lambda: (x(*shape),), 0.3)
    for name in ("sigmoid", "gelu", "silu", "relu"):
        run("GLU", lambda: (x(*shape, dtype=HALF),), act_func=name)


def rows(count, columns):
    for dtype in (FLOAT, HALF):
        run("LayerNorm", lambda: (x(count, columns, dtype=dtype),), columns)
        run("RMSNorm", lambda: (x(count, columns, dtype=dtype),), columns)
        for name in ("Softmax", "LogSoftmax", "Softmin"):
            run(name, lambda: (x(count, columns, dtype=dtype),), -1)
    run("LayerNorm", lambda: (x(count, columns),), columns, elementwise_affine=False)
    run("RMSNorm", lambda: (x(count, columns),), columns, elementwise_affine=False)


def losses(count, columns):
    targets = torch.randint(0, columns, (count,))
    run("CrossEntropyLoss", lambda: (x(count, columns, dtype=HALF), targets))
    run("CrossEntropyLoss", lambda: (x(count, columns), targets), weight=torch.rand(columns))
    for reduction in ("none", "mean", "sum"):
        run("NLLLoss", lambda: (x(count, columns), targets), reduction=reduction)
        for name in ("L1Loss", "MSELoss", "SmoothL1Loss", "HuberLoss"):
            run(name, lambda: (x(count, columns, dtype=HALF), x(count, columns, dtype=HALF).detach()), reduction=reduction)
    run("NLLLoss", lambda: (x(count, columns, 16), torch.randint(0, columns, (count, 16))))


def images(batch, channels, side):
    for dtype in (FLOAT, HALF):
        run("BatchNorm2d", lambda: (x(batch, channels, side, side, dtype=dtype),), channels)
        run("BatchNorm2d", lambda: (x(batch, channels, side, side, dtype=dtype), x(batch, channels, side, side, dtype=dtype)), channels, act_func="relu")
    run("BatchNorm2d", lambda: (x(batch, channels, side, side),), channels, act_func="gelu")
    run("BatchNorm1d", lambda: (x(batch, channels, side * side),), channels, affine=False)
    for kernel, stride, groups in ((3, 1, 1), (1, 1, 1), (3, 2, 1), (3, 1, 4)):
        forward("Conv2d", lambda: (x(batch, channels, side, side),), channels, channels, kernel, stride=stride, padding=kernel // 2, groups=groups)
    mixed("Conv2d", lambda: (x(batch, channels, side, side, dtype=HALF),), channels, 2 * channels, 3, padding=1)
    forward("AvgPool2d", lambda: (x(batch, channels, side, side),), 2)


def products(count, columns, out):
    for name in (None, "relu", "gelu", "silu"):
        forward("Linear", lambda: (x(count, columns),), columns, out, act_func=name)
        mixed("Linear", lambda: (x(count, columns, dtype=HALF),), columns, out, act_func=name)
    forward("Linear", lambda: (x(count, columns, dtype=HALF),), columns, out, bias=False, dtype=HALF)


def attention(batch, heads, length, width):
    """attorch refuses to make the module. The function that the module calls runs."""
    for causal in (False, True):
        for parallel in (False, True):
            attempt("_attention", lambda: forward_backward(of("attorch.multi_head_attention_kernels", "_attention").apply, *(
                x(batch, heads, length, width, dtype=HALF) for _ in range(3)), causal, 0.5, parallel))


activations(4096, 4096)
for size in ((4096, 1024), (8192, 4096)):
    rows(*size)
for size in ((4096, 1000), (1024, 32000)):
    losses(*size)
for size in ((32, 64, 56), (64, 128, 28)):
    images(*size)
for size in ((4096, 1024, 4096), (2048, 3072, 1024)):
    products(*size)
for size in ((4, 16, 1024, 64), (2, 16, 2048, 128)):
    attention(*size)
