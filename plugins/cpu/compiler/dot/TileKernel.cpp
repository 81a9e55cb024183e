//===- TileKernel.cpp - Matrix products on the tiles of AMX ---------------===//
//
// What   emitTileDot: the matrix of sums is cut into regions of equal blocks,
//        and each region is a call of a function that is made once for each
//        shape: configure the tiles, loop over blocks, release the tiles.
// Why    The eight tile registers are named in the instructions, not allocated:
//        they never spill, and the code is what is written here. The sizes of a
//        register hold for a configuration, so edges are regions of their own.
//
// Registers. 0 to 3 hold sums, 4 and 5 rows of A, 6 and 7 columns of B. A
// block has at most four tiles of sums, and so four products that do not wait
// for each other. They cover the latency of a product.
//
// Denormal operands count as zero and results round to nearest even, whatever
// MXCSR says; the specification allows both for a dot (P13).
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/dot/TileKernel.h"

#include "plugins/cpu/compiler/dot/EmitFor.h"
#include "plugins/cpu/compiler/dot/Shared.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

#include <array>

using namespace llvm;

namespace tz::cpu {

namespace {

constexpr int64_t Side = 16;     ///< rows of a tile; also its columns of sums
constexpr int64_t RowBytes = 64; ///< of a tile
constexpr unsigned FirstOfA = 4, FirstOfB = 6, NumTiles = 8;

/// Equal blocks: `down` x `across` tiles of sums, each of `rows` x `columns`.
/// Only blocks of one tile in a direction have less than 16 there.
struct Region {
  int64_t down, across, rows, columns;
};

/// What LDTILECFG reads: the palette, then the bytes of a row and the number
/// of rows of each register.
Constant *configuration(Module &module, const Region &region) {
  std::array<uint8_t, 64> bytes{};
  bytes[0] = 1; // the palette of eight tiles
  for (unsigned tile = 0; tile < NumTiles; ++tile) {
    const bool isA = tile >= FirstOfA && tile < FirstOfB,
               isB = tile >= FirstOfB;
    bytes[16 + 2 * tile] =
        static_cast<uint8_t>(isA ? RowBytes : region.columns * 4);
    bytes[48 + tile] = static_cast<uint8_t>(isB ? Side : region.rows);
  }
  SmallString<32> name;
  raw_svector_ostream(name)
      << "tz.tiles." << region.rows << "x" << region.columns;
  if (GlobalVariable *known = module.getNamedGlobal(name)) {
    return known;
  }
  Constant *data = ConstantDataArray::get(module.getContext(), bytes);
  auto *global =
      new GlobalVariable(module, data->getType(), /*isConstant=*/true,
                         GlobalValue::InternalLinkage, data, name);
  global->setAlignment(Align(64));
  return global;
}

/// The function of a region:
///   void f(ptr a, i64 bytes of a row of a, ptr panels of b, ptr acc,
///          i64 bytes of a row of acc, i64 blocks down, i64 panels)
class RegionFunction {
public:
  RegionFunction(const DotPlan &plan, const Region &region, bool accumulate,
                 Function *function)
      : plan(plan), region(region), accumulate(accumulate), function(function),
        b(BasicBlock::Create(function->getContext(), "", function)),
        panelRowBytes(int64_t{plan.NR} * 4),
        steps(plan.paddedK / (int64_t{plan.kGroup} * Side)) {}

  void emit();

private:
  Value *constant(int64_t value) {
    return b.getInt64(static_cast<uint64_t>(value));
  }
  Value *offset(Value *pointer, Value *bytes) {
    return b.CreateGEP(b.getInt8Ty(), pointer, bytes);
  }
  void block(Value *a, Value *panel, Value *acc);
  void step(Value *a, Value *panel);
  /// Calls f(tile, its row of blocks, its column) for each tile of sums.
  void forSums(function_ref<void(unsigned, Value *)> f, Value *acc);
  void load(unsigned tile, Value *address, Value *stride) {
    b.CreateIntrinsic(Intrinsic::x86_tileloadd64, {},
                      {b.getInt8(static_cast<uint8_t>(tile)), address, stride});
  }
  void multiply(unsigned sum, unsigned a, unsigned bTile) {
    b.CreateIntrinsic(plan.kind == DotKind::TileI8 ? Intrinsic::x86_tdpbssd
                                                   : Intrinsic::x86_tdpbf16ps,
                      {},
                      {b.getInt8(static_cast<uint8_t>(sum)),
                       b.getInt8(static_cast<uint8_t>(a)),
                       b.getInt8(static_cast<uint8_t>(bTile))});
  }

  const DotPlan &plan;
  const Region &region;
  const bool accumulate;
  Function *function;
  IRBuilder<> b;
  const int64_t panelRowBytes; ///< from a row of a tile of B to the next
  const int64_t steps;         ///< tiles along k
};

void RegionFunction::forSums(function_ref<void(unsigned, Value *)> f,
                             Value *acc) {
  Value *rowBytes = function->getArg(4);
  for (int64_t row = 0; row < region.down; ++row) {
    Value *line = offset(acc, b.CreateMul(rowBytes, constant(row * Side)));
    for (int64_t column = 0; column < region.across; ++column) {
      f(static_cast<unsigned>(row * region.across + column),
        offset(line, constant(column * RowBytes)));
    }
  }
}

void RegionFunction::step(Value *a, Value *panel) {
  Value *lda = function->getArg(1), *ldb = constant(panelRowBytes);
  auto loadA = [&](int64_t row) {
    const auto tile = static_cast<unsigned>(FirstOfA + row % 2);
    load(tile, offset(a, b.CreateMul(lda, constant(row * Side))), lda);
    return tile;
  };
  auto loadB = [&](int64_t column) {
    const auto tile = static_cast<unsigned>(FirstOfB + column % 2);
    load(tile, offset(panel, constant(column * RowBytes)), ldb);
    return tile;
  };
  if (region.down == 1) {
    const unsigned tileA = loadA(0);
    for (int64_t column = 0; column < region.across; ++column) {
      multiply(static_cast<unsigned>(column), tileA, loadB(column));
    }
    return;
  }
  for (int64_t column = 0; column < region.across; ++column) {
    loadB(column);
  }
  for (int64_t row = 0; row < region.down; ++row) {
    const unsigned tileA = loadA(row);
    for (int64_t column = 0; column < region.across; ++column) {
      multiply(static_cast<unsigned>(row * region.across + column), tileA,
               static_cast<unsigned>(FirstOfB + column));
    }
  }
}

void RegionFunction::block(Value *a, Value *panel, Value *acc) {
  forSums(
      [&](unsigned tile, Value *address) {
        if (accumulate) {
          load(tile, address, function->getArg(4));
        } else {
          b.CreateIntrinsic(Intrinsic::x86_tilezero, {},
                            {b.getInt8(static_cast<uint8_t>(tile))});
        }
      },
      acc);
  emitFor(b, constant(0), constant(steps), 1, [&](Value *k) {
    step(offset(a, b.CreateMul(k, constant(RowBytes))),
         offset(panel, b.CreateMul(k, constant(Side * panelRowBytes))));
  });
  forSums(
      [&](unsigned tile, Value *address) {
        b.CreateIntrinsic(Intrinsic::x86_tilestored64, {},
                          {b.getInt8(static_cast<uint8_t>(tile)), address,
                           function->getArg(4)});
      },
      acc);
}

void RegionFunction::emit() {
  Value *a = function->getArg(0), *panels = function->getArg(2),
        *acc = function->getArg(3);
  b.CreateIntrinsic(Intrinsic::x86_ldtilecfg, {},
                    {configuration(*function->getParent(), region)});
  // A panel of B stays in the first-level cache while all rows pass by.
  emitFor(b, constant(0), function->getArg(6), 1, [&](Value *j) {
    Value *panel =
        offset(panels, b.CreateMul(j, constant(steps * Side * panelRowBytes)));
    Value *column = offset(acc, b.CreateMul(j, constant(panelRowBytes)));
    emitFor(b, constant(0), function->getArg(5), 1, [&](Value *i) {
      Value *row = b.CreateMul(i, constant(region.down * Side));
      block(offset(a, b.CreateMul(row, function->getArg(1))), panel,
            offset(column, b.CreateMul(row, function->getArg(4))));
    });
  });
  b.CreateIntrinsic(Intrinsic::x86_tilerelease, ArrayRef<Value *>());
  b.CreateRetVoid();
}

Function *regionFunction(IRBuilderBase &b, const DotPlan &plan,
                         const Region &region, bool accumulate) {
  SmallString<64> name;
  raw_svector_ostream(name)
      << "tz.dot." << static_cast<int>(plan.kind) << "." << region.down << "x"
      << region.across << "." << region.rows << "x" << region.columns << "."
      << plan.NR << ".k" << plan.paddedK << (accumulate ? ".add" : ".set");
  Type *pointer = b.getPtrTy(), *i64 = b.getInt64Ty();
  Function *function =
      sharedFunction(b.GetInsertBlock()->getParent(), name,
                     {pointer, i64, pointer, pointer, i64, i64, i64});
  if (function->empty()) {
    RegionFunction(plan, region, accumulate, function).emit();
  }
  return function;
}

/// Blocks of one side: `count` of `tiles` tiles, from `begin` on; each tile
/// has `size` rows or columns.
struct Part {
  int64_t begin, count, tiles, size;
};

/// Whole blocks, a block of the whole tiles that remain, and a partial tile.
SmallVector<Part, 3> partsOf(int64_t length, int64_t blockLength) {
  SmallVector<Part, 3> parts;
  const int64_t blocks = length / blockLength, inBlocks = blocks * blockLength,
                tiles = (length - inBlocks) / Side,
                inTiles = inBlocks + tiles * Side;
  if (blocks) {
    parts.push_back({0, blocks, blockLength / Side, Side});
  }
  if (tiles) {
    parts.push_back({inBlocks, 1, tiles, Side});
  }
  if (inTiles != length) {
    parts.push_back({inTiles, 1, 1, length - inTiles});
  }
  return parts;
}

} // namespace

void emitTileDot(IRBuilderBase &b, const DotPlan &plan, Value *packedA,
                 Value *lda, Value *packedB, Value *acc, Value *ldAcc,
                 bool accumulate) {
  auto constant = [&](int64_t value) {
    return b.getInt64(static_cast<uint64_t>(value));
  };
  auto offset = [&](Value *pointer, Value *bytes) {
    return b.CreateGEP(b.getInt8Ty(), pointer, bytes);
  };
  Value *rowBytesA = b.CreateMul(lda, constant(4 / plan.kGroup));
  Value *rowBytesAcc = b.CreateMul(ldAcc, constant(4));
  for (const Part &columns : partsOf(plan.N, plan.NR)) {
    // The panel, and the tile in it.
    const int64_t panel = columns.begin / plan.NR,
                  within = columns.begin % plan.NR;
    Value *panels = offset(
        packedB, constant(panel * plan.NR * plan.paddedK / plan.kGroup * 4 +
                          within * 4));
    for (const Part &rows : partsOf(plan.M, plan.MR)) {
      const Region region{rows.tiles, columns.tiles, rows.size, columns.size};
      Value *begin = constant(rows.begin);
      b.CreateCall(
          regionFunction(b, plan, region, accumulate),
          {offset(packedA, b.CreateMul(begin, rowBytesA)), rowBytesA, panels,
           offset(offset(acc, b.CreateMul(begin, rowBytesAcc)),
                  constant(columns.begin * 4)),
           rowBytesAcc, constant(rows.count), constant(columns.count)});
    }
  }
}

} // namespace tz::cpu
