//===- LoopParts.cpp - A loop that masks end in, in three parts -----------===//
//
// What   The loop along the vectors of a nest as up to three: vectors inside
//        of all masks, those at the edge, those outside of all masks.
// Why    A mask of `columns < n` is the same answer for nearly all vectors of a
//        row. Inside there is nothing to test, outside nothing to load, and
//        what is computed there is the same in each iteration.
//
// The first part is emitted as if masks held, the last as if none did; each
// mask that is met says for which counters that is so. The bounds of the parts
// are put in when all masks are known.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/dot/EmitFor.h"
#include "plugins/cpu/compiler/lower/Nest.h"

using namespace llvm;
namespace arith = mlir::arith;

namespace tz::cpu {

/// Longer bodies are emitted once: the test of a mask is little beside them.
static constexpr unsigned LongestBody = 64;

bool Nest::mayHaveParts(unsigned d, int64_t extent, unsigned width) const {
  return width && width == lanes && static_cast<int>(d) == dim &&
         extent > int64_t{width} && isPowerOf2_32(width) &&
         visited <= LongestBody && !parts &&
         (compares || (!unchecked && !insideConditions.empty()));
}

void Nest::loopInParts(int64_t from, int64_t to, unsigned width,
                       function_ref<void(Value *)> body) {
  Parts own;
  own.level = static_cast<unsigned>(levels.size() - 1);
  own.from = b.getInt64(static_cast<uint64_t>(from));
  own.to = b.getInt64(static_cast<uint64_t>(to));
  // What the parts need is emitted in the block before, which must come before
  // the first test of a bound.
  BasicBlock *start = l.block("parts");
  b.CreateBr(start);
  b.SetInsertPoint(start);
  auto unknown = [&] {
    auto *made = new FreezeInst(own.to, "");
    b.Insert(made);
    return made;
  };
  Instruction *edge = unknown(), *outside = unknown();
  Parts *around = std::exchange(parts, &own);
  auto emit = [&](Part part, Value *begin, Value *end) {
    own.part = part;
    emitFor(b, begin, end, width, [&](Value *i) {
      own.counter = i;
      own.halves.clear();
      body(i);
    });
  };
  emit(Part::Inside, own.from, edge);
  if (!own.edges.empty()) {
    emit(Part::Edge, edge, own.ends.empty() ? own.to : outside);
    if (!own.ends.empty()) {
      own.ends.clear();
      emit(Part::Outside, outside, own.to);
    }
  }
  parts = around;
  const auto steps = static_cast<uint64_t>(width);
  auto put = [&](Instruction *in, ArrayRef<Value *> bounds, bool isEdge) {
    Value *bound = own.to;
    if (!bounds.empty()) {
      bound = emitBefore(own.level, [&]() -> Value * {
        Value *at = bounds.front();
        for (Value *other : bounds.drop_front()) {
          at = b.CreateBinaryIntrinsic(
              isEdge ? Intrinsic::smin : Intrinsic::smax, at, other);
        }
        at = b.CreateBinaryIntrinsic(Intrinsic::smax, at, own.from);
        at = b.CreateBinaryIntrinsic(Intrinsic::smin, at, own.to);
        // To whole iterations: down for those inside, up for the others.
        Value *rest = b.CreateAnd(isEdge ? b.CreateSub(at, own.from)
                                         : b.CreateSub(own.to, at),
                                  b.getInt64(steps - 1));
        return isEdge ? b.CreateSub(at, rest) : b.CreateAdd(at, rest);
      });
    }
    in->replaceAllUsesWith(bound);
    in->eraseFromParent();
  };
  put(edge, own.edges, true);
  put(outside, own.ends, false);
}

Value *Nest::emitBefore(unsigned level, function_ref<Value *()> emit) {
  IRBuilder<>::InsertPointGuard guard(b);
  const DebugLoc line = b.getCurrentDebugLocation();
  b.SetInsertPoint(levels[level].block->getTerminator());
  b.SetCurrentDebugLocation(line);
  return emit();
}

bool Nest::isAlongCounter(const Index &index) const {
  if (!parts || parts->part == Part::Edge || !index.lanes || index.dim < 0) {
    return false;
  }
  Value *at = index.at[static_cast<size_t>(index.dim)];
  return at == parts->counter || is_contained(parts->halves, at);
}

//===--- Views ------------------------------------------------------------===//

bool Nest::isKnownBefore(size_t d, const Index &index) const {
  return isAlongCounter(index) && (index.dim == static_cast<int>(d) ||
                                   levelOf(index.at[d]) <= parts->level);
}

void Nest::KnownEdge::add(Nest &nest, Value *first, Value *size, Value *at) {
  IRBuilder<> &b = nest.b;
  any = true;
  if (!at) {
    bound = nest.emitAt({first, size}, [&] {
      return b.CreateBinaryIntrinsic(Intrinsic::ssub_sat, size, first);
    });
    begins = nest.emitAt({first},
                         [&] { return b.CreateICmpSGE(first, b.getInt64(0)); });
    return;
  }
  Value *inside = nest.emitAt({first, at, size}, [&] {
    return b.CreateICmpULT(b.CreateAdd(first, at), size);
  });
  rows = rows ? nest.emitAt({rows, inside},
                            [&] { return b.CreateAnd(rows, inside); })
              : inside;
}

/// The mask of an access in this part, whose edges are `known`. Null: all.
Value *Nest::maskOfPart(const KnownEdge &known, const Index &index) {
  Value *bound = known.bound ? known.bound : parts->to;
  auto unless = [&](Value *condition, Value *otherwise) {
    bound = condition
                ? emitAt({condition, bound},
                         [&] {
                           return b.CreateSelect(condition, bound, otherwise);
                         })
                : bound;
  };
  unless(known.rows, parts->from);
  parts->ends.push_back(bound);
  if (parts->part == Part::Outside) {
    return Constant::getNullValue(
        FixedVectorType::get(b.getInt1Ty(), index.lanes));
  }
  unless(known.begins, parts->from);
  parts->edges.push_back(bound);
  return nullptr;
}

//===--- Comparisons ------------------------------------------------------===//

namespace {

mlir::Value sourceOfShape(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  return op && isa<tile::BroadcastOp, tile::ReshapeOp, tile::TransposeOp,
                   tile::HintOp>(op)
             ? op->getOperand(0)
             : mlir::Value();
}

/// Are the numbers of this tile one another's neighbours modulo their width,
/// whatever wraps on the way?
bool countsModulo(const CpuLowering &l, mlir::Value value, unsigned depth = 0) {
  if (const Induction *induction = l.inductionOf(value)) {
    return countsModulo(l, induction->start, depth + 1);
  }
  mlir::Operation *op = value.getDefiningOp();
  if (!op || depth > 16) {
    return false;
  }
  auto of = [&](mlir::Value v) { return countsModulo(l, v, depth + 1); };
  if (isa<tile::RangeOp, tile::SplatOp, arith::ConstantOp>(op)) {
    return true;
  }
  if (mlir::Value source = sourceOfShape(value)) {
    return of(source);
  }
  if (auto wide = dyn_cast<arith::ExtSIOp>(op)) {
    mlir::Value source = wide.getIn();
    while (mlir::Value inner = sourceOfShape(source)) {
      source = inner;
    }
    return source.getDefiningOp<tile::RangeOp>() ||
           source.getDefiningOp<tile::SplatOp>();
  }
  return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op) &&
         of(op->getOperand(0)) && of(op->getOperand(1));
}

} // namespace

/// The answer for all lanes of this part, if `op` compares numbers that count
/// along the loop with one that does not change there. Null: not known.
Value *Nest::answerOfPart(arith::CmpIOp op, const Index &index) {
  using arith::CmpIPredicate;
  mlir::Value counted = op.getLhs(), limit = op.getRhs();
  const CmpIPredicate predicate = op.getPredicate();
  if (predicate == CmpIPredicate::sgt || predicate == CmpIPredicate::sge) {
    std::swap(counted, limit);
  } else if (predicate != CmpIPredicate::slt &&
             predicate != CmpIPredicate::sle) {
    return nullptr;
  }
  const bool isInclusive =
      predicate == CmpIPredicate::sle || predicate == CmpIPredicate::sge;
  if (auto wide = counted.getDefiningOp<arith::ExtSIOp>()) {
    counted = wide.getIn();
  }
  if (strideOf(l, counted, index.dim) != std::optional<int64_t>(1) ||
      strideOf(l, limit, index.dim) != std::optional<int64_t>(0) ||
      !countsModulo(l, counted)) {
    return nullptr;
  }
  const unsigned bits =
      tile::elementType(counted.getType()).getIntOrFloatBitWidth();
  Index first = index.scalar();
  first.at[static_cast<size_t>(index.dim)] = b.getInt64(0);
  if (levelOf(first) > parts->level || bits < 32) {
    return nullptr;
  }
  auto wide = [&](mlir::Value value) {
    Value *scalar = eval(value, first);
    return emitAt({scalar},
                  [&] { return b.CreateSExt(scalar, b.getInt64Ty()); });
  };
  Value *begin = wide(counted), *end = wide(limit);
  if (levelOf(begin) > parts->level || levelOf(end) > parts->level) {
    return nullptr;
  }
  Value *doesNotWrap = emitAt({begin}, [&] {
    Value *last = b.CreateSub(
        b.getInt64(APInt::getSignedMaxValue(bits).getZExtValue()), parts->to);
    return b.CreateICmpSLE(begin, last);
  });
  Value *bound = emitAt({begin, end}, [&] {
    Value *room = b.CreateBinaryIntrinsic(Intrinsic::ssub_sat, end, begin);
    return isInclusive ? b.CreateBinaryIntrinsic(Intrinsic::sadd_sat, room,
                                                 b.getInt64(1))
                       : room;
  });
  // Where it wraps, all vectors are at the edge.
  const bool isInside = parts->part == Part::Inside;
  Value *edge = emitAt({doesNotWrap, bound}, [&] {
    return b.CreateSelect(doesNotWrap, bound, parts->from);
  });
  Value *past = emitAt({doesNotWrap, bound}, [&] {
    return b.CreateSelect(doesNotWrap, bound, parts->to);
  });
  if (isInside) {
    parts->edges.push_back(edge);
  }
  parts->ends.push_back(past);
  auto *lanesOfMask = FixedVectorType::get(b.getInt1Ty(), index.lanes);
  return isInside ? Constant::getAllOnesValue(lanesOfMask)
                  : Constant::getNullValue(lanesOfMask);
}

/// The same for a condition on rows, which holds for all lanes or for none.
Value *Nest::answerOfPart(Value *condition, const Index &index) {
  if (parts->part != Part::Inside || levelOf(condition) > parts->level) {
    return nullptr;
  }
  parts->edges.push_back(emitAt({condition}, [&] {
    return b.CreateSelect(condition, parts->to, parts->from);
  }));
  return Constant::getAllOnesValue(
      FixedVectorType::get(b.getInt1Ty(), index.lanes));
}

} // namespace tz::cpu
