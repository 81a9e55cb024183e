//===- CpuMachine.cpp - What this machine offers to code ------------------===//
//
// What   CPUID, XGETBV, the permission for AMX, and TERRAZZO_CPU_CAP.
// Why    A feature counts only if the system saves its registers: that needs
//        more than CPUID.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/machine/CpuMachine.h"

#include "plugins/cpu/machine/Levels.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <set>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
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

/// Linux lets a process use the registers of AMX, which are large, once it has
/// asked. The permission is for all its threads, costs nothing until a thread
/// uses them, and cannot be given back. A sandbox, an old system or a thread
/// with a small stack for signals refuses: then there is no AMX.
bool mayUseTiles() {
  constexpr long requestPermission = 0x1023; // ARCH_REQ_XCOMP_PERM
  constexpr long tileData = 18;              // XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
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
constexpr FeatureBit FeatureBits[] = {
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

/// All that programs can use here, but for AMX if not `tiles`.
std::vector<std::string> hostFeatures(bool tiles) {
  constexpr uint64_t avxState = 0x6, avx512State = 0xe6, amxState = 0x60000;
  bool osxsave = cpuid(1, 0).ecx & (1u << 27);
  uint64_t state = osxsave ? enabledState() : 0;
  if ((state & amxState) == amxState && !(tiles && mayUseTiles())) {
    state &= ~amxState;
  }
  std::vector<std::string> features;
  for (const FeatureBit &f : FeatureBits) {
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
std::vector<std::string> hostFeatures(bool) { return {}; }

#endif

/// What every x86-64 machine has, or what is no instruction of a level.
constexpr std::string_view Baseline[] = {"64bit", "cmov", "crc32",  "cx8",
                                         "fxsr",  "mmx",  "prfchw", "sahf",
                                         "sse",   "sse2", "xsave"};

CpuMachine ask() {
  const char *cap = secure_getenv("TERRAZZO_CPU_CAP");
  CpuMachine machine;
  machine.brand = brandString();
  // Under a cap that leaves AMX out, nobody is asked for it.
  machine.features =
      hostFeatures(!cap || !*cap || std::strstr(cap, "+amx") != nullptr);
  return capped(std::move(machine), cap);
}

} // namespace

bool CpuMachine::has(std::string_view feature) const {
  return std::binary_search(features.begin(), features.end(), feature);
}

std::string CpuMachine::withoutIt() const {
  return cap.empty() ? "which " + brand + " does not have"
                     : "which TERRAZZO_CPU_CAP=" + cap + " leaves out";
}

CpuMachine capped(CpuMachine machine, const char *cap) {
  if (cap && *cap) {
    if (std::optional<Level> level = parseLevel(cap)) {
      std::set<std::string_view> kept(std::begin(Baseline), std::end(Baseline));
      kept.insert(level->features.begin(), level->features.end());
      std::erase_if(machine.features, [&](const std::string &feature) {
        return !kept.contains(feature);
      });
      machine.cap = std::move(level->name);
    } else {
      machine.problem = "TERRAZZO_CPU_CAP is '" + std::string(cap) +
                        "'; it must be a level: " + levelNames();
    }
  }
  machine.level =
      levelOf([&](std::string_view name) { return machine.has(name); });
  return machine;
}

const CpuMachine &CpuMachine::host() {
  static const CpuMachine machine = ask();
  return machine;
}

} // namespace tz::cpu
