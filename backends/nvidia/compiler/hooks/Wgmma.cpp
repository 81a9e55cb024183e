//===- Wgmma.cpp - dots by warp groups of sm_90a --------------------------===//
//
// What   See Wgmma.h. PTX ISA 8.0, "Asynchronous Warpgroup Level Matrix
//        Instructions".
// Why    See Wgmma.h.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/hooks/Wgmma.h"

#include "backends/nvidia/compiler/hooks/Words.h"

#include "mlir/IR/Matchers.h"

#include "llvm/IR/InlineAsm.h"

using namespace llvm;

namespace tz::nvidia {

//===----------------------------------------------------------------------===//
// What fits
//===----------------------------------------------------------------------===//

namespace {
constexpr int64_t RowsOfOne = 64, mostColumns = 256, Bytes = 32;

int64_t evenPart(int64_t value) { return value & -value; }

/// What the instruction calls an element; empty: it has none such.
StringRef nameOf(mlir::Type element, tile::Precision precision) {
  if (element.isF16()) {
    return "f16";
  }
  if (element.isBF16()) {
    return "bf16";
  }
  if (isa<mlir::Float8E4M3FNType>(element)) {
    return "e4m3";
  }
  if (isa<mlir::Float8E5M2Type>(element)) {
    return "e5m2";
  }
  if (element.isInteger(8)) {
    return "s8";
  }
  return element.isF32() && precision == tile::Precision::tf32 ? "tf32" : "";
}

/// Of other elements k must be the fastest dimension in shared memory.
bool hasBothOrders(mlir::Type element) {
  return element.isF16() || element.isBF16();
}
} // namespace

std::optional<WgmmaShape> fitWgmma(int64_t rows, int64_t columns,
                                   int64_t groups, bool areIntegers) {
  if (rows % RowsOfOne != 0 || columns % 8 != 0) {
    return std::nullopt;
  }
  auto exists = [&](int64_t n) {
    return n <= mostColumns && n % (areIntegers && n > 32 ? 16 : 8) == 0;
  };
  WgmmaShape shape;
  shape.down = std::min(groups, evenPart(rows / RowsOfOne));
  shape.across = std::min(groups / shape.down, evenPart(columns / 8));
  shape.tilesDown = rows / RowsOfOne / shape.down;
  const int64_t mine = columns / shape.across;
  shape.tiles = 1;
  while (mine % shape.tiles != 0 || !exists(mine / shape.tiles)) {
    ++shape.tiles;
  }
  shape.n = mine / shape.tiles;
  return shape;
}

std::optional<simt::DotChoice> chooseWgmma(const simt::DotRequest &request) {
  using simt::Axis;
  tile::DotOp dot = request.dot;
  mlir::Type a = tile::elementType(dot.getA().getType()),
             b = tile::elementType(dot.getB().getType()),
             acc = tile::elementType(dot.getType());
  ArrayRef<int64_t> shape = tile::shapeOf(dot.getType());
  if (shape.size() != 2 || request.warps % 4 != 0 ||
      nameOf(a, dot.getPrecision()).empty() ||
      nameOf(b, dot.getPrecision()).empty()) {
    return std::nullopt;
  }
  const int64_t bytes = tile::storageBytes(a);
  const int64_t depth = tile::shapeOf(dot.getA().getType())[1];
  // A sum of so few products is not one of this unit.
  if (bytes == 1 && dot.getMaxImprecise() > 0 &&
      int64_t(dot.getMaxImprecise()) < Bytes) {
    return std::nullopt;
  }
  std::optional<WgmmaShape> fit = fitWgmma(
      shape[0], shape[1], request.warps / 4, isa<mlir::IntegerType>(acc));
  if (!fit || depth * bytes % Bytes != 0) {
    return std::nullopt;
  }
  simt::Layout atom(2);
  atom.addBit(Axis::Register, {0, 1}).addBit(Axis::Register, {8, 0});
  atom.addBit(Axis::Lane, {0, 2}).addBit(Axis::Lane, {0, 4});
  for (int64_t row : {1, 2, 4}) {
    atom.addBit(Axis::Lane, {row, 0});
  }
  atom.addBit(Axis::Warp, {16, 0}).addBit(Axis::Warp, {32, 0});
  // A panel is not wider than what one instruction reads of it.
  auto shared = [&](ArrayRef<unsigned> order, unsigned k,
                    int64_t mn) -> simt::DotOperand {
    const unsigned kFirst[] = {k, 1 - k};
    if (!hasBothOrders(a)) {
      order = kFirst;
    }
    return simt::swizzledShared(dot.getContext(), order,
                                order[0] == k ? depth : mn, bytes);
  };
  auto tiled = [&](ArrayRef<int64_t> extents, int64_t across) {
    return simt::tiledLayout(
        {atom, extents, fit->down, across, int64_t(request.warps)});
  };
  // What is computed is in registers already: of an accumulator, and of what is
  // computed from it, the thread holds what it multiplies.
  const bool isInRegisters = request.a.isComputed && hasBothOrders(a);
  return simt::DotChoice{tiled(shape, fit->across),
                         isInRegisters ? tiled({shape[0], depth}, 1)
                                       : shared(request.a.order, 1, RowsOfOne),
                         shared(request.b.order, 0, fit->n), WgmmaName.str()};
}

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

WgmmaWindow::WgmmaWindow(simt::BufferType type, unsigned mn)
    : panel(type.getLayout().getPanel()),
      elementBytes(tile::storageBytes(type.getElementType())) {
  const unsigned fast = type.getLayout().getOrder()[0];
  kMajor = fast != mn;
  rows = type.getShape()[1 - fast];
  rowBytes = panel * elementBytes;
}

int64_t WgmmaWindow::offset(int64_t mn, int64_t k) const {
  const int64_t fast = kMajor ? k : mn, row = kMajor ? mn : k;
  return fast / panel * rows * rowBytes + row * rowBytes +
         fast % panel * elementBytes;
}

uint64_t WgmmaWindow::descriptor() const {
  // Eight rows, and panels, are apart by this, in units of 16 bytes.
  const auto eightRows = uint64_t(rowBytes * 8 / 16),
             nextPanel = uint64_t(rows * rowBytes / 16);
  uint64_t leading = nextPanel, stride = eightRows, mode = 0;
  switch (rowBytes) {
  case 128:
    mode = 1;
    break;
  case 64:
    mode = 2;
    break;
  case 32:
    mode = 3;
    break;
  default: // without a swizzle the two change places
    std::swap(leading, stride);
    break;
  }
  if (kMajor) {
    leading = 1; // not read: a row of the swizzle holds all of k
  }
  constexpr uint64_t field = (1 << 14) - 1;
  return (leading & field) << 16 | (stride & field) << 32 | mode << 62;
}

//===----------------------------------------------------------------------===//
// PTX
//===----------------------------------------------------------------------===//

namespace {
/// A descriptor whose address is `address` plus `more` bytes.
Value *descriptorAt(IRBuilderBase &b, const WgmmaWindow &window, Value *address,
                    Value *more) {
  constexpr unsigned sharedSpace = 3;
  Value *start = b.CreatePtrToInt(
      b.CreateAddrSpaceCast(address, b.getPtrTy(sharedSpace)), b.getInt32Ty());
  start = b.CreateAnd(b.CreateAdd(start, more), 0x3ffff);
  return b.CreateOr(b.CreateZExt(b.CreateLShr(start, 4), b.getInt64Ty()),
                    window.descriptor());
}

/// One statement of PTX: registers that come out of it, the values that they
/// have before, and what else it reads.
class Statement {
public:
  /// `before` has a value for each result, or none at all.
  Statement(ArrayRef<Type *> results, ArrayRef<Value *> before)
      : results(results) {
    ListSeparator comma(",");
    for (Type *type : results) {
      constraints += comma;
      constraints += type->isFloatTy() ? "=f" : "=r";
    }
    for (auto [i, value] : llvm::enumerate(before)) {
      take(value, std::to_string(i));
    }
  }
  /// Index of the operand.
  unsigned add(Value *value, char constraint) {
    take(value, std::string(1, constraint));
    return unsigned(results.size() + arguments.size() - 1);
  }
  SmallVector<Value *> emit(IRBuilderBase &b, const std::string &text) {
    Type *result = results.size() == 1
                       ? results[0]
                       : StructType::get(b.getContext(), results);
    auto *assembly = InlineAsm::get(FunctionType::get(result, types, false),
                                    text, constraints, /*hasSideEffects=*/true);
    CallInst *call = b.CreateCall(assembly, arguments);
    call->addFnAttr(Attribute::Convergent);
    SmallVector<Value *> values;
    for (unsigned i = 0; i < results.size(); ++i) {
      values.push_back(results.size() == 1 ? call
                                           : b.CreateExtractValue(call, i));
    }
    return values;
  }

private:
  void take(Value *value, const std::string &constraint) {
    constraints += "," + constraint;
    arguments.push_back(value);
    types.push_back(value->getType());
  }

  std::string constraints;
  SmallVector<Type *> results, types;
  SmallVector<Value *> arguments;
};

std::string registerList(unsigned first, unsigned count) {
  std::string text = "{";
  for (unsigned i = first; i < first + count; ++i) {
    text += (i == first ? "$" : ", $") + std::to_string(i);
  }
  return text + "}";
}

/// One dot of this warp group.
class Emitter {
public:
  Emitter(IRBuilderBase &b, simt::DotOp op, const simt::DotSource &a,
          const simt::DotSource &rhs, Value *group);

  /// The products of k in [from, to) added to `acc`; none: to zero.
  SmallVector<Value *> run(ArrayRef<Value *> acc, int64_t from, int64_t to,
                           bool waits);

  int64_t depth, kStep;
  unsigned registers; // of the accumulator

private:
  IRBuilderBase &b;
  mlir::Type aElement, bElement;
  bool areIntegers;
  WgmmaShape fit;
  std::string types;               // of the instruction
  std::optional<WgmmaWindow> left; // none: in registers
  SmallVector<Value *> leftWords;
  WgmmaWindow right;
  Value *leftStart = nullptr, *rightStart = nullptr;
};

Emitter::Emitter(IRBuilderBase &b, simt::DotOp op, const simt::DotSource &a,
                 const simt::DotSource &rhs, Value *group)
    : b(b), right(cast<simt::BufferType>(rhs.type), 1) {
  auto bType = cast<simt::BufferType>(rhs.type);
  auto aBuffer = dyn_cast<simt::BufferType>(a.type);
  aElement = aBuffer ? aBuffer.getElementType() : tile::elementType(a.type);
  bElement = bType.getElementType();
  mlir::Type acc = tile::elementType(op.getType());
  areIntegers = isa<mlir::IntegerType>(acc);
  depth = bType.getShape()[0];
  kStep = Bytes / tile::storageBytes(aElement);
  const simt::Layout &layout = simt::layoutOf(op.getType());
  registers = unsigned(layout.size(simt::Axis::Register));
  ArrayRef<int64_t> shape = tile::shapeOf(op.getType());
  fit = *fitWgmma(shape[0], shape[1], layout.size(simt::Axis::Warp) / 4,
                  areIntegers);
  types = (Twine(areIntegers ? ".s32." : ".f32.") +
           nameOf(aElement, op.getPrecision()) + "." +
           nameOf(bElement, op.getPrecision()))
              .str();

  auto offset = [&](int64_t bytes, Value *index) {
    return b.CreateMul(index, b.getInt32(uint32_t(bytes)));
  };
  if (aBuffer) {
    left.emplace(aBuffer, 0);
    Value *down = b.CreateAnd(group, uint32_t(fit.down - 1));
    leftStart = descriptorAt(b, *left, a.address,
                             offset(left->offset(RowsOfOne, 0), down));
  } else {
    leftWords = packed(b, a.registers);
  }
  Value *across = b.CreateAnd(b.CreateLShr(group, Log2_64(uint64_t(fit.down))),
                              uint32_t(fit.across - 1));
  rightStart = descriptorAt(b, right, rhs.address,
                            offset(right.offset(fit.n * fit.tiles, 0), across));
}

SmallVector<Value *> Emitter::run(ArrayRef<Value *> acc, int64_t from,
                                  int64_t to, bool waits) {
  Statement ptx(SmallVector<Type *>(registers, areIntegers ? b.getInt32Ty()
                                                           : b.getFloatTy()),
                acc);
  const unsigned rightIndex = ptx.add(rightStart, 'l');
  unsigned leftIndex = 0;
  if (left) {
    leftIndex = ptx.add(leftStart, 'l');
  } else {
    for (Value *word : leftWords) {
      unsigned index = ptx.add(word, 'r');
      leftIndex = leftIndex == 0 ? index : leftIndex;
    }
  }
  // Sums begin at zero where nothing is read of the accumulator.
  std::string text = "{\n.reg .pred %sum;\n.reg .b64 %left, %right;\n"
                     "wgmma.fence.sync.aligned;\n";
  auto sum = [&](bool isRead) {
    text += isRead ? "setp.eq.u32 %sum, 0, 0;\n" : "setp.ne.u32 %sum, 0, 0;\n";
  };
  auto descriptor = [&](StringRef name, unsigned start, int64_t bytes) {
    text += ("add.s64 " + name + ", $" + Twine(start) + ", " +
             Twine(bytes / 16) + ";\n")
                .str();
  };
  sum(!acc.empty());
  const auto perTile = unsigned(fit.n / 2);
  for (int64_t k = from; k < to; k += kStep) {
    if (k == from + kStep && acc.empty()) {
      sum(true);
    }
    for (int64_t i = 0; i < fit.tilesDown; ++i) {
      std::string a = "%left";
      if (left) {
        descriptor(a, leftIndex, left->offset(i * fit.down * RowsOfOne, k));
      } else {
        // Four words for each step of k.
        a = registerList(leftIndex + unsigned(i * depth + k) / 4, 4);
      }
      for (int64_t j = 0; j < fit.tiles; ++j) {
        descriptor("%right", rightIndex, right.offset(j * fit.n, k));
        text += "wgmma.mma_async.sync.aligned.m64n" + std::to_string(fit.n) +
                "k" + std::to_string(kStep) + types + " " +
                registerList(unsigned(i * fit.tiles + j) * perTile, perTile) +
                ", " + a + ", %right, %sum";
        text += areIntegers ? "" : ", 1, 1";
        if (hasBothOrders(aElement)) {
          text += !left ? "" : left->isKMajor() ? ", 0" : ", 1";
          text += right.isKMajor() ? ", 0" : ", 1";
        }
        text += ";\n";
      }
    }
  }
  text += "wgmma.commit_group.sync.aligned;\n";
  if (waits) {
    text += "wgmma.wait_group.sync.aligned 0;\n";
  }
  return ptx.emit(b, text + "}");
}
} // namespace

SmallVector<Value *> emitWgmma(IRBuilderBase &b, simt::DotOp op,
                               const simt::DotSource &a,
                               const simt::DotSource &rhs,
                               ArrayRef<Value *> acc, Value *group) {
  Emitter emitter(b, op, a, rhs, group);
  const bool isZero = mlir::matchPattern(op.getAcc(), mlir::m_AnyZeroFloat()) ||
                      mlir::matchPattern(op.getAcc(), mlir::m_Zero());
  SmallVector<Value *> sums(acc);
  const bool isHalf = tile::elementType(op.getType()).isF16();
  for (Value *&sum : sums) {
    sum = isHalf ? halfToFloat(b, sum) : sum;
  }
  if (op.getMaxImprecise() == 0) {
    sums = emitter.run(isZero ? ArrayRef<Value *>() : sums, 0, emitter.depth,
                       !op.getAsync());
  } else {
    // The unit keeps fewer bits of a sum than f32 has.
    const int64_t part = op.getMaxImprecise() / emitter.kStep * emitter.kStep;
    for (int64_t k = 0; k < emitter.depth; k += part) {
      SmallVector<Value *> some =
          emitter.run({}, k, std::min(k + part, emitter.depth), /*waits=*/true);
      for (auto [sum, more] : llvm::zip_equal(sums, some)) {
        sum = b.CreateFAdd(sum, more);
      }
    }
  }
  for (Value *&sum : sums) {
    sum = isHalf ? floatToHalf(b, sum) : sum;
  }
  return sums;
}

SmallVector<Value *> emitWgmmaWait(IRBuilderBase &b, unsigned pending,
                                   ArrayRef<Value *> values) {
  SmallVector<Type *> types;
  for (Value *value : values) {
    types.push_back(value->getType());
  }
  return Statement(types, values)
      .emit(b,
            "wgmma.wait_group.sync.aligned " + std::to_string(pending) + ";");
}

} // namespace tz::nvidia
