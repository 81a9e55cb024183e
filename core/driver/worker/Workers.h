//===- Workers.h - compilers in child processes ---------------------------===//
//
// What   compile() and check() of a plugin's compiler half, asked in a child
//        process that stays, within what is left of the compilation's budget.
// Why    LLVM ends the process on kernels that a person may well write, and an
//        assembler may run for ever. A child that dies costs one compilation:
//        its caller gets an error, the input is kept, the next call gets a new
//        child (R14). What generates no code is asked in this process.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_DRIVER_WORKER_WORKERS_H
#define TERRAZZO_CORE_DRIVER_WORKER_WORKERS_H

#include "core/driver/vendor/VendorCompiler.h"
#include "core/driver/worker/Channel.h"

#include <condition_variable>

namespace tz::driver {

/// The children of one plugin's file: one for each call that runs, each serving
/// one call at a time. They are this process's and end with it.
class Workers {
public:
  /// For a kernel of so many portable bytes. Null if the plugin compiles it in
  /// this process: its manifest does not ask for a worker and the kernel is not
  /// large (or TERRAZZO_COMPILE_WORKER is "off"), or there is no program.
  static Workers *of(runtime::Plugin &plugin, size_t bytes);

  runtime::Result<runtime::Artifact>
  compile(const runtime::CompileJob &job, std::string_view ir,
          const VendorListener &listener, const runtime::Interrupt &interrupt);
  runtime::Status check(const runtime::CompileJob &job, std::string_view ir,
                        const VendorListener &listener,
                        const runtime::Interrupt &interrupt);

  Workers(const Workers &) = delete;

private:
  struct Child;
  struct Answer;
  Workers(std::string program, const runtime::Plugin &plugin);

  runtime::Result<std::unique_ptr<Child>>
  start(const runtime::Interrupt &interrupt);
  runtime::Result<std::unique_ptr<Child>>
  take(const runtime::Interrupt &interrupt);
  void giveBack(std::unique_ptr<Child> child);
  /// Kills it and all that it has started, and waits for none of them.
  static void leave(std::unique_ptr<Child> child);
  runtime::Result<std::unique_ptr<Child>>
  send(const Frame &request, std::chrono::duration<double> seconds,
       const runtime::Interrupt &interrupt, Clock::time_point &deadline);
  Answer answerOf(const Frame &frame) const;
  runtime::Status lost(std::unique_ptr<Child> child, bool isLate,
                       const runtime::CompileJob &job, std::string_view ir);
  Answer ask(bool checks, const runtime::CompileJob &job, std::string_view ir,
             const VendorListener &listener,
             const runtime::Interrupt &interrupt);

  const std::string program, plugin, manifest, cache;
  std::mutex lock;
  std::condition_variable freed;
  std::vector<std::unique_ptr<Child>> idle;
  unsigned busy = 0;
};

} // namespace tz::driver

#endif
