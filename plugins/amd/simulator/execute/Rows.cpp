//===- Rows.cpp - the table of all instructions ---------------------------===//
//
// What   See Rows.h.
//===----------------------------------------------------------------------===//
#include "plugins/amd/simulator/execute/Rows.h"

#include <unordered_map>

namespace tz::amd::sim {

const Row *findRow(std::string_view name) {
  static const auto table = [] {
    std::unordered_map<std::string, Row> rows;
    for (auto list : {scalarRows, controlRows, scalarMemoryRows,
                      vectorIntegerRows, vectorRealRows, vectorHalfRows,
                      conversionRows, comparisonRows, laneRows, packedRows,
                      matrixRows, waveMatrixRows, sharedRows, memoryRows}) {
      for (Row &row : list()) {
        std::string key = row.name;
        rows.emplace(std::move(key), std::move(row));
      }
    }
    return rows;
  }();
  auto found = table.find(std::string(name));
  return found == table.end() ? nullptr : &found->second;
}

} // namespace tz::amd::sim
