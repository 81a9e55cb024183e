//===- MutantsPlugin.cpp - the CPU plugin with a wrong lowering -----------===//
//
// What   The two steps of the CPU plugin's compiler between which a mutant
//        acts, wrapped by the linker (--wrap); TERRAZZO_MUTANT is the line.
// Why    One build serves all mutants, and the shipped plugin has no hook:
//        this plugin is the same static libraries with two symbols replaced.
//
// TERRAZZO_MUTANT_LOG: a file that gets a letter for each kernel: m it was
// changed, - it was not, i the change made it invalid.
//===----------------------------------------------------------------------===//
#include "test/mutants/Mutants.h"

#include "plugins/cpu/compiler/CpuCodeGen.h"
#include "plugins/cpu/compiler/lower/CpuLowering.h"

#include "mlir/IR/Verifier.h"

#include <cstdlib>
#include <fcntl.h>
#include <sstream>
#include <unistd.h>

namespace tz::cpu {

// The linker gives calls of NAME to __wrap_NAME, and NAME itself to
// __real_NAME.
CompiledKernel wrappedCompile(tile::KernelOp kernel, const CpuTarget &target,
                              const CompileOptions &options) //
    asm("__wrap__ZN2tz3cpu13compileKernelENS_4tile8KernelOpERKNS0_"
        "9CpuTargetERKNS0_"
        "14CompileOptionsE");
CompiledKernel realCompile(tile::KernelOp kernel, const CpuTarget &target,
                           const CompileOptions &options) //
    asm("__real__ZN2tz3cpu13compileKernelENS_4tile8KernelOpERKNS0_"
        "9CpuTargetERKNS0_"
        "14CompileOptionsE");
void wrappedRun(CpuLowering *lowering) asm(
    "__wrap__ZN2tz3cpu11CpuLowering3runEv");
void realRun(CpuLowering *lowering) asm("__real__ZN2tz3cpu11CpuLowering3runEv");

} // namespace tz::cpu

namespace {

tz::mutants::Words lineOf() {
  const char *text = std::getenv("TERRAZZO_MUTANT");
  std::istringstream words(text ? text : "");
  return {std::istream_iterator<std::string>(words), {}};
}

void note(char letter) {
  const char *path = std::getenv("TERRAZZO_MUTANT_LOG");
  int file =
      path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
  if (file >= 0) {
    ssize_t ignored = write(file, &letter, 1);
    (void)ignored;
    close(file);
  }
}

} // namespace

tz::cpu::CompiledKernel tz::cpu::wrappedCompile(tile::KernelOp kernel,
                                                const CpuTarget &target,
                                                const CompileOptions &options) {
  mutants::Words line = lineOf();
  if (!line.empty() && line[0] != "llvm") {
    bool isChanged = mutants::mutate(kernel, line) != 0;
    bool isValid = mlir::succeeded(mlir::verify(kernel));
    note(!isChanged ? '-' : isValid ? 'm' : 'i');
  }
  return realCompile(kernel, target, options);
}

void tz::cpu::wrappedRun(CpuLowering *lowering) {
  realRun(lowering);
  mutants::Words line = lineOf();
  if (!line.empty() && line[0] == "llvm") {
    line.erase(line.begin());
    note(mutants::mutate(lowering->module, line) ? 'm' : '-');
  }
}
