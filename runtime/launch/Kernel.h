//===- Kernel.h - an artifact on a device, ready to launch ----------------===//
//
// What   Module and kernels of one artifact on one device; launch() chooses the
//        variant, packs the arguments and calls the vendor.
// Why    Everything that can be done once is done in load(); the launch itself
//        takes no lock and, after the first on a stream, allocates nothing.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_LAUNCH_KERNEL_H
#define TERRAZZO_RUNTIME_LAUNCH_KERNEL_H

#include "runtime/device/Device.h"

#include <atomic>

namespace tz::runtime {

/// [thread: any]; a launch on one stream by one thread at a time.
class LoadedKernel {
public:
  static Result<std::unique_ptr<LoadedKernel>>
  load(std::shared_ptr<Device> device,
       std::shared_ptr<const Artifact> artifact);
  ~LoadedKernel();

  const Artifact &artifact() const { return *code; }
  const Device &owner() const { return *device; }
  /// args: the user's arguments in the order of Artifact::userLeaves.
  Status launch(Stream &stream, const std::array<int64_t, 3> &grid,
                std::span<const ArgValue> args);

private:
  LoadedKernel(std::shared_ptr<Device> device,
               std::shared_ptr<const Artifact> artifact)
      : device(std::move(device)), code(std::move(artifact)) {}

  struct Entry {
    tz_kernel *kernel = nullptr;
    bool asksOccupancy = false;
    std::atomic<int64_t> occupancy{-1};
  };
  Status checkArgs(std::span<const ArgValue> args) const;
  Status pack(size_t variant, Stream &stream, const PlanInputs &inputs,
              uint8_t *buffer);
  Status packView(size_t variant, uint32_t arg, const PlanInputs &inputs,
                  uint8_t *slot);
  void findOccupancy(size_t variant, PlanInputs &inputs);

  std::shared_ptr<Device> device;
  std::shared_ptr<const Artifact> code;
  tz_module *module = nullptr;
  std::vector<Entry> entries;
  std::atomic<uint64_t> correlation{0};
};

/// TZ_E_INVALID_ARGUMENT / TZ_E_OUT_OF_RANGE for a zero, negative or too large
/// axis; the message names the axis.
Status checkGrid(const std::array<int64_t, 3> &grid, std::string_view what);

} // namespace tz::runtime

#endif
