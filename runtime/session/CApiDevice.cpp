//===- CApiDevice.cpp - terrazzo.h: devices, streams, events --------------===//
//
// What   tz_device_t, memory, tz_stream_t, copies and tz_event_t.
// Why    See CApiHandles.h.
//===----------------------------------------------------------------------===//
#include "runtime/session/CApiHandles.h"

using namespace tz::runtime;

namespace {

/// That none of the addresses of `bytes` bytes is NULL.
Status checkRange(uint64_t bytes, std::initializer_list<uint64_t> addresses) {
  for (uint64_t address : addresses) {
    if (bytes && !address) {
      return Status(TZ_E_INVALID_ARGUMENT,
                    "the address of " + std::to_string(bytes) +
                        " bytes to copy or fill is NULL");
    }
  }
  return Status();
}

} // namespace

extern "C" {

tz_status_t tz_device_open(tz_session_t session, const char *target,
                           tz_device_t *out) {
  TZ_REQUIRE(session);
  TZ_REQUIRE(out);
  return guarded([&] {
    Result<std::shared_ptr<Device>> device =
        session->session->device(target ? target : "");
    if (!device) {
      return device.takeStatus();
    }
    std::lock_guard guard(session->lock);
    auto &known = session->devices[device->get()];
    if (!known) {
      known = std::make_unique<tz_device_s>(
          tz_device_s{session->session.get(), *device});
    }
    *out = known.get();
    return Status();
  });
}

/// Reads the struct of a caller who may know less of it.
static Status readNative(const tz_native *given, tz_native &native) {
  return readStruct(given, native)
             ? Status()
             : Status(TZ_E_INVALID_ARGUMENT, "native.struct_size is not set");
}

tz_status_t tz_device_wrap(tz_session_t session, const char *target,
                           const tz_native *native, tz_device_t *out) {
  TZ_REQUIRE(session);
  TZ_REQUIRE(native);
  TZ_REQUIRE(out);
  return guarded([&] {
    tz_native given;
    if (Status s = readNative(native, given); !s.ok()) {
      return s;
    }
    Result<ResolvedTarget> found =
        session->session->registry().resolve(target ? target : "");
    if (!found) {
      return found.takeStatus();
    }
    Result<std::shared_ptr<Device>> device = Device::wrap(
        *found->plugin, size_t(found->deviceIndex), given, found->id);
    if (!device) {
      return device.takeStatus();
    }
    std::lock_guard guard(session->lock);
    auto &made = session->devices[device->get()];
    made = std::make_unique<tz_device_s>(
        tz_device_s{session->session.get(), *device});
    *out = made.get();
    return Status();
  });
}

tz_status_t tz_device_describe(tz_device_t device, tz_device_facts *out) {
  TZ_REQUIRE(device);
  TZ_REQUIRE(out);
  return guarded([&] {
    const Device &d = *device->device;
    tz_device_facts facts{};
    facts.name = d.name().c_str();
    facts.plugin = d.plugin().name().c_str();
    facts.driver_version = d.driverVersion().c_str();
    facts.target = d.target().c_str();
    facts.index = uint32_t(d.index());
    facts.compute_units = d.info().compute_units;
    facts.host_memory = d.isHostMemory();
    facts.simulator = d.isSimulator();
    facts.total_memory = d.info().total_mem;
    writeStruct(out, facts);
    return Status();
  });
}

tz_status_t tz_memory_alloc(tz_device_t device, uint64_t bytes,
                            uint64_t *address) {
  return tz_memory_alloc_kind(device, TZ_MEM_DEVICE, bytes, address);
}
tz_status_t tz_memory_alloc_kind(tz_device_t device, uint32_t kind,
                                 uint64_t bytes, uint64_t *address) {
  TZ_REQUIRE(device);
  TZ_REQUIRE(address);
  return guarded([&] {
    if (kind < TZ_MEM_DEVICE || kind > TZ_MEM_MANAGED) {
      return Status(TZ_E_INVALID_ARGUMENT,
                    "there is no memory of kind " + std::to_string(kind) +
                        "; there are TZ_MEM_DEVICE, TZ_MEM_HOST_PINNED and "
                        "TZ_MEM_MANAGED");
    }
    Result<tz_dptr> memory = device->device->allocate(bytes, 0, kind);
    if (memory) {
      *address = *memory;
    }
    return memory.takeStatus();
  });
}
tz_status_t tz_memory_free(tz_device_t device, uint64_t address) {
  TZ_REQUIRE(device);
  return guarded([&] { return device->device->free(address); });
}

static Status giveStream(tz_device_t device,
                         Result<std::unique_ptr<Stream>> &&made,
                         tz_stream_t *out) {
  if (!made) {
    return made.takeStatus();
  }
  (*made)->setPrintSink(device->session->printSink());
  *out = new tz_stream_s{device->session, std::move(*made)};
  return Status();
}
tz_status_t tz_stream_create(tz_device_t device, tz_stream_t *out) {
  TZ_REQUIRE(device);
  TZ_REQUIRE(out);
  return guarded(
      [&] { return giveStream(device, device->device->createStream(), out); });
}
tz_status_t tz_stream_wrap(tz_device_t device, void *native, tz_stream_t *out) {
  TZ_REQUIRE(device);
  TZ_REQUIRE(out);
  return guarded([&] {
    tz_native given{};
    given.struct_size = sizeof(given);
    given.object = native;
    return giveStream(device, device->device->wrapStream(given), out);
  });
}
tz_status_t tz_stream_wrap_native(tz_device_t device, const tz_native *native,
                                  tz_stream_t *out) {
  TZ_REQUIRE(device);
  TZ_REQUIRE(native);
  TZ_REQUIRE(out);
  return guarded([&] {
    tz_native given;
    Status s = readNative(native, given);
    return s.ok() ? giveStream(device, device->device->wrapStream(given), out)
                  : std::move(s);
  });
}
void tz_stream_destroy(tz_stream_t stream) { destroy(stream); }

tz_status_t tz_stream_sync(tz_stream_t stream) {
  TZ_REQUIRE(stream);
  return guarded([&] {
    Activity activity(stream->session->hooks(), TZ_ACTIVITY_SYNC, "");
    Status s = stream->stream->synchronize();
    activity.code = s.code();
    return s;
  });
}
tz_status_t tz_stream_poll(tz_stream_t stream) {
  TZ_REQUIRE(stream);
  return guarded([&] { return stream->stream->poll(); });
}
tz_status_t tz_stream_wait(tz_stream_t stream, tz_event_t event) {
  TZ_REQUIRE(stream);
  TZ_REQUIRE(event);
  return guarded([&] { return stream->stream->wait(*event->event); });
}
tz_status_t tz_stream_call_back(tz_stream_t stream, void (*fn)(void *, int32_t),
                                void *user) {
  TZ_REQUIRE(stream);
  TZ_REQUIRE(fn);
  return guarded([&] { return stream->stream->callback(fn, user); });
}
tz_status_t tz_stream_cancel(tz_stream_t stream) {
  TZ_REQUIRE(stream);
  return guarded([&] { return stream->stream->cancel(); });
}
tz_status_t tz_stream_set_timeout(tz_stream_t stream, uint64_t ns) {
  TZ_REQUIRE(stream);
  return guarded([&] {
    stream->stream->setTimeout(ns);
    return Status();
  });
}
tz_status_t tz_stream_know_memory(tz_stream_t stream,
                                  const tz_memory_range *ranges,
                                  size_t num_ranges) {
  TZ_REQUIRE(stream);
  if (num_ranges && !ranges) {
    return give(isNull("ranges"));
  }
  return guarded([&] {
    stream->stream->knowMemory({ranges, num_ranges});
    return Status();
  });
}

tz_status_t tz_stream_forget_memory(tz_stream_t stream, uint64_t address,
                                    uint64_t bytes) {
  TZ_REQUIRE(stream);
  return guarded([&] {
    WrittenMemory &written = stream->stream->device().written();
    return written.forget(*stream->stream, address, bytes);
  });
}

tz_status_t tz_copy_in(tz_stream_t stream, uint64_t to, const void *from,
                       uint64_t bytes) {
  TZ_REQUIRE(stream);
  return guarded([&] {
    const auto host = reinterpret_cast<uintptr_t>(from);
    Status s = checkRange(bytes, {to, host});
    return s.ok()
               ? stream->stream->copy(to, host, bytes, TZ_COPY_HOST_TO_DEVICE)
               : std::move(s);
  });
}
tz_status_t tz_copy_out(tz_stream_t stream, void *to, uint64_t from,
                        uint64_t bytes) {
  TZ_REQUIRE(stream);
  return guarded([&] {
    const auto host = reinterpret_cast<uintptr_t>(to);
    Status s = checkRange(bytes, {host, from});
    return s.ok()
               ? stream->stream->copy(host, from, bytes, TZ_COPY_DEVICE_TO_HOST)
               : std::move(s);
  });
}
tz_status_t tz_copy(tz_stream_t stream, uint64_t to, uint64_t from,
                    uint64_t bytes) {
  TZ_REQUIRE(stream);
  return guarded([&] {
    Status s = checkRange(bytes, {to, from});
    return s.ok()
               ? stream->stream->copy(to, from, bytes, TZ_COPY_DEVICE_TO_DEVICE)
               : std::move(s);
  });
}
tz_status_t tz_fill(tz_stream_t stream, uint64_t to, uint64_t bytes,
                    uint32_t pattern, uint32_t pattern_bytes) {
  TZ_REQUIRE(stream);
  return guarded([&] {
    Status s = checkRange(bytes, {to});
    return s.ok() ? stream->stream->fill(to, bytes, pattern, pattern_bytes)
                  : std::move(s);
  });
}

tz_status_t tz_event_create(tz_device_t device, tz_event_t *out) {
  TZ_REQUIRE(device);
  TZ_REQUIRE(out);
  return guarded([&] {
    Result<std::unique_ptr<Event>> event = device->device->createEvent(true);
    if (event) {
      *out = new tz_event_s{std::move(*event)};
    }
    return event.takeStatus();
  });
}
tz_status_t tz_event_wrap(tz_device_t device, const tz_native *native,
                          tz_event_t *out) {
  TZ_REQUIRE(device);
  TZ_REQUIRE(native);
  TZ_REQUIRE(out);
  return guarded([&] {
    tz_native given;
    if (Status s = readNative(native, given); !s.ok()) {
      return s;
    }
    Result<std::unique_ptr<Event>> event =
        device->device->createEvent(true, &given);
    if (event) {
      *out = new tz_event_s{std::move(*event)};
    }
    return event.takeStatus();
  });
}
void tz_event_destroy(tz_event_t event) { destroy(event); }
tz_status_t tz_event_record(tz_event_t event, tz_stream_t stream) {
  TZ_REQUIRE(event);
  TZ_REQUIRE(stream);
  return guarded([&] { return event->event->record(*stream->stream); });
}
tz_status_t tz_event_query(tz_event_t event, int32_t *done) {
  TZ_REQUIRE(event);
  TZ_REQUIRE(done);
  return guarded([&] {
    Result<bool> passed = event->event->query();
    if (passed) {
      *done = *passed;
    }
    return passed.takeStatus();
  });
}
tz_status_t tz_event_sync(tz_event_t event, uint64_t timeout_ns) {
  TZ_REQUIRE(event);
  return guarded([&] { return event->event->synchronize(timeout_ns); });
}
tz_status_t tz_event_elapsed_ns(tz_event_t start, tz_event_t stop,
                                uint64_t *out) {
  TZ_REQUIRE(start);
  TZ_REQUIRE(stop);
  TZ_REQUIRE(out);
  return guarded([&] {
    Result<uint64_t> ns = start->event->elapsedNs(*stop->event);
    if (ns) {
      *out = *ns;
    }
    return ns.takeStatus();
  });
}

} // extern "C"
