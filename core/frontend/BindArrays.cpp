//===- BindArrays.cpp - element types of array packages -------------------===//
//
// What   What `import torch` and `import numpy` mean: element types, iinfo and
//        finfo, and the constants inf, nan, pi and e.
// Why    Module-level constants of kernel files are computed from them. All
//        else of the packages is unknown at compile time, and says so when
//        used.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/Builtins.h"

#include <cmath>
#include <numbers>

using namespace llvm;

namespace tz::frontend {

void bindArrays(Registry &r) {
  const std::pair<StringRef, StringRef> both[] = {
      {"iinfo", "iinfo"},     {"finfo", "finfo"},     {"dtype", "dtype"},
      {"int8", "int8"},       {"int16", "int16"},     {"int32", "int32"},
      {"int64", "int64"},     {"uint8", "uint8"},     {"uint16", "uint16"},
      {"uint32", "uint32"},   {"uint64", "uint64"},   {"float16", "float16"},
      {"float32", "float32"}, {"float64", "float64"},
  };
  const std::pair<StringRef, StringRef> torch[] = {
      {"bool", "bool_"},
      {"short", "int16"},
      {"int", "int32"},
      {"long", "int64"},
      {"half", "float16"},
      {"float", "float32"},
      {"double", "float64"},
      {"bfloat16", "bfloat16"},
      {"float8_e4m3fn", "float8_e4m3fn"},
      {"float8_e5m2", "float8_e5m2"},
      {"float8_e4m3fnuz", "float8_e4m3fnuz"},
      {"float8_e5m2fnuz", "float8_e5m2fnuz"},
  };
  auto bind = [&](StringRef module, StringRef name, StringRef inLibrary) {
    r.set(module, name,
          Value::lazy({"<terrazzo>/arrays.py", "arrays", inLibrary.str(),
                       SourceLoc()}));
  };
  for (StringRef module : {"torch", "numpy"}) {
    r.makeModule(module)->isPartial = true;
    for (auto [name, inLibrary] : both) {
      bind(module, name, inLibrary);
    }
    r.set(module, "inf", Value::number(HUGE_VAL));
    r.set(module, "nan", Value::number(NAN));
    r.set(module, "pi", Value::number(std::numbers::pi));
    r.set(module, "e", Value::number(std::numbers::e));
  }
  for (auto [name, inLibrary] : torch) {
    bind("torch", name, inLibrary);
  }
  bind("numpy", "bool_", "bool_");
}

} // namespace tz::frontend
