//===- Printer.h - from the tree to text ------------------------*- C++ -*-===//
//
// What   The printer's state: the text so far, what is in scope, how long each
//        buffer must be. PrintMemory.cpp has what reaches memory.
// Why    Private to this folder.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_CONFORMANCE_RANDOM_PRINTER_H
#define TERRAZZO_CORE_CONFORMANCE_RANDOM_PRINTER_H

#include "core/conformance/random/RandomKernel.h"

#include <algorithm>
#include <map>
#include <set>

namespace tz::conformance::random {

class Printer {
public:
  explicit Printer(const RandomKernel &kernel)
      : kernel(kernel), need(kernel.buffers.size(), 0),
        ownPart(kernel.buffers.size(), 0), isUsed(kernel.buffers.size()) {}
  std::optional<Case> print(std::string name);

private:
  long size(const Dim &dim);
  long count(const Shape &shape);
  std::string dims(const Shape &shape);
  std::string substitute(const Expr &expr);
  std::string text(const Expr &expr);
  std::string load(const Expr &expr);
  std::string standIn(const Type &type) {
    return "tl.full(" + dims(type.shape) + ", " +
           (type.elt == Elt::I1 ? "True" : "1") + ", tl." +
           std::string(factsOf(type.elt).language) + ")";
  }
  std::string linear(const Shape &shape, const std::string &rowLength);
  /// The number of the block, and one more than it can be.
  std::pair<std::string, long> block(const Access &access);
  std::string view(const Access &access, const Shape &shape, bool isStore);
  std::string own(const Access &access, const Shape &shape);
  void update(const Stmt &stmt, unsigned depth);
  std::string bufferName(unsigned buffer);
  /// Elements of an output that one program reaches.
  long partOf(const Access &access, const Shape &shape);
  bool isOwn(const Access &access) const {
    return kernel.buffers[access.buffer].role == Buffer::Output;
  }
  void measure(const std::vector<Stmt> &body);
  void lines(const std::vector<Stmt> &body, unsigned depth);
  void line(unsigned depth, const std::string &text) {
    out += std::string(4 * depth, ' ') + text + "\n";
  }
  void loop(const Stmt &stmt, unsigned depth);
  void walk(const Stmt &stmt, unsigned depth);
  /// Offsets in a matrix whose rows end at the argument n, and the mask.
  std::pair<std::string, std::string> bounded(const Access &access,
                                              const Shape &shape);

  const RandomKernel &kernel;
  std::vector<long> need, ownPart;
  std::vector<bool> isUsed;
  std::set<unsigned> defined;
  std::map<unsigned, long> counterBound; ///< counters stay below
  std::string out;
  bool isValid = true;
  bool usesPid = false, usesN = false, usesStride = false;
};

} // namespace tz::conformance::random

#endif // TERRAZZO_CORE_CONFORMANCE_RANDOM_PRINTER_H
