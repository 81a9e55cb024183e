//===- CallExpressions.cpp - callee(arguments) ----------------------------===//
//
// What   The arguments of a call, and who takes them: a built-in, a function of
//        a file, a class, a value's own method.
// Why    See CallExpressions.h.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/evaluate/CallExpressions.h"

#include "core/frontend/evaluate/BuiltinCalls.h"
#include "core/frontend/evaluate/Classes.h"
#include "core/frontend/evaluate/Evaluator.h"
#include "core/frontend/evaluate/FunctionCalls.h"
#include "core/frontend/evaluate/WorkBudget.h"

using namespace llvm;

namespace tz::frontend {

using namespace ast;

bool CallExpressions::arguments(const Call *node, CallArgs &args) {
  bool valid = true;
  for (const Expr *arg : node->args) {
    if (auto *star = dyn_cast<Starred>(arg)) {
      valid &= listItems(star, args);
      continue;
    }
    args.add(ev.eval(arg), arg->loc);
    valid &= !args.list.back().value.isError();
  }
  for (const Keyword &given : node->keywords) {
    valid &= keyword(given, args);
  }
  return valid;
}

bool CallExpressions::listItems(const Starred *star, CallArgs &args) {
  Value list = ev.eval(star->value);
  if (list.isSequence()) {
    WorkBudget::charge(list.items().size());
    for (const Value &item : list.items()) {
      args.add(item, star->loc);
    }
    return true;
  }
  if (!list.isError()) {
    ev.fail(star->loc, "'*' needs a tuple or list, found " + describe(list));
  }
  return false;
}

bool CallExpressions::keyword(const Keyword &keyword, CallArgs &args) {
  Value value = ev.eval(keyword.value);
  if (!keyword.name.empty()) {
    const bool valid = !value.isError();
    args.add(std::move(value), keyword.value->loc, keyword.name);
    return valid;
  }
  if (value.is(ValueKind::Dict)) {
    for (auto &[key, entry] : value.dictionary().entries) {
      if (key.is(ValueKind::String)) {
        args.keepAlive.push_back(key);
        args.add(entry, keyword.loc, key.asString());
      }
    }
    return true;
  }
  if (!value.isError()) {
    ev.fail(keyword.loc, "'**' needs a dictionary, found " + describe(value));
  }
  return false;
}

Value CallExpressions::evaluate(const Call *node) {
  Value callee = ev.eval(node->callee);
  CallArgs args;
  bool valid = arguments(node, args);
  if (callee.isError() || (!valid && !ev.inHost())) {
    return Value();
  }
  if (!valid || callee.is(ValueKind::Unknown)) {
    return Value::unknown(node->loc, callee.is(ValueKind::Unknown)
                                         ? callee.reason().text
                                         : "call with unknown arguments");
  }
  return call(callee, args, node->loc);
}

Value CallExpressions::call(const Value &callee, const CallArgs &args,
                            SourceLoc loc) {
  if (ev.bounds().isStopped()) {
    return Value();
  }
  switch (callee.kind()) {
  case ValueKind::Builtin:
    return callBuiltin(ev, *callee.asBuiltin(), args, loc);
  case ValueKind::Function:
    return functions.call(callee.asFunction(), args, loc);
  case ValueKind::Method: {
    const MethodObject &method = callee.asMethod();
    CallArgs withSelf;
    withSelf.add(method.self, loc);
    withSelf.list.append(args.list.begin(), args.list.end());
    return method.builtin ? callBuiltin(ev, *method.builtin, withSelf, loc)
                          : functions.call(method.function, withSelf, loc);
  }
  case ValueKind::Class:
    return classes.make(callee, args, loc);
  case ValueKind::Record: {
    SmallVector<Value> values;
    for (const auto &arg : args.list) {
      values.push_back(arg.value);
    }
    if (auto result = ev.callSpecial("__call__", callee, values, loc)) {
      return *result;
    }
    break;
  }
  case ValueKind::Type:
    if (auto result = conversion(callee, args, loc)) {
      return *result;
    }
    break;
  case ValueKind::Error:
    return callee;
  case ValueKind::Unknown:
    return Value::unknown(loc, callee.reason().text);
  default:
    break;
  }
  return ev.fail(loc, describe(callee) + " cannot be called");
}

std::optional<Value> CallExpressions::conversion(const Value &type,
                                                 const CallArgs &args,
                                                 SourceLoc loc) {
  const Builtin *to = ev.builtins().method(ValueKind::Tile, "to");
  if (args.list.size() != 1 || ev.inHost() || !to) {
    return std::nullopt;
  }
  const Value &given = args.list[0].value;
  Value value = given.isNumber() ? ev.materialise(given, loc) : given;
  if (!value.isTile()) {
    return ev.fail(loc,
                   describe(value) + " cannot be converted to " + repr(type));
  }
  CallArgs converted;
  converted.add(type, loc);
  return call(Value::method(value, to), converted, loc);
}

} // namespace tz::frontend
