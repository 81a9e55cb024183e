//===- InterpreterDevice.cpp - the device half of target interp -----------===//
//
// What   Host memory; a launch runs the kernel in the checked interpreter, one
//        program after the other, and the next synchronisation tells what was
//        wrong.
// Why    See InterpreterTarget.h.
//
// Accesses are checked if the launch's memory is known: each array begins in
// memory that was allocated here or that the launch names ("tz.memory/0").
//===----------------------------------------------------------------------===//
#include "core/interpreter/Interpreter.h"
#include "core/interpreter/Observer.h"
#include "core/interpreter/target/InterpreterTarget.h"
#include "runtime/loader/Host.h"

#include "terrazzo/plugin/HostMemory.h"
#include "terrazzo/plugin/KernelInfo.h"
#include "terrazzo/wire/Wire.h"

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>

using namespace tz::plugin;

namespace tz::interp {

namespace {

using interpreter::Finding;
using interpreter::FindingKind;

struct InterpreterModule {
  explicit InterpreterModule(llvm::StringRef bytes)
      : context(dialects(), mlir::MLIRContext::Threading::DISABLED) {
    llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>> read =
        wire::read(bytes, context);
    if (!read) {
      throw Failure(TZ_E_INVALID_ARGUMENT, llvm::toString(read.takeError()));
    }
    module = std::move(*read);
    kernel = *module->getOps<tile::KernelOp>().begin();
    appendArguments(layout, kernel);
    kernel.walk([&](mlir::Operation *op) {
      if (isLogPoint(op)) {
        sites[op] = static_cast<uint32_t>(sites.size());
      }
    });
    logOffset = (layout.argBytes + 7) / 8 * 8;
  }

  InterpreterModule *find(std::string_view name) {
    return kernel.getSymName() == llvm::StringRef(name.data(), name.size())
               ? this
               : nullptr;
  }

  static mlir::DialectRegistry dialects() {
    mlir::DialectRegistry registry;
    tile::registerTileDialects(registry);
    return registry;
  }

  std::mutex lock; // the context's: one run at a time
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  tile::KernelOp kernel;
  KernelDescription layout; // of the packed arguments
  llvm::DenseMap<mlir::Operation *, uint32_t> sites;
  uint32_t logOffset = 0;
};

/// Ends a run that the host wants to end.
class Watch : public interpreter::Observer {
public:
  explicit Watch(const tz_host *host)
      : host(TZ_HAS_FN(host, tz_host, interrupted) ? host : nullptr) {}

  bool beforeOp(mlir::Operation &, Lookup) override {
    constexpr std::chrono::milliseconds interval{40};
    if (auto now = Clock::now(); host && now - last >= interval) {
      last = now;
      code = host->interrupted(host->ctx);
    }
    return code == TZ_E_OK;
  }
  /// TZ_E_OK: the run was not ended.
  int32_t interruption() const { return code; }

private:
  using Clock = std::chrono::steady_clock;
  const tz_host *host;
  Clock::time_point last = Clock::now();
  int32_t code = TZ_E_OK;
};

/// Writes what a kernel prints, that it asserts, and when its parts began and
/// ended, into the launch's ring.
class LogWriter final : public Watch {
public:
  LogWriter(const tz_host *host, const InterpreterModule &code, tz_dptr ring)
      : Watch(host), code(code),
        header(static_cast<tz_log_header *>(address(ring))) {}

  bool startProgram(const std::array<uint32_t, 3> &id) override {
    program = id;
    steps = 0;
    events.clear();
    return true;
  }

  bool leaveBlock(mlir::Block &block, Lookup) override {
    if (!events.empty() && block.getParentOp() == code.kernel) {
      appendEvents();
    }
    return true;
  }

  bool beforeOp(mlir::Operation &op, Lookup values) override {
    if (!Watch::beforeOp(op, values)) {
      return false;
    }
    if (llvm::isa<tile::RecordOp>(op)) {
      const uint64_t site = code.sites.lookup(&op);
      events.push_back(site << 48 | (steps & ((uint64_t(1) << 48) - 1)));
      return true; // noting takes no time
    }
    ++steps;
    auto print = llvm::dyn_cast<tile::PrintOp>(op);
    if (!print) {
      return true;
    }
    const uint32_t site = code.sites.lookup(&op);
    if (print.getArgs().empty()) {
      append(site, 0, nullptr);
    }
    for (auto [i, arg] : llvm::enumerate(print.getArgs())) {
      append(site, static_cast<uint32_t>(i), values(arg));
    }
    return true;
  }

  void failed(mlir::Operation &op, llvm::StringRef) override {
    if (!llvm::isa<tile::AssertOp>(op)) {
      return;
    }
    asserted = true;
    std::atomic_ref<uint32_t> first(header->failed);
    uint32_t none = 0;
    if (first.compare_exchange_strong(none, 1 + code.sites.lookup(&op))) {
      std::copy(program.begin(), program.end(), header->failed_program);
    }
  }

  bool asserted = false;

private:
  void append(uint32_t site, uint32_t index,
              const interpreter::TileValue *value) {
    tz_log_record record{};
    record.site = site;
    record.value = index;
    record.count = value ? static_cast<uint32_t>(value->count()) : 0;
    append(record, value ? value->bytes() : nullptr,
           value ? value->count() * value->elementBytes() : 0);
  }

  /// The newest: what is told at once must fit into the ring.
  void appendEvents() {
    constexpr size_t most = 16384;
    const size_t count = std::min(most, events.size());
    tz_log_events head{};
    head.clock = TZ_CLOCK_STEPS;
    head.ended = steps;
    std::vector<char> payload(sizeof(head) + count * sizeof(uint64_t));
    std::memcpy(payload.data(), &head, sizeof(head));
    std::memcpy(payload.data() + sizeof(head), &*(events.end() - count),
                count * sizeof(uint64_t));
    tz_log_record record{};
    record.site = static_cast<uint32_t>(events.back() >> 48);
    record.first = static_cast<uint32_t>(events.size() - count);
    record.count = static_cast<uint32_t>(count);
    append(record, payload.data(), payload.size());
  }

  void append(tz_log_record record, const void *payload, size_t bytes) {
    record.size = static_cast<uint32_t>((sizeof(record) + bytes + 7) / 8 * 8);
    std::copy(program.begin(), program.end(), record.program);
    const uint64_t at =
        std::atomic_ref<uint64_t>(header->reserved).fetch_add(record.size);
    auto *to = reinterpret_cast<char *>(header + 1) + at;
    if (at + record.size <= header->capacity) {
      std::memcpy(to, &record, sizeof(record));
      if (bytes) {
        std::memcpy(to + sizeof(record), payload, bytes);
      }
      return;
    }
    std::atomic_ref<uint64_t>(header->dropped).fetch_add(1);
    if (at < header->capacity) {
      std::memset(to, 0, sizeof(uint32_t));
    }
  }

  const InterpreterModule &code;
  tz_log_header *header;
  std::array<uint32_t, 3> program{};
  uint64_t steps = 0;
  std::vector<uint64_t> events; ///< of this program, as tz_log_events has them
};

/// The device's own allocations, by address.
class Allocations {
public:
  void add(uint64_t base, uint64_t bytes) {
    std::lock_guard guard(lock);
    sizes[base] = bytes;
  }
  void remove(uint64_t base) {
    std::lock_guard guard(lock);
    sizes.erase(base);
  }
  /// All memory that the launch may touch, ordered and apart.
  interpreter::MemoryMap with(const tz_launch &launch) const {
    interpreter::MemoryMap known;
    for (const tz_ext *ext = launch.next; ext; ext = ext->next) {
      if (std::string_view(ext->id) == TZ_EXT_KNOWN_MEMORY) {
        auto *given = reinterpret_cast<const tz_known_memory *>(ext);
        for (size_t i = 0; i < given->num_ranges; ++i) {
          const tz_memory_range &range = given->ranges[i];
          known.push_back({range.address, range.bytes, range.name});
        }
      }
    }
    {
      std::lock_guard guard(lock);
      for (auto [base, bytes] : sizes) {
        known.push_back({base, bytes, "memory of the device"});
      }
    }
    llvm::sort(known,
               [](const auto &a, const auto &b) { return a.base < b.base; });
    interpreter::MemoryMap apart;
    for (interpreter::Allocation &one : known) {
      if (!apart.empty() && one.base < apart.back().base + apart.back().size) {
        interpreter::Allocation &last = apart.back();
        last.size = std::max(last.size, one.base + one.size - last.base);
        if (!llvm::StringRef(last.name).contains(one.name)) {
          last.name += ", " + one.name;
        }
        continue;
      }
      apart.push_back(std::move(one));
    }
    return apart;
  }

private:
  mutable std::mutex lock;
  std::map<uint64_t, uint64_t> sizes;
};

bool holds(const interpreter::MemoryMap &memory, uint64_t at) {
  return llvm::any_of(memory, [&](const interpreter::Allocation &one) {
    return at >= one.base && at <= one.base + one.size;
  });
}

std::string describe(const Finding &finding) {
  std::string text = finding.location + ": " +
                     interpreter::toString(finding.kind).str() + ": " +
                     finding.message + ", in program (" +
                     std::to_string(finding.program[0]) + ", " +
                     std::to_string(finding.program[1]) + ", " +
                     std::to_string(finding.program[2]) + ")";
  if (finding.count > 1) {
    text += ", " + std::to_string(finding.count) + " times in all";
  }
  if (finding.kind == FindingKind::AddressOverflow) {
    text += "; compute the offset in 64 bits, as pid.to(tl.int64) * BLOCK";
  }
  return text;
}

class InterpreterStream : public HostStream {
public:
  InterpreterStream(const tz_host *host, const Allocations &allocations)
      : host(host), allocations(allocations) {}

  void launch(InterpreterModule &code, const tz_launch &launch) {
    std::lock_guard guard(code.lock);
    interpreter::LaunchArgs args;
    interpreter::Options options;
    std::copy(launch.grid, launch.grid + 3, args.grid.begin());
    options.memory = allocations.with(launch);
    bool isKnown = true;
    auto *packed = static_cast<const char *>(launch.args);
    for (const Argument &slot : code.layout.arguments) {
      uint64_t bits = 0;
      std::memcpy(&bits, packed + slot.offset, slot.size);
      args.args.push_back({bits});
      isKnown &=
          slot.type != TZ_TYPE_PTR || bits == 0 || holds(options.memory, bits);
    }
    std::optional<std::string> wanted =
        runtime::environment("TERRAZZO_INTERPRET_CHECKS");
    options.checked = isKnown && !options.memory.empty() && wanted != "0";
    if (!options.checked) {
      options.memory.clear();
    }
    std::optional<LogWriter> log;
    Watch watch(host);
    options.observer = &watch;
    if (!code.sites.empty()) {
      tz_dptr ring = 0;
      std::memcpy(&ring, packed + code.logOffset, sizeof(ring));
      options.observer = &log.emplace(host, code, ring);
    }
    interpreter::Report report;
    llvm::Error failure = interpreter::run(code.kernel, args, options, report);
    std::string text = llvm::toString(std::move(failure));
    if (int32_t ended = (log ? *log : watch).interruption()) {
      throw Failure(ended, "kernel '" + code.kernel.getSymName().str() +
                               "' was ended before it was done; what it has "
                               "written stays");
    }
    if (log && log->asserted) {
      text.clear(); // the ring says it
    }
    judge(report, std::move(text));
  }

  void synchronize() {
    std::string mistake = std::exchange(pending, {});
    if (!mistake.empty()) {
      throw Failure(TZ_E_FAILED_PRECONDITION, mistake);
    }
  }

private:
  void say(uint32_t level, const std::string &text) {
    host->log(host->ctx, level, str("interp"), str(text));
  }

  /// The first mistake is the stream's error, the others are told beside it.
  void judge(const interpreter::Report &report, std::string failure) {
    for (const Finding &finding : report.findings) {
      if (finding.kind == FindingKind::DivisionByZero) {
        say(1, describe(finding));
      } else if (pending.empty()) {
        pending = describe(finding);
      } else {
        say(0, describe(finding));
      }
    }
    if (pending.empty()) {
      pending = std::move(failure);
    }
  }

  const tz_host *host;
  const Allocations &allocations;
  std::string pending;
};

struct InterpreterDevice : HostDevice {
  using Stream = InterpreterStream;
  using Module = InterpreterModule; // of one kernel
  using Kernel = InterpreterModule;

  explicit InterpreterDevice(const tz_host *host) : host(host) {}

  static std::vector<std::unique_ptr<InterpreterDevice>>
  enumerate(const tz_create_desc &desc) {
    std::vector<std::unique_ptr<InterpreterDevice>> devices;
    devices.push_back(std::make_unique<InterpreterDevice>(desc.host));
    return devices;
  }

  tz_device_info describe() {
    tz_device_info info{};
    info.name = str("reference interpreter");
    info.target = str("interp:reference");
    info.driver_version = str(TERRAZZO_VERSION);
    info.flags = TZ_DEVICE_HOST_MEMORY;
    info.dlpack_type = 1;
    info.compute_units = info.subgroup_size = info.max_threads_per_block = 1;
    return info;
  }
  tz_dptr allocate(const tz_memory_desc &desc) {
    const tz_dptr memory = HostDevice::allocate(desc);
    allocations.add(memory, desc.size);
    return memory;
  }
  void free(tz_dptr memory) {
    allocations.remove(memory);
    HostDevice::free(memory);
  }
  std::unique_ptr<Stream> createStream(const tz_stream_desc &) {
    return std::make_unique<InterpreterStream>(host, allocations);
  }
  std::unique_ptr<Module> load(const tz_module_desc &desc) {
    return std::make_unique<InterpreterModule>(mainBlob(desc));
  }
  void checkArtifact(std::string_view compat) {
    if (compat != "interp:reference") {
      throw Failure(TZ_E_FAILED_PRECONDITION,
                    "the artifact is not of the interpreter");
    }
  }
  void checkTarget(std::string_view target) {
    if (target != "interp:reference") {
      throw Failure(TZ_E_NOT_FOUND, "there is interp:reference alone");
    }
  }

  const tz_host *host;
  Allocations allocations;
};

} // namespace

const tz_device_api *deviceInterface() {
  return deviceTable<InterpreterDevice>();
}

} // namespace tz::interp
