//===- Spirv.h - from an LLVM module to a SPIR-V module -------------------===//
//
// What   Entry points, rewrites for what SPIR-V's kernels lack, a check of what
//        the code generator can do, code, validation and text.
// Why    LLVM's code generator ends the process where it meets what it cannot
//        do, and drivers take wrong modules without a word.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_INTEL_COMPILER_SPIRV_SPIRV_H
#define TERRAZZO_PLUGINS_INTEL_COMPILER_SPIRV_SPIRV_H

#include "plugins/intel/compiler/IntelMachines.h"

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>

namespace tz::intel {

/// What an entry point says of a launch.
struct EntryFacts {
  unsigned lanes;   ///< of a sub-group
  unsigned threads; ///< of a work-group
};

/// Makes an entry point of a lowered function, which goes: booleans become
/// bytes, descriptors numbers (Frame.h), and the sizes are execution modes.
/// Arguments are then what the driver's interface passes. Throws
/// plugin::Failure for a pointer into any memory but a device's.
llvm::Function *makeEntry(llvm::Function *function, const EntryFacts &facts);

/// Gives a block's memory its size; 0: there is none.
void giveSharedMemory(llvm::GlobalVariable *shared, uint64_t bytes);

/// Atomics of 8 and 16 bits as such of the word around them: OpenCL has none.
void widenAtomics(llvm::Module &module);

/// The high half of a product of two numbers of 64 bits.
void narrowWideProducts(llvm::Module &module);

/// Values of other widths than 1, 8, 16, 32 and 64 bits as such of the next
/// one.
void widenIntegers(llvm::Module &module);
void widenIntegers(llvm::Function &function);

/// Vectors of pointers as such of numbers.
void numberPointerVectors(llvm::Module &module);

/// Unsigned ones. The code generator's own passes make them.
void expandCarries(llvm::Module &module);

/// Places in variables, which are constants to LLVM, as instructions.
void expandConstantAddresses(llvm::Module &module);

/// Of 8, 16, 32 and 64 bits.
void expandBitReversals(llvm::Module &module);

/// Elements of a vector of bytes or halves that is another vector's bits:
/// SPIR-V has no vectors of more than 16 elements.
void takeParts(llvm::Module &module);

/// Saturated conversions to integers as plain ones of what the integer holds; 0
/// for NaN. Behind optimize(), which knows LLVM's own and simplifies them.
void expandConversions(llvm::Module &module);

/// A choice between vectors has a condition for each element.
void splatConditions(llvm::Module &module);

/// For SPIR-V 1.3, with the extensions that modules may use.
std::unique_ptr<llvm::TargetMachine> makeTargetMachine();

void optimize(llvm::Module &module, llvm::TargetMachine &machine);

/// Vectors that loops carry element by element are carried whole.
void joinSums(llvm::Function &function);
/// Values are computed behind the loops that do not use them.
void computeLate(llvm::Function &function);

/// Registers of a sub-group that an entry point's values take where most of
/// them live, 4 bytes of each lane in one. To be asked when the order of its
/// instructions is final.
unsigned registersNeeded(const llvm::Function &function,
                         const Machine &machine);

/// What the code generator or this machine lacks; empty: nothing. emitSpirv()
/// asks too: what is lacking may end the process.
std::string problemOf(const llvm::Module &module, const Machine &machine);

/// The code generator of LLVM 22 has tables of the process: one module at a
/// time, with a generator that emits no other one. If it cannot do what its
/// own passes have made, the result is empty and `problem` says what that is.
std::string emitSpirv(llvm::Module &module, llvm::TargetMachine &generator,
                      const Machine &machine, std::string &problem);

/// The module with a note for the device half: its kernels want the large
/// register file, which no instruction of SPIR-V 1.3 says.
std::string noteLargeFile(std::string binary);

/// What SPIRV-Tools say against a module; empty: nothing.
std::string validate(const std::string &binary);
/// The text of a module.
std::string disassemble(const std::string &binary);

} // namespace tz::intel

#endif // TERRAZZO_PLUGINS_INTEL_COMPILER_SPIRV_SPIRV_H
