//===- LoadedKernel.cpp - an artifact on a device, ready to launch --------===//
//
// What   The launch: grid and argument checks, first variant whose guard holds,
//        the packed buffer, the vendor's launch().
// Why    The one path of all vendors; a plugin never sees the user's list.
//===----------------------------------------------------------------------===//
#include "runtime/launch/LoadedKernel.h"

#include "runtime/launch/VariantSymbols.h"
#include "runtime/loader/Crash.h"

namespace tz::runtime {

namespace {

/// What a device says while it loads a kernel's code.
struct BuildLog {
  const LoadSink &sink;
  std::string subject; ///< "kernel 'k' on x:0"
  std::string text;

  void add(const tz_diagnostic &d);
  static void report(void *log, const tz_diagnostic *d) {
    // Code of the plugin: nothing may leave through it.
    try {
      if (TZ_HAS(d, tz_diagnostic, message)) {
        static_cast<BuildLog *>(log)->add(*d);
      }
    } catch (...) {
    }
  }
};

void BuildLog::add(const tz_diagnostic &d) {
  static const char *const names[] = {"error", "warning", "remark", "note"};
  const uint32_t severity = std::min<uint32_t>(d.severity, TZ_SEVERITY_NOTE);
  std::string line = subject + ": ";
  if (TZ_HAS(&d, tz_diagnostic, line) && d.file.size) {
    line += std::string(view(d.file)) + ":" + std::to_string(d.line) + ": ";
  }
  line += std::string(names[severity]) + ": ";
  line += view(d.message);
  text += line + "\n";
  if (sink) {
    sink(severity, line);
  } else {
    logMessage(severity, "", line);
  }
}

} // namespace

Status LoadedKernel::loadModule(const LoadSink &sink) {
  std::vector<tz_blob> blobs;
  for (const Blob &blob : code->blobs) {
    blobs.push_back({str(blob.name), str(blob.format),
                     tz_bytes{blob.bytes.data(), blob.bytes.size()}});
  }
  BuildLog log{
      sink, "kernel '" + code->function + "' on " + device->label(), {}};
  tz_module_desc desc{};
  desc.struct_size = sizeof(desc);
  desc.blobs = blobs.data();
  desc.num_blobs = blobs.size();
  desc.diag_ctx = &log;
  desc.on_diagnostic = BuildLog::report;
  Status s = device->check(
      device->api().module_load(device->handle(), &desc, &module));
  if (!s.ok() && !log.text.empty()) {
    s.with("build_log", log.text);
  }
  return s;
}

Result<std::unique_ptr<LoadedKernel>>
LoadedKernel::load(std::shared_ptr<Device> device,
                   std::shared_ptr<const Artifact> artifact,
                   const LoadSink &sink) {
  const DeviceFunctions &api = device->api();
  if (artifact->plugin != device->plugin().name()) {
    return Status(TZ_E_FAILED_PRECONDITION,
                  "kernel '" + artifact->function + "' was compiled for '" +
                      artifact->target + "' and cannot run on '" +
                      device->plugin().name() + "'");
  }
  if (api.check_artifact) {
    if (Status s = device->check(
            api.check_artifact(device->handle(), str(artifact->compat)));
        !s.ok()) {
      return s;
    }
  }
  std::unique_ptr<LoadedKernel> kernel(
      new LoadedKernel(device, std::move(artifact)));
  const Plugin &plugin = device->plugin();
  PluginCall call(plugin.name(), plugin.description().path,
                  "loaded kernel '" + kernel->code->function + "'");
  if (Status s = kernel->loadModule(sink); !s.ok()) {
    return s;
  }
  const std::vector<Variant> &variants = kernel->code->variants;
  kernel->entries = std::vector<Entry>(variants.size());
  for (size_t i = 0; i < variants.size(); ++i) {
    Entry &entry = kernel->entries[i];
    entry.asksOccupancy = asksOccupancy(variants[i]);
    prepare(entry, variants[i], kernel->code->userTypes);
    noteSymbol(variants[i].name, kernel->code->function);
    for (const ArgInfo &arg : variants[i].args) {
      if (arg.kind == TZ_ARG_TENSOR_VIEW && !api.arg_encode) {
        return Status(TZ_E_UNIMPLEMENTED,
                      device->name() + ": the device half does not encode "
                                       "tensor views (arg_encode)");
      }
    }
  }
  kernel->findArrayFacts();
  if (Result<Entry *> first = kernel->entryOf(0); !first) {
    return first.takeStatus();
  }
  if (device->isHostMemory()) {
    kernel->hostName = keepKernelName(kernel->code->function);
  }
  return kernel;
}

Result<LoadedKernel::Entry *> LoadedKernel::entryOf(size_t variant) {
  Entry &entry = entries[variant];
  if (!entry.kernel.load(std::memory_order_acquire)) [[unlikely]] {
    tz_kernel *found = nullptr;
    if (Status s = device->check(device->api().kernel_get(
            module, str(code->variants[variant].name), &found));
        !s.ok()) {
      return s;
    }
    entry.kernel.store(found, std::memory_order_release);
  }
  return &entry;
}

Result<std::pair<tz_dptr, uint64_t>>
LoadedKernel::global(std::string_view name) const {
  const DeviceFunctions &api = device->api();
  if (!api.module_global) {
    return Status(
        TZ_E_UNIMPLEMENTED,
        device->label() +
            ": this device does not tell where variables of code are");
  }
  std::pair<tz_dptr, uint64_t> found{0, 0};
  Status s = device->check(
      api.module_global(module, str(name), &found.first, &found.second));
  return s.ok() ? Result<std::pair<tz_dptr, uint64_t>>(found) : s;
}

Status LoadedKernel::withPlace(Status fault) const {
  const std::string *knownFile = fault.fact("file"),
                    *knownLine = fault.fact("line"),
                    *offset = fault.fact("pc_offset");
  if (knownFile && knownLine) {
    const std::string where = *knownFile + ":" + *knownLine;
    return std::move(fault).in(where);
  }
  const DeviceFunctions &api = device->api();
  tz_kernel *kernel = entries.front().kernel.load(std::memory_order_acquire);
  tz_source_place place{};
  place.struct_size = sizeof(place);
  if (!offset || !kernel || !api.source_place ||
      !device
           ->check(api.source_place(
               kernel, std::strtoll(offset->c_str(), nullptr, 10), &place))
           .ok()) {
    return fault;
  }
  const std::string file(view(place.file)), line = std::to_string(place.line);
  Status placed = std::move(fault).in(file + ":" + line);
  placed.with("file", file).with("line", line);
  return placed;
}

LoadedKernel::~LoadedKernel() {
  if (module) {
    device->api().module_unload(module);
  }
}

/// Bytes of the small buffer that launches pack their arguments into.
static constexpr size_t SmallBytes = 1024;

void LoadedKernel::prepare(Entry &entry, const Variant &v,
                           const std::vector<uint32_t> &types) {
  tz_launch &request = entry.request;
  request.struct_size = sizeof(request);
  for (int i = 0; i < 3; ++i) {
    request.block[i] = std::max(v.block[i], 1u);
    request.cluster[i] = std::max(v.cluster[i], 1u);
  }
  request.flags =
      ((v.flags & TZ_KERNEL_ORDERED) ? uint32_t(TZ_LAUNCH_ORDERED) : 0u) |
      ((v.flags & TZ_KERNEL_COOPERATIVE) ? uint32_t(TZ_LAUNCH_COOPERATIVE)
                                         : 0u);
  request.dyn_scratch = v.dynScratch;
  request.args_size = v.argBytes;
  entry.direct = v.grid[0].empty() && v.grid[1].empty() && v.grid[2].empty();
  uint32_t end = 0, written = 0;
  for (const ArgInfo &arg : v.args) {
    const uint32_t type = arg.index < types.size() ? types[arg.index] : 0;
    if (arg.kind != TZ_ARG_USER || !type || arg.size != typeSize(type) ||
        arg.offset < end || arg.offset > written) {
      entry.direct = false;
      return;
    }
    end = arg.offset + arg.size;
    written = arg.offset + 8;
    entry.copies.push_back(
        {arg.index, arg.offset,
         type == TZ_TYPE_I1 ? 1 : ~uint64_t{0} >> (64 - 8 * arg.size)});
  }
  entry.direct &= written <= SmallBytes && v.argBytes <= written;
}

Status checkGrid(const std::array<int64_t, 3> &grid, std::string_view what) {
  if (isGrid(grid)) [[likely]] {
    return Status();
  }
  for (int i = 0; i < 3; ++i) {
    if (grid[i] >= 1 && grid[i] <= INT32_MAX) {
      continue;
    }
    std::string axis = std::string(what) + " axis " + "xyz"[i] + " is " +
                       std::to_string(grid[i]) + "; ";
    return grid[i] < 1
               ? Status(TZ_E_INVALID_ARGUMENT,
                        axis + "every axis must be at least 1")
               : Status(TZ_E_OUT_OF_RANGE,
                        axis + "an axis can have 2147483647 programs at most");
  }
  return Status();
}

Status LoadedKernel::checkArgs(std::span<const ArgValue> args) const {
  const std::vector<uint32_t> &types = code->userTypes;
  if (args.size() != types.size()) {
    return Status(TZ_E_INVALID_ARGUMENT, "kernel '" + code->function +
                                             "' takes " +
                                             std::to_string(types.size()) +
                                             " run-time arguments, not " +
                                             std::to_string(args.size()));
  }
  for (size_t i = 0; i < args.size(); ++i) {
    // Signedness is the source's business; width and class are the code's.
    bool pointer = types[i] == TZ_TYPE_PTR;
    if (typeSize(args[i].type) != typeSize(types[i]) ||
        pointer != (args[i].type == TZ_TYPE_PTR)) {
      const std::vector<std::string> names = code->leafNames();
      uint32_t leaf = code->userLeaves[i];
      std::string name =
          leaf < names.size() ? "'" + names[leaf] + "'" : std::to_string(i);
      return Status(TZ_E_INVALID_ARGUMENT,
                    "argument " + name + " of kernel '" + code->function +
                        "' is " + typeName(args[i].type) +
                        ", the compiled code takes " + typeName(types[i]));
    }
  }
  return Status();
}

void LoadedKernel::findOccupancy(size_t variant, PlanInputs &inputs) {
  Entry &entry = entries[variant];
  inputs.occupancy = -1;
  if (!entry.asksOccupancy || !device->api().kernel_occupancy) {
    return;
  }
  int64_t known = entry.occupancy.load(std::memory_order_relaxed);
  if (known < 0) {
    if (!entryOf(variant)) {
      return;
    }
    tz_launch launch = entry.request;
    launch.grid[0] = launch.grid[1] = launch.grid[2] = 1;
    launch.flags = 0;
    launch.args_size = 0;
    tz_occupancy result{};
    result.struct_size = sizeof(result);
    Status s = device->check(
        device->api().kernel_occupancy(entry.kernel, &launch, &result));
    if (!s.ok()) {
      return;
    }
    known = result.blocks;
    entry.occupancy.store(known, std::memory_order_relaxed);
  }
  inputs.occupancy = known;
}

static Status planFailure(const Variant &v, const char *what,
                          const Expr &expr) {
  return Status(TZ_E_OUT_OF_RANGE, "kernel '" + v.name + "': its " + what +
                                       " " + printExpr(expr) +
                                       " cannot be computed for these "
                                       "arguments (overflow or bad divisor)");
}

Status LoadedKernel::packView(size_t variant, uint32_t index,
                              const PlanInputs &inputs, uint8_t *slot) {
  const Variant &v = code->variants[variant];
  const ArgInfo &arg = v.args[index];
  const ViewInfo &info = arg.view;
  if (info.baseArg >= inputs.args.size() ||
      inputs.args[info.baseArg].type != TZ_TYPE_PTR) {
    return Status(TZ_E_INTERNAL, "kernel '" + v.name + "': the base of view '" +
                                     arg.name + "' is no pointer argument");
  }
  std::array<int64_t, TZ_VIEW_MAX_RANK> shape{}, strides{};
  for (size_t i = 0; i < info.dims.size(); ++i) {
    std::optional<int64_t> dim = evaluate(info.dims[i], inputs);
    std::optional<int64_t> stride = evaluate(info.strides[i], inputs);
    if (!dim || !stride) {
      return planFailure(v, "view", !dim ? info.dims[i] : info.strides[i]);
    }
    shape[i] = *dim;
    strides[i] = *stride;
  }
  int64_t offset = 0;
  if (!info.byteOffset.empty()) {
    std::optional<int64_t> value = evaluate(info.byteOffset, inputs);
    if (!value) {
      return planFailure(v, "view offset", info.byteOffset);
    }
    offset = *value;
  }
  tz_tensor_view encoded{};
  encoded.struct_size = sizeof(encoded);
  encoded.base = inputs.args[info.baseArg].bits + uint64_t(offset);
  encoded.element_bits = info.elementBits;
  encoded.rank = uint32_t(info.dims.size());
  encoded.shape = shape.data();
  encoded.strides = strides.data();
  return device->check(device->api().arg_encode(entries[variant].kernel, index,
                                                &encoded, slot, arg.size));
}

Status LoadedKernel::pack(size_t variant, Stream &stream,
                          const PlanInputs &inputs, uint8_t *buffer) {
  const Variant &v = code->variants[variant];
  for (uint32_t i = 0; i < v.args.size(); ++i) {
    const ArgInfo &arg = v.args[i];
    uint8_t *slot = buffer + arg.offset;
    auto store = [&](Result<tz_dptr> address) {
      if (!address) {
        return address.takeStatus();
      }
      std::memcpy(slot, &*address, 8);
      return Status();
    };
    Status status;
    switch (arg.kind) {
    case TZ_ARG_USER:
      if (arg.index >= inputs.args.size()) {
        return Status(TZ_E_INTERNAL, "kernel '" + v.name +
                                         "' reads user argument " +
                                         std::to_string(arg.index));
      }
      // Little-endian: the low bytes are the value at its own width.
      std::memcpy(slot, &inputs.args[arg.index].bits, arg.size);
      continue;
    case TZ_ARG_LOGICAL_GRID:
      std::memcpy(slot, &inputs.grid[arg.index], arg.size);
      continue;
    case TZ_ARG_LOG:
      status = store(stream.logRing(code));
      break;
    case TZ_ARG_TICKET:
      status = store(stream.ticket());
      break;
    case TZ_ARG_WORKSPACE: {
      int64_t bytes = 0;
      if (!v.workspaceBytes.empty()) {
        std::optional<int64_t> value = evaluate(v.workspaceBytes, inputs);
        if (!value || *value < 0) {
          return planFailure(v, "workspace size", v.workspaceBytes);
        }
        bytes = *value;
      }
      if (bytes > 0) {
        status = store(stream.workspace(&entries[variant], uint64_t(bytes),
                                        v.workspaceAlign, v.workspaceZero));
      }
      break;
    }
    case TZ_ARG_TENSOR_VIEW:
      status = packView(variant, i, inputs, slot);
      break;
    }
    if (!status.ok()) {
      return status;
    }
  }
  return Status();
}

Status LoadedKernel::checkDevice(const Stream &stream) const {
  if (stream.device().handle() == device->handle()) [[likely]] {
    return Status();
  }
  return Status(TZ_E_INVALID_ARGUMENT,
                "the stream belongs to device '" + stream.device().name() +
                    "', the kernel to '" + device->name() + "'");
}

Status LoadedKernel::start(Entry &entry, Stream &stream,
                           const std::array<int64_t, 3> &grid,
                           const uint8_t *args, uint64_t correlation) {
  tz_launch launch = entry.request;
  for (int i = 0; i < 3; ++i) {
    launch.grid[i] = uint32_t(grid[i]);
  }
  launch.next = stream.extensions();
  launch.args = args;
  launch.correlation = correlation;
  if (hostName) {
    lastHostKernel.store(hostName, std::memory_order_relaxed);
  }
  auto begin = [&] {
    return device->check(
        device->api().launch(stream.handle(), entry.kernel, &launch));
  };
  if (stream.timeout()) [[unlikely]] {
    TimeLimit limit(stream.timeout());
    return begin();
  }
  return begin();
}

/// `bitsOf(i)`: of user argument i.
template <typename BitsOf>
Status LoadedKernel::startDirect(Entry &entry, Stream &stream,
                                 const std::array<int64_t, 3> &grid,
                                 uint64_t correlation, BitsOf bitsOf) {
  // Little-endian: the low bytes are the value at its own width.
  alignas(128) uint8_t buffer[SmallBytes];
  for (const Copy &copy : entry.copies) {
    uint64_t bits = bitsOf(copy.arg) & copy.mask;
    std::memcpy(buffer + copy.offset, &bits, 8);
  }
  return start(entry, stream, grid, buffer, correlation);
}

Status LoadedKernel::launchDirect(Stream &stream,
                                  const std::array<int64_t, 3> &grid,
                                  const tz_arg *slots, const uint32_t *slotOf,
                                  uint64_t correlation) {
  if (Status s = checkGrid(grid, "grid"); !s.ok()) {
    return s;
  }
  if (Status s = checkDevice(stream); !s.ok()) {
    return s;
  }
  if (device->written().isUsed()) [[unlikely]] {
    for (size_t i = 0; i < code->userTypes.size(); ++i) {
      const ArgValue arg{code->userTypes[i], slots[slotOf[i]].bits};
      if (Status s = countAsWritten(stream, arg); !s.ok()) {
        return s;
      }
    }
  }
  return startDirect(entries[0], stream, grid, correlation,
                     [&](uint32_t arg) { return slots[slotOf[arg]].bits; });
}

Status LoadedKernel::launch(Stream &stream, const std::array<int64_t, 3> &grid,
                            std::span<const ArgValue> args,
                            uint64_t correlation) {
  if (Status s = checkGrid(grid, "grid"); !s.ok()) {
    return s;
  }
  if (Status s = checkArgs(args); !s.ok()) {
    return s;
  }
  if (Status s = checkDevice(stream); !s.ok()) {
    return s;
  }
  if (device->written().isUsed() && !notesWrites) [[unlikely]] {
    for (const ArgValue &arg : args) {
      if (Status s = countAsWritten(stream, arg); !s.ok()) {
        return s;
      }
    }
  }
  std::vector<ArgValue> longer;
  if (!arrayFacts.empty()) [[unlikely]] {
    Result<std::vector<ArgValue>> all = withArrayFacts(stream, grid, args);
    if (!all) {
      return all.takeStatus();
    }
    longer = std::move(*all);
    args = longer;
  }
  PlanInputs inputs;
  inputs.args = args;
  inputs.grid = grid;
  inputs.device = device->planProperties();
  size_t chosen = 0;
  for (;; ++chosen) {
    findOccupancy(chosen, inputs);
    if (chosen + 1 == entries.size() ||
        guardHolds(code->variants[chosen], inputs)) {
      break;
    }
  }
  Result<Entry *> ready = entryOf(chosen);
  if (!ready) {
    return ready.takeStatus();
  }
  Entry &entry = **ready;
  if (entry.direct) {
    return startDirect(entry, stream, grid, correlation,
                       [&](uint32_t arg) { return args[arg].bits; });
  }
  const Variant &v = code->variants[chosen];
  std::array<int64_t, 3> physical = grid;
  for (int i = 0; i < 3; ++i) {
    if (!v.grid[i].empty()) {
      std::optional<int64_t> value = evaluate(v.grid[i], inputs);
      if (!value) {
        return planFailure(v, "grid", v.grid[i]);
      }
      physical[i] = *value;
    }
  }
  if (Status s = checkGrid(physical, "physical grid"); !s.ok()) {
    return s;
  }
  // Most kernels have a few dozen bytes; only the exceptions go to the heap.
  alignas(128) uint8_t small[SmallBytes];
  std::unique_ptr<uint8_t, void (*)(void *)> large(nullptr, std::free);
  uint8_t *buffer = small;
  if (v.argBytes > sizeof(small)) {
    large.reset(static_cast<uint8_t *>(
        std::aligned_alloc(128, (size_t(v.argBytes) + 127) & ~size_t(127))));
    if (!large) {
      return Status(TZ_E_OUT_OF_MEMORY, "no memory for the launch arguments");
    }
    buffer = large.get();
  }
  std::memset(buffer, 0, v.argBytes);
  if (Status s = pack(chosen, stream, inputs, buffer); !s.ok()) {
    return s;
  }
  return start(entry, stream, physical, buffer, correlation);
}

} // namespace tz::runtime
