//===- CpuCheck.h - What may reach LLVM -----------------------------------===//
//
// What   Two checks by table: of a kernel before it is lowered, also without
//        lowering it, and of the LLVM module before machine code is made of it.
// Why    LLVM ends the process, calls functions that nothing provides, or
//        compiles for minutes where it meets what it cannot do (decisions R14,
//        R15). What is left over becomes a diagnostic with a location instead.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_COMPILER_CPUCHECK_H
#define TERRAZZO_PLUGINS_CPU_COMPILER_CPUCHECK_H

#include "plugins/cpu/compiler/Isa.h"

#include "terrazzo/ir/Tile.h"

#include "llvm/IR/Module.h"

#include <string>
#include <vector>

namespace tz::cpu {

/// Registers that one LLVM vector may fill, and operations that one block of
/// straight-line code may hold (R15).
constexpr unsigned MaxRegisters = 4;
constexpr unsigned MaxBlock = 2000;

/// What the target has not, and where.
struct Problem {
  mlir::Location location;
  std::string message;
};

/// Ops and element types of the kernel that this target has not: each kind of
/// op and each type once, where it first stands.
std::vector<Problem> problemsOf(tile::KernelOp kernel);
/// Throws Unsupported for the first of them.
void checkKernel(tile::KernelOp kernel);

/// Throws Unsupported at the location of the first instruction that is not in
/// the tables; at the kernel's if the instruction has none.
void checkModule(const llvm::Module &module, const Isa &isa,
                 tile::KernelOp kernel);

} // namespace tz::cpu

#endif
