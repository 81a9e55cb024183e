//===- SimtScan.cpp - scans -----------------------------------------------===//
//
// What   Each value of a line combined with those before it: in a thread's
//        registers, then over lanes by shuffles, then over warps through shared
//        memory.
// Why    See terrazzo/simt/SimtLowering.h.
//===----------------------------------------------------------------------===//
#include "core/simt/lower/KernelLowering.h"

using namespace llvm;

namespace tz::simt {

/// One scan. "Earlier" is by the order of the scan: in reverse, the last value
/// of a line is the first.
class KernelLowering::Scan {
public:
  Scan(KernelLowering &in, tile::ScanOp op);
  void run();

private:
  /// What lies before the values that a thread holds of a run.
  struct Before {
    std::optional<Registers> values; // valid where `isThere`
    Value *isThere;
  };

  Registers join(const Registers &earlier, const Registers &later) {
    return in.combineValues(op.getCombine(), earlier, later);
  }
  Registers choose(Value *condition, const Registers &yes, const Registers &no);
  mlir::Type elementOf(size_t source) {
    return tile::elementType(op.getSources()[source].getType());
  }
  void scanLine(const Line &line);
  void scanRun(Line &run, bool isLast, std::optional<Registers> &carry);
  SmallVector<Registers> scanRegisters(const Line &run);
  Registers fromEarlier(const Registers &values, unsigned distance);
  Registers ofLastLane(Registers values);
  Registers overLanes(Registers upTo);
  Registers overWarps(const Registers &all, Before &before);
  Value *placeOf(unsigned part, Value *home);
  void precede(Before &before, const Registers &values, Value *isValid);
  void fillCopies(MutableArrayRef<Value *> registers);

  KernelLowering &in;
  IRBuilder<> &b;
  tile::ScanOp op;
  const bool reverse;
  const Layout &layout;
  const size_t n;        // of sources
  const int64_t stretch; // what all threads together hold of a line
  SmallVector<unsigned> laneBits, warpBits; // along the line
  unsigned lanesAlong, warpsAlong;
  Value *position, *partOfWarp; // of this lane and this warp along the line
  SmallVector<Registers> results;
};

KernelLowering::Scan::Scan(KernelLowering &in, tile::ScanOp op)
    : in(in), b(in.b), op(op), reverse(op.getReverse()),
      layout(layoutOf(op.getSources().front())), n(op.getSources().size()),
      stretch(layout.atomShape()[op.getAxis()]) {
  auto lanes = bitsAlong(layout, Axis::Lane, op.getAxis());
  auto warps = bitsAlong(layout, Axis::Warp, op.getAxis());
  // Lanes of a line follow each other from lane 0 on, warps too.
  bool isOrdered = lanes && warps;
  for (unsigned i = 0; isOrdered && i < lanes->size(); ++i) {
    isOrdered = (*lanes)[i] == i;
  }
  if (!isOrdered) {
    in.refuse(op, "a scan of a tile whose layout is not in order");
  }
  laneBits = std::move(*lanes);
  warpBits = std::move(*warps);
  lanesAlong = 1u << laneBits.size();
  warpsAlong = 1u << warpBits.size();
  position = b.CreateAnd(in.lane, lanesAlong - 1);
  partOfWarp = gatherBits(b, in.warp, warpBits);
  if (reverse) {
    position = b.CreateSub(b.getInt32(lanesAlong - 1), position);
    partOfWarp = b.CreateSub(b.getInt32(warpsAlong - 1), partOfWarp);
  }
}

Registers KernelLowering::Scan::choose(Value *condition, const Registers &yes,
                                       const Registers &no) {
  Registers chosen;
  for (size_t i = 0; i < n; ++i) {
    chosen.push_back(b.CreateSelect(condition, yes[i], no[i]));
  }
  return chosen;
}

/// Of the same lane counted from so many before this one; any where there is
/// none.
Registers KernelLowering::Scan::fromEarlier(const Registers &values,
                                            unsigned distance) {
  Value *source = reverse ? b.CreateAdd(in.lane, b.getInt32(distance))
                          : b.CreateSub(in.lane, b.getInt32(distance));
  source = b.CreateAnd(source, in.hooks.lanes() - 1);
  Registers got;
  for (Value *value : values) {
    got.push_back(in.shuffleAny(value, source));
  }
  return got;
}

void KernelLowering::Scan::precede(Before &before, const Registers &values,
                                   Value *isValid) {
  if (!before.values) {
    before = {values, isValid};
    return;
  }
  Registers both = choose(before.isThere, join(values, *before.values), values);
  before.values = choose(isValid, both, *before.values);
  before.isThere = b.CreateOr(before.isThere, isValid);
}

/// Each value of the run with those before it in the same thread.
SmallVector<Registers> KernelLowering::Scan::scanRegisters(const Line &run) {
  SmallVector<Registers> own;
  for (auto [at, reg] : run) {
    Registers values;
    for (mlir::Value source : op.getSources()) {
      values.push_back(in.tile(source)[reg]);
    }
    own.push_back(own.empty() ? values : join(own.back(), values));
  }
  return own;
}

/// From what each thread has of a run to what it and the lanes before it have.
Registers KernelLowering::Scan::overLanes(Registers upTo) {
  for (unsigned distance = 1; distance < lanesAlong; distance *= 2) {
    Registers earlier = fromEarlier(upTo, distance);
    upTo = choose(b.CreateICmpUGE(position, b.getInt32(distance)),
                  join(earlier, upTo), upTo);
  }
  return upTo;
}

/// Of the last of the lanes that share a line.
Registers KernelLowering::Scan::ofLastLane(Registers values) {
  Value *lastLane = reverse ? b.CreateAnd(in.lane, ~(lanesAlong - 1))
                            : b.CreateOr(in.lane, lanesAlong - 1);
  for (Value *&value : values) {
    value = in.shuffleAny(value, lastLane);
  }
  return values;
}

/// The word that a warp has left: of the part of the line that it holds.
Value *KernelLowering::Scan::placeOf(unsigned part, Value *home) {
  uint32_t bits = 0;
  for (auto [i, bit] : llvm::enumerate(warpBits)) {
    bits |= (part >> i & 1) << bit;
  }
  return b.CreateAdd(
      b.CreateMul(b.CreateOr(home, bits), b.getInt32(in.hooks.lanes())),
      in.lane);
}

/// From what this warp has of a run to what the block has.
Registers KernelLowering::Scan::overWarps(const Registers &all,
                                          Before &before) {
  // One word per warp, line and lane group: all lanes that hold the line.
  const unsigned threads = in.hooks.lanes() * in.warps;
  SmallVector<Region> regions;
  for (size_t i = 0; i < n; ++i) {
    regions.push_back(
        in.allocate(uint64_t{threads} * tile::storageBytes(elementOf(i))));
  }
  in.willAccess({{}, regions, {}});
  for (size_t i = 0; i < n; ++i) {
    in.scratchStore(regions[i], in.thread, all[i], elementOf(i));
  }
  in.willAccess({regions, {}, {}});
  std::optional<Registers> sum, prefix;
  uint32_t warpMask = 0;
  for (unsigned bit : warpBits) {
    warpMask |= 1u << bit;
  }
  Value *home = b.CreateAnd(in.warp, ~warpMask);
  for (unsigned p = 0; p < warpsAlong; ++p) {
    Value *at = placeOf(reverse ? warpsAlong - 1 - p : p, home);
    Registers values;
    for (size_t i = 0; i < n; ++i) {
      values.push_back(in.scratchLoad(regions[i], at, elementOf(i)));
    }
    // What lies before part p is the sum of the parts so far.
    if (sum) {
      Value *isMine = b.CreateICmpEQ(partOfWarp, b.getInt32(p));
      prefix = prefix ? choose(isMine, *sum, *prefix) : *sum;
    }
    sum = sum ? join(*sum, values) : values;
  }
  precede(before, *prefix, b.CreateICmpNE(partOfWarp, b.getInt32(0)));
  for (const Region &region : llvm::reverse(regions)) {
    in.scratch.release(region);
  }
  return *sum;
}

/// Consecutive registers of a line. `carry`: of the runs before, then also of
/// this one, if another one follows.
void KernelLowering::Scan::scanRun(Line &run, bool isLast,
                                   std::optional<Registers> &carry) {
  if (reverse) {
    std::reverse(run.begin(), run.end());
  }
  SmallVector<Registers> own = scanRegisters(run);
  Before before{std::nullopt, b.getFalse()};
  Registers all = overLanes(own.back());
  if (lanesAlong > 1) {
    if (run.size() == 1) {
      own.back() = all; // with the lanes before
    } else {
      before.values = fromEarlier(all, 1);
      before.isThere = b.CreateICmpNE(position, b.getInt32(0));
    }
    if (!isLast || warpsAlong > 1) {
      all = ofLastLane(all);
    }
  }
  if (warpsAlong > 1) {
    all = overWarps(all, before);
  }
  if (carry) {
    precede(before, *carry, b.getTrue());
  }
  for (auto [i, place] : llvm::enumerate(run)) {
    Registers values = own[i];
    if (before.values) {
      values = choose(before.isThere, join(*before.values, values), values);
    }
    for (size_t k = 0; k < n; ++k) {
      results[k][place.second] = values[k];
    }
  }
  if (!isLast) {
    carry = carry ? join(*carry, all) : all;
  }
}

/// Runs of consecutive registers; several a line where the extent is odd.
void KernelLowering::Scan::scanLine(const Line &line) {
  std::map<int64_t, Line> runs;
  for (auto [at, reg] : line) {
    runs[reverse ? -(at / stretch) : at / stretch].push_back({at, reg});
  }
  std::optional<Registers> carry;
  for (auto &[number, run] : runs) {
    scanRun(run, number == runs.rbegin()->first, carry);
  }
}

/// Registers that hold what a lower one holds as well.
void KernelLowering::Scan::fillCopies(MutableArrayRef<Value *> registers) {
  std::map<Coordinates, Value *> at;
  for (unsigned reg = 0; reg < registers.size(); ++reg) {
    Value *&known = at[layout.apply(Place{{reg, 0, 0, 0}})];
    known = registers[reg] ? registers[reg] : known;
    registers[reg] = known;
  }
}

void KernelLowering::Scan::run() {
  for (size_t i = 0; i < n; ++i) {
    results.emplace_back(size_t(layout.size(Axis::Register)), nullptr);
  }
  auto isCopy = [&](unsigned reg) { return in.isCopy(layout, reg); };
  for (auto &[key, line] : linesOf(layout, op.getAxis(), isCopy)) {
    scanLine(line);
  }
  for (size_t i = 0; i < n; ++i) {
    fillCopies(results[i]);
    in.define(op.getResults()[i], std::move(results[i]));
  }
}

void KernelLowering::scan(tile::ScanOp op) { Scan(*this, op).run(); }

} // namespace tz::simt
