# tz run ./random-7186.py::kernel --grid 1,1,1 --seed 7186 --arg 'x0=randint(0,2):bool[32]' --arg 'x2=randint(-9,10):i32[32]' --arg 'x4=randint(-9,10):u16[32]' --arg 'x5=randint(0,2):bool[32]' --arg 'o7=full(77):i32[32]' --arg n=i32:493 --target cpu --compare interp
#   the target fails
#   error: cpu: invalid code was made for the kernel: Instruction does not dominate all uses!
#     %68 = getelementptr i32, ptr %15, i64 %52
#     %235 = ptrtoint ptr %68 to i64
#   Instruction does not dominate all uses!
#     %68 = getelementptr i32, ptr %15, i64 %52
#     %257 = ptrtoint ptr %68 to i64
#   Instruction does not dominate all uses!
#     %68 = getelementptr i32, ptr %15, i64 %52
#     %278 = ptrtoint ptr %68 to i64
#   
import triton
import triton.language as tl


@triton.jit
def kernel(x0, x2, x4, x5, o7, n):
    pid = tl.program_id(0)
    v2 = tl.maximum((tl.load(x2 + (pid) * 32 + tl.arange(0, 32)) >> (tl.load(tl.make_block_ptr(x2, (32,), (1,), ((pid) * 32,), (32,), (0,)), boundary_check=(0,)) & 67)), tl.where(tl.where(tl.load(x0 + (pid) * 32 + tl.arange(0, 32)), (~(tl.load(x4 + (pid) * 32 + tl.arange(0, 32), mask=((pid) * 32 + tl.arange(0, 32) < n) & (((~(tl.load(x5 + (pid) * 32 + tl.arange(0, 32)) ^ tl.load(x0 + (pid) * 32 + tl.arange(0, 32), mask=((tl.cat(tl.full((16, ), False, tl.int1), tl.full((16, ), True, tl.int1), can_reorder=True)).to(tl.int32) * 3 % 2 == 1))))).to(tl.int32) * 3 % 2 == 1), other=2, cache_modifier=".cg") != tl.full((32, ), 3, tl.uint16))), tl.load(x0 + (0) * 32 + tl.arange(0, 32))), (tl.arange(0, 32) * 1 - 9).to(tl.int32), tl.full((32, ), 9, tl.int32)))
    tl.store(o7 + pid * 32 + tl.arange(0, 32), v2)
