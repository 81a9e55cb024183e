//===- TestCode.h - the kernels of the tests, as SPIR-V -------------------===//
//
// What   spirv() reads what llc made of kernels.ll and call.ll.
// Why    Tests of both halves, and of what reads SPIR-V, take the same code.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_INTEL_DEVICE_TEST_TESTCODE_H
#define TERRAZZO_PLUGINS_INTEL_DEVICE_TEST_TESTCODE_H

#include "test/halves/HalfFixture.h"

namespace tz::intel::test {

/// "kernels" or "call".
inline std::string spirv(const std::string &name = "kernels") {
  return halves::bytesOf(std::string(TZ_TEST_KERNELS) + "/" + name + ".spv");
}

} // namespace tz::intel::test

#endif
