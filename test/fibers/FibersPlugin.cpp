//===- FibersPlugin.cpp - the test target "fibers" ------------------------===//
//
// What   A plugin whose compiler half is the SIMT library with the hooks of
//        FibersCompiler.cpp, and whose device half runs blocks as fibers.
// Why    `tz conform --target fibers` holds the SIMT library to the language on
//        a machine without accelerator.
//===----------------------------------------------------------------------===//
#include "test/fibers/FibersCompiler.h"
#include "test/fibers/FibersFaults.h"

#include "terrazzo/optimizer/TilePipeline.h"
#include "terrazzo/plugin/HostMemory.h"
#include "terrazzo/plugin/KernelInput.h"
#include "terrazzo/plugin/OwnFile.h"
#include "terrazzo/simt/WarpSize.h"

namespace {

namespace plugin = tz::plugin;
using namespace tz;

const fibers::Machine &machineOf(std::string_view target) {
  if (const fibers::Machine *machine = fibers::findMachine(target)) {
    return *machine;
  }
  throw plugin::Failure(TZ_E_NOT_FOUND,
                        "unknown target '" + std::string(target) + "'");
}

class FiberCompiler final : public plugin::Compiler {
public:
  using Compiler::Compiler;

  std::vector<std::string> targets() override {
    std::vector<std::string> names;
    for (const fibers::Machine &machine : fibers::machines()) {
      names.push_back(machine.target);
    }
    return names;
  }
  tz_target_desc describe(std::string_view target) override {
    const fibers::Machine &machine = machineOf(target);
    // Of math only what has one meaning: the library makes the rest.
    static const char *const features[] = {"f64",
                                           "fp8",
                                           "dot.f32",
                                           "atomics.i64",
                                           "atomics.f16",
                                           "atomics.f32",
                                           "atomics.f64",
                                           "print",
                                           "assert",
                                           "math.div.f64",
                                           "math.sqrt.f32",
                                           "math.sqrt.f64",
                                           "math.sqrt_rn.f32",
                                           "math.sqrt_rn.f64",
                                           "math.div_rn.f32",
                                           "math.div_rn.f64",
                                           "masks.predicates",
                                           "views.bounds"};
    tz_target_desc d{};
    d.id = plugin::str(machine.target);
    d.family = plugin::str("fibers");
    d.subgroup_size = machine.lanes;
    d.max_threads_per_block = machine.mostThreads;
    d.compute_units = 1;
    d.ir = &plugin::TileRange;
    d.num_ir = 1;
    d.features = features;
    d.num_features = std::size(features);
    return d;
  }
  /// Sizes of warps, the default first.
  static std::vector<unsigned> sizesOf(const fibers::Machine &machine) {
    std::vector<unsigned> sizes = {machine.lanes};
    if (machine.otherLanes != 0) {
      sizes.push_back(machine.otherLanes);
    }
    return sizes;
  }
  std::vector<plugin::Option> options(std::string_view target) {
    return {simt::warpSizeOption(sizesOf(machineOf(target)))};
  }
  plugin::Artifact compile(const plugin::Request &request) override {
    const fibers::Machine &listed = machineOf(plugin::view(request.target));
    const fibers::Machine machine =
        fibers::withLanes(listed, simt::warpSize(request, sizesOf(listed)));
    plugin::KernelInput<simt::SimtDialect> input(request);
    fibers::Compiled compiled;
    try {
      compiled = fibers::compile(input.kernel, machine);
    } catch (const simt::Unsupported &problem) {
      plugin::refuse(request, TZ_E_UNSUPPORTED_OP, problem.what(),
                     problem.location);
    }
    plugin::Artifact artifact;
    artifact.compat = "fibers";
    artifact.blobs.push_back({"main", "bitcode", std::move(compiled.bitcode)});
    request.emitText(artifact, "llvm", std::move(compiled.text));
    request.emitText(artifact, "simt", std::move(compiled.layouts));
    for (const simt::Variant &variant : compiled.variants) {
      simt::appendVariant(artifact, variant, fibers::frameLimits(machine));
    }
    plugin::appendLogSites(artifact, compiled.variants.back().lowered.logPoints,
                           input.kernel.getSymName());
    return artifact;
  }
  std::string fingerprint(const plugin::Request &) override {
    return "fibers " + fibers::Faults::asked() + " " +
           plugin::ownFile(reinterpret_cast<const void *>(&fibers::compile));
  }
};

//===--- The device half --------------------------------------------------===//

struct FiberKernel {
  fibers::Entry entry = nullptr;
  unsigned lanes = 0, sharedAlignment = 0;
  bool isLinear = false, startsInOrder = true;
  const std::vector<std::string> *ops = nullptr;

  /// Of a view a fiber's bulk copy unit needs what it is made of.
  void encode(uint32_t, const tz_tensor_view &view, void *to, size_t bytes) {
    fibers::Frame frame;
    if (bytes < sizeof(frame) || view.rank > frame.shape.size()) {
      throw plugin::Failure(TZ_E_INVALID_ARGUMENT, "no slot of a descriptor");
    }
    frame.base = view.base;
    frame.rank = view.rank;
    frame.elementBytes = view.element_bits / 8;
    std::copy_n(view.shape, view.rank, frame.shape.begin());
    std::copy_n(view.strides, view.rank, frame.strides.begin());
    std::memcpy(to, &frame, sizeof(frame));
  }
  /// Two blocks of a kernel that loops over its programs share them.
  tz_occupancy occupancy(const tz_launch &) {
    tz_occupancy result{};
    result.blocks = 2;
    return result;
  }
};

class FiberModule {
public:
  explicit FiberModule(llvm::StringRef bitcode)
      : code(fibers::load(bitcode)), ops(code->ops()) {}
  FiberKernel *find(std::string_view kernel) {
    std::lock_guard guard(lock);
    std::string name(kernel);
    FiberKernel &found = known[name];
    found.entry = code->find(name);
    found.lanes = code->lanes();
    found.sharedAlignment = code->sharedAlignment();
    found.isLinear = code->isLinear();
    found.startsInOrder = code->startsInOrder();
    found.ops = &ops;
    return &found;
  }

private:
  std::mutex lock;
  std::unique_ptr<fibers::Code> code;
  std::vector<std::string> ops;
  std::map<std::string, FiberKernel> known;
};

template <typename Number>
Number fromEnvironment(const char *variable, Number otherwise, Number least) {
  const char *text = std::getenv(variable);
  Number number = otherwise;
  if (text &&
      (llvm::StringRef(text).getAsInteger(10, number) || number < least)) {
    throw plugin::Failure(TZ_E_INVALID_ARGUMENT,
                          std::string(variable) + " is '" + text +
                              "'; it must be a number from " +
                              std::to_string(least) + " on");
  }
  return number;
}

/// Of the order in which warps and blocks run; 0: one after the other.
uint64_t seed() {
  return fromEnvironment<uint64_t>("TERRAZZO_FIBERS_SEED", 0, 0);
}

struct FiberStream : plugin::HostStream {
  void launch(FiberKernel &kernel, const tz_launch &launch) {
    fibers::Launch run;
    run.entry = kernel.entry;
    run.lanes = kernel.lanes;
    if (kernel.sharedAlignment != 0) {
      run.sharedAlignment = kernel.sharedAlignment;
    }
    run.isLinear = kernel.isLinear;
    run.startsInOrder = kernel.startsInOrder;
    run.ops = kernel.ops;
    run.seed = seed();
    if (!run.startsInOrder && run.seed == 0) {
      run.seed = 1; // one after the other is an order
    }
    run.arguments = launch.args;
    run.grid = {launch.grid[0], launch.grid[1], launch.grid[2]};
    run.threads = launch.block[0];
    run.sharedBytes = launch.dyn_scratch;
    run.clusterBlocks = std::max(launch.cluster[0], 1u);
    if (std::string problem = fibers::run(run); !problem.empty()) {
      throw plugin::Failure(TZ_E_INTERNAL, problem);
    }
  }
};

struct FiberDevice : plugin::HostDevice {
  using Stream = FiberStream;
  using Module = FiberModule;
  using Kernel = FiberKernel;

  static std::vector<std::unique_ptr<FiberDevice>>
  enumerate(const tz_create_desc &) {
    std::vector<std::unique_ptr<FiberDevice>> devices;
    devices.push_back(std::make_unique<FiberDevice>());
    return devices;
  }
  tz_device_info describe() {
    tz_device_info info{};
    info.name = plugin::str("fibers of the CPU (for tests)");
    info.target = plugin::str("fibers:any");
    info.driver_version = plugin::str("1");
    info.flags = TZ_DEVICE_HOST_MEMORY;
    info.dlpack_type = 1;
    // What the device says; its blocks run as the seed tells.
    info.compute_units =
        fromEnvironment<uint32_t>("TERRAZZO_FIBERS_UNITS", 1, 1);
    info.subgroup_size = 32;
    info.max_threads_per_block = 1024;
    return info;
  }
  std::unique_ptr<FiberStream> createStream(const tz_stream_desc &) {
    return std::make_unique<FiberStream>();
  }
  std::unique_ptr<FiberModule> load(const tz_module_desc &desc) {
    return std::make_unique<FiberModule>(plugin::mainBlob(desc));
  }
  /// It runs the code of every machine.
  void checkTarget(std::string_view target) { (void)machineOf(target); }
};

const void *getInterface(const char *id) {
  if (std::string_view(id) == "tz.compiler/1") {
    return plugin::compilerTable<FiberCompiler>();
  }
  return std::string_view(id) == "tz.device/1"
             ? static_cast<const void *>(plugin::deviceTable<FiberDevice>())
             : nullptr;
}

} // namespace

extern "C" TZ_PLUGIN_EXPORT const tz_plugin *
tz_plugin_query_v0(const tz_query *query) {
  static constexpr tz_plugin self = tz::plugin::entry(
      "fibers", "Terrazzo", TZ_PLUGIN_VERSION, "fibers", getInterface);
  return tz::plugin::answer(query, self);
}
