//===- LongKernels.cpp - linear time for long functions -------------------===//
//
// What   See LongKernels.h.
// Why    See LongKernels.h.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/llvm/LongKernels.h"

#include "terrazzo/plugin/Error.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/PassRegistry.h"

using namespace llvm;

namespace tz::nvidia {

/// Instructions of what is called long here.
static constexpr unsigned LongText = 8192;

namespace {

/// How PTX moves a value, and the kind of its register; empty if it has none.
struct Move {
  StringRef instruction, kind;
};

Move moveOf(Type *type, const DataLayout &layout) {
  if (!type->isFloatTy() && !type->isDoubleTy() && !type->isIntegerTy() &&
      !type->isPointerTy()) {
    return {};
  }
  const bool isFloat = type->isFloatingPointTy();
  switch (layout.getTypeSizeInBits(type)) {
  case 1:
    return {"mov.pred", "b"};
  case 16:
    return {"mov.b16", "h"};
  case 32:
    return {"mov.b32", isFloat ? "f" : "r"};
  case 64:
    return {"mov.b64", isFloat ? "d" : "l"};
  default:
    return {};
  }
}

/// The address space in which a generic pointer is used: that of the first
/// access. 0 if it is not known.
unsigned spaceOf(const Value &pointer) {
  const Value *at = &pointer;
  for (unsigned depth = 0; depth < 8 && !at->use_empty(); ++depth) {
    const User *user = *at->user_begin();
    if (auto *cast = dyn_cast<AddrSpaceCastInst>(user)) {
      return cast->getDestAddressSpace();
    }
    if (!isa<GetElementPtrInst>(user)) {
      return 0;
    }
    at = user;
  }
  return 0;
}

/// The values that a function uses very often.
class ManyUses {
public:
  explicit ManyUses(Function &function) : function(function) {
    constexpr unsigned many = 128;
    if (function.getInstructionCount() < LongText) {
      return;
    }
    auto note = [&](Value &value) {
      if (value.hasNUsesOrMore(many) &&
          !moveOf(value.getType(), function.getDataLayout()).kind.empty()) {
        shared.try_emplace(&value);
      }
    };
    for (Argument &argument : function.args()) {
      note(argument);
    }
    for (Instruction &one : instructions(function)) {
      note(one);
    }
  }

  bool cut() {
    if (!shared.empty()) {
      for (BasicBlock &block : function) {
        cutIn(block);
      }
    }
    return copies != 0;
  }

private:
  struct Count {
    unsigned uses = 0;
    Value *copy = nullptr;
  };

  void cutIn(BasicBlock &block) {
    constexpr unsigned fewUses = 64;
    for (auto &[value, count] : shared) {
      count = Count();
    }
    for (Instruction &one : block) {
      if (isa<PHINode>(one)) {
        continue;
      }
      for (Use &use : one.operands()) {
        auto found = shared.find(use.get());
        if (found == shared.end()) {
          continue;
        }
        Count &count = found->second;
        if (++count.uses % fewUses == 0) {
          count.copy = copied(*found->first, one);
        }
        if (count.copy) {
          use.set(count.copy);
        }
      }
    }
  }

  Value *copied(Value &value, Instruction &before) {
    if (Instruction *again = computedAgain(value, before)) {
      return again;
    }
    IRBuilder<> b(&before);
    Type *const type = value.getType();
    Value *from = &value;
    // In its own space: behind the copy nothing tells which it is.
    if (type->isPointerTy() && type->getPointerAddressSpace() == 0) {
      from = b.CreateAddrSpaceCast(from, b.getPtrTy(spaceOf(value)));
    }
    const Move move = moveOf(from->getType(), function.getDataLayout());
    // Each text is another: equal ones would become one.
    InlineAsm *same = InlineAsm::get(
        FunctionType::get(from->getType(), {from->getType()}, false),
        (move.instruction + " $0, $1; // copy " + Twine(++copies)).str(),
        ("=" + move.kind + "," + move.kind).str(), /*hasSideEffects=*/false);
    CallInst *call = b.CreateCall(same, {from});
    call->setDoesNotAccessMemory();
    call->setDoesNotThrow();
    return b.CreateAddrSpaceCast(call, type); // itself, if it has that type
  }

  /// What is computed of a single value, of a copy of that one: of a copy
  /// itself nobody knows the bits. A tile's first index ends in zeros, and only
  /// so are what is added to it constant offsets of one address.
  Instruction *computedAgain(Value &value, Instruction &before) {
    auto *op = dyn_cast<Instruction>(&value);
    if (!op || !isa<BinaryOperator, CastInst>(op) ||
        op->getOperand(0)->getType()->isPointerTy() ||
        moveOf(op->getOperand(0)->getType(), function.getDataLayout())
            .kind.empty() ||
        !all_of(drop_begin(op->operands()),
                [](const Use &use) { return isa<Constant>(use.get()); })) {
      return nullptr;
    }
    Instruction *again = op->clone();
    again->insertBefore(before.getIterator());
    again->setOperand(0, copied(*op->getOperand(0), *again));
    return again;
  }

  Function &function;
  DenseMap<Value *, Count> shared;
  unsigned copies = 0;
};

} // namespace

PreservedAnalyses CutManyUses::run(Function &function,
                                   FunctionAnalysisManager &) {
  if (!ManyUses(function).cut()) {
    return PreservedAnalyses::all();
  }
  PreservedAnalyses kept;
  kept.preserveSet<CFGAnalyses>();
  return kept;
}

/// Has it blocks in which many addresses are computed, each in its own way?
static bool hasManyAddresses(const Module &module) {
  constexpr size_t many = 500;
  return any_of(module, [](const Function &function) {
    return any_of(function, [](const BasicBlock &block) {
      return size_t(count_if(block, [](const Instruction &one) {
               auto *address = dyn_cast<GetElementPtrInst>(&one);
               return address && !address->hasAllConstantIndices();
             })) > many;
    });
  });
}

/// Cuts the long blocks of a function that has no loop; false if it has none.
static bool cutLongBlocks(Function &function) {
  constexpr unsigned piece = 2048;
  SmallVector<std::pair<const BasicBlock *, const BasicBlock *>> loops;
  FindFunctionBackedges(function, loops);
  if (!loops.empty()) {
    return false;
  }
  SmallVector<Instruction *, 0> firsts;
  for (BasicBlock &block : function) {
    if (block.size() < LongText) {
      continue;
    }
    unsigned count = 0;
    for (Instruction &one : block) {
      if (++count % piece == 0 && !isa<PHINode>(one)) {
        firsts.push_back(&one);
      }
    }
  }
  for (Instruction *first : firsts) {
    first->getParent()->splitBasicBlock(first);
  }
  return !firsts.empty();
}

LinearCodeGeneration::LinearCodeGeneration(Module &module)
    : context(module.getContext()), before(context.getOptPassGate()) {
  // It looks for one address from which another is near, and compares each with
  // all before it. A thousand atomics on tiles took three minutes of it.
  if (hasManyAddresses(module)) {
    leaveOut("slsr");
  }
  // It moves addresses into loops, and joins what was cut.
  bool isCut = false;
  for (Function &function : module) {
    isCut |= !function.isDeclaration() && cutLongBlocks(function);
  }
  if (isCut) {
    leaveOut("codegenprepare");
  }
  if (!without.empty()) {
    context.setOptPassGate(*this);
  }
}

LinearCodeGeneration::~LinearCodeGeneration() {
  context.setOptPassGate(before);
}

void LinearCodeGeneration::leaveOut(StringRef pass) {
  if (!PassRegistry::getPassRegistry()->getPassInfo(pass)) {
    throw plugin::Failure(TZ_E_INTERNAL, "this LLVM has no pass " + pass.str());
  }
  without.push_back(pass);
}

bool LinearCodeGeneration::shouldRunPass(StringRef pass, StringRef) const {
  return !is_contained(without, pass);
}

} // namespace tz::nvidia
