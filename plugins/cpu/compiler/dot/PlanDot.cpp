//===- PlanDot.cpp - Block sizes of a matrix product ----------------------===//
//
// What   planDot: which instruction, how many rows and columns at once.
// Why    A pure function with a small cost model, so that a shape's choice can
//        be tested and read without emitting anything.
//
// Model  A step of k of an mr x nv block costs the most of: multiply-adds at
//        two a cycle, loads at two a cycle, four micro-operations a cycle, and
//        the latency of a multiply-add. To that the block's share of reading and
//        writing its accumulators is added. Products of bf16 and int8 are
//        modelled on tiles of AMX, too, where there are some.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/dot/Dot.h"

#include <algorithm>

using namespace llvm;

namespace tz::cpu {

namespace {

constexpr double FmaLatency = 4;
constexpr double CallCycles = 12;

/// Rows of a tile register of AMX, and its columns of 4 bytes.
constexpr int64_t TileSide = 16;
constexpr int64_t TileRowBytes = 64;
/// A product of two tiles occupies the unit for this long. Another one may
/// add to the same sums after the latency.
constexpr double TileCycles = 16, TileLatency = 52;
/// To configure the tiles, and to release them.
constexpr double TileSetupCycles = 150;

int64_t roundUp(int64_t value, int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

double blockCycles(double mr, double nv, double steps) {
  double fma = mr * nv / 2;
  double loads = (mr + nv) / 2;
  double issue = (mr * nv + (nv > 1 ? mr : 0) + nv + 1) / 4;
  // Few accumulators are split over neighbouring steps; see MicroKernel.cpp.
  double sets = std::clamp(8 / (mr * nv), 1.0, 4.0);
  double latency = FmaLatency / sets;
  return steps * std::max({fma, loads, issue, latency}) + 1.5 * mr * nv +
         CallCycles;
}

double totalCycles(int64_t M, int64_t vectors, double steps, int64_t mr,
                   int64_t nv) {
  auto rows = [&](double columns) {
    double cycles = static_cast<double>(M / mr) *
                    blockCycles(static_cast<double>(mr), columns, steps);
    if (M % mr) {
      cycles += blockCycles(static_cast<double>(M % mr), columns, steps);
    }
    return cycles;
  };
  double cycles =
      static_cast<double>(vectors / nv) * rows(static_cast<double>(nv));
  if (vectors % nv) {
    cycles += rows(static_cast<double>(vectors % nv));
  }
  return cycles;
}

/// A product on tiles: the products and, for each block of sums, reading and
/// writing it.
double tileCycles(const DotPlan &plan) {
  const auto rows = static_cast<double>(roundUp(plan.M, TileSide) / TileSide),
             columns =
                 static_cast<double>(roundUp(plan.N, TileSide) / TileSide),
             steps = static_cast<double>(
                 plan.paddedK / (TileRowBytes / 4 * int64_t{plan.kGroup}));
  const double sums = std::min(rows * columns, 4.0);
  return TileSetupCycles +
         rows * columns *
             (steps * std::max(TileCycles, TileLatency / sums) + TileCycles);
}

/// Blocks of tiles for the plan's shape: two by two, or four in a row where
/// the other side has one.
void planTiles(DotPlan &plan, DotKind kind) {
  plan.kind = kind;
  plan.kGroup = kind == DotKind::TileI8 ? 4 : 2;
  plan.lanes = TileSide;
  const int64_t depth = TileRowBytes / 4 * int64_t{plan.kGroup},
                elementBytes = 4 / plan.kGroup;
  plan.paddedK = roundUp(plan.K, depth);
  const int64_t tileRows = roundUp(plan.M, TileSide) / TileSide,
                tileColumns = roundUp(plan.N, TileSide) / TileSide;
  const int64_t across = tileRows == 1 ? std::min<int64_t>(tileColumns, 4)
                                       : std::min<int64_t>(tileColumns, 2);
  const int64_t down = tileColumns == 1 ? std::min<int64_t>(tileRows, 4)
                                        : std::min<int64_t>(tileRows, 2);
  plan.NR = static_cast<unsigned>(across * TileSide);
  plan.MR = static_cast<unsigned>(down * TileSide);
  // Rows an odd number of lines apart: those of a tile lie in different sets
  // of the first-level cache.
  plan.lda = (plan.paddedK / depth % 2 ? plan.paddedK : plan.paddedK + depth);
  plan.packedABytes =
      static_cast<uint64_t>(plan.M * plan.lda * elementBytes + 64);
  plan.packedBBytes = static_cast<uint64_t>(
      roundUp(plan.N, plan.NR) * plan.paddedK * elementBytes + 64);
}

} // namespace

DotPlan planDot(const Isa &isa, DotInput input, int64_t M, int64_t N,
                int64_t K) {
  DotPlan plan{};
  plan.isa = isa;
  plan.input = input;
  plan.M = M;
  plan.N = N;
  plan.K = K;
  switch (input) {
  case DotInput::F64:
    plan.kind = DotKind::FmaF64;
    break;
  case DotInput::I8:
    plan.kind = DotKind::PairI16;
    break;
  case DotInput::BF16:
    plan.kind = isa.avx512bf16 ? DotKind::PairBF16 : DotKind::FmaF32;
    break;
  case DotInput::F32:
  case DotInput::F16:
    plan.kind = DotKind::FmaF32;
    break;
  }
  bool pairs = plan.kind == DotKind::PairBF16 || plan.kind == DotKind::PairI16;
  plan.kGroup = pairs ? 2 : 1;
  plan.paddedK = roundUp(K, plan.kGroup);
  plan.lanes = isa.lanes(plan.kind == DotKind::FmaF64 ? 64 : 32);
  const int64_t vectors = roundUp(N, plan.lanes) / plan.lanes;
  const auto steps = static_cast<double>(plan.paddedK / plan.kGroup);

  // Accumulators, nv registers of B, one of A. Where product and sum are two
  // instructions, several products are in flight (measured: fewer than six
  // registers for them make the allocator spill).
  const bool fused = plan.kind == DotKind::PairI16 ? isa.avx512vnni : isa.fma;
  const int64_t registers = isa.registers() - (fused ? 0 : 6);
  double best = 0;
  for (int64_t nv = 1; nv <= std::min<int64_t>(vectors, 6); ++nv) {
    for (int64_t mr = 1; mr <= std::min<int64_t>(M, 28); ++mr) {
      if (mr * nv + nv + 1 > registers) {
        break;
      }
      double cycles = totalCycles(M, vectors, steps, mr, nv);
      if (plan.MR == 0 || cycles < best * 0.995) {
        best = cycles;
        plan.MR = static_cast<unsigned>(mr);
        plan.NR = static_cast<unsigned>(nv) * plan.lanes;
      }
    }
  }
  const int64_t elementBytes = plan.kind == DotKind::FmaF64 ? 8 : pairs ? 2 : 4;
  plan.lda = roundUp(plan.paddedK, int64_t{plan.lanes} * plan.kGroup);
  // Behind each operand one line for where it came from; see Origin.h.
  plan.packedABytes =
      static_cast<uint64_t>(roundUp(M * plan.lda * elementBytes, 64) + 64);
  plan.packedBBytes = static_cast<uint64_t>(
      roundUp(roundUp(N, plan.NR) * plan.paddedK * elementBytes, 64) + 64);
  const bool realTiles = input == DotInput::BF16 && isa.amxBf16,
             integerTiles = input == DotInput::I8 && isa.amxInt8;
  if (realTiles || integerTiles) {
    DotPlan onTiles = plan;
    planTiles(onTiles, realTiles ? DotKind::TileBF16 : DotKind::TileI8);
    if (tileCycles(onTiles) < best) {
      return onTiles;
    }
  }
  return plan;
}

Type *DotPlan::packedType(LLVMContext &ctx) const {
  switch (kind) {
  case DotKind::FmaF64:
    return Type::getDoubleTy(ctx);
  case DotKind::PairBF16:
  case DotKind::TileBF16:
    return Type::getBFloatTy(ctx);
  case DotKind::PairI16:
    return Type::getInt16Ty(ctx);
  case DotKind::TileI8:
    return Type::getInt8Ty(ctx);
  case DotKind::FmaF32:
    break;
  }
  return Type::getFloatTy(ctx);
}

Type *DotPlan::accType(LLVMContext &ctx) const {
  return kind == DotKind::FmaF64 ? Type::getDoubleTy(ctx)
         : input == DotInput::I8 ? Type::getInt32Ty(ctx)
                                 : Type::getFloatTy(ctx);
}

} // namespace tz::cpu
