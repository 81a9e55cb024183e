//===- MatrixOperand.cpp - what a lane reads of an operand ----------------===//
//
// What   See MatrixOperand.h.
// Why    See MatrixOperand.h.
//===----------------------------------------------------------------------===//
#include "plugins/amd/compiler/hooks/MatrixOperand.h"

#include "plugins/amd/compiler/hooks/DirectCopies.h"

#include "terrazzo/simt/SimtTarget.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;

namespace tz::amd {

static constexpr StringRef NameStart = "matrix", OfSums = "_of_sums",
                           Tf32 = "_tf32";

std::string matrixName(unsigned side, bool ofSums, bool allowsTf32) {
  return (NameStart + Twine(side) + (allowsTf32 ? Tf32 : "") +
          (ofSums ? OfSums : ""))
      .str();
}

bool isOfSums(StringRef name) { return name.ends_with(OfSums); }
bool allowsTf32(StringRef name) { return name.contains(Tf32); }

unsigned sideOf(StringRef name) {
  unsigned side = 0;
  name.consume_front(NameStart);
  name.consume_back(OfSums);
  name.consume_back(Tf32);
  return name.getAsInteger(10, side) ? 0 : side;
}

unsigned pieceOf(const MatrixForm &form, int64_t elementBytes, int64_t depth) {
  unsigned piece = form.share;
  while (2 * piece * elementBytes <= simt::SharedPiece &&
         depth % (2 * piece * form.groups) == 0) {
    piece *= 2;
  }
  return piece;
}

Pieces piecesOf(const Machine &machine, const MatrixForm &form,
                int64_t elementBytes, int64_t depth, bool ofSums) {
  const unsigned plain = pieceOf(form, elementBytes, depth);
  if (!ofSums || machine.unit == MatrixUnit::wmma11 ||
      form.a == MatrixElement::f64) {
    return {plain, plain};
  }
  const unsigned run = machine.unit == MatrixUnit::wmma12 ? 8 : 4;
  return {std::max(run, form.share), run};
}

/// The same buffer without a swizzle.
static simt::BufferType withoutSwizzle(simt::BufferType buffer) {
  const simt::SharedAttr how = buffer.getLayout();
  auto plain = simt::SharedAttr::get(
      buffer.getContext(), how.getOrder(), how.getPanel(), 0, how.getBase(),
      how.getShift(), how.getPadding(), how.getEvery());
  return simt::BufferType::get(buffer.getContext(), buffer.getShape(),
                               buffer.getElementType(), plain);
}

/// Rows, along k or across it, are apart by the same number of bytes, and their
/// elements lie together: an offset is a sum over lane, wave and constant
/// place. With a swizzle, the part of it that is within a row is xor-ed by the
/// row.
MatrixOperand::MatrixOperand(IRBuilderBase &b,
                             lowering::Elementwise &arithmetic,
                             const simt::DotSource &source, const Facts &facts)
    : b(b), arithmetic(arithmetic), source(source), facts(facts) {
  auto buffer = dyn_cast<simt::BufferType>(source.type);
  element = buffer ? buffer.getElementType() : tile::elementType(source.type);
  bytes = tile::storageBytes(element);
  if (!buffer) {
    return;
  }
  const simt::SharedAttr how = buffer.getLayout();
  isAcross = how.getOrder()[0] == facts.along;
  simt::Coordinates second(buffer.getShape().size(), 0);
  second[isAcross ? facts.k : facts.along] = 1;
  const int64_t pitch = withoutSwizzle(buffer).getOffset(second);
  const unsigned side = facts.form.side, run = facts.pieces.run;
  auto times = [&](Value *value, int64_t factor) {
    return b.CreateMul(value, b.getInt32(uint32_t(factor)));
  };
  Value *inside = b.CreateAnd(facts.lane, side - 1),
        *group = b.CreateAnd(b.CreateUDiv(facts.lane, b.getInt32(side)),
                             facts.form.groups - 1);
  Value *row = nullptr, *column = nullptr; // of LDS
  if (isAcross) {
    row = b.CreateAdd(b.CreateAnd(b.CreateLShr(facts.lane, 2), 3),
                      times(group, run));
    column = b.CreateAdd(facts.begin,
                         b.CreateAdd(b.CreateAnd(inside, ~15u),
                                     times(b.CreateAnd(facts.lane, 3), 4)));
  } else {
    row = b.CreateAdd(facts.begin, inside);
    column = times(group, run);
  }
  own = b.CreateAdd(times(row, pitch), times(column, bytes));
  if (const unsigned panel = how.getPanel();
      isAcross && buffer.getShape()[facts.along] > panel) {
    simt::Coordinates next(buffer.getShape().size(), 0);
    next[facts.along] = panel;
    const int64_t more =
        withoutSwizzle(buffer).getOffset(next) - int64_t(panel) * bytes;
    own =
        b.CreateAdd(own, times(b.CreateUDiv(column, b.getInt32(panel)), more));
  }
  if (swizzle = maskTrailingOnes<uint32_t>(how.getBits()) << how.getBase();
      swizzle != 0) {
    // The rows of an instruction begin where the swizzle does.
    own = b.CreateXor(
        own,
        b.CreateAnd(b.CreateLShr(times(row, pitch), how.getShift()), swizzle));
  }
}

/// The lane's part and a constant place have no bit in common.
Value *MatrixOperand::addressOf(uint64_t offset) {
  Value *mine = own;
  if (uint32_t moved = uint32_t(offset) & swizzle) {
    mine = b.CreateXor(own, moved);
  }
  return b.CreateConstGEP1_64(b.getInt8Ty(),
                              b.CreateGEP(b.getInt8Ty(), source.address, mine),
                              offset & ~uint64_t(swizzle));
}

/// <run x i16> from LDS whose rows are across k. Of 16 lanes each points to
/// four columns of one of four rows, and gets one column: the four rows of it.
Value *MatrixOperand::loadAcross(int64_t at, int64_t k) {
  constexpr unsigned rows = 4;
  auto buffer = cast<simt::BufferType>(source.type);
  auto *type = FixedVectorType::get(b.getInt16Ty(), rows);
  SmallVector<Value *> parts;
  SmallVector<int> lanes;
  for (unsigned row = 0; row < facts.pieces.run; row += rows) {
    simt::Coordinates place(2, 0);
    place[facts.along] = at;
    place[facts.k] = k + row;
    CallInst *read =
        b.CreateIntrinsic(Intrinsic::amdgcn_ds_read_tr16_b64, {type},
                          {addressOf(uint64_t(buffer.getOffset(place)))});
    besideCopies(*read);
    parts.push_back(read);
    for (unsigned i = 0; i < rows; ++i) {
      lanes.push_back(int(row + i));
    }
  }
  return parts.size() == 1 ? parts[0]
                           : b.CreateShuffleVector(parts[0], parts[1], lanes);
}

/// <run x iN> from LDS
Value *MatrixOperand::load(int64_t batch, int64_t at, int64_t k) {
  if (isAcross) {
    return loadAcross(at, k);
  }
  const unsigned run = facts.pieces.run;
  auto buffer = cast<simt::BufferType>(source.type);
  simt::Coordinates place(buffer.getShape().size(), batch);
  place[facts.along] = at;
  place[facts.k] = k;
  Value *address = addressOf(uint64_t(withoutSwizzle(buffer).getOffset(place)));
  LoadInst *loaded = b.CreateAlignedLoad(
      FixedVectorType::get(b.getIntNTy(unsigned(8 * bytes)), run), address,
      Align(uint64_t(std::min(run * bytes, simt::SharedPiece))));
  besideCopies(*loaded);
  return loaded;
}

/// <elements x iN>
Value *MatrixOperand::piece(int64_t batch, int64_t at, int64_t tile,
                            int64_t k) {
  const auto [elements, run] = facts.pieces;
  if (own && elements == run) {
    return load(batch, at, k);
  }
  Type *one = b.getIntNTy(unsigned(8 * bytes));
  Value *vector = PoisonValue::get(FixedVectorType::get(one, elements));
  const int64_t first =
      tile * facts.depth / facts.form.groups + k / facts.form.groups;
  Value *loaded = nullptr;
  for (unsigned i = 0; i < elements; ++i) {
    if (own && i % run == 0) {
      loaded = load(batch, at, k + int64_t(i) * facts.form.groups);
    }
    Value *value =
        own ? b.CreateExtractElement(loaded, uint64_t(i % run))
            : b.CreateBitCast(source.registers[size_t(first + i)], one);
    vector = b.CreateInsertElement(vector, value, uint64_t(i));
  }
  return vector;
}

SmallVector<Value *> MatrixOperand::read(int64_t batch, int64_t at,
                                         int64_t tile, int64_t k) {
  const MatrixForm &form = facts.form;
  Value *whole = piece(batch, at, tile, k);
  if (isConverted(form, element)) {
    whole = arithmetic.convertFloat(
        whole, element, mlir::Float16Type::get(element.getContext()));
  }
  Type *word = !form.areFloats                 ? b.getIntNTy(form.wordBits)
               : form.wordBits == 64           ? b.getDoubleTy()
               : form.wordBits == 32           ? b.getFloatTy()
               : form.a == MatrixElement::bf16 ? b.getBFloatTy()
                                               : b.getHalfTy();
  Type *type =
      form.words == 1
          ? word
          : static_cast<Type *>(FixedVectorType::get(word, form.words));
  SmallVector<Value *> result;
  for (unsigned first = 0; first < facts.pieces.elements; first += form.share) {
    SmallVector<int> lanes;
    for (unsigned i = 0; i < form.share; ++i) {
      lanes.push_back(int(first + i));
    }
    result.push_back(
        b.CreateBitCast(b.CreateShuffleVector(whole, lanes), type));
  }
  return result;
}

} // namespace tz::amd
