//===- Specialization.cpp - what a kernel's parameters become -------------===//
//
// What   See Specialization.h.
// Why    See Specialization.h.
//===----------------------------------------------------------------------===//
#include "core/driver/source/Specialization.h"

#include "core/driver/ArgumentTypes.h"
#include "core/driver/options/PartRecords.h"
#include "core/driver/options/Sanitizers.h"
#include "core/driver/source/Signature.h"

#include "llvm/ADT/StringSwitch.h"

namespace tz::driver {

using namespace runtime;
using frontend::ConstValue;
using frontend::KernelInfo;
using frontend::ParamInfo;

static ConstValue fromText(const std::string &text, const ParamInfo &param,
                           const frontend::Module &module) {
  if (text.starts_with('=')) {
    ConstValue value;
    value.kind = ConstValue::Expression;
    value.text = text.substr(1);
    return value;
  }
  bool quoted = text.size() >= 2 && (text[0] == '"' || text[0] == '\'') &&
                text.back() == text[0];
  if (quoted) {
    return ConstValue::fromString(text.substr(1, text.size() - 2));
  }
  if (param.defaultValue && param.defaultValue->kind == ConstValue::String) {
    return ConstValue::fromString(text);
  }
  if (uint32_t type = typeFromName(text)) {
    std::string name(languageName(type));
    return ConstValue::fromDType(name == "u1" ? "i1" : name);
  }
  if (module.kernel(text)) {
    ConstValue value;
    value.kind = ConstValue::Function;
    value.text = text;
    return value;
  }
  return ConstValue::fromString(text);
}

static ConstValue fromConstant(const KeyValue &constant, const ParamInfo &param,
                               const frontend::Module &module) {
  switch (constant.kind) {
  case TZ_KV_BOOL:
    return ConstValue::fromBool(constant.i64 != 0);
  case TZ_KV_F64:
    return ConstValue::fromFloat(constant.f64);
  case TZ_KV_STR:
    return fromText(constant.str, param, module);
  default:
    return ConstValue::fromInt(constant.i64);
  }
}

/// "tensordesc<fp16[64, 64], nan>"
static std::string descriptorType(const ArgumentSpec &spec) {
  std::string text =
      "tensordesc<" + std::string(languageName(spec.items[0].element)) + "[";
  for (size_t d = 0; d < spec.block.size(); ++d) {
    text += (d ? ", " : "") + std::to_string(spec.block[d]);
  }
  return text + (spec.padsWithNaN ? "], nan>" : "]>");
}

/// What is known of an argument, in the frontend's words.
static frontend::ArgSpec toArgument(std::string name, const ArgumentSpec &spec,
                                    const ParamInfo &param,
                                    const frontend::Module &module) {
  frontend::ArgSpec arg;
  arg.name = std::move(name);
  switch (spec.kind) {
  case ArgumentSpec::Runtime:
    arg.type = spec.type == TZ_TYPE_PTR
                   ? "*" + std::string(languageName(spec.element))
                   : std::string(languageName(spec.type));
    arg.equalsOne = spec.equalsOne;
    arg.sharesAddress = spec.sharesAddress;
    arg.divisibility = std::max<uint32_t>(spec.divisor, 1);
    return arg;
  case ArgumentSpec::Tuple:
    arg.type = "tuple";
    break;
  case ArgumentSpec::Descriptor:
    arg.type = descriptorType(spec);
    break;
  case ArgumentSpec::Constant:
    arg.constant = fromConstant(spec.constant, param, module);
    [[fallthrough]];
  default:
    arg.type = "constexpr";
    return arg;
  }
  for (size_t i = 0; i < spec.items.size(); ++i) {
    arg.items.push_back(
        toArgument(i < spec.fields.size() ? spec.fields[i] : std::string(),
                   spec.items[i], param, module));
  }
  return arg;
}

/// The option of the language with this name, where the specialisation has it.
static int *optionOf(frontend::Specialization &spec, llvm::StringRef name) {
  return llvm::StringSwitch<int *>(name)
      .Case("num_warps", &spec.numWarps)
      .Case("num_stages", &spec.numStages)
      .Case("num_ctas", &spec.numCtas)
      .Default(nullptr);
}

/// Takes what autotune or a heuristic sets, if the caller did not. A name that
/// is not a parameter's is a launch option: of the language, or of a target,
/// whose options belong to the launch and are left out here.
static void takeSetting(const KernelInfo &kernel, const std::string &name,
                        const ConstValue &value,
                        frontend::Specialization &spec) {
  llvm::SmallVector<llvm::StringRef> parameters;
  for (const ParamInfo &param : kernel.params) {
    parameters.push_back(param.name);
  }
  if (int *option = optionOf(spec, name)) {
    if (value.kind == ConstValue::Int && value.integer > 0 &&
        value.integer < 4096) {
      *option = int(value.integer);
    }
  }
  if (name == "enable_fp_fusion" && isOption(kernel, name)) {
    spec.contract = optionValue(value).value_or(1) != 0;
  }
  // A near miss stays, for the frontend to say which parameter was meant.
  if (llvm::is_contained(parameters, name) ||
      !frontend::nearestName(name, parameters).empty()) {
    spec.constexprs.try_emplace(name, value);
  }
}

/// Parameters that neither the caller nor the source's defaults gave: from
/// autotune's first configuration (configurations are not timed yet).
static void takeConfiguration(const KernelInfo &kernel,
                              frontend::Specialization &spec) {
  if (kernel.configs.empty()) {
    return;
  }
  const frontend::ConfigInfo &config = kernel.configs[0];
  spec.numWarps = config.numWarps;
  spec.numStages = config.numStages;
  spec.numCtas = config.numCtas;
  for (auto &[name, value] : config.constexprs) {
    takeSetting(kernel, name, value, spec);
  }
}

/// All that is known when the heuristics have been asked: constants, defaults
/// of parameters, values of a launch, and what the heuristics set.
static Result<std::map<std::string, ConstValue>>
evaluateHeuristics(const ParsedSource &source, const KernelInfo &kernel,
                   const std::map<std::string, ConstValue> &constants,
                   const std::map<std::string, ConstValue> &launch,
                   runtime::DiagnosticSink &diagnostics, FirstError &first) {
  std::set<std::string> given;
  std::map<std::string, ConstValue> known = constants;
  known.insert(launch.begin(), launch.end());
  for (const auto &[name, value] : known) {
    given.insert(name);
  }
  for (const ParamInfo &param : kernel.params) {
    if (param.defaultValue) {
      known.try_emplace(param.name, *param.defaultValue);
    }
  }
  frontend::DiagnosticSink sink;
  const bool fine = frontend::evaluateHeuristics(*source.module, kernel.name,
                                                 given, known, sink);
  forward(sink, diagnostics, first);
  if (!fine) {
    return first.status(TZ_E_INVALID_ARGUMENT, "a heuristic of kernel '" +
                                                   kernel.name +
                                                   "' cannot be evaluated");
  }
  return known;
}

static ConstValue launchConstant(const LaunchValue &value) {
  if (!value.element) {
    return value.number.kind == TZ_KV_F64
               ? ConstValue::fromFloat(value.number.f64)
           : value.number.kind == TZ_KV_BOOL
               ? ConstValue::fromBool(value.number.i64 != 0)
               : ConstValue::fromInt(value.number.i64);
  }
  ConstValue array;
  array.kind = ConstValue::Array;
  array.text = languageName(value.element);
  for (int64_t size : value.shape) {
    array.items.push_back(ConstValue::fromInt(size));
  }
  return array;
}

Result<runtime::KernelConfiguration>
findHeuristics(const ParsedSource &source, const std::string &function,
               const std::vector<ArgumentSpec> &arguments,
               const std::vector<LaunchValue> &values,
               runtime::DiagnosticSink &diagnostics, FirstError &first) {
  Result<const KernelInfo *> found =
      findKernel(source, function, diagnostics, first);
  if (!found) {
    return found.takeStatus();
  }
  const KernelInfo &kernel = **found;
  std::map<std::string, ConstValue> constants, launch;
  for (auto [param, given] : llvm::zip(kernel.params, arguments)) {
    if (given.kind == ArgumentSpec::Constant) {
      constants[param.name] =
          fromConstant(given.constant, param, *source.module);
    } else if (given.kind == ArgumentSpec::None) {
      constants[param.name] = ConstValue();
    }
  }
  for (const LaunchValue &value : values) {
    launch[value.parameter] = launchConstant(value);
  }
  Result<std::map<std::string, ConstValue>> known =
      evaluateHeuristics(source, kernel, constants, launch, diagnostics, first);
  if (!known) {
    return known.takeStatus();
  }
  runtime::KernelConfiguration made;
  for (const std::string &name : kernel.heuristics) {
    auto value = known->find(name);
    if (value == known->end() || constants.count(name) || launch.count(name)) {
      continue;
    }
    if (!isOption(kernel, name)) {
      made.constants.emplace_back(name, value->second.str());
    } else if (std::optional<int> number = optionValue(value->second)) {
      made.options.emplace_back(name, *number);
    }
  }
  return made;
}

Result<frontend::Specialization>
specialize(const ParsedSource &source, const CompileJob &job,
           const std::string &function, runtime::DiagnosticSink &diagnostics,
           FirstError &first) {
  Result<const KernelInfo *> found =
      findKernel(source, function, diagnostics, first);
  if (!found) {
    return found.takeStatus();
  }
  const KernelInfo &kernel = **found;
  frontend::Specialization spec;
  spec.target = job.target;
  for (size_t i = 0; i < kernel.params.size(); ++i) {
    const ParamInfo &param = kernel.params[i];
    ArgumentSpec given =
        i < job.arguments.size() ? job.arguments[i] : ArgumentSpec();
    switch (given.kind) {
    case ArgumentSpec::Runtime:
    case ArgumentSpec::Tuple:
    case ArgumentSpec::Descriptor:
      if (param.isConstexpr && given.hasRuntime()) {
        std::string message = "parameter '" + param.name + "' of kernel '" +
                              kernel.name +
                              "' is constexpr; give its value, not a "
                              "run-time argument";
        report(diagnostics, source.files(), TZ_SEVERITY_ERROR, message,
               source.path, kernel.loc.line, kernel.loc.column, first);
        return first.status(TZ_E_INVALID_ARGUMENT, message);
      }
      spec.args.push_back(toArgument(param.name, given, param, *source.module));
      break;
    case ArgumentSpec::Constant:
      spec.constexprs[param.name] =
          fromConstant(given.constant, param, *source.module);
      break;
    case ArgumentSpec::None:
      spec.constexprs[param.name] = ConstValue();
      break;
    default:
      break; // the source's default, a heuristic, a configuration
    }
  }
  takeConfiguration(kernel, spec);
  Result<std::map<std::string, ConstValue>> known = evaluateHeuristics(
      source, kernel, spec.constexprs, {}, diagnostics, first);
  if (!known) {
    return known.takeStatus();
  }
  for (const std::string &name : kernel.heuristics) {
    if (auto value = known->find(name); value != known->end()) {
      takeSetting(kernel, name, value->second, spec);
    }
  }
  for (const KeyValue &option : job.options) {
    int *to = optionOf(spec, option.key);
    if (option.key == "sanitize_overflow") {
      spec.sanitizeOverflow |= option.i64 != 0;
    }
    if (option.key == "sanitize") {
      const bool looks = llvm::is_contained(sanitizersOf(job), "overflow");
      spec.sanitizeOverflow |= looks;
      spec.sanitizeSums |= looks;
    }
    if (option.key == "records") {
      spec.recordsScopes = recordsParts(job, "scopes");
    }
    if (option.key == "debug") {
      spec.keepsAsserts = option.i64 != 0;
    }
    if (option.key == "enable_fp_fusion") {
      spec.contract = option.i64 != 0;
    }
    if (option.key == "f32_default") {
      spec.f32Default = option.str;
    }
    if (to && option.i64 > 0 && option.i64 < 4096) {
      *to = int(option.i64);
    }
  }
  return spec;
}

} // namespace tz::driver
