//===- Builtins.cpp - the table of built-ins, filled ----------------------===//
//
// What   Makes the one table of the process.
// Why    See Builtins.h.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/builtins/Builtins.h"

namespace tz::frontend {

static Registry filled() {
  Registry registry;
  bindPythonFunctions(registry);
  bindPythonMethods(registry);
  bindPythonModules(registry);
  bindDecorators(registry);
  bindTypes(registry);
  bindArrays(registry);
  bindTargets(registry);
  bindProfilerScopes(registry);
  bindTiles(registry);
  return registry;
}

const Registry &languageBuiltins() {
  static const Registry table = filled();
  return table;
}

} // namespace tz::frontend
