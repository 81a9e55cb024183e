//===- PtxAtomics.cpp - atomic updates as PTX -----------------------------===//
//
// What   atom, and red where nobody wants the old value, of one element or of
//        several beside each other, under a predicate.
// Why    LLVM 22 writes atom without order and scope, one element at a time,
//        and adds narrow floats in loops.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/hooks/InlinePtx.h"
#include "backends/nvidia/compiler/hooks/PtxHooks.h"

using namespace llvm;

namespace tz::nvidia {

namespace {

const char *semOf(tile::MemSem sem) {
  switch (sem) {
  case tile::MemSem::relaxed:
    return ".relaxed";
  case tile::MemSem::acquire:
    return ".acquire";
  case tile::MemSem::release:
    return ".release";
  case tile::MemSem::acq_rel:
    break;
  }
  return ".acq_rel";
}

const char *scopeOf(tile::MemScope scope) {
  switch (scope) {
  case tile::MemScope::program:
    return ".cta";
  case tile::MemScope::device:
    return ".gpu";
  case tile::MemScope::system:
    break;
  }
  return ".sys";
}

/// ".add", ".u": the operation and the letter of its type; none: no
/// instruction.
std::optional<std::pair<StringRef, StringRef>> nameOf(tile::AtomicKind kind) {
  using enum tile::AtomicKind;
  switch (kind) {
  case add:
    return {{".add", ".u"}};
  case max:
    return {{".max", ".s"}};
  case min:
    return {{".min", ".s"}};
  case umax:
    return {{".max", ".u"}};
  case umin:
    return {{".min", ".u"}};
  case and_:
    return {{".and", ".b"}};
  case or_:
    return {{".or", ".b"}};
  case xor_:
    return {{".xor", ".b"}};
  case xchg:
    return {{".exch", ".b"}};
  default:
    return std::nullopt;
  }
}

/// ".add.noftz.f16": operation and type; empty: no instruction.
std::string instructionOf(const simt::AtomicUpdate &update) {
  const mlir::Type element = update.element;
  if (update.kind == tile::AtomicKind::fadd) {
    return element.isF16()    ? ".add.noftz.f16"
           : element.isBF16() ? ".add.noftz.bf16"
           : element.isF32()  ? ".add.f32"
           : element.isF64()  ? ".add.f64"
                              : "";
  }
  const unsigned bits =
      element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
  auto name = nameOf(update.kind);
  if (!name || (bits != 32 && bits != 64) ||
      (isa<mlir::FloatType>(element) &&
       update.kind != tile::AtomicKind::xchg)) {
    return "";
  }
  return (name->first + name->second + Twine(bits)).str();
}

} // namespace

unsigned PtxHooks::atomicWidth(const simt::AtomicUpdate &update) const {
  const mlir::Type element = update.element;
  if (instructionOf(update).empty() ||
      (element.isBF16() && architecture.number < 90)) {
    return 0;
  }
  if (update.kind != tile::AtomicKind::fadd || update.isUsed ||
      architecture.number < 90 || element.isF64()) {
    return 1;
  }
  return 16 / unsigned(tile::storageBytes(element));
}

/// @p red.relaxed.gpu.global.add.v4.f32 [...], {...};
SmallVector<Value *> PtxHooks::atomic(IRBuilderBase &b,
                                      const simt::AtomicUpdate &update,
                                      Value *pointer, ArrayRef<Value *> values,
                                      Value *predicate) {
  Type *type = values[0]->getType();
  const unsigned n = unsigned(values.size());
  const std::string letter = type->isFloatTy()       ? "f"
                             : type->isDoubleTy()    ? "d"
                             : type->isIntegerTy(64) ? "l"
                             : type->isIntegerTy(16) ? "h"
                                                     : "r";
  // red neither exchanges nor acquires.
  const bool isUsed = update.isUsed || update.kind == tile::AtomicKind::xchg ||
                      update.sem == tile::MemSem::acquire ||
                      update.sem == tile::MemSem::acq_rel;
  std::string text, constraints, instruction = instructionOf(update);
  unsigned next = 0;
  if (isUsed) {
    const unsigned bits = type->getScalarSizeInBits();
    if (predicate) {
      text = "mov.b" + std::to_string(bits) + " $0, 0; ";
    }
    constraints = (predicate ? "=&" : "=") + letter + ",";
    ++next;
  }
  const std::string address = "$" + std::to_string(next++);
  std::string operands;
  for (unsigned i = 0; i < n; ++i) {
    operands += (i ? ", $" : "$") + std::to_string(next++);
  }
  if (n > 1) {
    const size_t dot = instruction.rfind('.');
    instruction.insert(dot, ".v" + std::to_string(n));
    operands = "{" + operands + "}";
    vectorAtomics = true;
  }
  if (predicate) {
    text += "@$" + std::to_string(next) + " ";
  }
  text += std::string(isUsed ? "atom" : "red") + semOf(update.sem) +
          scopeOf(update.scope) + ".global" + instruction +
          (isUsed ? " $0, [" : " [") + address + "], " + operands + ";";
  SmallVector<Value *> arguments = {
      b.CreatePtrToInt(b.CreateAddrSpaceCast(pointer, b.getPtrTy(/*global*/ 1)),
                       b.getInt64Ty())};
  constraints += "l";
  for (Value *value : values) {
    arguments.push_back(value);
    constraints += "," + letter;
  }
  if (predicate) {
    arguments.push_back(predicate);
    constraints += ",b";
  }
  constraints += ",~{memory}";
  Type *result = isUsed ? type : b.getVoidTy();
  Value *old = emitPtx(b, result, text, constraints, arguments);
  return SmallVector<Value *>(n, isUsed ? old : Constant::getNullValue(type));
}

} // namespace tz::nvidia
