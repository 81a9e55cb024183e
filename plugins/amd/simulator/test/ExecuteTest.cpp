//===- ExecuteTest.cpp - kernels that LLVM compiled -----------------------===//
//
// What   Runs kernels.ll and compares with plain C++.
//===----------------------------------------------------------------------===//
#include "plugins/amd/simulator/test/Fixture.h"

#include <cmath>
#include <limits>
#include <numeric>

namespace tz::amd::sim {

namespace {

using half = _Float16;

class ExecuteTest : public SimulatorTest,
                    public testing::WithParamInterface<const char *> {
protected:
  Module module{memory, readKernels("kernels", GetParam())};
};
INSTANTIATE_TEST_SUITE_P(Processors, ExecuteTest,
                         testing::Values("gfx942", "gfx950", "gfx1100"),
                         [](const auto &info) {
                           return std::string(info.param);
                         });

/// What is of gfx942 alone: MFMA, and lanes beyond the 32 of a wave.
class WideWaveTest : public SimulatorTest {
protected:
  Module module{memory, readKernels("kernels")};
  Module products{memory, readKernels("products")};
};

TEST_P(ExecuteTest, Saxpy) {
  std::vector<float> x(500), y(500);
  std::iota(x.begin(), x.end(), 1.0f);
  std::iota(y.begin(), y.end(), -7.0f);
  float *out = device(y);
  const Report report =
      run(module, "saxpy", {.groups = {2, 1, 1}, .items = {256, 1, 1}}, out,
          device(x), 0.5f, int32_t(499));
  EXPECT_EQ(text(report), "");
  for (size_t i = 0; i < 499; ++i) {
    ASSERT_EQ(out[i], 0.5f * x[i] + y[i]) << i;
  }
  EXPECT_EQ(out[499], y[499]);
  EXPECT_GT(report.counts[size_t(Class::Memory)], 0u);
}

TEST_P(ExecuteTest, ReduceThroughSharedMemory) {
  std::vector<float> x(768);
  std::iota(x.begin(), x.end(), 0.0f);
  float *out = device(std::vector<float>(3));
  const Report report =
      run(module, "reduce", {.groups = {3, 1, 1}, .items = {256, 1, 1}}, out,
          device(x));
  EXPECT_EQ(text(report), "");
  for (size_t group = 0; group < 3; ++group) {
    EXPECT_EQ(out[group],
              std::accumulate(&x[group * 256], &x[group * 256] + 256, 0.0f));
  }
  // Eight barriers of each wave, three times.
  EXPECT_EQ(report.counts[size_t(Class::Barrier)],
            3 * 8 * 256 / module.machine().lanes);
}

TEST_P(ExecuteTest, HistogramByAtomics) {
  std::vector<int32_t> x(512), expected(16);
  for (int i = 0; i < 512; ++i) {
    x[size_t(i)] = i * i / 7;
    ++expected[size_t(x[size_t(i)] & 15)];
  }
  int32_t *counts = device(std::vector<int32_t>(16));
  const Report report =
      run(module, "histogram", {.groups = {2, 1, 1}, .items = {256, 1, 1}},
          counts, device(x));
  EXPECT_EQ(text(report), "");
  EXPECT_EQ(std::vector<int32_t>(counts, counts + 16), expected);
}

TEST_P(ExecuteTest, DivisionIsCorrectlyRounded) {
  const double tiny = std::numeric_limits<double>::denorm_min();
  const double large = std::numeric_limits<double>::max();
  std::vector<double> x = {1, 10, -7, 1e300, large, tiny, 3e-310, 0, 1, -1},
                      y = {3, 7, 3, 1e-300, 3, 3, 1e-5, 5, 0, large};
  std::vector<int64_t> n = {7, -7, 1LL << 40, 123456789012345, -5, 9, 8,
                            7, 6,  5},
                       d = {2, 2, -3, 1234567, 7, 9, -1, 1LL << 33, 4, 3};
  x.resize(64, 22), y.resize(64, 7), n.resize(64, 100), d.resize(64, 9);
  double *out = device(std::vector<double>(64));
  int64_t *whole = device(std::vector<int64_t>(64));
  const Report report = run(module, "divide", {.items = {64, 1, 1}}, out,
                            device(x), device(y), whole, device(n), device(d));
  EXPECT_EQ(text(report), "");
  for (size_t i = 0; i < 64; ++i) {
    EXPECT_EQ(out[i], x[i] / y[i]) << x[i] << " / " << y[i];
    EXPECT_EQ(whole[i], n[i] / d[i]) << n[i] << " / " << d[i];
  }
}

TEST_P(ExecuteTest, FloatDivisionIsCorrectlyRounded) {
  std::vector<float> x(64), y(64);
  for (int i = 0; i < 64; ++i) {
    // Quotients over the whole range, denormals among them.
    x[size_t(i)] = std::ldexp(1.0f + float(i) / 64, 4 * i - 128);
    y[size_t(i)] = std::ldexp(1.7f - float(i) / 128, 100 - 3 * i);
  }
  float *out = device(std::vector<float>(64));
  const Report report =
      run(module, "divide32", {.items = {64, 1, 1}}, out, device(x), device(y));
  EXPECT_EQ(text(report), "");
  for (size_t i = 0; i < 64; ++i) {
    EXPECT_EQ(out[i], x[i] / y[i]) << x[i] << " / " << y[i];
  }
}

TEST_P(ExecuteTest, BufferLoadsBeyondTheRangeAreZero) {
  std::vector<float> x(64, 3.0f);
  float *out = device(std::vector<float>(64, -1.0f));
  const Report report = run(module, "buffer", {.items = {64, 1, 1}}, out,
                            device(x), int32_t(40 * 4));
  EXPECT_EQ(text(report), "");
  for (size_t i = 0; i < 64; ++i) {
    EXPECT_EQ(out[i], i < 40 ? 3.0f : 0.0f) << i;
  }
}

/// A of rows x depth and B of depth x columns, neither symmetric.
struct Matrices {
  Matrices(unsigned size, unsigned depth) : size(size), depth(depth) {}
  float a(unsigned i, unsigned k) const { return float(i) - 2 * float(k); }
  float b(unsigned k, unsigned j) const { return float((3 * k + 5 * j) % 11); }
  float d(unsigned i, unsigned j) const {
    float sum = 0;
    for (unsigned k = 0; k < depth; ++k) {
      sum += a(i, k) * b(k, j);
    }
    return sum;
  }
  unsigned size, depth;
};

TEST_F(WideWaveTest, MatrixProduct16) {
  // The layout of the manual, written here once more: four k of a lane.
  const Matrices m(16, 16);
  std::vector<half> a, b;
  for (unsigned lane = 0; lane < 64; ++lane) {
    for (unsigned i = 0; i < 4; ++i) {
      a.push_back(half(m.a(lane % 16, 4 * (lane / 16) + i)));
      b.push_back(half(m.b(4 * (lane / 16) + i, lane % 16)));
    }
  }
  float *d = device(std::vector<float>(256));
  const Report report = run(products, "product16", {.items = {64, 1, 1}}, d,
                            device(a), device(b));
  EXPECT_EQ(text(report), "");
  for (unsigned lane = 0; lane < 64; ++lane) {
    for (unsigned r = 0; r < 4; ++r) {
      EXPECT_EQ(d[lane * 4 + r], m.d(4 * (lane / 16) + r, lane % 16));
    }
  }
  EXPECT_EQ(report.counts[size_t(Class::Matrix)], 1u);
}

TEST_F(WideWaveTest, MatrixProduct32) {
  const Matrices m(32, 8);
  std::vector<half> a, b;
  for (unsigned lane = 0; lane < 64; ++lane) {
    for (unsigned i = 0; i < 4; ++i) {
      a.push_back(half(m.a(lane % 32, 4 * (lane / 32) + i)));
      b.push_back(half(m.b(4 * (lane / 32) + i, lane % 32)));
    }
  }
  float *d = device(std::vector<float>(1024));
  const Report report = run(products, "product32", {.items = {64, 1, 1}}, d,
                            device(a), device(b));
  EXPECT_EQ(text(report), "");
  for (unsigned lane = 0; lane < 64; ++lane) {
    for (unsigned r = 0; r < 16; ++r) {
      EXPECT_EQ(d[lane * 16 + r],
                m.d(8 * (r / 4) + 4 * (lane / 32) + r % 4, lane % 32));
    }
  }
}

TEST_P(ExecuteTest, PrivateArraysLieInScratch) {
  std::vector<int32_t> x(64);
  for (int i = 0; i < 64; ++i) {
    x[size_t(i)] = 7 * i + 3;
  }
  int32_t *out = device(std::vector<int32_t>(64));
  const Report report =
      run(module, "scratch", {.items = {64, 1, 1}}, out, device(x));
  EXPECT_EQ(text(report), "");
  for (int i = 0; i < 64; ++i) {
    EXPECT_EQ(out[i], (x[size_t(i)] & 63) * i);
  }
}

TEST_F(WideWaveTest, LanesReadEachOther) {
  std::vector<int32_t> x(64);
  std::iota(x.begin(), x.end(), 100);
  int32_t *out = device(std::vector<int32_t>(64));
  const Report report =
      run(module, "lanes", {.items = {64, 1, 1}}, out, device(x));
  EXPECT_EQ(text(report), "");
  for (int i = 0; i < 64; ++i) {
    // A row of a lane shuffle has 16 lanes.
    const int before = i % 16 == 0 ? 0 : x[size_t(i - 1)];
    EXPECT_EQ(out[i], x[size_t(63 - i)] + before) << i;
  }
}

/// 16 lanes store four rows of 16 columns, and each reads its column.
TEST_F(WideWaveTest, LanesReadAcrossRows) {
  Module across(memory, readKernels("transposed", "gfx950"));
  auto *out = device(std::vector<uint16_t>(256));
  EXPECT_EQ(
      text(SimulatorTest::run(across, "across", {.items = {64, 1, 1}}, out)),
      "");
  for (unsigned lane = 0; lane < 64; ++lane) {
    for (unsigned row = 0; row < 4; ++row) {
      EXPECT_EQ(out[4 * lane + row], lane / 16 * 64 + row * 16 + lane % 16)
          << lane << " " << row;
    }
  }
}

TEST_P(ExecuteTest, RefusedLaunches) {
  const KernelCode *kernel = module.kernel("saxpy");
  ASSERT_TRUE(kernel);
  auto why = [&](const LaunchShape &shape) -> std::string {
    try {
      (void)launch(memory, module, *kernel, shape, {});
    } catch (const std::exception &failure) {
      return failure.what();
    }
    return "";
  };
  EXPECT_EQ(why({.items = {512, 1, 1}}),
            "kernel 'saxpy' takes work-groups of 1 to 256 work-items, not 512 "
            "x 1 x 1");
  EXPECT_EQ(why({.groups = {0, 1, 1}}),
            "kernel 'saxpy' is launched with a grid of 0 work-groups");
  const uint32_t most = module.machine().sharedBytes;
  EXPECT_EQ(most, std::string(GetParam()) == "gfx950" ? 163840u : 65536u);
  EXPECT_EQ(why({.dynamicShared = most + 16}),
            "kernel 'saxpy' needs " + std::to_string(most + 16) +
                " bytes of LDS; " + GetParam() + " has " +
                std::to_string(most));
}

TEST_P(ExecuteTest, DamagedFiles) {
  auto why = [&](std::vector<uint8_t> bytes) -> std::string {
    try {
      const Module bad(memory, bytes);
    } catch (const std::exception &failure) {
      return failure.what();
    }
    return "";
  };
  EXPECT_NE(why({}).find("this is no code object"), std::string::npos);
  const std::vector<uint8_t> good = readKernels("kernels", GetParam());
  // Whatever is cut off or changed, the answer is a message or a module.
  for (size_t bytes = 1; bytes < good.size(); bytes += 397) {
    (void)why({good.begin(), good.begin() + ptrdiff_t(bytes)});
  }
  for (size_t at = 0; at < good.size(); at += 61) {
    std::vector<uint8_t> changed = good;
    changed[at] ^= 0xFF;
    (void)why(changed);
  }
}

} // namespace

} // namespace tz::amd::sim
