//===- SharedTest.cpp - where tiles lie in shared memory ------------------===//
//
// What   Buffers with swizzles and with padding: each element has a place of
//        its own, vectors lie in one piece, and the accesses that the lowering
//        makes of random layouts meet in no bank.
// Why    A machine reads shared memory at full speed only if lanes that are
//        served together go to different banks.
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/Vectors.h"

#include "terrazzo/simt/SimtTarget.h"

#include "mlir/IR/BuiltinTypes.h"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>

using namespace tz;
using namespace tz::simt;

namespace {

struct Shared : testing::Test {
  Shared() { context.loadDialect<SimtDialect>(); }
  mlir::MLIRContext context;
  std::mt19937 random{20261123};
  int64_t oneOf(std::initializer_list<int64_t> values) {
    return values.begin()[random() % values.size()];
  }

  using Maker = SharedAttr (*)(mlir::MLIRContext *, llvm::ArrayRef<unsigned>,
                               int64_t, int64_t);
  /// Rows of `fast` elements, as a target makes them.
  BufferType buffer(Maker make, llvm::ArrayRef<int64_t> shape, unsigned fast,
                    int64_t bytes) {
    return BufferType::get(
        &context, shape, mlir::IntegerType::get(&context, unsigned(8 * bytes)),
        make(&context, {fast, 1 - fast}, shape[fast], bytes));
  }
};

SharedAttr plain(mlir::MLIRContext *context, llvm::ArrayRef<unsigned> order,
                 int64_t unit, int64_t) {
  return SharedAttr::get(context, order, unit, 0, 4, 3);
}

/// Lanes that meet in a bank, the most of any access of the tile by this
/// layout: 32 banks of 4 bytes, which serve 128 bytes at a time.
int64_t conflicts(BufferType type, const Layout &layout) {
  const int64_t bytes = tile::storageBytes(type.getElementType()),
                vector = vectorOfBuffer(type, layout, 16),
                lanes = layout.size(Axis::Lane),
                together =
                    std::min(lanes, 128 / std::max<int64_t>(4, vector * bytes));
  int64_t most = 0;
  for (int64_t warp = 0; warp < layout.size(Axis::Warp); ++warp) {
    for (int64_t reg = 0; reg < layout.size(Axis::Register); reg += vector) {
      for (int64_t first = 0; first < lanes; first += together) {
        std::map<int64_t, std::set<int64_t>> words; // of each bank
        for (int64_t lane = first; lane < first + together; ++lane) {
          const int64_t begin =
              type.getOffset(layout.apply(Place{{reg, lane, warp, 0}}));
          for (int64_t byte = begin; byte < begin + vector * bytes; ++byte) {
            words[byte / 4 % 32].insert(byte / 4);
          }
        }
        for (auto &[bank, different] : words) {
          most = std::max(most, int64_t(different.size()));
        }
      }
    }
  }
  return most;
}

/// Lanes that lie in one column, below each other: `unit` bytes each, then the
/// next unit.
Layout columnLayout(llvm::ArrayRef<int64_t> shape, unsigned fast, int64_t bytes,
                    int64_t vector, int64_t lanes) {
  Layout layout(2);
  auto add = [&](Axis axis, unsigned dim, int64_t step) {
    Coordinates basis(2, 0);
    basis[dim] = step;
    layout.addBit(axis, basis);
  };
  const int64_t unit = 16 / bytes;
  int64_t at = 1, row = 1;
  for (; at < vector; at *= 2) {
    add(Axis::Register, fast, at);
  }
  int64_t lane = 1;
  for (; at < unit && lane < lanes; at *= 2, lane *= 2) {
    add(Axis::Lane, fast, at);
  }
  for (; row < shape[1 - fast] && lane < lanes; row *= 2, lane *= 2) {
    add(Axis::Lane, 1 - fast, row);
  }
  for (; at < shape[fast] && lane < lanes; at *= 2, lane *= 2) {
    add(Axis::Lane, fast, at);
  }
  for (; at < shape[fast]; at *= 2) {
    add(Axis::Register, fast, at);
  }
  for (; row < shape[1 - fast]; row *= 2) {
    add(Axis::Register, 1 - fast, row);
  }
  return layout;
}

TEST_F(Shared, EveryElementHasItsPlace) {
  for (Maker make :
       {Maker(swizzledShared), Maker(paddedShared), Maker(plain)}) {
    for (int round = 0; round < 60; ++round) {
      const int64_t bytes = oneOf({1, 2, 4, 8});
      const unsigned fast = random() % 2;
      int64_t shape[2];
      shape[fast] = oneOf({16, 32, 48, 64, 80, 128, 192, 256});
      shape[1 - fast] = oneOf({1, 2, 5, 8, 16, 48, 64});
      const BufferType type = buffer(make, shape, fast, bytes);
      SCOPED_TRACE(testing::Message() << shape[0] << " x " << shape[1] << " of "
                                      << bytes << ", fast " << fast);
      std::set<int64_t> places;
      const int64_t run = type.getRun();
      int64_t at[2];
      for (at[0] = 0; at[0] < shape[0]; ++at[0]) {
        for (at[1] = 0; at[1] < shape[1]; ++at[1]) {
          const int64_t place = type.getOffset(at);
          EXPECT_TRUE(places.insert(place).second);
          EXPECT_LE(place + bytes, type.getBytes());
          // Vectors of 16 bytes, as far as a run goes, lie in one piece.
          const int64_t vector = std::min(run, 16 / bytes);
          int64_t first[2] = {at[0], at[1]};
          first[fast] -= first[fast] % vector;
          const int64_t begin = type.getOffset(first);
          EXPECT_EQ(begin % (vector * bytes), 0);
          EXPECT_EQ(place, begin + (at[fast] - first[fast]) * bytes);
        }
      }
    }
  }
}

TEST_F(Shared, RowsAndColumnsHaveNoConflicts) {
  int64_t worstPlain = 0;
  for (int round = 0; round < 300; ++round) {
    const int64_t bytes = oneOf({1, 2, 4}), lanes = oneOf({8, 16, 32, 64}),
                  warps = oneOf({1, 2, 4});
    const unsigned fast = random() % 2;
    int64_t shape[2];
    shape[fast] = oneOf({16, 32, 64, 128, 256, 512}) / bytes;
    shape[1 - fast] = oneOf({8, 16, 32, 64});
    const unsigned order[] = {fast, 1 - fast};
    const Layout rows = blockedLayout(
        {shape, 16 / bytes, order, unsigned(lanes), unsigned(warps)});
    // As operands of matrix instructions are read: 4 bytes a lane, or more.
    const int64_t vector = oneOf({4, 8, 16}) / bytes;
    const Layout columns = columnLayout(shape, fast, bytes, vector, lanes);
    for (Maker make : {Maker(swizzledShared), Maker(paddedShared)}) {
      const BufferType type = buffer(make, shape, fast, bytes);
      SCOPED_TRACE(testing::Message() << shape[0] << " x " << shape[1] << " of "
                                      << bytes << ", fast " << fast << "\n"
                                      << rows.str() << "\n"
                                      << columns.str());
      EXPECT_EQ(conflicts(type, rows), 1);
      EXPECT_EQ(conflicts(type, columns), 1);
    }
    worstPlain = std::max(
        worstPlain, conflicts(buffer(plain, shape, fast, bytes), columns));
  }
  EXPECT_GE(worstPlain, 8) << "the test sees conflicts";
}

/// Layouts of all kinds: no more conflicts than rows without either have.
TEST_F(Shared, OtherAccessesAreNoWorse) {
  for (int round = 0; round < 300; ++round) {
    const int64_t bytes = oneOf({1, 2, 4, 8});
    const unsigned fast = random() % 2, along = random() % 2;
    const int64_t shape[] = {oneOf({16, 32, 64, 128}),
                             oneOf({16, 32, 64, 128})};
    const unsigned order[] = {along, 1 - along};
    const Layout layout = blockedLayout({shape, oneOf({1, 2, 4, 8}), order,
                                         unsigned(oneOf({8, 16, 32, 64})),
                                         unsigned(oneOf({1, 2, 4}))});
    for (Maker make : {Maker(swizzledShared), Maker(paddedShared)}) {
      SCOPED_TRACE(testing::Message() << shape[0] << " x " << shape[1] << " of "
                                      << bytes << ", fast " << fast << "\n"
                                      << layout.str());
      EXPECT_LE(conflicts(buffer(make, shape, fast, bytes), layout),
                conflicts(buffer(plain, shape, fast, bytes), layout));
    }
  }
}

} // namespace
