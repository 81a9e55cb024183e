//===- Evaluator.h - runs Python, emits tiles -------------------*- C++ -*-===//
//
// What   Evaluator walks the syntax tree. In host code (a file's top level,
//        functions called there) everything is computed now; in a kernel what
//        is known is computed and the rest becomes operations.
// Why    Module constants, decorators, constexpr arithmetic and kernels follow
//        one set of Python rules, so one class knows them.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_EVALUATE_EVALUATOR_H
#define TERRAZZO_CORE_FRONTEND_EVALUATE_EVALUATOR_H

#include "core/frontend/evaluate/BuiltinRegistry.h"
#include "core/frontend/evaluate/Value.h"
#include "core/frontend/evaluate/WorkBudget.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

#include "llvm/ADT/DenseSet.h"

#include <array>

namespace tz::frontend {

class DebugMap;
class ModuleSource;
class OpEmitter;

/// Bounds on what one kernel may make the compiler do. Each is named in the
/// error that it causes.
struct Limits {
  unsigned evaluationDepth = 900;        // nested evaluations, calls included
  unsigned inliningDepth = 48;           // calls in calls
  unsigned regionDepth = 250;            // run-time ifs and loops in each other
  unsigned unrolledIterations = 1 << 16; // of all static loops together
  unsigned operations = 1 << 18;         // tile operations of one kernel
  unsigned hostSteps = 1 << 18;          // statements run at module level
  unsigned sequenceLength = 1 << 16;     // of a tuple, list or string
};

/// How a block of statements ended.
struct Flow {
  enum Kind : uint8_t {
    Normal,
    Return,
    Break,
    Continue,
    Fell,  // off an arm's end, with all that follows in the arm run
    Mixed, // in one of several of these ways, which a run-time condition chose
  } kind = Normal;
  Value value; // what is returned, if it may return
  /// Of Mixed: bit 1 << way for each way; and for Return, Break and Continue,
  /// where they are among them, whether it ended so.
  unsigned mixed = 0;
  std::array<mlir::Value, 4> flags;

  static constexpr std::array<Kind, 3> exits = {Return, Break, Continue};

  unsigned ways() const { return kind == Mixed ? mixed : 1U << kind; }
  bool may(Kind way) const { return (ways() & 1U << way) != 0; }
  void setWays(unsigned ways);
  /// The same, knowing that it ended in one of `ways`.
  Flow among(unsigned ways) const;
};

/// What runs after a block that falls through; see execIf.
using Continuation = llvm::function_ref<Flow()>;

class Evaluator {
public:
  Evaluator(ModuleSource &loader, const Registry &registry,
            DiagnosticSink &sink)
      : loader(loader), registry(registry), sink(sink) {}

  /// Before a kernel is elaborated.
  void attach(OpEmitter &emitter, mlir::OpBuilder &builder) {
    ops = &emitter;
    b = &builder;
  }
  /// From now on what a debugger must know is written there.
  void setDebugMap(DebugMap *map) { debugMap = map; }

  //===-- module level ---------------------------------------------------===//
  void runModule(std::shared_ptr<ModuleObject> module);

  //===-- expressions (ExpressionValues.cpp, NameLookup.cpp) -------------===//
  Value eval(const ast::Expr *expr);
  Value attribute(const Value &base, llvm::StringRef name, SourceLoc loc);
  /// Whether hasattr of a tile or a type says so.
  bool hasAttribute(const Value &object, llvm::StringRef name);
  Value subscript(const Value &base, const Value &index, SourceLoc loc);
  Value lookup(llvm::StringRef name, SourceLoc loc);
  /// Resolves names of modules that are read on first use.
  Value resolve(Value value, SourceLoc loc);

  //===-- operators (Operators.cpp) --------------------------------------===//
  Value binary(Tok op, const Value &lhs, const Value &rhs, SourceLoc loc);
  Value unary(Tok op, const Value &operand, SourceLoc loc);
  Value compare(ast::CompareOp op, const Value &lhs, const Value &rhs,
                SourceLoc loc);

  //===-- calls (FunctionCalls.cpp, BuiltinCalls.cpp) --------------------===//
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
  const Limits &limits() const { return bounds; }
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

private:
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

  //===-- statements (KernelStatements.cpp) ------------------------------===//
  Flow execBlock(ast::Block block, Continuation rest);
  Flow execFrom(ast::Block block, size_t index, Continuation rest);
  void execSimple(const ast::Stmt *stmt);
  void execAssert(const ast::Assert *node);
  void assign(const ast::Expr *target, const Value &value, SourceLoc loc,
              bool keepConstexpr = false);
  void bind(llvm::StringRef name, Value value, SourceLoc loc);
  /// Numbers that are assigned become run-time scalars (language rule 1).
  Value sanitize(const Value &value, SourceLoc loc);
  std::optional<Value> condition(const Value &value, SourceLoc loc,
                                 llvm::StringRef what);
  void unsupported(const ast::Stmt *stmt);

  //===-- if (IfStatements.cpp, RuntimeBranches.cpp) ---------------------===//
  /// Entry i: of clauses i, i + 1, ... and else.
  struct Clauses {
    std::vector<std::vector<llvm::StringRef>> names; // that they assign
    std::vector<bool> leaves;   // some arm may leave the statement's block
    std::vector<unsigned> ways; // to fall through: 0, 1, 2 = several
  };
  struct Arm {
    Flow flow;
    Scope scope; // at its end
  };
  /// An scf.if that is being made; `draft` has no results yet.
  struct Branch {
    SourceLoc loc;
    mlir::scf::IfOp draft;
    Scope before;
    Arm whenTrue, whenFalse;
  };
  struct Leaving;
  static constexpr llvm::StringLiteral ReturnedView =
      "a block pointer or descriptor that is made in a loop or on one path of "
      "a run-time if cannot be returned from there; make it before";
  /// Is the flow's end in one of these ways? A run-time value.
  mlir::Value hasEnded(const Flow &flow, llvm::ArrayRef<Flow::Kind> ways,
                       SourceLoc loc);
  /// Runs what follows a statement where the statement did not leave its block.
  Flow afterExits(const Flow &flow, SourceLoc loc, Continuation following);
  Flow execIf(const ast::If *node, size_t clause, ast::Block block,
              size_t index, Continuation rest);
  Flow runtimeIf(const ast::If *node, size_t clause, const Value &condition,
                 ast::Block block, size_t index, Continuation rest);
  const Clauses &clausesOf(const ast::If *node);
  Flow finished(Flow flow);
  static std::vector<llvm::StringRef> changedNames(const Branch &branch);
  Branch openBranch(SourceLoc loc, mlir::Value flag);
  void closeArm(Arm &arm, Branch &branch);
  Flow closeBranch(Branch &branch, llvm::ArrayRef<llvm::StringRef> names);
  bool mergeReturned(Branch &branch, llvm::SmallVectorImpl<Leaving> &leaving,
                     Flow &result);
  void mergeName(llvm::StringRef name, Branch &branch,
                 llvm::SmallVectorImpl<Leaving> &leaving);
  Value placeholder(const Value &like, mlir::Operation *around, SourceLoc loc,
                    llvm::StringRef unmakable);
  llvm::SmallVector<mlir::Value>
  splitTiles(llvm::ArrayRef<Leaving> leaving,
             llvm::SmallVectorImpl<mlir::Value> &thenValues,
             llvm::SmallVectorImpl<mlir::Value> &elseValues);
  mlir::scf::IfOp replaceDraft(mlir::scf::IfOp draft,
                               llvm::ArrayRef<mlir::Value> thenValues,
                               llvm::ArrayRef<mlir::Value> elseValues);

  //===-- loops (LoopStatements.cpp) -------------------------------------===//
  struct Carried {
    llvm::StringRef name;
    Binding before;
    unsigned begin = 0, count = 0; // of the flattened values
  };
  /// What a run-time loop counts from, to and by, of one type. With a negative
  /// step the counter runs upwards, and the loop variable is made from it.
  struct LoopBounds {
    TileValue lower, upper, step;
    bool isNegative = false;
  };
  Flow execFor(const ast::For *node, ast::Block block, size_t index,
               Continuation rest);
  Flow staticFor(const ast::For *node, llvm::ArrayRef<Value> items,
                 Continuation rest);
  Flow runtimeFor(const ast::For *node, const RangeObject &range);
  std::optional<LoopBounds> loopBoundsOf(const ast::For *node,
                                         const RangeObject &range);
  void bindIndex(const ast::For *node, const LoopBounds &counted,
                 mlir::Value counter);
  void countedLoop(const ast::For *node, const RangeObject &range,
                   const LoopBounds &counted);
  Flow runtimeWhile(const ast::While *node);
  mlir::Value whileCondition(const ast::While *node, mlir::Value live);
  /// Counts a run-time if or loop inside the others; an error beyond the limit.
  bool enterRegion(SourceLoc loc);
  void execWith(const ast::With *node); // WithStatements.cpp
  /// The names that the body assigns, and the loop's variable if it is read
  /// behind the loop.
  std::vector<llvm::StringRef> assignedInLoop(const ast::For *node,
                                              const LoopBounds &counted);
  std::vector<Carried> carriedNames(llvm::ArrayRef<llvm::StringRef> assigned,
                                    llvm::SmallVectorImpl<mlir::Value> &flat);
  void bindCarried(llvm::ArrayRef<Carried> carried, mlir::ValueRange values);
  bool collectCarried(llvm::ArrayRef<Carried> carried,
                      llvm::SmallVectorImpl<mlir::Value> &flat,
                      SourceLoc loopLoc);
  void leaveLoop(const Scope &before, llvm::ArrayRef<Carried> carried,
                 mlir::ValueRange results);

  //===-- loops that are left early (LoopExits.cpp) ----------------------===//
  void refuseElse(SourceLoc loc);
  bool isReadBehindLoops(llvm::StringRef name);
  /// Runs a loop's body: it ends by Continue, Break or Return, or Mixed ones.
  Flow execBody(ast::Block body);
  Flow unrolledFor(const ast::For *node, llvm::ArrayRef<Value> items);
  Flow leftLoop(const ast::For *node, const LoopBounds &counted);
  mlir::Value goesOn(const Flow &flow, SourceLoc loc);
  mlir::scf::WhileOp carryReturned(mlir::scf::WhileOp loop, Flow &flow,
                                   llvm::SmallVectorImpl<mlir::Value> &yields,
                                   SourceLoc loc);
  Flow closeWhile(mlir::scf::WhileOp loop, Flow flow,
                  llvm::SmallVectorImpl<mlir::Value> &yields,
                  const Scope &before, llvm::ArrayRef<Carried> carried,
                  SourceLoc loc);
  static Flow loopEnd(const Flow &flow);
  /// Runs what follows a loop that may have returned.
  Flow afterLoop(const Flow &flow, SourceLoc loc, Continuation following);

  //===-- host statements (HostStatements.cpp) ---------------------------===//
  Flow hostBlock(ast::Block block);
  Flow hostStatement(const ast::Stmt *stmt);
  void hostDefine(const ast::FunctionDef *def);
  Value hostFunction(const ast::FunctionDef *def);
  void applyDecorators(llvm::ArrayRef<ast::Expr *> decorators,
                       const Value &value);
  void hostClass(const ast::ClassDef *def);
  void hostImport(const ast::Import *node);
  void hostImportFrom(const ast::ImportFrom *node);
  void hostEitherArm(const ast::If *node, SourceLoc loc);
  void hostForget(ast::Block block, SourceLoc loc, llvm::StringRef why);
  std::vector<Value> hostIterate(const Value &iterable, bool &known);

  //===-- expressions ----------------------------------------------------===//
  Value evalUncounted(const ast::Expr *expr);
  Value evalName(const ast::Name *node);
  Value evalConstant(const ast::Constant *node);
  Value evalJoined(const ast::JoinedString *node);
  Value evalElements(llvm::ArrayRef<ast::Expr *> elements, bool tuple);
  Value evalCompare(const ast::Compare *node);
  Value evalBool(const ast::Bool *node);
  Value evalConditional(const ast::Conditional *node);
  Value evalComprehension(const ast::Comprehension *node);
  Value evalSubscript(const ast::Subscript *node);
  Value evalCall(const ast::Call *node);
  bool evalArguments(const ast::Call *node, CallArgs &args);
  Value tileAttribute(const Value &base, llvm::StringRef name, SourceLoc loc);
  Value typeAttribute(const Value &base, llvm::StringRef name, SourceLoc loc);
  Value unsupportedExpr(const ast::Expr *expr);

  //===-- classes (Classes.cpp) ------------------------------------------===//
  Value callClass(const Value &callee, const CallArgs &args, SourceLoc loc);
  Value makeRecord(std::shared_ptr<const ClassObject> type,
                   const CallArgs &args, SourceLoc loc);
  void assignAttribute(const ast::Attribute *target, const Value &value);
  /// The record's method of the name on the values; nothing if it has none.
  std::optional<Value> callSpecial(llvm::StringRef name, const Value &self,
                                   llvm::ArrayRef<Value> others, SourceLoc loc);
  std::optional<Value> specialBinary(Tok op, const Value &lhs, const Value &rhs,
                                     SourceLoc loc);
  std::optional<Value> specialCompare(ast::CompareOp op, const Value &lhs,
                                      const Value &rhs, SourceLoc loc);

  //===-- calls ----------------------------------------------------------===//
  /// Nothing if all is well, else what the failed call gives.
  std::optional<Value> bindParameters(const FunctionObject &function,
                                      const CallArgs &args, SourceLoc loc,
                                      Scope &scope);
  /// True, with an error, for an `async def`.
  bool refuseAsync(const FunctionObject &function);
  Value inlineJit(const std::shared_ptr<FunctionObject> &function,
                  const CallArgs &args, SourceLoc loc);
  Value runHostFunction(const std::shared_ptr<FunctionObject> &function,
                        const CallArgs &args, SourceLoc loc);
  Value callBuiltin(const Builtin &builtin, const CallArgs &args,
                    SourceLoc loc);

  //===-- for a debugger (DebugNotes.cpp); nothing is noted without a map ===//
  void noteStatement(SourceLoc loc);
  void noteName(llvm::StringRef name, const Value &value, SourceLoc loc);
  /// The frame of the function is the innermost already.
  void noteCall(const FunctionObject &function, const Scope &params,
                SourceLoc loc);
  void noteReturn();

  //===-- run-time values (Scopes.cpp) -----------------------------------===//
  /// The SSA values of a value's tiles, in order; sequences are walked.
  static void flatten(const Value &value,
                      llvm::SmallVectorImpl<mlir::Value> &out);
  /// The same value with its tiles replaced, in order.
  static Value rebuild(const Value &shape, mlir::ValueRange &values);
  /// Same structure and exactly the same types: can flow through one place.
  static bool sameShape(const Value &a, const Value &b);

  Frame &frame() { return frames.back(); }

  ModuleSource &loader;
  const Registry &registry;
  DiagnosticSink &sink;
  OpEmitter *ops = nullptr;
  mlir::OpBuilder *b = nullptr;
  DebugMap *debugMap = nullptr;
  Limits bounds;
  std::string target;
  int warps = 4;
  std::vector<Frame> frames;
  llvm::DenseMap<const ast::If *, std::unique_ptr<Clauses>> clauses;
  llvm::DenseMap<const ast::FunctionDef *, llvm::DenseSet<llvm::StringRef>>
      behindLoops;
  unsigned depth = 0;
  unsigned regionDepth = 0;
  unsigned inlining = 0;
  /// noinline functions whose remark was given: one each is enough.
  llvm::SmallPtrSet<const FunctionObject *, 4> saidInlined;
  unsigned iterations = 0;
  unsigned operations = 0;
  unsigned steps = 0;
  bool stopped = false; // a limit was hit: nothing more is evaluated
};

/// Whether an annotation, which may be null, is tl.constexpr.
bool namesConstexpr(const ast::Expr *annotation);
/// Whether the parameter is annotated tl.constexpr.
bool isConstexprParameter(const ast::Parameter &param);
/// Names that a block assigns, in order of first appearance.
std::vector<llvm::StringRef> assignedNames(ast::Block block);
/// Whether a return statement stands in the block (not in nested functions).
bool containsReturn(ast::Block block);
/// Whether a break stands in the block that ends the loop around it.
bool containsBreak(ast::Block block);
/// Whether a break or continue stands in the block that the loop around it has.
bool leavesLoop(ast::Block block);
/// Whether the block or statement may be left before its end: by return, or by
/// break or continue of a loop around it.
bool mayLeave(ast::Block block);
bool mayLeave(const ast::Stmt *stmt);
/// Names that are read in a function outside of the loops whose variable they
/// are (LoopVariables.cpp).
llvm::DenseSet<llvm::StringRef> readBehindLoops(ast::Block function);

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_EVALUATE_EVALUATOR_H
