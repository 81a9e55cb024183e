//===- Elaborate.cpp - one kernel for one specialisation ------------------===//
//
// What   Makes the tile.kernel: arguments with their hints, constexprs bound,
//        the body elaborated; then memory groups and the verifier.
// Why    The one place where a specialisation meets a kernel's parameters, so
//        that what is missing or superfluous is said here.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/Frontend.h"
#include "core/frontend/builtins/Builtins.h"
#include "core/frontend/elaborate/AssignGroups.h"
#include "core/frontend/elaborate/ConstValues.h"
#include "core/frontend/elaborate/ModuleState.h"
#include "core/frontend/evaluate/BlockAnalysis.h"
#include "core/frontend/evaluate/Suggestions.h"
#include "core/frontend/evaluate/WorkBudget.h"
#include "core/frontend/semantics/OpEmitter.h"

#include "mlir/IR/Verifier.h"

#include "llvm/ADT/ScopeExit.h"

using namespace llvm;

namespace tz::frontend {

namespace {

/// An argument of the kernel: a parameter's, or a part of one.
struct Argument {
  const ast::Parameter *param;
  TileType type;
  mlir::DictionaryAttr attributes;
};

/// How a parameter's value is made of arguments.
struct Recipe {
  enum Kind : uint8_t {
    Argument,
    Constant,
    One, // of an integer type
    Tuple,
    Descriptor
  } kind = Constant;
  size_t first = 0; // argument
  Value constant;
  DType type = DType::I32; // of One
  TileType block; // of a descriptor, whose items are base, sizes and strides
  std::vector<Recipe> items;
  std::vector<std::string> names;                // of a named tuple's fields
  std::shared_ptr<const ClassObject> annotation; // of a tuple's parameter
};

class KernelBuilder {
public:
  KernelBuilder(const Module &module, std::shared_ptr<FunctionObject> kernel,
                const Specialization &spec, mlir::MLIRContext &context,
                DiagnosticSink &sink)
      : state(module.state()), kernel(std::move(kernel)), spec(spec),
        context(context), sink(sink), builder(&context), emitter(builder, sink),
        evaluator(state.loader, languageBuiltins(), sink) {}

  mlir::OwningOpRef<mlir::ModuleOp> run(DebugMap *debugMap);

private:
  tile::KernelOp makeKernel(mlir::Location at);
  bool verify(mlir::ModuleOp module);

  Module::State &state;
  std::shared_ptr<FunctionObject> kernel;
  const Specialization &spec;
  mlir::MLIRContext &context;
  DiagnosticSink &sink;
  mlir::OpBuilder builder;
  OpEmitter emitter;
  Evaluator evaluator;
  Scope scope;
  std::vector<Argument> arguments;
  std::optional<int64_t> sharedGroup; // of arguments with one address
  std::vector<std::pair<const ast::Parameter *, Recipe>> recipes;

  void bindParameter(const ast::Parameter &param);
  bool bindConstexpr(const ast::Parameter &param);
  std::optional<Recipe> readArgument(const ast::Parameter &param,
                                     const ArgSpec &arg, const Twine &name);
  std::optional<Recipe> readTuple(const ast::Parameter &param,
                                  const ArgSpec &arg, const Twine &name);
  std::optional<Recipe> readDescriptor(const ast::Parameter &param,
                                       const ArgSpec &arg, const Twine &name);
  Recipe readScalar(const ast::Parameter &param, TileType type,
                    const ArgSpec &arg, const Twine &name);
  std::shared_ptr<const ClassObject>
  annotatedClass(const ast::Parameter &param);
  bool takeClass(Recipe &recipe, const ClassObject &type,
                 const ast::Parameter &param);
  void addArgument(const ast::Parameter &param, TileType type,
                   const Twine &name, int64_t divisor, bool sharesAddress);
  Value make(const Recipe &recipe, mlir::Block &body, SourceLoc loc);
  void checkNames();
};

bool KernelBuilder::bindConstexpr(const ast::Parameter &param) {
  auto it = spec.constexprs.find(param.name.str());
  if (it != spec.constexprs.end()) {
    std::optional<Value> value =
        fromConstValue(it->second, *state.main, evaluator);
    if (!value) {
      sink.error(param.loc, "value " + it->second.str() + " of parameter '" +
                                param.name +
                                "' is neither a constant nor a name of this "
                                "file");
    }
    scope[param.name] = Binding{value.value_or(Value()), param.loc};
    return true;
  }
  if (!param.defaultValue) {
    return false;
  }
  Value value = evaluator.defaultOf(*kernel, param);
  if (value.is(ValueKind::Unknown)) {
    sink.error(param.defaultValue->loc, "default of parameter '" + param.name +
                                            "' is not known at compile time")
        .note(value.reason().loc, value.reason().text);
    value = Value();
  }
  scope[param.name] = Binding{std::move(value), param.loc};
  return true;
}

void KernelBuilder::addArgument(const ast::Parameter &param, TileType type,
                                const Twine &name, int64_t divisor,
                                bool sharesAddress) {
  mlir::NamedAttrList attributes;
  attributes.set("tile.name", builder.getStringAttr(name));
  if (divisor > 1 && (type.isPtr || isInteger(type.elem))) {
    attributes.set("tile.divisibility", builder.getI64IntegerAttr(divisor));
  }
  if (type.isPtr) {
    int64_t group = int64_t(arguments.size()) + 1;
    if (sharesAddress) {
      sharedGroup = sharedGroup.value_or(group);
      group = *sharedGroup;
    }
    attributes.set("tile.group", builder.getI64IntegerAttr(group));
    if (type.isConstPtr) {
      attributes.set("tile.const", builder.getUnitAttr());
    }
  }
  arguments.push_back({&param, type, attributes.getDictionary(&context)});
}

/// "tensordesc<fp16[64, 64]>": element type and block; ", nan" in the end sets
/// padsWithNaN.
static std::optional<TileType> descriptorType(StringRef text) {
  text = text.trim();
  if (!text.consume_front("tensordesc<") || !text.consume_back(">")) {
    return std::nullopt;
  }
  auto [element, rest] = text.split('[');
  std::optional<DType> type = dtypeFromName(element.trim());
  TileType block;
  auto [inside, padding] = rest.split(']');
  rest = inside;
  block.padsWithNaN = padding.ltrim(", ").trim() == "nan";
  if (!type || (!block.padsWithNaN && !padding.trim().empty())) {
    return std::nullopt;
  }
  block.elem = *type;
  SmallVector<StringRef> extents;
  rest.split(extents, ',');
  for (StringRef extent : extents) {
    int64_t number;
    if (extent.trim().getAsInteger(10, number) || number <= 0) {
      return std::nullopt;
    }
    block.shape.push_back(number);
  }
  return block;
}

std::optional<Recipe> KernelBuilder::readDescriptor(const ast::Parameter &param,
                                                    const ArgSpec &arg,
                                                    const Twine &name) {
  std::optional<TileType> block = descriptorType(arg.type);
  const size_t rank = block ? block->shape.size() : 0;
  if (!block || (!arg.items.empty() && arg.items.size() != 1 + 2 * rank)) {
    sink.error(param.loc, "argument '" + name + "' has type '" + arg.type +
                              "'; a tensor descriptor is written as "
                              "tensordesc<fp16[64, 64]>");
    return std::nullopt;
  }
  Recipe recipe;
  recipe.kind = Recipe::Descriptor;
  recipe.block = *block;
  TileType pointer, size, stride;
  pointer.elem = block->elem;
  pointer.isPtr = true;
  size.elem = DType::I32;
  stride.elem = DType::I64;
  auto add = [&](TileType type, const Twine &part) {
    size_t index = recipe.items.size();
    recipe.items.push_back(readScalar(
        param, type, index < arg.items.size() ? arg.items[index] : ArgSpec(),
        part));
  };
  add(pointer, name);
  for (size_t d = 0; d < rank; ++d) {
    add(size, name + ".shape" + Twine(d));
  }
  for (size_t d = 0; d + 1 < rank; ++d) {
    add(stride, name + ".stride" + Twine(d));
  }
  recipe.items.emplace_back().constant = Value::integer(1);
  return recipe;
}

/// The named tuple or aggregate that a parameter's annotation names, if any.
std::shared_ptr<const ClassObject>
KernelBuilder::annotatedClass(const ast::Parameter &param) {
  auto *name = dyn_cast_if_present<ast::Name>(param.annotation);
  if (!name) {
    return nullptr;
  }
  auto member = state.main->members.find(name->id);
  const Binding *known =
      member != state.main->members.end()
          ? &member->second
          : state.loader.ask(*state.main, name->id, param.loc, evaluator);
  if (!known) {
    return nullptr;
  }
  Value value = evaluator.resolve(known->value, param.loc);
  return value.is(ValueKind::Class) ? value.sharedClass() : nullptr;
}

/// A tuple for a parameter of that class has its fields.
bool KernelBuilder::takeClass(Recipe &recipe, const ClassObject &type,
                              const ast::Parameter &param) {
  if (recipe.names.empty()) {
    recipe.names = type.fields;
  }
  if (recipe.names == type.fields &&
      recipe.names.size() == recipe.items.size()) {
    return true;
  }
  sink.error(param.loc, "argument '" + param.name + "' is a " + type.name +
                            " of " + Twine(unsigned(type.fields.size())) +
                            " fields (" + join(type.fields, ", ") +
                            "), found " + Twine(unsigned(recipe.items.size())) +
                            " items" +
                            (recipe.names == type.fields
                                 ? std::string()
                                 : " (" + join(recipe.names, ", ") + ")"))
      .note(type.loc, "it is defined here");
  return false;
}

std::optional<Recipe> KernelBuilder::readTuple(const ast::Parameter &param,
                                               const ArgSpec &arg,
                                               const Twine &name) {
  Recipe recipe;
  recipe.kind = Recipe::Tuple;
  std::string prefix = name.str();
  for (auto [i, item] : enumerate(arg.items)) {
    if (!item.name.empty()) {
      recipe.names.push_back(item.name);
    }
    std::string itemName =
        prefix + "." + (item.name.empty() ? std::to_string(i) : item.name);
    if (item.type != "constexpr") {
      std::optional<Recipe> inner = readArgument(param, item, itemName);
      if (!inner) {
        return std::nullopt;
      }
      recipe.items.push_back(std::move(*inner));
      continue;
    }
    std::optional<Value> value = fromConstValue(
        item.constant.value_or(ConstValue()), *state.main, evaluator);
    if (!value) {
      sink.error(param.loc, "item '" + itemName + "' of argument '" +
                                param.name + "' has no value");
      return std::nullopt;
    }
    Recipe inner;
    inner.constant = *value;
    recipe.items.push_back(std::move(inner));
  }
  // A parameter's annotation speaks of its value, not of the value's items.
  if (prefix == param.name) {
    recipe.annotation = annotatedClass(param);
    if (recipe.annotation && !takeClass(recipe, *recipe.annotation, param)) {
      return std::nullopt;
    }
  }
  if (!recipe.names.empty() && recipe.names.size() != recipe.items.size()) {
    sink.error(param.loc, "either all items of argument '" + name +
                              "' have names or none has");
    return std::nullopt;
  }
  return recipe;
}

std::optional<Recipe> KernelBuilder::readArgument(const ast::Parameter &param,
                                                  const ArgSpec &arg,
                                                  const Twine &name) {
  if (arg.type == "tuple") {
    return readTuple(param, arg, name);
  }
  if (StringRef(arg.type).starts_with("tensordesc")) {
    return readDescriptor(param, arg, name);
  }
  std::optional<TileType> type = argumentType(arg.type);
  if (!type || (type->elem == DType::Void && !type->isPtr)) {
    sink.error(param.loc, "argument '" + name + "' has type '" + arg.type +
                              "', which is no type of an argument; examples "
                              "are *fp16, i32, fp32");
    return std::nullopt;
  }
  return readScalar(param, *type, arg, name);
}

/// An argument of the kernel; an integer that is 1 is folded.
Recipe KernelBuilder::readScalar(const ast::Parameter &param, TileType type,
                                 const ArgSpec &arg, const Twine &name) {
  Recipe recipe;
  const bool isOne = arg.equalsOne && !type.isPtr && isInteger(type.elem);
  if (isOne && type.elem != DType::I32) {
    // A Python 1 would be an int32 where it meets a tile: results would depend
    // on whether the argument is 1.
    recipe.kind = Recipe::One;
    recipe.type = type.elem;
    return recipe;
  }
  if (isOne) {
    recipe.constant = Value::integer(1);
    recipe.constant.isFolded = true;
    return recipe;
  }
  recipe.kind = Recipe::Argument;
  recipe.first = arguments.size();
  int64_t divisor = std::max<int64_t>(arg.divisibility, 1);
  addArgument(param, type, name,
              arg.divisibleBy16 ? std::max<int64_t>(divisor, 16) : divisor,
              arg.sharesAddress);
  return recipe;
}

Value KernelBuilder::make(const Recipe &recipe, mlir::Block &body,
                          SourceLoc loc) {
  auto argument = [&](size_t i) {
    return TileValue{body.getArgument(unsigned(i)), arguments[i].type};
  };
  switch (recipe.kind) {
  case Recipe::Argument:
    return Value::tile(argument(recipe.first));
  case Recipe::Constant:
    return recipe.constant;
  case Recipe::One: {
    emitter.setLocation(evaluator.location(loc));
    OptionalTile one = emitter.constant(Literal(int64_t(1)), recipe.type, loc);
    return one ? Value::tile(*one) : Value();
  }
  case Recipe::Tuple: {
    std::vector<Value> items;
    for (const Recipe &item : recipe.items) {
      items.push_back(make(item, body, loc));
    }
    if (recipe.names.empty()) {
      return Value::tuple(std::move(items));
    }
    auto fields = std::make_shared<SequenceObject>();
    const ClassObject *type = recipe.annotation.get();
    fields->className = type ? type->name : "namedtuple";
    fields->names = recipe.names;
    fields->items = std::move(items);
    if (type && (type->isAggregate || !type->methods.empty())) {
      fields->type = recipe.annotation;
    }
    return type && type->isAggregate
               ? evaluator.closeAggregate(std::move(fields), loc)
               : Value::record(std::move(fields));
  }
  case Recipe::Descriptor: {
    SmallVector<Operand, 8> parts;
    for (const Recipe &part : recipe.items) {
      parts.push_back(part.kind == Recipe::Argument
                          ? Operand(argument(part.first))
                          : Operand(Literal(int64_t(1))));
    }
    const size_t rank = recipe.block.shape.size();
    ArrayRef<Operand> numbers = ArrayRef<Operand>(parts).drop_front();
    emitter.setLocation(evaluator.location(loc));
    OptionalTile view = emitter.makeDescriptor(
        std::get<TileValue>(parts[0]), numbers.take_front(rank),
        numbers.drop_front(rank), recipe.block.shape,
        recipe.block.padsWithNaN ? "nan" : "zero", loc);
    return view ? Value::tile(*view) : Value();
  }
  }
  return Value();
}

void KernelBuilder::bindParameter(const ast::Parameter &param) {
  if (param.kind == ast::Parameter::VarArgs ||
      param.kind == ast::Parameter::VarKeywords) {
    sink.error(param.loc, "a kernel has no '*' parameters");
    return;
  }
  const ArgSpec *arg = nullptr;
  for (const ArgSpec &candidate : spec.args) {
    if (candidate.name == param.name) {
      arg = &candidate;
    }
  }
  bool isConstexpr = isConstexprParameter(param);
  // A constexpr parameter takes a tuple whose items are all known.
  if (arg && (!isConstexpr || arg->type == "tuple") &&
      arg->type != "constexpr") {
    scope[param.name] = Binding{Value(), param.loc};
    if (auto recipe = readArgument(param, *arg, param.name)) {
      recipes.emplace_back(&param, std::move(*recipe));
    }
    return;
  }
  if (bindConstexpr(param)) {
    return;
  }
  if (isConstexpr) {
    sink.error(param.loc, "constexpr parameter '" + param.name +
                              "' of kernel '" + kernel->name +
                              "' has no value; give one, such as " +
                              param.name + "=128");
  } else {
    sink.error(param.loc,
               "argument '" + param.name + "' of kernel '" + kernel->name +
                   "' has no type; give one, such as " + param.name + "=i32");
  }
  scope[param.name] = Binding{Value(), param.loc};
}

/// Names of the specialisation that the kernel does not have.
void KernelBuilder::checkNames() {
  SmallVector<StringRef> names;
  for (const ast::Parameter &param : kernel->params()) {
    names.push_back(param.name);
  }
  auto check = [&](StringRef name) {
    if (is_contained(names, name)) {
      return;
    }
    sink.error(kernel->loc(), "kernel '" + kernel->name +
                                  "' has no parameter '" + name + "'" +
                                  didYouMean(name, names));
  };
  for (const ArgSpec &arg : spec.args) {
    check(arg.name);
  }
  for (auto &[name, value] : spec.constexprs) {
    check(name);
  }
}

/// Without a body.
tile::KernelOp KernelBuilder::makeKernel(mlir::Location at) {
  SmallVector<mlir::Type> types;
  SmallVector<mlir::DictionaryAttr> attributes;
  for (const Argument &argument : arguments) {
    types.push_back(emitter.irType(argument.type));
    attributes.push_back(argument.attributes);
  }
  auto op =
      tile::KernelOp::create(builder, at, kernel->name,
                             builder.getFunctionType(types, {}), attributes);
  op->setAttr("tile.num_warps", builder.getI32IntegerAttr(spec.numWarps));
  op->setAttr("tile.num_stages", builder.getI32IntegerAttr(spec.numStages));
  if (!spec.contract) {
    op->setAttr("tile.contract", builder.getBoolAttr(false));
  }
  return op;
}

/// The verifier's words are for compiler engineers: the user gets one error.
bool KernelBuilder::verify(mlir::ModuleOp module) {
  std::string details;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) {
    details += (details.empty() ? "" : "; ") + d.str();
    return mlir::success();
  });
  if (mlir::failed(mlir::verify(module))) {
    sink.error(kernel->loc(), "internal error: the kernel's tile IR is not "
                              "valid: " +
                                  details)
        .note("please report this with the kernel's source");
    return false;
  }
  return true;
}

mlir::OwningOpRef<mlir::ModuleOp> KernelBuilder::run(DebugMap *debugMap) {
  WorkBudget budget;
  checkNames();
  for (const ast::Parameter &param : kernel->params()) {
    bindParameter(param);
  }
  if (sink.hasErrors()) {
    return nullptr;
  }
  evaluator.attach(emitter, builder);
  evaluator.setDebugMap(debugMap);
  evaluator.setTarget(spec.target, spec.numWarps);
  emitter.sanitizeOverflow = spec.sanitizeOverflow;
  emitter.sanitizeSums = spec.sanitizeSums;
  emitter.recordsScopes = spec.recordsScopes;
  emitter.keepsAsserts = spec.keepsAsserts;
  emitter.f32Default = spec.f32Default;
  mlir::Location at = evaluator.location(kernel->loc());
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(at);
  builder.setInsertionPointToStart(module->getBody());
  tile::KernelOp op = makeKernel(at);
  mlir::Block &body = op.getBody().front();
  for (auto [argument, value] : zip(arguments, body.getArguments())) {
    value.setLoc(evaluator.location(argument.param->loc));
  }
  builder.setInsertionPointToEnd(&body);
  for (auto &[param, recipe] : recipes) {
    scope[param->name] = Binding{make(recipe, body, param->loc), param->loc};
  }
  evaluator.runKernel(kernel, std::move(scope));
  evaluator.chargeStep(kernel->loc()); // the last step may be too much
  if (sink.hasErrors()) {
    return nullptr;
  }
  builder.setInsertionPointToEnd(&body);
  tile::ReturnOp::create(builder, at);
  assignGroups(op);
  // Of a long kernel each of these takes a while.
  if (!evaluator.chargeStep(kernel->loc())) {
    return nullptr;
  }
  if (!verify(*module)) {
    return nullptr;
  }
  if (!evaluator.chargeStep(kernel->loc())) {
    return nullptr;
  }
  return module;
}

} // namespace

mlir::OwningOpRef<mlir::ModuleOp>
elaborate(const Module &module, StringRef name, const Specialization &spec,
          mlir::MLIRContext &context, DiagnosticSink &sink,
          DebugMap *debugMap) {
  mlir::DialectRegistry registry;
  tile::registerTileDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
  // Errors of this kernel alone decide about its result: among them those of
  // what it reads, which a rule's evaluation may have read before, unheard.
  module.state().loader.forgetBroken();
  DiagnosticSink own;
  std::shared_ptr<FunctionObject> kernel = findKernel(module, name, own);
  mlir::OwningOpRef<mlir::ModuleOp> result;
  if (kernel) {
    result = KernelBuilder(module, kernel, spec, context, own).run(debugMap);
  }
  module.state().loader.keepFiles(own);
  sink.append(std::move(own));
  return result;
}

} // namespace tz::frontend
