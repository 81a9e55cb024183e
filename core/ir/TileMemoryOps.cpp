//===- TileMemoryOps.cpp - pointers, views, atomics -----------------------===//
//
// What   Numbered constraints of TileMemoryOps.td.
//
//===----------------------------------------------------------------------===//
#include "terrazzo/ir/Tile.h"

using namespace mlir;
using namespace tz::tile;

/// The type that an access through `pointer` reads or writes.
static Type accessType(Value pointer) {
  Type type = pointer.getType();
  return withElement(type, cast<PtrType>(elementType(type)).getPointee());
}

static LogicalResult verifyMask(Operation *op, Value pointer, Value mask) {
  if (mask && shapeOf(mask.getType()) != shapeOf(pointer.getType())) {
    return op->emitOpError("C2: the mask ")
           << mask.getType() << " must have the shape of the pointers "
           << pointer.getType();
  }
  return success();
}

LogicalResult AddPtrOp::verify() {
  if (shapeOf(getPointer().getType()) != shapeOf(getOffset().getType())) {
    return emitOpError("C1: offsets ")
           << getOffset().getType() << " do not fit pointers "
           << getPointer().getType();
  }
  return success();
}

LogicalResult LoadOp::verify() {
  if (getResult().getType() != accessType(getPointer())) {
    return emitOpError("C1: a load through ")
           << getPointer().getType() << " gives " << accessType(getPointer());
  }
  if (failed(verifyMask(*this, getPointer(), getMask()))) {
    return failure();
  }
  if (getOther() &&
      (!getMask() || getOther().getType() != getResult().getType())) {
    return emitOpError("C3: other needs a mask and the type ")
           << getResult().getType();
  }
  return success();
}

void LoadOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  if (getIsVolatile()) {
    effects.emplace_back(MemoryEffects::Write::get());
  }
}

LogicalResult StoreOp::verify() {
  if (getValue().getType() != accessType(getPointer())) {
    return emitOpError("C1: a store through ")
           << getPointer().getType() << " takes " << accessType(getPointer());
  }
  return verifyMask(*this, getPointer(), getMask());
}

LogicalResult MakeViewOp::verify() {
  auto view = getResult().getType();
  if (static_cast<int64_t>(getShape().size()) != view.getRank() ||
      static_cast<int64_t>(getStrides().size()) != view.getRank()) {
    return emitOpError("C1: ")
           << view << " needs " << view.getRank() << " sizes and strides";
  }
  if (getBase().getType().getPointee() != view.getElementType()) {
    return emitOpError("C2: the base points to ")
           << getBase().getType().getPointee() << ", the view has "
           << view.getElementType();
  }
  return success();
}

LogicalResult ViewPartsOp::verify() {
  auto view = getView().getType();
  if (static_cast<int64_t>(getShape().size()) != view.getRank()) {
    return emitOpError("C1: ") << view << " has " << view.getRank()
                               << " sizes, strides and positions";
  }
  if (cast<PtrType>(getBase().getType()).getPointee() !=
      view.getElementType()) {
    return emitOpError("C2: the base points to ")
           << cast<PtrType>(getBase().getType()).getPointee()
           << ", the view has " << view.getElementType();
  }
  return success();
}

LogicalResult AdvanceViewOp::verify() {
  if (static_cast<int64_t>(getOffsets().size()) !=
      getView().getType().getRank()) {
    return emitOpError("C1: ")
           << getView().getType().getRank() << " offsets are needed";
  }
  return success();
}

/// C1 and C2 of load_view and store_view.
static LogicalResult verifyViewAccess(Operation *op, ViewType view,
                                      size_t offsets, size_t checked,
                                      Type tile) {
  size_t rank = view.getRank();
  if (offsets != rank || checked != rank) {
    return op->emitOpError("C1: ")
           << rank << " offsets and `checked` entries are needed";
  }
  if (shapeOf(tile) != view.getShape() ||
      elementType(tile) != view.getElementType()) {
    return op->emitOpError("C2: the block of ")
           << view << " is " << view.getTileType() << ", not " << tile;
  }
  return success();
}

LogicalResult LoadViewOp::verify() {
  if (failed(verifyViewAccess(*this, getView().getType(), getOffsets().size(),
                              getChecked().size(), getResult().getType()))) {
    return failure();
  }
  if (getOther() &&
      getOther().getType() != getView().getType().getElementType()) {
    return emitOpError("C3: other must be a scalar of type ")
           << getView().getType().getElementType();
  }
  return success();
}

LogicalResult StoreViewOp::verify() {
  return verifyViewAccess(*this, getView().getType(), getOffsets().size(),
                          getChecked().size(), getValue().getType());
}

LogicalResult AtomicRMWOp::verify() {
  Type access = accessType(getPointer());
  if (getValue().getType() != access || getResult().getType() != access) {
    return emitOpError("C1: an atomic through ")
           << getPointer().getType() << " takes and gives " << access;
  }
  if (failed(verifyMask(*this, getPointer(), getMask()))) {
    return failure();
  }
  AtomicKind kind = getKind();
  bool forFloats = kind == AtomicKind::fadd || kind == AtomicKind::fmax ||
                   kind == AtomicKind::fmin;
  bool isFloat = isa<FloatType>(elementType(access));
  if (kind != AtomicKind::xchg && forFloats != isFloat) {
    return emitOpError("C3: ") << stringifyAtomicKind(kind) << " is not for "
                               << elementType(access);
  }
  return success();
}

LogicalResult AtomicCASOp::verify() {
  Type access = accessType(getPointer());
  if (getValue().getType() != access || getCompare().getType() != access ||
      getResult().getType() != access) {
    return emitOpError("C1: a compare-and-swap through ")
           << getPointer().getType() << " takes and gives " << access;
  }
  return success();
}

#define GET_OP_CLASSES
#include "terrazzo/ir/TileMemoryOps.cpp.inc"
