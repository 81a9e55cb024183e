//===- NullCompiler.cpp - compiler half of the null plugin ----------------===//
//
// What   Accepts any module and answers an artifact that records the request:
//        every field of it, readable, in one blob; one kernel without
//        arguments.
// Why    The smallest honest compiler half: it shows what an author must write,
//        and lets a test see that each field of a request arrives.
//===----------------------------------------------------------------------===//
#include <terrazzo/plugin/Compiler.h>

namespace {

using namespace tz::plugin;

constexpr std::string_view Target = "null:any";

std::string hex(const uint8_t (&bytes)[32]) {
  std::string text;
  for (uint8_t byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

std::string optionText(const tz_kv &kv) {
  switch (kv.kind) {
  case TZ_KV_F64:
    return std::to_string(kv.f64);
  case TZ_KV_STR:
    return std::string(view(kv.str));
  default:
    return std::to_string(kv.i64);
  }
}

class NullCompiler final : public Compiler {
public:
  using Compiler::Compiler;

  std::vector<std::string> targets() override { return {std::string(Target)}; }

  tz_target_desc describe(std::string_view target) override {
    requireTarget(target);
    static const tz_ir_range ir[] = {{str("tile"), 0, 1, 0, 1}};
    // It converts nothing, so it takes everything.
    static const char *const features[] = {"f64", "fp8", "fp4", "dot.f32"};
    tz_target_desc d{};
    d.id = str(Target);
    d.family = str("null");
    d.subgroup_size = 1;
    d.max_threads_per_block = 1;
    d.compute_units = 1;
    d.ir = ir;
    d.num_ir = 1;
    d.features = features;
    d.num_features = std::size(features);
    return d;
  }

  // It takes every kernel and honours no option.
  void check(const Request &request) { requireTarget(view(request.target)); }
  std::vector<Option> options(std::string_view target) {
    requireTarget(target);
    return {};
  }

  Artifact compile(const Request &request) override {
    requireTarget(view(request.target));
    Artifact artifact;
    artifact.compat = "null";
    artifact.blobs.push_back({"main", "text", record(request)});
    KernelDescription &kernel = artifact.kernels.emplace_back();
    kernel.name = "null";
    artifact.metadata.emplace_back("ir_sha256", hex(request.ir_sha256));
    return artifact;
  }

  std::string fingerprint(const Request &) override {
    return "null " TZ_PLUGIN_VERSION;
  }

private:
  void requireTarget(std::string_view target) {
    if (target != Target && target != "null") {
      throw unknownTarget(target);
    }
  }

  static std::string record(const Request &r) {
    std::string text;
    auto line = [&](const char *key, std::string value) {
      text += std::string(key) + " = " + value + "\n";
    };
    line("target", std::string(view(r.target)));
    line("ir_format", std::string(view(r.ir_format)));
    line("ir_version",
         std::to_string(r.ir_major) + "." + std::to_string(r.ir_minor));
    line("ir_bytes", std::to_string(r.ir.size));
    line("ir_sha256", hex(r.ir_sha256));
    line("emit", std::string(view(r.emit)));
    line("opt_level", std::to_string(r.opt_level));
    line("debug_level", std::to_string(r.debug_level));
    line("request_id", std::to_string(r.request_id));
    for (size_t i = 0; i < r.num_options; ++i) {
      text += "option " + std::string(view(r.options[i].key)) + " = " +
              optionText(r.options[i]) + "\n";
    }
    return text;
  }
};

const void *getInterface(const char *id) {
  return std::string_view(id) == "tz.compiler/1" ? compilerTable<NullCompiler>()
                                                 : nullptr;
}

} // namespace

extern "C" TZ_PLUGIN_EXPORT const tz_plugin *
tz_plugin_query_v0(const tz_query *query) {
  static constexpr tz_plugin self =
      entry("null", "Terrazzo", TZ_PLUGIN_VERSION,
            "null-compiler " TZ_PLUGIN_VERSION, getInterface);
  return answer(query, self);
}
