//===- ClShim.h - the controls of the OpenCL library of the tests ---------===//
//
// What   What the library in front of the real one changes: a CPU that says it
//        is a GPU, an extension that is not told of, a call that fails.
// Why    What a machine lacks cannot be taken away from a real driver.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_INTEL_DEVICE_TEST_CLSHIM_H
#define TERRAZZO_PLUGINS_INTEL_DEVICE_TEST_CLSHIM_H

#include <atomic>
#include <cstdint>
#include <string>

namespace tz::intel::test {

struct ClShim {
  bool isGpu = false; ///< CPUs say that they are GPUs
  bool hasNoPlatform = false;
  uint32_t deviceId = 0; ///< on the bus; 0: the real answer
  std::string hidden;    ///< an extension that is not told of
  std::string ilVersion; ///< in place of the real one, if hidesIl
  bool hidesIl = false;
  std::string failing; ///< the function that fails
  int32_t result = 0;  ///< with this
  std::string log;     ///< what it writes, if it is clBuildProgram
  std::string options; ///< of the last clBuildProgram, which does not get them
  uint64_t memoryFlags = 0; ///< the same of clDeviceMemAllocINTEL
  /// Calls by which two threads used one kernel object at once.
  std::atomic<int> shared{0};
  std::atomic<int> platformCalls{0};
  std::atomic<int> compiled{0}; ///< programs that were made of SPIR-V

  void reset() {
    isGpu = hasNoPlatform = hidesIl = false;
    deviceId = 0;
    hidden = ilVersion = failing = log = options = "";
    result = 0;
    memoryFlags = 0;
    shared = platformCalls = compiled = 0;
  }
};

/// The symbol "clShim" of the library.
using ClShimEntry = ClShim *(*)();

} // namespace tz::intel::test

#endif
