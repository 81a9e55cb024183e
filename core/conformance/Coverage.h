//===- Coverage.h - op x element type x form --------------------*- C++ -*-===//
//
// What   The coverage table as text, and the cells that the language allows and
//        no case covers.
// Why    R20: no empty cell. What the language allows is not only said by the
//        case files: for every type that an op does not list, its kernel must
//        be refused by the frontend.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_CONFORMANCE_COVERAGE_H
#define TERRAZZO_CORE_CONFORMANCE_COVERAGE_H

#include "core/conformance/Suite.h"

#include <functional>

namespace tz::conformance {

/// A row an op, a column an element type: how many cases, '-' where the
/// language refuses it, '!' where a cell is empty.
std::string coverageTable(const Suite &suite);

/// One sentence for each empty cell. `compiles` says whether the frontend
/// accepts a kernel.
std::vector<std::string>
emptyCells(const Suite &suite,
           const std::function<bool(const Case &)> &compiles);

} // namespace tz::conformance

#endif // TERRAZZO_CORE_CONFORMANCE_COVERAGE_H
