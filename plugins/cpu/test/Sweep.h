//===- Sweep.h - One small kernel against the reference interpreter -------===//
//
// What   A kernel built from text around some values, run by the compiled code
//        and by the interpreter on the same memory; outputs are compared under
//        the interpreter's bounds.
// Why    The sweeps are tables over ops, types and shapes; what a row means is
//        the interpreter's business, so a row holds no expected numbers.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_TEST_SWEEP_H
#define TERRAZZO_PLUGINS_CPU_TEST_SWEEP_H

#include "core/interpreter/ElementKind.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tz::cpu::test {

using interpreter::Kind;
using Shape = std::vector<int64_t>;

/// Element types by their names in the IR.
extern const std::vector<std::string> IntegerTypes, FloatTypes, PlainTypes;

Kind kindOf(const std::string &type);
unsigned bitsOf(const std::string &type);
int64_t countOf(const Shape &shape);
/// "f32" without dimensions, else "tensor<3x48xf32>".
std::string tileType(const Shape &shape, const std::string &type);
/// "3x48x".
std::string dimensions(const Shape &shape);
std::string replaced(std::string text, const std::string &from,
                     const std::string &to);

enum class Values {
  Any,     ///< special values first, then all magnitudes
  Usual,   ///< floats around one, integers of few bits
  NonZero, ///< Usual without zero
};
std::vector<uint64_t> values(const std::string &type, size_t count,
                             unsigned seed, Values which = Values::Any);

class Case {
public:
  explicit Case(std::string name) : name(std::move(name)) {}

  /// `%value`, loaded from memory of its own: through pointers if it has one
  /// dimension, through a view if more.
  Case &in(const std::string &value, const std::string &type,
           const Shape &shape, const std::vector<uint64_t> &bits);
  /// A pointer `%value` to `bits`, which the kernel may also change; compared.
  Case &memory(const std::string &value, const std::string &type,
               const std::vector<uint64_t> &bits);
  /// A scalar argument.
  Case &argument(const std::string &value, const std::string &type,
                 uint64_t bits);
  Case &body(const std::string &text);
  /// Stores `%value` where it is compared.
  Case &out(const std::string &value, const std::string &type,
            const Shape &shape);
  /// Elements of the last output whose value the IR leaves open.
  Case &open(std::function<bool(size_t)> isOpen);
  Case &grid(uint32_t programs);
  Case &contracted();

  std::string text() const;
  /// Empty if all is well, else what is wrong, with the name. Without a
  /// target: this machine.
  std::string run(const char *target = nullptr) const;
  /// Empty if it compiles in less than a second.
  std::string compile() const;
  /// The same if the compiler refuses the kernel at a location.
  std::string runRefused() const;

  const std::string name;

private:
  struct Array {
    std::string type;
    size_t count;
    std::vector<uint8_t> bytes;
    bool compared;
    std::function<bool(size_t)> isOpen;
  };
  struct Argument {
    std::string name, type;
    int array; ///< -1: `bits`
    uint64_t bits;
  };
  std::string access(const std::string &pointer, const std::string &type,
                     const Shape &shape);

  std::vector<Array> arrays;
  std::vector<Argument> arguments;
  std::string lines, attributes;
  uint32_t programs = 1;
  unsigned accesses = 0;
};

/// Runs cases on all cores, at its end; lists what went wrong.
class Tally {
public:
  explicit Tally(const char *what) : what(what) {}
  ~Tally();
  /// On this machine's level; every tenth case on the lower ones too.
  void add(Case c);
  void addRefused(Case c) { work.push_back({std::move(c), &Case::runRefused}); }
  /// Compiles only.
  void addLarge(Case c) { work.push_back({std::move(c), &Case::compile}); }

private:
  struct Item {
    Case what;
    std::function<std::string(const Case &)> how;
  };
  const char *what;
  std::vector<Item> work;
};

} // namespace tz::cpu::test

#endif
