//===- Scenario.cpp - a program in which each call fails once -------------===//
//
// What   See Scenario.h. A pass is a child process that answers in shared
//        memory.
// Why    A crash, a hang and what a library keeps for the life of its process
//        stay in the child.
//===----------------------------------------------------------------------===//
#include "test/faults/Scenario.h"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <mutex>
#include <sstream>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tz::faults {

namespace fs = std::filesystem;

/// What a pass found; lies in shared memory.
struct Report {
  uint64_t calls = 0;
  bool fired = false, told = false, restarted = false;
  int64_t live = 0; // blocks of memory that the pass leaves
  char fault[2048] = "";

  void fail(const char *text) {
    if (!*fault) {
      std::strncpy(fault, text, sizeof(fault) - 1);
    }
  }
  void fail(const std::string &text) { fail(text.c_str()); }
};

namespace {

/// The body cannot go on.
struct Stop {};

/// Beginning a pass takes a millisecond; none takes a minute.
constexpr unsigned Seconds = 60;

size_t countOf(const char *folder) {
  size_t count = 0;
  for (auto it = fs::directory_iterator(folder); it != fs::directory_iterator();
       ++it) {
    ++count;
  }
  return count;
}

std::string temporaryFiles(const std::string &folder) {
  std::string names;
  for (const auto &one : fs::recursive_directory_iterator(folder)) {
    if (one.path().string().find(".tmp") != std::string::npos) {
      names += " " + one.path().string();
    }
  }
  return names;
}

} // namespace

/// What a step answered.
struct Answer {
  int32_t code;
  std::string text;
};

static void judge(const char *what, Report &report,
                  const std::function<Answer()> &call) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    Answer answer = call();
    if (answer.code == TZ_E_OK) {
      return;
    }
    if (!hasFailed()) {
      report.fail(std::string(what) +
                  " fails though nothing did: " + answer.text);
      throw Stop();
    }
    report.told = true;
    if (answer.text.empty()) {
      report.fail(std::string(what) + " fails without a text");
    }
  }
  report.restarted = true;
  throw Stop();
}

void Attempt::step(const char *what, const std::function<tz_status_t()> &call) {
  judge(what, report, [&] {
    tz_status_t status = nullptr;
    {
      Inside here;
      status = call();
    }
    Answer answer{tz_status_code(status), tz_status_message(status)};
    tz_status_release(status);
    return answer;
  });
}

void Attempt::step(const char *what,
                   const std::function<runtime::Status()> &call) {
  judge(what, report, [&]() -> Answer {
    try {
      runtime::Status status;
      {
        Inside here;
        status = call();
      }
      return {status.code(), status.message()};
    } catch (const std::bad_alloc &) {
      return {TZ_E_OUT_OF_MEMORY, "out of memory"};
    }
  });
}

void Attempt::require(bool holds, const char *what) {
  if (!holds) {
    report.fail(what);
    throw Stop();
  }
}

struct Child {
  const Scenario &scenario;
  const std::string folder;
  Report &report;

  void run(Call call, uint64_t at) {
    const int64_t live = liveBlocks();
    try {
      if (scenario.prepare) {
        Attempt first(folder, false, report);
        scenario.prepare(first);
      }
      const size_t files = countOf("/proc/self/fd"),
                   threads = countOf("/proc/self/task");
      arm(call, at);
      body(true);
      report.calls = disarm();
      report.fired = hasFailed();
      leavesNothing(files, threads, "after the failure");
      arm(call, 0); // from here on a failure has no excuse
      (void)disarm();
      body(false);
      leavesNothing(files, threads, "after the repetition");
      if (scenario.check) {
        Attempt last(folder, false, report);
        scenario.check(last);
      }
    } catch (const Stop &) {
    } catch (const std::exception &problem) {
      disarm();
      report.fail(std::string("an exception gets out: ") + problem.what());
    }
    report.live = liveBlocks() - live;
  }

private:
  void body(bool mayFail) {
    Attempt attempt(folder, mayFail, report);
    try {
      scenario.body(attempt);
    } catch (const Stop &) {
      if (!mayFail) {
        report.fail("the repetition does not come to its end");
      }
    }
  }
  void leavesNothing(size_t files, size_t threads, const std::string &when) {
    if (size_t now = countOf("/proc/self/fd"); now != files) {
      report.fail(when + " " + std::to_string(now) + " files are open, " +
                  std::to_string(files) + " were before");
    }
    // A thread that was joined may still be seen for a moment.
    for (int i = 0; i < 100 && countOf("/proc/self/task") != threads; ++i) {
      usleep(1000);
    }
    if (size_t now = countOf("/proc/self/task"); now != threads) {
      report.fail(when + " there are " + std::to_string(now) + " threads, " +
                  std::to_string(threads) + " were before");
    }
    if (std::string names = temporaryFiles(folder); !names.empty()) {
      report.fail(when + " temporary files are left:" + names);
    }
  }
};

namespace {

class Passes {
public:
  explicit Passes(const Scenario &scenario)
      : scenario(scenario), folder(testing::TempDir() + "tz-faults-XXXXXX") {
    if (!mkdtemp(folder.data())) {
      ADD_FAILURE() << folder << ": " << std::strerror(errno);
    }
    // At the first exception that leaves call_once the C library loads what it
    // unwinds with, for ever.
    static std::once_flag once;
    try {
      std::call_once(once, [] { throw Stop(); });
    } catch (const Stop &) {
    }
    void *memory = mmap(nullptr, sizeof(Report), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    report = new (memory) Report;
  }
  ~Passes() {
    munmap(report, sizeof(Report));
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }

  void here(Call call, uint64_t at) {
    Child{scenario, folder, *report}.run(call, at);
    std::printf("%s; %s; %lld blocks of memory more\n",
                report->fired ? "it failed" : "there is no such call",
                *report->fault ? report->fault : "fine",
                static_cast<long long>(report->live));
  }

  void all(Call call) {
    // Without a failure: what is right, and how much stays allocated.
    pass(call, 0);
    const uint64_t calls = report->calls;
    const int64_t live = report->live;
    uint64_t passes = 0, told = 0, restarted = 0, faults = 0;
    for (uint64_t at = 1; faults < 5; ++at) {
      pass(call, at);
      faults += testing::Test::HasFailure() && *report->fault != 0;
      if (!report->fired && !*report->fault) {
        break;
      }
      ++passes;
      told += report->told;
      restarted += report->restarted;
      if (scenario.judgesMemory && report->live > live) {
        ++faults;
        ADD_FAILURE() << place(call, at) << ": " << report->live - live
                      << " blocks of memory are lost";
      }
    }
    std::printf("  %-28s %-8s %5llu calls x %5llu passes, %llu told, %llu "
                "worked all the same, %llu needed a new session\n",
                scenario.name.c_str(), nameOf(call), (unsigned long long)calls,
                (unsigned long long)passes, (unsigned long long)told,
                (unsigned long long)(passes - told),
                (unsigned long long)restarted);
    std::fflush(stdout);
  }

private:
  std::string place(Call call, uint64_t at) const {
    return scenario.name + ", TZ_FAULT='" + nameOf(call) + " " +
           std::to_string(at) + "'";
  }

  void pass(Call call, uint64_t at) {
    for (const auto &one : fs::directory_iterator(folder)) {
      fs::remove_all(one.path());
    }
    *report = Report();
    pid_t child = fork();
    if (child == 0) {
      alarm(Seconds);
      int quiet = ::open("/dev/null", O_WRONLY);
      dup2(quiet, 1);
      dup2(quiet, 2);
      ::close(quiet);
      Child{scenario, folder, *report}.run(call, at);
      _exit(0);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status)) {
      report->fail(WTERMSIG(status) == SIGALRM
                       ? std::string("it hangs")
                       : std::string("it ends by ") +
                             strsignal(WTERMSIG(status)));
    } else if (WEXITSTATUS(status) != 0) {
      report->fail("it ends with status " +
                   std::to_string(WEXITSTATUS(status)));
    }
    if (*report->fault) {
      ADD_FAILURE() << place(call, at) << ": " << report->fault;
    }
  }

  const Scenario &scenario;
  std::string folder;
  Report *report;
};

} // namespace

void failEachCall(const Scenario &scenario) {
  if (std::none_of(scenario.calls.begin(), scenario.calls.end(), canFail)) {
    GTEST_SKIP() << "a sanitizer owns these functions in this build";
  }
  Passes passes(scenario);
  if (const char *one = std::getenv("TZ_FAULT")) {
    std::istringstream words(one);
    std::string name;
    uint64_t at = 0;
    words >> name >> at;
    for (Call call : scenario.calls) {
      if (name == nameOf(call)) {
        passes.here(call, at);
      }
    }
    return;
  }
  for (Call call : scenario.calls) {
    if (canFail(call)) {
      passes.all(call);
    }
  }
}

} // namespace tz::faults
