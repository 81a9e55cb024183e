//===- ArtifactFuzz.cpp - any bytes as an artifact file -------------------===//
//
// What   Reads the bytes, and again with the hash and size made right, so that
//        the fields behind the hash are reached; what is accepted is written
//        and read back to the same bytes.
// Why    Loading an artifact is loading code.
//===----------------------------------------------------------------------===//
#include "runtime/cache/Sha256.h"
#include "runtime/launch/RuntimeArtifact.h"

#include <cstdlib>
#include <cstring>

using namespace tz::runtime;

static void check(std::string_view bytes) {
  Result<Artifact> artifact = Artifact::read(bytes);
  if (!artifact) {
    return;
  }
  std::string again = artifact->write();
  Result<Artifact> twice = Artifact::read(again);
  if (!twice || twice->write() != again) {
    std::abort();
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string bytes(reinterpret_cast<const char *>(data), size);
  check(bytes);
  constexpr size_t header = 56;
  if (size >= header) {
    uint64_t length = size - header;
    Sha256 hash = sha256(std::string_view(bytes).substr(header));
    std::memcpy(bytes.data(), "TZARTIF\n", 8);
    bytes[8] = 2;
    std::memset(bytes.data() + 9, 0, 7);
    std::memcpy(bytes.data() + 16, &length, 8);
    std::memcpy(bytes.data() + 24, hash.data(), 32);
    check(bytes);
  }
  return 0;
}
