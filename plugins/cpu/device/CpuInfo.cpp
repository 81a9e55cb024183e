//===- CpuInfo.cpp - What this machine is ---------------------------------===//
//
// What   sysconf, sched_getaffinity and the control group.
// Why    A core counts only if this process may run on it.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/device/CpuInfo.h"

#include "plugins/cpu/machine/Levels.h"

#include <algorithm>
#include <fstream>
#include <sched.h>
#include <unistd.h>

namespace tz::cpu {

namespace {

unsigned usableCores() {
  // Machines with more than 1024 processors need a larger set.
  for (size_t count = 1024; count <= 65536; count *= 4) {
    cpu_set_t *set = CPU_ALLOC(count);
    if (!set) {
      break;
    }
    size_t bytes = CPU_ALLOC_SIZE(count);
    int rc = sched_getaffinity(0, bytes, set);
    int cores = rc == 0 ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (rc == 0) {
      return static_cast<unsigned>(std::max(cores, 1));
    }
  }
  return static_cast<unsigned>(std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L));
}

uint64_t positive(long value) {
  return value > 0 ? static_cast<uint64_t>(value) : 0;
}

uint64_t memoryLimit() {
  uint64_t total =
      positive(sysconf(_SC_PHYS_PAGES)) * positive(sysconf(_SC_PAGESIZE));
  for (const char *path : {"/sys/fs/cgroup/memory.max",
                           "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::ifstream file(path);
    uint64_t limit = 0;
    if (file >> limit && limit != 0) {
      total = std::min(total, limit);
    }
  }
  return total;
}

CpuInfo ask() {
  CpuInfo cpu;
  cpu.target = "cpu:" + cpu.machine.level;
  cpu.vectorBits = cpu.machine.has("avx512f") ? 512
                   : cpu.machine.has("avx")   ? 256
                                              : 128;
  cpu.cores = usableCores();
  cpu.l1dBytes = positive(sysconf(_SC_LEVEL1_DCACHE_SIZE));
  cpu.l2Bytes = positive(sysconf(_SC_LEVEL2_CACHE_SIZE));
  cpu.l3Bytes = positive(sysconf(_SC_LEVEL3_CACHE_SIZE));
  cpu.totalMemory = memoryLimit();
  return cpu;
}

} // namespace

const CpuInfo &CpuInfo::host() {
  static const CpuInfo info = ask();
  return info;
}

uint64_t availableMemory() {
  std::ifstream file("/proc/meminfo");
  std::string key, unit;
  uint64_t kilobytes = 0;
  while (file >> key >> kilobytes) {
    if (key == "MemAvailable:") {
      return kilobytes * 1024;
    }
    std::getline(file, unit);
  }
  return positive(sysconf(_SC_AVPHYS_PAGES)) * positive(sysconf(_SC_PAGESIZE));
}

/// The first of the features that the machine has not; empty: it has all.
static std::string missing(const CpuMachine &machine,
                           const std::vector<std::string> &features) {
  auto has = [&](const std::string &name) { return machine.has(name); };
  auto found = std::find_if_not(features.begin(), features.end(), has);
  return found == features.end() ? std::string() : *found;
}

std::string whyIncompatible(const CpuMachine &machine,
                            std::string_view compat) {
  size_t split = compat.find(';');
  std::string_view arch = compat.substr(0, split);
#if defined(__x86_64__)
  constexpr std::string_view hostArch = "x86_64";
#else
  constexpr std::string_view hostArch = "aarch64";
#endif
  if (arch != hostArch) {
    return "the artifact is for '" + std::string(arch) + "', this CPU is " +
           std::string(hostArch);
  }
  std::vector<std::string> needed;
  std::string_view rest =
      split == std::string_view::npos ? "" : compat.substr(split + 1);
  while (!rest.empty()) {
    size_t comma = rest.find(',');
    std::string_view name = rest.substr(0, comma);
    rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
    if (name.empty() || name.front() == '-') {
      continue;
    }
    name.remove_prefix(name.front() == '+');
    needed.emplace_back(name);
  }
  const std::string lacks = missing(machine, needed);
  return lacks.empty()
             ? std::string()
             : "the artifact needs '" + lacks + "', " + machine.withoutIt();
}

std::optional<std::string> whyNotRun(const CpuMachine &machine,
                                     std::string_view target) {
  constexpr std::string_view prefix = "cpu:";
  if (!target.starts_with(prefix)) {
    return std::nullopt;
  }
  std::optional<Level> level = parseLevel(target.substr(prefix.size()));
  if (!level) {
    return std::nullopt;
  }
  const std::string lacks = missing(machine, level->features);
  return lacks.empty() ? std::string()
                       : "it needs '" + lacks + "', " + machine.withoutIt();
}

} // namespace tz::cpu
