//===- PointerUses.cpp - what the code does through a pointer -------------===//
//
// What   Two walks: along the uses of each pointer argument to the accesses,
//        and from each offset on the way back to what it is made of.
// Why    See PointerUses.h. An offset is a sum of counters (positions in tiles,
//        numbers of programs, iterations of loops, offsets that are arguments),
//        each times a constant; where it is not, the steps are not known.
//===----------------------------------------------------------------------===//
#include "terrazzo/analysis/PointerUses.h"

#include "mlir/IR/Matchers.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

#include <bit>
#include <cstdlib>
#include <set>

using namespace mlir;
using namespace tz;
using namespace tz::analysis;
using namespace tz::tile;

static std::optional<int64_t> constantOf(Value value) {
  for (Operation *op = value.getDefiningOp();
       op && isa<SplatOp, BroadcastOp, ReshapeOp, arith::ExtSIOp,
                 arith::ExtUIOp, arith::TruncIOp>(op);
       op = value.getDefiningOp()) {
    value = op->getOperand(0);
  }
  Attribute attribute;
  if (!matchPattern(value, m_Constant(&attribute))) {
    return std::nullopt;
  }
  if (auto splat = dyn_cast<SplatElementsAttr>(attribute)) {
    attribute = splat.getSplatValue<Attribute>();
  }
  auto number = dyn_cast<IntegerAttr>(attribute);
  return number && number.getValue().getBitWidth() <= 64
             ? std::optional(number.getValue().getSExtValue())
             : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Steps of an offset
//===----------------------------------------------------------------------===//

namespace {
/// Collects the constants that elements can lie apart.
class Steps {
public:
  /// Adds those of an offset; `eachIteration`: a loop moves the address by it
  /// again and again.
  void add(Value offset, bool eachIteration) {
    reach({offset, 1, eachIteration});
  }
  void addConstant(int64_t step) { found.insert(step < 0 ? -step : step); }
  void giveUp() { areKnown = false; }

  std::optional<std::vector<int64_t>> take() {
    while (!work.empty() && areKnown) {
      visit(work.pop_back_val());
    }
    if (!areKnown) {
      return std::nullopt;
    }
    return std::vector<int64_t>(found.upper_bound(1), found.end());
  }

private:
  /// A summand of an offset: `factor` times the value; `eachIteration`: a loop
  /// adds it again and again, so the value itself is a step.
  struct Part {
    Value value;
    int64_t factor;
    bool eachIteration;
  };

  void reach(Part part) {
    bool isNew =
        seen.insert({{part.value, part.factor}, part.eachIteration}).second;
    // Factors that grow from iteration to iteration end here.
    if (isNew && seen.size() < MaxParts) {
      work.push_back(part);
    } else if (isNew) {
      giveUp();
    }
  }
  void reach(const Part &whole, Value value) {
    reach({value, whole.factor, whole.eachIteration});
  }
  void visit(const Part &part);
  void visitProduct(const Part &part, Value value, int64_t by);
  void visitBits(const Part &part, std::optional<int64_t> mask);
  void visitArgument(const Part &part, BlockArgument argument);
  void visitResult(const Part &part, OpResult result);
  void visitLoop(const Part &part, Value first, Value next);
  /// Something that counts: its steps are the factor.
  void count(const Part &part) {
    if (part.eachIteration) {
      giveUp();
    }
  }

  static constexpr size_t MaxParts = 4096;
  SmallVector<Part> work;
  llvm::DenseSet<std::pair<std::pair<Value, int64_t>, unsigned>> seen;
  std::set<int64_t> found;
  bool areKnown = true;
};
} // namespace

void Steps::visit(const Part &part) {
  if (std::optional<int64_t> constant = constantOf(part.value)) {
    int64_t step;
    if (llvm::MulOverflow(*constant, part.factor, step)) {
      giveUp();
    } else {
      addConstant(step);
    }
    return;
  }
  if (auto argument = dyn_cast<BlockArgument>(part.value)) {
    visitArgument(part, argument);
    return;
  }
  Operation *op = part.value.getDefiningOp();
  llvm::TypeSwitch<Operation *>(op)
      .Case<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, SplatOp,
            BroadcastOp, ReshapeOp, TransposeOp, HintOp>(
          [&](auto same) { reach(part, same->getOperand(0)); })
      .Case<arith::AddIOp, arith::SubIOp, MinSIOp, MinUIOp, MaxSIOp, MaxUIOp>(
          [&](auto sum) {
            reach(part, sum->getOperand(0));
            reach(part, sum->getOperand(1));
          })
      .Case<arith::SelectOp>([&](arith::SelectOp select) {
        reach(part, select.getTrueValue());
        reach(part, select.getFalseValue());
      })
      .Case<arith::MulIOp>([&](arith::MulIOp product) {
        if (std::optional<int64_t> by = constantOf(product.getRhs())) {
          visitProduct(part, product.getLhs(), *by);
        } else if ((by = constantOf(product.getLhs()))) {
          visitProduct(part, product.getRhs(), *by);
        } else {
          giveUp();
        }
      })
      .Case<ShlOp>([&](ShlOp shift) {
        std::optional<int64_t> by = constantOf(shift.getRhs());
        if (by && *by >= 0 && *by < 62) {
          visitProduct(part, shift.getLhs(), int64_t(1) << *by);
        } else {
          giveUp();
        }
      })
      .Case<arith::AndIOp>([&](arith::AndIOp bits) {
        std::optional<int64_t> mask = constantOf(bits.getRhs());
        visitBits(part, mask ? mask : constantOf(bits.getLhs()));
      })
      // A part of a counter is one, whatever it was divided by.
      .Case<DivSIOp, DivUIOp, RemSIOp, RemUIOp, ShrSIOp, ShrUIOp, RangeOp,
            ProgramIdOp>([&](auto) { count(part); })
      .Case<NumProgramsOp>([](auto) {})
      .Case<scf::IfOp, scf::ForOp, scf::WhileOp>(
          [&](auto) { visitResult(part, cast<OpResult>(part.value)); })
      .Default([&](Operation *) { giveUp(); });
}

void Steps::visitProduct(const Part &part, Value value, int64_t by) {
  int64_t factor;
  if (llvm::MulOverflow(part.factor, by, factor)) {
    giveUp();
    return;
  }
  addConstant(factor);
  if (factor) {
    reach({value, factor, part.eachIteration});
  }
}

void Steps::visitBits(const Part &part, std::optional<int64_t> mask) {
  count(part);
  if (!mask) {
    giveUp();
    return;
  }
  // Each run of bits counts by its lowest one.
  uint64_t lowest = uint64_t(*mask) & ~(uint64_t(*mask) << 1);
  for (; lowest != 0; lowest &= lowest - 1) {
    int64_t step;
    if (llvm::MulOverflow(int64_t(lowest & -lowest), part.factor, step)) {
      giveUp();
      return;
    }
    addConstant(step);
  }
}

void Steps::visitLoop(const Part &part, Value first, Value next) {
  reach(part, first);
  reach({next, part.factor, true});
}

void Steps::visitArgument(const Part &part, BlockArgument argument) {
  Operation *around = argument.getOwner()->getParentOp();
  unsigned number = argument.getArgNumber();
  if (isa<KernelOp>(around)) {
    count(part); // an offset
  } else if (auto loop = dyn_cast<scf::ForOp>(around); loop && number == 0) {
    count(part);
    visitLoop(part, loop.getLowerBound(), loop.getStep());
  } else if (loop && !part.eachIteration) {
    visitLoop(part, loop.getInitArgs()[number - 1],
              loop.getYieldedValues()[number - 1]);
  } else if (!loop || !seen.contains({{argument, part.factor}, false})) {
    giveUp();
  } // else what the iteration before made of this very sum
}

void Steps::visitResult(const Part &part, OpResult result) {
  unsigned number = result.getResultNumber();
  if (auto branch = dyn_cast<scf::IfOp>(result.getOwner())) {
    reach(part, branch.thenYield().getOperand(number));
    reach(part, branch.elseYield().getOperand(number));
  } else if (auto loop = dyn_cast<scf::ForOp>(result.getOwner())) {
    visitArgument(part, loop.getRegionIterArg(number));
  } else {
    giveUp();
  }
}

//===----------------------------------------------------------------------===//
// Uses of a pointer
//===----------------------------------------------------------------------===//

namespace {
/// Follows the pointers and views that one argument leads to.
class Walk {
public:
  PointerUse run(Value argument) {
    use.isKnown = true;
    reach(argument);
    while (!work.empty() && use.isKnown) {
      for (OpOperand &at : work.pop_back_val().getUses()) {
        visit(at);
      }
    }
    if (!use.isKnown) {
      return PointerUse();
    }
    use.steps = steps.take();
    return use;
  }

private:
  void reach(Value value) {
    if (seen.insert(value).second) {
      work.push_back(value);
    }
  }
  void visit(OpOperand &at);
  void visitTerminator(OpOperand &at);
  void read() { use.isRead = true; }
  void write() { use.isWritten = true; }

  PointerUse use;
  Steps steps;
  llvm::DenseSet<Value> seen;
  SmallVector<Value> work;
};
} // namespace

/// Does the pointer come from a loop's iteration before?
static bool isCarried(Value pointer) {
  while (Operation *op = pointer.getDefiningOp()) {
    if (!isa<AddPtrOp, SplatOp, BroadcastOp, ReshapeOp, TransposeOp, HintOp>(
            op)) {
      return true; // a branch, a loop: it may
    }
    pointer = op->getOperand(0);
  }
  return !isa<KernelOp>(cast<BlockArgument>(pointer).getOwner()->getParentOp());
}

/// Does the next iteration of a loop begin with a pointer made of this one?
static bool isHandedOn(Value pointer) {
  return llvm::any_of(pointer.getUsers(), [](Operation *user) {
    return isa<scf::YieldOp>(user) ||
           (isa<AddPtrOp, SplatOp, BroadcastOp, ReshapeOp, TransposeOp, HintOp,
                arith::SelectOp>(user) &&
            isHandedOn(user->getResult(0)));
  });
}

void Walk::visit(OpOperand &at) {
  Operation *op = at.getOwner();
  unsigned number = at.getOperandNumber();
  llvm::TypeSwitch<Operation *>(op)
      .Case<SplatOp, BroadcastOp, ReshapeOp, TransposeOp, HintOp>(
          [&](auto same) { reach(same->getResult(0)); })
      .Case<arith::SelectOp>([&](auto select) { reach(select.getResult()); })
      .Case<BitcastOp>([&](BitcastOp cast) {
        steps.giveUp(); // elements of another size
        reach(cast.getResult());
      })
      .Case<AddPtrOp>([&](AddPtrOp add) {
        steps.add(add.getOffset(),
                  isCarried(add.getPointer()) && isHandedOn(add.getResult()));
        reach(add.getResult());
      })
      .Case<MakeViewOp>([&](MakeViewOp make) {
        for (Value stride : make.getStrides()) {
          if (std::optional<int64_t> constant = constantOf(stride)) {
            steps.addConstant(*constant);
          } else {
            steps.giveUp();
          }
        }
        reach(make.getResult());
      })
      .Case<AdvanceViewOp>([&](auto moved) { reach(moved.getResult()); })
      .Case<LoadOp, LoadViewOp>([&](auto) {
        // What a mask leaves of pointers in memory may be this one.
        number == 0 ? read() : void(use.isKnown = false);
      })
      .Case<StoreOp>(
          [&](auto) { number == 0 ? write() : void(use.isKnown = false); })
      .Case<StoreViewOp>([&](auto) { write(); })
      .Case<AtomicRMWOp>([&](auto) {
        read();
        number == 0 ? write() : void(use.isKnown = false);
      })
      .Case<AtomicCASOp>([&](auto) {
        read();
        number == 0 ? write() : void(use.isKnown = false);
      })
      .Case<scf::ForOp>([&](scf::ForOp loop) {
        unsigned item = number - loop.getNumControlOperands();
        reach(loop.getRegionIterArg(item));
        reach(loop.getResult(item));
      })
      .Case<scf::YieldOp>([&](auto) { visitTerminator(at); })
      .Default([&](Operation *) { use.isKnown = false; });
}

void Walk::visitTerminator(OpOperand &at) {
  Operation *around = at.getOwner()->getParentOp();
  unsigned number = at.getOperandNumber();
  if (auto branch = dyn_cast<scf::IfOp>(around)) {
    reach(branch.getResult(number));
  } else if (auto loop = dyn_cast<scf::ForOp>(around)) {
    reach(loop.getRegionIterArg(number));
    reach(loop.getResult(number));
  } else {
    use.isKnown = false;
  }
}

/// By how much an operation divides what it takes, also to get the remainder;
/// nothing if that is no constant above 1.
static std::optional<int64_t> divisorOf(Operation *op) {
  std::optional<int64_t> by;
  if (isa<DivSIOp, DivUIOp, RemSIOp, RemUIOp>(op)) {
    by = constantOf(op->getOperand(1));
  } else if (isa<ShrSIOp, ShrUIOp>(op)) {
    by = constantOf(op->getOperand(1));
    by = by && *by >= 0 && *by < 62 ? std::optional(int64_t(1) << *by)
                                    : std::nullopt;
  } else if (isa<arith::AndIOp>(op)) {
    by = constantOf(op->getOperand(1));
    by = by && *by > 0 && std::has_single_bit(uint64_t(*by) + 1)
             ? std::optional(*by + 1)
             : std::nullopt;
  }
  return by && *by > 1 ? by : std::nullopt;
}

std::vector<PointerUse> tz::analysis::pointerUses(KernelOp kernel) {
  std::set<int64_t> divisors;
  kernel.walk([&](Operation *op) {
    if (std::optional<int64_t> by = divisorOf(op)) {
      divisors.insert(*by);
    }
  });
  std::vector<PointerUse> uses;
  for (BlockArgument argument : kernel.getBody().front().getArguments()) {
    uses.push_back(isa<PtrType>(argument.getType()) ? Walk().run(argument)
                                                    : PointerUse());
    if (std::optional<std::vector<int64_t>> &steps = uses.back().steps) {
      std::set<int64_t> all(steps->begin(), steps->end());
      all.insert(divisors.begin(), divisors.end());
      steps->assign(all.begin(), all.end());
    }
  }
  return uses;
}
