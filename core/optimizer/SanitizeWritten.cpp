//===- SanitizeWritten.cpp - reads of what nothing has written ------------===//
//
// What   The check `uninitialized` of tile-sanitize: a load of a byte that
//        nothing has written is reported; a store notes what it writes.
// Why    The shadow of an array has a byte for each of its bytes, 1 where one
//        was written. So an access of the shadow is one of the array moved by a
//        distance, with integers of the element's size: as cheap as the access.
//        Memory without a shadow may say itself that nothing has written it, by
//        the marks of terrazzo/unwritten.h.
//===----------------------------------------------------------------------===//
#include "core/optimizer/SanitizerArrays.h"

#include <terrazzo/unwritten.h>

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using arith::CmpIPredicate;

namespace tz::optimizer {

static void reportUnwritten(CheckBuilder &c, Operation *op, StringRef array,
                            Value bad, Value element) {
  auto tells = scf::IfOp::create(c.b, c.loc, c.anyOf(bad), false);
  OpBuilder::InsertionGuard guard(c.b);
  c.b.setInsertionPointToStart(tells.thenBlock());
  c.report("uninitialized", accessName(op), array, bad, {element});
}

/// Lanes whose word of memory has the mark of its address.
static Value markedLanes(CheckBuilder &c, const AccessLanes &lanes,
                         Value address, Ends ends) {
  Type numbers = address.getType();
  auto spread = [&](int64_t value) {
    return c.spread(c.integer(value, 64), numbers);
  };
  const unsigned bytes = sizeof(uint64_t);
  Value word = c.make<arith::AndIOp>(address, spread(-int64_t(bytes)));
  Value inside = lanesInside(c, lanes, word, ends, bytes);
  Type pointers = withElements(
      numbers, tile::PtrType::get(c.b.getContext(), c.b.getI64Type()));
  Value mark = c.make<arith::XOrIOp>(
      c.make<arith::MulIOp>(word, spread(int64_t(TZ_UNWRITTEN_FACTOR))),
      spread(int64_t(TZ_UNWRITTEN_MASK)));
  Value found =
      c.make<tile::LoadOp>(numbers, c.make<tile::IntToPtrOp>(pointers, word),
                           inside, c.zero(numbers), uint64_t(0),
                           tile::CacheHint::none, tile::Eviction::normal,
                           /*isVolatile=*/false);
  return c.make<arith::AndIOp>(c.compare(CmpIPredicate::eq, found, mark),
                               inside);
}

/// Of an array without a shadow. What is stored takes the mark away by itself.
static void checkMarks(CheckBuilder &c, Operation *op, BlockArgument array,
                       ArrayArguments &arguments) {
  const Ends ends = arguments.endsOf(array);
  const AccessLanes lanes = lanesOf(c, op);
  const unsigned bytes = pointeeBytes(lanes.pointers.getType());
  Value address = addressOf(c, lanes.pointers);
  Value from = c.spread(ends.begin, address.getType());
  Value bad = markedLanes(c, lanes, address, ends);
  reportUnwritten(
      c, op, arguments.nameOf(array), bad,
      c.make<tile::ShrSIOp>(
          c.make<arith::SubIOp>(address, from),
          c.spread(c.integer(llvm::Log2_32(bytes), 64), address.getType())));
}

static void checkAccess(Operation *op, BlockArgument array,
                        ArrayArguments &arguments) {
  OpBuilder builder(op);
  CheckBuilder c(builder, op->getLoc());
  const bool isStore = isa<tile::StoreOp, tile::StoreViewOp>(op),
             isUpdate = isa<tile::AtomicRMWOp, tile::AtomicCASOp>(op);
  const Ends ends = arguments.endsOf(array);
  Value shadow = arguments.partOf(array, "written");
  Value isKept = c.compare(CmpIPredicate::ne, shadow, c.integer(0, 64));
  auto branch = scf::IfOp::create(builder, c.loc, isKept, !isStore);
  // Programs may update an element at once: a plain load of it would race.
  if (!isStore && !isUpdate) {
    builder.setInsertionPointToStart(branch.elseBlock());
    checkMarks(c, op, array, arguments);
  }
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
    Value bad = c.make<arith::AndIOp>(c.compare(CmpIPredicate::ne, marks, ones),
                                      inside);
    reportUnwritten(c, op, arguments.nameOf(array), bad,
                    elements(c.make<arith::SubIOp>(address, from)));
  };
  if (isUpdate && bytes >= 4) {
    // Programs that update one element note it at the same time.
    Value marks = c.make<tile::AtomicRMWOp>(
        words, tile::AtomicKind::xchg, at, ones, inside, tile::MemSem::relaxed,
        tile::MemScope::device, uint64_t(0));
    tell(marks);
    return;
  }
  if (!isStore) {
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
