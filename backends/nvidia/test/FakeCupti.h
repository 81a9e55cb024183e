//===- FakeCupti.h - what a test sees of the fake CUPTI -------------------===//
//
// What   Settings and controls of FakeCupti.cpp, a shared object with CUPTI's
//        entry points.
// Why    Without a GPU every path that reads records runs in the tests, the
//        ones that refuse them too.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_BACKENDS_NVIDIA_TEST_FAKECUPTI_H
#define TERRAZZO_BACKENDS_NVIDIA_TEST_FAKECUPTI_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tz::nvidia::test {

/// An instruction that was found, with how often for each of FakeReasons.
struct FakePlace {
  uint64_t crc, offset;
  const char *function;
  std::vector<uint32_t> counts;
};

struct FakeCupti {
  // Settings.
  uint32_t version = 26;
  std::string failFunction; ///< whose calls give failResult
  int failResult = 999;
  size_t dropped = 0;           ///< told at the next flush
  bool isLate = false;          ///< pushed numbers stand behind their kernels
  uint64_t clock = 5000;        ///< each kernel takes 100 of it
  std::vector<FakePlace> found; ///< since sampling was started
  size_t placesOfACall = 2;     ///< that GetData gives at most
  uint64_t droppedSamples = 0;  ///< told with the next data
  bool isHardwareFull = false;

  // Records.
  std::map<std::string, int> calls;
  std::set<uint32_t> kinds;              ///< that are enabled
  std::map<uint32_t, uint64_t> settings; ///< of sampling, by attribute
  bool isSampling = false, isSamplerThere = false;
  std::map<uint32_t, std::vector<uint64_t>> pushed;

  /// A kernel, as the driver or another library launches it.
  void (*launched)(const char *kernel) = nullptr;
  void (*copied)(uint64_t bytes) = nullptr;
  /// A node of a graph is recorded, and copied for a graph that runs.
  void (*nodeMade)(uint64_t node) = nullptr;
  void (*nodeCopied)(uint64_t node, uint64_t original) = nullptr;
  uint64_t replayedNode = 0; ///< that the next launch is of
  uint64_t recordedNode = 0; ///< that the next launch becomes; 0: it runs
  /// Ranges of NVTX: with a name, or with attributes (null: without a name).
  void (*rangePushed)(const char *name) = nullptr;
  void (*rangePushedWith)(const char *name) = nullptr;
  void (*rangePopped)() = nullptr;
  /// Another profiler registers, which drops what it is told.
  void (*registerOther)() = nullptr;
  void (*reset)() = nullptr;
};

/// Exported by the shared object as "fakeCupti".
using FakeCuptiEntry = FakeCupti *(*)();

} // namespace tz::nvidia::test

#endif
