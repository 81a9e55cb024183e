//===- Generator.h - random kernels, state ----------------------*- C++ -*-===//
//
// What   The generator's state: random numbers, the kernel so far, names in
//        scope, what may still be spent. Expressions.cpp, Combinations.cpp
//        and Statements.cpp hold the grammar.
// Why    Private to this folder.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_CONFORMANCE_RANDOM_GENERATOR_H
#define TERRAZZO_CORE_CONFORMANCE_RANDOM_GENERATOR_H

#include "core/conformance/random/RandomKernel.h"

#include <functional>

namespace tz::conformance::random {

/// The same numbers everywhere (splitmix64).
class Random {
public:
  explicit Random(uint64_t seed) : state(seed * 0x9E3779B97F4A7C15ull + 1) {}
  uint64_t next();
  /// In [low, high].
  int between(int low, int high) {
    return low + int(next() % uint64_t(high - low + 1));
  }
  bool oneIn(int count) { return next() % uint64_t(count) == 0; }
  template <typename List>
  const auto &pick(const List &list) {
    return list[size_t(next() % std::size(list))];
  }

private:
  uint64_t state;
};

/// "tl.int32"
inline std::string tl(Elt elt) {
  return "tl." + std::string(factsOf(elt).language);
}

class Generator {
public:
  explicit Generator(uint64_t seed);
  RandomKernel take();

private:
  using Make = std::function<Expr()>;
  /// Weighted ways to make one thing.
  class Choices {
  public:
    void add(int weight, Make make) {
      total += weight;
      list.emplace_back(weight, std::move(make));
    }
    Expr pick(Random &random) const;

  private:
    int total = 0;
    std::vector<std::pair<int, Make>> list;
  };

  // Expressions.cpp
  Expr expression(const Type &type, bool isExact, int depth);
  Expr leaf(const Type &type, bool isExact);
  Expr constant(const Type &type);
  Expr load(const Type &type);
  Expr condition(int depth); ///< a scalar, exact
  void addInteger(Choices &choices, const Type &type, bool isExact, int depth);
  void addBool(Choices &choices, const Type &type, bool isExact, int depth);
  void addFloat(Choices &choices, const Type &type, bool isExact, int depth);
  void addAny(Choices &choices, const Type &type, bool isExact, int depth);
  Expr call(const Type &type, bool isExact, int depth);
  Expr cast(const Type &type, bool isExact, int depth);
  /// A pattern of kids of these types.
  Expr make(const Type &type, std::string pattern,
            const std::vector<Type> &kids, bool isExact, int depth,
            std::vector<Dim> dims = {});
  std::string literal(Elt elt);
  Elt element(bool withSmall);
  bool fits(const Shape &shape, int log = 11) const {
    int sum = kernel.log2(shape);
    return sum <= log;
  }
  Type withElt(const Type &type, Elt elt) const { return {elt, type.shape}; }

  // Combinations.cpp
  void addMoves(Choices &choices, const Type &type, bool isExact, int depth);
  void addCombines(Choices &choices, const Type &type, bool isExact, int depth);
  void addDot(Choices &choices, const Type &type, int depth);
  Expr scaledDot(const Type &type, int depth);

  // Statements.cpp
  Shape shape();
  void statements(std::vector<Stmt> &body, int count, int depth);
  void statement(std::vector<Stmt> &body, int depth);
  Stmt assign();
  Stmt reassign(bool &isPossible);
  Stmt store(Expr value);
  void addMask(Stmt &stmt, const Type &type);
  Stmt atomic();
  Stmt branch(int depth);
  Stmt loop(int depth);
  void walk(std::vector<Stmt> &body, int depth);
  Stmt update();
  void insertUpdate();
  Expr stored();
  unsigned variable(Type type, bool isExact);
  unsigned buffer(Buffer::Role role, Elt elt, bool isFresh);

  Random random;
  RandomKernel kernel;
  std::vector<unsigned> scope;    ///< variables that can be read
  std::vector<unsigned> counters; ///< of the loops around
  int budget = 0;                 ///< nodes that may still be made
  bool isInFunction = false;
};

} // namespace tz::conformance::random

#endif // TERRAZZO_CORE_CONFORMANCE_RANDOM_GENERATOR_H
