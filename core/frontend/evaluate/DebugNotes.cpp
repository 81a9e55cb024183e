//===- DebugNotes.cpp - what the evaluator tells a debugger ---------------===//
//
// What   Statements, names and calls as events.
// Why    See DebugMap.h.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/evaluate/DebugNotes.h"

#include "core/frontend/evaluate/Evaluator.h"

using namespace llvm;

namespace tz::frontend {

/// More parts of one name are not kept: nobody reads them.
static constexpr size_t MaxParts = 64;

static void addParts(const Value &value, const std::string &path,
                     std::vector<DebugPart> &parts) {
  WorkBudget::Level level;
  if (!level || parts.size() == MaxParts) {
    return;
  }
  if (value.isTile()) {
    const TileValue &tile = value.asTile();
    parts.push_back({path, "", tile.value, tile.type});
    return;
  }
  const bool isNamed = value.is(ValueKind::Record);
  if (value.isSequence()) {
    for (auto [i, item] : enumerate(value.items())) {
      addParts(item,
               isNamed && i < value.sequence().names.size()
                   ? path + "." + value.sequence().names[i]
                   : path + "[" + std::to_string(i) + "]",
               parts);
    }
    return;
  }
  parts.push_back({path, repr(value), mlir::Value(), TileType()});
}

void DebugNotes::statement(SourceLoc loc) {
  if (map && !ev.inHost()) {
    map->add(ev.builder(), {DebugEvent::Statement, loc, "", {}});
  }
}

void DebugNotes::name(StringRef name, const Value &value, SourceLoc loc) {
  if (!map || ev.inHost() || value.isError()) {
    return;
  }
  DebugEvent event{DebugEvent::Name, loc, name.str(), {}};
  addParts(value, "", event.parts);
  map->add(ev.builder(), std::move(event));
}

void DebugNotes::call(const FunctionObject &function, const Scope &params,
                      SourceLoc loc) {
  if (!map) {
    return;
  }
  map->add(ev.builder(), {DebugEvent::Enter, loc, function.name, {}});
  for (const ast::Parameter &param : function.params()) {
    if (auto bound = params.find(param.name); bound != params.end()) {
      name(param.name, bound->second.value, param.loc);
    }
  }
}

void DebugNotes::leave() {
  if (map) {
    map->add(ev.builder(), {DebugEvent::Leave, SourceLoc(), "", {}});
  }
}

} // namespace tz::frontend
