//===- FibersAccesses.cpp - the code says what it accesses ----------------===//
//
// What   See FibersAccesses.h.
// Why    See FibersAccesses.h.
//===----------------------------------------------------------------------===//
#include "test/fibers/FibersAccesses.h"

#include "test/fibers/FibersMatrix.h"

#include "mlir/IR/Location.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#include <stdexcept>

using namespace llvm;

namespace tz::fibers {

//===--- Names of ops -----------------------------------------------------===//

namespace {
/// The line that it was written in: of a function that was inlined, that one's.
std::optional<mlir::FileLineColLoc> lineOf(mlir::Location location) {
  std::optional<mlir::FileLineColLoc> found;
  location->walk([&](mlir::Location one) {
    if (auto line = dyn_cast<mlir::FileLineColLoc>(one)) {
      found = line;
      return mlir::WalkResult::interrupt();
    }
    return mlir::WalkResult::advance();
  });
  return found;
}
} // namespace

uint32_t OpNames::add(mlir::Operation *op) {
  std::string name = "'" + op->getName().getStringRef().str() + "'";
  if (auto line = lineOf(op->getLoc())) {
    name += " (" + line->getFilename().str() + ":" +
            std::to_string(line->getLine()) + ":" +
            std::to_string(line->getColumn()) + ")";
  }
  std::replace(name.begin(), name.end(), '\n', ' ');
  names.push_back(std::move(name));
  return uint32_t(names.size());
}

std::string OpNames::text() const { return join(names, "\n"); }

std::vector<std::string> OpNames::parse(const char *text) {
  std::vector<std::string> names = {"the kernel's first lines"};
  SmallVector<StringRef> lines;
  StringRef(text).split(lines, '\n');
  for (StringRef line : lines) {
    names.push_back(line.str());
  }
  return names;
}

//===--- Accesses ---------------------------------------------------------===//

namespace {

/// As FiberThreads.cpp reads them.
enum : uint32_t { Writes = 1, Acquires = 2, Releases = 4, IsWide = 8 };

struct Found {
  Value *pointer = nullptr, *stored = nullptr;
  Type *type = nullptr;
  bool isAtomic = false;
  uint32_t how = 0;
};

uint32_t orderBits(AtomicOrdering order, SyncScope::ID scope,
                   const LLVMContext &context) {
  SmallVector<StringRef> names;
  context.getSyncScopeNames(names);
  return (isAcquireOrStronger(order) ? Acquires : 0u) |
         (isReleaseOrStronger(order) ? Releases : 0u) |
         (names[scope] == ProgramScope ? 0u : IsWide);
}

std::optional<Found> accessOf(Instruction &instruction) {
  const LLVMContext &context = instruction.getContext();
  if (auto *load = dyn_cast<LoadInst>(&instruction)) {
    return Found{load->getPointerOperand(), nullptr, load->getType(),
                 load->isAtomic() || load->isVolatile(),
                 load->isAtomic() ? orderBits(load->getOrdering(),
                                              load->getSyncScopeID(), context)
                                  : uint32_t(IsWide)};
  }
  if (auto *store = dyn_cast<StoreInst>(&instruction)) {
    Value *value = store->getValueOperand();
    return Found{
        store->getPointerOperand(), value, value->getType(), store->isAtomic(),
        store->isAtomic() ? Writes | orderBits(store->getOrdering(),
                                               store->getSyncScopeID(), context)
                          : 0u};
  }
  if (auto *update = dyn_cast<AtomicRMWInst>(&instruction)) {
    return Found{update->getPointerOperand(), nullptr, update->getType(), true,
                 Writes | orderBits(update->getOrdering(),
                                    update->getSyncScopeID(), context)};
  }
  if (auto *swap = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
    return Found{swap->getPointerOperand(), nullptr,
                 swap->getCompareOperand()->getType(), true,
                 Writes | orderBits(swap->getSuccessOrdering(),
                                    swap->getSyncScopeID(), context)};
  }
  return std::nullopt;
}

[[noreturn]] void refuse(const char *why, const Instruction &instruction) {
  std::string text;
  raw_string_ostream(text) << instruction;
  throw std::runtime_error(why + text);
}

class Reporter {
public:
  explicit Reporter(Function &function)
      : module(*function.getParent()), b(function.getContext()),
        values(nullptr), function(function) {}

  void run() {
    for (Instruction &instruction :
         make_early_inc_range(instructions(function))) {
      if (auto *fence = dyn_cast<FenceInst>(&instruction)) {
        b.SetInsertPoint(fence);
        call("fibers_fence", {});
      } else if (std::optional<Found> found = accessOf(instruction)) {
        report(instruction, *found);
      } else if (isa<AnyMemIntrinsic>(instruction)) {
        refuse("an access that nobody looks at:", instruction);
      }
    }
  }

private:
  void report(Instruction &instruction, const Found &found) {
    const unsigned space = found.pointer->getType()->getPointerAddressSpace();
    if (space == 0) {
      const Value *object = getUnderlyingObject(found.pointer);
      const auto *argument = dyn_cast<Argument>(object);
      if (!isa<AllocaInst>(object) && !(argument && argument->hasByValAttr())) {
        refuse("no address space:", instruction);
      }
      return;
    }
    if (space == FiberSpaces.constants || space == UnitSpace) {
      return;
    }
    b.SetInsertPoint(&instruction);
    Value *pointer = b.CreateAddrSpaceCast(found.pointer, b.getPtrTy());
    const auto bytes = uint32_t(
        module.getDataLayout().getTypeStoreSize(found.type).getFixedValue());
    if (found.isAtomic) {
      call("fibers_update", {pointer, b.getInt32(bytes), b.getInt32(space),
                             b.getInt32(found.how)});
    } else if (found.stored) {
      b.CreateStore(found.stored, memoryFor(bytes));
      call("fibers_write",
           {pointer, memoryFor(bytes), b.getInt32(bytes), b.getInt32(space)});
    } else {
      call("fibers_read", {pointer, b.getInt32(bytes), b.getInt32(space)});
    }
  }
  /// Where a value stands that is going to be written.
  Value *memoryFor(uint32_t bytes) {
    if (!values || most < bytes) {
      IRBuilder<> entry(&*function.getEntryBlock().begin());
      most = std::max(most, std::max(bytes, 16u));
      AllocaInst *more =
          entry.CreateAlloca(ArrayType::get(b.getInt8Ty(), most));
      more->setAlignment(Align(64));
      values = more;
    }
    return values;
  }
  void call(StringRef name, ArrayRef<Value *> arguments) {
    SmallVector<Type *> types;
    for (Value *argument : arguments) {
      types.push_back(argument->getType());
    }
    b.CreateCall(module.getOrInsertFunction(
                     name, FunctionType::get(b.getVoidTy(), types, false)),
                 arguments);
  }

  Module &module;
  IRBuilder<> b;
  Value *values;
  uint32_t most = 0;
  Function &function;
};

//===--- Results of dots in flight ----------------------------------------===//

bool isCallOf(const Value *value, ArrayRef<StringRef> names) {
  const auto *call = dyn_cast<CallInst>(value);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && is_contained(names, callee->getName());
}

/// A call before each instruction that computes with a word that may stand for
/// the result of a dot: to pass it on is no use.
void reportUses(Function &function) {
  SmallVector<Instruction *> words;
  for (Instruction &instruction : instructions(function)) {
    if (isCallOf(&instruction, {"fibers_postpone", "fibers_arrived"})) {
      words.push_back(&instruction);
    }
  }
  SmallPtrSet<Value *, 32> known(words.begin(), words.end());
  SmallVector<std::pair<Instruction *, Instruction *>> uses;
  while (!words.empty()) {
    Instruction *word = words.pop_back_val();
    for (User *user : word->users()) {
      auto *by = cast<Instruction>(user);
      if (isa<BitCastInst, PHINode>(by)) {
        if (known.insert(by).second) {
          words.push_back(by);
        }
      } else if (!isCallOf(by, {"fibers_chained", "fibers_arrived"})) {
        uses.push_back({word, by});
      }
    }
  }
  IRBuilder<> b(function.getContext());
  for (auto [word, by] : uses) {
    b.SetInsertPoint(by);
    b.CreateCall(function.getParent()->getOrInsertFunction(
                     "fibers_use", b.getVoidTy(), b.getInt32Ty()),
                 {b.CreateBitCast(word, b.getInt32Ty())});
  }
}

} // namespace

void reportAccesses(Function &function) {
  Reporter(function).run();
  reportUses(function);
}

} // namespace tz::fibers
