//===- Signature.cpp - the kernel that a source means ---------------------===//
//
// What   See Signature.h.
// Why    See Signature.h.
//===----------------------------------------------------------------------===//
#include "core/driver/source/Signature.h"

#include "core/driver/options/Options.h"
#include "core/driver/source/ReadIR.h"
#include "core/frontend/KnownVendors.h"

namespace tz::driver {

using namespace runtime;
using frontend::ConstValue;
using frontend::KernelInfo;
using frontend::ParamInfo;

Result<const KernelInfo *> findKernel(const ParsedSource &source,
                                      const std::string &function,
                                      runtime::DiagnosticSink &diagnostics,
                                      FirstError &first) {
  const auto &kernels = source.module->kernels();
  if (const KernelInfo *found = source.module->kernel(function)) {
    return found;
  }
  std::string names;
  std::vector<llvm::StringRef> candidates;
  for (const KernelInfo &kernel : kernels) {
    names += (names.empty() ? "" : ", ") + kernel.name;
    candidates.push_back(kernel.name);
  }
  std::string message;
  if (std::string why = source.module->whyNoKernel(function); !why.empty()) {
    message = std::move(why);
  } else if (kernels.empty()) {
    message = "the file defines no kernel; a kernel is a function with the "
              "decorator @triton.jit";
  } else if (function.empty()) {
    if (kernels.size() == 1) {
      return &kernels[0];
    }
    message = "the file defines several kernels (" + names +
              "); say which: " + source.path + "::" + kernels[0].name;
  } else {
    llvm::StringRef near = frontend::nearestName(function, candidates);
    message = "no kernel '" + function + "' in this file" +
              (near.empty() ? ";" : "; did you mean '" + near.str() + "'?") +
              " It defines " + names;
  }
  report(diagnostics, source.files(), TZ_SEVERITY_ERROR, message, source.path,
         0, 0, first);
  return first.status(TZ_E_NOT_FOUND, message);
}

bool isOption(const KernelInfo &kernel, llvm::StringRef name) {
  auto isIt = [&](const auto &one) { return name == one.name; };
  return llvm::none_of(kernel.params, isIt) &&
         (llvm::any_of(languageOptions(), isIt) ||
          frontend::isVendorOption(name));
}

std::optional<int> optionValue(const ConstValue &value) {
  switch (value.kind) {
  case ConstValue::Bool:
    return value.boolean;
  case ConstValue::Int:
    return static_cast<int>(value.integer);
  default:
    return std::nullopt;
  }
}

/// Of tile IR.
static Result<KernelSignature>
signatureOfIR(Workspace &workspace, const ParsedSource &source,
              const std::string &function, runtime::DiagnosticSink &diagnostics,
              FirstError &first) {
  KernelSignature signature;
  auto module = readIR(workspace, source, diagnostics, first);
  if (!module) {
    return module.takeStatus();
  }
  tile::KernelOp kernel = kernelOf(**module);
  signature.function = kernel.getSymName().str();
  if (!function.empty() && function != signature.function) {
    report(diagnostics, source.files(), TZ_SEVERITY_ERROR,
           "holds kernel '" + signature.function + "', not '" + function + "'",
           source.path, 0, 0, first);
    return first.status(TZ_E_NOT_FOUND, "no such kernel");
  }
  for (unsigned i = 0; i < kernel.getArgumentTypes().size(); ++i) {
    KernelParameter parameter;
    parameter.name = kernel.getArgName(i);
    // The IR is specialised already.
    parameter.specializeValue = parameter.specializeAlignment = false;
    signature.parameters.push_back(std::move(parameter));
  }
  return signature;
}

/// Of a function in the kernel language.
static KernelSignature signatureOf(const KernelInfo &kernel) {
  KernelSignature signature;
  signature.function = kernel.name;
  signature.heuristics = kernel.heuristics;
  const auto &configs = kernel.configs;
  for (const ParamInfo &param : kernel.params) {
    KernelParameter parameter;
    parameter.name = param.name;
    parameter.isConstexpr = param.isConstexpr;
    parameter.hasDefault =
        param.defaultValue.has_value() ||
        llvm::is_contained(kernel.heuristics, param.name) ||
        (!configs.empty() && configs[0].constexprs.count(param.name));
    parameter.specializeValue = !param.doNotSpecialize;
    parameter.specializeAlignment =
        !param.doNotSpecialize && !param.doNotSpecializeAlignment;
    signature.parameters.push_back(std::move(parameter));
  }
  for (const frontend::ConfigInfo &config : configs) {
    runtime::KernelConfiguration &made =
        signature.configurations.emplace_back();
    made.options = {{"num_warps", config.numWarps},
                    {"num_stages", config.numStages},
                    {"num_ctas", config.numCtas}};
    for (const auto &[name, value] : config.constexprs) {
      if (!isOption(kernel, name)) {
        made.constants.emplace_back(name, value.str());
      } else if (std::optional<int> number = optionValue(value)) {
        made.options.emplace_back(name, *number);
      }
    }
  }
  return signature;
}

Result<KernelSignature> findSignature(Workspace &workspace,
                                      const ParsedSource &source,
                                      const std::string &function,
                                      runtime::DiagnosticSink &diagnostics,
                                      FirstError &first) {
  if (source.isIR) {
    return signatureOfIR(workspace, source, function, diagnostics, first);
  }
  Result<const KernelInfo *> kernel =
      findKernel(source, function, diagnostics, first);
  if (!kernel) {
    return kernel.takeStatus();
  }
  return signatureOf(**kernel);
}

} // namespace tz::driver
