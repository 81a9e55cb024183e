//===- Arithmetic.cpp - elementwise operations as SPIR-V ------------------===//
//
// What   What the language's mathematics is computed from: exact functions, the
//        quotient and the root of f64, the reciprocal root of f32.
// Why    OpenCL's other functions differ from driver to driver, and are not
//        within the language's tolerances everywhere (R7).
//
// bf16 is a number of 16 bits and rounded by integers: drivers that do not know
// SPIR-V's own type compute in half precision, and say nothing.
//===----------------------------------------------------------------------===//
#include "plugins/intel/compiler/hooks/SpirvHooks.h"

#include "terrazzo/plugin/Error.h"

using namespace llvm;

namespace tz::intel {

namespace {

class Arithmetic final : public lowering::Elementwise {
public:
  Arithmetic(IRBuilderBase &b, bool doubles)
      : Elementwise(b,
                    {.half = true, .halfArithmetic = true, .doubles = doubles},
                    Spaces) {}

protected:
  Value *math(tile::MathFn fn, Value *x) override {
    auto call = [&](Intrinsic::ID id) { return b.CreateUnaryIntrinsic(id, x); };
    const bool isDouble = x->getType()->isDoubleTy();
    switch (fn) {
    case tile::MathFn::sqrt:
    case tile::MathFn::sqrt_rn:
      if (isDouble) { // correctly rounded (OpenCL C 3.0, 7.4)
        return call(Intrinsic::sqrt);
      }
      break;
    case tile::MathFn::rsqrt:
      if (isDouble) {
        return b.CreateFDiv(ConstantFP::get(x->getType(), 1),
                            call(Intrinsic::sqrt));
      }
      return callPure(b, "_Z5rsqrtf", x->getType(), {x}); // within 2 units
    default:
      break;
    }
    return Elementwise::math(fn, x);
  }
};

} // namespace

std::unique_ptr<lowering::Elementwise> makeArithmetic(IRBuilderBase &b,
                                                      bool doubles) {
  return std::make_unique<Arithmetic>(b, doubles);
}

} // namespace tz::intel
