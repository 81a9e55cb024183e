//===- SharedRows.cpp - where a tile lies between two layouts -------------===//
//
// What   See the header. Turns are counted from the addresses of one warp; the
//        cheapest of a few distances is taken.
// Why    See the header.
//===----------------------------------------------------------------------===//
#include "core/simt/layout/SharedRows.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <array>
#include <limits>

using namespace llvm;

namespace tz::simt {

static constexpr int64_t Banks = 32, WordBytes = 4;

int64_t SharedRows::at(ArrayRef<int64_t> coordinates) const {
  int64_t place = (coordinates[dim] >> shift) * more;
  for (auto [coordinate, pitch] : zip_equal(coordinates, pitches)) {
    place += coordinate * pitch;
  }
  return place;
}

unsigned bankTurns(ArrayRef<int64_t> addresses, int64_t width) {
  const auto together = size_t(
      std::max<int64_t>(1, Banks * WordBytes / std::max(width, WordBytes)));
  unsigned turns = 0;
  while (!addresses.empty()) {
    SmallVector<int64_t, 64> words;
    for (int64_t address : addresses.take_front(together)) {
      for (int64_t word = address / WordBytes;
           word <= (address + width - 1) / WordBytes; ++word) {
        words.push_back(word);
      }
    }
    llvm::sort(words);
    words.erase(llvm::unique(words), words.end());
    std::array<unsigned, Banks> inBank{};
    unsigned longest = 0;
    for (int64_t word : words) {
      longest = std::max(longest, ++inBank[size_t(word % Banks)]);
    }
    turns += longest;
    addresses = addresses.drop_front(std::min(together, addresses.size()));
  }
  return turns;
}

/// Elements beside each other along the last dimension that a thread can access
/// at once: in registers that follow each other, or in any.
static int64_t vectorOf(const Layout &layout, bool inAnyRegister,
                        const SharedRows &rows, const ExchangeShape &exchange) {
  const unsigned last = layout.rank() - 1;
  int64_t count = layout.contiguous(last);
  if (inAnyRegister) {
    count = 1;
    auto isNext = [&](const Coordinates &basis) {
      return basis[last] == count &&
             count_if(basis, [](int64_t c) { return c != 0; }) == 1;
    };
    while (any_of(layout.bases(Axis::Register), isNext)) {
      count *= 2;
    }
  }
  return std::min(
      {count, rows.run,
       std::max<int64_t>(1, exchange.widest / exchange.elementBytes)});
}

static unsigned turnsOf(const Layout &layout, bool isWritten,
                        const SharedRows &rows, const ExchangeShape &exchange) {
  const int64_t vector = vectorOf(layout, isWritten, rows, exchange);
  SmallVector<int64_t, 64> addresses;
  for (int64_t lane = 0; lane < layout.size(Axis::Lane); ++lane) {
    addresses.push_back(rows.at(layout.apply(Place{{0, lane, 0, 0}})) *
                        exchange.elementBytes);
  }
  const int64_t accesses =
      divideCeil(layout.withMergedRegisters().size(Axis::Register), vector);
  return unsigned(accesses) *
         bankTurns(addresses, vector * exchange.elementBytes);
}

/// Turns that no distance can save, if all lanes access words of their own.
static unsigned leastTurns(const Layout &layout, bool isWritten,
                           const SharedRows &rows,
                           const ExchangeShape &exchange) {
  const int64_t bytes =
      vectorOf(layout, isWritten, rows, exchange) * exchange.elementBytes;
  const int64_t all = layout.withMergedRegisters().size(Axis::Register) *
                      exchange.elementBytes / bytes;
  return unsigned(
      all * divideCeil(layout.size(Axis::Lane) * bytes, Banks * WordBytes));
}

unsigned exchangeTurns(const SharedRows &rows, const Layout &from,
                       const Layout &to, const ExchangeShape &exchange) {
  return turnsOf(from, /*isWritten=*/true, rows, exchange) +
         turnsOf(to, /*isWritten=*/false, rows, exchange);
}

/// Rows of these extents, of which the tile takes a part.
static SharedRows ofExtents(ArrayRef<int64_t> extents,
                            const ExchangeShape &exchange) {
  SharedRows rows;
  rows.pitches.assign(extents.size(), 1);
  rows.elements = 1;
  for (size_t dim = extents.size(); dim-- > 0;) {
    rows.pitches[dim] = rows.elements;
    rows.elements *= extents[dim];
  }
  const int64_t last = extents.empty() ? 1 : extents.back();
  rows.run =
      extents.empty() ? 1 : std::min(last & -last, exchange.shape.back());
  return rows;
}

/// The rows that columns want, and short of room those that there is room for.
static SharedRows apartByVectors(const ExchangeShape &exchange) {
  const int64_t vector = std::max<int64_t>(1, exchange.widest /
                                                  exchange.elementBytes),
                line = 64 / exchange.elementBytes; // of banks
  for (int64_t least : {int64_t{0}, line}) {
    SmallVector<int64_t, 4> extents(exchange.shape);
    auto dim = unsigned(extents.size()) - 1;
    int64_t inner = 1;
    while (dim > 1 && inner * extents[dim] < least) {
      inner *= extents[dim--];
    }
    extents[dim] += divideCeil(vector, inner);
    SharedRows rows = ofExtents(extents, exchange);
    if (exchange.most == 0 || uint64_t(rows.elements) <= exchange.most) {
      return rows;
    }
  }
  return ofExtents(exchange.shape, exchange);
}

/// Calls `use` with other distances: rows apart by some vectors or by none, and
/// groups of rows along one dimension apart by some more.
static void forEachDistance(const ExchangeShape &exchange,
                            function_ref<void(const SharedRows &)> use) {
  const int64_t vector =
      std::max<int64_t>(1, exchange.widest / exchange.elementBytes);
  const auto last = unsigned(exchange.shape.size()) - 1;
  for (int64_t apart : {int64_t{0}, vector}) {
    SmallVector<int64_t, 4> extents(exchange.shape);
    extents[last] += apart;
    const SharedRows plain = ofExtents(extents, exchange);
    use(plain);
    for (unsigned dim = 0; dim < last; ++dim) {
      for (unsigned shift = 1; int64_t{1} << shift < extents[dim]; ++shift) {
        // Inner dimensions' distances go with the group.
        for (int64_t more : {vector, 2 * vector}) {
          SharedRows rows = plain;
          rows.dim = dim;
          rows.shift = shift;
          rows.more = more;
          const int64_t groups = extents[dim] >> shift;
          // What lies outside of the dimension lies after all groups.
          for (unsigned outer = 0; outer < dim; ++outer) {
            rows.pitches[outer] +=
                groups * more *
                (plain.pitches[outer] / plain.pitches[dim] / extents[dim]);
          }
          rows.elements += groups * more *
                           (plain.elements / plain.pitches[dim] / extents[dim]);
          use(rows);
        }
      }
    }
  }
}

SharedRows rowsBetween(const Layout &from, const Layout &to,
                       const ExchangeShape &exchange) {
  if (exchange.shape.size() < 2) {
    return ofExtents(exchange.shape, exchange);
  }
  SharedRows best = apartByVectors(exchange);
  const bool isRegular = !exchange.byMatrix && from.isLinear() &&
                         to.isLinear() && all_of(exchange.shape, [](int64_t n) {
                           return isPowerOf2_64(uint64_t(n));
                         });
  if (!isRegular) {
    return best;
  }
  const int64_t room = exchange.most == 0 ? std::numeric_limits<int64_t>::max()
                                          : int64_t(exchange.most);
  const unsigned usual = exchangeTurns(best, from, to, exchange);
  unsigned least = usual - usual / 4 + 1; // fewer save too little
  if (leastTurns(from, /*isWritten=*/true, best, exchange) +
          leastTurns(to, /*isWritten=*/false, best, exchange) >=
      least) {
    return best;
  }
  const int64_t largest = std::min(room, best.elements + best.elements / 8);
  forEachDistance(exchange, [&](const SharedRows &rows) {
    const unsigned turns = exchangeTurns(rows, from, to, exchange);
    if (turns < least && rows.elements <= largest) {
      least = turns;
      best = rows;
    }
  });
  return best;
}

} // namespace tz::simt
