//===- Evaluator.h - runs Python, emits tiles -------------------*- C++ -*-===//
//
// What   Evaluator is what the classes that walk the syntax tree share: frames,
//        errors, limits, and each other. In host code (a file's top level,
//        functions called there) everything is computed now; in a kernel what
//        is known is computed and the rest becomes operations.
// Why    Module constants, decorators, constexpr arithmetic and kernels follow
//        one set of Python rules. Each class knows some of them and asks the
//        others here.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_EVALUATE_EVALUATOR_H
#define TERRAZZO_CORE_FRONTEND_EVALUATE_EVALUATOR_H

#include "core/frontend/evaluate/BuiltinRegistry.h"
#include "core/frontend/evaluate/DebugNotes.h"
#include "core/frontend/evaluate/EvaluationBounds.h"
#include "core/frontend/evaluate/Value.h"

#include "mlir/IR/Builders.h"

namespace tz::frontend {

class Assignments;
class CallExpressions;
class Classes;
class ExpressionValues;
class FunctionCalls;
class HostStatements;
class KernelStatements;
class Members;
class ModuleSource;
class NameResolver;
class OpEmitter;
class Operators;

class Evaluator {
public:
  Evaluator(ModuleSource &loader, const Registry &registry,
            DiagnosticSink &sink);
  ~Evaluator();

  /// Before a kernel is elaborated.
  void attach(OpEmitter &emitter, mlir::OpBuilder &builder) {
    ops = &emitter;
    b = &builder;
  }
  /// From now on what a debugger must know is written there.
  void setDebugMap(DebugMap *map) { debugNotes.setMap(map); }

  //===-- module level ---------------------------------------------------===//
  void runModule(std::shared_ptr<ModuleObject> module);

  //===-- expressions (ExpressionValues.h, NameResolver.h, Members.h) -----===//
  Value eval(const ast::Expr *expr);
  Value attribute(const Value &base, llvm::StringRef name, SourceLoc loc);
  /// Whether hasattr of a tile or a type says so.
  bool hasAttribute(const Value &object, llvm::StringRef name);
  Value subscript(const Value &base, const Value &index, SourceLoc loc);
  Value lookup(llvm::StringRef name, SourceLoc loc);
  /// Resolves names of modules that are read on first use.
  Value resolve(Value value, SourceLoc loc);

  //===-- operators (Operators.h) ----------------------------------------===//
  Value binary(Tok op, const Value &lhs, const Value &rhs, SourceLoc loc);
  Value unary(Tok op, const Value &operand, SourceLoc loc);
  Value compare(ast::CompareOp op, const Value &lhs, const Value &rhs,
                SourceLoc loc);

  //===-- calls (CallExpressions.h, FunctionCalls.h)
  //--------------------------------===//
  Value call(const Value &callee, const CallArgs &args, SourceLoc loc);
  /// Calls a jit function with run-time scalars: the combine of a reduction.
  Value callFunction(const std::shared_ptr<FunctionObject> &function,
                     const CallArgs &args, SourceLoc loc);
  /// Runs the kernel's body with its parameters bound.
  void runKernel(const std::shared_ptr<FunctionObject> &kernel, Scope params);
  /// The default of a parameter, evaluated where the function was defined.
  Value defaultOf(const FunctionObject &function, const ast::Parameter &param);

  //===-- for the built-ins ----------------------------------------------===//
  /// Takes steps from the thread's WorkBudget; once it is spent this reports
  /// and nothing more is evaluated.
  bool chargeStep(SourceLoc loc, uint64_t steps = WorkBudget::PerEvaluation);
  /// Reports in kernel code; in host code gives an Unknown with the reason.
  Value fail(SourceLoc loc, const llvm::Twine &message);
  bool inHost() const { return frames.empty() || frames.back().isHost; }
  /// An aggregate whose fields are set; empty after an error.
  Value closeAggregate(std::shared_ptr<SequenceObject> fields, SourceLoc loc);
  /// A tile of the value: literals become scalars of their natural type.
  Value materialise(const Value &value, SourceLoc loc);
  bool countOperation(SourceLoc loc);
  mlir::Location location(SourceLoc loc) const;
  OpEmitter &emitter() { return *ops; }
  mlir::OpBuilder &builder() { return *b; }
  DiagnosticSink &diagnostics() { return sink; }
  const Limits &limits() const { return allowed.limits(); }
  /// What the kernel is compiled for, for messages and tl.target_info.
  const std::string &targetName() const { return target; }
  int numWarps() const { return warps; }
  void setTarget(std::string name, int numWarps) {
    target = std::move(name);
    warps = numWarps;
  }
  ModuleSource &modules() { return loader; }
  const Registry &builtins() const { return registry; }
  bool insideKernel() const { return ops != nullptr; }
  std::shared_ptr<ModuleObject> currentModule() const {
    return frames.empty() ? nullptr : frames.back().module;
  }

  //===-- for the statements (Assignments.h, Classes.h) -------------------===//
  struct Frame {
    std::shared_ptr<FunctionObject> function; // null at module level
    std::shared_ptr<ModuleObject> module;
    std::shared_ptr<Scope> closure;
    Scope scope;
    bool isHost = true;
    unsigned loops = 0;    // whose bodies are being run
    unsigned openArms = 0; // arms being run whose end is not the function's
    mlir::LocationAttr callSite; // null: the outermost
  };

  /// What is evaluated while this lives belongs to the frame.
  class Within {
  public:
    Within(Evaluator &ev, Frame frame) : ev(ev) {
      ev.frames.push_back(std::move(frame));
    }
    ~Within() { ev.frames.pop_back(); }
    Within(const Within &) = delete;
    Within &operator=(const Within &) = delete;

  private:
    Evaluator &ev;
  };

  Frame &frame() { return frames.back(); }
  /// Whether a call of the function is being evaluated.
  bool isRunning(const FunctionObject &function) const;
  EvaluationBounds &bounds() { return allowed; }
  DebugNotes &notes() { return debugNotes; }
  void assign(const ast::Expr *target, const Value &value, SourceLoc loc,
              bool keepConstexpr = false);
  void bind(llvm::StringRef name, Value value, SourceLoc loc);
  /// Numbers that are assigned become run-time scalars
  /// (docs/reference/language.md#numbers).
  Value sanitize(const Value &value, SourceLoc loc);
  /// The record's method of the name on the values; nothing if it has none.
  std::optional<Value> callSpecial(llvm::StringRef name, const Value &self,
                                   llvm::ArrayRef<Value> others, SourceLoc loc);

private:
  ModuleSource &loader;
  const Registry &registry;
  DiagnosticSink &sink;
  OpEmitter *ops = nullptr;
  mlir::OpBuilder *b = nullptr;
  std::string target;
  int warps = 4;
  std::vector<Frame> frames;
  EvaluationBounds allowed;
  DebugNotes debugNotes;
  std::unique_ptr<NameResolver> names;
  std::unique_ptr<Operators> operators;
  std::unique_ptr<Members> members;
  std::unique_ptr<HostStatements> host;
  std::unique_ptr<KernelStatements> kernel;
  std::unique_ptr<FunctionCalls> functions;
  std::unique_ptr<Classes> classes;
  std::unique_ptr<CallExpressions> calls;
  std::unique_ptr<Assignments> assignments;
  std::unique_ptr<ExpressionValues> expressions;
};

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_EVALUATE_EVALUATOR_H
