//===- Mma.cpp - dots by warps --------------------------------------------===//
//
// What   See Mma.h. PTX ISA 7.0 (8-bit floats 8.4), "Matrix Fragments for
//        mma.m16n8k16" and its neighbours.
// Why    See Mma.h.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/hooks/Mma.h"

#include "backends/nvidia/compiler/hooks/Words.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace tz::nvidia {

//===----------------------------------------------------------------------===//
// What fits
//===----------------------------------------------------------------------===//

namespace {
int64_t evenPart(int64_t value) { return value & -value; }

/// One form of the instruction. Its operands are words of 32 bits, or of 64.
/// Of a tile that is smaller, what is read of missing rows and columns is a
/// copy of those that are there. Lanes hold the copies too, registers do not.
struct Form {
  int64_t rows = 16, k;
  std::string types;         // ".f32.f16.f16.f32"
  int64_t bytes;             // of an element of A and B
  bool canTranspose = false; // ldmatrix can, on the way to registers

  bool isDouble() const { return bytes == 8; }
  /// Pieces of k of 16 bytes; a lane holds a word of each, of A for two rows.
  unsigned pieces() const { return isDouble() ? 1 : unsigned(k * bytes / 16); }
  unsigned aWords() const { return isDouble() ? 1 : 2 * pieces(); }
  unsigned bWords() const { return pieces(); }
  unsigned sums() const { return isDouble() ? 2 : 4; }

  int64_t m = 16, n = 8; // rows and columns that the tile has of it
  void cutTo(int64_t tileRows, int64_t tileColumns) {
    m = std::min(rows, tileRows);
    n = std::min<int64_t>(8, tileColumns);
  }
  bool isUpperHalf() const { return rows == 16 && m < 16; }
  /// Is one of sums() an element of the tile?
  bool isHeld(unsigned sum) const {
    return !(sum % 2 == 1 && n == 1) && !(sum / 2 == 1 && isUpperHalf());
  }
};

/// Is a dimension made of whole instructions, or a part of one?
bool divides(int64_t unit, int64_t extent) {
  return extent % unit == 0 ||
         (extent < unit && isPowerOf2_64(uint64_t(extent)));
}

std::optional<Form> formOf(mlir::Type a, mlir::Type b, mlir::Type acc,
                           tile::Precision precision, int64_t depth,
                           const ArchitectureFacts *architecture) {
  auto form = [&](int64_t k, int64_t bytes, const Twine &types,
                  bool canTranspose = false) -> std::optional<Form> {
    if (depth % k != 0) {
      return std::nullopt;
    }
    return Form{16, k, types.str(), bytes, canTranspose};
  };
  auto isFloat8 = [](mlir::Type type) {
    return isa<mlir::Float8E4M3FNType, mlir::Float8E5M2Type>(type);
  };
  if (isFloat8(a) && isFloat8(b)) {
    if (architecture && !architecture->hasFloat8Mma) {
      return std::nullopt;
    }
    auto name = [](mlir::Type type) {
      return isa<mlir::Float8E5M2Type>(type) ? "e5m2" : "e4m3";
    };
    return form(32, 1, Twine(".f32.") + name(a) + "." + name(b) + ".f32");
  }
  if (a != b) {
    return std::nullopt;
  }
  if (a.isF16() || a.isBF16()) {
    const StringRef name = a.isF16() ? "f16" : "bf16";
    return form(depth % 16 == 0 ? 16 : 8, 2,
                ".f32." + name + "." + name + ".f32", /*canTranspose=*/true);
  }
  if (a.isInteger(8) && acc.isInteger(32)) {
    return form(depth % 32 == 0 ? 32 : 16, 1, ".s32.s8.s8.s32");
  }
  if (a.isF32() && precision == tile::Precision::tf32) {
    return form(8, 4, ".f32.tf32.tf32.f32");
  }
  if (a.isF64()) {
    std::optional<Form> found = form(4, 8, ".f64.f64.f64.f64");
    if (found) {
      found->rows = 8;
    }
    return found;
  }
  return std::nullopt;
}

/// How the warps of a block share a tile.
struct Split {
  int64_t down, across;           // warps along rows and columns
  int64_t tilesDown, tilesAcross; // of one warp
};

/// What a warp reads of the operands is least when its part is square. Of equal
/// ones that with fewer warps across a row: what is computed of a row, before
/// the product or behind it, need not be told to other warps.
Split splitOf(int64_t rows, int64_t columns, int64_t warps, int64_t rowsOfOne) {
  const int64_t tilesDown = std::max<int64_t>(1, rows / rowsOfOne),
                tilesAcross = std::max<int64_t>(1, columns / 8);
  Split best{};
  int64_t bestCost = 0;
  for (int64_t down = 1; down <= std::min(warps, evenPart(tilesDown));
       down *= 2) {
    const int64_t across = std::min(warps / down, evenPart(tilesAcross));
    // All warps at work, then the fewest bytes.
    const int64_t cost = warps / (down * across) * (rows * columns) +
                         rows / down + columns / across;
    if (bestCost == 0 || cost <= bestCost) {
      bestCost = cost;
      best = {down, across, tilesDown / down, tilesAcross / across};
    }
  }
  return best;
}
} // namespace

std::optional<simt::DotChoice>
chooseMma(const simt::DotRequest &request,
          const ArchitectureFacts &architecture) {
  using simt::Axis;
  tile::DotOp dot = request.dot;
  ArrayRef<int64_t> shape = tile::shapeOf(dot.getType()),
                    aShape = tile::shapeOf(dot.getA().getType());
  const unsigned rank = unsigned(shape.size()), m = rank - 2, n = rank - 1;
  std::optional<Form> form = formOf(
      tile::elementType(dot.getA().getType()),
      tile::elementType(dot.getB().getType()), tile::elementType(dot.getType()),
      dot.getPrecision(), aShape.back(), &architecture);
  if (!form || !divides(form->rows, shape[m]) || !divides(8, shape[n])) {
    return std::nullopt;
  }
  form->cutTo(shape[m], shape[n]);
  // A sum of so few products is not one of this unit.
  if (form->bytes == 1 && dot.getMaxImprecise() > 0 &&
      int64_t(dot.getMaxImprecise()) < form->k) {
    return std::nullopt;
  }
  const Split split = splitOf(shape[m], shape[n], request.warps, form->rows);
  auto atomOf = [&](int64_t columns) {
    simt::Layout atom(rank);
    auto bit = [&](Axis axis, int64_t row, int64_t column) {
      const bool isThere = row < form->m && column < columns;
      if (axis == Axis::Register && !isThere) {
        return;
      }
      simt::Coordinates basis(rank, 0);
      basis[m] = isThere ? row : 0;
      basis[n] = isThere ? column : 0;
      atom.addBit(axis, basis);
    };
    bit(Axis::Register, 0, 1);
    bit(Axis::Register, 8, 0);
    for (int64_t column : {2, 4}) {
      bit(Axis::Lane, 0, column);
    }
    for (int64_t row : {1, 2, 4}) {
      bit(Axis::Lane, row, 0);
    }
    return atom;
  };
  auto tiled = [&](ArrayRef<int64_t> extents, int64_t columns, int64_t across) {
    return simt::tiledLayout(
        {atomOf(columns), extents, split.down, across, int64_t(request.warps)});
  };
  // `mn`: what a row may hold if k is not the fastest dimension.
  constexpr int64_t piece = 32; // bytes of eight words
  auto shared = [&](const simt::DotRequest::Operand &operand, unsigned k,
                    unsigned other, int64_t mn) -> simt::DotOperand {
    ArrayRef<unsigned> order = operand.order;
    SmallVector<unsigned, 3> chosen = {k, other};
    if (order[0] == other && form->bytes != 1 &&
        mn * form->bytes >= simt::SharedPiece) {
      chosen = {other, k};
    }
    if (rank == 3) {
      chosen.push_back(0);
    }
    const int64_t row = chosen[0] == k ? aShape.back() : mn;
    if (form->isDouble()) {
      return simt::SharedAttr::get(dot.getContext(), chosen, row, 0, 4, 3);
    }
    simt::SharedAttr usual =
        simt::swizzledShared(dot.getContext(), chosen, row, form->bytes);
    const int64_t rowBytes = usual.getPanel() * form->bytes;
    if (chosen[0] == k || form->bytes != 4 || !operand.isComputed ||
        rowBytes <= piece || !isPowerOf2_64(uint64_t(rowBytes))) {
      return usual;
    }
    // Lanes read single words of four rows, of each a piece of eight. No bulk
    // copy writes such pieces, but threads do.
    return simt::SharedAttr::get(dot.getContext(), chosen, usual.getPanel(),
                                 Log2_64(uint64_t(rowBytes / piece)),
                                 Log2_64(piece), 2);
  };
  // The columns of a warp begin in the middle of a row only at a power of two.
  const int64_t mine = shape[n] / split.across;
  const int64_t unit = isPowerOf2_64(uint64_t(mine)) ? shape[n] : mine;
  // Warps beside each other need the same rows: through shared memory they come
  // by matrices, else word by word, or each warp computes them.
  const bool isInRegisters =
      request.a.isComputed && form->bytes == 2 && split.across == 1;
  return simt::DotChoice{tiled(shape, form->n, split.across),
                         isInRegisters ? tiled(aShape, 8, 1)
                                       : shared(request.a, n, m, shape[m]),
                         shared(request.b, m, n, unit), MmaName.str()};
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

namespace {

constexpr unsigned SharedSpace = 3;

/// One operand in shared memory. An offset has a part that depends on the
/// thread, found once, and a constant one; their bits are disjoint, so that the
/// swizzle of the sum is the xor of their swizzles.
class Operand {
public:
  /// `mn` and `k`: dimensions of the buffer; `party`: where this warp's rows or
  /// columns begin; `mostTiles`: of all calls of load.
  Operand(IRBuilderBase &b, const Form &form, const simt::DotSource &source,
          unsigned mn, unsigned k, Value *lane, Value *party, bool isLeft,
          int64_t mostTiles);

  /// Words of `tiles` tiles beside each other from (mn, k) on: one or, of B,
  /// two. Steps of k come in order.
  SmallVector<Value *> load(int64_t batch, int64_t mn, int64_t k,
                            unsigned tiles);

private:
  SmallVector<Value *> loadMatrices(Value *at, unsigned words);
  Value *addressOf(int64_t batch, int64_t mn, int64_t k);

  IRBuilderBase &b;
  const Form &form;
  simt::BufferType type;
  int64_t panel, rowBytes, rows, batchRows, panelBytes;
  bool isKMajor, usesMatrices;
  bool isLeft;
  bool isHalf;                  // A's rows below the eighth are copies
  bool isDeep = false;          // two steps of k are loaded at once
  SmallVector<Value *> further; // words of the second one
  Value *address, *own;         // the thread's part of the offset
};

Operand::Operand(IRBuilderBase &b, const Form &form,
                 const simt::DotSource &source, unsigned mn, unsigned k,
                 Value *lane, Value *party, bool isLeft, int64_t mostTiles)
    : b(b), form(form), type(cast<simt::BufferType>(source.type)),
      isLeft(isLeft), isHalf(isLeft && form.isUpperHalf()) {
  const simt::SharedAttr how = type.getLayout();
  isKMajor = how.getOrder()[0] == k;
  panel = how.getPanel();
  rowBytes = panel * form.bytes;
  batchRows = type.getShape()[isKMajor ? mn : k];
  rows = batchRows * (type.getShape().size() == 3 ? type.getShape()[0] : 1);
  panelBytes = rows * rowBytes;
  usesMatrices = !form.isDouble() && (isKMajor || form.canTranspose);
  address = b.CreateAddrSpaceCast(source.address, b.getPtrTy(SharedSpace));

  auto c = [&](int64_t v) { return b.getInt32(uint32_t(v)); };
  auto bit = [&](unsigned i, int64_t worth) {
    return b.CreateMul(b.CreateAnd(b.CreateLShr(lane, i), 1), c(worth));
  };
  // Rows or columns of a matrix that are there: lanes of others read these.
  const int64_t extent = type.getShape()[mn],
                there = std::min<int64_t>(8, extent);
  Value *atMn = party, *atK = c(0);
  if (usesMatrices) {
    // A lane gives the address of a row of 16 bytes of one of four matrices.
    // Of A they go over rows first, of B over k, where there are two pieces.
    // Of eight rows or columns two steps of k are four matrices.
    const int64_t piece = 16 / form.bytes;
    const bool hasTwo = form.pieces() == 2;
    const unsigned mnBit = isLeft || !hasTwo ? 3 : 4,
                   kBit = isLeft && !isHalf ? 4 : 3;
    Value *row = b.CreateAnd(lane, isKMajor ? uint32_t(there - 1) : 7);
    isDeep = (isHalf || (!isLeft && mostTiles == 1)) && hasTwo &&
             type.getShape()[k] % (2 * form.k) == 0 &&
             (!isKMajor || panel % (2 * form.k) == 0);
    if (extent > 8 && !isDeep) {
      atMn = b.CreateAdd(atMn, bit(mnBit, 8));
    }
    if (hasTwo) {
      atK = bit(kBit, isKMajor ? piece : 8);
    }
    if (isDeep) {
      atK = b.CreateAdd(atK, bit(4, form.k));
    }
    (isKMajor ? atMn : atK) = b.CreateAdd(isKMajor ? atMn : atK, row);
  } else {
    atMn = b.CreateAdd(atMn,
                       b.CreateAnd(b.CreateLShr(lane, 2), uint32_t(there - 1)));
    atK = b.CreateAnd(lane, 3);
  }
  Value *fast = isKMajor ? atK : atMn, *row = isKMajor ? atMn : atK;
  own = b.CreateMul(b.CreateUDiv(fast, c(panel)), c(panelBytes));
  own = b.CreateAdd(own, b.CreateMul(row, c(rowBytes)));
  own = b.CreateAdd(own,
                    b.CreateMul(b.CreateURem(fast, c(panel)), c(form.bytes)));
  if (how.getBits() != 0) {
    const uint32_t mask = maskTrailingOnes<uint32_t>(how.getBits())
                          << how.getBase();
    own =
        b.CreateXor(own, b.CreateAnd(b.CreateLShr(own, how.getShift()), mask));
  }
}

Value *Operand::addressOf(int64_t batch, int64_t mn, int64_t k) {
  const simt::SharedAttr how = type.getLayout();
  const int64_t fast = isKMajor ? k : mn,
                row = (isKMajor ? mn : k) + batch * batchRows;
  const int64_t inRow = fast % panel * form.bytes;
  int64_t more = fast / panel * panelBytes + row * rowBytes;
  Value *offset = own;
  if (how.getBits() == 0) {
    more += inRow;
  } else {
    const int64_t mask = ((int64_t{1} << how.getBits()) - 1) << how.getBase();
    // Panels of fewer than eight rows are not multiples of what a swizzle
    // repeats after: it depends on the panel too.
    const int64_t changed = inRow ^ (more >> how.getShift() & mask);
    offset = b.CreateXor(offset, b.getInt32(uint32_t(changed)));
  }
  offset = b.CreateAdd(offset, b.getInt32(uint32_t(more)));
  return b.CreateGEP(b.getInt8Ty(), address,
                     b.CreateZExt(offset, b.getInt64Ty()));
}

SmallVector<Value *> Operand::load(int64_t batch, int64_t mn, int64_t k,
                                   unsigned tiles) {
  const unsigned words = (isLeft ? form.aWords() : form.bWords()) * tiles;
  SmallVector<Value *> result;
  if (!usesMatrices) {
    for (unsigned i = 0; i < words; ++i) {
      // Of A eight rows below, then four of k; of B four of k.
      const unsigned step = isLeft ? i / 2 : i % form.bWords();
      const int64_t below =
          isLeft ? (form.isUpperHalf() ? 0 : i % 2 * 8) : i / form.bWords() * 8;
      Type *word = form.isDouble() ? b.getDoubleTy() : b.getInt32Ty();
      result.push_back(
          b.CreateAlignedLoad(word, addressOf(batch, mn + below, k + step * 4),
                              Align(uint64_t(form.bytes))));
    }
    return result;
  }
  if (isDeep && k / form.k % 2 == 1) {
    return std::exchange(further, {});
  }
  const unsigned matrices = (isHalf ? words / 2 : words) * (isDeep ? 2 : 1);
  for (Value *word : loadMatrices(addressOf(batch, mn, k), matrices)) {
    result.append(isHalf ? 2 : 1, word);
  }
  if (isDeep) {
    further.assign(result.begin() + words, result.end());
    result.truncate(words);
  }
  return result;
}

SmallVector<Value *> Operand::loadMatrices(Value *at, unsigned words) {
  static constexpr Intrinsic::ID plain[] = {
      Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x1_b16,
      Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x2_b16,
      Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_b16};
  static constexpr Intrinsic::ID transposed[] = {
      Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x1_trans_b16,
      Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x2_trans_b16,
      Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_trans_b16};
  Value *loaded = b.CreateIntrinsic(
      (isKMajor ? plain : transposed)[Log2_32(words)], {at->getType()}, {at});
  SmallVector<Value *> result;
  for (unsigned i = 0; i < words; ++i) {
    result.push_back(words == 1 ? loaded : b.CreateExtractValue(loaded, i));
  }
  return result;
}

/// The sums of whole instructions: `held`, and others that nothing reads.
SmallVector<Value *> wholeSums(const Form &form, ArrayRef<Value *> held) {
  SmallVector<Value *> all;
  while (!held.empty()) {
    Type *type = held.front()->getType();
    for (unsigned i = 0; i < form.sums(); ++i) {
      all.push_back(form.isHeld(i) ? held.front()
                                   : Constant::getNullValue(type));
      held = held.drop_front(form.isHeld(i) ? 1 : 0);
    }
  }
  return all;
}

/// sums += a x b
void multiply(IRBuilderBase &b, const Form &form, ArrayRef<Value *> a,
              ArrayRef<Value *> bWords, MutableArrayRef<Value *> sums) {
  const char word = form.isDouble() ? 'd' : 'r';
  const char sum = form.isDouble()                   ? 'd'
                   : sums[0]->getType()->isFloatTy() ? 'f'
                                                     : 'r';
  std::string constraints;
  SmallVector<Value *> arguments;
  SmallVector<Type *> types, results;
  unsigned next = 0;
  auto list = [&](size_t count) {
    std::string text = "{";
    for (size_t i = 0; i < count; ++i) {
      text += (i ? ", $" : "$") + std::to_string(next++);
    }
    return text + "}";
  };
  for (Value *value : sums) {
    constraints += std::string(constraints.empty() ? "=" : ",=") + sum;
    results.push_back(value->getType());
  }
  auto add = [&](ArrayRef<Value *> values, char constraint) {
    for (Value *value : values) {
      constraints += std::string(",") + constraint;
      arguments.push_back(value);
      types.push_back(value->getType());
    }
  };
  add(a, word);
  add(bWords, word);
  add(sums, sum);
  std::string text = "mma.sync.aligned.m" + std::to_string(form.rows) + "n8k" +
                     std::to_string(form.k) + ".row.col" + form.types + " " +
                     list(sums.size());
  text += ", " + list(a.size());
  text += ", " + list(bWords.size());
  text += ", " + list(sums.size()) + ";";
  auto *assembly = InlineAsm::get(
      FunctionType::get(StructType::get(b.getContext(), results), types, false),
      text, constraints, /*hasSideEffects=*/false);
  CallInst *call = b.CreateCall(assembly, arguments);
  call->addFnAttr(Attribute::Convergent);
  call->setDoesNotAccessMemory();
  for (auto [i, value] : llvm::enumerate(sums)) {
    value = b.CreateExtractValue(call, unsigned(i));
  }
}
} // namespace

SmallVector<Value *> emitMma(IRBuilderBase &b, simt::DotOp op,
                             const simt::DotSource &a,
                             const simt::DotSource &rhs, ArrayRef<Value *> acc,
                             Value *thread) {
  auto bType = cast<simt::BufferType>(rhs.type);
  auto aBuffer = dyn_cast<simt::BufferType>(a.type);
  ArrayRef<int64_t> shape = tile::shapeOf(op.getType());
  const unsigned rank = unsigned(shape.size()), m = rank - 2, n = rank - 1;
  const int64_t depth = bType.getShape()[m];
  Form form =
      *formOf(aBuffer ? aBuffer.getElementType() : tile::elementType(a.type),
              bType.getElementType(), tile::elementType(op.getType()),
              op.getPrecision(), depth, nullptr);
  form.cutTo(shape[m], shape[n]);
  const int64_t warps = simt::layoutOf(op.getType()).size(simt::Axis::Warp);
  const Split split = splitOf(shape[m], shape[n], warps, form.rows);

  Value *lane = b.CreateAnd(thread, 31), *warp = b.CreateLShr(thread, 5);
  Value *down = b.CreateAnd(warp, uint32_t(split.down - 1));
  Value *across = b.CreateAnd(b.CreateLShr(warp, Log2_64(uint64_t(split.down))),
                              uint32_t(split.across - 1));
  std::optional<Operand> left;
  SmallVector<Value *> leftWords;
  if (aBuffer) {
    left.emplace(b, form, a, m, n, lane,
                 b.CreateMul(down, b.getInt32(uint32_t(form.rows))), true, 1);
  } else {
    for (Value *word : packed(b, a.registers)) {
      leftWords.append(form.isUpperHalf() ? 2 : 1, word);
    }
  }
  Operand right(
      b, form, rhs, n, m, lane,
      b.CreateMul(across, b.getInt32(uint32_t(split.tilesAcross * 8))), false,
      split.tilesAcross);

  const bool isHalf = tile::elementType(op.getType()).isF16();
  SmallVector<Value *> sums(acc);
  for (Value *&sum : sums) {
    sum = isHalf ? halfToFloat(b, sum) : sum;
  }
  sums = wholeSums(form, sums);
  const int64_t batches = rank == 3 ? shape[0] : 1;
  for (int64_t batch = 0; batch < batches; ++batch) {
    for (int64_t k = 0; k < depth; k += form.k) {
      SmallVector<SmallVector<Value *>> as, bs;
      for (int64_t i = 0; i < split.tilesDown; ++i) {
        if (left) {
          as.push_back(left->load(batch, i * split.down * form.rows, k, 1));
          continue;
        }
        const size_t perRow = size_t(depth * 2 / 8),
                     first = size_t(batch * split.tilesDown + i) * perRow +
                             size_t(k * 2 / 8);
        as.emplace_back(
            ArrayRef<Value *>(leftWords).slice(first, form.aWords()));
      }
      for (int64_t j = 0; j < split.tilesAcross;) {
        const unsigned tiles =
            form.isDouble() || j + 1 == split.tilesAcross ? 1 : 2;
        SmallVector<Value *> words = right.load(batch, j * 8, k, tiles);
        for (unsigned t = 0; t < tiles; ++t) {
          bs.emplace_back(
              ArrayRef<Value *>(words).slice(t * form.bWords(), form.bWords()));
        }
        j += tiles;
      }
      for (int64_t i = 0; i < split.tilesDown; ++i) {
        for (int64_t j = 0; j < split.tilesAcross; ++j) {
          const size_t at =
              size_t((batch * split.tilesDown + i) * split.tilesAcross + j) *
              form.sums();
          multiply(b, form, as[size_t(i)], bs[size_t(j)],
                   MutableArrayRef<Value *>(sums).slice(at, form.sums()));
        }
      }
    }
  }
  SmallVector<Value *> held;
  for (auto [i, sum] : llvm::enumerate(sums)) {
    if (form.isHeld(unsigned(i) % form.sums())) {
      held.push_back(isHalf ? floatToHalf(b, sum) : sum);
    }
  }
  return held;
}

} // namespace tz::nvidia
