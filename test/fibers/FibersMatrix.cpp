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

/// An operand as the matrix unit takes it: lanes along its columns, so many
/// rows in registers. Its warps are dealt out as those of the accumulator are.
simt::Layout operandLayout(ArrayRef<int64_t> shape, int64_t rows, int64_t lanes,
                           int64_t down, int64_t across, int64_t warps,
                           bool isLeft) {
  using simt::Axis;
  simt::Layout layout(2);
  for (int64_t row = 1; row < rows; row *= 2) {
    layout.addBit(Axis::Register, {row, 0});
  }
  for (int64_t column = 1; column < lanes; column *= 2) {
    layout.addBit(Axis::Lane, {0, column});
  }
  auto split = [&](std::optional<unsigned> dim, int64_t count) {
    layout.repeat(Axis::Warp, dim, count);
  };
  layout.repeat(Axis::Register, 1, shape[1] / lanes / (isLeft ? 1 : across));
  split(isLeft ? std::optional(0u) : std::nullopt, down);
  split(isLeft ? std::nullopt : std::optional(1u), across);
  split(std::nullopt, warps / (down * across));
  layout.repeat(Axis::Register, 0, shape[0] / rows / (isLeft ? down : 1));
  return layout;
}

} // namespace

/// Up to 32 rows of 64 bytes, a column in each lane; or a row in each lane, in
/// words, up to eight of them. Stores have up to eight rows, a column in each
/// lane.
bool FiberTarget::hasBlockMessage(const simt::BlockMessage &message) const {
  const simt::Coordinates box = message.layout.shape(),
                          lane = message.layout.bases(simt::Axis::Lane)[0];
  const int64_t bytes = box[1] * tile::storageBytes(message.element);
  const bool isTransposed = lane[1] == 0;
  if (isTransposed) {
    return message.use == simt::BlockUse::load && box[0] <= 32 && bytes >= 4 &&
           bytes <= 32;
  }
  return bytes <= 64 && bytes >= 4 &&
         box[0] <= (message.use == simt::BlockUse::load ? 32 : 8);
}

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
  simt::DotOperand left = isHeld ? simt::DotOperand(tiled({shape[0], a[1]}, 1))
                                 : shared(request.a.order, 1,
                                          std::min(rows, int64_t(64))),
                   right = shared(request.b.order, 0, shape[1]);
  if (machine.unit == MatrixUnit::systolic && a[1] % 16 == 0 &&
      a[1] % columns == 0) {
    if (request.a.isBlock) {
      left = operandLayout({shape[0], a[1]}, rows, machine.lanes, down, across,
                           request.warps, true);
    }
    if (request.b.isBlock) {
      right = operandLayout({a[1], shape[1]}, 16, machine.lanes, down, across,
                            request.warps, false);
    }
  }
  return {tiled(shape, across), left, right, "product"};
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
  auto shapeOf = [](const simt::DotSource &source) {
    auto buffer = dyn_cast<simt::BufferType>(source.type);
    return buffer ? buffer.getShape() : tile::shapeOf(source.type);
  };
  const auto registers = unsigned(acc.size());
  const auto depth = uint32_t(shapeOf(rhs)[0]),
             columns = uint32_t(shapeOf(rhs)[1]);
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
  // What is in registers the threads show each other, row by row.
  struct Operand {
    const simt::DotSource &source;
    mlir::Type element{};
    Value *address = nullptr, *offsets = nullptr;
    int64_t shown = 0; // bytes
  } left{a}, right{rhs};
  for (Operand *one : {&left, &right}) {
    auto buffer = dyn_cast<simt::BufferType>(one->source.type);
    one->element =
        buffer ? buffer.getElementType() : tile::elementType(one->source.type);
    if (buffer) {
      one->address = byUnit(one->source.address);
      one->offsets = table(module, offsetsOf(buffer));
    } else {
      one->shown = shapeOf(one->source)[0] * shapeOf(one->source)[1] *
                   tile::storageBytes(one->element);
    }
  }
  const bool areShown = left.shown + right.shown != 0;
  if (areShown) {
    const int64_t before = int64_t(alignTo(uint64_t(left.shown), 16));
    Value *shown = byUnit(b.CreateCall(
        module.getOrInsertFunction("fibers_shown", b.getPtrTy(), word),
        {b.getInt32(uint32_t(before + right.shown))}));
    gather();
    for (Operand *one : {&left, &right}) {
      if (one->shown == 0) {
        continue;
      }
      one->address = b.CreateConstGEP1_64(byte, shown,
                                          uint64_t(one == &left ? 0 : before));
      const int64_t bytes = tile::storageBytes(one->element);
      const auto held = unsigned(one->source.registers.size());
      Value *places =
          table(module, positionsOf(simt::layoutOf(one->source.type), lanes,
                                    shapeOf(one->source)[1] * bytes, bytes));
      for (unsigned reg = 0; reg < held; ++reg) {
        Value *i =
            b.CreateAdd(b.CreateMul(thread, b.getInt32(held)), b.getInt32(reg));
        b.CreateStore(
            arithmetic.toMemory(one->source.registers[reg], one->element),
            b.CreateGEP(byte, one->address, entry(places, i)));
      }
      SmallVector<uint32_t> offsets;
      for (int64_t offset = 0; offset < one->shown; offset += bytes) {
        offsets.push_back(uint32_t(offset));
      }
      one->offsets = table(module, offsets);
    }
    gather();
  }
  // Where the row of A and the column of B begin, for each register.
  const simt::Layout &layout = simt::layoutOf(op.getType());
  Value *rows = table(module, positionsOf(layout, lanes, depth, 0)),
        *starts = table(module, positionsOf(layout, lanes, 0, 1));

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
  Value *first = b.CreateMul(thread, b.getInt32(registers));
  countTo(b, registers, [&](Value *reg) {
    Value *row = entry(rows, b.CreateAdd(first, reg)),
          *column = entry(starts, b.CreateAdd(first, reg)),
          *sum = b.CreateGEP(sumType, sums, reg);
    countTo(b, depth, [&](Value *k) {
      Value *x = load(left.address, entry(left.offsets, b.CreateAdd(row, k)),
                      left.element);
      Value *at = b.CreateAdd(b.CreateMul(k, b.getInt32(columns)), column);
      Value *y = load(right.address, entry(right.offsets, at), right.element);
      Value *before = b.CreateLoad(sumType, sum);
      b.CreateStore(
          isFloat ? b.CreateIntrinsic(Intrinsic::fma, {sumType}, {x, y, before})
                  : b.CreateAdd(before, b.CreateMul(x, y)),
          sum);
    });
  });
  if (areShown) {
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
