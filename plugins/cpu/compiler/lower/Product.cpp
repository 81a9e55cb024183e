//===- Product.cpp - Matrix products --------------------------------------===//
//
// What   tile.dot: operands into the formats of the micro-kernels, accumulator
//        in the arena, batch by batch.
// Why    An operand that is a view of memory is packed straight from there; an
//        accumulator that is carried by a loop stays in its buffer.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/dot/EmitFor.h"
#include "plugins/cpu/compiler/lower/Nest.h"

using namespace llvm;
namespace arith = mlir::arith;

namespace tz::cpu {

namespace {

bool isZero(mlir::Value value) {
  mlir::Attribute known;
  if (auto splat = value.getDefiningOp<tile::SplatOp>()) {
    value = splat.getSource();
  }
  if (auto constant = value.getDefiningOp<arith::ConstantOp>()) {
    known = constant.getValue();
    if (auto dense = dyn_cast<mlir::SplatElementsAttr>(known)) {
      known = dense.getSplatValue<mlir::Attribute>();
    }
  }
  if (auto real = dyn_cast_or_null<mlir::FloatAttr>(known)) {
    return real.getValue().isPosZero();
  }
  auto integer = dyn_cast_or_null<mlir::IntegerAttr>(known);
  return integer && integer.getValue().isZero();
}

/// The type that the operand is packed from: 8-bit floats become f16 or, where
/// the exponents do not fit, f32.
mlir::Type packedFrom(mlir::Type element) {
  if (isa<mlir::FloatType>(element) && element.getIntOrFloatBitWidth() == 8) {
    return mlir::Float32Type::get(element.getContext());
  }
  return element;
}

DotInput inputOf(mlir::Operation *op, mlir::Type element) {
  if (element.isInteger(8)) {
    return DotInput::I8;
  }
  if (element.isF16()) {
    return DotInput::F16;
  }
  if (element.isBF16()) {
    return DotInput::BF16;
  }
  if (element.isF32()) {
    return DotInput::F32;
  }
  if (element.isF64()) {
    return DotInput::F64;
  }
  throw Unsupported(op->getLoc(), "a dot of this element type");
}

} // namespace

/// `value`, an operand of a dot, as a matrix somewhere in memory.
DotSource CpuLowering::dotSource(mlir::Value value, mlir::Type element,
                                 Value *batch) {
  auto type = cast<mlir::RankedTensorType>(value.getType());
  const size_t rank = static_cast<size_t>(type.getRank());
  DotSource source;
  source.type = inputOf(value.getDefiningOp() ? value.getDefiningOp()
                                              : kernel.getOperation(),
                        element);
  auto number = [&](int64_t v) { return b.getInt64(static_cast<uint64_t>(v)); };
  // Through a transpose of the matrix dimensions.
  mlir::Value from = value;
  bool transposed = false;
  while (!bufferOf(from) && plan.of(from).way == Way::Fused) {
    auto transpose = from.getDefiningOp<tile::TransposeOp>();
    if (!transpose) {
      break;
    }
    SmallVector<int64_t> swap(rank);
    std::iota(swap.begin(), swap.end(), int64_t{0});
    std::swap(swap[rank - 1], swap[rank - 2]);
    if (transpose.getOrder() != ArrayRef<int64_t>(swap)) {
      break;
    }
    transposed = !transposed;
    from = transpose.getSource();
  }
  auto load = from.getDefiningOp<tile::LoadViewOp>();
  // Packing reads on its own: checked code loads the operand before.
  const bool direct = load && !checked && !bufferOf(from) && rank == 2 &&
                      plan.of(from).way == Way::Fused &&
                      element == type.getElementType() &&
                      (!load.getOther() || isZero(load.getOther()));
  Type *memory = memoryType(element);
  if (direct) {
    const ViewParts &parts = view(load.getView());
    Value *first[2], *rest[2] = {};
    ArrayRef<bool> checked = load.getChecked();
    Value *base = parts.base, *negative = nullptr;
    for (size_t d = 0; d < 2; ++d) {
      first[d] = b.CreateAdd(parts.position[d], scalar(load.getOffsets()[d]));
      base = b.CreateGEP(memory, base, b.CreateMul(first[d], parts.strides[d]));
      if (checked[d]) {
        rest[d] = b.CreateBinaryIntrinsic(
            Intrinsic::smin, b.CreateSub(parts.shape[d], first[d]),
            number(type.getDimSize(transposed ? 1 - d : d)));
        Value *below = b.CreateICmpSLT(first[d], b.getInt64(0));
        negative = negative ? b.CreateOr(negative, below) : below;
      }
    }
    Value *strides[2] = {parts.strides[0], parts.strides[1]};
    if (negative) {
      // A block that begins before the tensor is copied first.
      Buffer copy = allocateTemporary(from.getType());
      Value *const columns = number(copy.strides()[0]), *const one = number(1);
      BasicBlock *before = b.GetInsertBlock();
      BasicBlock *slow = block("dot.copy"), *join = block("dot.pack");
      b.CreateCondBr(negative, slow, join);
      b.SetInsertPoint(slow);
      materialiseInto(from, copy);
      Value *copied = address(copy);
      BasicBlock *end = b.GetInsertBlock();
      b.CreateBr(join);
      b.SetInsertPoint(join);
      auto merge = [&](Value *fast, Value *other) -> Value * {
        if (fast == other) {
          return fast;
        }
        PHINode *phi = b.CreatePHI(fast->getType(), 2);
        phi->addIncoming(fast, before);
        phi->addIncoming(other, end);
        return phi;
      };
      base = merge(base, copied);
      strides[0] = merge(strides[0], strides[0] == one ? one : columns);
      // In the copy of a column-major view rows are contiguous all the same.
      strides[1] = merge(strides[1], one);
      for (size_t d = 0; d < 2; ++d) {
        if (rest[d]) {
          rest[d] = merge(rest[d], number(copy.shape[d]));
        }
      }
    }
    source.base = base;
    source.rowStride = strides[transposed ? 1 : 0];
    source.colStride = strides[transposed ? 0 : 1];
    source.validRows = rest[transposed ? 1 : 0];
    source.validCols = rest[transposed ? 0 : 1];
    return source;
  }
  const bool converted = element != type.getElementType();
  Buffer buffer;
  if (converted) {
    from = value;
    transposed = false;
    buffer = allocateTemporary(
        mlir::RankedTensorType::get(type.getShape(), element));
    Nest nest(*this, type.getShape(), {value});
    nest.run([&](const Index &index) {
      nest.storeTo(buffer, index,
                   convertFloat(nest.eval(value, index), type.getElementType(),
                                element));
    });
  } else {
    buffer = materialise(from);
  }
  source.base = address(buffer);
  const SmallVector<int64_t, 4> strides = buffer.strides();
  const int64_t columns = strides[rank - 2];
  if (batch) {
    source.base = b.CreateGEP(memory, source.base,
                              b.CreateMul(batch, number(strides[0])));
  }
  source.rowStride = number(transposed ? 1 : columns);
  source.colStride = number(transposed ? columns : 1);
  return source;
}

/// Rows of sums that are many bytes long, and a power of two, share few sets of
/// the first-level cache; and a tile register that is read would wait for one
/// that is being written, 4 KiB away. Tiles of such types get a line between
/// rows, unless an op takes the type's elements for one run.
void CpuLowering::findPaddedTypes() {
  constexpr int64_t least = 512;
  kernel.walk([&](tile::DotOp op) {
    auto typeA = cast<mlir::RankedTensorType>(op.getA().getType());
    auto sums = cast<mlir::RankedTensorType>(op.getAcc().getType());
    const bool isWide = sums.getElementTypeBitWidth() == 32;
    if (typeA.getRank() == 2 && isWide && sums.getDimSize(1) * 4 % least == 0 &&
        planDot(machine, inputOf(op, packedFrom(typeA.getElementType())),
                sums.getDimSize(0), sums.getDimSize(1), typeA.getDimSize(1))
            .tiles()) {
      paddedTypes.insert(sums);
    }
  });
  if (paddedTypes.empty()) {
    return;
  }
  kernel.walk([&](mlir::Operation *op) {
    auto constant = dyn_cast<arith::ConstantOp>(op);
    const bool isData = constant &&
                        isa<mlir::DenseElementsAttr>(constant.getValue()) &&
                        !isa<mlir::SplatElementsAttr>(constant.getValue());
    if (isData || isa<tile::ReshapeOp, tile::PrintOp>(op)) {
      for (mlir::Type type : op->getOperandTypes()) {
        paddedTypes.erase(type);
      }
      for (mlir::Type type : op->getResultTypes()) {
        paddedTypes.erase(type);
      }
    }
  });
}

void CpuLowering::dotOp(tile::DotOp op) {
  auto typeA = cast<mlir::RankedTensorType>(op.getA().getType());
  auto typeB = cast<mlir::RankedTensorType>(op.getB().getType());
  auto typeAcc = cast<mlir::RankedTensorType>(op.getAcc().getType());
  const unsigned rank = static_cast<unsigned>(typeA.getRank());
  const int64_t M = typeA.getDimSize(rank - 2), K = typeA.getDimSize(rank - 1),
                N = typeB.getDimSize(rank - 1);
  const int64_t batches = rank == 3 ? typeA.getDimSize(0) : 1;
  mlir::Type elementA = packedFrom(typeA.getElementType());
  mlir::Type elementB = packedFrom(typeB.getElementType());
  DotPlan dot = planDot(machine, inputOf(op, elementA), M, N, K);

  // The accumulator, in the type that the kernels add in.
  mlir::Type element = typeAcc.getElementType();
  const bool narrow = element.isF16() || element.isBF16();
  mlir::Type wideElement =
      narrow ? mlir::Float32Type::get(op.getContext()) : element;
  auto wideType = mlir::RankedTensorType::get(typeAcc.getShape(), wideElement);
  const bool fromZero = isZero(op.getAcc());
  Buffer acc;
  if (narrow) {
    acc = allocateTemporary(wideType);
    if (!fromZero) {
      Nest nest(*this, typeAcc.getShape(), {op.getAcc()});
      nest.run([&](const Index &index) {
        nest.storeTo(
            acc, index,
            convertFloat(nest.eval(op.getAcc(), index), element, wideElement));
      });
    }
  } else {
    acc = allocateFor(op.getResult());
    if (!fromZero) {
      materialiseInto(op.getAcc(), acc);
    }
  }

  auto multiply = [&](Value *batch) {
    auto number = [&](int64_t v) {
      return b.getInt64(static_cast<uint64_t>(v));
    };
    DotSource a = dotSource(op.getA(), elementA, batch);
    DotSource c = dotSource(op.getB(), elementB, batch);
    Value *packedA, *lda;
    // A row-major matrix of the packed type needs no packing.
    const auto *unit = dyn_cast<ConstantInt>(a.colStride);
    const bool same =
        (dot.kind == DotKind::FmaF32 && a.type == DotInput::F32) ||
        dot.kind == DotKind::FmaF64 || dot.kind == DotKind::PairBF16 ||
        dot.tiles();
    if (same && unit && unit->isOne() && !a.validRows && !a.validCols &&
        K == dot.paddedK && isa<ConstantInt>(a.rowStride)) {
      packedA = a.base;
      lda = a.rowStride;
    } else {
      packedA = arenaAddress(allocateBytes(dot.packedABytes));
      lda = number(dot.lda);
      emitPackA(b, dot, a, packedA);
    }
    Value *packedB = arenaAddress(allocateBytes(dot.packedBBytes));
    emitPackB(b, dot, c, packedB);
    Value *target = address(acc);
    if (batch) {
      target = b.CreateGEP(type(wideElement), target,
                           b.CreateMul(batch, number(M * N)));
    }
    emitDot(b, dot, packedA, lda, packedB, target,
            number(acc.strides()[rank - 2]), !fromZero);
  };
  if (rank == 2) {
    multiply(nullptr);
  } else {
    // What the operands need is computed once, before the loop over batches.
    for (mlir::Value operand : {op.getA(), op.getB()}) {
      keepWhatIsNeeded(operand);
    }
    emitFor(b, b.getInt64(0), b.getInt64(static_cast<uint64_t>(batches)), 1,
            multiply);
  }

  if (narrow) {
    Buffer result = allocateFor(op.getResult());
    Nest nest(*this, typeAcc.getShape(), {});
    nest.run([&](const Index &index) {
      nest.storeTo(
          result, index,
          convertFloat(nest.loadFrom(acc, index), wideElement, element));
    });
    define(op.getResult(), result);
  } else {
    define(op.getResult(), acc);
  }
}

} // namespace tz::cpu
