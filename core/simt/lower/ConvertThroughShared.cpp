//===- ConvertThroughShared.cpp - conversions by shared memory ------------===//
//
// What   A tile is written into rows of shared memory and read in another
//        layout. Where it is larger than what a block may have there, a part
//        of its rows follows the other.
// Why    A tile in registers may be as large as all of shared memory: sums of
//        a product are, beside the operands of the next one.
//===----------------------------------------------------------------------===//
#include "core/simt/lower/KernelLowering.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tz::simt {

namespace {

/// How a tile lies in shared memory.
struct SharedRows {
  SmallVector<int64_t, 4> extents; // with what keeps rows apart
  int64_t parts = 1; // of the first dimension, one after the other

  int64_t count() const {
    int64_t all = 1;
    for (int64_t extent : extents) {
      all *= extent;
    }
    return all / parts;
  }
};

/// Rows that are apart by a vector, so that columns meet other banks. Of a tile
/// whose rows are short, several rows stay together.
SharedRows apartRows(ArrayRef<int64_t> shape, int64_t vector) {
  SharedRows rows{SmallVector<int64_t, 4>(shape)};
  if (shape.size() < 2) {
    return rows;
  }
  constexpr int64_t vectorsTogether = 8;
  size_t dim = shape.size() - 1;
  int64_t inner = 1;
  while (dim > 1 && shape[dim] * inner < vectorsTogether * vector) {
    inner *= shape[dim--];
  }
  rows.extents[dim] += divideCeil(vector, inner);
  return rows;
}

/// Do registers alone decide about these bits of the first coordinate?
bool isOfRegisters(const Layout &layout, int64_t bits) {
  for (Axis axis : {Axis::Lane, Axis::Warp, Axis::Block}) {
    const int64_t size = layout.size(axis);
    if (!isPowerOf2_64(uint64_t(size))) {
      return false;
    }
    for (int64_t index = 1; index < size; index *= 2) {
      Place place;
      place[axis] = index;
      if ((layout.apply(place)[0] & bits) != 0) {
        return false;
      }
    }
  }
  return true;
}

} // namespace

Registers KernelLowering::throughShared(ConvertOp op,
                                        ArrayRef<Value *> values) {
  const Layout &from = layoutOf(op.getSource()), &to = layoutOf(op.getResult());
  mlir::Type element = tile::elementType(op.getType());
  Type *memory = arithmetic->memoryType(element);
  const int64_t bytes = tile::storageBytes(element);
  ArrayRef<int64_t> shape = tile::shapeOf(op.getType());
  const unsigned last = unsigned(shape.size()) - 1;

  SharedRows rows = apartRows(shape, mostOfVector(bytes));
  auto fits = [&] {
    return hooks.sharedBytes() == 0 ||
           scratch.top() + uint64_t(rows.count() * bytes) <=
               hooks.sharedBytes();
  };
  if (!fits()) {
    rows.extents = SmallVector<int64_t, 4>(shape);
  }
  // A matrix store takes registers of several rows.
  const bool hasParts = isPowerOf2_64(uint64_t(shape[0])) && shape.size() > 1 &&
                        !hooks.hasMatrixStore();
  while (!fits() && hasParts && rows.parts < shape[0]) {
    const int64_t bits = shape[0] - shape[0] / (2 * rows.parts);
    if (!isOfRegisters(from, bits) || !isOfRegisters(to, bits)) {
      break;
    }
    rows.parts *= 2;
  }

  Region region = allocate(uint64_t(rows.count() * bytes));
  const int64_t run = rows.extents[last] & -rows.extents[last];
  LayoutAttr source = layoutAttr(op.getSource().getType()),
             target = layoutAttr(op.getType());
  const auto reads =
      unsigned(std::min({to.contiguous(last), mostOfVector(bytes), run}));
  Type *type = reads == 1 ? memory : FixedVectorType::get(memory, reads);
  auto partOf = [&](const Layout &layout, unsigned reg) {
    Place place;
    place[Axis::Register] = reg;
    return layout.apply(place)[0] * rows.parts / shape[0];
  };
  SmallVector<Value *> loaded(size_t(to.size(Axis::Register)));
  for (int64_t part = 0; part < rows.parts; ++part) {
    auto at = [&](LayoutAttr layout, unsigned reg) {
      Value *index = linearIndex(layout, reg, rows.extents);
      if (part != 0) {
        index = b.CreateSub(index, b.getInt32(uint32_t(part * rows.count())));
      }
      return scratchAt(region, index, memory);
    };
    willWrite(region);
    writeTile(values, source, element, last, run, at, [&](unsigned reg) {
      return rows.parts > 1 && partOf(from, reg) != part;
    });
    willRead(region);
    for (unsigned reg = 0; reg < loaded.size(); reg += reads) {
      if (rows.parts > 1 && partOf(to, reg) != part) {
        continue;
      }
      Value *vector = b.CreateAlignedLoad(type, at(target, reg),
                                          Align(uint64_t(bytes) * reads));
      for (unsigned i = 0; i < reads; ++i) {
        loaded[reg + i] =
            reads == 1 ? vector : b.CreateExtractElement(vector, i);
      }
    }
  }
  scratch.release(region);
  Registers registers;
  for (Value *one : loaded) {
    registers.push_back(arithmetic->fromMemory(one, element));
  }
  return registers;
}

} // namespace tz::simt
