//===- ExpressionValues.cpp - expressions of the syntax tree --------------===//
//
// What   Constants, displays, f-strings, conditions; other kinds go to the
// class
//        that knows them.
// Why    See ExpressionValues.h.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/evaluate/ExpressionValues.h"

#include "core/frontend/evaluate/CallExpressions.h"
#include "core/frontend/evaluate/Comprehensions.h"
#include "core/frontend/evaluate/Evaluator.h"
#include "core/frontend/evaluate/KernelStatements.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tz::frontend {

using namespace ast;

Value ExpressionValues::lambda(const Lambda *node) {
  auto object = std::make_shared<FunctionObject>();
  object->name = "<lambda>";
  object->lambda = node;
  object->module = ev.frame().module;
  object->closure = std::make_shared<Scope>(ev.frame().scope);
  return Value::function(object);
}

Value ExpressionValues::dict(const Dict *node) {
  Value result = Value::dict();
  for (auto [key, value] : zip(node->keys, node->values)) {
    Value entry = ev.eval(value);
    if (key) {
      result.dictionary().set(ev.eval(key), entry);
    } else if (entry.is(ValueKind::Dict)) {
      for (auto &[k, v] : entry.dictionary().entries) {
        result.dictionary().set(k, v);
      }
    } else {
      return Value::unknown(value->loc, "unknown value in a dictionary");
    }
  }
  return result;
}

Value ExpressionValues::evaluate(const Expr *expr) {
  switch (expr->kind) {
  case ExprKind::Name:
    return ev.lookup(cast<Name>(expr)->id, expr->loc);
  case ExprKind::Constant:
    return constant(cast<Constant>(expr));
  case ExprKind::JoinedString:
    return joined(cast<JoinedString>(expr));
  case ExprKind::Tuple:
    return elements(cast<Tuple>(expr)->elements, true);
  case ExprKind::List:
    return elements(cast<List>(expr)->elements, false);
  case ExprKind::Attribute: {
    auto *node = cast<Attribute>(expr);
    return ev.attribute(ev.eval(node->base), node->name, node->nameLoc);
  }
  case ExprKind::Subscript: {
    // fn[grid](...) stands in host code around kernels.
    auto *node = cast<Subscript>(expr);
    Value base = ev.eval(node->base);
    return ev.subscript(base, ev.eval(node->index), node->index->loc);
  }
  case ExprKind::Slice: {
    auto *node = cast<Slice>(expr);
    auto part = [&](const Expr *e) { return e ? ev.eval(e) : Value::none(); };
    return Value::slice(part(node->lower), part(node->upper), part(node->step));
  }
  case ExprKind::Call:
    return calls.evaluate(cast<Call>(expr));
  case ExprKind::Unary: {
    auto *node = cast<Unary>(expr);
    return ev.unary(node->op, ev.eval(node->operand), node->loc);
  }
  case ExprKind::Binary: {
    auto *node = cast<Binary>(expr);
    Value lhs = ev.eval(node->lhs);
    Value rhs = ev.eval(node->rhs);
    return ev.binary(node->op, lhs, rhs, node->opLoc);
  }
  case ExprKind::Compare:
    return comparison(cast<Compare>(expr));
  case ExprKind::Bool:
    return logical(cast<ast::Bool>(expr));
  case ExprKind::Conditional:
    return kernel.conditional(cast<Conditional>(expr));
  case ExprKind::Comprehension:
    return evaluateComprehension(ev, cast<Comprehension>(expr));
  case ExprKind::Named: {
    auto *node = cast<Named>(expr);
    Value value = ev.eval(node->value);
    ev.assign(node->target, value, node->loc);
    return ev.inHost() ? value : ev.lookup(node->target->id, node->loc);
  }
  case ExprKind::Lambda:
    return ev.inHost() ? lambda(cast<Lambda>(expr)) : unsupported(expr);
  case ExprKind::Dict:
    return ev.inHost() || (ev.frame().function && ev.frame().function->isExtern)
               ? dict(cast<Dict>(expr))
               : unsupported(expr);
  default:
    return unsupported(expr);
  }
}

Value ExpressionValues::unsupported(const Expr *expr) {
  StringRef what = "this expression";
  StringRef hint;
  switch (expr->kind) {
  case ExprKind::Lambda:
    what = "lambda";
    hint = "; define a jit function at module level";
    break;
  case ExprKind::Dict:
    what = "a dictionary";
    break;
  case ExprKind::Set:
    what = "a set";
    break;
  case ExprKind::Await:
    what = "await";
    break;
  case ExprKind::Yield:
    what = "yield";
    break;
  case ExprKind::Starred:
    what = "a starred expression here";
    break;
  default:
    break;
  }
  return ev.fail(expr->loc, what + " is not supported in kernel code" + hint);
}

Value ExpressionValues::constant(const Constant *node) {
  switch (node->constant) {
  case ConstantKind::None:
    return Value::none();
  case ConstantKind::False:
    return Value::boolean(false);
  case ConstantKind::True:
    return Value::boolean(true);
  case ConstantKind::Ellipsis:
    return Value::ellipsis();
  case ConstantKind::Int:
    return Value::integer(node->integer);
  case ConstantKind::BigInt:
    return ev.fail(node->loc, "integer has more than 127 bits (limit of "
                              "compile-time integers)");
  case ConstantKind::Float:
    return Value::number(node->number);
  case ConstantKind::String:
    return Value::string(node->text.str());
  case ConstantKind::Bytes:
    return ev.fail(node->loc, "bytes are not supported in kernel code");
  case ConstantKind::Imaginary:
    return ev.fail(node->loc,
                   "complex numbers are not supported in kernel code");
  }
  return Value();
}

//===----------------------------------------------------------------------===//
// Strings, displays, comprehensions
//===----------------------------------------------------------------------===//

Value ExpressionValues::joined(const JoinedString *node) {
  std::string text;
  for (const JoinedPart &part : node->parts) {
    if (!part.value) {
      text += part.literal;
      continue;
    }
    Value value = ev.eval(part.value);
    if (value.isError() || value.is(ValueKind::Unknown)) {
      return value;
    }
    if (value.isTile()) {
      return ev.fail(part.value->loc,
                     "an f-string holds compile-time values, found " +
                         describe(value) +
                         "; tl.device_print(\"text\", x) prints run-time ones");
    }
    text += part.debug;
    bool quoted = part.conversion == 'r' || part.conversion == 'a' ||
                  (!part.debug.empty() && !part.conversion);
    std::string shown = quoted ? repr(value) : str(value);
    if (!part.format.empty()) {
      std::optional<std::string> formatted =
          formatValue(quoted ? Value::string(shown) : value, part.format);
      if (!formatted) {
        return ev.fail(node->loc, "format '" + part.format +
                                      "' is not supported for " +
                                      describe(value));
      }
      shown = std::move(*formatted);
    }
    text += shown;
    if (text.size() > ev.limits().sequenceLength) {
      return ev.fail(node->loc, "string is longer than " +
                                    Twine(ev.limits().sequenceLength) +
                                    " characters (limit of sequence length)");
    }
  }
  return Value::string(std::move(text));
}

Value ExpressionValues::elements(ArrayRef<Expr *> elements, bool tuple) {
  std::vector<Value> items;
  bool failed = false;
  for (const Expr *element : elements) {
    if (auto *star = dyn_cast<Starred>(element)) {
      Value inner = ev.eval(star->value);
      if (inner.isSequence()) {
        llvm::append_range(items, inner.items());
        continue;
      }
      if (!inner.isError()) {
        return ev.fail(star->loc,
                       "'*' needs a tuple or list, found " + describe(inner));
      }
      failed = true;
      continue;
    }
    items.push_back(ev.eval(element));
    failed |= items.back().isError();
  }
  if (failed) {
    return Value();
  }
  return tuple ? Value::tuple(std::move(items)) : Value::list(std::move(items));
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

Value ExpressionValues::comparison(const Compare *node) {
  Value lhs = ev.eval(node->first);
  if (node->ops.size() == 1) {
    Value rhs = ev.eval(node->rest[0]);
    if (!ev.inHost() &&
        (node->ops[0] == CompareOp::In || node->ops[0] == CompareOp::NotIn)) {
      // Allowed where it is decided now; a tile has no members.
      if (lhs.isTile() || rhs.isTile()) {
        return ev.fail(node->loc, "'in' is not supported on run-time values");
      }
    }
    return ev.compare(node->ops[0], lhs, rhs, node->loc);
  }
  if (!ev.inHost()) {
    return ev.fail(node->loc, "chained comparison is not supported in kernel "
                              "code; write `(a < b) & (b < c)`");
  }
  Value result = Value::boolean(true);
  for (auto [op, operand] : zip(node->ops, node->rest)) {
    Value rhs = ev.eval(operand);
    result = ev.compare(op, lhs, rhs, node->loc);
    if (!truth(result).value_or(true)) {
      return result;
    }
    lhs = rhs;
  }
  return result;
}

Value ExpressionValues::logical(const ast::Bool *node) {
  Value result = ev.eval(node->operands[0]);
  for (size_t i = 1; i < node->operands.size(); ++i) {
    if (result.isError()) {
      return result;
    }
    if (!result.isTile()) {
      std::optional<bool> decided = truth(result);
      if (!decided) {
        return ev.fail(node->operands[i - 1]->loc,
                       "truth of " + describe(result) +
                           " is not known at compile time");
      }
      if (*decided != node->isAnd) {
        return result; // the rest is not evaluated
      }
      result = ev.eval(node->operands[i]);
      continue;
    }
    Value rhs = ev.eval(node->operands[i]);
    if (rhs.isError()) {
      return rhs;
    }
    // A known number decides for all elements, or changes none.
    const bool isNumber = rhs.is(ValueKind::None) || rhs.is(ValueKind::Bool) ||
                          rhs.is(ValueKind::Int) || rhs.is(ValueKind::Float);
    if (std::optional<bool> decided = isNumber ? truth(rhs) : std::nullopt) {
      if (*decided != node->isAnd) {
        return rhs;
      }
      continue;
    }
    CallArgs args;
    args.add(rhs, node->operands[i]->loc);
    const Builtin *method = ev.builtins().method(
        ValueKind::Tile, node->isAnd ? "logical_and" : "logical_or");
    result = ev.call(Value::method(result, method), args, node->loc);
  }
  return result;
}

} // namespace tz::frontend
