//===- RemoveConversions.cpp - simt-remove-conversions --------------------===//
//
// What   Replaces a conversion by computing its source again in the wanted
//        layout, or loading it again, where that is cheap. What nothing else
//        uses is computed there instead. A load or store that nothing else
//        needs is done in the other layout, if whole sectors are moved then.
//        What stays and gives a thread more elements moves behind loops.
// Why    A conversion goes through shuffles or shared memory with a barrier; an
//        index, a mask or a broadcast scalar costs a few instructions, and
//        a row of scales comes from the cache.
// Example (test/simt/remove-conversions.mlir; lines with simt.convert, tile.addptr, tile.load, tile.store)
//   before
//     ...
//     %from = tile.addptr %base, %down : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
//     %v = tile.load %from : tensor<32x32x!tile.ptr<f32>> -> tensor<32x32xf32>
//     ...
//     %to = tile.addptr %target, %across : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
//     tile.store %to, %v : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xf32>
//   after
//     ...
//     %17 = tile.addptr %16, %14 : tensor<32x32x!tile.ptr<f32>, #layout6>, tensor<32x32xi32, #layout6>
//     %18 = tile.load %17 : tensor<32x32x!tile.ptr<f32>, #layout6> -> tensor<32x32xf32, #layout6>
//     ...
//     %20 = tile.addptr %19, %15 : tensor<32x32x!tile.ptr<f32>, #layout2>, tensor<32x32xi32, #layout2>
//     %21 = simt.convert %18 : tensor<32x32xf32, #layout6> -> tensor<32x32xf32, #layout2>
//     tile.store %20, %21 : tensor<32x32x!tile.ptr<f32>, #layout2>, tensor<32x32xf32, #layout2>
// Needs  simt-assign-layouts.
// Keeps  accesses to memory, and where they stand. A load is repeated where it
//        stands, if the kernel does not write there.
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/LaneStrides.h"
#include "core/simt/analysis/LoopIterations.h"
#include "core/simt/analysis/Vectors.h"
#include "core/simt/layout/Operations.h"
#include "core/simt/passes/LateConversions.h"
#include "core/simt/passes/Passes.h"

#include "terrazzo/simt/Contiguity.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

namespace tz::simt {
#define GEN_PASS_DEF_REMOVECONVERSIONS
#include "core/simt/passes/Passes.h.inc"
} // namespace tz::simt

namespace {

/// Ops that may be cloned for one conversion, and two more for each op that is
/// moved; more cost more than the conversion.
constexpr unsigned MostClones = 16;

SmallVector<int64_t> inverse(ArrayRef<int64_t> order) {
  SmallVector<int64_t> result(order.size());
  for (auto [i, dim] : llvm::enumerate(order)) {
    result[dim] = i;
  }
  return result;
}

bool isLoad(Operation *op) {
  auto pointers = dyn_cast_if_present<tile::LoadOp>(op);
  return (pointers && !pointers.getIsVolatile()) ||
         isa_and_present<tile::LoadViewOp>(op);
}

/// Loads along one dimension (a row, a column), of what the kernel only reads,
/// and how many elements a thread loads at once.
class Rows {
public:
  void find(tile::KernelOp kernel, int64_t vectorBytes);

  /// Does a thread load few elements in this layout, or many in a few vectors?
  /// An exchange would read as many words from shared memory.
  bool hasFew(Operation *op, const Layout &layout) const {
    constexpr int64_t mostElements = 16, mostVectors = 8;
    auto row = vectors.find(op);
    if (row == vectors.end()) {
      return false;
    }
    const int64_t elements = layout.size(Axis::Register);
    const auto [dim, count] = row->second;
    return elements <= mostElements ||
           elements <= mostVectors * std::min(count, layout.contiguous(dim));
  }

  /// Are its elements beside each other in memory? Of others each lane reads a
  /// sector of its own, a second time too.
  bool isDense(Operation *op) const { return dense.contains(op); }

  /// The same row, in another layout.
  void repeat(Operation *op, Operation *copy) {
    if (auto row = vectors.find(op); row != vectors.end()) {
      const VectorAccess access = row->second;
      vectors[copy] = access;
      if (dense.contains(op)) {
        dense.insert(copy);
      }
    }
  }

private:
  // All is asked before anything changes.
  llvm::DenseMap<Operation *, VectorAccess> vectors;
  llvm::SmallPtrSet<Operation *, 4> dense;
};

/// Do the elements along its only long dimension follow each other, or lie at
/// one place, as far as it is known?
bool isDenseRow(Operation *op) {
  const ArrayRef<int64_t> shape = tile::shapeOf(op->getResult(0).getType());
  const auto along = llvm::find_if(shape, [](int64_t n) { return n > 1; });
  if (along == shape.end()) {
    return true;
  }
  const auto dim = size_t(along - shape.begin());
  if (auto pointers = dyn_cast<tile::LoadOp>(op)) {
    const LaneStrides strides = laneStridesOf(pointers.getPointer());
    return !strides[dim] || (*strides[dim] >= 0 && *strides[dim] <= 1);
  }
  Value view = cast<tile::LoadViewOp>(op).getView();
  while (auto advance = view.getDefiningOp<tile::AdvanceViewOp>()) {
    view = advance.getView();
  }
  auto make = view.getDefiningOp<tile::MakeViewOp>();
  return make && matchPattern(make.getStrides()[dim], m_One());
}

void Rows::find(tile::KernelOp kernel, int64_t vectorBytes) {
  std::optional<Contiguity> runs;
  kernel.walk([&](Operation *op) {
    if (!isLoad(op) || !isa<RankedTensorType>(op->getResult(0).getType()) ||
        llvm::count_if(tile::shapeOf(op->getResult(0).getType()),
                       [](int64_t n) { return n > 1; }) > 1 ||
        isWrittenIn(kernel, op)) {
      return;
    }
    if (!runs) {
      runs.emplace(kernel);
    }
    vectors[op] =
        vectorOfLoad(*runs, op, layoutOf(op->getResult(0)), vectorBytes);
    if (isDenseRow(op)) {
      dense.insert(op);
    }
  });
}

/// Bytes that lanes and registers of a warp have beside each other in memory.
int64_t bytesTogether(const Layout &layout, unsigned dim, Type element) {
  int64_t elements = layout.contiguous(dim);
  for (const Coordinates &basis : layout.bases(Axis::Lane)) {
    const bool isNext =
        llvm::count_if(basis, [](int64_t n) { return n != 0; }) == 1 &&
        basis[dim] == elements;
    elements *= isNext ? 2 : 1;
  }
  return elements * tile::storageBytes(element);
}

/// Does a load or store in this layout move whole sectors of memory? It may
/// take more instructions, but fewer than an exchange between the threads.
bool movesSectors(const Contiguity &runs, Operation *op, Value tile,
                  const Layout &layout, int64_t vectorBytes) {
  constexpr int64_t sectors = 64; // bytes
  constexpr int64_t most = 64;    // elements of a thread
  auto store = dyn_cast<tile::StoreViewOp>(op);
  const VectorAccess access =
      store ? vectorOfView(runs, store.getView(), store.getOffsets(),
                           SmallVector<bool>(store.getChecked().size(), false),
                           layoutOf(tile), vectorBytes)
            : vectorOfLoad(runs, op, layoutOf(tile), vectorBytes);
  const int64_t registers = layout.size(Axis::Register);
  const Type element = tile::elementType(tile.getType());
  // A thread's longer runs are strided accesses.
  return access.count > 1 && registers <= most &&
         layout.contiguous(access.dim) * tile::storageBytes(element) <=
             vectorBytes &&
         registers <= layoutOf(tile).size(Axis::Register) &&
         bytesTogether(layout, access.dim, element) >= sectors;
}

/// Computes each element of its result from those beside it.
bool isElementwise(Operation *op) {
  return (op->hasTrait<OpTrait::Elementwise>() || isa<arith::SelectOp>(op)) &&
         isPure(op) && op->getNumResults() == 1;
}

/// Arithmetic that nothing else uses is done in another layout instead, not
/// again; it may be dear, if no thread has more of it then.
bool canMove(Operation *op, const Layout &layout) {
  return isElementwise(op) &&
         layout.size(Axis::Register) <=
             layoutOf(op->getResult(0)).size(Axis::Register);
}

/// A quotient by a constant is a product and shifts; a thread should not have
/// many of them to make.
bool dividesCheaply(Operation *op, const Layout &layout) {
  constexpr int64_t most = 8;
  return layout.size(Axis::Register) <= most &&
         matchPattern(op->getOperand(1), m_Constant());
}

/// The layouts that the tile operands of `op` need for a result in `layout`;
/// none if it cannot be computed so, or not cheaply.
std::optional<SmallVector<Layout, 3>>
operandLayouts(Operation *op, const Layout &layout, bool isMoved,
               bool mayDivide, const Rows &rows) {
  SmallVector<Layout, 3> wanted;
  // Shared memory is read in any layout.
  if (isa<tile::SplatOp, tile::RangeOp, ReadOp>(op)) {
    return wanted;
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (isa<SplatElementsAttr>(constant.getValue())) {
      return wanted;
    }
    return std::nullopt;
  }
  if (auto broadcast = dyn_cast<tile::BroadcastOp>(op)) {
    wanted.push_back(
        layout.beforeBroadcast(tile::shapeOf(broadcast.getSource().getType())));
    return wanted;
  }
  if (auto join = dyn_cast<tile::JoinOp>(op)) {
    // What is repeated moves once. Others would move as much, in two parts.
    Layout half = layout.withoutDim(layout.rank() - 1);
    if (join.getLhs() != join.getRhs() ||
        !isa<RankedTensorType>(join.getLhs().getType()) ||
        joined(half) != layout) {
      return std::nullopt;
    }
    wanted.append(2, half);
    return wanted;
  }
  if (auto reshape = dyn_cast<tile::ReshapeOp>(op)) {
    std::optional<Layout> source =
        layout.reshaped(tile::shapeOf(reshape.getSource().getType()));
    if (!source) {
      return std::nullopt;
    }
    wanted.push_back(*source);
    return wanted;
  }
  if (auto transpose = dyn_cast<tile::TransposeOp>(op)) {
    wanted.push_back(layout.permuted(inverse(transpose.getOrder())));
    return wanted;
  }
  if (rows.hasFew(op, layout) && (isMoved || rows.isDense(op))) {
    for (Value operand : op->getOperands()) {
      if (isa<RankedTensorType>(operand.getType())) {
        wanted.push_back(layout);
      }
    }
    return wanted;
  }
  // Integer arithmetic and what it is made of; float math is not cheap.
  bool isCheap =
      isElementwise(op) &&
      !isa<tile::MathOp, tile::PowOp, tile::DivFOp, tile::RemFOp>(op) &&
      (!isa<tile::DivSIOp, tile::DivUIOp, tile::RemSIOp, tile::RemUIOp>(op) ||
       (mayDivide && dividesCheaply(op, layout)));
  if (!isCheap && !(isMoved && canMove(op, layout))) {
    return std::nullopt;
  }
  for (Value operand : op->getOperands()) {
    if (isa<RankedTensorType>(operand.getType())) {
      wanted.push_back(layout);
    }
  }
  return wanted;
}

/// Is the value used once, beside its definition?
bool hasOneUseBeside(Operation *op) {
  return op->hasOneUse() && (*op->user_begin())->getBlock() == op->getBlock();
}

/// The load that is there for this conversion alone, and for arithmetic before
/// it; null: there is none. Loops of dots begin their loads ahead, as copies,
/// which want wide vectors.
Operation *loadOf(ConvertOp convert) {
  auto loop = dyn_cast<scf::ForOp>(convert->getParentOp());
  if (loop && !loop.getBody()->getOps<DotOp>().empty()) {
    return nullptr;
  }
  const Layout &layout = layoutOf(convert.getResult());
  Operation *op = convert.getSource().getDefiningOp();
  while (op && hasOneUseBeside(op) && !isLoad(op)) {
    if (!canMove(op, layout) || op->getNumOperands() != 1) {
      return nullptr;
    }
    op = op->getOperand(0).getDefiningOp();
  }
  return op && isLoad(op) && hasOneUseBeside(op) ? op : nullptr;
}

/// A tile of which each thread can make its own part.
bool isSplat(Value value) {
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  return value.getDefiningOp<tile::SplatOp>() ||
         (constant && isa<SplatElementsAttr>(constant.getValue()));
}

/// The store for which this conversion alone is there, and arithmetic behind
/// it; null: there is none.
tile::StoreViewOp storeOf(ConvertOp convert) {
  Operation *op = convert;
  while (hasOneUseBeside(op)) {
    Value from = op->getResult(0);
    op = *op->user_begin();
    if (auto store = dyn_cast<tile::StoreViewOp>(op)) {
      return store.getValue() == from ? store : nullptr;
    }
    if (!isElementwise(op) || !llvm::all_of(op->getOperands(), [&](Value one) {
          return one == from || isSplat(one);
        })) {
      return nullptr;
    }
  }
  return nullptr;
}

/// Stores in the layout of the conversion's source.
void storeWithout(ConvertOp convert) {
  const Layout layout = layoutOf(convert.getSource());
  Operation *op = *convert->user_begin();
  convert.getResult().replaceAllUsesWith(convert.getSource());
  convert.erase();
  for (; !isa<tile::StoreViewOp>(op); op = *op->user_begin()) {
    OpBuilder builder(op);
    for (OpOperand &operand : op->getOpOperands()) {
      Operation *source = operand.get().getDefiningOp();
      if (!isSplat(operand.get()) || layoutOf(operand.get()) == layout) {
        continue;
      }
      Operation *copy = builder.clone(*source);
      auto type =
          withLayout(cast<RankedTensorType>(operand.get().getType()), layout);
      copy->getResult(0).setType(type);
      if (auto constant = dyn_cast<arith::ConstantOp>(copy)) {
        constant.setValueAttr(
            cast<SplatElementsAttr>(constant.getValue()).resizeSplat(type));
      }
      operand.set(copy->getResult(0));
    }
    Value result = op->getResult(0);
    result.setType(
        withLayout(cast<RankedTensorType>(result.getType()), layout));
  }
}

class Recomputer {
public:
  /// `moved`: the load that is done in the wanted layout, if there is one.
  /// `mayDivide`: the kernel has no dots, whose operands leave few registers.
  Recomputer(ConvertOp convert, Operation *moved, bool mayDivide, Rows &rows)
      : convert(convert), movedLoad(moved), mayDivide(mayDivide), rows(rows) {}

  /// Can the source be computed in the result's layout with few ops, moving
  /// nothing, or only what is smaller?
  bool isWorthIt() {
    int64_t moved = 0;
    return plan(convert.getSource(), layoutOf(convert.getResult()), true,
                moved) &&
           clones <= MostClones + 2 * own &&
           moved * 2 <= layoutOf(convert.getSource()).size(Axis::Register);
  }

  Value build() {
    OpBuilder builder(convert);
    return build(builder, convert.getSource(), layoutOf(convert.getResult()),
                 true);
  }

private:
  /// Is the op beside the conversion, and for it alone?
  bool isItsOwn(Operation *op) {
    return op->getBlock() == convert->getBlock() && op->hasOneUse();
  }

  std::optional<SmallVector<Layout, 3>>
  operandsOf(Operation *op, const Layout &layout, bool isOwn) {
    if (op && op == movedLoad) {
      const auto tiles = llvm::count_if(op->getOperands(), [](Value operand) {
        return isa<RankedTensorType>(operand.getType());
      });
      return SmallVector<Layout, 3>(size_t(tiles), layout);
    }
    return op ? operandLayouts(op, layout, isOwn, mayDivide, rows)
              : std::nullopt;
  }

  /// `isOwn`: nothing but the conversion needs the value. `moved`: registers
  /// that are converted after all.
  bool plan(Value value, const Layout &layout, bool isOwn, int64_t &moved) {
    if (layoutOf(value) == layout) {
      return true;
    }
    Operation *op = value.getDefiningOp();
    isOwn = isOwn && op && isItsOwn(op);
    if (auto other = dyn_cast_if_present<ConvertOp>(op)) {
      return plan(other.getSource(), layout, isOwn, moved);
    }
    std::optional<SmallVector<Layout, 3>> operands =
        operandsOf(op, layout, isOwn);
    if (!operands) {
      // A row of a broadcast is worth moving, a whole tile is not.
      moved += layoutOf(value).size(Axis::Register);
      return value != convert.getSource();
    }
    ++(isOwn ? own : clones);
    if (clones > MostClones + 2 * own) {
      return false;
    }
    unsigned next = 0;
    for (Value operand : op->getOperands()) {
      if (isa<RankedTensorType>(operand.getType()) &&
          !plan(operand, (*operands)[next++], isOwn, moved)) {
        return false;
      }
      if (isa<tile::JoinOp>(op)) {
        break; // its operands are one value
      }
    }
    return true;
  }

  Value build(OpBuilder &builder, Value value, const Layout &layout,
              bool isOwn) {
    if (layoutOf(value) == layout) {
      return value;
    }
    auto type = withLayout(cast<RankedTensorType>(value.getType()), layout);
    Operation *op = value.getDefiningOp();
    isOwn = isOwn && op && isItsOwn(op);
    if (auto other = dyn_cast_if_present<ConvertOp>(op)) {
      return build(builder, other.getSource(), layout, isOwn);
    }
    std::optional<SmallVector<Layout, 3>> operands =
        operandsOf(op, layout, isOwn);
    OpBuilder::InsertionGuard guard(builder);
    if (!operands) {
      // What a loop does not change is moved before it.
      if (value.getParentBlock() != convert->getBlock()) {
        builder.setInsertionPointAfterValue(value);
      }
      return ConvertOp::create(builder, value.getLoc(), type, value);
    }
    if (!isPure(op)) {
      builder.setInsertionPoint(op); // a load
    }
    SmallVector<Value> values;
    unsigned next = 0;
    for (Value operand : op->getOperands()) {
      if (isa<tile::JoinOp>(op) && !values.empty()) {
        values.push_back(values.front());
        break;
      }
      bool isTile = isa<RankedTensorType>(operand.getType());
      values.push_back(isTile
                           ? build(builder, operand, (*operands)[next++], isOwn)
                           : operand);
    }
    Operation *copy = builder.clone(*op);
    rows.repeat(op, copy);
    copy->setOperands(values);
    copy->getResult(0).setType(type);
    if (auto constant = dyn_cast<arith::ConstantOp>(copy)) {
      auto splat = cast<SplatElementsAttr>(constant.getValue());
      constant.setValueAttr(splat.resizeSplat(type));
    }
    return copy->getResult(0);
  }

  ConvertOp convert;
  Operation *movedLoad;
  const bool mayDivide;
  Rows &rows;
  unsigned clones = 0, own = 0; // ops that are made again, or moved
};

struct RemoveConversions
    : tz::simt::impl::RemoveConversionsBase<RemoveConversions> {
  explicit RemoveConversions(const SimtTarget *target) : target(target) {}
  RemoveConversions() = default;
  RemoveConversions(const RemoveConversions &other)
      : RemoveConversionsBase(other), target(other.target) {}

  void runOnOperation() override {
    SmallVector<ConvertOp> all;
    getOperation().walk([&](ConvertOp convert) { all.push_back(convert); });
    findAccesses(all);
    const bool hasDots = !all.empty() && getOperation()
                                             ->walk([](DotOp) {
                                               return WalkResult::interrupt();
                                             })
                                             .wasInterrupted();
    bool hasChanged = false;
    for (ConvertOp convert : all) {
      if (stores.contains(convert)) {
        ++recomputed;
        hasChanged = true;
        storeWithout(convert);
        continue;
      }
      Recomputer recomputer(convert, loads.lookup(convert), !hasDots, rows);
      if (!recomputer.isWorthIt()) {
        ++kept;
        continue;
      }
      ++recomputed;
      hasChanged = true;
      convert.getResult().replaceAllUsesWith(recomputer.build());
      convert.erase();
    }
    hasChanged |= removeDead(getOperation());
    const unsigned late = delayConversions(getOperation());
    delayed += late;
    hasChanged |= late != 0;
    if (!hasChanged) {
      markAllAnalysesPreserved();
    }
  }

  /// Of which conversions the load, or the store, may be done in the other
  /// layout. All is asked before anything changes.
  void findAccesses(ArrayRef<ConvertOp> all) {
    stores.clear();
    loads.clear();
    const SimtTarget plain;
    const int64_t vectorBytes = (target ? *target : plain).vectorBytes();
    rows = Rows();
    if (!all.empty()) {
      rows.find(getOperation(), vectorBytes);
    }
    std::optional<Contiguity> runs; // dear to find out, and seldom needed
    auto movesIn = [&](Operation *access, Value tile, const Layout &layout) {
      if (!runs) {
        runs.emplace(getOperation());
      }
      return movesSectors(*runs, access, tile, layout, vectorBytes);
    };
    for (ConvertOp convert : all) {
      if (tile::StoreViewOp store = storeOf(convert);
          store &&
          movesIn(store, store.getValue(), layoutOf(convert.getSource()))) {
        stores.insert(convert);
      } else if (Operation *load = loadOf(convert);
                 load && movesIn(load, load->getResult(0),
                                 layoutOf(convert.getResult()))) {
        loads[convert] = load;
      }
    }
  }

  const SimtTarget *target = nullptr;
  llvm::SmallPtrSet<Operation *, 8> stores;
  llvm::DenseMap<Operation *, Operation *> loads;
  Rows rows;

  /// What only a conversion used. False: there is nothing of it.
  static bool removeDead(tile::KernelOp kernel) {
    bool hasRemoved = false;
    SmallVector<Operation *> all;
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { all.push_back(op); });
    for (Operation *op : llvm::reverse(all)) {
      if (isOpTriviallyDead(op)) {
        op->erase();
        hasRemoved = true;
      }
    }
    return hasRemoved;
  }
};

} // namespace

std::unique_ptr<Pass>
tz::simt::createRemoveConversions(const SimtTarget *target) {
  return std::make_unique<RemoveConversions>(target);
}
