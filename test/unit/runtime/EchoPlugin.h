//===- EchoPlugin.h - a device that shows what it was given ---------------===//
//
// What   A built-in plugin "echo" whose launches are recorded and whose kernel
//        is a C++ function chosen by the test.
// Why    The launch path is tested for what arrives at a vendor, and prints and
//        asserts without any code generator.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_TEST_UNIT_RUNTIME_ECHOPLUGIN_H
#define TERRAZZO_TEST_UNIT_RUNTIME_ECHOPLUGIN_H

#include "runtime/loader/Registry.h"

#include <terrazzo/sampler.h>

#include <functional>
#include <span>

struct EchoLaunch {
  std::string kernel;
  std::array<uint32_t, 3> grid;
  std::vector<uint8_t> args;
  uint32_t flags = 0;
};

struct Echo {
  std::vector<EchoLaunch> launches; // of all streams; tests use one thread
  std::vector<std::string> sought;  // kernels that modules were asked for
  bool record = true;
  std::function<void(const EchoLaunch &)> body;
  size_t allocations = 0, frees = 0, waits = 0;
  bool isBehind = false;           // no event that was recorded has come
  bool isRecording = false;        // streams record a graph
  bool isOld = false;              // when opened: its table has no source_place
  bool hasRecords = false;         // has a profiler's table, with what follows
  bool refusesRecords = false;     // its create() fails
  bool hasBuffers = true;          // else all records are dropped
  std::vector<uint64_t> externals; // that are pushed
  tz_profiler_watcher watcher{};   // of the last profile
  std::vector<tz_record> records;  // until they are flushed
  bool hasSamples = false;         // has a sampler's table, with what follows
  bool refusesSamples = false;     // its create() fails
  uint64_t samplePeriod = 0;       // as it was asked for
  bool isSampling = false;
  std::vector<tz_sample> samples; // until they are read
  uint64_t lostSamples = 0;
  int failAt = -1; // the call of any table function that fails, counted down

  void reset() { *this = Echo(); }
  static Echo &instance();
};

tz::runtime::BuiltinPlugin echoPlugin();

#endif
