//===- AssemblyBits.cpp - instructions that move bits about ---------------===//
//
// What   lop3, prmt, bfe, bfi, shf, popc, clz, brev and products of another
//        width, as operations on tiles.
// Why    Text that unpacks small numbers is made of them.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/assembly/AssemblyMachine.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace tz::frontend {

size_t bitOperands(StringRef base) {
  return StringSwitch<size_t>(base)
      .Case("lop3", 4)
      .Case("bfi", 4)
      .Cases({"prmt", "bfe", "shf"}, 3)
      .Cases({"popc", "clz", "brev"}, 1)
      .Default(0);
}

std::optional<uint64_t> AssemblyMachine::number(size_t i) const {
  uint64_t value;
  StringRef text = now->operands[i];
  text.consume_back("U");
  if (text.getAsInteger(0, value)) {
    return std::nullopt;
  }
  return value;
}

OptionalTile AssemblyMachine::shifted(const OptionalTile &x, bool left,
                                      uint64_t by) {
  return x && by != 0 ? emit.binary(left ? BinaryFn::Shl : BinaryFn::Shr, *x,
                                    Literal(int64_t(by)), call.at(0))
                      : x;
}

OptionalTile AssemblyMachine::masked(const OptionalTile &x, uint64_t mask) {
  OptionalTile bits =
      x ? emit.constant(Literal(mask), x->type.elem, call.at(0)) : x;
  return bits ? emit.binary(BinaryFn::And, *x, *bits, call.at(0)) : bits;
}

OptionalTile AssemblyMachine::both(BinaryFn fn, const OptionalTile &a,
                                   const OptionalTile &b) {
  return a && b ? emit.binary(fn, *a, *b, call.at(0)) : std::nullopt;
}

/// Any function of three bits, by its table: bit 4a + 2b + c of it.
OptionalTile AssemblyMachine::threeInputs() {
  std::optional<uint64_t> table = number(4);
  if (!table || *table > 255) {
    return notUnderstood(now->operands[4]);
  }
  OptionalTile inputs[2][3];
  for (size_t i = 0; i < 3; ++i) {
    inputs[1][i] = read(now->operands[i + 1], DType::U32);
    inputs[0][i] =
        inputs[1][i] ? emit.invert(*inputs[1][i], call.at(0)) : std::nullopt;
    if (!inputs[0][i]) {
      return std::nullopt;
    }
  }
  OptionalTile all = masked(inputs[1][0], 0);
  for (unsigned row = 0; row < 8; ++row) {
    if ((*table >> row & 1) == 0) {
      continue;
    }
    OptionalTile term = both(
        BinaryFn::And,
        both(BinaryFn::And, inputs[row >> 2 & 1][0], inputs[row >> 1 & 1][1]),
        inputs[row & 1][2]);
    all = both(BinaryFn::Or, all, term);
  }
  return all;
}

/// Eight times the sign of a byte, as a byte.
OptionalTile AssemblyMachine::signs(const OptionalTile &byte) {
  OptionalTile sign = shifted(byte, false, 7);
  return sign ? emit.binary(BinaryFn::Mul, *sign, Literal(int64_t(255)),
                            call.at(0))
              : sign;
}

/// Of eight bytes the one that `digit` (0 .. 15) chooses; from 8 on its sign,
/// eight times.
OptionalTile AssemblyMachine::chosenByte(const OptionalTile &bytes,
                                         const OptionalTile &digit) {
  SourceLoc at = call.at(0);
  OptionalTile place = shifted(masked(digit, 7), true, 3);
  place =
      place ? emit.cast(*place, place->type.withElem(DType::U64), "", false, at)
            : place;
  OptionalTile byte = masked(both(BinaryFn::Shr, bytes, place), 255);
  byte = byte ? emit.cast(*byte, byte->type.withElem(DType::U32), "", false, at)
              : byte;
  OptionalTile sign = signs(byte), asks = masked(digit, 8);
  if (!sign || !asks) {
    return std::nullopt;
  }
  OptionalTile isSign =
      emit.compare(CompareFn::Ne, *asks, Literal(int64_t(0)), at);
  return isSign ? emit.where(*isSign, *sign, *byte, at) : isSign;
}

/// As permuted, where a register has the selector.
OptionalTile AssemblyMachine::permutedBy(const OptionalTile &selector) {
  OptionalTile low = read(now->operands[1], DType::U32),
               high = low ? read(now->operands[2], DType::U32) : low;
  OptionalTile bytes =
      high ? joinBits(emit, {*low, *high}, 64, call.at(0)) : high;
  OptionalTile all;
  for (unsigned i = 0; i < 4; ++i) {
    OptionalTile byte =
        shifted(chosenByte(bytes, masked(shifted(selector, false, 4 * i), 15)),
                true, 8 * i);
    all = i == 0 ? byte : both(BinaryFn::Or, all, byte);
  }
  return all;
}

/// Four bytes of eight, each by four bits of the selector.
OptionalTile AssemblyMachine::permuted() {
  std::optional<uint64_t> selector = number(3);
  if (!selector) {
    OptionalTile known = read(now->operands[3], DType::U32);
    return known ? permutedBy(known) : known;
  }
  OptionalTile words[2] = {read(now->operands[1], DType::U32),
                           read(now->operands[2], DType::U32)};
  OptionalTile all;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned from = *selector >> 4 * i & 15;
    OptionalTile byte = shifted(words[from >> 2 & 1], false, from % 4 * 8);
    byte = masked(byte, 255);
    if (from & 8) {
      byte = signs(byte);
    }
    byte = shifted(byte, true, 8 * i);
    all = i == 0 ? byte : both(BinaryFn::Or, all, byte);
  }
  return all;
}

/// bfe d, a, position, length and bfi d, a, b, position, length.
OptionalTile AssemblyMachine::field(StringRef base, DType type) {
  const size_t at = base == "bfe" ? 2 : 3;
  std::optional<uint64_t> position = number(at), length = number(at + 1);
  const unsigned width = bitWidth(type);
  const bool isKnown = position && length && width >= 32 && *length > 0 &&
                       *position < width && *length <= width - *position;
  if (!isKnown) {
    return notUnderstood(now->opcode);
  }
  const uint64_t mask = ~uint64_t{0} >> (64 - *length);
  if (base == "bfi") {
    OptionalTile in =
        shifted(masked(read(now->operands[1], unsignedOf(width)), mask), true,
                *position);
    const uint64_t all = ~uint64_t{0} >> (64 - width);
    return both(BinaryFn::Or, in,
                masked(read(now->operands[2], unsignedOf(width)),
                       ~(mask << *position) & all));
  }
  OptionalTile x = read(now->operands[1], type);
  if (!isSigned(type)) {
    return masked(shifted(x, false, *position), mask);
  }
  return shifted(shifted(x, true, width - *position - *length), false,
                 width - *length);
}

/// shf.l.wrap d, low, high, amount and shf.r.wrap.
OptionalTile AssemblyMachine::funnel() {
  if (parts.size() != 4 || parts[2] != "wrap" ||
      (parts[1] != "l" && parts[1] != "r")) {
    return notUnderstood(now->opcode);
  }
  OptionalTile low = read(now->operands[1], DType::U32),
               high = low ? read(now->operands[2], DType::U32) : low,
               amount = high ? read(now->operands[3], DType::U32) : high;
  if (!amount) {
    return std::nullopt;
  }
  OptionalTile wide = joinBits(emit, {*low, *high}, 64, call.at(0));
  amount = masked(amount, 31);
  amount = amount ? emit.cast(*amount, amount->type.withElem(DType::U64), "",
                              false, call.at(0))
                  : amount;
  const bool isLeft = parts[1] == "l";
  wide = both(isLeft ? BinaryFn::Shl : BinaryFn::Shr, wide, amount);
  wide = isLeft ? shifted(wide, false, 32) : wide;
  return wide ? emit.cast(*wide, wide->type.withElem(DType::U32), "", false,
                          call.at(0))
              : wide;
}

OptionalTile AssemblyMachine::bits(StringRef base, DType type) {
  if (base == "lop3") {
    return threeInputs();
  }
  if (base == "prmt" && parts.size() == 2) {
    return permuted();
  }
  if (base == "bfe" || base == "bfi") {
    return field(base, type);
  }
  if (base == "shf") {
    return funnel();
  }
  OptionalTile x = parts.size() == 2 && bitWidth(type) == 32
                       ? read(now->operands[1], DType::I32)
                       : notUnderstood(now->opcode);
  Value result = x ? callLibdevice(call, base, {Value::tile(*x)}) : Value();
  emit.setLocation(call.evaluator.location(call.loc));
  return result.isTile() ? OptionalTile(result.asTile()) : std::nullopt;
}

/// mul.wide, mul.hi: the product in twice the width, or its upper half.
OptionalTile AssemblyMachine::longProduct(DType type) {
  const unsigned width = bitWidth(type);
  const bool isHigh = parts[1] == "hi";
  if (width > 32 || (isHigh && width != 32)) {
    return notUnderstood(now->opcode);
  }
  const DType wide = isSigned(type) ? (width == 16 ? DType::I32 : DType::I64)
                                    : unsignedOf(2 * width);
  auto widened = [&](size_t i) {
    OptionalTile x = read(now->operands[i], type);
    return x ? emit.cast(*x, x->type.withElem(wide), "", false, call.at(0)) : x;
  };
  OptionalTile product = both(BinaryFn::Mul, widened(1), widened(2));
  if (!isHigh || !product) {
    return product;
  }
  product = shifted(product, false, width);
  return product ? emit.cast(*product, product->type.withElem(type), "", false,
                             call.at(0))
                 : product;
}

} // namespace tz::frontend
