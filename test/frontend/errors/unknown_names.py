# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.lod(x)
    b = tl.aragne(0, 8)
    c = nn + 1
    d = x.dtype.elemnt_ty
    e = a + b + c  # no further error: a, b and c are already reported
    f = tl.load(x, maks=True)

# error@8:12: module 'triton.language' has no name 'lod'; did you mean 'load'?
# error@9:12: module 'triton.language' has no name 'aragne'; did you mean 'arange'?
# error@10:9: name 'nn' is not defined; did you mean 'n'?
# error@11:17: dtype *fp32 has no attribute 'elemnt_ty'
# error@13:25: tl.load has no parameter 'maks'; did you mean 'mask'?
