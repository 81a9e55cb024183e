//===- FaultyCalls.h - functions of a driver that fail on request ---------===//
//
// What   Stands before each function of a driver's table, counts its calls, and
//        lets one of them fail.
// Why    What a half does when a call fails shows only if each call does.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_TEST_HALVES_FAULTYCALLS_H
#define TERRAZZO_TEST_HALVES_FAULTYCALLS_H

#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <type_traits>

namespace tz::halves {

/// Which call fails: the one of this number of the function, from 1 on.
struct FaultyCalls {
  static inline std::mutex mutex; ///< guards what follows
  static inline std::string function;
  static inline int number = 0;
  static inline bool hasFailed = false;
  static inline std::map<std::string, int> counts;

  static void begin(const std::string &name, int which) {
    std::lock_guard guard(mutex);
    function = name;
    number = which;
    hasFailed = false;
    counts.clear();
  }
  static bool failsNow(const char *name) {
    std::lock_guard guard(mutex);
    const bool fails = ++counts[name] == number && function == name;
    hasFailed |= fails;
    return fails;
  }
};

/// CL_OUT_OF_RESOURCES, ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY: what every
/// function may answer.
inline int failureOf(int) { return -5; }
template <typename Enum>
Enum failureOf(Enum) {
  return Enum(0x70000003);
}

/// Of one member of a table.
template <auto Member>
struct FaultyCall;

template <typename Table, typename Result, typename... Args,
          Result (*Table::*Member)(Args...)>
struct FaultyCall<Member> {
  using Function = Result (*)(Args...);
  static inline Function real = nullptr;
  static inline const char *name = nullptr;

  /// Stands in the table from now on.
  static void stand(Table &table, const char *called) {
    name = called;
    real = table.*Member;
    table.*Member = call;
  }
  /// What lets go of something does so all the same.
  static bool letsGo() {
    const std::string text(name);
    return text.find("Release") != text.npos ||
           text.find("Destroy") != text.npos ||
           text.find("Unload") != text.npos || text.find("Free") != text.npos;
  }
  static Result call(Args... args) {
    if (std::is_void_v<Result> || !FaultyCalls::failsNow(name)) {
      return real(args...);
    }
    if constexpr (std::is_pointer_v<Result>) {
      using Last =
          std::tuple_element_t<sizeof...(Args) - 1, std::tuple<Args...>>;
      if constexpr (std::is_same_v<Last, int *>) {
        if (int *to = std::get<sizeof...(Args) - 1>(std::tuple(args...))) {
          *to = failureOf(0);
        }
      }
      return nullptr;
    } else if constexpr (!std::is_void_v<Result>) {
      if (letsGo()) {
        (void)real(args...);
      }
      return failureOf(Result());
    }
  }
};

} // namespace tz::halves

#endif
