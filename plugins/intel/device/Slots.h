//===- Slots.h - the functions that each device half defines --------------===//
//
// What   What stands behind the slots of tz.device/1: functions over handles,
//        which each half defines in the files of its folder.
// Why    The halves differ in what stands behind the handles, not in what is
//        asked of them (HalfTable.h). No binary holds both.
//
// They throw Failure; the SDK's table turns that into error objects.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_INTEL_DEVICE_SLOTS_H
#define TERRAZZO_PLUGINS_INTEL_DEVICE_SLOTS_H

#include <terrazzo/plugin.h>

#include <memory>
#include <string_view>

namespace tz::intel {

// Devices
std::unique_ptr<tz_device> wrapDevice(tz_platform &platform,
                                      const tz_native &native);
tz_device_info describe(tz_device &device);

// Memory
tz_dptr allocate(tz_device &device, const tz_memory_desc &desc);
void release(tz_device &device, tz_dptr memory, tz_stream *stream);
tz_mem_info describeMemory(tz_platform &platform, tz_dptr address);
void copy(tz_stream &stream, tz_dptr to, tz_dptr from, uint64_t bytes,
          uint32_t kind);
void fill(tz_stream &stream, tz_dptr to, uint64_t bytes, uint32_t pattern,
          uint32_t patternBytes);

// Streams and events
std::unique_ptr<tz_stream> createStream(tz_device &device,
                                        const tz_stream_desc &desc);
void synchronize(tz_stream &stream);
void wait(tz_stream &stream, tz_event &event);
void callBack(tz_stream &stream, void (*fn)(void *, int32_t), void *user);
std::unique_ptr<tz_event> createEvent(tz_device &device,
                                      const tz_event_desc &desc);
void record(tz_event &event, tz_stream &stream);
bool query(tz_event &event);
void synchronize(tz_event &event, uint64_t timeoutNs);
uint64_t elapsedNs(tz_event &start, tz_event &stop);

// Code
std::unique_ptr<tz_module> loadModule(tz_device &device,
                                      const tz_module_desc &desc);
tz_kernel &findKernel(tz_module &module, std::string_view name);
void findGlobal(tz_module &module, std::string_view name, tz_dptr &address,
                uint64_t &bytes);
void launch(tz_stream &stream, tz_kernel &kernel, const tz_launch &request);

} // namespace tz::intel

#endif
