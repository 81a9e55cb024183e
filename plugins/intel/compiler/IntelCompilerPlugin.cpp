//===- IntelCompilerPlugin.cpp - the exported entry of the compiler half --===//
//
// What   Targets and their description, and compile(): portable bytes in, an
//        artifact with one SPIR-V module and the launch plan out.
// Why    Everything that knows the C ABI is here.
//===----------------------------------------------------------------------===//
#include "plugins/intel/Notes.h"
#include "plugins/intel/compiler/IntelTarget.h"
#include "plugins/intel/compiler/SpirvCodeGen.h"
#include "plugins/intel/compiler/offline/Ocloc.h"
#include "plugins/intel/compiler/spirv/Spirv.h"

#include "terrazzo/plugin/KernelInput.h"
#include "terrazzo/plugin/OwnFile.h"
#include "terrazzo/simt/WarpSize.h"

#include "llvm/Config/llvm-config.h"

namespace tz::intel {

namespace {

class SpirvCompiler final : public plugin::Compiler {
public:
  using Compiler::Compiler;

  std::vector<std::string> targets() override {
    std::vector<std::string> ids;
    for (const Machine &machine : machines()) {
      ids.push_back(machine.target.str());
    }
    return ids;
  }
  tz_target_desc describe(std::string_view target) override;
  /// A list, also a short one, is what names of options are held against.
  std::vector<plugin::Option> options(std::string_view target) {
    const Machine &machine = require(target);
    const llvm::SmallVector<unsigned> sizes = machine.subgroupSizes();
    const int64_t least = *llvm::min_element(sizes);
    return {plugin::Option::integer(
                "num_warps", 1, MostThreads / least, 4,
                "sub-groups of a program: " + std::to_string(machine.lanes) +
                    " lanes each"),
            simt::warpSizeOption(sizes)};
  }
  plugin::Artifact compile(const plugin::Request &request) override;
  std::string fingerprint(const plugin::Request &) override {
    return "intel " TZ_PLUGIN_VERSION " llvm " LLVM_VERSION_STRING " " +
           plugin::ownFile(reinterpret_cast<const void *>(&findMachine));
  }

private:
  const Machine &require(std::string_view target) {
    if (const Machine *found = findMachine(target)) {
      return *found;
    }
    throw unknownTarget(target);
  }
};

tz_target_desc SpirvCompiler::describe(std::string_view target) {
  const Machine &machine = require(target);
  // What needs f64 stands at the end. Of mathematics only what has one meaning
  // on every driver; the library makes the rest.
  static const char *const features[] = {"fp8",
                                         "dot.f32",
                                         "atomics.i64",
                                         "atomics.f16",
                                         "atomics.f32",
                                         "print",
                                         "assert",
                                         "f64",
                                         "atomics.f64",
                                         "math.div.f64",
                                         "math.sqrt.f64",
                                         "math.sqrt_rn.f64",
                                         "math.div_rn.f64"};
  constexpr size_t ofDouble = 6;
  tz_target_desc d{};
  d.id = plugin::str(std::string_view(machine.target));
  d.family = plugin::str("intel");
  d.subgroup_size = machine.lanes;
  d.max_threads_per_block = MostThreads;
  d.max_regs_per_thread = machine.registers;
  d.scratch_bytes = machine.sharedBytes;
  d.scratch_optin_bytes = machine.sharedBytes;
  d.dlpack_device = 14; // kDLOneAPI
  d.ir = &plugin::TileRange;
  d.num_ir = 1;
  d.features = features;
  d.num_features = std::size(features) - (machine.hasDouble ? 0 : ofDouble);
  return d;
}

/// Compiles; where products by the matrix unit need more local memory than
/// there is, without it: first in the variants whose operands lie there, then
/// everywhere.
static Compiled compileFor(const plugin::Request &request,
                           const Machine &machine, tile::KernelOp kernel) {
  if (std::optional<unsigned> warps = warpsForSums(kernel, machine)) {
    plugin::reportAt(request, TZ_SEVERITY_REMARK,
                     "the block has " + std::to_string(*warps) +
                         " sub-groups: with the num_warps that were asked for, "
                         "a product's sums would not fit into registers",
                     kernel.getLoc());
    kernel->setAttr("tile.num_warps",
                    mlir::Builder(kernel).getI32IntegerAttr(int32_t(*warps)));
  }
  Machine without = machine;
  without.matrixColumns = 0;
  without.hasBlocks = false;
  std::vector<std::pair<const Machine *, const Machine *>> ways;
  if (machine.matrixColumns != 0) {
    ways.emplace_back(&machine, &machine);
    if (machine.hasBlocks) {
      ways.emplace_back(&machine, &without);
    }
  }
  mlir::Block *block = kernel->getBlock();
  for (auto [inBlocks, plain] : ways) {
    mlir::OwningOpRef<tile::KernelOp> spare(kernel.clone());
    try {
      return compileKernel(kernel, *inBlocks, *plain, request.debug_level);
    } catch (const simt::TooLarge &problem) {
      plugin::reportAt(
          request, TZ_SEVERITY_REMARK,
          std::string(plain->hasBlocks ? "products whose operands lie in local "
                                         "memory are"
                                       : "products are") +
              " done without the matrix unit: with it " + problem.what(),
          kernel.getLoc());
    }
    block->push_back(spare.release());
    kernel = cast<tile::KernelOp>(block->back());
  }
  return compileKernel(kernel, without, without, request.debug_level);
}

/// Tells of a kernel that needs more registers than it can have.
static void reportRegisters(const plugin::Request &request,
                            const Machine &machine, const Compiled &compiled,
                            mlir::Location place) {
  if (compiled.registers > machine.roomyRegisters && !compiled.hasLargeFile &&
      !machine.emulates) {
    plugin::reportAt(
        request, TZ_SEVERITY_REMARK,
        "the kernel needs more than the " + std::to_string(machine.registers) +
            " registers of a sub-group, and a block of more than " +
            std::to_string(MostRoomyThreads) +
            " threads cannot have twice as many; use a smaller "
            "num_warps",
        place);
  }
}

/// Machine code and its figures, by Intel's offline compiler.
static void addMachineCode(const plugin::Request &request,
                           const Machine &machine, const Compiled &compiled,
                           plugin::Artifact &artifact) {
  if (machine.device.empty()) {
    request.report(
        TZ_SEVERITY_REMARK,
        "no figures of machine code: " + machine.target.str() +
            " is no machine of its own; intel:pvc and intel:dg2 are");
    return;
  }
  std::vector<std::string> entries;
  for (const plugin::KernelDescription &kernel : artifact.kernels) {
    entries.push_back(kernel.name);
  }
  const OfflineModule made = compileOffline(
      artifact.blobs.front().bytes, machine.device,
      compiled.hasLargeFile ? LargeFileOption : std::string_view(), entries,
      request.debug_level > 0);
  if (!made.problem.empty()) {
    request.report(TZ_SEVERITY_WARNING,
                   "no figures of machine code: " + made.problem);
    return;
  }
  std::string text;
  for (auto [kernel, about] : llvm::zip(made.kernels, artifact.kernels)) {
    // A register has 4 bytes for each lane.
    about.regs = machine.registers * (compiled.hasLargeFile ? 2 : 1);
    about.spillBytes = kernel.spills * 4;
    if (kernel.text.empty()) {
      request.report(TZ_SEVERITY_REMARK,
                     "no figures of instructions: Intel's disassembler, "
                     "libiga64.so.1, is not installed (Debian: libigc1)");
      continue;
    }
    if (kernel.code.calls != 0) {
      request.report(TZ_SEVERITY_WARNING,
                     "the driver's compiler leaves " +
                         std::to_string(kernel.code.calls) + " calls in '" +
                         kernel.name + "': of functions that it does not know");
    }
    for (auto &[what, figure] : factsOf(kernel.code)) {
      artifact.metadata.emplace_back(kernel.name + "." + what,
                                     std::move(figure));
    }
    text += "// " + kernel.name + "\n" + kernel.text;
  }
  if (!text.empty()) {
    request.emitText(artifact, "machine", std::move(text));
  }
}

plugin::Artifact SpirvCompiler::compile(const plugin::Request &request) {
  const Machine &listed = require(plugin::view(request.target));
  const Machine machine =
      listed.withLanes(simt::warpSize(request, listed.subgroupSizes()));
  plugin::KernelInput<simt::SimtDialect> input(request);
  tile::KernelOp kernel = input.kernel;
  Compiled compiled;
  try {
    compiled = compileFor(request, machine, kernel);
  } catch (const simt::TooLarge &problem) {
    plugin::refuse(request, TZ_E_RESOURCE_LIMIT, problem.what(),
                   problem.location);
  } catch (const simt::Unsupported &problem) {
    plugin::refuse(request, TZ_E_UNSUPPORTED_OP, problem.what(),
                   problem.location);
  }
  plugin::Artifact artifact;
  artifact.compat = machine.target.str();
  // The first blob, which addMachineCode() takes.
  artifact.blobs.push_back({"main", "spirv", std::move(compiled.binary)});
  if (request.wants("asm")) {
    request.emitText(artifact, "asm",
                     disassemble(artifact.blobs.front().bytes));
  }
  request.emitText(artifact, "llvm", std::move(compiled.llvm));
  request.emitText(artifact, "simt", std::move(compiled.layouts));
  for (const simt::Variant &variant : compiled.variants) {
    simt::appendVariant(artifact, variant, frameLimits());
  }
  plugin::appendLogSites(artifact, compiled.variants.back().lowered.logPoints,
                         kernel.getSymName());
  artifact.metadata.emplace_back("target", machine.target.str());
  reportRegisters(request, machine, compiled, kernel.getLoc());
  if (machine.registers != 0) {
    artifact.metadata.emplace_back(
        "register_file",
        std::to_string(machine.registers * (compiled.hasLargeFile ? 2 : 1)) +
            " registers of a sub-group");
  }
  if (request.wants("machine")) {
    addMachineCode(request, machine, compiled, artifact);
  }
  return artifact;
}

const void *getInterface(const char *id) {
  return std::string_view(id) == "tz.compiler/1"
             ? plugin::compilerTable<SpirvCompiler>()
             : nullptr;
}

} // namespace

} // namespace tz::intel

extern "C" TZ_PLUGIN_EXPORT const tz_plugin *
tz_plugin_query_v0(const tz_query *query) {
  namespace plugin = tz::plugin;
  static constexpr tz_plugin self =
      plugin::entry("intel", "Terrazzo", TZ_PLUGIN_VERSION,
                    "intel-compiler " TZ_PLUGIN_VERSION " " LLVM_VERSION_STRING,
                    tz::intel::getInterface);
  return plugin::answer(query, self);
}
