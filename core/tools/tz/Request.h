//===- Request.h - the kernel and the launch that a command line asks for -===//
//
// What   From "file.py::kernel", --import-root, --grid, --arg, --constexpr,
//        --option and --config to a compile job, bound arguments and a grid.
// Why    tz run, tz debug and tz explain must mean the same by the same words.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_TOOLS_TZ_REQUEST_H
#define TERRAZZO_CORE_TOOLS_TZ_REQUEST_H

#include "core/tools/tz/Binding.h"
#include "runtime/session/Session.h"

namespace CLI {
class App;
}

namespace tz::tool {

struct Request {
  std::string kernel, grid = "1";
  ImportOptions imports;
  Binding::Options binding;
  unsigned config = 0; // of autotune; 0: not said
};

/// The options that describe a launch, and the kernel itself.
void addRequestOptions(CLI::App &command, Request &request);

/// A session for a command, which compiles with a driver of its own.
runtime::SessionOptions toolSession();

/// What a request means.
struct Launch {
  runtime::CompileJob job; // without a target
  runtime::KernelSignature signature;
  Binding binding; // buffers are not filled
  std::array<int64_t, 3> grid{};
  std::string note; // which configuration was taken, if it was not said
};

/// `afterParse`, if given, is called when the source is read and parsed.
runtime::Result<Launch> resolve(const Request &request, driver::Driver &driver,
                                TerminalSink &sink,
                                const std::function<void()> &afterParse = {});

/// "BLOCK=128 num_warps=4 num_stages=3"; num_ctas only where it is not 1.
std::string
configurationText(const runtime::KernelConfiguration &configuration);

} // namespace tz::tool

#endif
