//===- EmptyLaunchBench.cpp - what a launch costs -------------------------===//
//
// What   Launches an empty kernel of seven arguments through the C API: on the
//        null device (the runtime alone) and on the cpu device; enqueued in
//        batches, and one at a time with a synchronisation.
// Why    The goal is below 5 microseconds for an empty launch. The median of 21
//        rounds is printed, for docs/results/figures.md.
//
// The kernel's object is made by the C compiler of this build, so that the
// figure does not depend on any code generator.
//===----------------------------------------------------------------------===//
#include "runtime/session/CompilerService.h"

#include <terrazzo/terrazzo.h>

#include <fstream>
#include <sys/utsname.h>

using namespace tz::runtime;

namespace {

std::string emptyObject() {
  std::string base = "/tmp/tz-bench-" + std::to_string(getpid());
  std::ofstream(base + ".c")
      << "#include <stdint.h>\nvoid empty(const void *a, "
         "const uint32_t *g, int64_t first, int64_t "
         "last, void *arena, void *log) {}\n";
  std::string command = std::string(TZ_BENCH_CC) + " -O2 -fPIC -c " + base +
                        ".c -o " + base + ".o";
  if (std::system(command.c_str()) != 0) {
    return {};
  }
  std::ifstream file(base + ".o", std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), {});
  std::remove((base + ".c").c_str());
  std::remove((base + ".o").c_str());
  return bytes;
}

/// Answers every job with the empty kernel; types as they were asked.
class EmptyCompiler final : public CompilerService {
public:
  Result<KernelSignature> signature(const KernelSource &,
                                    DiagnosticSink &) override {
    KernelSignature s;
    s.function = "empty";
    for (const char *name : {"out", "in", "m", "n", "stride", "scale", "B"}) {
      s.parameters.push_back({name, *name == 'B', false, true, true});
    }
    return s;
  }
  Result<SpecializationRule>
  specializationRule(const KernelSource &, const std::vector<ArgumentSpec> &,
                     DiagnosticSink &) override {
    SpecializationRule rule;
    rule.leaves = {{16, false}, {16, false}, {4, true}, {4, true},
                   {4, true},   {0, false},  {}};
    return rule;
  }
  Result<std::shared_ptr<const Artifact>> compile(const CompileJob &job,
                                                  DiagnosticSink &) override {
    auto a = std::make_shared<Artifact>();
    a->plugin = job.plugin;
    a->target = job.target;
    a->function = "empty";
    utsname system{};
    uname(&system);
    a->compat =
        job.plugin == "null" ? "null" : std::string(system.machine) + ";";
    a->blobs.push_back({"main", "elf", emptyObject()});
    Variant &v = a->variants.emplace_back();
    v.name = "empty";
    for (uint32_t i = 0; i < 6; ++i) {
      ArgInfo arg;
      arg.name = "a" + std::to_string(i);
      arg.kind = TZ_ARG_USER;
      arg.index = i;
      arg.type = job.arguments[i].type;
      arg.size = arg.align = i < 2 ? 8 : 4;
      arg.offset = 8 * i;
      v.args.push_back(arg);
      a->userLeaves.push_back(i);
      a->userTypes.push_back(arg.type);
    }
    v.argBytes = 48;
    return std::shared_ptr<const Artifact>(a);
  }
};

void require(tz_status_t status) {
  if (status) {
    std::fprintf(stderr, "bench-launch: %s\n", tz_status_message(status));
    std::exit(1);
  }
}

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

template <typename Body>
double nanoseconds(int count, Body body) {
  std::vector<double> rounds;
  for (int round = 0; round < 21; ++round) {
    auto start = std::chrono::steady_clock::now();
    body();
    std::chrono::duration<double, std::nano> time =
        std::chrono::steady_clock::now() - start;
    rounds.push_back(time.count() / count);
  }
  return median(rounds);
}

void measure(tz_session_t session, const char *target, int64_t programs) {
  tz_device_t device = nullptr;
  tz_status_t missing = tz_device_open(session, target, &device);
  if (missing) {
    std::printf("%-6s skipped: %s\n", target, tz_status_message(missing));
    tz_status_release(missing);
    return;
  }
  tz_stream_t stream = nullptr;
  require(tz_stream_create(device, &stream));
  tz_kernel_source source{};
  source.struct_size = sizeof(source);
  source.text = "empty";
  source.text_size = 5;
  tz_kernel_t kernel = nullptr;
  require(tz_kernel_load(session, &source, &kernel));
  tz_arg args[] = {tz_pointer(4096, TZ_TYPE_F32),
                   tz_pointer(8192, TZ_TYPE_F32),
                   tz_i32(517),
                   tz_i32(1031),
                   tz_i32(1031),
                   tz_f32(0.5f),
                   tz_i32(128)};
  int64_t grid[3] = {programs, 1, 1};
  auto launch = [&] {
    require(tz_kernel_launch(kernel, stream, grid, args, 7));
  };
  launch();
  require(tz_stream_sync(stream));
  constexpr int batch = 1000;
  double queued = nanoseconds(batch, [&] {
    for (int i = 0; i < batch; ++i) {
      launch();
    }
    require(tz_stream_sync(stream));
  });
  double alone = nanoseconds(batch, [&] {
    for (int i = 0; i < batch; ++i) {
      launch();
      require(tz_stream_sync(stream));
    }
  });
  std::printf("%-6s grid %-4lld %8.0f ns a launch in batches, %8.0f ns launch "
              "and synchronise\n",
              target, static_cast<long long>(programs), queued, alone);
  tz_kernel_destroy(kernel);
  tz_stream_destroy(stream);
}

} // namespace

int main() {
  setCompilerFactory([](Registry &, Cache *) {
    return std::unique_ptr<CompilerService>(new EmptyCompiler());
  });
  tz_session_t session = nullptr;
  tz_session_options options{};
  options.struct_size = sizeof(options);
  options.cache_folder = "";
  require(tz_session_create(&options, &session));
  measure(session, "null", 1);
  measure(session, "cpu", 1);
  measure(session, "cpu", 64);
  tz_session_destroy(session);
}
