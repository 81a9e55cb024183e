//===- Buffers.cpp - accesses by buffer descriptors -----------------------===//
//
// What   Loads and stores that the memory unit leaves out by itself, behind the
//        end of a descriptor. See AmdgcnHooks.h.
// Why    A mask is a branch otherwise, and each branch ends what can be
//        reordered.
//
// A descriptor has a base of 48 bits and a number of bytes, both the same for
// all lanes. An offset of a lane is compared with that number, so one that is
// behind it turns the lane off. What crosses the end is looked at by words.
//===----------------------------------------------------------------------===//
#include "plugins/amd/compiler/hooks/AmdgcnHooks.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tz::amd {

/// Behind all that is accessed, and no access beside it wraps around.
static constexpr uint32_t Nowhere = uint32_t(2 * NearBytes);
static constexpr unsigned DescriptorSpace = 8;

/// LLVM takes some uniform values to lanes, minima of 64 bits for one. It would
/// look for equal descriptors in a loop then.
static Value *inScalars(IRBuilderBase &b, Value *value) {
  return isa<Constant>(value)
             ? value
             : b.CreateIntrinsic(Intrinsic::amdgcn_readfirstlane,
                                 {value->getType()}, {value});
}

static Value *descriptor(IRBuilderBase &b, const Machine &machine,
                         const simt::NearPlace &place) {
  Value *bytes = place.end
                     ? b.CreateZExt(inScalars(b, place.end), b.getInt64Ty())
                     : b.getInt64(Nowhere);
  return b.CreateIntrinsic(Intrinsic::amdgcn_make_buffer_rsrc,
                           {b.getPtrTy(DescriptorSpace), place.base->getType()},
                           {inScalars(b, place.base), b.getInt16(0), bytes,
                            b.getInt32(machine.bufferWord)});
}

/// The constant is last, where it becomes a part of the instruction.
static Value *offsetOf(IRBuilderBase &b, const simt::NearPlace &place,
                       Value *predicate) {
  Value *offset = place.offset;
  if (predicate) {
    offset = b.CreateSelect(predicate, offset, b.getInt32(Nowhere));
  }
  return b.CreateAdd(offset, b.getInt32(place.constant), "", /*HasNUW=*/true);
}

/// The words that an instruction moves for a type.
static Type *movedType(IRBuilderBase &b, Type *type) {
  constexpr unsigned word = 32;
  const unsigned bits = unsigned(type->getPrimitiveSizeInBits());
  return bits <= word ? static_cast<Type *>(b.getIntNTy(bits))
                      : FixedVectorType::get(b.getInt32Ty(), bits / word);
}

Value *loadBuffer(IRBuilderBase &b, const Machine &machine, Type *type,
                  const simt::NearPlace &place, Value *predicate) {
  Value *zero = b.getInt32(0);
  return b.CreateBitCast(
      b.CreateIntrinsic(Intrinsic::amdgcn_raw_ptr_buffer_load,
                        {movedType(b, type)},
                        {descriptor(b, machine, place),
                         offsetOf(b, place, predicate), zero, zero}),
      type);
}

void storeBuffer(IRBuilderBase &b, const Machine &machine, Value *value,
                 const simt::NearPlace &place, Value *predicate) {
  Value *zero = b.getInt32(0);
  Type *type = movedType(b, value->getType());
  b.CreateIntrinsic(Intrinsic::amdgcn_raw_ptr_buffer_store, {type},
                    {b.CreateBitCast(value, type),
                     descriptor(b, machine, place),
                     offsetOf(b, place, predicate), zero, zero});
}

Value *nearPointer(IRBuilderBase &b, const simt::NearPlace &place) {
  Value *own = b.CreateGEP(b.getInt8Ty(), place.base,
                           b.CreateZExt(place.offset, b.getInt64Ty()));
  return b.CreateConstGEP1_64(b.getInt8Ty(), own, place.constant);
}

Constant *zeros(IRBuilderBase &b) {
  constexpr StringLiteral name = "terrazzo.zeros";
  constexpr uint64_t widest = 16;
  Module &module = *b.GetInsertBlock()->getModule();
  if (GlobalVariable *known = module.getNamedGlobal(name)) {
    return known;
  }
  Type *type = ArrayType::get(b.getInt8Ty(), widest);
  auto *made = new GlobalVariable(
      module, type, /*isConstant=*/true, GlobalValue::InternalLinkage,
      Constant::getNullValue(type), name, nullptr, GlobalValue::NotThreadLocal,
      Spaces.constants);
  made->setAlignment(Align(widest));
  return made;
}

} // namespace tz::amd
