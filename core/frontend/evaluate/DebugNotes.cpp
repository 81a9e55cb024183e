//===- DebugNotes.cpp - what a debugger must know of a kernel -------------===//
//
// What   What the evaluator writes into a DebugMap.
// Why    See DebugMap.h.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/DebugMap.h"
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

void Evaluator::noteStatement(SourceLoc loc) {
  if (debugMap && !inHost()) {
    debugMap->add(*b, {DebugEvent::Statement, loc, "", {}});
  }
}

void Evaluator::noteName(StringRef name, const Value &value, SourceLoc loc) {
  if (!debugMap || inHost() || value.isError()) {
    return;
  }
  DebugEvent event{DebugEvent::Name, loc, name.str(), {}};
  addParts(value, "", event.parts);
  debugMap->add(*b, std::move(event));
}

void Evaluator::noteCall(const FunctionObject &function, const Scope &params,
                         SourceLoc loc) {
  if (!debugMap) {
    return;
  }
  debugMap->add(*b, {DebugEvent::Enter, loc, function.name, {}});
  for (const ast::Parameter &param : function.params()) {
    if (auto bound = params.find(param.name); bound != params.end()) {
      noteName(param.name, bound->second.value, param.loc);
    }
  }
}

void Evaluator::noteReturn() {
  if (debugMap) {
    debugMap->add(*b, {DebugEvent::Leave, SourceLoc(), "", {}});
  }
}

} // namespace tz::frontend
