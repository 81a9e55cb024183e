//===- LaunchViews.cpp - views whose frame is known at launch -------------===//
//
// What   See LaunchViews.h.
// Why    See LaunchViews.h.
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/LaunchViews.h"

#include "mlir/IR/IRMapping.h"

#include <limits>
#include <numeric>

using namespace mlir;
using namespace tz;
using namespace tz::simt;
using namespace tz::analysis;

bool tz::simt::isKnownAtLaunch(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    return isa<tile::KernelOp>(argument.getOwner()->getParentOp());
  }
  Operation *op = value.getDefiningOp();
  if (isa<arith::ConstantOp>(op)) {
    return true;
  }
  return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ExtSIOp,
             tile::MinSIOp, tile::MaxSIOp>(op) &&
         llvm::all_of(op->getOperands(), isKnownAtLaunch);
}

bool LaunchViews::isKnown(const Term &term) {
  return llvm::all_of(term.scalars, [&](unsigned scalar) {
    return isKnownAtLaunch(scalars().value(scalar));
  });
}

std::optional<Polynomial> LaunchViews::scalar(Value value) {
  std::optional<LaneForm> form = forms.of(value);
  if (!form || form->base) {
    return std::nullopt;
  }
  return form->start;
}

std::pair<Polynomial, Polynomial> LaunchViews::split(const Polynomial &p) {
  Polynomial moved, fixed;
  for (const Term &term : p.getTerms()) {
    Polynomial &to = isKnown(term) ? fixed : moved;
    to = *Polynomial::add(to, Polynomial::of(term)); // no more terms than p
  }
  return {moved, fixed};
}

/// Not negative, if these values are positive.
bool LaunchViews::isNatural(Value value, SmallVectorImpl<Value> &positive) {
  if (hints.range(value).low >= 0) {
    return true;
  }
  Operation *op = value.getDefiningOp();
  if (!op) {
    return false;
  }
  if (isa<tile::DivSIOp, tile::RemSIOp>(op)) {
    if (!isNatural(op->getOperand(0), positive)) {
      return false;
    }
    Value divisor = op->getOperand(1);
    if (isa<tile::DivSIOp>(op) && hints.range(divisor).low < 1) {
      if (!isKnownAtLaunch(divisor)) {
        return false;
      }
      positive.push_back(divisor);
    }
    return true;
  }
  return isa<arith::AddIOp, arith::MulIOp, arith::ExtSIOp, tile::MinSIOp,
             tile::MaxSIOp>(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return isNatural(operand, positive);
         });
}

/// The power of two in a count, no more than `most`; zero has all of them.
static int64_t powerIn(int64_t count, int64_t most) {
  return count == 0 ? most : std::min(count & -count, most);
}

bool LaunchViews::isAligned(const Polynomial &elements, int64_t elementBytes,
                            int64_t bytes) {
  return llvm::all_of(elements.getTerms(), [&](const Term &term) {
    int64_t factor = powerIn(term.coefficient, bytes);
    for (unsigned one : term.scalars) {
      factor *= powerIn(hints.divisibility(scalars().value(one)), bytes);
      factor = std::min(factor, bytes);
    }
    return factor * elementBytes % bytes == 0;
  });
}

bool LaunchViews::isAligned(const Polynomial &elements, Value more,
                            int64_t elementBytes, int64_t bytes) {
  return powerIn(hints.divisibility(more), bytes) * elementBytes % bytes == 0 &&
         isAligned(elements, elementBytes, bytes);
}

bool LaunchViews::isNatural(const Polynomial &elements, Value more) {
  // Sums and products of such do not overflow on their way to an address (R3).
  auto isOne = [&](Value value) {
    SmallVector<Value> positive;
    return isNatural(value, positive) && positive.empty();
  };
  return isOne(more) &&
         (scalars().range(elements, hints).low >= 0 ||
          llvm::all_of(elements.getTerms(), [&](const Term &term) {
            return term.coefficient >= 0 &&
                   llvm::all_of(term.scalars, [&](unsigned one) {
                     return isOne(scalars().value(one));
                   });
          }));
}

/// Between zero and UnboundedExtent?
bool LaunchViews::isCoordinate(const Polynomial &p,
                               SmallVectorImpl<Value> &positive) {
  Interval range = scalars().range(p, hints);
  if (range.low >= 0 && range.high < UnboundedExtent) {
    return true;
  }
  // One value of 32 bits is small enough.
  ArrayRef<Term> terms = p.getTerms();
  return terms.size() == 1 && terms[0].coefficient == 1 &&
         terms[0].scalars.size() == 1 &&
         scalars().value(terms[0].scalars[0]).getType().isInteger(32) &&
         isNatural(scalars().value(terms[0].scalars[0]), positive);
}

/// One description on its way.
class LaunchViews::Description {
public:
  Description(LaunchViews &in, ValueRange offsets, ArrayRef<bool> checked,
              StringRef &why)
      : in(in), offsets(offsets), checked(checked), why(why) {}

  std::optional<LaunchView> run(const ViewForm &view);

private:
  bool fail(StringRef reason) {
    why = reason;
    return false;
  }
  bool addDim(const ViewForm &view, unsigned dim);
  bool addMoved(const Term &term);
  bool joinsOpenDim(const Term &term, const Term &stride);
  bool addOwnDim(Term stride, const Polynomial &coordinate);
  bool staysInOpenDims();

  LaunchViews &in;
  ValueRange offsets;
  ArrayRef<bool> checked;
  StringRef &why;
  LaunchView result;
  Polynomial start; // of the base, less what dimensions have taken over
  SmallVector<bool> isOpen;
  SmallVector<std::pair<Term, Polynomial>> others; // stride, coordinate
};

bool LaunchViews::Description::addDim(const ViewForm &view, unsigned dim) {
  tile::MakeViewOp root = view.root;
  std::optional<Polynomial> size = in.scalar(root.getShape()[dim]),
                            step = in.scalar(root.getStrides()[dim]);
  if (!size || !step || step->getTerms().size() != 1 ||
      !in.isKnown(step->getTerms()[0])) {
    return fail("a stride depends on the program");
  }
  const Polynomial &moved = view.position[dim];
  isOpen.push_back(size->constant() == std::numeric_limits<int64_t>::max());
  // The program cuts off what lies before its block: it stands there.
  Polynomial at;
  if (isOpen.back()) {
    result.shape.push_back(UnboundedExtent);
  } else {
    auto [less, frame] = in.split(*size);
    auto negative = Polynomial::add({}, less, -1);
    at = negative ? *negative : Polynomial();
    result.shape.push_back(frame);
    // What lies before the block is outside of the view, but in the frame.
    if (checked[dim] && !at.getTerms().empty() &&
        (in.hints.range(offsets[dim]).low < 0 ||
         in.scalars().range(moved, in.hints).low < 0)) {
      return fail("its offset may be negative");
    }
  }
  auto bytes = Polynomial::mul(at, *step);
  auto rest = bytes ? Polynomial::add(start, *bytes, -1) : std::nullopt;
  auto position = Polynomial::add(at, moved);
  if (!rest || !position) {
    return fail("its address is too large an expression");
  }
  start = *rest;
  result.strides.push_back(*step);
  result.position.push_back(*position);
  return true;
}

/// Along a dimension without bounds whose stride it has.
bool LaunchViews::Description::joinsOpenDim(const Term &term,
                                            const Term &stride) {
  for (unsigned dim = 0; dim < isOpen.size(); ++dim) {
    const Term &step = result.strides[dim].getTerms()[0];
    if (!isOpen[dim] || step.scalars != stride.scalars) {
      continue;
    }
    if (auto quotient = divide(term, step)) {
      if (auto sum = Polynomial::add(result.position[dim],
                                     Polynomial::of(*quotient))) {
        result.position[dim] = *sum;
        return true;
      }
    }
  }
  return false;
}

/// What the program adds to the base: along an open dimension, or along one of
/// its own.
bool LaunchViews::Description::addMoved(const Term &term) {
  Term stride{{}, 1}, coordinate{{}, term.coefficient};
  for (unsigned one : term.scalars) {
    bool known = isKnownAtLaunch(in.scalars().value(one));
    (known ? stride : coordinate).scalars.push_back(one);
  }
  if (joinsOpenDim(term, stride)) {
    return true;
  }
  auto *same = llvm::find_if(others, [&](const auto &other) {
    return other.first.scalars == stride.scalars;
  });
  if (same == others.end()) {
    others.push_back({stride, {}});
    same = &others.back();
  }
  auto sum = Polynomial::add(same->second, Polynomial::of(coordinate));
  if (!sum) {
    return fail("its address is too large an expression");
  }
  same->second = *sum;
  return true;
}

/// Constants go into the stride, which must be long enough for the engine.
bool LaunchViews::Description::addOwnDim(Term stride,
                                         const Polynomial &coordinate) {
  int64_t common = 0;
  for (const Term &term : coordinate.getTerms()) {
    common = std::gcd(common, term.coefficient);
  }
  Polynomial quotient;
  for (Term term : coordinate.getTerms()) {
    term.coefficient /= common;
    quotient = *Polynomial::add(quotient, Polynomial::of(term));
  }
  stride.coefficient = common;
  result.shape.insert(result.shape.begin(), UnboundedExtent);
  result.strides.insert(result.strides.begin(), Polynomial::of(stride));
  result.position.insert(result.position.begin(), quotient);
  ++result.more;
  return in.isCoordinate(quotient, result.positive) ||
         fail("what moves its base may be negative");
}

bool LaunchViews::Description::staysInOpenDims() {
  for (auto [dim, open] : llvm::enumerate(isOpen)) {
    if (!open) {
      continue;
    }
    std::optional<Polynomial> own = in.scalar(offsets[dim]);
    auto sum = own ? Polynomial::add(result.position[result.more + dim], *own)
                   : std::nullopt;
    if (!sum || !in.isCoordinate(*sum, result.positive)) {
      return fail("a dimension without bounds may be left");
    }
  }
  return true;
}

std::optional<LaunchView> LaunchViews::Description::run(const ViewForm &view) {
  tile::MakeViewOp root = view.root;
  std::optional<LaneForm> base = in.forms.of(root.getBase());
  result.base =
      base ? dyn_cast_or_null<BlockArgument>(base->base) : BlockArgument();
  if (!result.base ||
      !isa<tile::KernelOp>(result.base.getOwner()->getParentOp())) {
    why = "its base is not an argument";
    return std::nullopt;
  }
  start = base->start;
  for (unsigned dim = 0; dim < root.getShape().size(); ++dim) {
    if (!addDim(view, dim)) {
      return std::nullopt;
    }
  }
  // What is left of the base: known at launch, or moved by the program.
  auto [moved, fixed] = in.split(start);
  result.offset = fixed;
  auto adds = [&](const Term &term) { return addMoved(term); };
  auto addsOwn = [&](const auto &other) {
    return addOwnDim(other.first, other.second);
  };
  if (!llvm::all_of(moved.getTerms(), adds) || !llvm::all_of(others, addsOwn) ||
      !staysInOpenDims()) {
    return std::nullopt;
  }
  return std::move(result);
}

std::optional<LaunchView> LaunchViews::describe(Value value, ValueRange offsets,
                                                ArrayRef<bool> checked,
                                                StringRef &why) {
  std::optional<ViewForm> view = forms.viewOf(value);
  if (!view) {
    why = "its view comes out of a branch or a loop";
    return std::nullopt;
  }
  return Description(*this, offsets, checked, why).run(*view);
}

std::optional<BulkFrame>
tz::simt::bulkFrame(LaunchViews &launch, Value view, ValueRange offsets,
                    ArrayRef<bool> checked, BufferType buffer,
                    int64_t alignment, StringRef &why) {
  std::optional<LaunchView> frame =
      launch.describe(view, offsets, checked, why);
  if (!frame) {
    return std::nullopt;
  }
  const SharedAttr shared = buffer.getLayout();
  const unsigned fast = shared.getOrder()[0], more = frame->more;
  if (shared.getPadding() != 0) {
    why = "its rows are padded in shared memory";
    return std::nullopt;
  }
  if (frame->strides[more + fast].constant() != 1) {
    why = "its elements are apart";
    return std::nullopt;
  }
  if (!launch.isAligned(frame->position[more + fast], offsets[fast],
                        tile::storageBytes(buffer.getElementType()),
                        alignment)) {
    why = StringAttr::get(buffer.getContext(),
                          "its rows may begin between multiples of " +
                              Twine(alignment) + " bytes")
              .getValue();
    return std::nullopt;
  }
  BulkFrame result{*frame, {}};
  SmallVector<int64_t> box(more, 1);
  for (auto [i, dim] : llvm::enumerate(llvm::reverse(shared.getOrder()))) {
    result.view.shape[more + i] = frame->shape[more + dim];
    result.view.strides[more + i] = frame->strides[more + dim];
    result.view.position[more + i] = frame->position[more + dim];
    box.push_back(dim == fast ? shared.getPanel() : buffer.getShape()[dim]);
  }
  result.type = DescriptorType::get(buffer.getContext(), box,
                                    buffer.getElementType(), shared.getBits());
  return result;
}

/// A value that is known at launch, computed at the entry.
static Value cloneKnown(OpBuilder &b, Value value, IRMapping &map) {
  Operation *op = value.getDefiningOp();
  if (!op) {
    return value;
  }
  if (Value known = map.lookupOrNull(value)) {
    return known;
  }
  for (Value operand : op->getOperands()) {
    map.map(operand, cloneKnown(b, operand, map));
  }
  return b.clone(*op, map)->getResult(0);
}

static SmallVector<Value> emitAll(LaunchViews &launch, OpBuilder &builder,
                                  Location loc, ArrayRef<Polynomial> all) {
  SmallVector<Value> values;
  for (const Polynomial &p : all) {
    values.push_back(launch.scalars().emit(builder, loc, p));
  }
  return values;
}

DescriptorOp tz::simt::makeDescriptor(LaunchViews &launch,
                                      tile::KernelOp kernel, Location loc,
                                      const BulkFrame &frame) {
  auto atEntry = OpBuilder::atBlockBegin(&kernel.getBody().front());
  SmallVector<Value> positive;
  IRMapping map;
  for (Value value : frame.view.positive) {
    positive.push_back(cloneKnown(atEntry, value, map));
  }
  Value offset = launch.scalars().emit(atEntry, loc, frame.view.offset);
  SmallVector<Value> shape = emitAll(launch, atEntry, loc, frame.view.shape),
                     strides =
                         emitAll(launch, atEntry, loc, frame.view.strides);
  return DescriptorOp::create(atEntry, loc, frame.type, frame.view.base, offset,
                              shape, strides, positive);
}

SmallVector<Value> tz::simt::positionIn(LaunchViews &launch, OpBuilder &builder,
                                        Location loc, const BulkFrame &frame) {
  return emitAll(launch, builder, loc, frame.view.position);
}

SmallVector<Value> tz::simt::blockIn(OpBuilder &builder, Location loc,
                                     BufferType buffer,
                                     ArrayRef<Value> position,
                                     ValueRange offsets) {
  SmallVector<Value> at(position);
  ArrayRef<unsigned> order = buffer.getLayout().getOrder();
  const size_t more = at.size() - order.size();
  for (auto [i, dim] : llvm::enumerate(llvm::reverse(order))) {
    at[more + i] =
        arith::AddIOp::create(builder, loc, at[more + i], offsets[dim]);
  }
  return at;
}
