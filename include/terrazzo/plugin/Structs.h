//===- terrazzo/plugin/Structs.h - growable structs of the ABI ------------===//
//
// What   whole() reads one that the host gave, writeOut() fills one that the
// host
//        wants; refuseExtensions() looks through the list that hangs on it;
//        optionOf() finds an option.
// Why    Rule 3 of plugin.h: either side may know a longer struct than the
//        other.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGIN_STRUCTS_H
#define TERRAZZO_PLUGIN_STRUCTS_H

#include <terrazzo/plugin/Error.h>

#include <algorithm>
#include <cstring>
#include <initializer_list>

namespace tz::plugin {

/// Throws TZ_E_UNIMPLEMENTED for an extension that must be understood and is
/// none of `known`.
inline void
refuseExtensions(const tz_ext *list,
                 std::initializer_list<std::string_view> known = {}) {
  for (const tz_ext *e = list; e; e = e->next) {
    const std::string_view id = e->id ? e->id : "";
    if ((e->flags & TZ_EXT_MUST_UNDERSTAND) &&
        std::find(known.begin(), known.end(), id) == known.end()) {
      throw Failure(TZ_E_UNIMPLEMENTED,
                    "unknown extension '" + std::string(id) + "'");
    }
  }
}

/// The struct as this header knows it: what an older host does not have is 0.
/// No extension of it must be understood.
template <typename T>
T whole(const T *from) {
  if (!from) {
    throw Failure(TZ_E_INVALID_ARGUMENT, "a descriptor is null");
  }
  T all{};
  std::memcpy(static_cast<void *>(&all), from,
              std::min(sizeof(T), from->struct_size));
  all.struct_size = sizeof(T);
  if constexpr (requires { all.next; }) {
    refuseExtensions(all.next);
  }
  return all;
}

/// Fills an out-parameter: min(sizes), and the new struct_size.
template <typename T>
void writeOut(T *out, T value) {
  if (!out) {
    throw Failure(TZ_E_INVALID_ARGUMENT, "the answer is null");
  }
  const size_t size = std::min(out->struct_size, sizeof(T));
  value.struct_size = size;
  std::memcpy(static_cast<void *>(out), &value, size);
}

/// The last of this name and kind; null: it is not given.
inline const tz_kv *optionOf(const tz_create_desc &desc, std::string_view name,
                             uint32_t kind) {
  const tz_kv *found = nullptr;
  for (size_t i = 0; i < desc.num_options; ++i) {
    if (view(desc.options[i].key) == name && desc.options[i].kind == kind) {
      found = &desc.options[i];
    }
  }
  return found;
}

/// Gives the lines of a log to whoever loads code, each as a diagnostic; empty
/// ones are left out.
inline void reportLog(const tz_module_desc &desc, uint32_t severity,
                      std::string_view log) {
  while (desc.on_diagnostic && !log.empty()) {
    const size_t end = std::min(log.find('\n'), log.size());
    std::string_view line = log.substr(0, end);
    log.remove_prefix(std::min(end + 1, log.size()));
    line = line.substr(
        0, std::min(line.find_last_not_of(" \t\r\0") + 1, line.size()));
    if (line.empty()) {
      continue;
    }
    tz_diagnostic d{};
    d.struct_size = sizeof(d);
    d.severity = severity;
    d.message = str(line);
    desc.on_diagnostic(desc.diag_ctx, &d);
  }
}

} // namespace tz::plugin

#endif
