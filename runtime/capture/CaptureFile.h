//===- CaptureFile.h - a launch as one file -------------------------------===//
//
// What   What was launched: the kernel as tile IR, its arguments, the memory
//        behind them as it was before, and on what. Writing and reading.
// Why    A launch that failed in a program of many is tried again alone, on
//        another machine or target, without the program.
//
// The file: "TZCAPT1\n", the size of the description in decimal and "\n", the
// description as JSON, then zeros up to a multiple of 64 and what the
// description names by its distance from there: the kernel and contents of
// arrays.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_CAPTURE_CAPTUREFILE_H
#define TERRAZZO_RUNTIME_CAPTURE_CAPTUREFILE_H

#include "runtime/launch/RuntimeArtifact.h"

#include <array>

namespace tz::runtime {

/// Of an array whose content is not kept. Elements that are no finite numbers
/// count for nothing else.
struct ArrayStatistics {
  uint64_t finite = 0, nan = 0, infinite = 0;
  double least = 0, most = 0, mean = 0, deviation = 0;
};

/// The memory that some arguments point into.
struct CapturedArray {
  std::string name;     ///< of the first argument that points into it
  uint32_t element = 0; ///< TZ_TYPE_* of what that points to; 0: unknown
  uint64_t address = 0, bytes = 0; ///< where it was
  /// Else `statistics` has something, if the element's type is known.
  bool hasContent = false;
  std::string content;
  ArrayStatistics statistics;
};

/// An argument of the kernel's IR.
struct CapturedArgument {
  std::string name;
  uint32_t type = 0, element = 0; ///< as of a tz_arg
  /// The value; of a pointer into `array`: bytes behind that begin.
  uint64_t bits = 0;
  static constexpr int64_t Unknown = -1;
  /// Of a pointer: a number in `arrays`, or Unknown.
  int64_t array = Unknown;
};

struct CapturedLaunch {
  std::string kernel, source; ///< the function and the file that has it
  std::string reason;         ///< "failed: ...", "took 12.5 ms" ...
  std::string version;        ///< of the library
  std::string target;         ///< "plugin:model", what the code was for
  std::string device, driver; ///< as the plugin names them
  std::vector<KeyValue> options;
  std::array<int64_t, 3> grid{};
  std::vector<CapturedArgument> arguments;
  std::vector<CapturedArray> arrays;
  /// The kernel as elaborated for these arguments, as text; or, where its
  /// source was not there, the artifact.
  std::string code;
  bool isArtifact = false;
};

/// Replaces or makes the file, for this user alone to read.
Status writeCapture(const std::string &path, const CapturedLaunch &launch);
/// Any bytes. TZ_E_DATA_LOSS: they are none, or damaged; TZ_E_IR_VERSION: of a
/// version that this library does not know.
Result<CapturedLaunch> readCapture(std::string_view bytes);
bool isCapture(std::string_view bytes);

} // namespace tz::runtime

#endif
