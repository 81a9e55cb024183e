//===- LegalizeMath.cpp - tile-legalize-math ------------------------------===//
//
// What   Puts the library's source (math/library) in place of the mathematical
//        functions that the target does not compute itself.
// Why    A vendor writes down what its hardware has; everything else is exact
//        to the tolerances without a library of that vendor's (R7).
// Example (test/optimizer/legalize-math.mlir)
//   before
//     %ps = tile.splat %p : !tile.ptr<f32> -> tensor<48x!tile.ptr<f32>>
//     %x = tile.splat %s : f32 -> tensor<48xf32>
//     %e = tile.math exp %x : tensor<48xf32>
//     tile.store %ps, %e : tensor<48x!tile.ptr<f32>>, tensor<48xf32>
//   after
//     %0 = tile.splat %arg0 : !tile.ptr<f32> -> tensor<48x!tile.ptr<f32>>
//     %1 = tile.splat %arg1 : f32 -> tensor<48xf32>
//     %cst = arith.constant dense<1.44269502> : tensor<48xf32>
//     %2 = arith.mulf %1, %cst : tensor<48xf32>
//     %3 = tile.math  exp2 %2 : tensor<48xf32>
//     tile.store %0, %3 : tensor<48x!tile.ptr<f32>>, tensor<48xf32>
//===----------------------------------------------------------------------===//
#include "core/optimizer/Passes.h"
#include "core/optimizer/math/MathLibrary.h"

#include "terrazzo/wire/Wire.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tz::tile;

namespace tz::optimizer {
#define GEN_PASS_DEF_LEGALIZEMATH
#include "core/optimizer/Passes.h.inc"
} // namespace tz::optimizer

/// The name of the function in features and in the library; empty for an op
/// that is none, or that every target has for every type.
static StringRef functionName(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case([](MathOp math) -> StringRef {
        switch (math.getFn()) {
        case MathFn::abs:
        case MathFn::floor:
        case MathFn::ceil:
        case MathFn::trunc:
        case MathFn::rint:
          return {}; // exact, as conversions are
        default:
          return stringifyMathFn(math.getFn());
        }
      })
      .Case([](DivFOp division) -> StringRef {
        return division.getMode() == DivMode::rn ? "div_rn" : "div";
      })
      .Case([](PowOp) -> StringRef { return "pow"; })
      .Case([](RemFOp) -> StringRef { return "rem"; })
      .Default([](Operation *) { return StringRef(); });
}

/// "f32" as in names of features.
static std::string typeName(Type element) {
  std::string name;
  llvm::raw_string_ostream(name) << element;
  return name;
}

/// "exp.f32"; empty where functionName is.
static std::string featureName(Operation *op) {
  StringRef name = functionName(op);
  return name.empty()
             ? std::string()
             : (name + "." + typeName(elementType(op->getResult(0).getType())))
                   .str();
}

static Type shapedAs(Type shape, Type element) {
  auto tensor = dyn_cast<RankedTensorType>(shape);
  return tensor ? RankedTensorType::get(tensor.getShape(), element) : element;
}

namespace {
/// The work on one kernel.
class Legalizer {
public:
  Legalizer(MLIRContext *context, const llvm::StringSet<> &native)
      : context(context), native(native) {}

  /// Fails, with an error, where the source of a function cannot stand.
  LogicalResult run(KernelOp kernel);

  /// Whether there was a function that the target lacks.
  bool hasFound() const { return found; }

  unsigned expanded = 0, widened = 0;

private:
  /// Puts `op`, if it is a function that the target lacks, on the list.
  void consider(Operation *op);
  /// `op` and what it becomes.
  void legalizeAll(Operation *op);
  void legalize(Operation *op);
  void widen(Operation *op);
  /// Powers that a few products are; true: it was one, and is gone.
  bool multiply(PowOp power);
  /// The library's function; null if it has none: every target has that one.
  KernelOp bodyFor(StringRef name, StringRef type);
  void inlineBody(KernelOp body, Operation *op);

  MLIRContext *context;
  const llvm::StringSet<> &native; // "exp.f32"
  SmallVector<Operation *> worklist;
  unsigned made = 0; // ops
  bool hasFailed = false, found = false;
  llvm::StringMap<OwningOpRef<ModuleOp>> bodies;
};

struct LegalizeMath : tz::optimizer::impl::LegalizeMathBase<LegalizeMath> {
  using Base = tz::optimizer::impl::LegalizeMathBase<LegalizeMath>;
  using Base::Base;

  LogicalResult initialize(MLIRContext *) override {
    for (const std::string &feature : features) {
      StringRef name(feature);
      if (name.consume_front("math.")) {
        native.insert(name);
      }
    }
    return success();
  }

  void runOnOperation() override {
    Legalizer legalizer(&getContext(), native);
    if (failed(legalizer.run(getOperation()))) {
      signalPassFailure();
    }
    expanded += legalizer.expanded;
    widened += legalizer.widened;
    if (!legalizer.hasFound()) {
      markAllAnalysesPreserved();
    }
  }

  llvm::StringSet<> native;
};
} // namespace

void Legalizer::consider(Operation *op) {
  std::string name = featureName(op);
  if (!name.empty() && !native.contains(name)) {
    worklist.push_back(op);
  }
}

KernelOp Legalizer::bodyFor(StringRef name, StringRef type) {
  auto [entry, isNew] = bodies.try_emplace((name + "." + type).str());
  if (isNew) {
    for (const tz::optimizer::math::Function &function :
         tz::optimizer::math::functions()) {
      if (function.name == name && function.type == type) {
        entry->second =
            llvm::cantFail(tz::wire::read(function.bytes, *context));
      }
    }
  }
  ModuleOp module = entry->second.get();
  return module ? *module.getOps<KernelOp>().begin() : KernelOp();
}

/// Computes f16 and narrower in f32, whose results are rounded once more:
/// harmless within the tolerances, and without effect for quotients and roots,
/// which have more than twice the bits.
void Legalizer::widen(Operation *op) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  Type type = op->getResult(0).getType();
  Type wide = shapedAs(type, builder.getF32Type());
  IRMapping values;
  for (Value operand : op->getOperands()) {
    if (!values.contains(operand)) {
      values.map(operand, arith::ExtFOp::create(builder, loc, wide, operand));
    }
  }
  Operation *computed = builder.clone(*op, values);
  computed->getResult(0).setType(wide);
  Value narrow = TruncFOp::create(builder, loc, type, computed->getResult(0),
                                  Rounding::rtne);
  op->getResult(0).replaceAllUsesWith(narrow);
  op->erase();
  ++widened;
  consider(computed);
}

/// An op with a region, a branch or a loop, is one for each element: its clone
/// stands in a tile.map over all it reads.
static Operation *mapOverTile(OpBuilder &builder, Operation &op,
                              IRMapping &values, Type shape) {
  llvm::SetVector<Value> read(op.operand_begin(), op.operand_end());
  getUsedValuesDefinedAbove(op.getRegions(), read);
  SmallVector<Value> scalars, tiles;
  SmallVector<Type> results;
  for (Value value : read) {
    if (!value.getDefiningOp<arith::ConstantOp>()) {
      scalars.push_back(value);
      tiles.push_back(values.lookup(value));
    }
  }
  for (Type type : op.getResultTypes()) {
    results.push_back(shapedAs(shape, type));
  }
  auto map = MapOp::create(builder, op.getLoc(), results, tiles);
  Block &block = map.getBody().emplaceBlock();
  OpBuilder inner = OpBuilder::atBlockBegin(&block);
  IRMapping elements;
  for (Value value : scalars) {
    elements.map(value, block.addArgument(value.getType(), op.getLoc()));
  }
  for (Value value : read) {
    if (auto constant = value.getDefiningOp<arith::ConstantOp>()) {
      elements.map(value, inner.clone(*constant)->getResult(0));
    }
  }
  Operation *clone = inner.clone(op, elements);
  YieldOp::create(inner, op.getLoc(), clone->getResults());
  return map;
}

static Operation *cloneElementwise(OpBuilder &builder, Operation &op,
                                   IRMapping &values, Type shape) {
  if (!isa<RankedTensorType>(shape)) {
    return builder.clone(op, values);
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto type = cast<RankedTensorType>(shapedAs(shape, constant.getType()));
    return arith::ConstantOp::create(
        builder, op.getLoc(),
        SplatElementsAttr::get(type, constant.getValue()));
  }
  if (op.getNumRegions() != 0) {
    return mapOverTile(builder, op, values, shape);
  }
  Operation *clone = builder.clone(op, values);
  for (Value result : clone->getResults()) {
    result.setType(shapedAs(shape, result.getType()));
  }
  return clone;
}

void Legalizer::inlineBody(KernelOp body, Operation *op) {
  OpBuilder builder(op);
  Type shape = op->getResult(0).getType();
  Block &block = body.getBody().front();
  IRMapping values;
  // The first argument is the address of the result.
  for (auto [argument, operand] :
       llvm::zip_equal(block.getArguments().drop_front(), op->getOperands())) {
    values.map(argument, operand);
  }
  for (Operation &inner : block) {
    if (auto store = dyn_cast<StoreOp>(inner)) {
      op->getResult(0).replaceAllUsesWith(values.lookup(store.getValue()));
      break;
    }
    Operation *clone = cloneElementwise(builder, inner, values, shape);
    values.map(inner.getResults(), clone->getResults());
    clone->walk([&](Operation *nested) {
      ++made;
      nested->setLoc(op->getLoc());
      consider(nested);
    });
  }
  op->erase();
}

/// Is this, or does it stand in, what a reduction or scan combines by?
static bool isCombination(Region *region) {
  for (; region; region = region->getParentRegion()) {
    if (isa<ReduceOp, ScanOp>(region->getParentOp())) {
      return true;
    }
  }
  return false;
}

static bool hasLoop(KernelOp body) {
  return body.walk([](scf::WhileOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// A whole exponent that is the same in all lanes and known; 0: none.
static int64_t knownExponent(PowOp power) {
  constexpr double most = 1024;
  Value exponent = power.getRhs();
  while (Operation *same = exponent.getDefiningOp()) {
    if (!isa<SplatOp, BroadcastOp, ReshapeOp, arith::ExtFOp>(same)) {
      break;
    }
    exponent = same->getOperand(0);
  }
  APInt whole;
  if (auto converted = exponent.getDefiningOp<SIToFPOp>()) {
    return matchPattern(converted.getSource(), m_ConstantInt(&whole)) &&
                   whole.getActiveBits() < 16
               ? whole.getSExtValue()
               : 0;
  }
  APFloat constant(0.0);
  if (!matchPattern(exponent, m_ConstantFloat(&constant))) {
    return 0;
  }
  const double value = constant.convertToDouble();
  return std::trunc(value) == value && std::abs(value) < most ? int64_t(value)
                                                              : 0;
}

/// Squares and cubes are products: exact to a unit or two, and with the special
/// cases of the function. What underflows on the way is too small in the end.
bool Legalizer::multiply(PowOp power) {
  const int64_t exponent = knownExponent(power);
  if (exponent < 1 || exponent > 4) {
    return false;
  }
  OpBuilder b(power);
  const Value x = power.getLhs();
  auto product = [&](Value left, Value right) -> Value {
    return arith::MulFOp::create(b, power.getLoc(), left, right);
  };
  Value result = exponent == 1 ? x : product(x, x);
  if (exponent > 2) {
    result = product(result, exponent == 3 ? x : result);
  }
  power.replaceAllUsesWith(result);
  power.erase();
  return true;
}

void Legalizer::legalize(Operation *op) {
  Type element = elementType(op->getResult(0).getType());
  if (element.getIntOrFloatBitWidth() < 32) {
    widen(op);
    return;
  }
  auto power = dyn_cast<PowOp>(op);
  if (power && multiply(power)) {
    return;
  }
  if (KernelOp body = bodyFor(functionName(op), typeName(element))) {
    if (isCombination(op->getParentRegion()) && hasLoop(body)) {
      hasFailed = true;
      emitError(op->getLoc())
          << "the target lacks 'math." << featureName(op)
          << "', and the embedded library computes it in a loop, which the "
             "function of a reduction or scan cannot have; compute it before";
      return;
    }
    inlineBody(body, op);
    ++expanded;
  }
}

void Legalizer::legalizeAll(Operation *op) {
  Location loc = op->getLoc();
  std::string name = featureName(op);
  unsigned before = made;
  for (worklist = {op}; !worklist.empty();) {
    legalize(worklist.pop_back_val());
  }
  if (made != before) {
    emitRemark(loc) << "becomes " << made - before
                    << " ops of the embedded library: 'math." << name
                    << "' is not among the target's features";
  }
}

LogicalResult Legalizer::run(KernelOp kernel) {
  kernel.walk([&](Operation *op) { consider(op); });
  found = !worklist.empty();
  for (Operation *op : std::exchange(worklist, {})) {
    legalizeAll(op);
  }
  return failure(hasFailed);
}
