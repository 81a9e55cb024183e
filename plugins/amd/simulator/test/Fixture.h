//===- Fixture.h - launches for the tests of the simulator ----------------===//
//
// What   Reads a code object of the tests, holds device memory, and launches.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_AMD_SIMULATOR_TEST_FIXTURE_H
#define TERRAZZO_PLUGINS_AMD_SIMULATOR_TEST_FIXTURE_H

#include "plugins/amd/simulator/execute/SimulatedLaunch.h"

#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

namespace tz::amd::sim {

/// The bytes of kernels.gfx942.hsaco for "kernels".
inline std::vector<uint8_t>
readKernels(const std::string &name, const std::string &processor = "gfx942") {
  std::ifstream file(TZ_TEST_KERNELS "/" + name + "." + processor + ".hsaco",
                     std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class SimulatorTest : public testing::Test {
protected:
  /// Device memory that the host has filled; it lives as long as the test.
  template <typename T>
  T *device(std::vector<T> values) {
    auto &bytes = allocations.emplace_back(values.size() * sizeof(T) / 8 + 1);
    std::memcpy(bytes.data(), values.data(), values.size() * sizeof(T));
    memory.add(reinterpret_cast<uint64_t>(bytes.data()),
               values.size() * sizeof(T), "an allocation", true);
    return reinterpret_cast<T *>(bytes.data());
  }

  template <typename... Arguments>
  Report run(Module &module, const std::string &name, LaunchShape shape,
             Arguments... arguments) {
    const KernelCode *kernel = module.kernel(name);
    if (!kernel) {
      ADD_FAILURE() << "no kernel " << name;
      return {};
    }
    std::vector<uint8_t> bytes;
    (append(bytes, arguments), ...);
    return launch(memory, module, *kernel, shape, bytes);
  }

  static std::string text(const Report &report) {
    std::string out;
    for (const Finding &finding : report.findings) {
      out += finding.text() + "\n";
    }
    return out;
  }

  Memory memory;

private:
  template <typename T>
  static void append(std::vector<uint8_t> &bytes, T value) {
    bytes.resize((bytes.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T));
    const auto *from = reinterpret_cast<const uint8_t *>(&value);
    bytes.insert(bytes.end(), from, from + sizeof(T));
  }
  std::vector<std::vector<uint64_t>> allocations;
};

} // namespace tz::amd::sim

#endif
