//===- ShowTile.h - a value of a kernel as a person reads it --------------===//
//
// What   Scalars, tiles, pointers and views as text; large tiles abbreviated;
//        parts of a tile; figures of its elements.
// Why    Apart from the debugger's commands: this is all form.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_DEBUGGER_SHOWTILE_H
#define TERRAZZO_CORE_DEBUGGER_SHOWTILE_H

#include "core/execution/ReferenceRun.h"
#include "core/frontend/TileTypes.h"
#include "core/interpreter/TileValue.h"

namespace tz::tool {

/// Elements first .. first + count - 1 of one dimension; one element alone
/// takes the dimension away.
struct Extent {
  int64_t first = 0, count = 0;
  bool isElement = false;
};

/// "[3, 0:16, :]" for a shape. A negative position counts from the end.
runtime::Result<std::vector<Extent>>
parseExtents(std::string_view text, llvm::ArrayRef<int64_t> shape);

class TileShower {
public:
  /// Both outlive this; addresses are told by the names of buffers.
  TileShower(const Binding &binding, const Reference &reference)
      : binding(binding), reference(reference) {}

  /// "12", or brackets in brackets; dimensions longer than eight show three
  /// elements at each end, unless the whole is wanted.
  std::string text(const interpreter::TileValue &value,
                   const frontend::TileType &type,
                   llvm::ArrayRef<Extent> extents, bool whole) const;
  /// Smallest and largest element with their places, mean, how many are NaN,
  /// infinite, zero, of a part of a tile. Empty for what is no number.
  std::string figures(const interpreter::TileValue &value,
                      const frontend::TileType &type,
                      llvm::ArrayRef<Extent> extents) const;
  /// "out + 128": the buffer that an address is in or near to, and how many
  /// elements from its start.
  std::string addressText(uint64_t address) const;

private:
  std::string element(const interpreter::TileValue &value,
                      const frontend::TileType &type, int64_t lane) const;
  std::string viewText(const interpreter::TileValue &value) const;

  const Binding &binding;
  const Reference &reference;
};

} // namespace tz::tool

#endif
