//===- Libdevice.cpp - functions of libdevice from the library ------------===//
//
// What   Names of extra.libdevice that the embedded library writes in the
//        language itself: its file and function, and for the families of
//        rounding directions the direction and type.
// Why    The same on every target (P4); the library has one function where the
//        module has twenty names.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/builtins/TileCall.h"

using namespace llvm;

namespace tz::frontend {

static Value libraryFunction(StringRef file, StringRef function) {
  return Value::lazy({("<terrazzo>/" + file + ".py").str(), file.str(),
                      function.str(), SourceLoc()});
}

static void bindPlain(Registry &r) {
  auto bind = [&](StringRef file, ArrayRef<const char *> names) {
    for (const char *name : names) {
      r.set("triton.language.extra.libdevice", name,
            libraryFunction(file, name));
    }
  };
  bind("libdevice",
       {"acos",      "acosh",     "asin",     "asinh", "atan",  "atan2",
        "atanh",     "cbrt",      "copysign", "cosh",  "cospi", "erfc",
        "erfinv",    "exp10",     "fdim",     "ffs",   "fmod",  "hypot",
        "lgamma",    "llrint",    "llround",  "log10", "popc",  "round",
        "nextafter", "saturatef", "signbit",  "sinh",  "sinpi", "tgamma"});
  bind("integers", {"mulhi",
                    "mul24",
                    "sad",
                    "hadd",
                    "rhadd",
                    "brev",
                    "byte_perm",
                    "int_as_float",
                    "float_as_int",
                    "float_as_uint",
                    "longlong_as_double",
                    "double_as_longlong",
                    "hiloint2double",
                    "double2loint",
                    "double2hiint",
                    "rcp64h",
                    "ldexp",
                    "ilogb",
                    "logb",
                    "remainder"});
  bind("special",
       {"j0", "j1", "jn", "y0", "y1", "yn", "cyl_bessel_i0", "cyl_bessel_i1",
        "erfcx", "erfcinv", "normcdf", "normcdfinv", "norm3d", "norm4d",
        "rnorm3d", "rnorm4d", "rhypot", "rcbrt", "rsqrt_rn"});
  auto alias = [&](StringRef name, StringRef file, StringRef function) {
    r.set("triton.language.extra.libdevice", name,
          libraryFunction(file, function));
  };
  alias("uint_as_float", "integers", "int_as_float");
  alias("scalbn", "integers", "ldexp");
  alias("fast_exp10f", "libdevice", "exp10");
  alias("fast_log10f", "libdevice", "log10");
  // Where it was before Triton 3; generated kernels still name it so.
  r.set("triton.language", "libdevice",
        Value::module(r.makeModule("triton.language.extra.libdevice")));
}

/// rounding.py's `function` with further constexpr arguments.
static void bindRounding(Registry &r, StringRef name, StringRef signature,
                         StringRef function, std::vector<Value> more) {
  Value library = libraryFunction("rounding", function);
  r.add("triton.language.extra.libdevice", name, signature,
        [library, more](BuiltinCall &call) {
          Evaluator &ev = call.evaluator;
          CallArgs args;
          for (size_t i = 0; i < call.values.size(); ++i) {
            args.add(call[i], call.at(i));
          }
          for (const Value &value : more) {
            args.add(value, call.loc);
          }
          return ev.call(ev.resolve(library, call.loc), args, call.loc);
        });
}

static Value dtype(DType type) {
  TileType result;
  result.elem = type;
  return Value::type(result);
}

/// Names that end in _rn, _rz, _rd, _ru.
static void bindDirections(Registry &r) {
  struct Arithmetic {
    const char *name, *signature;
  };
  const Arithmetic arithmetic[] = {
      {"add", "arg0, arg1"},       {"sub", "arg0, arg1"}, {"mul", "arg0, arg1"},
      {"div", "arg0, arg1"},       {"rcp", "arg0"},       {"sqrt", "arg0"},
      {"fma", "arg0, arg1, arg2"},
  };
  struct ToInteger {
    const char *name;
    DType to;
  };
  const ToInteger toInteger[] = {
      {"float2int", DType::I32},  {"float2uint", DType::U32},
      {"float2ll", DType::I64},   {"float2ull", DType::U64},
      {"double2int", DType::I32}, {"double2uint", DType::U32},
      {"double2ll", DType::I64},  {"double2ull", DType::U64},
  };
  struct FromInteger {
    const char *name;
    DType from, to;
  };
  const FromInteger fromInteger[] = {
      {"int2float", DType::I32, DType::F32},
      {"uint2float", DType::U32, DType::F32},
      {"ll2float", DType::I64, DType::F32},
      {"ull2float", DType::U64, DType::F32},
      {"int2double", DType::I32, DType::F64},
      {"uint2double", DType::U32, DType::F64},
      {"ll2double", DType::I64, DType::F64},
      {"ull2double", DType::U64, DType::F64},
  };
  for (const char *direction : {"rn", "rz", "rd", "ru"}) {
    Value mode = Value::string(direction);
    auto named = [&](StringRef stem) { return (stem + "_" + direction).str(); };
    for (const Arithmetic &row : arithmetic) {
      bindRounding(r, named(row.name), row.signature, row.name, {mode});
    }
    bindRounding(r, named("double2float"), "arg0", "to_float", {mode});
    for (const ToInteger &row : toInteger) {
      bindRounding(r, named(row.name), "arg0", "to_integer",
                   {dtype(row.to), mode});
    }
    for (const FromInteger &row : fromInteger) {
      bool isExact = row.to == DType::F64 && bitWidth(row.from) == 32;
      if (!isExact || StringRef(direction) == "rn") {
        bindRounding(r, named(row.name), "arg0", "from_integer",
                     {dtype(row.from), dtype(row.to), mode});
      }
    }
  }
}

void bindLibdevice(Registry &r) {
  bindPlain(r);
  bindDirections(r);
}

} // namespace tz::frontend
