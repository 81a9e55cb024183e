# run: kernel x=*fp32
import os

import torch
import triton
import triton.language as tl

# Which arm holds is unknown: what all arms agree on is known.
if torch.cuda.is_available():
    from triton.language.extra.cuda import libdevice

    cast = tl.cast

    @triton.jit
    def both(x):
        return x

    @triton.jit
    def one(x):
        return x

    @triton.jit
    def only(x):
        return x

    WIDTH = tl.constexpr(8)
    DEPTH = tl.constexpr(4)

else:
    from triton.language.extra import libdevice

    @triton.jit
    def cast(x, dtype):
        return x

    @triton.jit
    def both(x):
        return x + 1

    # Stands in where kernels are not compiled.
    def only(*args):
        raise RuntimeError("no compiler")

    DEPTH = tl.constexpr(2)


if os.environ.get("TERRAZZO_TEST_NOT_SET", "0") == "1":
    unset = None
else:
    unset = tl.constexpr(os.getenv("TERRAZZO_TEST_NOT_SET") is None)


@triton.jit
def kernel(x):
    tl.static_assert(unset)
    tl.store(x, one(libdevice.exp(1.0)))
    tl.store(x, cast(1, tl.float32))
    tl.store(x, both(1.0))
    tl.store(x, only(1.0 * WIDTH))
    tl.store(x, 1.0 * DEPTH)
    tl.extra.cuda.smid()
    for i in range(3, stages=2):
        pass

# error@57:17: 'cast' has no value that is known at compile time
# note@9:1: set under a condition that is not known at compile time
# error@58:17: 'both' has no value that is known at compile time
# note@9:1: set under a condition that is not known at compile time
# error@60:23: 'DEPTH' has no value that is known at compile time
# note@9:1: set under a condition that is not known at compile time
# error@61:19: module 'triton.language.extra.cuda' has no name 'smid'
# error@62:30: range has no parameter 'stages'
