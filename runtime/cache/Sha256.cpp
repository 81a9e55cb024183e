//===- Sha256.cpp - the hash of keys and contents -------------------------===//
//
// What   SHA-256 as FIPS 180-4 writes it.
// Why    See Sha256.h. Speed does not matter: artifacts are kilobytes.
//===----------------------------------------------------------------------===//
#include "runtime/cache/Sha256.h"

#include <bit>
#include <cstring>

namespace tz::runtime {

static constexpr std::array<uint32_t, 64> Rounds = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

void Sha256Hasher::block(const uint8_t *data) {
  std::array<uint32_t, 64> w;
  for (int i = 0; i < 16; ++i) {
    w[i] = uint32_t(data[4 * i]) << 24 | uint32_t(data[4 * i + 1]) << 16 |
           uint32_t(data[4 * i + 2]) << 8 | data[4 * i + 3];
  }
  for (int i = 16; i < 64; ++i) {
    uint32_t s0 =
        std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    uint32_t s1 =
        std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (int i = 0; i < 64; ++i) {
    uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + Rounds[i] + w[i];
    uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const std::array<uint32_t, 8> add{a, b, c, d, e, f, g, h};
  for (int i = 0; i < 8; ++i) {
    state[i] += add[i];
  }
}

void Sha256Hasher::update(std::string_view bytes) {
  if (bytes.empty()) {
    return; // its data may be null, which memcpy does not take
  }
  const auto *data = reinterpret_cast<const uint8_t *>(bytes.data());
  size_t size = bytes.size(), held = total % 64;
  total += size;
  if (held) {
    size_t n = std::min(size, 64 - held);
    std::memcpy(pending.data() + held, data, n);
    data += n;
    size -= n;
    if (held + n < 64) {
      return;
    }
    block(pending.data());
  }
  for (; size >= 64; data += 64, size -= 64) {
    block(data);
  }
  if (size) {
    std::memcpy(pending.data(), data, size);
  }
}

Sha256 Sha256Hasher::finish() {
  uint64_t bits = total * 8;
  static const char padding[64] = {char(0x80)};
  update({padding, 1 + (119 - total % 64) % 64});
  char length[8];
  for (int i = 0; i < 8; ++i) {
    length[i] = char(bits >> (56 - 8 * i));
  }
  update({length, 8});
  Sha256 out;
  for (int i = 0; i < 32; ++i) {
    out[i] = uint8_t(state[i / 4] >> (24 - 8 * (i % 4)));
  }
  return out;
}

Sha256 sha256(std::string_view bytes) {
  Sha256Hasher hasher;
  hasher.update(bytes);
  return hasher.finish();
}

std::string toHex(const Sha256 &hash) {
  std::string text;
  for (uint8_t byte : hash) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

} // namespace tz::runtime
