//===- AssemblyOperations.cpp - what instructions mean --------------------===//
//
// What   Opcodes of inline assembly as operations on tiles: moves, arithmetic,
//        bits, comparisons, selections, conversions.
// Why    See AssemblyMachine.h.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/assembly/AssemblyMachine.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace tz::frontend {

namespace {

/// Opcodes that are functions of fp32 in libdevice.
struct Function {
  const char *opcode;
  unsigned operands;
  const char *name;
};
constexpr Function Functions[] = {
    {"tanh.approx.f32", 1, "tanh"},
    {"ex2.approx.f32", 1, "exp2"},
    {"lg2.approx.f32", 1, "log2"},
    {"sin.approx.f32", 1, "sin"},
    {"cos.approx.f32", 1, "cos"},
    {"sqrt.approx.f32", 1, "sqrt"},
    {"rsqrt.approx.f32", 1, "rsqrt"},
    {"rcp.approx.f32", 1, "rcp_rn"},
    {"div.approx.f32", 2, "fast_dividef"},
    {"div.full.f32", 2, "fast_dividef"},
    {"v_rcp_f32", 1, "rcp_rn"},
    {"v_exp_f32", 1, "exp2"},
    {"v_log_f32", 1, "log2"},
    {"v_rsq_f32", 1, "rsqrt"},
    {"v_sqrt_f32", 1, "sqrt"},
    {"v_mul_f32", 2, "mul_rn"},
};

/// Opcodes with a direction of rounding, "add.rm.f32": libdevice's function,
/// "add_rd", and its operands. None: 0 operands.
std::pair<std::string, unsigned> roundedFunction(StringRef opcode) {
  SmallVector<StringRef, 4> words;
  opcode.split(words, '.');
  if (words.size() != 3 || words[2] != "f32") {
    return {};
  }
  StringRef direction = StringSwitch<StringRef>(words[1])
                            .Case("rn", "_rn")
                            .Case("rz", "_rz")
                            .Case("rm", "_rd")
                            .Case("rp", "_ru")
                            .Default("");
  unsigned operands = StringSwitch<unsigned>(words[0])
                          .Cases({"sqrt", "rcp"}, 1)
                          .Cases({"add", "sub", "mul", "div"}, 2)
                          .Cases({"fma", "mad"}, 3)
                          .Default(0);
  StringRef base = words[0] == "mad" ? "fma" : words[0];
  return {(base + direction).str(), direction.empty() ? 0 : operands};
}

DType typeOf(StringRef name) {
  return StringSwitch<DType>(name)
      .Case("pred", DType::I1)
      .Cases({"u8", "b8"}, DType::U8)
      .Cases({"u16", "b16"}, DType::U16)
      .Cases({"u32", "b32"}, DType::U32)
      .Cases({"u64", "b64"}, DType::U64)
      .Case("s8", DType::I8)
      .Case("s16", DType::I16)
      .Case("s32", DType::I32)
      .Case("s64", DType::I64)
      .Case("f16", DType::F16)
      .Case("bf16", DType::BF16)
      .Case("f32", DType::F32)
      .Case("f64", DType::F64)
      .Case("e4m3x2", DType::F8E4M3FN)
      .Case("e5m2x2", DType::F8E5M2)
      .Case("f16x2", DType::F16)
      .Case("bf16x2", DType::BF16)
      .Default(DType::Void);
}

/// Whether a conversion makes two narrow numbers of two operands.
bool takesPair(StringRef opcode) {
  auto [rest, from] = opcode.rsplit('.');
  return rest.ends_with("x2") && !from.ends_with("x2");
}

} // namespace

/// A function of a half type, computed in fp32.
OptionalTile AssemblyMachine::viaSingle(StringRef opcode, DType type) {
  std::string single = (opcode.rsplit('.').first + ".f32").str();
  for (const Function &known : Functions) {
    if (single != known.opcode || now->operands.size() != known.operands + 1) {
      continue;
    }
    SmallVector<Value, 3> values;
    for (size_t i = 1; i < now->operands.size(); ++i) {
      OptionalTile x = read(now->operands[i], type);
      x = x ? emit.cast(*x, x->type.withElem(DType::F32), "", false, call.at(0))
            : x;
      if (!x) {
        return std::nullopt;
      }
      values.push_back(Value::tile(*x));
    }
    Value result = callLibdevice(call, known.name, values);
    emit.setLocation(call.evaluator.location(call.loc));
    return result.isTile()
               ? emit.cast(result.asTile(), result.asTile().type.withElem(type),
                           "", false, call.at(0))
               : OptionalTile();
  }
  return notUnderstood(now->opcode);
}

OptionalTile AssemblyMachine::function(StringRef name, DType type) {
  auto values = readAll(1, type);
  if (!values) {
    return std::nullopt;
  }
  Value result = callLibdevice(call, name, *values);
  emit.setLocation(call.evaluator.location(call.loc));
  return result.isTile() ? OptionalTile(result.asTile()) : std::nullopt;
}

OptionalTile AssemblyMachine::binary(BinaryFn fn, DType type) {
  OptionalTile a = read(now->operands[1], type),
               b = a ? read(now->operands[2], type) : a;
  return a && b ? emit.binary(fn, *a, *b, call.at(0)) : std::nullopt;
}

OptionalTile AssemblyMachine::floats(StringRef base, DType type) {
  SmallVector<Value, 3> values;
  if (auto all = readAll(1, type)) {
    values = *all;
  } else {
    return std::nullopt;
  }
  auto tile = [&](size_t i) { return values[i].asTile(); };
  SourceLoc at = call.at(0);
  if (base == "fma" && onlyWords({"rn", "ftz"})) {
    return emit.fma(tile(0), tile(1), tile(2), at);
  }
  // Sums and products of the half types round to nearest, said or not.
  if (onlyWords({"ftz"}) ||
      (bitWidth(type) == 16 && onlyWords({"rn", "ftz"}))) {
    if (base == "add" || base == "sub" || base == "mul") {
      return emit.binary(base == "add"   ? BinaryFn::Add
                         : base == "sub" ? BinaryFn::Sub
                                         : BinaryFn::Mul,
                         tile(0), tile(1), at);
    }
    if (base == "neg") {
      return emit.negate(tile(0), at);
    }
    if (base == "abs") {
      return emit.abs(tile(0), at);
    }
  }
  // min.NaN keeps NaN; min gives the number.
  if ((base == "min" || base == "max") && onlyWords({"ftz", "NaN"})) {
    return emit.extremum(base == "max", tile(0), tile(1), has("NaN"), at);
  }
  if ((base == "min" || base == "max") && has("xorsign") && has("abs") &&
      onlyWords({"ftz", "NaN", "xorsign", "abs"})) {
    return largerMagnitude(base == "max", tile(0), tile(1));
  }
  return notUnderstood(now->opcode);
}

/// max.xorsign.abs: the larger magnitude under the product's sign; min: the
/// smaller one.
OptionalTile AssemblyMachine::largerMagnitude(bool larger, const TileValue &a,
                                              const TileValue &b) {
  SourceLoc at = call.at(0);
  const DType type = a.type.elem, bits = unsignedOf(bitWidth(type));
  auto cast = [&](const OptionalTile &x, DType to) {
    return x ? emit.cast(*x, x->type.withElem(to), "", true, at) : x;
  };
  OptionalTile sign = masked(both(BinaryFn::Xor, cast(a, bits), cast(b, bits)),
                             uint64_t(1) << (bitWidth(type) - 1));
  OptionalTile first = emit.abs(a, at), second = emit.abs(b, at);
  if (!first || !second) {
    return std::nullopt;
  }
  OptionalTile magnitude =
      emit.extremum(larger, *first, *second, has("NaN"), at);
  return cast(both(BinaryFn::Or, cast(magnitude, bits), sign), type);
}

OptionalTile AssemblyMachine::integers(StringRef base, DType type) {
  SourceLoc at = call.at(0);
  DType bits = type == DType::I1 ? type : unsignedOf(bitWidth(type));
  if (base == "mad" && onlyWords({"lo"})) {
    OptionalTile product = binary(BinaryFn::Mul, bits);
    OptionalTile sum = product ? read(now->operands[3], bits) : product;
    return sum ? emit.binary(BinaryFn::Add, *product, *sum, at) : sum;
  }
  if (base == "mul" && parts.size() == 3 && parts[1] == "lo") {
    return binary(BinaryFn::Mul, bits);
  }
  if (base == "mul" && parts.size() == 3 &&
      (parts[1] == "wide" || parts[1] == "hi")) {
    return longProduct(type);
  }
  if (parts.size() != 2) {
    return notUnderstood(now->opcode);
  }
  if (base == "not" || base == "neg" || base == "abs") {
    OptionalTile value = read(now->operands[1], type);
    return !value          ? value
           : base == "not" ? emit.invert(*value, at)
           : base == "neg" ? emit.negate(*value, at)
                           : emit.abs(*value, at);
  }
  if (base == "min" || base == "max") {
    OptionalTile a = read(now->operands[1], type),
                 b = a ? read(now->operands[2], type) : a;
    return a && b ? emit.extremum(base == "max", *a, *b, false, at)
                  : std::nullopt;
  }
  if (base == "shl" || base == "shr") {
    // The amount has 32 bits, whatever is shifted.
    OptionalTile a = read(now->operands[1], base == "shl" ? bits : type),
                 b = a ? read(now->operands[2], DType::U32) : a;
    OptionalTile amount;
    if (b) {
      // What does not fit the narrower type shifts everything out, too.
      unsigned width = bitWidth(type);
      amount = emit.extremum(false, *b, Literal(int64_t(width)), false, at);
      amount = amount ? emit.cast(*amount, b->type.withElem(a->type.elem), "",
                                  false, at)
                      : amount;
    }
    return amount ? emit.binary(base == "shl" ? BinaryFn::Shl : BinaryFn::Shr,
                                *a, *amount, at)
                  : amount;
  }
  // Sums wrap, so they are those of unsigned numbers.
  if (base == "add" || base == "sub") {
    return binary(base == "add" ? BinaryFn::Add : BinaryFn::Sub, bits);
  }
  if (base == "and" || base == "or" || base == "xor") {
    return binary(base == "and"  ? BinaryFn::And
                  : base == "or" ? BinaryFn::Or
                                 : BinaryFn::Xor,
                  bits);
  }
  return notUnderstood(now->opcode);
}

OptionalTile AssemblyMachine::comparison(DType type) {
  SourceLoc at = call.at(0);
  StringRef word = parts[1];
  bool isUnordered = isFloat(type) && word.size() == 3 && word.ends_with("u");
  StringRef stem = isUnordered ? word.drop_back() : word;
  int fn = StringSwitch<int>(stem)
               .Case("eq", int(CompareFn::Eq))
               .Case("ne", int(CompareFn::Ne))
               .Cases({"lt", "lo"}, int(CompareFn::Lt))
               .Cases({"le", "ls"}, int(CompareFn::Le))
               .Cases({"gt", "hi"}, int(CompareFn::Gt))
               .Cases({"ge", "hs"}, int(CompareFn::Ge))
               .Default(-1);
  SmallVector<StringRef, 4> rest(parts.begin() + 2, parts.end() - 1);
  if (fn < 0 || any_of(rest, [](StringRef part) { return part != "ftz"; })) {
    return notUnderstood(now->opcode);
  }
  OptionalTile a = read(now->operands[1], type),
               b = a ? read(now->operands[2], type) : a;
  if (!a || !b) {
    return std::nullopt;
  }
  // Of the language's comparisons `ne` alone holds for NaN.
  bool isNe = CompareFn(fn) == CompareFn::Ne;
  OptionalTile result = emit.compare(CompareFn(fn), *a, *b, at);
  if (!result || !isFloat(type) || isUnordered == isNe) {
    return result;
  }
  auto number = [&](const TileValue &x) {
    return emit.compare(isUnordered ? CompareFn::Ne : CompareFn::Eq, x, x, at);
  };
  OptionalTile first = number(*a), second = number(*b);
  BinaryFn joins = isUnordered ? BinaryFn::Or : BinaryFn::And;
  result = first ? emit.binary(joins, *result, *first, at) : first;
  return result && second ? emit.binary(joins, *result, *second, at) : result;
}

/// The two numbers in a register of `from` as two of `to`.
OptionalTile AssemblyMachine::halvesTo(DType from, DType to) {
  SourceLoc at = call.at(0);
  const unsigned width = bitWidth(from);
  OptionalTile source = read(now->operands[1], unsignedOf(2 * width));
  TileList halves;
  for (unsigned half : {0U, 1U}) {
    OptionalTile one = shifted(source, false, half * width);
    one = one ? emit.cast(*one, one->type.withElem(unsignedOf(width)), "",
                          false, at)
              : one;
    one = one ? emit.cast(*one, one->type.withElem(from), "", true, at) : one;
    one = one ? emit.cast(*one, one->type.withElem(to), "", false, at) : one;
    if (!one) {
      return std::nullopt;
    }
    halves.push_back(*one);
  }
  return joinBits(emit, halves, 2 * bitWidth(to), at);
}

/// cvt.rn.f16.f32, cvt.u32.u8, cvt.rzi.s32.f32, cvt.rn.satfinite.e4m3x2.f32.
OptionalTile AssemblyMachine::conversion() {
  SourceLoc at = call.at(0);
  StringRef toName = parts[parts.size() - 2];
  DType from = typeOf(parts.back()), to = typeOf(toName);
  bool isPair = takesPair(now->opcode);
  bool towardZero = has("rz") || has("rzi");
  if (parts.size() < 3 || from == DType::Void || to == DType::Void ||
      !onlyWords({"rn", "rz", "rni", "rzi", "ftz", "satfinite"}, 2) ||
      has("satfinite") != isFloat8(to) || (isPair && from != DType::F32)) {
    return notUnderstood(now->opcode);
  }
  if (parts.back().ends_with("x2")) { // of each half
    if (!toName.ends_with("x2") || has("rz")) {
      return notUnderstood(now->opcode);
    }
    return halvesTo(from, to);
  }
  auto convert = [&](StringRef name) -> OptionalTile {
    OptionalTile value = read(name, from);
    if (value && has("rni")) {
      Value rounded = callLibdevice(call, "rint", {Value::tile(*value)});
      value = rounded.isTile() ? OptionalTile(rounded.asTile()) : std::nullopt;
    }
    bool rounds = isFloat(from) && isFloat(to) && bitWidth(to) < bitWidth(from);
    return value ? emit.cast(*value, value->type.withElem(to),
                             rounds && towardZero ? "rtz" : "", false, at)
                 : value;
  };
  OptionalTile low = convert(now->operands[isPair ? 2 : 1]);
  if (!isPair || !low) {
    return low;
  }
  // Two in one register, the first operand above.
  OptionalTile high = convert(now->operands[1]);
  unsigned width = bitWidth(to);
  auto bits = [&](const OptionalTile &x) -> OptionalTile {
    OptionalTile plain =
        x ? emit.cast(*x, x->type.withElem(unsignedOf(width)), "", true, at)
          : x;
    return plain ? emit.cast(*plain, x->type.withElem(unsignedOf(2 * width)),
                             "", false, at)
                 : plain;
  };
  low = bits(low);
  high = bits(high);
  high = high ? emit.binary(BinaryFn::Shl, *high, Literal(int64_t(width)), at)
              : high;
  return low && high ? emit.binary(BinaryFn::Or, *high, *low, at)
                     : std::nullopt;
}

OptionalTile AssemblyMachine::evaluate() {
  std::string opcode = now->opcode;
  size_t given = now->operands.size();
  auto takes = [&](size_t count) {
    if (given != count + 1) {
      error("instruction '" + now->opcode + "' takes " + Twine(count + 1) +
            " operands, found " + Twine(given));
    }
    return given == count + 1;
  };
  // Denormals count here, whatever the text asks for.
  std::string plain = opcode;
  if (size_t place = plain.find(".ftz"); place != std::string::npos) {
    plain.erase(place, 4);
  }
  for (const Function &known : Functions) {
    if (plain == known.opcode) {
      return takes(known.operands) ? function(known.name, DType::F32)
                                   : std::nullopt;
    }
  }
  if (auto [name, operands] = roundedFunction(plain); operands != 0) {
    return takes(operands) ? function(name, DType::F32) : std::nullopt;
  }
  StringRef(opcode).split(parts, '.');
  StringRef base = parts[0];
  if (base != "cvt" && (parts.back() == "f16x2" || parts.back() == "bf16x2" ||
                        parts.back() == "f32x2")) {
    return onHalves();
  }
  if ((parts.back() == "f16" || parts.back() == "bf16") && has("approx")) {
    return viaSingle(plain, typeOf(parts.back()));
  }
  size_t count = StringSwitch<size_t>(base)
                     .Cases({"mov", "neg", "abs", "not"}, 1)
                     .Cases({"add", "sub", "mul", "min", "max"}, 2)
                     .Cases({"and", "or", "xor", "shl", "shr", "setp"}, 2)
                     .Cases({"mad", "selp"}, 3)
                     .Case("fma", 3)
                     .Case("cvt", takesPair(opcode) ? 2 : 1)
                     .Default(bitOperands(base));
  DType type = typeOf(parts.back());
  if (count == 0 || type == DType::Void || parts.size() < 2) {
    return notUnderstood(opcode);
  }
  if (!takes(count)) {
    return std::nullopt;
  }
  return instruction(base, type);
}

/// An instruction whose operands are counted already.
OptionalTile AssemblyMachine::instruction(StringRef base, DType type) {
  if (base == "cvt") {
    return conversion();
  }
  if (base == "setp") {
    return comparison(type);
  }
  if (base == "mov" && parts.size() == 2) {
    return read(now->operands[1], type);
  }
  if (base == "selp" && parts.size() == 2) {
    OptionalTile yes = read(now->operands[1], type),
                 no = yes ? read(now->operands[2], type) : yes,
                 which = no ? read(now->operands[3], DType::I1) : no;
    return which ? emit.where(*which, *yes, *no, call.at(0)) : which;
  }
  if (bitOperands(base) != 0) {
    return isInteger(type) ? bits(base, type) : notUnderstood(now->opcode);
  }
  if (type == DType::F32 || type == DType::F64 || type == DType::F16 ||
      type == DType::BF16) {
    return floats(base, type);
  }
  return isInteger(type) ? integers(base, type) : notUnderstood(now->opcode);
}

} // namespace tz::frontend
