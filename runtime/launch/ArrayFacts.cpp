//===- ArrayFacts.cpp - what checked kernels are told of arrays -----------===//
//
// What   Where arrays begin and end, which bytes were written, and memory in
//        which programs note their accesses: arguments behind the user's own.
// Why    The compiler puts checks of accesses into a kernel; only a launch
//        knows the arrays.
//===----------------------------------------------------------------------===//
#include "runtime/launch/LoadedKernel.h"
#include "runtime/loader/Host.h"

#include <algorithm>

namespace tz::runtime {

void LoadedKernel::findArrayFacts() {
  const size_t first = code->userTypes.size();
  for (const Variant &variant : code->variants) {
    for (const ArgInfo &arg : variant.args) {
      std::optional<ArrayFact> fact;
      if (arg.kind == TZ_ARG_USER && arg.index >= first &&
          (fact = code->arrayFact(arg.name))) {
        arrayFacts.resize(std::max(arrayFacts.size(), arg.index - first + 1));
        arrayFacts[arg.index - first] = *fact;
        notesWrites |= fact->kind == ArrayFact::Written;
      }
    }
  }
}

/// Of a key: the number of a program, plus 1.
static constexpr int64_t MostRacePrograms = (1 << 24) - 2;

Result<std::vector<tz_dptr>>
LoadedKernel::findRaceMemory(Stream &stream, const std::array<int64_t, 3> &grid,
                             std::span<const tz_memory_range> arrays) {
  std::vector<tz_dptr> found(arrayFacts.size(), 0);
  const bool isTooLarge = grid[0] > MostRacePrograms / grid[1] / grid[2];
  // A graph would run the launch again, with the keys of the time before.
  if (isTooLarge || stream.isRecording()) {
    return found;
  }
  size_t taken = 0;
  for (size_t i = 0; i < arrayFacts.size(); ++i) {
    if (arrayFacts[i].kind != ArrayFact::Races || found[i] ||
        arrays[i].bytes == INT64_MAX) {
      continue;
    }
    const uint64_t cells =
        (arrays[i].bytes + arrayFacts[i].granule - 1) / arrayFacts[i].granule;
    Result<tz_dptr> memory = stream.races().take(stream, taken++,
                                                 std::max<uint64_t>(cells, 1) *
                                                     arrayFacts[i].planes * 4);
    if (!memory) {
      return memory.takeStatus();
    }
    // Arguments that are views of one memory share the keys.
    for (size_t j = 0; j < arrayFacts.size(); ++j) {
      const bool hasKeys = arrayFacts[j].kind == ArrayFact::Races ||
                           arrayFacts[j].kind == ArrayFact::Reads;
      const bool isSame = arrays[j].address == arrays[i].address &&
                          arrays[j].bytes == arrays[i].bytes;
      if (hasKeys && isSame) {
        found[j] = *memory;
      }
    }
  }
  return found;
}

Result<std::vector<ArgValue>>
LoadedKernel::withArrayFacts(Stream &stream, const std::array<int64_t, 3> &grid,
                             std::span<const ArgValue> args) {
  std::vector<tz_memory_range> arrays;
  bool hasRaces = false;
  for (const ArrayFact &fact : arrayFacts) {
    std::optional<tz_memory_range> array =
        stream.memoryAt(args[fact.argument].bits);
    if (!array) {
      // All of memory: nothing is outside.
      array = {0, INT64_MAX, nullptr};
      tellUnknown(fact.argument);
    }
    arrays.push_back(*array);
    hasRaces |= fact.kind == ArrayFact::Races;
  }
  std::vector<tz_dptr> keys(arrayFacts.size(), 0);
  if (hasRaces) {
    Result<std::vector<tz_dptr>> found = findRaceMemory(stream, grid, arrays);
    if (!found) {
      return found.takeStatus();
    }
    keys = std::move(*found);
  }
  std::vector<ArgValue> all(args.begin(), args.end());
  for (size_t i = 0; i < arrayFacts.size(); ++i) {
    uint64_t bits = keys[i];
    switch (arrayFacts[i].kind) {
    case ArrayFact::Begin:
      bits = arrays[i].address;
      break;
    case ArrayFact::End:
      bits = arrays[i].address + arrays[i].bytes;
      break;
    case ArrayFact::Written:
      bits = device->written().shadowOf(arrays[i].address, arrays[i].bytes);
      break;
    case ArrayFact::Races:
    case ArrayFact::Reads:
      break;
    }
    all.push_back({TZ_TYPE_I64, bits});
  }
  return all;
}

Status LoadedKernel::countAsWritten(Stream &stream, const ArgValue &arg) const {
  return arg.type == TZ_TYPE_PTR ? device->written().wroteAll(&stream, arg.bits)
                                 : Status();
}

void LoadedKernel::tellUnknown(uint32_t argument) {
  std::lock_guard guard(toldLock);
  if (std::ranges::find(toldUnknown, argument) != toldUnknown.end()) {
    return;
  }
  toldUnknown.push_back(argument);
  logMessage(1, "",
             "kernel '" + code->function +
                 "': it is not known how long the array '" +
                 code->leafNames()[code->userLeaves[argument]] +
                 "' is, so its accesses are not checked (" +
                 std::to_string(toldUnknown.size()) +
                 " so far); tell it by tz_stream_know_memory");
}

} // namespace tz::runtime
