//===- Places.cpp - where places of a source are in a module --------------===//
//
// What   See Places.h.
// Why    See Places.h.
//===----------------------------------------------------------------------===//
#include "core/driver/cache/Places.h"

namespace tz::driver {

/// Of one op; a longer chain of inlined calls is cut off.
static constexpr size_t MaxParts = 256;

PlaceTable::PlaceTable(mlir::ModuleOp module) {
  module->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
    std::vector<Place> &parts = ops.emplace_back();
    op->getLoc()->walk([&](mlir::Location location) {
      if (parts.size() == MaxParts) {
        return mlir::WalkResult::interrupt();
      }
      if (auto file = llvm::dyn_cast<mlir::FileLineColRange>(location)) {
        parts.push_back({file.getFilename().str(), file.getStartLine(),
                         file.getStartColumn()});
        uses[parts.back()].push_back(
            {uint32_t(ops.size() - 1), uint32_t(parts.size() - 1)});
      }
      return mlir::WalkResult::advance();
    });
  });
}

std::vector<PlaceUse> PlaceTable::usesOf(const Place &place) const {
  auto known = uses.find(place);
  return known == uses.end() ? std::vector<PlaceUse>() : known->second;
}

std::optional<Place>
PlaceTable::placeOf(const std::vector<PlaceUse> &wanted) const {
  std::optional<Place> found;
  for (const PlaceUse &use : wanted) {
    if (use.op >= ops.size() || use.part >= ops[use.op].size()) {
      return std::nullopt;
    }
    const Place &place = ops[use.op][use.part];
    if (found && *found != place) {
      return std::nullopt;
    }
    found = place;
  }
  return found;
}

} // namespace tz::driver
