//===- Architecture.cpp - which code runs on which device -----------------===//
//
// What   See Architecture.h.
// Why    See Architecture.h.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/device/Architecture.h"

namespace tz::nvidia {

std::optional<Architecture> Architecture::parse(std::string_view text) {
  Architecture a;
  if (text.starts_with("sm_")) {
    text.remove_prefix(3);
  } else if (text.starts_with("compute_")) {
    text.remove_prefix(8);
    a.portable = true;
  } else {
    return std::nullopt;
  }
  if (text.ends_with('a') || text.ends_with('f')) {
    a.variant = text.back();
    text.remove_suffix(1);
  }
  // Two or three digits; the last one is the minor number.
  if (text.size() < 2 || text.size() > 3 ||
      text.find_first_not_of("0123456789") != std::string_view::npos) {
    return std::nullopt;
  }
  int number = std::stoi(std::string(text));
  a.major = number / 10;
  a.minor = number % 10;
  return a;
}

bool Architecture::runsOn(int deviceMajor, int deviceMinor) const {
  if (variant == 'a') {
    return deviceMajor == major && deviceMinor == minor;
  }
  if (variant == 'f' || !portable) {
    return deviceMajor == major && deviceMinor >= minor;
  }
  return deviceMajor > major || (deviceMajor == major && deviceMinor >= minor);
}

std::string targetOf(int major, int minor) {
  return "nvidia:sm_" + std::to_string(major) + std::to_string(minor) +
         (major >= 9 ? "a" : "");
}

std::string whyIncompatible(std::string_view compat, int major, int minor) {
  for (std::string_view rest = compat; !rest.empty();) {
    size_t end = std::min(rest.find(';'), rest.size());
    std::optional<Architecture> one = Architecture::parse(rest.substr(0, end));
    if (!one) {
      return "the artifact is for '" + std::string(rest.substr(0, end)) +
             "', which is no architecture of this backend (sm_90a, "
             "compute_80 ...)";
    }
    if (one->runsOn(major, minor)) {
      return {};
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return compat.empty()
             ? "the artifact does not say which architecture it is for"
             : "the artifact is for " + std::string(compat) +
                   ", the device is " + targetOf(major, minor).substr(7) +
                   "; compile it for this device";
}

std::optional<std::string> whyNotRun(std::string_view target, int major,
                                     int minor) {
  constexpr std::string_view plugin = "nvidia:";
  if (!target.starts_with(plugin)) {
    return std::nullopt;
  }
  std::optional<Architecture> one =
      Architecture::parse(target.substr(plugin.size()));
  if (!one || one->portable) {
    return std::nullopt;
  }
  return one->runsOn(major, minor)
             ? std::string()
             : "the device is " + targetOf(major, minor).substr(plugin.size());
}

} // namespace tz::nvidia
