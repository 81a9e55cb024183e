//===- Evaluator.cpp - runs Python, emits tiles ---------------------------===//
//
// What   The two ways in (a module, a kernel's body), and what all parts ask:
//        errors, places, steps, operations.
// Why    See Evaluator.h.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/evaluate/Evaluator.h"

#include "core/frontend/evaluate/Assignments.h"
#include "core/frontend/evaluate/CallExpressions.h"
#include "core/frontend/evaluate/Classes.h"
#include "core/frontend/evaluate/ExpressionValues.h"
#include "core/frontend/evaluate/FunctionCalls.h"
#include "core/frontend/evaluate/HostStatements.h"
#include "core/frontend/evaluate/KernelStatements.h"
#include "core/frontend/evaluate/Members.h"
#include "core/frontend/evaluate/NameResolver.h"
#include "core/frontend/evaluate/Operators.h"
#include "core/frontend/evaluate/TileOperators.h"

using namespace llvm;

namespace tz::frontend {

Evaluator::Evaluator(ModuleSource &loader, const Registry &registry,
                     DiagnosticSink &sink)
    : loader(loader), registry(registry), sink(sink), allowed(sink),
      debugNotes(*this), names(std::make_unique<NameResolver>(*this)),
      operators(std::make_unique<Operators>(*this)),
      members(std::make_unique<Members>(*this)),
      host(std::make_unique<HostStatements>(*this)),
      kernel(std::make_unique<KernelStatements>(*this)),
      functions(std::make_unique<FunctionCalls>(*this, *host, *kernel)),
      classes(std::make_unique<Classes>(*this)),
      calls(std::make_unique<CallExpressions>(*this, *functions, *classes)),
      assignments(std::make_unique<Assignments>(*this, *classes)),
      expressions(std::make_unique<ExpressionValues>(*this, *calls, *kernel)) {}

Evaluator::~Evaluator() = default;

void Evaluator::runModule(std::shared_ptr<ModuleObject> module) {
  Frame top;
  top.module = module;
  top.isHost = true;
  SourceLoc start{module->tree->file.get(), 1, 1, 0};
  module->members["__name__"] = Binding{Value::string(module->name), start};
  module->members["__file__"] = Binding{Value::string(module->path), start};
  Within within(*this, std::move(top));
  host->block(module->tree->body);
}

void Evaluator::runKernel(const std::shared_ptr<FunctionObject> &kernel,
                          Scope params) {
  functions->runKernel(kernel, std::move(params));
}

bool Evaluator::isRunning(const FunctionObject &function) const {
  return any_of(frames,
                [&](const Frame &f) { return f.function.get() == &function; });
}

Value Evaluator::eval(const ast::Expr *expr) {
  if (!chargeStep(expr->loc)) {
    return Value();
  }
  EvaluationBounds::Level level = allowed.evaluation(expr->loc);
  if (!level) {
    return Value();
  }
  Value value = expressions->evaluate(expr);
  if (WorkBudget::isSpent()) {
    chargeStep(expr->loc); // says so, here
    return Value();
  }
  return value;
}

Value Evaluator::lookup(StringRef name, SourceLoc loc) {
  return names->lookup(name, loc);
}

Value Evaluator::resolve(Value value, SourceLoc loc) {
  return names->resolve(std::move(value), loc);
}

Value Evaluator::attribute(const Value &base, StringRef name, SourceLoc loc) {
  return members->attribute(base, name, loc);
}

bool Evaluator::hasAttribute(const Value &object, StringRef name) {
  return members->has(object, name);
}

Value Evaluator::subscript(const Value &base, const Value &index,
                           SourceLoc loc) {
  return members->subscript(base, index, loc);
}

Value Evaluator::binary(Tok op, const Value &lhs, const Value &rhs,
                        SourceLoc loc) {
  return operators->binary(op, lhs, rhs, loc);
}

Value Evaluator::unary(Tok op, const Value &operand, SourceLoc loc) {
  return operators->unary(op, operand, loc);
}

Value Evaluator::compare(ast::CompareOp op, const Value &lhs, const Value &rhs,
                         SourceLoc loc) {
  return operators->compare(op, lhs, rhs, loc);
}

Value Evaluator::call(const Value &callee, const CallArgs &args,
                      SourceLoc loc) {
  return calls->call(callee, args, loc);
}

Value Evaluator::callFunction(const std::shared_ptr<FunctionObject> &function,
                              const CallArgs &args, SourceLoc loc) {
  return functions->call(function, args, loc);
}

Value Evaluator::defaultOf(const FunctionObject &function,
                           const ast::Parameter &param) {
  return functions->defaultOf(function, param);
}

Value Evaluator::closeAggregate(std::shared_ptr<SequenceObject> fields,
                                SourceLoc loc) {
  return classes->close(std::move(fields), loc);
}

std::optional<Value> Evaluator::callSpecial(StringRef name, const Value &self,
                                            ArrayRef<Value> others,
                                            SourceLoc loc) {
  return classes->callMethod(name, self, others, loc);
}

void Evaluator::assign(const ast::Expr *target, const Value &value,
                       SourceLoc loc, bool keepConstexpr) {
  assignments->assign(target, value, loc, keepConstexpr);
}

void Evaluator::bind(StringRef name, Value value, SourceLoc loc) {
  assignments->bind(name, std::move(value), loc);
}

Value Evaluator::sanitize(const Value &value, SourceLoc loc) {
  return assignments->sanitize(value, loc);
}

Value Evaluator::fail(SourceLoc loc, const Twine &message) {
  if (inHost()) {
    return Value::unknown(loc, message.str());
  }
  if (!allowed.isStopped()) {
    sink.error(loc, message);
  }
  return Value();
}

bool Evaluator::chargeStep(SourceLoc loc, uint64_t steps) {
  return allowed.charge(loc, steps);
}

mlir::Location Evaluator::location(SourceLoc loc) const {
  mlir::MLIRContext *context = b->getContext();
  mlir::Location at = mlir::UnknownLoc::get(context);
  if (loc.isValid()) {
    at = mlir::FileLineColLoc::get(context, loc.file->path(), loc.line,
                                   loc.column);
  }
  if (frames.empty() || !frames.back().callSite) {
    return at;
  }
  const Frame &frame = frames.back();
  // A debugger shows the calls that were inlined by name.
  if (frame.function && !frame.function->name.empty()) {
    at = mlir::NameLoc::get(b->getStringAttr(frame.function->name), at);
  }
  return mlir::CallSiteLoc::get(at, mlir::Location(frame.callSite));
}

bool Evaluator::countOperation(SourceLoc loc) {
  if (allowed.isStopped()) {
    return false;
  }
  if (inHost() && !frames.empty() && frame().function) {
    sink.error(loc, "'" + frame().function->name +
                        "' runs when the kernel is compiled and computes with "
                        "a run-time value, of which it may ask type, dtype and "
                        "shape; decorate it with @triton.jit");
    return false;
  }
  return chargeStep(loc, WorkBudget::PerOperation) && allowed.operation(loc);
}

Value Evaluator::materialise(const Value &value, SourceLoc loc) {
  if (!value.isNumber()) {
    return value;
  }
  return countOperation(loc) ? tileFromLiteral(*this, value, loc) : Value();
}

} // namespace tz::frontend
