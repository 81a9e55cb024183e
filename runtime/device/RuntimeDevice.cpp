//===- RuntimeDevice.cpp - devices and their memory -----------------------===//
//
// What   A device of a plugin with its facts copied out.
// Why    See RuntimeDevice.h.
//===----------------------------------------------------------------------===//
#include "runtime/device/RuntimeDevice.h"

namespace tz::runtime {

Device::Device(Plugin &plugin, const Plugin::DevicePlace &place, size_t index,
               bool isWrapped)
    : owner(plugin), place(place), isWrapped(isWrapped), number(int(index)),
      deviceLabel(plugin.name() + ":" + std::to_string(index)) {
  properties.fill(-1);
}

Device::~Device() {
  writtenMemory.clear();
  if (isWrapped) {
    api().device_release(handle());
  }
}

static Result<Plugin::DevicePlace> placeOf(Plugin &plugin, size_t index) {
  Result<const Plugin::DeviceList *> real = plugin.devices();
  if (real && index < (*real)->size()) {
    return (**real)[index];
  }
  // Without a real device there may be simulators all the same.
  Result<const Plugin::DeviceList *> all = plugin.devicesAndSimulators();
  if (all && index < (*all)->size()) {
    return (**all)[index];
  }
  if (!real || !all) {
    return real ? all.takeStatus() : real.takeStatus();
  }
  return Status(TZ_E_NOT_FOUND, "plugin '" + plugin.name() + "' has " +
                                    std::to_string((*all)->size()) +
                                    " devices; there is no device " +
                                    std::to_string(index));
}

Result<std::shared_ptr<Device>> Device::open(Plugin &plugin, size_t index,
                                             std::string code) {
  Result<Plugin::DevicePlace> place = placeOf(plugin, index);
  if (!place) {
    return place.takeStatus();
  }
  std::shared_ptr<Device> device(new Device(plugin, *place, index, false));
  Status s = device->readFacts(std::move(code));
  return s.ok() ? Result<std::shared_ptr<Device>>(device) : s;
}

/// Whether two handles are of one device, as far as both say.
static bool isSame(const tz_device_info &one, const tz_device_info &other) {
  const bool haveIds = one.uuid.size && other.uuid.size;
  return (!haveIds || view(one.uuid) == view(other.uuid)) &&
         one.dlpack_type == other.dlpack_type &&
         one.dlpack_id == other.dlpack_id;
}

Result<std::shared_ptr<Device>> Device::wrap(Plugin &plugin, size_t index,
                                             const tz_native &native,
                                             std::string code) {
  Result<Plugin::DevicePlace> place = placeOf(plugin, index);
  if (!place) {
    return place.takeStatus();
  }
  const DeviceFunctions &api = place->half->api;
  if (!api.device_wrap || !api.device_release) {
    return Status(TZ_E_UNIMPLEMENTED,
                  plugin.name() + ":" + std::to_string(index) +
                      ": this device works in no context of another interface");
  }
  tz_device_info named{};
  named.struct_size = sizeof(named);
  Status s = takeError(api.device_info(place->handle, &named), plugin.name());
  if (s.ok()) {
    s = takeError(
        api.device_wrap(place->half->platform, &native, &place->handle),
        plugin.name());
  }
  if (!s.ok()) {
    return s;
  }
  std::shared_ptr<Device> device(new Device(plugin, *place, index, true));
  s = device->readFacts(std::move(code));
  if (s.ok() && !isSame(named, device->info())) {
    s = Status(TZ_E_INVALID_ARGUMENT,
               "the context is of '" + device->name() + "' (" +
                   std::string(view(device->info().pci_bus_id)) + "), not of " +
                   plugin.name() + ":" + std::to_string(index) + ", '" +
                   std::string(view(named.name)) + "'");
  }
  return s.ok() ? Result<std::shared_ptr<Device>>(device) : s;
}

Status Device::readFacts(std::string code) {
  tz_device_info &info = facts;
  info.struct_size = sizeof(info);
  if (Status s = check(api().device_info(handle(), &info)); !s.ok()) {
    return s;
  }
  deviceName = view(info.name);
  targetId = code.empty() ? std::string(view(info.target)) : std::move(code);
  driver = view(info.driver_version);
  auto known = [](uint64_t v) { return v ? int64_t(v) : int64_t(-1); };
  properties[TZ_DEV_COMPUTE_UNITS] = known(info.compute_units);
  properties[TZ_DEV_SUBGROUP_SIZE] = known(info.subgroup_size);
  properties[TZ_DEV_MAX_THREADS_PER_BLOCK] = known(info.max_threads_per_block);
  properties[TZ_DEV_SCRATCH_BYTES] = known(info.scratch_bytes);
  properties[TZ_DEV_L2_BYTES] = known(info.l2_bytes);
  properties[TZ_DEV_TOTAL_MEMORY] = known(info.total_mem);
  return Status();
}

Result<tz_dptr> Device::allocate(uint64_t size, uint64_t align, uint32_t kind,
                                 Stream *stream) {
  if (align & (align - 1)) {
    return Status(TZ_E_INVALID_ARGUMENT, "memory alignment " +
                                             std::to_string(align) +
                                             " is no power of two");
  }
  // An empty tensor has an address too.
  tz_memory_desc desc{};
  desc.struct_size = sizeof(desc);
  desc.kind = kind;
  desc.size = std::max<uint64_t>(size, 1);
  desc.align = align;
  desc.stream = stream ? stream->handle() : nullptr;
  tz_dptr memory = 0;
  Status s = check(api().mem_alloc(handle(), &desc, &memory));
  if (!s.ok()) {
    return s;
  }
  return memory;
}

Status Device::free(tz_dptr memory, Stream *stream) {
  if (!memory) {
    return Status();
  }
  if (writtenMemory.isUsed()) [[unlikely]] {
    if (Status s = writtenMemory.wroteAll(stream, memory); !s.ok()) {
      return s;
    }
  }
  return check(
      api().mem_free(handle(), memory, stream ? stream->handle() : nullptr));
}

bool Device::isHostPinned(tz_dptr memory) const {
  tz_mem_info info{};
  info.struct_size = sizeof(info);
  return api().mem_info &&
         check(api().mem_info(place.half->platform, memory, &info)).ok() &&
         info.kind == TZ_MEM_HOST_PINNED;
}

std::optional<tz_memory_range> Device::allocationAt(tz_dptr address) const {
  tz_mem_info info{};
  info.struct_size = sizeof(info);
  if (!api().mem_info ||
      !check(api().mem_info(place.half->platform, address, &info)).ok() ||
      info.size == 0) {
    return std::nullopt;
  }
  return tz_memory_range{info.base, info.size, nullptr};
}

Result<std::unique_ptr<Stream>> Device::makeStream(int32_t priority,
                                                   const tz_native *native) {
  // The object first: for want of memory it would lose the vendor's.
  std::unique_ptr<Stream> made(new Stream(shared_from_this()));
  tz_stream_desc desc{};
  desc.struct_size = sizeof(desc);
  desc.priority = priority;
  desc.native = native;
  Status s = check(api().stream_create(handle(), &desc, &made->native));
  return s.ok() ? Result<std::unique_ptr<Stream>>(std::move(made)) : s;
}

Result<std::unique_ptr<Stream>> Device::createStream(int32_t priority) {
  return makeStream(priority, nullptr);
}

Result<std::unique_ptr<Stream>> Device::wrapStream(const tz_native &native) {
  return makeStream(0, &native);
}

Result<std::unique_ptr<Event>> Device::createEvent(bool timing,
                                                   const tz_native *native) {
  const DeviceFunctions &a = api();
  if (!a.event_create || !a.event_destroy || !a.event_record ||
      !a.event_query || !a.event_sync) {
    return Status(TZ_E_UNIMPLEMENTED, deviceLabel + ": no events");
  }
  std::unique_ptr<Event> made(new Event(shared_from_this()));
  tz_event_desc desc{};
  desc.struct_size = sizeof(desc);
  desc.flags = timing ? TZ_EVENT_TIMING : 0;
  desc.native = native;
  Status s = check(a.event_create(handle(), &desc, &made->native));
  return s.ok() ? Result<std::unique_ptr<Event>>(std::move(made)) : s;
}

} // namespace tz::runtime
