//===- terrazzo/plugin/DeviceTable.h - tz_device_api of C++ functions -----===//
//
// What   deviceTableOf<Half>() is the tz_device_api over static functions of
//        Half. They take references and throw Failure; one that Half has not is
//        NULL in the table.
// Why    Handles, struct sizes, out-parameters and exceptions are dealt with
//        here for all slots, without a virtual call on the way to a launch.
//
// A half with classes of its own begins at Device.h, which is made of this.
//
// Half names the types behind the handles: Platform, Device, Stream, Event,
// Module, Kernel (OwnHandles, if they are the handles themselves). A handle is
// the address of such an object. Functions; those behind the line are optional:
//   std::unique_ptr<Platform> create(const tz_create_desc &)
//   std::span<tz_device *const> devices(Platform &, uint32_t which)
//   tz_device_info describe(Device &)
//   tz_dptr allocate(Device &, const tz_memory_desc &)
//   void free(Device &, tz_dptr, Stream *)
//   void copy(Stream &, tz_dptr to, tz_dptr from, uint64_t n, uint32_t kind)
//   void fill(Stream &, tz_dptr, uint64_t n, uint32_t pattern, uint32_t bytes)
//   std::unique_ptr<Stream> createStream(Device &, const tz_stream_desc &)
//   void synchronize(Stream &)
//   std::unique_ptr<Module> load(Device &, const tz_module_desc &)
//   Kernel &find(Module &, std::string_view)
//   void launch(Stream &, Kernel &, const tz_launch &)
//   ---
//   void checkTarget(Device &, std::string_view)
//   void checkArtifact(Device &, std::string_view)
//   std::unique_ptr<Device> wrapDevice(Platform &, const tz_native &)
//   tz_mem_info memoryInfo(Platform &, tz_dptr)
//   void finish(Stream &), void finish(Event &)   before they are destroyed
//   void wait(Stream &, Event &)
//   void callBack(Stream &, void (*)(void *, int32_t), void *)
//   bool isRecording(Stream &)
//   void cancel(Stream &)
//   std::unique_ptr<Event> createEvent(Device &, const tz_event_desc &)
//     and with it: void record(Event &, Stream &), bool query(Event &),
//     void synchronize(Event &, uint64_t timeoutNs),
//     uint64_t elapsedNs(Event &start, Event &stop)
//   Global global(Module &, std::string_view)
//   void encode(Kernel &, uint32_t argument, const tz_tensor_view &, void *to,
//               size_t bytes)
//   tz_occupancy occupancy(Kernel &, const tz_launch &)
//   tz_source_place place(Kernel &, int64_t offset)
// Those that return nothing may return a tz_error * instead, for facts.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGIN_DEVICETABLE_H
#define TERRAZZO_PLUGIN_DEVICETABLE_H

#include <terrazzo/plugin/Structs.h>

#include <cstdlib>
#include <memory>
#include <span>
#include <string>

namespace tz::plugin {

/// The types of a Half that completes the ABI's handles itself.
struct OwnHandles {
  using Platform = tz_platform;
  using Device = tz_device;
  using Stream = tz_stream;
  using Event = tz_event;
  using Module = tz_module;
  using Kernel = tz_kernel;
};

/// Of the driver: what this option names, else this variable (not with raised
/// rights), else empty, for the usual one.
inline std::string libraryOf(const tz_create_desc &desc, const char *option,
                             const char *variable) {
  if (const tz_kv *given = optionOf(desc, option, TZ_KV_STR)) {
    return std::string(view(given->str));
  }
  const char *text = secure_getenv(variable);
  return text ? text : "";
}

/// Memory of a module's own.
struct Global {
  tz_dptr address = 0;
  uint64_t bytes = 0;
};

namespace detail {

/// The slots of the table over Half. Each is a function of the ABI's type.
template <typename Half>
struct DeviceSlots {
  using Platform = typename Half::Platform;
  using Device = typename Half::Device;
  using Stream = typename Half::Stream;
  using Event = typename Half::Event;
  using Module = typename Half::Module;
  using Kernel = typename Half::Kernel;

  template <typename T, typename Handle>
  static T &object(Handle *handle, const char *what) {
    if (!handle) [[unlikely]] {
      throw Failure(TZ_E_INVALID_ARGUMENT,
                    "the " + std::string(what) + " is null");
    }
    return *reinterpret_cast<T *>(handle);
  }
  static Platform &of(tz_platform *h) {
    return object<Platform>(h, "platform");
  }
  static Device &of(tz_device *h) { return object<Device>(h, "device"); }
  static Stream &of(tz_stream *h) { return object<Stream>(h, "stream"); }
  static Event &of(tz_event *h) { return object<Event>(h, "event"); }
  static Module &of(tz_module *h) { return object<Module>(h, "module"); }
  static Kernel &of(tz_kernel *h) { return object<Kernel>(h, "kernel"); }
  static Stream *optional(tz_stream *h) {
    return reinterpret_cast<Stream *>(h);
  }
  template <typename Handle, typename T>
  static void give(std::unique_ptr<T> made, Handle **out) {
    *out = reinterpret_cast<Handle *>(made.release());
  }
  /// Ends an object whatever happens on the way; its faults go with it.
  template <typename T, typename Handle>
  static void end(Handle *handle) {
    if (!handle) {
      return;
    }
    T &dying = *reinterpret_cast<T *>(handle);
    if constexpr (requires { Half::finish(dying); }) {
      tz_error *error = guarded([&] { return Half::finish(dying); });
      if (error && error->release) {
        error->release(error);
      }
    }
    delete &dying;
  }

  //===--- Platform and devices -------------------------------------------===//

  static tz_error *create(const tz_create_desc *d, tz_platform **out) {
    return guarded([&] { give(Half::create(whole(d)), out); });
  }
  static void destroy(tz_platform *p) { end<Platform>(p); }
  static tz_error *devices(tz_platform *p, uint32_t which,
                           tz_device *const **out, size_t *n) {
    return guarded([&] {
      const std::span<tz_device *const> list = Half::devices(of(p), which);
      *out = list.data();
      *n = list.size();
    });
  }
  static tz_error *info(tz_device *d, tz_device_info *out) {
    return guarded([&] { writeOut(out, Half::describe(of(d))); });
  }
  static tz_error *checkTarget(tz_device *d, tz_str target) {
    return guarded([&] { return Half::checkTarget(of(d), view(target)); });
  }
  static tz_error *checkArtifact(tz_device *d, tz_str compat) {
    return guarded([&] { return Half::checkArtifact(of(d), view(compat)); });
  }
  static tz_error *wrap(tz_platform *p, const tz_native *n, tz_device **out) {
    return guarded([&] { give(Half::wrapDevice(of(p), whole(n)), out); });
  }
  static void release(tz_device *d) { end<Device>(d); }

  //===--- Memory ---------------------------------------------------------===//

  static tz_error *allocate(tz_device *d, const tz_memory_desc *m,
                            tz_dptr *out) {
    return guarded([&] { *out = Half::allocate(of(d), whole(m)); });
  }
  static tz_error *free(tz_device *d, tz_dptr memory, tz_stream *s) {
    return guarded([&] { return Half::free(of(d), memory, optional(s)); });
  }
  static tz_error *memory(tz_platform *p, tz_dptr address, tz_mem_info *out) {
    return guarded([&] { writeOut(out, Half::memoryInfo(of(p), address)); });
  }
  static tz_error *copy(tz_stream *s, tz_dptr to, tz_dptr from, uint64_t n,
                        uint32_t kind) {
    return guarded([&] { return Half::copy(of(s), to, from, n, kind); });
  }
  static tz_error *fill(tz_stream *s, tz_dptr to, uint64_t n, uint32_t pattern,
                        uint32_t bytes) {
    return guarded([&] { return Half::fill(of(s), to, n, pattern, bytes); });
  }

  //===--- Streams and events ---------------------------------------------===//

  static tz_error *createStream(tz_device *d, const tz_stream_desc *desc,
                                tz_stream **out) {
    return guarded([&] { give(Half::createStream(of(d), whole(desc)), out); });
  }
  static void destroyStream(tz_stream *s) { end<Stream>(s); }
  static tz_error *sync(tz_stream *s) {
    return guarded([&] { return Half::synchronize(of(s)); });
  }
  static tz_error *wait(tz_stream *s, tz_event *e) {
    return guarded([&] { return Half::wait(of(s), of(e)); });
  }
  static tz_error *callBack(tz_stream *s, void (*fn)(void *, int32_t),
                            void *user) {
    return guarded([&] {
      if (!fn) {
        throw Failure(TZ_E_INVALID_ARGUMENT, "the callback is null");
      }
      return Half::callBack(of(s), fn, user);
    });
  }
  static tz_error *recording(tz_stream *s, int32_t *out) {
    return guarded([&] { *out = Half::isRecording(of(s)); });
  }
  static tz_error *cancel(tz_stream *s) {
    return guarded([&] { return Half::cancel(of(s)); });
  }
  static tz_error *createEvent(tz_device *d, const tz_event_desc *desc,
                               tz_event **out) {
    return guarded([&] { give(Half::createEvent(of(d), whole(desc)), out); });
  }
  static void destroyEvent(tz_event *e) { end<Event>(e); }
  static tz_error *record(tz_event *e, tz_stream *s) {
    return guarded([&] { return Half::record(of(e), of(s)); });
  }
  static tz_error *query(tz_event *e, int32_t *done) {
    return guarded([&] { *done = Half::query(of(e)); });
  }
  static tz_error *syncEvent(tz_event *e, uint64_t timeout) {
    return guarded([&] { return Half::synchronize(of(e), timeout); });
  }
  static tz_error *elapsed(tz_event *start, tz_event *stop, uint64_t *out) {
    return guarded([&] { *out = Half::elapsedNs(of(start), of(stop)); });
  }

  //===--- Modules, kernels, launch ---------------------------------------===//

  static tz_error *load(tz_device *d, const tz_module_desc *desc,
                        tz_module **out) {
    return guarded([&] { give(Half::load(of(d), whole(desc)), out); });
  }
  static void unload(tz_module *m) { end<Module>(m); }
  static tz_error *find(tz_module *m, tz_str name, tz_kernel **out) {
    return guarded([&] {
      *out = reinterpret_cast<tz_kernel *>(&Half::find(of(m), view(name)));
    });
  }
  static tz_error *global(tz_module *m, tz_str name, tz_dptr *out,
                          uint64_t *size) {
    return guarded([&] {
      const Global found = Half::global(of(m), view(name));
      *out = found.address;
      if (size) {
        *size = found.bytes;
      }
    });
  }
  static tz_error *encode(tz_kernel *k, uint32_t argument,
                          const tz_tensor_view *v, void *to, size_t bytes) {
    return guarded([&] {
      return Half::encode(of(k), argument,
                          object<const tz_tensor_view>(v, "view"), to, bytes);
    });
  }
  static tz_error *occupancy(tz_kernel *k, const tz_launch *l,
                             tz_occupancy *out) {
    return guarded([&] {
      writeOut(out,
               Half::occupancy(of(k), object<const tz_launch>(l, "launch")));
    });
  }
  static tz_error *place(tz_kernel *k, int64_t offset, tz_source_place *out) {
    return guarded([&] { writeOut(out, Half::place(of(k), offset)); });
  }
  static tz_error *launch(tz_stream *s, tz_kernel *k, const tz_launch *l) {
    return guarded([&] {
      return Half::launch(of(s), of(k), object<const tz_launch>(l, "launch"));
    });
  }
};

template <typename Half>
constexpr void addRequired(tz_device_api &t) {
  using S = DeviceSlots<Half>;
  t.struct_size = sizeof(t);
  t.create = S::create;
  t.destroy = S::destroy;
  t.devices = S::devices;
  t.device_info = S::info;
  t.mem_alloc = S::allocate;
  t.mem_free = S::free;
  t.copy = S::copy;
  t.fill = S::fill;
  t.stream_create = S::createStream;
  t.stream_destroy = S::destroyStream;
  t.stream_sync = S::sync;
  t.module_load = S::load;
  t.module_unload = S::unload;
  t.kernel_get = S::find;
  t.launch = S::launch;
}

template <typename Half>
constexpr void addOfStreams(tz_device_api &t) {
  using S = DeviceSlots<Half>;
  using Stream = typename Half::Stream;
  using Event = typename Half::Event;
  if constexpr (requires(typename Half::Device &d, const tz_event_desc &e) {
                  Half::createEvent(d, e);
                }) {
    t.event_create = S::createEvent;
    t.event_destroy = S::destroyEvent;
    t.event_record = S::record;
    t.event_query = S::query;
    t.event_sync = S::syncEvent;
    t.event_elapsed_ns = S::elapsed;
  }
  if constexpr (requires(Stream &s, Event &e) { Half::wait(s, e); }) {
    t.stream_wait = S::wait;
  }
  if constexpr (requires(Stream &s, void (*fn)(void *, int32_t)) {
                  Half::callBack(s, fn, nullptr);
                }) {
    t.stream_callback = S::callBack;
  }
  if constexpr (requires(Stream &s) { Half::isRecording(s); }) {
    t.stream_recording = S::recording;
  }
  if constexpr (requires(Stream &s) { Half::cancel(s); }) {
    t.stream_cancel = S::cancel;
  }
}

template <typename Half>
constexpr void addOptional(tz_device_api &t) {
  using S = DeviceSlots<Half>;
  using Platform = typename Half::Platform;
  using Device = typename Half::Device;
  using Kernel = typename Half::Kernel;
  const std::string_view text;
  if constexpr (requires(Device &d) { Half::checkTarget(d, text); }) {
    t.check_target = S::checkTarget;
  }
  if constexpr (requires(Device &d) { Half::checkArtifact(d, text); }) {
    t.check_artifact = S::checkArtifact;
  }
  if constexpr (requires(Platform &p, const tz_native &n) {
                  Half::wrapDevice(p, n);
                }) {
    t.device_wrap = S::wrap;
    t.device_release = S::release;
  }
  if constexpr (requires(Platform &p) { Half::memoryInfo(p, tz_dptr()); }) {
    t.mem_info = S::memory;
  }
  if constexpr (requires(typename Half::Module &m) { Half::global(m, text); }) {
    t.module_global = S::global;
  }
  if constexpr (requires(Kernel &k, const tz_tensor_view &v) {
                  Half::encode(k, 0u, v, nullptr, size_t());
                }) {
    t.arg_encode = S::encode;
  }
  if constexpr (requires(Kernel &k, const tz_launch &l) {
                  Half::occupancy(k, l);
                }) {
    t.kernel_occupancy = S::occupancy;
  }
  if constexpr (requires(Kernel &k) { Half::place(k, int64_t()); }) {
    t.source_place = S::place;
  }
}

} // namespace detail

/// What get_interface("tz.device/1") answers.
template <typename Half>
const tz_device_api *deviceTableOf() {
  static constexpr tz_device_api table = [] {
    tz_device_api t{};
    detail::addRequired<Half>(t);
    detail::addOfStreams<Half>(t);
    detail::addOptional<Half>(t);
    return t;
  }();
  return &table;
}

} // namespace tz::plugin

#endif
