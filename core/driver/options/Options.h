//===- Options.h - compile options by name --------------------------------===//
//
// What   The options that every target takes, those that a target lists, and
//        whether what a job gives is one of them.
// Why    A mistyped option would otherwise do nothing, without a word.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_DRIVER_OPTIONS_OPTIONS_H
#define TERRAZZO_CORE_DRIVER_OPTIONS_OPTIONS_H

#include "runtime/session/CompilerService.h"

#include <optional>

namespace tz::driver {

/// As tz_option_info.
struct OptionInfo {
  std::string name, help;
  uint32_t kind = TZ_KV_I64;
  int64_t minimum = 0, maximum = 0, value = 0;
  std::vector<std::string> choices; ///< the only values, if there are any
  std::string choice;

  /// "1 to 64", "256 or 512", "0 or 1"
  std::string range() const;
  /// The default as a person gives it.
  std::string defaultText() const;
};

/// The options of the language: any target takes them, and those that are
/// hints may change nothing.
const std::vector<OptionInfo> &languageOptions();

/// Adds what variables of the environment say of options that are not given.
runtime::Status settleOptions(runtime::CompileJob &job);

/// Reports each option of the job that is unknown or has a value that is not
/// allowed. A target that lists none takes every name.
runtime::Status
checkOptions(const runtime::CompileJob &job,
             const std::optional<std::vector<OptionInfo>> &ofTarget,
             runtime::DiagnosticSink &diagnostics);

/// Reports each name that a configuration of autotune sets and that is neither
/// a parameter of the kernel nor an option. A target that lists none takes
/// every name.
runtime::Status
checkConfigurations(const runtime::CompileJob &job,
                    const runtime::KernelSignature &signature,
                    const std::optional<std::vector<OptionInfo>> &ofTarget,
                    runtime::DiagnosticSink &diagnostics);

} // namespace tz::driver

#endif
