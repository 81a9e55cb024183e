//===- ClForeign.h - a context of the program's, over OpenCL --------------===//
//
// What   A context with a queue, made as a program makes them.
// Why    ForeignTest.cpp asks both halves the same of such objects.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_INTEL_DEVICE_TEST_CLFOREIGN_H
#define TERRAZZO_PLUGINS_INTEL_DEVICE_TEST_CLFOREIGN_H

#include "plugins/intel/device/test/ClFixture.h"

namespace tz::intel::test {

struct ClForeign : ClFixture {
  void SetUp() override {
    ClFixture::SetUp();
    if (IsSkipped()) {
      return;
    }
    begin();
    native = driver()
                 .devices(driver().platforms().front(), CL_DEVICE_TYPE_GPU)
                 .front();
    cl_int result = CL_SUCCESS;
    context = driver().clCreateContext(nullptr, 1, &native, nullptr, nullptr,
                                       &result);
    ASSERT_EQ(result, CL_SUCCESS);
    queue = makeQueue(CL_QUEUE_PROFILING_ENABLE);
  }
  void TearDown() override {
    if (wrapped) {
      api.device_release(wrapped);
    }
    if (queue) {
      EXPECT_EQ(driver().clFinish(queue), CL_SUCCESS) << "it still works";
      driver().clReleaseCommandQueue(queue);
    }
    if (context) {
      driver().clReleaseContext(context);
    }
    ClFixture::TearDown();
  }
  const ClDriver &driver() { return platform->driver; }
  cl_command_queue makeQueue(cl_command_queue_properties flags) {
    const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, flags, 0};
    cl_int result = CL_SUCCESS;
    cl_command_queue made = driver().clCreateCommandQueueWithProperties(
        context, native, properties, &result);
    EXPECT_EQ(result, CL_SUCCESS);
    return made;
  }

  Told wrapDevice(void *of, const char *kind = "opencl") {
    const tz_native given{sizeof(given), kind, of, nullptr, nullptr};
    return api.device_wrap(platform, &given, &wrapped);
  }
  Told wrapContext() { return wrapDevice(context); }
  /// The queue, for stream_create.
  tz_native streamNative() const {
    return {sizeof(tz_native), "opencl", nullptr, nullptr, queue};
  }
  void *allocateHost(size_t bytes) {
    cl_int result = CL_SUCCESS;
    void *const made =
        extensions().clHostMemAllocINTEL(context, nullptr, bytes, 0, &result);
    EXPECT_EQ(result, CL_SUCCESS);
    return made;
  }
  void freeHost(void *memory) {
    EXPECT_EQ(extensions().clMemFreeINTEL(context, memory), CL_SUCCESS);
  }

  cl_device_id native = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  tz_device *wrapped = nullptr;

private:
  ClExtensions extensions() {
    return ClExtensions(driver(), driver().platforms().front());
  }
};

using ForeignUnderTest = ClForeign;

} // namespace tz::intel::test

#endif
