//===- LinePlaces.h - where lines of a stage come from ----------*- C++ -*-===//
//
// What   A table of places, each with the place of the call that led there; it
//        is filled from locations of IR and from the debug information in texts
//        of LLVM and of assemblers.
// Why    A line of any stage then names its origin by one number, and calls
//        that were inlined are kept.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_VIEW_LINEPLACES_H
#define TERRAZZO_CORE_VIEW_LINEPLACES_H

#include "mlir/IR/Location.h"

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tz::view {

struct Place {
  unsigned file = 0, line = 0, column = 0;
  int caller = -1; ///< place of the call, or none
  auto operator<=>(const Place &) const = default;
};

class Places {
public:
  /// A file by two names: targets hear of it by its whole path. Shown is
  /// `name`.
  void addName(std::string path, std::string name) {
    shown.try_emplace(std::move(path), std::move(name));
  }
  /// The number of a place; the same one for equal places.
  int add(llvm::StringRef file, unsigned line, unsigned column,
          int caller = -1);
  /// -1: nothing is known.
  int of(mlir::Location location) { return of(location, -1); }
  /// All that stand at this position, whoever called.
  std::vector<int> standingAt(llvm::StringRef file, unsigned line,
                              unsigned column) const;

  const std::vector<std::string> &files() const { return names; }
  const std::vector<Place> &all() const { return places; }
  const std::string &fileOf(const Place &place) const {
    return names[place.file];
  }
  /// Is it in a file of the user's, not of the library in the compiler?
  bool isOfUser(int place) const;
  /// The first place of a chain of calls that is the user's; -1: none.
  int ofUser(int place) const;

private:
  int of(mlir::Location location, int caller);

  std::vector<std::string> names;
  std::vector<Place> places;
  std::map<Place, int> known;
  std::map<std::string, std::string, std::less<>> shown;
};

struct Text;
/// IR of LLVM. What only debug information says is left out of the lines.
Text readLlvm(llvm::StringRef text, Places &places);
/// An assembler's text with .file and .loc, or with lines as instructions,
/// without them and without what is for debuggers. A text that names no lines
/// is taken as it is.
Text readAssembly(llvm::StringRef text, Places &places);
/// Any text, of whose lines nothing is known.
Text readPlain(llvm::StringRef text);

} // namespace tz::view

#endif
