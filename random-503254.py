# tz run ./random-503254.py::kernel --grid 1,1,1 --seed 503254 --arg 'x2=randint(-9,10):f32[126]' --arg 'o9=full(77):f32[64]' --target cpu --compare interp
#   the target fails
#   error: cpu: invalid code was made for the kernel: Instruction does not dominate all uses!
#     %43 = getelementptr float, ptr %9, i64 %42
#     %102 = ptrtoint ptr %43 to i64
#   Instruction does not dominate all uses!
#     %43 = getelementptr float, ptr %9, i64 %42
#     %114 = ptrtoint ptr %43 to i64
#   Instruction does not dominate all uses!
#     %43 = getelementptr float, ptr %9, i64 %42
#     %125 = ptrtoint ptr %43 to i64
#   
import triton
import triton.language as tl


@triton.jit
def function0(v6, v7):
    return (tl.full((64, ), 1, tl.float32) / (tl.abs(v6) + 1.0)).to(tl.float32)


@triton.jit
def kernel(x2, o9):
    pid = tl.program_id(0)
    v5 = tl.full((64, ), 2.0, tl.float32)
    v3 = tl.make_block_ptr(x2, (126,), (1,), (pid * 128,), (64,), (0,))
    for v2 in range(0, 2):
        v4 = tl.load(v3, boundary_check=(0,))
        v5 = tl.fma(function0(tl.load(x2 + (0) * 64 + tl.arange(0, 64)), tl.full((64, ), 1, tl.int32)), tl.full((64, ), 0.0, tl.float32), tl.make_tensor_descriptor(x2, (64,), (1,), (64,)).load(((pid) * 64,)))
        v3 = tl.advance(v3, (64,))
    tl.store(o9 + pid * 64 + tl.arange(0, 64), v5)
