//===- LaneForms.cpp - tiles as formulas of their lane indices ------------===//
//
// What   One walk in program order gives every value its form. A value that a
//        loop carries has one if each iteration adds the same amount: then it
//        is start + iteration * amount, and the iteration a formula of the
//        induction variable.
//
//===----------------------------------------------------------------------===//
#include "core/optimizer/analysis/LaneForms.h"

#include "terrazzo/analysis/Hints.h"

#include "mlir/IR/Matchers.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tz;
using namespace tz::analysis;

std::optional<SmallVector<int64_t>>
analysis::unitReshape(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  SmallVector<int64_t> map(from.size(), -1);
  size_t next = 0;
  for (auto [i, size] : llvm::enumerate(from)) {
    if (size == 1) {
      continue;
    }
    while (next < to.size() && to[next] == 1) {
      ++next;
    }
    if (next == to.size() || to[next] != size) {
      return std::nullopt;
    }
    map[i] = next++;
  }
  bool restIsUnit =
      llvm::all_of(to.drop_front(next), [](int64_t size) { return size == 1; });
  return restIsUnit ? std::optional(map) : std::nullopt;
}

std::optional<LaneForm> LaneForms::of(Value value) {
  std::optional<LaneForm> form = withFolds(value);
  return form && form->folds.empty() ? form : std::nullopt;
}

std::optional<LaneForm> LaneForms::withFolds(Value value) {
  auto it = forms.find(value);
  if (it != forms.end()) {
    return it->second;
  }
  if (isa<tile::PtrType>(value.getType())) {
    return LaneForm{value, {}, {}};
  }
  if (value.getType().isInteger() && !value.getType().isInteger(1)) {
    return LaneForm{{}, Polynomial::scalar(table.number(value)), {}};
  }
  return std::nullopt;
}

std::optional<ViewForm> LaneForms::viewOf(Value value) const {
  auto it = views.find(value);
  return it == views.end() ? std::nullopt : std::optional(it->second);
}

void LaneForms::set(Value value, std::optional<LaneForm> form) {
  if (!form) {
    return;
  }
  // A dimension of size one has only index zero.
  for (auto [size, lane] :
       llvm::zip(tile::shapeOf(value.getType()), form->lane)) {
    if (size == 1) {
      lane = {};
    }
  }
  forms.insert_or_assign(value, std::move(*form));
}

const LaneForms::Facts &LaneForms::askFacts() {
  if (!facts) {
    facts = std::make_shared<const Facts>(kernel);
  }
  return *facts;
}

LaneForms::LaneForms(tile::KernelOp kernel) : kernel(kernel) {
  for (arith::CmpIOp compare : assumedComparisons(kernel)) {
    for (Value side : compare->getOperands()) {
      if (!side.getDefiningOp<arith::ConstantOp>()) {
        assumed.insert(side);
      }
    }
  }
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { visit(op); });
}

/// a + factor * b, dimension by dimension.
static std::optional<LaneForm> sum(const LaneForm &a, const LaneForm &b,
                                   int64_t factor) {
  std::optional<Polynomial> start = Polynomial::add(a.start, b.start, factor);
  if (!start || (b.base && a.base)) {
    return std::nullopt;
  }
  LaneForm result{a.base ? a.base : b.base, *start, {}};
  for (auto [x, y] : llvm::zip_equal(a.lane, b.lane)) {
    std::optional<Polynomial> lane = Polynomial::add(x, y, factor);
    if (!lane) {
      return std::nullopt;
    }
    result.lane.push_back(*lane);
  }
  result.folds = a.folds;
  for (const Fold &fold : b.folds) {
    if (!llvm::is_contained(result.folds, fold)) {
      result.folds.push_back(fold);
    }
  }
  return result;
}

/// Product of which one side is the same in all lanes.
static std::optional<LaneForm> product(const LaneForm &a, const LaneForm &b) {
  const LaneForm &varying = a.isUniform() ? b : a;
  const LaneForm &uniform = a.isUniform() ? a : b;
  std::optional<Polynomial> start =
      Polynomial::mul(varying.start, uniform.start);
  if (!start || !uniform.isUniform()) {
    return std::nullopt;
  }
  LaneForm result{{}, *start, {}};
  for (const Polynomial &lane : varying.lane) {
    std::optional<Polynomial> scaled = Polynomial::mul(lane, uniform.start);
    if (!scaled) {
      return std::nullopt;
    }
    result.lane.push_back(*scaled);
  }
  result.folds = varying.folds;
  return uniform.folds.empty() ? std::optional(result) : std::nullopt;
}

/// A constant integer, or a tile of equal ones.
static std::optional<LaneForm> constantForm(arith::ConstantOp op) {
  Attribute value = op.getValue();
  if (auto splat = dyn_cast<SplatElementsAttr>(value)) {
    value = splat.getSplatValue<Attribute>();
  }
  auto integer = dyn_cast<IntegerAttr>(value);
  if (!integer || integer.getType().isInteger(1)) {
    return std::nullopt;
  }
  LaneForm form{{}, Polynomial(integer.getValue().getSExtValue()), {}};
  form.lane.resize(tile::shapeOf(op.getType()).size());
  return form;
}

static std::optional<LaneForm> reshaped(const LaneForm &from,
                                        tile::ReshapeOp op) {
  ArrayRef<int64_t> shape = tile::shapeOf(op.getType());
  auto map = unitReshape(tile::shapeOf(op.getSource().getType()), shape);
  LaneForm form{from.base, from.start, {}};
  form.lane.resize(shape.size());
  if (!map) {
    // Regrouped lanes: only what is equal in all of them keeps its form.
    return from.isUniform() && from.folds.empty() ? std::optional(form)
                                                  : std::nullopt;
  }
  for (auto [i, to] : llvm::enumerate(*map)) {
    if (to >= 0) {
      form.lane[to] = from.lane[i];
    }
  }
  form.folds = from.folds;
  for (Fold &fold : form.folds) {
    fold.dim = (*map)[fold.dim]; // it has a slope, so its size is not one
  }
  return form;
}

/// The form of `offsets` where they are below `limit` + `more`, for a tile that
/// is something else in the other lanes.
std::optional<LaneForm> LaneForms::folded(Value offsets, Value limit,
                                          int64_t more, bool needsSign) {
  std::optional<LaneForm> form = of(offsets), bound = of(limit);
  if (!form || form->base || !bound || !bound->isUniform()) {
    return std::nullopt;
  }
  auto end = Polynomial::add(bound->start, Polynomial(more));
  int64_t dim = -1;
  for (auto [i, lane] : llvm::enumerate(form->lane)) {
    if (lane.isZero()) {
      continue;
    }
    if (dim >= 0 || lane != Polynomial(1)) {
      return std::nullopt;
    }
    dim = i;
  }
  if (dim < 0 || !end) {
    return std::nullopt;
  }
  form->folds.push_back({offsets, limit, static_cast<unsigned>(dim),
                         form->start, *end, needsSign});
  return form;
}

std::optional<LaneForm> LaneForms::evaluate(Operation *op) {
  auto in = [&](unsigned i) { return withFolds(op->getOperand(i)); };
  auto both = [&](auto combine) -> std::optional<LaneForm> {
    auto a = in(0), b = in(1);
    return a && b ? combine(*a, *b) : std::nullopt;
  };
  using Form = std::optional<LaneForm>;
  bool isTile = op->getNumResults() == 1 &&
                isa<RankedTensorType>(op->getResult(0).getType());
  return llvm::TypeSwitch<Operation *, Form>(op)
      .Case([&](arith::ConstantOp constant) { return constantForm(constant); })
      .Case([&](tile::RangeOp range) -> Form {
        int64_t start = static_cast<int32_t>(range.getStart());
        return LaneForm{{}, Polynomial(start), {Polynomial(1)}};
      })
      .Case([&](tile::SplatOp splat) -> Form {
        Form form = in(0);
        if (form) {
          form->lane.resize(tile::shapeOf(splat.getType()).size());
        }
        return form;
      })
      .Case<tile::BroadcastOp, tile::HintOp, arith::ExtSIOp>(
          [&](auto) { return in(0); })
      .Case([&](tile::ReshapeOp reshape) -> Form {
        Form form = in(0);
        return form ? reshaped(*form, reshape) : std::nullopt;
      })
      .Case([&](tile::TransposeOp transpose) -> Form {
        Form from = in(0);
        if (!from) {
          return std::nullopt;
        }
        LaneForm form{from->base, from->start, {}, from->folds};
        for (int64_t dim : transpose.getOrder()) {
          form.lane.push_back(from->lane[dim]);
        }
        for (Fold &fold : form.folds) {
          auto to = llvm::find(transpose.getOrder(), int64_t(fold.dim));
          fold.dim = to - transpose.getOrder().begin();
        }
        return form;
      })
      .Case<tile::AddPtrOp, arith::AddIOp>([&](auto) {
        return both([](auto &a, auto &b) { return sum(a, b, 1); });
      })
      .Case([&](arith::SubIOp) {
        return both([](auto &a, auto &b) { return sum(a, b, -1); });
      })
      .Case([&](arith::MulIOp) { return both(product); })
      .Case<tile::RemSIOp, tile::RemUIOp>([&](auto rem) {
        return isTile ? folded(rem.getLhs(), rem.getRhs(), 0, true)
                      : std::nullopt;
      })
      .Case([&](tile::MinSIOp least) {
        return isTile ? folded(least.getLhs(), least.getRhs(), 1, false)
                      : std::nullopt;
      })
      .Case([&](arith::SelectOp select) -> Form {
        // where(offsets < limit, offsets, anything)
        auto compare = select.getCondition().getDefiningOp<arith::CmpIOp>();
        bool isBound = isTile && compare &&
                       compare.getPredicate() == arith::CmpIPredicate::slt &&
                       compare.getLhs() == select.getTrueValue();
        return isBound ? folded(compare.getLhs(), compare.getRhs(), 0, false)
                       : std::nullopt;
      })
      .Default([](Operation *) { return std::nullopt; });
}

void LaneForms::visit(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    visitLoop(loop);
    return;
  }
  if (auto make = dyn_cast<tile::MakeViewOp>(op)) {
    ViewForm form{make, {}};
    form.position.resize(make.getType().getRank());
    views.try_emplace(make, std::move(form));
    return;
  }
  if (auto advance = dyn_cast<tile::AdvanceViewOp>(op)) {
    std::optional<ViewForm> form = viewOf(advance.getView());
    for (auto [i, offset] : llvm::enumerate(advance.getOffsets())) {
      std::optional<Polynomial> moved =
          form ? Polynomial::add(form->position[i], of(offset)->start)
               : std::nullopt;
      if (!moved) {
        return;
      }
      form->position[i] = *moved;
    }
    if (form) {
      views.try_emplace(advance, std::move(*form));
    }
    return;
  }
  if (op->getNumResults() == 1 && !isa<arith::CmpIOp>(op) &&
      !assumed.contains(op->getResult(0))) {
    set(op->getResult(0), evaluate(op));
  }
}

/// The amounts by which one iteration moves `argument`: per dimension for a
/// view, one number otherwise. Follows the yielded value back to the argument.
static std::optional<SmallVector<SmallVector<Value>>>
incrementsOf(scf::ForOp loop, BlockArgument argument, Value yielded) {
  SmallVector<SmallVector<Value>> added;
  if (auto view = dyn_cast<tile::ViewType>(argument.getType())) {
    added.resize(view.getRank());
  } else {
    added.resize(1);
  }
  auto isOutside = [&](Value v) { return loop.isDefinedOutsideOfLoop(v); };
  while (yielded != argument) {
    Operation *op = yielded.getDefiningOp();
    if (!op || op->getBlock() != loop.getBody()) {
      return std::nullopt;
    }
    if (auto advance = dyn_cast<tile::AdvanceViewOp>(op)) {
      for (auto [i, offset] : llvm::enumerate(advance.getOffsets())) {
        added[i].push_back(offset);
      }
      if (!llvm::all_of(advance.getOffsets(), isOutside)) {
        return std::nullopt;
      }
      yielded = advance.getView();
      continue;
    }
    if (isa<tile::HintOp>(op)) {
      yielded = op->getOperand(0);
      continue;
    }
    if (!isa<tile::AddPtrOp, arith::AddIOp>(op)) {
      return std::nullopt;
    }
    bool second = isOutside(op->getOperand(1));
    if (!second && !(isa<arith::AddIOp>(op) && isOutside(op->getOperand(0)))) {
      return std::nullopt;
    }
    added[0].push_back(op->getOperand(second ? 1 : 0));
    yielded = op->getOperand(second ? 0 : 1);
  }
  return added;
}

/// The number of completed iterations times `divisor`. The induction variable
/// itself serves where every increment is a multiple of the step (divisor =
/// step); else a counter is put at the start of the body (divisor = 1).
std::optional<Polynomial> LaneForms::tripCount(scf::ForOp loop,
                                               ArrayRef<Polynomial> increments,
                                               int64_t &divisor) {
  std::optional<LaneForm> from = of(loop.getLowerBound());
  // The counter begins at the value, which is the formula's unless it wraps.
  if (from && !from->start.constant() &&
      !askFacts().integers.isExact(loop.getLowerBound())) {
    from->start = Polynomial::scalar(table.number(loop.getLowerBound()));
  }
  std::optional<LaneForm> step = of(loop.getStep());
  if (!from || !step) {
    return std::nullopt; // index bounds
  }
  // Formulas read numbers as signed ones.
  const bool isSigned = !loop.getUnsignedCmp();
  divisor = step->start.constant().value_or(0);
  bool divides = divisor > 0 && isSigned;
  for (const Polynomial &p : increments) {
    for (const Term &term : p.getTerms()) {
      divides = divides && term.coefficient % divisor == 0;
    }
  }
  Polynomial iv = Polynomial::scalar(table.number(loop.getInductionVar()));
  if (divides) {
    return Polynomial::add(iv, from->start, -1);
  }
  divisor = 1;
  // From a negative bound on, the distance may pass the largest signed number.
  const bool isNear =
      isSigned && askFacts().hints.range(loop.getLowerBound()).nonNegative();
  OpBuilder builder = OpBuilder::atBlockBegin(loop.getBody());
  Location loc = loop.getLoc();
  Value distance = arith::SubIOp::create(builder, loc, loop.getInductionVar(),
                                         loop.getLowerBound());
  Value iteration;
  if (isNear) {
    iteration = tile::DivSIOp::create(builder, loc, distance.getType(),
                                      distance, loop.getStep());
  } else {
    iteration = tile::DivUIOp::create(builder, loc, distance.getType(),
                                      distance, loop.getStep());
    if (Type wide = builder.getI64Type(); iteration.getType() != wide) {
      iteration = arith::ExtUIOp::create(builder, loc, wide, iteration);
    }
  }
  return Polynomial::scalar(table.number(iteration));
}

void LaneForms::visitLoop(scf::ForOp loop) {
  ValueRange yielded = loop.getBody()->getTerminator()->getOperands();
  for (auto [argument, init, next] :
       llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs(), yielded)) {
    auto form = withFolds(init);
    auto view = viewOf(init);
    auto added =
        form || view ? incrementsOf(loop, argument, next) : std::nullopt;
    if (!added) {
      continue;
    }
    // Total increment of one iteration, uniform over the lanes.
    SmallVector<Polynomial, 2> increments(added->size());
    bool known = true;
    for (auto [total, values] : llvm::zip(increments, *added)) {
      for (Value value : values) {
        auto one = of(value);
        auto next = one && one->isUniform() && !one->base
                        ? Polynomial::add(total, one->start)
                        : std::nullopt;
        known = known && next;
        total = next.value_or(Polynomial());
      }
    }
    int64_t divisor = 1;
    std::optional<Polynomial> iterations;
    if (known) {
      iterations = tripCount(loop, increments, divisor);
    }
    if (!iterations) {
      continue;
    }
    auto moved = [&](const Polynomial &from,
                     const Polynomial &by) -> std::optional<Polynomial> {
      Polynomial perUnit;
      for (const Term &term : by.getTerms()) {
        auto sum = Polynomial::add(
            perUnit,
            Polynomial::of({term.scalars, term.coefficient / divisor}));
        perUnit = std::move(*sum);
      }
      std::optional<Polynomial> distance =
          Polynomial::mul(perUnit, *iterations);
      return distance ? Polynomial::add(from, *distance) : std::nullopt;
    };
    if (view) {
      bool complete = true;
      for (auto [position, by] : llvm::zip(view->position, increments)) {
        auto sum = moved(position, by);
        complete = complete && sum;
        position = sum.value_or(Polynomial());
      }
      if (complete) {
        views.try_emplace(argument, std::move(*view));
      }
    } else if (auto start = moved(form->start, increments.front())) {
      form->start = *start;
      set(argument, std::move(form));
    }
  }
}
