//===- SharedRowsTest.cpp - exchanges and the banks they meet -------------===//
//
// What   Transactions of accesses, counted by hand; and of distances that are
// chosen:
//        no two elements lie in one place, every vector is aligned, and no more
//        transactions are taken than with rows that are apart by a vector.
// Why    A wrong distance is a wrong number in every kernel that exchanges; a
//        bad one costs several times the time.
//===----------------------------------------------------------------------===//
#include "core/simt/layout/SharedRows.h"

#include <gtest/gtest.h>
#include <set>

using namespace tz::simt;

namespace {

using Addresses = llvm::SmallVector<int64_t>;

Addresses apart(int64_t bytes) {
  Addresses all;
  for (int64_t lane = 0; lane < 32; ++lane) {
    all.push_back(lane * bytes);
  }
  return all;
}

TEST(SharedRows, BankTransactions) {
  EXPECT_EQ(bankTransactions(apart(4), 4), 1U);
  EXPECT_EQ(bankTransactions(apart(0), 4), 1U); // one word for all
  EXPECT_EQ(bankTransactions(apart(2), 2), 1U); // two lanes share a word
  EXPECT_EQ(bankTransactions(apart(8), 4), 2U);
  EXPECT_EQ(bankTransactions(apart(128), 4), 32U);
  EXPECT_EQ(bankTransactions(apart(132), 4), 1U);
  // Eight lanes of 16 bytes fill the banks.
  EXPECT_EQ(bankTransactions(apart(16), 16), 4U);
  EXPECT_EQ(bankTransactions(apart(128), 16), 32U);
  EXPECT_EQ(bankTransactions(apart(144), 16), 4U);
}

/// Bits of lanes, then of warps, each along one dimension of two.
Layout layoutOf(std::initializer_list<Coordinates> registers,
                std::initializer_list<Coordinates> lanes,
                std::initializer_list<Coordinates> warps) {
  Layout layout(2);
  for (const Coordinates &basis : registers) {
    layout.addBit(Axis::Register, basis);
  }
  for (const Coordinates &basis : lanes) {
    layout.addBit(Axis::Lane, basis);
  }
  for (const Coordinates &basis : warps) {
    layout.addBit(Axis::Warp, basis);
  }
  return layout;
}

// Rows of 16 elements are written along their length and read by lanes that are
// eight rows apart.
TEST(SharedRows, LanesEightRowsApart) {
  const Layout from =
      layoutOf({{8, 0}, {16, 0}, {32, 0}, {64, 0}, {128, 0}},
               {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {1, 0}}, {{2, 0}, {4, 0}});
  const Layout to =
      layoutOf({{1, 0}, {2, 0}, {4, 0}, {0, 4}, {0, 8}},
               {{8, 0}, {16, 0}, {32, 0}, {64, 0}, {128, 0}}, {{0, 1}, {0, 2}});
  const Coordinates shape = {256, 16};
  const ExchangeShape exchange{shape, 4, 16, 0};
  SharedRows byVectors;
  byVectors.pitches = {20, 1};
  byVectors.fast = 1;
  byVectors.run = 4;
  // Of 32 reads each lane is served alone: all want one bank.
  EXPECT_EQ(exchangeTransactions(byVectors, from, to, exchange),
            32U * 32U + 32U * 2U);
  const SharedRows chosen = rowsBetween(from, to, exchange);
  EXPECT_LE(exchangeTransactions(chosen, from, to, exchange),
            32U * 4U + 32U * 2U);
}

// What lies along columns in registers is written along them, whoever reads it.
TEST(SharedRows, ColumnsOfRegisters) {
  const Layout from =
      layoutOf({{1, 0}, {2, 0}}, {{4, 0}, {8, 0}, {16, 0}, {32, 0}, {0, 1}},
               {{0, 2}, {0, 4}});
  const Layout to =
      layoutOf({{16, 0}, {32, 0}}, {{0, 1}, {0, 2}, {0, 4}, {1, 0}, {2, 0}},
               {{4, 0}, {8, 0}});
  const Coordinates shape = {64, 8};
  const ExchangeShape exchange{shape, 2, 16, 0};
  const SharedRows chosen = rowsBetween(from, to, exchange);
  EXPECT_EQ(chosen.fast, 0U);
  EXPECT_GE(chosen.run, 4);
  // One write of 8 bytes a lane takes two transactions, and four reads take one
  // each.
  EXPECT_EQ(exchangeTransactions(chosen, from, to, exchange), 2U + 4U);
}

// Of one dimension, parts may be apart.
TEST(SharedRows, LanesOfOneDimension) {
  Layout from(1), to(1);
  for (int64_t bit = 0; bit < 10; ++bit) {
    const Coordinates basis = {int64_t{1} << bit};
    from.addBit(bit < 5 ? Axis::Lane : Axis::Register, basis);
    to.addBit(bit < 5 ? Axis::Register : Axis::Lane, basis);
  }
  const Coordinates shape = {1024};
  const ExchangeShape exchange{shape, 4, 16, 0};
  const SharedRows chosen = rowsBetween(from, to, exchange);
  // 32 writes of a row of words, 8 reads of 16 bytes a lane.
  EXPECT_EQ(exchangeTransactions(chosen, from, to, exchange), 32U + 8U * 4U);
}

void expectRight(const Layout &from, const Layout &to, int64_t bytes) {
  const Coordinates shape = from.shape();
  const ExchangeShape exchange{shape, bytes, 16, 0};
  const SharedRows rows = rowsBetween(from, to, exchange);
  const unsigned fast = rows.fast, slow = 1 - fast;
  const int64_t vector = std::min(rows.run, 16 / bytes);
  std::set<int64_t> places;
  Coordinates at(2, 0);
  for (at[slow] = 0; at[slow] < shape[slow]; ++at[slow]) {
    for (at[fast] = 0; at[fast] < shape[fast]; ++at[fast]) {
      const int64_t place = rows.at(at);
      EXPECT_TRUE(places.insert(place).second) << from.str();
      EXPECT_LT(place, rows.elements) << from.str();
      // A vector is aligned, and its elements follow each other.
      EXPECT_EQ(place % vector, at[fast] % vector) << from.str();
    }
  }
  SharedRows byVectors;
  byVectors.pitches = {shape[1] + 16 / bytes, 1};
  byVectors.fast = 1;
  byVectors.run =
      std::min(byVectors.pitches[0] & -byVectors.pitches[0], shape[1]);
  EXPECT_LE(exchangeTransactions(rows, from, to, exchange),
            exchangeTransactions(byVectors, from, to, exchange))
      << from.str() << " -> " << to.str();
}

TEST(SharedRows, EveryElementHasItsPlace) {
  for (int64_t bytes : {1, 2, 4, 8}) {
    for (auto [rows, columns] : {std::pair<int64_t, int64_t>{256, 16},
                                 {16, 256},
                                 {64, 64},
                                 {8, 32},
                                 {128, 4},
                                 {48, 40}}) {
      const Coordinates shape = {rows, columns};
      const unsigned alongRows[] = {1, 0}, alongColumns[] = {0, 1};
      for (int64_t vector : {1, 4, 8}) {
        const Layout across = blockedLayout({shape, vector, alongRows, 32, 4});
        const Layout down = blockedLayout({shape, vector, alongColumns, 32, 4});
        expectRight(across, down, bytes);
        expectRight(down, across, bytes);
      }
    }
  }
}

} // namespace
