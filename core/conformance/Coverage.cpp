//===- Coverage.cpp - op x element type x form ----------------------------===//
//
// What   See Coverage.h.
// Why    See Coverage.h.
//===----------------------------------------------------------------------===//
#include "core/conformance/Coverage.h"

#include <algorithm>

namespace tz::conformance {

static std::string padded(std::string text, size_t width, bool isRight) {
  std::string fill(width > text.size() ? width - text.size() : 0, ' ');
  return isRight ? fill + text : text + fill;
}

std::string coverageTable(const Suite &suite) {
  std::vector<std::string> columns = {"other"};
  for (const ElementType &type : elementTypes()) {
    columns.emplace_back(type.name);
  }
  size_t width = 0;
  for (const CoverageRow &row : suite.coverage) {
    width = std::max(width, row.family.size() + row.op.size() + 1);
  }
  std::string text = padded("family/op", width, false);
  for (const std::string &column : columns) {
    text += padded(column, std::max<size_t>(column.size(), 4) + 1, true);
  }
  text += "  forms\n";
  std::vector<size_t> totals(columns.size());
  for (const CoverageRow &row : suite.coverage) {
    text += padded(row.family + "/" + row.op, width, false);
    for (size_t i = 0; i < columns.size(); ++i) {
      unsigned count = 0;
      bool isAllowed = false, isEmpty = false;
      for (const CoverageRow::Cell &cell : row.cells) {
        if (cell.type == columns[i] || (cell.type.empty() && i == 0)) {
          isAllowed = true;
          isEmpty |= cell.count == 0;
          count += cell.count;
        }
      }
      totals[i] += count;
      std::string shown = isAllowed ? std::to_string(count) : i ? "-" : "";
      text += padded(isEmpty ? "!" : shown,
                     std::max<size_t>(columns[i].size(), 4) + 1, true);
    }
    text += " ";
    for (const std::string &form : row.forms) {
      text += " " + form;
    }
    text += "\n";
  }
  text += padded("cases", width, false);
  for (size_t i = 0; i < columns.size(); ++i) {
    text += padded(std::to_string(totals[i]),
                   std::max<size_t>(columns[i].size(), 4) + 1, true);
  }
  return text + "  " + std::to_string(suite.cases.size()) + " in all\n";
}

std::vector<std::string>
emptyCells(const Suite &suite,
           const std::function<bool(const Case &)> &compiles) {
  std::vector<std::string> empty;
  for (const CoverageRow &row : suite.coverage) {
    for (const CoverageRow::Cell &cell : row.cells) {
      if (cell.count == 0) {
        empty.push_back(row.family + "/" + row.op + "/" + cell.type + "/" +
                        cell.form + ": no case");
      }
    }
    for (const Case &refused : row.refused) {
      if (compiles(refused)) {
        empty.push_back(row.family + "/" + row.op + "/" + refused.type +
                        ": the language allows it, but no case covers it");
      }
    }
  }
  return empty;
}

} // namespace tz::conformance
