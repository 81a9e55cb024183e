import triton
import triton.language as tl
A=(-2**127)//-1
B=-2**126*2
C=(-2**127+0)%-1
D=abs(-2**127)
E=1//0
F=1%0
G=1<<-1
H=1>>(1<<70)
I=2**-1
J=0**-1
K=int(1e300)
L=round(1e300)
M=int("9"*200)
N=int(float("nan"))
O=range(0,10,0)
P=[1,2][10**20]
Q=[1][::0]
R="a"[-2**100:2**100:2**99]
@triton.jit
def k(x_ptr, n):
    tl.store(x_ptr, 1.0)
