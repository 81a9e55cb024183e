//===- TileOperators.cpp - Python operators on tiles ----------------------===//
//
// What   TileOperators.h in terms of OpEmitter, and the conversions between
//        Value and Operand that all bindings use.
// Why    See TileOperators.h.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/evaluate/TileOperators.h"

#include "core/frontend/evaluate/Evaluator.h"

using namespace llvm;

namespace tz::frontend {

std::optional<Operand> toOperand(Evaluator &ev, const Value &value,
                                 SourceLoc loc) {
  switch (value.kind()) {
  case ValueKind::Tile:
    return Operand(value.asTile());
  case ValueKind::Bool:
    return Operand(Literal(value.asBool()));
  case ValueKind::Int: {
    PyInt number = value.asInt();
    if (number == PyInt(int64_t(number))) {
      return Operand(Literal(int64_t(number)));
    }
    if (number > 0 && number == PyInt(uint64_t(number))) {
      return Operand(Literal(uint64_t(number)));
    }
    ev.fail(loc, "integer " + toString(number) + " does not fit 64 bits");
    return std::nullopt;
  }
  case ValueKind::Float:
    return Operand(Literal(value.asFloat()));
  case ValueKind::Error:
    return std::nullopt;
  default:
    ev.fail(loc, "a tile or a number is needed here, found " + describe(value));
    return std::nullopt;
  }
}

Value fromTile(const OptionalTile &tile) {
  return tile ? Value::tile(*tile) : Value();
}

OpEmitter &emitterAt(Evaluator &ev, SourceLoc loc) {
  ev.emitter().setLocation(ev.location(loc));
  return ev.emitter();
}

static BinaryFn binaryFn(Tok op) {
  switch (op) {
  case Tok::Plus:
    return BinaryFn::Add;
  case Tok::Minus:
    return BinaryFn::Sub;
  case Tok::Star:
    return BinaryFn::Mul;
  case Tok::Slash:
    return BinaryFn::Div;
  case Tok::SlashSlash:
    return BinaryFn::FloorDiv;
  case Tok::Percent:
    return BinaryFn::Mod;
  case Tok::Amp:
    return BinaryFn::And;
  case Tok::Pipe:
    return BinaryFn::Or;
  case Tok::Caret:
    return BinaryFn::Xor;
  case Tok::ShiftLeft:
    return BinaryFn::Shl;
  default:
    return BinaryFn::Shr;
  }
}

Value tileBinary(Evaluator &ev, Tok op, const Value &lhs, const Value &rhs,
                 SourceLoc loc) {
  if (op == Tok::At || op == Tok::StarStar) {
    return ev.fail(loc, op == Tok::At
                            ? "'@' is not supported on tiles; use tl.dot"
                            : "'**' is not supported on run-time values; write "
                              "x * x, or tl.exp2(y * tl.log2(x))");
  }
  auto a = toOperand(ev, lhs, loc), b = toOperand(ev, rhs, loc);
  return a && b ? fromTile(emitterAt(ev, loc).binary(binaryFn(op), *a, *b, loc))
                : Value();
}

Value tileCompare(Evaluator &ev, ast::CompareOp op, const Value &lhs,
                  const Value &rhs, SourceLoc loc) {
  auto a = toOperand(ev, lhs, loc), b = toOperand(ev, rhs, loc);
  if (!a || !b) {
    return Value();
  }
  constexpr CompareFn table[] = {CompareFn::Eq, CompareFn::Ne, CompareFn::Lt,
                                 CompareFn::Le, CompareFn::Gt, CompareFn::Ge};
  return fromTile(
      emitterAt(ev, loc).compare(table[static_cast<int>(op)], *a, *b, loc));
}

Value tileUnary(Evaluator &ev, Tok op, const Value &operand, SourceLoc loc) {
  OpEmitter &emitter = emitterAt(ev, loc);
  switch (op) {
  case Tok::Minus:
    return fromTile(emitter.negate(operand.asTile(), loc));
  case Tok::Tilde:
    return fromTile(emitter.invert(operand.asTile(), loc));
  case Tok::KwNot:
    return fromTile(emitter.logicalNot(operand.asTile(), loc));
  default:
    return operand;
  }
}

Value tileFromLiteral(Evaluator &ev, const Value &literal, SourceLoc loc) {
  auto operand = toOperand(ev, literal, loc);
  return operand ? fromTile(emitterAt(ev, loc).literal(
                       std::get<Literal>(*operand), loc))
                 : Value();
}

Value tileCondition(Evaluator &ev, const Value &value, SourceLoc loc,
                    StringRef what) {
  return fromTile(emitterAt(ev, loc).condition(value.asTile(), what, loc));
}

std::optional<std::array<TileValue, 3>>
tileLoopBounds(Evaluator &ev, const Value &start, const Value &stop,
               const Value &step, SourceLoc loc) {
  auto a = toOperand(ev, start, loc), b = toOperand(ev, stop, loc),
       c = toOperand(ev, step, loc);
  if (!a || !b || !c) {
    return std::nullopt;
  }
  return emitterAt(ev, loc).loopBounds(*a, *b, *c, loc);
}

} // namespace tz::frontend
