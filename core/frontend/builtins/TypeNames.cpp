//===- TypeNames.cpp - dtypes, tl.constexpr, attributes, library names ----===//
//
// What   The types as values (tl.float32, pointer_type ...), their attributes
//        and those of tiles, and the names that the embedded library defines.
// Why    Half of the language's names are not operations: they are computed
//        here without a kernel.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/builtins/TileCall.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tz::frontend {

static Value dtypeValue(DType type) {
  TileType result;
  result.elem = type;
  return Value::type(result);
}

static Value shapeValue(ArrayRef<int64_t> shape) {
  std::vector<Value> items;
  for (int64_t extent : shape) {
    items.push_back(Value::integer(extent));
  }
  return Value::tuple(std::move(items));
}

/// Unset means: no such attribute.
Value Evaluator::typeAttribute(const Value &base, StringRef name,
                               SourceLoc loc) {
  const TileType &type = base.asType();
  if (name == "value") {
    return base; // of a dtype that is a constexpr
  }
  if (name == "element_ty") {
    if (!type.isScalar()) {
      return Value::type(type.scalar());
    }
    if (type.isPtr) {
      return dtypeValue(type.elem);
    }
    return fail(loc, "dtype " + type.str() +
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
    return shapeValue(type.shape);
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

/// Functions of the embedded library: its file, and whether a tile has the
/// function as a method.
struct LibraryName {
  const char *name;
  const char *file;
  bool isMethod;
};
static constexpr LibraryName libraryNames[] = {
    {"cdiv", "standard", true},
    {"sigmoid", "standard", true},
    {"softmax", "standard", true},
    {"swizzle2d", "standard", false},
    {"zeros", "standard", false},
    {"zeros_like", "standard", false},
    {"ravel", "standard", true},
    {"flip", "standard", true},
    {"interleave", "standard", false},
    {"sum", "standard", true},
    {"xor_sum", "standard", true},
    {"reduce_or", "standard", true},
    {"max", "standard", true},
    {"min", "standard", true},
    {"argmax", "standard", true},
    {"argmin", "standard", true},
    {"cumsum", "standard", true},
    {"cumprod", "standard", true},
    {"sort", "standard", true},
    {"topk", "standard", false},
    {"bitonic_merge", "standard", false},
    {"atomic_poll", "waiting", false},
    {"philox", "random", false},
    {"philox_impl", "random", false},
    {"randint", "random", false},
    {"randint4x", "random", false},
    {"rand", "random", false},
    {"rand4x", "random", false},
    {"randn", "random", false},
    {"randn4x", "random", false},
    {"uint_to_uniform_float", "random", false},
    {"pair_uniform_to_normal", "random", false},
};

/// Compile-time helpers that third-party kernels import from there.
static void bindStandardHelpers(Registry &r) {
  for (const char *name : {"_log2", "_is_power_of_two"}) {
    r.set(
        "triton.language.standard", name,
        Value::lazy({"<terrazzo>/standard.py", "standard", name, SourceLoc()}));
  }
}

static Value libraryValue(const LibraryName &entry) {
  return Value::lazy({std::string("<terrazzo>/") + entry.file + ".py",
                      entry.file, entry.name, SourceLoc()});
}

bool Evaluator::hasAttribute(const Value &object, StringRef name) {
  if (Registry::get().method(object.kind(), name)) {
    return true;
  }
  if (object.is(ValueKind::Type)) {
    const TileType &type = object.asType();
    return name == "element_ty"
               ? type.isPtr || !type.isScalar()
               : !typeAttribute(object, name, {}).is(ValueKind::Unset);
  }
  if (!object.isTile()) {
    return false;
  }
  const TileType &type = object.asTile().type;
  return is_contained({"dtype", "type", "shape", "numel", "T"}, name) ||
         (name == "block_shape" && type.isView()) ||
         (is_contained({"base", "strides", "block_type"}, name) &&
          type.isDescriptor) ||
         any_of(libraryNames, [&](const LibraryName &entry) {
           return entry.isMethod && name == entry.name;
         });
}

Value Evaluator::tileAttribute(const Value &base, StringRef name,
                               SourceLoc loc) {
  const TileType &type = base.asTile().type;
  if (name == "dtype") {
    if (type.isDescriptor) {
      return dtypeValue(type.elem);
    }
    TileType element = type.scalar();
    element.isPtr |= type.isBlockPtr; // its .dtype.element_ty is asked for
    return Value::type(std::move(element));
  }
  if (name == "type") {
    return Value::type(type);
  }
  if (name == "block_shape" && type.isView()) {
    return shapeValue(type.shape);
  }
  if (name == "block_type" && type.isDescriptor) {
    return typeAttribute(Value::type(type), name, loc);
  }
  if (name == "base" && type.isDescriptor) {
    return Value::tile(
        emitterAt(*this, loc).descriptorParts(base.asTile()).base);
  }
  if ((name == "shape" || name == "strides") && type.isDescriptor) {
    OpEmitter &emit = emitterAt(*this, loc);
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
    return shapeValue(type.shape);
  }
  if (name == "numel") {
    return Value::integer(type.numElements());
  }
  if (name == "T") {
    if (const Builtin *trans =
            Registry::get().method(ValueKind::Tile, "trans")) {
      return call(Value::method(base, trans), CallArgs(), loc);
    }
  }
  for (const LibraryName &entry : libraryNames) {
    if (entry.isMethod && name == entry.name) {
      Value function = resolve(libraryValue(entry), loc);
      return function.is(ValueKind::Function)
                 ? Value::method(base, function.asFunction())
                 : Value();
    }
  }
  return Value::unset({}, "");
}

static void bindDtypes(Registry &r) {
  const std::pair<const char *, DType> names[] = {
      {"void", DType::Void},
      {"int1", DType::I1},
      {"int8", DType::I8},
      {"int16", DType::I16},
      {"int32", DType::I32},
      {"int64", DType::I64},
      {"uint8", DType::U8},
      {"uint16", DType::U16},
      {"uint32", DType::U32},
      {"uint64", DType::U64},
      {"float16", DType::F16},
      {"bfloat16", DType::BF16},
      {"float32", DType::F32},
      {"float64", DType::F64},
      {"float8e4nv", DType::F8E4M3FN},
      {"float8e5", DType::F8E5M2},
      {"float8e4b8", DType::F8E4M3FNUZ},
      {"float8e5b16", DType::F8E5M2FNUZ},
      {"float8e4b15", DType::F8E4B15},
  };
  for (auto [name, type] : names) {
    r.set("triton.language", name, dtypeValue(type));
  }
  TileType pointer;
  pointer.elem = DType::I32;
  pointer.isPtr = true;
  r.set("triton.language", "pi32_t", Value::type(pointer));
  r.addHost("triton.language", "pointer_type",
            "element_ty, address_space=1, const=False", [](BuiltinCall &call) {
              auto elem = call.dtype(0);
              if (!elem) {
                return Value();
              }
              if (elem->isPtr || !elem->isScalar()) {
                return call.error(0, "a pointer to " + elem->str() +
                                         " is not supported");
              }
              elem->isPtr = true;
              elem->isConstPtr = truth(call[2]).value_or(false);
              return Value::type(*elem);
            });
  r.addHost("triton.language", "block_type", "element_ty, shape",
            [](BuiltinCall &call) {
              auto elem = call.dtype(0);
              auto shape = call.integers(1);
              return elem && shape ? Value::type(elem->withShape(*shape))
                                   : Value();
            });
  r.addHost("triton.language", "dtype", "name", [](BuiltinCall &call) {
    auto name = call.string(0);
    if (!name) {
      return Value();
    }
    std::optional<DType> type = dtypeFromName(*name);
    return type ? dtypeValue(*type)
                : call.error(0, "no dtype has the name " + repr(call[0]));
  });
  r.addHost("triton.language.core", "get_int_dtype", "bitwidth, signed",
            [](BuiltinCall &call) {
              auto bits = call.integer(0);
              auto isSigned = call.boolean(1);
              if (!bits || !isSigned) {
                return Value();
              }
              const std::string name =
                  *bits == 1
                      ? "int1"
                      : (*isSigned ? "int" : "uint") + std::to_string(*bits);
              std::optional<DType> type = dtypeFromName(name);
              return type ? dtypeValue(*type)
                          : call.error(0, "no integer type has " + name);
            });
  r.addHost("triton.language", "constexpr", "value", [](BuiltinCall &call) {
    if (call[0].isTile()) {
      return call.error(0, "tl.constexpr needs a value known at compile time, "
                           "found " +
                               describe(call[0]));
    }
    return call[0].asConstexpr();
  });
  // Classes: named in annotations and isinstance, not called.
  for (const char *name :
       {"tensor", "tensor_descriptor", "tensor_descriptor_type", "const",
        "constexpr_type", "tuple_type", "base_value", "base_type"}) {
    r.addHost("triton.language", name, "*args", [](BuiltinCall &call) {
      return call.error(call.builtin.name + " is a type and is not called");
    });
  }
  r.addHost("triton.language", "tuple", "args=()", [](BuiltinCall &call) {
    return call[0].isSequence() ? Value::tuple(call[0].items().vec())
                                : call.error("tl.tuple needs a sequence");
  });
  auto propagate = std::make_shared<SequenceObject>();
  propagate->className = "PropagateNan";
  propagate->names = {"NONE", "ALL"};
  propagate->items = {Value::integer(0), Value::integer(0xFFFF)};
  r.set("triton.language", "PropagateNan", Value::record(propagate));
  // A default of library functions that are copied.
  r.set("triton.language.core", "CONSTEXPR_0", Value::integer(0));
}

static void bindTypeMethods(Registry &r) {
  auto question = [&](StringRef name, bool (*answer)(const TileType &)) {
    r.addMethod(ValueKind::Type, name, "", [answer](BuiltinCall &call) {
      return Value::boolean(answer(call[0].asType()));
    });
  };
  auto value = [](const TileType &t) { return !t.isPtr && t.isScalar(); };
  static auto isValue = value;
  question("is_ptr", [](const TileType &t) { return t.isPtr && t.isScalar(); });
  question("is_block", [](const TileType &t) { return !t.isScalar(); });
  question("is_floating",
           [](const TileType &t) { return isValue(t) && isFloat(t.elem); });
  question("is_fp8",
           [](const TileType &t) { return isValue(t) && isFloat8(t.elem); });
  question("is_standard_floating", [](const TileType &t) {
    return isValue(t) && isFloat(t.elem) && !isFloat8(t.elem);
  });
  question("is_int",
           [](const TileType &t) { return isValue(t) && isInteger(t.elem); });
  question("is_int_signed",
           [](const TileType &t) { return isValue(t) && isSigned(t.elem); });
  question("is_int_unsigned", [](const TileType &t) {
    return isValue(t) && isInteger(t.elem) && !isSigned(t.elem);
  });
  question("is_bool",
           [](const TileType &t) { return isValue(t) && t.elem == DType::I1; });
  question("is_const", [](const TileType &t) { return t.isConstPtr; });
  question("is_void", [](const TileType &t) {
    return isValue(t) && t.elem == DType::Void;
  });
  auto exactly = [&](StringRef name, DType type) {
    r.addMethod(ValueKind::Type, name, "", [type](BuiltinCall &call) {
      const TileType &t = call[0].asType();
      return Value::boolean(isValue(t) && t.elem == type);
    });
  };
  exactly("is_fp16", DType::F16);
  exactly("is_bf16", DType::BF16);
  exactly("is_fp32", DType::F32);
  exactly("is_fp64", DType::F64);
  exactly("is_int1", DType::I1);
  exactly("is_int8", DType::I8);
  exactly("is_int16", DType::I16);
  exactly("is_int32", DType::I32);
  exactly("is_int64", DType::I64);
  exactly("is_uint8", DType::U8);
  exactly("is_uint32", DType::U32);
  exactly("is_uint64", DType::U64);
  exactly("is_fp8e4nv", DType::F8E4M3FN);
  exactly("is_fp8e5", DType::F8E5M2);
  r.addMethod(ValueKind::Type, "get_block_shapes", "", [](BuiltinCall &call) {
    return shapeValue(call[0].asType().shape);
  });
}

void bindTypes(Registry &r) {
  bindDtypes(r);
  bindTypeMethods(r);
  for (const LibraryName &entry : libraryNames) {
    r.set("triton.language", entry.name, libraryValue(entry));
  }
  bindStandardHelpers(r);
}

} // namespace tz::frontend
