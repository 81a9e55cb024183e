//===- BuiltinRegistry.cpp - filling and searching the table --------------===//
//
// What   The registry of built-in modules and methods; parameter lists are
//        parsed from text by the language's own parser.
// Why    A row reads as the Python signature that it means, so that the table
//        can be compared with the manual by eye.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/evaluate/BuiltinRegistry.h"

#include "core/frontend/parse/Parser.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tz::frontend {

/// Defaults in signatures are constants, tuples of them, or negated numbers.
static Value constantValue(const ast::Expr *expr) {
  if (auto *tuple = dyn_cast<ast::Tuple>(expr)) {
    std::vector<Value> items;
    for (const ast::Expr *element : tuple->elements) {
      items.push_back(constantValue(element));
    }
    return Value::tuple(std::move(items));
  }
  if (auto *unary = dyn_cast<ast::Unary>(expr)) {
    Value inner = constantValue(unary->operand);
    return inner.is(ValueKind::Float) ? Value::number(-inner.asFloat())
                                      : Value::integer(-inner.asInt());
  }
  auto *constant = cast<ast::Constant>(expr);
  switch (constant->constant) {
  case ast::ConstantKind::False:
    return Value::boolean(false);
  case ast::ConstantKind::True:
    return Value::boolean(true);
  case ast::ConstantKind::Int:
    return Value::integer(constant->integer);
  case ast::ConstantKind::Float:
    return Value::number(constant->number);
  case ast::ConstantKind::String:
    return Value::string(constant->text.str());
  default:
    return Value::none();
  }
}

static std::vector<BuiltinParam>
parseSignature(StringRef signature, std::vector<std::string> &mistakes) {
  DiagnosticSink sink;
  auto tree = parseFile("<signature>",
                        ("def f(" + signature + "): pass\n").str(), sink);
  std::vector<BuiltinParam> params;
  if (sink.hasErrors() || tree->body.empty()) {
    mistakes.push_back("built-in signature: " + sink.str());
    return params;
  }
  for (const ast::Parameter &p :
       cast<ast::FunctionDef>(tree->body[0])->params) {
    BuiltinParam param;
    param.name = p.name.str();
    param.kind =
        p.kind == ast::Parameter::VarKeywords   ? BuiltinParam::VarKeywords
        : p.kind == ast::Parameter::VarArgs     ? BuiltinParam::VarArgs
        : p.kind == ast::Parameter::KeywordOnly ? BuiltinParam::KeywordOnly
                                                : BuiltinParam::Plain;
    if (p.defaultValue) {
      param.defaultValue = constantValue(p.defaultValue);
    }
    params.push_back(std::move(param));
  }
  return params;
}

Registry::Registry() {
  pythonNames = std::make_shared<ModuleObject>();
  pythonNames->name = "builtins";
  modules["builtins"] = pythonNames;
}

std::shared_ptr<ModuleObject> Registry::module(StringRef dotted) const {
  auto it = modules.find(dotted.str());
  // extra.<backend>.libdevice: the functions are the same on every target.
  StringRef rest = dotted;
  if (it == modules.end() && rest.consume_front("triton.language.extra.")) {
    bool functions = rest.ends_with(".libdevice");
    return rest.count('.') > (functions ? 1 : 0)
               ? nullptr
               : module(functions ? "triton.language.extra.libdevice"
                                  : "triton.language.extra");
  }
  return it == modules.end() || dotted == "builtins" ? nullptr : it->second;
}

std::vector<StringRef> Registry::moduleNames() const {
  std::vector<StringRef> names;
  for (auto &[name, module] : modules) {
    names.push_back(name);
  }
  return names;
}

const Value *Registry::libraryMethod(StringRef name) const {
  auto it = libraryMethods.find(name);
  return it == libraryMethods.end() ? nullptr : &it->second;
}

void Registry::setLibraryMethod(StringRef name, Value function) {
  libraryMethods[name] = std::move(function);
}

std::shared_ptr<ModuleObject> Registry::makeModule(StringRef dotted) {
  std::shared_ptr<ModuleObject> &slot = modules[dotted.str()];
  if (!slot) {
    slot = std::make_shared<ModuleObject>();
    slot->name = dotted.str();
  }
  return slot;
}

/// How a module's functions are called in messages.
static std::string displayName(StringRef module, StringRef name) {
  if (module == "builtins") {
    return name.str();
  }
  if (module.consume_front("triton.language")) {
    return ("tl" + module + "." + name).str();
  }
  return (module + "." + name).str();
}

const Builtin *Registry::add(StringRef module, StringRef name,
                             StringRef signature, BuiltinFn run) {
  auto builtin = std::make_unique<Builtin>();
  builtin->name = displayName(module, name);
  builtin->params = parseSignature(signature, signatureMistakes);
  builtin->run = std::move(run);
  const Builtin *result = builtin.get();
  owned.push_back(std::move(builtin));
  set(module, name, Value::builtin(result));
  return result;
}

const Builtin *Registry::addMethod(ValueKind kind, StringRef name,
                                   StringRef signature, BuiltinFn run) {
  auto builtin = std::make_unique<Builtin>();
  builtin->name = (kind == ValueKind::Tile ? "tensor." : "") + name.str();
  builtin->params = parseSignature(
      signature.empty() ? std::string("self") : ("self, " + signature).str(),
      signatureMistakes);
  builtin->run = std::move(run);
  builtin->isHost = kind != ValueKind::Tile;
  const Builtin *result = builtin.get();
  owned.push_back(std::move(builtin));
  methods[{kind, name.str()}] = result;
  return result;
}

void Registry::set(StringRef module, StringRef name, Value value) {
  makeModule(module)->members[name] = Binding{value.asConstexpr(), SourceLoc()};
}

const Builtin *Registry::addHost(StringRef module, StringRef name,
                                 StringRef signature, BuiltinFn run) {
  add(module, name, signature, std::move(run));
  owned.back()->isHost = true;
  return owned.back().get();
}

const Builtin *Registry::method(ValueKind kind, StringRef name) const {
  auto it = methods.find({kind, name.str()});
  return it == methods.end() ? nullptr : it->second;
}

std::vector<StringRef> Registry::methodNames(ValueKind kind) const {
  std::vector<StringRef> names;
  for (auto &[key, builtin] : methods) {
    if (key.first == kind && !StringRef(key.second).starts_with("__")) {
      names.push_back(key.second);
    }
  }
  return names;
}

} // namespace tz::frontend
