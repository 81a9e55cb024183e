//===- LayoutTest.cpp - the algebra of layouts, by counting ---------------===//
//
// What   Properties of random and of blocked layouts, widths that are no powers
//        of two among them: the owner of an element holds it, no other owner
//        does, and each derived layout says of a place what the old one said.
// Why    A wrong layout is a wrong address in every kernel.
//===----------------------------------------------------------------------===//
#include "terrazzo/simt/Layout.h"

#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <random>
#include <set>

using namespace tz::simt;

namespace {

/// Calls `visit` for each place of a layout.
template <typename Visit>
void forEachPlace(const Layout &layout, Visit visit) {
  Place place;
  for (place[Axis::Block] = 0; place[Axis::Block] < layout.size(Axis::Block);
       ++place[Axis::Block]) {
    for (place[Axis::Warp] = 0; place[Axis::Warp] < layout.size(Axis::Warp);
         ++place[Axis::Warp]) {
      for (place[Axis::Lane] = 0; place[Axis::Lane] < layout.size(Axis::Lane);
           ++place[Axis::Lane]) {
        for (place[Axis::Register] = 0;
             place[Axis::Register] < layout.size(Axis::Register);
             ++place[Axis::Register]) {
          visit(place);
        }
      }
    }
  }
}

int64_t elements(llvm::ArrayRef<int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1},
                         std::multiplies<>());
}

Coordinates unflatten(int64_t index, llvm::ArrayRef<int64_t> shape) {
  Coordinates result(shape.size());
  for (size_t dim = shape.size(); dim-- > 0;) {
    result[dim] = index % shape[dim];
    index /= shape[dim];
  }
  return result;
}

int64_t flatten(llvm::ArrayRef<int64_t> coordinates,
                llvm::ArrayRef<int64_t> shape) {
  int64_t index = 0;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    index = index * shape[dim] + coordinates[dim];
  }
  return index;
}

/// Unit vectors of the dimensions spread over the axes in random order, with
/// copies and sums of others between them, and odd repeats above.
Layout randomLayout(std::mt19937 &random, unsigned rank) {
  Layout layout(rank);
  Coordinates next(rank, 1);
  std::vector<Coordinates> made;
  std::array<unsigned, NumAxes> room = {3, 4, 2, 1};
  unsigned bits = 2 + random() % 8;
  for (unsigned i = 0; i < bits; ++i) {
    size_t axis = random() % NumAxes;
    if (room[axis] == 0) {
      continue;
    }
    --room[axis];
    Coordinates basis(rank, 0);
    switch (random() % 8) {
    case 0: // a copy
      break;
    case 1: // depends on others
      for (const Coordinates &other : made) {
        if (random() % 2) {
          for (unsigned dim = 0; dim < rank; ++dim) {
            basis[dim] ^= other[dim];
          }
        }
      }
      break;
    default: {
      unsigned dim = random() % rank;
      basis[dim] = next[dim];
      next[dim] *= 2;
      if (!made.empty() && random() % 4 == 0) { // skewed, as swizzles are
        const Coordinates &other = made[random() % made.size()];
        for (unsigned d = 0; d < rank; ++d) {
          basis[d] ^= other[d];
        }
      }
    }
    }
    made.push_back(basis);
    layout.addBit(Axis(axis), basis);
  }
  for (int i = random() % 3; i > 0; --i) {
    static constexpr int64_t counts[] = {2, 3, 5, 6, 11, 4};
    std::optional<unsigned> dim = random() % rank;
    Axis axis = random() % 3 ? Axis::Register : Axis::Warp;
    if (random() % 6 == 0) {
      dim.reset();
    }
    layout.repeat(axis, dim, counts[random() % 6]);
  }
  return layout;
}

/// The element that each place holds, by flat index.
std::map<int64_t, std::vector<Place>> holders(const Layout &layout) {
  std::map<int64_t, std::vector<Place>> result;
  forEachPlace(layout, [&](const Place &place) {
    result[flatten(layout.apply(place), layout.shape())].push_back(place);
  });
  return result;
}

void checkOwners(const Layout &layout) {
  SCOPED_TRACE(layout.str());
  Coordinates shape = layout.shape();
  auto held = holders(layout);
  EXPECT_EQ(layout.covers(shape), int64_t(held.size()) == elements(shape));
  for (int64_t index = 0; index < elements(shape); ++index) {
    Coordinates coordinates = unflatten(index, shape);
    std::optional<Place> owner = layout.owner(coordinates);
    ASSERT_EQ(owner.has_value(), held.count(index) != 0);
    if (!owner) {
      continue;
    }
    ASSERT_EQ(layout.apply(*owner), coordinates);
    unsigned owners = 0;
    for (const Place &place : held[index]) {
      bool isOwner = true;
      for (Axis axis : AllAxes) {
        isOwner &= (uint64_t(place[axis]) & layout.redundantBits(axis)) == 0;
        int64_t above = place[axis] >> layout.bases(axis).size();
        for (const Layout::Repeat &copy : layout.repeats()) {
          if (copy.axis == axis) {
            isOwner &= !Layout::isRedundant(copy) || above % copy.count == 0;
            above /= copy.count;
          }
        }
      }
      owners += isOwner;
    }
    ASSERT_EQ(owners, 1u) << "of element " << index;
  }
}

TEST(Layout, RandomLayoutsHaveOneOwnerAnElement) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    checkOwners(randomLayout(random, 1 + random() % 3));
  }
}

TEST(Layout, UnitOwnersGiveEveryOwnerByXor) {
  std::mt19937 random(2);
  for (int round = 0; round < 100; ++round) {
    Layout layout = randomLayout(random, 2);
    if (!layout.covers(layout.shape())) {
      continue;
    }
    auto units = layout.unitOwners();
    llvm::ArrayRef<int64_t> atom = layout.atomShape();
    for (int64_t index = 0; index < elements(atom); ++index) {
      Coordinates coordinates = unflatten(index, atom);
      Place sum;
      for (unsigned dim = 0; dim < 2; ++dim) {
        for (size_t bit = 0; bit < units[dim].size(); ++bit) {
          for (Axis axis : AllAxes) {
            sum[axis] ^=
                coordinates[dim] >> bit & 1 ? units[dim][bit][axis] : 0;
          }
        }
      }
      ASSERT_EQ(sum, layout.owner(coordinates)) << layout.str();
    }
  }
}

class Blocked : public testing::TestWithParam<std::vector<int64_t>> {};

TEST_P(Blocked, CoversItsShapeAndHasItsVectors) {
  const std::vector<int64_t> &shape = GetParam();
  const unsigned rank = shape.size();
  std::vector<unsigned> order(rank);
  std::iota(order.rbegin(), order.rend(), 0);
  for (int transposition = 0; transposition < 2;
       ++transposition, std::reverse(order.begin(), order.end())) {
    for (int64_t vector : {1, 2, 8}) {
      for (unsigned warps : {1u, 4u, 8u}) {
        Layout layout = blockedLayout({shape, vector, order, 32, warps});
        SCOPED_TRACE(layout.str());
        EXPECT_TRUE(layout.covers(shape));
        EXPECT_EQ(layout.size(Axis::Lane), 32);
        EXPECT_EQ(layout.size(Axis::Warp), warps);
        int64_t fast = shape[order[0]];
        EXPECT_GE(layout.contiguous(order[0]), std::min(vector, fast & -fast));
        // No thread holds an element twice.
        EXPECT_EQ(layout.withMergedRegisters(), layout);
        checkOwners(layout);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, Blocked,
    testing::Values(std::vector<int64_t>{1024}, std::vector<int64_t>{8},
                    std::vector<int64_t>{1}, std::vector<int64_t>{64, 64},
                    std::vector<int64_t>{64, 48}, std::vector<int64_t>{64, 80},
                    std::vector<int64_t>{32, 112},
                    std::vector<int64_t>{64, 176},
                    std::vector<int64_t>{48, 192}, std::vector<int64_t>{7, 11},
                    std::vector<int64_t>{4, 16, 32},
                    std::vector<int64_t>{2, 12, 20}));

/// Lanes that meet in one bank, the most of any access: rows of 128 bytes whose
/// parts of 16 bytes are swizzled by the row's index.
int64_t conflicts(const Layout &layout, unsigned fast, int64_t elementBytes) {
  // Of the widest vector, if a thread has more beside each other.
  const int64_t bytes =
      std::min<int64_t>(layout.contiguous(fast) * elementBytes, 16);
  const int64_t together = 128 / std::max<int64_t>(bytes, 4);
  const int64_t lanes = layout.size(Axis::Lane);
  int64_t most = 0;
  for (int64_t first = 0; first < lanes;
       first += std::min<int64_t>(together, lanes)) {
    std::map<int64_t, std::set<int64_t>> words; // of each bank
    for (int64_t lane = first;
         lane < std::min<int64_t>(first + together, lanes); ++lane) {
      const Coordinates at = layout.apply(Place{{0, lane, 0, 0}});
      const int64_t row = at[1 - fast], byte = at[fast] * elementBytes;
      int64_t address = (byte / 128 * 4096 + row) * 128 + byte % 128;
      address ^= (row & 7) << 4;
      for (int64_t word = 0; word < std::max<int64_t>(bytes / 4, 1); ++word) {
        words[(address / 4 + word) % 32].insert(address / 4 + word);
      }
    }
    for (auto &[bank, different] : words) {
      most = std::max(most, int64_t(different.size()));
    }
  }
  return most;
}

TEST(Layout, TranspositionsBetweenRowsOfTheTwoDimensions) {
  for (auto [bytes, read, written] :
       {std::array<int64_t, 3>{4, 1, 1}, std::array<int64_t, 3>{1, 2, 4}}) {
    for (auto [from, lanes] : {std::pair(0u, 32u),
                               {1u, 32u},
                               {0u, 8u},
                               {1u, 16u},
                               {0u, 64u},
                               {1u, 64u}}) {
      for (int64_t warps : {1, 4, 8}) {
        for (std::vector<int64_t> shape :
             {std::vector<int64_t>{64, 64}, {32, 128}, {96, 64}, {160, 32}}) {
          auto transposition =
              transpositionLayouts(shape, from, bytes, lanes, warps);
          if (!transposition && lanes == 64 && bytes == 1 &&
              shape[from] % 64 != 0) {
            continue; // more than a tile has
          }
          ASSERT_TRUE(transposition);
          EXPECT_EQ(transposition->read.size(Axis::Lane), int64_t(lanes));
          SCOPED_TRACE(transposition->read.str() + "\n" +
                       transposition->written.str());
          EXPECT_GE(transposition->read.contiguous(from), 4);
          if (lanes >= 32) {
            EXPECT_EQ(transposition->read.contiguous(from), 4);
          }
          EXPECT_GE(transposition->written.contiguous(1 - from) * bytes, 4);
          for (const Layout &layout :
               {transposition->read, transposition->written}) {
            EXPECT_TRUE(layout.covers(shape));
            EXPECT_EQ(layout.size(Axis::Warp), warps);
            checkOwners(layout);
          }
          EXPECT_LE(conflicts(transposition->read, from, bytes), read);
          EXPECT_LE(conflicts(transposition->written, 1 - from, bytes),
                    written);
          // The same elements in each thread.
          std::map<int64_t, std::set<int64_t>> held[2];
          for (int side : {0, 1}) {
            const Layout &layout =
                side == 0 ? transposition->read : transposition->written;
            forEachPlace(layout, [&](const Place &place) {
              held[side][place[Axis::Warp] * 64 + place[Axis::Lane]].insert(
                  flatten(layout.apply(place), shape));
            });
          }
          EXPECT_EQ(held[0], held[1]);
        }
      }
    }
  }
  EXPECT_FALSE(transpositionLayouts({64, 64}, 0, 2, 32, 4))
      << "has instructions";
  EXPECT_FALSE(transpositionLayouts({64, 12}, 0, 4, 32, 4));
  EXPECT_FALSE(transpositionLayouts({4, 64, 64}, 1, 4, 32, 4));
  EXPECT_FALSE(transpositionLayouts({64, 64}, 0, 4, 4, 4));
}

/// `expected(c)` is where the element at c of the old tile is in the new one;
/// each place must hold it there. Registers may have been merged: then lanes
/// and warps must still hold the same set.
template <typename Expected>
void checkDerived(const Layout &before, const Layout &after,
                  Expected expected) {
  SCOPED_TRACE(before.str() + "\n" + after.str());
  std::map<std::array<int64_t, 3>, std::set<int64_t>> wanted, got;
  auto thread = [](const Place &place) {
    return std::array<int64_t, 3>{place[Axis::Lane], place[Axis::Warp],
                                  place[Axis::Block]};
  };
  Coordinates shape = after.shape();
  forEachPlace(before, [&](const Place &place) {
    Coordinates to = expected(before.apply(place));
    wanted[thread(place)].insert(flatten(to, shape));
    if (before.size(Axis::Register) == after.size(Axis::Register)) {
      EXPECT_EQ(after.apply(place), to);
    }
  });
  forEachPlace(after, [&](const Place &place) {
    got[thread(place)].insert(flatten(after.apply(place), shape));
  });
  EXPECT_EQ(got, wanted);
}

TEST(Layout, DerivedLayoutsHoldTheSameElements) {
  std::mt19937 random(3);
  for (int round = 0; round < 150; ++round) {
    Layout layout = randomLayout(random, 3);
    unsigned dim = random() % 3;
    checkDerived(layout, layout.withoutDim(dim), [&](Coordinates at) {
      at.erase(at.begin() + dim);
      return at;
    });
    checkDerived(layout, layout.withUnitDim(dim), [&](Coordinates at) {
      at.insert(at.begin() + dim, 0);
      return at;
    });
    llvm::SmallVector<int64_t> order = {0, 1, 2};
    std::shuffle(order.begin(), order.end(), random);
    checkDerived(layout, layout.permuted(order), [&](const Coordinates &at) {
      return Coordinates{at[order[0]], at[order[1]], at[order[2]]};
    });
    Coordinates from = layout.shape();
    from[dim] = 1;
    checkDerived(layout, layout.beforeBroadcast(from), [&](Coordinates at) {
      at[dim] = 0;
      return at;
    });
  }
}

TEST(Layout, ReshapesInRowMajorOrder) {
  std::mt19937 random(4);
  unsigned done = 0;
  for (int round = 0; round < 400; ++round) {
    Layout layout = randomLayout(random, 2);
    Coordinates from = layout.shape();
    int64_t count = elements(from);
    std::vector<Coordinates> shapes = {
        {count}, {1, count}, {count, 1}, {from[0], 1, from[1]}};
    if (from[0] % 2 == 0) {
      shapes.push_back({from[0] / 2, 2, from[1]});
      shapes.push_back({from[0] / 2, 2 * from[1]});
    }
    if (from[1] % 4 == 0) {
      shapes.push_back({from[0], from[1] / 4, 4});
    }
    for (const Coordinates &to : shapes) {
      std::optional<Layout> after = layout.reshaped(to);
      if (!after) {
        EXPECT_FALSE(layout.isLinear()) << layout.str();
        continue;
      }
      ++done;
      ASSERT_EQ(after->shape(), to) << layout.str();
      checkDerived(layout, *after, [&](const Coordinates &at) {
        return unflatten(flatten(at, from), to);
      });
    }
  }
  EXPECT_GT(done, 1000u);
}

TEST(Layout, WideAccumulatorsReshape) {
  // 64 x 176 as a matrix unit makes it: eight columns, 22 times.
  Layout layout(2);
  layout.addBit(Axis::Register, {0, 1}).addBit(Axis::Register, {8, 0});
  for (int64_t column : {2, 4}) {
    layout.addBit(Axis::Lane, {0, column});
  }
  for (int64_t row : {1, 2, 4}) {
    layout.addBit(Axis::Lane, {row, 0});
  }
  layout.addBit(Axis::Warp, {16, 0}).addBit(Axis::Warp, {32, 0});
  layout.repeat(Axis::Register, 1, 22);
  EXPECT_EQ(layout.shape(), (Coordinates{64, 176}));
  EXPECT_EQ(layout.size(Axis::Register), 88);
  EXPECT_EQ(layout.atomShape(), llvm::ArrayRef<int64_t>({64, 16}));
  EXPECT_EQ(layout.str(),
            "register [(0,1) (8,0) (0,8)] lane [(0,2) (0,4) (1,0) (2,0) (4,0)] "
            "warp [(16,0) (32,0)] repeat register dim 1 x 11");
  checkOwners(layout);
  std::optional<Layout> split = layout.reshaped({64, 22, 8});
  ASSERT_TRUE(split);
  EXPECT_EQ(split->shape(), (Coordinates{64, 22, 8}));
  checkOwners(*split);
  EXPECT_FALSE(layout.reshaped({64 * 176}));
}

TEST(Layout, EqualMapsAreEqualLayouts) {
  Layout bits(1), repeats(1);
  bits.addBit(Axis::Register, {1}).addBit(Axis::Register, {2});
  repeats.repeat(Axis::Register, 0, 4);
  EXPECT_EQ(bits, repeats);
  EXPECT_EQ(hash_value(bits), hash_value(repeats));
  // Copies over warps are no bits where an odd repeat of the warps lies below.
  Layout odd(2);
  odd.repeat(Axis::Warp, 0, 3).repeat(Axis::Warp, 1, 2);
  EXPECT_EQ(odd.repeats().size(), 2u);
  EXPECT_EQ(odd.apply(Place{{0, 0, 4, 0}}), (Coordinates{1, 1}));
}

} // namespace
