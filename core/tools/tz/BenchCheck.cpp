//===- BenchCheck.cpp - is what is timed right? ---------------------------===//
//
// What   See BenchCheck.h.
// Why    See BenchCheck.h.
//===----------------------------------------------------------------------===//
#include "core/tools/tz/BenchCheck.h"

#include "core/driver/vendor/VendorCompiler.h"
#include "core/execution/ReferenceRun.h"

#include "terrazzo/optimizer/Features.h"

namespace tz::tool {

using namespace runtime;

/// Runs the kernel in the interpreter, as its target reads the language.
static Status runReference(driver::Driver &driver, const CompileJob &job,
                           Device &device, const Binding &binding,
                           const std::array<int64_t, 3> &grid,
                           DiagnosticSink &sink, Reference &reference) {
  Result<driver::LoweredKernel> lowered =
      driver.lower(job, driver::Stage::Tile, sink);
  if (!lowered) {
    return lowered.takeStatus();
  }
  Result<driver::TargetDescription> about =
      driver::describeTarget(device.plugin(), device.target());
  if (!about) {
    return about.takeStatus();
  }
  const bool isFine =
      reference.run(*lowered, binding, grid,
                    {.tracksErrors = true,
                     .defaultIsTf32 = optimizer::defaultIsTf32(about->facts),
                     .showsPrints = false});
  return isFine ? Status()
                : Status(TZ_E_FAULT, "--check: the interpreter found mistakes "
                                     "in the kernel, see above");
}

Status checkAgainstReference(driver::Driver &driver, const CompileJob &job,
                             const Binding &binding,
                             const std::array<int64_t, 3> &grid,
                             LoadedKernel &kernel, Stream &stream,
                             std::span<const ArgValue> values,
                             std::span<const tz_dptr> memory,
                             DiagnosticSink &sink) {
  Reference reference;
  Status s = runReference(driver, job, stream.device(), binding, grid, sink,
                          reference);
  s = s.ok() ? kernel.launch(stream, grid, values) : std::move(s);
  s = s.ok() ? stream.synchronize() : std::move(s);
  std::string wrong;
  for (size_t i = 0; s.ok() && i < binding.buffers.size(); ++i) {
    const BoundBuffer &buffer = binding.buffers[i];
    if (!buffer.addressesOf.empty()) { // other addresses are right, too
      continue;
    }
    std::vector<uint8_t> result(buffer.content.size());
    s = stream.copy(reinterpret_cast<uintptr_t>(result.data()), memory[i],
                    result.size(), TZ_COPY_DEVICE_TO_HOST);
    s = s.ok() ? stream.synchronize() : std::move(s);
    interpreter::Tolerance tolerance;
    const interpreter::Comparison verdict =
        reference.judge(buffer, i, result.data(), tolerance);
    if (s.ok() && !verdict.matches()) {
      wrong +=
          (wrong.empty() ? "" : "; ") + buffer.name + " (" + buffer.typeText() +
          ") is not what the interpreter gives: " + verdict.summary(tolerance);
    }
  }
  return s.ok() && !wrong.empty()
             ? Status(TZ_E_FAULT, job.target + ", --check: " + wrong)
             : std::move(s);
}

} // namespace tz::tool
