//===- DeviceFixture.h - the device half over the fake driver -------------===//
//
// What   A platform, its first device and a stream; the fake driver's controls;
//        an error object as code and text.
// Why    Every test of the table begins with these.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_BACKENDS_NVIDIA_TEST_DEVICEFIXTURE_H
#define TERRAZZO_BACKENDS_NVIDIA_TEST_DEVICEFIXTURE_H

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "test/unit/abi/TableCalls.h"

#include "backends/nvidia/device/CudaDevice.h"
#include "backends/nvidia/test/FakeDriver.h"

#include <dlfcn.h>

namespace tz::nvidia::test {

/// What an error object said; released.
struct Told {
  int32_t code = TZ_E_OK, native = 0;
  uint32_t flags = 0;
  std::string text;

  Told(tz_error *error) {
    if (error) {
      code = error->code;
      native = error->native_code;
      flags = error->flags;
      text.assign(error->message.data, error->message.size);
      if (error->release) {
        error->release(error);
      }
    }
  }
};

inline FakeDriver &fakeDriver() {
  static FakeDriver *control = [] {
    void *library = dlopen(TZ_FAKE_DRIVER, RTLD_NOW | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, "fakeCudaDriver") : nullptr;
    FakeDriverEntry entry = nullptr;
    std::memcpy(&entry, &symbol, sizeof(entry));
    return entry ? entry() : nullptr;
  }();
  return *control;
}

/// The fake driver's kernels, as machine code for capability 90.
inline const std::string FakeCode = "\177ELF\n"
                                    "arch 90\n"
                                    "kernel add regs=32 params=8,8,8,4\n"
                                    "kernel empty regs=16\n"
                                    "kernel fault regs=16\n"
                                    "kernel fat regs=128 threads=512\n"
                                    "kernel staged regs=64 shared=1024\n"
                                    "kernel tiles regs=64 params=128,8\n"
                                    "global table 64\n";

class DeviceFixture : public testing::Test {
protected:
  const tz_device_api &api = deviceApi();
  const tz::test::TableCalls calls{api};
  tz_platform *platform = nullptr;
  tz_device *device = nullptr;
  tz_stream *stream = nullptr;
  FakeDriver &fake = fakeDriver();

  Told open() {
    static const std::string path = TZ_FAKE_DRIVER;
    tz_kv option{};
    option.key = plugin::str("driver");
    option.kind = TZ_KV_STR;
    option.str = plugin::str(path);
    return calls.create(nullptr, &option, 1, &platform);
  }

  void SetUp() override {
    fake.reset();
    Told made = open();
    ASSERT_EQ(made.code, TZ_E_OK) << made.text;
    tz_device *const *list = nullptr;
    size_t n = 0;
    ASSERT_EQ(Told(calls.devices(platform, &list, &n)).code, TZ_E_OK);
    ASSERT_EQ(n, 2u);
    device = list[0];
    ASSERT_EQ(Told(calls.createStream(device, 0, &stream)).code, TZ_E_OK);
  }
  void TearDown() override {
    api.stream_destroy(stream);
    api.destroy(platform);
  }

  tz_device *other() { return platform->handles[1]; }

  tz_dptr memory(uint64_t bytes) {
    tz_dptr out = 0;
    Told told = calls.allocate(device, TZ_MEM_DEVICE, bytes, 0, nullptr, &out);
    EXPECT_EQ(told.code, TZ_E_OK) << told.text;
    return out;
  }

  static tz_blob blob(std::string_view name, std::string_view format,
                      std::string_view bytes) {
    return {
        plugin::str(name), plugin::str(format), {bytes.data(), bytes.size()}};
  }

  Told load(std::vector<tz_blob> blobs, tz_module **out) {
    return calls.load(device, blobs.data(), blobs.size(), nullptr, out);
  }

  tz_module *load(const std::string &code = FakeCode) {
    tz_module *module = nullptr;
    Told told = load({blob("main", "cubin", code)}, &module);
    EXPECT_EQ(told.code, TZ_E_OK) << told.text;
    return module;
  }

  tz_kernel *kernel(tz_module *module, std::string_view name) {
    tz_kernel *out = nullptr;
    Told told = api.kernel_get(module, plugin::str(name), &out);
    EXPECT_EQ(told.code, TZ_E_OK) << told.text;
    return out;
  }

  static tz_launch request(uint32_t blocks = 1, uint32_t threads = 128) {
    tz_launch launch{};
    launch.struct_size = sizeof(launch);
    launch.grid[0] = blocks;
    launch.block[0] = threads;
    for (int i = 0; i < 3; ++i) {
      launch.grid[i] = std::max(launch.grid[i], 1u);
      launch.block[i] = std::max(launch.block[i], 1u);
      launch.cluster[i] = 1;
    }
    return launch;
  }
};

} // namespace tz::nvidia::test

#endif
