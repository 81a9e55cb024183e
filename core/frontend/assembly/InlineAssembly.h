//===- InlineAssembly.h - text of instructions as operations ----*- C++ -*-===//
//
// What   Reads the text of inline_asm_elementwise: statements of an opcode and
//        operands, each of which becomes an operation of every target.
// Why    See ForeignFunctions.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_ASSEMBLY_INLINEASSEMBLY_H
#define TERRAZZO_CORE_FRONTEND_ASSEMBLY_INLINEASSEMBLY_H

#include "core/frontend/evaluate/Evaluator.h"
#include "core/frontend/evaluate/TileOperators.h"

namespace tz::frontend {

/// "@!p add.rn.f32 a, $1, 1.0": predicate "p" that must be false, opcode,
/// operands.
struct AssemblyStatement {
  std::string predicate, opcode;
  bool negated = false;
  llvm::SmallVector<std::string, 4> operands;
};

/// Statements in order, without braces around them and comments. Declarations
/// of registers are left out: what is read tells the type.
llvm::SmallVector<AssemblyStatement, 8> parseAssembly(llvm::StringRef text);

/// The text's results: $0 .. for each of `types`, then the operands, of which
/// it gets `pack` elements at a time. Empty after an error, which is told at
/// the call's first argument.
std::optional<TileList> runAssembly(BuiltinCall &call, llvm::StringRef text,
                                    llvm::ArrayRef<TileValue> operands,
                                    llvm::ArrayRef<DType> types, int64_t pack);

/// What libdevice's function gives; no value after an error.
Value callLibdevice(BuiltinCall &call, llvm::StringRef name,
                    llvm::ArrayRef<Value> arguments);

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_ASSEMBLY_INLINEASSEMBLY_H
