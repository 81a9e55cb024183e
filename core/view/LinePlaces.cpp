//===- LinePlaces.cpp - where lines of a stage come from ------------------===//
//
// What   See LinePlaces.h.
// Why    See LinePlaces.h.
//===----------------------------------------------------------------------===//
#include "core/view/LinePlaces.h"

#include "llvm/ADT/STLExtras.h"

namespace tz::view {

int Places::add(llvm::StringRef file, unsigned line, unsigned column,
                int caller) {
  if (auto other = shown.find(file.str()); other != shown.end()) {
    file = other->second;
  }
  auto name = llvm::find(names, file);
  const unsigned number = unsigned(name - names.begin());
  if (name == names.end()) {
    names.push_back(file.str());
  }
  const Place place{number, line, column, caller};
  auto [entry, isNew] = known.try_emplace(place, int(places.size()));
  if (isNew) {
    places.push_back(place);
  }
  return entry->second;
}

int Places::of(mlir::Location location, int caller) {
  if (auto call = llvm::dyn_cast<mlir::CallSiteLoc>(location)) {
    return of(call.getCallee(), of(call.getCaller(), caller));
  }
  if (auto name = llvm::dyn_cast<mlir::NameLoc>(location)) {
    return of(name.getChildLoc(), caller);
  }
  if (auto fused = llvm::dyn_cast<mlir::FusedLoc>(location);
      fused && !fused.getLocations().empty()) {
    return of(fused.getLocations().front(), caller);
  }
  auto range = llvm::dyn_cast<mlir::FileLineColRange>(location);
  return range && range.getStartLine() > 0
             ? add(range.getFilename().getValue(), range.getStartLine(),
                   range.getStartColumn(), caller)
             : caller;
}

std::vector<int> Places::standingAt(llvm::StringRef file, unsigned line,
                                    unsigned column) const {
  std::vector<int> found;
  if (auto other = shown.find(file.str()); other != shown.end()) {
    file = other->second;
  }
  auto name = llvm::find(names, file);
  if (name == names.end()) {
    return found;
  }
  // The table is in the order of file, line and column.
  const unsigned number = unsigned(name - names.begin());
  for (auto it = known.lower_bound({number, line, column, -1});
       it != known.end() && it->first.file == number &&
       it->first.line == line && it->first.column == column;
       ++it) {
    found.push_back(it->second);
  }
  return found;
}

bool Places::isOfUser(int place) const {
  return place >= 0 && !llvm::StringRef(fileOf(places[place])).starts_with("<");
}

int Places::ofUser(int place) const {
  while (place >= 0 && !isOfUser(place)) {
    place = places[place].caller;
  }
  return place;
}

} // namespace tz::view
