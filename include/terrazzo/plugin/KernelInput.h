//===- terrazzo/plugin/KernelInput.h - a request of tile IR ---------------===//
//
// What   The kernel of a request, read and verified; what its author is told,
//        at a place in it; the version of tile IR that this reads.
// Why    Every compiler half that reads tile IR with the C++ SDK begins so.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGIN_KERNELINPUT_H
#define TERRAZZO_PLUGIN_KERNELINPUT_H

#include "terrazzo/wire/Wire.h"
#include <terrazzo/plugin/Compiler.h>
#include <terrazzo/plugin/KernelInfo.h>
#include <terrazzo/plugin/LLVMError.h>

namespace tz::plugin {

/// For tz_target_desc::ir.
inline constexpr tz_ir_range TileRange = {str("tile"), tz::tile::IrMajor,
                                          tz::tile::IrMinor, tz::tile::IrMajor,
                                          tz::tile::IrMinor};

/// In a context of its own, with tile IR's dialects and these.
template <typename... Dialects>
struct KernelInput {
  explicit KernelInput(const Request &request)
      : context(dialects(), mlir::MLIRContext::Threading::DISABLED) {
    if (view(request.ir_format) != "tile") {
      throw Failure(TZ_E_UNIMPLEMENTED,
                    "compiles format 'tile', whole lowering only");
    }
    context.loadAllAvailableDialects();
    module = check(tz::wire::read({static_cast<const char *>(request.ir.data),
                                   request.ir.size},
                                  context),
                   TZ_E_INVALID_ARGUMENT);
    auto kernels = module->template getOps<tz::tile::KernelOp>();
    if (kernels.empty()) {
      throw Failure(TZ_E_INVALID_ARGUMENT, "there is no kernel");
    }
    kernel = *kernels.begin();
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  tz::tile::KernelOp kernel;

private:
  static mlir::DialectRegistry dialects() {
    mlir::DialectRegistry registry;
    tz::tile::registerTileDialects(registry);
    (registry.insert<Dialects>(), ...);
    return registry;
  }
};

inline void reportAt(const Request &request, uint32_t severity,
                     std::string_view message, mlir::Location location) {
  const SourcePlace place = placeOf(location);
  request.report(severity, message, place.file, place.line, place.column);
}

/// Reports an error, and ends the compilation with it.
[[noreturn]] inline void refuse(const Request &request, int32_t code,
                                const std::string &message,
                                mlir::Location location) {
  reportAt(request, TZ_SEVERITY_ERROR, message, location);
  throw Failure(code, message);
}

} // namespace tz::plugin

#endif // TERRAZZO_PLUGIN_KERNELINPUT_H
