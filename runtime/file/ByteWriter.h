//===- ByteWriter.h - numbers and texts as bytes --------------------------===//
//
// What   Appends numbers, in fixed width or short form, and texts to bytes.
// Why    Files, cache entries, keys and messages between our processes are
//        written by it, so all are little-endian and count in the same way.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_FILE_BYTEWRITER_H
#define TERRAZZO_RUNTIME_FILE_BYTEWRITER_H

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace tz::runtime {

class ByteWriter {
public:
  std::string bytes;

  /// All bytes of an integer, the lowest first.
  template <typename T>
  void fixed(T value) {
    static_assert(std::is_integral_v<T> || std::is_enum_v<T>);
    for (unsigned i = 0; i < sizeof(T); ++i) {
      bytes.push_back(char(uint64_t(value) >> (8 * i)));
    }
  }
  void fixed(double value) { fixed(std::bit_cast<uint64_t>(value)); }
  /// LEB128, shortest form.
  void number(uint64_t value) {
    while (value >= 0x80) {
      bytes.push_back(char(value | 0x80));
      value >>= 7;
    }
    bytes.push_back(char(value));
  }
  void signedNumber(int64_t value) {
    number((uint64_t(value) << 1) ^ uint64_t(value >> 63));
  }
  /// A text behind its size as number().
  void string(std::string_view text) {
    number(text.size());
    bytes.append(text);
  }
  /// A text behind its size in eight bytes.
  void fixedString(std::string_view text) {
    fixed(uint64_t(text.size()));
    bytes.append(text);
  }
};

} // namespace tz::runtime

#endif
