//===- PointerUseTest.cpp - what a kernel does through its pointers -------===//
//
// What   tz_code_pointer_use of small kernels: reads, writes, and the constant
//        steps from element to element, or that there are others.
// Why    Callers warn of arrays for what it says. A step that is missing in the
//        list would warn of a right program.
//===----------------------------------------------------------------------===//
#include "test/unit/driver/CompilingSession.h"

namespace {

struct Case {
  const char *name;
  const char *body; // of kernel(x, y, n, i), B = 64; `r` is arange(0, B)
  const char *use;  // of x: "r", "w", then the steps, or "other"
};

const Case Cases[] = {
    {"Elementwise", "p = tl.program_id(0) * B + r\n  tl.store(x + p, p, p < n)",
     "w 64"},
    {"Every2nd", "tl.store(y + r, tl.load(x + 2 * r))", "r 2"},
    {"Shifted", "tl.store(y + r, tl.load(x + (r << 3)))", "r 8"},
    {"Rows", "q = r[:, None] * 200 + r[None, :]\n  tl.store(x + q, q)",
     "w 200"},
    {"NestedFactors",
     "p = (tl.program_id(0) * 4 + r) * 50\n  tl.store(x + p, r)", "w 50 200"},
    {"Backwards", "tl.store(x + (n - 3 * r), r)", "w 3"},
    {"RunTimeStride", "tl.store(x + r * i, r)", "w other"},
    {"RunTimeOffset", "tl.store(x + i + r, r)", "w"},
    {"LoadedIndex", "tl.store(x + tl.load(y + r), r)", "w other"},
    {"PartsOfACounter",
     "p = tl.program_id(0) * B + r\n  tl.store(x + p // n * 300 + p % n, r)",
     "w 300"},
    {"Divisors",
     "p = tl.program_id(0) * B + r\n"
     "  tl.store(x + p, p // 7 + (p & 15) + (p >> 5), p % 300 < 290)",
     "w 7 16 32 64 300"},
    {"TurnsOfALoop",
     "for t in range(tl.program_id(0) * B, n, tl.num_programs(0) * B):\n"
     "    tl.store(x + t + r, r)",
     "w 64"},
    {"TurnsByAnArgument",
     "for t in range(0, n, i):\n    tl.store(x + t + r, r)", "w other"},
    {"PointerMoves",
     "q = x + r\n  for t in range(n):\n    tl.store(q, r)\n    q += 100",
     "w 100"},
    {"PointerMovesByAnArgument",
     "q = x + r\n  for t in range(n):\n    tl.store(q, r)\n    q += i",
     "w other"},
    {"IndexMoves",
     "q = r\n  for t in range(n):\n    tl.store(x + q, r)\n    q += 100",
     "w 100"},
    {"IndexMovesByAnArgument",
     "q = r\n  for t in range(n):\n    tl.store(x + q, r)\n    q += i",
     "w other"},
    {"IndexGrows",
     "q = r\n  for t in range(n):\n    tl.store(x + q, r)\n    q *= 2",
     "w other"},
    {"LoopInALoop",
     "q = r\n  for t in range(n):\n    for u in range(n):\n"
     "      tl.store(x + q, r)\n      q += 5\n    q += 1000",
     "w 5 1000"},
    {"Choice", "q = x\n  if n > 3:\n    q = x + 7 * i\n  tl.store(q + r, r)",
     "w 7"},
    {"BlockPointer",
     "b = tl.make_block_ptr(x, (n, 64), (96, 1), (0, 0), (16, 16), (1, 0))\n"
     "  tl.store(b, tl.load(b))",
     "rw 96"},
    {"BlockPointerOfArguments",
     "b = tl.make_block_ptr(x, (n, 64), (i, 1), (0, 0), (16, 16), (1, 0))\n"
     "  tl.store(b, tl.load(b))",
     "rw other"},
    {"Atomic", "tl.atomic_add(x + r, r)", "rw"},
    {"OtherElements",
     "q = x.to(tl.pointer_type(tl.int8), bitcast=True)\n"
     "  tl.store(q + 4 * r, r.to(tl.int8))",
     "w other"},
    {"AsAnInteger", "tl.store(y + r, x.to(tl.int64).to(tl.int32) + r)",
     "unknown"},
    {"NotUsed", "tl.store(y + r, r)", ""},
};

struct PointerUseTest : CompilingSession, testing::WithParamInterface<Case> {
  void SetUp() override { open("null"); }
  void TearDown() override {
    tz_kernel_destroy(kernel);
    close();
  }

  tz_kernel_t kernel = nullptr;
};

TEST_P(PointerUseTest, IsWhatTheSourceSays) {
  std::string text = "import triton\nimport triton.language as tl\n"
                     "@triton.jit\n"
                     "def kernel(x, y, n, i, B: tl.constexpr = 64):\n"
                     "  r = tl.arange(0, B)\n  " +
                     std::string(GetParam().body) + "\n";
  tz_kernel_source source{};
  source.struct_size = sizeof(source);
  source.path = "kernel.py";
  source.text = text.c_str();
  source.text_size = text.size();
  source.function = "kernel";
  ok(tz_kernel_load(session, &source, &kernel));
  tz_arg args[] = {tz_pointer(64, TZ_TYPE_I32), tz_pointer(128, TZ_TYPE_I32),
                   tz_i32(10), tz_i32(11)};
  tz_code_t code = nullptr;
  ok(tz_kernel_compile(kernel, device, args, 4, &code));
  ASSERT_TRUE(code);

  tz_pointer_use use{};
  use.struct_size = sizeof(use);
  tz_status_t status = tz_code_pointer_use(code, 0, &use);
  std::string found = status ? "unknown" : "";
  if (!status) {
    found = std::string(use.is_read ? "r" : "") + (use.is_written ? "w" : "");
    found += use.has_constant_steps ? "" : " other";
    for (uint32_t i = 0; i < use.num_steps; ++i) {
      found += " " + std::to_string(use.steps[i]);
    }
  }
  tz_status_release(status);
  EXPECT_EQ(found, GetParam().use) << text;

  status = tz_code_pointer_use(code, 2, &use); // n is no pointer
  EXPECT_EQ(tz_status_code(status), TZ_E_NOT_FOUND);
  tz_status_release(status);
}

INSTANTIATE_TEST_SUITE_P(Kernels, PointerUseTest, testing::ValuesIn(Cases),
                         [](const auto &info) { return info.param.name; });

} // namespace
