//===- CpuBench.cpp - the CPU target beside its peers ---------------------===//
//
// What   Runs kernels of docs/examples on the CPU and a peer on the same data,
//        interleaved in one process, and prints ratios of medians.
// Why    "Fast" is a promise; this is where it can fail. Method and last table:
//        docs/results/figures.md.
//
//   bench-cpu EXAMPLES [--smoke] [--markdown] [--only WORD]
//===----------------------------------------------------------------------===//
#include "test/bench/cpu/Peers.h"

#include <terrazzo/terrazzo.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <sched.h>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <vector>

using tz::Buffer;
using tz::Kernel;

namespace {

double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

double cpuTime() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

/// Is any thread of this process but the caller about to run, or running? As
/// /proc tells its state: the processor time of a thread that runs elsewhere is
/// brought up to date by the timer alone, milliseconds apart.
bool othersRun() {
  std::error_code none;
  for (const auto &task :
       std::filesystem::directory_iterator("/proc/self/task", none)) {
    if (task.path().filename() == std::to_string(gettid())) {
      continue;
    }
    std::ifstream stat(task.path() / "stat");
    std::string text;
    std::getline(stat, text);
    // "TID (NAME) STATE ...", where NAME may hold anything.
    const size_t end = text.rfind(')');
    if (end != std::string::npos && text.substr(end + 1, 2) == " R") {
      return true;
    }
  }
  return false;
}

/// Waits until no other thread of this process computes. Threads of OpenBLAS
/// and OpenMP go on spinning for milliseconds after a product: with as many
/// threads as cores, whoever is timed next shares a core with them.
void awaitIdle() {
  for (int i = 0; i < 400 && othersRun(); ++i) {
    std::this_thread::sleep_for(std::chrono::microseconds(500));
  }
}

/// Times candidates in turns, so that drift of the machine hits all alike. One
/// thread is timed by the processor's clock, which does not count what other
/// processes take away.
std::vector<double> interleave(std::vector<std::function<void()>> runs,
                               int rounds, unsigned threads) {
  auto clock = [&] { return threads == 1 ? cpuTime() : now(); };
  std::vector<std::vector<double>> times(runs.size());
  for (int round = -2; round < rounds; ++round) {
    for (size_t i = 0; i < runs.size(); ++i) {
      awaitIdle();
      const double start = clock();
      runs[i]();
      if (round >= 0) {
        times[i].push_back(clock() - start);
      }
    }
  }
  std::vector<double> medians;
  for (auto &t : times) {
    medians.push_back(median(t));
  }
  return medians;
}

std::vector<float> uniform(size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> draw(-1, 1);
  std::vector<float> v(n);
  for (float &x : v) {
    x = draw(random);
  }
  return v;
}

uint16_t toBf16(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, 4);
  return uint16_t((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

float fromBf16(uint16_t h) {
  const uint32_t bits = uint32_t(h) << 16;
  float x;
  std::memcpy(&x, &bits, 4);
  return x;
}

class Bench {
public:
  Bench(std::string examples, bool smoke, bool markdown, std::string only)
      : examples(std::move(examples)), smoke(smoke), markdown(markdown),
        only(std::move(only)), device(session.device("cpu")), stream(device) {
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof(set), &set);
    threads = unsigned(CPU_COUNT(&set));
    if (const char *text = std::getenv("TERRAZZO_CPU_THREADS")) {
      threads = unsigned(std::max(1, std::atoi(text)));
    }
  }

  int run() {
    blas = tz::bench::blasName(threads);
    if (markdown) {
      std::printf("| what | ours | peer | ratio | bar | |\n"
                  "|---|---|---|---|---|---|\n");
    }
    for (int n : smoke ? std::vector<int>{96, 130}
                       : std::vector<int>{256, 1000, 1023, 1024, 2048}) {
      matmul(n);
    }
    for (int n : smoke ? std::vector<int>{96}
                       : std::vector<int>{256, 1000, 1023, 1024, 2048}) {
      matmulBf16(n);
    }
    const int side = smoke ? 300 : 4096;
    softmax(side, side);
    layerNorm(side, side);
    vectorAdd(smoke ? 100000 : 1 << 24);
    std::printf("bench: %d rows, %d wrong, %d below their bar, %d skipped "
                "(%u threads)\n",
                rows, wrong, below, skippedRows, threads);
    return wrong ? 1 : 0;
  }

private:
  bool chosen(const std::string &name) const {
    return only.empty() || name.find(only) != std::string::npos;
  }
  int rounds() const { return smoke ? 1 : 21; }

  /// `work`: GFLOP or GB of one run.
  void report(const std::string &name, double ours, double peer, double work,
              const char *unit, double bar, const std::string &note) {
    ++rows;
    const double ratio = peer / ours;
    const bool ok = ratio >= bar;
    below += !ok && !smoke;
    const char *verdict = smoke ? "checked" : ok ? "ok" : "below";
    std::printf(markdown ? "| %s | %.1f %s | %.1f | %.2f | %.2f | %s; %s |\n"
                         : "%-30s %8.1f %-8s peer %8.1f  ratio %5.2f  bar "
                           "%.2f  %-7s %s\n",
                name.c_str(), work / ours, unit, work / peer, ratio, bar,
                verdict, note.c_str());
    std::fflush(stdout);
  }
  void fault(const std::string &name, double error, double limit) {
    ++wrong;
    std::printf("%-30s WRONG: error %g over %g\n", name.c_str(), error, limit);
  }
  void skip(const std::string &name, const std::string &why) {
    ++skippedRows;
    std::printf("%-30s skipped: %s\n", name.c_str(), why.c_str());
  }

  template <typename T>
  Buffer<T> upload(const std::vector<T> &v) {
    Buffer<T> b(device, v.size());
    b.copyFrom(stream, v);
    stream.sync();
    return b;
  }

  struct Tile {
    int m, n, k;
  };
  /// Tiles that a program may take, timed in turns: the fastest serves the row.
  Tile pick(const std::vector<Tile> &tiles,
            const std::function<void(Tile)> &launch) {
    if (smoke) {
      return tiles.front();
    }
    std::vector<std::function<void()>> runs;
    for (Tile t : tiles) {
      runs.emplace_back([&launch, t] { launch(t); });
    }
    const std::vector<double> times = interleave(runs, 5, threads);
    return tiles[size_t(std::min_element(times.begin(), times.end()) -
                        times.begin())];
  }

  void matmul(int n) {
    const std::string name = "matmul fp32 " + std::to_string(n) + "^3";
    if (!chosen(name)) {
      return;
    }
    if (blas.empty()) {
      return skip(name, "OpenBLAS was not found when this was built");
    }
    auto a = uniform(size_t(n) * n, 1), b = uniform(size_t(n) * n, 2);
    std::vector<float> c(size_t(n) * n);
    Buffer<float> da = upload(a), db = upload(b), dc(device, c.size());
    Kernel kernel = session.kernel(examples + "/matmul.py", "matmul_kernel");
    auto launch = [&](Tile t) {
      const int64_t grid = int64_t((n + t.m - 1) / t.m) * ((n + t.n - 1) / t.n);
      kernel(stream, {grid}, da, db, dc, n, n, n, n, 1, n, 1, n, 1, t.m, t.n,
             t.k, 8, "");
      stream.sync();
    };
    Tile tile = pick({{64, 64, 64},
                      {128, 128, 64},
                      {128, 128, 128},
                      {128, 256, 128},
                      {64, 128, 128},
                      {256, 256, 128},
                      {256, 512, 256},
                      {512, 512, 128},
                      {512, 512, 256}},
                     launch);
    launch(tile);
    tz::bench::sgemm(n, a.data(), b.data(), c.data());
    double error = difference(dc.toVector(stream), c);
    // Two fp32 sums of n products in [-1,1] differ by at most 2 n eps n.
    if (!(error <= 2.4e-7 * n * std::sqrt(double(n)))) {
      return fault(name, error, 2.4e-7 * n * std::sqrt(double(n)));
    }
    auto t =
        interleave({[&] { launch(tile); },
                    [&] { tz::bench::sgemm(n, a.data(), b.data(), c.data()); }},
                   rounds(), threads);
    report(name, t[0], t[1], 2e-9 * n * n * n, "GFLOP/s", 0.6,
           blas + ", tile " + std::to_string(tile.m) + "x" +
               std::to_string(tile.n) + "x" + std::to_string(tile.k));
  }

  void matmulBf16(int n) {
    const std::string name = "matmul bf16 " + std::to_string(n) + "^3";
    if (!chosen(name)) {
      return;
    }
    std::string why;
    const std::string peer = tz::bench::bf16Name(why);
    if (peer.empty()) {
      return skip(name, why);
    }
    auto fa = uniform(size_t(n) * n, 1), fb = uniform(size_t(n) * n, 2);
    std::vector<uint16_t> a(fa.size()), b(fb.size());
    std::transform(fa.begin(), fa.end(), a.begin(), toBf16);
    std::transform(fb.begin(), fb.end(), b.begin(), toBf16);
    std::vector<float> c(fa.size());
    Buffer<uint16_t> da = upload(a), db = upload(b);
    Buffer<float> dc(device, c.size());
    Kernel kernel = session.kernel(examples + "/matmul.py", "matmul_kernel");
    const tz_arg pa = tz_pointer(da.address(), TZ_TYPE_BF16),
                 pb = tz_pointer(db.address(), TZ_TYPE_BF16);
    auto launch = [&](Tile t) {
      const int64_t grid = int64_t((n + t.m - 1) / t.m) * ((n + t.n - 1) / t.n);
      kernel(stream, {grid}, pa, pb, dc, n, n, n, n, 1, n, 1, n, 1, t.m, t.n,
             t.k, 8, "");
      stream.sync();
    };
    Tile tile = pick({{64, 64, 64},
                      {128, 128, 64},
                      {128, 128, 128},
                      {128, 256, 128},
                      {256, 256, 128},
                      {128, 128, 512},
                      {256, 256, 256},
                      {256, 256, 512},
                      {512, 256, 512},
                      {512, 512, 256}},
                     launch);
    launch(tile);
    std::vector<float> got = dc.toVector(stream);
    // A few rows against double: bf16 products are exact in fp32.
    double error = 0;
    for (int r = 0; r < n; r += std::max(1, n / 7)) {
      for (int col = 0; col < n; ++col) {
        double sum = 0;
        for (int k = 0; k < n; ++k) {
          sum += double(fromBf16(a[size_t(r) * n + k])) *
                 fromBf16(b[size_t(k) * n + col]);
        }
        error = std::max(error, std::abs(sum - got[size_t(r) * n + col]));
      }
    }
    if (!(error <= 2.4e-7 * n * std::sqrt(double(n)))) {
      return fault(name, error, 2.4e-7 * n * std::sqrt(double(n)));
    }
    auto t = interleave(
        {[&] { launch(tile); },
         [&] { tz::bench::bf16gemm(n, a.data(), b.data(), c.data()); }},
        rounds(), threads);
    report(name, t[0], t[1], 2e-9 * n * n * n, "GFLOP/s", 0.6,
           peer + ", tile " + std::to_string(tile.m) + "x" +
               std::to_string(tile.n) + "x" + std::to_string(tile.k));
  }

  /// Seconds that a copy of `bytes` read and `bytes` written takes, timed in
  /// turns with `ours`.
  std::vector<double> besideCopy(size_t bytes, std::function<void()> ours) {
    bytes = bytes / 64 * 64;
    Buffer<char> from(device, bytes), to(device, bytes);
    from.copyFrom(stream, std::vector<char>(bytes, 1));
    stream.sync();
    auto copy = [&](bool nonTemporal) {
      tz::bench::copy((void *)to.address(), (const void *)from.address(), bytes,
                      threads, nonTemporal);
    };
    auto t =
        interleave({std::move(ours), [&] { copy(false); }, [&] { copy(true); }},
                   rounds(), threads);
    return {t[0], std::min(t[1], t[2])};
  }

  void softmax(int rows, int cols) {
    const std::string name = "softmax fp32 " + std::to_string(rows) + "^2";
    if (!chosen(name)) {
      return;
    }
    auto x = uniform(size_t(rows) * cols, 3);
    Buffer<float> dx = upload(x), dy(device, x.size());
    Kernel kernel = session.kernel(examples + "/softmax.py", "softmax_kernel");
    const int block = power(cols);
    auto launch = [&] {
      kernel(stream, {rows}, dy, dx, cols, cols, cols, block);
      stream.sync();
    };
    launch();
    std::vector<float> y = dy.toVector(stream);
    double error = 0;
    for (int r = 0; r < rows; r += 7) {
      double sum = 0;
      for (int c = 0; c < cols; ++c) {
        sum += std::exp(double(x[size_t(r) * cols + c]));
      }
      for (int c = 0; c < cols; ++c) {
        const double want = std::exp(double(x[size_t(r) * cols + c])) / sum;
        error =
            std::max(error, std::abs(y[size_t(r) * cols + c] - want) / want);
      }
    }
    if (!(error <= 1e-5)) {
      return fault(name, error, 1e-5);
    }
    auto t = besideCopy(x.size() * 4, launch);
    report(name, t[0], t[1], 8e-9 * double(x.size()), "GB/s", 0.7, "copy");
  }

  void layerNorm(int rows, int cols) {
    const std::string name = "layer norm fp32 " + std::to_string(rows) + "^2";
    if (!chosen(name)) {
      return;
    }
    auto x = uniform(size_t(rows) * cols, 4), w = uniform(cols, 5),
         b = uniform(cols, 6);
    Buffer<float> dx = upload(x), dw = upload(w), db = upload(b),
                  dy(device, x.size()), mean(device, rows), rstd(device, rows);
    Kernel kernel =
        session.kernel(examples + "/layer_norm.py", "layer_norm_fwd");
    auto run = [&](int block) {
      kernel(stream, {rows}, dx, dy, dw, db, mean, rstd, cols, cols, 1e-5f,
             block);
      stream.sync();
    };
    const int block =
        pick({{1, power(cols), 1}, {1, 512, 1}, {1, 1024, 1}, {1, 2048, 1}},
             [&](Tile t) { run(t.n); })
            .n;
    auto launch = [&] { run(block); };
    launch();
    std::vector<float> y = dy.toVector(stream);
    double error = 0;
    for (int r = 0; r < rows; r += 7) {
      const float *row = &x[size_t(r) * cols];
      double sum = 0, square = 0;
      for (int c = 0; c < cols; ++c) {
        sum += row[c];
      }
      sum /= cols;
      for (int c = 0; c < cols; ++c) {
        square += (row[c] - sum) * (row[c] - sum);
      }
      const double scale = 1 / std::sqrt(square / cols + 1e-5);
      for (int c = 0; c < cols; ++c) {
        const double want = (row[c] - sum) * scale * w[c] + b[c];
        error = std::max(error, std::abs(y[size_t(r) * cols + c] - want));
      }
    }
    if (!(error <= 1e-5)) {
      return fault(name, error, 1e-5);
    }
    auto t = besideCopy(x.size() * 4, launch);
    report(name, t[0], t[1], 8e-9 * double(x.size()), "GB/s", 0.7,
           "copy; block " + std::to_string(block));
  }

  void vectorAdd(int n) {
    const std::string name = "vector add fp32 " + std::to_string(n);
    if (!chosen(name)) {
      return;
    }
    auto x = uniform(n, 7), y = uniform(n, 8);
    Buffer<float> dx = upload(x), dy = upload(y), out(device, n);
    Kernel kernel = session.kernel(examples + "/vector_add.py", "add_kernel");
    const int block = 4096;
    auto launch = [&] {
      kernel(stream, {(n + block - 1) / block}, dx, dy, out, n, block);
      stream.sync();
    };
    launch();
    std::vector<float> got = out.toVector(stream);
    for (int i = 0; i < n; ++i) {
      if (got[i] != x[i] + y[i]) {
        return fault(name, got[i] - (x[i] + y[i]), 0);
      }
    }
    // The same bytes: two reads and a write are 1.5 copies of n floats.
    auto t = besideCopy(size_t(n) * 6, launch);
    report(name, t[0], t[1], 12e-9 * n, "GB/s", 0.9, "copy");
  }

  static int power(int n) {
    int p = 1;
    while (p < n) {
      p *= 2;
    }
    return p;
  }
  static double difference(const std::vector<float> &a,
                           const std::vector<float> &b) {
    double worst = 0;
    for (size_t i = 0; i < a.size(); ++i) {
      const double d = std::abs(double(a[i]) - b[i]);
      worst = d <= worst ? worst : d; // a NaN counts
    }
    return worst;
  }

  std::string examples;
  bool smoke, markdown;
  std::string only, blas;
  tz::Session session;
  tz::Device device;
  tz::Stream stream;
  unsigned threads = 1;
  int rows = 0, wrong = 0, below = 0, skippedRows = 0;
};

} // namespace

int main(int argc, char **argv) try {
  tz::bench::askForBestBlas(argv);
  if (argc == 2 && std::string_view(argv[1]) == "--probe-bf16") {
    return tz::bench::probeBf16();
  }
  std::string examples, only;
  bool smoke = false, markdown = false;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (arg == "--smoke") {
      smoke = true;
    } else if (arg == "--markdown") {
      markdown = true;
    } else if (arg == "--only" && i + 1 < argc) {
      only = argv[++i];
    } else {
      examples = arg;
    }
  }
  if (examples.empty()) {
    std::fprintf(stderr, "usage: bench-cpu docs/examples [--smoke] "
                         "[--markdown] [--only WORD]\n");
    return 2;
  }
  return Bench(examples, smoke, markdown, only).run();
} catch (const std::exception &e) {
  std::fprintf(stderr, "bench-cpu: %s\n", e.what());
  return 1;
}
