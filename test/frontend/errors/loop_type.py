# run: kernel x=*fp16 n=i32
# run: in_while x=*fp16 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    acc = tl.zeros([16], tl.float32)
    count = 0
    for i in range(n):
        acc = (acc + i).to(tl.float16)
        count += 1
    tl.store(x, count)


@triton.jit
def in_while(x, n):
    total = 0
    i = 0
    while i < n:
        total = total + tl.load(x).to(tl.float32)
        i += 1

# error@12:9: loop-carried variable 'acc' changes type: tile fp32[16] before the loop, tile fp16[16] after one iteration; give it the later type before the loop
# note@9:5: its type before the loop is tile fp32[16]
# error@22:9: loop-carried variable 'total' changes type: run-time scalar int32 before the loop, run-time scalar fp32 after one iteration; give it the later type before the loop
# note@19:5: its type before the loop is run-time scalar int32
