//===- NameList.h - an option that is a comma list of known names ---------===//
//
// What   Its names in a job, in one order; what is wrong in a list.
// Why    Two lists with the same names mean the same, and have one cache key.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_DRIVER_OPTIONS_NAMELIST_H
#define TERRAZZO_CORE_DRIVER_OPTIONS_NAMELIST_H

#include "runtime/session/CompilerService.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace tz::driver {

struct NameList {
  llvm::StringLiteral option; ///< the key in a job
  llvm::StringLiteral what;   ///< what a name is called: "check"
  llvm::ArrayRef<llvm::StringLiteral> names;

  /// "bounds, nan and overflow"
  std::string all() const;
  /// Of a settled job, in the order of `names`.
  std::vector<std::string> of(const runtime::CompileJob &job) const;
  /// Each name once, in the order of `names`; an empty list is no option.
  runtime::Status settle(runtime::CompileJob &job) const;
};

} // namespace tz::driver

#endif
