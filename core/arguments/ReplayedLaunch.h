//===- ReplayedLaunch.h - a captured launch, to be run again --------------===//
//
// What   From the file of a captured launch to a compile job, bound arguments
//        with their content, and a grid.
// Why    tz run and its parts serve a launch that no command line describes.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_ARGUMENTS_REPLAYEDLAUNCH_H
#define TERRAZZO_CORE_ARGUMENTS_REPLAYEDLAUNCH_H

#include "core/arguments/Request.h"
#include "runtime/capture/CaptureFile.h"

namespace tz::tool {

/// Reads a file of TERRAZZO_CAPTURE's.
runtime::Result<runtime::CapturedLaunch> loadCapture(const std::string &path);

/// What of the launch is said anew.
struct ReplayChoices {
  /// NAME=VALUE; each takes the place of the captured one of that name.
  std::vector<std::string> options;
  /// Options of the target's own are left out: the launch runs elsewhere.
  bool isElsewhere = false;
  /// Of arrays whose content was not kept: drawn by their statistics.
  uint64_t seed = 0;
};

/// The launch; options and contents that are not those of the capture are told
/// by its note.
runtime::Result<Launch> replayed(const runtime::CapturedLaunch &captured,
                                 const ReplayChoices &choices,
                                 driver::Driver &driver,
                                 runtime::DiagnosticSink &sink);

/// Writes the kernel and the arrays as files into a folder.
runtime::Status extract(const runtime::CapturedLaunch &captured,
                        const std::string &folder);

} // namespace tz::tool

#endif
