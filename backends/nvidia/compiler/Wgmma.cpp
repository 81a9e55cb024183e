//===- Wgmma.cpp - dots by warp groups of sm_90a --------------------------===//
//
// What   See Wgmma.h. PTX ISA 8.0, "Asynchronous Warpgroup Level Matrix
//        Instructions".
// Why    See Wgmma.h.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/Wgmma.h"

#include "mlir/IR/Matchers.h"

#include "llvm/IR/InlineAsm.h"

using namespace llvm;

namespace tz::nvidia {

//===----------------------------------------------------------------------===//
// What fits
//===----------------------------------------------------------------------===//

namespace {
constexpr int64_t rowsOfOne = 64, mostColumns = 256, kBytes = 32;

int64_t evenPart(int64_t value) { return value & -value; }
} // namespace

std::optional<WgmmaShape> fitWgmma(int64_t rows, int64_t columns,
                                   int64_t groups) {
  if (rows % rowsOfOne != 0 || columns % 8 != 0) {
    return std::nullopt;
  }
  WgmmaShape shape;
  shape.down = std::min(groups, evenPart(rows / rowsOfOne));
  shape.across = std::min(groups / shape.down, evenPart(columns / 8));
  shape.tilesDown = rows / rowsOfOne / shape.down;
  const int64_t mine = columns / shape.across;
  shape.tiles = 1;
  while (mine % (shape.tiles * 8) != 0 || mine / shape.tiles > mostColumns) {
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
  if (shape.size() != 2 || request.warps % 4 != 0 || a != b ||
      !(a.isF16() || a.isBF16()) || !acc.isF32()) {
    return std::nullopt;
  }
  const int64_t bytes = tile::storageBytes(a);
  const int64_t depth = tile::shapeOf(dot.getA().getType())[1];
  std::optional<WgmmaShape> fit =
      fitWgmma(shape[0], shape[1], request.warps / 4);
  if (!fit || depth * bytes % kBytes != 0) {
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
  auto shared = [&](ArrayRef<unsigned> order, unsigned k, int64_t mn) {
    return simt::swizzledShared(dot.getContext(), order,
                                order[0] == k ? depth : mn, bytes);
  };
  return simt::DotChoice{simt::tiledLayout({atom, shape, fit->down, fit->across,
                                            int64_t(request.warps)}),
                         shared(request.a.order, 1, rowsOfOne),
                         shared(request.b.order, 0, fit->n), wgmmaName.str()};
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

/// Registers that go in and come out changed, in one statement of PTX.
struct TiedRegisters {
  TiedRegisters(IRBuilderBase &b, ArrayRef<Value *> values, bool areRead) {
    for (unsigned i = 0; i < values.size(); ++i) {
      Type *type = values[i]->getType();
      results.push_back(type);
      constraints +=
          std::string(i ? "," : "") + "=" + (type->isFloatTy() ? "f" : "r");
    }
    for (unsigned i = 0; areRead && i < values.size(); ++i) {
      constraints += "," + std::to_string(i);
      arguments.push_back(values[i]);
      types.push_back(values[i]->getType());
    }
  }
  /// Index of the operand.
  unsigned add(Value *value, char constraint) {
    constraints += std::string(",") + constraint;
    arguments.push_back(value);
    types.push_back(value->getType());
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

StringRef nameOf(mlir::Type element) {
  return element.isF16() ? "f16" : "bf16";
}
} // namespace

SmallVector<Value *> emitWgmma(IRBuilderBase &b, simt::DotOp op,
                               const simt::DotSource &a,
                               const simt::DotSource &rhs,
                               ArrayRef<Value *> acc, Value *group) {
  ArrayRef<int64_t> shape = tile::shapeOf(op.getType());
  auto aType = cast<simt::BufferType>(a.type),
       bType = cast<simt::BufferType>(rhs.type);
  const auto groups = simt::layoutOf(op.getType()).size(simt::Axis::Warp) / 4;
  const WgmmaShape fit = *fitWgmma(shape[0], shape[1], groups);
  const WgmmaWindow left(aType, 0), right(bType, 1);
  const int64_t depth = aType.getShape()[1];
  const int64_t kStep = kBytes / tile::storageBytes(aType.getElementType());

  Value *down = b.CreateAnd(group, uint32_t(fit.down - 1));
  Value *across = b.CreateAnd(b.CreateLShr(group, Log2_64(uint64_t(fit.down))),
                              uint32_t(fit.across - 1));
  Value *aStart = descriptorAt(
      b, left, a.address,
      b.CreateMul(down, b.getInt32(uint32_t(left.offset(rowsOfOne, 0)))));
  Value *bStart = descriptorAt(
      b, right, rhs.address,
      b.CreateMul(across,
                  b.getInt32(uint32_t(right.offset(fit.n * fit.tiles, 0)))));

  // Nothing is read of an accumulator that is zero.
  const bool isZero = mlir::matchPattern(op.getAcc(), mlir::m_AnyZeroFloat());
  TiedRegisters registers(b, acc, !isZero);
  const std::string aIndex = std::to_string(registers.add(aStart, 'l')),
                    bIndex = std::to_string(registers.add(bStart, 'l'));
  const std::string types = (".f32." + nameOf(aType.getElementType()) + "." +
                             nameOf(bType.getElementType()))
                                .str();
  const auto perTile = unsigned(fit.n / 2);
  std::string text = "{\n.reg .pred %before;\n.reg .b64 %a, %b;\n"
                     "wgmma.fence.sync.aligned;\n";
  if (!isZero) {
    text += "setp.eq.u32 %before, 0, 0;\n";
  }
  for (int64_t k = 0; k < depth; k += kStep) {
    if (k == 0 && isZero) {
      text += "setp.ne.u32 %before, 0, 0;\n";
    } else if (k == kStep && isZero) {
      text += "setp.eq.u32 %before, 0, 0;\n";
    }
    for (int64_t i = 0; i < fit.tilesDown; ++i) {
      text += "add.s64 %a, $" + aIndex + ", " +
              std::to_string(left.offset(i * fit.down * rowsOfOne, k) / 16) +
              ";\n";
      for (int64_t j = 0; j < fit.tiles; ++j) {
        text += "add.s64 %b, $" + bIndex + ", " +
                std::to_string(right.offset(j * fit.n, k) / 16) + ";\n" +
                "wgmma.mma_async.sync.aligned.m64n" + std::to_string(fit.n) +
                "k" + std::to_string(kStep) + types + " " +
                registerList(unsigned(i * fit.tiles + j) * perTile, perTile) +
                ", %a, %b, %before, 1, 1, " + (left.isKMajor() ? "0" : "1") +
                ", " + (right.isKMajor() ? "0" : "1") + ";\n";
      }
    }
  }
  text += "wgmma.commit_group.sync.aligned;\n";
  if (!op.getAsync()) {
    text += "wgmma.wait_group.sync.aligned 0;\n";
  }
  return registers.emit(b, text + "}");
}

SmallVector<Value *> emitWgmmaWait(IRBuilderBase &b, unsigned pending,
                                   ArrayRef<Value *> values) {
  TiedRegisters registers(b, values, /*areRead=*/true);
  return registers.emit(b, "wgmma.wait_group.sync.aligned " +
                               std::to_string(pending) + ";");
}

} // namespace tz::nvidia
