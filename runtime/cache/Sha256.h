//===- Sha256.h - the hash of keys and contents ---------------------------===//
//
// What   SHA-256 (FIPS 180-4), incremental.
// Why    Cache entries, artifact files and manifests name content by hash, and
//        the runtime depends on no library that has one.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_CACHE_SHA256_H
#define TERRAZZO_RUNTIME_CACHE_SHA256_H

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace tz::runtime {

using Sha256 = std::array<uint8_t, 32>;

class Sha256Hasher {
public:
  void update(std::string_view bytes);
  Sha256 finish();

private:
  void block(const uint8_t *data);
  std::array<uint32_t, 8> state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<uint8_t, 64> pending{};
  uint64_t total = 0;
};

Sha256 sha256(std::string_view bytes);
std::string toHex(const Sha256 &hash);

} // namespace tz::runtime

#endif
