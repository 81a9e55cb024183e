//===- RunLaunches.cpp - the launches of tz run on a target ---------------===//
//
// What   The first launch, between guard pages, whose results are shown. Then
//        one that finds out which elements are written, and those that are
//        timed, in memory with wide margins.
// Why    See GuardedMemory.h: guards make masked accesses slow.
//===----------------------------------------------------------------------===//
#include "core/execution/Upload.h"
#include "core/tools/tz/Runner.h"
#include "runtime/profile/ProfileWriter.h"
#include "runtime/profile/ProfiledLaunch.h"
#include "runtime/profile/Recorder.h"

#include "llvm/ADT/ScopeExit.h"

namespace tz::tool {

using namespace runtime;
using Clock = std::chrono::steady_clock;

/// This command again with --check, unless the interpreter has looked already.
std::vector<std::string> Runner::checkedCommand() const {
  std::vector<std::string> words;
  Result<std::string> line = readFile("/proc/self/cmdline");
  if (reference || !line) {
    return words;
  }
  for (size_t at = 0; at < line->size(); at = line->find('\0', at) + 1) {
    words.emplace_back(line->c_str() + at);
  }
  words.emplace_back("--check");
  return words;
}

bool Runner::hasPrograms() const { return !llvm::is_contained(grid, 0); }

Status Runner::uploadAll(Device &device, Stream &stream,
                         GuardedMemory::Margins margins) {
  memory.clear();
  guarded.reset();
  if (device.isHostMemory()) {
    guarded.emplace(checkedCommand(), margins);
  }
  return upload(
      binding, stream,
      [&](const BoundBuffer &buffer) {
        const size_t bytes = buffer.content.size();
        return guarded ? guarded->allocate(buffer.name, bytes)
                       : device.allocate(std::max<size_t>(bytes, 1));
      },
      memory);
}

/// Where each buffer begins and ends, for code that tests its accesses.
void Runner::tellArrays(Stream &stream) {
  std::vector<tz_memory_range> ranges;
  for (size_t i = 0; i < memory.size(); ++i) {
    ranges.push_back({memory[i], binding.buffers[i].content.size(),
                      binding.buffers[i].name.c_str()});
  }
  stream.knowMemory(ranges);
}

/// Of what is in an `empty` buffer nobody is to know.
static Status forgetEmpty(const Binding &binding,
                          std::span<const tz_dptr> memory, Stream &stream) {
  Status s;
  for (size_t i = 0; s.ok() && i < memory.size(); ++i) {
    const BoundBuffer &buffer = binding.buffers[i];
    if (buffer.text.initializer == "empty") {
      s = stream.device().written().forget(stream, memory[i],
                                           buffer.content.size());
    }
  }
  return s;
}

/// Keeps what each buffer holds; --save writes it.
Status Runner::download(Stream &stream) {
  results.clear();
  for (size_t i = 0; i < binding.buffers.size(); ++i) {
    std::vector<uint8_t> &result =
        results.emplace_back(binding.buffers[i].content.size());
    Status s = stream.copy(reinterpret_cast<uintptr_t>(result.data()),
                           memory[i], result.size(), TZ_COPY_DEVICE_TO_HOST);
    s = s.ok() ? stream.synchronize() : std::move(s);
    s = s.ok() ? saveContent(i, result.data()) : std::move(s);
    if (!s.ok()) {
      return s;
    }
  }
  return Status();
}

int Runner::launchFirst(LoadedKernel &kernel, Stream &stream,
                        const Artifact &artifact) {
  Status s = uploadAll(stream.device(), stream, GuardedMemory::Margins::Narrow);
  if (!s.ok()) {
    return fail(s);
  }
  tellArrays(stream);
  if (kernel.looksForUnwritten()) {
    if (s = forgetEmpty(binding, memory, stream); !s.ok()) {
      return fail(s);
    }
  }
  const std::vector<ArgValue> args = launchValues(artifact, binding, memory);
  mark("load and copy in");
  std::fflush(stdout); // a fault would lose it
  s = hasPrograms() ? kernel.launch(stream, grid, args) : Status();
  if (s.ok()) {
    Progress progress("running on " + job.target);
    s = stream.synchronize();
  }
  if (s.ok() && guarded) {
    s = guarded->check();
    if (!s.ok() && !reference && canInterpret()) {
      (void)fail(s);
      return interpret(false) ? 1 : fail(s);
    }
  }
  s = s.ok() ? download(stream) : std::move(s);
  mark("first launch");
  if (s.code() == TZ_E_FAULT) {
    s = locate(std::move(s), kernel, stream.sharedDevice());
  }
  return s.ok() ? 0 : fail(s);
}

/// Launches with other values in each buffer that is only written: what has
/// kept its value is not written.
Status Runner::countWritten(LoadedKernel &kernel, Stream &stream,
                            const std::vector<ArgValue> &args) {
  std::map<size_t, std::vector<uint8_t>> poison;
  for (size_t i = 0; i < binding.buffers.size(); ++i) {
    if (!binding.isOnlyWritten(i) || results[i].empty()) {
      continue;
    }
    std::vector<uint8_t> &bytes = poison[i] = results[i];
    for (uint8_t &byte : bytes) {
      byte = uint8_t(~byte);
    }
    Status s = stream.copy(memory[i], reinterpret_cast<uintptr_t>(bytes.data()),
                           bytes.size(), TZ_COPY_HOST_TO_DEVICE);
    s = s.ok() ? stream.synchronize() : std::move(s);
    if (!s.ok()) {
      return s;
    }
  }
  if (poison.empty()) {
    return Status();
  }
  Status s = kernel.launch(stream, grid, args);
  s = s.ok() ? stream.synchronize() : std::move(s);
  for (auto &[i, before] : poison) {
    std::vector<uint8_t> now(before.size());
    s = s.ok() ? stream.copy(reinterpret_cast<uintptr_t>(now.data()), memory[i],
                             now.size(), TZ_COPY_DEVICE_TO_HOST)
               : std::move(s);
    s = s.ok() ? stream.synchronize() : std::move(s);
    if (!s.ok()) {
      return s;
    }
    const uint64_t count = binding.buffers[i].count;
    const size_t size = now.size() / count;
    uint64_t changed = 0;
    for (uint64_t at = 0; at < count; ++at) {
      changed += std::memcmp(&now[at * size], &before[at * size], size) != 0;
    }
    written[i] = changed;
  }
  return s;
}

Status Runner::launchAgain(LoadedKernel &kernel, Stream &stream,
                           const Artifact &artifact) {
  Device &device = stream.device();
  written.assign(binding.buffers.size(), std::nullopt);
  times = Times();
  if (!hasPrograms()) {
    return Status();
  }
  std::vector<tz_dptr> again;
  // Memory of a device of its own serves again.
  Status s = device.isHostMemory()
                 ? uploadAll(device, stream, GuardedMemory::Margins::Wide)
                 : upload(
                       binding, stream,
                       [&](const BoundBuffer &) {
                         return Result<tz_dptr>(memory[again.size()]);
                       },
                       again);
  if (!s.ok()) {
    return s;
  }
  if (device.isHostMemory()) {
    tellArrays(stream);
  }
  if (kernel.looksForUnwritten()) {
    if (s = forgetEmpty(binding, memory, stream); !s.ok()) {
      return s;
    }
  }
  const std::vector<ArgValue> args = launchValues(artifact, binding, memory);
  PrintSink prints = stream.setPrintSink({}); // the first launch has shown them
  llvm::scope_exit restore([&] { stream.setPrintSink(std::move(prints)); });
  Progress progress("timing on " + job.target);
  s = countWritten(kernel, stream, args);
  mark("count what is written");
  if (device.isSimulator() && !options.repeat) {
    return s; // its times say nothing, unless somebody asks for them
  }
  Result<std::unique_ptr<Stopwatch>> stopwatch =
      Stopwatch::make(stream, /*sweeps=*/false);
  if (!s.ok() || !stopwatch) {
    return s.ok() ? stopwatch.takeStatus() : s;
  }
  Result<Times> measured =
      (*stopwatch)
          ->time([&] { return kernel.launch(stream, grid, args); },
                 TimingEffort{
                     .seconds = 0.2, .least = 1, .exactly = options.repeat},
                 /*showsPrints=*/false);
  mark("timed launches");
  if (!measured) {
    return measured.takeStatus();
  }
  times = *measured;
  return guarded ? guarded->check() : Status();
}

/// Launches that a profile counts, into the file that --profile names. They
/// follow one another without a wait.
Status
Runner::profileLaunches(LoadedKernel &kernel, Stream &stream,
                        const std::shared_ptr<const Artifact> &artifact) {
  constexpr unsigned usual = 100;
  constexpr uint64_t mostRecords = uint64_t(1) << 24;
  Recorder &recorder = session.recorder();
  ProfileSettings settings;
  settings.isTrace =
      llvm::StringRef(options.profile).ends_with(".chrome_trace");
  settings.maxRecords = mostRecords;
  settings.samplePeriod = options.samplePeriod;
  const std::shared_ptr<Profile> profile =
      recorder.start(settings, {stream.sharedDevice()});
  llvm::scope_exit stop([&] { recorder.stop(*profile); });
  PrintSink prints = stream.setPrintSink({});
  llvm::scope_exit restore([&] { stream.setPrintSink(std::move(prints)); });
  const std::vector<ArgValue> args = launchValues(*artifact, binding, memory);
  Status s;
  const unsigned launches = options.repeat ? options.repeat : usual;
  for (unsigned i = 0; s.ok() && i < launches; ++i) {
    ProfiledLaunch one(session.hooks(), signature.function.c_str(), stream,
                       artifact, grid);
    s = one.begin();
    s = s.ok() ? kernel.launch(stream, grid, args, one.id()) : std::move(s);
    s = one.end(std::move(s));
  }
  s = s.ok() ? stream.synchronize() : std::move(s);
  // What was recorded until an error is written, too.
  Status flushed = recorder.flush();
  s = s.ok() ? std::move(flushed) : std::move(s);
  Status written = writeProfileFile(options.profile, [&](const TextSink &sink) {
    return recorder.locked([&] {
      const bool isPacked =
          llvm::StringRef(options.profile).ends_with("_msgpack");
      return profile->write(0, isPacked ? "hatchet_msgpack" : "", sink);
    });
  });
  const std::string notes =
      recorder.locked([&] { return profile->noteText(); });
  for (llvm::StringRef line :
       llvm::split(llvm::StringRef(notes).rtrim(), '\n')) {
    if (!line.empty()) {
      reportNote("profile: " + line.str());
    }
  }
  mark("profile");
  return s.ok() ? std::move(written) : std::move(s);
}

/// A fault of the kernel with its place: of the code that ran, or of the same
/// with line tables.
Status Runner::locate(Status fault, const LoadedKernel &kernel,
                      const std::shared_ptr<Device> &device) {
  fault = kernel.withPlace(std::move(fault));
  if (fault.fact("line") || compiled) {
    return fault;
  }
  CompileJob again = job;
  again.makeLines();
  SilentSink silence;
  Result<std::shared_ptr<const Artifact>> made =
      driver.compile(again, silence, nullptr);
  if (!made) {
    return fault;
  }
  Result<std::unique_ptr<LoadedKernel>> loaded =
      LoadedKernel::load(device, *made);
  return loaded ? (*loaded)->withPlace(std::move(fault)) : fault;
}

int Runner::runNative(const std::string &target) {
  Result<std::shared_ptr<Device>> device = session.device(target);
  if (!device) {
    return fail(device.status());
  }
  mark("open device");
  job.plugin = (*device)->plugin().name();
  job.target = (*device)->target();
  driver::CompileReport report;
  Result<std::shared_ptr<const Artifact>> artifact =
      [&]() -> Result<std::shared_ptr<const Artifact>> {
    if (compiled) {
      return compiled;
    }
    Progress progress("compiling " + signature.function);
    return driver.compile(job, sink, &report);
  }();
  if (!artifact) {
    return fail(artifact.status());
  }
  mark("compile");
  Result<std::unique_ptr<LoadedKernel>> kernel =
      LoadedKernel::load(*device, *artifact);
  Result<std::unique_ptr<Stream>> stream = session.stream(**device);
  if (!kernel || !stream) {
    return fail(kernel ? stream.status() : kernel.status());
  }
  llvm::scope_exit release([&] {
    for (tz_dptr at : memory) {
      if (!guarded) {
        (void)(*device)->free(at);
      }
    }
    memory.clear();
    guarded.reset();
  });
  if (int status = launchFirst(**kernel, **stream, **artifact)) {
    return status;
  }
  Status again = launchAgain(**kernel, **stream, **artifact);
  if (again.ok() && !options.profile.empty() && hasPrograms()) {
    again = profileLaunches(**kernel, **stream, *artifact);
  }
  std::printf("%s on %s (%s), grid %s%s\n",
              styled(Style::Bold, signature.function).c_str(),
              (*artifact)->target.c_str(), (*device)->name().c_str(),
              gridText(grid).c_str(), hasPrograms() ? "" : ": nothing runs");
  const int status = showResults();
  mark("compare");
  if (!again.ok()) {
    return fail(again);
  }
  if (times.count) {
    showRates(times.median, times.count, "median");
  }
  warnOfGaps();
  showPhases(report);
  return status;
}

} // namespace tz::tool
