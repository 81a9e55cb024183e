//===- Sanitizers.cpp - which checks a job wants --------------------------===//
//
// What   See Sanitizers.h.
// Why    See Sanitizers.h.
//===----------------------------------------------------------------------===//
#include "core/driver/options/Sanitizers.h"

#include "core/frontend/Diagnostics.h"

#include "terrazzo/optimizer/TilePipeline.h"

#include "mlir/IR/Builders.h"

#include "llvm/ADT/STLExtras.h"

namespace tz::driver {

using namespace runtime;

/// In the order in which they are told.
static constexpr llvm::StringLiteral Names[] = {"bounds", "nan", "overflow",
                                                "race", "uninitialized"};

std::string sanitizerNames() {
  std::string text;
  for (auto [i, name] : llvm::enumerate(Names)) {
    text += i == 0 ? "" : i + 1 < std::size(Names) ? ", " : " and ";
    text += name;
  }
  return text;
}

/// Null: nothing is asked for.
template <typename Job>
static auto *optionOf(Job &job) {
  auto at = llvm::find_if(job.options, [](const KeyValue &option) {
    return option.key == "sanitize";
  });
  return at == job.options.end() ? nullptr : &*at;
}

static llvm::SmallVector<llvm::StringRef> split(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> names;
  text.split(names, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef &name : names) {
    name = name.trim();
  }
  llvm::erase(names, "");
  return names;
}

std::vector<std::string> sanitizersOf(const CompileJob &job) {
  std::vector<std::string> wanted;
  if (const KeyValue *option = optionOf(job)) {
    for (llvm::StringRef name : split(option->str)) {
      wanted.push_back(name.str());
    }
  }
  return wanted;
}

static Status refuse(llvm::StringRef name) {
  if (name == "sync") {
    return Status(TZ_E_UNIMPLEMENTED,
                  "sanitize: there is no check 'sync': a kernel has no "
                  "barriers that its author could forget, the compiler sets "
                  "them. Checks are " +
                      sanitizerNames());
  }
  llvm::SmallVector<llvm::StringRef> all(std::begin(Names), std::end(Names));
  llvm::StringRef near = frontend::nearestName(name, all);
  return Status(TZ_E_INVALID_ARGUMENT,
                "sanitize: there is no check '" + name.str() + "'; " +
                    (near.empty() ? "checks are " + sanitizerNames()
                                  : "did you mean '" + near.str() + "'?"));
}

Status settleSanitizers(CompileJob &job) {
  KeyValue *option = optionOf(job);
  if (!option) {
    return Status();
  }
  if (option->kind != TZ_KV_STR) {
    return Status(TZ_E_INVALID_ARGUMENT,
                  "sanitize is a text: a comma list of " + sanitizerNames());
  }
  const llvm::SmallVector<llvm::StringRef> given = split(option->str);
  for (llvm::StringRef name : given) {
    if (!llvm::is_contained(Names, name)) {
      return refuse(name);
    }
  }
  std::string settled;
  for (llvm::StringRef name : Names) {
    if (llvm::is_contained(given, name)) {
      settled += (settled.empty() ? "" : ",") + name.str();
    }
  }
  if (settled.empty()) {
    llvm::erase_if(job.options,
                   [](const KeyValue &one) { return one.key == "sanitize"; });
  } else {
    option->str = std::move(settled);
  }
  return Status();
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
