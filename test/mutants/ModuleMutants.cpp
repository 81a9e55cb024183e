//===- ModuleMutants.cpp - wrong LLVM modules -----------------------------===//
//
// What   Changes of the LLVM module that a lowering made, before LLVM's passes.
// Why    What goes wrong below tile IR: tails of vectors, polynomials, guards
//        of conversions, combining of partial results.
//
//   llvm opcode FROM TO ELEMENT      fadd, fsub, add, and, lshr, ...
//   llvm swap OPCODE ELEMENT         operands change places
//   llvm cast FROM TO                sext, zext, fptosi, fptoui, ...
//   llvm predicate FROM TO vector|scalar
//   llvm intrinsic FROM TO           llvm.smin, ... of one form
//   llvm mask NAME last|all|first    of llvm.masked.*
//   llvm flush OPCODE ELEMENT        denormal results are zero
//   llvm constant EVERY AT           real constants, each EVERYth from AT on,
//                                    grow by 2^-9 of their size
//   llvm whole EVERY AT              so do integer operands, by one
//   llvm store EVERY AT              left out
//   llvm atomic FROM TO              atomicrmw
//   llvm shuffle                     the first two lanes change places
//===----------------------------------------------------------------------===//
#include "test/mutants/Mutants.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Intrinsics.h"

#include <stdexcept>

using namespace llvm;

namespace tz::mutants {

namespace {

std::string nameOf(Type *type) {
  std::string text;
  raw_string_ostream os(text);
  os << *type->getScalarType();
  return text;
}

class Mutation {
public:
  Mutation(Module &module, const Words &line) : module(module), line(line) {}
  unsigned run();

private:
  const std::string &word(size_t i) const {
    if (i >= line.size()) {
      throw std::invalid_argument("a word is missing after '" + line.back() +
                                  "'");
    }
    return line[i];
  }
  unsigned number(size_t i) const { return unsigned(std::stoul(word(i))); }
  bool hasElement(Type *type, size_t i) const {
    return word(i) == "any" || nameOf(type) == word(i);
  }
  /// Is it this place's turn, by the words EVERY and AT?
  bool isTurn() { return turn++ % number(1) == number(2) % number(1); }
  bool change(Instruction &at);
  bool opcode(Instruction &at);
  bool cast(Instruction &at);
  bool predicate(Instruction &at);
  bool intrinsic(Instruction &at);
  bool mask(Instruction &at);
  bool flush(Instruction &at);
  bool constant(Instruction &at);
  bool whole(Instruction &at);

  Module &module;
  const Words &line; ///< without "llvm"
  unsigned turn = 0;
};

} // namespace

static std::optional<Instruction::BinaryOps>
binaryNamed(const std::string &name) {
  for (unsigned code = Instruction::BinaryOpsBegin;
       code != Instruction::BinaryOpsEnd; ++code) {
    if (Instruction::getOpcodeName(code) == name) {
      return Instruction::BinaryOps(code);
    }
  }
  return std::nullopt;
}

bool Mutation::opcode(Instruction &at) {
  auto *op = dyn_cast<BinaryOperator>(&at);
  if (!op || op->getOpcodeName() != word(1)) {
    return false;
  }
  if (word(0) == "swap") {
    return hasElement(op->getType(), 2) && !op->swapOperands() &&
                   op->getOperand(0) != op->getOperand(1)
               ? true
               : false;
  }
  auto to = binaryNamed(word(2));
  if (!to || !hasElement(op->getType(), 3)) {
    return false;
  }
  op->replaceAllUsesWith(BinaryOperator::Create(
      *to, op->getOperand(0), op->getOperand(1), "", op->getIterator()));
  return true;
}

bool Mutation::cast(Instruction &at) {
  auto *op = dyn_cast<CastInst>(&at);
  if (!op || op->getOpcodeName() != word(1)) {
    return false;
  }
  for (unsigned code = Instruction::CastOpsBegin;
       code != Instruction::CastOpsEnd; ++code) {
    if (Instruction::getOpcodeName(code) == word(2)) {
      op->replaceAllUsesWith(CastInst::Create(Instruction::CastOps(code),
                                              op->getOperand(0), op->getType(),
                                              "", op->getIterator()));
      return true;
    }
  }
  throw std::invalid_argument("there is no cast '" + word(2) + "'");
}

bool Mutation::predicate(Instruction &at) {
  auto *op = dyn_cast<CmpInst>(&at);
  if (!op || CmpInst::getPredicateName(op->getPredicate()) != word(1) ||
      op->getType()->isVectorTy() != (word(3) == "vector")) {
    return false;
  }
  for (unsigned p = 0; p <= CmpInst::LAST_ICMP_PREDICATE; ++p) {
    auto predicate = CmpInst::Predicate(p);
    if ((CmpInst::isIntPredicate(predicate) ||
         CmpInst::isFPPredicate(predicate)) &&
        CmpInst::isIntPredicate(predicate) == op->isIntPredicate() &&
        CmpInst::getPredicateName(predicate) == word(2)) {
      op->setPredicate(predicate);
      return true;
    }
  }
  return false;
}

bool Mutation::intrinsic(Instruction &at) {
  auto *call = dyn_cast<IntrinsicInst>(&at);
  if (!call || Intrinsic::getBaseName(call->getIntrinsicID()) != word(1)) {
    return false;
  }
  Intrinsic::ID to = Intrinsic::lookupIntrinsicID(word(2));
  if (!to) {
    throw std::invalid_argument("there is no intrinsic '" + word(2) + "'");
  }
  IRBuilder<> b(call);
  SmallVector<Value *> arguments(call->args());
  call->replaceAllUsesWith(b.CreateIntrinsic(call->getType(), to, arguments));
  return true;
}

bool Mutation::mask(Instruction &at) {
  auto *call = dyn_cast<IntrinsicInst>(&at);
  if (!call || Intrinsic::getBaseName(call->getIntrinsicID()) != word(1)) {
    return false;
  }
  for (unsigned i = call->arg_size(); i-- > 0;) {
    auto *type = dyn_cast<FixedVectorType>(call->getArgOperand(i)->getType());
    if (!type || !type->getElementType()->isIntegerTy(1)) {
      continue;
    }
    IRBuilder<> b(call);
    Value *mask = call->getArgOperand(i);
    if (word(2) == "all") {
      mask = Constant::getAllOnesValue(type);
    } else {
      unsigned lane = word(2) == "last" ? type->getNumElements() - 1 : 0;
      mask = b.CreateInsertElement(mask, b.getFalse(), uint64_t{lane});
    }
    call->setArgOperand(i, mask);
    return true;
  }
  return false;
}

bool Mutation::flush(Instruction &at) {
  Type *type = at.getType();
  auto *call = dyn_cast<IntrinsicInst>(&at);
  bool fits = call ? Intrinsic::getBaseName(call->getIntrinsicID()) == word(1)
                   : at.getOpcodeName() == word(1);
  if (!fits || !hasElement(type, 2) || !type->isFPOrFPVectorTy()) {
    return false;
  }
  IRBuilder<> b(at.getNextNode());
  APFloat least =
      APFloat::getSmallestNormalized(type->getScalarType()->getFltSemantics());
  Value *size = b.CreateUnaryIntrinsic(Intrinsic::fabs, &at);
  Value *small = b.CreateFCmpOLT(size, ConstantFP::get(type, least));
  Value *flushed = b.CreateSelect(small, Constant::getNullValue(type), &at);
  at.replaceUsesWithIf(flushed, [&](Use &use) {
    return use.getUser() != size && use.getUser() != flushed;
  });
  return true;
}

bool Mutation::constant(Instruction &at) {
  if (isa<PHINode>(at)) {
    return false;
  }
  bool changed = false;
  for (Use &use : at.operands()) {
    const APFloat *value = nullptr;
    auto *found = dyn_cast<Constant>(use.get());
    if (!found || !found->getType()->isFPOrFPVectorTy()) {
      continue;
    }
    auto *scalar = dyn_cast_or_null<ConstantFP>(
        found->getType()->isVectorTy() ? found->getSplatValue() : found);
    value = scalar ? &scalar->getValueAPF() : nullptr;
    if (!value || !value->isFiniteNonZero() || !isTurn()) {
      continue;
    }
    APFloat grown(*value);
    APFloat by = scalbn(*value, -9, APFloat::rmNearestTiesToEven);
    grown.add(by, APFloat::rmNearestTiesToEven);
    use.set(ConstantFP::get(found->getType(), grown));
    changed = true;
  }
  return changed;
}

bool Mutation::whole(Instruction &at) {
  if (!isa<BinaryOperator>(at) || !at.getType()->isIntOrIntVectorTy()) {
    return false;
  }
  auto *found = dyn_cast<Constant>(at.getOperand(1));
  if (!found) {
    return false;
  }
  auto *scalar = dyn_cast_or_null<ConstantInt>(
      found->getType()->isVectorTy() ? found->getSplatValue() : found);
  if (!scalar || !isTurn()) {
    return false;
  }
  at.setOperand(1, ConstantInt::get(found->getType(), scalar->getValue() + 1));
  return true;
}

bool Mutation::change(Instruction &at) {
  const std::string &what = word(0);
  if (what == "opcode" || what == "swap") {
    return opcode(at);
  }
  if (what == "cast") {
    return cast(at);
  }
  if (what == "predicate") {
    return predicate(at);
  }
  if (what == "intrinsic") {
    return intrinsic(at);
  }
  if (what == "mask") {
    return mask(at);
  }
  if (what == "flush") {
    return flush(at);
  }
  if (what == "constant") {
    return constant(at);
  }
  if (what == "whole") {
    return whole(at);
  }
  if (what == "store") {
    if (isa<StoreInst>(at) && isTurn()) {
      at.eraseFromParent();
      return true;
    }
    return false;
  }
  if (what == "atomic") {
    auto *op = dyn_cast<AtomicRMWInst>(&at);
    if (!op || AtomicRMWInst::getOperationName(op->getOperation()) != word(1)) {
      return false;
    }
    for (int code = 0; code <= int(AtomicRMWInst::LAST_BINOP); ++code) {
      auto kind = AtomicRMWInst::BinOp(code);
      if (AtomicRMWInst::getOperationName(kind) == word(2)) {
        op->setOperation(kind);
        return true;
      }
    }
    return false;
  }
  if (what == "shuffle") {
    auto *op = dyn_cast<ShuffleVectorInst>(&at);
    if (!op || op->getShuffleMask().size() < 2 ||
        op->getShuffleMask()[0] == op->getShuffleMask()[1]) {
      return false;
    }
    SmallVector<int> picks(op->getShuffleMask());
    std::swap(picks[0], picks[1]);
    op->setShuffleMask(picks);
    return true;
  }
  throw std::invalid_argument("there is no change 'llvm " + what + "'");
}

unsigned Mutation::run() {
  unsigned count = 0;
  for (Function &function : module) {
    std::vector<Instruction *> all;
    for (Instruction &at : instructions(function)) {
      all.push_back(&at);
    }
    for (Instruction *at : all) {
      count += change(*at);
    }
  }
  return count;
}

unsigned mutate(Module &module, const Words &line) {
  return Mutation(module, line).run();
}

} // namespace tz::mutants
