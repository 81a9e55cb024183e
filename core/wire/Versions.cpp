//===- Versions.cpp - what an older version cannot say --------------------===//
//
// What   See Versions.h.
// Why    See Versions.h.
//===----------------------------------------------------------------------===//
#include "core/wire/Versions.h"

#include "core/wire/Codec.h"

using namespace llvm;
using namespace mlir;

namespace tz::wire {

/// Has the op something in this group of its operands?
static bool hasOperands(Operation *op, unsigned group) {
  if (auto sizes =
          op->getAttrOfType<DenseI32ArrayAttr>("operandSegmentSizes")) {
    return group < unsigned(sizes.size()) && sizes[group] > 0;
  }
  return op->getNumOperands() > group;
}

/// Does it say what an op says that lacks the attribute? Ops carry the default
/// of a number or an enum, which is 0.
static bool saysNothing(mlir::Attribute value, std::optional<uint64_t> number) {
  auto integer = dyn_cast<IntegerAttr>(value);
  return (integer && integer.getValue().isZero()) || number == 0;
}

std::string needsNewer(Operation *op, const OpRecord &record, unsigned irMinor,
                       const VersionTables &tables) {
  auto needs = [&](const Twine &what, unsigned since) {
    return (what + "needs tile IR 0." + Twine(since) + "; version 0." +
            Twine(irMinor) + " is written")
        .str();
  };
  if (record.since > irMinor) {
    return needs("", record.since);
  }
  for (const OperandRecord &operand : tables.operands) {
    if (operand.opcode == record.opcode && operand.since > irMinor &&
        hasOperands(op, operand.group)) {
      return needs(Twine("operand '") + operand.name + "' ", operand.since);
    }
  }
  for (const AttrRecord &attr : record.attrs()) {
    mlir::Attribute value = op->getAttr(attr.name);
    if (!value) {
      continue;
    }
    std::optional<uint64_t> number = enumToNumber(value, attr.kind);
    if (attr.since > irMinor && attr.kind != AttrKind::Segments &&
        !saysNothing(value, number)) {
      return needs(Twine("attribute '") + attr.name + "' ", attr.since);
    }
    for (const CaseRecord &one : tables.cases) {
      if (number && one.kind == attr.kind && one.number == *number &&
          one.since > irMinor) {
        return needs(Twine("'") + one.name + "' of attribute '" + attr.name +
                         "' ",
                     one.since);
      }
    }
  }
  return "";
}

mlir::Attribute segmentsAt(mlir::Attribute sizes, const OpRecord &record,
                           unsigned irMinor, const VersionTables &tables) {
  auto list = dyn_cast_or_null<DenseI32ArrayAttr>(sizes);
  size_t newer = count_if(tables.operands, [&](const OperandRecord &operand) {
    return operand.opcode == record.opcode && operand.since > irMinor;
  });
  if (!list || newer == 0 || newer > size_t(list.size())) {
    return sizes;
  }
  return DenseI32ArrayAttr::get(list.getContext(),
                                list.asArrayRef().drop_back(newer));
}

} // namespace tz::wire
