//===- TableCalls.h - functions of tz.device/1 with plain arguments -------===//
//
// What   Fills the descriptors of a call of the table.
// Why    Tests call each function many times, with one or two arguments that
//        matter.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_TEST_UNIT_ABI_TABLECALLS_H
#define TERRAZZO_TEST_UNIT_ABI_TABLECALLS_H

#include <terrazzo/plugin.h>

namespace tz::test {

/// Over the table of one half, as long as that.
struct TableCalls {
  const tz_device_api &api;

  tz_error *create(const tz_host *host, const tz_kv *options, size_t count,
                   tz_platform **out) const {
    tz_create_desc desc{};
    desc.struct_size = sizeof(desc);
    desc.host = host;
    desc.options = options;
    desc.num_options = count;
    return api.create(&desc, out);
  }
  tz_error *devices(tz_platform *platform, tz_device *const **out,
                    size_t *count) const {
    return api.devices(platform, TZ_DEVICES_REAL, out, count);
  }
  tz_error *allocate(tz_device *device, uint32_t kind, uint64_t size,
                     uint64_t align, tz_stream *stream, tz_dptr *out) const {
    const tz_memory_desc desc{sizeof(desc), nullptr, kind,  0,
                              size,         align,   stream};
    return api.mem_alloc(device, &desc, out);
  }
  tz_error *createStream(tz_device *device, int32_t priority,
                         tz_stream **out) const {
    const tz_stream_desc desc{sizeof(desc), nullptr, 0, priority, nullptr};
    return api.stream_create(device, &desc, out);
  }
  tz_error *wrapStream(tz_device *device, void *object, tz_stream **out,
                       const char *kind = nullptr,
                       void *context = nullptr) const {
    const tz_native native{sizeof(native), kind, context, nullptr, object};
    const tz_stream_desc desc{sizeof(desc), nullptr, 0, 0, &native};
    return api.stream_create(device, &desc, out);
  }
  tz_error *createEvent(tz_device *device, uint32_t flags,
                        tz_event **out) const {
    const tz_event_desc desc{sizeof(desc), nullptr, flags, 0, nullptr};
    return api.event_create(device, &desc, out);
  }
  tz_error *load(tz_device *device, const tz_blob *blobs, size_t count,
                 const tz_ext *next, tz_module **out) const {
    const tz_module_desc desc{sizeof(desc), next,    blobs,
                              count,        nullptr, nullptr};
    return api.module_load(device, &desc, out);
  }
};

} // namespace tz::test

#endif
