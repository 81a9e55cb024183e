//===- FibersCode.cpp - code of a module for fibers -----------------------===//
//
// What   Compiles a module in memory and finds its kernels.
// Why    The device half of the test target loads what the other half made.
//===----------------------------------------------------------------------===//
#include "test/fibers/FibersAccesses.h"
#include "test/fibers/FibersCompiler.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/TargetSelect.h"

#include <mutex>

using namespace llvm;

namespace tz::fibers {

namespace {
std::runtime_error failure(Error error) {
  return std::runtime_error(toString(std::move(error)));
}

class JitCode final : public Code {
public:
  explicit JitCode(StringRef bitcode) {
    static std::once_flag once;
    std::call_once(once, [] {
      InitializeNativeTarget();
      InitializeNativeTargetAsmPrinter();
    });
    auto context = std::make_unique<LLVMContext>();
    auto module =
        parseBitcodeFile(MemoryBufferRef(bitcode, "kernel"), *context);
    if (!module) {
      throw failure(module.takeError());
    }
    auto made = orc::LLJITBuilder().create();
    if (!made) {
      throw failure(made.takeError());
    }
    jit = std::move(*made);
    (*module)->setDataLayout(jit->getDataLayout());
    orc::SymbolMap symbols;
    for (const Symbol &function : functions()) {
      symbols[jit->mangleAndIntern(function.name)] = {
          orc::ExecutorAddr::fromPtr(function.address),
          JITSymbolFlags::Exported | JITSymbolFlags::Callable};
    }
    if (Error error =
            jit->getMainJITDylib().define(orc::absoluteSymbols(symbols))) {
      throw failure(std::move(error));
    }
    auto generator = orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
        jit->getDataLayout().getGlobalPrefix());
    if (!generator) {
      throw failure(generator.takeError());
    }
    jit->getMainJITDylib().addGenerator(std::move(*generator));
    if (Error error = jit->addIRModule(
            orc::ThreadSafeModule(std::move(*module), std::move(context)))) {
      throw failure(std::move(error));
    }
  }
  unsigned lanes() override {
    return *lookup("fibers_lanes").toPtr<const uint32_t *>();
  }
  unsigned sharedAlignment() override {
    return *lookup("fibers_shared_alignment").toPtr<const uint32_t *>();
  }
  bool isLinear() override {
    return *lookup("fibers_linear").toPtr<const uint32_t *>() != 0;
  }
  bool startsInOrder() override {
    return *lookup("fibers_starts_in_order").toPtr<const uint32_t *>() != 0;
  }
  std::vector<std::string> ops() override {
    return OpNames::parse(lookup("fibers_ops").toPtr<const char *>());
  }
  Entry find(const std::string &kernel) override {
    return lookup(kernel + ".packed").toPtr<void(const void *)>();
  }

private:
  orc::ExecutorAddr lookup(const std::string &name) {
    auto symbol = jit->lookup(name);
    if (!symbol) {
      throw failure(symbol.takeError());
    }
    return *symbol;
  }
  std::unique_ptr<orc::LLJIT> jit;
};
} // namespace

std::unique_ptr<Code> load(StringRef bitcode) {
  return std::make_unique<JitCode>(bitcode);
}

} // namespace tz::fibers
