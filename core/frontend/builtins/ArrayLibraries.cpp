//===- ArrayLibraries.cpp - element types of array packages ---------------===//
//
// What   What `import torch` and `import numpy` mean: element types, iinfo and
//        finfo, and the constants inf, nan, pi and e; what heuristics ask of
//        the arrays of a launch.
// Why    Module-level constants of kernel files are computed from them. All
//        else of the packages is unknown at compile time, and says so when
//        used.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/builtins/Builtins.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

using namespace llvm;

namespace tz::frontend {

/// A size, or all of them as a tuple where no dimension is named.
static Value dimension(BuiltinCall &call, const std::vector<PyInt> &sizes) {
  if (call[1].isNone()) {
    std::vector<Value> all;
    for (PyInt size : sizes) {
      all.push_back(Value::integer(size));
    }
    return Value::tuple(std::move(all));
  }
  const PyInt rank = sizes.size();
  if (!call[1].isIntegral() || call[1].asInt() < -rank ||
      call[1].asInt() >= rank) {
    return call.error(1, "the array has " + std::to_string(sizes.size()) +
                             " dimensions");
  }
  const auto at = int64_t((call[1].asInt() + rank) % rank);
  return Value::integer(sizes[at]);
}

/// What heuristics ask of the arrays of a launch, which lie row by row without
/// gaps; as torch names it.
static void bindLaunchArrays(Registry &r) {
  auto shape = [](BuiltinCall &call) {
    std::vector<PyInt> sizes;
    for (const Value &size : call[0].sequence().find("shape")->items()) {
      sizes.push_back(size.asInt());
    }
    return sizes;
  };
  auto add = [&](StringRef name, StringRef params, auto run) {
    r.addMethod(ValueKind::Record, name, params, std::move(run));
  };
  auto count = [shape](BuiltinCall &call) {
    PyInt elements = 1;
    for (PyInt size : shape(call)) {
      elements *= size;
    }
    return Value::integer(elements);
  };
  add("numel", "", count);
  add("nelement", "", count);
  add("dim", "", [shape](BuiltinCall &call) {
    return Value::integer(PyInt(shape(call).size()));
  });
  add("element_size", "", [](BuiltinCall &call) {
    const TileType type = call[0].sequence().find("dtype")->asType();
    return Value::integer(PyInt(std::max(1u, bitWidth(type.elem) / 8)));
  });
  add("is_contiguous", "", [](BuiltinCall &) { return Value::boolean(true); });
  add("size", "dim=None",
      [shape](BuiltinCall &call) { return dimension(call, shape(call)); });
  add("stride", "dim=None", [shape](BuiltinCall &call) {
    std::vector<PyInt> strides = shape(call);
    PyInt step = 1;
    for (PyInt &size : llvm::reverse(strides)) {
      step *= std::exchange(size, step);
    }
    return dimension(call, strides);
  });
}

void bindArrays(Registry &r) {
  bindLaunchArrays(r);
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
