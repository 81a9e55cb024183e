//===- Plugin.cpp - the exported entry of the compiler half ---------------===//
//
// What   Targets and their description, and compile(): portable bytes in, an
//        artifact with PTX, machine code and the launch plan out.
// Why    Everything that knows the C ABI is here.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/TensorViews.h"
#include "backends/nvidia/compiler/Assembler.h"
#include "backends/nvidia/compiler/CodeGen.h"

#include "terrazzo/plugin/Compiler.h"
#include "terrazzo/plugin/KernelInfo.h"
#include "terrazzo/plugin/LLVMError.h"
#include "terrazzo/plugin/OwnFile.h"
#include "terrazzo/simt/LaunchPlan.h"
#include "terrazzo/wire/Wire.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Config/llvm-config.h"

#include <array>

namespace tz::nvidia {

namespace {

namespace plugin = terrazzo::plugin;

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
            plugin::Option::integer("maxnreg", 24, 255, 255,
                                    "registers that a thread may have; more "
                                    "values than these are spilled")};
  }
  std::string fingerprint(const plugin::Request &) override {
    return "nvidia " TZ_PLUGIN_VERSION " llvm " LLVM_VERSION_STRING " " +
           plugin::ownFile(reinterpret_cast<const void *>(&findPtxas)) + " " +
           assemblerIdentity();
  }

private:
  static const ArchitectureFacts &require(std::string_view target) {
    const ArchitectureFacts *found = findArchitecture(target);
    if (!found) {
      std::string known;
      for (const ArchitectureFacts &one : architectures()) {
        known += (known.empty() ? "" : ", ") + one.id.str();
      }
      throw plugin::Failure(TZ_E_NOT_FOUND, "unknown target '" +
                                                std::string(target) +
                                                "'; there are " + known);
    }
    return *found;
  }
};

tz_target_desc PtxCompiler::describe(std::string_view target) {
  const ArchitectureFacts &architecture = require(target);
  static const tz_ir_range ir[] = {{plugin::str("tile"), tile::kIrMajor,
                                    tile::kIrMinor, tile::kIrMajor,
                                    tile::kIrMinor}};
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
      "views.bounds"}; // by the copy engine, the last one
  tz_target_desc d{};
  d.id = {architecture.id.data(), architecture.id.size()};
  d.family = plugin::str("nvidia");
  d.subgroup_size = 32;
  d.max_threads_per_block = 1024;
  d.max_regs_per_thread = 255;
  d.scratch_bytes = 48 * 1024;
  d.scratch_optin_bytes = architecture.sharedBytes;
  d.dlpack_device = 2;
  d.ir = ir;
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
  plugin::SourcePlace place = plugin::placeOf(loc);
  auto report = [&](uint32_t severity, const std::string &text) {
    request.report(severity, text, place.file, place.line, place.column);
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

plugin::Artifact PtxCompiler::compile(const plugin::Request &request) {
  const ArchitectureFacts &architecture = require(plugin::view(request.target));
  if (plugin::view(request.ir_format) != "tile" || request.stage.size != 0) {
    throw plugin::Failure(
        TZ_E_UNIMPLEMENTED,
        "nvidia: compiles format 'tile', whole lowering only");
  }
  mlir::DialectRegistry registry;
  tile::registerTileDialects(registry);
  registry.insert<simt::SimtDialect>();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  auto module = plugin::check(
      wire::read({static_cast<const char *>(request.ir.data), request.ir.size},
                 context),
      TZ_E_INVALID_ARGUMENT);
  auto kernels = module->getOps<tile::KernelOp>();
  if (kernels.empty()) {
    throw plugin::Failure(TZ_E_INVALID_ARGUMENT, "nvidia: there is no kernel");
  }
  tile::KernelOp kernel = *kernels.begin();
  CodeGenOptions options;
  options.keepsLLVM = request.wants("llvm");
  if (request.option("maxnreg")) {
    options.mostRegisters = unsigned(request.integer("maxnreg", 255));
  }
  // Programs that all run at once have a block each.
  options.persists = request.integer("launch_cooperative_grid", 0) == 0;
  options.host = host;
  options.request = request.request_id;
  options.isCancelled = [&] {
    return host && TZ_HAS_FN(host, tz_host, is_cancelled) &&
           host->is_cancelled(host->ctx, request.request_id) != 0;
  };
  std::vector<CompiledVariant> compiled;
  try {
    compiled = compileKernel(kernel, architecture, options);
  } catch (const simt::Unsupported &problem) {
    plugin::SourcePlace place = plugin::placeOf(problem.location);
    request.report(TZ_SEVERITY_ERROR, problem.what(), place.file, place.line,
                   place.column);
    throw plugin::Failure(TZ_E_UNSUPPORTED_OP, problem.what());
  } catch (const AssemblerError &problem) {
    plugin::SourcePlace place = plugin::placeOf(kernel.getLoc());
    request.report(TZ_SEVERITY_ERROR, problem.what(), place.file, place.line,
                   place.column);
    throw plugin::Failure(TZ_E_INTERNAL, problem.what());
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
      llvm::raw_string_ostream(simt) << *one.variant.kernel << "\n";
    }
    llvm += one.llvm;
    text += one.ptx;
    if (one.assembled) {
      artifact.blobs.push_back({name, "cubin", one.assembled->cubin});
    } else {
      artifact.blobs.push_back({name, "ptx", one.ptx});
    }
  }
  if (request.wants("simt")) {
    artifact.blobs.push_back({"simt", "text", std::move(simt)});
  }
  if (request.wants("llvm")) {
    artifact.blobs.push_back({"llvm", "text", std::move(llvm)});
  }
  if (request.wants("asm")) {
    artifact.blobs.push_back({"asm", "text", std::move(text)});
  }
  reportAssembled(request, compiled, kernel.getLoc());
  std::vector<TensorView> views;
  for (const CompiledVariant &one : compiled) {
    const simt::Variant &variant = one.variant;
    plugin::Kernel &info = artifact.kernels.emplace_back();
    info.name = tile::KernelOp(variant.kernel).getSymName().str();
    info.guard = variant.guard;
    plugin::appendArguments(info, variant.kernel);
    const auto firstDescriptor = uint32_t(info.arguments.size());
    simt::appendDescriptors(info, variant.lowered.descriptors,
                            simt::FrameLimits());
    for (auto [i, descriptor] : llvm::enumerate(variant.lowered.descriptors)) {
      views.push_back(
          viewOf(descriptor, info.name, firstDescriptor + uint32_t(i)));
    }
    simt::appendGrid(info, variant.lowered.gridAxes, simt::FrameLimits());
    simt::appendTogether(info, variant.lowered.together, simt::FrameLimits());
    if (variant.lowered.usesLog) {
      info.append("log", TZ_ARG_LOG, 0, TZ_TYPE_PTR, 8);
    }
    info.dynScratch = variant.lowered.sharedBytes;
    info.block[0] = variant.lowered.threads;
    if (one.assembled) {
      info.regs = one.assembled->registers;
      info.spillBytes = one.assembled->spillBytes;
    }
    if (kernel->hasAttr("tile.waits")) {
      info.flags |= TZ_KERNEL_ORDERED;
    }
  }
  if (!views.empty()) {
    artifact.blobs.push_back(
        {TensorViewsBlob, TensorViewsFormat, printTensorViews(views)});
  }
  // Both variants number their prints in the same order.
  for (mlir::Operation *op : compiled.back().variant.lowered.logPoints) {
    artifact.logSites.push_back(plugin::logSiteOf(op, kernel.getSymName()));
  }
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
  namespace plugin = terrazzo::plugin;
  static const tz_plugin self = {
      sizeof(tz_plugin),
      TZ_PLUGIN_MAGIC,
      TZ_ABI_MAJOR,
      TZ_ABI_MINOR,
      TZ_ABI_MINOR,
      plugin::str("nvidia"),
      plugin::str("Terrazzo"),
      plugin::str(TZ_PLUGIN_VERSION),
      plugin::str("nvidia-compiler " TZ_PLUGIN_VERSION " " LLVM_VERSION_STRING),
      TZ_SANITIZER_TAG,
      0,
      tz::nvidia::getInterface,
      nullptr};
  return query->abi_major == TZ_ABI_MAJOR ? &self : nullptr;
}
