//===- InterpreterCompiler.cpp - the compiler half of target interp -------===//
//
// What   An artifact whose code is the kernel's portable bytes; arguments and
//        places that print or assert as for any target.
// Why    See InterpreterTarget.h. The passes are left out (the property
//        "ir.stage"): what is judged is what was written.
//===----------------------------------------------------------------------===//
#include "core/interpreter/target/InterpreterTarget.h"
#include "runtime/loader/Registry.h"

#include "terrazzo/optimizer/Features.h"
#include "terrazzo/plugin/Compiler.h"
#include "terrazzo/plugin/KernelInfo.h"
#include "terrazzo/plugin/LLVMError.h"
#include "terrazzo/wire/Wire.h"

using namespace tz::plugin;

namespace tz::interp {

namespace {

constexpr std::string_view Target = "interp:reference";

class InterpreterCompiler final : public Compiler {
public:
  using Compiler::Compiler;

  std::vector<std::string> targets() override { return {std::string(Target)}; }

  tz_target_desc describe(std::string_view target) override {
    requireTarget(target);
    static const tz_ir_range ir[] = {{str("tile"), tile::IrMajor, tile::IrMinor,
                                      tile::IrMajor, tile::IrMinor}};
    static const tz_kv props[] = {
        {str("ir.stage"), TZ_KV_STR, 0, 0, 0, str("tile")}};
    // All that kernels can ask for; a dot of f32 keeps its bits.
    static const char *const features[] = {
        "f64",         "fp8",         "fp4",         "dot.f32", "atomics.i64",
        "atomics.f16", "atomics.f32", "atomics.f64", "print",   "assert"};
    tz_target_desc d{};
    d.id = str(Target);
    d.family = str("interp");
    d.subgroup_size = d.max_threads_per_block = d.compute_units = 1;
    d.props = props;
    d.num_props = std::size(props);
    d.ir = ir;
    d.num_ir = std::size(ir);
    d.features = features;
    d.num_features = std::size(features);
    return d;
  }

  std::vector<Option> options(std::string_view target) {
    requireTarget(target);
    return {};
  }

  Artifact compile(const Request &request) override {
    requireTarget(view(request.target));
    llvm::StringRef bytes(static_cast<const char *>(request.ir.data),
                          request.ir.size);
    mlir::DialectRegistry dialects;
    tile::registerTileDialects(dialects);
    mlir::MLIRContext context(dialects, mlir::MLIRContext::Threading::DISABLED);
    llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>> module =
        wire::read(bytes, context);
    if (!module) {
      throw Failure(TZ_E_INVALID_ARGUMENT, llvm::toString(module.takeError()));
    }
    auto kernel = *(*module)->getOps<tile::KernelOp>().begin();
    Artifact artifact;
    artifact.compat = Target;
    artifact.blobs.push_back({"main", "tile", bytes.str()});
    KernelDescription &info = artifact.kernels.emplace_back();
    info.name = kernel.getSymName().str();
    appendArguments(info, kernel);
    kernel.walk([&](mlir::Operation *op) {
      if (isLogPoint(op)) {
        artifact.logSites.push_back(logSiteOf(op, kernel.getSymName()));
      }
    });
    if (!artifact.logSites.empty()) {
      info.append("log", TZ_ARG_LOG, 0, TZ_TYPE_PTR, 8);
    }
    return artifact;
  }

private:
  void requireTarget(std::string_view target) {
    if (target != Target) {
      throw unknownTarget(target);
    }
  }
};

const void *getInterface(const char *id) {
  const std::string_view name(id);
  return name == "tz.compiler/1"
             ? static_cast<const void *>(compilerTable<InterpreterCompiler>())
         : name == "tz.device/1" ? static_cast<const void *>(deviceInterface())
                                 : nullptr;
}

const tz_plugin *TZ_CALL query(const tz_query *asked) {
  static constexpr tz_plugin self =
      entry("interp", "Terrazzo", TERRAZZO_VERSION, "interp " TERRAZZO_VERSION,
            getInterface);
  return answer(asked, self);
}

} // namespace

void registerPlugin() {
  runtime::registerBuiltin({"interp", query, query, /*priority=*/-1});
}

} // namespace tz::interp
