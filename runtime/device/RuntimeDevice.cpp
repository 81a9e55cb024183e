//===- RuntimeDevice.cpp - devices and their memory -----------------------===//
//
// What   A device of a plugin with its facts copied out.
// Why    See RuntimeDevice.h.
//===----------------------------------------------------------------------===//
#include "runtime/device/RuntimeDevice.h"

namespace tz::runtime {

Device::Device(Plugin &plugin, const Plugin::DeviceHalf *half, size_t index)
    : owner(plugin), half(half), native(half->devices[index]),
      number(int(index)),
      deviceLabel(plugin.name() + ":" + std::to_string(index)) {
  properties.fill(-1);
}

Result<std::shared_ptr<Device>> Device::open(Plugin &plugin, size_t index,
                                             std::string code) {
  Result<const Plugin::DeviceHalf *> half = plugin.device();
  if (!half) {
    return half.takeStatus();
  }
  if (index >= (*half)->devices.size()) {
    return Status(TZ_E_NOT_FOUND, "plugin '" + plugin.name() + "' has " +
                                      std::to_string((*half)->devices.size()) +
                                      " devices; there is no device " +
                                      std::to_string(index));
  }
  std::shared_ptr<Device> device(new Device(plugin, *half, index));
  tz_device_info &info = device->facts;
  info.struct_size = sizeof(info);
  if (Status s =
          device->check(device->api().device_info(device->native, &info));
      !s.ok()) {
    return s;
  }
  device->deviceName = view(info.name);
  device->targetId =
      code.empty() ? std::string(view(info.target)) : std::move(code);
  device->driver = view(info.driver_version);
  auto known = [](uint64_t v) { return v ? int64_t(v) : int64_t(-1); };
  device->properties[TZ_DEV_COMPUTE_UNITS] = known(info.compute_units);
  device->properties[TZ_DEV_SUBGROUP_SIZE] = known(info.subgroup_size);
  device->properties[TZ_DEV_MAX_THREADS_PER_BLOCK] =
      known(info.max_threads_per_block);
  device->properties[TZ_DEV_SCRATCH_BYTES] = known(info.scratch_bytes);
  device->properties[TZ_DEV_L2_BYTES] = known(info.l2_bytes);
  device->properties[TZ_DEV_TOTAL_MEMORY] = known(info.total_mem);
  return device;
}

Result<tz_dptr> Device::allocate(uint64_t size, uint64_t align, uint32_t kind,
                                 Stream *stream) {
  if (align & (align - 1)) {
    return Status(TZ_E_INVALID_ARGUMENT, "memory alignment " +
                                             std::to_string(align) +
                                             " is no power of two");
  }
  // An empty tensor has an address too.
  tz_dptr memory = 0;
  Status s =
      check(api().mem_alloc(native, kind, std::max<uint64_t>(size, 1), align,
                            stream ? stream->handle() : nullptr, &memory));
  if (!s.ok()) {
    return s;
  }
  return memory;
}

Status Device::free(tz_dptr memory, Stream *stream) {
  if (!memory) {
    return Status();
  }
  return check(
      api().mem_free(native, memory, stream ? stream->handle() : nullptr));
}

bool Device::isHostPinned(tz_dptr memory) const {
  tz_mem_info info{};
  info.struct_size = sizeof(info);
  return api().mem_info &&
         check(api().mem_info(half->platform, memory, &info)).ok() &&
         info.kind == TZ_MEM_HOST_PINNED;
}

Result<std::unique_ptr<Stream>> Device::createStream(int32_t priority) {
  // The object first: for want of memory it would lose the vendor's.
  std::unique_ptr<Stream> made(new Stream(shared_from_this()));
  if (Status s = check(api().stream_create(native, 0, priority, &made->native));
      !s.ok()) {
    return s;
  }
  return made;
}

Result<std::unique_ptr<Stream>> Device::wrapStream(void *foreign) {
  if (!api().stream_wrap) {
    return Status(TZ_E_UNIMPLEMENTED,
                  deviceLabel + ": this device has no foreign streams");
  }
  std::unique_ptr<Stream> made(new Stream(shared_from_this()));
  if (Status s = check(api().stream_wrap(native, foreign, &made->native));
      !s.ok()) {
    return s;
  }
  return made;
}

Result<std::unique_ptr<Event>> Device::createEvent(bool timing) {
  const DeviceFunctions &a = api();
  if (!a.event_create || !a.event_destroy || !a.event_record ||
      !a.event_query || !a.event_sync) {
    return Status(TZ_E_UNIMPLEMENTED, deviceLabel + ": no events");
  }
  std::unique_ptr<Event> made(new Event(shared_from_this()));
  if (Status s = check(
          a.event_create(native, timing ? TZ_EVENT_TIMING : 0, &made->native));
      !s.ok()) {
    return s;
  }
  return made;
}

} // namespace tz::runtime
