//===- MatrixProduct.cpp - products by the matrix unit --------------------===//
//
// What   See emitMatrix() in MatrixProduct.h.
// Why    See MatrixProduct.h.
//===----------------------------------------------------------------------===//
#include "plugins/amd/compiler/hooks/MatrixProduct.h"

#include "plugins/amd/compiler/hooks/MatrixOperand.h"

using namespace llvm;
using tz::simt::Axis;

namespace tz::amd {

namespace {

/// How a tile of sums is shared out: read off its layout.
struct Shares {
  Shares(IRBuilderBase &b, const simt::Layout &sums, ArrayRef<int64_t> shape,
         const MatrixForm &form, Value *thread, unsigned lanes)
      : row(b.getInt32(0)), column(b.getInt32(0)) {
    const unsigned m = unsigned(shape.size()) - 2, n = m + 1;
    Value *wave = b.CreateUDiv(thread, b.getInt32(lanes));
    int64_t across = 1;
    for (unsigned bit = 0; (int64_t{1} << bit) < sums.size(Axis::Warp); ++bit) {
      const simt::Coordinates at =
          sums.apply(simt::Place{{0, 0, int64_t{1} << bit, 0}});
      Value *isSet = b.CreateAnd(b.CreateLShr(wave, bit), 1);
      auto add = [&](Value *&to, int64_t step, int64_t &parties) {
        if (step) {
          to = b.CreateAdd(to, b.CreateMul(isSet, b.getInt32(uint32_t(step))));
          parties *= 2;
        }
      };
      add(row, at[m], down);
      add(column, at[n], across);
    }
    tilesDown = shape[m] / (form.side * down);
    tilesAcross = shape[n] / (form.side * across);
  }
  Value *row, *column; ///< where this wave's part begins
  int64_t down = 1, tilesDown = 0, tilesAcross = 0;
};

Value *multiply(IRBuilderBase &b, const MatrixForm &form, Value *a, Value *rhs,
                Value *sum) {
  Value *zero = b.getInt32(0);
  if (!form.isWave32) { // no broadcast, no permutation, no negation
    return b.CreateIntrinsic(form.intrinsic, {a, rhs, sum, zero, zero, zero});
  }
  SmallVector<Value *> operands = {a, rhs, sum};
  if (form.hasSigns) { // both are signed, and sums wrap
    operands = {b.getTrue(), a, b.getTrue(), rhs, sum, b.getFalse()};
  }
  return b.CreateIntrinsic(form.intrinsic, {sum->getType(), a->getType()},
                           operands);
}

/// The sums of each instruction as one vector, and back.
SmallVector<Value *> asVectors(IRBuilderBase &b, ArrayRef<Value *> values,
                               unsigned count) {
  SmallVector<Value *> vectors;
  for (size_t first = 0; first < values.size(); first += count) {
    Value *vector =
        PoisonValue::get(FixedVectorType::get(values[first]->getType(), count));
    for (unsigned i = 0; i < count; ++i) {
      vector = b.CreateInsertElement(vector, values[first + i], uint64_t(i));
    }
    vectors.push_back(vector);
  }
  return vectors;
}

mlir::Type elementOf(const simt::DotSource &source) {
  auto buffer = dyn_cast<simt::BufferType>(source.type);
  return buffer ? buffer.getElementType() : tile::elementType(source.type);
}

} // namespace

SmallVector<Value *> emitMatrix(IRBuilderBase &b, const Machine &machine,
                                lowering::Elementwise &arithmetic,
                                simt::DotOp op, const simt::DotSource &a,
                                const simt::DotSource &rhs,
                                ArrayRef<Value *> acc, Value *thread) {
  ArrayRef<int64_t> shape = tile::shapeOf(op.getType());
  const auto rank = unsigned(shape.size()), m = rank - 2, n = rank - 1;
  const int64_t depth = cast<simt::BufferType>(rhs.type).getShape()[m],
                batches = rank == 3 ? shape[0] : 1;
  mlir::Type sumType = tile::elementType(op.getType());
  const MatrixForm form =
      *matrixForm(machine, {elementOf(rhs), elementOf(a), sumType, depth,
                            sideOf(op.getInstruction().value_or("")),
                            allowsTf32(op.getInstruction().value_or(""))});
  const Shares shares(b, simt::layoutOf(op.getType()), shape, form, thread,
                      machine.lanes);
  Value *lane = b.CreateAnd(thread, machine.lanes - 1);
  const Pieces pieces =
      piecesOf(machine, form, tile::storageBytes(elementOf(rhs)), depth,
               isOfSums(op.getInstruction().value_or("")));
  MatrixOperand left(b, arithmetic, a,
                     {form, m, n, depth, pieces, lane, shares.row}),
      right(b, arithmetic, rhs,
            {form, n, m, depth, pieces, lane, shares.column});
  mlir::Type wide = mlir::Float32Type::get(op.getContext());
  SmallVector<Value *> values(acc);
  if (sumType.isF16()) {
    for (Value *&value : values) {
      value = arithmetic.convertFloat(value, sumType, wide);
    }
  }
  SmallVector<Value *> sums = asVectors(b, values, form.sums);
  const int64_t step = int64_t(form.groups) * pieces.elements;
  for (int64_t batch = 0; batch < batches; ++batch) {
    for (int64_t k = 0; k < depth; k += step) {
      std::vector<SmallVector<Value *>> rows, columns;
      for (int64_t i = 0; i < shares.tilesDown; ++i) {
        rows.push_back(left.read(batch, i * form.side * shares.down, i, k));
      }
      for (int64_t j = 0; j < shares.tilesAcross; ++j) {
        columns.push_back(right.read(batch, j * form.side, j, k));
      }
      for (size_t part = 0; part < rows[0].size(); ++part) {
        for (size_t i = 0; i < rows.size(); ++i) {
          for (size_t j = 0; j < columns.size(); ++j) {
            Value *&sum =
                sums[(size_t(batch) * rows.size() + i) * columns.size() + j];
            sum = multiply(b, form, columns[j][part], rows[i][part], sum);
          }
        }
      }
    }
  }
  SmallVector<Value *> result;
  for (Value *sum : sums) {
    for (unsigned i = 0; i < form.sums; ++i) {
      Value *value = b.CreateExtractElement(sum, uint64_t(i));
      result.push_back(sumType.isF16()
                           ? arithmetic.convertFloat(value, wide, sumType)
                           : value);
    }
  }
  return result;
}

} // namespace tz::amd
