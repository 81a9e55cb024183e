//===- FormulaWriter.h - formulas as text -----------------------*- C++ -*-===//
//
// What   Writes polynomials with the names of their scalars: 64*%0 + %arg1.
// Why    Several analyses answer with formulas; their tests read them.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_TOOLS_TZ_OPT_FORMULAWRITER_H
#define TERRAZZO_TOOLS_TZ_OPT_FORMULAWRITER_H

#include "core/optimizer/analysis/Polynomial.h"

#include "mlir/IR/AsmState.h"

#include "llvm/Support/raw_ostream.h"

namespace tz::opt {

class FormulaWriter {
public:
  FormulaWriter(const analysis::ScalarTable &table, mlir::AsmState &names,
                llvm::raw_ostream &out)
      : table(table), names(names), out(out) {}

  void write(mlir::Value value) { value.printAsOperand(out, names); }
  void write(const analysis::Polynomial &p);
  /// In brackets.
  void write(llvm::ArrayRef<analysis::Polynomial> list);

private:
  const analysis::ScalarTable &table;
  mlir::AsmState &names;
  llvm::raw_ostream &out;
};

} // namespace tz::opt

#endif // TERRAZZO_TOOLS_TZ_OPT_FORMULAWRITER_H
