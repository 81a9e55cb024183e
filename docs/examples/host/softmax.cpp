//===- softmax.cpp - a C++ program that launches a Triton kernel ----------===//
//
// What   Loads docs/examples/softmax.py, runs it on rows of random numbers and
//        checks that each row of the result sums to one.
// Why    The shortest complete use of terrazzo.hpp:
//          softmax path/to/softmax.py [target]
//===----------------------------------------------------------------------===//
#include <terrazzo/terrazzo.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

int main(int argc, char **argv) try {
  const int rows = 1823, cols = 781, block = 1024;
  std::vector<float> x(size_t(rows) * cols);
  std::mt19937 random(0);
  std::normal_distribution<float> normal;
  for (float &v : x) {
    v = normal(random);
  }

  tz::Session session;
  tz::Device device = session.device(argc > 2 ? argv[2] : "");
  tz::Stream stream(device);
  tz::Buffer<float> in(device, x.size()), out(device, x.size());
  in.copyFrom(stream, x);
  tz::Kernel softmax =
      session.kernel(argc > 1 ? argv[1] : "softmax.py", "softmax_kernel");
  softmax(stream, {rows}, out, in, cols, cols, cols, block);

  double worst = 0;
  std::vector<float> y = out.toVector(stream);
  for (int r = 0; r < rows; ++r) {
    double sum = 0;
    for (int c = 0; c < cols; ++c) {
      sum += y[size_t(r) * cols + c];
    }
    worst = std::max(worst, std::abs(sum - 1));
  }
  std::printf("%s: %d rows, largest |sum - 1| = %.2g: %s\n",
              device.name().c_str(), rows, worst,
              worst < 1e-5 ? "ok" : "WRONG");
  return worst < 1e-5 ? 0 : 1;
} catch (const tz::Error &e) {
  std::fprintf(stderr, "softmax: %s\n", e.what());
  return 1;
}
