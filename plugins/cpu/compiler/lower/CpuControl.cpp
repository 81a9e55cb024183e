//===- CpuControl.cpp - Loops and branches of the kernel ------------------===//
//
// What   scf.for, scf.if and scf.while as basic blocks. Scalars and the parts
//        of views become phis; tiles live in one buffer a loop argument or
//        result.
// Why    An accumulator must stay where it is over a loop's iterations: the
//        values that lead from an argument to its next value are written into
//        the argument's own buffer where no other use can see the difference.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/lower/Nest.h"

#include "terrazzo/lowering/Loops.h"

using namespace llvm;
namespace arith = mlir::arith;
namespace scf = mlir::scf;

namespace tz::cpu {

namespace {

bool isTile(mlir::Value value) {
  return isa<mlir::RankedTensorType>(value.getType());
}
bool isView(mlir::Value value) { return isa<tile::ViewType>(value.getType()); }

/// The scalar that is added in each iteration, if `next` is `argument` + splat.
mlir::Value increment(mlir::Value argument, mlir::Value next) {
  mlir::Operation *op = next.getDefiningOp();
  if (!op || !isa<tile::AddPtrOp, arith::AddIOp>(op)) {
    return {};
  }
  mlir::Value other;
  if (op->getOperand(0) == argument) {
    other = op->getOperand(1);
  } else if (op->getOperand(1) == argument && isa<arith::AddIOp>(op)) {
    other = op->getOperand(0);
  } else {
    return {};
  }
  mlir::Operation *source = other.getDefiningOp();
  if (auto splat = dyn_cast_or_null<tile::SplatOp>(source)) {
    return splat.getSource();
  }
  auto constant = dyn_cast_or_null<arith::ConstantOp>(source);
  return constant && isa<mlir::SplatElementsAttr>(constant.getValue())
             ? other
             : mlir::Value();
}

/// All values of a view; the position first, which is what loops change.
SmallVector<Value **> partsOf(ViewParts &parts) {
  SmallVector<Value **> all;
  for (Value *&v : parts.position) {
    all.push_back(&v);
  }
  for (Value *&v : parts.shape) {
    all.push_back(&v);
  }
  for (Value *&v : parts.strides) {
    all.push_back(&v);
  }
  all.push_back(&parts.base);
  return all;
}

} // namespace

/// What is used inside the regions of `op` and shall be in the arena, is put
/// there before.
void CpuLowering::keepForRegions(mlir::Operation *op) {
  op->walk([&](mlir::Operation *inner) {
    for (mlir::Value operand : inner->getOperands()) {
      mlir::Operation *owner = operand.getParentBlock()->getParentOp();
      if (isTile(operand) && !(owner == op || op->isProperAncestor(owner))) {
        keepWhatIsNeeded(operand);
      }
    }
  });
}

//===--- for --------------------------------------------------------------===//

bool CpuLowering::isInduction(scf::ForOp op, unsigned i) {
  mlir::Value argument = op.getRegionIterArg(i);
  if (!isTile(argument) || !increment(argument, op.getYieldedValues()[i])) {
    return false;
  }
  // The start is computed again in the loop: it may hold nothing of memory.
  unsigned budget = 64;
  auto pure = [&](auto &self, mlir::Value value) -> bool {
    if (!isTile(value)) {
      return true;
    }
    if (const Induction *outer = inductionOf(value)) {
      return self(self, outer->start);
    }
    mlir::Operation *def = value.getDefiningOp();
    if (!def || budget-- == 0 || bufferOf(value) || !isFusable(def) ||
        isa<tile::LoadOp, tile::LoadViewOp, tile::GatherOp, tile::SplitOp>(
            def)) {
      return false;
    }
    return llvm::all_of(def->getOperands(),
                        [&](mlir::Value v) { return self(self, v); });
  };
  return pure(pure, op.getInitArgs()[i]);
}

void CpuLowering::chooseDestinations(scf::ForOp op, unsigned i,
                                     const Buffer &buffer) {
  mlir::Value argument = op.getRegionIterArg(i);
  mlir::Value last = op.getYieldedValues()[i];
  auto settle = [&](mlir::Value value) {
    mlir::Operation *def = value.getDefiningOp();
    return def && def->getBlock() == op.getBody() &&
           value.getType() == argument.getType() &&
           !destinations.contains(value);
  };
  if (argument.use_empty()) {
    if (settle(last)) {
      destinations[last] = buffer;
    }
    return;
  }
  // From the argument forward: each value is read by the next one only, at the
  // very elements that it writes.
  SmallVector<mlir::Value> chain;
  for (mlir::Value value = argument; value != last;) {
    if (!value.hasOneUse()) {
      return;
    }
    mlir::Operation *user = *value.user_begin();
    auto dot = dyn_cast<tile::DotOp>(user);
    const bool follows = isElementwise(user) || (dot && dot.getAcc() == value);
    if (!follows || user->getBlock() != op.getBody()) {
      return;
    }
    value = user->getResult(0);
    if (!settle(value)) {
      return;
    }
    chain.push_back(value);
  }
  for (mlir::Value value : chain) {
    destinations[value] = buffer;
  }
}

/// The buffer of `value`, if nobody but `user` needs it: from now on alive
/// until `last`.
std::optional<Buffer> CpuLowering::takeOver(mlir::Value value,
                                            mlir::Operation *user, int last) {
  const Buffer *buffer = bufferOf(value);
  if (!buffer || buffer->global || !value.hasOneUse() ||
      value.getParentBlock() != user->getBlock() ||
      !value.getDefiningOp<scf::ForOp>()) {
    return std::nullopt;
  }
  for (auto &[end, owned] : scopes.back().owned) {
    if (owned.offset == buffer->offset && end == plan.position(user)) {
      end = last;
      return owned;
    }
  }
  return std::nullopt;
}

/// Is `value` computed from `from` by ops of their block? Where there are too
/// many of them, it may be.
static bool needs(mlir::Value value, mlir::Value from) {
  constexpr size_t most = 128;
  SmallPtrSet<mlir::Operation *, 16> seen;
  SmallVector<mlir::Value> open = {value};
  while (!open.empty()) {
    mlir::Value one = open.pop_back_val();
    if (one == from || seen.size() == most) {
      return true;
    }
    mlir::Operation *op = one.getDefiningOp();
    if (op && op->getBlock() == from.getParentBlock() &&
        seen.insert(op).second) {
      open.append(op->operand_begin(), op->operand_end());
      op->walk([&](mlir::Operation *inner) {
        open.append(inner->operand_begin(), inner->operand_end());
      });
    }
  }
  return false;
}

/// May one nest compute `value` and these, each into its buffer? What one of
/// them needs of another it could read when that is written already.
bool CpuLowering::mayBeTogether(ArrayRef<std::pair<mlir::Value, Buffer>> others,
                                mlir::Value value) const {
  constexpr size_t most = 4; // and the loads of each
  return others.size() < most && !bufferOf(value) &&
         llvm::all_of(
             others,
             [&](const auto &other) {
               mlir::Value one = other.first;
               auto bytes = [](mlir::Value of) {
                 return tile::storageBytes(tile::elementType(of.getType()));
               };
               return !bufferOf(one) &&
                      tile::shapeOf(one.getType()) ==
                          tile::shapeOf(value.getType()) &&
                      bytes(one) == bytes(value) && !needs(one, value) &&
                      !needs(value, one);
             });
}

void CpuLowering::forOp(scf::ForOp op) {
  keepForRegions(op);
  const unsigned n = op.getNumRegionIterArgs();
  const int here = plan.position(op);
  Type *i64 = b.getInt64Ty();
  auto wide = [&](mlir::Value v) {
    return op.getUnsignedCmp() ? b.CreateZExt(scalar(v), i64)
                               : b.CreateSExt(scalar(v), i64);
  };
  const bool isNarrow = !op.getInductionVar().getType().isInteger(64);

  // What the arguments are before the first iteration.
  SmallVector<Buffer> homes(n);
  SmallVector<bool> inducts(n);
  mlir::Block *body = op.getBody();
  mlir::ValueRange next = op.getYieldedValues();
  auto positionOnly = [&](unsigned i) {
    mlir::Value v = next[i];
    while (auto advance = v.getDefiningOp<tile::AdvanceViewOp>()) {
      v = advance.getView();
    }
    return v == op.getRegionIterArg(i);
  };
  for (unsigned i = 0; i < n; ++i) {
    mlir::Value init = op.getInitArgs()[i];
    if (!isTile(init)) {
      continue;
    }
    inducts[i] = isInduction(op, i);
    if (inducts[i]) {
      continue;
    }
    const int last = std::max(here, plan.of(op.getResult(i)).last());
    if (std::optional<Buffer> own = takeOver(init, op, last)) {
      homes[i] = *own;
      continue;
    }
    homes[i] = allocate(init.getType(), last);
    materialiseInto(init, homes[i]);
  }

  lowering::LoopCounter counter(b, wide(op.getLowerBound()),
                                wide(op.getUpperBound()), wide(op.getStep()),
                                op.getUnsignedCmp(), /*isWide=*/isNarrow);
  BasicBlock *before = b.GetInsertBlock();
  BasicBlock *head = block("for"), *inside = block("for.body"),
             *exit = block("for.end");
  b.CreateBr(head);
  b.SetInsertPoint(head);
  PHINode *index = counter.begin(b);
  struct Carried {
    PHINode *phi;
    unsigned argument;
    int part; ///< -1: the scalar itself
  };
  SmallVector<Carried> carried;
  auto phi = [&](Value *init, unsigned argument, int part) {
    PHINode *made = b.CreatePHI(init->getType(), 2);
    made->addIncoming(init, before);
    carried.push_back({made, argument, part});
    return made;
  };
  for (unsigned i = 0; i < n; ++i) {
    mlir::Value argument = op.getRegionIterArg(i), init = op.getInitArgs()[i];
    mlir::Value result = op.getResult(i);
    if (isView(argument)) {
      ViewParts parts = view(init);
      SmallVector<Value **> all = partsOf(parts);
      size_t count = positionOnly(i) ? parts.position.size() : all.size();
      for (size_t part = 0; part < count; ++part) {
        *all[part] = phi(*all[part], i, static_cast<int>(part));
      }
      views[argument] = views[result] = parts;
    } else if (inducts[i]) {
      mlir::Value by = increment(argument, next[i]);
      Type *t = type(tile::elementType(by.getType()));
      Induction induction{init, phi(ConstantInt::get(t, 0), i, -1)};
      inductions[argument] = inductions[result] = induction;
    } else if (isTile(argument)) {
      define(argument, homes[i]);
      define(result, homes[i]);
      chooseDestinations(op, i, homes[i]);
    } else {
      scalars[argument] = scalars[result] = phi(scalar(init), i, -1);
    }
  }
  b.CreateCondBr(counter.goesOn(b), inside, exit);
  b.SetInsertPoint(inside);
  scalars[op.getInductionVar()] =
      b.CreateTrunc(index, type(op.getInductionVar().getType()));
  emitBlock(*body);

  // The next values: tiles first into places of their own, then all at once.
  SmallVector<std::pair<Buffer, Buffer>> copies;
  SmallVector<std::pair<mlir::Value, Buffer>> together;
  auto writeTogether = [&] {
    materialiseAllInto(together);
    for (auto &[value, home] : together) {
      // The next values that use it read it there: computed again, it would
      // begin with what the argument is now.
      define(value, home);
    }
    together.clear();
  };
  for (unsigned i = 0; i < n; ++i) {
    if (!isTile(next[i]) || inducts[i] || next[i] == op.getRegionIterArg(i)) {
      continue;
    }
    auto chosen = destinations.find(next[i]);
    if (chosen != destinations.end() &&
        chosen->second.offset == homes[i].offset) {
      // Not there yet if it is fused, a constant, or the result of a loop or
      // a branch, which has a place of its own.
      const Buffer *written = bufferOf(next[i]);
      if (!written || written->global || written->offset != homes[i].offset) {
        if (!mayBeTogether(together, next[i])) {
          writeTogether();
        }
        together.emplace_back(next[i], homes[i]);
      }
      continue;
    }
    writeTogether();
    Buffer from = materialise(next[i]);
    if (llvm::is_contained(op.getRegionIterArgs(), next[i])) {
      // The old value of another argument, which may be written before.
      Buffer saved = allocateTemporary(next[i].getType());
      b.CreateMemCpy(address(saved), Align(64), address(from), Align(64),
                     from.bytes);
      from = saved;
    }
    copies.push_back({homes[i], from});
  }
  writeTogether();
  for (auto &[to, from] : copies) {
    b.CreateMemCpy(address(to), Align(64), address(from), Align(64), to.bytes);
  }
  release(INT_MAX);
  scopes.pop_back();

  SmallVector<Value *> incoming;
  for (const Carried &c : carried) {
    mlir::Value value = next[c.argument];
    if (c.part >= 0) {
      ViewParts parts = view(value);
      incoming.push_back(*partsOf(parts)[static_cast<size_t>(c.part)]);
    } else if (inducts[c.argument]) {
      mlir::Value by = increment(op.getRegionIterArg(c.argument), value);
      Value *amount;
      if (isTile(by)) {
        auto dense = cast<mlir::SplatElementsAttr>(
            by.getDefiningOp<arith::ConstantOp>().getValue());
        amount = constant(
            cast<mlir::TypedAttr>(dense.getSplatValue<mlir::Attribute>()));
      } else {
        amount = scalar(by);
      }
      incoming.push_back(b.CreateAdd(c.phi, amount));
    } else {
      incoming.push_back(scalar(value));
    }
  }
  BasicBlock *latch = b.GetInsertBlock();
  for (auto [c, value] : llvm::zip(carried, incoming)) {
    c.phi->addIncoming(value, latch);
  }
  counter.next(b);
  b.CreateBr(head);
  leaveLoopIfStopped(op, head, &counter);
  b.SetInsertPoint(exit);
}

//===--- if ---------------------------------------------------------------===//

void CpuLowering::ifOp(scf::IfOp op) {
  keepForRegions(op);
  const unsigned n = op.getNumResults();
  SmallVector<Buffer> homes(n);
  for (unsigned i = 0; i < n; ++i) {
    if (isTile(op.getResult(i))) {
      homes[i] =
          allocate(op.getResult(i).getType(), plan.of(op.getResult(i)).last());
    }
  }
  BasicBlock *ends[2];
  SmallVector<ViewParts> viewResults[2];
  SmallVector<Value *> scalarResults[2];
  auto side = [&](mlir::Region &region, unsigned which) {
    if (region.empty()) {
      ends[which] = b.GetInsertBlock();
      return;
    }
    mlir::Block &body = region.front();
    emitBlock(body);
    for (unsigned i = 0; i < n; ++i) {
      mlir::Value value = body.getTerminator()->getOperand(i);
      ViewParts parts;
      Value *number = nullptr;
      if (isTile(value)) {
        materialiseInto(value, homes[i]);
      } else if (isView(value)) {
        parts = view(value);
      } else {
        number = scalar(value);
      }
      viewResults[which].push_back(parts);
      scalarResults[which].push_back(number);
    }
    release(INT_MAX);
    scopes.pop_back();
    ends[which] = b.GetInsertBlock();
  };
  emitIf(
      scalar(op.getCondition()), [&] { side(op.getThenRegion(), 0); },
      [&] { side(op.getElseRegion(), 1); });
  auto join = [&](Value *yes, Value *no) -> Value * {
    if (yes == no) {
      return yes;
    }
    PHINode *phi = b.CreatePHI(yes->getType(), 2);
    phi->addIncoming(yes, ends[0]);
    phi->addIncoming(no, ends[1]);
    return phi;
  };
  for (unsigned i = 0; i < n; ++i) {
    mlir::Value result = op.getResult(i);
    if (isTile(result)) {
      define(result, homes[i]);
    } else if (isView(result)) {
      ViewParts parts = viewResults[0][i];
      ViewParts &other = viewResults[1][i];
      parts.base = join(parts.base, other.base);
      for (size_t d = 0; d < parts.shape.size(); ++d) {
        parts.shape[d] = join(parts.shape[d], other.shape[d]);
        parts.strides[d] = join(parts.strides[d], other.strides[d]);
        parts.position[d] = join(parts.position[d], other.position[d]);
      }
      views[result] = parts;
    } else {
      scalars[result] = join(scalarResults[0][i], scalarResults[1][i]);
    }
  }
}

//===--- while ------------------------------------------------------------===//

void CpuLowering::whileOp(scf::WhileOp op) {
  keepForRegions(op);
  mlir::Block &test = op.getBefore().front(),
              &iteration = op.getAfter().front();
  const int here = plan.position(op);
  SmallVector<Buffer> homes(test.getNumArguments());
  auto valuesOf = [&](mlir::Value value) {
    SmallVector<Value *> values;
    if (isView(value)) {
      ViewParts parts = view(value);
      for (Value **part : partsOf(parts)) {
        values.push_back(*part);
      }
    } else if (!isTile(value)) {
      values.push_back(scalar(value));
    }
    return values;
  };
  for (auto [i, init] : llvm::enumerate(op.getInits())) {
    mlir::Value argument = test.getArgument(static_cast<unsigned>(i));
    if (isTile(init)) {
      homes[i] = allocate(init.getType(), here);
      materialiseInto(init, homes[i]);
      define(argument, homes[i]);
    }
  }
  SmallVector<Buffer> results(op.getNumResults());
  for (unsigned i = 0; i < op.getNumResults(); ++i) {
    if (isTile(op.getResult(i))) {
      results[i] = allocate(op.getResult(i).getType(),
                            std::max(here, plan.of(op.getResult(i)).last()));
    }
  }
  /// Values into buffers, all read before any is written.
  auto assign = [&](mlir::OperandRange values, ArrayRef<Buffer> to) {
    SmallVector<std::pair<Buffer, Buffer>> copies;
    for (auto [i, value] : llvm::enumerate(values)) {
      if (isTile(value)) {
        Buffer from = materialise(value);
        if (isa<mlir::BlockArgument>(value)) {
          Buffer saved = allocateTemporary(value.getType());
          b.CreateMemCpy(address(saved), Align(64), address(from), Align(64),
                         from.bytes);
          from = saved;
        }
        copies.push_back({to[i], from});
      }
    }
    for (auto &[target, from] : copies) {
      if (from.global || target.offset != from.offset) {
        b.CreateMemCpy(address(target), Align(64), address(from), Align(64),
                       target.bytes);
      }
    }
  };
  SmallVector<SmallVector<Value *>> starts;
  for (mlir::Value init : op.getInits()) {
    starts.push_back(valuesOf(init));
  }
  BasicBlock *before = b.GetInsertBlock();
  BasicBlock *head = block("while"), *body = block("while.body"),
             *exit = block("while.end");
  b.CreateBr(head);
  b.SetInsertPoint(head);
  SmallVector<PHINode *> carried; // of scalars, and of each part of a view
  for (auto [i, argument] : llvm::enumerate(test.getArguments())) {
    SmallVector<Value *> values;
    for (Value *start : starts[i]) {
      PHINode *phi = b.CreatePHI(start->getType(), 2);
      phi->addIncoming(start, before);
      carried.push_back(phi);
      values.push_back(phi);
    }
    if (isView(argument)) {
      ViewParts parts = view(op.getInits()[i]);
      for (auto [part, value] : llvm::zip(partsOf(parts), values)) {
        *part = value;
      }
      views[argument] = parts;
    } else if (!isTile(argument)) {
      scalars[argument] = values[0];
    }
  }
  emitBlock(test);
  auto condition = cast<scf::ConditionOp>(test.getTerminator());
  assign(condition.getArgs(), results);
  for (auto [i, value] : llvm::enumerate(condition.getArgs())) {
    auto at = static_cast<unsigned>(i);
    if (isTile(value)) {
      define(iteration.getArgument(at), results[i]);
      define(op.getResult(at), results[i]);
    } else if (isView(value)) {
      ViewParts parts = view(value);
      views[iteration.getArgument(at)] = views[op.getResult(at)] = parts;
    } else {
      scalars[iteration.getArgument(at)] = scalars[op.getResult(at)] =
          scalar(value);
    }
  }
  Value *again = scalar(condition.getCondition());
  release(INT_MAX);
  scopes.pop_back();
  b.CreateCondBr(again, body, exit);
  b.SetInsertPoint(body);
  emitBlock(iteration);
  mlir::OperandRange next = iteration.getTerminator()->getOperands();
  assign(next, homes);
  SmallVector<Value *> values;
  for (mlir::Value value : next) {
    llvm::append_range(values, valuesOf(value));
  }
  release(INT_MAX);
  scopes.pop_back();
  for (auto [phi, value] : llvm::zip_equal(carried, values)) {
    phi->addIncoming(value, b.GetInsertBlock());
  }
  b.CreateBr(head);
  leaveLoopIfStopped(op, head);
  b.SetInsertPoint(exit);
}

} // namespace tz::cpu
