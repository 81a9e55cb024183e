//===- SyclStandIn.h - a SYCL runtime with what the tests need of it ------===//
//
// What   A queue as the stand-in knows it. Its address is what stands for a
//        sycl::queue *.
// Why    See SyclStandIn.cpp.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_INTEL_DEVICE_TEST_SYCLSTANDIN_H
#define TERRAZZO_PLUGINS_INTEL_DEVICE_TEST_SYCLSTANDIN_H

#include <cstdint>

namespace tz::intel::test {

struct StandInQueue {
  uintptr_t context = 0, device = 0, list = 0;
  char backend = 2; ///< Level Zero
  bool isInOrder = true, isList = true;
};

} // namespace tz::intel::test

#endif
