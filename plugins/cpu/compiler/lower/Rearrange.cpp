//===- Rearrange.cpp - Ops that move elements -----------------------------===//
//
// What   reshape, cat, join, split to scalars, histogram.
// Why    Their results are laid out differently from their operands, so they
//        are roots: a nest over the operand writes the result.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/dot/EmitFor.h"
#include "plugins/cpu/compiler/lower/Nest.h"

using namespace llvm;

namespace tz::cpu {

/// The same bytes under another shape.
static Buffer as(Buffer buffer, ArrayRef<int64_t> shape) {
  buffer.shape.assign(shape.begin(), shape.end());
  return buffer;
}

void CpuLowering::reshapeOp(tile::ReshapeOp op) {
  Buffer result = allocateFor(op.getResult());
  materialiseInto(op.getSource(),
                  as(result, tile::shapeOf(op.getSource().getType())));
  define(op.getResult(), result);
}

void CpuLowering::catOp(tile::CatOp op) {
  Buffer result = allocateFor(op.getResult());
  const size_t along = static_cast<size_t>(op.getDim());
  int64_t from = 0;
  for (mlir::Value part : {op.getLhs(), op.getRhs()}) {
    ArrayRef<int64_t> shape = tile::shapeOf(part.getType());
    Nest nest(*this, shape, {part});
    nest.run([&](const Index &index) {
      Value *element = nest.eval(part, index);
      Index at = index;
      at.at[along] = nest.shifted(index.at[along], from);
      nest.storeTo(result, at, element);
    });
    from += shape[along];
  }
  define(op.getResult(), result);
}

void CpuLowering::joinOp(tile::JoinOp op) {
  Buffer result = allocateFor(op.getResult());
  ArrayRef<int64_t> shape = tile::shapeOf(op.getLhs().getType());
  Nest nest(*this, shape, {op.getLhs(), op.getRhs()});
  nest.run([&](const Index &index) {
    for (unsigned which = 0; which < 2; ++which) {
      Index at = index;
      at.at.push_back(b.getInt64(which));
      mlir::Value part = which ? op.getRhs() : op.getLhs();
      nest.storeTo(result, at, nest.eval(part, index));
    }
  });
  define(op.getResult(), result);
}

void CpuLowering::splitScalars(tile::SplitOp op) {
  Buffer source = materialise(op.getSource());
  Nest nest(*this, source.shape, {});
  Index index = nest.origin();
  scalars[op.getLhs()] = nest.loadFrom(source, index);
  index.at.back() = b.getInt64(1);
  scalars[op.getRhs()] = nest.loadFrom(source, index);
}

void CpuLowering::histogramOp(tile::HistogramOp op) {
  Buffer result = allocateFor(op.getResult());
  b.CreateMemSet(address(result), b.getInt8(0), result.bytes, Align(64));
  const uint64_t bins = static_cast<uint64_t>(result.shape[0]);
  Nest nest(*this, tile::shapeOf(op.getSource().getType()),
            {op.getSource(), op.getMask()}, /*vectors=*/false);
  nest.run([&](const Index &index) {
    Value *bin = nest.eval(op.getSource(), index);
    Value *wide = b.CreateSExt(bin, b.getInt64Ty());
    Value *counts = b.CreateICmpULT(wide, b.getInt64(bins));
    if (op.getMask()) {
      counts = b.CreateAnd(counts, nest.eval(op.getMask(), index));
    }
    // What is not counted adds zero to the first bin.
    Value *at =
        b.CreateInBoundsGEP(b.getInt32Ty(), address(result),
                            b.CreateSelect(counts, wide, b.getInt64(0)));
    Value *old = b.CreateLoad(b.getInt32Ty(), at);
    b.CreateStore(b.CreateAdd(old, b.CreateZExt(counts, b.getInt32Ty())), at);
  });
  define(op.getResult(), result);
}

} // namespace tz::cpu
