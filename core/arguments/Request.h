//===- Request.h - the kernel and the launch that a command line asks for -===//
//
// What   From "file.py::kernel", --import-root, --grid, --arg, --constexpr,
//        --option and --config to a compile job, bound arguments and a grid.
// Why    tz run, tz debug and tz explain must mean the same by the same words.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_ARGUMENTS_REQUEST_H
#define TERRAZZO_CORE_ARGUMENTS_REQUEST_H

#include "core/arguments/Binding.h"
#include "runtime/session/RuntimeSession.h"

namespace CLI {
class App;
}

namespace tz::tool {

struct Request {
  std::string kernel, grid;
  /// Of the kernel's file, where it is not what the disk has.
  std::optional<std::string> text;
  ImportOptions imports;
  Binding::Options binding;
  unsigned config = 0; // of autotune; 0: not said
};

/// The options that describe a launch, and the kernel itself.
void addRequestOptions(CLI::App &command, Request &request);

/// The words of a text as a shell would give them: quotes and backslashes hold
/// blanks together.
std::vector<std::string> splitWords(std::string_view text);
/// Reads them as options; the message says what is wrong.
runtime::Status parseWords(CLI::App &options, std::string_view text);

/// What --sig says, as words of --arg: types of the parameters that are not
/// constexpr, in order.
runtime::Status addSignature(const std::string &text,
                             const runtime::KernelSignature &signature,
                             Binding::Options &options);

/// A session for a command, which compiles with a driver of its own.
runtime::SessionOptions toolSession();

/// The kernel that is asked for, read and parsed.
struct NamedKernel {
  runtime::KernelSource source;
  runtime::KernelSignature signature;
  /// It was compiled before: there is no source.
  std::shared_ptr<const runtime::Artifact> artifact;
};
runtime::Result<NamedKernel> loadKernel(const Request &request,
                                        driver::Driver &driver,
                                        runtime::DiagnosticSink &sink);

/// What a request means.
struct Launch {
  runtime::CompileJob job; // without a target
  /// What is launched if the request names an artifact; the job is then empty.
  std::shared_ptr<const runtime::Artifact> artifact;
  runtime::KernelSignature signature;
  Binding binding; // buffers are not filled
  std::array<int64_t, 3> grid{};
  std::string note; // which configuration was taken, if it was not said

  /// An axis of the grid is 0.
  bool isEmpty() const;
};

/// An error for commands that need a program to run.
runtime::Status checkHasPrograms(const Launch &launch);
/// An error for commands that need the kernel's source.
runtime::Status checkHasSource(const Launch &launch);
/// Says on stderr that one program runs, if the request has no --grid.
void noteMissingGrid(const Request &request);

/// `afterParse`, if given, is called when the source is read and parsed.
runtime::Result<Launch> resolve(const Request &request, driver::Driver &driver,
                                runtime::DiagnosticSink &sink,
                                const std::function<void()> &afterParse = {});

/// "BLOCK=128 num_warps=4 num_stages=3"; num_ctas only where it is not 1.
std::string
configurationText(const runtime::KernelConfiguration &configuration);

} // namespace tz::tool

#endif
