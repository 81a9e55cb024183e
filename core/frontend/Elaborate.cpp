//===- Elaborate.cpp - one kernel for one specialisation ------------------===//
//
// What   Makes the tile.kernel: arguments with their hints, constexprs bound,
//        the body elaborated; then memory groups and the verifier.
// Why    The one place where a specialisation meets a kernel's parameters, so
//        that what is missing or superfluous is said here.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/AssignGroups.h"
#include "core/frontend/ConstValues.h"
#include "core/frontend/Frontend.h"
#include "core/frontend/FrontendState.h"
#include "core/frontend/WorkBudget.h"
#include "core/frontend/semantics/OpEmitter.h"

#include "mlir/IR/Verifier.h"

#include "llvm/ADT/ScopeExit.h"

using namespace llvm;

namespace tz::frontend {

namespace {

/// A parameter that is an argument of the kernel.
struct Argument {
  const ast::Parameter *param;
  TileType type;
  mlir::DictionaryAttr attributes;
};

class KernelBuilder {
public:
  KernelBuilder(const Module &module, std::shared_ptr<FunctionObject> kernel,
                const Specialization &spec, mlir::MLIRContext &context,
                DiagnosticSink &sink)
      : state(module.state()), kernel(std::move(kernel)), spec(spec),
        context(context), sink(sink), builder(&context), emitter(builder, sink),
        evaluator(state.loader, sink) {}

  mlir::OwningOpRef<mlir::ModuleOp> run();

private:
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

  void bindParameter(const ast::Parameter &param);
  bool bindConstexpr(const ast::Parameter &param);
  void addArgument(const ast::Parameter &param, const ArgSpec &arg);
  void checkNames();
};

bool KernelBuilder::bindConstexpr(const ast::Parameter &param) {
  auto it = spec.constexprs.find(param.name.str());
  if (it != spec.constexprs.end()) {
    std::optional<Value> value = fromConstValue(it->second, *state.main);
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

void KernelBuilder::addArgument(const ast::Parameter &param,
                                const ArgSpec &arg) {
  std::optional<TileType> type = argumentType(arg.type);
  if (!type || (type->elem == DType::Void && !type->isPtr)) {
    sink.error(param.loc, "argument '" + param.name + "' has type '" +
                              arg.type +
                              "', which is no type of an argument; examples "
                              "are *fp16, i32, fp32");
    scope[param.name] = Binding{Value(), param.loc};
    return;
  }
  if (arg.equalsOne && !type->isPtr && isInteger(type->elem)) {
    scope[param.name] = Binding{Value::integer(1), param.loc, true};
    return;
  }
  mlir::NamedAttrList attributes;
  attributes.set("tile.name", builder.getStringAttr(param.name));
  int64_t divisor = std::max<int64_t>(arg.divisibility, 1);
  divisor = arg.divisibleBy16 ? std::max<int64_t>(divisor, 16) : divisor;
  if (divisor > 1 && (type->isPtr || isInteger(type->elem))) {
    attributes.set("tile.divisibility", builder.getI64IntegerAttr(divisor));
  }
  if (type->isPtr) {
    attributes.set("tile.group",
                   builder.getI64IntegerAttr(arguments.size() + 1));
    if (type->isConstPtr) {
      attributes.set("tile.const", builder.getUnitAttr());
    }
  }
  arguments.push_back({&param, *type, attributes.getDictionary(&context)});
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
  if (arg && !isConstexpr && arg->type != "constexpr") {
    addArgument(param, *arg);
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
    sink.error(param.loc, "argument '" + param.name + "' of kernel '" +
                              kernel->name + "' has no type");
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
    StringRef near = nearestName(name, names);
    sink.error(kernel->loc(),
               "kernel '" + kernel->name + "' has no parameter '" + name + "'" +
                   (near.empty() ? Twine() : "; did you mean '" + near + "'?"));
  };
  for (const ArgSpec &arg : spec.args) {
    check(arg.name);
  }
  for (auto &[name, value] : spec.constexprs) {
    check(name);
  }
}

mlir::OwningOpRef<mlir::ModuleOp> KernelBuilder::run() {
  WorkBudget budget;
  checkNames();
  for (const ast::Parameter &param : kernel->params()) {
    bindParameter(param);
  }
  if (sink.hasErrors()) {
    return nullptr;
  }
  evaluator.attach(emitter, builder);
  mlir::Location at = evaluator.location(kernel->loc());
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(at);
  builder.setInsertionPointToStart(module->getBody());
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
  mlir::Block &body = op.getBody().front();
  for (auto [argument, value] : zip(arguments, body.getArguments())) {
    scope[argument.param->name] =
        Binding{Value::tile({value, argument.type}), argument.param->loc};
    value.setLoc(evaluator.location(argument.param->loc));
  }
  builder.setInsertionPointToEnd(&body);
  evaluator.runKernel(kernel, std::move(scope));
  evaluator.chargeStep(kernel->loc()); // the last step may be too much
  if (sink.hasErrors()) {
    return nullptr;
  }
  builder.setInsertionPointToEnd(&body);
  tile::ReturnOp::create(builder, at);
  assignGroups(op);
  // The verifier's words are for compiler engineers: the user gets one error.
  std::string details;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) {
    details += (details.empty() ? "" : "; ") + d.str();
    return mlir::success();
  });
  if (mlir::failed(mlir::verify(*module))) {
    sink.error(kernel->loc(), "internal error: the kernel's tile IR is not "
                              "valid: " +
                                  details)
        .note("please report this with the kernel's source");
    return nullptr;
  }
  return module;
}

} // namespace

mlir::OwningOpRef<mlir::ModuleOp>
elaborate(const Module &module, StringRef name, const Specialization &spec,
          mlir::MLIRContext &context, DiagnosticSink &sink) {
  mlir::DialectRegistry registry;
  tile::registerTileDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
  // Errors of this kernel alone decide about its result.
  DiagnosticSink own;
  std::shared_ptr<FunctionObject> kernel = findKernel(module, name, own);
  mlir::OwningOpRef<mlir::ModuleOp> result;
  if (kernel) {
    result = KernelBuilder(module, kernel, spec, context, own).run();
  }
  module.state().loader.keepFiles(own);
  sink.append(std::move(own));
  return result;
}

} // namespace tz::frontend
