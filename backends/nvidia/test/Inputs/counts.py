import triton
import triton.language as tl


@triton.jit
def counted(out):
    warps: tl.constexpr = tl.extra.cuda.num_warps()
    threads: tl.constexpr = tl.extra.cuda.num_threads()
    tl.store(out + tl.arange(0, threads), warps * 1000 + threads)


@triton.jit
def asked(out):
    if tl.target_info.is_cuda():
        tl.store(out, tl.extra.cuda.num_threads())
    else:
        tl.store(out, 1)
