# run: kernel p=*u8 q=*bf16
import triton
import triton.language as tl


@triton.jit
def kernel(p, q):
    bytes = tl.full([16, 32], 1, tl.uint8)
    half = tl.full([64, 16], 1.0, tl.bfloat16)
    scale = tl.full([16, 2], 127, tl.uint8)
    tl.dot_scaled(bytes, scale, "e3m2", half, None, "bf16")
    tl.dot_scaled(half, scale, "e4m3", half, None, "bf16")
    tl.dot_scaled(bytes, 127, "e2m1", half, None, "bf16")
    tl.dot_scaled(bytes, scale.to(tl.float32), "e2m1", half, None, "bf16")
    tl.dot_scaled(bytes, tl.trans(scale), "e2m1", half, None, "bf16")
    tl.dot_scaled(bytes, scale, "e4m3", half, None, "bf16")
    tl.dot_scaled(bytes, None, "e4m3", half, None, "bf16")
    tl.dot_scaled(bytes, scale, "e2m1", half, None, "bf16", out_dtype=tl.float16)
    tl.dot_scaled(p, scale, "e2m1", half, None, "bf16")

# error@11:33: a format of dot_scaled is 'e2m1', 'e4m3', 'e5m2', 'bf16' or 'fp16', found 'e3m2'
# error@12:19: format 'e4m3' does not fit bf16[64, 16]
# error@13:26: a scale of dot_scaled is a tile or None, found int 127
# error@14:26: a scale of dot_scaled is uint8 (powers of two) or fp8e4nv, found fp32[16, 2]
# error@15:26: lhs_scale of dot_scaled must be [16, 2] (one for 32 elements along K), found uint8[2, 16]
# error@16:26: lhs_scale of dot_scaled must be [16, 1] (one for 32 elements along K), found uint8[16, 2]
# error@17:5: dot_scaled of [16, 32] and [64, 16] (unpacked): the inner dimensions differ
# error@18:71: out_dtype of dot_scaled is tl.float32
# error@19:19: dot_scaled needs tiles of two or three dimensions, found run-time scalar *uint8
