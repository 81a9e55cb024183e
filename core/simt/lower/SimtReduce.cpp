//===- SimtReduce.cpp - reductions ----------------------------------------===//
//
// What   Values combined along a dimension: in a thread's registers, then over
//        lanes by shuffles, then over warps through shared memory.
// Why    See terrazzo/simt/SimtLowering.h.
//===----------------------------------------------------------------------===//
#include "core/simt/lower/KernelLowering.h"

#include "llvm/ADT/TypeSwitch.h"

#include <map>
#include <numeric>

using namespace llvm;

namespace tz::simt {

namespace {

/// What a reduction's region does if it is one op that instructions may do.
std::optional<LaneReduction> laneReductionOf(mlir::Region &region) {
  mlir::Block &body = region.front();
  if (body.getNumArguments() != 2 ||
      !llvm::hasSingleElement(body.without_terminator())) {
    return std::nullopt;
  }
  mlir::Operation &op = body.front();
  auto isArgument = [&](mlir::Value v) {
    return mlir::isa<mlir::BlockArgument>(v) && v.getParentBlock() == &body;
  };
  if (op.getNumOperands() != 2 || !isArgument(op.getOperand(0)) ||
      !isArgument(op.getOperand(1)) || op.getOperand(0) == op.getOperand(1) ||
      body.getTerminator()->getOperand(0) != op.getResult(0)) {
    return std::nullopt;
  }
  return llvm::TypeSwitch<mlir::Operation *, std::optional<LaneReduction>>(&op)
      .Case<mlir::arith::AddIOp>([](auto) { return LaneReduction::add; })
      .Case<tile::MaxSIOp>([](auto) { return LaneReduction::maxs; })
      .Case<tile::MinSIOp>([](auto) { return LaneReduction::mins; })
      .Case<tile::MaxUIOp>([](auto) { return LaneReduction::maxu; })
      .Case<tile::MinUIOp>([](auto) { return LaneReduction::minu; })
      .Case<mlir::arith::AndIOp>([](auto) { return LaneReduction::bitAnd; })
      .Case<mlir::arith::OrIOp>([](auto) { return LaneReduction::bitOr; })
      .Case<mlir::arith::XOrIOp>([](auto) { return LaneReduction::bitXor; })
      .Case<mlir::arith::AddFOp>([](auto) { return LaneReduction::addF; })
      .Case<tile::MaxFOp>([](auto max) {
        return max.getPropagateNan() ? LaneReduction::maxFNan
                                     : LaneReduction::maxF;
      })
      .Case<tile::MinFOp>([](auto min) {
        return min.getPropagateNan() ? LaneReduction::minFNan
                                     : LaneReduction::minF;
      })
      .Default([](auto) { return std::nullopt; });
}

/// Does it give the same for either order of its operands? One op that does.
bool isSymmetric(mlir::Region &region) {
  mlir::Block &body = region.front();
  return body.getNumArguments() == 2 &&
         llvm::hasSingleElement(body.without_terminator()) &&
         (body.front().hasTrait<mlir::OpTrait::IsCommutative>() ||
          isa<tile::MinSIOp, tile::MinUIOp, tile::MaxSIOp, tile::MaxUIOp,
              tile::MinFOp, tile::MaxFOp>(body.front()));
}

} // namespace

/// One reduction.
class KernelLowering::Reduce {
public:
  Reduce(KernelLowering &in, tile::ReduceOp op);
  void run();

private:
  Registers join(ArrayRef<Value *> first, ArrayRef<Value *> second) {
    return in.combineValues(op.getCombine(), first, second);
  }
  mlir::Type elementOf(size_t source) {
    return tile::elementType(op.getSources()[source].getType());
  }
  /// What the sources have in a register of their layout.
  Registers registersOf(unsigned reg);
  Registers ofTree(SmallVector<Registers> level);
  Registers ofLine(const Line &line);
  std::map<Coordinates, Registers>
  sideBySide(const std::map<Coordinates, Line> &lines);
  std::map<Coordinates, Registers> ofRegisters();
  void overLanes(Registers &values, ArrayRef<unsigned> bits, bool isLast);
  Value *indexOf(unsigned reg, Value *part);
  void leaveParts(ArrayRef<Region> regions);
  bool joinsByLanes(unsigned parts);
  Registers joinParts(unsigned reg, ArrayRef<Region> regions, unsigned parts);
  void overWarps();
  Coordinates placeOf(unsigned reg) const {
    return reduced.apply(Place{{reg, 0, 0, 0}});
  }

  KernelLowering &in;
  IRBuilder<> &b;
  tile::ReduceOp op;
  const Layout &layout;
  const size_t n;       // of sources
  const Layout reduced; // of the results
  const LayoutAttr resultLayout;
  SmallVector<int64_t, 4> shape;            // of the results
  int64_t count = 1;                        // of their elements
  SmallVector<unsigned> laneBits, warpBits; // along the axis
  /// What this thread has of each line, then its warp, then the block.
  std::map<Coordinates, Registers> partial;
};

KernelLowering::Reduce::Reduce(KernelLowering &in, tile::ReduceOp op)
    : in(in), b(in.b), op(op), layout(layoutOf(op.getSources().front())),
      n(op.getSources().size()), reduced(layout.withoutDim(op.getAxis())),
      resultLayout(LayoutAttr::get(op.getContext(), reduced)),
      shape(tile::shapeOf(op.getSources().front().getType())) {
  const unsigned axis = op.getAxis();
  auto lanes = bitsAlong(layout, Axis::Lane, axis);
  auto warps = bitsAlong(layout, Axis::Warp, axis);
  const bool overWarpCopies =
      llvm::any_of(layout.repeats(), [&](const Layout::Repeat &copy) {
        return copy.axis == Axis::Warp && copy.dim == axis;
      });
  if (!lanes || !warps || overWarpCopies) {
    in.refuse(op, "a reduction of a tile whose layout mixes dimensions");
  }
  laneBits = std::move(*lanes);
  warpBits = std::move(*warps);
  shape.erase(shape.begin() + axis);
  for (int64_t extent : shape) {
    count *= extent;
  }
}

Registers KernelLowering::Reduce::registersOf(unsigned reg) {
  return llvm::map_to_vector(op.getSources(), [&](mlir::Value source) {
    return in.tile(source)[reg];
  });
}

/// As a balanced tree over the index, level by level.
Registers KernelLowering::Reduce::ofTree(SmallVector<Registers> level) {
  while (level.size() > 1) {
    SmallVector<Registers> next;
    for (size_t i = 0; i + 1 < level.size(); i += 2) {
      next.push_back(join(level[i], level[i + 1]));
    }
    if (level.size() % 2) {
      next.push_back(level.back());
    }
    level = std::move(next);
  }
  return level.front();
}

Registers KernelLowering::Reduce::ofLine(const Line &line) {
  SmallVector<Registers> values;
  for (auto [at, reg] : line) {
    values.push_back(registersOf(reg));
  }
  return ofTree(std::move(values));
}

/// The same trees; but the lines take their values side by side, in the order
/// in which a load brings them, and join what can be joined at once. So a
/// thread holds few parts, however many values it has.
std::map<Coordinates, Registers>
KernelLowering::Reduce::sideBySide(const std::map<Coordinates, Line> &lines) {
  struct Part {
    Registers values;
    size_t count; // of elements
  };
  // Of each line from left to right, each part larger than the next.
  std::map<Coordinates, SmallVector<Part>> trees;
  auto joinLast = [&](SmallVector<Part> &parts) {
    Part last = parts.pop_back_val();
    Part &before = parts.back();
    before = {join(before.values, last.values), before.count + last.count};
  };
  size_t longest = 0;
  for (auto &[key, line] : lines) {
    longest = std::max(longest, line.size());
  }
  for (size_t i = 0; i < longest; ++i) {
    for (auto &[key, line] : lines) {
      if (i >= line.size()) {
        continue;
      }
      SmallVector<Part> &parts = trees[key];
      parts.push_back({registersOf(line[i].second), 1});
      while (parts.size() > 1 &&
             parts.back().count == std::prev(parts.end(), 2)->count) {
        joinLast(parts);
      }
    }
  }
  std::map<Coordinates, Registers> made;
  for (auto &[key, parts] : trees) {
    while (parts.size() > 1) {
      joinLast(parts);
    }
    made[key] = std::move(parts.front().values);
  }
  return made;
}

/// What a thread gets of each of its lines.
std::map<Coordinates, Registers> KernelLowering::Reduce::ofRegisters() {
  // More values than this, and they are not all held at once. Of more warps
  // each thread has fewer registers.
  constexpr size_t ofAllWarps = 512, most = 64;
  const size_t mostHeld = std::min(most, ofAllWarps / in.warps);
  const std::map<Coordinates, Line> lines =
      linesOf(layout, op.getAxis(),
              [&](unsigned reg) { return in.isCopy(layout, reg); });
  size_t values = 0;
  for (auto &[key, line] : lines) {
    values += line.size() * n;
  }
  if (values > mostHeld) {
    return sideBySide(lines);
  }
  std::map<Coordinates, Registers> made;
  for (auto &[key, line] : lines) {
    made[key] = ofLine(line);
  }
  return made;
}

/// Combines what the lanes have that differ in these bits. All get one result,
/// that of the lane without them, if `isLast`.
void KernelLowering::Reduce::overLanes(Registers &values,
                                       ArrayRef<unsigned> bits, bool isLast) {
  unsigned together = 0;
  for (unsigned bit : bits) {
    together |= 1u << bit;
  }
  std::optional<LaneReduction> kind;
  if (together != 0) {
    kind = laneReductionOf(op.getCombine());
  }
  // Narrow floats may stand in registers as integers: no instruction adds
  // those.
  const bool isAsked = kind && values[0]->getType()->isFloatingPointTy() ==
                                   (*kind >= LaneReduction::addF);
  if (Value *one = isAsked ? in.hooks.reduceLanes(b, *kind, values[0], together)
                           : nullptr) {
    values[0] = one;
    return;
  }
  for (unsigned bit : bits) {
    Registers others;
    for (Value *value : values) {
      others.push_back(in.shuffleXorAny(value, 1u << bit));
    }
    values = join(values, others);
  }
  // Each lane has combined in an order of its own. The result is one: that of
  // the first lane, which is the one that tells the other warps, too.
  if (isLast && !bits.empty() && !isSymmetric(op.getCombine())) {
    Value *first = b.CreateAnd(in.lane, b.getInt32(~together));
    for (Value *&value : values) {
      value = in.shuffleAny(value, first);
    }
  }
}

/// Where the part of a warp lies of what the block has in a register.
Value *KernelLowering::Reduce::indexOf(unsigned reg, Value *part) {
  Value *at =
      shape.empty() ? b.getInt32(0) : in.linearIndex(resultLayout, reg, shape);
  return b.CreateAdd(b.CreateMul(part, b.getInt32(uint32_t(count))), at);
}

/// Writes this warp's part; one lane of those that hold the same.
void KernelLowering::Reduce::leaveParts(ArrayRef<Region> regions) {
  Value *part = gatherBits(b, in.warp, warpBits);
  in.willAccess({{}, SmallVector<Region>(regions), {}});
  Value *isFirst = nullptr;
  if (uint64_t mask = reduced.redundantBits(Axis::Lane)) {
    isFirst =
        b.CreateICmpEQ(b.CreateAnd(in.lane, uint32_t(mask)), b.getInt32(0));
  }
  auto put = [&] {
    for (unsigned reg = 0; reg < reduced.size(Axis::Register); ++reg) {
      const Registers &values = partial.at(placeOf(reg));
      Value *at = indexOf(reg, part);
      for (size_t i = 0; i < n; ++i) {
        in.scratchStore(regions[i], at, values[i], elementOf(i));
      }
    }
  };
  if (isFirst) {
    in.emitIf(isFirst, put);
  } else {
    put();
  }
}

/// Does each thread do so much less if the lanes of a warp read one part each
/// and exchange what they combine? The exchanges wait for each other.
bool KernelLowering::Reduce::joinsByLanes(unsigned parts) {
  constexpr unsigned many = 32;
  constexpr int64_t ofFunction = 8, ofExchanges = 48;
  if (parts > in.hooks.lanes()) {
    return false;
  }
  int64_t cost = 0;
  for (mlir::Operation &one : op.getCombine().front().without_terminator()) {
    cost += isa<tile::MathOp, tile::DivFOp>(one) ? ofFunction : 1;
  }
  const auto read = int64_t(n);
  const int64_t inThread = parts * read + (parts - 1) * cost,
                levels = Log2_32(parts),
                byLanes = 2 * read + levels * (read + cost);
  return parts >= many || inThread - byLanes >= ofExchanges;
}

/// What the warps have left, combined: as a tree in each thread, or by the
/// lanes of each warp, which read one part each. The tree is the same.
Registers KernelLowering::Reduce::joinParts(unsigned reg,
                                            ArrayRef<Region> regions,
                                            unsigned parts) {
  auto read = [&](Value *part) {
    Registers values;
    Value *at = indexOf(reg, part);
    for (size_t i = 0; i < n; ++i) {
      values.push_back(in.scratchLoad(regions[i], at, elementOf(i)));
    }
    return values;
  };
  if (joinsByLanes(parts)) {
    Registers values = read(b.CreateAnd(in.lane, b.getInt32(parts - 1)));
    SmallVector<unsigned> bits(Log2_32(parts));
    std::iota(bits.begin(), bits.end(), 0);
    overLanes(values, bits, /*isLast=*/true);
    return values;
  }
  SmallVector<Registers> level;
  for (unsigned part = 0; part < parts; ++part) {
    level.push_back(read(b.getInt32(part)));
  }
  return ofTree(std::move(level));
}

/// Each warp leaves its part in shared memory, all read all parts.
void KernelLowering::Reduce::overWarps() {
  const unsigned parts = 1u << warpBits.size();
  SmallVector<Region> regions;
  for (size_t i = 0; i < n; ++i) {
    regions.push_back(in.allocate(uint64_t(count) * parts *
                                  tile::storageBytes(elementOf(i))));
  }
  leaveParts(regions);
  in.willAccess({regions, {}, {}});
  for (unsigned reg = 0; reg < reduced.size(Axis::Register); ++reg) {
    partial[placeOf(reg)] = joinParts(reg, regions, parts);
  }
  for (const Region &region : llvm::reverse(regions)) {
    in.scratch.release(region);
  }
}

void KernelLowering::Reduce::run() {
  partial = ofRegisters();
  for (auto &[key, values] : partial) {
    overLanes(values, laneBits, /*isLast=*/warpBits.empty());
  }
  if (!warpBits.empty()) {
    overWarps();
  }
  for (size_t i = 0; i < n; ++i) {
    Registers registers;
    for (unsigned reg = 0; reg < reduced.size(Axis::Register); ++reg) {
      registers.push_back(partial.at(placeOf(reg))[i]);
    }
    in.define(op.getResults()[i], std::move(registers));
  }
}

void KernelLowering::reduce(tile::ReduceOp op) { Reduce(*this, op).run(); }

} // namespace tz::simt
