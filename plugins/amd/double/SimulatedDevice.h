//===- SimulatedDevice.h - devices, code and events of the double ---------===//
//
// What   What stands behind HIP's handles here: a device with its memory over
//        the simulator, a stream, an event, a module, a function.
// Why    The entry points of the other files share these.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_AMD_DOUBLE_SIMULATEDDEVICE_H
#define TERRAZZO_PLUGINS_AMD_DOUBLE_SIMULATEDDEVICE_H

#include "plugins/amd/double/Queue.h"
#include "plugins/amd/simulator/execute/SimulatedLaunch.h"

#include <list>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

namespace tz::amd::hip {

struct Block {
  uint64_t bytes = 0;
  MemoryType type = DeviceMemory;
};

/// [thread: any]
class SimulatedDevice {
public:
  SimulatedDevice(int number, const sim::Machine &machine);

  /// Null: there is not so much.
  void *allocate(uint64_t bytes, MemoryType type);
  /// Waits for all work first, as HIP does. False: nothing begins there.
  bool free(void *memory);
  /// The block that has all these bytes, and where it begins; also one of
  /// loaded code.
  std::optional<std::pair<uint64_t, Block>> find(uint64_t address,
                                                 uint64_t bytes);
  uint64_t freeBytes() const;

  void copy(void *to, const void *from, uint64_t bytes);
  void fill(void *to, uint64_t value, unsigned width, uint64_t count);
  Fault launch(sim::Module &module, const sim::KernelCode &kernel,
               const sim::LaunchShape &shape,
               std::span<const uint8_t> arguments);

  std::unique_ptr<sim::Module> load(std::span<const uint8_t> file);
  void unload(std::unique_ptr<sim::Module> module);

  /// A stream of the program's.
  Queue *createQueue();
  void destroyQueue(Queue *queue);
  bool hasQueue(const Queue *queue) const;
  /// The one that is nobody's, made at its first use.
  Queue &defaultQueue();
  void waitForAll();

  const int number;
  const sim::Machine &machine;

private:
  mutable std::mutex memoryMutex; ///< guards the memory and the simulator
  sim::Memory memory;
  std::map<uint64_t, Block> blocks;
  uint64_t used = 0;
  mutable std::mutex queueMutex; ///< guards the list of queues
  std::list<Queue> queues;
  Queue *unnamed = nullptr;
};

/// All of them, by number. They live to the end of the process.
std::vector<std::unique_ptr<SimulatedDevice>> &devices();
/// The thread's.
int &currentDevice();
SimulatedDevice &current();
/// Bytes of a device's memory: half of the machine's.
uint64_t memoryBytes();
/// TERRAZZO_AMD_SIMULATOR_HOST_MEMORY: devices that have one memory with the
/// host, as some processors do.
bool reachesHostMemory();

struct EventObject {
  std::mutex mutex; ///< guards mark
  std::shared_ptr<Mark> mark;
  bool isTimed = true;

  std::shared_ptr<Mark> recorded() {
    std::lock_guard guard(mutex);
    return mark;
  }
};

struct FunctionObject {
  SimulatedDevice &device;
  sim::Module &module;
  const sim::KernelCode &kernel;
};

struct ModuleObject {
  SimulatedDevice &device;
  std::unique_ptr<sim::Module> module;
  std::list<FunctionObject> functions;
};

/// The queue of a handle: a program's, or the default one of the device.
Queue &queueOf(Stream stream);
inline Stream handleOf(Queue *queue) { return reinterpret_cast<Stream>(queue); }

} // namespace tz::amd::hip

#endif
