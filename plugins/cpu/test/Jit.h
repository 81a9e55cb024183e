//===- Jit.h - Runs emitted IR through the device half's loader -----------===//
//
// What   A module with one function whose body the test writes; compiled for
//        the host or for a given level, loaded with ElfObject.
// Why    The emitters are tested as they are used: machine code of the same
//        options, refused if it has a foreign symbol.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_TEST_JIT_H
#define TERRAZZO_PLUGINS_CPU_TEST_JIT_H

#include "plugins/cpu/compiler/Isa.h"
#include "plugins/cpu/device/ElfObject.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <memory>
#include <string>

namespace tz::cpu::test {

/// "x86-64-v2", "-v3", "-v4", perhaps with "+feature" as in target ids.
bool hostRuns(const std::string &level);
std::string featuresOf(const std::string &level);

class Jit {
public:
  explicit Jit(const std::string &level);

  const Isa isa;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;

  /// void name(params); the body gets a builder at the end of the entry block
  /// and must leave it where the return belongs.
  void
  define(const char *name, llvm::ArrayRef<llvm::Type *> params,
         llvm::function_ref<void(llvm::IRBuilder<> &, llvm::Function *)> body);

  /// void name(in0, in1, ..., out, i64 n): out[i] = body(in0[i], ...), `lanes`
  /// at a time (0 = scalars); n is a multiple of that.
  void
  defineMap(const char *name, unsigned lanes,
            llvm::ArrayRef<llvm::Type *> inputs, llvm::Type *output,
            llvm::function_ref<llvm::Value *(llvm::IRBuilder<> &,
                                             llvm::ArrayRef<llvm::Value *>)>
                body);

  /// Verifies, compiles, loads; on a host without avx512bf16 its instruction is
  /// replaced by others. Throws std::runtime_error with the reason.
  void load();
  void *address(const char *name) const;
  template <typename Fn>
  Fn function(const char *name) const {
    return reinterpret_cast<Fn>(address(name));
  }
  /// Machine code as text; before load().
  std::string assembly();

private:
  std::string emit(bool asText);
  std::string level;
  std::unique_ptr<ElfObject> object;
};

} // namespace tz::cpu::test

#endif
