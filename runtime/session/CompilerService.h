//===- CompilerService.h - how the runtime asks for a compilation ---------===//
//
// What   The interface between the runtime, which has no compiler, and
//        core/driver, which implements it. Types say what a specialisation may
//        depend on, and nothing else.
// Why    One C API serves both libraries: libterrazzo_runtime has no service
//        and answers TZ_E_UNIMPLEMENTED for source, libterrazzo registers one.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_SESSION_COMPILERSERVICE_H
#define TERRAZZO_RUNTIME_SESSION_COMPILERSERVICE_H

#include "runtime/launch/RuntimeArtifact.h"

#include <terrazzo/terrazzo.h>

#include <optional>

namespace tz::runtime {

class Registry;
class Cache;

/// Where a kernel comes from. Text wins over the path; the path then serves for
/// diagnostics and for imports of sibling files.
struct KernelSource {
  std::string path, text;
  std::string function; // empty: the only kernel in the file
  bool isIR = false;    // textual tile IR or portable bytes instead of Python
  /// Folders that hold packages it imports; before TERRAZZO_IMPORT_PATH's.
  std::vector<std::string> importRoots;
  /// "package.module.name" and an expression: what running it would tell.
  std::map<std::string, std::string> globals;
  /// With names.find: the text is one function's, `line` its first in the file,
  /// and its free names are asked for with `scope`.
  tz_names names{};
  uint64_t scope = 0;
  uint32_t line = 1;
};

/// A parameter of the kernel function, as its source declares it.
struct KernelParameter {
  std::string name;
  bool isConstexpr = false;
  bool hasDefault = false;
  bool specializeValue = true;     // ==1 may be folded
  bool specializeAlignment = true; // divisibility may be used
};

/// One line of the source's autotune list.
struct KernelConfiguration {
  /// Parameter and value, as on a command line: "BLOCK", "128".
  std::vector<std::pair<std::string, std::string>> constants;
  std::vector<std::pair<std::string, int>> options; // num_warps, num_stages ..
};

struct KernelSignature {
  std::string function;
  std::vector<KernelParameter> parameters;
  std::vector<KernelConfiguration> configurations; // in the source's order
  std::vector<std::string> heuristics; // names that triton.heuristics sets
};

/// What the kernel does through a pointer.
struct PointerUse {
  bool isKnown = false;
  bool isRead = false, isWritten = false;
  /// See tz_pointer_use.
  std::optional<std::vector<int64_t>> steps;
};

/// Which run-time values matter to the code, per leaf of the arguments: R8's
/// one divisor (0: none, no key) and whether ==1 folds anything. A pure
/// function of source, types and constants.
struct SpecializationRule {
  struct Leaf {
    uint32_t divisor = 0;
    bool foldsOne = false;
    /// Of a pointer. Changes no code: for those who know what it points to.
    PointerUse pointer;
  };
  std::vector<Leaf> leaves;
};

struct CompileJob {
  KernelSource source;
  std::vector<ArgumentSpec> arguments; // one per parameter of the signature
  std::string plugin, target;          // "cpu", a target id of that plugin
  std::vector<KeyValue> options;       // num_warps, num_stages, opt_level ...
  std::vector<std::string> emit;       // extra blobs to keep: "asm", "llvm"

  /// Sets the option ahead_of_time, unless it is given.
  void makeAhead() {
    for (const KeyValue &given : options) {
      if (given.key == "ahead_of_time") {
        return;
      }
    }
    add("ahead_of_time", TZ_KV_BOOL);
  }
  /// The same instructions, with line tables.
  void makeLines() {
    std::erase_if(options, [](const KeyValue &given) {
      return given.key == "debug_level";
    });
    add("debug_level", TZ_KV_I64);
  }

private:
  void add(const char *key, uint32_t kind) {
    KeyValue option;
    option.key = key;
    option.kind = kind;
    option.i64 = 1;
    options.push_back(std::move(option));
  }
};

/// Diagnostics as they are printed (file:line:col: error: ... with source line
/// and caret); a failing call's Status holds the first error line.
struct DiagnosticSink {
  virtual ~DiagnosticSink() = default;
  virtual void report(uint32_t severity, std::string_view rendered) = 0;
};

/// For a job that was compiled before, so that all has been said.
struct SilentSink final : DiagnosticSink {
  void report(uint32_t, std::string_view) override {}
};

/// Implemented by core/driver. All functions: any thread, concurrently.
class CompilerService {
public:
  virtual ~CompilerService() = default;
  virtual Result<KernelSignature> signature(const KernelSource &source,
                                            DiagnosticSink &diagnostics) = 0;
  /// arguments: equalsOne and divisor are not set yet.
  virtual Result<SpecializationRule>
  specializationRule(const KernelSource &source,
                     const std::vector<ArgumentSpec> &arguments,
                     DiagnosticSink &diagnostics) = 0;
  /// Looks into the cache first and fills it after.
  virtual Result<std::shared_ptr<const Artifact>>
  compile(const CompileJob &job, DiagnosticSink &diagnostics) = 0;
  /// The job's IR ("tile", "neutral", "prepared"), or what the target's
  /// compiler emits under that name.
  virtual Result<std::string> stage(const CompileJob &job,
                                    const std::string &name,
                                    DiagnosticSink &diagnostics) {
    return Status(TZ_E_NOT_FOUND, "this compiler keeps no stages");
  }
};

/// Called once for each session. The registry and the cache outlive the result.
using CompilerFactory = std::unique_ptr<CompilerService> (*)(Registry &,
                                                             Cache *);
/// Set before the first session is made (libterrazzo does so when it is
/// loaded); null: no compiler.
void setCompilerFactory(CompilerFactory factory);
CompilerFactory compilerFactory();

} // namespace tz::runtime

#endif
