//===- AddressViews.cpp - the addresses of a view's block -----------------===//
//
// What   The box of a block: base, strides, position, what is checked of it.
// Why    What a check of the view leaves out is no linear function of the
//        iterations, the rest is.
//===----------------------------------------------------------------------===//
#include "core/optimizer/AddressRange.h"

using namespace mlir;
using arith::CmpIPredicate;

namespace tz::optimizer {

std::optional<AddressRange::View>
AddressRange::advanced(std::optional<View> from, tile::AdvanceViewOp op,
                       bool isCounted) {
  for (size_t d = 0; from && d < from->position.size(); ++d) {
    Value offset = op.getOffsets()[d];
    if (isCounted && !isIndependent(offset)) {
      return std::nullopt;
    }
    Known by = range(offset, std::nullopt);
    if (by && isCounted) {
      by = multiply(*by, times());
    }
    Known sum = add(from->position[d], by);
    if (!sum) {
      return std::nullopt;
    }
    from->position[d] = *sum;
  }
  return from;
}

std::optional<AddressRange::View> AddressRange::view(Value value) {
  if (++steps > 400) {
    return std::nullopt;
  }
  if (auto made = value.getDefiningOp<tile::MakeViewOp>()) {
    Known base = range(made.getBase(), std::nullopt);
    if (!base) {
      return std::nullopt;
    }
    View result{*base, {}, {}, {}};
    Value zero = c.integer(0, 64);
    for (auto [extent, stride] :
         llvm::zip(made.getShape(), made.getStrides())) {
      if (!isIndependent(extent) || !isIndependent(stride)) {
        return std::nullopt;
      }
      Value length = hoisted(extent), step = hoisted(stride);
      result.shape.push_back({length, length});
      result.strides.push_back({step, step});
      result.position.push_back({zero, zero});
    }
    return result;
  }
  if (auto advance = value.getDefiningOp<tile::AdvanceViewOp>()) {
    return advanced(view(advance.getView()), advance, false);
  }
  if (isOutside(value)) {
    auto type = cast<tile::ViewType>(value.getType());
    const auto rank = size_t(type.getRank());
    SmallVector<Type> numbers(rank, c.b.getI64Type());
    auto parts = tile::ViewPartsOp::create(
        c.b, c.loc, tile::PtrType::get(c.b.getContext(), type.getElementType()),
        numbers, numbers, numbers, value);
    Value base = wide(parts.getBase());
    View result{{base, base}, {}, {}, {}};
    for (size_t d = 0; d < rank; ++d) {
      result.shape.push_back({parts.getShape()[d], parts.getShape()[d]});
      result.strides.push_back({parts.getStrides()[d], parts.getStrides()[d]});
      result.position.push_back(
          {parts.getPosition()[d], parts.getPosition()[d]});
    }
    return result;
  }
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != of.loop.getBody()) {
    return std::nullopt;
  }
  const unsigned number = argument.getArgNumber() - 1;
  std::optional<View> result = view(of.loop.getInitArgs()[number]);
  Value next = of.loop.getBody()->getTerminator()->getOperand(number);
  while (result && next != argument) {
    auto advance = next.getDefiningOp<tile::AdvanceViewOp>();
    if (!advance || isOutside(next)) {
      return std::nullopt;
    }
    result = advanced(result, advance, true);
    next = advance.getView();
  }
  return result;
}

Known AddressRange::ofView() {
  auto load = dyn_cast<tile::LoadViewOp>(access);
  auto store = dyn_cast<tile::StoreViewOp>(access);
  Value accessed = access->getOperand(0);
  auto type = cast<tile::ViewType>(accessed.getType());
  ArrayRef<bool> checked = load ? load.getChecked() : store.getChecked();
  OperandRange offsets = load ? load.getOffsets() : store.getOffsets();
  std::optional<View> linear = view(accessed);
  // What is checked is not linear in the iterations.
  const bool always = takesAll;
  takesAll = true;
  std::optional<View> all = linear && of.loop ? view(accessed) : linear;
  takesAll = always;
  if (!linear || !all) {
    return std::nullopt;
  }
  Known address = linear->base;
  Value bytes = c.integer(tile::storageBytes(type.getElementType()), 64);
  for (auto [d, extent] : llvm::enumerate(type.getShape())) {
    takesAll = always || checked[d];
    Known at = add(checked[d] ? all->position[d] : linear->position[d],
                   range(offsets[d], std::nullopt));
    takesAll = always;
    at = add(at, Interval{c.integer(0, 64), c.integer(extent - 1, 64)});
    if (!at) {
      return std::nullopt;
    }
    if (checked[d]) {
      Value last =
          c.make<arith::SubIOp>(linear->shape[d].high, c.integer(1, 64));
      at->low = c.make<tile::MaxSIOp>(at->low, c.integer(0, 64));
      at->high = c.make<tile::MinSIOp>(at->high, last);
      Value nothing = c.compare(CmpIPredicate::slt, at->high, at->low);
      empty = empty ? c.make<arith::OrIOp>(empty, nothing) : nothing;
    }
    Interval step = multiply(linear->strides[d], {bytes, bytes});
    address = add(address, multiply(*at, step));
  }
  return address;
}

} // namespace tz::optimizer
