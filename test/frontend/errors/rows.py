# run: kernel o=*fp32 c=*kfp32 q=*i32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(o, c, q, n):
    i = tl.arange(0, 8)
    block = tl.make_tensor_descriptor(o, (n, n), (n, 1), (2, 4))
    row = tl.make_tensor_descriptor(o, (n, n), (n, 1), (1, 4))
    fixed = tl.make_tensor_descriptor(c, (n, n), (n, 1), (1, 4))
    block.gather(i, 0)
    row.gather(tl.arange(0, 4), 0)
    row.gather(i.to(tl.int64), 0)
    row.gather(i, i)
    row.gather(i, 0.5)
    row.scatter(tl.zeros([8, 8], tl.float32), i, 0)
    fixed.scatter(tl.zeros([8, 4], tl.float32), i, 0)
    row.atomic_add((0,), tl.zeros([1, 4], tl.float32))
    row.atomic_add((0, 0), tl.zeros([4], tl.float32))
    row.atomic_and((0, 0), tl.zeros([1, 4], tl.float32))
    row.atomic_add((0, 0))

# error@12:5: a descriptor's gather needs a tensor descriptor of two dimensions with blocks of one row, found tensor descriptor fp32[2, 4]
# error@13:5: rows of a descriptor's gather must be a tile of one dimension with 8 or more elements of int16 or int32, found int32[4]
# error@14:5: rows of a descriptor's gather must be a tile of one dimension with 8 or more elements of int16 or int32, found int64[8]
# error@15:5: the column of a descriptor's gather must be an integer scalar of up to 32 bits, found int32[8]
# error@16:5: the column of a descriptor's gather must be an integer scalar of up to 32 bits, found fp32
# error@17:5: a descriptor's scatter of 8 rows takes a tile of shape [8, 4], found fp32[8, 8]
# error@18:5: tl.store writes through the const pointer *const fp32[8, 4]
# error@19:5: one offset a dimension is needed, found 1 for tensor descriptor fp32[1, 4]
# error@20:5: a descriptor's atomic takes a tile of shape [1, 4], found fp32[4]
# error@21:5: tl.atomic_and is not defined on fp32
# error@22:5: a descriptor's atomic needs offsets and a value
