//===- SecondPlugin.cpp - a compiler half that carries an LLVM of its own -===//
//
// What   Parses a fixed LLVM function with its own copy of LLVM, and answers
//        the printed text and the address of one of LLVM's functions in
//        metadata.
// Why    CoexistTest loads it beside the CPU plugin, in a host that holds a
//        third copy: each must use its own.
//
//===----------------------------------------------------------------------===//
#include <terrazzo/plugin/Compiler.h>

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

namespace {

using namespace tz::plugin;

// The host registers an option of this name too: with shared LLVM symbols the
// second registration would end the process.
llvm::cl::opt<bool> twice("terrazzo-coexist-option", llvm::cl::Hidden);

class SecondCompiler final : public Compiler {
public:
  using Compiler::Compiler;

  std::vector<std::string> targets() override { return {"second:any"}; }

  tz_target_desc describe(std::string_view) override {
    static const tz_ir_range ir[] = {{str("tile"), 0, 1, 0, 1}};
    tz_target_desc d{};
    d.id = str("second:any");
    d.family = str("second");
    d.ir = ir;
    d.num_ir = 1;
    return d;
  }

  Artifact compile(const Request &) override {
    llvm::LLVMContext context;
    llvm::SMDiagnostic error;
    auto module = llvm::parseAssemblyString(
        "define i32 @twice(i32 %x) {\n  %y = add i32 %x, %x\n  ret i32 %y\n}\n",
        error, context);
    if (!module) {
      throw Failure(TZ_E_INTERNAL, error.getMessage().str());
    }
    std::string text;
    llvm::raw_string_ostream out(text);
    module->print(out, nullptr);
    Artifact artifact;
    artifact.compat = "second";
    artifact.blobs.push_back({"main", "text", text});
    artifact.kernels.emplace_back().name = "twice";
    artifact.metadata.emplace_back(
        "llvm", std::to_string(
                    reinterpret_cast<uintptr_t>(&llvm::parseAssemblyString)));
    return artifact;
  }
};

const void *getInterface(const char *id) {
  return std::string_view(id) == "tz.compiler/1"
             ? compilerTable<SecondCompiler>()
             : nullptr;
}

} // namespace

extern "C" TZ_PLUGIN_EXPORT const tz_plugin *
tz_plugin_query_v0(const tz_query *query) {
  static constexpr tz_plugin self =
      entry("second", "Test", "0.1.0", "second", getInterface);
  return answer(query, self);
}
