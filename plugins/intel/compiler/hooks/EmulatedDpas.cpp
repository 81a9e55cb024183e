//===- EmulatedDpas.cpp - a matrix instruction of shuffles ----------------===//
//
// What   See EmulatedDpas.h.
// Why    See EmulatedDpas.h.
//===----------------------------------------------------------------------===//
#include "plugins/intel/compiler/hooks/EmulatedDpas.h"

#include "plugins/intel/compiler/hooks/SpirvHooks.h"

#include "llvm/IR/Module.h"

using namespace llvm;

namespace tz::intel {

namespace {

/// The words of 32 bits of a vector.
Value *asWords(IRBuilderBase &b, Value *vector) {
  const auto bits =
      unsigned(vector->getType()->getPrimitiveSizeInBits().getFixedValue());
  return b.CreateBitCast(vector,
                         FixedVectorType::get(b.getInt32Ty(), bits / 32));
}

class Body {
public:
  Body(Function *function, const MatrixShape &shape)
      : b(BasicBlock::Create(function->getContext(), "entry", function)),
        shape(shape), rows(asWords(b, function->getArg(0))),
        columns(function->getArg(1)), sums(function->getArg(2)) {}

  void emit() {
    for (unsigned lane = 0; lane < shape.columns; ++lane) {
      const SmallVector<Value *> theirs = rowsOf(lane);
      for (unsigned part = 0; part < shape.share(); ++part) {
        add(theirs, part, lane * shape.share() + part);
      }
    }
    b.CreateRet(sums);
  }

private:
  /// What this lane holds of A: all rows.
  SmallVector<Value *> rowsOf(unsigned lane) {
    SmallVector<Value *> words;
    const auto count = cast<FixedVectorType>(rows->getType())->getNumElements();
    for (unsigned i = 0; i < count; ++i) {
      CallInst *word = callTogether(
          b, "_Z17sub_group_shufflejj", b.getInt32Ty(),
          {b.CreateExtractElement(rows, uint64_t(i)), b.getInt32(lane)});
      word->setDoesNotAccessMemory();
      words.push_back(word);
    }
    return words;
  }
  /// Element `i` of those that follow each other in words, as a number.
  Value *element(ArrayRef<Value *> words, unsigned i) {
    const unsigned bits = 8 * shape.elementBytes, each = 32 / bits,
                   above = 32 - bits * (i % each + 1);
    // By shifts alone: of narrow integers LLVM makes vectors that are too long.
    Value *first = b.CreateShl(words[i / each], above);
    if (shape.element == "i8") {
      return b.CreateAShr(first, 32 - bits);
    }
    if (shape.element == "bf16") {
      return b.CreateBitCast(b.CreateAnd(first, 0xFFFF0000u), b.getFloatTy());
    }
    Value *half = b.CreateTrunc(b.CreateLShr(first, 16), b.getInt16Ty());
    return b.CreateFPExt(b.CreateBitCast(half, b.getHalfTy()), b.getFloatTy());
  }
  /// Products of a column of A and a row of B.
  void add(ArrayRef<Value *> theirs, unsigned part, unsigned k) {
    const unsigned each = 4 / shape.elementBytes;
    Value *word = b.CreateExtractElement(columns, uint64_t(k / each));
    Value *mine = element({word}, k % each);
    for (unsigned row = 0; row < MatrixShape::Rows; ++row) {
      Value *factor = element(theirs, row * shape.share() + part);
      Value *sum = b.CreateExtractElement(sums, uint64_t(row));
      sum = shape.element == "i8"
                ? b.CreateAdd(sum, b.CreateMul(factor, mine))
                : b.CreateIntrinsic(Intrinsic::fma, {b.getFloatTy()},
                                    {factor, mine, sum});
      sums = b.CreateInsertElement(sums, sum, uint64_t(row));
    }
  }

  IRBuilder<> b;
  const MatrixShape &shape;
  Value *rows, *columns, *sums;
};

} // namespace

Value *callEmulatedDpas(IRBuilderBase &b, const MatrixShape &shape, Value *rows,
                        Value *columns, Value *sums) {
  Module *module = b.GetInsertBlock()->getModule();
  const std::string name = ("emulated_dpas_" + shape.element).str();
  Function *function = module->getFunction(name);
  if (!function) {
    function = Function::Create(
        FunctionType::get(
            sums->getType(),
            {rows->getType(), columns->getType(), sums->getType()}, false),
        GlobalValue::InternalLinkage, name, module);
    function->setCallingConv(CallingConv::SPIR_FUNC);
    function->addFnAttr(Attribute::NoUnwind);
    function->addFnAttr(Attribute::Convergent);
    function->addFnAttr(Attribute::NoInline);
    Body(function, shape).emit();
  }
  CallInst *call = b.CreateCall(function, {rows, columns, sums});
  call->setCallingConv(CallingConv::SPIR_FUNC);
  call->setConvergent();
  call->setDoesNotAccessMemory();
  return call;
}

} // namespace tz::intel
