//===- FormulaWriter.cpp - formulas as text -------------------------------===//
//
// What   See FormulaWriter.h.
// Why    See FormulaWriter.h.
//===----------------------------------------------------------------------===//
#include "core/tools/tz-opt/FormulaWriter.h"

using namespace mlir;
using namespace tz::opt;
using namespace tz::analysis;

void FormulaWriter::write(const Polynomial &p) {
  if (p.isZero()) {
    out << "0";
  }
  auto writeTerm = [&](const Term &term) {
    if (term.coefficient != 1 || term.scalars.empty()) {
      out << term.coefficient << (term.scalars.empty() ? "" : "*");
    }
    llvm::interleave(
        term.scalars, [&](unsigned scalar) { write(table.value(scalar)); },
        [&] { out << "*"; });
  };
  llvm::interleave(p.getTerms(), writeTerm, [&] { out << " + "; });
}

void FormulaWriter::write(ArrayRef<Polynomial> list) {
  out << "[";
  llvm::interleave(
      list, [&](const Polynomial &p) { write(p); }, [&] { out << ", "; });
  out << "]";
}
