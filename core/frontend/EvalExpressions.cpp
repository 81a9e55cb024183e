//===- EvalExpressions.cpp - names, constants, displays -------------------===//
//
// What   eval() and one function for each kind of expression; attributes and
//        subscripts of compile-time values.
// Why    Kernel code and host code share these; what differs (an unknown host
//        value is no error until a kernel uses it) is decided in fail().
//
//===----------------------------------------------------------------------===//
#include "core/frontend/Evaluator.h"
#include "core/frontend/ModuleLoader.h"
#include "core/frontend/WorkBudget.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"

using namespace llvm;

namespace tz::frontend {

using namespace ast;

Value Evaluator::fail(SourceLoc loc, const Twine &message) {
  if (inHost()) {
    return Value::unknown(loc, message.str());
  }
  if (!stopped) {
    sink.error(loc, message);
  }
  return Value();
}

bool Evaluator::chargeStep(SourceLoc loc, uint64_t steps) {
  if (!stopped && !WorkBudget::charge(steps)) {
    stopped = true;
    sink.error(loc, WorkBudget::reason());
  }
  return !stopped;
}

Value Evaluator::eval(const Expr *expr) {
  if (stopped || !chargeStep(expr->loc)) {
    return Value();
  }
  if (depth >= bounds.evaluationDepth) {
    stopped = true;
    sink.error(expr->loc, "evaluation is nested more than " +
                              Twine(bounds.evaluationDepth) +
                              " levels deep (limit of evaluation depth)");
    return Value();
  }
  ++depth;
  scope_exit restore([&] { --depth; });
  Value value = evalUncounted(expr);
  if (WorkBudget::isSpent()) {
    chargeStep(expr->loc); // says so, here
    return Value();
  }
  return value;
}

Value Evaluator::evalUncounted(const Expr *expr) {
  switch (expr->kind) {
  case ExprKind::Name:
    return evalName(cast<Name>(expr));
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
  case ExprKind::Subscript:
    return evalSubscript(cast<Subscript>(expr));
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
    return evalConditional(cast<Conditional>(expr));
  case ExprKind::Comprehension:
    return evalComprehension(cast<Comprehension>(expr));
  case ExprKind::Named: {
    auto *node = cast<Named>(expr);
    Value value = eval(node->value);
    assign(node->target, value, node->loc);
    return inHost() ? value : lookup(node->target->id, node->loc);
  }
  case ExprKind::Lambda:
    if (inHost()) {
      auto object = std::make_shared<FunctionObject>();
      object->name = "<lambda>";
      object->lambda = cast<Lambda>(expr);
      object->module = frame().module;
      object->closure = std::make_shared<Scope>(frame().scope);
      return Value::function(object);
    }
    return unsupportedExpr(expr);
  case ExprKind::Dict:
    if (inHost() || (frame().function && frame().function->isExtern)) {
      auto *node = cast<Dict>(expr);
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
    return unsupportedExpr(expr);
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
// Names
//===----------------------------------------------------------------------===//

Value Evaluator::resolve(Value value, SourceLoc loc) {
  if (!value.is(ValueKind::Lazy)) {
    return value;
  }
  const LazyObject &lazy = value.asLazy();
  std::shared_ptr<ModuleObject> module =
      loader.load(lazy.path, lazy.module, lazy.loc, *this);
  if (!module) {
    return Value();
  }
  if (lazy.name.empty()) {
    return Value::module(module);
  }
  auto it = module->members.find(lazy.name);
  if (it == module->members.end()) {
    SmallVector<StringRef> names;
    for (auto &entry : module->members) {
      names.push_back(entry.getKey());
    }
    StringRef near = nearestName(lazy.name, names);
    return fail(
        lazy.loc,
        "module '" + lazy.module + "' has no name '" + lazy.name + "'" +
            (near.empty() ? Twine() : "; did you mean '" + near + "'?"));
  }
  return resolve(it->second.value, loc);
}

Value Evaluator::evalName(const Name *node) {
  return lookup(node->id, node->loc);
}

Value Evaluator::lookup(StringRef name, SourceLoc loc) {
  Frame &f = frame();
  const Binding *binding = nullptr;
  bool global = false;
  if (auto it = f.scope.find(name); it != f.scope.end()) {
    binding = &it->second;
  } else if (f.closure) {
    if (auto it = f.closure->find(name); it != f.closure->end()) {
      binding = &it->second;
    }
  }
  if (!binding) {
    if (auto it = f.module->members.find(name); it != f.module->members.end()) {
      binding = &it->second;
      global = true;
    }
  }
  if (!binding) {
    const auto &python = Registry::get().python();
    if (auto it = python.find(name); it != python.end()) {
      return it->second.value;
    }
    SmallVector<StringRef> names;
    for (auto &entry : f.scope) {
      names.push_back(entry.first);
    }
    for (auto &entry : f.module->members) {
      names.push_back(entry.getKey());
    }
    for (auto &entry : python) {
      names.push_back(entry.getKey());
    }
    StringRef near = nearestName(name, names);
    return fail(
        loc, "name '" + name + "' is not defined" +
                 (near.empty() ? Twine() : "; did you mean '" + near + "'?"));
  }
  if (binding->value.is(ValueKind::Lazy)) {
    return resolve(binding->value, loc);
  }
  Value value = binding->value;
  SourceLoc defined = binding->loc;
  if (value.is(ValueKind::Unset)) {
    if (inHost()) {
      return Value::unknown(loc, "'" + name.str() + "' may be unset");
    }
    if (!stopped) {
      sink.error(loc, "'" + name + "' " + value.reason().text)
          .note(value.reason().loc, "it is set here");
    }
    return Value();
  }
  if (inHost()) {
    return value;
  }
  if (value.is(ValueKind::Unknown)) {
    ReasonObject reason = value.reason();
    if (!stopped) {
      sink.error(loc, "'" + name +
                          "' has no value that is known at compile "
                          "time")
          .note(reason.loc, reason.text);
    }
    return Value();
  }
  // Kernels read globals that cannot change behind the compiler's back.
  bool plainData = value.isNumber() || value.is(ValueKind::String) ||
                   value.is(ValueKind::Tuple) || value.is(ValueKind::List) ||
                   value.is(ValueKind::Dict);
  if (global && plainData && !value.isConstexpr) {
    sink.error(loc, "global '" + name +
                        "' is not a constexpr: a kernel may read it only if it "
                        "is marked `" +
                        name + ": tl.constexpr = ...` or `" + name +
                        " = tl.constexpr(...)`")
        .note(defined, "defined here");
    return Value();
  }
  return value;
}

//===----------------------------------------------------------------------===//
// Attributes and subscripts
//===----------------------------------------------------------------------===//

Value Evaluator::attribute(const Value &base, StringRef name, SourceLoc loc) {
  SmallVector<StringRef> names;
  const Registry &registry = Registry::get();
  switch (base.kind()) {
  case ValueKind::Error:
    return base;
  case ValueKind::Unknown:
    return Value::unknown(loc, base.reason().text);
  case ValueKind::Module: {
    std::shared_ptr<ModuleObject> module = base.asModule();
    if (auto it = module->members.find(name); it != module->members.end()) {
      return resolve(it->second.value, loc);
    }
    if (auto sub = registry.module(module->name + "." + name.str())) {
      return Value::module(sub);
    }
    for (auto &entry : module->members) {
      names.push_back(entry.getKey());
    }
    break;
  }
  case ValueKind::Tile:
    if (Value value = tileAttribute(base, name, loc);
        !value.is(ValueKind::Unset)) {
      return value;
    }
    break;
  case ValueKind::Type:
    if (Value value = typeAttribute(base, name, loc);
        !value.is(ValueKind::Unset)) {
      return value;
    }
    break;
  case ValueKind::Record:
    if (const Value *field = base.sequence().find(name)) {
      return field->is(ValueKind::Unset)
                 ? fail(loc, "field '" + name + "' of " +
                                 base.sequence().className + " is not set yet")
                 : *field;
    }
    if (base.sequence().type) {
      auto &methods = base.sequence().type->methods;
      auto method = methods.find(name);
      if (method != methods.end() && method->second.is(ValueKind::Function)) {
        return Value::method(base, method->second.asFunction());
      }
    }
    for (const std::string &field : base.sequence().names) {
      names.push_back(field);
    }
    break;
  case ValueKind::Int:
  case ValueKind::Bool:
  case ValueKind::Float:
  case ValueKind::String:
  case ValueKind::Tuple:
    // constexpr(x).value is x.
    if (name == "value") {
      return base;
    }
    break;
  case ValueKind::Function:
    if (name == "__name__") {
      return Value::string(base.asFunction()->name);
    }
    if (name == "fn") {
      return base;
    }
    break;
  default:
    break;
  }
  if (const Builtin *method = registry.method(base.kind(), name)) {
    return Value::method(base, method);
  }
  for (StringRef method : registry.methodNames(base.kind())) {
    names.push_back(method);
  }
  StringRef near = nearestName(name, names);
  return fail(loc,
              describe(base) + " has no " +
                  (base.is(ValueKind::Module) ? "name '" : "attribute '") +
                  name + "'" +
                  (near.empty() ? Twine() : "; did you mean '" + near + "'?"));
}

/// A Python index or slice bound within a sequence of `size`.
static std::optional<int64_t> position(const Value &index, int64_t size) {
  if (!index.isIntegral()) {
    return std::nullopt;
  }
  PyInt i = index.asInt();
  if (i < 0) {
    i += size;
  }
  return i < 0 || i >= size ? std::nullopt : std::optional<int64_t>(i);
}

static std::vector<Value> sliced(ArrayRef<Value> items, const SliceObject &s,
                                 bool &valid) {
  int64_t size = items.size();
  PyInt step = s.step.isNone() ? PyInt(1) : s.step.asInt();
  auto known = [](const Value &v) { return v.isNone() || v.isIntegral(); };
  valid = known(s.lower) && known(s.upper) && known(s.step) && step != 0;
  if (!valid) {
    return {};
  }
  auto bound = [&](const Value &v, PyInt none) {
    if (v.isNone()) {
      return none;
    }
    PyInt i = v.asInt() < 0 ? v.asInt() + size : v.asInt();
    PyInt low = step > 0 ? 0 : -1;
    PyInt high = step > 0 ? size : size - 1;
    return std::min(std::max(i, low), high);
  };
  PyInt begin = bound(s.lower, step > 0 ? 0 : size - 1);
  PyInt end = bound(s.upper, step > 0 ? size : -1);
  std::vector<Value> result;
  for (PyInt i = begin; step > 0 ? i < end : i > end; i += step) {
    result.push_back(items[int64_t(i)]);
  }
  return result;
}

Value Evaluator::evalSubscript(const Subscript *node) {
  Value base = eval(node->base);
  Value index = eval(node->index);
  // fn[grid](...) stands in host code around kernels.
  return subscript(base, index, node->index->loc);
}

Value Evaluator::subscript(const Value &base, const Value &index,
                           SourceLoc loc) {
  if (base.isError() || index.isError()) {
    return Value();
  }
  if (base.is(ValueKind::Unknown) || index.is(ValueKind::Unknown)) {
    return Value::unknown(loc, "subscript of an unknown value");
  }
  if (auto special = callSpecial("__getitem__", base, {index}, loc)) {
    return *special;
  }
  if (base.isSequence()) {
    ArrayRef<Value> items = base.items();
    if (index.is(ValueKind::Slice)) {
      bool valid;
      std::vector<Value> part = sliced(items, index.asSlice(), valid);
      if (!valid) {
        return fail(loc, "slice bounds must be compile-time integers");
      }
      return base.is(ValueKind::List) ? Value::list(std::move(part))
                                      : Value::tuple(std::move(part));
    }
    if (index.isTile()) {
      return fail(loc, "a " + typeName(base) +
                           " is indexed with a run-time value; the index must "
                           "be known at compile time");
    }
    std::optional<int64_t> i = position(index, items.size());
    if (i) {
      return items[*i];
    }
    return fail(loc, index.isIntegral()
                         ? "index " + toString(index.asInt()) +
                               " is outside of a " + typeName(base).str() +
                               " of length " + std::to_string(items.size())
                         : "a " + typeName(base).str() + " has no index " +
                               describe(index));
  }
  if (base.is(ValueKind::Dict)) {
    if (Value *entry = base.dictionary().find(index)) {
      return *entry;
    }
    return fail(loc, "dictionary has no key " + repr(index));
  }
  if (base.is(ValueKind::String) && index.isIntegral()) {
    const std::string &text = base.asString();
    if (auto i = position(index, text.size())) {
      return Value::string(text.substr(*i, 1));
    }
    return fail(loc, "index is outside of the string");
  }
  if (base.isTile()) {
    CallArgs args;
    args.add(index, loc);
    if (const Builtin *get =
            Registry::get().method(ValueKind::Tile, "__getitem__")) {
      return call(Value::method(base, get), args, loc);
    }
  }
  return fail(loc, describe(base) + " cannot be subscripted");
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
    if (text.size() > bounds.sequenceLength) {
      return fail(node->loc, "string is longer than " +
                                 Twine(bounds.sequenceLength) +
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

Value Evaluator::evalComprehension(const Comprehension *node) {
  bool list = node->comprehension == ComprehensionKind::List ||
              node->comprehension == ComprehensionKind::Generator;
  if (!inHost() && (!list || node->generators.size() != 1)) {
    return fail(node->loc, "only comprehensions with one 'for' over a tuple "
                           "are supported in kernel code");
  }
  bool isDict = node->comprehension == ComprehensionKind::Dict;
  Value result = isDict ? Value::dict() : Value();
  std::vector<Value> items;
  Scope saved = frame().scope; // the loop variables are local to it
  bool failed = false;
  Value reason;
  // Nested generators: one level of recursion for each.
  std::function<void(size_t)> level = [&](size_t index) {
    if (failed || stopped) {
      return;
    }
    if (index == node->generators.size()) {
      Value element = eval(node->element);
      if (isDict) {
        result.dictionary().set(element, eval(node->value));
      } else {
        failed |= element.isError();
        items.push_back(std::move(element));
      }
      if (items.size() > bounds.sequenceLength) {
        failed = true;
        reason = fail(node->loc, "comprehension makes more than " +
                                     Twine(bounds.sequenceLength) +
                                     " values (limit of sequence length)");
      }
      return;
    }
    const ast::Generator &generator = node->generators[index];
    Value iterable = eval(generator.iterable);
    bool known = true;
    std::vector<Value> sequence = hostIterate(iterable, known);
    if (!known) {
      failed = true;
      reason =
          iterable.isError()
              ? iterable
              : fail(generator.iterable->loc,
                     "comprehension needs a compile-time sequence, found " +
                         describe(iterable));
      return;
    }
    for (Value &item : sequence) {
      assign(generator.target, item, generator.target->loc, true);
      bool taken = true;
      for (const Expr *condition : generator.conditions) {
        Value value = eval(condition);
        std::optional<bool> decided = truth(value);
        if (!decided) {
          failed = true;
          reason = value.isError()
                       ? value
                       : fail(condition->loc,
                              "condition of a comprehension must be known at "
                              "compile time");
          return;
        }
        taken &= *decided;
      }
      if (taken) {
        level(index + 1);
      }
      if (failed || stopped) {
        return;
      }
    }
  };
  level(0);
  frame().scope = std::move(saved);
  if (failed || stopped) {
    return reason;
  }
  if (isDict) {
    return result;
  }
  return node->comprehension == ComprehensionKind::Generator && !inHost()
             ? Value::tuple(std::move(items))
             : Value::list(std::move(items));
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
    const Builtin *method = Registry::get().method(
        ValueKind::Tile, node->isAnd ? "logical_and" : "logical_or");
    result = call(Value::method(result, method), args, node->loc);
  }
  return result;
}

} // namespace tz::frontend
