//===- AllocationTest.cpp - a launch allocates nothing --------------------===//
//
// What   Counts operator new over launches of a known specialisation.
// Why    The hot path is promised to take no memory; this file replaces the
//        global operators, so the count sees every library in the program.
//===----------------------------------------------------------------------===//
#include "test/unit/runtime/CountingCompiler.h"

#include <atomic>
#include <cstdlib>

// A sanitizer has operators of its own, which cannot be replaced beside it.
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TZ_COUNTS_ALLOCATIONS 0
#else
#define TZ_COUNTS_ALLOCATIONS 1
#endif

static std::atomic<uint64_t> allocations{0};

#if TZ_COUNTS_ALLOCATIONS
void *operator new(size_t size) {
  ++allocations;
  if (void *p = std::malloc(size ? size : 1)) {
    return p;
  }
  throw std::bad_alloc();
}
void operator delete(void *p) noexcept { std::free(p); }
void operator delete(void *p, size_t) noexcept { std::free(p); }
#endif

namespace {

TEST_F(SessionApi, ALaunchOfAKnownSpecialisationAllocatesNothing) {
  if (!TZ_COUNTS_ALLOCATIONS) {
    GTEST_SKIP() << "a sanitizer owns operator new in this build";
  }
  Echo::instance().record = false;
  tz_arg args[] = {tz_pointer(64, TZ_TYPE_F32), tz_i32(24), tz_f32(2),
                   tz_i32(128)};
  int64_t grid[3] = {4, 1, 1};
  ok(tz_kernel_launch(kernel, stream, grid, args, 4));
  uint64_t before = allocations;
  for (int i = 0; i < 100; ++i) {
    ok(tz_kernel_launch(kernel, stream, grid, args, 4));
  }
  EXPECT_EQ(allocations - before, 0u);
}

} // namespace
