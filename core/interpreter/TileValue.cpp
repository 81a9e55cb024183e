//===- TileValue.cpp - a scalar or a tile at run time ---------------------===//
//
// What   Storage, and the conversions between elements and lanes.
// Why    The only loops that are written per element type are here.
//
//===----------------------------------------------------------------------===//
#include "core/interpreter/TileValue.h"

#include <cstring>

namespace tz::interpreter {

TileValue::TileValue(Kind kind, int64_t count)
    : elementKind(kind), elements(count) {
  const size_t size = static_cast<size_t>(count) * bytesOf(kind);
  if (size > sizeof(local)) {
    heap = std::make_shared<std::byte[]>(size);
  }
}

TileValue TileValue::recast(Kind kind) const {
  TileValue copy = *this;
  copy.elementKind = kind;
  copy.bounds = nullptr;
  return copy;
}

/// Calls `body` with a value of the unsigned type that stores the kind.
template <typename Body>
static auto withStorage(Kind kind, Body body) {
  switch (bytesOf(kind)) {
  case 1:
    return body(uint8_t{});
  case 2:
    return body(uint16_t{});
  case 4:
    return body(uint32_t{});
  default:
    return body(uint64_t{});
  }
}

uint64_t TileValue::bitsAt(int64_t index) const {
  return withStorage(elementKind, [&](auto word) -> uint64_t {
    return data<decltype(word)>()[index];
  });
}

void TileValue::setBits(int64_t index, uint64_t bits) {
  withStorage(elementKind, [&](auto word) {
    dataForWriting<decltype(word)>()[index] = static_cast<decltype(word)>(bits);
  });
}

Floats floatLanes(const TileValue &value) {
  Floats lanes(value.count());
  const Kind kind = value.kind();
  if (kind == Kind::F32) {
    const auto *data = value.data<float>();
    std::copy(data, data + value.count(), lanes.begin());
    return lanes;
  }
  withStorage(kind, [&](auto word) {
    const auto *data = value.data<decltype(word)>();
    for (size_t i = 0; i < lanes.size(); ++i) {
      lanes[i] = decodeFloat(kind, data[i]);
    }
  });
  return lanes;
}

Signed signedLanes(const TileValue &value) {
  Signed lanes(value.count());
  withStorage(value.kind(), [&](auto word) {
    using Storage = std::make_signed_t<decltype(word)>;
    const auto *data = value.data<Storage>();
    const bool isBool = value.kind() == Kind::I1;
    for (size_t i = 0; i < lanes.size(); ++i) {
      lanes[i] = isBool ? -static_cast<int64_t>(data[i]) : data[i];
    }
  });
  return lanes;
}

Unsigned unsignedLanes(const TileValue &value) {
  Unsigned lanes(value.count());
  withStorage(value.kind(), [&](auto word) {
    const auto *data = value.data<decltype(word)>();
    std::copy(data, data + value.count(), lanes.begin());
  });
  return lanes;
}

TileValue fromFloats(Kind kind, llvm::ArrayRef<double> lanes,
                     RoundTo rounding) {
  TileValue value(kind, static_cast<int64_t>(lanes.size()));
  withStorage(kind, [&](auto word) {
    auto *data = value.dataForWriting<decltype(word)>();
    for (size_t i = 0; i < lanes.size(); ++i) {
      data[i] =
          static_cast<decltype(word)>(encodeFloat(kind, lanes[i], rounding));
    }
  });
  return value;
}

TileValue fromIntegers(Kind kind, llvm::ArrayRef<uint64_t> lanes) {
  TileValue value(kind, static_cast<int64_t>(lanes.size()));
  withStorage(kind, [&](auto word) {
    auto *data = value.dataForWriting<decltype(word)>();
    const uint64_t keep = kind == Kind::I1 ? 1 : ~uint64_t{0};
    for (size_t i = 0; i < lanes.size(); ++i) {
      data[i] = static_cast<decltype(word)>(lanes[i] & keep);
    }
  });
  return value;
}

} // namespace tz::interpreter
