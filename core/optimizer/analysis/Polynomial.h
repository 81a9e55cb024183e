//===- Polynomial.h - integer expressions over scalar values ----*- C++ -*-===//
//
// What   Sums of products of scalars with constant coefficients, exact over
//        the integers: 128*pid + stride*k - 1.
// Why    Offsets and bounds are compared, divided and rearranged as formulas;
//        P26 (R3) says that address arithmetic is exact, so it may be.
//
// Scalars are numbered in the order in which they are met, so that what is
// printed from a polynomial does not depend on addresses.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_OPTIMIZER_ANALYSIS_POLYNOMIAL_H
#define TERRAZZO_OPTIMIZER_ANALYSIS_POLYNOMIAL_H

#include "terrazzo/analysis/Hints.h"

#include "mlir/IR/Builders.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace tz::analysis {

/// A product of numbered scalars, sorted, with repetition; empty is one.
using Monomial = llvm::SmallVector<unsigned, 2>;

struct Term {
  Monomial scalars;
  int64_t coefficient;

  bool operator==(const Term &) const = default;
};

/// Beyond these limits an expression counts as one unknown scalar.
inline constexpr size_t MaxTerms = 16, MaxDegree = 4;

class Polynomial {
public:
  Polynomial() = default;
  Polynomial(int64_t constant) {
    if (constant) {
      terms.push_back({{}, constant});
    }
  }
  static Polynomial scalar(unsigned number) {
    Polynomial p;
    p.terms.push_back({{number}, 1});
    return p;
  }
  static Polynomial of(Term term) {
    Polynomial p;
    p.terms.push_back(std::move(term));
    return p;
  }

  bool isZero() const { return terms.empty(); }
  std::optional<int64_t> constant() const {
    if (terms.empty()) {
      return 0;
    }
    bool plain = terms.size() == 1 && terms[0].scalars.empty();
    return plain ? std::optional(terms[0].coefficient) : std::nullopt;
  }
  llvm::ArrayRef<Term> getTerms() const { return terms; }
  /// Coefficient of a product; zero where it does not occur.
  int64_t coefficientOf(const Monomial &scalars) const;

  bool operator==(const Polynomial &) const = default;
  /// nullopt: coefficients overflow, or the limits are passed.
  static std::optional<Polynomial> add(const Polynomial &a, const Polynomial &b,
                                       int64_t factor = 1);
  static std::optional<Polynomial> mul(const Polynomial &a,
                                       const Polynomial &b);

private:
  llvm::SmallVector<Term, 2> terms; // sorted by scalars; no zero coefficient
};

/// The quotient if every scalar of `divisor` is in `term` and the coefficient
/// divides.
std::optional<Term> divide(const Term &term, const Term &divisor);

/// Which value each number stands for.
class ScalarTable {
public:
  unsigned number(mlir::Value value);
  mlir::Value value(unsigned number) const { return values[number]; }

  /// Smallest and largest value, by what `hints` knows of the scalars.
  Interval range(const Polynomial &p, const Hints &hints) const;
  /// Emits the polynomial as an i64.
  mlir::Value emit(mlir::OpBuilder &builder, mlir::Location loc,
                   const Polynomial &p) const;

private:
  llvm::SmallVector<mlir::Value> values;
  llvm::DenseMap<mlir::Value, unsigned> numbers;
};

} // namespace tz::analysis

#endif // TERRAZZO_OPTIMIZER_ANALYSIS_POLYNOMIAL_H
