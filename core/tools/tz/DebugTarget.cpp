//===- DebugTarget.cpp - what a target makes of a launch, to debug it -----===//
//
// What   See DebugTarget.h.
// Why    See DebugTarget.h.
//===----------------------------------------------------------------------===//
#include "core/tools/tz/DebugTarget.h"

#include "core/driver/LoweredKernel.h"
#include "core/driver/vendor/VendorCompiler.h"
#include "core/execution/GuardedMemory.h"
#include "core/execution/Upload.h"

#include "terrazzo/optimizer/Features.h"

#include "llvm/ADT/ScopeExit.h"

namespace tz::tool {

using namespace runtime;

namespace {

/// One launch on a device, and what it leaves.
class TargetLaunch {
public:
  TargetLaunch(Launch &launch, std::shared_ptr<Device> device)
      : launch(launch), device(std::move(device)) {}
  ~TargetLaunch() {
    for (tz_dptr at : memory) {
      if (!guarded) {
        (void)device->free(at);
      }
    }
  }

  Status prepare(Session &session, driver::Driver &driver,
                 DiagnosticSink &sink);
  /// Its status is that of the kernel.
  Status run();

  std::vector<std::vector<uint8_t>> results;
  std::vector<std::string> prints;

private:
  Status launchAndCopy();

  Launch &launch;
  std::shared_ptr<Device> device;
  std::shared_ptr<const Artifact> artifact;
  std::unique_ptr<LoadedKernel> kernel;
  std::unique_ptr<Stream> stream;
  std::optional<GuardedMemory> guarded;
  std::vector<tz_dptr> memory;
};

} // namespace

Status TargetLaunch::prepare(Session &session, driver::Driver &driver,
                             DiagnosticSink &sink) {
  CompileJob lines = launch.job;
  lines.makeLines(); // for the places of faults
  auto made = driver.compile(lines, sink, nullptr);
  if (!made) {
    return made.takeStatus();
  }
  artifact = *made;
  auto loaded = LoadedKernel::load(device, artifact);
  if (!loaded) {
    return loaded.takeStatus();
  }
  kernel = std::move(*loaded);
  auto opened = session.stream(*device);
  if (!opened) {
    return opened.takeStatus();
  }
  stream = std::move(*opened);
  stream->setPrintSink(
      [this](std::string_view line) { prints.emplace_back(line); });
  if (device->isHostMemory()) {
    guarded.emplace(GuardedMemory::Margins::Narrow);
  }
  return upload(
      launch.binding, *stream,
      [&](const BoundBuffer &buffer) {
        const size_t bytes = buffer.content.size();
        return guarded ? guarded->allocate(buffer.name, bytes)
                       : device->allocate(std::max<size_t>(bytes, 1));
      },
      memory);
}

Status TargetLaunch::launchAndCopy() {
  Status s = kernel->launch(*stream, launch.grid,
                            launchValues(*artifact, launch.binding, memory));
  s = s.ok() ? stream->synchronize() : std::move(s);
  s = s.ok() && guarded ? guarded->check() : std::move(s);
  for (size_t i = 0; s.ok() && i < memory.size(); ++i) {
    std::vector<uint8_t> &result =
        results.emplace_back(launch.binding.buffers[i].content.size());
    s = stream->copy(reinterpret_cast<uintptr_t>(result.data()), memory[i],
                     result.size(), TZ_COPY_DEVICE_TO_HOST);
    s = s.ok() ? stream->synchronize() : std::move(s);
  }
  return s;
}

Status TargetLaunch::run() {
  std::fflush(stdout); // a fault would lose it
  return kernel->withPlace(launchAndCopy());
}

/// "3 of 61 elements differ; the first is out[17]: 2.5, not 3 +- 1e-06"
static std::string describe(const BoundBuffer &buffer,
                            const interpreter::Comparison &verdict,
                            std::string &first) {
  char values[128];
  std::snprintf(values, sizeof(values), "%.9g, not %.9g", verdict.firstActual,
                verdict.firstExpected);
  first =
      elementName(buffer, verdict.first) + ", where the target has " + values;
  std::string text = std::to_string(verdict.mismatches + verdict.incomparable) +
                     " of " + std::to_string(verdict.count) +
                     " elements differ; the first is " +
                     elementName(buffer, verdict.first) + ": " + values;
  if (verdict.firstAllowed > 0) {
    std::snprintf(values, sizeof(values), " +- %.3g", verdict.firstAllowed);
    text += values;
  }
  return text + (verdict.mismatches ? "" : ", and no finite bound is known");
}

static void compareArrays(const Launch &launch, const Reference &reference,
                          const TargetLaunch &target, TargetOutcome &outcome) {
  for (size_t i = 0; i < target.results.size(); ++i) {
    const BoundBuffer &buffer = launch.binding.buffers[i];
    if (!buffer.addressesOf.empty()) { // other addresses are right, too
      continue;
    }
    interpreter::Tolerance tolerance;
    const interpreter::Comparison verdict =
        reference.judge(buffer, i, target.results[i].data(), tolerance);
    if (verdict.matches()) {
      if (reference.elementsWritten(i, buffer.count)) {
        std::printf("  %-10s %-20s as in the interpreter\n",
                    buffer.name.c_str(), buffer.typeText().c_str());
      }
      continue;
    }
    std::string first;
    std::printf("  %-10s %-20s %s\n", buffer.name.c_str(),
                buffer.typeText().c_str(),
                describe(buffer, verdict, first).c_str());
    outcome.isRight = false;
    if (!outcome.first) {
      outcome.first = Element{i, verdict.first};
      outcome.what = std::move(first);
    }
  }
}

/// Programs print in any order, so lines are compared as a set.
static void comparePrints(const Reference &reference,
                          std::vector<std::string> there,
                          TargetOutcome &outcome) {
  std::vector<std::string> here;
  for (llvm::StringRef left = reference.printed(); !left.empty();) {
    auto [line, rest] = left.split('\n');
    here.push_back(line.str());
    left = rest;
  }
  for (std::string &line : there) {
    line = llvm::StringRef(line).rtrim('\n').str();
  }
  llvm::sort(here);
  llvm::sort(there);
  std::vector<std::string> more, less;
  std::set_difference(there.begin(), there.end(), here.begin(), here.end(),
                      std::back_inserter(more));
  std::set_difference(here.begin(), here.end(), there.begin(), there.end(),
                      std::back_inserter(less));
  if (!more.empty() || !less.empty()) {
    outcome.isRight = false;
    std::printf("  prints     %zu of %zu lines differ", more.size(),
                there.size());
    if (!more.empty()) {
      std::printf("; the first is '%s'", more.front().c_str());
    }
    if (!less.empty()) {
      std::printf("; only the interpreter has '%s'", less.front().c_str());
    }
    std::printf("\n");
  } else if (!there.empty()) {
    std::printf("  prints     %zu line%s, as in the interpreter\n",
                there.size(), there.size() == 1 ? "" : "s");
  }
}

/// The interpreter's words for a tile.assert that fails.
static bool isAssert(const std::string &failure) {
  return failure.find("assertion failed: ") != std::string::npos;
}

/// One of them has failed. Which programs have run before is chance, so no
/// arrays are compared.
static void compareEnds(bool isFine, const Status &ended,
                        TargetOutcome &outcome) {
  outcome.interpreterFails = !isFine;
  outcome.isRight = !isFine && ended.code() == TZ_E_ASSERTION;
  if (outcome.isRight) {
    std::printf("  a failed assert, as in the interpreter\n");
  } else if (ended.ok()) {
    std::printf("  no failed assert: it runs to its end\n");
  } else {
    std::printf("  fails: %s\n", std::string(ended.message()).c_str());
  }
  const std::string *file = ended.fact("file"), *line = ended.fact("line");
  if (isFine && file && line) {
    outcome.failedAt = *file + ":" + *line;
  }
}

Result<TargetOutcome> runOnTarget(Session &session, driver::Driver &driver,
                                  const std::string &target, Launch &launch,
                                  DiagnosticSink &sink) {
  auto device = session.device(target);
  if (!device) {
    return device.takeStatus();
  }
  launch.job.plugin = (*device)->plugin().name();
  launch.job.target = (*device)->target();
  TargetLaunch there(launch, *device);
  if (Status s = there.prepare(session, driver, sink); !s.ok()) {
    return s;
  }
  auto lowered = driver.lower(launch.job, driver::Stage::Tile, sink);
  if (!lowered) {
    return lowered.takeStatus();
  }
  auto about = driver::describeTarget((*device)->plugin(), (*device)->target());
  if (!about) {
    return about.takeStatus();
  }
  TargetOutcome outcome;
  Reference reference;
  const bool isFine =
      reference.run(*lowered, launch.binding, launch.grid,
                    {.tracksErrors = true,
                     .defaultIsTf32 = optimizer::defaultIsTf32(about->facts),
                     .showsPrints = false});
  // The target does what the kernel asks for, also where no memory is, or
  // without an end.
  if (!isFine && !isAssert(reference.failure())) {
    std::printf("the interpreter found mistakes, which come first: nothing "
                "was run on %s\n",
                launch.job.target.c_str());
    outcome.isRight = false;
    return outcome;
  }
  const Status ended = there.run();
  std::printf("on %s (%s), beside the interpreter\n", launch.job.target.c_str(),
              (*device)->name().c_str());
  if (!isFine || !ended.ok()) {
    compareEnds(isFine, ended, outcome);
    return outcome;
  }
  compareArrays(launch, reference, there, outcome);
  comparePrints(reference, there.prints, outcome);
  return outcome;
}

} // namespace tz::tool
