//===- Batches.cpp - cases in child processes -----------------------------===//
//
// What   See Batches.h.
// Why    See Batches.h.
//===----------------------------------------------------------------------===//
#include "core/conformance/Batches.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <map>
#include <memory>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tz::conformance {

std::string_view statusName(Outcome::Status status) {
  switch (status) {
  case Outcome::Passed:
    return "passed";
  case Outcome::Failed:
    return "failed";
  case Outcome::Crashed:
    return "crashed";
  case Outcome::TimedOut:
    return "timed-out";
  case Outcome::Skipped:
    return "skipped";
  case Outcome::Known:
    return "known-failure";
  case Outcome::Surprise:
    return "unexpected";
  }
  return "failed";
}

llvm::json::Object toJson(const Outcome &outcome) {
  std::string_view status = statusName(outcome.status);
  llvm::json::Object object{
      {"name", outcome.name},
      {"status", llvm::StringRef(status.data(), status.size())},
      {"milliseconds", outcome.milliseconds}};
  if (!outcome.reason.empty()) {
    object["reason"] = llvm::json::fixUTF8(outcome.reason);
  }
  if (outcome.maxUlps) {
    object["max_ulps"] = int64_t(std::min<uint64_t>(
        outcome.maxUlps, uint64_t(std::numeric_limits<int64_t>::max())));
  }
  if (outcome.worstShare > 0 && std::isfinite(outcome.worstShare)) {
    object["worst_share_of_tolerance"] = outcome.worstShare;
  }
  if (outcome.isSticky) {
    object["sticky"] = true;
  }
  if (!outcome.proof.empty()) {
    object["proof"] = outcome.proof;
  }
  if (outcome.isProved) {
    object["proved"] = true;
  }
  return object;
}

std::optional<Outcome> outcomeFrom(const llvm::json::Object &object) {
  Outcome outcome;
  auto name = object.getString("name"), status = object.getString("status");
  if (!name || !status) {
    return std::nullopt;
  }
  outcome.name = name->str();
  for (int i = Outcome::Passed; i <= Outcome::Surprise; ++i) {
    if (statusName(Outcome::Status(i)) == std::string_view(*status)) {
      outcome.status = Outcome::Status(i);
    }
  }
  outcome.reason = object.getString("reason").value_or("").str();
  outcome.milliseconds = object.getNumber("milliseconds").value_or(0);
  outcome.maxUlps = uint64_t(object.getInteger("max_ulps").value_or(0));
  outcome.worstShare = object.getNumber("worst_share_of_tolerance").value_or(0);
  outcome.isSticky = object.getBoolean("sticky").value_or(false);
  outcome.proof = object.getString("proof").value_or("").str();
  outcome.isProved = object.getBoolean("proved").value_or(false);
  return outcome;
}

/// Two batches for each job, as far as that makes them smaller than asked for:
/// one that is done early takes another.
static size_t casesOfABatch(size_t cases, const BatchOptions &options) {
  size_t largest = std::max<size_t>(options.batchSize, 1);
  if (options.jobs < 2) {
    return largest;
  }
  return std::clamp<size_t>(llvm::divideCeil(cases, 2 * options.jobs), 1,
                            largest);
}

namespace {

using Clock = std::chrono::steady_clock;

struct Batch {
  std::vector<std::string> names;
  /// Why this one case is here again; empty for a batch.
  std::string firstTime;
};

struct Worker {
  pid_t process = -1;
  int results = -1, output = -1;
  Batch batch;
  size_t done = 0; ///< names whose outcome has come
  bool hasBegun = false;
  Clock::time_point deadline;
  bool wasKilled = false;
  bool isOver = false; ///< `status` is there
  int status = 0;
  std::string buffer;
};

class Batches {
public:
  Batches(const std::vector<std::string> &names, const BatchOptions &options)
      : options(options) {
    size_t size = casesOfABatch(names.size(), options);
    for (size_t i = 0; i < names.size(); i += size) {
      Batch batch;
      size_t end = std::min(i + size, names.size());
      batch.names.assign(names.begin() + ptrdiff_t(i),
                         names.begin() + ptrdiff_t(end));
      waiting.push_back(std::move(batch));
    }
  }
  void run();
  bool wasStopped() const { return isStopped; }
  std::map<std::string, Outcome> outcomes;

private:
  bool start(Batch batch);
  void read(Worker &worker);
  void finish(Worker &worker);
  void culprit(Worker &worker, int status);
  void record(Outcome outcome);
  void stop();

  const BatchOptions &options;
  std::deque<Batch> waiting;
  std::vector<std::unique_ptr<Worker>> workers;
  bool isStopped = false;
};

} // namespace

void Batches::record(Outcome outcome) {
  isStopped |= options.stopsAtFirst && outcome.isBad();
  if (options.onOutcome) {
    options.onOutcome(outcome);
  }
  outcomes[outcome.name] = std::move(outcome);
}

static void failAll(Batch &batch, const std::string &reason,
                    const std::function<void(Outcome)> &record) {
  for (const std::string &name : batch.names) {
    Outcome outcome;
    outcome.name = name;
    outcome.reason = reason;
    record(outcome);
  }
}

bool Batches::start(Batch batch) {
  auto worker = std::make_unique<Worker>();
  int results[2] = {-1, -1};
  int names = memfd_create("cases", MFD_CLOEXEC);
  worker->output = memfd_create("output", MFD_CLOEXEC);
  std::string text;
  for (const std::string &name : batch.names) {
    text += name + "\n";
  }
  bool ready = names >= 0 && worker->output >= 0 &&
               write(names, text.data(), text.size()) == ssize_t(text.size()) &&
               lseek(names, 0, SEEK_SET) == 0 && !pipe2(results, O_CLOEXEC);
  if (ready) {
    std::vector<char *> arguments;
    for (const std::string &word : options.command) {
      arguments.push_back(const_cast<char *>(word.c_str()));
    }
    arguments.push_back(nullptr);
    worker->process = fork();
    if (worker->process == 0) {
      // Only calls that are safe after a fork. A source of 3 would keep its
      // close-on-exec flag, so the pipe goes there by way of a high number.
      setpgid(0, 0);
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      int high = fcntl(results[1], F_DUPFD_CLOEXEC, 10);
      dup2(names, 0);
      dup2(worker->output, 1);
      dup2(worker->output, 2);
      dup2(high, 3);
      execv(arguments[0], arguments.data());
      _exit(127);
    }
  }
  if (names >= 0) {
    close(names);
  }
  if (results[1] >= 0) {
    close(results[1]);
  }
  if (!ready || worker->process < 0) {
    failAll(batch,
            std::string("no worker process could be started: ") +
                strerror(errno),
            [this](Outcome outcome) { record(std::move(outcome)); });
    return false;
  }
  worker->results = results[0];
  worker->batch = std::move(batch);
  worker->deadline = Clock::now() + std::chrono::milliseconds(
                                        int64_t(1000 * options.secondsPerCase));
  workers.push_back(std::move(worker));
  return true;
}

void Batches::read(Worker &worker) {
  char bytes[65536];
  ssize_t count = ::read(worker.results, bytes, sizeof(bytes));
  if (count <= 0) {
    if (count < 0 && errno == EINTR) {
      return;
    }
    close(worker.results);
    worker.results = -1;
    return;
  }
  worker.buffer.append(bytes, size_t(count));
  worker.deadline = Clock::now() + std::chrono::milliseconds(
                                       int64_t(1000 * options.secondsPerCase));
  for (size_t end; (end = worker.buffer.find('\n')) != std::string::npos;) {
    std::string line = worker.buffer.substr(0, end);
    worker.buffer.erase(0, end + 1);
    llvm::Expected<llvm::json::Value> value = llvm::json::parse(line);
    if (!value) {
      llvm::consumeError(value.takeError());
      continue;
    }
    const llvm::json::Object *object = value->getAsObject();
    if (object && object->getString("begin")) {
      worker.hasBegun = true;
      continue;
    }
    if (object && object->getString("target") && options.onTarget) {
      options.onTarget(*object);
      continue;
    }
    if (object && object->getInteger("bad_proofs")) {
      if (options.onBadProofs) {
        options.onBadProofs(size_t(*object->getInteger("bad_proofs")));
      }
      continue;
    }
    std::optional<Outcome> outcome =
        object ? outcomeFrom(*object) : std::nullopt;
    if (!outcome) {
      continue;
    }
    worker.hasBegun = false;
    ++worker.done;
    if (!worker.batch.firstTime.empty() && !outcome->isBad()) {
      // Repeated alone it is fine: what the batch did to it is the finding.
      outcome->status = Outcome::Failed;
      outcome->reason = worker.batch.firstTime + "; repeated alone it does not";
    }
    record(std::move(*outcome));
  }
}

/// The end of what the worker printed.
static std::string lastOutput(int file) {
  char bytes[1500];
  off_t size = lseek(file, 0, SEEK_END);
  off_t from = std::max<off_t>(size - off_t(sizeof(bytes)), 0);
  ssize_t count = pread(file, bytes, sizeof(bytes), from);
  return count > 0 ? std::string(bytes, size_t(count)) : std::string();
}

void Batches::culprit(Worker &worker, int status) {
  Outcome outcome;
  outcome.name = worker.batch.names[worker.done];
  outcome.status = worker.wasKilled ? Outcome::TimedOut : Outcome::Crashed;
  std::string how =
      worker.wasKilled
          ? "no end after " + std::to_string(int(options.secondsPerCase)) + " s"
      : WIFSIGNALED(status)
          ? std::string("the process ended with ") + strsignal(WTERMSIG(status))
          : "the process ended with status " +
                std::to_string(WEXITSTATUS(status));
  if (worker.batch.names.size() > 1 && worker.batch.firstTime.empty()) {
    waiting.push_front({{outcome.name}, "in a batch, " + how});
    return;
  }
  outcome.reason = how;
  if (std::string output = lastOutput(worker.output); !output.empty()) {
    outcome.reason += "\n" + output;
  }
  record(std::move(outcome));
}

void Batches::finish(Worker &worker) {
  while (!worker.isOver && waitpid(worker.process, &worker.status, 0) < 0 &&
         errno == EINTR) {
  }
  kill(-worker.process, SIGKILL); // what it left running
  bool isWhole = worker.done == worker.batch.names.size();
  bool didNothing = worker.done == 0 && !worker.hasBegun;
  if (!isWhole) {
    bool hasCulprit = worker.hasBegun || didNothing;
    if (hasCulprit) {
      culprit(worker, worker.status);
    }
    Batch rest;
    rest.names.assign(worker.batch.names.begin() +
                          ptrdiff_t(worker.done + hasCulprit),
                      worker.batch.names.end());
    if (!rest.names.empty()) {
      waiting.push_front(std::move(rest));
    }
  }
  close(worker.output);
}

void Batches::run() {
  while (!waiting.empty() || !workers.empty()) {
    while (!waiting.empty() && workers.size() < std::max(options.jobs, 1u)) {
      Batch batch = std::move(waiting.front());
      waiting.pop_front();
      start(std::move(batch));
    }
    std::vector<pollfd> files;
    for (const auto &worker : workers) {
      files.push_back({worker->results, POLLIN, 0});
    }
    poll(files.data(), files.size(), 200);
    auto now = Clock::now();
    for (size_t i = 0; i < files.size(); ++i) {
      Worker &worker = *workers[i];
      if (files[i].revents) {
        read(worker);
      } else if (now > worker.deadline && !worker.wasKilled) {
        worker.wasKilled = true;
        kill(-worker.process, SIGKILL);
      } else if (waitpid(worker.process, &worker.status, WNOHANG) ==
                 worker.process) {
        // Something that it started may hold the pipe open.
        worker.isOver = true;
        fcntl(worker.results, F_SETFL, O_NONBLOCK);
        while (worker.results >= 0) {
          read(worker);
        }
      }
      if (worker.results < 0) {
        finish(worker);
      }
    }
    std::erase_if(workers,
                  [](const auto &worker) { return worker->results < 0; });
    if (isStopped) {
      stop();
    }
  }
}

void Batches::stop() {
  waiting.clear();
  for (const auto &worker : workers) {
    kill(-worker->process, SIGKILL);
    while (!worker->isOver && waitpid(worker->process, nullptr, 0) < 0 &&
           errno == EINTR) {
    }
    close(worker->results);
    close(worker->output);
  }
  workers.clear();
}

std::vector<Outcome> runBatches(const std::vector<std::string> &names,
                                const BatchOptions &options) {
  Batches batches(names, options);
  batches.run();
  std::vector<Outcome> ordered;
  for (const std::string &name : names) {
    auto found = batches.outcomes.find(name);
    if (found != batches.outcomes.end()) {
      ordered.push_back(found->second);
      continue;
    }
    Outcome lost;
    lost.name = name;
    lost.reason = "no outcome came for it";
    if (batches.wasStopped()) {
      lost.status = Outcome::Skipped;
      lost.reason = "another case failed";
    }
    ordered.push_back(std::move(lost));
  }
  return ordered;
}

} // namespace tz::conformance
