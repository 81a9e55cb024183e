//===- CaptureFuzz.cpp - any bytes as a captured launch -------------------===//
//
// What   Reads the bytes, and again behind a mark and a size that are right, so
//        that the description is reached.
// Why    The file comes from somebody else, and its arrays become memory.
//===----------------------------------------------------------------------===//
#include "runtime/capture/CaptureFile.h"

#include <cstdlib>

using namespace tz::runtime;

static void check(std::string_view bytes) {
  Result<CapturedLaunch> launch = readCapture(bytes);
  if (!launch) {
    if (launch.status().message().empty()) {
      std::abort(); // refused without a word
    }
    return;
  }
  for (const CapturedArray &array : launch->arrays) {
    if (array.hasContent && array.content.size() != array.bytes) {
      std::abort();
    }
  }
  for (const CapturedArgument &argument : launch->arguments) {
    if (argument.array >= int64_t(launch->arrays.size())) {
      std::abort();
    }
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string bytes(reinterpret_cast<const char *>(data), size);
  check(bytes);
  check("TZCAPT1\n" + std::to_string(size) + "\n" + bytes);
  return 0;
}
