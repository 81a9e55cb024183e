//===- Unsupported.h - what a target cannot do of a kernel ----------------===//
//
// What   The exceptions of a compiler half that has no code for an operation.
// Why    A lowering is many calls deep where it finds out. The plugin's
//        compile() turns them into diagnostics at the operation's place.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_LOWERING_UNSUPPORTED_H
#define TERRAZZO_LOWERING_UNSUPPORTED_H

#include "mlir/IR/Location.h"

#include <stdexcept>
#include <string>

namespace tz::lowering {

/// What cannot be lowered, and where it was asked for: TZ_E_UNSUPPORTED_OP.
struct Unsupported : std::runtime_error {
  Unsupported(mlir::Location location, const std::string &message)
      : std::runtime_error(message), location(location) {}
  mlir::Location location;
};

/// It could be lowered, and is more than the target has of something:
/// TZ_E_RESOURCE_LIMIT.
struct TooLarge : Unsupported {
  using Unsupported::Unsupported;
};

} // namespace tz::lowering

#endif // TERRAZZO_LOWERING_UNSUPPORTED_H
