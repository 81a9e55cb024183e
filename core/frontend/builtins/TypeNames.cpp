//===- TypeNames.cpp - dtypes, tl.constexpr, library names ----------------===//
//
// What   The types as values (tl.float32, pointer_type ...), what they can be
//        asked, and the names that the embedded library defines.
// Why    Half of the language's names are not operations: they are computed
//        here without a kernel.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/builtins/TileCall.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tz::frontend {

/// Functions of the embedded library: its file, and whether a tile has the
/// function as a method.
struct LibraryName {
  const char *name;
  const char *file;
  bool isMethod;
};
static constexpr LibraryName LibraryNames[] = {
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

/// What is no part of the language, and third-party kernels import from there:
/// compile-time helpers, and functions for reductions and scans.
static void bindStandardHelpers(Registry &r) {
  constexpr std::pair<const char *, const char *> names[] = {
      {"_log2", "_log2"},
      {"_is_power_of_two", "_is_power_of_two"},
      {"_sum_combine", "_add"},
      {"_prod_combine", "_multiply"},
      {"_xor_combine", "_xor"},
      {"_or_combine", "_or"},
      {"_elementwise_max", "_larger"},
      {"_elementwise_min", "_smaller"},
      {"_argmax_combine", "_argmax_combine"},
      {"_argmax_combine_tie_break_left", "_argmax_combine_tie_break_left"},
      {"_argmax_combine_tie_break_fast", "_argmax_combine_tie_break_fast"},
      {"_argmin_combine", "_argmin_combine"},
      {"_argmin_combine_tie_break_left", "_argmin_combine_tie_break_left"},
      {"_argmin_combine_tie_break_fast", "_argmin_combine_tie_break_fast"},
      {"sort_impl", "sort_impl"},
  };
  for (auto [name, function] : names) {
    r.set("triton.language.standard", name,
          Value::lazy(
              {"<terrazzo>/standard.py", "standard", function, SourceLoc()}));
  }
}

static Value libraryValue(const LibraryName &entry) {
  return Value::lazy({std::string("<terrazzo>/") + entry.file + ".py",
                      entry.file, entry.name, SourceLoc()});
}

static void bindDtypes(Registry &r) {
  r.set("triton.language", "void", Value::type(DType::Void));
#define ELEMENT_TYPE(Id, Bits, Class, Name, Long, Text, Fraction, Least)       \
  r.set("triton.language", Long, Value::type(DType::Id));
#include "terrazzo/ElementTypes.def"
}

/// What makes a type of others.
static void bindTypeFunctions(Registry &r) {
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
    return type ? Value::type(*type)
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
              return type ? Value::type(*type)
                          : call.error(0, "no integer type has " + name);
            });
}

static void bindClasses(Registry &r) {
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
  // is_fp16, is_int8, is_fp8e4nv ...
#define ELEMENT_TYPE(Id, Bits, Class, Name, Long, Text, Fraction, Least)       \
  exactly("is_" + dtypeName(DType::Id).str(), DType::Id);
#include "terrazzo/ElementTypes.def"
  r.addMethod(ValueKind::Type, "get_block_shapes", "", [](BuiltinCall &call) {
    return Value::integers(call[0].asType().shape);
  });
}

void bindTypes(Registry &r) {
  bindDtypes(r);
  bindTypeFunctions(r);
  bindClasses(r);
  bindTypeMethods(r);
  for (const LibraryName &entry : LibraryNames) {
    Value function = libraryValue(entry);
    r.set("triton.language", entry.name, function);
    if (entry.isMethod) {
      r.setLibraryMethod(entry.name, std::move(function));
    }
  }
  bindStandardHelpers(r);
}

} // namespace tz::frontend
