"""Kernels whose programs race, and kernels whose programs do not. Grid 3, data and flags are zeros:i32.
The lines of the two accesses that race end in "race"; one line if both are of it."""
import triton
import triton.language as tl


@triton.jit
def racy_one_element(data, flags):
    tl.store(data, tl.program_id(0))  # race


@triton.jit
def racy_tiles_that_overlap(data, flags):
    pid = tl.program_id(0)
    tl.store(data + pid * 32 + tl.arange(0, 64), pid)  # race


@triton.jit
def racy_mask_one_too_far(data, flags):
    pid = tl.program_id(0)
    at = pid * 40 + tl.arange(0, 64)
    tl.store(data + at, pid + 1, mask=at <= pid * 40 + 40)  # race


@triton.jit
def racy_reads_of_the_next_tile(data, flags):
    pid = tl.program_id(0)
    at = tl.arange(0, 32)
    next = tl.load(data + (pid + 1) * 32 + at)  # race
    tl.store(data + pid * 32 + at, next + 1)  # race


@triton.jit
def racy_flag_without_order(data, flags):
    at = tl.arange(0, 32)
    if tl.program_id(0) == 0:
        tl.store(data + at, 5)  # race
        tl.atomic_xchg(flags, 1, sem="relaxed")
    if tl.program_id(0) == 2:
        seen = 0
        while seen == 0:
            seen = tl.atomic_add(flags, 0, sem="relaxed")
        tl.store(data + 64 + at, tl.load(data + at))  # race


@triton.jit
def racy_flag_without_release(data, flags):
    at = tl.arange(0, 32)
    if tl.program_id(0) == 0:
        tl.store(data + at, 5)  # race
        tl.atomic_xchg(flags, 1, sem="acquire")
    if tl.program_id(0) == 2:
        seen = 0
        while seen == 0:
            seen = tl.atomic_add(flags, 0, sem="acquire")
        tl.store(data + 64 + at, tl.load(data + at))  # race


@triton.jit
def racy_flag_without_acquire(data, flags):
    at = tl.arange(0, 32)
    if tl.program_id(0) == 0:
        tl.store(data + at, 5)  # race
        tl.atomic_xchg(flags, 1, sem="release")
    if tl.program_id(0) == 2:
        seen = 0
        while seen == 0:
            seen = tl.atomic_add(flags, 0, sem="release")
        tl.store(data + 64 + at, tl.load(data + at))  # race


@triton.jit
def racy_flag_of_a_narrow_scope(data, flags):
    at = tl.arange(0, 32)
    if tl.program_id(0) == 0:
        tl.store(data + at, 5)
        tl.atomic_xchg(flags, 1, scope="cta")  # race
    if tl.program_id(0) == 2:
        seen = 0
        while seen == 0:
            seen = tl.atomic_add(flags, 0)  # race
        tl.store(data + 64 + at, tl.load(data + at))


@triton.jit
def racy_look_of_a_narrow_scope(data, flags):
    at = tl.arange(0, 32)
    if tl.program_id(0) == 0:
        tl.store(data + at, 5)
        tl.atomic_xchg(flags, 1)  # race
    if tl.program_id(0) == 2:
        seen = 0
        while seen == 0:
            seen = tl.atomic_add(flags, 0, scope="cta")  # race
        tl.store(data + 64 + at, tl.load(data + at))


@triton.jit
def racy_count_without_atomics(data, flags):
    seen = tl.load(data)  # race
    tl.store(data, seen + 1)  # race


@triton.jit
def racy_store_beside_atomics(data, flags):
    if tl.program_id(0) == 0:
        tl.atomic_add(data, 3)  # race
    if tl.program_id(0) == 1:
        tl.store(data, 7)  # race


@triton.jit
def racy_sum_of_parts(data, flags):
    pid = tl.program_id(0)
    at = tl.arange(0, 4)
    tl.store(data + pid, pid + 1)  # race
    if pid == 2:
        tl.store(data + 32, tl.sum(tl.load(data + at, mask=at < 3)))  # race


@triton.jit
def racy_data_behind_the_flag(data, flags):
    at = tl.arange(0, 32)
    if tl.program_id(0) == 0:
        tl.atomic_xchg(flags, 1)
        tl.store(data + at, 5)  # race
    if tl.program_id(0) == 1:
        seen = 0
        while seen == 0:
            seen = tl.atomic_add(flags, 0)
        tl.store(data + 64 + at, tl.load(data + at))  # race


@triton.jit
def racy_read_before_the_look(data, flags):
    at = tl.arange(0, 32)
    if tl.program_id(0) == 0:
        tl.store(data + at, 5)  # race
        tl.atomic_xchg(flags, 1)
    if tl.program_id(0) == 1:
        early = tl.load(data + at)  # race
        seen = 0
        while seen == 0:
            seen = tl.atomic_add(flags, 0)
        tl.store(data + 64 + at, early)


@triton.jit
def racy_flag_that_is_stored(data, flags):
    if tl.program_id(0) == 0:
        tl.store(flags, 1)  # race
    if tl.program_id(0) == 1:
        seen = 0
        while seen == 0:
            seen = tl.load(flags, volatile=True)  # race
        tl.store(data, seen)


@triton.jit
def ordered_tiles_of_their_own(data, flags):
    pid = tl.program_id(0)
    tl.store(data + pid * 64 + tl.arange(0, 64), pid)


@triton.jit
def ordered_elements_in_between(data, flags):
    pid = tl.program_id(0)
    tl.store(data + tl.arange(0, 64) * 3 + pid, pid)


@triton.jit
def ordered_reads_of_the_same(data, flags):
    pid = tl.program_id(0)
    at = tl.arange(0, 32)
    tl.store(data + 64 + pid * 32 + at, tl.load(data + at))


@triton.jit
def ordered_counts(data, flags):
    tl.atomic_add(data, 1, sem="relaxed")
    tl.atomic_max(flags + tl.arange(0, 4), tl.program_id(0), sem="relaxed")


@triton.jit
def ordered_by_a_flag(data, flags):
    at = tl.arange(0, 32)
    if tl.program_id(0) == 0:
        tl.store(data + at, 5)
        tl.atomic_xchg(flags, 1, sem="release")
    if tl.program_id(0) == 2:
        seen = 0
        while seen == 0:
            seen = tl.atomic_add(flags, 0, sem="acquire")
        tl.store(data + 64 + at, tl.load(data + at))


@triton.jit
def ordered_by_a_flag_of_the_system(data, flags):
    at = tl.arange(0, 32)
    if tl.program_id(0) == 0:
        tl.store(data + at, 5)
        tl.atomic_cas(flags, 0, 1, scope="sys")
    if tl.program_id(0) == 2:
        seen = 0
        while seen == 0:
            seen = tl.atomic_cas(flags, 1, 1)
        tl.store(data + 64 + at, tl.load(data + at))


@triton.jit
def ordered_by_a_chain(data, flags):
    pid = tl.program_id(0)
    at = tl.arange(0, 32)
    if pid == 0:
        tl.store(data + at, 5)
    if pid > 0:
        seen = 0
        while seen == 0:
            seen = tl.atomic_add(flags + pid - 1, 0)
    if pid == 2:
        tl.store(data + 64 + at, tl.load(data + at))
    tl.atomic_xchg(flags + pid, 1)


@triton.jit
def ordered_by_a_tile_of_flags(data, flags):
    at = tl.arange(0, 32)
    if tl.program_id(0) == 0:
        tl.store(data + at, 5)
        tl.atomic_xchg(flags + at, 1, sem="release")
    if tl.program_id(0) == 1:
        seen = 0
        while seen == 0:
            seen = tl.min(tl.atomic_add(flags + at, 0, sem="acquire"), 0)
        tl.store(data + 64 + at, tl.load(data + 31 - at))


@triton.jit
def ordered_by_the_last_one(data, flags):
    pid = tl.program_id(0)
    at = tl.arange(0, 4)
    tl.store(data + pid, pid + 1)
    if tl.atomic_add(flags, 1) == 2:
        tl.store(data + 32, tl.sum(tl.load(data + at, mask=at < 3)))


@triton.jit
def ordered_by_a_lock(data, flags):
    taken = 1
    while taken == 1:
        taken = tl.atomic_cas(flags, 0, 1, sem="acquire")
    tl.store(data, tl.load(data) + 1)
    tl.atomic_xchg(flags, 0, sem="release")


@triton.jit
def ordered_within_a_program(data, flags):
    pid = tl.program_id(0)
    at = tl.arange(0, 64)
    tl.store(data + pid * 64 + at, at)
    tl.store(data + pid * 64 + at, tl.load(data + pid * 64 + 63 - at) + 1)


@triton.jit
def ordered_behind_a_barrier(data, flags):
    pid = tl.program_id(0)
    at = tl.arange(0, 64)
    tl.store(data + pid * 64 + at, at)
    tl.debug_barrier()
    tl.store(data + pid * 64 + at, tl.load(data + pid * 64 + 63 - at) + 1)


@triton.jit
def ordered_counts_of_a_narrow_scope(data, flags):
    at = tl.arange(0, 64)
    tl.atomic_add(flags + tl.program_id(0) + 0 * at, at, scope="cta")


@triton.jit
def ordered_looks_at_a_flag(data, flags):
    if tl.program_id(0) == 0:
        tl.atomic_xchg(flags, 1, sem="relaxed")
    if tl.program_id(0) == 1:
        seen = 0
        while seen == 0:
            seen = tl.load(flags, volatile=True)
        tl.store(data, seen)
