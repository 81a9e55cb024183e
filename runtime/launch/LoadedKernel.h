//===- LoadedKernel.h - an artifact on a device, ready to launch ----------===//
//
// What   Module and kernels of one artifact on one device; launch() chooses the
//        variant, packs the arguments and calls the vendor.
// Why    Everything that can be done once is done in load(), but for kernels of
//        variants behind the first one, which the device may yet have to make;
//        the launch itself takes no lock and, after the first on a stream,
//        allocates nothing.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_LAUNCH_LOADEDKERNEL_H
#define TERRAZZO_RUNTIME_LAUNCH_LOADEDKERNEL_H

#include "runtime/device/RuntimeDevice.h"

#include <terrazzo/terrazzo.h>

#include <atomic>
#include <functional>

namespace tz::runtime {

/// Gets what a device says while it loads code, the lines of its build log:
/// TZ_SEVERITY_*, and one line that names kernel and device.
using LoadSink = std::function<void(uint32_t severity, const std::string &)>;

/// [thread: any]; a launch on one stream by one thread at a time.
class LoadedKernel {
public:
  /// An empty sink: to the log of the process. A failure has all that the
  /// device said as the fact "build_log".
  static Result<std::unique_ptr<LoadedKernel>>
  load(std::shared_ptr<Device> device, std::shared_ptr<const Artifact> artifact,
       const LoadSink &sink = {});
  ~LoadedKernel();

  const Artifact &artifact() const { return *code; }
  const Device &owner() const { return *device; }
  /// It notes in Device::written() what it writes, and looks there.
  bool looksForUnwritten() const { return notesWrites; }
  /// args: the user's arguments in the order of Artifact::userLeaves.
  Status launch(Stream &stream, const std::array<int64_t, 3> &grid,
                std::span<const ArgValue> args, uint64_t correlation = 0);
  /// The code has nothing to choose and to compute: launchDirect() may be used.
  bool isDirect() const { return entries.size() == 1 && entries[0].direct; }
  /// The same, where a launch before had arguments of these types: user
  /// argument i is slots[slotOf[i]].
  Status launchDirect(Stream &stream, const std::array<int64_t, 3> &grid,
                      const tz_arg *slots, const uint32_t *slotOf,
                      uint64_t correlation);

  /// Address and bytes of a variable of the code's own; both live as this does.
  Result<std::pair<tz_dptr, uint64_t>> global(std::string_view name) const;
  /// A TZ_E_FAULT of this kernel, or of the same code without line tables, with
  /// its place in the source before its message and in its facts. Unchanged if
  /// the place is not known.
  Status withPlace(Status fault) const;

private:
  Status loadModule(const LoadSink &sink);
  LoadedKernel(std::shared_ptr<Device> device,
               std::shared_ptr<const Artifact> artifact)
      : device(std::move(device)), code(std::move(artifact)) {}

  /// User argument `arg` is stored as eight bytes: those behind its own are
  /// zero until the next argument is stored.
  struct Copy {
    uint32_t arg, offset;
    uint64_t mask;
  };
  struct Entry {
    /// Null until a launch asks for it; the device gives all threads one.
    std::atomic<tz_kernel *> kernel{nullptr};
    bool asksOccupancy = false;
    /// The grid is the user's, all arguments too: `copies` packs them.
    bool direct = false;
    std::vector<Copy> copies; // by offset
    /// But for grid, arguments and correlation.
    tz_launch request{};
    std::atomic<int64_t> occupancy{-1};
  };
  /// The variant's entry, whose kernel is there.
  Result<Entry *> entryOf(size_t variant);
  static void prepare(Entry &entry, const Variant &variant,
                      const std::vector<uint32_t> &types);
  Status checkArgs(std::span<const ArgValue> args) const;
  Status checkDevice(const Stream &stream) const;
  template <typename BitsOf>
  Status startDirect(Entry &entry, Stream &stream,
                     const std::array<int64_t, 3> &grid, uint64_t correlation,
                     BitsOf bitsOf);
  Status start(Entry &entry, Stream &stream, const std::array<int64_t, 3> &grid,
               const uint8_t *args, uint64_t correlation);
  Status pack(size_t variant, Stream &stream, const PlanInputs &inputs,
              uint8_t *buffer);
  Status packView(size_t variant, uint32_t arg, const PlanInputs &inputs,
                  uint8_t *slot);
  void findOccupancy(size_t variant, PlanInputs &inputs);
  void findArrayFacts();
  /// The arguments, and behind them what the code asks about arrays.
  Result<std::vector<ArgValue>>
  withArrayFacts(Stream &stream, const std::array<int64_t, 3> &grid,
                 std::span<const ArgValue> args);
  /// Where the keys of the launch are, of each array fact; 0: there are none.
  Result<std::vector<tz_dptr>>
  findRaceMemory(Stream &stream, const std::array<int64_t, 3> &grid,
                 std::span<const tz_memory_range> arrays);
  /// The code does not note what it writes.
  Status countAsWritten(Stream &stream, const ArgValue &arg) const;
  void tellUnknown(uint32_t argument);

  std::shared_ptr<Device> device;
  std::shared_ptr<const Artifact> code;
  tz_module *module = nullptr;
  std::vector<Entry> entries;
  /// User arguments behind those of the launch.
  std::vector<ArrayFact> arrayFacts;
  bool notesWrites = false;
  std::mutex toldLock;
  std::vector<uint32_t> toldUnknown; ///< of which it was said
  const char *hostName = nullptr;    // where it runs in the process' memory
};

/// Every axis has from 1 to 2147483647 programs.
inline bool isGrid(const std::array<int64_t, 3> &grid) {
  return uint64_t(grid[0]) - 1 < uint64_t(INT32_MAX) &&
         uint64_t(grid[1]) - 1 < uint64_t(INT32_MAX) &&
         uint64_t(grid[2]) - 1 < uint64_t(INT32_MAX);
}
/// TZ_E_INVALID_ARGUMENT / TZ_E_OUT_OF_RANGE for a zero, negative or too large
/// axis; the message names the axis.
Status checkGrid(const std::array<int64_t, 3> &grid, std::string_view what);

} // namespace tz::runtime

#endif
