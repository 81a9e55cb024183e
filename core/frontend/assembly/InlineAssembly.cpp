//===- InlineAssembly.cpp - text of instructions as operations ------------===//
//
// What   See InlineAssembly.h. Straight lines only: moves, arithmetic, bits,
//        comparisons, selections, conversions, and statements under a
//        predicate, which become selections.
// Why    Text in use holds a handful of instructions that every target has an
//        operation for; so read, it means the same everywhere.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/assembly/AssemblyMachine.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tz::frontend {

SmallVector<AssemblyStatement, 8> parseAssembly(StringRef text) {
  // Without comments; some write a statement a line, others end it by ';'.
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    StringRef rest = text.substr(i);
    if (rest.starts_with("//")) {
      i = std::min(text.find('\n', i), text.size());
      plain += '\n';
    } else if (rest.starts_with("/*")) {
      i = std::min(text.find("*/", i + 2), text.size() - 1) + 1;
      plain += ' ';
    } else {
      plain += text[i];
    }
  }
  char end = StringRef(plain).contains(';') ? ';' : '\n';
  SmallVector<AssemblyStatement, 8> statements;
  SmallVector<StringRef> pieces;
  StringRef(plain).split(pieces, end, -1, false);
  for (StringRef piece : pieces) {
    StringRef rest = piece.ltrim(" \t\n\r{}").rtrim();
    AssemblyStatement statement;
    if (rest.consume_front("@")) {
      statement.negated = rest.consume_front("!");
      statement.predicate =
          rest.take_until([](char c) { return isSpace(c); }).str();
      rest = rest.drop_front(statement.predicate.size()).ltrim();
    }
    statement.opcode = rest.take_until([](char c) { return isSpace(c); }).str();
    rest = rest.drop_front(statement.opcode.size()).trim();
    if (statement.opcode == "}") {
      continue;
    }
    while (!rest.empty()) {
      // Up to the next comma that is in no vector, "{a, b}".
      size_t end = rest.starts_with("{") ? rest.find('}') : 0;
      end = rest.find(',', std::min(end, rest.size()));
      StringRef operand = rest.take_front(end).trim();
      rest = rest.drop_front(std::min(end, rest.size() - 1) + 1).ltrim();
      // A closing brace of the text, where no ';' stands before it.
      if (!operand.contains('{')) {
        operand = operand.rtrim("} \t\n\r");
      }
      statement.operands.push_back(operand.str());
    }
    if (!statement.opcode.empty() && statement.opcode != ".reg") {
      statements.push_back(std::move(statement));
    }
  }
  return statements;
}

Value callLibdevice(BuiltinCall &call, StringRef name,
                    ArrayRef<Value> arguments) {
  auto module =
      call.evaluator.builtins().module("triton.language.extra.libdevice");
  auto it = module->members.find(name);
  if (it == module->members.end()) {
    return Value();
  }
  Evaluator &ev = call.evaluator;
  CallArgs args;
  for (const Value &value : arguments) {
    args.add(value, call.loc);
  }
  return ev.call(ev.resolve(it->second.value, call.loc), args, call.loc);
}

DType unsignedOf(unsigned bits) {
  return bits == 8    ? DType::U8
         : bits == 16 ? DType::U16
         : bits == 32 ? DType::U32
                      : DType::U64;
}

OptionalTile AssemblyMachine::immediate(StringRef text, DType type) {
  if (isFloat(type)) {
    StringRef digits = text;
    uint64_t bits;
    bool isSingle = digits.consume_front_insensitive("0f");
    if ((isSingle || digits.consume_front_insensitive("0d")) &&
        digits.size() == (isSingle ? 8u : 16u) &&
        !digits.getAsInteger(16, bits)) {
      double value =
          isSingle ? double(APFloat(APFloat::IEEEsingle(), APInt(32, bits))
                                .convertToFloat())
                   : APFloat(APFloat::IEEEdouble(), APInt(64, bits))
                         .convertToDouble();
      return emit.constant(Literal(value), type, call.at(0));
    }
    double value;
    if (!text.getAsDouble(value)) {
      return emit.constant(Literal(value), type, call.at(0));
    }
    return notUnderstood(text);
  }
  StringRef digits = text;
  bool negative = digits.consume_front("-");
  digits.consume_back("U");
  uint64_t magnitude;
  if (digits.getAsInteger(0, magnitude)) {
    return notUnderstood(text);
  }
  uint64_t bits = negative ? 0 - magnitude : magnitude;
  if (type == DType::I1) {
    return emit.constant(Literal(bits != 0), type, call.at(0));
  }
  unsigned width = bitWidth(type);
  bits = width < 64 ? bits & ((uint64_t(1) << width) - 1) : bits;
  auto value = emit.constant(Literal(bits), unsignedOf(width), call.at(0));
  TileType wanted;
  wanted.elem = type;
  return value ? emit.cast(*value, wanted, "", true, call.at(0)) : value;
}

OptionalTile AssemblyMachine::read(StringRef name, DType type) {
  auto it = registers.find(name);
  if (it == registers.end()) {
    bool isNumber = !name.empty() && (isDigit(name[0]) || name[0] == '-');
    if (isNumber) {
      return immediate(name, type);
    }
    bool isRegister =
        name.starts_with("$") || (!name.empty() && isAlpha(name[0]));
    if (isRegister && !name.contains('{')) {
      return error("'" + name + "' is read before it is set");
    }
    return notUnderstood(name);
  }
  const TileValue &value = it->second;
  if (value.type.elem == type && !value.type.isPtr) {
    return value;
  }
  // Of a register of two elements of 8 bits the text reads 16 bits or 32.
  if (isInteger(type) && !value.type.isPtr && !value.type.isView() &&
      packed.contains(name) && bitWidth(type) < 32) {
    OptionalTile low =
        emit.cast(value, value.type.withElem(unsignedOf(bitWidth(type))), "",
                  false, call.at(0));
    return low ? emit.cast(*low, low->type.withElem(type), "", true, call.at(0))
               : low;
  }
  if (value.type.isPtr || value.type.isView() ||
      bitWidth(value.type.elem) != bitWidth(type)) {
    return error("instruction '" + now->opcode + "' reads '" + name + "' as " +
                 dtypeName(type) + ", but it holds " +
                 value.type.scalar().str());
  }
  return emit.cast(value, value.type.withElem(type), "", true, call.at(0));
}

std::optional<SmallVector<Value, 3>> AssemblyMachine::readAll(size_t first,
                                                              DType type) {
  SmallVector<Value, 3> values;
  for (const std::string &name : ArrayRef(now->operands).drop_front(first)) {
    OptionalTile value = read(name, type);
    if (!value) {
      return std::nullopt;
    }
    values.push_back(Value::tile(*value));
  }
  return values;
}

bool AssemblyMachine::run(const AssemblyStatement &statement) {
  now = &statement;
  parts.clear();
  if (statement.operands.empty()) {
    return notUnderstood(statement.opcode), false;
  }
  if (movesVector()) {
    return moveVector();
  }
  OptionalTile value = evaluate();
  if (!value) {
    return false;
  }
  TileValue &place = registers[statement.operands[0]];
  if (!statement.predicate.empty()) {
    OptionalTile holds = read(statement.predicate, DType::I1);
    if (holds && statement.negated) {
      holds = emit.invert(*holds, call.at(0));
    }
    if (!holds) {
      return false;
    }
    if (place.value) {
      OptionalTile old = read(statement.operands[0], value->type.elem);
      value = old ? emit.where(*holds, *value, *old, call.at(0)) : old;
    }
  }
  if (value) {
    registers[statement.operands[0]] = *value;
  }
  return value.has_value();
}

OptionalTile AssemblyMachine::result(const std::string &name, DType type) {
  auto it = registers.find(name);
  if (it == registers.end()) {
    return error("inline assembly does not set its result '" + name + "'");
  }
  TileValue value = it->second;
  SourceLoc at = call.at(0);
  unsigned width = bitWidth(type), holds = bitWidth(value.type.elem);
  if (width > holds) {
    return error("result '" + name + "' of inline assembly is " +
                 dtypeName(type) + ", but it holds " +
                 value.type.scalar().str());
  }
  OptionalTile bits = value;
  if (width < holds) {
    bits =
        emit.cast(value, value.type.withElem(unsignedOf(holds)), "", true, at);
    bits = bits ? emit.cast(*bits, value.type.withElem(unsignedOf(width)), "",
                            false, at)
                : bits;
  }
  return bits ? emit.cast(*bits, value.type.withElem(type), "", true, at)
              : bits;
}

std::optional<TileList> runAssembly(BuiltinCall &call, StringRef text,
                                    ArrayRef<TileValue> operands,
                                    ArrayRef<DType> types, int64_t pack) {
  // Integers of a machine wrap.
  OpEmitter &emit = call.evaluator.emitter();
  bool sanitizes = emit.sanitizeOverflow;
  emit.sanitizeOverflow = false;
  scope_exit restore([&] { emit.sanitizeOverflow = sanitizes; });
  SourceLoc at = call.at(0);
  auto given = packOperands(emit, operands, pack, at);
  size_t count = 0;
  for (DType type : types) {
    count +=
        size_t(pack) / elementsPerRegister(TileType().withElem(type), pack);
  }
  if (!given) {
    return std::nullopt;
  }
  AssemblyMachine machine(call, *given, count, /*sharesRegister=*/pack > 1);
  for (const AssemblyStatement &statement : parseAssembly(text)) {
    if (!machine.run(statement)) {
      return std::nullopt;
    }
  }
  const Shape shape =
      operands.empty() ? Shape() : Shape(operands[0].type.shape);
  TileList results;
  size_t next = 0;
  for (DType type : types) {
    const unsigned each = elementsPerRegister(TileType().withElem(type), pack);
    TileList registers;
    for (int64_t i = 0; i < pack; i += each) {
      OptionalTile one =
          machine.result("$" + std::to_string(next++),
                         each == 1 ? type : unsignedOf(each * bitWidth(type)));
      if (!one) {
        return std::nullopt;
      }
      registers.push_back(*one);
    }
    OptionalTile result =
        pack == 1 ? OptionalTile(registers.front())
                  : unpackResult(emit, registers, type, pack, shape, at);
    if (!result) {
      return std::nullopt;
    }
    results.push_back(*result);
  }
  return results;
}

} // namespace tz::frontend
