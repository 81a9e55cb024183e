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
    tl.inline_asm_elementwise("add.f32 $0, $1;", "=f,f", [x], tl.float32, True, 1)
    tl.inline_asm_elementwise("add.f32 t, $1, $1; mov.f32 $0, u;", "=f,f", [x], tl.float32, True, 1)
    tl.inline_asm_elementwise("mov.b64 $0, $1;", "=l,f", [x], tl.int64, True, 1)
    tl.inline_asm_elementwise("add.f32 t, $1, $1;", "=f,f", [x], tl.float32, True, 1)
    tl.inline_asm_elementwise("mov.b32 $0, $1;", "=l,f", [x], tl.int64, True, 1)
    tl.inline_asm_elementwise("add.f32 $0, $1, 1x;", "=f,f", [x], tl.float32, True, 1)
    tl.inline_asm_elementwise("tanh.approx.f32 $0, $1;", "=f,f", [x], tl.float32, True, 3)
    tl.inline_asm_elementwise("tanh.approx.f32 $0, $1;", "=f,f", [x], 32, True, 1)
    tl.inline_asm_elementwise("add.rm.sat.f32 $0, $1, $1;", "=f,f", [x], tl.float32, True, 1)
    tl.inline_asm_elementwise("again: bra again;", "=f,f", [x], tl.float32, True, 1)
    tl.inline_asm_elementwise("mov.b32 $0, {t, t};", "=f,f", [x], tl.float32, True, 1)
    mystery(x)
    tangent(n)
    tl.atomic_poll(o, 0, timeout_ns=5)
    tl.expect_zero(x, x)

# error@21:31: inline assembly is text for one machine; target 'interp' takes none, and '%smid' is not among the instructions that are understood; write it with operations of the language or libdevice
# error@23:66: args of inline_asm_elementwise must be a list, found tile fp32[4]
# error@24:31: instruction 'add.f32' takes 3 operands, found 2
# error@25:31: 'u' is read before it is set
# error@26:31: instruction 'mov.b64' reads '$1' as uint64, but it holds fp32
# error@27:31: inline assembly does not set its result '$0'
# error@28:31: result '$0' of inline assembly is int64, but it holds uint32
# error@29:31: inline assembly is text for one machine; target 'interp' takes none, and '1x' is not among the instructions that are understood; write it with operations of the language or libdevice
# error@30:89: pack of inline_asm_elementwise must be 1, 2, 4, 8 or 16, found 3
# error@31:71: dtype of inline_asm_elementwise is a type or a list of types, found int 32
# error@32:31: inline assembly is text for one machine; target 'interp' takes none, and 'add.rm.sat.f32' is not among the instructions that are understood; write it with operations of the language or libdevice
# error@33:31: inline assembly is text for one machine; target 'interp' takes none, and 'again:' is not among the instructions that are understood; write it with operations of the language or libdevice
# error@34:31: 't' is read before it is set
# error@9:22: symbol '__nv_mystery' is not known on target 'interp': foreign libraries are not linked; the functions of libdevice work everywhere
# note@35:5: in the call of 'mystery' from here
# error@15:22: extern_elementwise has no symbol for these argument types
# note@36:5: in the call of 'tangent' from here
# error@37:5: static assertion failed: atomic_poll: no target has a clock for timeout_ns; leave it out
# note@waiting.py:9:5: in the source of the library
# error@38:23: the mask of expect_zero must be int1, found fp32[4]
