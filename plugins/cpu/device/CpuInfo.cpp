//===- CpuInfo.cpp - What this machine is ---------------------------------===//
//
// What   CPUID and XGETBV, sysconf, sched_getaffinity and the control group.
// Why    A feature counts only if the system saves its registers, and a core
//        only if this process may run on it: both need more than CPUID.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/device/CpuInfo.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <sched.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace tz::cpu {

namespace {

#if defined(__x86_64__)

struct Leaf {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};

Leaf cpuid(unsigned leaf, unsigned subleaf) {
  Leaf out;
  __get_cpuid_count(leaf, subleaf, &out.eax, &out.ebx, &out.ecx, &out.edx);
  return out;
}

uint64_t enabledState() {
  unsigned low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t{high} << 32) | low;
}

std::string brandString() {
  if (cpuid(0x80000000u, 0).eax < 0x80000004u) {
    return "x86_64";
  }
  char text[49] = {};
  for (unsigned i = 0; i < 3; ++i) {
    Leaf leaf = cpuid(0x80000002u + i, 0);
    std::memcpy(text + i * 16, &leaf, 16);
  }
  std::string brand = text;
  brand.erase(0, brand.find_first_not_of(' '));
  brand.erase(brand.find_last_not_of(' ') + 1);
  return brand.empty() ? "x86_64" : brand;
}

enum class Needs { Nothing, Avx, Avx512, Amx };

struct FeatureBit {
  const char *name;
  unsigned leaf, subleaf;
  char reg;
  unsigned bit;
  Needs needs;
};

/// Names as in LLVM's target-features.
constexpr FeatureBit kFeatureBits[] = {
    {"cx8", 1, 0, 'd', 8, Needs::Nothing},
    {"cmov", 1, 0, 'd', 15, Needs::Nothing},
    {"mmx", 1, 0, 'd', 23, Needs::Nothing},
    {"fxsr", 1, 0, 'd', 24, Needs::Nothing},
    {"sse", 1, 0, 'd', 25, Needs::Nothing},
    {"sse2", 1, 0, 'd', 26, Needs::Nothing},
    {"sse3", 1, 0, 'c', 0, Needs::Nothing},
    {"pclmul", 1, 0, 'c', 1, Needs::Nothing},
    {"ssse3", 1, 0, 'c', 9, Needs::Nothing},
    {"fma", 1, 0, 'c', 12, Needs::Avx},
    {"cx16", 1, 0, 'c', 13, Needs::Nothing},
    {"sse4.1", 1, 0, 'c', 19, Needs::Nothing},
    {"sse4.2", 1, 0, 'c', 20, Needs::Nothing},
    {"movbe", 1, 0, 'c', 22, Needs::Nothing},
    {"popcnt", 1, 0, 'c', 23, Needs::Nothing},
    {"aes", 1, 0, 'c', 25, Needs::Nothing},
    {"xsave", 1, 0, 'c', 27, Needs::Nothing},
    {"crc32", 1, 0, 'c', 20, Needs::Nothing},
    {"avx", 1, 0, 'c', 28, Needs::Avx},
    {"f16c", 1, 0, 'c', 29, Needs::Avx},
    {"rdrnd", 1, 0, 'c', 30, Needs::Nothing},
    {"bmi", 7, 0, 'b', 3, Needs::Nothing},
    {"avx2", 7, 0, 'b', 5, Needs::Avx},
    {"bmi2", 7, 0, 'b', 8, Needs::Nothing},
    {"avx512f", 7, 0, 'b', 16, Needs::Avx512},
    {"avx512dq", 7, 0, 'b', 17, Needs::Avx512},
    {"adx", 7, 0, 'b', 19, Needs::Nothing},
    {"avx512ifma", 7, 0, 'b', 21, Needs::Avx512},
    {"avx512cd", 7, 0, 'b', 28, Needs::Avx512},
    {"avx512bw", 7, 0, 'b', 30, Needs::Avx512},
    {"avx512vl", 7, 0, 'b', 31, Needs::Avx512},
    {"avx512vbmi", 7, 0, 'c', 1, Needs::Avx512},
    {"avx512vbmi2", 7, 0, 'c', 6, Needs::Avx512},
    {"gfni", 7, 0, 'c', 8, Needs::Nothing},
    {"vaes", 7, 0, 'c', 9, Needs::Avx},
    {"vpclmulqdq", 7, 0, 'c', 10, Needs::Avx},
    {"avx512vnni", 7, 0, 'c', 11, Needs::Avx512},
    {"avx512bitalg", 7, 0, 'c', 12, Needs::Avx512},
    {"avx512vpopcntdq", 7, 0, 'c', 14, Needs::Avx512},
    {"amx-bf16", 7, 0, 'd', 22, Needs::Amx},
    {"avx512fp16", 7, 0, 'd', 23, Needs::Avx512},
    {"amx-tile", 7, 0, 'd', 24, Needs::Amx},
    {"amx-int8", 7, 0, 'd', 25, Needs::Amx},
    {"avxvnni", 7, 1, 'a', 4, Needs::Avx},
    {"avx512bf16", 7, 1, 'a', 5, Needs::Avx512},
    {"sahf", 0x80000001u, 0, 'c', 0, Needs::Nothing},
    {"lzcnt", 0x80000001u, 0, 'c', 5, Needs::Nothing},
    {"prfchw", 0x80000001u, 0, 'c', 8, Needs::Nothing},
    {"64bit", 0x80000001u, 0, 'd', 29, Needs::Nothing},
};

std::vector<std::string> hostFeatures() {
  constexpr uint64_t avxState = 0x6, avx512State = 0xe6, amxState = 0x60000;
  bool osxsave = cpuid(1, 0).ecx & (1u << 27);
  uint64_t state = osxsave ? enabledState() : 0;
  std::vector<std::string> features;
  for (const FeatureBit &f : kFeatureBits) {
    Leaf leaf = cpuid(f.leaf, f.subleaf);
    unsigned word = f.reg == 'a'   ? leaf.eax
                    : f.reg == 'b' ? leaf.ebx
                    : f.reg == 'c' ? leaf.ecx
                                   : leaf.edx;
    uint64_t needed = f.needs == Needs::Avx      ? avxState
                      : f.needs == Needs::Avx512 ? avx512State
                      : f.needs == Needs::Amx    ? amxState
                                                 : 0;
    if ((word & (1u << f.bit)) && (state & needed) == needed) {
      features.emplace_back(f.name);
    }
  }
  std::sort(features.begin(), features.end());
  return features;
}

#else

std::string brandString() { return "cpu"; }
std::vector<std::string> hostFeatures() { return {}; }

#endif

std::string targetId(const CpuInfo &cpu) {
#if defined(__x86_64__)
  auto all = [&](std::initializer_list<const char *> names) {
    return std::all_of(names.begin(), names.end(),
                       [&](const char *name) { return cpu.has(name); });
  };
  std::string id = "cpu:x86-64-v2";
  bool v3 = all({"avx2", "fma", "f16c", "bmi", "bmi2", "lzcnt", "movbe"});
  bool v4 =
      v3 && all({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"});
  id = v4 ? "cpu:x86-64-v4" : v3 ? "cpu:x86-64-v3" : "cpu:x86-64-v2";
  for (const char *extra :
       {"avx512bf16", "avx512vnni", "avx512fp16", "avxvnni"}) {
    if (v3 && cpu.has(extra)) {
      id += std::string("+") + extra;
    }
  }
  return id;
#else
  return "cpu:unsupported";
#endif
}

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
  cpu.brand = brandString();
  cpu.features = hostFeatures();
  cpu.target = targetId(cpu);
  cpu.vectorBits = cpu.has("avx512f") ? 512 : cpu.has("avx") ? 256 : 128;
  cpu.cores = usableCores();
  cpu.l1dBytes = positive(sysconf(_SC_LEVEL1_DCACHE_SIZE));
  cpu.l2Bytes = positive(sysconf(_SC_LEVEL2_CACHE_SIZE));
  cpu.l3Bytes = positive(sysconf(_SC_LEVEL3_CACHE_SIZE));
  cpu.totalMemory = memoryLimit();
  return cpu;
}

} // namespace

bool CpuInfo::has(std::string_view feature) const {
  auto it = std::lower_bound(features.begin(), features.end(), feature);
  return it != features.end() && *it == feature;
}

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

std::string whyIncompatible(const CpuInfo &cpu, std::string_view compat) {
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
  std::string_view rest =
      split == std::string_view::npos ? "" : compat.substr(split + 1);
  while (!rest.empty()) {
    size_t comma = rest.find(',');
    std::string_view name = rest.substr(0, comma);
    rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
    if (name.empty() || name.front() == '-') {
      continue;
    }
    if (name.front() == '+') {
      name.remove_prefix(1);
    }
    if (!cpu.has(name)) {
      return "the artifact needs '" + std::string(name) + "', which " +
             cpu.brand + " does not have";
    }
  }
  return {};
}

} // namespace tz::cpu
