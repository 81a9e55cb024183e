//===- Polynomial.cpp - integer expressions over scalar values ------------===//
//
// What   Arithmetic on polynomials, their ranges, and their form as ops.
//
//===----------------------------------------------------------------------===//
#include "core/optimizer/analysis/Polynomial.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tz::analysis;

int64_t Polynomial::coefficientOf(const Monomial &scalars) const {
  for (const Term &term : terms) {
    if (term.scalars == scalars) {
      return term.coefficient;
    }
  }
  return 0;
}

std::optional<Polynomial> Polynomial::add(const Polynomial &a,
                                          const Polynomial &b, int64_t factor) {
  Polynomial sum;
  size_t i = 0, j = 0;
  while (i < a.terms.size() || j < b.terms.size()) {
    bool left =
        j == b.terms.size() ||
        (i < a.terms.size() && a.terms[i].scalars <= b.terms[j].scalars);
    bool right =
        i == a.terms.size() ||
        (j < b.terms.size() && b.terms[j].scalars <= a.terms[i].scalars);
    Term term{left ? a.terms[i].scalars : b.terms[j].scalars, 0};
    if (left) {
      term.coefficient = a.terms[i++].coefficient;
    }
    if (right) {
      int64_t scaled;
      if (llvm::MulOverflow(b.terms[j++].coefficient, factor, scaled) ||
          llvm::AddOverflow(term.coefficient, scaled, term.coefficient)) {
        return std::nullopt;
      }
    }
    if (term.coefficient) {
      sum.terms.push_back(std::move(term));
    }
  }
  if (sum.terms.size() > MaxTerms) {
    return std::nullopt;
  }
  return sum;
}

std::optional<Polynomial> Polynomial::mul(const Polynomial &a,
                                          const Polynomial &b) {
  Polynomial product;
  for (const Term &x : a.terms) {
    for (const Term &y : b.terms) {
      Term term{x.scalars, 0};
      term.scalars.append(y.scalars);
      llvm::sort(term.scalars);
      if (term.scalars.size() > MaxDegree ||
          llvm::MulOverflow(x.coefficient, y.coefficient, term.coefficient)) {
        return std::nullopt;
      }
      std::optional<Polynomial> sum = add(product, of(std::move(term)));
      if (!sum) {
        return std::nullopt;
      }
      product = std::move(*sum);
    }
  }
  return product;
}

std::optional<Term> tz::analysis::divide(const Term &term,
                                         const Term &divisor) {
  if (term.coefficient % divisor.coefficient != 0) {
    return std::nullopt;
  }
  Term quotient{{}, term.coefficient / divisor.coefficient};
  auto next = divisor.scalars.begin();
  for (unsigned scalar : term.scalars) {
    if (next != divisor.scalars.end() && *next == scalar) {
      ++next;
    } else {
      quotient.scalars.push_back(scalar);
    }
  }
  if (next != divisor.scalars.end()) {
    return std::nullopt;
  }
  return quotient;
}

unsigned ScalarTable::number(Value value) {
  auto [it, isNew] = numbers.try_emplace(value, values.size());
  if (isNew) {
    values.push_back(value);
  }
  return it->second;
}

Interval ScalarTable::range(const Polynomial &p, const Hints &hints) const {
  Interval sum{0, 0};
  for (const Term &term : p.getTerms()) {
    Interval product{term.coefficient, term.coefficient};
    for (unsigned scalar : term.scalars) {
      product = product * hints.range(value(scalar));
    }
    sum = sum + product;
  }
  return sum;
}

Value ScalarTable::emit(OpBuilder &builder, Location loc,
                        const Polynomial &p) const {
  Type i64 = builder.getI64Type();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI64IntegerAttr(value));
  };
  // A positive term first: then the negative ones are subtracted, and 64 * pid
  // is one value however it is used.
  SmallVector<const Term *> order;
  for (bool positive : {true, false}) {
    for (const Term &term : p.getTerms()) {
      if ((term.coefficient > 0) == positive) {
        order.push_back(&term);
      }
    }
  }
  Value sum;
  for (const Term *term : order) {
    int64_t coefficient = term->coefficient;
    bool subtract = sum && coefficient < 0 &&
                    coefficient != std::numeric_limits<int64_t>::min();
    coefficient = subtract ? -coefficient : coefficient;
    Value product;
    for (unsigned scalar : term->scalars) {
      Value factor = value(scalar);
      if (factor.getType() != i64) {
        factor = arith::ExtSIOp::create(builder, loc, i64, factor);
      }
      product = product ? arith::MulIOp::create(builder, loc, product, factor)
                        : factor;
    }
    if (!product) {
      product = constant(coefficient);
    } else if (coefficient != 1) {
      product =
          arith::MulIOp::create(builder, loc, product, constant(coefficient));
    }
    if (!sum) {
      sum = product;
    } else if (subtract) {
      sum = arith::SubIOp::create(builder, loc, sum, product);
    } else {
      sum = arith::AddIOp::create(builder, loc, sum, product);
    }
  }
  return sum ? sum : constant(0);
}
