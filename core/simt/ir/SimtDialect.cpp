//===- SimtDialect.cpp - registration and ops of the simt dialect ---------===//
//
// What   Numbered constraints and folders of SimtOps.td; layouts of types.
// Why    See SimtOps.td.
//===----------------------------------------------------------------------===//
#include "terrazzo/simt/Simt.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

#include "terrazzo/simt/SimtDialect.cpp.inc"

#define GET_OP_CLASSES
#include "terrazzo/simt/SimtOps.cpp.inc"

namespace {
/// Layouts are long and stand on every type: #layout, #layout1 ... for them.
struct AsmNames : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;
  AliasResult getAlias(Attribute attribute,
                       llvm::raw_ostream &stream) const override {
    if (isa<LayoutAttr>(attribute)) {
      stream << "layout";
      return AliasResult::FinalAlias;
    }
    if (isa<SharedAttr>(attribute)) {
      stream << "shared";
      return AliasResult::FinalAlias;
    }
    return AliasResult::NoAlias;
  }
};
} // namespace

void SimtDialect::initialize() {
  addInterfaces<AsmNames>();
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "terrazzo/simt/SimtOps.cpp.inc"
      >();
}

namespace {
bool isCarriedTile(LoopLikeOpInterface loop, Value value) {
  return hasLayout(value.getType()) &&
         llvm::is_contained(loop.getRegionIterArgs(), value);
}

/// Is the value computed, in the loop, of a tile that it carries?
bool comesOfCarried(LoopLikeOpInterface loop, ValueRange values) {
  llvm::SetVector<Value> reached(values.begin(), values.end());
  for (size_t i = 0; i < reached.size(); ++i) {
    if (isCarriedTile(loop, reached[i])) {
      return true;
    }
    Operation *op = reached[i].getDefiningOp();
    if (op && loop->isProperAncestor(op)) {
      op->walk([&](Operation *inner) {
        reached.insert(inner->operand_begin(), inner->operand_end());
      });
    }
  }
  return false;
}

/// Of the reduction: what each thread holds, and nothing of others?
bool isOfThreads(tile::ReduceOp reduce) {
  Type type = reduce.getSources().front().getType();
  if (!hasLayout(type)) {
    return false;
  }
  const Layout &layout = layoutOf(type);
  const unsigned dim = reduce.getAxis();
  return llvm::all_of(layout.repeats(),
                      [&](const Layout::Repeat &copies) {
                        return copies.axis == Axis::Register ||
                               copies.dim != dim;
                      }) &&
         llvm::all_of(AllAxes, [&](Axis axis) {
           return axis == Axis::Register ||
                  llvm::all_of(layout.bases(axis), [&](const Coordinates &at) {
                    return at[dim] == 0;
                  });
         });
}
} // namespace

bool tz::simt::combinesThreads(Operation *op) {
  auto reduce = dyn_cast<tile::ReduceOp>(op);
  return reduce ? !isOfThreads(reduce) : isa<tile::ScanOp>(op);
}

bool tz::simt::combinesBesideCarried(LoopLikeOpInterface loop) {
  return llvm::any_of(
             loop.getRegionIterArgs(),
             [](Value carried) { return hasLayout(carried.getType()); }) &&
         llvm::any_of(loop.getLoopRegions().front()->getOps(),
                      [](Operation &op) { return combinesThreads(&op); });
}

bool tz::simt::isRecurrence(LoopLikeOpInterface loop) {
  return llvm::any_of(
      loop.getLoopRegions().front()->getOps(), [&](Operation &op) {
        return combinesThreads(&op) && comesOfCarried(loop, op.getOperands());
      });
}

bool tz::simt::hasLayout(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa_and_present<LayoutAttr>(tensor.getEncoding());
}

const Layout &tz::simt::layoutOf(Type type) {
  return cast<LayoutAttr>(cast<RankedTensorType>(type).getEncoding())
      .getValue();
}

int64_t tz::simt::wordsOf(Value value) {
  if (!hasLayout(value.getType())) {
    return 0;
  }
  Type element = tile::elementType(value.getType());
  const unsigned bits =
      element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  return layoutOf(value).size(Axis::Register) * std::max(32u, bits) / 32;
}

unsigned tz::simt::clusterBlocks(tile::KernelOp kernel) {
  auto blocks = kernel->getAttrOfType<IntegerAttr>(ClusterName);
  return blocks ? unsigned(blocks.getInt()) : 1;
}

unsigned tz::simt::splitBlocks(tile::KernelOp kernel) {
  auto blocks = kernel->getAttrOfType<IntegerAttr>(SplitName);
  return blocks ? unsigned(blocks.getInt()) : 1;
}

int64_t tz::simt::boxesOf(DescriptorType descriptor, BufferType buffer) {
  const int64_t elements =
      llvm::product_of(descriptor.getBox()); // those of more dimensions are 1
  return llvm::divideCeil(llvm::product_of(buffer.getShape()), elements);
}

RankedTensorType tz::simt::packedType(RankedTensorType type) {
  if (isa<tile::PtrType>(type.getElementType())) {
    return nullptr;
  }
  const Layout &layout = layoutOf(type);
  const int64_t words = llvm::divideCeil(
      layout.size(Axis::Register) * tile::storageBytes(type.getElementType()),
      4);
  Layout row(1);
  for (int64_t lane = 1; lane < layout.size(Axis::Lane); lane *= 2) {
    row.addBit(Axis::Lane, {lane});
  }
  row.repeat(Axis::Warp, 0, layout.size(Axis::Warp));
  row.repeat(Axis::Register, 0, words);
  return RankedTensorType::get(row.shape(),
                               IntegerType::get(type.getContext(), 32),
                               LayoutAttr::get(type.getContext(), row));
}

bool tz::simt::isMadeOf(const Layout &layout, const Layout &message) {
  if (layout.rank() != 2 || message.rank() != 2 || !message.isLinear() ||
      !layout.bases(Axis::Block).empty() ||
      layout.bases(Axis::Lane) != message.bases(Axis::Lane) ||
      !message.bases(Axis::Warp).empty()) {
    return false;
  }
  ArrayRef<Coordinates> all = layout.bases(Axis::Register),
                        inside = message.bases(Axis::Register);
  const Coordinates box = message.shape();
  if (inside.size() > all.size() || inside != all.take_front(inside.size()) ||
      message.size(Axis::Register) * message.size(Axis::Lane) !=
          box[0] * box[1] ||
      !message.covers(box)) {
    return false;
  }
  // Others begin at multiples of it, and those of warps and registers add up.
  Coordinates ofRegisters(2, 0);
  for (const Coordinates &basis : all.drop_front(inside.size())) {
    for (unsigned dim = 0; dim < 2; ++dim) {
      if (basis[dim] % box[dim] != 0) {
        return false;
      }
      ofRegisters[dim] |= basis[dim];
    }
  }
  return llvm::all_of(layout.bases(Axis::Warp), [&](const Coordinates &basis) {
    return basis[0] % box[0] == 0 && basis[1] % box[1] == 0 &&
           (basis[0] & ofRegisters[0]) == 0 && (basis[1] & ofRegisters[1]) == 0;
  });
}

RankedTensorType tz::simt::withLayout(RankedTensorType type,
                                      const Layout &layout) {
  return RankedTensorType::get(type.getShape(), type.getElementType(),
                               LayoutAttr::get(type.getContext(), layout));
}

LogicalResult ConvertOp::verify() {
  Type from = getSource().getType(), to = getResult().getType();
  if (!hasLayout(from) || !hasLayout(to) ||
      tile::shapeOf(from) != tile::shapeOf(to) ||
      tile::elementType(from) != tile::elementType(to)) {
    return emitOpError("C1: ")
           << from << " and " << to << " differ in more than the layout";
  }
  return success();
}

OpFoldResult ConvertOp::fold(FoldAdaptor) {
  if (auto inner = getSource().getDefiningOp<ConvertOp>()) {
    getSourceMutable().assign(inner.getSource());
    return getResult();
  }
  return getSource().getType() == getType() ? getSource() : Value();
}

LogicalResult StageOp::verify() {
  Type from = getSource().getType();
  BufferType to = getResult().getType();
  if (tile::shapeOf(from) != to.getShape() ||
      tile::elementType(from) != to.getElementType()) {
    return emitOpError("C1: ") << to << " cannot hold " << from;
  }
  return success();
}

void DotWaitOp::build(OpBuilder &builder, OperationState &state,
                      TypeRange types, uint32_t pending, ValueRange sources,
                      ValueRange reads) {
  state.addTypes(types);
  state.addOperands(sources);
  state.addOperands(reads);
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.pending = builder.getI32IntegerAttr(int32_t(pending));
  properties.operandSegmentSizes = {int32_t(sources.size()),
                                    int32_t(reads.size())};
}

LogicalResult PermuteOp::verify() {
  BufferType from = getSource().getType();
  const int64_t rank = int64_t(from.getShape().size());
  SmallVector<int64_t> sorted(getOrder());
  llvm::sort(sorted);
  const bool isPermutation = int64_t(sorted.size()) == rank &&
                             llvm::equal(sorted, llvm::seq<int64_t>(0, rank));
  if (!isPermutation || getResult().getType() != from.permuted(getOrder())) {
    return emitOpError("C1: ")
           << getResult().getType() << " is not " << from << " in this order";
  }
  return success();
}

LogicalResult SlotOp::verify() {
  if (getResult().getType() != getRing().getType().getBuffer()) {
    return emitOpError("C1: ")
           << getResult().getType() << " is no slot of " << getRing().getType();
  }
  return success();
}

static bool isLike(BufferType buffer, Type tile) {
  return tile::shapeOf(tile) == buffer.getShape() &&
         tile::elementType(tile) == buffer.getElementType();
}

LogicalResult ReadOp::verify() {
  if (!isLike(getSource().getType(), getType())) {
    return emitOpError("C1: ")
           << getSource().getType() << " does not hold " << getType();
  }
  return success();
}

LogicalResult WriteOp::verify() {
  if (!isLike(getTo().getType(), getSource().getType())) {
    return emitOpError("C1: ")
           << getTo().getType() << " cannot hold " << getSource().getType();
  }
  return success();
}

static LogicalResult verifyPacked(Operation *op, Type tile, Type packed) {
  RankedTensorType expected;
  if (hasLayout(tile)) {
    expected = packedType(cast<RankedTensorType>(tile));
  }
  if (!expected || expected != packed) {
    return op->emitOpError("C1: ")
           << packed << " is not what " << tile << " is packed into";
  }
  return success();
}

LogicalResult PackOp::verify() {
  return verifyPacked(*this, getSource().getType(), getType());
}

LogicalResult UnpackOp::verify() {
  return verifyPacked(*this, getType(), getSource().getType());
}

LogicalResult AsyncCopyOp::verify() {
  auto pointer =
      dyn_cast<tile::PtrType>(tile::elementType(getPointer().getType()));
  BufferType to = getTo().getType();
  if (!pointer || pointer.getPointee() != to.getElementType() ||
      tile::shapeOf(getPointer().getType()) != to.getShape()) {
    return emitOpError("C1: ")
           << getPointer().getType() << " does not fill " << to;
  }
  return success();
}

LogicalResult AsyncCopyViewOp::verify() {
  BufferType to = getTo().getType();
  if (!isLike(to, getView().getType().getTileType()) ||
      !getLayout().getValue().covers(to.getShape())) {
    return emitOpError("C1: ") << getView().getType() << " does not fill " << to
                               << " in this layout";
  }
  return success();
}

LogicalResult DescriptorOp::verify() {
  auto argument = dyn_cast<BlockArgument>(getBase());
  if (!argument || !isa<tile::KernelOp>(argument.getOwner()->getParentOp())) {
    return emitOpError("C1: the base is not an argument of the kernel");
  }
  size_t rank = getType().getBox().size();
  if (rank == 0 || getShape().size() != rank || getStrides().size() != rank) {
    return emitOpError("C2: the box has ") << rank << " dimensions";
  }
  return success();
}

LogicalResult BulkCopyOp::verify() {
  if (getTo().getType().getLayout().getPadding() != 0) {
    return emitOpError("C3: the bulk copy unit fills no padded buffer");
  }
  if (getAt().size() != getDescriptor().getType().getBox().size()) {
    return emitOpError("C1: the frame has ")
           << getDescriptor().getType().getBox().size() << " dimensions";
  }
  if (getShared()) {
    const unsigned blocks =
        clusterBlocks((*this)->getParentOfType<tile::KernelOp>());
    if (blocks < 2 ||
        boxesOf(getDescriptor().getType(), getTo().getType()) % blocks != 0) {
      return emitOpError("C2: boxes that ")
             << blocks << " blocks cannot deal out";
    }
  }
  return success();
}

/// The other end of a region, in the direction of `step`; null: there is none.
template <typename Near, typename Far>
static Operation *otherEnd(Near from, Operation *(Operation::*step)()) {
  llvm::SmallVector<StringRef> open = {from.getName()};
  for (Operation *op = (from.getOperation()->*step)(); op; op = (op->*step)()) {
    if (auto near = dyn_cast<Near>(op)) {
      open.push_back(near.getName());
    } else if (auto far = dyn_cast<Far>(op)) {
      if (far.getName() != open.pop_back_val()) {
        return nullptr;
      }
      if (open.empty()) {
        return op;
      }
    }
  }
  return nullptr;
}

LogicalResult BeginRegionOp::verify() {
  if (!otherEnd<BeginRegionOp, EndRegionOp>(*this, &Operation::getNextNode)) {
    return emitOpError("C1: no whole region '")
           << getName() << "' begins here: its end is not in this block";
  }
  return success();
}

LogicalResult EndRegionOp::verify() {
  if (!otherEnd<EndRegionOp, BeginRegionOp>(*this, &Operation::getPrevNode)) {
    return emitOpError("C1: no whole region '")
           << getName() << "' ends here: its begin is not in this block";
  }
  return success();
}

LogicalResult BulkStoreOp::verify() {
  if (!isLike(getBuffer(), getValue().getType())) {
    return emitOpError("C1: ")
           << getBuffer() << " does not hold " << getValue().getType();
  }
  if (getAt().size() != getDescriptor().getType().getBox().size()) {
    return emitOpError("C2: the frame has ")
           << getDescriptor().getType().getBox().size() << " dimensions";
  }
  if (getBuffer().getLayout().getPadding() != 0) {
    return emitOpError("C4: the bulk copy unit stores no padded buffer");
  }
  if (!canStoreIn(getPieces())) {
    return emitOpError("C3: cannot be stored in ") << getPieces() << " pieces";
  }
  return success();
}

bool BulkStoreOp::canStoreIn(int64_t pieces) {
  if (pieces == 1) {
    return true;
  }
  const BufferType buffer = getBuffer();
  const unsigned fast = buffer.getLayout().getOrder()[0];
  const int64_t width = pieces < 1 ? 0 : buffer.getShape()[fast] / pieces;
  if (!hasLayout(getValue().getType()) || !llvm::isPowerOf2_64(width) ||
      width * pieces != buffer.getShape()[fast] ||
      width % buffer.getLayout().getPanel() != 0 ||
      buffer.getBytes() / pieces % buffer.getLayout().getPeriod() != 0) {
    return false;
  }
  const Layout &layout = layoutOf(getValue());
  for (Axis axis : {Axis::Lane, Axis::Warp}) {
    for (const Coordinates &basis : layout.bases(axis)) {
      if (basis[fast] >= width) {
        return false;
      }
    }
  }
  return llvm::none_of(layout.repeats(), [&](const Layout::Repeat &copy) {
    return copy.axis == Axis::Warp && copy.dim == fast;
  });
}

int64_t BulkStoreOp::pieceOf(unsigned reg) {
  const BufferType buffer = getBuffer();
  const unsigned fast = buffer.getLayout().getOrder()[0];
  return layoutOf(getValue()).apply(Place{{reg, 0, 0, 0}})[fast] /
         (buffer.getShape()[fast] / int64_t(getPieces()));
}

static LogicalResult verifyBlock(Operation *op, DescriptorType type,
                                 size_t coordinates, Type tile,
                                 const Layout &message, unsigned fast) {
  ArrayRef<int64_t> box = type.getBox();
  if (coordinates != box.size()) {
    return op->emitOpError("C1: ")
           << coordinates << " coordinates, and the frame has " << box.size()
           << " dimensions";
  }
  if (box.size() < 2 || tile::shapeOf(tile).size() != 2 || fast > 1) {
    return op->emitOpError("C1: frame and tile do not end in two dimensions");
  }
  if (!hasLayout(tile) || !isMadeOf(layoutOf(tile), message) ||
      message.shape()[fast] != box.back() ||
      message.shape()[1 - fast] != box[box.size() - 2] ||
      tile::elementType(tile) != type.getElementType()) {
    return op->emitOpError("C2: ") << tile << " is not made of such messages";
  }
  return success();
}

LogicalResult LoadBlockOp::verify() {
  return verifyBlock(*this, getDescriptor().getType(), getAt().size(),
                     getType(), getMessage().getValue(), getFast());
}

LogicalResult StoreBlockOp::verify() {
  return verifyBlock(*this, getDescriptor().getType(), getAt().size(),
                     getValue().getType(), getMessage().getValue(), getFast());
}

LogicalResult PrefetchBlockOp::verify() {
  return verifyBlock(*this, getDescriptor().getType(), getAt().size(),
                     getTile(), getMessage().getValue(), getFast());
}

LogicalResult LogicalGridOp::verify() {
  if (getAxis() > 2) {
    return emitOpError("C1: axis ") << getAxis() << " is not 0, 1 or 2";
  }
  return success();
}

/// Of ops that speak of other blocks of the same program.
static LogicalResult verifySplit(Operation *op) {
  auto kernel = op->getParentOfType<tile::KernelOp>();
  return kernel && splitBlocks(kernel) > 1
             ? success()
             : op->emitOpError("C1: each program has one block");
}

LogicalResult BlockRankOp::verify() { return verifySplit(*this); }

LogicalResult BlockSumOp::verify() {
  Type element = tile::elementType(getType());
  if (!element.isF32() && !element.isF64() && !element.isInteger(32)) {
    return emitOpError("C2: no sums of ") << element;
  }
  return verifySplit(*this);
}

LogicalResult FirstBlockOp::verify() {
  Operation *around = (*this)->getParentOp();
  while (isa<scf::IfOp>(around)) {
    around = around->getParentOp();
  }
  if (!isa<tile::KernelOp>(around)) {
    return emitOpError("C2: in a loop");
  }
  return verifySplit(*this);
}

LogicalResult ExpectOp::verify() {
  if (getBarriers().getType().getArrivals() != 1) {
    return emitOpError("C1: bytes are expected where warps arrive");
  }
  return success();
}

static LogicalResult verifyEmpty(Operation *op, BarriersType type) {
  auto kernel = op->getParentOfType<tile::KernelOp>();
  auto warps = kernel ? kernel->getAttrOfType<IntegerAttr>("tile.num_warps")
                      : IntegerAttr();
  if (!warps) {
    return success();
  }
  const int64_t all = warps.getInt() * clusterBlocks(kernel);
  if (type.getArrivals() != all) {
    return op->emitOpError("C1: a phase has ")
           << type.getArrivals() << " arrivals, the block " << all << " warps";
  }
  return success();
}

LogicalResult AcquireOp::verify() {
  return verifyEmpty(*this, getBarriers().getType());
}

LogicalResult ReleaseOp::verify() {
  return verifyEmpty(*this, getBarriers().getType());
}

void SpecializeOp::build(OpBuilder &b, OperationState &state, unsigned warps) {
  state.getOrAddProperties<Properties>().warps = b.getI32IntegerAttr(warps);
  for (int half = 0; half < 2; ++half) {
    ensureTerminator(*state.addRegion(), b, state.location);
  }
}

LogicalResult SpecializeOp::verifyRegions() {
  Operation *next = (*this)->getNextNode();
  if (!isa<tile::KernelOp>((*this)->getParentOp()) || !next ||
      !next->hasTrait<OpTrait::IsTerminator>()) {
    return emitOpError("C1: it is not the last of the kernel");
  }
  auto isScalar = [](Type type) {
    return !isa<RankedTensorType, tile::ViewType>(type);
  };
  WalkResult found = getCopies().walk([&](Operation *op) {
    bool isAllowed =
        isa<AcquireOp, ExpectOp, BulkCopyOp, scf::ForOp, scf::IfOp>(op) ||
        isPure(op);
    if (!isAllowed || !llvm::all_of(op->getResultTypes(), isScalar)) {
      op->emitOpError("C2: stands among the copies of a specialised kernel");
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  if (found.wasInterrupted()) {
    return failure();
  }
  found = getWork().walk([&](AcquireOp op) {
    op.emitOpError("C3: stands in the work of a specialised kernel");
    return WalkResult::interrupt();
  });
  return failure(found.wasInterrupted());
}

static ArrayRef<int64_t> operandShape(Type type) {
  auto buffer = dyn_cast<BufferType>(type);
  return buffer ? buffer.getShape() : tile::shapeOf(type);
}

LogicalResult DotOp::verify() {
  ArrayRef<int64_t> a = operandShape(getA().getType()),
                    b = operandShape(getB().getType()),
                    acc = tile::shapeOf(getAcc().getType());
  size_t rank = acc.size();
  bool valid = rank >= 2 && rank <= 3 && a.size() == rank && b.size() == rank &&
               a[rank - 2] == acc[rank - 2] && b[rank - 1] == acc[rank - 1] &&
               a[rank - 1] == b[rank - 2] &&
               (rank == 2 || (a[0] == acc[0] && b[0] == acc[0]));
  if (!valid) {
    return emitOpError("C1: shapes of ")
           << getA().getType() << ", " << getB().getType() << " and "
           << getAcc().getType() << " are no product";
  }
  return success();
}
