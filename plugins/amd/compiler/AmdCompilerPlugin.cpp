//===- AmdCompilerPlugin.cpp - the exported entry of the compiler half ----===//
//
// What   Targets and their description, and compile(): portable bytes in, an
//        artifact with one code object and the launch plan out.
// Why    Everything that knows the C ABI is here.
//===----------------------------------------------------------------------===//
#include "plugins/amd/compiler/AmdTarget.h"
#include "plugins/amd/compiler/AmdgcnCodeGen.h"

#include "terrazzo/plugin/KernelInput.h"
#include "terrazzo/plugin/OwnFile.h"

#include "llvm/Config/llvm-config.h"

namespace tz::amd {

namespace {

constexpr const char *CodeObjectOption = "code_object_version";
constexpr const char *WavesOption = "waves_per_eu";
constexpr const char *SideOption = "matrix_instr_nonkdim";

class AmdgcnCompiler final : public plugin::Compiler {
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
  plugin::Artifact compile(const plugin::Request &request) override;
  std::vector<plugin::Option> options(std::string_view target) {
    const Machine &machine = require(target);
    return {plugin::Option::integer(
                "num_warps", 1, 1024 / machine.lanes, 4,
                "waves of a workgroup: " + std::to_string(machine.lanes) +
                    " lanes each"),
            plugin::Option::integer(WavesOption, 0, machine.mostWaves, 0,
                                    "waves that shall fit into a SIMD, which "
                                    "limits registers; 0: LLVM's choice"),
            plugin::Option::oneOf(
                SideOption, machine.isGfx9 ? "0,16,32" : "0,16", 0,
                "rows and columns of matrix instructions; 0: by the product"),
            plugin::Option::oneOf(CodeObjectOption, "5,6", 5,
                                  "version of the code object: 5 is loaded by "
                                  "ROCm 5.3 and later, 6 by 6.2 and later")};
  }
  std::string fingerprint(const plugin::Request &) override {
    return "amd " TZ_PLUGIN_VERSION " llvm " LLVM_VERSION_STRING " " +
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

tz_target_desc AmdgcnCompiler::describe(std::string_view target) {
  const Machine &machine = require(target);
  // Math within the tolerances by LLVM's own expansion or one instruction; the
  // library makes the rest.
  static const char *const features[] = {"f64",
                                         "fp8",
                                         "dot.f32",
                                         "atomics.i64",
                                         "atomics.f16",
                                         "atomics.f32",
                                         "atomics.f64",
                                         "print",
                                         "assert",
                                         "math.exp2.f32",
                                         "math.sqrt.f32",
                                         "math.sqrt_rn.f32",
                                         "math.sqrt.f64",
                                         "math.sqrt_rn.f64",
                                         "math.div.f64",
                                         "math.div_rn.f32",
                                         "math.div_rn.f64"};
  tz_target_desc d{};
  d.id = plugin::str(std::string_view(machine.target));
  d.family = plugin::str("amd");
  d.subgroup_size = machine.lanes;
  d.max_threads_per_block = 1024;
  d.max_regs_per_thread = machine.registers;
  d.scratch_bytes = machine.sharedBytes;
  d.scratch_optin_bytes = machine.sharedBytes;
  d.dlpack_device = 10; // kDLROCM
  d.ir = &plugin::TileRange;
  d.num_ir = 1;
  d.features = features;
  d.num_features = std::size(features);
  return d;
}

/// "16 bytes a lane", "2 to 16 bytes a lane"
std::string widthsOf(const LoopFigures &loop) {
  return (loop.narrowest == loop.widest
              ? ""
              : std::to_string(loop.narrowest) + " to ") +
         std::to_string(loop.widest) + " bytes a lane";
}

std::string textOf(const LoopFigures &loop) {
  if (!loop.instructions) {
    return loop.widest ? "; accesses of memory move " + widthsOf(loop) : "";
  }
  return "; of the " + std::to_string(loop.instructions) +
         " instructions of its busiest loop " + std::to_string(loop.matrix) +
         " are products (" +
         std::to_string(100 * loop.matrix / loop.instructions) + " %), " +
         std::to_string(loop.waits) + " waits, " +
         std::to_string(loop.barriers) + " barriers, " +
         std::to_string(loop.shared) + " accesses of LDS and " +
         std::to_string(loop.memory) + " of memory" +
         (loop.widest ? ", by " + widthsOf(loop) : "");
}

/// How many waves a SIMD has at once, and what ends their number.
std::string occupancyOf(const Machine &machine, const KernelFigures &figures,
                        unsigned threads) {
  // Registers are given out by so many.
  const unsigned granule = machine.allRegisters / 64;
  const unsigned needed =
      (std::max(figures.vgprs, 1u) + granule - 1) / granule * granule;
  const unsigned byRegisters =
      std::min(machine.mostWaves, machine.allRegisters / needed);
  const uint64_t wavesOfGroup =
      std::max(1u, (threads + machine.lanes - 1) / machine.lanes);
  const uint64_t groupsByRegisters = std::max<uint64_t>(
      1, uint64_t{byRegisters} * machine.simds / wavesOfGroup);
  const uint64_t groupsByShared =
      figures.sharedBytes ? machine.sharedBytes / figures.sharedBytes
                          : groupsByRegisters;
  const uint64_t waves =
      std::min(groupsByRegisters, groupsByShared) * wavesOfGroup;
  std::string text =
      ", " + std::to_string((waves + machine.simds - 1) / machine.simds) +
      " of " + std::to_string(machine.mostWaves) + " waves a SIMD";
  if (groupsByShared < groupsByRegisters) {
    return text + ", as LDS allows";
  }
  return byRegisters < machine.mostWaves ? text + ", as VGPRs allow" : text;
}

/// What the machine code shows of a variant, in one line.
void reportFigures(const plugin::Request &request, const Machine &machine,
                   const simt::Variant &variant, const KernelFigures &figures,
                   const LoopFigures &loop, bool isOnlyOne) {
  std::string text = std::to_string(figures.vgprs) + " VGPRs";
  if (figures.agprs) {
    text += " (" + std::to_string(figures.agprs) + " of them AGPRs)";
  }
  text += ", " + std::to_string(figures.sgprs) + " SGPRs, " +
          std::to_string(figures.sharedBytes) + " bytes of LDS" +
          occupancyOf(machine, figures, variant.lowered.threads);
  if (!isOnlyOne) {
    text += " in " + tile::KernelOp(variant.kernel).getSymName().str();
  }
  if (figures.vgprSpills) {
    text += "; " + std::to_string(figures.vgprSpills) +
            " VGPRs are spilled to memory; smaller tiles or more warps need "
            "fewer";
  }
  if (figures.sgprSpills) {
    text += "; " + std::to_string(figures.sgprSpills) +
            " SGPRs are kept in lanes of VGPRs";
  }
  text += textOf(loop);
  plugin::reportAt(request, TZ_SEVERITY_REMARK, text,
                   tile::KernelOp(variant.kernel).getLoc());
}

void reportBranches(const plugin::Request &request, const Compiled &compiled) {
  if (compiled.branches) {
    plugin::reportAt(
        request, TZ_SEVERITY_REMARK,
        std::to_string(compiled.branches) +
            " accesses under a mask are branches, this is the first: that they "
            "lie within 1 GiB of a place that all threads share is not known, "
            "as it is where rows and columns are added to an argument",
        mlir::Location(compiled.firstBranch));
  }
}

/// Compiles, with more waves where a product needs them; where products by the
/// matrix unit need more LDS than there is, without it.
Compiled compileFor(const plugin::Request &request, const Machine &machine,
                    const CodeGenOptions &options, tile::KernelOp kernel) {
  if (std::optional<unsigned> waves = wavesForProducts(kernel, machine)) {
    plugin::reportAt(request, TZ_SEVERITY_REMARK,
                     "the block has " + std::to_string(*waves) +
                         " waves: with the num_warps that were asked for, a "
                         "product's sums, or they and its operands, would not "
                         "fit into registers",
                     kernel.getLoc());
    kernel->setAttr("tile.num_warps",
                    mlir::Builder(kernel).getI32IntegerAttr(int32_t(*waves)));
  }
  mlir::OwningOpRef<tile::KernelOp> spare(kernel.clone());
  try {
    return compileKernel(kernel, machine, options);
  } catch (const simt::TooLarge &problem) {
    plugin::reportAt(request, TZ_SEVERITY_REMARK,
                     std::string("products are tried without the matrix unit: "
                                 "with it ") +
                         problem.what(),
                     kernel.getLoc());
  }
  Machine without = machine;
  without.usesMatrix = false;
  mlir::Block *block = kernel->getBlock();
  block->push_back(spare.release());
  return compileKernel(cast<tile::KernelOp>(block->back()), without, options);
}

plugin::Artifact AmdgcnCompiler::compile(const plugin::Request &request) {
  Machine machine = require(plugin::view(request.target));
  machine.matrixSide = unsigned(request.integer(SideOption, 0));
  plugin::KernelInput<simt::SimtDialect> input(request);
  tile::KernelOp kernel = input.kernel;
  CodeGenOptions options;
  options.codeObjectVersion = unsigned(request.integer(CodeObjectOption, 5));
  options.wavesPerSimd = unsigned(request.integer(WavesOption, 0));
  options.debugLevel = std::min<unsigned>(request.debug_level, 1);
  options.keepsText = request.wants("asm");
  Compiled compiled;
  try {
    compiled = compileFor(request, machine, options, kernel);
  } catch (const simt::TooLarge &problem) {
    plugin::refuse(request, TZ_E_RESOURCE_LIMIT, problem.what(),
                   problem.location);
  } catch (const simt::Unsupported &problem) {
    plugin::refuse(request, TZ_E_UNSUPPORTED_OP, problem.what(),
                   problem.location);
  }
  plugin::Artifact artifact;
  artifact.compat = machine.cpu.str();
  artifact.blobs.push_back({"main", "hsaco", std::move(compiled.codeObject)});
  request.emitText(artifact, "asm", std::move(compiled.text));
  request.emitText(artifact, "llvm", std::move(compiled.llvm));
  request.emitText(artifact, "simt", std::move(compiled.layouts));
  for (const simt::Variant &variant : compiled.variants) {
    plugin::KernelDescription &info =
        simt::appendVariant(artifact, variant, simt::FrameLimits());
    const KernelFigures &figures = compiled.figures[info.name];
    constexpr unsigned wordBytes = 4;
    info.regs = figures.vgprs;
    info.spillBytes = figures.vgprSpills * wordBytes;
    info.staticScratch = figures.sharedBytes;
    reportFigures(request, machine, variant, figures, compiled.loops[info.name],
                  compiled.variants.size() == 1);
  }
  reportBranches(request, compiled);
  plugin::appendLogSites(artifact, compiled.variants.back().lowered.logPoints,
                         kernel.getSymName());
  artifact.metadata.emplace_back("target", machine.target.str());
  return artifact;
}

const void *getInterface(const char *id) {
  return std::string_view(id) == "tz.compiler/1"
             ? plugin::compilerTable<AmdgcnCompiler>()
             : nullptr;
}

} // namespace

} // namespace tz::amd

extern "C" TZ_PLUGIN_EXPORT const tz_plugin *
tz_plugin_query_v0(const tz_query *query) {
  namespace plugin = tz::plugin;
  static constexpr tz_plugin self =
      plugin::entry("amd", "Terrazzo", TZ_PLUGIN_VERSION,
                    "amd-compiler " TZ_PLUGIN_VERSION " " LLVM_VERSION_STRING,
                    tz::amd::getInterface);
  return plugin::answer(query, self);
}
