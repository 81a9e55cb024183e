# run: kernel o=*fp32 q=*i32 n=i32
import triton
import triton.language as tl


@triton.aggregate
class Pair:
    first: tl.tensor
    second: tl.constexpr

    @triton.jit
    def __init__(self, first, second):
        self.first = first
        self.second = second


@triton.aggregate
class Half:
    first: tl.tensor
    second: tl.tensor

    @triton.jit
    def __init__(self, first):
        self.first = first
        self.third = first


@triton.aggregate
class Branch:
    first: tl.tensor

    @triton.jit
    def __init__(self, first):
        self.first = first
        if first > 0:
            self.first = -first


@triton.aggregate
class Knot:
    first: tl.tuple

    @triton.jit
    def __init__(self, first):
        self.first = (first, self)


@triton.jit
def stores(x, p):
    tl.store(p, x)
    return x


@triton.jit
def makes_tile(x):
    return tl.sum(tl.arange(0, 4)) + x


@triton.jit
def gives_tile(x):
    return tl.zeros([4], tl.int32)


@triton.jit
def one(x, y):
    return x


@triton.jit
def two(x, y):
    return x, y.to(tl.float32)


def host(x):
    return x


@triton.jit
def kernel(o, q, n):
    p = Pair(n, 3)
    p.first = 1
    a = Pair(n, n)
    b = Half(n)
    c = Branch(n)
    d = p + 1
    e = p.frist
    f = tl.aggregate_replace(p, secnd=1)
    g = tl.aggregate_replace(n, first=1)
    i = tl.arange(0, 8)
    h = tl.map_elementwise(host, i)
    j = tl.map_elementwise(stores, i, q)
    k = tl.map_elementwise(makes_tile, i)
    m = tl.map_elementwise(gives_tile, i)
    r = tl.map_elementwise(one, i, pack=2)
    s = tl.map_elementwise(two, i, pack=2)
    t = tl.map_elementwise(one, i, pack=3)
    u = Knot(n)
    with n:
        pass
    with Pair(n, 1):
        return

# error@81:5: fields of an aggregate are set only by its __init__; use tl.aggregate_replace
# error@82:9: field 'second' of Pair is a constexpr and needs a value known at compile time, found run-time scalar int32
# error@25:9: Half has no field 'third'
# note@83:9: in the call of '__init__' from here
# error@83:9: __init__ of Half does not set field 'second'
# error@36:13: __init__ sets field 'first' in a run-time branch or loop; set it once, at the end
# note@84:9: in the call of '__init__' from here
# error@85:11: operator '+' is not supported between Pair and int 1
# error@86:11: Pair has no attribute 'frist'; did you mean 'first'?
# error@87:9: Pair has no field 'secnd'; did you mean 'second'?
# error@88:30: aggregate_replace needs an aggregate, found run-time scalar int32
# error@90:28: the function of map_elementwise must be a jit function, found function 'host'
# error@91:9: the function of map_elementwise must not access memory, print or assert
# error@92:9: the function of map_elementwise works on scalars and must not make tiles
# error@93:9: the function of map_elementwise must return scalars, found tile int32[4]
# error@94:9: the function of map_elementwise must return a multiple of pack (2) values, found 1
# error@95:9: the values of one pack must have one type, found int32[4] and fp32[4]
# error@96:9: pack of map_elementwise must be a power of two that divides the number of elements (8), found 3
# error@45:9: field 'first' of Knot cannot hold the aggregate itself
# note@97:9: in the call of '__init__' from here
# error@98:10: 'with' needs an aggregate with __enter__ and __exit__ or a scope of the profiler, found run-time scalar int32
# error@100:5: return, break and continue inside a 'with' are not supported in kernel code
