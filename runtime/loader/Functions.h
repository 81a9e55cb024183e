//===- Functions.h - the functions of a plugin's halves ---------*- C++ -*-===//
//
// What   The vendor's tables as this host calls them: the same names, and null
//        where the vendor has nothing.
// Why    Each call marks its thread, so that a crash in it is told with the
//        function and the library (Crash.h).
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_LOADER_FUNCTIONS_H
#define TERRAZZO_RUNTIME_LOADER_FUNCTIONS_H

#include "runtime/loader/Crash.h"

#include <terrazzo/plugin.h>

#include <algorithm>
#include <cstring>

namespace tz::runtime {

template <typename Pointer>
class PluginFunction;

/// One slot of a table. [thread: as the slot]
template <typename Result, typename... Arguments>
class PluginFunction<Result (*)(Arguments...)> {
public:
  using Pointer = Result (*)(Arguments...);

  void set(Pointer pointer, const char *itsName, const PluginHalf &itsHalf) {
    function = pointer;
    name = itsName;
    half = &itsHalf;
  }
  explicit operator bool() const { return function != nullptr; }
  Result operator()(Arguments... arguments) const {
    PluginMark mark(*half, name);
    return function(arguments...);
  }

private:
  Pointer function = nullptr;
  const char *name = nullptr;
  const PluginHalf *half = nullptr;
};

#define TZ_COMPILER_FUNCTIONS(X)                                               \
  X(create)                                                                    \
  X(destroy)                                                                   \
  X(list_targets)                                                              \
  X(describe_target)                                                           \
  X(check) X(fingerprint) X(compile) X(list_options)

#define TZ_DEVICE_FUNCTIONS(X)                                                 \
  X(create)                                                                    \
  X(destroy)                                                                   \
  X(devices)                                                                   \
  X(device_info)                                                               \
  X(check_target)                                                              \
  X(check_artifact)                                                            \
  X(device_wrap)                                                               \
  X(device_release)                                                            \
  X(mem_alloc)                                                                 \
  X(mem_free)                                                                  \
  X(mem_info)                                                                  \
  X(copy)                                                                      \
  X(fill)                                                                      \
  X(stream_create)                                                             \
  X(stream_destroy)                                                            \
  X(stream_sync)                                                               \
  X(stream_wait)                                                               \
  X(stream_callback)                                                           \
  X(stream_recording)                                                          \
  X(stream_cancel)                                                             \
  X(event_create)                                                              \
  X(event_destroy)                                                             \
  X(event_record)                                                              \
  X(event_query)                                                               \
  X(event_sync)                                                                \
  X(event_elapsed_ns)                                                          \
  X(module_load)                                                               \
  X(module_unload)                                                             \
  X(kernel_get)                                                                \
  X(module_global)                                                             \
  X(arg_encode)                                                                \
  X(kernel_occupancy)                                                          \
  X(launch)                                                                    \
  X(source_place)

/// A shorter table of an older plugin becomes one of our size, with null
/// functions at its end.
template <typename Table>
Table wholeTable(const Table *from) {
  Table whole{};
  std::memcpy(&whole, from, std::min(sizeof(Table), from->struct_size));
  whole.struct_size = sizeof(Table);
  return whole;
}

#define TZ_MEMBER(name) PluginFunction<decltype(Table::name)> name;
#define TZ_SET(name) name.set(table.name, #name, half);
#define TZ_COUNT(name) +1

/// tz_compiler_api; see there.
struct CompilerFunctions {
  using Table = tz_compiler_api;
  TZ_COMPILER_FUNCTIONS(TZ_MEMBER)
  /// `half` outlives this object.
  void adopt(const Table *from, const PluginHalf &half) {
    const Table table = wholeTable(from);
    TZ_COMPILER_FUNCTIONS(TZ_SET)
  }
  static_assert(sizeof(Table) ==
                    sizeof(size_t) +
                        (0 TZ_COMPILER_FUNCTIONS(TZ_COUNT)) * sizeof(void *),
                "a function is missing in the list");
};

/// tz_device_api; see there.
struct DeviceFunctions {
  using Table = tz_device_api;
  TZ_DEVICE_FUNCTIONS(TZ_MEMBER)
  /// `half` outlives this object.
  void adopt(const Table *from, const PluginHalf &half) {
    const Table table = wholeTable(from);
    TZ_DEVICE_FUNCTIONS(TZ_SET)
  }
  static_assert(sizeof(Table) ==
                    sizeof(size_t) +
                        (0 TZ_DEVICE_FUNCTIONS(TZ_COUNT)) * sizeof(void *),
                "a function is missing in the list");
};

#undef TZ_MEMBER
#undef TZ_SET
#undef TZ_COUNT

} // namespace tz::runtime

#endif
