//===- Anchors.cpp - layouts that accesses and dots ask for ---------------===//
//
// What   See the header; dots are in DotAnchors.cpp. Lanes lie along the
//        dimension that is consecutive in memory, as wide as alignment allows;
//        accesses of one shape and order share a layout.
// Why    See the header.
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/Anchors.h"

#include "core/simt/CheckTarget.h"
#include "core/simt/analysis/LaneStrides.h"
#include "core/simt/analysis/MemoryOrder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/TypeSwitch.h"

#include <limits>
#include <numeric>
#include <tuple>

using namespace mlir;
using namespace tz;
using namespace tz::simt;

bool tz::simt::isElementwise(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() ||
         isa<tile::HintOp, arith::SelectOp, tile::MapOp>(op);
}

SmallVector<int64_t> tz::simt::inverse(ArrayRef<int64_t> order) {
  SmallVector<int64_t> result(order.size());
  for (auto [i, dim] : llvm::enumerate(order)) {
    result[dim] = i;
  }
  return result;
}

Anchors::Anchors(tile::KernelOp kernel, const SimtTarget &target,
                 unsigned warps)
    : kernel(kernel), target(target), warps(warps), runs(kernel) {
  if (target.hasBlocks()) {
    launch.emplace(kernel, runs.hints());
  }
  collectAccesses();
  chooseDots();
}

namespace {
/// Lanes that probably read one sector of memory, if it is known to be more
/// than one: those of a convolution of stride 2, say.
int64_t lanesOfSector(std::optional<int64_t> stride, int64_t bytes) {
  constexpr int64_t sector = 32;
  if (!stride || *stride == 0 || *stride <= -sector || *stride >= sector) {
    return 0;
  }
  const int64_t lanes = sector / (std::abs(*stride) * bytes);
  return lanes > 1 ? lanes : 0;
}

/// Dimensions, the one with the longest runs first; of equals the one along
/// which most lanes probably lie in a sector, else the last one.
SmallVector<unsigned> byContiguity(ArrayRef<int64_t> contiguity,
                                   const LaneStrides &strides, int64_t bytes) {
  SmallVector<unsigned> order(contiguity.size());
  std::iota(order.begin(), order.end(), 0);
  auto rank = [&](unsigned dim) {
    return std::tuple(contiguity[dim], lanesOfSector(strides[dim], bytes), dim);
  };
  llvm::sort(order, [&](unsigned a, unsigned b) { return rank(a) > rank(b); });
  return order;
}
} // namespace

Anchors::Access Anchors::describe(Operation *op, RankedTensorType type,
                                  Value pointer) const {
  Runs lanes = runs.of(pointer);
  SmallVector<int64_t> contiguity;
  for (const DimRuns &one : lanes) {
    contiguity.push_back(one.contiguity);
  }
  const LaneStrides strides = laneStridesOf(pointer);
  int64_t bytes = tile::storageBytes(type.getElementType());
  SmallVector<unsigned> order = byContiguity(contiguity, strides, bytes);
  const DimRuns &fast = lanes[order[0]];
  int64_t vector = std::min({std::max<int64_t>(1, target.vectorBytes() / bytes),
                             fast.contiguity,
                             std::max<int64_t>(1, fast.divisibility / bytes)});
  Access access{op, type, order, std::max<int64_t>(1, vector)};
  access.isUndecided =
      fast.contiguity == 1 && lanesOfSector(strides[order[0]], bytes) == 0;
  for (auto [dim, stride] : llvm::enumerate(strides)) {
    if (access.isUndecided && isa<tile::LoadOp>(op) && stride == 0) {
      access.equal.push_back(unsigned(dim));
    }
  }
  return access;
}

/// The dimension along which elements probably lie closest to each other. Of
/// two strides that are not known, the one that is divisible by less is
/// probably the smaller: rows are often padded, and what is within a row seldom
/// is.
unsigned Anchors::densest(tile::MakeViewOp make, tile::ViewType view) const {
  struct Stride {
    bool isKnown;
    uint64_t value; // or its divisor
  };
  auto strideOf = [&](unsigned dim) -> Stride {
    APInt known;
    if (matchPattern(make.getStrides()[dim], m_ConstantInt(&known))) {
      return {true, known.abs().getLimitedValue()};
    }
    const int64_t divisor = runs.hints().divisibility(make.getStrides()[dim]);
    return {false, uint64_t(divisor & -divisor)};
  };
  auto isDenser = [&](unsigned dim, unsigned than) {
    if (view.getShape()[dim] == 1 || view.getShape()[than] == 1) {
      return view.getShape()[dim] > 1;
    }
    const Stride a = strideOf(dim), b = strideOf(than);
    return a.isKnown == b.isKnown ? a.value != 0 && a.value < b.value
                                  : a.isKnown && a.value == 1;
  };
  unsigned best = view.getRank() - 1;
  for (unsigned dim = best; dim-- > 0;) {
    best = isDenser(dim, best) ? dim : best;
  }
  return best;
}

/// Elements at whose multiples every row begins, as far as strides are known: a
/// vector of more would be aligned in some rows only, and threads that take so
/// many neighbours one by one touch more lines at a time than threads side by
/// side.
static int64_t alignmentOfRows(tile::MakeViewOp make, tile::ViewType view,
                               unsigned fastest) {
  int64_t elements = std::numeric_limits<int64_t>::max();
  for (auto [dim, stride] : llvm::enumerate(make.getStrides())) {
    APInt known;
    if (dim != fastest && view.getShape()[dim] > 1 &&
        matchPattern(stride, m_ConstantInt(&known)) && !known.isZero()) {
      elements = std::min(elements, int64_t(1) << known.countr_zero());
    }
  }
  return elements;
}

Anchors::Access Anchors::describe(Operation *op, tile::ViewType view,
                                  Value value) const {
  unsigned rank = view.getRank(), fastest = rank - 1;
  Value root = value;
  while (auto advance = root.getDefiningOp<tile::AdvanceViewOp>()) {
    root = advance.getView();
  }
  int64_t bytes = tile::storageBytes(view.getElementType());
  int64_t vector = 1;
  if (auto make = root.getDefiningOp<tile::MakeViewOp>()) {
    int64_t divisibility = runs.hints().divisibility(make.getBase());
    fastest = densest(make, view);
    bool isDense = matchPattern(make.getStrides()[fastest], m_One());
    divisibility = divisibility == 0 ? target.vectorBytes() : divisibility;
    vector = isDense ? std::max<int64_t>(1, divisibility / bytes) : 1;
    vector = std::min(vector, alignmentOfRows(make, view, fastest));
  }
  SmallVector<unsigned> order = {fastest};
  for (unsigned dim = rank; dim-- > 0;) {
    if (dim != fastest) {
      order.push_back(dim);
    }
  }
  vector = std::min(vector, std::max<int64_t>(1, target.vectorBytes() / bytes));
  return {op, view.getTileType(), order,
          int64_t(llvm::bit_floor(uint64_t(vector)))};
}

/// A load of which no elements lie beside each other takes the order of an
/// access of its shape that knows one, if its lanes read few places then: what
/// both give is mostly combined. In its own order each lane would read another
/// sector, and the threads would have to exchange what they read.
void Anchors::followDecided(MutableArrayRef<Access> all) {
  for (Access &access : all) {
    const auto *leader = llvm::find_if(all, [&](const Access &other) {
      return !other.isUndecided &&
             other.type.getShape() == access.type.getShape() &&
             llvm::is_contained(access.equal, other.order[0]);
    });
    if (leader != all.end()) {
      access.order = leader->order;
    }
  }
}

static Operation *loopAround(Operation *op) {
  Operation *loop = op->getParentOp();
  while (loop && !isa<scf::ForOp, scf::WhileOp>(loop)) {
    loop = loop->getParentOp();
  }
  return loop;
}

namespace {

/// Which tiles are computed with each other, element by element.
class Companies {
public:
  explicit Companies(tile::KernelOp kernel);

  /// What is the same for two tiles if they are computed with each other.
  const void *of(Value tile) {
    return classes.getOrInsertLeaderValue(tile.getAsOpaquePointer());
  }

private:
  void join(Value a, Value b);
  void joinAll(ValueRange some, ValueRange others);

  llvm::EquivalenceClasses<const void *> classes;
};

void Companies::join(Value a, Value b) {
  if (isTile(a) && isTile(b)) {
    classes.unionSets(a.getAsOpaquePointer(), b.getAsOpaquePointer());
  }
}

void Companies::joinAll(ValueRange some, ValueRange others) {
  for (auto [one, other] : llvm::zip(some, others)) {
    join(one, other);
  }
}

Companies::Companies(tile::KernelOp kernel) {
  kernel.walk([&](Operation *op) {
    if (isElementwise(op)) {
      for (Value operand : op->getOperands()) {
        join(operand, op->getResult(0));
      }
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      joinAll(loop.getInitArgs(), loop.getRegionIterArgs());
      joinAll(loop.getYieldedValues(), loop.getRegionIterArgs());
      joinAll(loop.getResults(), loop.getRegionIterArgs());
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      joinAll(loop.getInits(), loop.getBeforeArguments());
      joinAll(loop.getYieldOp().getOperands(), loop.getBeforeArguments());
      joinAll(loop.getConditionOp().getArgs(), loop.getAfterArguments());
      joinAll(loop.getResults(), loop.getAfterArguments());
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      for (Region *region : branch.getRegions()) {
        if (!region->empty()) {
          joinAll(region->front().getTerminator()->getOperands(),
                  branch.getResults());
        }
      }
    }
  });
}

/// The tile that is loaded or stored.
Value accessed(Operation *op) {
  if (auto store = dyn_cast<tile::StoreOp>(op)) {
    return store.getValue();
  }
  if (auto store = dyn_cast<tile::StoreViewOp>(op)) {
    return store.getValue();
  }
  return op->getResult(0);
}

/// Accesses of one shape and order share a layout, as wide as the widest one:
/// what is loaded by one is mostly combined with what is loaded by another. But
/// a thread holds no more neighbours than a store writes at once: of what two
/// stores write in turns, each sends half a sector to memory.
/// What comes out of a dot alone is stored as wide as its own elements want.
class SharedVectors {
public:
  explicit SharedVectors(tile::KernelOp kernel) : companies(kernel) {
    kernel.walk(
        [&](tile::DotOp dot) { ofDots.insert(companies.of(dot.getResult())); });
  }

  /// An access asks for so many elements in a vector; of its elements, `most`
  /// are one at the machine's best.
  void add(Operation *op, ArrayRef<int64_t> shape, ArrayRef<unsigned> order,
           int64_t vector, int64_t most) {
    auto widen = [&](const void *company) {
      Shared &shared = vectors[{shape, order, company}];
      shared.widest = std::max(shared.widest, vector);
      if (isa<tile::StoreOp, tile::StoreViewOp>(op)) {
        shared.stored = std::min(shared.stored, most);
      }
      Operation *loop = loopAround(op);
      shared.isOfOneLoop &= shared.loop.value_or(loop) == loop;
      shared.loop = loop;
    };
    widen(companies.of(accessed(op)));
    if (!isOfDot(op)) {
      widen(nullptr);
    }
  }

  /// The widest of those that share this one's layout, once all were added.
  int64_t widest(Operation *op, ArrayRef<int64_t> shape,
                 ArrayRef<unsigned> order) {
    const Shared own =
        vectors.lookup({shape, order, companies.of(accessed(op))});
    if (isOfDot(op)) {
      return own.widest;
    }
    const Shared all = vectors.lookup({shape, order, nullptr});
    const int64_t widest = std::max(own.widest, all.widest);
    // A store behind a loop is one for many loads.
    return all.isOfOneLoop ? std::min(widest, all.stored) : widest;
  }

private:
  struct Shared {
    int64_t widest = 0;
    int64_t stored = std::numeric_limits<int64_t>::max(); ///< at once
    std::optional<Operation *> loop;
    bool isOfOneLoop = true;
  };

  bool isOfDot(Operation *op) {
    return isa<tile::StoreOp, tile::StoreViewOp>(op) &&
           ofDots.contains(companies.of(accessed(op)));
  }

  Companies companies;
  DenseSet<const void *> ofDots; // companies
  /// Of a company, or of all that comes out of no dot (nullptr).
  DenseMap<std::tuple<ArrayRef<int64_t>, ArrayRef<unsigned>, const void *>,
           Shared>
      vectors;
};

} // namespace

/// The dimension along which a loaded row, or what is computed of it, lies that
/// is repeated along the others.
static std::optional<unsigned> dimOfRow(tile::BroadcastOp broadcast) {
  constexpr unsigned mostSteps = 8;
  const ArrayRef<int64_t> shape = shapeOf(broadcast.getSource());
  const auto isLong = [](int64_t extent) { return extent > 1; };
  if (llvm::count_if(shape, isLong) != 1) {
    return std::nullopt;
  }
  Operation *op = broadcast.getSource().getDefiningOp();
  for (unsigned step = 0; op && step < mostSteps; ++step) {
    if (isa<tile::LoadOp, tile::LoadViewOp>(op)) {
      return unsigned(llvm::find_if(shape, isLong) - shape.begin());
    }
    op = isElementwise(op) || isa<tile::ReshapeOp>(op)
             ? op->getOperand(0).getDefiningOp()
             : nullptr;
  }
  return std::nullopt;
}

void Anchors::collectAccesses() {
  // Loops, and the shapes that are combined in them.
  DenseMap<Operation *, SmallVector<ArrayRef<int64_t>, 2>> combinedIn;
  kernel.walk([&](Operation *op) {
    if (isa<tile::ReduceOp, tile::GatherOp>(op)) {
      combinedShapes.insert(shapeOf(op->getOperand(0)));
      for (Operation *loop = loopAround(op); loop; loop = loopAround(loop)) {
        combinedIn[loop].push_back(shapeOf(op->getOperand(0)));
      }
    }
    if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
      reductions.emplace_back(shapeOf(op->getOperand(0)), reduce.getAxis());
    }
    if (auto broadcast = dyn_cast<tile::BroadcastOp>(op)) {
      if (std::optional<unsigned> dim = dimOfRow(broadcast)) {
        repeatedRows.emplace_back(shapeOf(broadcast.getResult()), *dim);
      }
    }
  });
  SmallVector<Access> all;
  kernel.walk([&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case<tile::LoadOp, tile::StoreOp, tile::AtomicRMWOp,
              tile::AtomicCASOp>([&](auto access) {
          Value pointer = access.getPointer();
          if (auto type = dyn_cast<RankedTensorType>(pointer.getType())) {
            Type element =
                cast<tile::PtrType>(type.getElementType()).getPointee();
            all.push_back(describe(op, type.clone(element), pointer));
          }
        })
        .Case<tile::LoadViewOp, tile::StoreViewOp>([&](auto access) {
          if (!op->hasAttr(InsteadOfBulk)) {
            all.push_back(
                describe(op, access.getView().getType(), access.getView()));
          }
        });
  });
  // What a loop only loads is combined once behind it.
  for (const Access &access : all) {
    Operation *loop = loopAround(access.op);
    if (loop && isa<tile::LoadOp, tile::LoadViewOp>(access.op) &&
        !llvm::is_contained(combinedIn[loop], access.type.getShape())) {
      combinedShapes.erase(access.type.getShape());
    }
  }
  followDecided(all);
  SharedVectors vectors(kernel);
  for (const Access &access : all) {
    const int64_t most =
        target.vectorBytes() / tile::storageBytes(access.type.getElementType());
    vectors.add(access.op, access.type.getShape(), access.order, access.vector,
                std::max<int64_t>(1, most));
  }
  for (const Access &access : all) {
    const int64_t count = access.type.getNumElements();
    int64_t vector =
        vectors.widest(access.op, access.type.getShape(), access.order);
    // Rather all threads at work than wide accesses.
    int64_t share = std::max<int64_t>(
        1, count / (target.lanes() * warpsFor(access.type.getShape())));
    vector = std::min<int64_t>(vector, llvm::bit_floor(uint64_t(share)));
    ofAccess.insert(
        {access.op, blocked(access.type.getShape(), vector, access.order)});
    orderOfAccess[access.op] = access.order;
  }
}

/// A small tile that is combined along a dimension is in each warp whole: what
/// the warps would save, they would lose in telling each other their parts.
unsigned Anchors::warpsFor(ArrayRef<int64_t> shape) const {
  constexpr int64_t perLane = 4;
  int64_t count = 1;
  for (int64_t extent : shape) {
    count *= extent;
  }
  return count <= perLane * target.lanes() && llvm::isPowerOf2_64(count) &&
                 combinedShapes.contains(shape)
             ? 1
             : warps;
}

/// What the warps tell each other when tiles in such a layout are reduced:
/// results, for each bit of a warp's index along the dimension.
int64_t Anchors::exchanged(const Layout &layout) const {
  const Coordinates shape = layout.shape();
  int64_t told = 0;
  for (const auto &[reduced, axis] : reductions) {
    if (reduced != ArrayRef<int64_t>(shape)) {
      continue;
    }
    int64_t results = 1;
    for (auto [dim, extent] : llvm::enumerate(shape)) {
      results *= dim == axis ? 1 : extent;
    }
    for (const Coordinates &basis : layout.bases(Axis::Warp)) {
      told += basis[axis] != 0 ? results : 0;
    }
  }
  return told;
}

bool Anchors::repeatsRow(ArrayRef<int64_t> shape, unsigned dim) const {
  return llvm::is_contained(repeatedRows, std::pair(shape, dim));
}

/// The warps lie beside each other along the fastest dimension, as the lanes
/// do. (In blockedLayout they lie along the slowest.)
static Layout warpsBesideLanes(const BlockedOptions &options) {
  BlockedOptions together = options;
  together.lanes = options.lanes * options.warps;
  together.warps = 1;
  const Layout lanes = blockedLayout(together);
  Layout layout(lanes.rank());
  for (Axis axis : {Axis::Register, Axis::Lane}) {
    for (auto [bit, basis] : llvm::enumerate(lanes.bases(axis))) {
      const bool isWarp =
          axis == Axis::Lane && (int64_t(1) << bit) >= int64_t(options.lanes);
      layout.addBit(isWarp ? Axis::Warp : axis, basis);
    }
  }
  for (const Layout::Repeat &copy : lanes.repeats()) {
    layout.repeat(copy.axis, copy.dim, copy.count);
  }
  return layout;
}

/// Different coordinates along a dimension that a thread has.
static int64_t coordinatesOfThread(const Layout &layout, unsigned dim) {
  const auto bits =
      llvm::count_if(layout.bases(Axis::Register),
                     [&](const Coordinates &basis) { return basis[dim] != 0; });
  return int64_t(1) << bits;
}

Layout Anchors::blocked(ArrayRef<int64_t> shape, int64_t vector,
                        ArrayRef<unsigned> order) const {
  const unsigned used = warpsFor(shape);
  const BlockedOptions options{shape, vector, order, target.lanes(), used};
  Layout layout = blockedLayout(options);
  if (const int64_t told = exchanged(layout); told > 0) {
    // Columns of a few rows are added up within a thread. So are rows that meet
    // a row which all have in common: a thread then has less of that one, and
    // the warps tell each other little either way.
    constexpr int64_t little = 64;
    Layout beside = warpsBesideLanes(options);
    const int64_t besideTold = exchanged(beside);
    if (besideTold < told ||
        (besideTold <= little && repeatsRow(shape, order[0]))) {
      layout = std::move(beside);
    }
  } else if (repeatsRow(shape, order[0])) {
    // Each warp would load the whole row, and each thread a long part of it.
    auto loaded = [&](const Layout &one) {
      int64_t elements = 0;
      for (unsigned dim = 0; dim < shape.size(); ++dim) {
        elements += repeatsRow(shape, dim) ? coordinatesOfThread(one, dim) : 0;
      }
      return elements;
    };
    Layout beside = warpsBesideLanes(options);
    if (exchanged(beside) == 0 && loaded(beside) < loaded(layout)) {
      layout = std::move(beside);
    }
  }
  for (unsigned rest = warps / used; rest > 1; rest /= 2) {
    layout.addBit(Axis::Warp, Coordinates(shape.size(), 0)); // copies
  }
  return layout;
}

Layout Anchors::plain(ArrayRef<int64_t> shape) const {
  SmallVector<unsigned> order(shape.size());
  std::iota(order.rbegin(), order.rend(), 0);
  return blocked(shape, 1, order);
}
