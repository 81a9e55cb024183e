//===- Suite.h - conformance cases ------------------------------*- C++ -*-===//
//
// What   A case (kernel source, inputs, expectation, needs) and the suite that
//        holds all of them, expanded from the text of case files.
// Why    Cases are data: a vendor adds a file, and nobody needs a compiler to
//        read what a case asks. A family is one kernel template; its cases are
//        the product of its ops, variants, element types and forms, so a cell
//        cannot be forgotten.
//
// A case file (docs/reference/conformance.md has the whole grammar):
//   family arithmetic: operators between two tiles
//     types numbers
//     forms flat
//     op add | expr=a + b
//     arg x=edges:$type[$n]
//     kernel
//       @triton.jit
//       def kernel(x, ...
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_CONFORMANCE_SUITE_H
#define TERRAZZO_CORE_CONFORMANCE_SUITE_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tz::conformance {

/// A mistake in a case file, or in a list of known failures.
struct SuiteError {
  std::string file;
  unsigned line = 0;
  std::string message;
  std::string text() const {
    return file + ":" + std::to_string(line) + ": error: " + message;
  }
};

struct Case {
  std::string name; ///< family/op.variant/type/form; empty parts left out
  std::string family, op, type, form;
  std::string source;   ///< of the whole kernel file
  std::string function; ///< "kernel", or a function of an example
  std::vector<std::string> args, buffers, constexprs, options; ///< as tz run
  std::string grid = "1";
  /// BUFFER=INITIALISER:TYPE[SIZES]: closed forms, compared bit by bit.
  std::vector<std::string> expected;
  /// What the launch must report: "assert" (a failed device assertion) and the
  /// text in it; empty: success.
  std::string assertion;
  bool usesReference = true; ///< compared with the interpreter
  bool comparesPrints = false;
  /// Elements without a bound (Compare.h) may differ: a random kernel cannot
  /// know where infinities come up.
  bool allowsUnbounded = false;
  std::vector<std::string> needs; ///< features of the target
  uint64_t seed = 0;
};

/// One row of the coverage table: an op of a family and what the language
/// allows for it.
struct CoverageRow {
  std::string family, op;
  std::vector<std::string> forms;
  struct Cell {
    std::string type, form;
    unsigned count = 0;
  };
  std::vector<Cell> cells; ///< the cells that the language allows
  /// One kernel for each type that the language refuses here: it must not
  /// compile (the table's word is checked, not believed).
  std::vector<Case> refused;
};

struct Suite {
  std::vector<Case> cases;
  std::vector<CoverageRow> coverage;
  std::vector<std::pair<std::string, std::string>> families; ///< name, about
};

/// Text of a file that families can run ("source softmax.py::kernel").
using SourceLookup = std::map<std::string, std::string_view, std::less<>>;

/// Adds the cases of one file. Nothing on success.
std::optional<SuiteError> addCases(Suite &suite, std::string_view file,
                                   std::string_view text,
                                   const SourceLookup &sources);

/// The files in the program: all of test/conformance and the examples.
struct EmbeddedFile {
  const char *name, *text;
};
const std::vector<EmbeddedFile> &embeddedCases();
const std::vector<EmbeddedFile> &embeddedSources();
/// All embedded cases.
std::optional<SuiteError> addEmbeddedCases(Suite &suite);

/// At most `limit` cases, spread evenly over the families and, in a family,
/// over its ops, types and forms. In the order of the suite.
std::vector<const Case *> chooseSmoke(const std::vector<const Case *> &cases,
                                      size_t limit);

/// Element types as the case files name them, in the order of the table.
struct ElementType {
  std::string_view name, language, group;
};
const std::vector<ElementType> &elementTypes();

} // namespace tz::conformance

#endif // TERRAZZO_CORE_CONFORMANCE_SUITE_H
