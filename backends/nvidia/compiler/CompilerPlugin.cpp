//===- CompilerPlugin.cpp - the exported entry of the compiler half -------===//
//
// What   Targets and their description, and compile(): portable bytes in, an
//        artifact with PTX, machine code and the launch plan out.
// Why    Everything that knows the C ABI is here.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/TensorViews.h"
#include "backends/nvidia/compiler/CodeGen.h"
#include "backends/nvidia/compiler/WarpCount.h"
#include "backends/nvidia/compiler/assemble/Assembler.h"

#include "terrazzo/plugin/KernelInput.h"
#include "terrazzo/plugin/OwnFile.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Config/llvm-config.h"

#include <algorithm>
#include <array>

namespace tz::nvidia {

namespace {

/// What a thread can have; a request beyond is one for the nearest of these.
constexpr int64_t LeastRegisters = 24, MostRegisters = 255;
/// Blocks of a cluster that every device with clusters has room for.
constexpr int64_t DefaultSplit = 4, MostSplit = 8;

class PtxCompiler final : public plugin::Compiler {
public:
  using Compiler::Compiler;

  std::vector<std::string> targets() override {
    std::vector<std::string> ids;
    for (const ArchitectureFacts &one : architectures()) {
      ids.push_back(one.id.str());
    }
    return ids;
  }
  tz_target_desc describe(std::string_view target) override;
  plugin::Artifact compile(const plugin::Request &request) override;
  /// What the language has for every target, with the limits of these.
  std::vector<plugin::Option> options(std::string_view target) {
    require(target);
    return {plugin::Option::integer("num_warps", 1, 32, 4,
                                    "warps of a block: 32 threads each"),
            plugin::Option::integer(
                "exact_num_warps", 0, 1, 0,
                "1: the block has num_warps, also where others suit the "
                "kernel's tiles better"),
            plugin::Option::integer(
                "split_k", 1, MostSplit, DefaultSplit,
                "blocks that share a program's loop of products where programs "
                "are few and the loop is long, on sm_90a: 1, 2, 4 or 8"),
            plugin::Option::integer(
                "maxnreg", 1, 4095, MostRegisters,
                "registers that a thread may have, of the 24 to 255 that there "
                "are; more values than these are spilled")};
  }
  std::string fingerprint(const plugin::Request &) override {
    return "nvidia " TZ_PLUGIN_VERSION " llvm " LLVM_VERSION_STRING " " +
           plugin::ownFile(reinterpret_cast<const void *>(&findPtxas)) + " " +
           assemblerIdentity();
  }

private:
  const ArchitectureFacts &require(std::string_view target) {
    if (const ArchitectureFacts *found = findArchitecture(target)) {
      return *found;
    }
    throw unknownTarget(target);
  }
};

tz_target_desc PtxCompiler::describe(std::string_view target) {
  const ArchitectureFacts &architecture = require(target);
  // Math within the tolerances by one instruction; the library makes the rest.
  static const char *const features[] = {
      "f64",
      "fp8",
      "dot.tf32",
      "atomics.i64",
      "atomics.f16",
      "atomics.f32",
      "atomics.f64",
      "print",
      "assert",
      "math.exp2.f32",
      "math.sqrt.f32",
      "math.sqrt.f64",
      "math.sqrt_rn.f32",
      "math.sqrt_rn.f64",
      "math.div.f64",
      "math.div_rn.f32",
      "math.div_rn.f64",
      "masks.predicates",
      "views.bounds"}; // by the TMA unit, the last one
  tz_target_desc d{};
  d.id = {architecture.id.data(), architecture.id.size()};
  d.family = plugin::str("nvidia");
  d.subgroup_size = 32;
  d.max_threads_per_block = 1024;
  d.max_regs_per_thread = 255;
  d.scratch_bytes = 48 * 1024;
  d.scratch_optin_bytes = architecture.sharedBytes;
  d.dlpack_device = 2;
  d.ir = &plugin::TileRange;
  d.num_ir = 1;
  d.features = features;
  d.num_features = std::size(features) - (architecture.number < 90 ? 1 : 0);
  return d;
}

/// What the device half makes of a descriptor's slot.
static TensorView viewOf(simt::DescriptorOp op, const std::string &kernel,
                         uint32_t slot) {
  simt::DescriptorType type = simt::DescriptorOp(op).getType();
  mlir::Type element = type.getElementType();
  const int64_t bits = tile::storageBytes(element) * 8;
  TensorView view;
  view.kernel = kernel;
  view.slot = slot;
  view.element = element.isF16()    ? "f16"
                 : element.isBF16() ? "bf16"
                 : element.isF32()  ? "f32"
                 : element.isF64()  ? "f64"
                                    : "u" + std::to_string(bits);
  view.box.assign(type.getBox().begin(), type.getBox().end());
  view.swizzle = type.getSwizzle() == 0 ? 0 : 16u << type.getSwizzle();
  view.l2 = 128;
  return view;
}

/// What ptxas says of the variants: losses are warnings, figures are remarks.
static void reportAssembled(const plugin::Request &request,
                            llvm::ArrayRef<CompiledVariant> variants,
                            mlir::Location loc) {
  auto report = [&](uint32_t severity, const std::string &text) {
    plugin::reportAt(request, severity, text, loc);
  };
  llvm::StringSet<> said;
  for (const CompiledVariant &one : variants) {
    if (!one.assembled) {
      continue;
    }
    for (const std::string &line : one.assembled->warnings) {
      if (said.insert(line).second) {
        report(TZ_SEVERITY_WARNING, "ptxas: " + line);
      }
    }
    for (const std::string &refusal : one.assembled->refusals) {
      report(TZ_SEVERITY_REMARK, "more threads at once were tried: " + refusal);
    }
    std::string figures = "ptxas: " + std::to_string(one.assembled->registers) +
                          " registers a thread";
    if (variants.size() > 1) {
      figures += " in " + tile::KernelOp(one.variant.kernel).getSymName().str();
    }
    if (one.assembled->spillBytes) {
      figures += ", " + std::to_string(one.assembled->spillBytes) +
                 " bytes of them spilled to memory; smaller tiles or more "
                 "warps need fewer";
    }
    report(TZ_SEVERITY_REMARK, figures);
  }
}

static void reportWarps(const plugin::Request &request, unsigned warps,
                        llvm::StringRef why, mlir::Location loc) {
  plugin::reportAt(request, TZ_SEVERITY_REMARK,
                   "the block has " + std::to_string(warps) +
                       (warps == 1 ? " warp: " : " warps: ") + why.str(),
                   loc);
}

static void setWarps(tile::KernelOp kernel, unsigned warps) {
  kernel->setAttr("tile.num_warps",
                  mlir::Builder(kernel).getI32IntegerAttr(int32_t(warps)));
}

static unsigned mostSpilled(llvm::ArrayRef<CompiledVariant> variants) {
  unsigned most = 0;
  for (const CompiledVariant &one : variants) {
    most = std::max(most, one.assembled ? one.assembled->spillBytes : 0u);
  }
  return most;
}

namespace {

/// The kernel as it was before it was compiled, for a block with more warps.
class WiderKernel {
public:
  WiderKernel(tile::KernelOp kernel, bool isWanted) {
    if (isWanted && takesMoreWarps(kernel)) {
      module = kernel->getParentOfType<mlir::ModuleOp>().clone();
      this->kernel = *module->getOps<tile::KernelOp>().begin();
    }
  }

  /// In the place of `compiled`, if its threads spill much, and these less.
  void compile(std::vector<CompiledVariant> &compiled,
               const ArchitectureFacts &architecture,
               const CodeGenOptions &options, const plugin::Request &request) {
    const unsigned spilled = mostSpilled(compiled);
    std::optional<unsigned> more;
    if (!module || !(more = warpsForSpills(kernel, spilled))) {
      return;
    }
    const unsigned warps = warpsAsked(kernel);
    setWarps(kernel, *more);
    std::vector<CompiledVariant> other;
    try {
      other = compileKernel(kernel, architecture, options);
    } catch (const simt::TooLarge &) { // of shared memory
      return;
    } catch (const AssemblerError &) {
      return;
    }
    if (uint64_t(mostSpilled(other)) * *more < uint64_t(spilled) * warps) {
      compiled = std::move(other);
      reportWarps(request, *more,
                  "with the num_warps that were asked for, its tiles would not "
                  "fit into registers",
                  kernel.getLoc());
    }
  }

private:
  mlir::OwningOpRef<mlir::ModuleOp> module; ///< null: it has what it has
  tile::KernelOp kernel;
};

} // namespace

plugin::Artifact PtxCompiler::compile(const plugin::Request &request) {
  const ArchitectureFacts &architecture = require(plugin::view(request.target));
  plugin::KernelInput<simt::SimtDialect> input(request);
  tile::KernelOp kernel = input.kernel;
  CodeGenOptions options;
  options.keepsLLVM = request.wants("llvm");
  options.debugLevel = request.debug_level;
  if (request.option("maxnreg")) {
    options.mostRegisters =
        unsigned(std::clamp(request.integer("maxnreg", MostRegisters),
                            LeastRegisters, MostRegisters));
  }
  // Who limits registers has counted them.
  const bool choosesWarps =
      options.mostRegisters == 0 && !request.integer("exact_num_warps", 0);
  if (std::optional<WarpChoice> choice = warpsForTiles(kernel);
      choice && choosesWarps) {
    reportWarps(request, choice->warps, choice->why, kernel.getLoc());
    setWarps(kernel, choice->warps);
  }
  const int64_t split = request.integer("split_k", DefaultSplit);
  if (split < 1 || split > MostSplit || !llvm::isPowerOf2_64(uint64_t(split))) {
    throw plugin::Failure(TZ_E_INVALID_ARGUMENT,
                          "split_k=" + std::to_string(split) +
                              " is none of 1, 2, 4 and 8");
  }
  // Programs that all run at once have a block each.
  options.persists = request.integer("launch_cooperative_grid", 0) == 0;
  options.splitBlocks = options.persists ? unsigned(split) : 1;
  options.leavesRare = request.integer("ahead_of_time", 0) == 0;
  options.host = host;
  options.request = request.request_id;
  options.isCancelled = [&] { return isCancelled(request); };
  WiderKernel wider(kernel, choosesWarps);
  std::vector<CompiledVariant> compiled;
  try {
    compiled = compileKernel(kernel, architecture, options);
    wider.compile(compiled, architecture, options, request);
  } catch (const simt::TooLarge &problem) {
    plugin::refuse(request, TZ_E_RESOURCE_LIMIT, problem.what(),
                   problem.location);
  } catch (const simt::Unsupported &problem) {
    plugin::refuse(request, TZ_E_UNSUPPORTED_OP, problem.what(),
                   problem.location);
  } catch (const AssemblerError &problem) {
    plugin::refuse(request, problem.code, problem.what(), kernel.getLoc());
  } catch (const Cancelled &) {
    throw plugin::Failure(TZ_E_CANCELLED, "the compilation was cancelled");
  }
  plugin::Artifact artifact;
  artifact.compat = architecture.cpu.str();
  // Users see the one without a guard as "main", and the texts of all.
  std::string simt, llvm, text;
  for (CompiledVariant &one : compiled) {
    const bool isLast = &one == &compiled.back();
    const std::string name =
        isLast ? "main" : tile::KernelOp(one.variant.kernel).getSymName().str();
    if (request.wants("simt")) {
      simt += simt::textOf(one.variant.kernel, request.debug_level);
    }
    llvm += one.llvm;
    text += one.ptx;
    if (one.assembled) {
      artifact.blobs.push_back({name, "cubin", one.assembled->cubin});
    } else {
      artifact.blobs.push_back({name, "ptx", one.ptx});
    }
  }
  request.emitText(artifact, "simt", std::move(simt));
  request.emitText(artifact, "llvm", std::move(llvm));
  request.emitText(artifact, "asm", std::move(text));
  reportAssembled(request, compiled, kernel.getLoc());
  std::vector<TensorView> views;
  for (const CompiledVariant &one : compiled) {
    const simt::Variant &variant = one.variant;
    plugin::KernelDescription &info =
        simt::appendVariant(artifact, variant, simt::FrameLimits());
    // Their slots are behind the kernel's own arguments.
    auto slot =
        uint32_t(tile::KernelOp(variant.kernel).getArgumentTypes().size());
    for (simt::DescriptorOp descriptor : variant.lowered.descriptors) {
      views.push_back(viewOf(descriptor, info.name, slot++));
    }
    if (one.assembled) {
      info.regs = one.assembled->registers;
      info.spillBytes = one.assembled->spillBytes;
    }
  }
  if (!views.empty()) {
    artifact.blobs.push_back(
        {TensorViewsBlob, TensorViewsFormat, printTensorViews(views)});
  }
  // Both variants number their prints in the same order.
  plugin::appendLogSites(artifact, compiled.back().variant.lowered.logPoints,
                         kernel.getSymName());
  artifact.metadata.emplace_back("target", architecture.id.str());
  return artifact;
}

const void *getInterface(const char *id) {
  return std::string_view(id) == "tz.compiler/1"
             ? plugin::compilerTable<PtxCompiler>()
             : nullptr;
}

} // namespace

} // namespace tz::nvidia

extern "C" TZ_PLUGIN_EXPORT const tz_plugin *
tz_plugin_query_v0(const tz_query *query) {
  namespace plugin = tz::plugin;
  static constexpr tz_plugin self = plugin::entry(
      "nvidia", "Terrazzo", TZ_PLUGIN_VERSION,
      "nvidia-compiler " TZ_PLUGIN_VERSION " " LLVM_VERSION_STRING,
      tz::nvidia::getInterface);
  return plugin::answer(query, self);
}
