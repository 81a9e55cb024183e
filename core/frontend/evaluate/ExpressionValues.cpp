//===- ExpressionValues.cpp - constants, displays, comparisons ------------===//
//
// What   One function for each kind of expression; those that look something up
//        are in NameLookup.cpp.
// Why    Kernel code and host code share these; what differs (an unknown host
//        value is no error until a kernel uses it) is decided in fail().
//
//===----------------------------------------------------------------------===//
#include "core/frontend/evaluate/BlockAnalysis.h"
#include "core/frontend/evaluate/Evaluator.h"
#include "core/frontend/evaluate/KernelStatements.h"
#include "core/frontend/evaluate/WorkBudget.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"

using namespace llvm;

namespace tz::frontend {

using namespace ast;

Value Evaluator::evalLambda(const Lambda *node) {
  auto object = std::make_shared<FunctionObject>();
  object->name = "<lambda>";
  object->lambda = node;
  object->module = frame().module;
  object->closure = std::make_shared<Scope>(frame().scope);
  return Value::function(object);
}

Value Evaluator::evalDict(const Dict *node) {
  Value result = Value::dict();
  for (auto [key, value] : zip(node->keys, node->values)) {
    Value entry = eval(value);
    if (key) {
      result.dictionary().set(eval(key), entry);
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

Value Evaluator::evalUncounted(const Expr *expr) {
  switch (expr->kind) {
  case ExprKind::Name:
    return lookup(cast<Name>(expr)->id, expr->loc);
  case ExprKind::Constant:
    return evalConstant(cast<Constant>(expr));
  case ExprKind::JoinedString:
    return evalJoined(cast<JoinedString>(expr));
  case ExprKind::Tuple:
    return evalElements(cast<Tuple>(expr)->elements, true);
  case ExprKind::List:
    return evalElements(cast<List>(expr)->elements, false);
  case ExprKind::Attribute: {
    auto *node = cast<Attribute>(expr);
    return attribute(eval(node->base), node->name, node->nameLoc);
  }
  case ExprKind::Subscript: {
    // fn[grid](...) stands in host code around kernels.
    auto *node = cast<Subscript>(expr);
    Value base = eval(node->base);
    return subscript(base, eval(node->index), node->index->loc);
  }
  case ExprKind::Slice: {
    auto *node = cast<Slice>(expr);
    auto part = [&](const Expr *e) { return e ? eval(e) : Value::none(); };
    return Value::slice(part(node->lower), part(node->upper), part(node->step));
  }
  case ExprKind::Call:
    return evalCall(cast<Call>(expr));
  case ExprKind::Unary: {
    auto *node = cast<Unary>(expr);
    return unary(node->op, eval(node->operand), node->loc);
  }
  case ExprKind::Binary: {
    auto *node = cast<Binary>(expr);
    Value lhs = eval(node->lhs);
    Value rhs = eval(node->rhs);
    return binary(node->op, lhs, rhs, node->opLoc);
  }
  case ExprKind::Compare:
    return evalCompare(cast<Compare>(expr));
  case ExprKind::Bool:
    return evalBool(cast<ast::Bool>(expr));
  case ExprKind::Conditional:
    return statements->conditional(cast<Conditional>(expr));
  case ExprKind::Comprehension:
    return evalComprehension(cast<Comprehension>(expr));
  case ExprKind::Named: {
    auto *node = cast<Named>(expr);
    Value value = eval(node->value);
    assign(node->target, value, node->loc);
    return inHost() ? value : lookup(node->target->id, node->loc);
  }
  case ExprKind::Lambda:
    return inHost() ? evalLambda(cast<Lambda>(expr)) : unsupportedExpr(expr);
  case ExprKind::Dict:
    return inHost() || (frame().function && frame().function->isExtern)
               ? evalDict(cast<Dict>(expr))
               : unsupportedExpr(expr);
  default:
    return unsupportedExpr(expr);
  }
}

Value Evaluator::unsupportedExpr(const Expr *expr) {
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
  return fail(expr->loc, what + " is not supported in kernel code" + hint);
}

Value Evaluator::evalConstant(const Constant *node) {
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
    return fail(node->loc, "integer has more than 127 bits (limit of "
                           "compile-time integers)");
  case ConstantKind::Float:
    return Value::number(node->number);
  case ConstantKind::String:
    return Value::string(node->text.str());
  case ConstantKind::Bytes:
    return fail(node->loc, "bytes are not supported in kernel code");
  case ConstantKind::Imaginary:
    return fail(node->loc, "complex numbers are not supported in kernel code");
  }
  return Value();
}

//===----------------------------------------------------------------------===//
// Strings, displays, comprehensions
//===----------------------------------------------------------------------===//

Value Evaluator::evalJoined(const JoinedString *node) {
  std::string text;
  for (const JoinedPart &part : node->parts) {
    if (!part.value) {
      text += part.literal;
      continue;
    }
    Value value = eval(part.value);
    if (value.isError() || value.is(ValueKind::Unknown)) {
      return value;
    }
    if (value.isTile()) {
      return fail(part.value->loc,
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
        return fail(node->loc, "format '" + part.format +
                                   "' is not supported for " + describe(value));
      }
      shown = std::move(*formatted);
    }
    text += shown;
    if (text.size() > limits().sequenceLength) {
      return fail(node->loc, "string is longer than " +
                                 Twine(limits().sequenceLength) +
                                 " characters (limit of sequence length)");
    }
  }
  return Value::string(std::move(text));
}

Value Evaluator::evalElements(ArrayRef<Expr *> elements, bool tuple) {
  std::vector<Value> items;
  bool failed = false;
  for (const Expr *element : elements) {
    if (auto *star = dyn_cast<Starred>(element)) {
      Value inner = eval(star->value);
      if (inner.isSequence()) {
        llvm::append_range(items, inner.items());
        continue;
      }
      if (!inner.isError()) {
        return fail(star->loc,
                    "'*' needs a tuple or list, found " + describe(inner));
      }
      failed = true;
      continue;
    }
    items.push_back(eval(element));
    failed |= items.back().isError();
  }
  if (failed) {
    return Value();
  }
  return tuple ? Value::tuple(std::move(items)) : Value::list(std::move(items));
}

namespace {

/// The generators of a comprehension from the first on, each in the others.
class ComprehensionRun {
public:
  ComprehensionRun(Evaluator &ev, const Comprehension *node)
      : ev(ev), node(node) {
    if (isDict()) {
      result = Value::dict();
    }
  }

  Value run() {
    level(0);
    if (hasEnded()) {
      return reason;
    }
    if (isDict()) {
      return result;
    }
    return node->comprehension == ComprehensionKind::Generator && !ev.inHost()
               ? Value::tuple(std::move(items))
               : Value::list(std::move(items));
  }

private:
  bool isDict() const { return node->comprehension == ComprehensionKind::Dict; }
  bool hasEnded() const { return failed || ev.bounds().isStopped(); }
  void giveUp(Value why) {
    failed = true;
    reason = std::move(why);
  }

  void level(size_t index) {
    if (hasEnded()) {
      return;
    }
    if (index == node->generators.size()) {
      element();
      return;
    }
    const ast::Generator &generator = node->generators[index];
    Value iterable = ev.eval(generator.iterable);
    std::optional<std::vector<Value>> sequence =
        itemsOf(iterable, ev.limits().sequenceLength);
    if (!sequence) {
      giveUp(iterable.isError()
                 ? iterable
                 : ev.fail(generator.iterable->loc,
                           "comprehension needs a compile-time sequence, "
                           "found " +
                               describe(iterable)));
      return;
    }
    for (Value &item : *sequence) {
      ev.assign(generator.target, item, generator.target->loc, true);
      if (isTaken(generator)) {
        level(index + 1);
      }
      if (hasEnded()) {
        return;
      }
    }
  }

  void element() {
    Value value = ev.eval(node->element);
    if (isDict()) {
      result.dictionary().set(value, ev.eval(node->value));
      return;
    }
    failed |= value.isError();
    items.push_back(std::move(value));
    if (items.size() > ev.limits().sequenceLength) {
      giveUp(ev.fail(node->loc, "comprehension makes more than " +
                                    Twine(ev.limits().sequenceLength) +
                                    " values (limit of sequence length)"));
    }
  }

  bool isTaken(const ast::Generator &generator) {
    bool taken = true;
    for (const Expr *condition : generator.conditions) {
      Value value = ev.eval(condition);
      std::optional<bool> decided = truth(value);
      if (!decided) {
        giveUp(value.isError()
                   ? value
                   : ev.fail(condition->loc,
                             "condition of a comprehension must be known at "
                             "compile time"));
        return false;
      }
      taken &= *decided;
    }
    return taken;
  }

  Evaluator &ev;
  const Comprehension *node;
  Value result; // a dictionary
  std::vector<Value> items;
  bool failed = false;
  Value reason;
};

} // namespace

Value Evaluator::evalComprehension(const Comprehension *node) {
  bool list = node->comprehension == ComprehensionKind::List ||
              node->comprehension == ComprehensionKind::Generator;
  if (!inHost() && (!list || node->generators.size() != 1)) {
    return fail(node->loc, "only comprehensions with one 'for' over a tuple "
                           "are supported in kernel code");
  }
  // The variables of its loops are local to it, what `:=` sets is not.
  Scope saved = frame().scope;
  Value result = ComprehensionRun(*this, node).run();
  for (StringRef name : assignedNames(node)) {
    if (auto set = frame().scope.find(name); set != frame().scope.end()) {
      saved[name] = set->second;
    }
  }
  frame().scope = std::move(saved);
  return result;
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

Value Evaluator::evalCompare(const Compare *node) {
  Value lhs = eval(node->first);
  if (node->ops.size() == 1) {
    Value rhs = eval(node->rest[0]);
    if (!inHost() &&
        (node->ops[0] == CompareOp::In || node->ops[0] == CompareOp::NotIn)) {
      // Allowed where it is decided now; a tile has no members.
      if (lhs.isTile() || rhs.isTile()) {
        return fail(node->loc, "'in' is not supported on run-time values");
      }
    }
    return compare(node->ops[0], lhs, rhs, node->loc);
  }
  if (!inHost()) {
    return fail(node->loc, "chained comparison is not supported in kernel "
                           "code; write `(a < b) & (b < c)`");
  }
  Value result = Value::boolean(true);
  for (auto [op, operand] : zip(node->ops, node->rest)) {
    Value rhs = eval(operand);
    result = compare(op, lhs, rhs, node->loc);
    if (!truth(result).value_or(true)) {
      return result;
    }
    lhs = rhs;
  }
  return result;
}

Value Evaluator::evalBool(const ast::Bool *node) {
  Value result = eval(node->operands[0]);
  for (size_t i = 1; i < node->operands.size(); ++i) {
    if (result.isError()) {
      return result;
    }
    if (!result.isTile()) {
      std::optional<bool> decided = truth(result);
      if (!decided) {
        return fail(node->operands[i - 1]->loc,
                    "truth of " + describe(result) +
                        " is not known at compile time");
      }
      if (*decided != node->isAnd) {
        return result; // the rest is not evaluated
      }
      result = eval(node->operands[i]);
      continue;
    }
    Value rhs = eval(node->operands[i]);
    if (rhs.isError()) {
      return rhs;
    }
    CallArgs args;
    args.add(rhs, node->operands[i]->loc);
    const Builtin *method = registry.method(
        ValueKind::Tile, node->isAnd ? "logical_and" : "logical_or");
    result = call(Value::method(result, method), args, node->loc);
  }
  return result;
}

} // namespace tz::frontend
