//===- SimtExchange.cpp - data that moves between threads -----------------===//
//
// What   Conversions of layouts: another order of registers, shuffles within a
//        warp, or shared memory; staged tiles; other shapes.
// Why    See terrazzo/simt/SimtLowering.h.
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/Vectors.h"
#include "core/simt/layout/Operations.h"
#include "core/simt/lower/KernelLowering.h"

using namespace llvm;

namespace tz::simt {

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

Value *KernelLowering::scratchAt(const Region &region, Value *index,
                                 Type *type) {
  Value *base =
      b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), shared, region.offset);
  return b.CreateGEP(type, base, b.CreateZExt(index, b.getInt64Ty()));
}

void KernelLowering::scratchStore(const Region &region, Value *index,
                                  Value *value, mlir::Type element,
                                  Value *predicate) {
  auto put = [&] {
    b.CreateStore(arithmetic->toMemory(value, element),
                  scratchAt(region, index, arithmetic->memoryType(element)));
  };
  if (predicate) {
    emitIf(predicate, put);
  } else {
    put();
  }
}

Value *KernelLowering::scratchLoad(const Region &region, Value *index,
                                   mlir::Type element) {
  Type *memory = arithmetic->memoryType(element);
  return arithmetic->fromMemory(
      b.CreateLoad(memory, scratchAt(region, index, memory)), element);
}

Value *KernelLowering::sharedOffset(BufferType type,
                                    ArrayRef<Value *> coordinates) {
  SharedAttr how = type.getLayout();
  ArrayRef<unsigned> order = how.getOrder();
  ArrayRef<int64_t> shape = type.getShape();
  auto c = [&](int64_t v) { return b.getInt32(uint32_t(v)); };
  // Rows of one panel, then the next panel.
  Value *row = c(0);
  int64_t rows = 1;
  for (size_t i = order.size(); i-- > 1;) {
    row = b.CreateAdd(b.CreateMul(row, c(shape[order[i]])),
                      coordinates[order[i]]);
    rows *= shape[order[i]];
  }
  Value *fast = coordinates[order[0]];
  if (how.getPanel() != shape[order[0]]) {
    Value *panel = b.CreateUDiv(fast, c(how.getPanel()));
    fast = b.CreateURem(fast, c(how.getPanel()));
    row = b.CreateAdd(row, b.CreateMul(panel, c(rows)));
  }
  Value *offset = b.CreateAdd(b.CreateMul(row, c(how.getPanel())), fast);
  offset = b.CreateMul(offset, c(tile::storageBytes(type.getElementType())));
  if (how.getBits() != 0) {
    const uint32_t mask = maskTrailingOnes<uint32_t>(how.getBits())
                          << how.getBase();
    offset = b.CreateXor(
        offset, b.CreateAnd(b.CreateLShr(offset, how.getShift()), mask));
  }
  if (how.getPadding() != 0) {
    Value *before =
        b.CreateLShr(offset, c(int64_t(Log2_64(uint64_t(how.getEvery())))));
    offset = b.CreateAdd(offset, b.CreateMul(before, c(how.getPadding())));
  }
  return offset;
}

SmallVector<Buffer, 2>
KernelLowering::readBuffers(ArrayRef<mlir::Value> values) {
  SmallVector<Buffer, 2> read;
  Accesses staged, slots;
  for (mlir::Value value : values) {
    read.push_back(buffers.find(value)->second);
    Accesses &accesses = read.back().isSlot ? slots : staged;
    accesses.add(Accesses::read(read.back().region));
  }
  willAccess(staged);
  hazards.note(slots); // for who uses the ring's space later
  return read;
}

Value *KernelLowering::bufferAt(const Buffer &buffer, BufferType type,
                                LayoutAttr layout, unsigned reg) {
  SmallVector<Value *, 4> at;
  for (unsigned dim = 0; dim < layout.getValue().rank(); ++dim) {
    at.push_back(coordinate(layout, reg, dim));
  }
  return b.CreateGEP(b.getInt8Ty(), buffer.address,
                     b.CreateZExt(sharedOffset(type, at), b.getInt64Ty()));
}

void KernelLowering::stage(StageOp op) {
  BufferType type = op.getResult().getType();
  Buffer buffer;
  buffer.region = allocate(uint64_t(type.getBytes()),
                           uint64_t(hooks.sharedAlignment(type)));
  buffer.address =
      b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), shared, buffer.region.offset);
  willWrite(buffer.region);
  writeBuffer(tile(op.getSource()), layoutAttr(op.getSource().getType()),
              buffer, type);
  buffers[op.getResult()] = buffer;
  hazards.isUnpublished |= isPublished(op);
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// Within each thread: every wanted element is in one of its registers.
std::optional<Registers> KernelLowering::permuted(const Layout &from,
                                                  const Layout &to,
                                                  ArrayRef<Value *> values) {
  std::optional<SmallVector<unsigned>> registers = registersWithin(from, to);
  if (!registers) {
    return std::nullopt;
  }
  Registers result;
  for (unsigned reg : *registers) {
    result.push_back(values[reg]);
  }
  return result;
}

/// Words of 32 bits, one after the other, through `exchange`.
Value *KernelLowering::byWords(Value *value,
                               function_ref<Value *(Value *)> exchange) {
  Type *type = value->getType();
  Type *word = b.getInt32Ty();
  if (type->isPointerTy()) {
    Value *bits = byWords(b.CreatePtrToInt(value, b.getInt64Ty()), exchange);
    return b.CreateIntToPtr(bits, type);
  }
  const unsigned width = type->getScalarSizeInBits();
  if (width < 32) {
    Value *bits = b.CreateBitCast(value, b.getIntNTy(width));
    bits = b.CreateTrunc(exchange(b.CreateZExt(bits, word)), bits->getType());
    return b.CreateBitCast(bits, type);
  }
  if (width == 32) {
    return b.CreateBitCast(exchange(b.CreateBitCast(value, word)), type);
  }
  Value *bits = b.CreateBitCast(value, b.getInt64Ty());
  Value *low = exchange(b.CreateTrunc(bits, word));
  Value *high = exchange(b.CreateTrunc(b.CreateLShr(bits, 32), word));
  bits = b.CreateOr(b.CreateZExt(low, b.getInt64Ty()),
                    b.CreateShl(b.CreateZExt(high, b.getInt64Ty()), 32));
  return b.CreateBitCast(bits, type);
}

Value *KernelLowering::shuffleAny(Value *value, Value *fromLane) {
  return byWords(value,
                 [&](Value *word) { return hooks.shuffle(b, word, fromLane); });
}

Value *KernelLowering::shuffleXorAny(Value *value, unsigned mask) {
  return byWords(value,
                 [&](Value *word) { return hooks.shuffleXor(b, word, mask); });
}

namespace {
/// For each bit of an index of the new layout, where the old one holds what the
/// bit adds: all within the warp.
struct WarpMap {
  SmallVector<Place> fromRegister, fromLane, fromWarp;
};

std::optional<WarpMap> mapWithinWarp(const Layout &from, const Layout &to) {
  if (!from.isLinear() || !to.isLinear() ||
      from.atomShape() != to.atomShape() ||
      from.bases(Axis::Warp).size() != to.bases(Axis::Warp).size() ||
      from.bases(Axis::Lane).size() != to.bases(Axis::Lane).size() ||
      !from.bases(Axis::Block).empty() || !to.bases(Axis::Block).empty()) {
    return std::nullopt;
  }
  auto units = from.unitOwners();
  auto isZero = [](const Coordinates &basis) {
    return llvm::all_of(basis, [](int64_t c) { return c == 0; });
  };
  WarpMap map;
  auto find = [&](Axis axis, SmallVector<Place> &places) {
    for (auto [i, basis] : llvm::enumerate(to.bases(axis))) {
      Place place;
      for (unsigned dim = 0; dim < from.rank(); ++dim) {
        for (size_t bit = 0; bit < units[dim].size(); ++bit) {
          if (basis[dim] >> bit & 1) {
            for (Axis each : AllAxes) {
              place[each] ^= units[dim][bit][each];
            }
          }
        }
      }
      // Where the old layout has copies, each thread takes its own.
      if (axis != Axis::Register && isZero(from.bases(axis)[i])) {
        place[axis] ^= int64_t{1} << i;
      }
      int64_t wanted = axis == Axis::Warp ? int64_t{1} << i : 0;
      if (place[Axis::Warp] != wanted) {
        return false;
      }
      places.push_back(place);
    }
    return true;
  };
  if (!find(Axis::Register, map.fromRegister) ||
      !find(Axis::Lane, map.fromLane) || !find(Axis::Warp, map.fromWarp)) {
    return std::nullopt;
  }
  return map;
}
} // namespace

std::optional<Registers> KernelLowering::shuffled(const Layout &from,
                                                  const Layout &to,
                                                  ArrayRef<Value *> values) {
  std::optional<WarpMap> map = mapWithinWarp(from, to);
  if (!map) {
    return std::nullopt;
  }
  // Which register the source lane sends may depend on the lane that asks: then
  // all that any lane asks for are sent, and each lane chooses.
  SmallVector<std::pair<Value *, int64_t>>
      choices; // bit of the asker, registers
  for (auto [index, places] :
       {std::pair(lane, ArrayRef<Place>(map->fromLane)),
        std::pair(warp, ArrayRef<Place>(map->fromWarp))}) {
    for (auto [i, place] : llvm::enumerate(places)) {
      if (place[Axis::Register] != 0) {
        choices.push_back(
            {b.CreateAnd(b.CreateLShr(index, i), 1), place[Axis::Register]});
      }
    }
  }
  const int64_t count = to.size(Axis::Register);
  const unsigned words =
      values[0]->getType()->isPointerTy()
          ? 2
          : std::max(1u, values[0]->getType()->getScalarSizeInBits() / 32);
  // A shuffle costs what an access of shared memory does, which takes more at
  // once and needs no choice: it is dearer by the barriers alone.
  const int64_t most = choices.empty() ? 64 : 16;
  if (choices.size() > 2 || (count << choices.size()) * words > most) {
    return std::nullopt;
  }
  Value *laneBase = b.getInt32(0);
  for (auto [index, places] :
       {std::pair(lane, ArrayRef<Place>(map->fromLane)),
        std::pair(warp, ArrayRef<Place>(map->fromWarp))}) {
    SmallVector<Coordinates> bases;
    for (const Place &place : places) {
      bases.push_back({place[Axis::Lane]});
    }
    if (Value *part = bitsOf(index, bases, 0)) {
      laneBase = b.CreateXor(laneBase, part);
    }
  }
  Registers result;
  for (int64_t reg = 0; reg < count; ++reg) {
    int64_t source = 0, otherLane = 0;
    for (auto [i, place] : llvm::enumerate(map->fromRegister)) {
      if (reg >> i & 1) {
        source ^= place[Axis::Register];
        otherLane ^= place[Axis::Lane];
      }
    }
    Value *asked = b.CreateXor(laneBase, b.getInt32(uint32_t(otherLane)));
    Value *got = nullptr;
    for (unsigned choice = 0; choice < 1u << choices.size(); ++choice) {
      int64_t sent = source;
      Value *isMine = b.getTrue();
      for (auto [i, one] : llvm::enumerate(choices)) {
        bool isSet = choice >> i & 1;
        sent ^= isSet ? one.second : 0;
        isMine = b.CreateAnd(
            isMine, b.CreateICmpEQ(one.first, b.getInt32(isSet ? 1 : 0)));
      }
      Value *value = shuffleAny(values[size_t(sent)], asked);
      got = got ? b.CreateSelect(isMine, value, got) : value;
    }
    result.push_back(got);
  }
  return result;
}

void KernelLowering::convert(ConvertOp op) {
  const Layout &from = layoutOf(op.getSource());
  const Layout &to = layoutOf(op.getResult());
  const Registers values = tile(op.getSource());
  if (auto registers = permuted(from, to, values)) {
    define(op.getResult(), std::move(*registers));
    return;
  }
  if (auto registers = shuffled(from, to, values)) {
    define(op.getResult(), std::move(*registers));
    return;
  }
  define(op.getResult(), throughShared(op, values));
}

Registers KernelLowering::fromOwners(LayoutAttr attribute, mlir::Type element,
                                     ArrayRef<int64_t> shape,
                                     ArrayRef<Value *> values) {
  Value *owner = coordinatesOf(attribute).isOwner;
  int64_t count = 1;
  for (int64_t extent : shape) {
    count *= extent;
  }
  Region region = allocate(uint64_t(count * tile::storageBytes(element)));
  willWrite(region);
  auto put = [&] {
    for (unsigned reg = 0; reg < values.size(); ++reg) {
      scratchStore(region, linearIndex(attribute, reg, shape), values[reg],
                   element);
    }
  };
  if (owner) {
    emitIf(owner, put);
  } else {
    put();
  }
  willRead(region);
  Registers registers;
  for (unsigned reg = 0; reg < values.size(); ++reg) {
    registers.push_back(
        scratchLoad(region, linearIndex(attribute, reg, shape), element));
  }
  scratch.release(region);
  return registers;
}

//===----------------------------------------------------------------------===//
// Rearrangements
//===----------------------------------------------------------------------===//

void KernelLowering::reshape(tile::ReshapeOp op) {
  ArrayRef<int64_t> from = tile::shapeOf(op.getSource().getType()),
                    to = tile::shapeOf(op.getType());
  const Layout &layout = layoutOf(op.getSource());
  std::optional<Layout> natural = layout.reshaped(to);
  const Registers values = tile(op.getSource());
  if (natural && *natural == layoutOf(op.getResult())) {
    define(op.getResult(), Registers(values));
    return;
  }
  mlir::Type element = tile::elementType(op.getType());
  LayoutAttr source = layoutAttr(op.getSource().getType()),
             target = layoutAttr(op.getType());
  int64_t count = cast<mlir::RankedTensorType>(op.getType()).getNumElements();
  Region region = allocate(uint64_t(count * tile::storageBytes(element)));
  willWrite(region);
  for (unsigned reg = 0; reg < values.size(); ++reg) {
    scratchStore(region, linearIndex(source, reg, from), values[reg], element);
  }
  willRead(region);
  Registers registers;
  for (unsigned reg = 0; reg < target.getValue().size(Axis::Register); ++reg) {
    registers.push_back(
        scratchLoad(region, linearIndex(target, reg, to), element));
  }
  scratch.release(region);
  define(op.getResult(), std::move(registers));
}

void KernelLowering::cat(tile::CatOp op) {
  ArrayRef<int64_t> shape = tile::shapeOf(op.getType());
  mlir::Type element = tile::elementType(op.getType());
  int64_t count = cast<mlir::RankedTensorType>(op.getType()).getNumElements();
  Region region = allocate(uint64_t(count * tile::storageBytes(element)));
  willWrite(region);
  int64_t start = 0, inner = 1;
  for (unsigned dim = op.getDim() + 1; dim < shape.size(); ++dim) {
    inner *= shape[dim];
  }
  for (mlir::Value part : {op.getLhs(), op.getRhs()}) {
    LayoutAttr layout = layoutAttr(part.getType());
    const Registers &values = tile(part);
    for (unsigned reg = 0; reg < values.size(); ++reg) {
      Value *at = b.CreateAdd(linearIndex(layout, reg, shape),
                              b.getInt32(uint32_t(start * inner)));
      scratchStore(region, at, values[reg], element);
    }
    start += tile::shapeOf(part.getType())[op.getDim()];
  }
  willRead(region);
  LayoutAttr target = layoutAttr(op.getType());
  Registers registers;
  for (unsigned reg = 0; reg < target.getValue().size(Axis::Register); ++reg) {
    registers.push_back(
        scratchLoad(region, linearIndex(target, reg, shape), element));
  }
  scratch.release(region);
  define(op.getResult(), std::move(registers));
}

} // namespace tz::simt
