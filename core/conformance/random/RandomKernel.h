//===- RandomKernel.h - a random kernel as a tree ---------------*- C++ -*-===//
//
// What   The tree that the generator makes, the shrinker cuts and the printer
//        turns into kernel-language source and a conformance case.
// Why    A failure is shrunk on this tree, where types are known, so that what
//        is left is nearly always a kernel still.
//
// Rules  K1 Every expression has an exact type: element type and shape. What a
//        program may cut out has a stand-in of the same type.
//        K2 A dimension is a product of powers of a few sizes (RandomKernel::log2Of),
//        so that the shrinker can make a size smaller everywhere at once.
//        K3 A program writes only its own part of an output, but for atomics
//        whose order does not show. Buffers are as long as the accesses need,
//        not longer: what is out of bounds is found.
//        K4 An expression that is not exact (isExact) may differ between
//        targets within a bound; nothing discrete hangs on it: no condition,
//        index, or mask.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_CONFORMANCE_RANDOM_RANDOMKERNEL_H
#define TERRAZZO_CORE_CONFORMANCE_RANDOM_RANDOMKERNEL_H

#include "core/conformance/Suite.h"

#include <array>

namespace tz::conformance::random {

/// The rows of terrazzo/ElementTypes.def. What a kernel takes is chosen by
/// name.
enum class Elt : uint8_t {
#define ELEMENT_TYPE(Id, Bits, Class, Name, Long, Text, Fraction, Least) Id,
#include "terrazzo/ElementTypes.def"
};
struct EltFacts {
  std::string_view language, argument; ///< "int32" and "i32"
  unsigned bits;
  bool isFloat, isSigned;
};
const EltFacts &factsOf(Elt elt);
inline bool isFloat(Elt elt) { return factsOf(elt).isFloat; }
inline bool isFp8(Elt elt) {
  return elt == Elt::F8E4M3FN || elt == Elt::F8E5M2;
}
inline bool isInt(Elt elt) { return !isFloat(elt) && elt != Elt::I1; }

constexpr unsigned SizeCount = 4;
/// The product of the kernel's sizes to these powers, times 2 to the power of
/// `twos`.
struct Dim {
  std::array<int8_t, SizeCount> powers{};
  int8_t twos = 0;
  bool operator==(const Dim &) const = default;
};
Dim sizeDim(unsigned size);
Dim operator*(const Dim &a, const Dim &b);
/// Times 2 to the power of `by`.
Dim scaled(Dim dim, int by);
using Shape = std::vector<Dim>;

struct Type {
  Elt elt = Elt::I32;
  Shape shape;
  bool operator==(const Type &) const = default;
};

/// How memory is reached.
struct Access {
  enum Form : uint8_t {
    Linear,       ///< the block's elements, row by row
    Strided,      ///< rows that lie apart by the argument `stride`
    Reversed,     ///< backwards
    Doubled,      ///< each second element
    Xored,        ///< in another order
    Indexed,      ///< by the elements of a tile
    Wrapped,      ///< rows modulo the argument n
    Bounded,      ///< rows below n and columns below a width, by two masks
    BlockPointer, ///< tl.make_block_ptr with a boundary check
    Descriptor    ///< tl.make_tensor_descriptor
  };
  Form form = Linear;
  unsigned buffer = 0;
  int loop = -1;             ///< variable of a loop that moves the block
  bool followsPid = true;    ///< each program has its own block
  bool hasTail = false;      ///< cut at the argument n
  bool isTransposed = false; ///< block pointers: columns first in memory
  bool hasMask = false, hasOther = false; ///< operands that follow
  uint8_t flavour = 0;                    ///< modifiers of the access
};

struct Expr {
  enum Kind : uint8_t { Pattern, Variable, Load };
  Kind kind = Pattern;
  bool isExact = true;
  Type type;
  /// $0 is the first kid, #0 the first of `dims`.
  std::string pattern;
  std::vector<Dim> dims;
  std::vector<Expr> kids; ///< Load: [index] [mask] [other]
  unsigned variable = 0;
  Access access;
};

struct Stmt {
  /// Update: what is loaded goes back, changed, to the addresses it came from,
  /// which lanes may share. Walk: a loop whose pointer goes from block to
  /// block.
  enum Kind : uint8_t {
    Assign,
    Store,
    Update,
    Atomic,
    If,
    For,
    While,
    Walk,
    Return
  };
  Kind kind = Assign;
  /// Assign, own Atomic, Update: set; loops: the counter; Walk: then pointer,
  /// element.
  std::vector<unsigned> variables;
  std::vector<Expr> exprs; ///< values; condition; Store: value [mask]
  /// Atomic: the op; For: the form of the header; Update: the value, from $0.
  std::string pattern;
  Access access;
  unsigned trips = 0;
  std::vector<Stmt> body, orelse;
};

struct Buffer {
  enum Role : uint8_t { Input, Output, Sum, Matrix };
  Role role = Input;
  Elt elt = Elt::F32;
  std::string init;
};
struct Variable {
  Type type;
  bool isExact = true;
  bool isCounter = false;
};
struct Function {
  std::vector<unsigned> parameters;
  std::vector<Expr> results;
};

struct RandomKernel {
  uint64_t seed = 0;
  std::array<int8_t, SizeCount> log2Of{};
  std::array<int, 3> grid{1, 1, 1};
  unsigned n = 1;      ///< argument: where accesses with a tail end
  unsigned stride = 1; ///< argument: added to a row's length
  int number = 0;      ///< argument: any i32
  bool flag = false;   ///< constexpr argument
  std::vector<std::string> options;
  std::vector<Buffer> buffers;
  std::vector<Variable> variables;
  std::vector<Function> functions; ///< each called at one place
  std::vector<Stmt> body;

  int log2(const Dim &dim) const;
  int log2(const Shape &shape) const;
};

/// The kernel of a seed.
RandomKernel generate(uint64_t seed);
/// The kernel as a case; nothing if a dimension is below 1 or a tile too large.
std::optional<Case> print(const RandomKernel &kernel, std::string name);

} // namespace tz::conformance::random

#endif // TERRAZZO_CORE_CONFORMANCE_RANDOM_RANDOMKERNEL_H
