# run: kernel o=*fp32 n=i32
import triton
import triton.language as tl


@tl.core.extern
def mystery(x):
    return tl.core.extern_elementwise(
        "", "", [x], {(tl.float32,): ("__nv_mystery", tl.float32)}, True)


@tl.core.extern
def tangent(x):
    return tl.core.extern_elementwise(
        "", "", [x], {(tl.float32,): ("__nv_tanf", tl.float32)}, True)


@triton.jit
def kernel(o, n):
    x = tl.full([4], 1.0, tl.float32)
    tl.inline_asm_elementwise("mov.u32 $0, %smid;", "=r", [], tl.int32, False, 1)
    tl.inline_asm_elementwise("tanh.approx.f32 $0, $1;", "=r,r", [n], tl.int32, True, 1)
    tl.inline_asm_elementwise("tanh.approx.f32 $0, $1;", "=r,r", x, tl.float32, True, 1)
    mystery(x)
    tangent(n)
    tl.atomic_poll(o, 0, timeout_ns=5)
    tl.expect_zero(x, x)

# error@21:31: inline assembly is text for one machine; target 'interp' takes none, and 'mov.u32' is not among the instructions that are understood; write it with operations of the language or libdevice
# error@22:31: instruction 'tanh.approx.f32' is understood with operands and result of fp32 alone
# error@23:66: args of inline_asm_elementwise must be a list, found tile fp32[4]
# error@9:22: symbol '__nv_mystery' is not known on target 'interp': foreign libraries are not linked; the functions of libdevice work everywhere
# note@24:5: in the call of 'mystery' from here
# error@15:22: extern_elementwise has no symbol for these argument types
# note@25:5: in the call of 'tangent' from here
# error@26:5: static assertion failed: atomic_poll: no target has a clock for timeout_ns; leave it out
# note@waiting.py:9:5: in the source of the library
# error@27:23: the mask of expect_zero must be int1, found fp32[4]
