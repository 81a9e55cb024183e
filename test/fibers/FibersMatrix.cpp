//===- FibersMatrix.cpp - a matrix instruction for fibers -----------------===//
//
// What   See FibersMatrix.h.
// Why    See FibersMatrix.h.
//===----------------------------------------------------------------------===//
#include "test/fibers/FibersMatrix.h"

#include "llvm/IR/Module.h"

using namespace llvm;

namespace tz::fibers {

namespace {

/// The accumulator of one instruction, on the warps that work together at it.
simt::Layout atomOf(const Machine &machine) {
  using simt::Axis;
  simt::Layout atom(2);
  auto rows = [&](Axis axis, ArrayRef<int64_t> steps) {
    for (int64_t step : steps) {
      atom.addBit(axis, {step, 0});
    }
  };
  auto columns = [&](Axis axis, ArrayRef<int64_t> steps) {
    for (int64_t step : steps) {
      atom.addBit(axis, {0, step});
    }
  };
  switch (machine.unit) {
  case MatrixUnit::warpGroup:
    columns(Axis::Register, {1});
    rows(Axis::Register, {8});
    columns(Axis::Lane, {2, 4});
    rows(Axis::Lane, {1, 2, 4});
    rows(Axis::Warp, {16, 32});
    break;
  case MatrixUnit::wave64:
    rows(Axis::Register, {1, 2, 8, 16});
    columns(Axis::Lane, {1, 2, 4, 8, 16});
    rows(Axis::Lane, {4});
    break;
  case MatrixUnit::wave32:
    rows(Axis::Register, {2, 4, 8});
    columns(Axis::Lane, {1, 2, 4, 8});
    rows(Axis::Lane, {1});
    break;
  case MatrixUnit::systolic:
    rows(Axis::Register, {1, 2, 4});
    for (int64_t column = 1; column < machine.lanes; column *= 2) {
      columns(Axis::Lane, {column});
    }
    break;
  }
  return atom;
}

} // namespace

simt::DotChoice FiberTarget::chooseDot(const simt::DotRequest &request) const {
  using simt::Axis;
  tile::DotOp dot = request.dot;
  ArrayRef<int64_t> shape = tile::shapeOf(dot.getType()),
                    a = tile::shapeOf(dot.getA().getType());
  const int64_t bytes =
      tile::storageBytes(tile::elementType(dot.getA().getType()));
  const simt::Layout atom = atomOf(machine);
  const int64_t together = atom.size(Axis::Warp), rows = atom.shape()[0],
                columns = atom.shape()[1];
  if (shape.size() != 2 || request.warps % together != 0 ||
      shape[0] % rows != 0 || shape[1] * bytes % 16 != 0 ||
      shape[1] % columns != 0 || a[1] * bytes % 32 != 0) {
    return SimtTarget::chooseDot(request);
  }
  auto even = [](int64_t value) { return value & -value; };
  const int64_t groups = request.warps / together;
  const int64_t down = std::min(groups, even(shape[0] / rows)),
                across = std::min(groups / down, even(shape[1] / columns));
  // Rows along k of what is no half: real units have it so.
  auto shared = [&](ArrayRef<unsigned> memory, unsigned k,
                    int64_t mn) -> simt::DotOperand {
    const std::array<unsigned, 2> alongK = {k, 1 - k};
    const ArrayRef<unsigned> order =
        bytes == 1 || bytes == 4 ? ArrayRef<unsigned>(alongK) : memory;
    return sharedRows(dot.getContext(), order, order[0] == k ? a[1] : mn,
                      bytes);
  };
  auto tiled = [&](ArrayRef<int64_t> extents, int64_t parts) {
    return simt::tiledLayout({atom, extents, down, parts, request.warps});
  };
  // What was computed stays where it is, in the accumulator's form.
  const bool isHeld = request.a.isComputed && a[1] % columns == 0;
  return {tiled(shape, across),
          isHeld ? simt::DotOperand(tiled({shape[0], a[1]}, 1))
                 : shared(request.a.order, 1, std::min(rows, int64_t(64))),
          shared(request.b.order, 0, shape[1]), "product"};
}

namespace {
GlobalVariable *table(Module &module, ArrayRef<uint32_t> numbers) {
  Constant *data = ConstantDataArray::get(module.getContext(), numbers);
  return new GlobalVariable(module, data->getType(), true,
                            GlobalValue::PrivateLinkage, data, "table", nullptr,
                            GlobalValue::NotThreadLocal, FiberSpaces.constants);
}

/// Byte offsets of the elements of a tile in shared memory, in row-major order.
SmallVector<uint32_t> offsetsOf(simt::BufferType type) {
  SmallVector<uint32_t> offsets;
  int64_t at[2];
  for (at[0] = 0; at[0] < type.getShape()[0]; ++at[0]) {
    for (at[1] = 0; at[1] < type.getShape()[1]; ++at[1]) {
      offsets.push_back(uint32_t(type.getOffset(at)));
    }
  }
  return offsets;
}

/// Of each register of each thread: row * rowFactor + column * columnFactor.
SmallVector<uint32_t> positionsOf(const simt::Layout &layout, unsigned lanes,
                                  int64_t rowFactor, int64_t columnFactor) {
  SmallVector<uint32_t> positions;
  for (int64_t warp = 0; warp < layout.size(simt::Axis::Warp); ++warp) {
    for (int64_t lane = 0; lane < lanes; ++lane) {
      for (int64_t reg = 0; reg < layout.size(simt::Axis::Register); ++reg) {
        simt::Coordinates at = layout.apply({{reg, lane, warp, 0}});
        positions.push_back(uint32_t(at[0] * rowFactor + at[1] * columnFactor));
      }
    }
  }
  return positions;
}

/// for (i = 0; i < count; ++i) body(i)
void countTo(IRBuilderBase &b, unsigned count,
             function_ref<void(Value *)> body) {
  Function *function = b.GetInsertBlock()->getParent();
  BasicBlock *before = b.GetInsertBlock(),
             *loop = BasicBlock::Create(b.getContext(), "count", function),
             *after = BasicBlock::Create(b.getContext(), "counted", function);
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  PHINode *i = b.CreatePHI(b.getInt32Ty(), 2);
  i->addIncoming(b.getInt32(0), before);
  body(i);
  Value *next = b.CreateAdd(i, b.getInt32(1));
  i->addIncoming(next, b.GetInsertBlock());
  b.CreateCondBr(b.CreateICmpULT(next, b.getInt32(count)), loop, after);
  b.SetInsertPoint(after);
}
} // namespace

SmallVector<Value *> emitDot(IRBuilderBase &b,
                             lowering::Elementwise &arithmetic, simt::DotOp op,
                             const simt::DotSource &a,
                             const simt::DotSource &rhs, ArrayRef<Value *> acc,
                             Value *thread, unsigned threads, unsigned lanes) {
  Module &module = *b.GetInsertBlock()->getModule();
  auto bType = cast<simt::BufferType>(rhs.type);
  const auto registers = unsigned(acc.size());
  const auto depth = uint32_t(bType.getShape()[0]),
             columns = uint32_t(bType.getShape()[1]);
  Type *word = b.getInt32Ty(), *byte = b.getInt8Ty();
  auto entry = [&](Value *list, Value *i) {
    return b.CreateLoad(word, b.CreateGEP(word, list, i));
  };
  auto gather = [&] {
    b.CreateCall(
        module.getOrInsertFunction("fibers_gather", b.getVoidTy(), word),
        {b.getInt32(threads)});
  };
  auto byUnit = [&](Value *address) {
    return b.CreateAddrSpaceCast(address, b.getPtrTy(UnitSpace));
  };
  mlir::Type aElement;
  Value *aAddress, *aOffsets;
  auto aType = dyn_cast<simt::BufferType>(a.type);
  if (aType) {
    aElement = aType.getElementType();
    aAddress = byUnit(a.address);
    aOffsets = table(module, offsetsOf(aType));
  } else {
    // The threads show each other what they hold, row by row.
    aElement = tile::elementType(a.type);
    const int64_t bytes = tile::storageBytes(aElement);
    const auto held = unsigned(a.registers.size());
    Value *places = table(module, positionsOf(simt::layoutOf(a.type), lanes,
                                              depth * bytes, bytes));
    const int64_t size = tile::shapeOf(a.type)[0] * depth * bytes;
    aAddress = byUnit(b.CreateCall(
        module.getOrInsertFunction("fibers_shown", b.getPtrTy(), word),
        {b.getInt32(uint32_t(size))}));
    gather();
    for (unsigned reg = 0; reg < held; ++reg) {
      Value *i =
          b.CreateAdd(b.CreateMul(thread, b.getInt32(held)), b.getInt32(reg));
      b.CreateStore(arithmetic.toMemory(a.registers[reg], aElement),
                    b.CreateGEP(byte, aAddress, entry(places, i)));
    }
    gather();
    SmallVector<uint32_t> offsets;
    for (int64_t offset = 0; offset < size; offset += bytes) {
      offsets.push_back(uint32_t(offset));
    }
    aOffsets = table(module, offsets);
  }
  // Where the row of A and the column of B begin, for each register.
  const simt::Layout &layout = simt::layoutOf(op.getType());
  Value *rows = table(module, positionsOf(layout, lanes, depth, 0)),
        *starts = table(module, positionsOf(layout, lanes, 0, 1)),
        *bOffsets = table(module, offsetsOf(bType));

  mlir::Type element = tile::elementType(op.getType());
  mlir::Type wide = element.isF16()
                        ? mlir::Type(mlir::Float32Type::get(op.getContext()))
                        : element;
  const bool isFloat = isa<mlir::FloatType>(element);
  Type *sumType = arithmetic.type(wide);
  Value *sums;
  {
    IRBuilderBase::InsertPointGuard guard(b);
    Function *function = b.GetInsertBlock()->getParent();
    b.SetInsertPoint(&function->getEntryBlock(),
                     function->getEntryBlock().begin());
    sums = b.CreateAlloca(ArrayType::get(sumType, registers));
  }
  for (unsigned reg = 0; reg < registers; ++reg) {
    Value *value =
        isFloat ? arithmetic.convertFloat(acc[reg], element, wide) : acc[reg];
    b.CreateStore(value, b.CreateConstGEP1_32(sumType, sums, reg));
  }
  auto load = [&](Value *address, Value *offset, mlir::Type type) {
    Value *value = b.CreateLoad(arithmetic.memoryType(type),
                                b.CreateGEP(byte, address, offset));
    return isFloat ? arithmetic.convertFloat(value, type, wide)
                   : b.CreateSExt(value, sumType);
  };
  Value *first = b.CreateMul(thread, b.getInt32(registers)),
        *bAddress = byUnit(rhs.address);
  countTo(b, registers, [&](Value *reg) {
    Value *row = entry(rows, b.CreateAdd(first, reg)),
          *column = entry(starts, b.CreateAdd(first, reg)),
          *sum = b.CreateGEP(sumType, sums, reg);
    countTo(b, depth, [&](Value *k) {
      Value *x = load(aAddress, entry(aOffsets, b.CreateAdd(row, k)), aElement);
      Value *at = b.CreateAdd(b.CreateMul(k, b.getInt32(columns)), column);
      Value *y = load(bAddress, entry(bOffsets, at), bType.getElementType());
      Value *before = b.CreateLoad(sumType, sum);
      b.CreateStore(
          isFloat ? b.CreateIntrinsic(Intrinsic::fma, {sumType}, {x, y, before})
                  : b.CreateAdd(before, b.CreateMul(x, y)),
          sum);
    });
  });
  if (!aType) {
    gather(); // the next product may show more
  }
  SmallVector<Value *> results;
  for (unsigned reg = 0; reg < registers; ++reg) {
    Value *value =
        b.CreateLoad(sumType, b.CreateConstGEP1_32(sumType, sums, reg));
    results.push_back(isFloat ? arithmetic.convertFloat(value, wide, element)
                              : value);
  }
  return results;
}

} // namespace tz::fibers
