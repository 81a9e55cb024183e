//===- Nest.cpp - Loops over the elements of a tile -----------------------===//
//
// What   Building of nests: what must be in reach, vector width, loops,
//        versions. The evaluator is in Evaluate.cpp.
// Why    See Nest.h.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/lower/Nest.h"

#include "plugins/cpu/compiler/dot/EmitFor.h"

using namespace llvm;

namespace tz::cpu {

static constexpr unsigned Line = 64;
/// Longer bodies have no version for runs of one quotient.
static constexpr unsigned LongestInRuns = 128;

Nest::Nest(CpuLowering &lowering, ArrayRef<int64_t> shape,
           ArrayRef<mlir::Value> roots, bool vectors, mlir::Region *body)
    : shape(shape), l(lowering), b(lowering.b), reduces(body != nullptr),
      number(lowering.countNest()) {
  reach(roots);
  if (body) {
    widen(*body);
  }
  chooseVectors(vectors);
  for (auto &[value, buffer] : side) {
    buffer = l.allocateFor(value);
  }
  levels.push_back({b.GetInsertBlock(), {}});
}

Nest::~Nest() {
  for (auto &[value, buffer] : side) {
    l.define(value, buffer);
  }
}

void Nest::reach(ArrayRef<mlir::Value> roots) {
  // Keeping one value may put others into the arena: look again after each.
  for (;;) {
    SetVector<mlir::Value> mustKeep;
    seen.clear();
    side.clear();
    checkedLoads.clear();
    compares = divides = false;
    visited = 0;
    widest = 32;
    for (mlir::Value root : roots) {
      if (root) {
        walk(root,
             ArrayRef<int64_t>(tile::shapeOf(root.getType())) ==
                 ArrayRef<int64_t>(shape),
             mustKeep);
      }
    }
    if (mustKeep.empty()) {
      return;
    }
    for (mlir::Value value : mustKeep) {
      l.materialise(value);
    }
  }
}

/// Bits of the widest number on the way to a result of `bits` bits: some ops
/// are computed in twice the width.
static unsigned widthInside(mlir::Operation *op, unsigned bits) {
  if (isa<tile::MulHiSIOp, tile::MulHiUIOp>(op)) {
    return 2 * bits;
  }
  const bool viaDouble =
      isa<tile::RemFOp, tile::PowOp, tile::DivSIOp, tile::DivUIOp,
          tile::RemSIOp, tile::RemUIOp>(op) ||
      (isa<tile::FmaOp, tile::SIToFPOp, tile::UIToFPOp>(op) && bits < 32);
  return viaDouble ? 64 : bits;
}

void Nest::widen(mlir::Region &body) {
  body.walk([&](mlir::Operation *op) {
    for (mlir::Type type : op->getResultTypes()) {
      if (type.isIntOrFloat()) {
        widest =
            std::max(widest, widthInside(op, type.getIntOrFloatBitWidth()));
      }
    }
  });
}

/// `identity`: the value is asked for at the nest's own index.
void Nest::walk(mlir::Value value, bool identity,
                SetVector<mlir::Value> &mustKeep) {
  auto type = dyn_cast<mlir::RankedTensorType>(value.getType());
  if (!type) {
    return;
  }
  char bit = identity ? 1 : 2;
  char &marks = seen[value];
  if (marks & bit) {
    return;
  }
  marks |= bit;
  bool inArena = l.bufferOf(value);
  mlir::Type element = type.getElementType();
  unsigned bits = isa<mlir::FloatType, mlir::IntegerType>(element)
                      ? element.getIntOrFloatBitWidth()
                      : 64;
  if (!isa<tile::PtrType>(element)) {
    widest = std::max(widest, bits);
  }
  ++visited;
  if (inArena) {
    return;
  }
  if (const Induction *induction = l.inductionOf(value)) {
    walk(induction->start, false, mustKeep);
    return;
  }
  mlir::Operation *op = value.getDefiningOp();
  if (!op || !isFusable(op)) {
    return;
  }
  if (l.plans().of(value).way != Way::Fused) {
    if (!identity) {
      side.erase(value);
      mustKeep.insert(value);
      return;
    }
    if (marks & 2) {
      return; // wanted elsewhere too: kept before the nest
    }
    side.insert({value, Buffer()});
  }
  if (isa<tile::MathOp, tile::PowOp, tile::RemFOp>(op)) {
    visited += 12;
  }
  widest = std::max(widest, widthInside(op, bits));
  compares |= isa<mlir::arith::CmpIOp>(op);
  divides |= isDivision(op);
  if (auto load = dyn_cast<tile::LoadViewOp>(op)) {
    checkedLoads.push_back(op);
    return;
  }
  bool same = identity && isElementwise(op);
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    same = identity;
  }
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    bool random = isa<tile::SplitOp>(op) || (isa<tile::GatherOp>(op) && i == 0);
    if (random) {
      if (!l.bufferOf(operand) &&
          isa<mlir::RankedTensorType>(operand.getType())) {
        mustKeep.insert(operand);
      }
      continue;
    }
    walk(operand, same || (isa<tile::GatherOp>(op) && identity), mustKeep);
  }
}

void Nest::chooseVectors(bool vectors) {
  for (size_t d = 0; vectors && d < shape.size(); ++d) {
    if (shape[d] > 1) {
      dim = static_cast<int>(d);
    }
  }
  if (dim < 0) {
    return;
  }
  const int64_t extent = shape[static_cast<size_t>(dim)];
  const unsigned native = l.machine.lanes(32);
  // Short bodies are unrolled by wider vectors, at most four registers each.
  unsigned factor = visited <= 16 ? 4 : visited <= 48 ? 2 : 1;
  if (divides) {
    factor = 1; // more vectors lie within one run
  }
  if (widest > 32 || !l.machine.avx512) {
    factor = std::min(factor, widest > 64 ? 1u : 2u);
  }
  lanes = native * factor;
  while (lanes > native && extent % lanes != 0) {
    lanes /= 2;
  }
  while (lanes > extent) {
    lanes /= 2;
  }
  if (lanes <= 1) {
    lanes = 0;
    dim = -1;
  }
}

Index Nest::origin() {
  Index index;
  index.at.assign(shape.size(), b.getInt64(0));
  return index;
}

void Nest::loop(Index &index, unsigned d, int64_t from, int64_t to,
                unsigned width, function_ref<void(const Index &)> body) {
  if (from >= to) {
    return;
  }
  Index inner = index;
  const int64_t step = width ? width : 1;
  if (width) {
    inner.dim = static_cast<int>(d);
    inner.lanes = width;
  }
  auto iterate = [&](Value *i) {
    levels.push_back({b.GetInsertBlock(), {}});
    if (!isa<Constant>(i)) {
      valueLevels[i] = static_cast<unsigned>(levels.size() - 1);
    }
    inner.at[d] = i;
    const unsigned before = iteration;
    iteration = width ? width : iteration;
    if (width && width == lanes && splitsRuns && divides && !isOutside() &&
        visited <= LongestInRuns) {
      inVersionsOfRuns([&] { body(inner); });
    } else {
      body(inner);
    }
    if (width && width == lanes && shape.size() == 1 && !behind &&
        !isOutside()) {
      // Half of what a loop of fp32 goes through: two loops in front of the
      // store write it all.
      l.writeSomeBehind(std::max(width * 2 / Line * Line, Line));
    }
    iteration = before;
    levels.pop_back();
  };
  if (mayHaveParts(d, to - from, width)) {
    loopInParts(from, to, width, iterate);
  } else {
    emitFor(b, b.getInt64(static_cast<uint64_t>(from)),
            b.getInt64(static_cast<uint64_t>(to)), step, iterate);
  }
  levels.back().block = b.GetInsertBlock();
}

void Nest::whole(Index &index, unsigned d,
                 function_ref<void(const Index &)> body) {
  const int64_t extent = shape[d];
  if (static_cast<int>(d) != dim) {
    loop(index, d, 0, extent, 0, body);
    return;
  }
  int64_t from = 0;
  for (unsigned width = lanes; width > 1; width /= 2) {
    int64_t to = from + (extent - from) / width * width;
    loop(index, d, from, to, width, body);
    from = to;
  }
  loop(index, d, from, extent, 0, body);
}

void Nest::run(function_ref<void(const Index &)> body) {
  auto rest = [&](auto &self, const Index &outer, unsigned d) -> void {
    if (d == shape.size()) {
      body(outer);
      return;
    }
    Index index = outer;
    whole(index, d, [&](const Index &inner) { self(self, inner, d + 1); });
  };
  versions([&] { rest(rest, origin(), 0); });
}

void Nest::alsoChecks(Value *inside) {
  if (inside) {
    insideConditions.push_back(inside);
  }
}

void Nest::versions(function_ref<void()> loops) {
  for (mlir::Operation *op : checkedLoads) {
    auto load = cast<tile::LoadViewOp>(op);
    alsoChecks(
        isInside(l, load.getView(), load.getOffsets(), load.getChecked()));
  }
  auto fresh = [&] {
    levels.clear();
    valueLevels.clear();
    levels.push_back({b.GetInsertBlock(), {}});
  };
  auto emit = [&](bool withoutChecks, bool pastCaches) {
    unchecked = withoutChecks;
    streaming = pastCaches;
    if (leavesBehind()) {
      l.writeAllBehind();
    }
    auto whether = [&](bool holds) {
      splitHolds = holds;
      fresh();
      loops();
    };
    if (splitBy) {
      l.emitIf(splitBy, [&] { whether(true); }, [&] { whether(false); });
    } else {
      whether(false);
    }
    if (leavesBehind()) {
      l.leaveBehind(streamTo, behind->bytes);
    }
    streaming = false;
  };
  auto fast = [&] {
    if (streams) {
      l.emitIf(streams, [&] { emit(true, true); }, [&] { emit(true, false); });
    } else {
      emit(true, false);
    }
  };
  // More code only where it is short.
  if (visited > 64) {
    streams = nullptr;
  }
  auto direct = [&] {
    if (insideConditions.empty()) {
      fast();
    } else if (visited > 64) {
      emit(false, false);
    } else {
      l.emitIf(b.CreateAnd(insideConditions), fast,
               [&] { emit(false, false); });
    }
  };
  if (apart) {
    l.emitIf(apart, direct, [&] {
      for (auto &[load, buffer] : copies) {
        l.materialiseInto(load, buffer);
      }
      copied = true;
      emit(false, false);
      copied = false;
    });
  } else {
    direct();
  }
  fresh();
}

//===--- Levels -----------------------------------------------------------===//

unsigned Nest::levelOf(Value *value) const {
  auto found = valueLevels.find(value);
  // A loop of one iteration is no loop: its values count for the one around it.
  return found == valueLevels.end()
             ? 0
             : std::min(found->second, unsigned(levels.size() - 1));
}

unsigned Nest::levelOf(const Index &index) const {
  unsigned level = 0;
  for (Value *at : index.at) {
    level = std::max(level, levelOf(at));
  }
  return level;
}

void Nest::sameLevel(Value *value, Value *like) {
  if (unsigned level = levelOf(like); level && isa<Instruction>(value)) {
    valueLevels.try_emplace(value, level);
  }
}

Value *Nest::shifted(Value *at, int64_t by) {
  return emitAt({at}, [&] {
    return b.CreateAdd(at, b.getInt64(static_cast<uint64_t>(by)));
  });
}

Value *Nest::emitAt(ArrayRef<Value *> uses, function_ref<Value *()> emit) {
  unsigned level = 0;
  for (Value *value : uses) {
    level = std::max(level, levelOf(value));
  }
  auto record = [&](Value *result) {
    // What folds to an older value keeps that one's level.
    auto *made = dyn_cast_if_present<Instruction>(result);
    if (level && made && made->getParent() == b.GetInsertBlock()) {
      valueLevels.try_emplace(result, level);
    }
    return result;
  };
  if (level + 1 == levels.size()) {
    return record(emit());
  }
  IRBuilder<>::InsertPointGuard guard(b);
  const DebugLoc line = b.getCurrentDebugLocation();
  BasicBlock *block = levels[level].block;
  if (Instruction *end = block->getTerminator()) {
    b.SetInsertPoint(end);
  } else {
    b.SetInsertPoint(block);
  }
  b.SetCurrentDebugLocation(line); // not that of the terminator
  return record(emit());
}

} // namespace tz::cpu
