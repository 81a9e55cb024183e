//===- BenchOrigin.h - who measured, where, when, and its picture ---------===//
//
// What   Machine, commit, date and command line of a run of tz bench, by the
//        names that the JSON of all benches has; and a picture of the figures.
// Why    Figures without these cannot be compared; a picture is looked at
// first.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_TOOLS_TZ_BENCHORIGIN_H
#define TERRAZZO_CORE_TOOLS_TZ_BENCHORIGIN_H

#include "runtime/loader/Status.h"

#include "llvm/Support/JSON.h"

namespace tz::tool {

/// "machine", "commit", "date", "command". The commit is that of the folder in
/// which the kernel's file lies, "+changes" behind it where files differ from
/// it; "unknown" without git. `device`: empty if it is the processor.
llvm::json::Object benchOrigin(const std::string &kernelFile,
                               const std::string &device);

/// Whether pictures can be drawn to this file: its suffix, its folder, Python
/// with matplotlib. The message says what to install.
runtime::Status checkPicture(const std::string &path);
/// Draws the JSON of tz bench. TERRAZZO_PYTHON, else python3, does it.
runtime::Status drawPicture(const std::string &path, const std::string &json);

} // namespace tz::tool

#endif
