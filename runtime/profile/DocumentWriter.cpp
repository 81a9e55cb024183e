//===- DocumentWriter.cpp - JSON or MessagePack, piece by piece -----------===//
//
// What   See DocumentWriter.h.
// Why    The library writes numbers and text, whose forms have many cases.
//        Containers are a header or two marks each.
//===----------------------------------------------------------------------===//
#include "runtime/profile/DocumentWriter.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tz::runtime {

using Json = nlohmann::ordered_json;

static std::string dumped(const Json &scalar) {
  return scalar.dump(-1, ' ', false, Json::error_handler_t::replace);
}

template <class T>
static std::string textOf(const T &scalar) {
  return dumped(Json(scalar));
}

template <class T>
static std::string textOf(const std::vector<T> &items) {
  std::string text = "[";
  for (const T &item : items) {
    text += (text.size() > 1 ? "," : "") + dumped(Json(item));
  }
  return text + "]";
}

std::string jsonText(const MetricValue &value) {
  return std::visit([](const auto &one) { return textOf(one); }, value);
}

/// MessagePack's text is UTF-8, too.
static Json packable(const std::string &text) {
  return Json::parse(dumped(Json(text)));
}

template <class T>
static Json packable(T number) {
  return Json(number);
}

void DocumentWriter::packHeader(uint8_t few, uint8_t fewBits, uint8_t wide,
                                size_t count) {
  if (count < (size_t(1) << fewBits)) {
    buffer += char(few | count);
    return;
  }
  const bool isShort = count <= UINT16_MAX;
  buffer += char(wide + !isShort);
  for (int bits = isShort ? 8 : 24; bits >= 0; bits -= 8) {
    buffer += char(count >> bits);
  }
}

void DocumentWriter::begin(size_t count, bool isObject) {
  separate();
  if (!isPacked) {
    buffer += isObject ? '{' : '[';
  } else if (isObject) {
    packHeader(0x80, 4, 0xde, count);
  } else {
    packHeader(0x90, 4, 0xdc, count);
  }
  open.push_back({isObject, 0});
}

void DocumentWriter::end() {
  if (!isPacked) {
    buffer += open.back().isObject ? '}' : ']';
  }
  open.pop_back();
  pass();
}

/// What stands before a value or a key.
void DocumentWriter::separate() {
  if (!isBehindKey && !open.empty() && open.back().written++ && !isPacked) {
    buffer += ',';
  }
  isBehindKey = false;
}

void DocumentWriter::key(std::string_view name) {
  value(std::string(name));
  if (!isPacked) {
    buffer += ':';
  }
  isBehindKey = true;
}

void DocumentWriter::value(const MetricValue &value) {
  if (!isPacked) {
    separate();
    buffer += jsonText(value);
    return;
  }
  auto pack = [&](const auto &scalar) {
    separate();
    for (uint8_t byte : Json::to_msgpack(packable(scalar))) {
      buffer += char(byte);
    }
  };
  auto packAll = [&](const auto &items) {
    beginArray(items.size());
    for (const auto &item : items) {
      pack(item);
    }
    end();
  };
  struct Packer {
    decltype(pack) &one;
    decltype(packAll) &all;
    void operator()(int64_t number) { one(number); }
    void operator()(double number) { one(number); }
    void operator()(const std::string &text) { one(text); }
    void operator()(const std::vector<int64_t> &items) { all(items); }
    void operator()(const std::vector<double> &items) { all(items); }
  };
  std::visit(Packer{pack, packAll}, value);
}

/// Hands large pieces on.
void DocumentWriter::pass() {
  constexpr size_t atOnce = size_t(1) << 16;
  if (buffer.size() >= atOnce) {
    isTaken = isTaken && sink(buffer);
    buffer.clear();
  }
}

bool DocumentWriter::finish() {
  isTaken = isTaken && sink(buffer);
  buffer.clear();
  return isTaken;
}

} // namespace tz::runtime
