//===- Bounds.cpp - Accesses held to the arrays of the launch -------------===//
//
// What   Checked code: before each load, store and atomic operation, a test of
//        its addresses against the memory of the arguments that its pointer
//        may belong to. The device half says where that memory begins and ends.
// Why    A missing mask is the commonest mistake in a kernel, and what it
//        overwrites shows elsewhere and later.
//
// The tests are calls of small functions, which LLVM inlines later: they can be
// emitted wherever a nest puts an access, without blocks of their own. Only
// what fails the quick test goes to the host, which looks lane by lane.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/KernelEntry.h"
#include "plugins/cpu/compiler/lower/Nest.h"

#include "llvm/IR/MDBuilder.h"

#include <numeric>

using namespace llvm;
namespace arith = mlir::arith;
namespace scf = mlir::scf;

namespace tz::cpu {

namespace {

/// Where a pointer or view comes from, back to the kernel's arguments.
class Roots {
public:
  /// False if it may belong to memory that is no argument's.
  bool find(mlir::Value value) {
    if (!seen.insert(value).second) {
      return true;
    }
    auto argument = dyn_cast<mlir::BlockArgument>(value);
    return argument ? ofArgument(argument)
                    : ofResult(cast<mlir::OpResult>(value));
  }
  SmallSetVector<unsigned, 4> arguments;

private:
  bool all(ArrayRef<mlir::Value> values) {
    return llvm::all_of(values, [&](mlir::Value v) { return find(v); });
  }

  bool ofArgument(mlir::BlockArgument argument) {
    mlir::Operation *parent = argument.getOwner()->getParentOp();
    const unsigned number = argument.getArgNumber();
    if (isa<tile::KernelOp>(parent)) {
      arguments.insert(number);
      return true;
    }
    if (auto loop = dyn_cast<scf::ForOp>(parent); loop && number) {
      return all({loop.getInitArgs()[number - 1],
                  loop.getYieldedValues()[number - 1]});
    }
    if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
      return argument.getOwner() == &loop.getBefore().front()
                 ? all({loop.getInits()[number],
                        loop.getYieldOp().getOperand(number)})
                 : find(loop.getConditionOp().getArgs()[number]);
    }
    return false; // of a region of scalars
  }

  bool ofResult(mlir::OpResult result) {
    mlir::Operation *op = result.getOwner();
    const unsigned number = result.getResultNumber();
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      return all({loop.getInitArgs()[number], loop.getYieldedValues()[number]});
    }
    if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      return find(loop.getConditionOp().getArgs()[number]);
    }
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      return all({branch.thenYield().getOperand(number),
                  branch.elseYield().getOperand(number)});
    }
    if (isa<arith::SelectOp>(op)) {
      return all({op->getOperand(1), op->getOperand(2)});
    }
    if (isa<tile::CatOp, tile::JoinOp>(op)) {
      return all({op->getOperand(0), op->getOperand(1)});
    }
    return isa<tile::AddPtrOp, tile::SplatOp, tile::BroadcastOp,
               tile::ReshapeOp, tile::TransposeOp, tile::HintOp,
               tile::MakeViewOp, tile::AdvanceViewOp, tile::ViewPartsOp,
               tile::SplitOp, tile::GatherOp>(op) &&
           find(op->getOperand(0));
  }

  llvm::DenseSet<mlir::Value> seen;
};

/// "add", "load" as flags of tz_cpu_access.
uint32_t flagsOf(mlir::Operation *op) {
  if (isa<tile::AtomicRMWOp, tile::AtomicCASOp>(op)) {
    return TZ_CPU_ACCESS_ATOMIC;
  }
  return isa<tile::StoreOp, tile::StoreViewOp>(op) ? TZ_CPU_ACCESS_WRITE : 0;
}

} // namespace

Constant *CpuLowering::text(StringRef value) {
  GlobalVariable *&known = texts[value];
  if (!known) {
    Constant *bytes = ConstantDataArray::getString(context, value);
    known = new GlobalVariable(module, bytes->getType(), true,
                               GlobalValue::PrivateLinkage, bytes, "tz.text");
  }
  return known;
}

/// The record that describes the access, as the device half reads it.
Constant *CpuLowering::accessRecord(mlir::Operation *op, mlir::Type element,
                                    ArrayRef<unsigned> arguments) {
  std::string file;
  unsigned line = 0, column = 0;
  if (DebugLoc at = debug.at(op->getLoc()); at && at->getLine()) {
    file = at->getFilename().str();
    line = at->getLine();
    column = at->getColumn();
  }
  SmallVector<uint32_t> numbers(arguments.begin(), arguments.end());
  Constant *list = ConstantDataArray::get(context, numbers);
  auto *listed =
      new GlobalVariable(module, list->getType(), true,
                         GlobalValue::PrivateLinkage, list, "tz.arguments");
  auto word = [&](uint32_t v) { return b.getInt32(v); };
  Constant *record = ConstantStruct::getAnon(
      {text(file), listed, word(line), word(column),
       word(tile::storageBytes(element)), word(flagsOf(op)),
       word(static_cast<uint32_t>(numbers.size())), word(0)});
  auto *made =
      new GlobalVariable(module, record->getType(), true,
                         GlobalValue::PrivateLinkage, record, "tz.access");
  made->setAlignment(Align(8));
  return made;
}

/// void(run, access, address or addresses[, mask]): returns if all that the
/// mask takes lies in the memory of one of the arguments.
Function *CpuLowering::makeCheck(StringRef name, Type *addressType,
                                 Type *maskType, unsigned lanes, uint64_t bytes,
                                 ArrayRef<unsigned> arguments) {
  Type *ptr = b.getPtrTy(), *i64 = b.getInt64Ty(), *i8 = b.getInt8Ty();
  SmallVector<Type *> types{ptr, ptr, addressType};
  if (maskType) {
    types.push_back(maskType);
  }
  auto *check = Function::Create(FunctionType::get(b.getVoidTy(), types, false),
                                 GlobalValue::InternalLinkage, name, module);
  check->addFnAttr(Attribute::AlwaysInline);
  IRBuilder<> at(BasicBlock::Create(context, "check", check));
  const bool apart = addressType->isVectorTy();
  Value *run = check->getArg(0), *mask = maskType ? check->getArg(3) : nullptr;
  Value *first = at.CreatePtrToInt(check->getArg(2),
                                   apart ? FixedVectorType::get(i64, lanes)
                                         : static_cast<Type *>(i64));
  auto like = [&](Value *v) {
    return apart ? at.CreateVectorSplat(lanes, v) : v;
  };
  Value *end = at.CreateAdd(
      first, like(at.getInt64(apart ? bytes : bytes * std::max(lanes, 1u))));
  Value *bounds = at.CreateAlignedLoad(
      ptr, at.CreateConstInBoundsGEP1_64(i8, run, offsetof(tz_cpu_run, bounds)),
      Align(8));
  Value *inside = nullptr;
  for (unsigned argument : arguments) {
    auto bound = [&](unsigned which) {
      return like(at.CreateAlignedLoad(
          i64, at.CreateConstInBoundsGEP1_64(i64, bounds, 2 * argument + which),
          Align(8)));
    };
    // The end of a wild address may be beyond the largest one.
    Value *last = bound(1);
    Value *one = at.CreateAnd(at.CreateICmpUGE(first, bound(0)),
                              at.CreateAnd(at.CreateICmpULE(first, last),
                                           at.CreateICmpULE(end, last)));
    inside = inside ? at.CreateOr(inside, one) : one;
  }
  Value *bad = at.CreateNot(inside);
  if (apart) {
    Value *taken = mask && !maskType->isVectorTy() ? like(mask) : mask;
    bad = at.CreateOrReduce(taken ? at.CreateAnd(bad, taken) : bad);
  } else if (mask && !maskType->isVectorTy()) {
    bad = at.CreateAnd(bad, mask);
  }
  auto *look = BasicBlock::Create(context, "look", check),
       *done = BasicBlock::Create(context, "done", check);
  at.CreateCondBr(bad, look, done,
                  MDBuilder(context).createUnlikelyBranchWeights());
  at.SetInsertPoint(look);
  SmallVector<Value *> operands;
  for (Argument &argument : check->args()) {
    operands.push_back(&argument);
  }
  at.CreateCall(makeLook(types, lanes, bytes), operands);
  at.CreateBr(done);
  at.SetInsertPoint(done);
  at.CreateRetVoid();
  return check;
}

/// The same arguments as the check's: hands the lanes to the host. Apart, so
/// that what it needs of the stack is not the kernel's.
Function *CpuLowering::makeLook(ArrayRef<Type *> types, unsigned lanes,
                                uint64_t bytes) {
  Type *ptr = b.getPtrTy(), *i64 = b.getInt64Ty(), *i8 = b.getInt8Ty();
  auto *look =
      Function::Create(FunctionType::get(b.getVoidTy(), types, false),
                       GlobalValue::InternalLinkage, "tz.look", module);
  look->addFnAttr(Attribute::NoInline);
  look->addFnAttr(Attribute::Cold);
  IRBuilder<> at(BasicBlock::Create(context, "look", look));
  const unsigned count = std::max(lanes, 1u);
  AllocaInst *addresses = at.CreateAlloca(ArrayType::get(i64, count));
  Value *each = at.CreatePtrToInt(
      look->getArg(2), types[2]->isVectorTy() ? FixedVectorType::get(i64, lanes)
                                              : static_cast<Type *>(i64));
  if (types[2]->isVectorTy() || !lanes) {
    at.CreateAlignedStore(each, addresses, Align(8));
  } else {
    // One by one: a vector of addresses is wider than one of what lies there.
    for (unsigned lane = 0; lane < lanes; ++lane) {
      at.CreateAlignedStore(at.CreateAdd(each, at.getInt64(lane * bytes)),
                            at.CreateConstInBoundsGEP1_64(i64, addresses, lane),
                            Align(8));
    }
  }
  Value *active = ConstantPointerNull::get(at.getPtrTy());
  if (types.size() > 3 && types[3]->isVectorTy()) {
    AllocaInst *taken = at.CreateAlloca(ArrayType::get(i8, count));
    at.CreateAlignedStore(
        at.CreateZExt(look->getArg(3), FixedVectorType::get(i8, lanes)), taken,
        Align(1));
    active = taken;
  }
  auto *type = FunctionType::get(at.getVoidTy(),
                                 {ptr, ptr, ptr, ptr, at.getInt32Ty()}, false);
  Value *host = at.CreateAlignedLoad(
      ptr,
      at.CreateConstInBoundsGEP1_64(i8, look->getArg(0),
                                    offsetof(tz_cpu_run, outside)),
      Align(8));
  at.CreateCall(type, host,
                {look->getArg(0), look->getArg(1), addresses, active,
                 at.getInt32(count)});
  at.CreateRetVoid();
  return look;
}

void CpuLowering::checkAccess(mlir::Operation *op, mlir::Value from,
                              Value *address, Value *mask, mlir::Type element,
                              unsigned lanes) {
  if (!checked) {
    return;
  }
  Roots roots;
  if (!roots.find(from)) {
    return; // the memory of a pointer that was loaded is not known
  }
  ArrayRef<unsigned> arguments = roots.arguments.getArrayRef();
  Constant *&record = accessRecords[op];
  if (!record) {
    record = accessRecord(op, element, arguments);
  }
  const uint64_t bytes = tile::storageBytes(element);
  std::string name = "tz.check";
  for (uint64_t part :
       {uint64_t{lanes}, bytes, uint64_t{address->getType()->isVectorTy()},
        uint64_t{!mask                           ? 0u
                 : mask->getType()->isVectorTy() ? 2u
                                                 : 1u}}) {
    name += "." + std::to_string(part);
  }
  for (unsigned argument : arguments) {
    name += "." + std::to_string(argument);
  }
  Function *check = module.getFunction(name);
  if (!check) {
    check =
        makeCheck(name, address->getType(), mask ? mask->getType() : nullptr,
                  lanes, bytes, arguments);
  }
  SmallVector<Value *> operands{function->getArg(5), record, address};
  if (mask) {
    operands.push_back(mask);
  }
  b.CreateCall(check, operands);
}

/// What the device half must know of the arguments to say where the memory of
/// each begins and ends.
void CpuLowering::argumentsRecord() {
  if (!checked) {
    return;
  }
  SmallVector<Constant *> rows;
  auto *row =
      StructType::get(context, {b.getPtrTy(), b.getInt32Ty(), b.getInt32Ty()});
  for (mlir::BlockArgument argument : kernel.getBody().front().getArguments()) {
    const unsigned number = argument.getArgNumber();
    rows.push_back(ConstantStruct::get(
        row,
        {text(kernel.getArgName(number)), b.getInt32(argumentOffsets[number]),
         b.getInt32(isa<tile::PtrType>(argument.getType()))}));
  }
  Constant *table = ConstantArray::get(ArrayType::get(row, rows.size()), rows);
  auto *made = new GlobalVariable(
      module, table->getType(), true, GlobalValue::ExternalLinkage, table,
      TZ_CPU_ARGUMENTS_PREFIX + kernel.getSymName().str());
  made->setAlignment(Align(8));
}

} // namespace tz::cpu
