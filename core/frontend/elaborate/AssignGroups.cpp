//===- AssignGroups.cpp - which pointer argument an access goes through ---===//
//
// What   Walks from each address back to where it comes from, through shape
//        operations, selects, ifs and loops.
// Why    See AssignGroups.h. A worklist and not recursion: chains of pointer
//        arithmetic are as long as the kernel.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/elaborate/AssignGroups.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tz::frontend {

namespace {

constexpr int64_t Mixed = 0;

/// What a while loop carries in the argument of one of its two bodies: where it
/// begins and what each iteration gives.
void pushCarried(scf::WhileOp loop, BlockArgument argument,
                 llvm::SmallVectorImpl<Value> &work) {
  const unsigned index = argument.getArgNumber();
  if (argument.getOwner() == loop.getBeforeBody()) {
    work.push_back(loop.getInits()[index]);
    work.push_back(loop.getYieldOp()->getOperand(index));
  } else {
    work.push_back(loop.getConditionOp().getArgs()[index]);
  }
}

class Origins {
public:
  explicit Origins(tile::KernelOp kernel) : kernel(kernel) {}

  /// The group of an address, `mixed` if it is not one argument's.
  int64_t groupOf(Value address) {
    auto [it, isNew] = known.try_emplace(address, Mixed);
    if (!isNew) {
      return it->second;
    }
    int64_t group = trace(address);
    known[address] = group;
    return group;
  }

private:
  tile::KernelOp kernel;
  llvm::DenseMap<Value, int64_t> known;

  int64_t trace(Value start) {
    llvm::SmallVector<Value> work{start};
    llvm::DenseSet<Value> seen;
    int64_t found = -1;
    while (!work.empty()) {
      Value value = work.pop_back_val();
      if (!seen.insert(value).second) {
        continue;
      }
      int64_t origin = -1;
      if (auto argument = dyn_cast<BlockArgument>(value)) {
        origin = ofBlockArgument(argument, work);
      } else {
        origin = ofResult(cast<OpResult>(value), work);
      }
      if (origin == -1) {
        continue; // the operands tell
      }
      if (origin == Mixed || (found != -1 && found != origin)) {
        return Mixed;
      }
      found = origin;
    }
    return found == -1 ? Mixed : found;
  }

  int64_t ofBlockArgument(BlockArgument argument,
                          llvm::SmallVectorImpl<Value> &work) {
    Operation *parent = argument.getOwner()->getParentOp();
    unsigned index = argument.getArgNumber();
    if (parent == kernel) {
      auto group = kernel.getArgAttrOfType<IntegerAttr>(index, "tile.group");
      return group ? group.getInt() : Mixed;
    }
    if (auto loop = dyn_cast<scf::ForOp>(parent); loop && index > 0) {
      work.push_back(loop.getInitArgs()[index - 1]);
      work.push_back(loop.getBody()->getTerminator()->getOperand(index - 1));
      return -1;
    }
    if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
      pushCarried(loop, argument, work);
      return -1;
    }
    return Mixed;
  }

  int64_t ofResult(OpResult result, llvm::SmallVectorImpl<Value> &work) {
    Operation *op = result.getOwner();
    unsigned index = result.getResultNumber();
    return llvm::TypeSwitch<Operation *, int64_t>(op)
        .Case<tile::AddPtrOp, tile::SplatOp, tile::BroadcastOp, tile::ReshapeOp,
              tile::TransposeOp, tile::MakeViewOp, tile::AdvanceViewOp,
              tile::HintOp>([&](Operation *o) {
          work.push_back(o->getOperand(0));
          return -1;
        })
        .Case([&](tile::ViewPartsOp parts) -> int64_t {
          if (index != 0) {
            return Mixed;
          }
          work.push_back(parts.getView());
          return -1;
        })
        .Case([&](tile::BitcastOp cast) {
          work.push_back(cast.getSource());
          return -1;
        })
        .Case([&](arith::SelectOp select) {
          work.push_back(select.getTrueValue());
          work.push_back(select.getFalseValue());
          return -1;
        })
        .Case([&](scf::IfOp branch) {
          work.push_back(branch.thenYield()->getOperand(index));
          work.push_back(branch.elseYield()->getOperand(index));
          return -1;
        })
        .Case([&](scf::ForOp loop) {
          work.push_back(loop.getInitArgs()[index]);
          work.push_back(loop.getBody()->getTerminator()->getOperand(index));
          return -1;
        })
        .Case([&](scf::WhileOp loop) {
          work.push_back(loop.getConditionOp().getArgs()[index]);
          return -1;
        })
        .Default([](Operation *) { return Mixed; });
  }
};

/// Whether a value depends on an atomic or volatile load (decision R6, O4).
/// `seen` has values that do not, or were asked for already: with one set for a
/// kernel all of its loops cost the kernel's length.
bool dependsOnOthers(Value condition, llvm::DenseSet<Value> &seen) {
  llvm::SmallVector<Value> work{condition};
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!seen.insert(value).second) {
      continue;
    }
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      // What the loop carries: where it begins and what each iteration gives.
      Operation *parent = argument.getOwner()->getParentOp();
      const unsigned index = argument.getArgNumber();
      if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
        pushCarried(loop, argument, work);
      } else if (auto loop = dyn_cast<scf::ForOp>(parent)) {
        llvm::append_range(work, loop->getOperands().take_front(3));
        if (index > 0) {
          work.push_back(loop.getInitArgs()[index - 1]);
          work.push_back(loop.getYieldedValues()[index - 1]);
        }
      }
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (isa<tile::AtomicRMWOp, tile::AtomicCASOp>(op)) {
      return true;
    }
    if (auto load = dyn_cast<tile::LoadOp>(op); load && load.getIsVolatile()) {
      return true;
    }
    const unsigned index = cast<OpResult>(value).getResultNumber();
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      work.push_back(branch.getCondition());
      work.push_back(branch.thenYield()->getOperand(index));
      work.push_back(branch.elseYield()->getOperand(index));
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      work.push_back(loop.getRegionIterArg(index));
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      work.push_back(loop.getConditionOp().getCondition());
      work.push_back(loop.getConditionOp().getArgs()[index]);
    } else {
      llvm::append_range(work, op->getOperands());
    }
  }
  return false;
}

} // namespace

void assignGroups(tile::KernelOp kernel) {
  Origins origins(kernel);
  OpBuilder b(kernel.getContext());
  bool waits = false;
  llvm::DenseSet<Value> seen;
  kernel.walk([&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case<tile::LoadOp, tile::StoreOp, tile::AtomicRMWOp,
              tile::AtomicCASOp>([&](auto access) {
          access.setGroup(origins.groupOf(access.getPointer()));
        })
        .Case<tile::LoadViewOp, tile::StoreViewOp>([&](auto access) {
          access.setGroup(origins.groupOf(access.getView()));
        })
        .Case([&](scf::WhileOp loop) {
          waits = waits ||
                  dependsOnOthers(loop.getConditionOp().getCondition(), seen);
        });
  });
  if (waits) {
    kernel->setAttr("tile.waits", b.getUnitAttr());
  }
}

} // namespace tz::frontend
