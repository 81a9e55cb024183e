//===- Opcodes.cpp - looking up the records of the portable form ----------===//
//
// What   Builds the tables of Opcodes.h from the .def files and indexes them.
//
//===----------------------------------------------------------------------===//
#include "core/wire/Opcodes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

namespace tz::wire {

using enum AttrKind;
using enum Presence;

static constexpr OpRecord Ops[] = {
#define TZ_WIRE_OP(opcode, name, since, regions, ...)                          \
  {opcode, name, since, regions, {{__VA_ARGS__}}},
#include "core/wire/Opcodes.def"
};

/// Ends with an empty record: a list of none is no array.
static constexpr OperandRecord Operands[] = {
#define TZ_WIRE_OP(opcode, name, since, regions, ...)
#define TZ_WIRE_OPERAND(opcode, group, name, since)                            \
  {opcode, group, name, since},
#include "core/wire/Opcodes.def"
    {0, 0, nullptr, 0}};

static constexpr CaseRecord Cases[] = {
#define TZ_WIRE_CASE(kind, number, name, since) {kind, number, name, since},
#include "core/wire/EnumCases.def"
};

static constexpr HintRecord Hints[] = {
#define TZ_WIRE_HINT(number, name, kind, since) {number, name, kind, since},
#include "core/wire/Hints.def"
};

llvm::ArrayRef<AttrRecord> OpRecord::attrs() const {
  return llvm::ArrayRef(attributes).take_while([](const AttrRecord &record) {
    return record.name != nullptr;
  });
}

llvm::ArrayRef<OpRecord> opRecords() { return Ops; }
llvm::ArrayRef<OperandRecord> operandRecords() {
  return llvm::ArrayRef(Operands).drop_back();
}
llvm::ArrayRef<CaseRecord> caseRecords() { return Cases; }
llvm::ArrayRef<HintRecord> hintRecords() { return Hints; }

const OpRecord *findOp(llvm::StringRef name) {
  static const llvm::StringMap<const OpRecord *> index = [] {
    llvm::StringMap<const OpRecord *> map;
    for (const OpRecord &record : Ops) {
      map[record.name] = &record;
    }
    return map;
  }();
  return index.lookup(name);
}

const OpRecord *findOp(uint64_t opcode) {
  static const llvm::DenseMap<uint64_t, const OpRecord *> index = [] {
    llvm::DenseMap<uint64_t, const OpRecord *> map;
    for (const OpRecord &record : Ops) {
      map[record.opcode] = &record;
    }
    return map;
  }();
  // The map's own marks for empty and erased slots are no opcodes.
  return opcode > UINT32_MAX ? nullptr : index.lookup(opcode);
}

const HintRecord *findHint(llvm::StringRef name) {
  auto *it = llvm::find_if(
      Hints, [&](const HintRecord &record) { return name == record.name; });
  return it == std::end(Hints) ? nullptr : it;
}

const HintRecord *findHint(uint64_t number) {
  auto *it = llvm::find_if(
      Hints, [&](const HintRecord &record) { return number == record.number; });
  return it == std::end(Hints) ? nullptr : it;
}

} // namespace tz::wire
