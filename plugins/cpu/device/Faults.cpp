//===- Faults.cpp - Traps inside kernels ----------------------------------===//
//
// What   See Faults.h.
// Why    See Faults.h. What runs in a handler calls nothing that may lock or
//        allocate.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/device/Faults.h"

#include "plugins/cpu/device/LaunchArrays.h"
#include "plugins/cpu/device/LaunchControl.h"
#include "plugins/cpu/device/ThreadPool.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <iterator>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

namespace tz::cpu {

namespace {

constexpr int Signals[] = {SIGSEGV, SIGBUS, SIGFPE};
constexpr size_t StackBytes = size_t{64} << 10;

/// What stood there before this library's handlers.
struct sigaction earlier[std::size(Signals)];

/// The kernel that this thread is in. A handler reads it, so it must not be
/// allocated at its first use.
thread_local ThreadRun *running __attribute__((tls_model("initial-exec"))) =
    nullptr;

/// A fault that the kernel reports, and not one that somebody has sent.
bool isTrap(const siginfo_t &info) { return info.si_code > 0; }

uint64_t instructionOf(const void *context) {
#if defined(__x86_64__)
  return static_cast<uint64_t>(
      static_cast<const ucontext_t *>(context)->uc_mcontext.gregs[REG_RIP]);
#else
  return 0;
#endif
}

bool isWrite(const void *context) {
#if defined(__x86_64__)
  constexpr long long writeBit = 2; // of the page fault's error code
  return static_cast<const ucontext_t *>(context)->uc_mcontext.gregs[REG_ERR] &
         writeBit;
#else
  return false;
#endif
}

void say(const char *text) {
  size_t length = std::strlen(text);
  (void)!write(STDERR_FILENO, text, length);
}

/// What would have happened without this library.
void passOn(int signal, siginfo_t *info, void *context) {
  size_t slot = 0;
  while (slot + 1 < std::size(Signals) && Signals[slot] != signal) {
    ++slot;
  }
  const struct sigaction &before = earlier[slot];
  if ((before.sa_flags & SA_SIGINFO) ||
      (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)) {
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, &before.sa_mask, &mask);
    if (before.sa_flags & SA_SIGINFO) {
      before.sa_sigaction(signal, info, context);
    } else {
      before.sa_handler(signal);
    }
    pthread_sigmask(SIG_SETMASK, &mask, nullptr);
    return;
  }
  if (before.sa_handler == SIG_IGN && !isTrap(*info)) {
    return;
  }
  struct sigaction ends = {};
  ends.sa_handler = SIG_DFL;
  sigaction(signal, &ends, nullptr);
  if (!isTrap(*info)) {
    (void)raise(signal);
  }
  // Otherwise the instruction traps again, and the system ends the process.
}

void onFault(int signal, siginfo_t *info, void *context) {
  const int savedError = errno;
  ThreadRun *run = running;
  const uint64_t pc = instructionOf(context);
  if (run && isTrap(*info) && pc >= run->job.codeBegin &&
      pc < run->job.codeEnd) {
    Fault fault;
    fault.signal = signal;
    fault.pc = pc;
    fault.program = run->program;
    // An address that no page can have is told as 0.
    fault.hasAddress = signal != SIGFPE && info->si_code != SI_KERNEL;
    fault.address = reinterpret_cast<uint64_t>(info->si_addr);
    fault.isWrite = isWrite(context);
    if (run->unplaced) {
      *run->unplaced = fault;
    } else {
      run->job.control->noteFault(fault);
    }
    running = nullptr;
    // This handler blocks no signals, but what called it may have (a sanitizer,
    // a library that chains handlers). None of it is returned to.
    pthread_sigmask(SIG_SETMASK,
                    &static_cast<const ucontext_t *>(context)->uc_sigmask,
                    nullptr);
    errno = savedError;
    siglongjmp(run->leave, 1);
  }
  if (run && !isTrap(*info) && info->si_pid == getpid()) {
    // A handler that was installed later came first, and sends it on.
    say("terrazzo: the fault is in kernel '");
    say(run->job.name);
    say("'; TERRAZZO_CHECKED=1 finds accesses outside of arrays\n");
  }
  errno = savedError;
  passOn(signal, info, context);
}

int32_t askCaller(tz_cpu_run *run) {
  auto *mine = static_cast<ThreadRun *>(run);
  // The hook may run any code, also code that faults.
  ThreadRun *here = running;
  running = nullptr;
  const bool goesOn = mine->job.control->ask();
  running = here;
  return !goesOn;
}

int32_t askWorker(tz_cpu_run *run) {
  return static_cast<ThreadRun *>(run)->job.control->isStopped();
}

void refuseOutside(tz_cpu_run *run, const tz_cpu_access *access,
                   const uint64_t *addresses, const uint8_t *active,
                   uint32_t lanes) {
  auto *mine = static_cast<ThreadRun *>(run);
  for (uint32_t lane = 0; lane < lanes; ++lane) {
    if ((active && !active[lane]) ||
        mine->job.arrays->holds(*access, addresses[lane])) {
      continue;
    }
    Fault fault;
    fault.access = access;
    fault.hasAddress = true;
    fault.address = addresses[lane];
    fault.program = run->program;
    mine->job.control->noteFault(fault);
    running = nullptr;
    siglongjmp(mine->leave, 1);
  }
}

constexpr uint32_t NeverStops = 0;

} // namespace

ThreadRun::ThreadRun(const GridJob &job, bool isCaller)
    : tz_cpu_run{job.control ? job.control->word(isCaller) : &NeverStops,
                 isCaller ? askCaller : askWorker,
                 0,
                 job.arrays ? job.arrays->bounds() : nullptr,
                 refuseOutside,
                 0},
      job(job) {}

void installFaultHandlers() {
  for (size_t i = 0; i < std::size(Signals); ++i) {
    struct sigaction ours = {};
    ours.sa_sigaction = onFault;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&ours.sa_mask);
    // Known before the first fault can come.
    sigaction(Signals[i], nullptr, &earlier[i]);
    sigaction(Signals[i], &ours, nullptr);
  }
}

void catchFaults() {
  static std::once_flag once;
  std::call_once(once, installFaultHandlers);
}

TZ_CALLS_KERNELS static bool runOnce(ThreadRun &run, int64_t first,
                                     int64_t last, void *arena) {
  // Handlers change no signal mask, so there is none to restore.
  if (sigsetjmp(run.leave, 0) != 0) {
    return false;
  }
  running = &run;
  run.job.entry(run.job.args, run.job.grid, first, last, arena, &run);
  running = nullptr;
  return true;
}

bool runCatching(ThreadRun &run, int64_t first, int64_t last, void *arena) {
  if (!run.job.repeatable) {
    return runOnce(run, first, last, arena);
  }
  Fault fault;
  run.unplaced = &fault;
  const bool isDone = runOnce(run, first, last, arena);
  run.unplaced = nullptr;
  if (isDone) {
    return true;
  }
  for (run.program = first; run.program < last; ++run.program) {
    if (!runOnce(run, run.program, run.program + 1, arena)) {
      return false;
    }
  }
  // It does not come again: another thread may have mapped the memory.
  fault.program = first;
  run.job.control->noteFault(fault);
  return false;
}

AlternateStack::AlternateStack() {
  void *pages = mmap(nullptr, StackBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (pages == MAP_FAILED) {
    return; // handlers use the thread's own stack then
  }
  stack_t stack = {};
  stack.ss_sp = pages;
  stack.ss_size = StackBytes;
  if (sigaltstack(&stack, nullptr) != 0) {
    munmap(pages, StackBytes);
    return;
  }
  memory = pages;
}

AlternateStack::~AlternateStack() {
  if (memory) {
    stack_t none = {};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
    munmap(memory, StackBytes);
  }
}

} // namespace tz::cpu
