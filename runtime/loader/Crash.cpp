//===- Crash.cpp - which plugin ended the process -------------------------===//
//
// What   See Crash.h.
// Why    See Crash.h. What runs in the handler neither locks nor allocates.
//===----------------------------------------------------------------------===//
#include "runtime/loader/Crash.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <iterator>
#include <mutex>
#include <unistd.h>
#include <utility>

namespace tz::runtime {

namespace {

constexpr struct {
  int signal;
  const char *name;
} Signals[] = {{SIGSEGV, "SIGSEGV"},
               {SIGBUS, "SIGBUS"},
               {SIGFPE, "SIGFPE"},
               {SIGILL, "SIGILL"},
               {SIGABRT, "SIGABRT"}};

struct sigaction earlier[std::size(Signals)];

/// Not allocated at its first use, which may be in the handler.
thread_local const PluginCall *innermost
    __attribute__((tls_model("initial-exec"))) = nullptr;

/// The heap may be damaged when these are read.
char kernelNames[256][120];
size_t numKernelNames = 0;

void say(const char *text) {
  (void)!write(STDERR_FILENO, text, std::strlen(text));
}

/// Once for the process. Threads that crash at the same time wait, since the
/// first that goes on ends the process.
void sayLastKernel(const char *signal, const char *kernel) {
  enum { Nothing, Begun, Done };
  static std::atomic<int> said{Nothing};
  int before = Nothing;
  if (said.compare_exchange_strong(before, Begun)) {
    say("terrazzo: ");
    say(signal);
    say("; the last kernel that ran was '");
    say(kernel);
    say("'. A kernel that writes outside of its arrays damages the process: "
        "TERRAZZO_CHECKED=1 names the first such access\n");
    said = Done;
  }
  constexpr timespec millisecond = {0, 1'000'000};
  for (int i = 0; said != Done && i < 1000; ++i) {
    nanosleep(&millisecond, nullptr);
  }
}

/// The plugin that this thread is in, if it is in one. True: in a compiler.
bool sayPlace(const char *signal) {
  const PluginCall *call = std::exchange(innermost, nullptr);
  const PluginPlace place = std::exchange(pluginPlace, {});
  // A handler behind this one may send the signal again: said once.
  if (!call && !place.half) {
    return false;
  }
  say("terrazzo: error: ");
  say(signal);
  say(call ? call->text() : place.half->plugin.c_str());
  if (!place.half) {
    say("\n");
    return true;
  }
  if (place.function) {
    say(", in its function '");
    say(place.function);
    say("'");
  }
  say(place.half->library.c_str());
  say(place.half->advice.c_str());
  return place.half->isCompiler;
}

void onCrash(int signal, siginfo_t *info, void *context) {
  const int savedError = errno;
  size_t slot = 0;
  while (slot + 1 < std::size(Signals) && Signals[slot].signal != signal) {
    ++slot;
  }
  const bool isInCompiler = sayPlace(Signals[slot].name);
  if (const char *kernel = lastHostKernel; kernel && !isInCompiler) {
    sayLastKernel(Signals[slot].name, kernel);
  }
  errno = savedError;
  const struct sigaction &before = earlier[slot];
  const bool isDefault = !(before.sa_flags & SA_SIGINFO) &&
                         (before.sa_handler == SIG_DFL ||
                          (before.sa_handler == SIG_IGN && info->si_code > 0));
  if (isDefault) {
    struct sigaction ends = {};
    ends.sa_handler = SIG_DFL;
    sigaction(signal, &ends, nullptr);
    if (info->si_code <= 0) {
      (void)raise(signal);
    }
    return; // the instruction traps again, and the system ends the process
  }
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, &before.sa_mask, &mask);
  if (before.sa_flags & SA_SIGINFO) {
    before.sa_sigaction(signal, info, context);
  } else if (before.sa_handler != SIG_IGN) {
    before.sa_handler(signal);
  }
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
}

} // namespace

std::atomic<const char *> lastHostKernel{nullptr};

const char *keepKernelName(const std::string &name) {
  static std::mutex lock;
  std::lock_guard guard(lock);
  const std::string kept = name.substr(0, sizeof(kernelNames[0]) - 1);
  for (size_t i = 0; i < numKernelNames; ++i) {
    if (kept == kernelNames[i]) {
      return kernelNames[i];
    }
  }
  if (numKernelNames == std::size(kernelNames)) {
    return "(one of more than 256)";
  }
  std::memcpy(kernelNames[numKernelNames], kept.c_str(), kept.size() + 1);
  return kernelNames[numKernelNames++];
}

void nameCrashes() {
  static std::once_flag once;
  std::call_once(once, [] {
    for (size_t i = 0; i < std::size(Signals); ++i) {
      struct sigaction ours = {};
      ours.sa_sigaction = onCrash;
      ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
      sigemptyset(&ours.sa_mask);
      sigaction(Signals[i].signal, nullptr, &earlier[i]);
      sigaction(Signals[i].signal, &ours, nullptr);
    }
  });
}

/// Where a plugin is from.
static std::string pluginText(const std::string &plugin,
                              const std::string &manifest) {
  return " in plugin '" + plugin + "'" +
         (manifest.empty() ? " (built in)" : " (" + manifest + ")");
}

constinit thread_local PluginPlace pluginPlace;

ProgramCode::ProgramCode()
    : place(std::exchange(pluginPlace, {})),
      call(std::exchange(innermost, nullptr)) {}

ProgramCode::~ProgramCode() {
  pluginPlace = place;
  innermost = call;
}

PluginHalf::PluginHalf(const std::string &name, const std::string &manifest,
                       const std::string &file, bool isCompiler)
    : plugin(pluginText(name, manifest)),
      library(file.empty() ? "" : " of " + file),
      advice(isCompiler && !manifest.empty()
                 ? "; TERRAZZO_COMPILE_WORKER=on keeps the process from "
                   "ending with its compiler\n"
                 : "\n"),
      isCompiler(isCompiler) {}

PluginCall::PluginCall(const std::string &plugin, const std::string &manifest,
                       const std::string &does)
    : line(pluginText(plugin, manifest) + ", while it " + does),
      outer(innermost) {
  innermost = this;
}

PluginCall::~PluginCall() { innermost = outer; }

} // namespace tz::runtime
