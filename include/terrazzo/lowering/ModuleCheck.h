//===- ModuleCheck.h - what may reach LLVM's code generator ---------------===//
//
// What   A check by table of an LLVM module before machine code is made of it:
//        types, widths of vectors, intrinsics, calls, length of blocks.
// Why    A code generator ends the process, calls functions that nothing
//        provides, or works for minutes where it meets what it cannot do (R14).
//        What is left over becomes a diagnostic instead. Targets differ in a few
//        rows of the table, and not in how a module is walked.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_LOWERING_MODULECHECK_H
#define TERRAZZO_LOWERING_MODULECHECK_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"

#include <functional>
#include <optional>
#include <string>

namespace tz::lowering {

/// What the code generator of a target can do.
struct CodeGenAbilities {
  /// Beside those that become instructions everywhere.
  llvm::ArrayRef<llvm::Intrinsic::ID> intrinsics;
  /// What the names of the target's own intrinsics begin with: "llvm.x86.".
  llvm::StringRef ownIntrinsics;
  /// Of the widest vector that is a value.
  uint64_t vectorBits = 0;
  /// Most instructions of one block; 0: any number.
  size_t blockLength = 0;
  bool inlineAssembly = false;
  /// Calls through pointers, and of functions that the module defines.
  bool calls = false;
  /// Is this function, which the module only declares, an instruction to the
  /// code generator? May be null: none is.
  std::function<bool(const llvm::Function &)> isInstruction;
  /// What else the target lacks, as in Inability; empty: nothing. May be null.
  std::function<std::string(const llvm::Instruction &)> lacks;
};

struct Inability {
  const llvm::Instruction *instruction; ///< of a block: its first
  /// "the intrinsic llvm.sin.f32"; empty: the block is too long.
  std::string what;
  size_t blockLength = 0;
};

/// The first instruction or block that the code generator cannot do.
std::optional<Inability> findInability(const llvm::Module &module,
                                       const CodeGenAbilities &abilities);

} // namespace tz::lowering

#endif // TERRAZZO_LOWERING_MODULECHECK_H
