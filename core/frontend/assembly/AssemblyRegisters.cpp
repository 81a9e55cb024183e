//===- AssemblyRegisters.cpp - several values in one register -------------===//
//
// What   Elements that inline assembly gets and gives `pack` at a time, a
//        register of 32 bits for those of 8 and 16; vectors of registers in
//        braces; instructions on two halves of a register.
// Why    Text that is written for packed elements unpacks them itself: where
//        each element is in a register is part of its meaning.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/assembly/AssemblyMachine.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tz::frontend {

static unsigned bitsOf(const TileType &type) {
  return type.isPtr ? 64 : bitWidth(type.elem);
}

unsigned elementsPerRegister(const TileType &type, int64_t pack) {
  const unsigned bits = bitsOf(type);
  return bits < 32 ? unsigned(std::min<int64_t>(32 / bits, pack)) : 1;
}

/// The value's bits, zero-extended to `width`.
static OptionalTile bitsAs(OpEmitter &emit, const TileValue &value,
                           unsigned width, SourceLoc at) {
  const unsigned bits = bitsOf(value.type);
  OptionalTile plain = value;
  if (value.type.elem != DType::I1) {
    plain =
        emit.cast(value, value.type.withElem(unsignedOf(bits)), "", true, at);
  }
  return plain && bits != width
             ? emit.cast(*plain, plain->type.withElem(unsignedOf(width)), "",
                         false, at)
             : plain;
}

/// Bits `from` .. `from` + bits of a register of unsigned numbers, as `type`.
static OptionalTile bitsFrom(OpEmitter &emit, const TileValue &value,
                             unsigned from, DType type, SourceLoc at) {
  const unsigned bits = bitWidth(type);
  OptionalTile part = value;
  if (from != 0) {
    part = emit.binary(BinaryFn::Shr, value, Literal(int64_t(from)), at);
  }
  if (!part) {
    return part;
  }
  if (type == DType::I1) {
    part = emit.binary(BinaryFn::And, *part, Literal(int64_t(1)), at);
    return part ? emit.compare(CompareFn::Ne, *part, Literal(int64_t(0)), at)
                : part;
  }
  if (bitWidth(part->type.elem) != bits) {
    part =
        emit.cast(*part, part->type.withElem(unsignedOf(bits)), "", false, at);
  }
  return part ? emit.cast(*part, part->type.withElem(type), "", true, at)
              : part;
}

OptionalTile joinBits(OpEmitter &emit, ArrayRef<TileValue> parts,
                      unsigned width, SourceLoc at) {
  OptionalTile all;
  unsigned from = 0;
  for (const TileValue &part : parts) {
    OptionalTile one = bitsAs(emit, part, width, at);
    if (one && from != 0) {
      one = emit.binary(BinaryFn::Shl, *one, Literal(int64_t(from)), at);
    }
    all = !one ? one : all ? emit.binary(BinaryFn::Or, *all, *one, at) : one;
    if (!all) {
      return std::nullopt;
    }
    from += bitsOf(part.type);
  }
  return all;
}

std::optional<TileList> packOperands(OpEmitter &emit,
                                     ArrayRef<TileValue> operands, int64_t pack,
                                     SourceLoc at) {
  if (pack == 1) {
    return TileList(operands.begin(), operands.end());
  }
  TileList registers;
  for (const TileValue &operand : operands) {
    // Of fewer elements some are given again.
    const int64_t count = operand.type.numElements();
    TileList parts = operand.type.shape.empty()
                         ? TileList{operand}
                         : emit.neighbours(operand, std::min(pack, count), at);
    for (size_t i = parts.size(); i < size_t(pack); ++i) {
      parts.push_back(TileValue(parts[i % size_t(count)]));
    }
    const unsigned each = elementsPerRegister(operand.type, pack);
    for (size_t i = 0; i < parts.size(); i += each) {
      OptionalTile one =
          each == 1 ? OptionalTile(parts[i])
                    : joinBits(emit, ArrayRef(parts).slice(i, each), 32, at);
      if (!one) {
        return std::nullopt;
      }
      registers.push_back(*one);
    }
  }
  return registers;
}

OptionalTile unpackResult(OpEmitter &emit, ArrayRef<TileValue> registers,
                          DType type, int64_t pack, ArrayRef<int64_t> shape,
                          SourceLoc at) {
  TileType element;
  element.elem = type;
  const unsigned each = elementsPerRegister(element, pack);
  TileList parts;
  for (const TileValue &one : registers) {
    for (unsigned i = 0; i < each; ++i) {
      OptionalTile part =
          each == 1 ? OptionalTile(one)
                    : bitsFrom(emit, one, i * bitWidth(type), type, at);
      if (!part) {
        return std::nullopt;
      }
      parts.push_back(*part);
    }
  }
  if (shape.empty()) {
    return parts.front();
  }
  int64_t count = 1;
  for (int64_t size : shape) {
    count *= size;
  }
  parts.truncate(size_t(std::min(pack, count)));
  // What depends on no operand is a scalar.
  for (TileValue &part : parts) {
    OptionalTile whole =
        emit.broadcastTo(part, {count / int64_t(parts.size())}, at, "a result");
    if (!whole) {
      return std::nullopt;
    }
    part = *whole;
  }
  return emit.reshape(emit.interleaved(parts, at), shape, at);
}

//===----------------------------------------------------------------------===//
// Vectors of registers
//===----------------------------------------------------------------------===//

/// The names in "{a, b}"; empty if it is none.
static SmallVector<StringRef, 4> vectorOf(StringRef operand) {
  SmallVector<StringRef, 4> names;
  if (operand.consume_front("{") && operand.consume_back("}")) {
    operand.split(names, ',');
    for (StringRef &name : names) {
      name = name.trim();
    }
  }
  return names;
}

bool AssemblyMachine::movesVector() const {
  return StringRef(now->opcode).starts_with("mov.b") &&
         now->operands.size() == 2 && now->predicate.empty() &&
         any_of(now->operands,
                [](StringRef operand) { return operand.starts_with("{"); });
}

/// mov.b32 {a, b}, c and mov.b32 a, {b, c}: parts from the lowest bits on.
bool AssemblyMachine::moveVector() {
  unsigned width = 0;
  StringRef digits = now->opcode;
  digits.consume_front("mov.b");
  auto to = vectorOf(now->operands[0]), from = vectorOf(now->operands[1]);
  const size_t count = to.empty() ? from.size() : to.size();
  const bool isWhole = !digits.getAsInteger(10, width) &&
                       (width == 16 || width == 32 || width == 64) &&
                       (count == 2 || count == 4) && width / count >= 8 &&
                       to.empty() != from.empty();
  if (!isWhole) {
    notUnderstood(now->opcode);
    return false;
  }
  const DType type = unsignedOf(width), part = unsignedOf(width / count);
  if (!to.empty()) {
    OptionalTile source = read(now->operands[1], type);
    for (size_t i = 0; source && i < count; ++i) {
      OptionalTile one = bitsFrom(emit, *source, unsigned(i) * bitWidth(part),
                                  part, call.at(0));
      if (!one) {
        return false;
      }
      if (to[i] != "_") {
        registers[to[i]] = *one;
      }
    }
    return source.has_value();
  }
  TileList parts;
  for (StringRef name : from) {
    OptionalTile one = read(name, part);
    if (!one) {
      return false;
    }
    parts.push_back(*one);
  }
  OptionalTile whole = joinBits(emit, parts, width, call.at(0));
  if (whole) {
    registers[now->operands[0]] = *whole;
  }
  return whole.has_value();
}

//===----------------------------------------------------------------------===//
// Two halves in a register
//===----------------------------------------------------------------------===//

/// fma.rn.bf16x2 and the like: the same instruction on each half.
OptionalTile AssemblyMachine::onHalves() {
  StringRef opcode = now->opcode;
  opcode.consume_back("x2");
  const unsigned width = opcode.ends_with(".f32") ? 32 : 16;
  TileList halves;
  for (unsigned half : {0, 1}) {
    AssemblyStatement one;
    one.opcode = opcode.str();
    one.operands.push_back(now->operands[0]);
    for (const std::string &operand : ArrayRef(now->operands).drop_front()) {
      OptionalTile both = read(operand, unsignedOf(2 * width));
      OptionalTile part = both ? bitsFrom(emit, *both, width * half,
                                          unsignedOf(width), call.at(0))
                               : both;
      if (!part) {
        return std::nullopt;
      }
      // No register of the text begins so.
      one.operands.push_back("@" + std::to_string(one.operands.size()));
      registers[one.operands.back()] = *part;
    }
    const AssemblyStatement *whole = std::exchange(now, &one);
    parts.clear();
    OptionalTile result = evaluate();
    now = whole;
    if (!result) {
      return std::nullopt;
    }
    halves.push_back(*result);
  }
  return joinBits(emit, halves, 2 * width, call.at(0));
}

} // namespace tz::frontend
