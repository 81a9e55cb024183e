//===- Peers.cpp - what the CPU target is measured against ----------------===//
//
// What   See Peers.h. The copy loop keeps its threads, as ours does.
//
//===----------------------------------------------------------------------===//
#include "test/bench/cpu/Peers.h"

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <immintrin.h>
#include <memory>
#include <mutex>
#include <optional>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#ifdef TZ_HAVE_OPENBLAS
extern "C" {
void cblas_sgemm(int order, int transA, int transB, int m, int n, int k,
                 float alpha, const float *a, int lda, const float *b, int ldb,
                 float beta, float *c, int ldc);
void openblas_set_num_threads(int threads);
char *openblas_get_corename(void);
}
#endif
#ifdef TZ_HAVE_DNNL
#include <oneapi/dnnl/dnnl.hpp>
#endif

namespace {

/// Runs one function on every thread; the caller is thread 0.
class Team {
public:
  explicit Team(unsigned size) : size(size) {
    for (unsigned i = 1; i < size; ++i) {
      threads.emplace_back([this, i] { serve(i); });
    }
  }
  ~Team() {
    {
      std::lock_guard lock(mutex);
      stop = true;
      ++round;
    }
    wake.notify_all();
    for (std::thread &t : threads) {
      t.join();
    }
  }
  void run(const std::function<void(unsigned)> &work) {
    {
      std::lock_guard lock(mutex);
      job = &work;
      left = size - 1;
      ++round;
    }
    wake.notify_all();
    work(0);
    std::unique_lock lock(mutex);
    done.wait(lock, [&] { return left == 0; });
  }
  const unsigned size;

private:
  void serve(unsigned index) {
    uint64_t seen = 0;
    for (;;) {
      std::unique_lock lock(mutex);
      wake.wait(lock, [&] { return round != seen; });
      seen = round;
      if (stop) {
        return;
      }
      const std::function<void(unsigned)> *work = job;
      lock.unlock();
      (*work)(index);
      lock.lock();
      if (--left == 0) {
        done.notify_one();
      }
    }
  }
  std::mutex mutex;
  std::condition_variable wake, done;
  const std::function<void(unsigned)> *job = nullptr;
  unsigned left = 0;
  uint64_t round = 0;
  bool stop = false;
  std::vector<std::thread> threads;
};

[[gnu::target("avx2")]] void copyPart(char *to, const char *from, size_t bytes,
                                      bool nonTemporal) {
  if (nonTemporal) {
    for (size_t i = 0; i < bytes; i += 32) {
      _mm256_stream_si256((__m256i *)(to + i),
                          _mm256_load_si256((const __m256i *)(from + i)));
    }
    _mm_sfence();
    return;
  }
  for (size_t i = 0; i < bytes; i += 32) {
    _mm256_store_si256((__m256i *)(to + i),
                       _mm256_load_si256((const __m256i *)(from + i)));
  }
}

} // namespace

void tz::bench::copy(void *to, const void *from, size_t bytes, unsigned threads,
                     bool nonTemporal) {
  static std::unique_ptr<Team> team;
  if (!team || team->size != threads) {
    team = std::make_unique<Team>(threads);
  }
  const size_t part = (bytes / threads + 63) / 64 * 64;
  team->run([&](unsigned i) {
    const size_t begin = std::min(bytes, part * i);
    const size_t end = std::min(bytes, begin + part);
    copyPart((char *)to + begin, (const char *)from + begin, end - begin,
             nonTemporal);
  });
}

void tz::bench::askForBestBlas(char **argv) {
#ifdef TZ_HAVE_OPENBLAS
  constexpr const char *wish = "OPENBLAS_CORETYPE";
  const std::string core = openblas_get_corename();
  if (std::getenv(wish) || core != "Prescott" ||
      !__builtin_cpu_supports("avx2")) {
    return;
  }
  setenv(wish,
         __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")
             ? "SkylakeX"
             : "Haswell",
         1);
  execv("/proc/self/exe", argv); // it chooses when it is loaded
  std::perror("bench-cpu: cannot start again for OpenBLAS's best kernels");
#else
  (void)argv;
#endif
}

std::string tz::bench::blasName(unsigned threads) {
#ifdef TZ_HAVE_OPENBLAS
  openblas_set_num_threads(int(threads));
  return std::string("OpenBLAS ") + openblas_get_corename();
#else
  return {};
#endif
}

void tz::bench::sgemm(int n, const float *a, const float *b, float *c) {
#ifdef TZ_HAVE_OPENBLAS
  constexpr int rowMajor = 101, noTrans = 111;
  cblas_sgemm(rowMajor, noTrans, noTrans, n, n, n, 1.0f, a, n, b, n, 0.0f, c,
              n);
#endif
}

#ifdef TZ_HAVE_DNNL
namespace {
struct Bf16Product {
  dnnl::matmul product;
  dnnl::memory::desc in, out;

  /// Throws dnnl::error if the library has none for this machine.
  Bf16Product(int n, const dnnl::engine &cpu)
      : in({n, n}, dnnl::memory::data_type::bf16, dnnl::memory::format_tag::ab),
        out({n, n}, dnnl::memory::data_type::f32,
            dnnl::memory::format_tag::ab) {
    product = dnnl::matmul(
        dnnl::matmul::primitive_desc(dnnl::matmul::desc(in, in, out), cpu));
  }
};

const dnnl::engine &engine() {
  static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}
} // namespace
#endif

#ifdef TZ_HAVE_DNNL
/// Whether this program, run again as `--probe-bf16`, ends well.
static bool probeEndsWell() {
  char program[] = "/proc/self/exe", flag[] = "--probe-bf16";
  char *words[] = {program, flag, nullptr};
  pid_t child = 0;
  int status = 0;
  return posix_spawn(&child, program, nullptr, nullptr, words, environ) == 0 &&
         waitpid(child, &status, 0) == child && status == 0;
}
#endif

int tz::bench::probeBf16() {
#ifdef TZ_HAVE_DNNL
  constexpr int n = 256; // on all threads
  std::vector<uint16_t> in(n * n);
  std::vector<float> out(n * n);
  bf16gemm(n, in.data(), in.data(), out.data());
#endif
  return 0;
}

std::string tz::bench::bf16Name(std::string &why) {
#ifdef TZ_HAVE_DNNL
  const dnnl_version_t *v = dnnl_version();
  std::string name =
      "oneDNN " + std::to_string(v->major) + "." + std::to_string(v->minor);
  try {
    // Its code for AMX ends the process on some virtual machines that have AMX.
    if (!probeEndsWell() &&
        dnnl::set_max_cpu_isa(dnnl::cpu_isa::avx512_core_bf16) ==
            dnnl::status::success) {
      name += " without AMX";
    }
    (void)Bf16Product(64, engine());
    return name;
  } catch (const dnnl::error &) {
    why = name + " multiplies no bf16 on this CPU";
  }
#else
  why = "oneDNN was not found when this was built";
#endif
  return {};
}

void tz::bench::bf16gemm(int n, const uint16_t *a, const uint16_t *b,
                         float *c) {
#ifdef TZ_HAVE_DNNL
  using dnnl::memory;
  static dnnl::stream queue(engine());
  static int madeFor = 0;
  static std::optional<Bf16Product> made;
  if (madeFor != n) {
    made.emplace(n, engine());
    madeFor = n;
  }
  made->product.execute(
      queue, {{DNNL_ARG_SRC, memory(made->in, engine(), (void *)a)},
              {DNNL_ARG_WEIGHTS, memory(made->in, engine(), (void *)b)},
              {DNNL_ARG_DST, memory(made->out, engine(), c)}});
  queue.wait();
#endif
}
