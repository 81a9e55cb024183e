//===- ValueFormat.cpp - format specifications of f-strings ---------------===//
//
// What   formatValue: Python's mini language for numbers and strings.
// Why    Kernels build names and messages with f-strings; a format that was
//        ignored would print something else than Python does.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/evaluate/Value.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace llvm;

namespace tz::frontend {

namespace {

struct Spec {
  char fill = ' ';
  char align = 0;
  char sign = '-';
  bool alternate = false, grouped = false;
  unsigned width = 0;
  int precision = -1;
  char type = 0;
};

bool isAlign(char c) { return c == '<' || c == '>' || c == '^' || c == '='; }

std::optional<Spec> parse(StringRef text) {
  Spec spec;
  if (text.size() > 1 && isAlign(text[1])) {
    spec.fill = text[0];
    spec.align = text[1];
    text = text.drop_front(2);
  } else if (!text.empty() && isAlign(text[0])) {
    spec.align = text[0];
    text = text.drop_front();
  }
  if (!text.empty() && StringRef("+- ").contains(text[0])) {
    spec.sign = text[0];
    text = text.drop_front();
  }
  spec.alternate = text.consume_front("#");
  if (text.consume_front("0") && !spec.align) {
    spec.fill = '0';
    spec.align = '=';
  }
  auto number = [&](unsigned &out) {
    StringRef digits = text.take_while([](char c) { return isDigit(c); });
    text = text.drop_front(digits.size());
    return digits.empty() || !digits.getAsInteger(10, out);
  };
  unsigned precision = 0;
  if (!number(spec.width)) {
    return std::nullopt;
  }
  spec.grouped = text.consume_front(",");
  if (text.consume_front(".")) {
    if (text.empty() || !isDigit(text[0]) || !number(precision)) {
      return std::nullopt;
    }
    spec.precision = int(std::min(precision, 1000u));
  }
  if (!text.empty()) {
    spec.type = text[0];
    text = text.drop_front();
  }
  bool known = !spec.type || StringRef("sdxXobeEfFgG%").contains(spec.type);
  if (!text.empty() || !known || spec.width > 1000 || spec.precision > 60) {
    return std::nullopt;
  }
  return spec;
}

bool isIntegerType(char type) { return StringRef("dxXob").contains(type); }

std::string integerDigits(PyInt value, char type) {
  unsigned base = type == 'x' || type == 'X' ? 16
                  : type == 'o'              ? 8
                  : type == 'b'              ? 2
                                             : 10;
  if (base == 10) {
    return toString(value);
  }
  std::string digits;
  for (unsigned __int128 rest = value; rest; rest /= base) {
    digits += hexdigit(unsigned(rest % base), type != 'X');
  }
  return digits.empty() ? "0" : std::string(digits.rbegin(), digits.rend());
}

void group(std::string &digits) {
  size_t end = digits.find_first_of(".e");
  end = end == std::string::npos ? digits.size() : end;
  for (size_t i = end; i > 3; i -= 3) {
    digits.insert(i - 3, ",");
  }
}

std::string floatDigits(double value, const Spec &spec) {
  char type = spec.type ? spec.type : 'g';
  std::string tail;
  if (type == '%') {
    value *= 100;
    type = 'f';
    tail = "%";
  }
  if (!spec.type && spec.precision < 0) {
    return repr(Value::number(value));
  }
  int precision = spec.precision < 0 ? 6 : spec.precision;
  char pattern[8] = {'%', '.', '*', type, 0};
  char buffer[512];
  snprintf(buffer, sizeof buffer, pattern, precision, value);
  return buffer + tail;
}

std::string pad(const std::string &sign, const std::string &body,
                const Spec &spec, char defaultAlign) {
  size_t size = sign.size() + body.size();
  size_t missing = spec.width > size ? spec.width - size : 0;
  char align = spec.align ? spec.align : defaultAlign;
  if (align == '=') {
    return sign + std::string(missing, spec.fill) + body;
  }
  size_t left = align == '>' ? missing : align == '^' ? missing / 2 : 0;
  return std::string(left, spec.fill) + sign + body +
         std::string(missing - left, spec.fill);
}

} // namespace

std::optional<std::string> formatValue(const Value &value, StringRef text) {
  std::optional<Spec> spec = parse(text);
  if (!spec) {
    return std::nullopt;
  }
  if (value.isNumber()) {
    bool integral =
        value.isIntegral() && (!spec->type || isIntegerType(spec->type));
    bool wrongType =
        spec->type == 's' || (!value.isIntegral() && isIntegerType(spec->type));
    if (wrongType || (integral && spec->precision >= 0) ||
        (!integral && std::abs(value.asFloat()) > 1e300)) {
      return std::nullopt;
    }
    bool negative =
        integral ? value.asInt() < 0 : std::signbit(value.asFloat());
    std::string sign = negative            ? "-"
                       : spec->sign != '-' ? std::string(1, spec->sign)
                                           : "";
    std::string body =
        integral ? integerDigits(negative ? -value.asInt() : value.asInt(),
                                 spec->type)
                 : floatDigits(std::abs(value.asFloat()), *spec);
    if (spec->grouped) {
      group(body);
    }
    if (spec->alternate && integral && spec->type && spec->type != 'd') {
      sign += std::string("0") + spec->type;
    }
    return pad(sign, body, *spec, '>');
  }
  if (spec->type && spec->type != 's') {
    return std::nullopt;
  }
  std::string shown = str(value);
  if (spec->precision >= 0 && size_t(spec->precision) < shown.size()) {
    shown.resize(spec->precision);
  }
  return pad("", shown, *spec, '<');
}

} // namespace tz::frontend
