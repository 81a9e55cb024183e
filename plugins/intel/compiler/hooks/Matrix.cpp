//===- Matrix.cpp - products by the matrix unit (DPAS) --------------------===//
//
// What   See Matrix.h.
// Why    See Matrix.h.
//===----------------------------------------------------------------------===//
#include "plugins/intel/compiler/hooks/Matrix.h"

#include "plugins/intel/compiler/hooks/EmulatedDpas.h"
#include "plugins/intel/compiler/hooks/SpirvHooks.h"

#include "llvm/IR/Module.h"

using namespace llvm;
using tz::simt::Axis;

namespace tz::intel {

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

std::optional<MatrixShape> matrixShape(const Machine &machine, mlir::Type a,
                                       mlir::Type b, mlir::Type acc,
                                       bool allowsTf32) {
  if (machine.matrixColumns == 0 || machine.matrixColumns != machine.lanes ||
      a != b) {
    return std::nullopt;
  }
  const unsigned columns = machine.matrixColumns;
  if (a.isBF16() && acc.isF32()) {
    return MatrixShape{columns, 16, 2, "bf16"};
  }
  if (a.isF16() && acc.isF32()) {
    return MatrixShape{columns, 16, 2, "f16"};
  }
  if (a.isInteger(8) && acc.isInteger(32)) {
    return MatrixShape{columns, 32, 1, "i8"};
  }
  if (a.isF32() && acc.isF32() && allowsTf32 && machine.hasTf32) {
    return MatrixShape{columns, 8, 4, "tf32"};
  }
  return std::nullopt;
}

std::optional<MatrixShape> matrixShape(const Machine &machine,
                                       tile::DotOp dot) {
  return matrixShape(machine, tile::elementType(dot.getA().getType()),
                     tile::elementType(dot.getB().getType()),
                     tile::elementType(dot.getAcc().getType()),
                     dot.getPrecision() == tile::Precision::tf32);
}

static void addBits(simt::Layout &layout, Axis axis, unsigned dim,
                    int64_t first, int64_t count) {
  for (int64_t step = first; step < first * count; step *= 2) {
    simt::Coordinates basis = {0, 0};
    basis[dim] = step;
    layout.addBit(axis, basis);
  }
}

simt::Layout leftAtom(const MatrixShape &shape) {
  simt::Layout atom(2);
  if (shape.isTf32()) {
    addBits(atom, Axis::Register, 0, 1, MatrixShape::Rows);
    atom.addBit(Axis::Lane, {0, 0});
    addBits(atom, Axis::Lane, 1, 1, shape.depth);
    return atom;
  }
  addBits(atom, Axis::Register, 1, 1, shape.share());
  addBits(atom, Axis::Register, 0, 1, MatrixShape::Rows);
  addBits(atom, Axis::Lane, 1, shape.share(), shape.columns);
  return atom;
}

simt::Layout rightAtom(const MatrixShape &shape) {
  simt::Layout atom(2);
  addBits(atom, Axis::Register, 0, 1, shape.depth);
  addBits(atom, Axis::Lane, 1, 1, shape.columns);
  return atom;
}

simt::Layout sumAtom(const MatrixShape &shape) {
  simt::Layout atom(2);
  addBits(atom, Axis::Register, 0, 1, MatrixShape::Rows);
  addBits(atom, Axis::Lane, 1, 1, shape.columns);
  return atom;
}

/// `dim`: the dimension that the parties share out by `parts`.
static simt::Layout operandLayout(simt::Layout layout, ArrayRef<int64_t> tile,
                                  const Parties &parties, unsigned dim) {
  const simt::Coordinates atom = layout.shape();
  auto left = [&](unsigned d) { return tile[d] / atom[d]; };
  const int64_t parts = dim == 0 ? parties.down : parties.across;
  layout.repeat(Axis::Register, 1, left(1) / (dim == 1 ? parts : 1));
  layout.repeat(Axis::Warp, dim == 0 ? std::optional(0u) : std::nullopt,
                parties.down);
  layout.repeat(Axis::Warp, dim == 1 ? std::optional(1u) : std::nullopt,
                parties.across);
  layout.repeat(Axis::Warp, std::nullopt,
                parties.warps / (parties.down * parties.across));
  layout.repeat(Axis::Register, 0, left(0) / (dim == 0 ? parts : 1));
  return layout;
}

simt::Layout leftLayout(const MatrixShape &shape, ArrayRef<int64_t> tile,
                        const Parties &parties) {
  return operandLayout(leftAtom(shape), tile, parties, 0);
}

simt::Layout rightLayout(const MatrixShape &shape, ArrayRef<int64_t> tile,
                         const Parties &parties) {
  return operandLayout(rightAtom(shape), tile, parties, 1);
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

namespace {

/// The bits of a float whose last 13 bits are rounded off, to even.
Value *roundToTf32(IRBuilderBase &b, const Machine &machine, Value *value) {
  Value *number = b.CreateBitCast(value, b.getFloatTy());
  if (!machine.emulates) {
    return callPure(b, "_Z25intel_convert_f32_to_tf32f", b.getInt32Ty(),
                    {number});
  }
  Value *bits = b.CreateBitCast(number, b.getInt32Ty());
  Value *odd = b.CreateAnd(b.CreateLShr(bits, 13), 1);
  Value *rounded = b.CreateAnd(
      b.CreateAdd(bits, b.CreateAdd(odd, b.getInt32(0xFFF))), 0xFFFFE000u);
  return b.CreateSelect(b.CreateFCmpUNO(number, number), b.getInt32(0x7FC00000),
                        rounded);
}

/// The elements of an operand that a lane needs, in the order of its layout's
/// registers: held, or read from local memory.
class Operand {
public:
  Operand(IRBuilderBase &b, const Machine &machine, const MatrixShape &shape,
          const simt::DotSource &source, simt::Layout layout, Value *thread)
      : b(b), machine(machine), shape(shape), source(source),
        layout(std::move(layout)), elementBytes(shape.elementBytes) {
    if (source.address) {
      begin = placeOf(thread, machine.lanes);
    }
  }

  /// So many elements from this register on, as numbers of so many bits.
  SmallVector<Value *> words(int64_t first, unsigned count, unsigned wordBits) {
    const unsigned bits = 8 * elementBytes, each = wordBits / bits;
    SmallVector<Value *> result;
    for (unsigned i = 0; i < count; i += each) {
      result.push_back(
          word(first + i, each, b.getIntNTy(bits), b.getIntNTy(wordBits)));
    }
    return result;
  }

  /// Of each element the half that is this lane's.
  SmallVector<Value *> halves(int64_t first, unsigned count, Value *thread) {
    Value *shift = b.CreateShl(b.CreateAnd(thread, 1), 4);
    SmallVector<Value *> result;
    for (unsigned i = 0; i < count; ++i) {
      Value *word = one(first + i, b.getInt32Ty());
      result.push_back(
          b.CreateTrunc(b.CreateLShr(word, shift), b.getInt16Ty()));
    }
    return result;
  }

private:
  Value *word(int64_t first, unsigned count, Type *element, Type *type) {
    if (count == 1) {
      return one(first, element);
    }
    if (source.address && areTogether(first, count)) {
      return b.CreateAlignedLoad(type, addressOf(first), Align(elementBytes));
    }
    Value *packed = nullptr;
    for (unsigned i = 0; i < count; ++i) {
      Value *part = b.CreateZExt(one(first + i, element), type);
      part = b.CreateShl(part, uint64_t(i * 8 * elementBytes));
      packed = packed ? b.CreateOr(packed, part) : part;
    }
    return packed;
  }
  Value *one(int64_t reg, Type *element) {
    Value *value = source.address ? b.CreateAlignedLoad(element, addressOf(reg),
                                                        Align(elementBytes))
                                  : source.registers[size_t(reg)];
    return shape.isTf32() ? roundToTf32(b, machine, value) : value;
  }
  simt::BufferType buffer() const {
    return cast<simt::BufferType>(source.type);
  }
  int64_t offsetOf(simt::Place place) const {
    return buffer().getOffset(layout.apply(place));
  }
  bool areTogether(int64_t first, unsigned count) const {
    for (unsigned i = 1; i < count; ++i) {
      if (offsetOf({{first + i, 0, 0, 0}}) !=
          offsetOf({{first, 0, 0, 0}}) + int64_t(i) * elementBytes) {
        return false;
      }
    }
    return true;
  }
  Value *addressOf(int64_t reg) {
    return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), begin,
                                        uint64_t(offsetOf({{reg, 0, 0, 0}})));
  }
  /// Where this thread's elements begin: rows are one panel, so an offset is a
  /// sum over lanes, warps and registers.
  Value *placeOf(Value *thread, unsigned lanes) {
    Value *offset = b.getInt32(0);
    unsigned bit = 0;
    for (Axis axis : {Axis::Lane, Axis::Warp}) {
      const int64_t size = axis == Axis::Lane ? lanes : layout.size(axis);
      for (int64_t step = 1; step < size; step *= 2, ++bit) {
        simt::Place place;
        place[axis] = step;
        if (const int64_t bytes = offsetOf(place)) {
          Value *isSet = b.CreateAnd(b.CreateLShr(thread, bit), 1);
          offset = b.CreateAdd(offset,
                               b.CreateMul(isSet, b.getInt32(uint32_t(bytes))));
        }
      }
    }
    return b.CreateGEP(b.getInt8Ty(), source.address,
                       b.CreateZExt(offset, b.getInt64Ty()));
  }

  IRBuilderBase &b;
  const Machine &machine;
  const MatrixShape &shape;
  const simt::DotSource &source;
  const simt::Layout layout;
  const unsigned elementBytes;
  Value *begin = nullptr;
};

Value *vectorOf(IRBuilderBase &b, ArrayRef<Value *> elements) {
  Value *vector = PoisonValue::get(FixedVectorType::get(
      elements.front()->getType(), unsigned(elements.size())));
  for (auto [i, one] : enumerate(elements)) {
    vector = b.CreateInsertElement(vector, one, uint64_t(i));
  }
  return vector;
}

/// The function's name as C++ mangles it: A comes as eight numbers of 16 or 32
/// bits, B as eight of 32, the sums as eight of theirs.
std::string mangled(const MatrixShape &shape) {
  const std::string name =
      ("intel_sub_group_" + shape.element + "_" + shape.element +
       "_matrix_mad_k" + Twine(shape.depth) + (shape.isTf32() ? "_f32" : ""))
          .str();
  const bool isNarrow = shape.leftBits() == 16, isFloat = shape.element != "i8";
  // What was named before is named by its number.
  const std::string left = isNarrow ? "Dv8_sDv8_i" : "Dv8_iS_";
  const std::string sums = isFloat ? "Dv8_f" : isNarrow ? "S0_" : "S_";
  return "_Z" + std::to_string(name.size()) + name + left + sums;
}

} // namespace

SmallVector<Value *> emitDpas(IRBuilderBase &b, const Machine &machine,
                              simt::DotOp op, const simt::DotSource &a,
                              const simt::DotSource &rhs, ArrayRef<Value *> acc,
                              Value *thread) {
  auto shapeOf = [](const simt::DotSource &source) {
    auto buffer = dyn_cast<simt::BufferType>(source.type);
    return buffer ? buffer.getShape() : tile::shapeOf(source.type);
  };
  auto elementOf = [](const simt::DotSource &source) {
    auto buffer = dyn_cast<simt::BufferType>(source.type);
    return buffer ? buffer.getElementType() : tile::elementType(source.type);
  };
  const MatrixShape shape = *matrixShape(machine, elementOf(a), elementOf(rhs),
                                         tile::elementType(op.getType()),
                                         /*allowsTf32=*/true);
  // How warps share the product out is read off the sums' layout.
  const simt::Layout &sums = simt::layoutOf(op.getType());
  Parties parties = {1, 1, sums.size(Axis::Warp)};
  for (int64_t warp = 1; warp < parties.warps; warp *= 2) {
    const simt::Coordinates at = sums.apply(simt::Place{{0, 0, warp, 0}});
    parties.down *= at[0] ? 2 : 1;
    parties.across *= at[1] ? 2 : 1;
  }
  const unsigned leftSize = shape.leftElements(), rightSize = shape.depth;
  Operand left(b, machine, shape, a, leftLayout(shape, shapeOf(a), parties),
               thread),
      right(b, machine, shape, rhs, rightLayout(shape, shapeOf(rhs), parties),
            thread);
  const int64_t steps = shapeOf(a)[1] / shape.depth,
                across = shapeOf(rhs)[1] / shape.columns / parties.across,
                down = int64_t(acc.size()) / MatrixShape::Rows / across;
  Type *sumType = FixedVectorType::get(acc.front()->getType(), 8);
  std::vector<Value *> values;
  for (int64_t i = 0; i < down * across; ++i) {
    values.push_back(vectorOf(b, acc.slice(size_t(8 * i), 8)));
  }
  for (int64_t k = 0; k < steps; ++k) {
    SmallVector<Value *> columns;
    for (int64_t n = 0; n < across; ++n) {
      columns.push_back(vectorOf(
          b, right.words((n + across * k) * rightSize, rightSize, 32)));
    }
    for (int64_t m = 0; m < down; ++m) {
      const int64_t first = (k + steps * m) * leftSize;
      Value *rows = vectorOf(
          b, shape.isTf32() ? left.halves(first, leftSize, thread)
                            : left.words(first, leftSize, shape.leftBits()));
      for (int64_t n = 0; n < across; ++n) {
        Value *&sum = values[size_t(n + across * m)];
        if (machine.emulates) {
          sum = callEmulatedDpas(b, shape, rows, columns[size_t(n)], sum);
          continue;
        }
        CallInst *call = callTogether(b, mangled(shape), sumType,
                                      {rows, columns[size_t(n)], sum});
        call->setDoesNotAccessMemory();
        call->addFnAttr(Attribute::WillReturn);
        sum = call;
      }
    }
  }
  SmallVector<Value *> result;
  for (Value *sum : values) {
    for (unsigned i = 0; i < MatrixShape::Rows; ++i) {
      result.push_back(b.CreateExtractElement(sum, uint64_t(i)));
    }
  }
  return result;
}

} // namespace tz::intel
