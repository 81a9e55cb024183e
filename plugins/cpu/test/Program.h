//===- Program.h - A kernel given as text, compiled and loaded ------------===//
//
// What   Text of tile IR in, a function that runs it on the calling thread out.
// Why    Tests of the compiler half run what it makes.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_TEST_PROGRAM_H
#define TERRAZZO_PLUGINS_CPU_TEST_PROGRAM_H

#include "plugins/cpu/KernelEntry.h"
#include "plugins/cpu/compiler/CodeGen.h"
#include "plugins/cpu/compiler/lower/Lowering.h"
#include "plugins/cpu/device/ElfObject.h"

#include "mlir/Parser/Parser.h"

#include <chrono>
#include <cstring>
#include <random>

namespace tz::cpu::test {

/// One compiled kernel; arguments are appended in order.
class Program {
public:
  /// Without a target: the environment's TZ_TEST_TARGET, or this machine.
  explicit Program(const char *text, const char *target = nullptr) {
    if (!target) {
      target = getenv("TZ_TEST_TARGET");
      target = target ? target : "cpu";
    }
    mlir::DialectRegistry registry;
    tz::tile::registerTileDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module) {
      throw std::runtime_error("the test's IR does not parse");
    }
    auto kernel = *module->getOps<tz::tile::KernelOp>().begin();
    CompileOptions options;
    options.wantLLVM = getenv("TZ_TEST_SHOW") != nullptr;
    options.wantAsm = options.wantLLVM;
    auto start = std::chrono::steady_clock::now();
    compiled = compileKernel(kernel, *parseTarget(target), options);
    compileSeconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count();
    if (options.wantLLVM) {
      fprintf(stderr, "%s\n%s\n", compiled.llvm.c_str(),
              compiled.assembly.c_str());
    }
    std::string error;
    object = ElfObject::load(
        {reinterpret_cast<const std::byte *>(compiled.object.data()),
         compiled.object.size()},
        error);
    if (!object) {
      throw std::runtime_error(error);
    }
    entry = reinterpret_cast<tz_cpu_entry>(const_cast<std::byte *>(
        object->find(kernel.getSymName().str())->address));
    arena.resize(compiled.arenaBytes + 64);
    arguments.resize(compiled.argumentBytes + 64);
  }

  template <typename T>
  Program &arg(T value) {
    std::memcpy(arguments.data() + compiled.argumentOffsets[count++], &value,
                sizeof value);
    return *this;
  }
  void run(uint32_t x, uint32_t y = 1, uint32_t z = 1) {
    uint32_t grid[3] = {x, y, z};
    auto at = reinterpret_cast<uintptr_t>(arena.data());
    void *aligned = reinterpret_cast<void *>((at + 63) / 64 * 64);
    entry(arguments.data(), grid, 0, int64_t{x} * y * z, aligned, nullptr);
    count = 0;
  }
  CompiledKernel compiled;
  double compileSeconds = 0;

private:
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::unique_ptr<ElfObject> object;
  tz_cpu_entry entry = nullptr;
  std::vector<char> arena;
  alignas(64) std::vector<char> arguments;
  size_t count = 0;
};

inline std::vector<float> noise(size_t n, unsigned seed = 1) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(n);
  for (float &v : values) {
    v = uniform(engine);
  }
  return values;
}

} // namespace tz::cpu::test

#endif
