//===- AnyInput.h - the whole frontend on any bytes -------------*- C++ -*-===//
//
// What   Parses a text and elaborates every kernel in it with made-up argument
//        types; says whether the rules that hold for any input were kept.
// Why    The fuzzer and the replay of its corpus in the normal build must run
//        the same code.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_TEST_UNIT_FRONTEND_ANYINPUT_H
#define TERRAZZO_TEST_UNIT_FRONTEND_ANYINPUT_H

#include "core/frontend/Frontend.h"
#include "core/frontend/evaluate/WorkBudget.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"

namespace tz::frontend::test {

/// Empty, or what is wrong: IR after an error, neither IR nor error, bad IR.
inline std::string runAnyInput(llvm::StringRef text) {
  WorkBudget patience(WorkBudget::Steps / 128); // for the whole file
  DiagnosticSink sink;
  Module module = parseModule("fuzz.py", text.str(), sink);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  // The last of many: what a bomb is made of is defined before it goes off.
  size_t first =
      module.kernels().size() - std::min<size_t>(module.kernels().size(), 4);
  for (const KernelInfo &kernel :
       llvm::ArrayRef(module.kernels()).drop_front(first)) {
    Specialization spec;
    for (const ParamInfo &param : kernel.params) {
      if (param.isConstexpr) {
        if (!param.defaultValue) {
          spec.constexprs[param.name] = ConstValue::fromInt(16);
        }
        continue;
      }
      llvm::StringRef name = param.name;
      ArgSpec arg;
      arg.name = param.name;
      arg.type = name.contains("ptr") || name.size() == 1 ? "*fp32" : "i32";
      spec.args.push_back(std::move(arg));
    }
    DiagnosticSink own;
    auto result = elaborate(module, kernel.name, spec, context, own);
    if (!result && !own.hasErrors()) {
      return "no IR and no error for " + kernel.name;
    }
    if (result && own.hasErrors()) {
      return "IR in spite of an error for " + kernel.name + "\n" + own.str();
    }
    if (result && mlir::failed(mlir::verify(*result))) {
      return "IR does not verify for " + kernel.name;
    }
  }
  return "";
}

} // namespace tz::frontend::test

#endif // TERRAZZO_TEST_UNIT_FRONTEND_ANYINPUT_H
