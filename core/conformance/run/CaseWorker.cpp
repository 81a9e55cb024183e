//===- CaseWorker.cpp - the child process of tz conform -------------------===//
//
// What   One case: bind, fill, run in the interpreter, run on the target,
//        compare with both expectations.
// Why    The same parts as tz run, so that a failing case is a tz run command.
//===----------------------------------------------------------------------===//
#include "core/conformance/run/CaseWorker.h"

#include "core/arguments/Request.h"
#include "core/conformance/Outcome.h"
#include "core/conformance/Proofs.h"
#include "core/conformance/random/Random.h"
#include "core/conformance/run/CaseJob.h"
#include "core/conformance/run/CaseJudge.h"
#include "core/conformance/run/ProofKey.h"
#include "core/driver/LoweredKernel.h"
#include "core/driver/vendor/VendorCompiler.h"
#include "core/execution/GuardedMemory.h"
#include "core/execution/ReferenceRun.h"
#include "runtime/launch/LoadedKernel.h"
#include "runtime/session/RuntimeSession.h"

#include "mlir/IR/TypeUtilities.h"

#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <iostream>
#include <sys/stat.h>
#include <unistd.h>

namespace tz::tool {

using namespace runtime;
using conformance::Case;
using conformance::Outcome;

namespace {

constexpr int ResultFile = 3;

void writeLine(llvm::json::Object object) {
  std::string line;
  llvm::raw_string_ostream os(line);
  os << llvm::json::Value(std::move(object)) << "\n";
  for (size_t at = 0; at < line.size();) {
    ssize_t count = write(ResultFile, line.data() + at, line.size() - at);
    if (count <= 0) {
      std::exit(1); // nobody listens any more
    }
    at += size_t(count);
  }
}

/// What was printed since the last call; standard output and error are one
/// file.
std::string takeOutput() {
  std::fflush(stdout);
  std::fflush(stderr);
  struct stat facts{};
  std::string text;
  if (!fstat(1, &facts) && S_ISREG(facts.st_mode)) {
    text.resize(std::min<size_t>(size_t(facts.st_size), 1 << 20));
    ssize_t count = pread(1, text.data(), text.size(), 0);
    text.resize(count > 0 ? size_t(count) : 0);
    if (ftruncate(1, 0) || lseek(1, 0, SEEK_SET)) {
      return text;
    }
  }
  return text;
}

/// The lines of a text that kernels printed, in an order of their own: programs
/// may run in any.
std::vector<std::string> printedLines(std::string_view text) {
  std::vector<std::string> lines;
  for (std::string &line : splitList(text, '\n')) {
    if (line.starts_with("pid ")) {
      lines.push_back(std::move(line));
    }
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

class Worker {
public:
  Worker(const conformance::Suite &suite, std::string target, bool compilesOnly,
         const std::string &proofFolder)
      : suite(suite), target(std::move(target)), compilesOnly(compilesOnly),
        session(options(!proofFolder.empty())),
        driver(session.registry(), nullptr) {
    if (!proofFolder.empty()) {
      proofs.emplace(proofFolder);
    }
  }
  int run();

private:
  /// `reuses`: what passed before is not run again.
  SessionOptions options(bool reuses) {
    SessionOptions made = toolSession();
    // The compiler is what is tested; what it keeps itself goes by content.
    made.useCache = compilesOnly || reuses;
    made.print = [this](std::string_view line) { printed.emplace_back(line); };
    return made;
  }
  bool isInterpreter() const { return target == "interp"; }
  Status open();
  Status describe(Plugin &plugin, const std::string &id);
  class CaseRun;
  Outcome runCase(const Case &one);
  /// Why code is not as it should be, or nothing.
  std::string problemOf(const Artifact &artifact);
  /// The results of the target, a vector of bytes a buffer.
  Status launch(const std::shared_ptr<const Artifact> &artifact,
                Binding &binding, const std::array<int64_t, 3> &grid);

  const conformance::Suite &suite;
  std::string target;
  bool compilesOnly;
  std::vector<std::string> printed;
  std::vector<std::vector<uint8_t>> results;
  TerminalSink sink;
  Session session;
  driver::Driver driver;
  std::shared_ptr<Device> device;
  std::unique_ptr<Stream> stream;
  std::string plugin, code; // what code is made for
  optimizer::TargetFacts facts;
  std::optional<conformance::Proofs> proofs;
  std::string place; // of proofs
};

} // namespace

Status Worker::open() {
  if (isInterpreter()) {
    writeLine(llvm::json::Object{{"target", "interp"},
                                 {"device", "reference interpreter"},
                                 {"driver", tz_version()}});
    return Status();
  }
  if (compilesOnly) {
    Result<ResolvedTarget> found = session.registry().resolve(target, false);
    if (!found) {
      return found.takeStatus();
    }
    writeLine(llvm::json::Object{{"target", found->id},
                                 {"device", "none, compiled only"},
                                 {"driver", ""}});
    return describe(*found->plugin, found->id);
  }
  Result<std::shared_ptr<Device>> found = session.device(target);
  if (!found) {
    return found.takeStatus();
  }
  device = *found;
  Result<std::unique_ptr<Stream>> made = session.stream(*device);
  if (!made) {
    return made.takeStatus();
  }
  stream = std::move(*made);
  writeLine(llvm::json::Object{{"target", device->target()},
                               {"device", device->name()},
                               {"driver", device->driverVersion()}});
  if (Status s = describe(device->plugin(), device->target());
      !s.ok() || !proofs) {
    return s;
  }
  Result<std::string> text = placeOf(*device, facts);
  place = text ? std::move(*text) : std::string();
  return text ? Status() : text.takeStatus();
}

Status Worker::describe(Plugin &made, const std::string &id) {
  Result<driver::TargetDescription> description =
      driver::describeTarget(made, id);
  if (!description) {
    return description.takeStatus();
  }
  facts = description->facts;
  plugin = made.name();
  code = id;
  return Status();
}

std::string Worker::problemOf(const Artifact &artifact) {
  if (sink.warnings) {
    return "compiles with warnings\n" + takeOutput();
  }
  for (const Variant &variant : artifact.variants) {
    if (variant.spillBytes) {
      return "spills " + std::to_string(variant.spillBytes) +
             " bytes a thread, with " + std::to_string(variant.regs) +
             " registers";
    }
  }
  return {};
}

Status Worker::launch(const std::shared_ptr<const Artifact> &artifact,
                      Binding &binding, const std::array<int64_t, 3> &grid) {
  Result<std::unique_ptr<LoadedKernel>> kernel =
      LoadedKernel::load(device, artifact);
  if (!kernel) {
    return kernel.takeStatus();
  }
  std::optional<GuardedMemory> guarded;
  if (device->isHostMemory()) {
    guarded.emplace(std::vector<std::string>());
  }
  std::vector<tz_dptr> memory;
  Status s;
  for (const BoundBuffer &buffer : binding.buffers) {
    Result<tz_dptr> at =
        guarded ? guarded->allocate(buffer.name, buffer.content.size())
                : device->allocate(std::max<size_t>(buffer.content.size(), 1));
    if (!at) {
      return at.takeStatus();
    }
    memory.push_back(*at);
  }
  for (size_t i = 0; s.ok() && i < binding.buffers.size(); ++i) {
    BoundBuffer &buffer = binding.buffers[i];
    for (size_t j = 0; j < buffer.addressesOf.size(); ++j) {
      std::memcpy(buffer.content.data() + 8 * j, &memory[buffer.addressesOf[j]],
                  8);
    }
    s = stream->copy(memory[i],
                     reinterpret_cast<uintptr_t>(buffer.content.data()),
                     buffer.content.size(), TZ_COPY_HOST_TO_DEVICE);
  }
  std::vector<tz_memory_range> ranges; // for code with a sanitizer's checks
  for (size_t i = 0; i < memory.size(); ++i) {
    ranges.push_back({memory[i], binding.buffers[i].content.size(),
                      binding.buffers[i].name.c_str()});
  }
  stream->knowMemory(ranges);
  std::vector<ArgValue> args;
  for (uint32_t index : artifact->userLeaves) {
    const BoundLeaf &bound = binding.leaves[index];
    args.push_back(
        bound.kind == BoundLeaf::Buffer
            ? ArgValue{TZ_TYPE_PTR, memory[bound.buffer] + bound.offset}
            : ArgValue{bound.type, bound.bits});
  }
  if (s.ok()) {
    s = (*kernel)->launch(*stream, grid, args);
  }
  if (s.ok()) {
    s = stream->synchronize();
  }
  if (s.ok() && guarded) {
    s = guarded->check();
  }
  for (size_t i = 0; s.ok() && i < binding.buffers.size(); ++i) {
    results.emplace_back(binding.buffers[i].content.size());
    s = stream->copy(reinterpret_cast<uintptr_t>(results[i].data()), memory[i],
                     results[i].size(), TZ_COPY_DEVICE_TO_HOST);
  }
  if (s.ok()) {
    s = stream->synchronize();
  }
  for (tz_dptr at : memory) {
    if (!guarded) {
      (void)device->free(at);
    }
  }
  return s;
}

/// One case on its way. Each step gives false where the outcome is known.
class Worker::CaseRun {
public:
  CaseRun(Worker &in, const Case &one) : in(in), one(one) {
    outcome.name = one.name;
  }
  Outcome run();

private:
  bool pass() {
    outcome.status = Outcome::Passed;
    return false;
  }
  bool fail(std::string_view stage, const std::string &message);
  bool hasFeatures();
  bool skip(const std::string &need);
  bool refuse(const Status &status);
  bool prepare();
  bool compile();
  bool inspect();
  bool runReference();
  bool takeReferenceResults();
  bool isUnproved();
  bool runTarget();
  bool comparePrints();
  bool judge();

  Worker &in;
  const Case &one;
  Outcome outcome;
  CompileJob job;
  Binding binding;
  std::array<int64_t, 3> grid{};
  std::shared_ptr<const Artifact> artifact;
  std::optional<Reference> reference;
  std::vector<std::string> expectedLines;
};

bool Worker::CaseRun::fail(std::string_view stage, const std::string &message) {
  outcome.reason = std::string(stage) + (message.empty() ? "" : ": " + message);
  std::string output = takeOutput();
  if (!output.empty() && output.find(message) == std::string::npos) {
    outcome.reason += "\n" + output;
  } else if (!output.empty()) {
    outcome.reason = std::string(stage) + "\n" + output;
  }
  return false;
}

bool Worker::CaseRun::hasFeatures() {
  for (const std::string &need : one.needs) {
    if (!in.isInterpreter() && !in.facts.features.count(need)) {
      return skip(need);
    }
  }
  return true;
}

bool Worker::CaseRun::skip(const std::string &need) {
  outcome.status = Outcome::Skipped;
  outcome.reason = "the target does not list '" + need + "'";
  return false;
}

static bool usesDoubles(mlir::ModuleOp module) {
  return module
      .walk([](mlir::Operation *op) {
        const bool uses =
            llvm::any_of(op->getResultTypes(), [](mlir::Type type) {
              return mlir::getElementTypeOrSelf(type).isF64();
            });
        return uses ? mlir::WalkResult::interrupt()
                    : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// A case fails where the target's compiler refuses it, except for values of
/// f64 that the target does not claim to have: functions of the library compute
/// in them.
bool Worker::CaseRun::refuse(const Status &status) {
  if (status.code() == TZ_E_UNSUPPORTED_OP && !in.facts.features.count("f64")) {
    Result<driver::LoweredKernel> lowered =
        in.driver.lower(job, driver::Stage::Tile, in.sink);
    if (lowered && usesDoubles(*lowered->state().module)) {
      return skip("f64");
    }
  }
  return fail("does not compile", status.message());
}

bool Worker::CaseRun::prepare() {
  in.printed.clear();
  in.results.clear();
  in.sink.errors = 0;
  Status s = prepareCase(in.driver, one, in.sink, job, binding, grid);
  return s.ok() || fail("does not compile", s.message());
}

/// Is what failed so left that the next case needs a new process?
static bool isSticky(const Status &status) {
  return status.code() == TZ_E_DEVICE_LOST || status.code() == TZ_E_INTERNAL ||
         status.code() == TZ_E_UNKNOWN;
}

bool Worker::CaseRun::compile() {
  job.plugin = in.plugin;
  job.target = in.code;
  in.sink.warnings = 0;
  if (in.compilesOnly) {
    job.makeAhead(); // all of it is to be seen
  }
  Result<std::shared_ptr<const Artifact>> made =
      in.driver.compile(job, in.sink);
  if (!made) {
    outcome.isSticky = isSticky(made.status());
    return refuse(made.status());
  }
  artifact = std::move(*made);
  return true;
}

bool Worker::CaseRun::inspect() {
  std::string wrong = in.problemOf(*artifact);
  return wrong.empty() ? pass() : fail(wrong, "");
}

bool Worker::CaseRun::runReference() {
  job.target = in.code; // also the reference answers tl.target_info for it
  // What is wrong with the case's own text is not laid to the target.
  Result<driver::LoweredKernel> lowered =
      in.driver.lower(job, driver::Stage::Tile, in.sink);
  if (!lowered) {
    return fail("does not compile", lowered.status().message());
  }
  if (!one.usesReference && !in.isInterpreter()) {
    return true;
  }
  reference.emplace();
  bool isClean =
      reference->run(*lowered, binding, grid,
                     {.tracksErrors = !in.isInterpreter(),
                      .defaultIsTf32 = optimizer::defaultIsTf32(in.facts)});
  std::string output = takeOutput();
  expectedLines = printedLines(output);
  if (one.assertion.empty()) {
    return isClean ||
           fail("the interpreter finds a mistake in the case", output);
  }
  if (isClean || output.find(one.assertion) == std::string::npos) {
    return fail("the interpreter should have reported the assertion '" +
                    one.assertion + "'",
                output);
  }
  return in.isInterpreter() ? pass() : true;
}

bool Worker::CaseRun::takeReferenceResults() {
  for (size_t i = 0; i < binding.buffers.size(); ++i) {
    const uint8_t *content = reference->content(i);
    in.results.emplace_back(content,
                            content + binding.buffers[i].content.size());
  }
  return !one.comparesPrints || !expectedLines.empty() ||
         fail("the case prints nothing", "");
}

/// False if it has passed before, with this very code on this very device.
bool Worker::CaseRun::isUnproved() {
  if (!in.proofs) {
    return true;
  }
  ProofSubject subject{in.place, in.code, artifact->write(), one, binding, grid,
                       {},       {}};
  if (reference) {
    subject.expected = expectedBuffers(*reference, binding);
    subject.printed = expectedLines;
  }
  outcome.proof = proofKey(subject);
  return !in.proofs->find(outcome);
}

bool Worker::CaseRun::runTarget() {
  Status s = in.launch(artifact, binding, grid);
  outcome.isSticky = isSticky(s);
  if (!one.assertion.empty()) {
    if (s.code() != TZ_E_ASSERTION ||
        s.message().find(one.assertion) == std::string::npos) {
      return fail("the target should have reported the assertion '" +
                      one.assertion + "'",
                  s.ok() ? "it reports success" : s.message());
    }
    return pass();
  }
  return s.ok() ? comparePrints() : fail("the target fails", s.message());
}

bool Worker::CaseRun::comparePrints() {
  std::vector<std::string> lines = in.printed;
  std::sort(lines.begin(), lines.end());
  if (!one.comparesPrints || (!lines.empty() && lines == expectedLines)) {
    return true;
  }
  std::string text = "prints " + std::to_string(lines.size()) +
                     " lines, the interpreter " +
                     std::to_string(expectedLines.size());
  for (size_t i = 0; i < std::max(lines.size(), expectedLines.size()); ++i) {
    std::string got = i < lines.size() ? lines[i] : "(nothing)";
    std::string want =
        i < expectedLines.size() ? expectedLines[i] : "(nothing)";
    if (got != want) {
      text += "\n  " + got + "\n  instead of\n  " + want;
      break;
    }
  }
  return fail("the target prints something else", text);
}

bool Worker::CaseRun::judge() {
  const Reference *other =
      reference && !in.isInterpreter() ? &*reference : nullptr;
  std::string wrong =
      judgeResults(one, binding, in.code, in.results, other, outcome);
  if (wrong.empty()) {
    return pass();
  }
  if (reference && reference->undecided()) {
    wrong += "\nnote: " + std::to_string(reference->undecided()) +
             " comparisons or roundings hang on the last bits";
  }
  return fail("wrong result", wrong);
}

Outcome Worker::CaseRun::run() {
  if (hasFeatures() && prepare()) {
    (void)(in.compilesOnly
               ? compile() && inspect()
               : runReference() &&
                     (in.isInterpreter()
                          ? takeReferenceResults()
                          : compile() && isUnproved() && runTarget()) &&
                     judge());
  }
  return std::move(outcome);
}

Outcome Worker::runCase(const Case &one) { return CaseRun(*this, one).run(); }

int Worker::run() {
  if (Status s = open(); !s.ok()) {
    return reportError(s.message());
  }
  std::map<std::string_view, const Case *> byName;
  for (const Case &one : suite.cases) {
    byName.emplace(one.name, &one);
  }
  for (std::string name; std::getline(std::cin, name);) {
    writeLine(llvm::json::Object{{"begin", name}});
    (void)takeOutput();
    Outcome outcome;
    outcome.name = name;
    auto start = std::chrono::steady_clock::now();
    if (auto found = byName.find(name); found != byName.end()) {
      outcome = runCase(*found->second);
    } else if (std::optional<Case> made = conformance::randomCase(name)) {
      outcome = runCase(*made);
    } else {
      outcome.reason = "there is no such case";
    }
    outcome.milliseconds = std::chrono::duration<double, std::milli>(
                               std::chrono::steady_clock::now() - start)
                               .count();
    bool isLast = outcome.isSticky;
    writeLine(toJson(outcome));
    if (isLast) {
      break;
    }
  }
  if (size_t bad = proofs ? proofs->bad() : 0) {
    writeLine(llvm::json::Object{{"bad_proofs", int64_t(bad)}});
  }
  return 0;
}

int runConformWorker(const conformance::Suite &suite, const std::string &target,
                     bool compilesOnly, const std::string &proofs) {
  // A case that crashes ends this process: what it has damaged is no part of
  // another case's result.
  ::setenv("TERRAZZO_CATCH_FAULTS", "0", /*overwrite=*/1);
  Worker worker(suite, target, compilesOnly, proofs);
  return worker.run();
}

} // namespace tz::tool
