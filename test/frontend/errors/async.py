# run: waits x=*fp32
# run: calls x=*fp32
# run: loops x=*fp32
import triton
import triton.language as tl


@triton.jit
async def waits(x):
    tl.store(x, 1.0)


@triton.jit
async def helper(x):
    tl.store(x, 1.0)


@triton.jit
def calls(x):
    helper(x)
    tl.store(x, size())


async def size():
    async with open("x") as file:
        return file.size
    async for line in file:
        pass


@triton.jit
def loops(x):
    async for i in range(4):
        tl.store(x, 1.0)
    async with x:
        tl.store(x, 1.0)

# error@9:1: 'async def' is not supported in kernel code; write 'def'
# error@14:1: 'async def' is not supported in kernel code; write 'def'
# error@21:17: 'size' is an 'async def': its call gives a coroutine, not a value
# error@33:5: 'async for' is not supported in kernel code
# error@35:5: 'async with' is not supported in kernel code
