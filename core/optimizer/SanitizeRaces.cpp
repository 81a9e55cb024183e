//===- SanitizeRaces.cpp - elements that two programs touch ---------------===//
//
// What   The check `race` of tile-sanitize: two programs of a launch access one
//        element, at least one of them writes, and not both are atomic.
// Why    Each access leaves a key of program and place in the shadow of its
//        element, and looks at the keys of others. Of writers the last one is
//        enough: an earlier one was told when the last one came. Of readers and
//        atomic updates a second one is kept, because many are no fault.
//
// The shadow has a plane of keys for each: writer, reader, other reader, and
// where the kernel has atomics: updater, other updater. A key is the number of
// the program plus 1, then the number of the place. The exchange is ordered, so
// that of two programs that come at once one sees the other.
//
// Most kernels read some arrays and write others. For a launch of which nobody
// writes what the kernel reads, the kernel has a copy that looks at its stores
// alone: keys of writers need no order, because each exchange gives the one
// before. So loops of loads run as their author wrote them.
//
// What an acquire may order is not looked at: the shadow does not know whose
// release was seen.
//===----------------------------------------------------------------------===//
#include "core/optimizer/SanitizerArrays.h"
#include "core/optimizer/Versioning.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using arith::CmpIPredicate;

namespace tz::optimizer {

namespace {

/// Places above share number 0, which is none.
constexpr size_t MostPlaces = 255;
constexpr unsigned PlaceBits = 8;

enum Plane : unsigned { Writer, Reader, OtherReader, Updater, OtherUpdater };

class RaceCheck {
public:
  RaceCheck(ArrayArguments &arguments, ArrayRef<Operation *> accesses,
            SanitizerCounts &counts);
  /// Adds the accesses of copies to `all`.
  void run(SmallVectorImpl<Operation *> &all);

private:
  /// A lane's keys, where they are, and which count.
  struct Shadow {
    Value planes; // i64: the first plane
    Value cells;  // i64: keys of a plane
    Value cell;   // of each lane
    Value inside; // lanes that count
    Value key;    // of this access, in each lane
  };
  struct Access {
    Operation *op;
    Arrays arrays;
    size_t place;         // of the text; a copy has its original's
    bool isAlone = false; // a store; nobody else reads or updates
  };
  /// Whether the launcher keeps no keys of what the accesses read.
  Value isFree(OpBuilder &builder, ArrayRef<Access> reads);
  void versionKernel(SmallVectorImpl<Operation *> &all);
  bool isRead(const Access &access) const;
  Value planesOf(BlockArgument array);
  void check(const Access &access, BlockArgument array);
  Value keyOf(CheckBuilder &c, size_t place);
  Value pointersTo(CheckBuilder &c, const Shadow &shadow, Plane plane);
  Value look(CheckBuilder &c, const Shadow &shadow, Plane plane);
  /// Leaves the key; gives the one before.
  Value leave(CheckBuilder &c, const Shadow &shadow, Plane plane,
              tile::MemSem order = tile::MemSem::acq_rel);
  /// The same where one more must not hide the one before.
  void leaveBoth(CheckBuilder &c, const Shadow &shadow, Plane last,
                 Plane other);
  Value isSet(CheckBuilder &c, Value keys);
  Value haveOtherPrograms(CheckBuilder &c, Value one, Value two);
  /// Lanes whose key is another program's.
  Value isOther(CheckBuilder &c, const Shadow &shadow, Value keys);
  void report(CheckBuilder &c, Operation *op, BlockArgument array,
              const Shadow &shadow, ArrayRef<Value> seen, Value element);

  ArrayArguments &arguments;
  SmallVector<Access> accesses;
  llvm::SmallPtrSet<void *, 8> written; // arrays
  unsigned granule = 8;                 // bytes of the smallest element
  bool hasUpdates = false;
  std::string places;
};

} // namespace

/// Atomic for other programs, too.
static bool isUpdate(Operation *op) {
  if (auto update = dyn_cast<tile::AtomicRMWOp>(op)) {
    return update.getScope() != tile::MemScope::program;
  }
  auto exchange = dyn_cast<tile::AtomicCASOp>(op);
  return exchange && exchange.getScope() != tile::MemScope::program;
}

static bool isVolatileLoad(Operation *op) {
  auto load = dyn_cast<tile::LoadOp>(op);
  return load && load.getIsVolatile();
}

/// Reads what another program may have released: its result is used.
static bool isAcquire(Operation *op) {
  if (isVolatileLoad(op)) {
    return true;
  }
  auto acquires = [](tile::MemSem sem) {
    return sem == tile::MemSem::acquire || sem == tile::MemSem::acq_rel;
  };
  auto update = dyn_cast<tile::AtomicRMWOp>(op);
  auto exchange = dyn_cast<tile::AtomicCASOp>(op);
  return !op->use_empty() && ((update && acquires(update.getSem())) ||
                              (exchange && acquires(exchange.getSem())));
}

/// May `first` run before `then`? The accesses are in the order of the text.
static bool mayPrecede(Operation *first, size_t firstAt, Operation *then,
                       size_t thenAt) {
  if (firstAt < thenAt) {
    return true;
  }
  for (Operation *loop = first->getParentOp(); loop;
       loop = loop->getParentOp()) {
    if (isa<LoopLikeOpInterface>(loop) && loop->isProperAncestor(then)) {
      return true;
    }
  }
  return false;
}

static StringRef verbOf(Operation *op) {
  StringRef name = accessName(op);
  return name == "load" ? "reads" : name == "store" ? "writes" : "updates";
}

RaceCheck::RaceCheck(ArrayArguments &arguments, ArrayRef<Operation *> all,
                     SanitizerCounts &counts)
    : arguments(arguments) {
  for (auto [at, op] : llvm::enumerate(all)) {
    const bool isOrdered = llvm::any_of(llvm::enumerate(all), [&](auto other) {
      return isAcquire(other.value()) && other.value() != op &&
             mayPrecede(other.value(), other.index(), op, at);
    });
    std::optional<Arrays> arrays;
    if (!isVolatileLoad(op) && !(isOrdered && !isUpdate(op))) {
      arrays = knownArrays(op, "race", counts);
    }
    if (!arrays) {
      continue;
    }
    ++counts.accesses;
    if (!isa<tile::LoadOp, tile::LoadViewOp>(op)) {
      for (BlockArgument array : *arrays) {
        written.insert(array.getAsOpaquePointer());
      }
    }
    Type pointee =
        isa<tile::ViewType>(op->getOperand(0).getType())
            ? cast<tile::ViewType>(op->getOperand(0).getType()).getElementType()
            : Type();
    granule =
        std::min(granule, pointee ? unsigned(tile::storageBytes(pointee))
                                  : pointeeBytes(op->getOperand(0).getType()));
    hasUpdates |= isUpdate(op);
    accesses.push_back({op, std::move(*arrays), accesses.size()});
  }
}

Value RaceCheck::keyOf(CheckBuilder &c, size_t at) {
  auto id = [&](uint32_t axis) -> Value {
    return tile::ProgramIdOp::create(c.b, c.loc, c.b.getI32Type(), axis);
  };
  auto size = [&](uint32_t axis) -> Value {
    return tile::NumProgramsOp::create(c.b, c.loc, c.b.getI32Type(), axis);
  };
  auto plus = [&](Value x, Value y) { return c.make<arith::AddIOp>(x, y); };
  auto times = [&](Value x, Value y) { return c.make<arith::MulIOp>(x, y); };
  Value linear =
      plus(id(0), times(size(0), plus(id(1), times(size(1), id(2)))));
  const auto place = int64_t(at < MostPlaces ? at + 1 : 0);
  return plus(times(plus(linear, c.integer(1, 32)),
                    c.integer(int64_t(1) << PlaceBits, 32)),
              c.integer(place, 32));
}

Value RaceCheck::pointersTo(CheckBuilder &c, const Shadow &shadow,
                            Plane plane) {
  Type pointer = tile::PtrType::get(c.b.getContext(), c.b.getI32Type());
  Value base = c.make<tile::IntToPtrOp>(pointer, shadow.planes);
  base = c.make<tile::AddPtrOp>(
      pointer, base, c.make<arith::MulIOp>(shadow.cells, c.integer(plane, 64)));
  Value bases = c.spread(base, shadow.cell.getType());
  return c.make<tile::AddPtrOp>(bases.getType(), bases, shadow.cell);
}

Value RaceCheck::look(CheckBuilder &c, const Shadow &shadow, Plane plane) {
  Type keys = shadow.key.getType();
  return c.make<tile::LoadOp>(keys, pointersTo(c, shadow, plane), shadow.inside,
                              c.zero(keys), uint64_t(0), tile::CacheHint::none,
                              tile::Eviction::normal,
                              /*isVolatile=*/true);
}

Value RaceCheck::leave(CheckBuilder &c, const Shadow &shadow, Plane plane,
                       tile::MemSem order) {
  return c.make<tile::AtomicRMWOp>(shadow.key.getType(), tile::AtomicKind::xchg,
                                   pointersTo(c, shadow, plane), shadow.key,
                                   shadow.inside, order, tile::MemScope::device,
                                   uint64_t(0));
}

void RaceCheck::leaveBoth(CheckBuilder &c, const Shadow &shadow, Plane last,
                          Plane other) {
  // Keys of two programs are enough for whoever comes: one is another's.
  Value one = look(c, shadow, last), two = look(c, shadow, other);
  Value haveBoth =
      c.make<arith::AndIOp>(isSet(c, two), haveOtherPrograms(c, one, two));
  Value isMissing = c.make<arith::AndIOp>(
      c.make<arith::XOrIOp>(haveBoth,
                            c.spread(c.integer(1, 1), haveBoth.getType())),
      shadow.inside);
  auto leaves = scf::IfOp::create(c.b, c.loc, c.anyOf(isMissing), false);
  OpBuilder::InsertionGuard guard(c.b);
  c.b.setInsertionPointToStart(leaves.thenBlock());
  Shadow missing = shadow;
  missing.inside = isMissing;
  Value before = leave(c, missing, last);
  Value isNew = isOther(c, missing, before);
  auto keeps = scf::IfOp::create(c.b, c.loc, c.anyOf(isNew), false);
  c.b.setInsertionPointToStart(keeps.thenBlock());
  tile::AtomicRMWOp::create(
      c.b, c.loc, before.getType(), tile::AtomicKind::xchg,
      pointersTo(c, shadow, other), before, isNew, tile::MemSem::acq_rel,
      tile::MemScope::device, uint64_t(0));
}

Value RaceCheck::isSet(CheckBuilder &c, Value keys) {
  return c.compare(CmpIPredicate::ne, keys, c.zero(keys.getType()));
}

Value RaceCheck::haveOtherPrograms(CheckBuilder &c, Value one, Value two) {
  return c.compare(
      CmpIPredicate::uge, c.make<arith::XOrIOp>(one, two),
      c.spread(c.integer(int64_t(1) << PlaceBits, 32), one.getType()));
}

Value RaceCheck::isOther(CheckBuilder &c, const Shadow &shadow, Value keys) {
  Value differs = haveOtherPrograms(c, keys, shadow.key);
  // What a masked exchange gives elsewhere is nothing.
  return c.make<arith::AndIOp>(c.make<arith::AndIOp>(differs, isSet(c, keys)),
                               shadow.inside);
}

void RaceCheck::report(CheckBuilder &c, Operation *op, BlockArgument array,
                       const Shadow &shadow, ArrayRef<Value> seen,
                       Value element) {
  Value bad, told;
  for (Value keys : seen) {
    Value one = isOther(c, shadow, keys);
    told = told ? c.make<arith::SelectOp>(bad, told, keys) : keys;
    bad = bad ? c.make<arith::OrIOp>(bad, one) : one;
  }
  auto tells = scf::IfOp::create(c.b, c.loc, c.anyOf(bad), false);
  OpBuilder::InsertionGuard guard(c.b);
  c.b.setInsertionPointToStart(tells.thenBlock());
  auto size = [&](uint32_t axis) -> Value {
    return tile::NumProgramsOp::create(c.b, c.loc, c.b.getI32Type(), axis);
  };
  c.report("race", accessName(op), arguments.nameOf(array), bad,
           {element, told, size(0), size(1)}, places);
}

bool RaceCheck::isRead(const Access &access) const {
  return llvm::none_of(access.arrays, [&](BlockArgument array) {
    return written.contains(array.getAsOpaquePointer());
  });
}

/// Of arrays that the kernel reads the launcher knows whether another argument
/// writes them: if not, the address of the planes is 0.
Value RaceCheck::planesOf(BlockArgument array) {
  const bool isWritten = written.contains(array.getAsOpaquePointer());
  return arguments.partOf(array, (isWritten ? "race:" : "reads:") +
                                     std::to_string(granule) + ":" +
                                     std::to_string(hasUpdates ? 5 : 3));
}

Value RaceCheck::isFree(OpBuilder &builder, ArrayRef<Access> reads) {
  Arrays arrays;
  for (const Access &access : reads) {
    arrays.insert(access.arrays.begin(), access.arrays.end());
  }
  Value all;
  for (BlockArgument array : arrays) {
    CheckBuilder c(builder, reads.front().op->getLoc());
    Value one = c.compare(CmpIPredicate::eq, planesOf(array), c.integer(0, 64));
    all = all ? c.make<arith::AndIOp>(all, one) : one;
  }
  return all;
}

/// Two copies from the first access on: one for launches that keep no keys of
/// what is only read, and one for all.
void RaceCheck::versionKernel(SmallVectorImpl<Operation *> &all) {
  const bool storesAreAlone = llvm::all_of(accesses, [&](const Access &access) {
    return isRead(access) || isa<tile::StoreOp, tile::StoreViewOp>(access.op);
  });
  auto reads = llvm::to_vector(llvm::make_filter_range(
      accesses, [&](const Access &access) { return isRead(access); }));
  SmallVector<Access> either;
  if (!reads.empty()) {
    Block &block = arguments.getKernel().getBody().front();
    Operation *first = nullptr;
    for (const Access &access : accesses) {
      Operation *top = block.findAncestorOpInBlock(*access.op);
      first = !first || top->isBeforeInBlock(first) ? top : first;
    }
    OpBuilder builder(first);
    IRMapping copies;
    Rest(first).version(isFree(builder, reads), copies);
    for (Operation *op : llvm::to_vector(all)) {
      if (Operation *copy = copies.lookupOrNull(op)) {
        all.push_back(copy);
      }
    }
    for (const Access &access : accesses) {
      either.push_back({copies.lookup(access.op), access.arrays, access.place});
    }
  }
  for (const Access &access : accesses) {
    if (!isRead(access)) {
      either.push_back(
          {access.op, access.arrays, access.place, storesAreAlone});
    }
  }
  accesses = std::move(either);
}

void RaceCheck::check(const Access &access, BlockArgument array) {
  Operation *op = access.op;
  OpBuilder builder(op);
  CheckBuilder c(builder, op->getLoc());
  const Ends ends = arguments.endsOf(array);
  Shadow shadow;
  shadow.planes = planesOf(array);
  Value isKept = c.compare(CmpIPredicate::ne, shadow.planes, c.integer(0, 64));
  auto branch = scf::IfOp::create(builder, c.loc, isKept, false);
  builder.setInsertionPointToStart(branch.thenBlock());
  const AccessLanes lanes = lanesOf(c, op);
  const unsigned bytes = pointeeBytes(lanes.pointers.getType());
  Value address = addressOf(c, lanes.pointers);
  auto shifted = [&](Value length, unsigned size) {
    return c.make<tile::ShrSIOp>(
        length, c.spread(c.integer(llvm::Log2_32(size), 64), length.getType()));
  };
  Value distance =
      c.make<arith::SubIOp>(address, c.spread(ends.begin, address.getType()));
  shadow.inside = lanesInside(c, lanes, address, ends, bytes);
  shadow.cell = shifted(distance, granule);
  Value length = c.make<arith::SubIOp>(ends.end, ends.begin);
  shadow.cells = shifted(
      c.make<arith::AddIOp>(length, c.integer(int64_t(granule) - 1, 64)),
      granule);
  shadow.key = c.spread(keyOf(c, access.place), address.getType());
  SmallVector<Value> seen;
  auto lookAt = [&](std::initializer_list<Plane> planes) {
    for (Plane plane : planes) {
      if (plane < Updater || hasUpdates) {
        seen.push_back(look(c, shadow, plane));
      }
    }
  };
  if (isUpdate(op)) {
    leaveBoth(c, shadow, Updater, OtherUpdater);
    lookAt({Writer, Reader, OtherReader});
  } else if (isa<tile::LoadOp, tile::LoadViewOp>(op)) {
    leaveBoth(c, shadow, Reader, OtherReader);
    lookAt({Writer, Updater, OtherUpdater});
  } else if (access.isAlone) {
    seen.push_back(leave(c, shadow, Writer, tile::MemSem::relaxed));
  } else {
    seen.push_back(leave(c, shadow, Writer));
    lookAt({Reader, OtherReader, Updater, OtherUpdater});
  }
  report(c, op, array, shadow, seen, shifted(distance, bytes));
}

void RaceCheck::run(SmallVectorImpl<Operation *> &all) {
  if (written.empty()) {
    return; // no launch keeps keys
  }
  for (const Access &access : accesses) {
    if (places.size() && !places.ends_with("|")) {
      places += "|";
    }
    places += (verbOf(access.op) + "@" + placeText(access.op->getLoc())).str();
  }
  versionKernel(all);
  for (const Access &access : accesses) {
    for (BlockArgument array : access.arrays) {
      check(access, array);
    }
  }
}

void checkRaces(ArrayArguments &arguments,
                SmallVectorImpl<Operation *> &accesses,
                SanitizerCounts &counts) {
  RaceCheck(arguments, accesses, counts).run(accesses);
}

} // namespace tz::optimizer
