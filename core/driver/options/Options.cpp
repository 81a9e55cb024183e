//===- Options.cpp - compile options by name ------------------------------===//
//
// What   See Options.h.
// Why    See Options.h.
//===----------------------------------------------------------------------===//
#include "core/driver/options/Options.h"

#include "core/driver/options/PartRecords.h"
#include "core/driver/options/Sanitizers.h"
#include "core/driver/source/Rendering.h"
#include "core/frontend/KnownVendors.h"
#include "runtime/loader/Host.h"

#include "llvm/ADT/StringSwitch.h"

namespace tz::driver {

using namespace runtime;

std::string OptionInfo::range() const {
  if (!choices.empty()) {
    std::string text = choices[0];
    for (size_t i = 1; i < choices.size(); ++i) {
      text += (i + 1 < choices.size() ? ", " : " or ") + choices[i];
    }
    return text;
  }
  if (kind == TZ_KV_BOOL) {
    return "0 or 1";
  }
  if (kind == TZ_KV_STR) {
    return "a text";
  }
  return std::to_string(minimum) + " to " + std::to_string(maximum);
}

std::string OptionInfo::defaultText() const {
  return kind == TZ_KV_STR ? choice : std::to_string(value);
}

static OptionInfo number(const char *name, int64_t minimum, int64_t maximum,
                         int64_t value, const char *help) {
  return {name, help, TZ_KV_I64, minimum, maximum, value, {}, {}};
}

static OptionInfo toggle(const char *name, bool value, const char *help) {
  return {name, help, TZ_KV_BOOL, 0, 1, value, {}, {}};
}

const std::vector<OptionInfo> &languageOptions() {
  static const std::vector<OptionInfo> options = {
      number("num_warps", 1, 4095, 4, "hint: subgroups of a program"),
      number("num_stages", 0, 4095, 3, "hint: depth of software pipelines"),
      number("num_ctas", 1, 4095, 1, "hint: programs that work together"),
      number("maxnreg", 1, 4095, 255, "hint: registers of a thread"),
      toggle("launch_cooperative_grid", false, "all programs run at once"),
      toggle("launch_pdl", false, "hint: may begin before the last one ended"),
      toggle("ahead_of_time", false,
             "all code is made now, also what hardly any launch runs"),
      toggle("sanitize_overflow", false, "check integer results for overflow"),
      {"sanitize",
       "checks, a comma list of " + sanitizerNames(),
       TZ_KV_STR,
       0,
       0,
       0,
       {},
       {}},
      {"records",
       "parts whose begin and end kernels record, a comma list of " +
           partNames(),
       TZ_KV_STR,
       0,
       0,
       0,
       {},
       {}},
      {"record_warps",
       "numbers of the warps that record, a comma list; without it all",
       TZ_KV_STR,
       0,
       0,
       0,
       {},
       {}},
      toggle("enable_fp_fusion", true, "a product may be fused into a sum"),
      {"f32_default",
       "input_precision of dots of fp32 that name none",
       TZ_KV_STR,
       0,
       0,
       0,
       {"tf32", "tf32x3", "ieee", "bf16x3", "bf16x6"},
       {}},
      toggle("debug", true, "asserts are checked"),
      number("opt_level", 0, 3, 3, "effort of the target's compiler"),
      number("debug_level", 0, 2, 0, "for debuggers: 1 lines, 2 names too"),
  };
  return options;
}

static const OptionInfo *findOption(const std::vector<OptionInfo> &list,
                                    const std::string &name) {
  auto it = llvm::find_if(
      list, [&](const OptionInfo &one) { return one.name == name; });
  return it == list.end() ? nullptr : &*it;
}

static bool isAllowed(const OptionInfo &info, const KeyValue &given) {
  bool isNumber = given.kind == TZ_KV_I64 || given.kind == TZ_KV_BOOL;
  if (isNumber == (info.kind == TZ_KV_STR) || given.kind == TZ_KV_F64) {
    return false;
  }
  if (!info.choices.empty()) {
    return llvm::is_contained(info.choices,
                              isNumber ? std::to_string(given.i64) : given.str);
  }
  return !isNumber || (given.i64 >= info.minimum && given.i64 <= info.maximum);
}

/// 1 or 0 for a word of the environment; nothing for others.
static std::optional<int64_t> truthOf(llvm::StringRef text) {
  return llvm::StringSwitch<std::optional<int64_t>>(text.lower())
      .Cases({"1", "on", "true", "yes", "y"}, 1)
      .Cases({"0", "off", "false", "no", "n"}, 0)
      .Default(std::nullopt);
}

Status settleOptions(CompileJob &job) {
  static constexpr struct {
    const char *option, *variables[2];
  } rows[] = {{"f32_default", {"TERRAZZO_F32_DEFAULT", "TRITON_F32_DEFAULT"}},
              {"enable_fp_fusion",
               {"TERRAZZO_DEFAULT_FP_FUSION", "TRITON_DEFAULT_FP_FUSION"}},
              {"sanitize", {"TERRAZZO_SANITIZE", "TERRAZZO_SANITIZE"}},
              {"records", {"TERRAZZO_RECORDS", "TERRAZZO_RECORDS"}},
              {"sanitize_overflow", {"TERRAZZO_DEBUG", "TRITON_DEBUG"}}};
  for (const auto &row : rows) {
    if (llvm::any_of(job.options, [&](const KeyValue &given) {
          return given.key == row.option;
        })) {
      continue;
    }
    for (const char *variable : row.variables) {
      std::optional<std::string> text = environment(variable);
      if (!text || text->empty()) {
        continue;
      }
      KeyValue option;
      option.key = row.option;
      const OptionInfo &info = *findOption(languageOptions(), option.key);
      option.kind = info.kind;
      option.str = *text;
      if (info.kind == TZ_KV_BOOL) {
        std::optional<int64_t> truth = truthOf(*text);
        option.i64 = truth.value_or(0);
        option.str.clear();
        if (!truth) {
          return Status(TZ_E_INVALID_ARGUMENT, std::string(variable) + " is '" +
                                                   *text + "'; it is 0 or 1");
        }
      }
      if (!isAllowed(info, option)) {
        return Status(TZ_E_INVALID_ARGUMENT, std::string(variable) + " is '" +
                                                 *text + "'; it is " +
                                                 info.range());
      }
      // What is so anyway is not said: the key of such a job stays.
      if (info.kind != TZ_KV_BOOL || option.i64 != info.value) {
        job.options.push_back(std::move(option));
      }
      break;
    }
  }
  Status s = settleSanitizers(job);
  return s.ok() ? settlePartRecords(job) : std::move(s);
}

static std::string unknownOption(const CompileJob &job, const std::string &name,
                                 const std::vector<OptionInfo> &ofTarget) {
  std::vector<llvm::StringRef> names;
  std::string all;
  for (const auto *list : {&languageOptions(), &ofTarget}) {
    for (const OptionInfo &one : *list) {
      names.push_back(one.name);
      all += (all.empty() ? "" : ", ") + one.name;
    }
  }
  llvm::StringRef near = frontend::nearestName(name, names);
  return "unknown option '" + name + "' for target '" + job.target + "'" +
         (near.empty() ? "; there are " + all
                       : "; did you mean '" + near.str() + "'?");
}

Status checkOptions(const CompileJob &job,
                    const std::optional<std::vector<OptionInfo>> &ofTarget,
                    runtime::DiagnosticSink &diagnostics) {
  FirstError first;
  auto fail = [&](const std::string &message) {
    report(diagnostics, {}, TZ_SEVERITY_ERROR, message, {}, 0, 0, first);
  };
  for (const KeyValue &given : job.options) {
    // A target may narrow what the language allows.
    const OptionInfo *info =
        ofTarget ? findOption(*ofTarget, given.key) : nullptr;
    if (!info) {
      info = findOption(languageOptions(), given.key);
    }
    if (info && !isAllowed(*info, given)) {
      fail("option '" + given.key + "' is " +
           (given.kind == TZ_KV_STR   ? "'" + given.str + "'"
            : given.kind == TZ_KV_F64 ? std::to_string(given.f64)
                                      : std::to_string(given.i64)) +
           "; target '" + job.target + "' takes " + info->range());
    } else if (!info && ofTarget && frontend::isVendorOption(given.key)) {
      report(diagnostics, {}, TZ_SEVERITY_REMARK,
             "option '" + given.key +
                 "' is of another vendor's targets; target '" + job.target +
                 "' ignores it",
             {}, 0, 0, first);
    } else if (!info && ofTarget) {
      fail(unknownOption(job, given.key, *ofTarget));
    }
  }
  return first.any ? first.status(TZ_E_INVALID_ARGUMENT, "") : Status();
}

Status
checkConfigurations(const CompileJob &job,
                    const runtime::KernelSignature &signature,
                    const std::optional<std::vector<OptionInfo>> &ofTarget,
                    runtime::DiagnosticSink &diagnostics) {
  if (!ofTarget) {
    return Status();
  }
  FirstError first;
  std::vector<llvm::StringRef> names;
  for (const runtime::KernelParameter &parameter : signature.parameters) {
    names.push_back(parameter.name);
  }
  for (const auto *list : {&languageOptions(), &*ofTarget}) {
    for (const OptionInfo &one : *list) {
      names.push_back(one.name);
    }
  }
  for (auto [i, configuration] : llvm::enumerate(signature.configurations)) {
    // Options by name are not among the constants (findSignature).
    for (const auto &[name, value] : configuration.constants) {
      if (llvm::is_contained(names, name)) {
        continue;
      }
      llvm::StringRef near = frontend::nearestName(name, names);
      report(diagnostics, {}, TZ_SEVERITY_ERROR,
             "configuration " + std::to_string(i + 1) +
                 " of triton.autotune "
                 "sets '" +
                 name + "', which is neither a parameter of kernel '" +
                 signature.function + "' nor an option of target '" +
                 job.target + "'" +
                 (near.empty() ? "" : "; did you mean '" + near.str() + "'?"),
             job.source.path, 0, 0, first);
    }
  }
  return first.any ? first.status(TZ_E_INVALID_ARGUMENT, "") : Status();
}

} // namespace tz::driver
