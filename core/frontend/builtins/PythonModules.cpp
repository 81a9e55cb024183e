//===- PythonModules.cpp - math, packaging.version, os.environ ------------===//
//
// What   Names of Python's modules that kernels' files ask for.
// Why    See PythonFunctions.cpp.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/builtins/Builtins.h"
#include "core/frontend/evaluate/Evaluator.h"
#include "core/frontend/evaluate/ModuleSource.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace llvm;

namespace tz::frontend {

/// "; use tl.sqrt for run-time values", if the language has that function.
static std::string forTiles(const BuiltinCall &call, StringRef name) {
  auto &members = call.evaluator.builtins().module("triton.language")->members;
  return call[0].isTile() && members.count(name)
             ? "; use tl." + name.str() + " for run-time values"
             : "";
}

/// Where Python raises: a finite number has no finite result.
static Value finite(BuiltinCall &call, double result, bool isExpected) {
  return std::isfinite(result) || !isExpected
             ? Value::number(result)
             : call.error(call.builtin.name + " gives no finite number here");
}

static void bindMath(Registry &r) {
  r.set("math", "pi", Value::number(M_PI));
  r.set("math", "e", Value::number(M_E));
  r.set("math", "inf", Value::number(INFINITY));
  r.set("math", "nan", Value::number(NAN));
  auto unary = [&](StringRef name, double (*fn)(double)) {
    r.addHost("math", name, "x", [fn, name](BuiltinCall &call) {
      return call[0].isNumber()
                 ? finite(call, fn(call[0].asFloat()),
                          std::isfinite(call[0].asFloat()))
                 : call.error(0, call.builtin.name +
                                     " needs a number known at compile time, "
                                     "found " +
                                     describe(call[0]) + forTiles(call, name));
    });
  };
  unary("sqrt", [](double x) { return std::sqrt(x); });
  unary("exp", [](double x) { return std::exp(x); });
  unary("log2", [](double x) { return std::log2(x); });
  unary("log10", [](double x) { return std::log10(x); });
  unary("sin", [](double x) { return std::sin(x); });
  unary("cos", [](double x) { return std::cos(x); });
  unary("fabs", [](double x) { return std::fabs(x); });
  r.addHost("math", "log", "x, base=None", [](BuiltinCall &call) {
    if (!call[0].isNumber() || !(call[1].isNone() || call[1].isNumber())) {
      return call.error("math.log needs numbers known at compile time" +
                        forTiles(call, "log"));
    }
    const bool isPlain = call[1].isNone();
    const double value = std::log(call[0].asFloat());
    return finite(call, isPlain ? value : value / std::log(call[1].asFloat()),
                  std::isfinite(call[0].asFloat()) &&
                      (isPlain || std::isfinite(call[1].asFloat())));
  });
  r.addHost("math", "pow", "x, y", [](BuiltinCall &call) {
    if (!call[0].isNumber() || !call[1].isNumber()) {
      return call.error("math.pow needs numbers known at compile time");
    }
    const double x = call[0].asFloat(), y = call[1].asFloat();
    return finite(call, std::pow(x, y), std::isfinite(x) && std::isfinite(y));
  });
  auto rounding = [&](StringRef name, double (*fn)(double)) {
    r.addHost("math", name, "x", [fn, name](BuiltinCall &call) {
      double value = call[0].isNumber() ? fn(call[0].asFloat()) : NAN;
      return std::abs(value) < 0x1p100
                 ? Value::integer(PyInt(value))
                 : call.error(call.builtin.name +
                              " needs a finite number known at compile time" +
                              forTiles(call, name));
    });
  };
  rounding("ceil", [](double x) { return std::ceil(x); });
  rounding("floor", [](double x) { return std::floor(x); });
  rounding("trunc", [](double x) { return std::trunc(x); });
}

/// Versions are compared: (3, 6) is less than (3, 10), and equal to (3, 6, 0).
static Value parseVersion(BuiltinCall &call) {
  if (!call[0].is(ValueKind::String)) {
    return call[0].is(ValueKind::Record)
               ? call[0]
               : call.error("a version is written as a text");
  }
  auto fields = std::make_shared<SequenceObject>();
  fields->className = "Version";
  fields->names = {"major", "minor", "micro"};
  StringRef rest = call[0].asString();
  for (size_t i = 0; i < fields->names.size(); ++i) {
    StringRef digits = rest.take_while(isDigit);
    unsigned number = 0;
    if (digits.getAsInteger(10, number) && i == 0) {
      return call.error("no version: " + repr(call[0]));
    }
    fields->items.push_back(Value::integer(number));
    rest = rest.drop_front(digits.size());
    rest = rest.consume_front(".") ? rest : StringRef();
  }
  return Value::record(std::move(fields));
}

static void bindVersions(Registry &r) {
  r.addHost("packaging.version", "Version", "version", parseVersion);
  r.addHost("packaging.version", "parse", "version", parseVersion);
  r.makeModule("packaging");
}

/// os.environ.get(name, default), os.getenv(name, default).
static Value readEnvironment(BuiltinCall &call) {
  if (!call[0].is(ValueKind::String)) {
    return call.error(0, "a variable's name is a string");
  }
  auto value = call.evaluator.modules().environment(call[0].asString());
  return value ? Value::string(*value) : call[1];
}

static void bindEnvironment(Registry &r) {
  const char *parameters = "key, default=None";
  r.addHost("os", "getenv", parameters, readEnvironment);
  r.addHost("os.environ", "get", parameters, readEnvironment);
  r.makeModule("os")->isPartial = true;
  r.makeModule("os.environ")->isPartial = true;
}

void bindPythonModules(Registry &registry) {
  bindMath(registry);
  bindVersions(registry);
  bindEnvironment(registry);
}

} // namespace tz::frontend
