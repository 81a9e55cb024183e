//===- ReferenceRun.cpp - a run in the interpreter ------------------------===//
//
// What   See ReferenceRun.h.
// Why    Buffers lie far apart, so that an access past the end of one is never
//        by chance inside another.
//===----------------------------------------------------------------------===//
#include "core/execution/ReferenceRun.h"

#include "core/driver/ArgumentTypes.h"
#include "core/driver/LoweredKernel.h"
#include "core/driver/source/ReadIR.h"

#include "llvm/Support/Error.h"

#include <algorithm>
#include <sys/mman.h>

namespace tz::tool {

using runtime::Status;

Reference::~Reference() {
  for (const Memory &one : memory) {
    if (one.reserved) {
      munmap(one.reserved, one.reservedBytes);
    }
  }
}

std::string elementName(const BoundBuffer &buffer, uint64_t index) {
  std::string text;
  for (size_t axis = buffer.shape.size(); axis-- > 0;) {
    text = std::to_string(index % uint64_t(buffer.shape[axis])) +
           (text.empty() ? "" : ",") + text;
    index /= uint64_t(buffer.shape[axis]);
  }
  return buffer.name + "[" + text + "]";
}

static interpreter::Kind kindOf(uint32_t type) {
  std::string_view name = driver::languageName(type);
  return interpreter::kindFromName(llvm::StringRef(name.data(), name.size()))
      .value_or(interpreter::Kind::I8);
}

static const char *helpFor(interpreter::FindingKind kind) {
  using interpreter::FindingKind;
  switch (kind) {
  case FindingKind::OutOfBounds:
    return "make the buffer larger, or mask the access";
  case FindingKind::AddressOverflow:
    return "compute the offset in 64 bits, e.g. pid.to(tl.int64) * BLOCK";
  case FindingKind::Race:
    return "give each program its own elements, or use tl.atomic_*; if all "
           "store the same value: --races same-value";
  default:
    return nullptr;
  }
}

/// One error per kind of mistake and place, with the argument's name in it.
static unsigned reportFindings(const interpreter::Report &report, Races races) {
  using interpreter::FindingKind;
  unsigned errors = 0;
  for (const interpreter::Finding &finding : report.findings) {
    const bool isError =
        finding.kind != FindingKind::DivisionByZero &&
        !(finding.kind == FindingKind::Race && races == Races::Warn);
    errors += isError;
    if (errors > 8) {
      continue;
    }
    std::string text = finding.location + ": " +
                       styled(isError ? Style::Bad : Style::Bold,
                              isError ? "error: " : "warning: ", true) +
                       finding.message + "\n  in program (" +
                       std::to_string(finding.program[0]) + ", " +
                       std::to_string(finding.program[1]) + ", " +
                       std::to_string(finding.program[2]) + ")";
    if (finding.count > 1) {
      text += ", " + std::to_string(finding.count) + " times in all";
    }
    if (const char *help = helpFor(finding.kind); help && isError) {
      text += std::string("\n  help: ") + help;
    }
    std::fprintf(stderr, "%s\n", text.c_str());
  }
  return errors;
}

static std::string printLine(const interpreter::PrintEvent &event) {
  const auto &[x, y, z] = event.program;
  return "pid (" + std::to_string(x) + ", " + std::to_string(y) + ", " +
         std::to_string(z) + ") " + event.text + "\n";
}

Status Reference::prepare(const driver::LoweredKernel &kernel,
                          const Binding &binding,
                          const std::array<int64_t, 3> &grid,
                          interpreter::Options &options,
                          interpreter::LaunchArgs &launch) {
  options.checked = true;
  options.print = [](const interpreter::PrintEvent &event) {
    std::fputs(printLine(event).c_str(), stdout);
  };
  constexpr size_t page = 4096, guard = size_t(16) << 20;
  for (const BoundBuffer &buffer : binding.buffers) {
    Memory one;
    size_t bytes = (buffer.content.size() + page - 1) & ~(page - 1);
    size_t around = std::max(guard, bytes);
    one.reservedBytes = bytes + 2 * around;
    one.bytes = buffer.content.size();
    void *at = mmap(nullptr, one.reservedBytes, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) {
      return Status(TZ_E_OUT_OF_MEMORY,
                    "no memory for a copy of '" + buffer.name + "'");
    }
    one.reserved = static_cast<uint8_t *>(at);
    one.data = one.reserved + around;
    memory.push_back(one);
    if (mprotect(one.data, bytes, PROT_READ | PROT_WRITE)) {
      return Status(TZ_E_OUT_OF_MEMORY,
                    "no memory for a copy of '" + buffer.name + "'");
    }
    std::copy(buffer.content.begin(), buffer.content.end(), one.data);
    interpreter::Allocation allocation;
    allocation.base = reinterpret_cast<uintptr_t>(one.data);
    allocation.size = buffer.content.size();
    allocation.name = buffer.name;
    allocation.initialized = buffer.text.initializer != "empty";
    options.memory.push_back(std::move(allocation));
  }
  for (size_t i = 0; i < memory.size(); ++i) {
    const auto &targets = binding.buffers[i].addressesOf;
    for (size_t j = 0; j < targets.size(); ++j) {
      std::memcpy(memory[i].data + 8 * j, &memory[targets[j]].data, 8);
    }
  }
  for (int axis = 0; axis < 3; ++axis) {
    launch.grid[axis] = uint32_t(grid[axis]);
  }
  for (uint32_t index : kernel.userLeaves) {
    const BoundLeaf &bound = binding.leaves[index];
    uint64_t bits =
        bound.kind == BoundLeaf::Buffer
            ? reinterpret_cast<uintptr_t>(memory[bound.buffer].data) +
                  bound.offset
            : bound.bits;
    launch.args.push_back({bits});
  }
  return Status();
}

bool Reference::run(const driver::LoweredKernel &kernel, const Binding &binding,
                    const std::array<int64_t, 3> &grid,
                    const Settings &settings) {
  interpreter::Options options;
  interpreter::LaunchArgs launch;
  if (Status s = prepare(kernel, binding, grid, options, launch); !s.ok()) {
    reportError(s.message());
    return false;
  }
  options.trackErrors = settings.tracksErrors;
  options.defaultIsTf32 = settings.defaultIsTf32;
  options.sameValueStoresRace = settings.races != Races::SameValue;
  if (!settings.showsPrints) {
    options.print = [this](const interpreter::PrintEvent &event) {
      if (held.size() < (size_t(1) << 20)) {
        held += printLine(event);
      }
    };
  }
  std::atomic<uint64_t> done = 0;
  options.programsDone = &done;
  const auto all = uint64_t(grid[0]) * uint64_t(grid[1]) * uint64_t(grid[2]);
  auto start = std::chrono::steady_clock::now();
  llvm::Error failure = llvm::Error::success();
  {
    Progress progress("interpreter", [&] {
      return ", " + std::to_string(done) + " of " + std::to_string(all) +
             (all == 1 ? " program" : " programs");
    });
    failure = interpreter::run(driver::kernelOf(*kernel.state().module), launch,
                               options, report);
  }
  time = std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now() - start)
             .count();
  bool clean = reportFindings(report, settings.races) == 0;
  if (failure || !clean) {
    std::fputs(held.c_str(), stdout);
  }
  if (failure) {
    std::string message = llvm::toString(std::move(failure));
    if (clean) {
      reportError(message);
      failed = std::move(message);
    }
    return false;
  }
  return clean;
}

Status Reference::watch(const driver::LoweredKernel &kernel,
                        const Binding &binding,
                        const std::array<int64_t, 3> &grid,
                        std::optional<std::array<uint32_t, 3>> program,
                        std::optional<Element> watched,
                        interpreter::Observer &observer) {
  interpreter::Options options;
  interpreter::LaunchArgs launch;
  if (Status s = prepare(kernel, binding, grid, options, launch); !s.ok()) {
    return s;
  }
  options.onlyProgram = program;
  options.observer = &observer;
  if (watched) {
    const BoundBuffer &buffer = binding.buffers[watched->buffer];
    options.watched =
        reinterpret_cast<uintptr_t>(memory[watched->buffer].data) +
        watched->index * (buffer.content.size() / buffer.count);
  }
  if (llvm::Error failure = interpreter::run(
          driver::kernelOf(*kernel.state().module), launch, options, report)) {
    return Status(TZ_E_INVALID_ARGUMENT, llvm::toString(std::move(failure)));
  }
  return Status();
}

uint64_t Reference::elementsWritten(size_t buffer, uint64_t count) const {
  const Memory &one = memory[buffer];
  auto found = report.written.find(reinterpret_cast<uintptr_t>(one.data));
  const uint64_t bytes = found == report.written.end() ? 0 : found->second;
  return one.bytes ? bytes / (one.bytes / count) : 0;
}

interpreter::Tolerance Reference::tolerance(const BoundBuffer &buffer,
                                            size_t index) const {
  return interpreter::toleranceFrom(
      report, reinterpret_cast<uintptr_t>(memory[index].data), buffer.count);
}

interpreter::Comparison
Reference::judge(const BoundBuffer &buffer, size_t index, const uint8_t *actual,
                 interpreter::Tolerance &allowed) const {
  allowed = tolerance(buffer, index);
  return interpreter::compare(kindOf(buffer.type), memory[index].data, actual,
                              buffer.count, allowed);
}

} // namespace tz::tool
