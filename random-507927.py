# tz run ./random-507927.py::kernel --grid 1,1,1 --seed 507927 --arg 'x1=randint(-9,10):u16[64]' --arg 'x2=randint(-9,10):u16[64]' --arg 'x3=randint(0,2):bool[64]' --arg 'o10=full(77):u16[64]' --target cpu --compare interp
#   the target fails
#   error: cpu: invalid code was made for the kernel: Instruction does not dominate all uses!
#     %46 = getelementptr i16, ptr %13, i64 %37
#     %135 = ptrtoint ptr %46 to i64
#   Instruction does not dominate all uses!
#     %46 = getelementptr i16, ptr %13, i64 %37
#     %148 = ptrtoint ptr %46 to i64
#   Instruction does not dominate all uses!
#     %46 = getelementptr i16, ptr %13, i64 %37
#     %160 = ptrtoint ptr %46 to i64
#   
import triton
import triton.language as tl


@triton.jit
def kernel(x1, x2, x3, o10):
    pid = tl.program_id(0)
    v2 = ((tl.load(x1 + (0) * 64 + tl.arange(0, 64)) >> (tl.load(tl.make_block_ptr(x2, (64,), (1,), ((pid) * 64,), (64,), (0,)), boundary_check=(0,)) & 67)) * tl.where(tl.load(x3 + (pid) * 64 + tl.arange(0, 64)), (tl.full((64, ), 5, tl.uint16) * (tl.arange(0, 64) * 4 - 4).to(tl.uint16)), tl.full((64, ), 1, tl.uint16)))
    tl.store(o10 + pid * 64 + tl.arange(0, 64), v2)
