//===- CompileBudget.cpp - what one compilation may take ------------------===//
//
// What   The thread's current budget.
// Why    Threads share the memory of a process, so growth of the process alone
//        convicts nobody: a compilation has taken the memory only if its IR is
//        long enough for that.
//
//===----------------------------------------------------------------------===//
#include "core/ir/CompileBudget.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <unistd.h>

namespace tz {

static thread_local CompileBudget *thread = nullptr;

/// Milliseconds between two looks at the clock, and between two questions.
static constexpr int64_t Look = 4;
static constexpr std::chrono::milliseconds Question{40}, Count{100};
/// More than an operation takes, with all that passes know of it.
static constexpr uint64_t BytesPerOperation = 16 << 10;

/// Read in a few nanoseconds, and a few milliseconds late.
static int64_t coarseMilliseconds() {
  timespec now{};
  (void)clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return int64_t(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
}

/// Of this process in memory, without files. 0: nobody knows.
static uint64_t residentBytes() {
  unsigned long long all = 0, resident = 0, shared = 0;
  if (std::FILE *file = std::fopen("/proc/self/statm", "re")) {
    if (std::fscanf(file, "%llu %llu %llu", &all, &resident, &shared) != 3) {
      resident = shared = 0;
    }
    (void)std::fclose(file);
  }
  return (resident - std::min(resident, shared)) *
         uint64_t(sysconf(_SC_PAGESIZE));
}

CompileBudget::CompileBudget(Limits limits)
    : CompileBudget(
          Share{limits, Clock::now(),
                thread != nullptr || !limits.mebibytes ? 0 : residentBytes()}) {
}

CompileBudget::CompileBudget(Share share)
    : given(std::move(share)), isInner(thread != nullptr),
      nextQuestion(Clock::now() + Question),
      nextCount(nextQuestion + (Count - Question)) {
  if (!isInner) {
    thread = this;
  }
}

CompileBudget::Share
CompileBudget::share(std::function<int32_t()> interrupted) const {
  return {
      {given.limits.seconds, given.limits.mebibytes, std::move(interrupted)},
      given.start,
      given.bytesBefore};
}

void CompileBudget::adopt(Outcome outcome) {
  if (ended.end == End::None) {
    ended = std::move(outcome);
  }
}

CompileBudget::~CompileBudget() {
  if (!isInner) {
    thread = nullptr;
  }
}

CompileBudget *CompileBudget::current() { return thread; }

bool CompileBudget::isSpent() {
  if (!thread) {
    return false;
  }
  // The caller's hook may compile.
  if (thread->end() == End::None && !thread->isLooking) {
    int64_t now = coarseMilliseconds();
    if (now >= thread->nextLook) {
      thread->nextLook = now + Look;
      thread->isLooking = true;
      thread->look();
      thread->isLooking = false;
    }
  }
  return thread->end() != End::None;
}

void CompileBudget::enter(std::string work) {
  if (thread && thread->end() == End::None) {
    thread->ended.work = std::move(work);
  }
}

void CompileBudget::watch(mlir::Operation *root) {
  if (thread) {
    thread->root = root;
  }
}

bool CompileBudget::isTooLarge() {
  const uint64_t limit = given.limits.mebibytes << 20;
  const uint64_t now = residentBytes();
  if (now <= given.bytesBefore || now - given.bytesBefore <= limit) {
    return false;
  }
  uint64_t count = 0;
  root->walk([&](mlir::Operation *) { ++count; });
  ended.operations = count;
  return count > limit / BytesPerOperation;
}

bool CompileBudget::isInterrupted() {
  if (thread && thread->end() == End::None && !thread->isLooking) {
    thread->isLooking = true;
    thread->ask(Clock::now());
    thread->isLooking = false;
  }
  return wasInterrupted();
}

void CompileBudget::ask(Clock::time_point now) {
  if (given.limits.interrupted && now >= nextQuestion) {
    nextQuestion = now + Question;
    if (int32_t answer = given.limits.interrupted()) {
      ended.code = answer;
      ended.end = End::Interrupted;
    }
  }
}

void CompileBudget::look() {
  const Clock::time_point now = Clock::now();
  if (given.limits.seconds > 0 &&
      now - given.start >=
          std::chrono::duration<double>(given.limits.seconds)) {
    ended.end = End::Time;
    return;
  }
  ask(now);
  if (ended.end == End::None && given.limits.mebibytes && root &&
      now >= nextCount) {
    // Counting is to take a small part of the time.
    const Clock::time_point before = Clock::now();
    if (isTooLarge()) {
      ended.end = End::Memory;
    }
    nextCount =
        before + std::max<Clock::duration>(Count, 16 * (Clock::now() - before));
  }
}

double CompileBudget::secondsLeft() const {
  const double used =
      std::chrono::duration<double>(Clock::now() - given.start).count();
  return given.limits.seconds > 0 ? std::max(given.limits.seconds - used, 0.001)
                                  : 1e9;
}

std::string CompileBudget::reason() const {
  char number[32];
  const std::string where = ended.work.empty() ? "" : " in " + ended.work;
  if (ended.end == End::Memory) {
    return "the compilation took more than " +
           std::to_string(given.limits.mebibytes) + " MiB and was stopped" +
           where + ", where the kernel has " +
           std::to_string(ended.operations) +
           " operations; TERRAZZO_COMPILE_MEMORY (MiB) gives it more";
  }
  std::snprintf(number, sizeof(number), "%g", given.limits.seconds);
  return "the compilation took more than " + std::string(number) +
         " s and was stopped" + where +
         "; TERRAZZO_COMPILE_TIMEOUT (seconds) gives it more";
}

} // namespace tz
