//===- HostValues.cpp - names of the running program as values ------------===//
//
// What   What an answer of the host program is as a Value: a constant, a type,
//        a jit function with its own scope, a module or object, a function.
// Why    Each object of the host is made once for one scope number, so that
//        two ways to it give the same value.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/evaluate/Evaluator.h"
#include "core/frontend/evaluate/WorkBudget.h"
#include "core/frontend/host/ModuleLoader.h"
#include "core/frontend/parse/Parser.h"

#include <cmath>

using namespace llvm;

namespace tz::frontend {

//===----------------------------------------------------------------------===//
// Values as Python writes them
//===----------------------------------------------------------------------===//

/// A type as an expression of the host.
static std::string spell(const TileType &type) {
  TileType element = type.scalar();
  element.isBlockPtr = element.isDescriptor = false;
  element.isPtr |= type.isBlockPtr;
  std::string text = element.isPtr ? element.isConstPtr ? "*k" : "*" : "";
  text = "dtype('" + text + dtypeName(element.elem).str() + "')";
  if (!type.shape.empty()) {
    text = "block(" + text + ", (";
    for (int64_t extent : type.shape) {
      text += std::to_string(extent) + ", ";
    }
    text += "))";
  }
  return type.isDescriptor ? "descriptor(" + text + ")" : text;
}

/// As an expression of the host, which gets a stand-in of its type for each
/// run-time value: `given` collects these. Nothing for what it cannot be given.
static std::optional<std::string> spell(const Value &value,
                                        std::vector<Value> &given) {
  WorkBudget::Level level;
  if (!level) {
    return std::nullopt;
  }
  switch (value.kind()) {
  case ValueKind::Float:
    if (!std::isfinite(value.asFloat())) {
      return "float('" + repr(value) + "')";
    }
    return repr(value);
  case ValueKind::None:
  case ValueKind::Bool:
  case ValueKind::Int:
  case ValueKind::String:
    return repr(value);
  case ValueKind::Type:
    return spell(value.asType());
  case ValueKind::Tile:
    given.push_back(value);
    return "run_time(" + std::to_string(given.size() - 1) + ", " +
           spell(value.asTile().type) + ")";
  case ValueKind::Tuple:
  case ValueKind::List: {
    std::string text = "(";
    for (const Value &item : value.items()) {
      std::optional<std::string> one = spell(item, given);
      if (!one) {
        return std::nullopt;
      }
      text += *one + ", ";
    }
    return text + ")";
  }
  case ValueKind::Function:
    if (auto module = value.asFunction()->module.lock();
        module && module->scope) {
      return "scope(" + std::to_string(*module->scope) + ")";
    }
    return std::nullopt;
  case ValueKind::Module:
    if (auto scope = value.asModule()->scope) {
      return "scope(" + std::to_string(*scope) + ")";
    }
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

//===----------------------------------------------------------------------===//
// Answers as values
//===----------------------------------------------------------------------===//

static std::string scopeKey(const HostName &answer) {
  return answer.path + "#" + std::to_string(answer.scope);
}

/// A number or None, marked by tl.constexpr or not: most answers are.
static std::optional<Value> plainConstant(StringRef text) {
  bool isConstexpr =
      text.consume_front("tl.constexpr(") && text.consume_back(")");
  std::optional<Value> value;
  int64_t integer;
  if (text == "None") {
    value = Value::none();
  } else if (text == "True" || text == "False") {
    value = Value::boolean(text == "True");
  } else if (!text.getAsInteger(10, integer)) {
    value = Value::integer(integer);
  }
  if (value && isConstexpr) {
    value->isConstexpr = true;
  }
  return value;
}

Value ModuleLoader::evaluate(const std::string &expression, StringRef name,
                             Evaluator &evaluator, ArrayRef<Value> given) {
  if (std::optional<Value> plain = plainConstant(expression)) {
    return *plain;
  }
  const StringRef dotted =
      expression == "tl" ? StringRef("triton.language") : StringRef(expression);
  if (auto module = evaluator.builtins().module(dotted)) {
    return Value::module(module);
  }
  std::string text;
  for (const char *module :
       {"collections", "packaging.version", "torch", "triton"}) {
    text += std::string("import ") + module + "\n";
  }
  text += "import triton.language as tl\nvalue = " + expression + "\n";
  auto source = addModule("<value of " + name.str() + ">", std::move(text),
                          evaluator, given);
  auto value = source->members.find("value");
  return value == source->members.end() ? Value() : value->second.value;
}

/// The function or class of a text that holds nothing else.
static Value onlyMember(const ModuleObject &module, StringRef name) {
  auto member = module.members.find(name);
  return module.isBroken || member == module.members.end()
             ? Value()
             : member->second.value;
}

/// A function of the host program: it is called there, with constants and with
/// stand-ins of run-time values, which it may give back.
Value ModuleLoader::callable(const HostName &answer, StringRef name) {
  auto made = std::make_unique<Builtin>();
  made->name = name.str();
  made->isHost = true;
  made->params.push_back({"args", BuiltinParam::VarArgs, std::nullopt});
  made->params.push_back({"kwargs", BuiltinParam::VarKeywords, std::nullopt});
  made->run = [this, scope = answer.scope,
               asksTypes = answer.text == "types"](BuiltinCall &call) {
    std::string arguments;
    std::vector<Value> given;
    auto add = [&](const Value &value, StringRef keyword) {
      std::optional<std::string> text = spell(value, given);
      if (!text || (!given.empty() && !asksTypes)) {
        call.error("'" + call.builtin.name +
                   "' is an ordinary Python function and is called with " +
                   describe(value) + "; decorate it with @triton.jit");
        return false;
      }
      arguments += (keyword.empty() ? "" : keyword.str() + "=") + *text + ", ";
      return true;
    };
    for (const Value &value : call[0].items()) {
      if (!add(value, {})) {
        return Value();
      }
    }
    for (auto &[key, value] : call[1].dictionary().entries) {
      if (!add(value, key.asString())) {
        return Value();
      }
    }
    HostName answer = around.host.call(scope, arguments);
    reads.push_back({scope, true, arguments, answer});
    if (answer.kind == TZ_NAME_UNDEFINED) {
      return call.error("'" + call.builtin.name + "' failed: " + answer.text);
    }
    return valueOf(answer, call.builtin.name, call.loc, call.evaluator, given);
  };
  owned.push_back(std::move(made));
  return Value::builtin(owned.back().get());
}

Value ModuleLoader::valueOf(const HostName &answer, StringRef name,
                            SourceLoc loc, Evaluator &evaluator,
                            ArrayRef<Value> given) {
  switch (answer.kind) {
  case TZ_NAME_EXPRESSION:
    return evaluate(answer.text, name, evaluator, given);
  case TZ_NAME_FUNCTION:
  case TZ_NAME_CLASS: {
    auto known = modules.find(scopeKey(answer));
    auto module = known != modules.end()
                      ? known->second
                      : addExcerpt(answer.path, answer.text, answer.line,
                                   answer.scope, evaluator);
    return onlyMember(*module, answer.name);
  }
  case TZ_NAME_OBJECT: {
    std::shared_ptr<ModuleObject> &module = modules[scopeKey(answer)];
    if (!module) {
      module = std::make_shared<ModuleObject>();
      module->name = name.str();
      module->scope = answer.scope;
    }
    return Value::module(module);
  }
  case TZ_NAME_CALLABLE: {
    auto [known, isNew] = callables.try_emplace(answer.scope);
    if (isNew) {
      known->second = callable(answer, name);
    }
    return known->second;
  }
  default:
    return Value::unknown(loc, answer.text);
  }
}

Binding *ModuleLoader::ask(ModuleObject &module, StringRef name, SourceLoc loc,
                           Evaluator &evaluator) {
  if (!module.scope || module.unheardOf.contains(name)) {
    return nullptr;
  }
  if (auto known = module.members.find(name); known != module.members.end()) {
    return &known->second;
  }
  HostName answer = around.host.find(*module.scope, name.str());
  reads.push_back({*module.scope, false, name.str(), answer});
  if (answer.kind == TZ_NAME_UNDEFINED) {
    module.unheardOf.insert(name);
    return nullptr;
  }
  Value value = valueOf(answer, name, loc, evaluator);
  if (value.isError()) {
    brokenNames.emplace_back(&module, name.str());
  }
  return &(module.members[name] = Binding{std::move(value), SourceLoc()});
}

std::shared_ptr<ModuleObject>
ModuleLoader::addExcerpt(const std::string &path, std::string text,
                         uint32_t line, uint64_t scope, Evaluator &evaluator) {
  auto module = std::make_shared<ModuleObject>();
  module->path = path;
  module->name = path;
  module->scope = scope;
  const unsigned before = evaluator.diagnostics().errorCount();
  module->tree =
      parseFile(path, std::move(text), evaluator.diagnostics(), line);
  const std::string key = path + "#" + std::to_string(scope);
  modules[key] = module;
  run(module, key, before, evaluator);
  // The host has applied the decorators, which the text does not have.
  for (auto &member : module->members) {
    Value &value = member.getValue().value;
    if (value.is(ValueKind::Function) &&
        value.asFunction()->module.lock() == module) {
      value.asFunction()->isJit = true;
    }
  }
  return module;
}

} // namespace tz::frontend
