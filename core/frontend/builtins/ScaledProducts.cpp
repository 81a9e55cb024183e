//===- ScaledProducts.cpp - tl.dot_scaled ---------------------------------===//
//
// What   Checks the operands of a scaled product against their formats and
//        hands them to the library's function.
// Why    The rules are many (packing, groups, types), and their errors belong
//        to the caller's line.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/builtins/TileCall.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace tz::frontend {

namespace {

/// One side of the product, as its arguments say.
struct ScaledOperand {
  size_t value, scale, format, pack; // arguments
  bool isLeft;
  Shape shape; // unpacked: [.., M, K] or [.., K, N]
  bool valid = false;
};

constexpr const char *FormatNames = "'e2m1', 'e4m3', 'e5m2', 'bf16' or 'fp16'";

bool fits(StringRef format, DType type) {
  bool isByte = type == DType::U8 || type == DType::I8;
  return StringSwitch<bool>(format)
      .Case("e2m1", isByte)
      .Case("e4m3", isByte || type == DType::F8E4M3FN)
      .Case("e5m2", isByte || type == DType::F8E5M2)
      .Case("bf16", type == DType::BF16)
      .Case("fp16", type == DType::F16)
      .Default(false);
}

/// Checks value and format; fills the unpacked shape.
bool readOperand(BuiltinCall &call, ScaledOperand &side) {
  std::optional<std::string> format = call.string(side.format);
  std::optional<bool> kPack = call.boolean(side.pack);
  if (!format || !kPack) {
    return false;
  }
  bool known = is_contained(
      ArrayRef<StringRef>{"e2m1", "e4m3", "e5m2", "bf16", "fp16"}, *format);
  if (!known) {
    call.error(side.format, Twine("a format of dot_scaled is ") + FormatNames +
                                ", found '" + *format + "'");
    return false;
  }
  if (!call[side.value].isTile() ||
      call[side.value].asTile().type.shape.size() < 2 ||
      call[side.value].asTile().type.isView() ||
      call[side.value].asTile().type.isPtr) {
    call.error(side.value, "dot_scaled needs tiles of two or three dimensions, "
                           "found " +
                               describe(call[side.value]));
    return false;
  }
  const TileType &type = call[side.value].asTile().type;
  if (!fits(*format, type.elem)) {
    call.error(side.value,
               "format '" + *format + "' does not fit " + type.str());
    return false;
  }
  side.shape = Shape(type.shape);
  if (*format == "e2m1") {
    // Two values a byte: along K, or along the other dimension.
    size_t rank = side.shape.size();
    bool last = side.isLeft == *kPack;
    side.shape[last ? rank - 1 : rank - 2] *= 2;
  }
  return true;
}

/// [.., M, K / group] for the left, [.., N, K / group] for the right.
bool checkScale(BuiltinCall &call, const ScaledOperand &side) {
  const Value &value = call[side.scale];
  if (value.isNone()) {
    return true;
  }
  if (!value.isTile()) {
    call.error(side.scale, "a scale of dot_scaled is a tile or None, found " +
                               describe(value));
    return false;
  }
  const TileType &type = value.asTile().type;
  bool isPower = type.elem == DType::U8 || type.elem == DType::I8;
  if (type.isPtr || type.isView() ||
      (!isPower && type.elem != DType::F8E4M3FN)) {
    call.error(side.scale, "a scale of dot_scaled is uint8 (powers of two) or "
                           "fp8e4nv, found " +
                               type.str());
    return false;
  }
  size_t rank = side.shape.size();
  int64_t k = side.shape[side.isLeft ? rank - 1 : rank - 2];
  Shape wanted = side.shape;
  if (!side.isLeft) {
    std::swap(wanted[rank - 1], wanted[rank - 2]);
  }
  int64_t group = isPower ? 32 : 16;
  wanted[rank - 1] = k / group;
  if (k % group != 0 || type.shape != wanted) {
    call.error(side.scale, Twine(side.isLeft ? "lhs_scale" : "rhs_scale") +
                               " of dot_scaled must be " + shapeText(wanted) +
                               " (one for " + Twine(group) +
                               " elements along K), found " + type.str());
    return false;
  }
  return true;
}

Value dotScaled(BuiltinCall &call) {
  ScaledOperand left{0, 1, 2, 8, true, {}}, right{3, 4, 5, 9, false, {}};
  if (!readOperand(call, left) || !readOperand(call, right) ||
      !checkScale(call, left) || !checkScale(call, right)) {
    return Value();
  }
  size_t rank = left.shape.size();
  if (right.shape.size() != rank ||
      left.shape[rank - 1] != right.shape[rank - 2]) {
    return call.error("dot_scaled of " + shapeText(left.shape) + " and " +
                      shapeText(right.shape) +
                      " (unpacked): the inner dimensions differ");
  }
  if (!call[10].is(ValueKind::Type) || call[10].asType().elem != DType::F32) {
    return call.error(10, "out_dtype of dot_scaled is tl.float32");
  }
  CallArgs args;
  for (size_t i : {0, 1, 2, 3, 4, 5, 6, 8, 9}) {
    args.add(call[i], call.at(i));
  }
  Evaluator &ev = call.evaluator;
  Value library = Value::lazy(
      {"<terrazzo>/scaled.py", "scaled", "dot_scaled", SourceLoc()});
  return ev.call(ev.resolve(library, call.loc), args, call.loc);
}

} // namespace

void bindScaled(Registry &r) {
  TileType f32;
  f32.elem = DType::F32;
  r.add("triton.language", "dot_scaled",
        "lhs, lhs_scale, lhs_format, rhs, rhs_scale, rhs_format, acc=None, "
        "fast_math=False, lhs_k_pack=True, rhs_k_pack=True, out_dtype=None",
        [f32](BuiltinCall &call) {
          if (call[10].isNone()) {
            call.values[10] = Value::type(f32);
          }
          return dotScaled(call);
        });
}

} // namespace tz::frontend
