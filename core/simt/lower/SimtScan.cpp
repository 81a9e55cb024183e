//===- SimtScan.cpp - scans -----------------------------------------------===//
//
// What   Each value of a line combined with those before it: in a thread's
//        registers, then over lanes by shuffles, then over warps through shared
//        memory.
// Why    See terrazzo/simt/SimtLowering.h.
//===----------------------------------------------------------------------===//
#include "core/simt/layout/Operations.h"
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
  void scanTogether(MutableArrayRef<Line> runs);
  void leaveParts(ArrayRef<Region> regions, ArrayRef<Registers> ofRuns);
  SmallVector<Before> beforeParts(ArrayRef<Region> regions, unsigned runs);
  void setResults(const Line &run, ArrayRef<Registers> own,
                  const Before &before);
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
      stretch(scanStretch(layout, op.getAxis()).value_or(0)) {
  auto lanes = bitsAlong(layout, Axis::Lane, op.getAxis());
  auto warps = bitsAlong(layout, Axis::Warp, op.getAxis());
  // Lanes of a line follow each other from lane 0 on, warps too.
  bool isOrdered = lanes && warps && stretch != 0;
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
  setResults(run, own, before);
  if (!isLast) {
    carry = carry ? join(*carry, all) : all;
  }
}

void KernelLowering::Scan::setResults(const Line &run, ArrayRef<Registers> own,
                                      const Before &before) {
  for (auto [values, place] : llvm::zip_equal(own, run)) {
    const Registers made =
        before.values
            ? choose(before.isThere, join(*before.values, values), values)
            : values;
    for (size_t k = 0; k < n; ++k) {
      results[k][place.second] = made[k];
    }
  }
}

/// A word for each run and warp, in the order of the scan; of a warp's last
/// lane.
void KernelLowering::Scan::leaveParts(ArrayRef<Region> regions,
                                      ArrayRef<Registers> ofRuns) {
  in.willAccess({{}, SmallVector<Region>(regions), {}});
  in.emitIf(b.CreateICmpEQ(position, b.getInt32(lanesAlong - 1)), [&] {
    for (auto [run, values] : llvm::enumerate(ofRuns)) {
      Value *at = b.CreateAdd(partOfWarp, b.getInt32(run * warpsAlong));
      for (size_t i = 0; i < n; ++i) {
        in.scratchStore(regions[i], at, values[i], elementOf(i));
      }
    }
  });
  in.willAccess({SmallVector<Region>(regions), {}, {}});
}

/// What lies before this warp's part of each run. The lanes of each warp divide
/// the words and scan them.
SmallVector<KernelLowering::Scan::Before>
KernelLowering::Scan::beforeParts(ArrayRef<Region> regions, unsigned runs) {
  const unsigned words = runs * warpsAlong,
                 each = std::max(1u, words / lanesAlong);
  SmallVector<Registers> upTo; // word by word of this lane
  for (unsigned word = 0; word < each; ++word) {
    Value *at = b.CreateAnd(
        b.CreateAdd(b.CreateMul(position, b.getInt32(each)), b.getInt32(word)),
        words - 1);
    Registers values;
    for (size_t i = 0; i < n; ++i) {
      values.push_back(in.scratchLoad(regions[i], at, elementOf(i)));
    }
    upTo.push_back(upTo.empty() ? values : join(upTo.back(), values));
  }
  const Registers earlier = fromEarlier(overLanes(upTo.back()), 1);
  Value *isFirst = b.CreateICmpEQ(position, b.getInt32(0));
  for (Registers &values : upTo) {
    values = choose(isFirst, values, join(earlier, values));
  }
  SmallVector<Before> all;
  for (unsigned run = 0; run < runs; ++run) {
    // The word before this part's own; any before the first one.
    Value *at = b.CreateAnd(
        b.CreateAdd(partOfWarp, b.getInt32(run * warpsAlong + words - 1)),
        words - 1);
    Registers values = upTo.front();
    Value *word = b.CreateAnd(at, each - 1);
    for (unsigned other = 1; other < each; ++other) {
      values =
          choose(b.CreateICmpEQ(word, b.getInt32(other)), upTo[other], values);
    }
    Value *lane = b.CreateLShr(at, Log2_32(each));
    lane = reverse ? b.CreateSub(b.getInt32(lanesAlong - 1), lane) : lane;
    for (Value *&value : values) {
      value = in.shuffleAny(value, lane);
    }
    all.push_back({values, run != 0
                               ? b.getTrue()
                               : b.CreateICmpNE(partOfWarp, b.getInt32(0))});
  }
  return all;
}

/// Several runs of which each lane has a part: one exchange between warps for
/// all of them.
void KernelLowering::Scan::scanTogether(MutableArrayRef<Line> runs) {
  SmallVector<SmallVector<Registers>> own;
  SmallVector<Registers> all, beforeLane;
  for (Line &run : runs) {
    if (reverse) {
      std::reverse(run.begin(), run.end());
    }
    own.push_back(scanRegisters(run));
    all.push_back(overLanes(own.back().back()));
    beforeLane.push_back(fromEarlier(all.back(), 1));
  }
  SmallVector<Region> regions;
  for (size_t i = 0; i < n; ++i) {
    regions.push_back(in.allocate(uint64_t{runs.size()} * warpsAlong *
                                  tile::storageBytes(elementOf(i))));
  }
  leaveParts(regions, all);
  SmallVector<Before> before = beforeParts(regions, unsigned(runs.size()));
  for (const Region &region : llvm::reverse(regions)) {
    in.scratch.release(region);
  }
  Value *hasEarlier = b.CreateICmpNE(position, b.getInt32(0));
  for (auto [i, run] : llvm::enumerate(runs)) {
    Before here{beforeLane[i], hasEarlier};
    precede(here, *before[i].values, before[i].isThere);
    setResults(run, own[i], here);
  }
}

/// Runs of consecutive registers; several a line where the extent is odd, or
/// where a long tile is scanned as it was loaded.
void KernelLowering::Scan::scanLine(const Line &line) {
  std::map<int64_t, Line> runs;
  for (auto [at, reg] : line) {
    runs[reverse ? -(at / stretch) : at / stretch].push_back({at, reg});
  }
  if (runs.size() > 1 && isPowerOf2_64(runs.size()) && warpsAlong > 1 &&
      warpsAlong == in.warps && lanesAlong == in.hooks.lanes()) {
    SmallVector<Line> ordered;
    for (auto &[number, run] : runs) {
      ordered.push_back(std::move(run));
    }
    scanTogether(ordered);
    return;
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
