//===- SpirvBlocks.cpp - 2-D blocks of memory, straight to registers ------===//
//
// What   See SpirvBlocks.h.
// Why    See SpirvBlocks.h.
//===----------------------------------------------------------------------===//
#include "plugins/intel/compiler/hooks/SpirvBlocks.h"

#include "plugins/intel/Frame.h"
#include "plugins/intel/compiler/hooks/EmulatedDpas.h"
#include "plugins/intel/compiler/hooks/SpirvHooks.h"

#include "llvm/IR/Module.h"

using namespace llvm;
using tz::simt::Axis;

namespace tz::intel {

// The loads that all releases of Intel's compiler agree on. Others exist by
// name in newer ones; older ones take such a name, and load something else or
// nothing (plugins/intel/README.md).
static constexpr BlockLoad Loads[] = {
    {BlockForm::plain, "u16_m8k16v2", 2, 8, 16, 2, 16, 16},
    {BlockForm::plain, "u8_m8k32v2", 1, 8, 32, 2, 16, 16},
    {BlockForm::packed, "transform_u16_k16", 2, 16, 16, 1, 32, 8},
    {BlockForm::packed, "transform_u8_k32", 1, 32, 16, 1, 32, 8},
    {BlockForm::transposed, "transpose_u32_k8", 4, 16, 8, 1, 32, 8},
};

//===----------------------------------------------------------------------===//
// Which one
//===----------------------------------------------------------------------===//

/// What a lane holds of the rectangle, elements of so many bytes.
static simt::Layout layoutOf(const BlockLoad &load, unsigned elementBytes) {
  simt::Layout layout(2);
  auto add = [&](Axis axis, unsigned dim, int64_t first, int64_t end) {
    for (int64_t step = first; step < end; step *= 2) {
      simt::Coordinates basis = {0, 0};
      basis[dim] = step;
      layout.addBit(axis, basis);
    }
  };
  const int64_t lanes = 16, columns = load.columns;
  switch (load.form) {
  case BlockForm::plain:
    add(Axis::Register, 1, 1, columns / lanes);
    add(Axis::Register, 0, 1, load.rows);
    add(Axis::Register, 1, columns, columns * load.blocks);
    add(Axis::Lane, 1, columns / lanes, columns);
    break;
  case BlockForm::packed:
    add(Axis::Register, 0, 1, load.rows);
    add(Axis::Lane, 1, 1, columns);
    break;
  case BlockForm::transposed:
    add(Axis::Register, 1, 1, columns * load.elementBytes / elementBytes);
    add(Axis::Lane, 0, 1, load.rows);
    break;
  }
  return layout;
}

const BlockLoad *findBlockLoad(const simt::Layout &message,
                               unsigned elementBytes) {
  for (const BlockLoad &load : Loads) {
    // Columns of words are those of any elements that fill them.
    const bool fits = load.form == BlockForm::transposed
                          ? elementBytes <= load.elementBytes
                          : elementBytes == load.elementBytes;
    if (!fits) {
      continue;
    }
    const simt::Layout held = layoutOf(load, elementBytes);
    if (held.bases(Axis::Register) == message.bases(Axis::Register) &&
        held.bases(Axis::Lane) == message.bases(Axis::Lane)) {
      return &load;
    }
  }
  return nullptr;
}

const BlockLoad *findBlockLoad(const simt::BlockMessage &message) {
  return message.use == simt::BlockUse::load
             ? findBlockLoad(message.layout,
                             unsigned(tile::storageBytes(message.element)))
             : nullptr;
}

//===----------------------------------------------------------------------===//
// Where
//===----------------------------------------------------------------------===//

namespace {

/// A frame as the instruction takes it.
struct Surface {
  Value *base;   // i64
  Value *limits; // <3 x i32>: bytes of a row, rows, pitch; each one less
  Value *column; // of the corner, in elements of memory
  Value *row;
};

Surface surfaceOf(IRBuilderBase &b, const BlockPlace &place) {
  auto word = [&](unsigned index) -> Value * {
    return b.CreateAlignedLoad(
        b.getInt64Ty(),
        b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), place.descriptor, index),
        Align(8));
  };
  const size_t more = place.at.size() - 2;
  Value *base = word(FrameBase), *row = place.at[more];
  for (size_t dim = 0; dim < more; ++dim) {
    const auto first = unsigned(FrameMore + 2 * dim);
    Value *at = b.CreateSExt(place.at[dim], b.getInt64Ty());
    Value *isInside = b.CreateICmpULT(at, word(first));
    Value *bytes = b.CreateMul(at, word(first + 1));
    base = b.CreateAdd(base, b.CreateSelect(isInside, bytes, b.getInt64(0)));
    // What lies outside is zero, as rows behind the last one are.
    row = b.CreateSelect(isInside, row, b.getInt32(1 << 28));
  }
  Value *limits = PoisonValue::get(FixedVectorType::get(b.getInt32Ty(), 3));
  for (unsigned i = 0; i < 3; ++i) {
    Value *last = b.CreateSub(
        b.CreateTrunc(word(FrameRowBytes + i), b.getInt32Ty()), b.getInt32(1));
    limits = b.CreateInsertElement(limits, last, uint64_t(i));
  }
  return {base, limits, place.at[more + 1], row};
}

/// The address of an element, and whether it is in the frame.
struct Element {
  Value *address, *isInside;
};
Element elementAt(IRBuilderBase &b, Value *base, ArrayRef<Value *> last,
                  Value *row, Value *byte) {
  Value *isInside = b.CreateAnd(b.CreateICmpULE(byte, last[0]),
                                b.CreateICmpULE(row, last[1]));
  Type *wide = b.getInt64Ty();
  Value *pitch = b.CreateAdd(b.CreateZExt(last[2], wide), b.getInt64(1));
  Value *offset = b.CreateAdd(b.CreateMul(b.CreateZExt(row, wide), pitch),
                              b.CreateZExt(byte, wide));
  offset = b.CreateSelect(isInside, offset, b.getInt64(0));
  return {
      b.CreateIntToPtr(b.CreateAdd(base, offset), b.getPtrTy(Spaces.device)),
      isInside};
}

SmallVector<Value *> elementsOf(IRBuilderBase &b, Value *vector) {
  SmallVector<Value *> elements;
  const auto count = cast<FixedVectorType>(vector->getType())->getNumElements();
  for (unsigned i = 0; i < count; ++i) {
    elements.push_back(b.CreateExtractElement(vector, uint64_t(i)));
  }
  return elements;
}

//===----------------------------------------------------------------------===//
// The same by loads
//===----------------------------------------------------------------------===//

class EmulatedLoad {
public:
  EmulatedLoad(Function *function, const BlockLoad &load)
      : b(BasicBlock::Create(function->getContext(), "entry", function)),
        load(load), base(function->getArg(0)),
        last{function->getArg(1), function->getArg(2), function->getArg(3)},
        corner(function->getArg(4)),
        lane(b.CreateAnd(
            callPure(b, "_Z22get_sub_group_local_idv", b.getInt32Ty(), {}),
            15)) {}

  void emit(Type *type) {
    Value *vector = Constant::getNullValue(type);
    countTo(b, load.results, {&vector}, [&](Value *i) {
      vector = b.CreateInsertElement(vector, result(i), i);
    });
    b.CreateRet(vector);
  }

private:
  Value *result(Value *index) {
    const unsigned parts = load.resultBytes() / load.elementBytes;
    Type *type = b.getIntNTy(load.resultBits);
    Value *packed = nullptr;
    for (unsigned i = 0; i < parts; ++i) {
      Value *part = b.CreateZExt(element(index, i, parts), type);
      part = b.CreateShl(part, uint64_t(i * 8 * load.elementBytes));
      packed = packed ? b.CreateOr(packed, part) : part;
    }
    return packed;
  }
  Value *element(Value *index, unsigned part, unsigned parts) {
    Value *row = lane, *column = lane;
    switch (load.form) {
    case BlockForm::plain:
      row = b.CreateAnd(index, load.rows - 1);
      column = b.CreateMul(b.CreateLShr(index, Log2_32(load.rows)),
                           b.getInt32(load.columns));
      column = b.CreateAdd(column, b.CreateMul(lane, b.getInt32(parts)));
      column = b.CreateAdd(column, b.getInt32(part));
      break;
    case BlockForm::packed:
      row =
          b.CreateAdd(b.CreateMul(index, b.getInt32(parts)), b.getInt32(part));
      break;
    case BlockForm::transposed:
      column = index;
      break;
    }
    row = b.CreateAdd(row, b.CreateExtractElement(corner, uint64_t(1)));
    column = b.CreateAdd(column, b.CreateExtractElement(corner, uint64_t(0)));
    Value *byte = b.CreateMul(column, b.getInt32(load.elementBytes));
    const Element found = elementAt(b, base, last, row, byte);
    Type *type = b.getIntNTy(8 * load.elementBytes);
    Value *value =
        b.CreateAlignedLoad(type, found.address, Align(load.elementBytes));
    return b.CreateSelect(found.isInside, value, ConstantInt::get(type, 0));
  }

  IRBuilder<> b;
  const BlockLoad &load;
  Value *base;
  const std::array<Value *, 3> last;
  Value *corner, *lane;
};

CallInst *callEmulated(IRBuilderBase &b, const BlockLoad &load, Type *type,
                       ArrayRef<Value *> arguments) {
  Module *module = b.GetInsertBlock()->getModule();
  const std::string name = std::string("emulated_block_") + load.name;
  Function *function = module->getFunction(name);
  if (!function) {
    SmallVector<Type *> types;
    for (Value *one : arguments) {
      types.push_back(one->getType());
    }
    function = Function::Create(FunctionType::get(type, types, false),
                                GlobalValue::InternalLinkage, name, module);
    function->setCallingConv(CallingConv::SPIR_FUNC);
    function->addFnAttr(Attribute::NoUnwind);
    function->addFnAttr(Attribute::NoInline);
    EmulatedLoad(function, load).emit(type);
  }
  CallInst *call = b.CreateCall(function, arguments);
  call->setCallingConv(CallingConv::SPIR_FUNC);
  return call;
}

} // namespace

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

SmallVector<Value *> emitBlockLoad(IRBuilderBase &b, const Machine &machine,
                                   const BlockPlace &place,
                                   const BlockLoad &load,
                                   unsigned elementBytes) {
  const Surface surface = surfaceOf(b, place);
  // Places are multiples of a word (SimtTarget::bulkAlignment).
  Value *column = surface.column;
  if (load.elementBytes > elementBytes) {
    column = b.CreateAShr(column, Log2_32(load.elementBytes / elementBytes));
  }
  Value *corner = PoisonValue::get(FixedVectorType::get(b.getInt32Ty(), 2));
  corner = b.CreateInsertElement(corner, column, uint64_t(0));
  corner = b.CreateInsertElement(corner, surface.row, uint64_t(1));
  SmallVector<Value *> arguments = {surface.base};
  append_range(arguments, elementsOf(b, surface.limits));
  arguments.push_back(corner);
  Type *type = FixedVectorType::get(b.getIntNTy(load.resultBits), load.results);
  CallInst *call =
      machine.emulates
          ? callEmulated(b, load, type, arguments)
          : callTogether(b,
                         std::string("__builtin_IB_subgroup_block_read_flat_") +
                             load.name,
                         type, arguments);
  call->setOnlyReadsMemory();
  call->addFnAttr(Attribute::WillReturn);
  SmallVector<Value *> elements;
  const unsigned bits = 8 * elementBytes;
  for (Value *number : elementsOf(b, call)) {
    for (unsigned i = 0; i < load.resultBits; i += bits) {
      elements.push_back(
          b.CreateTrunc(b.CreateLShr(number, uint64_t(i)), b.getIntNTy(bits)));
    }
  }
  return elements;
}

void emitBlockPrefetch(IRBuilderBase &b, const Machine &machine,
                       const BlockPlace &place, const BlockLoad &load,
                       Value *lane) {
  if (machine.emulates) {
    return;
  }
  const Surface surface = surfaceOf(b, place);
  const auto elementBytes =
      uint32_t(tile::storageBytes(place.type.getElementType()));
  const SmallVector<Value *> last = elementsOf(b, surface.limits);
  const uint32_t rowBytes = load.columns * load.blocks * load.elementBytes;
  // What reaches beyond the frame is not worth a test in each lane: nothing of
  // it is asked for. What is asked for in its place is in the frame.
  Type *wide = b.getInt64Ty();
  Value *byte = b.CreateMul(surface.column, b.getInt32(elementBytes));
  auto fits = [&](Value *first, uint32_t count, Value *end) {
    return b.CreateAnd(
        b.CreateICmpSGE(first, b.getInt32(0)),
        b.CreateICmpSLE(b.CreateAdd(first, b.getInt32(count - 1)), end));
  };
  Value *isInside = b.CreateAnd(fits(byte, rowBytes, last[0]),
                                fits(surface.row, load.rows, last[1]));
  Value *pitch = b.CreateAdd(last[2], b.getInt32(1));
  Value *corner = b.CreateAdd(
      b.CreateMul(b.CreateZExt(surface.row, wide), b.CreateZExt(pitch, wide)),
      b.CreateZExt(byte, wide));
  Value *begin = b.CreateAdd(surface.base,
                             b.CreateSelect(isInside, corner, b.getInt64(0)));
  // A row for each lane; lanes beyond the last row ask for the ends of rows,
  // which may lie in the next line. Rows are near: 32 bits do.
  constexpr uint32_t word = 4;
  Value *mine = b.CreateMul(b.CreateAnd(lane, load.rows - 1), pitch);
  mine = b.CreateAdd(
      mine, b.CreateSelect(b.CreateICmpUGE(lane, b.getInt32(load.rows)),
                           b.getInt32(rowBytes - word), b.getInt32(0)));
  mine = b.CreateAnd(mine, b.CreateSExt(isInside, b.getInt32Ty()));
  Value *address = b.CreateIntToPtr(
      b.CreateAdd(begin, b.CreateZExt(mine, wide)), b.getPtrTy(Spaces.device));
  // Intel's number of "into both caches".
  constexpr uint32_t bothCaches = 4;
  CallInst *call =
      callTogether(b, "__builtin_IB_lsc_prefetch_global_uint", b.getVoidTy(),
                   {address, b.getInt32(0), b.getInt32(bothCaches)});
  call->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
}

} // namespace tz::intel
