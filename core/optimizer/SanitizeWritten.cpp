//===- SanitizeWritten.cpp - reads of what nothing has written ------------===//
//
// What   The check `uninitialized` of tile-sanitize: a load of a byte that
//        nothing has written is reported; a store notes what it writes.
// Why    The shadow of an array has a byte for each of its bytes, 1 where one
//        was written. So an access of the shadow is one of the array moved by a
//        distance, with integers of the element's size: as cheap as the access.
//===----------------------------------------------------------------------===//
#include "core/optimizer/SanitizerArrays.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using arith::CmpIPredicate;

namespace tz::optimizer {

/// A report of lanes whose shadow is not all ones.
static void reportUnwritten(CheckBuilder &c, Operation *op, StringRef array,
                            Value marks, Value ones, Value inside,
                            Value element) {
  Value bad =
      c.make<arith::AndIOp>(c.compare(CmpIPredicate::ne, marks, ones), inside);
  auto tells = scf::IfOp::create(c.b, c.loc, c.anyOf(bad), false);
  OpBuilder::InsertionGuard guard(c.b);
  c.b.setInsertionPointToStart(tells.thenBlock());
  c.report("uninitialized", accessName(op), array, bad, {element});
}

static void checkAccess(Operation *op, BlockArgument array,
                        ArrayArguments &arguments) {
  OpBuilder builder(op);
  CheckBuilder c(builder, op->getLoc());
  const Ends ends = arguments.endsOf(array);
  Value shadow = arguments.partOf(array, "written");
  Value isKept = c.compare(CmpIPredicate::ne, shadow, c.integer(0, 64));
  auto branch = scf::IfOp::create(builder, c.loc, isKept, false);
  builder.setInsertionPointToStart(branch.thenBlock());
  const AccessLanes lanes = lanesOf(c, op);
  const unsigned bytes = pointeeBytes(lanes.pointers.getType());
  Value address = addressOf(c, lanes.pointers);
  Value inside = lanesInside(c, lanes, address, ends, bytes);
  auto elements = [&](Value length) {
    return c.make<tile::ShrSIOp>(
        length,
        c.spread(c.integer(llvm::Log2_32(bytes), 64), length.getType()));
  };
  // The launcher gives the shadow the array's alignment.
  Type word = builder.getIntegerType(8 * bytes);
  Type pointers = withElements(lanes.pointers.getType(),
                               tile::PtrType::get(builder.getContext(), word));
  Value distance = elements(c.make<arith::SubIOp>(shadow, ends.begin));
  Value at = c.make<tile::AddPtrOp>(
      pointers, c.make<tile::BitcastOp>(pointers, lanes.pointers),
      c.spread(distance, pointers));
  Type words = withElements(pointers, word);
  Value ones = c.spread(arith::ConstantOp::create(
                            builder, c.loc,
                            builder.getIntegerAttr(
                                word, APInt::getSplat(8 * bytes, APInt(8, 1)))),
                        words);
  auto tell = [&](Value marks) {
    Value from = c.spread(ends.begin, address.getType());
    reportUnwritten(c, op, arguments.nameOf(array), marks, ones, inside,
                    elements(c.make<arith::SubIOp>(address, from)));
  };
  const bool isUpdate = isa<tile::AtomicRMWOp, tile::AtomicCASOp>(op);
  if (isUpdate && bytes >= 4) {
    // Programs that update one element note it at the same time.
    Value marks = c.make<tile::AtomicRMWOp>(
        words, tile::AtomicKind::xchg, at, ones, inside, tile::MemSem::relaxed,
        tile::MemScope::device, uint64_t(0));
    tell(marks);
    return;
  }
  if (!isa<tile::StoreOp, tile::StoreViewOp>(op)) {
    tell(c.make<tile::LoadOp>(words, at, inside, ones, uint64_t(0),
                              tile::CacheHint::none, tile::Eviction::normal,
                              /*isVolatile=*/false));
  }
  if (!isa<tile::LoadOp, tile::LoadViewOp>(op)) {
    tile::StoreOp::create(builder, c.loc, at, ones, inside, uint64_t(0),
                          tile::CacheHint::none, tile::Eviction::normal);
  }
}

void checkWritten(ArrayArguments &arguments, ArrayRef<Operation *> accesses,
                  SanitizerCounts &counts) {
  for (Operation *op : accesses) {
    std::optional<Arrays> arrays = knownArrays(op, "uninitialized", counts);
    if (!arrays) {
      continue;
    }
    ++counts.accesses;
    for (BlockArgument array : *arrays) {
      checkAccess(op, array, arguments);
    }
  }
}

} // namespace tz::optimizer
