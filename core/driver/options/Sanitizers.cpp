//===- Sanitizers.cpp - which checks a job wants --------------------------===//
//
// What   See Sanitizers.h.
// Why    See Sanitizers.h.
//===----------------------------------------------------------------------===//
#include "core/driver/options/Sanitizers.h"

#include "core/driver/options/NameList.h"

#include "terrazzo/optimizer/TilePipeline.h"

#include "mlir/IR/Builders.h"

#include "llvm/ADT/STLExtras.h"

namespace tz::driver {

using namespace runtime;

/// In the order in which they are told.
static constexpr llvm::StringLiteral Names[] = {"bounds", "nan", "overflow",
                                                "race", "uninitialized"};

static constexpr NameList List = {"sanitize", "check", Names};

std::string sanitizerNames() { return List.all(); }

std::vector<std::string> sanitizersOf(const CompileJob &job) {
  return List.of(job);
}

Status settleSanitizers(CompileJob &job) {
  for (const KeyValue &one : job.options) {
    if (one.key == "sanitize" && one.kind == TZ_KV_STR &&
        llvm::is_contained(List.of(job), "sync")) {
      return Status(TZ_E_UNIMPLEMENTED,
                    "sanitize: there is no check 'sync': a kernel has no "
                    "barriers that its author could forget, the compiler sets "
                    "them. Checks are " +
                        sanitizerNames());
    }
  }
  return List.settle(job);
}

Status checkAsWritten(const CompileJob &job) {
  return llvm::is_contained(sanitizersOf(job), "nan")
             ? Status(TZ_E_UNIMPLEMENTED,
                      "sanitize: target '" + job.target +
                          "' has no check 'nan'; it always checks bounds")
             : Status();
}

Status sanitize(const CompileJob &job, const optimizer::TargetFacts &facts,
                bool asWritten, mlir::Operation *kernel) {
  const std::vector<std::string> names = sanitizersOf(job);
  if (names.empty() || !kernel) {
    return Status();
  }
  if (asWritten) {
    return checkAsWritten(job);
  }
  if (!facts.features.empty() && !facts.features.count("print")) {
    return Status(TZ_E_UNIMPLEMENTED,
                  "sanitize: target '" + job.target +
                      "' has no log, in which checks report (feature print)");
  }
  mlir::Builder b(kernel->getContext());
  llvm::SmallVector<llvm::StringRef> list(names.begin(), names.end());
  kernel->setAttr("tile.sanitize", b.getStrArrayAttr(list));
  return Status();
}

} // namespace tz::driver
