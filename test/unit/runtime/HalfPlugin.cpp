//===- HalfPlugin.cpp - device halves of one plugin "mixed" ---------------===//
//
// What   Compiled once for each half (HALF_...). A: a device mixed:a. B: the
//        same device again, a device mixed:b and a simulator mixed:simulated.
//        SIMULATED: that simulator alone. BROKEN: has no driver. LACKING: has none
//        either, but the simulator. Their kernels store a number; code that
//        says "error" does not load; streams, events and contexts of the
//        interface "queue" can be wrapped.
// Why    What a plugin with several halves, simulators and foreign objects is,
//        without any of it being there (DevicesTest.cpp).
//===----------------------------------------------------------------------===//
#include <terrazzo/plugin/HostMemory.h>

#include <atomic>

namespace {

using namespace tz::plugin;

struct StoreKernel {};

struct StoreModule {
  StoreKernel kernel;
  uint64_t table = 7;

  StoreKernel *find(std::string_view) { return &kernel; }
  std::optional<Global> global(std::string_view name) {
    return name == "table"
               ? std::optional(
                     Global{reinterpret_cast<tz_dptr>(&table), sizeof(table)})
               : std::nullopt;
  }
};

struct StoreStream : HostStream {
  explicit StoreStream(void *object) : object(object) {}

  /// Of the packed arguments: where, and what.
  void launch(StoreKernel &, const tz_launch &launch) {
    if (object) {
      ++*static_cast<std::atomic<int> *>(object); // the program's queue
    }
    uint64_t slots[2];
    if (launch.args_size == sizeof(slots)) {
      std::memcpy(slots, launch.args, sizeof(slots));
      *static_cast<uint64_t *>(address(slots[0])) += slots[1];
    }
  }
  void *const object;
};

struct StoreDevice : HostDevice {
  using Stream = StoreStream;
  using Module = StoreModule;
  using Kernel = StoreKernel;
  using List = std::vector<std::unique_ptr<StoreDevice>>;

  StoreDevice(std::string target, std::string uuid, void *context = nullptr)
      : target(std::move(target)), uuid(std::move(uuid)), context(context) {}

  static void add(List &list, const char *target, const char *uuid) {
    list.push_back(std::make_unique<StoreDevice>(target, uuid));
  }
  static List enumerate(const tz_create_desc &) {
    List list;
#if defined(HALF_BROKEN) || defined(HALF_LACKING)
    throw Failure(TZ_E_UNAVAILABLE, "its driver is not here");
#elif !defined(HALF_SIMULATED)
    add(list, "mixed:a", "1");
#endif
#ifdef HALF_B
    add(list, "mixed:b", "2");
#endif
    return list;
  }
#if defined(HALF_B) || defined(HALF_SIMULATED) || defined(HALF_LACKING)
  static List simulators(const tz_create_desc &) {
    List list;
    add(list, "mixed:simulated", "");
    return list;
  }
#endif
  static std::unique_ptr<StoreDevice> wrap(const tz_native &native) {
    requireNative(str("queue"), native);
    if (!native.context) {
      throw Failure(TZ_E_INVALID_ARGUMENT, "there is no context to work in");
    }
    return std::make_unique<StoreDevice>("mixed:a", "1", native.context);
  }

  tz_device_info describe() {
    tz_device_info info{};
    info.name = str(target);
    info.uuid = str(uuid);
    info.target = str(target);
    info.native_kinds = str("queue");
    info.flags = TZ_DEVICE_HOST_MEMORY;
    return info;
  }
  void checkTarget(std::string_view wanted) {
    if (wanted != target && wanted != "mixed:every") {
      throw Failure(TZ_E_FAILED_PRECONDITION, "it is " + target);
    }
  }
  std::unique_ptr<StoreStream> createStream(const tz_stream_desc &desc) {
    if (desc.native && desc.native->context != context) {
      throw Failure(TZ_E_INVALID_ARGUMENT,
                    "the queue is of another context than the device");
    }
    return std::make_unique<StoreStream>(desc.native ? desc.native->object
                                                     : nullptr);
  }
  std::unique_ptr<StoreModule> load(const tz_module_desc &desc) {
    const std::string_view code = mainBlob(desc);
    if (code.starts_with("warning")) {
      reportLog(desc, TZ_SEVERITY_WARNING, code);
    }
    if (code.starts_with("error")) {
      reportLog(desc, TZ_SEVERITY_ERROR, code);
      throw Failure(TZ_E_DATA_LOSS, "the driver's compiler refuses the code");
    }
    return std::make_unique<StoreModule>();
  }

  const std::string target, uuid;
  void *const context;
};

const void *getInterface(const char *id) {
  return std::string_view(id) == "tz.device/1" ? deviceTable<StoreDevice>()
                                               : nullptr;
}

} // namespace

extern "C" TZ_PLUGIN_EXPORT const tz_plugin *
tz_plugin_query_v0(const tz_query *query) {
  static constexpr tz_plugin self =
      entry("mixed", "Test", "1.0", "mixed", getInterface);
  return answer(query, self);
}
