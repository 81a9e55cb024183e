//===- CountingCompiler.h - a session over a compiler that counts ---------===//
//
// What   A CompilerService that remembers its jobs and answers a kernel for the
//        echo device; and the fixture that makes a session with it.
// Why    What is compiled, and how often, is the runtime's decision.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_TEST_UNIT_RUNTIME_COUNTINGCOMPILER_H
#define TERRAZZO_TEST_UNIT_RUNTIME_COUNTINGCOMPILER_H

#include "test/unit/runtime/EchoPlugin.h"

#include "runtime/launch/PlanEvaluator.h"
#include "runtime/session/CompilerService.h"

#include <terrazzo/terrazzo.h>

#include <gtest/gtest.h>
#include <mutex>

namespace tz::runtime {

/// kernel(x, n, scale, BLOCK: constexpr, flag=None): x and n have divisors.
class CountingCompiler final : public CompilerService {
public:
  static inline std::mutex lock;
  static inline std::vector<CompileJob> jobs;
  /// Kernels have a log, behind their other arguments, and a part "load".
  static inline bool tellsParts = false;
  /// Of a kernel's code.
  static inline std::string symbol = "kernel";

  Result<KernelSignature> signature(const KernelSource &source,
                                    DiagnosticSink &) override {
    if (source.text == "bad") {
      return Status(TZ_E_INVALID_ARGUMENT, "k.py:1:1: error: bad");
    }
    KernelSignature s;
    s.function = "kernel";
    s.parameters.resize(5);
    const char *names[] = {"x", "n", "scale", "BLOCK", "flag"};
    for (int i = 0; i < 5; ++i) {
      s.parameters[i].name = names[i];
    }
    s.parameters[3].isConstexpr = true;
    s.parameters[4].hasDefault = true;
    return s;
  }
  Result<SpecializationRule>
  specializationRule(const KernelSource &, const std::vector<ArgumentSpec> &,
                     DiagnosticSink &) override {
    SpecializationRule rule;
    rule.leaves = {{16, false}, {8, true}, {0, false}, {0, false}, {}};
    return rule;
  }
  Result<std::shared_ptr<const Artifact>> compile(const CompileJob &job,
                                                  DiagnosticSink &) override {
    std::lock_guard guard(lock);
    jobs.push_back(job);
    auto a = std::make_shared<Artifact>();
    a->plugin = job.plugin;
    a->target = job.target;
    a->function = "kernel";
    const char *names[] = {"x", "n", "scale", "BLOCK", "flag"};
    a->variants.resize(1);
    Variant &v = a->variants[0];
    v.name = symbol;
    for (uint32_t i = 0; i < 5; ++i) {
      const ArgumentSpec &spec = job.arguments[i];
      a->parameters.push_back({names[i], spec});
      if (spec.kind == ArgumentSpec::Runtime && !spec.equalsOne) {
        ArgInfo arg;
        arg.name = names[i];
        arg.kind = TZ_ARG_USER;
        arg.index = uint32_t(a->userTypes.size());
        arg.type = spec.type;
        arg.size = arg.align = typeSize(spec.type);
        arg.offset = 8 * arg.index;
        v.args.push_back(arg);
        v.argBytes = 8 * arg.index + 8;
        a->userLeaves.push_back(i);
        a->userTypes.push_back(spec.type);
      }
    }
    if (tellsParts) {
      addParts(*a);
    }
    return std::shared_ptr<const Artifact>(a);
  }

private:
  static void addParts(Artifact &a) {
    Variant &v = a.variants[0];
    ArgInfo log;
    log.kind = TZ_ARG_LOG;
    log.size = log.align = 8;
    log.offset = uint32_t(v.argBytes);
    v.args.push_back(log);
    v.argBytes += 8;
    LogSite part;
    part.kind = TZ_LOG_PART;
    part.text = "load";
    a.logSites.push_back(part);
    part.flags = TZ_LOG_END;
    a.logSites.push_back(part);
  }
};

inline std::unique_ptr<CompilerService> makeCompiler(Registry &, Cache *) {
  return std::make_unique<CountingCompiler>();
}

struct StatusDeleter {
  void operator()(tz_status_s *s) { tz_status_release(s); }
};
using Owned = std::unique_ptr<tz_status_s, StatusDeleter>;

class SessionApi : public testing::Test {
protected:
  void SetUp() override {
    static bool once = (registerBuiltin(echoPlugin()), true);
    (void)once;
    Echo::instance().reset();
    CountingCompiler::jobs.clear();
    CountingCompiler::tellsParts = false;
    CountingCompiler::symbol = "kernel";
    setCompilerFactory(makeCompiler);
    tz_session_options options{};
    options.struct_size = sizeof(options);
    options.flags = TZ_SESSION_IGNORE_ENVIRONMENT | TZ_SESSION_NULL_ARRAYS;
    options.cache_folder = "";
    ok(tz_session_create(&options, &session));
    ok(tz_device_open(session, "echo", &device));
    ok(tz_stream_create(device, &stream));
    tz_kernel_source source{};
    source.struct_size = sizeof(source);
    source.text = "text";
    source.text_size = 4;
    ok(tz_kernel_load(session, &source, &kernel));
  }
  void TearDown() override {
    tz_kernel_destroy(kernel);
    tz_stream_destroy(stream);
    tz_session_destroy(session);
    setCompilerFactory(nullptr);
  }
  static void ok(tz_status_t s) {
    ASSERT_EQ(s, nullptr) << tz_status_message(s);
  }
  Owned launch(std::vector<tz_arg> args, int64_t x = 1) {
    int64_t grid[3] = {x, 1, 1};
    return Owned(
        tz_kernel_launch(kernel, stream, grid, args.data(), args.size()));
  }
  static size_t compiled() { return CountingCompiler::jobs.size(); }

  tz_session_t session = nullptr;
  tz_device_t device = nullptr;
  tz_stream_t stream = nullptr;
  tz_kernel_t kernel = nullptr;
};

} // namespace tz::runtime

using tz::runtime::SessionApi;

#endif
