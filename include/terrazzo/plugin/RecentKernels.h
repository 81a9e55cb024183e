//===- terrazzo/plugin/RecentKernels.h - which kernels may have failed ----===//
//
// What   The names of the kernels that a stream was given since it was last
//        waited for, as far as they fit.
// Why    A driver tells of a fault without saying whose it was.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGIN_RECENTKERNELS_H
#define TERRAZZO_PLUGIN_RECENTKERNELS_H

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace tz::plugin {

/// Written by the stream's thread, read by any thread that meets a fault. The
/// names live longer.
class RecentKernels {
public:
  void add(const std::string *name) {
    const uint32_t n = count.load(std::memory_order_relaxed);
    names[n % names.size()].store(name, std::memory_order_relaxed);
    count.store(n + 1, std::memory_order_release);
  }
  void clear() { count.store(0, std::memory_order_release); }
  /// Newest first, each once.
  void collect(std::vector<const std::string *> &into) const {
    const uint32_t n = count.load(std::memory_order_acquire);
    for (uint32_t i = 0; i < std::min<uint32_t>(n, uint32_t(names.size()));
         ++i) {
      const std::string *name =
          names[(n - 1 - i) % names.size()].load(std::memory_order_relaxed);
      if (name && std::find(into.begin(), into.end(), name) == into.end()) {
        into.push_back(name);
      }
    }
  }

private:
  std::array<std::atomic<const std::string *>, 8> names{};
  std::atomic<uint32_t> count{0};
};

/// "the kernel that ran was 'add'"
inline std::string
kernelsText(const std::vector<const std::string *> &kernels) {
  if (kernels.empty()) {
    return "no kernel of Terrazzo was running";
  }
  std::string text = kernels.size() == 1 ? "the kernel that ran was "
                                         : "the kernels that ran were ";
  for (size_t i = 0; i < kernels.size(); ++i) {
    text += (i ? ", '" : "'") + *kernels[i] + "'";
  }
  return text;
}

} // namespace tz::plugin

#endif // TERRAZZO_PLUGIN_RECENTKERNELS_H
