//===- CpuCompilerPlugin.cpp - The compiler half's side of the boundary ---===//
//
// What   Targets and their description, and compile(): portable bytes in, an
//        artifact with one ELF object and its launch plan out.
// Why    Everything that knows the C ABI is here; the rest of the compiler
//        knows tile IR and LLVM only.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/CpuCheck.h"
#include "plugins/cpu/compiler/CpuCodeGen.h"
#include "plugins/cpu/compiler/lower/CpuLowering.h"
#include "plugins/cpu/machine/CpuMachine.h"
#include "plugins/cpu/machine/Levels.h"

#include "terrazzo/plugin/KernelInput.h"
#include "terrazzo/plugin/OwnFile.h"

#include "llvm/Config/llvm-config.h"

#include <deque>
#include <map>
#include <mutex>

using namespace llvm;
namespace plugin = tz::plugin;

namespace tz::cpu {

namespace {

/// What a target_desc points to.
struct Description {
  std::string id;
  std::deque<std::string> names; // of features that are composed
  std::vector<const char *> features;
  std::vector<tz_kv> props;
};

class CpuCompiler final : public plugin::Compiler {
public:
  explicit CpuCompiler(const tz_host *host) : Compiler(host) {
    if (const std::string &problem = CpuMachine::host().problem;
        !problem.empty()) {
      throw plugin::Failure(TZ_E_INVALID_ARGUMENT, problem);
    }
  }

  std::vector<std::string> targets() override { return targetIds(); }
  tz_target_desc describe(std::string_view target) override;
  plugin::Artifact compile(const plugin::Request &request) override;
  void check(const plugin::Request &request);
  std::vector<plugin::Option> options(std::string_view target);
  std::string fingerprint(const plugin::Request &) override {
    static const std::string self =
        "cpu " TZ_PLUGIN_VERSION " llvm " LLVM_VERSION_STRING " " +
        plugin::ownFile(reinterpret_cast<const void *>(&tz_plugin_query_v0));
    return self;
  }

private:
  static CpuTarget require(std::string_view id) {
    std::optional<CpuTarget> target = parseTarget(id);
    if (!target) {
      throw plugin::Failure(TZ_E_NOT_FOUND,
                            "unknown target '" + std::string(id) +
                                "'; there are cpu, and after 'cpu:' " +
                                levelNames());
    }
    return *target;
  }

  std::mutex mutex;
  std::map<std::string, Description, std::less<>> descriptions;
};

tz_target_desc CpuCompiler::describe(std::string_view id) {
  CpuTarget target = require(id);
  std::lock_guard lock(mutex);
  auto [it, isNew] = descriptions.try_emplace(std::string(id));
  Description &d = it->second;
  if (isNew) {
    d.id = target.id;
    for (const char *fn :
         {"exp",     "exp2",  "log",   "log2", "sin",   "cos",  "tan",   "sqrt",
          "sqrt_rn", "rsqrt", "erf",   "tanh", "floor", "ceil", "trunc", "rint",
          "abs",     "log1p", "expm1", "pow",  "rem",   "div",  "div_rn"}) {
      for (const char *type : {"f16", "bf16", "f32", "f64"}) {
        d.names.push_back(std::string("math.") + fn + "." + type);
        d.features.push_back(d.names.back().c_str());
      }
    }
    for (const char *feature :
         {"f64", "fp8", "dot.f32", "atomics.i64", "atomics.f16", "atomics.f32",
          "atomics.f64", "print", "assert"}) {
      d.features.push_back(feature);
    }
    auto prop = [&](const char *key, int64_t value) {
      tz_kv kv{};
      kv.key = plugin::str(key);
      kv.kind = TZ_KV_I64;
      kv.i64 = value;
      d.props.push_back(kv);
    };
    prop("vector.bits", target.isa.vectorBits);
    prop("vector.registers", target.isa.registers());
  }
  tz_target_desc out{};
  out.id = plugin::str(d.id);
  out.family = plugin::str("cpu");
  out.subgroup_size = 1;
  out.max_threads_per_block = 1;
  out.dlpack_device = 1;
  out.props = d.props.data();
  out.num_props = d.props.size();
  out.ir = &plugin::TileRange;
  out.num_ir = 1;
  out.features = d.features.data();
  out.num_features = d.features.size();
  return out;
}

/// A request's kernel, of ops and types that this target has.
struct Input : plugin::KernelInput<> {
  explicit Input(const plugin::Request &request) : KernelInput(request) {
    std::vector<Problem> problems = problemsOf(kernel);
    for (const Problem &problem : problems) {
      plugin::reportAt(request, TZ_SEVERITY_ERROR, problem.message,
                       problem.location);
    }
    if (!problems.empty()) {
      throw plugin::Failure(TZ_E_UNSUPPORTED_OP, problems[0].message);
    }
  }
};

void CpuCompiler::check(const plugin::Request &request) {
  require(plugin::view(request.target));
  Input input(request);
}

std::vector<plugin::Option> CpuCompiler::options(std::string_view id) {
  const unsigned widest = require(id).isa.vectorBits;
  std::vector<plugin::Option> list;
  if (widest > 128) {
    list.push_back(plugin::Option::oneOf(
        "vector_bits",
        std::to_string(widest / 2) + "," + std::to_string(widest), widest,
        "width of the vectors that code uses"));
    list.push_back(plugin::Option::oneOf(
        "streaming", "0,1,2", 1,
        "store outputs of 32 MiB and more past the caches; 0 if they are read "
        "again soon; 2: outputs of any size"));
  }
  list.push_back(plugin::Option::boolean(
      "checked", false, "test each access against the arrays of the launch"));
  return list;
}

plugin::Artifact CpuCompiler::compile(const plugin::Request &request) {
  CpuTarget target = require(plugin::view(request.target));
  Input input(request);
  tile::KernelOp kernel = input.kernel;

  CompileOptions options;
  const int64_t widest = target.isa.vectorBits;
  const int64_t bits = request.integer("vector_bits", widest);
  if (bits != widest && (widest == 128 || bits != widest / 2)) {
    throw plugin::Failure(TZ_E_INVALID_ARGUMENT,
                          "vector_bits=" + std::to_string(bits) +
                              " is no width of " + target.id);
  }
  options.vectorBits = static_cast<unsigned>(bits);
  const int64_t streaming = request.integer("streaming", 1);
  if (streaming == 0) {
    options.largeOutput.reset();
  } else if (streaming == 2) {
    options.largeOutput = 0;
  } else if (streaming != 1) {
    throw plugin::Failure(TZ_E_INVALID_ARGUMENT,
                          "streaming=" + std::to_string(streaming) +
                              " is none of 0, 1 and 2");
  }
  options.wantLLVM = request.wants("llvm");
  options.wantAsm = request.wants("asm");
  options.debugLevel = request.debug_level;
  options.checked = request.integer("checked", 0) != 0;
  auto cancelled = [&] { return isCancelled(request); };
  options.cancelled = cancelled;
  CompiledKernel compiled;
  try {
    compiled = compileKernel(kernel, target, options);
  } catch (const Unsupported &problem) {
    plugin::refuse(request, TZ_E_UNSUPPORTED_OP, problem.what(),
                   problem.location);
  } catch (const Cancelled &) {
    throw plugin::Failure(TZ_E_CANCELLED, "the compilation was cancelled");
  }

  plugin::Artifact artifact;
  artifact.compat = target.compat;
  artifact.blobs.push_back({"main", "elf", std::move(compiled.object)});
  request.emitText(artifact, "llvm", std::move(compiled.llvm));
  request.emitText(artifact, "asm", std::move(compiled.assembly));
  plugin::KernelDescription &info = artifact.kernels.emplace_back();
  info.name = kernel.getSymName().str();
  plugin::appendArguments(info, kernel);
  if (compiled.usesLog) {
    info.append("log", TZ_ARG_LOG, 0, TZ_TYPE_PTR, 8);
  }
  info.dynScratch = compiled.arenaBytes;
  if (compiled.waits) {
    info.flags |= TZ_KERNEL_ORDERED;
  }
  if (auto contract = kernel->getAttrOfType<mlir::BoolAttr>("tile.contract");
      contract && contract.getValue()) {
    info.flags |= TZ_KERNEL_CONTRACTED;
  }
  plugin::appendLogSites(artifact, compiled.logPoints, kernel.getSymName());
  artifact.metadata.emplace_back("arena_bytes",
                                 std::to_string(compiled.arenaBytes));
  artifact.metadata.emplace_back("target", target.id);
  return artifact;
}

const void *getInterface(const char *id) {
  return std::string_view(id) == "tz.compiler/1"
             ? plugin::compilerTable<CpuCompiler>()
             : nullptr;
}

} // namespace

} // namespace tz::cpu

extern "C" TZ_PLUGIN_EXPORT const tz_plugin *
tz_plugin_query_v0(const tz_query *query) {
  static constexpr tz_plugin self =
      plugin::entry("cpu", "Terrazzo", TZ_PLUGIN_VERSION,
                    "cpu-compiler " TZ_PLUGIN_VERSION " " LLVM_VERSION_STRING,
                    tz::cpu::getInterface);
  return plugin::answer(query, self);
}
