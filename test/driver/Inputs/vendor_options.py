import triton
import triton.language as tl


@triton.autotune(
    configs=[
        triton.Config({"BLOCK": 16, "waves_per_eu": 2, "schedule_hint": "none"}, num_warps=4),
        triton.Config({"BLOCK": 32, "enable_fp_fusion": False}, num_warps=8),
    ],
    key=["n"],
)
@triton.jit
def scale(x, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + at, tl.load(x + at, mask=at < n) * 2.5 + 1.0, mask=at < n)
