//===- FakeCuptiControl.h - the mock of CUPTI that tests load ---*- C++ -*-===//
//
// What   The control of the shared object that tests load in CUPTI's place.
// Why    Tests of records and of samples share one mock in one process.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_BACKENDS_NVIDIA_TEST_FAKECUPTICONTROL_H
#define TERRAZZO_BACKENDS_NVIDIA_TEST_FAKECUPTICONTROL_H

#include "backends/nvidia/test/FakeCupti.h"

#include <cstring>
#include <dlfcn.h>

namespace tz::nvidia::test {

inline FakeCupti &fakeCuptiControl() {
  static FakeCupti *control = [] {
    void *library = dlopen(TZ_FAKE_CUPTI, RTLD_NOW | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, "fakeCupti") : nullptr;
    FakeCuptiEntry entry = nullptr;
    std::memcpy(&entry, &symbol, sizeof(entry));
    return entry ? entry() : nullptr;
  }();
  return *control;
}

} // namespace tz::nvidia::test

#endif // TERRAZZO_BACKENDS_NVIDIA_TEST_FAKECUPTICONTROL_H
