//===- AssignLayouts.cpp - simt-assign-layouts ----------------------------===//
//
// What   Puts a #simt.layout on the type of every tile, and simt.convert where
//        a value is wanted in two layouts.
// Why    All later questions (which address, which shuffle, which instruction)
//        are answered from the layouts; here they are chosen.
//===----------------------------------------------------------------------===//
#include "core/simt/passes/Passes.h"

#include "terrazzo/simt/Contiguity.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

namespace tz::simt {
#define GEN_PASS_DEF_ASSIGNLAYOUTS
#include "core/simt/passes/Passes.h.inc"
} // namespace tz::simt

namespace {

/// Who wins where two layouts spread to one value.
enum Priority : unsigned { Default = 1, Memory = 2, Dot = 3 };

bool isTile(Value value) { return isa<RankedTensorType>(value.getType()); }

ArrayRef<int64_t> shapeOf(Value value) {
  return tile::shapeOf(value.getType());
}

bool isElementwise(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() ||
         isa<tile::HintOp, arith::SelectOp, tile::MapOp>(op);
}

/// The tile that an access reads or writes, and how it lies in memory.
struct Access {
  Operation *op;
  RankedTensorType type;
  SmallVector<unsigned> order; // fastest first
  int64_t vector;
};

/// Layout of a pair whose halves have this layout: the halves are in registers.
Layout joined(const Layout &half) {
  Layout pair(half.rank() + 1);
  Coordinates last(half.rank() + 1, 0);
  last.back() = 1;
  pair.addBit(Axis::Register, last);
  for (Axis axis : allAxes) {
    for (Coordinates basis : half.bases(axis)) {
      basis.push_back(0);
      pair.addBit(axis, basis);
    }
  }
  for (const Layout::Repeat &copy : half.repeats()) {
    pair.repeat(copy.axis, copy.dim, copy.count);
  }
  return pair;
}

SmallVector<int64_t> inverse(ArrayRef<int64_t> order) {
  SmallVector<int64_t> result(order.size());
  for (auto [i, dim] : llvm::enumerate(order)) {
    result[dim] = i;
  }
  return result;
}

/// Along the axis registers lie lowest, then lanes, then warps, so that a scan
/// goes over a thread's run, over lanes and over warps one after the other.
Layout scanLayout(ArrayRef<int64_t> shape, unsigned axis, unsigned lanes,
                  unsigned warps) {
  Layout layout(shape.size());
  Coordinates used(shape.size(), 1);
  auto take = [&](Axis where, unsigned dim, int64_t limit) {
    int64_t even = shape[dim] & -shape[dim], taken = 1;
    for (; taken < limit && used[dim] < even; taken *= 2, used[dim] *= 2) {
      Coordinates basis(shape.size(), 0);
      basis[dim] = used[dim];
      layout.addBit(where, basis);
    }
    return limit / taken;
  };
  SmallVector<unsigned> others;
  for (unsigned dim = shape.size(); dim-- > 0;) {
    if (dim != axis) {
      others.push_back(dim);
    }
  }
  // Runs as short as the lanes of one warp allow, warps on other dimensions.
  int64_t even = shape[axis] & -shape[axis];
  int64_t otherWarps = warps;
  Coordinates reserved(shape.size(), 1);
  for (unsigned dim : others) {
    int64_t part = std::min(otherWarps, shape[dim] & -shape[dim]);
    reserved[dim] = part;
    otherWarps /= part;
  }
  int64_t threads = int64_t(lanes) * otherWarps; // that share the axis
  take(Axis::Register, axis, std::max<int64_t>(1, even / threads));
  int64_t leftLanes = take(Axis::Lane, axis, lanes);
  for (unsigned dim : others) {
    int64_t room = (shape[dim] & -shape[dim]) / reserved[dim];
    int64_t part = std::min(leftLanes, room);
    take(Axis::Lane, dim, part);
    leftLanes /= part;
  }
  for (; leftLanes > 1; leftLanes /= 2) {
    layout.addBit(Axis::Lane, Coordinates(shape.size(), 0));
  }
  for (unsigned dim : others) {
    take(Axis::Warp, dim, reserved[dim]);
  }
  int64_t leftWarps = take(Axis::Warp, axis, otherWarps);
  for (; leftWarps > 1; leftWarps /= 2) {
    layout.addBit(Axis::Warp, Coordinates(shape.size(), 0));
  }
  for (unsigned dim : others) {
    take(Axis::Register, dim, shape[dim]);
  }
  for (unsigned dim = 0; dim < shape.size(); ++dim) {
    layout.repeat(Axis::Register, dim, shape[dim] / (shape[dim] & -shape[dim]));
  }
  return layout;
}

class Assigner {
public:
  Assigner(tile::KernelOp kernel, const Target &target, unsigned warps)
      : kernel(kernel), target(target), warps(warps), runs(kernel) {}

  void run();

  uint64_t dots = 0, accesses = 0, conversions = 0;

private:
  struct Chosen {
    Layout layout;
    Priority priority;
  };

  void collectAccesses();
  Access describe(Operation *op, RankedTensorType type, Value pointer) const;
  Access describe(Operation *op, tile::ViewType view, Value value) const;
  void anchorDots();
  std::optional<SmallVector<unsigned, 3>> memoryOrder(Value value,
                                                      unsigned steps) const;
  DotRequest::Operand describeOperand(Value value) const;
  void give(Value value, const Layout &layout, Priority priority);
  void spread();
  void spreadFrom(Value value);
  void spreadThrough(Operation *op, Value value, const Chosen &from);
  void chooseRest();
  unsigned warpsFor(ArrayRef<int64_t> shape) const;
  Layout blocked(ArrayRef<int64_t> shape, int64_t vector,
                 ArrayRef<unsigned> order) const;
  Layout plain(ArrayRef<int64_t> shape) const;
  const Layout &chosen(Value value) const {
    return choices.find(value)->second.layout;
  }
  void apply(Block &block);
  void applyTo(Operation *op);
  void applyToDot(tile::DotOp dot);
  Value wanted(OpBuilder &builder, Value value, const Layout &layout);
  void settle(Operation *op, Value result, const Layout &natural);

  tile::KernelOp kernel;
  const Target &target;
  const unsigned warps;
  Contiguity runs;
  /// Shapes of what is reduced or gathered from.
  llvm::DenseSet<ArrayRef<int64_t>> combinedShapes;
  llvm::MapVector<Operation *, Layout> ofAccess;
  llvm::DenseMap<Operation *, SmallVector<unsigned>> orderOfAccess;
  llvm::DenseMap<Operation *, DotChoice> ofDot;
  llvm::DenseMap<Value, Chosen> choices;
  SmallVector<Value> work;
};

//===----------------------------------------------------------------------===//
// Anchors
//===----------------------------------------------------------------------===//

/// Dimensions, the one with the longest runs first; of equals the last one.
SmallVector<unsigned> byContiguity(ArrayRef<int64_t> contiguity) {
  SmallVector<unsigned> order(contiguity.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return std::pair(contiguity[a], a) > std::pair(contiguity[b], b);
  });
  return order;
}

Access Assigner::describe(Operation *op, RankedTensorType type,
                          Value pointer) const {
  Runs lanes = runs.of(pointer);
  SmallVector<int64_t> contiguity;
  for (const DimRuns &one : lanes) {
    contiguity.push_back(one.contiguity);
  }
  SmallVector<unsigned> order = byContiguity(contiguity);
  int64_t bytes = tile::storageBytes(type.getElementType());
  const DimRuns &fast = lanes[order[0]];
  int64_t vector = std::min({target.vectorBytes() / bytes, fast.contiguity,
                             std::max<int64_t>(1, fast.divisibility / bytes)});
  return {op, type, order, std::max<int64_t>(1, vector)};
}

Access Assigner::describe(Operation *op, tile::ViewType view,
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
    for (auto [dim, stride] : llvm::enumerate(make.getStrides())) {
      if (matchPattern(stride, m_One()) && view.getShape()[dim] > 1) {
        fastest = dim;
      }
    }
    bool isDense = matchPattern(make.getStrides()[fastest], m_One());
    divisibility = divisibility == 0 ? target.vectorBytes() : divisibility;
    vector = isDense ? std::max<int64_t>(1, divisibility / bytes) : 1;
  }
  SmallVector<unsigned> order = {fastest};
  for (unsigned dim = rank; dim-- > 0;) {
    if (dim != fastest) {
      order.push_back(dim);
    }
  }
  vector = std::min(vector, target.vectorBytes() / bytes);
  return {op, view.getTileType(), order,
          int64_t(llvm::bit_floor(uint64_t(vector)))};
}

void Assigner::collectAccesses() {
  kernel.walk([&](Operation *op) {
    if (isa<tile::ReduceOp, tile::GatherOp>(op)) {
      combinedShapes.insert(shapeOf(op->getOperand(0)));
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
          all.push_back(
              describe(op, access.getView().getType(), access.getView()));
        });
  });
  // Accesses of one shape and order share a layout, as wide as the widest one:
  // what is loaded by one is mostly combined with what is loaded by another.
  for (const Access &access : all) {
    int64_t vector = 1, count = access.type.getNumElements();
    for (const Access &other : all) {
      if (other.type.getShape() == access.type.getShape() &&
          other.order == access.order) {
        vector = std::max(vector, other.vector);
      }
    }
    // Rather all threads at work than wide accesses.
    int64_t share = std::max<int64_t>(
        1, count / (target.lanes() * warpsFor(access.type.getShape())));
    vector = std::min<int64_t>(vector, llvm::bit_floor(uint64_t(share)));
    ofAccess.insert(
        {access.op, blocked(access.type.getShape(), vector, access.order)});
    orderOfAccess[access.op] = access.order;
    ++accesses;
  }
}

/// A small tile that is combined along a dimension is in each warp whole: what
/// the warps would save, they would lose in telling each other their parts.
unsigned Assigner::warpsFor(ArrayRef<int64_t> shape) const {
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

Layout Assigner::blocked(ArrayRef<int64_t> shape, int64_t vector,
                         ArrayRef<unsigned> order) const {
  const unsigned used = warpsFor(shape);
  Layout layout = blockedLayout({shape, vector, order, target.lanes(), used});
  for (unsigned rest = warps / used; rest > 1; rest /= 2) {
    layout.addBit(Axis::Warp, Coordinates(shape.size(), 0)); // copies
  }
  return layout;
}

/// How what a tile is computed from lies in memory, fastest dimension first.
std::optional<SmallVector<unsigned, 3>>
Assigner::memoryOrder(Value value, unsigned steps) const {
  if (steps == 0) {
    return std::nullopt;
  }
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || argument == loop.getInductionVar()) {
      return std::nullopt;
    }
    return memoryOrder(loop.getTiedLoopInit(argument)->get(), steps - 1);
  }
  Operation *op = value.getDefiningOp();
  if (auto access = orderOfAccess.find(op); access != orderOfAccess.end()) {
    return SmallVector<unsigned, 3>(ArrayRef<unsigned>(access->second));
  }
  if (auto transpose = dyn_cast<tile::TransposeOp>(op)) {
    auto order = memoryOrder(transpose.getSource(), steps - 1);
    if (order) {
      SmallVector<int64_t> to = inverse(transpose.getOrder());
      for (unsigned &dim : *order) {
        dim = unsigned(to[dim]);
      }
    }
    return order;
  }
  if (isElementwise(op)) {
    for (Value operand : op->getOperands()) {
      if (isTile(operand)) {
        if (auto order = memoryOrder(operand, steps - 1)) {
          return order;
        }
      }
    }
  }
  return std::nullopt;
}

DotRequest::Operand Assigner::describeOperand(Value value) const {
  constexpr unsigned mostSteps = 8;
  DotRequest::Operand operand;
  if (auto order = memoryOrder(value, mostSteps)) {
    operand.order = *order;
  } else {
    operand.isComputed = true;
    operand.order.resize(shapeOf(value).size());
    std::iota(operand.order.rbegin(), operand.order.rend(), 0);
  }
  return operand;
}

void Assigner::anchorDots() {
  kernel.walk([&](tile::DotOp dot) {
    DotRequest request{dot, warps, describeOperand(dot.getA()),
                       describeOperand(dot.getB())};
    auto [place, isNew] = ofDot.try_emplace(dot, target.chooseDot(request));
    give(dot.getResult(), place->second.acc, Dot);
    give(dot.getAcc(), place->second.acc, Dot);
    ++dots;
  });
}

//===----------------------------------------------------------------------===//
// Spreading
//===----------------------------------------------------------------------===//

void Assigner::give(Value value, const Layout &layout, Priority priority) {
  if (!isTile(value)) {
    return;
  }
  auto [place, isNew] = choices.try_emplace(value, Chosen{layout, priority});
  if (!isNew) {
    if (place->second.priority >= priority) {
      return;
    }
    place->second = Chosen{layout, priority};
  }
  work.push_back(value);
}

void Assigner::spread() {
  while (!work.empty()) {
    spreadFrom(work.pop_back_val());
  }
}

void Assigner::spreadFrom(Value value) {
  Chosen from = choices.find(value)->second;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    spreadThrough(argument.getOwner()->getParentOp(), value, from);
  } else {
    spreadThrough(value.getDefiningOp(), value, from);
  }
  for (Operation *user : value.getUsers()) {
    spreadThrough(user, value, from);
  }
}

void Assigner::spreadThrough(Operation *op, Value value, const Chosen &from) {
  const auto &[layout, priority] = from;
  if (ofAccess.contains(op) || isa<tile::DotOp>(op)) {
    return; // anchors of their own
  }
  auto tie = [&](Value other) { give(other, layout, priority); };
  if (isElementwise(op)) {
    llvm::for_each(op->getOperands(), tie);
    llvm::for_each(op->getResults(), tie);
    return;
  }
  llvm::TypeSwitch<Operation *>(op)
      .Case<tile::BroadcastOp>([&](auto broadcast) {
        if (value == broadcast.getResult()) {
          give(broadcast.getSource(),
               layout.beforeBroadcast(shapeOf(broadcast.getSource())),
               priority);
        }
      })
      .Case<tile::ReshapeOp>([&](auto reshape) {
        Value other = value == reshape.getResult() ? reshape.getSource()
                                                   : Value(reshape.getResult());
        if (std::optional<Layout> moved = layout.reshaped(shapeOf(other))) {
          give(other, *moved, priority);
        }
      })
      .Case<tile::TransposeOp>([&](auto transpose) {
        if (value == transpose.getResult()) {
          give(transpose.getSource(),
               layout.permuted(inverse(transpose.getOrder())), priority);
        } else {
          give(transpose.getResult(), layout.permuted(transpose.getOrder()),
               priority);
        }
      })
      .Case<tile::ReduceOp>([&](auto reduce) {
        if (llvm::is_contained(reduce.getSources(), value)) {
          llvm::for_each(reduce.getSources(), tie);
          for (Value result : reduce.getResults()) {
            give(result, layout.withoutDim(reduce.getAxis()), priority);
          }
        }
      })
      .Case<tile::JoinOp>([&](auto join) {
        if (value != join.getResult()) {
          tie(join.getLhs());
          tie(join.getRhs());
          give(join.getResult(), joined(layout), priority);
        }
      })
      .Case<tile::SplitOp>([&](auto split) {
        if (value == split.getSource()) {
          Layout half = layout.withoutDim(layout.rank() - 1);
          give(split.getLhs(), half, priority);
          give(split.getRhs(), half, priority);
        }
      })
      .Case<scf::ForOp>([&](auto loop) {
        for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i) {
          if (value == loop.getRegionIterArg(i) || value == loop.getResult(i) ||
              value == loop.getInitArgs()[i]) {
            tie(loop.getRegionIterArg(i));
            tie(loop.getResult(i));
            tie(loop.getInitArgs()[i]);
            tie(loop.getBody()->getTerminator()->getOperand(i));
          }
        }
      })
      .Case<scf::WhileOp>([&](auto loop) {
        for (unsigned i = 0; i < loop.getInits().size(); ++i) {
          if (value == loop.getInits()[i] ||
              value == loop.getBeforeArguments()[i]) {
            tie(loop.getInits()[i]);
            tie(loop.getBeforeArguments()[i]);
            tie(loop.getYieldOp().getOperand(i));
          }
        }
        for (unsigned i = 0; i < loop.getNumResults(); ++i) {
          if (value == loop.getResult(i) ||
              value == loop.getAfterArguments()[i]) {
            tie(loop.getResult(i));
            tie(loop.getAfterArguments()[i]);
            tie(loop.getConditionOp().getArgs()[i]);
          }
        }
      })
      .Case<scf::IfOp>([&](auto branch) {
        for (unsigned i = 0; i < branch.getNumResults(); ++i) {
          if (value == branch.getResult(i)) {
            tie(branch.thenYield().getOperand(i));
            tie(branch.elseYield().getOperand(i));
          }
        }
      })
      .Case<scf::YieldOp, scf::ConditionOp>([&](auto) {
        Operation *parent = op->getParentOp();
        for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
          if (operand != value) {
            continue;
          }
          if (auto loop = dyn_cast<scf::ForOp>(parent)) {
            tie(loop.getRegionIterArg(i));
            tie(loop.getResult(i));
          } else if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
            if (isa<scf::YieldOp>(op)) {
              tie(loop.getBeforeArguments()[i]);
            } else if (i > 0) {
              tie(loop.getAfterArguments()[i - 1]);
              tie(loop.getResult(i - 1));
            }
          } else {
            tie(parent->getResult(i));
          }
        }
      });
}

Layout Assigner::plain(ArrayRef<int64_t> shape) const {
  SmallVector<unsigned> order(shape.size());
  std::iota(order.rbegin(), order.rend(), 0);
  return blocked(shape, 1, order);
}

/// What no anchor reaches: its users first, because a layout goes backward
/// through a broadcast, but not forward.
void Assigner::chooseRest() {
  SmallVector<Value> rest;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    llvm::append_range(rest, op->getResults());
    for (Region &region : op->getRegions()) {
      for (Block &block : region) {
        llvm::append_range(rest, block.getArguments());
      }
    }
  });
  for (Value value : llvm::reverse(rest)) {
    if (isTile(value) && !choices.contains(value)) {
      give(value, plain(shapeOf(value)), Default);
      spread();
    }
  }
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Value Assigner::wanted(OpBuilder &builder, Value value, const Layout &layout) {
  if (!isTile(value) || layoutOf(value) == layout) {
    return value;
  }
  ++conversions;
  auto type = cast<RankedTensorType>(value.getType());
  return ConvertOp::create(builder, value.getLoc(), withLayout(type, layout),
                           value);
}

/// The result has the layout that the op gives; its users see the chosen one.
void Assigner::settle(Operation *op, Value result, const Layout &natural) {
  auto type = cast<RankedTensorType>(result.getType());
  result.setType(withLayout(type, natural));
  const Layout &users = chosen(result);
  if (users != natural) {
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    Value moved = wanted(builder, result, users);
    result.replaceAllUsesExcept(moved, moved.getDefiningOp());
  }
}

void Assigner::applyToDot(tile::DotOp dot) {
  const DotChoice &choice = ofDot.find(dot)->second;
  OpBuilder builder(dot);
  auto place = [&](Value operand, const DotOperand &where) -> Value {
    // What does not change in a loop is placed once, before it.
    Operation *before = dot;
    while (auto loop = dyn_cast<scf::ForOp>(before->getParentOp())) {
      if (loop->isAncestor(operand.getParentBlock()->getParentOp())) {
        break;
      }
      before = loop;
    }
    OpBuilder builder(before);
    if (auto *registers = std::get_if<Layout>(&where)) {
      return wanted(builder, operand, *registers);
    }
    auto type = BufferType::get(dot.getContext(), shapeOf(operand),
                                tile::elementType(operand.getType()),
                                std::get<SharedAttr>(where));
    return StageOp::create(builder, dot.getLoc(), type, operand);
  };
  Value a = place(dot.getA(), choice.a), b = place(dot.getB(), choice.b);
  Value acc = wanted(builder, dot.getAcc(), choice.acc);
  auto made = DotOp::create(builder, dot.getLoc(), acc.getType(), a, b, acc,
                            choice.instruction.empty()
                                ? StringAttr()
                                : builder.getStringAttr(choice.instruction),
                            dot.getPrecision(), dot.getMaxImprecise());
  // Users see the chosen layout.
  Value result = wanted(builder, made.getResult(), chosen(dot.getResult()));
  dot.getResult().replaceAllUsesWith(result);
  dot.erase();
}

void Assigner::applyTo(Operation *op) {
  if (auto dot = dyn_cast<tile::DotOp>(op)) {
    applyToDot(dot);
    return;
  }
  OpBuilder builder(op);
  auto want = [&](unsigned i, const Layout &layout) {
    op->setOperand(i, wanted(builder, op->getOperand(i), layout));
  };
  auto wantAll = [&](const Layout &layout) {
    for (unsigned i = 0; i < op->getNumOperands(); ++i) {
      want(i, layout);
    }
  };
  if (auto access = ofAccess.find(op); access != ofAccess.end()) {
    wantAll(access->second);
    for (Value result : op->getResults()) {
      settle(op, result, access->second);
    }
    return;
  }
  if (isElementwise(op) || isa<tile::AssertOp>(op)) {
    auto isOfTile = [](Value value) { return isTile(value); };
    auto result = llvm::find_if(op->getResults(), isOfTile);
    auto operand = llvm::find_if(op->getOperands(), isOfTile);
    if (result == op->getResults().end() &&
        operand == op->getOperands().end()) {
      return;
    }
    Layout layout =
        result != op->getResults().end() ? chosen(*result) : layoutOf(*operand);
    wantAll(layout);
    for (Value value : op->getResults()) {
      settle(op, value, layout);
    }
    return;
  }
  llvm::TypeSwitch<Operation *>(op)
      .Case<arith::ConstantOp>([&](auto constant) {
        if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue())) {
          auto type = withLayout(cast<RankedTensorType>(dense.getType()),
                                 chosen(constant));
          constant.getResult().setType(type);
          constant.setValueAttr(dense.isSplat() ? dense.resizeSplat(type)
                                                : dense.reshape(type));
        }
      })
      .Case<tile::BroadcastOp>([&](auto broadcast) {
        const Layout &layout = chosen(broadcast.getResult());
        want(0, layout.beforeBroadcast(shapeOf(broadcast.getSource())));
        settle(op, broadcast.getResult(), layout);
      })
      .Case<tile::ReshapeOp>([&](auto reshape) {
        const Layout &layout = chosen(reshape.getResult());
        std::optional<Layout> source =
            layout.reshaped(shapeOf(reshape.getSource()));
        if (!source) {
          source = layoutOf(reshape.getSource());
          std::optional<Layout> natural =
              source->reshaped(shapeOf(reshape.getResult()));
          settle(op, reshape.getResult(), natural ? *natural : layout);
          return;
        }
        want(0, *source);
        settle(op, reshape.getResult(), layout);
      })
      .Case<tile::TransposeOp>([&](auto transpose) {
        const Layout &layout = chosen(transpose.getResult());
        want(0, layout.permuted(inverse(transpose.getOrder())));
        settle(op, transpose.getResult(), layout);
      })
      .Case<tile::ReduceOp>([&](auto reduce) {
        Layout layout = layoutOf(reduce.getSources().front());
        wantAll(layout);
        for (Value result : reduce.getResults()) {
          if (isTile(result)) {
            settle(op, result, layout.withoutDim(reduce.getAxis()));
          }
        }
      })
      .Case<tile::ScanOp>([&](auto scan) {
        Layout layout = scanLayout(shapeOf(scan.getSources().front()),
                                   scan.getAxis(), target.lanes(), warps);
        wantAll(layout);
        for (Value result : op->getResults()) {
          settle(op, result, layout);
        }
      })
      .Case<tile::GatherOp>([&](auto gather) {
        want(1, chosen(gather.getResult())); // each thread asks for its own
        settle(op, gather.getResult(), chosen(gather.getResult()));
      })
      .Case<tile::HistogramOp>([&](auto histogram) {
        wantAll(layoutOf(histogram.getSource()));
        settle(op, histogram.getResult(), chosen(histogram.getResult()));
      })
      .Case<tile::JoinOp>([&](auto join) {
        Layout half =
            isTile(join.getLhs()) ? layoutOf(join.getLhs()) : Layout(0);
        wantAll(half);
        settle(op, join.getResult(), joined(half));
      })
      .Case<tile::SplitOp>([&](auto split) {
        // Both halves in one thread: the last dimension in registers.
        Layout half = layoutOf(split.getSource())
                          .withoutDim(shapeOf(split.getSource()).size() - 1);
        want(0, joined(half));
        for (Value result : op->getResults()) {
          if (isTile(result)) {
            settle(op, result, half);
          }
        }
      })
      .Case<scf::ForOp>([&](auto loop) {
        for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i) {
          Value argument = loop.getRegionIterArg(i);
          if (isTile(argument)) {
            unsigned operand = loop.getNumControlOperands() + i;
            want(operand, chosen(argument));
            argument.setType(op->getOperand(operand).getType());
            settle(op, loop.getResult(i), chosen(argument));
          }
        }
      })
      .Case<scf::WhileOp>([&](auto loop) {
        for (auto [i, argument] : llvm::enumerate(loop.getBeforeArguments())) {
          if (isTile(argument)) {
            want(i, chosen(argument));
            argument.setType(op->getOperand(i).getType());
          }
        }
        for (auto [i, argument] : llvm::enumerate(loop.getAfterArguments())) {
          if (isTile(argument)) {
            const Layout &layout = chosen(argument);
            argument.setType(
                withLayout(cast<RankedTensorType>(argument.getType()), layout));
            settle(op, loop.getResult(i), layout);
          }
        }
      })
      .Case<scf::YieldOp, scf::ConditionOp>([&](auto) {
        Operation *parent = op->getParentOp();
        unsigned skip = isa<scf::ConditionOp>(op) ? 1 : 0;
        for (unsigned i = skip; i < op->getNumOperands(); ++i) {
          if (!isTile(op->getOperand(i))) {
            continue;
          }
          Value target;
          if (auto loop = dyn_cast<scf::ForOp>(parent)) {
            target = loop.getRegionIterArg(i);
          } else if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
            target = skip ? Value(loop.getAfterArguments()[i - skip])
                          : Value(loop.getBeforeArguments()[i]);
          } else {
            target = parent->getResult(i);
          }
          want(i, chosen(target));
        }
      })
      .Default([&](Operation *) {
        // Results without a relation to operands; branches among them.
        for (Value result : op->getResults()) {
          if (isTile(result)) {
            settle(op, result, chosen(result));
          }
        }
      });
}

void Assigner::apply(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (isa<ConvertOp, StageOp, DotOp>(op)) {
      continue;
    }
    const bool hasBlocks = isa<scf::ForOp, scf::WhileOp, scf::IfOp>(op);
    applyTo(&op); // erases a dot
    if (hasBlocks) {
      for (Region &region : op.getRegions()) {
        for (Block &inner : region) {
          apply(inner);
        }
      }
    }
  }
}

void Assigner::run() {
  collectAccesses();
  anchorDots();
  spread();
  for (auto &[op, layout] : ofAccess) {
    for (Value result : op->getResults()) {
      give(result, layout, Memory);
    }
    for (Value operand : op->getOperands()) {
      give(operand, layout, Memory);
    }
  }
  spread();
  chooseRest();
  apply(kernel.getBody().front());
}

struct AssignLayouts : tz::simt::impl::AssignLayoutsBase<AssignLayouts> {
  explicit AssignLayouts(const Target *target) : target(target) {}
  AssignLayouts() = default;
  AssignLayouts(const AssignLayouts &other)
      : AssignLayoutsBase(other), target(other.target) {}

  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    unsigned warps = 4;
    if (auto hint = kernel->getAttrOfType<IntegerAttr>("tile.num_warps")) {
      warps = unsigned(hint.getInt());
    }
    if (!llvm::isPowerOf2_32(warps) || warps > 32) {
      kernel.emitError("num_warps is ")
          << warps << "; a block has 1, 2, 4, 8, 16 or 32 warps";
      signalPassFailure();
      return;
    }
    Target plain;
    Assigner assigner(kernel, target ? *target : plain, warps);
    assigner.run();
    dots += assigner.dots;
    accesses += assigner.accesses;
    conversions += assigner.conversions;
  }

  const Target *target = nullptr;
};

} // namespace

std::unique_ptr<Pass> tz::simt::createAssignLayouts(const Target *target) {
  return std::make_unique<AssignLayouts>(target);
}
