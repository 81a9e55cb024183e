//===- terrazzo/plugin/Device.h - a device half as classes ----------------===//
//
// What   deviceTable<YourDevice>() is the tz_device_api that
//        get_interface("tz.device/1") answers. YourDevice names its classes
//        Stream, Event, Module and Kernel, and has the functions below.
// Why    A half is written as ordinary classes: an optional function is there
//        or not, and the table's slot is NULL if it is not.
//
// Functions throw Failure (or anything) to fail. Those behind a line are
// optional. HostMemory.h has bases for devices whose memory is the host's.
//
// YourDevice                                                   [thread: any]
//   static std::vector<std::unique_ptr<YourDevice>>
//                         enumerate(const tz_create_desc &);   desc.host lives
//                         on. A half with simulators has them all the same if
//                         this throws; it is thrown again to who asks for real
//                         devices.
//   tz_device_info describe();            texts live as long as the device
//   tz_dptr allocate(const tz_memory_desc &);   align is never 0
//   void free(tz_dptr);
//   std::unique_ptr<Stream> createStream(const tz_stream_desc &);
//   std::unique_ptr<Module> load(const tz_module_desc &);
//   ---
//   static ... simulators(const tz_create_desc &);   as enumerate
//   std::unique_ptr<Event> createEvent(const tz_event_desc &);
//   void checkTarget(std::string_view), void checkArtifact(std::string_view);
//   static std::unique_ptr<YourDevice> wrap(const tz_native &);
//   std::optional<tz_mem_info> memoryInfo(tz_dptr);   of this device's own;
//                                              the SDK fills in the device
// Stream                                             [thread: one], in order
//   void copy(tz_dptr to, tz_dptr from, uint64_t bytes, uint32_t kind);
//   void fill(tz_dptr to, uint64_t bytes, uint32_t pattern, uint32_t size);
//   void launch(Kernel &, const tz_launch &);
//   void synchronize();
//   ---
//   void record(Event &), void wait(Event &);
//   void callBack(void (*)(void *, int32_t), void *user);
//   bool isRecording();
//   void cancel();                                   [thread: any]
// Event       bool query(); void synchronize(uint64_t timeoutNs), which throws
//             TZ_E_TIMEOUT; uint64_t elapsedNs(Event &stop);
// Module      Kernel *find(std::string_view);        null: not in it
//   ---       std::optional<Global> global(std::string_view);
// Kernel                                             [thread: any]
//   ---       void encode(uint32_t argument, const tz_tensor_view &, void *to,
//                         size_t bytes);
//             tz_occupancy occupancy(const tz_launch &);
//             std::optional<tz_source_place> place(int64_t offset);
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGIN_DEVICE_H
#define TERRAZZO_PLUGIN_DEVICE_H

#include <terrazzo/plugin/DeviceTable.h>
#include <terrazzo/plugin/Entry.h>

#include <mutex>
#include <optional>
#include <vector>

namespace tz::plugin {

/// Throws unless the comma list `kinds` (tz_device_info.native_kinds) has the
/// interface that `native` names.
inline void requireNative(tz_str kinds, const tz_native &native) {
  const std::string_view all = view(kinds);
  if (all.empty()) {
    throw Failure(TZ_E_UNIMPLEMENTED,
                  "this device works on no objects of other interfaces");
  }
  const std::string_view wanted = native.kind ? native.kind : "";
  if (!wanted.empty() &&
      ("," + std::string(all) + ",").find("," + std::string(wanted) + ",") ==
          std::string::npos) {
    throw Failure(TZ_E_INVALID_ARGUMENT,
                  "this device does not work on objects of '" +
                      std::string(wanted) + "'; it does on those of " +
                      std::string(all));
  }
}

namespace detail {

/// The half of a device class: its objects, and functions that call theirs.
template <typename D>
struct ClassHalf {
  struct Platform {
    using List = std::vector<std::unique_ptr<D>>;
    tz_create_desc desc; // the host alone lives on
    List real, simulated;
    std::optional<Failure> lack; // why there are no real ones
    std::vector<tz_device *> handles[2];
    std::once_flag simulators;
  };
  using Device = D;
  using Stream = typename D::Stream;
  using Event = typename D::Event;
  using Module = typename D::Module;
  using Kernel = typename D::Kernel;

  static void list(typename Platform::List &from,
                   std::vector<tz_device *> &handles) {
    for (auto &device : from) {
      handles.push_back(reinterpret_cast<tz_device *>(device.get()));
    }
  }
  static std::unique_ptr<Platform> create(const tz_create_desc &desc) {
    auto made = std::make_unique<Platform>();
    made->desc = desc;
    made->desc.options = nullptr;
    made->desc.num_options = 0;
    if constexpr (requires { D::simulators(desc); }) {
      try {
        made->real = D::enumerate(desc);
      } catch (const Failure &why) {
        made->lack = why;
      }
    } else {
      made->real = D::enumerate(desc);
    }
    list(made->real, made->handles[TZ_DEVICES_REAL]);
    return made;
  }
  static std::span<tz_device *const> devices(Platform &p, uint32_t which) {
    if (which > TZ_DEVICES_SIMULATED) {
      return {};
    }
    if (which == TZ_DEVICES_REAL && p.lack) {
      throw Failure(*p.lack);
    }
    if constexpr (requires { D::simulators(p.desc); }) {
      if (which == TZ_DEVICES_SIMULATED) {
        std::call_once(p.simulators, [&] {
          p.simulated = D::simulators(p.desc);
          list(p.simulated, p.handles[TZ_DEVICES_SIMULATED]);
        });
      }
    }
    return p.handles[which];
  }
  static tz_device_info describe(D &d) { return d.describe(); }
  static void checkTarget(D &d, std::string_view target)
    requires requires { d.checkTarget(target); }
  {
    d.checkTarget(target);
  }
  static void checkArtifact(D &d, std::string_view compat)
    requires requires { d.checkArtifact(compat); }
  {
    d.checkArtifact(compat);
  }
  static std::unique_ptr<D> wrapDevice(Platform &, const tz_native &native)
    requires requires { D::wrap(native); }
  {
    return D::wrap(native);
  }

  static tz_dptr allocate(D &d, tz_memory_desc desc) {
    desc.align = desc.align ? desc.align : 256;
    if (desc.align & (desc.align - 1)) {
      throw Failure(TZ_E_INVALID_ARGUMENT, "the alignment " +
                                               std::to_string(desc.align) +
                                               " is no power of two");
    }
    return d.allocate(desc);
  }
  static void free(D &d, tz_dptr memory, Stream *stream) {
    if (stream) {
      stream->synchronize();
    }
    if (memory) {
      d.free(memory);
    }
  }
  static tz_mem_info memoryInfo(Platform &p, tz_dptr address)
    requires requires(D &d) { d.memoryInfo(address); }
  {
    for (auto *devices : {&p.real, &p.simulated}) {
      for (auto &device : *devices) {
        if (std::optional<tz_mem_info> found = device->memoryInfo(address)) {
          found->device = reinterpret_cast<tz_device *>(device.get());
          return *found;
        }
      }
    }
    throw Failure(TZ_E_NOT_FOUND,
                  "the address is in no memory of the device's");
  }

  static void copy(Stream &s, tz_dptr to, tz_dptr from, uint64_t n,
                   uint32_t kind) {
    s.copy(to, from, n, kind);
  }
  static void fill(Stream &s, tz_dptr to, uint64_t n, uint32_t pattern,
                   uint32_t bytes) {
    s.fill(to, n, pattern, bytes);
  }
  template <typename Desc>
  static void checkNative(D &d, const Desc &desc) {
    if (desc.native) {
      requireNative(d.describe().native_kinds, *desc.native);
    }
  }
  static std::unique_ptr<Stream> createStream(D &d,
                                              const tz_stream_desc &desc) {
    checkNative(d, desc);
    return d.createStream(desc);
  }
  static void finish(Stream &s) { s.synchronize(); }
  static void synchronize(Stream &s) { s.synchronize(); }
  static void wait(Stream &s, Event &e)
    requires requires { s.wait(e); }
  {
    s.wait(e);
  }
  static void callBack(Stream &s, void (*fn)(void *, int32_t), void *user)
    requires requires { s.callBack(fn, user); }
  {
    s.callBack(fn, user);
  }
  static bool isRecording(Stream &s)
    requires requires { s.isRecording(); }
  {
    return s.isRecording();
  }
  static void cancel(Stream &s)
    requires requires { s.cancel(); }
  {
    s.cancel();
  }

  static std::unique_ptr<Event> createEvent(D &d, const tz_event_desc &desc)
    requires requires { d.createEvent(desc); }
  {
    checkNative(d, desc);
    return d.createEvent(desc);
  }
  static void record(Event &e, Stream &s) { s.record(e); }
  static bool query(Event &e) { return e.query(); }
  static void synchronize(Event &e, uint64_t timeoutNs) {
    e.synchronize(timeoutNs);
  }
  static uint64_t elapsedNs(Event &start, Event &stop) {
    return start.elapsedNs(stop);
  }

  static std::unique_ptr<Module> load(D &d, const tz_module_desc &desc) {
    return d.load(desc);
  }
  static Kernel &find(Module &m, std::string_view name) {
    if (Kernel *found = m.find(name)) {
      return *found;
    }
    throw Failure(TZ_E_NOT_FOUND,
                  "the module has no kernel '" + std::string(name) + "'");
  }
  static Global global(Module &m, std::string_view name)
    requires requires { m.global(name); }
  {
    if (std::optional<Global> found = m.global(name)) {
      return *found;
    }
    throw Failure(TZ_E_NOT_FOUND,
                  "the module has no variable '" + std::string(name) + "'");
  }
  static void encode(Kernel &k, uint32_t argument, const tz_tensor_view &v,
                     void *to, size_t bytes)
    requires requires { k.encode(argument, v, to, bytes); }
  {
    k.encode(argument, v, to, bytes);
  }
  static tz_occupancy occupancy(Kernel &k, const tz_launch &l)
    requires requires { k.occupancy(l); }
  {
    return k.occupancy(l);
  }
  static tz_source_place place(Kernel &k, int64_t offset)
    requires requires { k.place(offset); }
  {
    if (std::optional<tz_source_place> found = k.place(offset)) {
      return *found;
    }
    throw Failure(TZ_E_NOT_FOUND, "the place is not known");
  }
  static void launch(Stream &s, Kernel &k, const tz_launch &l) {
    s.launch(k, l);
  }
};

} // namespace detail

template <typename D>
const tz_device_api *deviceTable() {
  return deviceTableOf<detail::ClassHalf<D>>();
}

} // namespace tz::plugin

#endif
