//===- Cursor.h - bounded reading of what ByteWriter writes -----*- C++ -*-===//
//
// What   ByteReader takes back what ByteWriter has written, and remembers the
//        first failure.
// Why    Every check of a length against what is left stands here, once. After
//        a failure all reads give zero, so callers test once per record.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_WIRE_CURSOR_H
#define TERRAZZO_CORE_WIRE_CURSOR_H

#include "runtime/file/ByteWriter.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

#include <cstdint>
#include <string>

namespace tz::wire {

using runtime::ByteWriter;

class ByteReader {
public:
  ByteReader() = default;
  ByteReader(llvm::StringRef bytes, std::string &error)
      : bytes(bytes), error(&error) {}

  bool ok() const { return error && error->empty(); }
  bool atEnd() const { return offset == bytes.size(); }
  size_t remaining() const { return bytes.size() - offset; }

  void fail(const llvm::Twine &why) {
    if (ok()) {
      *error = why.str();
    }
    offset = bytes.size();
  }

  template <typename T>
  T fixed() {
    if (remaining() < sizeof(T)) {
      fail("ends too early");
      return 0;
    }
    uint64_t value = 0;
    for (unsigned i = 0; i < sizeof(T); ++i) {
      value |= uint64_t(uint8_t(bytes[offset++])) << (8 * i);
    }
    return T(value);
  }

  uint64_t number() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (atEnd()) {
        fail("ends too early");
        return 0;
      }
      uint8_t byte = uint8_t(bytes[offset++]);
      if (shift == 63 && byte > 1) {
        break;
      }
      value |= uint64_t(byte & 0x7f) << shift;
      if (!(byte & 0x80)) {
        if (byte == 0 && shift != 0) {
          break; // not the shortest form
        }
        return value;
      }
    }
    fail("a number is not in its shortest form or too large");
    return 0;
  }

  int64_t signedNumber() {
    uint64_t value = number();
    return int64_t(value >> 1) ^ -int64_t(value & 1);
  }

  /// A number of things of which each takes at least `least` bytes: more than
  /// fit in the rest is an error, so nothing is reserved for them.
  uint64_t count(size_t least = 1) {
    uint64_t value = number();
    if (value > remaining() / least) {
      fail("a count is larger than what is left of the section");
      return 0;
    }
    return value;
  }

  llvm::StringRef take(uint64_t size) {
    if (size > remaining()) {
      fail("ends too early");
      return {};
    }
    llvm::StringRef text = bytes.substr(offset, size);
    offset += size;
    return text;
  }

  llvm::StringRef string() { return take(count()); }

  /// An index into a table of `size` entries.
  uint64_t index(uint64_t size, const char *what) {
    uint64_t value = number();
    if (ok() && value >= size) {
      fail(llvm::Twine(what) + " " + llvm::Twine(value) + " of " +
           llvm::Twine(size) + " does not exist");
      return 0;
    }
    return value;
  }

private:
  llvm::StringRef bytes;
  size_t offset = 0;
  std::string *error = nullptr;
};

} // namespace tz::wire

#endif // TERRAZZO_CORE_WIRE_CURSOR_H
