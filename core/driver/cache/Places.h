//===- Places.h - where places of a source are in a module ----------------===//
//
// What   The file locations of a module's ops, and the way back: which ops say
//        that they come from a place.
// Why    Two sources with the same code have the same ops in the same order at
//        other lines. What a vendor's compiler said of one is told of the other
//        by way of the ops (R10).
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_DRIVER_CACHE_PLACES_H
#define TERRAZZO_CORE_DRIVER_CACHE_PLACES_H

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tz::driver {

struct Place {
  std::string file;
  uint32_t line = 0, column = 0;
  auto operator<=>(const Place &) const = default;
};

/// The n-th file location of the n-th op, in the order in which both are
/// visited: an op of an inlined call has one for each call.
struct PlaceUse {
  uint32_t op = 0, part = 0;
};

class PlaceTable {
public:
  explicit PlaceTable(mlir::ModuleOp module);

  /// Empty if no op is there.
  std::vector<PlaceUse> usesOf(const Place &place) const;
  /// The place that all of them are at; none if they differ.
  std::optional<Place> placeOf(const std::vector<PlaceUse> &uses) const;

private:
  std::vector<std::vector<Place>> ops;
  std::map<Place, std::vector<PlaceUse>> uses;
};

} // namespace tz::driver

#endif
