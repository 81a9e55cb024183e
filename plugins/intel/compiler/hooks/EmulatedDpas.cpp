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

void countTo(IRBuilderBase &b, unsigned count, ArrayRef<Value **> carried,
             function_ref<void(Value *)> body) {
  Function *function = b.GetInsertBlock()->getParent();
  BasicBlock *before = b.GetInsertBlock(),
             *loop = BasicBlock::Create(b.getContext(), "count", function),
             *after = BasicBlock::Create(b.getContext(), "counted", function);
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  PHINode *i = b.CreatePHI(b.getInt32Ty(), 2);
  i->addIncoming(b.getInt32(0), before);
  SmallVector<PHINode *> phis;
  for (Value **value : carried) {
    phis.push_back(b.CreatePHI((*value)->getType(), 2));
    phis.back()->addIncoming(*value, before);
    *value = phis.back();
  }
  body(i);
  Value *next = b.CreateAdd(i, b.getInt32(1));
  i->addIncoming(next, b.GetInsertBlock());
  for (auto [phi, value] : zip_equal(phis, carried)) {
    phi->addIncoming(*value, b.GetInsertBlock());
  }
  b.CreateCondBr(b.CreateICmpULT(next, b.getInt32(count)), loop, after);
  b.SetInsertPoint(after);
}

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

  /// A loop over lanes: drivers for CPUs take minutes for what is written out.
  void emit() {
    if (shape.isTf32()) {
      return emitTf32();
    }
    countTo(b, shape.columns, {&sums}, [&](Value *lane) {
      const SmallVector<Value *> theirs = rowsOf(lane);
      for (unsigned part = 0; part < shape.share(); ++part) {
        add(theirs, part,
            b.CreateAdd(b.CreateMul(lane, b.getInt32(shape.share())),
                        b.getInt32(part)));
      }
    });
    b.CreateRet(sums);
  }

private:
  /// Element k of a row of A is in lanes 2 k and 2 k + 1, its low half first.
  void emitTf32() {
    countTo(b, shape.depth, {&sums}, [&](Value *k) {
      Value *lane = b.CreateShl(k, 1);
      const SmallVector<Value *> low = rowsOf(lane),
                                 high = rowsOf(b.CreateOr(lane, 1));
      Value *mine =
          b.CreateBitCast(b.CreateExtractElement(columns, k), b.getFloatTy());
      for (unsigned row = 0; row < MatrixShape::Rows; ++row) {
        // Two rows share a word.
        Value *lower = low[row / 2], *upper = high[row / 2];
        lower = row % 2 ? b.CreateLShr(lower, 16) : b.CreateAnd(lower, 0xFFFF);
        upper =
            row % 2 ? b.CreateAnd(upper, 0xFFFF0000u) : b.CreateShl(upper, 16);
        addTo(row, b.CreateBitCast(b.CreateOr(lower, upper), b.getFloatTy()),
              mine);
      }
    });
    b.CreateRet(sums);
  }
  /// sums[row] += factor * mine
  void addTo(unsigned row, Value *factor, Value *mine) {
    Value *sum = b.CreateExtractElement(sums, uint64_t(row));
    sum = shape.element == "i8"
              ? b.CreateAdd(sum, b.CreateMul(factor, mine))
              : b.CreateIntrinsic(Intrinsic::fma, {b.getFloatTy()},
                                  {factor, mine, sum});
    sums = b.CreateInsertElement(sums, sum, uint64_t(row));
  }
  /// What this lane holds of A: all rows.
  SmallVector<Value *> rowsOf(Value *lane) {
    SmallVector<Value *> words;
    const auto count = cast<FixedVectorType>(rows->getType())->getNumElements();
    for (unsigned i = 0; i < count; ++i) {
      CallInst *word =
          callTogether(b, "_Z17sub_group_shufflejj", b.getInt32Ty(),
                       {b.CreateExtractElement(rows, uint64_t(i)), lane});
      word->setDoesNotAccessMemory();
      words.push_back(word);
    }
    return words;
  }
  /// Element `i` of those that follow each other in words, as a number.
  Value *element(ArrayRef<Value *> words, unsigned i) {
    const unsigned bits = 8 * shape.elementBytes, each = 32 / bits;
    return number(words[i / each], b.getInt32(bits * (i % each)));
  }
  /// The element that begins at this bit of a word.
  Value *number(Value *word, Value *bit) {
    const unsigned bits = 8 * shape.elementBytes;
    // By shifts alone: of narrow integers LLVM makes vectors that are too long.
    Value *first = b.CreateShl(word, b.CreateSub(b.getInt32(32 - bits), bit));
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
  void add(ArrayRef<Value *> theirs, unsigned part, Value *k) {
    const unsigned each = 4 / shape.elementBytes;
    Value *word =
        b.CreateExtractElement(columns, b.CreateLShr(k, Log2_32(each)));
    Value *mine = number(word, b.CreateMul(b.CreateAnd(k, each - 1),
                                           b.getInt32(8 * shape.elementBytes)));
    for (unsigned row = 0; row < MatrixShape::Rows; ++row) {
      addTo(row, element(theirs, row * shape.share() + part), mine);
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
