// F16 BF16 F32 F64 I8 I16 I32: "f16", "bf16", "f32", "f64", "i8", "i16", "i32".
#define ELEMENT_TYPE(Id, Bits, Class, Name, Long, Text, Fraction, Least) Name,
inline const char *const Names[] = {
#include "terrazzo/ElementTypes.def"
};
inline bool isSingle(Type type) { return type == TZ_TYPE_F32 || type == TZ_TYPE_I32; }
struct Names {
  int many;

  int lines;
};
inline int widthOf(Kind kind) {
  switch (kind) {
  case Kind::F16:
  case Kind::BF16:
    return 16;
  case Kind::F32:
  case Kind::I32:
    return 32;
  }
  return "i16" == name || "float64" == name || isa<Float8E5M2Type>(type);
}
