//===- SanitizerArrays.cpp - arrays of a kernel, and accesses -------------===//
//
// What   See SanitizerArrays.h.
// Why    See SanitizerArrays.h.
//===----------------------------------------------------------------------===//
#include "core/optimizer/SanitizerArrays.h"

using namespace mlir;
using arith::CmpIPredicate;

namespace tz::optimizer {

Value ArrayArguments::partOf(BlockArgument array, StringRef part) {
  const std::string name = nameOf(array) + "." + part.str();
  Value &argument = known[name];
  if (!argument) {
    MLIRContext *context = kernel.getContext();
    const unsigned number = kernel.getNumArguments();
    (void)kernel.insertArgument(
        number, IntegerType::get(context, 64),
        DictionaryAttr::get(context, {{StringAttr::get(context, "tile.name"),
                                       StringAttr::get(context, name)}}),
        kernel.getLoc());
    argument = kernel.getArgument(number);
  }
  return argument;
}

Ends ArrayArguments::endsOf(BlockArgument array) {
  Value begin = partOf(array, "begin");
  return {begin, partOf(array, "end")};
}

StringRef accessName(Operation *op) {
  return isa<tile::LoadOp, tile::LoadViewOp>(op)     ? "load"
         : isa<tile::StoreOp, tile::StoreViewOp>(op) ? "store"
                                                     : "atomic update";
}

unsigned pointeeBytes(Type pointerLike) {
  auto pointer = cast<tile::PtrType>(tile::elementType(pointerLike));
  return tile::storageBytes(pointer.getPointee());
}

Value addressOf(CheckBuilder &c, Value pointer) {
  return c.make<tile::PtrToIntOp>(
      withElements(pointer.getType(), c.b.getI64Type()), pointer);
}

AccessLanes lanesOf(CheckBuilder &c, Operation *access) {
  if (isa<tile::LoadViewOp, tile::StoreViewOp>(access)) {
    return ViewBox(c, access).lanes(c);
  }
  Value mask;
  if (auto load = dyn_cast<tile::LoadOp>(access)) {
    mask = load.getMask();
  } else if (auto store = dyn_cast<tile::StoreOp>(access)) {
    mask = store.getMask();
  } else if (auto update = dyn_cast<tile::AtomicRMWOp>(access)) {
    mask = update.getMask();
  }
  return {access->getOperand(0), mask};
}

std::optional<Arrays> knownArrays(Operation *op, StringRef check,
                                  SanitizerCounts &counts) {
  std::optional<Arrays> arrays = arraysOf(op->getOperand(0));
  if (!arrays) {
    ++counts.unknown;
    InFlightDiagnostic remark = emitRemark(op->getLoc());
    remark << "the address of this " << accessName(op)
           << " comes from no argument alone, so ";
    if (check == "bounds") {
      remark << "its bounds are not checked";
    } else {
      remark << "'" << check << "' does not look at it";
    }
  }
  return arrays;
}

Value lanesInside(CheckBuilder &c, const AccessLanes &lanes, Value address,
                  Ends ends, unsigned bytes) {
  Value room =
      c.make<arith::SubIOp>(c.make<arith::SubIOp>(ends.end, ends.begin),
                            c.integer(int64_t(bytes) - 1, 64));
  room = c.make<tile::MaxSIOp>(room, c.integer(0, 64));
  Type type = address.getType();
  Value inside =
      c.compare(CmpIPredicate::ult,
                c.make<arith::SubIOp>(address, c.spread(ends.begin, type)),
                c.spread(room, type));
  return lanes.wanted ? c.make<arith::AndIOp>(inside, lanes.wanted) : inside;
}

ViewBox::ViewBox(CheckBuilder &c, Operation *access) {
  Value view = access->getOperand(0);
  auto load = dyn_cast<tile::LoadViewOp>(access);
  auto store = dyn_cast<tile::StoreViewOp>(access);
  checked = load ? load.getChecked() : store.getChecked();
  type = cast<tile::ViewType>(view.getType());
  bytes = tile::storageBytes(type.getElementType());
  const auto rank = size_t(type.getRank());
  SmallVector<Type> numbers(rank, c.b.getI64Type());
  auto parts = tile::ViewPartsOp::create(
      c.b, c.loc, tile::PtrType::get(c.b.getContext(), type.getElementType()),
      numbers, numbers, numbers, view);
  base = parts.getBase();
  shape.assign(parts.getShape().begin(), parts.getShape().end());
  strides.assign(parts.getStrides().begin(), parts.getStrides().end());
  for (auto [position, offset] :
       llvm::zip(parts.getPosition(),
                 load ? load.getOffsets() : store.getOffsets())) {
    at.push_back(c.make<arith::AddIOp>(position, offset));
  }
}

Value ViewBox::leaves(CheckBuilder &c, Ends ends) const {
  Value least = c.make<tile::PtrToIntOp>(c.b.getI64Type(), base);
  Value most = least, isEmpty = c.integer(0, 1);
  for (auto [d, extent] : llvm::enumerate(type.getShape())) {
    Value low = at[d];
    Value high = c.make<arith::AddIOp>(low, c.integer(extent - 1, 64));
    if (checked[d]) {
      low = c.make<tile::MaxSIOp>(low, c.integer(0, 64));
      high = c.make<tile::MinSIOp>(
          high, c.make<arith::SubIOp>(shape[d], c.integer(1, 64)));
      isEmpty = c.make<arith::OrIOp>(isEmpty,
                                     c.compare(CmpIPredicate::slt, high, low));
    }
    Value step = c.make<arith::MulIOp>(strides[d], c.integer(bytes, 64));
    Value one = c.make<arith::MulIOp>(low, step);
    Value other = c.make<arith::MulIOp>(high, step);
    least = c.make<arith::AddIOp>(least, c.make<tile::MinSIOp>(one, other));
    most = c.make<arith::AddIOp>(most, c.make<tile::MaxSIOp>(one, other));
  }
  Value behind = c.make<arith::AddIOp>(most, c.integer(bytes, 64));
  Value outside =
      c.make<arith::OrIOp>(c.compare(CmpIPredicate::slt, least, ends.begin),
                           c.compare(CmpIPredicate::sgt, behind, ends.end));
  return c.make<arith::AndIOp>(outside,
                               c.make<arith::XOrIOp>(isEmpty, c.integer(1, 1)));
}

AccessLanes ViewBox::lanes(CheckBuilder &c) const {
  auto block = type.getTileType();
  Type numbers = withElements(block, c.b.getI64Type());
  Value distance = c.zero(numbers);
  AccessLanes result;
  for (auto [d, extent] : llvm::enumerate(type.getShape())) {
    SmallVector<int64_t> row(size_t(type.getRank()), 1);
    row[d] = extent;
    Value number =
        c.make<tile::RangeOp>(RankedTensorType::get({extent}, c.b.getI32Type()),
                              0u, uint32_t(extent));
    number = c.make<arith::ExtSIOp>(
        RankedTensorType::get({extent}, c.b.getI64Type()), number);
    number = c.make<arith::AddIOp>(number, c.spread(at[d], number.getType()));
    if (row.size() > 1) {
      number = c.make<tile::ReshapeOp>(
          RankedTensorType::get(row, c.b.getI64Type()), number);
      if (number.getType() != numbers) {
        number = c.make<tile::BroadcastOp>(numbers, number);
      }
    }
    if (checked[d]) {
      // Negative coordinates are large unsigned ones.
      Value wanted =
          c.compare(CmpIPredicate::ult, number, c.spread(shape[d], numbers));
      result.wanted =
          result.wanted ? c.make<arith::AndIOp>(result.wanted, wanted) : wanted;
    }
    distance = c.make<arith::AddIOp>(
        distance, c.make<arith::MulIOp>(number, c.spread(strides[d], numbers)));
  }
  Value bases = c.spread(base, block);
  result.pointers = c.make<tile::AddPtrOp>(bases.getType(), bases, distance);
  return result;
}

} // namespace tz::optimizer
