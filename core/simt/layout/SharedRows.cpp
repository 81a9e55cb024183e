//===- SharedRows.cpp - where a tile lies between two layouts -------------===//
//
// What   See the header. Transactions are counted from the addresses of one
// warp; the
//        cheapest of a few distances is taken.
// Why    See the header.
//===----------------------------------------------------------------------===//
#include "core/simt/layout/SharedRows.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

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

unsigned bankTransactions(ArrayRef<int64_t> addresses, int64_t width) {
  const auto together = size_t(
      std::max<int64_t>(1, Banks * WordBytes / std::max(width, WordBytes)));
  unsigned transactions = 0;
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
    transactions += longest;
    addresses = addresses.drop_front(std::min(together, addresses.size()));
  }
  return transactions;
}

namespace {

/// What a warp writes or reads.
class WarpAccess {
public:
  WarpAccess(const Layout &layout, bool isWritten,
             const ExchangeShape &exchange);

  unsigned transactions(const SharedRows &rows) const;
  /// Transactions, and an instruction for each access.
  unsigned cost(const SharedRows &rows) const {
    return transactions(rows) + accesses(rows);
  }
  /// Cost that no distance can save, if all lanes access words of their own.
  unsigned least(const SharedRows &rows) const;

private:
  /// Elements that a thread accesses at once.
  int64_t vector(const SharedRows &rows) const {
    return std::min(
        {together[rows.fast], rows.run,
         std::max<int64_t>(1, exchange.widest / exchange.elementBytes)});
  }
  unsigned accesses(const SharedRows &rows) const {
    return unsigned(divideCeil(registers, vector(rows)));
  }

  const ExchangeShape &exchange;
  SmallVector<Coordinates, 64> lanes; // of register 0
  SmallVector<int64_t, 4> together;   // by dimension, of a thread
  int64_t registers;
};

/// Elements beside each other along a dimension that a thread writes at once:
/// their registers need not follow each other.
int64_t contiguousInAny(const Layout &layout, unsigned dim) {
  int64_t count = 1;
  auto isNext = [&](const Coordinates &basis) {
    return basis[dim] == count &&
           count_if(basis, [](int64_t c) { return c != 0; }) == 1;
  };
  while (any_of(layout.bases(Axis::Register), isNext)) {
    count *= 2;
  }
  return count;
}

WarpAccess::WarpAccess(const Layout &layout, bool isWritten,
                       const ExchangeShape &exchange)
    : exchange(exchange),
      registers(layout.withMergedRegisters().size(Axis::Register)) {
  for (int64_t lane = 0; lane < layout.size(Axis::Lane); ++lane) {
    lanes.push_back(layout.apply(Place{{0, lane, 0, 0}}));
  }
  for (unsigned dim = 0; dim < layout.rank(); ++dim) {
    together.push_back(isWritten ? contiguousInAny(layout, dim)
                                 : layout.contiguous(dim));
  }
}

unsigned WarpAccess::transactions(const SharedRows &rows) const {
  SmallVector<int64_t, 64> addresses;
  for (const Coordinates &at : lanes) {
    addresses.push_back(rows.at(at) * exchange.elementBytes);
  }
  return accesses(rows) *
         bankTransactions(addresses, vector(rows) * exchange.elementBytes);
}

unsigned WarpAccess::least(const SharedRows &rows) const {
  return accesses(rows) *
         unsigned(1 + divideCeil(int64_t(lanes.size()) * vector(rows) *
                                     exchange.elementBytes,
                                 Banks * WordBytes));
}

/// Dimensions as they lie in memory, the fast one last.
using Order = SmallVector<unsigned, 4>;

/// Rows of these extents, in that order, of which the tile takes a part.
SharedRows ofExtents(ArrayRef<unsigned> order, ArrayRef<int64_t> extents,
                     const ExchangeShape &exchange) {
  SharedRows rows;
  rows.pitches.assign(extents.size(), 1);
  rows.elements = 1;
  for (size_t i = extents.size(); i-- > 0;) {
    rows.pitches[order[i]] = rows.elements;
    rows.elements *= extents[i];
  }
  if (!order.empty()) {
    rows.fast = order.back();
    rows.run =
        std::min(extents.back() & -extents.back(), exchange.shape[rows.fast]);
  }
  return rows;
}

SmallVector<int64_t, 4> extentsIn(ArrayRef<unsigned> order,
                                  const ExchangeShape &exchange) {
  SmallVector<int64_t, 4> extents;
  for (unsigned dim : order) {
    extents.push_back(exchange.shape[dim]);
  }
  return extents;
}

/// The rows that columns want, and short of room those that there is room for.
SharedRows apartByVectors(ArrayRef<unsigned> order,
                          const ExchangeShape &exchange) {
  const int64_t vector = std::max<int64_t>(1, exchange.widest /
                                                  exchange.elementBytes),
                line = 64 / exchange.elementBytes; // of banks
  for (int64_t least : {int64_t{0}, line}) {
    SmallVector<int64_t, 4> extents = extentsIn(order, exchange);
    if (extents.size() < 2) {
      break;
    }
    auto i = unsigned(extents.size()) - 1;
    int64_t inner = 1;
    while (i > 1 && inner * extents[i] < least) {
      inner *= extents[i--];
    }
    extents[i] += divideCeil(vector, inner);
    SharedRows rows = ofExtents(order, extents, exchange);
    if (exchange.most == 0 || uint64_t(rows.elements) <= exchange.most) {
      return rows;
    }
  }
  return ofExtents(order, extentsIn(order, exchange), exchange);
}

/// These rows, but for each 2^shift along the order's dimension `i` elements
/// are `more` further apart. Dimensions outside of it lie behind all of that.
SharedRows inGroups(const SharedRows &plain, ArrayRef<unsigned> order,
                    unsigned i, int64_t extent, unsigned shift, int64_t more) {
  SharedRows rows = plain;
  rows.dim = order[i];
  rows.shift = shift;
  rows.more = more;
  const int64_t taken = plain.pitches[order[i]] * extent,
                added = (extent >> shift) * more;
  for (unsigned outer : order.take_front(i)) {
    rows.pitches[outer] += added * (plain.pitches[outer] / taken);
  }
  rows.elements += added * (plain.elements / taken);
  if (i + 1 == order.size()) {
    rows.run = std::min(rows.run, int64_t{1} << shift);
  }
  return rows;
}

/// Calls `use` with other distances: rows apart by a vector or by none, and
/// groups of rows, or parts of one, apart by some more.
void forEachDistance(ArrayRef<unsigned> order, const ExchangeShape &exchange,
                     function_ref<void(const SharedRows &)> use) {
  const int64_t vector =
      std::max<int64_t>(1, exchange.widest / exchange.elementBytes);
  const auto last = unsigned(order.size()) - 1;
  for (int64_t apart : {int64_t{0}, vector}) {
    SmallVector<int64_t, 4> extents = extentsIn(order, exchange);
    extents[last] += apart;
    const SharedRows plain = ofExtents(order, extents, exchange);
    use(plain);
    // A row that is apart from the next one is whole.
    for (unsigned i = 0; i < last + (apart == 0 ? 1 : 0); ++i) {
      const unsigned first = i == last ? Log2_64_Ceil(uint64_t(vector)) : 1;
      for (unsigned shift = first; int64_t{1} << shift < extents[i]; ++shift) {
        for (int64_t more : {vector, 2 * vector}) {
          use(inGroups(plain, order, i, extents[i], shift, more));
        }
      }
    }
  }
}

} // namespace

unsigned exchangeTransactions(const SharedRows &rows, const Layout &from,
                              const Layout &to, const ExchangeShape &exchange) {
  return WarpAccess(from, /*isWritten=*/true, exchange).transactions(rows) +
         WarpAccess(to, /*isWritten=*/false, exchange).transactions(rows);
}

SharedRows rowsBetween(const Layout &from, const Layout &to,
                       const ExchangeShape &exchange) {
  const auto rank = unsigned(exchange.shape.size());
  Order order(rank);
  std::iota(order.begin(), order.end(), 0);
  SharedRows best = apartByVectors(order, exchange);
  const bool isRegular = rank != 0 && !exchange.isUsual && from.isLinear() &&
                         to.isLinear() && all_of(exchange.shape, [](int64_t n) {
                           return isPowerOf2_64(uint64_t(n));
                         });
  if (!isRegular) {
    return best;
  }
  const WarpAccess written(from, /*isWritten=*/true, exchange),
      read(to, /*isWritten=*/false, exchange);
  const int64_t room = exchange.most == 0 ? std::numeric_limits<int64_t>::max()
                                          : int64_t(exchange.most);
  const int64_t largest = std::min(room, best.elements + best.elements / 8);
  const unsigned usual = written.cost(best) + read.cost(best);
  unsigned least = usual - usual / 4 + 1; // fewer save too little
  for (unsigned fast = rank; fast-- > 0;) {
    Order other;
    copy_if(order, std::back_inserter(other),
            [&](unsigned dim) { return dim != fast; });
    other.push_back(fast);
    const SharedRows plain =
        ofExtents(other, extentsIn(other, exchange), exchange);
    if (written.least(plain) + read.least(plain) >= least) {
      continue;
    }
    forEachDistance(other, exchange, [&](const SharedRows &rows) {
      const unsigned cost = written.cost(rows) + read.cost(rows);
      if (cost < least && rows.elements <= largest) {
        least = cost;
        best = rows;
      }
    });
  }
  return best;
}

} // namespace tz::simt
