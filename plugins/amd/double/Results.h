//===- Results.h - what an entry point answers ----------------------------===//
//
// What   answer() runs the body of an entry point: its exceptions become
//        results, which the thread remembers as HIP does.
// Why    Nothing is thrown across the entry points.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_AMD_DOUBLE_RESULTS_H
#define TERRAZZO_PLUGINS_AMD_DOUBLE_RESULTS_H

#include "plugins/amd/double/Queue.h"

#include <terrazzo/plugin/Error.h>

#define TZ_HIP_ENTRY                                                           \
  extern "C" [[gnu::visibility("default")]] tz::amd::hip::Result

namespace tz::amd::hip {

/// Thrown by the body of an entry point.
struct Refused {
  Result result;
};

inline void require(bool isRight, Result otherwise = InvalidValue) {
  if (!isRight) {
    throw Refused{otherwise};
  }
}
/// The fault is what hipGetErrorString() tells this thread next.
void requireNone(Fault fault);

/// What hipGetLastError() answers next.
Result &lastResult();
/// For an exception that is being handled.
Result resultOfException();

template <typename Body>
Result answer(Body body) noexcept {
  Result result = Success;
  try {
    body();
  } catch (...) {
    result = resultOfException();
  }
  if (result != Success && result != NotReady) {
    lastResult() = result;
  }
  return result;
}

} // namespace tz::amd::hip

#endif
