//===- CpuValues.cpp - values of a kernel and where they lie --------------===//
//
// What   Scalars, views and buffers of values; storage in the arena; tiles that
//        are written out because more than one nest reads them.
// Why    See CpuLowering.h.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/lower/CpuLowering.h"
#include "plugins/cpu/compiler/lower/Nest.h"

using namespace llvm;

namespace tz::cpu {

Value *CpuLowering::scalar(mlir::Value value) {
  auto found = scalars.find(value);
  if (found == scalars.end()) {
    throw Unsupported(value.getLoc(), "a scalar that nothing defines here");
  }
  return found->second;
}

const ViewParts &CpuLowering::view(mlir::Value value) {
  auto found = views.find(value);
  if (found == views.end()) {
    throw Unsupported(value.getLoc(), "a view that nothing defines here");
  }
  return found->second;
}

const Buffer *CpuLowering::bufferOf(mlir::Value value) const {
  auto found = buffers.find(value);
  return found == buffers.end() ? nullptr : &found->second;
}

const Induction *CpuLowering::inductionOf(mlir::Value value) const {
  auto found = inductions.find(value);
  return found == inductions.end() ? nullptr : &found->second;
}

Value *CpuLowering::address(const Buffer &buffer) {
  if (buffer.global) {
    return buffer.global;
  }
  return arenaAddress(buffer.offset);
}

Value *CpuLowering::arenaAddress(uint64_t offset) {
  return offset ? b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), arenaBase, offset)
                : arenaBase;
}

Buffer CpuLowering::shaped(mlir::Type tileType) const {
  constexpr int64_t lineBytes = 64;
  auto type = cast<mlir::RankedTensorType>(tileType);
  Buffer buffer;
  buffer.element = type.getElementType();
  const int64_t elementBytes = tile::storageBytes(buffer.element);
  buffer.shape.assign(type.getShape().begin(), type.getShape().end());
  int64_t elements = type.getNumElements();
  if (paddedTypes.contains(type)) {
    buffer.padding = lineBytes / elementBytes;
    elements += buffer.padding * buffer.shape[0];
  }
  buffer.bytes = static_cast<uint64_t>(elements * elementBytes);
  return buffer;
}

Buffer CpuLowering::constantTile(mlir::DenseElementsAttr values) {
  Buffer buffer = shaped(values.getType());
  const uint64_t size = tile::storageBytes(buffer.element);
  std::string bytes(buffer.bytes, '\0');
  uint64_t at = 0;
  auto put = [&](const APInt &bits) {
    const uint64_t word = bits.getZExtValue();
    std::memcpy(&bytes[at], &word, size);
    at += size;
  };
  if (isa<mlir::FloatType>(buffer.element)) {
    for (const APFloat &value : values.getValues<APFloat>()) {
      put(value.bitcastToAPInt());
    }
  } else {
    for (const APInt &value : values.getValues<APInt>()) {
      put(value);
    }
  }
  Constant *data = ConstantDataArray::getString(context, bytes, false);
  auto *global = new GlobalVariable(module, data->getType(), true,
                                    GlobalValue::PrivateLinkage, data, "tile");
  global->setAlignment(Align(64));
  buffer.global = global;
  return buffer;
}

Buffer CpuLowering::allocate(mlir::Type tileType, int last) {
  Buffer buffer = shaped(tileType);
  buffer.offset = arena.allocate(buffer.bytes);
  scopes.back().owned.push_back({last, buffer});
  return buffer;
}

Buffer CpuLowering::allocateFor(mlir::Value value) {
  auto chosen = destinations.find(value);
  if (chosen != destinations.end()) {
    return chosen->second;
  }
  return allocate(value.getType(), plan.of(value).last());
}

Buffer CpuLowering::allocateTemporary(mlir::Type tileType) {
  Buffer buffer = shaped(tileType);
  buffer.offset = arena.allocate(buffer.bytes);
  temporaries.push_back(buffer);
  return buffer;
}

uint64_t CpuLowering::allocateBytes(uint64_t bytes) {
  Buffer buffer;
  buffer.bytes = bytes;
  buffer.offset = arena.allocate(bytes);
  temporaries.push_back(buffer);
  return buffer.offset;
}

Buffer CpuLowering::materialise(mlir::Value value) {
  if (const Buffer *buffer = bufferOf(value)) {
    return *buffer;
  }
  const bool fused =
      plan.of(value).way == Way::Fused || inductionOf(value) != nullptr;
  if (fused) {
    Buffer buffer = allocateTemporary(value.getType());
    materialiseInto(value, buffer);
    return buffer;
  }
  {
    // A nest writes the kept values that it computes, its root among them.
    Nest nest(*this, tile::shapeOf(value.getType()), {value});
    nest.run([&](const Index &index) { nest.eval(value, index); });
  }
  return buffers.at(value);
}

void CpuLowering::materialiseInto(mlir::Value value, const Buffer &buffer) {
  if (const Buffer *from = bufferOf(value)) {
    if (from->global || from->offset != buffer.offset) {
      b.CreateMemCpy(address(buffer), Align(64), address(*from), Align(64),
                     buffer.bytes);
    }
    return;
  }
  Nest nest(*this, tile::shapeOf(value.getType()), {value});
  nest.run([&](const Index &index) {
    nest.storeTo(buffer, index, nest.eval(value, index));
  });
}

void CpuLowering::materialiseAllInto(
    ArrayRef<std::pair<mlir::Value, Buffer>> all) {
  if (all.size() < 2) {
    for (const auto &[value, buffer] : all) {
      materialiseInto(value, buffer);
    }
    return;
  }
  auto values = llvm::map_to_vector(all, [](auto &one) { return one.first; });
  Nest nest(*this, tile::shapeOf(values.front().getType()), values);
  nest.run([&](const Index &index) {
    // A value is stored when none of them reads what was there any more.
    auto made = llvm::map_to_vector(
        values, [&](mlir::Value value) { return nest.eval(value, index); });
    for (auto [one, value] : llvm::zip_equal(all, made)) {
      nest.storeTo(one.second, index, value);
    }
  });
}

void CpuLowering::keepWhatIsNeeded(mlir::Value value) {
  if (!isa<mlir::RankedTensorType>(value.getType()) || bufferOf(value)) {
    return;
  }
  if (const Induction *induction = inductionOf(value)) {
    keepWhatIsNeeded(induction->start);
    return;
  }
  mlir::Operation *op = value.getDefiningOp();
  if (!op || !isFusable(op)) {
    return;
  }
  if (plan.of(value).way != Way::Fused) {
    materialise(value);
    return;
  }
  for (mlir::Value operand : op->getOperands()) {
    keepWhatIsNeeded(operand);
  }
}

} // namespace tz::cpu
