//===- terrazzo/plugin/Device.h - a device half as a class ----------------===//
//
// What   Derive from Device (and Stream, Module, Event, Kernel); deviceTable<
//        Yours>() is the tz_device_api that get_interface("tz.device/1")
//        answers. Yours::enumerate(host) lists the devices.
// Why    Handles, out-parameters and exceptions are handled once, here.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGIN_DEVICE_H
#define TERRAZZO_PLUGIN_DEVICE_H

#include <terrazzo/plugin/Compiler.h>

namespace tz::plugin {

/// Functions throw Failure (or anything) to fail.
struct Event {
  virtual ~Event() = default;
  virtual bool query() = 0;
  /// Throws TZ_E_TIMEOUT.
  virtual void synchronize(uint64_t timeoutNs) = 0;
  virtual uint64_t elapsedNs(Event &stop) = 0;
};

struct Code {
  virtual ~Code() = default;
};

struct Module {
  virtual ~Module() = default;
  /// Null: not in it. Owns: the module.
  virtual Code *find(std::string_view kernel) = 0;
};

/// One thread at a time; what it is given happens in order.
struct Stream {
  virtual ~Stream() = default;
  virtual void copy(tz_dptr to, tz_dptr from, uint64_t bytes,
                    uint32_t kind) = 0;
  virtual void fill(tz_dptr to, uint64_t bytes, uint32_t pattern,
                    uint32_t patternBytes) = 0;
  virtual void launch(Code &kernel, const tz_launch &launch) = 0;
  virtual void synchronize() = 0;
  virtual void record(Event &event) = 0;
  virtual void wait(Event &event) = 0;
};

/// Any thread.
struct Device {
  virtual ~Device() = default;
  /// Strings live as long as the device.
  virtual tz_device_info describe() = 0;
  virtual tz_dptr allocate(uint32_t kind, uint64_t size, uint64_t align) = 0;
  virtual void free(tz_dptr memory) = 0;
  virtual std::unique_ptr<Stream> createStream(int32_t priority) = 0;
  virtual std::unique_ptr<Event> createEvent(bool timing) = 0;
  virtual std::unique_ptr<Module> load(const tz_blob *blobs, size_t count) = 0;
  /// Throws TZ_E_FAILED_PRECONDITION with the reason.
  virtual void checkArtifact(std::string_view compat) {}
  /// Throws TZ_E_FAILED_PRECONDITION if this device cannot run code for the
  /// target, with the reason; TZ_E_NOT_FOUND if there is no such target.
  virtual void checkTarget(std::string_view target) {}
};

namespace detail {

// One cast per handle type: a handle is the address of the object's base.
inline Device &object(tz_device *h) { return *reinterpret_cast<Device *>(h); }
inline Stream &object(tz_stream *h) { return *reinterpret_cast<Stream *>(h); }
inline Event &object(tz_event *h) { return *reinterpret_cast<Event *>(h); }
inline Module &object(tz_module *h) { return *reinterpret_cast<Module *>(h); }
inline Code &object(tz_kernel *h) { return *reinterpret_cast<Code *>(h); }

struct PlatformBox {
  std::vector<std::unique_ptr<Device>> devices;
  std::vector<tz_device *> handles;
};

template <typename T>
tz_device_api makeDeviceTable() {
  tz_device_api t{};
  t.struct_size = sizeof(t);
  t.create = [](const tz_host *host, const tz_kv *, size_t,
                tz_platform **out) -> tz_error * {
    return guarded([&] {
      auto made = std::make_unique<PlatformBox>();
      made->devices = T::enumerate(host);
      for (auto &device : made->devices) {
        made->handles.push_back(reinterpret_cast<tz_device *>(device.get()));
      }
      *out = reinterpret_cast<tz_platform *>(made.release());
    });
  };
  t.destroy = [](tz_platform *p) { delete reinterpret_cast<PlatformBox *>(p); };
  t.devices = [](tz_platform *p, tz_device *const **out,
                 size_t *n) -> tz_error * {
    auto *box = reinterpret_cast<PlatformBox *>(p);
    *out = box->handles.data();
    *n = box->handles.size();
    return nullptr;
  };
  t.device_info = [](tz_device *d, tz_device_info *out) -> tz_error * {
    return guarded([&] { tz::plugin::fill(out, object(d).describe()); });
  };
  t.check_artifact = [](tz_device *d, tz_str compat) -> tz_error * {
    return guarded([&] { object(d).checkArtifact(view(compat)); });
  };
  t.check_target = [](tz_device *d, tz_str target) -> tz_error * {
    return guarded([&] { object(d).checkTarget(view(target)); });
  };
  t.mem_alloc = [](tz_device *d, uint32_t kind, uint64_t size, uint64_t align,
                   tz_stream *, tz_dptr *out) -> tz_error * {
    return guarded(
        [&] { *out = object(d).allocate(kind, size, align ? align : 256); });
  };
  t.mem_free = [](tz_device *d, tz_dptr memory, tz_stream *s) -> tz_error * {
    return guarded([&] {
      if (s) {
        object(s).synchronize();
      }
      object(d).free(memory);
    });
  };
  t.copy = [](tz_stream *s, tz_dptr to, tz_dptr from, uint64_t n,
              uint32_t kind) -> tz_error * {
    return guarded([&] { object(s).copy(to, from, n, kind); });
  };
  t.fill = [](tz_stream *s, tz_dptr to, uint64_t n, uint32_t pattern,
              uint32_t bytes) -> tz_error * {
    return guarded([&] { object(s).fill(to, n, pattern, bytes); });
  };
  t.stream_create = [](tz_device *d, uint32_t, int32_t priority,
                       tz_stream **out) -> tz_error * {
    return guarded([&] {
      *out = reinterpret_cast<tz_stream *>(
          object(d).createStream(priority).release());
    });
  };
  t.stream_destroy = [](tz_stream *s) {
    if (s) {
      // A fault that nobody asked about any more is dropped with the stream.
      tz_error *error = guarded([&] { object(s).synchronize(); });
      if (error && error->release) {
        error->release(error);
      }
      delete &object(s);
    }
  };
  t.stream_sync = [](tz_stream *s) -> tz_error * {
    return guarded([&] { object(s).synchronize(); });
  };
  t.stream_wait = [](tz_stream *s, tz_event *e) -> tz_error * {
    return guarded([&] { object(s).wait(object(e)); });
  };
  t.event_create = [](tz_device *d, uint32_t flags,
                      tz_event **out) -> tz_error * {
    return guarded([&] {
      *out = reinterpret_cast<tz_event *>(
          object(d).createEvent(flags & TZ_EVENT_TIMING).release());
    });
  };
  t.event_destroy = [](tz_event *e) { delete reinterpret_cast<Event *>(e); };
  t.event_record = [](tz_event *e, tz_stream *s) -> tz_error * {
    return guarded([&] { object(s).record(object(e)); });
  };
  t.event_query = [](tz_event *e, int32_t *done) -> tz_error * {
    return guarded([&] { *done = object(e).query(); });
  };
  t.event_sync = [](tz_event *e, uint64_t timeout) -> tz_error * {
    return guarded([&] { object(e).synchronize(timeout); });
  };
  t.event_elapsed_ns = [](tz_event *start, tz_event *stop,
                          uint64_t *out) -> tz_error * {
    return guarded([&] { *out = object(start).elapsedNs(object(stop)); });
  };
  t.module_load = [](tz_device *d, const tz_blob *blobs, size_t n,
                     const tz_ext *, tz_module **out) -> tz_error * {
    return guarded([&] {
      *out = reinterpret_cast<tz_module *>(object(d).load(blobs, n).release());
    });
  };
  t.module_unload = [](tz_module *m) { delete reinterpret_cast<Module *>(m); };
  t.kernel_get = [](tz_module *m, tz_str name, tz_kernel **out) -> tz_error * {
    return guarded([&] {
      Code *code = object(m).find(view(name));
      if (!code) {
        throw Failure(TZ_E_NOT_FOUND, "no kernel '" + std::string(view(name)) +
                                          "' in the module");
      }
      *out = reinterpret_cast<tz_kernel *>(code);
    });
  };
  t.launch = [](tz_stream *s, tz_kernel *k, const tz_launch *l) -> tz_error * {
    return guarded([&] { object(s).launch(object(k), *l); });
  };
  return t;
}

} // namespace detail

template <typename T>
const tz_device_api *deviceTable() {
  static const tz_device_api table = detail::makeDeviceTable<T>();
  return &table;
}

} // namespace tz::plugin

#endif
