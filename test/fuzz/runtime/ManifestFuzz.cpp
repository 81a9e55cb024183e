//===- ManifestFuzz.cpp - any bytes as a plugin manifest ------------------===//
//
// What   Parses; what is accepted is complete and can be checked further.
// Why    A manifest is read before anything is trusted.
//===----------------------------------------------------------------------===//
#include "runtime/loader/Manifest.h"

#include <cstdlib>

using namespace tz::runtime;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Result<Manifest> m = parseManifest(
      {reinterpret_cast<const char *>(data), size}, "/plugins/fuzz.json");
  if (!m) {
    if (m.status().message().empty()) {
      std::abort(); // refused without a word
    }
    return 0;
  }
  bool complete = !m->name.empty() &&
                  (!m->compilerLibrary.empty() || !m->deviceLibraries.empty());
  if (!complete) {
    std::abort();
  }
  (void)checkManifest(*m);
  return 0;
}
