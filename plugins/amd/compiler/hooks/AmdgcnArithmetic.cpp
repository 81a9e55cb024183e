//===- AmdgcnArithmetic.cpp - elementwise operations as AMDGCN ------------===//
//
// What   What the language's mathematics is computed from: what LLVM expands to
//        correctly rounded code, and the seeds by instructions.
// Why    See "Mathematical functions" in docs/guide/writing-a-plugin.md.
//
// The instructions of seeds are right within one unit and treat denormals as
// zero. The reciprocal root has to take denormals, so its operand is scaled.
//===----------------------------------------------------------------------===//
#include "plugins/amd/compiler/hooks/AmdgcnHooks.h"

#include "terrazzo/plugin/Error.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/MDBuilder.h"

using namespace llvm;

namespace tz::amd {

namespace {

class Arithmetic final : public lowering::Elementwise {
public:
  Arithmetic(IRBuilderBase &b, const Machine &machine)
      : Elementwise(b,
                    {.half = true,
                     .bfloat = machine.roundsToBf16,
                     .halfArithmetic = true},
                    Spaces) {}

protected:
  Value *math(tile::MathFn fn, Value *x) override {
    auto call = [&](Intrinsic::ID id) { return b.CreateUnaryIntrinsic(id, x); };
    const bool isF32 = x->getType()->isFloatTy();
    switch (fn) {
    case tile::MathFn::sqrt:
    case tile::MathFn::sqrt_rn:
      return call(Intrinsic::sqrt);
    case tile::MathFn::rsqrt:
      return isF32 ? reciprocalRoot(x)
                   : b.CreateFDiv(ConstantFP::get(x->getType(), 1),
                                  call(Intrinsic::sqrt));
    case tile::MathFn::exp2:
      // A denormal operand gives 1, as it should; a result may be flushed
      // (P13).
      if (isF32) {
        return b.CreateUnaryIntrinsic(Intrinsic::amdgcn_exp2, x);
      }
      break;
    default:
      break;
    }
    return Elementwise::math(fn, x);
  }
  Value *divide(Value *x, Value *y, tile::DivMode mode) override {
    Value *quotient = b.CreateFDiv(x, y);
    if (auto *made = dyn_cast<Instruction>(quotient);
        made && mode == tile::DivMode::approx && x->getType()->isFloatTy()) {
      constexpr float units = 2;
      made->setMetadata(LLVMContext::MD_fpmath,
                        MDBuilder(b.getContext()).createFPMath(units));
    }
    return quotient;
  }

  /// One instruction, where a NaN gives way to a number.
  Value *minMax(Value *x, Value *y, bool isMax, bool propagateNan) override {
    return propagateNan
               ? Elementwise::minMax(x, y, isMax, propagateNan)
               : b.CreateBinaryIntrinsic(
                     isMax ? Intrinsic::maxnum : Intrinsic::minnum, x, y);
  }

private:
  Value *reciprocalRoot(Value *x) {
    Type *type = x->getType();
    constexpr double leastNormal = 0x1p-126, up = 0x1p24, rootOfUp = 0x1p12;
    Value *isSmall = b.CreateFCmpOLT(x, ConstantFP::get(type, leastNormal));
    Value *scaled =
        b.CreateSelect(isSmall, b.CreateFMul(x, ConstantFP::get(type, up)), x);
    Value *root = b.CreateUnaryIntrinsic(Intrinsic::amdgcn_rsq, scaled);
    return b.CreateSelect(
        isSmall, b.CreateFMul(root, ConstantFP::get(type, rootOfUp)), root);
  }
};

} // namespace

std::unique_ptr<lowering::Elementwise> makeArithmetic(IRBuilderBase &b,
                                                      const Machine &machine) {
  return std::make_unique<Arithmetic>(b, machine);
}

} // namespace tz::amd
