//===- PtxHooks.cpp - the SIMT library's hooks as PTX ---------------------===//
//
// What   See PtxHooks.h. Instructions: PTX ISA 8.0 and later.
// Why    See PtxHooks.h.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/hooks/PtxHooks.h"

#include "backends/nvidia/compiler/hooks/Mma.h"
#include "backends/nvidia/compiler/hooks/Wgmma.h"
#include "backends/nvidia/compiler/llvm/LateRewrites.h"

#include "terrazzo/plugin/Error.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

#include <map>

using namespace llvm;

namespace tz::nvidia {

namespace {

constexpr unsigned GlobalSpace = 1, sharedSpace = 3;

/// What has an instruction within the tolerances; tile-legalize-math makes the
/// rest from these (features() in CompilerPlugin.cpp).
class Arithmetic final : public lowering::Elementwise {
public:
  Arithmetic(IRBuilderBase &b, const ArchitectureFacts &architecture)
      : Elementwise(b,
                    {.half = true,
                     .bfloat = true,
                     .halfArithmetic = true,
                     .bfloatArithmetic = architecture.number >= 90},
                    {.shared = sharedSpace}),
        hasFp8(architecture.number >= 89) {}

protected:
  Value *math(tile::MathFn fn, Value *x) override {
    auto call = [&](Intrinsic::ID id) { return b.CreateUnaryIntrinsic(id, x); };
    const bool isF32 = x->getType()->isFloatTy();
    switch (fn) {
    case tile::MathFn::sqrt:
      if (isF32) { // relative error 2^-23, denormals included
        return b.CreateIntrinsic(Intrinsic::nvvm_sqrt_approx_f, {x});
      }
      return call(Intrinsic::sqrt);
    case tile::MathFn::sqrt_rn:
      return call(Intrinsic::sqrt);
    case tile::MathFn::rsqrt:
      if (isF32) { // relative error 2^-22.9, denormals included
        return b.CreateIntrinsic(Intrinsic::nvvm_rsqrt_approx_f, {x});
      }
      break;
    case tile::MathFn::exp2:
      // Relative error 2^-22. A denormal operand gives 1, as it should; a
      // result may be flushed (P13). Without ftz the scaling costs three
      // instructions.
      if (isF32) {
        return b.CreateIntrinsic(Intrinsic::nvvm_ex2_approx_ftz, {x->getType()},
                                 {x});
      }
      break;
    default:
      break;
    }
    return Elementwise::math(fn, x);
  }
  Value *minMax(Value *x, Value *y, bool isMax, bool propagateNan) override {
    using namespace Intrinsic;
    Type *type = x->getType();
    if (type->isDoubleTy()) { // has no form that propagates NaN
      return propagateNan
                 ? Elementwise::minMax(x, y, isMax, propagateNan)
                 : b.CreateIntrinsic(isMax ? nvvm_fmax_d : nvvm_fmin_d, {x, y});
    }
    static constexpr ID ids[3][2][2] = {
        {{nvvm_fmin_f, nvvm_fmin_nan_f}, {nvvm_fmax_f, nvvm_fmax_nan_f}},
        {{nvvm_fmin_f16, nvvm_fmin_nan_f16},
         {nvvm_fmax_f16, nvvm_fmax_nan_f16}},
        {{nvvm_fmin_bf16, nvvm_fmin_nan_bf16},
         {nvvm_fmax_bf16, nvvm_fmax_nan_bf16}}};
    const unsigned row = type->isFloatTy() ? 0 : type->isHalfTy() ? 1 : 2;
    return b.CreateIntrinsic(ids[row][isMax][propagateNan], {x, y});
  }
  Value *divide(Value *x, Value *y, tile::DivMode mode) override {
    // div.full: within 2 units over the whole range.
    if (x->getType()->isFloatTy() && mode == tile::DivMode::approx) {
      return b.CreateIntrinsic(Intrinsic::nvvm_div_full, {x, y});
    }
    return b.CreateFDiv(x, y);
  }
  /// Instructions convert two at once; the other one is zero.
  Value *fromFp8(Value *code, lowering::Fp8 format, Type *to) override {
    if (!converts(format)) {
      return Elementwise::fromFp8(code, format, to);
    }
    Value *pair = b.CreateIntrinsic(format == lowering::Fp8::E5M2
                                        ? Intrinsic::nvvm_e5m2x2_to_f16x2_rn
                                        : Intrinsic::nvvm_e4m3x2_to_f16x2_rn,
                                    {b.CreateZExt(code, b.getInt16Ty())});
    return lowering::emitFpCast(b, units,
                                b.CreateExtractElement(pair, uint64_t(0)), to);
  }
  Value *toFp8(Value *x, lowering::Fp8 format,
               lowering::Rounding rounding) override {
    // An f64 would be rounded twice.
    if (!converts(format) || rounding != lowering::Rounding::NearestEven ||
        x->getType()->isDoubleTy()) {
      return Elementwise::toFp8(x, format, rounding);
    }
    Value *real = lowering::emitFpCast(b, units, x, b.getFloatTy());
    Value *pair = b.CreateIntrinsic(format == lowering::Fp8::E5M2
                                        ? Intrinsic::nvvm_ff_to_e5m2x2_rn
                                        : Intrinsic::nvvm_ff_to_e4m3x2_rn,
                                    {ConstantFP::get(b.getFloatTy(), 0), real});
    return b.CreateTrunc(pair, b.getInt8Ty());
  }

private:
  bool converts(lowering::Fp8 format) const {
    return hasFp8 &&
           (format == lowering::Fp8::E4M3FN || format == lowering::Fp8::E5M2);
  }

  const bool hasFp8;
};

/// How an access of so many bits is written: registers, and PTX's types.
struct Words {
  explicit Words(unsigned bits)
      : count(bits > 64   ? 4
              : bits > 32 ? 2
                          : 1),
        bits(std::min(bits, 32u)) {}
  Type *type(IRBuilderBase &b) const {
    return b.getIntNTy(bits < 16 ? 16 : bits);
  }
  char constraint() const { return bits == 32 ? 'r' : 'h'; }
  std::string suffix() const {
    return (count > 1 ? ".v" + std::to_string(count) : "") + ".b" +
           std::to_string(bits);
  }
  const unsigned count, bits;
};

unsigned bitsOf(const DataLayout &layout, Type *type) {
  return unsigned(layout.getTypeStoreSizeInBits(type).getFixedValue());
}

std::string operands(unsigned first, unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i) {
    text += (i ? ", $" : "$") + std::to_string(first + i);
  }
  return count > 1 ? "{" + text + "}" : text;
}

std::string modifiers(const simt::MemoryHints &hints) {
  std::string text;
  switch (hints.cache) {
  case tile::CacheHint::ca:
    text += ".ca";
    break;
  case tile::CacheHint::cg:
    text += ".cg";
    break;
  case tile::CacheHint::cv:
    text += ".cv";
    break;
  case tile::CacheHint::cs:
    text += ".cs";
    break;
  case tile::CacheHint::wb:
    text += ".wb";
    break;
  case tile::CacheHint::wt:
    text += ".wt";
    break;
  case tile::CacheHint::none:
    break;
  }
  // A priority and a cache operator exclude each other.
  if (text.empty() && hints.eviction == tile::Eviction::evict_first) {
    text = ".L1::evict_first";
  } else if (text.empty() && hints.eviction == tile::Eviction::evict_last) {
    text = ".L1::evict_last";
  }
  return text;
}

} // namespace

/// %clock64 of the multiprocessor, and %globaltimer, which all of them share.
std::optional<lowering::PartClock> PtxHooks::partClock() const {
  return lowering::PartClock{
      TZ_CLOCK_CYCLES,
      [](IRBuilderBase &b) -> Value * {
        return b.CreateIntrinsic(Intrinsic::readcyclecounter, {});
      },
      [](IRBuilderBase &b) -> Value * {
        return b.CreateIntrinsic(Intrinsic::readsteadycounter, {});
      },
      [](IRBuilderBase &b) -> Value * {
        return b.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_smid, {});
      }};
}

void PtxHooks::keepBefore(IRBuilderBase &b, Value *value) {
  Type *type = value->getType();
  const char *constraint = type->isFloatTy()       ? "f"
                           : type->isDoubleTy()    ? "d"
                           : type->isIntegerTy(64) ? "l"
                                                   : "r";
  b.CreateCall(InlineAsm::get(FunctionType::get(b.getVoidTy(), {type}, false),
                              "", constraint, /*hasSideEffects=*/true),
               {value});
}

Value *PtxHooks::threadInBlock(IRBuilderBase &b) {
  return b.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_tid_x, {});
}

/// By this instruction the assembler knows that a branch is of one thread. Of
/// another it must fear several, and makes a loop over them of each copy of the
/// engine, whose operands the threads have in common.
Value *PtxHooks::isChosenLane(IRBuilderBase &b) {
  return b.CreateExtractValue(
      b.CreateIntrinsic(Intrinsic::nvvm_elect_sync, {}, {b.getInt32(~0u)}), 1);
}

Value *PtxHooks::programId(IRBuilderBase &b, unsigned axis) {
  static constexpr Intrinsic::ID ids[] = {
      Intrinsic::nvvm_read_ptx_sreg_ctaid_x,
      Intrinsic::nvvm_read_ptx_sreg_ctaid_y,
      Intrinsic::nvvm_read_ptx_sreg_ctaid_z};
  return b.CreateIntrinsic(ids[axis], {});
}

Value *PtxHooks::programCount(IRBuilderBase &b, unsigned axis) {
  static constexpr Intrinsic::ID ids[] = {
      Intrinsic::nvvm_read_ptx_sreg_nctaid_x,
      Intrinsic::nvvm_read_ptx_sreg_nctaid_y,
      Intrinsic::nvvm_read_ptx_sreg_nctaid_z};
  return b.CreateIntrinsic(ids[axis], {});
}

Value *PtxHooks::sharedMemory(IRBuilderBase &b) {
  Module *module = b.GetInsertBlock()->getModule();
  auto *shared =
      new GlobalVariable(*module, ArrayType::get(b.getInt8Ty(), 0), false,
                         GlobalValue::ExternalLinkage, nullptr, "shared_memory",
                         nullptr, GlobalValue::NotThreadLocal, sharedSpace);
  shared->setAlignment(Align(1024));
  return shared;
}

void PtxHooks::barrier(IRBuilderBase &b, simt::Memories,
                       std::optional<unsigned> threads) {
  if (threads) {
    b.CreateIntrinsic(Intrinsic::nvvm_barrier_cta_sync_aligned_count,
                      {b.getInt32(1), b.getInt32(*threads)});
    return;
  }
  b.CreateIntrinsic(Intrinsic::nvvm_barrier_cta_sync_aligned_all,
                    {b.getInt32(0)});
}

/// mma.sync reads what ldmatrix and loads brought to registers.
bool PtxHooks::readsPublished(simt::DotOp op) const {
  return op.getInstruction() == WgmmaName;
}

/// Only machines from sm_90a on have another proxy.
void PtxHooks::publishStaged(IRBuilderBase &b) {
  if (architecture.number == 90) {
    b.CreateIntrinsic(Intrinsic::nvvm_fence_proxy_async_shared_cta, {});
  }
}

/// PTX ISA 6.5, 9.7.14.5.15.
SmallVector<Value *, 4> PtxHooks::matrixLoad(IRBuilderBase &b, Value *row,
                                             unsigned matrices,
                                             bool isTransposed) {
  const Intrinsic::ID plain =
      matrices == 2 ? Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x2_b16
                    : Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_b16;
  const Intrinsic::ID transposed =
      matrices == 2 ? Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x2_trans_b16
                    : Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_trans_b16;
  Value *loaded = b.CreateIntrinsic(isTransposed ? transposed : plain,
                                    {row->getType()}, {row});
  SmallVector<Value *, 4> words;
  for (unsigned i = 0; i < matrices; ++i) {
    words.push_back(b.CreateExtractValue(loaded, i));
  }
  return words;
}

/// PTX ISA 7.8, 9.7.14.5.16.
void PtxHooks::matrixStore(IRBuilderBase &b, Value *row,
                           ArrayRef<Value *> words, bool isTransposed) {
  SmallVector<Value *> operands = {b.CreatePtrToInt(row, b.getInt32Ty())};
  SmallVector<Type *> types = {b.getInt32Ty()};
  std::string list, constraints = "r";
  for (Value *word : words) {
    list += (list.empty() ? "$" : ", $") + std::to_string(operands.size());
    constraints += ",r";
    operands.push_back(word);
    types.push_back(word->getType());
  }
  const std::string text =
      "stmatrix.sync.aligned.m8n8.x" + std::to_string(words.size()) +
      (isTransposed ? ".trans" : "") + ".shared.b16 [$0], {" + list + "};";
  b.CreateCall(InlineAsm::get(FunctionType::get(b.getVoidTy(), types, false),
                              text, constraints + ",~{memory}",
                              /*hasSideEffects=*/true),
               operands)
      ->addFnAttr(Attribute::Convergent);
}

Value *PtxHooks::shuffle(IRBuilderBase &b, Value *word, Value *fromLane) {
  return b.CreateIntrinsic(Intrinsic::nvvm_shfl_sync_idx_i32,
                           {b.getInt32(~0u), word, fromLane, b.getInt32(31)});
}

Value *PtxHooks::shuffleXor(IRBuilderBase &b, Value *word, unsigned mask) {
  return b.CreateIntrinsic(
      Intrinsic::nvvm_shfl_sync_bfly_i32,
      {b.getInt32(~0u), word, b.getInt32(mask), b.getInt32(31)});
}

/// redux.sync, of all machines since sm_80; of floats on sm_100a (PTX ISA 8.6).
Value *PtxHooks::reduceLanes(IRBuilderBase &b, simt::LaneReduction kind,
                             Value *value, unsigned laneBits) {
  static const std::map<simt::LaneReduction, Intrinsic::ID> instructions = {
      {simt::LaneReduction::add, Intrinsic::nvvm_redux_sync_add},
      {simt::LaneReduction::maxs, Intrinsic::nvvm_redux_sync_max},
      {simt::LaneReduction::mins, Intrinsic::nvvm_redux_sync_min},
      {simt::LaneReduction::maxu, Intrinsic::nvvm_redux_sync_umax},
      {simt::LaneReduction::minu, Intrinsic::nvvm_redux_sync_umin},
      {simt::LaneReduction::bitAnd, Intrinsic::nvvm_redux_sync_and},
      {simt::LaneReduction::bitOr, Intrinsic::nvvm_redux_sync_or},
      {simt::LaneReduction::bitXor, Intrinsic::nvvm_redux_sync_xor},
  };
  static const std::map<simt::LaneReduction, Intrinsic::ID> ofFloats = {
      {simt::LaneReduction::maxF, Intrinsic::nvvm_redux_sync_fmax},
      {simt::LaneReduction::minF, Intrinsic::nvvm_redux_sync_fmin},
      {simt::LaneReduction::maxFNan, Intrinsic::nvvm_redux_sync_fmax_NaN},
      {simt::LaneReduction::minFNan, Intrinsic::nvvm_redux_sync_fmin_NaN},
  };
  Type *type = value->getType(), *word = b.getInt32Ty();
  if (laneBits != lanes() - 1) {
    return nullptr;
  }
  if (auto found = ofFloats.find(kind); found != ofFloats.end()) {
    return architecture.number == 100 && type->isFloatTy()
               ? b.CreateIntrinsic(found->second, {value, b.getInt32(~0u)})
               : nullptr;
  }
  if (!type->isIntegerTy() || type->getIntegerBitWidth() > 32) {
    return nullptr;
  }
  const bool isSigned =
      kind == simt::LaneReduction::maxs || kind == simt::LaneReduction::mins;
  value = isSigned ? b.CreateSExt(value, word) : b.CreateZExt(value, word);
  return b.CreateTrunc(
      b.CreateIntrinsic(instructions.at(kind), {value, b.getInt32(~0u)}), type);
}

/// Bits of a register of an access whose elements are all this number.
static uint64_t wordOf(const Constant *number, unsigned index, unsigned bits) {
  if (!number) {
    return 0;
  }
  const auto *real = dyn_cast<ConstantFP>(number);
  const APInt one = real ? real->getValueAPF().bitcastToAPInt()
                         : cast<ConstantInt>(number)->getValue();
  const unsigned width = one.getBitWidth();
  return (width < bits ? APInt::getSplat(bits, one)
                       : one.extractBits(bits, index * bits % width))
      .getZExtValue();
}

/// @p ld.global.v4.b32 {...}, [...]: without a branch; the number where p is
/// false.
Value *PtxHooks::load(IRBuilderBase &b, Type *type, Value *pointer,
                      Value *predicate, Constant *other,
                      const simt::MemoryHints &hints) {
  const DataLayout &layout = b.GetInsertBlock()->getDataLayout();
  const unsigned bits = bitsOf(layout, type);
  const Words words(bits);
  std::string text, constraints;
  for (unsigned i = 0; i < words.count; ++i) {
    if (predicate && !hints.isDeadWhereOff) {
      text += "mov.b" + std::to_string(words.bits < 16 ? 16 : words.bits) +
              " $" + std::to_string(i) + ", " +
              std::to_string(wordOf(other, i, words.bits)) + "; ";
    }
    constraints += std::string(i ? "," : "") + "=" + (predicate ? "&" : "") +
                   words.constraint();
  }
  const unsigned n = words.count;
  if (predicate) {
    text += "@$" + std::to_string(n + 1) + " ";
  }
  text += std::string("ld") + (hints.isVolatile ? ".volatile" : "") +
          ".global" + (hints.isVolatile ? "" : modifiers(hints)) +
          words.suffix() + " " + operands(0, n) + ", [$" + std::to_string(n) +
          "];";
  constraints += predicate ? ",l,b" : ",l";
  Value *address = b.CreateAddrSpaceCast(pointer, b.getPtrTy(GlobalSpace));
  SmallVector<Value *> arguments = {b.CreatePtrToInt(address, b.getInt64Ty())};
  SmallVector<Type *> types = {b.getInt64Ty()};
  if (predicate) {
    arguments.push_back(predicate);
    types.push_back(b.getInt1Ty());
  }
  Type *word = words.type(b);
  Type *result =
      n == 1 ? word
             : StructType::get(b.getContext(), SmallVector<Type *>(n, word));
  auto *assembly =
      InlineAsm::get(FunctionType::get(result, types, false), text, constraints,
                     /*hasSideEffects=*/true);
  CallInst *call = b.CreateCall(assembly, arguments);
  if (!hints.isVolatile) {
    call->addFnAttr(Attribute::get(b.getContext(), LoadAttribute));
  }
  Value *loaded = call;
  if (n > 1) {
    Value *vector = PoisonValue::get(FixedVectorType::get(word, n));
    for (unsigned i = 0; i < n; ++i) {
      vector = b.CreateInsertElement(vector, b.CreateExtractValue(loaded, i),
                                     uint64_t(i));
    }
    loaded = vector;
  } else if (bits < 16) {
    loaded = b.CreateTrunc(loaded, b.getIntNTy(bits));
  }
  if (type->isPointerTy()) {
    return b.CreateIntToPtr(b.CreateBitCast(loaded, b.getInt64Ty()), type);
  }
  if (type->isPtrOrPtrVectorTy()) {
    auto *integers = FixedVectorType::get(
        b.getInt64Ty(), cast<FixedVectorType>(type)->getNumElements());
    return b.CreateIntToPtr(b.CreateBitCast(loaded, integers), type);
  }
  return b.CreateBitCast(loaded, type);
}

void PtxHooks::store(IRBuilderBase &b, Value *value, Value *pointer,
                     Value *predicate, const simt::MemoryHints &hints) {
  const DataLayout &layout = b.GetInsertBlock()->getDataLayout();
  Type *type = value->getType();
  const unsigned bits = bitsOf(layout, type);
  const Words words(bits);
  const unsigned n = words.count;
  if (type->isPtrOrPtrVectorTy()) {
    value = b.CreatePtrToInt(value, type->getWithNewType(b.getInt64Ty()));
  }
  Type *word = words.type(b);
  if (bits < 16) {
    value = b.CreateZExt(value, word);
  } else {
    value = b.CreateBitCast(
        value,
        n == 1 ? word : static_cast<Type *>(FixedVectorType::get(word, n)));
  }
  SmallVector<Value *> arguments = {b.CreatePtrToInt(
      b.CreateAddrSpaceCast(pointer, b.getPtrTy(GlobalSpace)), b.getInt64Ty())};
  SmallVector<Type *> types = {b.getInt64Ty()};
  std::string constraints = "l";
  for (unsigned i = 0; i < n; ++i) {
    arguments.push_back(n == 1 ? value
                               : b.CreateExtractElement(value, uint64_t(i)));
    types.push_back(word);
    constraints += std::string(",") + words.constraint();
  }
  std::string text;
  if (predicate) {
    text = "@$" + std::to_string(n + 1) + " ";
    arguments.push_back(predicate);
    types.push_back(b.getInt1Ty());
    constraints += ",b";
  }
  text += "st.global" + modifiers(hints) + words.suffix() + " [$0], " +
          operands(1, n) + ";";
  b.CreateCall(InlineAsm::get(FunctionType::get(b.getVoidTy(), types, false),
                              text, constraints, /*hasSideEffects=*/true),
               arguments);
}

StringRef PtxHooks::syncScope(tile::MemScope scope) const {
  switch (scope) {
  case tile::MemScope::program:
    return "block";
  case tile::MemScope::device:
    return "device";
  case tile::MemScope::system:
    break;
  }
  return "";
}

std::unique_ptr<lowering::Elementwise> PtxHooks::elementwise(IRBuilderBase &b) {
  return std::make_unique<Arithmetic>(b, architecture);
}

/// Index of this thread's warp group, the same register for all of a warp: what
/// is computed from it needs no vector registers.
Value *PtxHooks::warpGroup(IRBuilderBase &b) {
  if (!group) {
    IRBuilderBase::InsertPointGuard guard(b);
    Function *function = b.GetInsertBlock()->getParent();
    b.SetInsertPoint(function->getEntryBlock().getTerminator());
    group = shuffle(b, b.CreateLShr(threadInBlock(b), 7), b.getInt32(0));
  }
  return group;
}

SmallVector<Value *> PtxHooks::dot(IRBuilderBase &b, simt::DotOp op,
                                   const simt::DotSource &a,
                                   const simt::DotSource &rhs,
                                   ArrayRef<Value *> acc) {
  return op.getInstruction() == MmaName
             ? emitMma(b, op, a, rhs, acc, threadInBlock(b))
             : emitWgmma(b, op, a, rhs, acc, warpGroup(b));
}

SmallVector<Value *> PtxHooks::dotWait(IRBuilderBase &b, unsigned pending,
                                       ArrayRef<Value *> registers) {
  return emitWgmmaWait(b, pending, registers);
}

} // namespace tz::nvidia
