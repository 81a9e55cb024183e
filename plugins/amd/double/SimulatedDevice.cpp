//===- SimulatedDevice.cpp - devices, code and events of the double -------===//
//
// What   See SimulatedDevice.h.
// Why    The simulator runs one launch at a time for a memory; who may touch
//        it, and when, is decided here.
//===----------------------------------------------------------------------===//
#include "plugins/amd/double/SimulatedDevice.h"

#include "plugins/amd/double/Results.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace tz::amd::hip {

/// What HIP aligns allocations to.
static constexpr uint64_t Alignment = 256;

std::vector<std::unique_ptr<SimulatedDevice>> &devices() {
  // Never destroyed: threads of queues may outlive main().
  static auto &all = *[] {
    auto *made = new std::vector<std::unique_ptr<SimulatedDevice>>;
    for (const sim::Machine &machine : sim::machines()) {
      made->push_back(
          std::make_unique<SimulatedDevice>(int(made->size()), machine));
    }
    return made;
  }();
  return all;
}

int &currentDevice() {
  static thread_local int number = 0;
  return number;
}

SimulatedDevice &current() { return *devices()[size_t(currentDevice())]; }

uint64_t memoryBytes() {
  static const uint64_t bytes =
      uint64_t(sysconf(_SC_PHYS_PAGES)) * uint64_t(sysconf(_SC_PAGESIZE)) / 2;
  return bytes;
}

bool reachesHostMemory() {
  static const char *asked =
      secure_getenv("TERRAZZO_AMD_SIMULATOR_HOST_MEMORY");
  return asked && std::string_view(asked) == "1";
}

SimulatedDevice::SimulatedDevice(int number, const sim::Machine &machine)
    : number(number), machine(machine) {
  memory.reachesHost = reachesHostMemory();
}

//===--- Memory -----------------------------------------------------------===//

void *SimulatedDevice::allocate(uint64_t bytes, MemoryType type) {
  const uint64_t size =
      (std::max<uint64_t>(bytes, 1) + Alignment - 1) / Alignment * Alignment;
  std::lock_guard guard(memoryMutex);
  if (size < bytes || size > memoryBytes() - used) {
    return nullptr;
  }
  void *made = std::aligned_alloc(Alignment, size);
  if (!made) {
    return nullptr;
  }
  const auto address = reinterpret_cast<uint64_t>(made);
  // The host may write its own without telling anybody.
  memory.add(address, bytes, "an allocation", type != DeviceMemory);
  blocks[address] = {bytes, type};
  used += size;
  return made;
}

bool SimulatedDevice::free(void *where) {
  waitForAll();
  std::lock_guard guard(memoryMutex);
  const auto found = blocks.find(reinterpret_cast<uint64_t>(where));
  if (found == blocks.end()) {
    return false;
  }
  memory.remove(found->first);
  used -= (std::max<uint64_t>(found->second.bytes, 1) + Alignment - 1) /
          Alignment * Alignment;
  blocks.erase(found);
  std::free(where);
  return true;
}

std::optional<std::pair<uint64_t, Block>>
SimulatedDevice::find(uint64_t address, uint64_t bytes) {
  std::lock_guard guard(memoryMutex);
  const sim::Region *region = memory.find(address, bytes);
  if (!region || address - region->address >= region->bytes) {
    return std::nullopt;
  }
  const auto known = blocks.find(region->address);
  const MemoryType type =
      known == blocks.end() ? DeviceMemory : known->second.type;
  return std::pair(region->address, Block{region->bytes, type});
}

uint64_t SimulatedDevice::freeBytes() const {
  std::lock_guard guard(memoryMutex);
  return memoryBytes() - used;
}

void SimulatedDevice::copy(void *to, const void *from, uint64_t bytes) {
  std::lock_guard guard(memoryMutex);
  std::memmove(to, from, bytes);
  memory.markWritten(reinterpret_cast<uint64_t>(to), bytes);
}

void SimulatedDevice::fill(void *to, uint64_t value, unsigned width,
                           uint64_t count) {
  std::lock_guard guard(memoryMutex);
  auto *at = static_cast<unsigned char *>(to);
  for (uint64_t i = 0; i < count; ++i) {
    std::memcpy(at + i * width, &value, width);
  }
  memory.markWritten(reinterpret_cast<uint64_t>(to), count * width);
}

//===--- Code -------------------------------------------------------------===//

std::unique_ptr<sim::Module>
SimulatedDevice::load(std::span<const uint8_t> file) {
  std::lock_guard guard(memoryMutex);
  return std::make_unique<sim::Module>(memory, file);
}

void SimulatedDevice::unload(std::unique_ptr<sim::Module> module) {
  waitForAll();
  std::lock_guard guard(memoryMutex);
  module.reset();
}

/// The first findings as one text; a long list says no more.
static Fault faultOf(const sim::Report &report) {
  if (report.findings.empty()) {
    return {};
  }
  constexpr size_t most = 4;
  Fault fault;
  fault.result = report.findings.front().kind == sim::Found::OutOfBounds
                     ? IllegalAddress
                     : LaunchFailure;
  for (size_t i = 0; i < std::min(report.findings.size(), most); ++i) {
    fault.text += (i ? "\n" : "") + report.findings[i].text();
  }
  if (report.findings.size() > most) {
    fault.text +=
        "\nand " + std::to_string(report.findings.size() - most) + " more";
  }
  return fault;
}

Fault SimulatedDevice::launch(sim::Module &module,
                              const sim::KernelCode &kernel,
                              const sim::LaunchShape &shape,
                              std::span<const uint8_t> arguments) {
  std::lock_guard guard(memoryMutex);
  try {
    return faultOf(sim::launch(memory, module, kernel, shape, arguments));
  } catch (const std::exception &refusal) {
    return {LaunchFailure, refusal.what()};
  }
}

//===--- Queues -----------------------------------------------------------===//

Queue *SimulatedDevice::createQueue() {
  std::lock_guard guard(queueMutex);
  return &queues.emplace_back(number);
}

void SimulatedDevice::destroyQueue(Queue *queue) {
  std::list<Queue> ending; // whose thread is waited for without the lock
  std::lock_guard guard(queueMutex);
  for (auto at = queues.begin(); at != queues.end(); ++at) {
    if (&*at == queue) {
      ending.splice(ending.begin(), queues, at);
      return;
    }
  }
}

bool SimulatedDevice::hasQueue(const Queue *queue) const {
  std::lock_guard guard(queueMutex);
  return std::any_of(queues.begin(), queues.end(),
                     [&](const Queue &one) { return &one == queue; });
}

Queue &SimulatedDevice::defaultQueue() {
  std::lock_guard guard(queueMutex);
  if (!unnamed) {
    unnamed = &queues.emplace_back(number);
  }
  return *unnamed;
}

void SimulatedDevice::waitForAll() {
  std::lock_guard guard(queueMutex);
  for (Queue &queue : queues) {
    queue.wait();
  }
}

Queue &queueOf(Stream stream) {
  if (!stream || stream == LegacyStream || stream == PerThreadStream) {
    return current().defaultQueue();
  }
  auto *queue = reinterpret_cast<Queue *>(stream);
  for (const auto &device : devices()) {
    if (device->hasQueue(queue)) {
      return *queue;
    }
  }
  throw Refused{InvalidHandle};
}

} // namespace tz::amd::hip
