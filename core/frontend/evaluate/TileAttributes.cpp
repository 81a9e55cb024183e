//===- TileAttributes.cpp - attributes of tiles and types -----------------===//
//
// What   x.shape, x.dtype.element_ty ...: what a tile or a type can be asked.
// Why    They are computed here without an operation, but for descriptors.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/evaluate/Evaluator.h"
#include "core/frontend/evaluate/Members.h"
#include "core/frontend/evaluate/TileOperators.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tz::frontend {

/// Unset means: no such attribute.
Value Members::ofType(const Value &base, StringRef name, SourceLoc loc) {
  const TileType &type = base.asType();
  if (name == "value") {
    return base; // of a dtype that is a constexpr
  }
  if (name == "element_ty") {
    if (!type.isScalar()) {
      return Value::type(type.scalar());
    }
    if (type.isPtr) {
      return Value::type(type.elem);
    }
    return ev.fail(loc, "dtype " + type.str() +
                            " has no element_ty: it is neither a pointer nor a "
                            "block type");
  }
  if (name == "scalar") {
    return Value::type(type.scalar());
  }
  unsigned bits = type.isPtr ? 64 : bitWidth(type.elem);
  if (name == "primitive_bitwidth" || name == "itemsize") {
    return Value::integer(name == "itemsize" ? (bits + 7) / 8 : bits);
  }
  if (name == "int_bitwidth" && isInteger(type.elem)) {
    return Value::integer(bits);
  }
  if (name == "fp_mantissa_width" && isFloat(type.elem)) {
    return Value::integer(mantissaWidth(type.elem));
  }
  if (name == "name") {
    return Value::string(type.scalar().str());
  }
  if (name == "shape") {
    return Value::integers(type.shape);
  }
  if (name == "numel") {
    return Value::integer(type.numElements());
  }
  if (name == "nbytes" && !type.isScalar()) {
    return Value::integer(type.numElements() * bits / 8);
  }
  if (name == "block_type" && type.isDescriptor) {
    return Value::type(type.scalar().withShape(type.shape));
  }
  return Value::unset({}, "");
}

bool Members::has(const Value &object, StringRef name) {
  if (ev.builtins().method(object.kind(), name)) {
    return true;
  }
  if (object.is(ValueKind::Type)) {
    const TileType &type = object.asType();
    return name == "element_ty"
               ? type.isPtr || !type.isScalar()
               : !ofType(object, name, {}).is(ValueKind::Unset);
  }
  if (!object.isTile()) {
    return false;
  }
  const TileType &type = object.asTile().type;
  return is_contained({"dtype", "type", "shape", "numel", "T"}, name) ||
         (name == "block_shape" && type.isView()) ||
         (is_contained({"base", "strides", "block_type"}, name) &&
          type.isDescriptor) ||
         ev.builtins().libraryMethod(name);
}

Value Members::ofTile(const Value &base, StringRef name, SourceLoc loc) {
  const TileType &type = base.asTile().type;
  if (name == "dtype") {
    if (type.isDescriptor) {
      return Value::type(type.elem);
    }
    TileType element = type.scalar();
    element.isPtr |= type.isBlockPtr; // its .dtype.element_ty is asked for
    return Value::type(std::move(element));
  }
  if (name == "type") {
    return Value::type(type);
  }
  if (name == "block_shape" && type.isView()) {
    return Value::integers(type.shape);
  }
  if (name == "block_type" && type.isDescriptor) {
    return ofType(Value::type(type), name, loc);
  }
  if (name == "base" && type.isDescriptor) {
    return Value::tile(emitterAt(ev, loc).descriptorParts(base.asTile()).base);
  }
  if ((name == "shape" || name == "strides") && type.isDescriptor) {
    OpEmitter &emit = emitterAt(ev, loc);
    DescriptorParts parts = emit.descriptorParts(base.asTile());
    TileType element;
    element.elem = name == "shape" ? DType::I32 : DType::I64;
    std::vector<Value> items;
    for (const TileValue &part :
         name == "shape" ? parts.shape : parts.strides) {
      items.push_back(fromTile(emit.cast(part, element, "", false, loc)));
    }
    return Value::tuple(std::move(items));
  }
  if (name == "shape") {
    return Value::integers(type.shape);
  }
  if (name == "numel") {
    return Value::integer(type.numElements());
  }
  if (name == "T") {
    if (const Builtin *trans = ev.builtins().method(ValueKind::Tile, "trans")) {
      return ev.call(Value::method(base, trans), CallArgs(), loc);
    }
  }
  if (const Value *method = ev.builtins().libraryMethod(name)) {
    Value function = ev.resolve(*method, loc);
    return function.is(ValueKind::Function)
               ? Value::method(base, function.asFunction())
               : Value();
  }
  return Value::unset({}, "");
}

} // namespace tz::frontend
