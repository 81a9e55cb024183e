//===- Rows.h - the classes of instructions -------------------------------===//
//
// What   A list of rows of each class, from the file that has its semantics.
// Why    Processors name the same operation differently; a row of each name
//        leads to one function.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_AMD_SIMULATOR_EXECUTE_ROWS_H
#define TERRAZZO_PLUGINS_AMD_SIMULATOR_EXECUTE_ROWS_H

#include "plugins/amd/simulator/execute/Wave.h"

namespace tz::amd::sim {

std::vector<Row> scalarRows();
std::vector<Row> controlRows();
std::vector<Row> scalarMemoryRows();
std::vector<Row> vectorIntegerRows();
std::vector<Row> vectorRealRows();
std::vector<Row> vectorHalfRows();
std::vector<Row> conversionRows();
std::vector<Row> comparisonRows();
std::vector<Row> laneRows();
std::vector<Row> packedRows();
std::vector<Row> matrixRows();
std::vector<Row> waveMatrixRows();
std::vector<Row> sharedRows();
std::vector<Row> memoryRows();

} // namespace tz::amd::sim

#endif
