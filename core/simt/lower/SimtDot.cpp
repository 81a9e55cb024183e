//===- SimtDot.cpp - matrix products --------------------------------------===//
//
// What   A dot with an instruction is the target's; without one, each thread
//        multiplies the rows and columns of its accumulators.
// Why    See terrazzo/simt/SimtLowering.h.
//===----------------------------------------------------------------------===//
#include "core/simt/lower/KernelLowering.h"

#include <map>

using namespace llvm;

namespace tz::simt {

void KernelLowering::dot(DotOp op) {
  if (!op.getInstruction()) {
    plainDot(op);
    return;
  }
  SmallVector<mlir::Value, 2> staged;
  for (mlir::Value value : {op.getA(), op.getB()}) {
    if (isa<BufferType>(value.getType())) {
      staged.push_back(value);
    }
  }
  readBuffers(staged);
  auto source = [&](mlir::Value value) {
    DotSource one;
    one.type = value.getType();
    if (isa<BufferType>(one.type)) {
      one.address = buffers.find(value)->second.address;
    } else {
      one.registers = tile(value);
    }
    return one;
  };
  DotSource a = source(op.getA()), rhs = source(op.getB());
  define(op.getResult(), hooks.dot(b, op, a, rhs, tile(op.getAcc())));
}

/// Sums in f32 for narrow floats, in the accumulator's type otherwise.
void KernelLowering::plainDot(DotOp op) {
  auto aType = cast<BufferType>(op.getA().getType());
  auto bType = cast<BufferType>(op.getB().getType());
  mlir::Type element = tile::elementType(op.getType());
  mlir::Type wide = element.isF16()
                        ? mlir::Type(mlir::Float32Type::get(op.getContext()))
                        : element;
  LayoutAttr attribute = layoutAttr(op.getType());
  const Layout &layout = attribute.getValue();
  const unsigned rank = layout.rank(), m = rank - 2, n = rank - 1;
  const int64_t depth = aType.getShape().back();
  const auto read = readBuffers({op.getA(), op.getB()});
  const Buffer &aBuffer = read[0], &bBuffer = read[1];
  auto convert = [&](Value *value, mlir::Type from) -> Value * {
    if (isa<mlir::IntegerType>(from)) {
      return b.CreateSExt(value, registerType(wide));
    }
    return arithmetic->convertFloat(value, from, wide);
  };
  Registers start;
  for (Value *value : tile(op.getAcc())) {
    start.push_back(isa<mlir::FloatType>(element)
                        ? arithmetic->convertFloat(value, element, wide)
                        : value);
  }
  BasicBlock *before = b.GetInsertBlock(), *body = block("dot"),
             *after = block("dot.after");
  b.CreateBr(body);
  b.SetInsertPoint(body);
  PHINode *k = b.CreatePHI(b.getInt32Ty(), 2);
  k->addIncoming(b.getInt32(0), before);
  SmallVector<PHINode *> sums = phis(start);
  for (auto [sum, value] : llvm::zip_equal(sums, start)) {
    sum->addIncoming(value, before);
  }
  // One load for each row and each column that the thread has.
  std::map<Coordinates, Value *> rows, columns;
  auto fetch = [&](std::map<Coordinates, Value *> &known, BufferType type,
                   const Buffer &buffer, unsigned reg, bool isRow) {
    Coordinates key = layout.apply(Place{{reg, 0, 0, 0}});
    key[isRow ? n : m] = 0;
    Value *&value = known[key];
    if (!value) {
      SmallVector<Value *, 3> at;
      if (rank == 3) {
        at.push_back(coordinate(attribute, reg, 0));
      }
      at.push_back(isRow ? coordinate(attribute, reg, m) : k);
      at.push_back(isRow ? k : coordinate(attribute, reg, n));
      Type *memory = arithmetic->memoryType(type.getElementType());
      Value *address =
          b.CreateGEP(b.getInt8Ty(), buffer.address,
                      b.CreateZExt(sharedOffset(type, at), b.getInt64Ty()));
      value = convert(b.CreateLoad(memory, address), type.getElementType());
    }
    return value;
  };
  Registers next;
  for (unsigned reg = 0; reg < sums.size(); ++reg) {
    Value *x = fetch(rows, aType, aBuffer, reg, true);
    Value *y = fetch(columns, bType, bBuffer, reg, false);
    next.push_back(isa<mlir::IntegerType>(wide)
                       ? b.CreateAdd(sums[reg], b.CreateMul(x, y))
                       : b.CreateIntrinsic(Intrinsic::fma, {x->getType()},
                                           {x, y, sums[reg]}));
  }
  Value *following = b.CreateAdd(k, b.getInt32(1));
  k->addIncoming(following, b.GetInsertBlock());
  for (auto [sum, value] : llvm::zip_equal(sums, next)) {
    sum->addIncoming(value, b.GetInsertBlock());
  }
  b.CreateCondBr(b.CreateICmpULT(following, b.getInt32(uint32_t(depth))), body,
                 after);
  b.SetInsertPoint(after);
  Registers registers;
  for (Value *value : next) {
    registers.push_back(isa<mlir::FloatType>(element)
                            ? arithmetic->convertFloat(value, wide, element)
                            : value);
  }
  define(op.getResult(), std::move(registers));
}

} // namespace tz::simt
