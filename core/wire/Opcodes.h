//===- Opcodes.h - looking up the records of the portable form --*- C++ -*-===//
//
// What   The tables of Opcodes.def, EnumCases.def and Hints.def, by name and by
//        number.
// Why    Writer and reader are one loop over these records; nothing about a
//        single op is coded by hand.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_WIRE_OPCODES_H
#define TERRAZZO_CORE_WIRE_OPCODES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <array>
#include <cstdint>

namespace tz::wire {

/// What an attribute's value may be. Not stored: the record of the op says it.
enum class AttrKind : uint8_t {
  None,
  Unit,
  Bool,
  I32,
  I64,
  String,
  Type,
  I64Array,
  BoolArray,
  Segments,
  Constant,
  ArgumentAttributes,
  /// Flags that must be clear; they are never written.
  NoFlags,
  // Enums, by number.
  MathFn,
  DivMode,
  Rounding,
  Precision,
  AtomicKind,
  MemSem,
  MemScope,
  CacheHint,
  Eviction,
  CmpI,
  CmpF,
};

enum class Presence : uint8_t { Required, Optional };

struct AttrRecord {
  const char *name = nullptr;
  AttrKind kind = AttrKind::None;
  Presence presence = Presence::Required;
  unsigned since = 1;
};

struct OpRecord {
  unsigned opcode;
  const char *name;
  unsigned since;
  unsigned regions;
  std::array<AttrRecord, 6> attributes;

  /// The records that are used.
  llvm::ArrayRef<AttrRecord> attrs() const;
};

/// An operand, or list of operands, that an op got after its first version.
struct OperandRecord {
  unsigned opcode;
  unsigned group; ///< place among the operands of the definition
  const char *name;
  unsigned since;
};

/// A case of an enum.
struct CaseRecord {
  AttrKind kind;
  unsigned number;
  const char *name;
  unsigned since;
};

struct HintRecord {
  unsigned number;
  const char *name;
  AttrKind kind;
  unsigned since;
};

llvm::ArrayRef<OpRecord> opRecords();
llvm::ArrayRef<OperandRecord> operandRecords();
llvm::ArrayRef<CaseRecord> caseRecords();
llvm::ArrayRef<HintRecord> hintRecords();

/// nullptr if there is none.
const OpRecord *findOp(llvm::StringRef name);
const OpRecord *findOp(uint64_t opcode);
const HintRecord *findHint(llvm::StringRef name);
const HintRecord *findHint(uint64_t number);

} // namespace tz::wire

#endif // TERRAZZO_CORE_WIRE_OPCODES_H
