//===- ForeignContext.h - work in a context of the program's --------------===//
//
// What   A half's fixture with a wrapped context, and what must work in one.
// Why    A context may come with a queue, a list or an object of SYCL's; what
//        it is good for is the same.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_INTEL_DEVICE_TEST_FOREIGNCONTEXT_H
#define TERRAZZO_PLUGINS_INTEL_DEVICE_TEST_FOREIGNCONTEXT_H

#include "test/halves/HalfFixture.h"

#include <utility>

namespace tz::intel::test {

/// Half: ClForeign or ZeForeign.
template <typename Half>
struct ForeignContext : Half {
  /// Runs a kernel on a stream over `native` in the wrapped device, whose
  /// memory and kernels are no other device's.
  void expectToWork(const tz_native &native) {
    using halves::Packed, halves::Told;
    tz_device *const own = std::exchange(this->device, this->wrapped);
    tz_stream *const ownStream = std::exchange(this->stream, nullptr);
    const tz_stream_desc desc{sizeof(desc), nullptr, 0, 0, &native};
    const Told made =
        this->api.stream_create(this->wrapped, &desc, &this->stream);
    ASSERT_EQ(made.code, TZ_E_OK) << made.text;
    const tz_dptr a = this->upload(std::vector<float>{1, 2}),
                  out = this->memory(8);
    const Packed packed = Packed() << a << a << out << int32_t(2);
    tz_kernel *const add = this->kernel("add");
    const Told ran = this->launch(add, packed, 2);
    EXPECT_EQ(ran.code, TZ_E_OK) << ran.text;
    EXPECT_EQ(this->template download<float>(out, 2),
              (std::vector<float>{2, 4}));
    tz_mem_info info{};
    info.struct_size = sizeof(info);
    EXPECT_EQ(Told(this->api.mem_info(this->platform, out, &info)).code,
              TZ_E_OK);
    EXPECT_EQ(info.device, this->wrapped);
    EXPECT_EQ(info.context, this->context);

    tz_stream *const foreign = std::exchange(this->stream, ownStream);
    const Told mixed = this->launch(add, packed, 2);
    EXPECT_EQ(mixed.code, TZ_E_INVALID_ARGUMENT);
    EXPECT_EQ(mixed.text, "kernel 'add' was loaded on " + this->wrapped->label +
                              ", the stream belongs to intel:0");
    EXPECT_EQ(Told(this->api.mem_free(own, out, nullptr)).code,
              TZ_E_INVALID_ARGUMENT);
    for (tz_dptr memory : {a, out}) {
      EXPECT_EQ(Told(this->api.mem_free(this->wrapped, memory, nullptr)).code,
                TZ_E_OK);
    }
    this->api.stream_destroy(foreign);
    this->api.module_unload(std::exchange(this->module, nullptr));
    this->device = own;
  }
};

} // namespace tz::intel::test

#endif
