//===- WreckerPlugin.cpp - a compiler half that ends badly on request -----===//
//
// What   Its option "wreck" says how: abort, exit, loop, memory, stack, sleep,
// asked (a
//        loop until it is asked to stop);
//        without it the artifact is empty but for the target's name and the id
//        of the process that made it. A file "litter" is left where temporary
//        files go.
// Why    Terrazzo must survive whatever a compiler does to its own process.
//===----------------------------------------------------------------------===//
#include <terrazzo/plugin/Compiler.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <spawn.h>
#include <thread>
#include <unistd.h>

namespace {

using namespace tz::plugin;

/// Not a loop and not a tail call for an optimizer.
[[gnu::noinline]] int deeper(volatile int *from) {
  volatile int own[1024];
  own[0] = *from + 1;
  return own[0] < 0 ? 0 : deeper(own) + own[0];
}

class Wrecker final : public Compiler {
public:
  using Compiler::Compiler;

  std::vector<std::string> targets() override { return {"wrecker:any"}; }
  tz_target_desc describe(std::string_view) override {
    static const tz_ir_range ir[] = {{str("tile"), 0, 1, 0, 1}};
    static const char *const features[] = {"f64", "fp8", "dot.f32"};
    tz_target_desc d{};
    d.id = str("wrecker:any");
    d.ir = ir;
    d.num_ir = 1;
    d.features = features;
    d.num_features = std::size(features);
    return d;
  }
  std::vector<Option> options(std::string_view) {
    return {Option::text("wreck", "no,abort,exit,loop,memory,stack,sleep,asked",
                         "no", "how this compiler ends")};
  }
  void check(const Request &request) { wreck(request); }
  Artifact compile(const Request &request) override {
    request.report(TZ_SEVERITY_REMARK, "about to begin", "kernel.py", 3, 1);
    wreck(request);
    Artifact artifact;
    artifact.compat = "any";
    artifact.metadata.emplace_back("process", std::to_string(getpid()));
    artifact.kernels.emplace_back().name = "kernel";
    return artifact;
  }

private:
  void wreck(const Request &request) {
    const tz_kv *option = request.option("wreck");
    std::string_view how = option ? view(option->str) : std::string_view();
    std::ofstream(std::filesystem::temp_directory_path() / "litter") << how;
    if (how == "abort") {
      std::fputs("first line\nLLVM ERROR: Cannot select this\n", stderr);
      std::abort();
    } else if (how == "helper") {
      const char *const arguments[] = {"/bin/sleep", "20", nullptr};
      pid_t helper = -1;
      (void)posix_spawn(&helper, arguments[0], nullptr, nullptr,
                        const_cast<char **>(arguments), environ);
      std::abort();
    } else if (how == "exit") {
      std::exit(1);
    } else if (how == "loop") {
      for (volatile unsigned turns = 0;; turns = turns + 1) {
      }
    } else if (how == "memory") {
      for (int i = 0; i < 20; ++i) { // 20 GB
        auto *block = static_cast<volatile char *>(std::malloc(1u << 30));
        if (!block) {
          std::fputs("out of memory\n", stderr);
          std::abort();
        }
        for (size_t at = 0; at < 1u << 30; at += 4096) {
          block[at] = 1;
        }
      }
    } else if (how == "stack") {
      volatile int first = 0;
      throw Failure(TZ_E_INTERNAL, std::to_string(deeper(&first)));
    } else if (how == "asked") {
      while (!isCancelled(request)) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      throw Failure(TZ_E_CANCELLED, "asked to stop");
    } else if (how == "sleep") {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
    }
  }
};

} // namespace

extern "C" TZ_PLUGIN_EXPORT const tz_plugin *
tz_plugin_query_v0(const tz_query *query) {
  static constexpr tz_plugin self =
      entry("wrecker", "Terrazzo", TZ_PLUGIN_VERSION, "wrecker-1",
            [](const char *id) -> const void * {
              return std::string_view(id) == "tz.compiler/1"
                         ? compilerTable<Wrecker>()
                         : nullptr;
            });
  return answer(query, self);
}
