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
/// The product of one thread's elements, step by step along the depth.
class KernelLowering::PlainDot {
public:
  PlainDot(KernelLowering &in, DotOp op);
  void run();

private:
  /// What was read of an operand in this step, by row or column.
  struct Operand {
    BufferType type;
    const Buffer &buffer;
    bool isRow;
    std::map<Coordinates, Value *> known = {};
  };
  Value *widen(Value *value, mlir::Type from);
  Registers converted(ArrayRef<Value *> values, mlir::Type from, mlir::Type to);
  Value *fetch(Operand &operand, unsigned reg);
  Registers step(ArrayRef<PHINode *> sums);

  KernelLowering &in;
  IRBuilder<> &b;
  DotOp op;
  mlir::Type element, wide; // of the result, and of the sums
  LayoutAttr layout;
  const unsigned rank;
  const SmallVector<Buffer, 2> read;
  PHINode *k = nullptr; // the step
};

KernelLowering::PlainDot::PlainDot(KernelLowering &in, DotOp op)
    : in(in), b(in.b), op(op), element(tile::elementType(op.getType())),
      wide(element.isF16() ? mlir::Type(mlir::Float32Type::get(op.getContext()))
                           : element),
      layout(layoutAttr(op.getType())), rank(layout.getValue().rank()),
      read(in.readBuffers({op.getA(), op.getB()})) {}

Value *KernelLowering::PlainDot::widen(Value *value, mlir::Type from) {
  if (isa<mlir::IntegerType>(from)) {
    return b.CreateSExt(value, in.registerType(wide));
  }
  return in.arithmetic->convertFloat(value, from, wide);
}

Registers KernelLowering::PlainDot::converted(ArrayRef<Value *> values,
                                              mlir::Type from, mlir::Type to) {
  Registers made;
  for (Value *value : values) {
    made.push_back(isa<mlir::FloatType>(element)
                       ? in.arithmetic->convertFloat(value, from, to)
                       : value);
  }
  return made;
}

/// One load for each row and each column that the thread has.
Value *KernelLowering::PlainDot::fetch(Operand &operand, unsigned reg) {
  const unsigned m = rank - 2, n = rank - 1;
  Coordinates key = layout.getValue().apply(Place{{reg, 0, 0, 0}});
  key[operand.isRow ? n : m] = 0;
  Value *&value = operand.known[key];
  if (!value) {
    SmallVector<Value *, 3> at;
    if (rank == 3) {
      at.push_back(in.coordinate(layout, reg, 0));
    }
    at.push_back(operand.isRow ? in.coordinate(layout, reg, m) : k);
    at.push_back(operand.isRow ? k : in.coordinate(layout, reg, n));
    mlir::Type from = operand.type.getElementType();
    Type *memory = in.arithmetic->memoryType(from);
    Value *address = b.CreateGEP(
        b.getInt8Ty(), operand.buffer.address,
        b.CreateZExt(in.sharedOffset(operand.type, at), b.getInt64Ty()));
    value = widen(b.CreateLoad(memory, address), from);
  }
  return value;
}

Registers KernelLowering::PlainDot::step(ArrayRef<PHINode *> sums) {
  Operand rows{cast<BufferType>(op.getA().getType()), read[0], true};
  Operand columns{cast<BufferType>(op.getB().getType()), read[1], false};
  Registers next;
  for (unsigned reg = 0; reg < sums.size(); ++reg) {
    Value *x = fetch(rows, reg);
    Value *y = fetch(columns, reg);
    next.push_back(isa<mlir::IntegerType>(wide)
                       ? b.CreateAdd(sums[reg], b.CreateMul(x, y))
                       : b.CreateIntrinsic(Intrinsic::fma, {x->getType()},
                                           {x, y, sums[reg]}));
  }
  return next;
}

void KernelLowering::PlainDot::run() {
  const int64_t depth = cast<BufferType>(op.getA().getType()).getShape().back();
  const Registers start = converted(in.tile(op.getAcc()), element, wide);
  BasicBlock *before = b.GetInsertBlock(), *body = in.block("dot"),
             *after = in.block("dot.after");
  b.CreateBr(body);
  b.SetInsertPoint(body);
  k = b.CreatePHI(b.getInt32Ty(), 2);
  k->addIncoming(b.getInt32(0), before);
  SmallVector<PHINode *> sums = in.phis(start);
  for (auto [sum, value] : llvm::zip_equal(sums, start)) {
    sum->addIncoming(value, before);
  }
  const Registers next = step(sums);
  Value *following = b.CreateAdd(k, b.getInt32(1));
  k->addIncoming(following, b.GetInsertBlock());
  for (auto [sum, value] : llvm::zip_equal(sums, next)) {
    sum->addIncoming(value, b.GetInsertBlock());
  }
  b.CreateCondBr(b.CreateICmpULT(following, b.getInt32(uint32_t(depth))), body,
                 after);
  b.SetInsertPoint(after);
  in.define(op.getResult(), converted(next, wide, element));
}

void KernelLowering::plainDot(DotOp op) { PlainDot(*this, op).run(); }

} // namespace tz::simt
