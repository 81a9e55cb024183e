//===- SanitizerChecks.cpp - parts of a sanitizer's check -----------------===//
//
// What   See SanitizerChecks.h.
// Why    See SanitizerChecks.h.
//===----------------------------------------------------------------------===//
#include "core/optimizer/SanitizerChecks.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <limits>

using namespace mlir;

namespace tz::optimizer {

Type withElements(Type like, Type element) {
  auto shaped = dyn_cast<RankedTensorType>(like);
  return shaped ? Type(RankedTensorType::get(shaped.getShape(), element))
                : element;
}

/// The author's line: of a function of the language's own library, the call.
static Location authorsPlace(Location loc) {
  while (auto call = dyn_cast<CallSiteLoc>(loc)) {
    auto inner = call.getCallee()->findInstanceOf<FileLineColLoc>();
    if (inner && !inner.getFilename().getValue().starts_with("<")) {
      break;
    }
    loc = call.getCaller();
  }
  return loc;
}

std::string placeText(Location loc) {
  auto place = authorsPlace(loc)->findInstanceOf<FileLineColLoc>();
  return place ? place.getFilename().str() + ":" +
                     std::to_string(place.getLine()) + ":" +
                     std::to_string(place.getColumn())
               : std::string("?");
}

Value CheckBuilder::integer(int64_t value, unsigned bits) {
  return arith::ConstantOp::create(
      b, loc, b.getIntegerAttr(b.getIntegerType(bits), value));
}

Value CheckBuilder::spread(Value scalar, Type like) {
  if (!isa<RankedTensorType>(like)) {
    return scalar;
  }
  return make<tile::SplatOp>(withElements(like, scalar.getType()), scalar);
}

Value CheckBuilder::zero(Type type) {
  return arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
}

Value CheckBuilder::reduce(Value tile, Combine combine) {
  auto type = cast<RankedTensorType>(tile.getType());
  Type element = type.getElementType();
  if (type.getRank() > 1) {
    tile = make<tile::ReshapeOp>(
        RankedTensorType::get({type.getNumElements()}, element), tile);
  }
  auto op = tile::ReduceOp::create(b, loc, TypeRange{element}, ValueRange{tile},
                                   uint32_t(0));
  OpBuilder::InsertionGuard guard(b);
  Block *body =
      b.createBlock(&op.getCombine(), {}, {element, element}, {loc, loc});
  Value both = combine(body->getArgument(0), body->getArgument(1));
  tile::YieldOp::create(b, loc, ValueRange{both});
  return op->getResult(0);
}

Value CheckBuilder::anyOf(Value condition) {
  if (!isa<RankedTensorType>(condition.getType())) {
    return condition;
  }
  return reduce(condition,
                [&](Value x, Value y) { return make<arith::OrIOp>(x, y); });
}

Value CheckBuilder::leastOf(Value tile) {
  return reduce(tile,
                [&](Value x, Value y) { return make<tile::MinSIOp>(x, y); });
}

Value CheckBuilder::greatestOf(Value tile) {
  return reduce(tile,
                [&](Value x, Value y) { return make<tile::MaxSIOp>(x, y); });
}

void CheckBuilder::report(StringRef check, StringRef what, StringRef array,
                          Value bad, ArrayRef<Value> values, StringRef more) {
  std::string text = (check + ";" + what + ";" + array + ";").str();
  SmallVector<Value> told;
  auto type = dyn_cast<RankedTensorType>(bad.getType());
  if (!type) {
    told = {integer(0, 32), integer(1, 32)};
    told.append(values.begin(), values.end());
  } else {
    for (auto [i, extent] : llvm::enumerate(type.getShape())) {
      text += (i ? "x" : "") + std::to_string(extent);
    }
    const int64_t lanes = type.getNumElements();
    Value number = make<tile::RangeOp>(
        RankedTensorType::get({lanes}, b.getI32Type()), 0u, uint32_t(lanes));
    if (type.getRank() > 1) {
      number =
          make<tile::ReshapeOp>(withElements(type, b.getI32Type()), number);
    }
    Value none = spread(integer(std::numeric_limits<int32_t>::max(), 32), type);
    Value first = leastOf(make<arith::SelectOp>(bad, number, none));
    Value count =
        reduce(make<arith::ExtUIOp>(withElements(type, b.getI32Type()), bad),
               [&](Value x, Value y) { return make<arith::AddIOp>(x, y); });
    told = {first, count};
    Value isFirst =
        compare(arith::CmpIPredicate::eq, number, spread(first, type));
    for (Value value : values) {
      if (!isa<RankedTensorType>(value.getType())) {
        told.push_back(value);
        continue;
      }
      // The bits of one lane: all others are 0.
      Type element = tile::elementType(value.getType());
      Type bits = b.getIntegerType(8 * tile::storageBytes(element));
      Type tileOfBits = withElements(type, bits);
      Value as =
          element == bits ? value : make<tile::BitcastOp>(tileOfBits, value);
      Value one =
          reduce(make<arith::SelectOp>(isFirst, as, zero(tileOfBits)),
                 [&](Value x, Value y) { return make<arith::OrIOp>(x, y); });
      told.push_back(element == bits ? one
                                     : make<tile::BitcastOp>(element, one));
    }
  }
  text += more.empty() ? "" : ";" + more.str();
  SmallVector<bool> isSigned(told.size(), true);
  tile::PrintOp::create(b, authorsPlace(loc), b.getStringAttr(text),
                        /*hex=*/false, b.getDenseBoolArrayAttr(isSigned), told,
                        /*report=*/true);
}

namespace {
/// Follows pointers back to arguments, through what loops carry.
class ArrayWalk {
public:
  bool follow(Value value);
  Arrays found;

private:
  bool followBlockArgument(BlockArgument argument);
  bool followResult(OpResult result);
  bool followAll(ValueRange values) {
    return llvm::all_of(values, [&](Value value) { return follow(value); });
  }
  llvm::SmallPtrSet<void *, 16> seen;
};
} // namespace

bool ArrayWalk::follow(Value value) {
  if (!seen.insert(value.getAsOpaquePointer()).second) {
    return true;
  }
  auto argument = dyn_cast<BlockArgument>(value);
  return argument ? followBlockArgument(argument)
                  : followResult(cast<OpResult>(value));
}

bool ArrayWalk::followBlockArgument(BlockArgument argument) {
  Operation *owner = argument.getOwner()->getParentOp();
  const unsigned number = argument.getArgNumber();
  if (isa<tile::KernelOp>(owner)) {
    found.insert(argument);
    return true;
  }
  if (auto loop = dyn_cast<scf::ForOp>(owner)) {
    return number > 0 && follow(loop.getInitArgs()[number - 1]) &&
           follow(loop.getBody()->getTerminator()->getOperand(number - 1));
  }
  if (auto loop = dyn_cast<scf::WhileOp>(owner)) {
    if (argument.getOwner() == loop.getBeforeBody()) {
      return follow(loop.getInits()[number]) &&
             follow(loop.getYieldOp().getOperand(number));
    }
    return follow(loop.getConditionOp().getArgs()[number]);
  }
  return false;
}

bool ArrayWalk::followResult(OpResult result) {
  Operation *op = result.getOwner();
  const unsigned number = result.getResultNumber();
  if (isa<tile::AddPtrOp, tile::SplatOp, tile::BroadcastOp, tile::ReshapeOp,
          tile::TransposeOp, tile::SplitOp, tile::HintOp, tile::MakeViewOp,
          tile::AdvanceViewOp, tile::ViewPartsOp, tile::GatherOp,
          tile::BitcastOp>(op)) {
    return follow(op->getOperand(0));
  }
  if (isa<tile::JoinOp, tile::CatOp>(op)) {
    return followAll(op->getOperands());
  }
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    return follow(select.getTrueValue()) && follow(select.getFalseValue());
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    return follow(branch.thenYield().getOperand(number)) &&
           follow(branch.elseYield().getOperand(number));
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    return follow(loop.getInitArgs()[number]) &&
           follow(loop.getBody()->getTerminator()->getOperand(number));
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    return follow(loop.getConditionOp().getArgs()[number]);
  }
  return false;
}

std::optional<Arrays> arraysOf(Value pointer) {
  ArrayWalk walk;
  if (!walk.follow(pointer) || walk.found.empty()) {
    return std::nullopt;
  }
  SmallVector<BlockArgument> sorted(walk.found.begin(), walk.found.end());
  llvm::sort(sorted, [](BlockArgument a, BlockArgument b) {
    return a.getArgNumber() < b.getArgNumber();
  });
  return Arrays(sorted.begin(), sorted.end());
}

bool isInnermost(scf::ForOp loop) {
  return !loop.getBody()
              ->walk(
                  [](LoopLikeOpInterface) { return WalkResult::interrupt(); })
              .wasInterrupted();
}

void divideLoop(scf::ForOp loop, Value isPlain, IRMapping &copies) {
  OpBuilder builder(loop);
  auto branch = scf::IfOp::create(builder, loop.getLoc(), loop.getResultTypes(),
                                  isPlain, /*withElseRegion=*/true);
  loop.replaceAllUsesWith(branch.getResults());
  auto fill = [&](Block *block, llvm::function_ref<Operation *()> make) {
    if (block->mightHaveTerminator()) {
      block->getTerminator()->erase();
    }
    builder.setInsertionPointToEnd(block);
    Operation *made = make();
    builder.setInsertionPointToEnd(block);
    scf::YieldOp::create(builder, loop.getLoc(), made->getResults());
  };
  fill(branch.elseBlock(), [&] { return builder.clone(*loop, copies); });
  fill(branch.thenBlock(), [&] {
    loop->moveBefore(branch.thenBlock(), branch.thenBlock()->end());
    return loop.getOperation();
  });
}

} // namespace tz::optimizer
