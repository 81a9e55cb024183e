import triton
import triton.language as tl
@triton.jit
def f0(a:tl.constexpr):
    pass
@triton.jit
def f1(a:tl.constexpr):
    f0(a)
    f0(a)
@triton.jit
def f2(a:tl.constexpr):
    f1(a)
    f1(a)
@triton.jit
def f3(a:tl.constexpr):
    f2(a)
    f2(a)
@triton.jit
def f4(a:tl.constexpr):
    f3(a)
    f3(a)
@triton.jit
def f5(a:tl.constexpr):
    f4(a)
    f4(a)
@triton.jit
def f6(a:tl.constexpr):
    f5(a)
    f5(a)
@triton.jit
def f7(a:tl.constexpr):
    f6(a)
    f6(a)
@triton.jit
def f8(a:tl.constexpr):
    f7(a)
    f7(a)
@triton.jit
def f9(a:tl.constexpr):
    f8(a)
    f8(a)
@triton.jit
def f10(a:tl.constexpr):
    f9(a)
    f9(a)
@triton.jit
def f11(a:tl.constexpr):
    f10(a)
    f10(a)
@triton.jit
def f12(a:tl.constexpr):
    f11(a)
    f11(a)
@triton.jit
def f13(a:tl.constexpr):
    f12(a)
    f12(a)
@triton.jit
def f14(a:tl.constexpr):
    f13(a)
    f13(a)
@triton.jit
def f15(a:tl.constexpr):
    f14(a)
    f14(a)
@triton.jit
def f16(a:tl.constexpr):
    f15(a)
    f15(a)
@triton.jit
def f17(a:tl.constexpr):
    f16(a)
    f16(a)
@triton.jit
def f18(a:tl.constexpr):
    f17(a)
    f17(a)
@triton.jit
def f19(a:tl.constexpr):
    f18(a)
    f18(a)
@triton.jit
def f20(a:tl.constexpr):
    f19(a)
    f19(a)
@triton.jit
def f21(a:tl.constexpr):
    f20(a)
    f20(a)
@triton.jit
def f22(a:tl.constexpr):
    f21(a)
    f21(a)
@triton.jit
def f23(a:tl.constexpr):
    f22(a)
    f22(a)
@triton.jit
def f24(a:tl.constexpr):
    f23(a)
    f23(a)
@triton.jit
def f25(a:tl.constexpr):
    f24(a)
    f24(a)
@triton.jit
def f26(a:tl.constexpr):
    f25(a)
    f25(a)
@triton.jit
def f27(a:tl.constexpr):
    f26(a)
    f26(a)
@triton.jit
def f28(a:tl.constexpr):
    f27(a)
    f27(a)
@triton.jit
def f29(a:tl.constexpr):
    f28(a)
    f28(a)
@triton.jit
def f30(a:tl.constexpr):
    f29(a)
    f29(a)
@triton.jit
def f31(a:tl.constexpr):
    f30(a)
    f30(a)
@triton.jit
def f32(a:tl.constexpr):
    f31(a)
    f31(a)
@triton.jit
def f33(a:tl.constexpr):
    f32(a)
    f32(a)
@triton.jit
def f34(a:tl.constexpr):
    f33(a)
    f33(a)
@triton.jit
def f35(a:tl.constexpr):
    f34(a)
    f34(a)
@triton.jit
def f36(a:tl.constexpr):
    f35(a)
    f35(a)
@triton.jit
def f37(a:tl.constexpr):
    f36(a)
    f36(a)
@triton.jit
def f38(a:tl.constexpr):
    f37(a)
    f37(a)
@triton.jit
def f39(a:tl.constexpr):
    f38(a)
    f38(a)
@triton.jit
def f40(a:tl.constexpr):
    f39(a)
    f39(a)
@triton.jit
def f41(a:tl.constexpr):
    f40(a)
    f40(a)
@triton.jit
def f42(a:tl.constexpr):
    f41(a)
    f41(a)
@triton.jit
def f43(a:tl.constexpr):
    f42(a)
    f42(a)
@triton.jit
def f44(a:tl.constexpr):
    f43(a)
    f43(a)
@triton.jit
def k(x_ptr,n):
    f44(1)
