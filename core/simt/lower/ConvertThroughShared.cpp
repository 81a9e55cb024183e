//===- ConvertThroughShared.cpp - conversions by shared memory ------------===//
//
// What   A tile is written into rows of shared memory and read in another
//        layout. Where it would take more than an exchange may have there, it
//        is done in pieces, one after the other.
// Why    A tile in registers may be as large as all of shared memory: sums of
//        a product are, beside the operands of the next one.
//===----------------------------------------------------------------------===//
#include "core/simt/layout/SharedRows.h"
#include "core/simt/lower/KernelLowering.h"
#include "core/simt/lower/MatrixRows.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tz::simt {

namespace {

/// The bit of a register's index that alone decides this bit of a coordinate;
/// none: lanes or warps do, or it decides more.
std::optional<unsigned> registerOf(const Layout &layout, unsigned dim,
                                   int64_t value) {
  std::optional<unsigned> found;
  for (Axis axis : AllAxes) {
    if (!isPowerOf2_64(uint64_t(layout.size(axis)))) {
      return std::nullopt; // indices are no bits
    }
  }
  for (Axis axis : AllAxes) {
    for (unsigned bit = 0; (int64_t{1} << bit) < layout.size(axis); ++bit) {
      Place place;
      place[axis] = int64_t{1} << bit;
      const Coordinates at = layout.apply(place);
      if (!(at[dim] & value)) {
        continue;
      }
      const bool isAlone =
          axis == Axis::Register && at[dim] == value &&
          llvm::count_if(at, [](int64_t c) { return c != 0; }) == 1;
      if (found || !isAlone) {
        return std::nullopt;
      }
      found = bit;
    }
  }
  return found;
}

int64_t product(ArrayRef<int64_t> extents) {
  int64_t all = 1;
  for (int64_t extent : extents) {
    all *= extent;
  }
  return all;
}

/// A tile cut into pieces that are equal in both layouts: of each dimension its
/// upper bits, where registers alone decide them.
struct ExchangePieces {
  /// `most` bytes a piece, if it can be; 0: one piece.
  ExchangePieces(const Layout &from, const Layout &to, int64_t bytes,
                 uint64_t most)
      : shape(to.shape()) {
    // Fewer elements along the last dimension would narrow accesses.
    constexpr int64_t leastOfLast = 32;
    const auto last = unsigned(shape.size()) - 1;
    for (unsigned dim = 0; most != 0 && dim < shape.size();) {
      if (uint64_t(product(shape) * bytes) <= most) {
        return;
      }
      const int64_t half = shape[dim] / 2;
      const bool isEven = llvm::isPowerOf2_64(uint64_t(shape[dim])) &&
                          half >= (dim == last ? leastOfLast : 1);
      auto sent = isEven ? registerOf(from, dim, half) : std::nullopt,
           wanted = isEven ? registerOf(to, dim, half) : std::nullopt;
      if (!sent || !wanted) {
        ++dim;
        continue;
      }
      cuts.push_back({*sent, *wanted});
      inSource |= 1u << *sent;
      inTarget |= 1u << *wanted;
      shape[dim] = half;
    }
  }
  unsigned count() const { return 1u << cuts.size(); }
  /// The bits that a piece has of those of registers' indices.
  unsigned ofSource(unsigned piece) const {
    unsigned bits = 0;
    for (auto [i, cut] : llvm::enumerate(cuts)) {
      bits |= (piece >> i & 1) << cut.first;
    }
    return bits;
  }
  unsigned ofTarget(unsigned piece) const {
    unsigned bits = 0;
    for (auto [i, cut] : llvm::enumerate(cuts)) {
      bits |= (piece >> i & 1) << cut.second;
    }
    return bits;
  }

  Coordinates shape; // of a piece
  unsigned inSource = 0, inTarget = 0;

private:
  SmallVector<std::pair<unsigned, unsigned>> cuts; // bits of registers
};

} // namespace

/// Bytes that an exchange may take; 0: no limit is known.
uint64_t KernelLowering::mostToExchange() const {
  const uint64_t all = hooks.sharedBytes(), some = hooks.exchangeBytes();
  if (all == 0) {
    return some;
  }
  const uint64_t left = all - std::min(all - 1, scratch.top());
  return some == 0 ? left : std::min(some, left);
}

Registers KernelLowering::throughShared(ConvertOp op,
                                        ArrayRef<Value *> values) {
  LayoutAttr source = layoutAttr(op.getSource().getType()),
             target = layoutAttr(op.getType());
  const Layout &from = source.getValue(), &to = target.getValue();
  mlir::Type element = tile::elementType(op.getType());
  Type *memory = arithmetic->memoryType(element);
  const int64_t bytes = tile::storageBytes(element);
  const uint64_t most = mostToExchange();
  // What keeps rows apart takes up to an eighth more. A matrix store takes
  // registers of several rows, which may be in other pieces.
  const ExchangePieces pieces(from, to, bytes,
                              hooks.hasMatrixStore() ? 0 : most / 9 * 8);
  const auto last = unsigned(pieces.shape.size()) - 1;
  const bool isByMatrix =
      hooks.hasMatrixStore() && bytes == 2 && matrixRows(from, last);
  const SharedRows rows =
      rowsBetween(from, to,
                  {pieces.shape, bytes, int64_t(hooks.vectorBytes()),
                   most / uint64_t(bytes), isByMatrix || pieces.count() != 1});
  Region region = allocate(uint64_t(rows.elements * bytes));
  const int64_t run = rows.run;
  const auto reads =
      unsigned(std::min({to.contiguous(rows.fast), mostOfVector(bytes), run}));
  Type *type = reads == 1 ? memory : FixedVectorType::get(memory, reads);
  auto indexOf = [&](LayoutAttr layout, unsigned reg) {
    Value *index = b.getInt32(0);
    auto add = [&](Value *count, int64_t distance) {
      Value *more =
          b.CreateMul(count, b.getInt32(uint32_t(distance)), "", true, true);
      index = b.CreateAdd(index, more, "", true, true);
    };
    for (auto [dim, pitch] : llvm::enumerate(rows.pitches)) {
      add(coordinate(layout, reg, unsigned(dim)), pitch);
    }
    if (rows.more != 0) {
      const ThreadCoordinates &known = coordinatesOf(layout);
      const int64_t own = known.layout.apply(Place{{reg, 0, 0, 0}})[rows.dim];
      // What is the register's own is a constant of the address.
      add(own & known.threadBits[rows.dim]
              ? b.CreateLShr(coordinate(layout, reg, rows.dim), rows.shift)
              : b.CreateAdd(b.CreateLShr(known.start[rows.dim], rows.shift),
                            b.getInt32(uint32_t(own >> rows.shift)), "", true,
                            true),
          rows.more);
    }
    return index;
  };
  Registers registers(size_t(to.size(Axis::Register)), nullptr);
  for (unsigned piece = 0; piece < pieces.count(); ++piece) {
    const unsigned sent = pieces.ofSource(piece),
                   wanted = pieces.ofTarget(piece);
    auto place = [&](LayoutAttr layout, unsigned reg) {
      return scratchAt(region, indexOf(layout, reg), memory);
    };
    auto isOfAnother = [&](unsigned reg) {
      return (reg & pieces.inSource) != sent;
    };
    willWrite(region);
    writeTile(
        values, source, element, rows.fast, run,
        [&](LayoutAttr layout, unsigned reg) {
          return place(layout, reg - sent);
        },
        pieces.count() == 1 ? function_ref<bool(unsigned)>() : isOfAnother);
    willRead(region);
    for (unsigned reg = 0; reg < registers.size(); reg += reads) {
      if ((reg & pieces.inTarget) != wanted) {
        continue;
      }
      Value *loaded = b.CreateAlignedLoad(type, place(target, reg - wanted),
                                          Align(uint64_t(bytes) * reads));
      for (unsigned i = 0; i < reads; ++i) {
        Value *one = reads == 1 ? loaded : b.CreateExtractElement(loaded, i);
        registers[reg + i] = arithmetic->fromMemory(one, element);
      }
    }
  }
  scratch.release(region);
  return registers;
}

} // namespace tz::simt
