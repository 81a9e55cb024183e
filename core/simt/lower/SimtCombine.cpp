//===- SimtCombine.cpp - reductions, scans and maps -----------------------===//
//
// What   Values combined along a dimension: in a thread's registers, then over
//        lanes by shuffles, then over warps through shared memory.
// Why    See terrazzo/simt/SimtLowering.h.
//===----------------------------------------------------------------------===//
#include "core/simt/lower/KernelLowering.h"

#include "llvm/ADT/TypeSwitch.h"

#include <map>

using namespace llvm;

namespace tz::simt {

/// What the region yields for these scalars.
Registers KernelLowering::evaluate(mlir::Region &region,
                                   ArrayRef<Value *> arguments) {
  mlir::Block &body = region.front();
  for (auto [argument, value] :
       llvm::zip_equal(body.getArguments(), arguments)) {
    scalars[argument] = value;
  }
  const bool outer = inScalarRegion;
  inScalarRegion = true;
  emitBlock(body);
  inScalarRegion = outer;
  Registers results;
  for (mlir::Value value : body.getTerminator()->getOperands()) {
    results.push_back(scalar(value));
  }
  return results;
}

Registers KernelLowering::combineValues(mlir::Region &region,
                                        ArrayRef<Value *> first,
                                        ArrayRef<Value *> second) {
  SmallVector<Value *> arguments(first);
  llvm::append_range(arguments, second);
  return evaluate(region, arguments);
}

namespace {
Coordinates without(Coordinates coordinates, unsigned axis) {
  coordinates.erase(coordinates.begin() + axis);
  return coordinates;
}

std::map<Coordinates, Line> linesOf(const Layout &layout, unsigned axis,
                                    function_ref<bool(unsigned)> isCopy) {
  std::map<Coordinates, Line> lines;
  for (unsigned reg = 0; reg < layout.size(Axis::Register); ++reg) {
    if (isCopy(reg)) {
      continue;
    }
    Coordinates at = layout.apply(Place{{reg, 0, 0, 0}});
    lines[without(at, axis)].push_back({at[axis], reg});
  }
  for (auto &[key, line] : lines) {
    llvm::sort(line);
  }
  return lines;
}

/// Bits of an axis whose basis moves along `dim`, and only along it.
std::optional<SmallVector<unsigned>> bitsAlong(const Layout &layout, Axis axis,
                                               unsigned dim) {
  SmallVector<unsigned> bits;
  const uint64_t redundant = layout.redundantBits(axis);
  for (auto [i, basis] : llvm::enumerate(layout.bases(axis))) {
    if (basis[dim] == 0 || redundant >> i & 1) {
      continue;
    }
    for (unsigned other = 0; other < layout.rank(); ++other) {
      if (other != dim && basis[other] != 0) {
        return std::nullopt;
      }
    }
    bits.push_back(unsigned(i));
  }
  return bits;
}

/// What a reduction's region does if it is one op that instructions may do.
std::optional<LaneReduction> laneReductionOf(mlir::Region &region) {
  mlir::Block &body = region.front();
  if (body.getNumArguments() != 2 ||
      !llvm::hasSingleElement(body.without_terminator())) {
    return std::nullopt;
  }
  mlir::Operation &op = body.front();
  auto isArgument = [&](mlir::Value v) {
    return mlir::isa<mlir::BlockArgument>(v) && v.getParentBlock() == &body;
  };
  if (op.getNumOperands() != 2 || !isArgument(op.getOperand(0)) ||
      !isArgument(op.getOperand(1)) || op.getOperand(0) == op.getOperand(1) ||
      body.getTerminator()->getOperand(0) != op.getResult(0)) {
    return std::nullopt;
  }
  return llvm::TypeSwitch<mlir::Operation *, std::optional<LaneReduction>>(&op)
      .Case<mlir::arith::AddIOp>([](auto) { return LaneReduction::add; })
      .Case<tile::MaxSIOp>([](auto) { return LaneReduction::maxs; })
      .Case<tile::MinSIOp>([](auto) { return LaneReduction::mins; })
      .Case<tile::MaxUIOp>([](auto) { return LaneReduction::maxu; })
      .Case<tile::MinUIOp>([](auto) { return LaneReduction::minu; })
      .Case<mlir::arith::AndIOp>([](auto) { return LaneReduction::bitAnd; })
      .Case<mlir::arith::OrIOp>([](auto) { return LaneReduction::bitOr; })
      .Case<mlir::arith::XOrIOp>([](auto) { return LaneReduction::bitXor; })
      .Case<mlir::arith::AddFOp>([](auto) { return LaneReduction::addF; })
      .Case<tile::MaxFOp>([](auto max) {
        return max.getPropagateNan() ? LaneReduction::maxFNan
                                     : LaneReduction::maxF;
      })
      .Case<tile::MinFOp>([](auto min) {
        return min.getPropagateNan() ? LaneReduction::minFNan
                                     : LaneReduction::minF;
      })
      .Default([](auto) { return std::nullopt; });
}

/// Does it give the same for either order of its operands? One op that does.
bool isSymmetric(mlir::Region &region) {
  mlir::Block &body = region.front();
  return body.getNumArguments() == 2 &&
         llvm::hasSingleElement(body.without_terminator()) &&
         (body.front().hasTrait<mlir::OpTrait::IsCommutative>() ||
          isa<tile::MinSIOp, tile::MinUIOp, tile::MaxSIOp, tile::MaxUIOp,
              tile::MinFOp, tile::MaxFOp>(body.front()));
}
} // namespace

Registers KernelLowering::registersOf(tile::ReduceOp op, unsigned reg) {
  return llvm::map_to_vector(
      op.getSources(), [&](mlir::Value source) { return tile(source)[reg]; });
}

/// The registers of a line, as a balanced tree over the index, level by level.
Registers KernelLowering::reduceLine(tile::ReduceOp op, const Line &line) {
  SmallVector<Registers> level;
  for (auto [at, reg] : line) {
    level.push_back(registersOf(op, reg));
  }
  while (level.size() > 1) {
    SmallVector<Registers> next;
    for (size_t i = 0; i + 1 < level.size(); i += 2) {
      next.push_back(combineValues(op.getCombine(), level[i], level[i + 1]));
    }
    if (level.size() % 2) {
      next.push_back(level.back());
    }
    level = std::move(next);
  }
  return level.front();
}

/// The same trees; but the lines take their values side by side, in the order
/// in which a load brings them, and join what can be joined at once. So a
/// thread holds few parts, however many values it has.
std::map<Coordinates, Registers>
KernelLowering::reduceSideBySide(tile::ReduceOp op,
                                 const std::map<Coordinates, Line> &lines) {
  struct Part {
    Registers values;
    size_t count; // of elements
  };
  // Of each line from left to right, each part larger than the next.
  std::map<Coordinates, SmallVector<Part>> trees;
  auto joinLast = [&](SmallVector<Part> &parts) {
    Part last = parts.pop_back_val();
    Part &before = parts.back();
    before = {combineValues(op.getCombine(), before.values, last.values),
              before.count + last.count};
  };
  size_t longest = 0;
  for (auto &[key, line] : lines) {
    longest = std::max(longest, line.size());
  }
  for (size_t i = 0; i < longest; ++i) {
    for (auto &[key, line] : lines) {
      if (i >= line.size()) {
        continue;
      }
      SmallVector<Part> &parts = trees[key];
      parts.push_back({registersOf(op, line[i].second), 1});
      while (parts.size() > 1 &&
             parts.back().count == std::prev(parts.end(), 2)->count) {
        joinLast(parts);
      }
    }
  }
  std::map<Coordinates, Registers> partial;
  for (auto &[key, parts] : trees) {
    while (parts.size() > 1) {
      joinLast(parts);
    }
    partial[key] = std::move(parts.front().values);
  }
  return partial;
}

/// What a thread gets of each of its lines.
std::map<Coordinates, Registers>
KernelLowering::reduceRegisters(tile::ReduceOp op, const Layout &layout) {
  // More values than this, and they are not all held at once. Of more warps
  // each thread has fewer registers.
  constexpr size_t ofAllWarps = 512, most = 64;
  const size_t mostHeld = std::min(most, ofAllWarps / warps);
  const std::map<Coordinates, Line> lines = linesOf(
      layout, op.getAxis(), [&](unsigned reg) { return isCopy(layout, reg); });
  size_t values = 0;
  for (auto &[key, line] : lines) {
    values += line.size() * op.getSources().size();
  }
  if (values > mostHeld) {
    return reduceSideBySide(op, lines);
  }
  std::map<Coordinates, Registers> partial;
  for (auto &[key, line] : lines) {
    partial[key] = reduceLine(op, line);
  }
  return partial;
}

void KernelLowering::reduce(tile::ReduceOp op) {
  const unsigned axis = op.getAxis();
  const Layout &layout = layoutOf(op.getSources().front());
  const size_t n = op.getSources().size();
  auto laneBits = bitsAlong(layout, Axis::Lane, axis);
  auto warpBits = bitsAlong(layout, Axis::Warp, axis);
  const bool overWarpCopies =
      llvm::any_of(layout.repeats(), [&](const Layout::Repeat &copy) {
        return copy.axis == Axis::Warp && copy.dim == axis;
      });
  if (!laneBits || !warpBits || overWarpCopies) {
    refuse(op, "a reduction of a tile whose layout mixes dimensions");
  }
  std::map<Coordinates, Registers> partial = reduceRegisters(op, layout);
  // Lanes.
  std::optional<LaneReduction> kind;
  unsigned together = 0; // bits of the lanes that are combined
  for (unsigned bit : *laneBits) {
    together |= 1u << bit;
  }
  if (together != 0) {
    kind = laneReductionOf(op.getCombine());
  }
  // Narrow floats may stand in registers as integers: no instruction adds
  // those.
  auto isAsked = [&](Value *value) {
    return kind && value->getType()->isFloatingPointTy() ==
                       (*kind >= LaneReduction::addF);
  };
  for (auto &[key, values] : partial) {
    if (Value *reduced = isAsked(values[0])
                             ? hooks.reduceLanes(b, *kind, values[0], together)
                             : nullptr) {
      values[0] = reduced;
      continue;
    }
    for (unsigned bit : *laneBits) {
      Registers others;
      for (Value *value : values) {
        others.push_back(shuffleXorAny(value, 1u << bit));
      }
      values = combineValues(op.getCombine(), values, others);
    }
    // Each lane has combined in an order of its own. The result is one: that of
    // the first lane, which is the one that tells the other warps, too.
    if (warpBits->empty() && !laneBits->empty() &&
        !isSymmetric(op.getCombine())) {
      Value *first = b.CreateAnd(lane, b.getInt32(~together));
      for (Value *&value : values) {
        value = shuffleAny(value, first);
      }
    }
  }
  // Warps: each leaves its part in shared memory, all read all parts.
  Layout reduced = layout.withoutDim(axis);
  SmallVector<int64_t, 4> shape(
      tile::shapeOf(op.getSources().front().getType()));
  shape.erase(shape.begin() + axis);
  auto *mlirContext = op.getContext();
  LayoutAttr resultLayout = LayoutAttr::get(mlirContext, reduced);
  if (!warpBits->empty()) {
    const unsigned parts = 1u << warpBits->size();
    int64_t count = 1;
    for (int64_t extent : shape) {
      count *= extent;
    }
    Value *part = b.getInt32(0);
    for (auto [i, bit] : llvm::enumerate(*warpBits)) {
      part = b.CreateOr(
          part, b.CreateShl(b.CreateAnd(b.CreateLShr(warp, bit), 1), i));
    }
    SmallVector<Region> regions;
    for (mlir::Value source : op.getSources()) {
      mlir::Type element = tile::elementType(source.getType());
      regions.push_back(
          allocate(uint64_t(count) * parts * tile::storageBytes(element)));
    }
    willAccess({{}, regions, {}});
    // One lane of those that hold the same.
    Value *isFirst = nullptr;
    if (uint64_t mask = reduced.redundantBits(Axis::Lane)) {
      isFirst =
          b.CreateICmpEQ(b.CreateAnd(lane, uint32_t(mask)), b.getInt32(0));
    }
    auto index = [&](unsigned reg, Value *ofPart) {
      Value *at =
          shape.empty() ? b.getInt32(0) : linearIndex(resultLayout, reg, shape);
      return b.CreateAdd(b.CreateMul(ofPart, b.getInt32(uint32_t(count))), at);
    };
    auto put = [&] {
      for (unsigned reg = 0; reg < reduced.size(Axis::Register); ++reg) {
        const Registers &values =
            partial.at(reduced.apply(Place{{reg, 0, 0, 0}}));
        Value *at = index(reg, part);
        for (size_t i = 0; i < n; ++i) {
          scratchStore(regions[i], at, values[i],
                       tile::elementType(op.getSources()[i].getType()));
        }
      }
    };
    if (isFirst) {
      emitIf(isFirst, put);
    } else {
      put();
    }
    willAccess({regions, {}, {}});
    for (unsigned reg = 0; reg < reduced.size(Axis::Register); ++reg) {
      SmallVector<Registers> level;
      for (unsigned p = 0; p < parts; ++p) {
        Registers &values = level.emplace_back();
        Value *at = index(reg, b.getInt32(p));
        for (size_t i = 0; i < n; ++i) {
          values.push_back(scratchLoad(
              regions[i], at, tile::elementType(op.getSources()[i].getType())));
        }
      }
      while (level.size() > 1) {
        SmallVector<Registers> next;
        for (size_t i = 0; i + 1 < level.size(); i += 2) {
          next.push_back(
              combineValues(op.getCombine(), level[i], level[i + 1]));
        }
        level = std::move(next);
      }
      partial[reduced.apply(Place{{reg, 0, 0, 0}})] = level[0];
    }
    for (const Region &region : llvm::reverse(regions)) {
      scratch.release(region);
    }
  }
  for (size_t i = 0; i < n; ++i) {
    Registers registers;
    for (unsigned reg = 0; reg < reduced.size(Axis::Register); ++reg) {
      registers.push_back(partial.at(reduced.apply(Place{{reg, 0, 0, 0}}))[i]);
    }
    define(op.getResults()[i], std::move(registers));
  }
}

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

void KernelLowering::scan(tile::ScanOp op) {
  const unsigned axis = op.getAxis();
  const bool reverse = op.getReverse();
  LayoutAttr attribute = layoutAttr(op.getSources().front().getType());
  const Layout &layout = attribute.getValue();
  const size_t n = op.getSources().size();
  auto laneBits = bitsAlong(layout, Axis::Lane, axis);
  auto warpBits = bitsAlong(layout, Axis::Warp, axis);
  // Lanes of a line follow each other from lane 0 on, warps too.
  bool isOrdered = laneBits && warpBits;
  for (unsigned i = 0; isOrdered && i < laneBits->size(); ++i) {
    isOrdered = (*laneBits)[i] == i;
  }
  if (!isOrdered) {
    refuse(op, "a scan of a tile whose layout is not in order");
  }
  const unsigned lanesAlong = 1u << laneBits->size();
  const unsigned warpsAlong = 1u << warpBits->size();

  // Runs of consecutive registers; several a line where the extent is odd.
  auto lines =
      linesOf(layout, axis, [&](unsigned reg) { return isCopy(layout, reg); });
  const int64_t stretch = layout.atomShape()[axis]; // of all threads together
  Value *position = b.CreateAnd(lane, lanesAlong - 1);
  Value *partOfWarp = b.getInt32(0);
  for (auto [i, bit] : llvm::enumerate(*warpBits)) {
    partOfWarp = b.CreateOr(
        partOfWarp, b.CreateShl(b.CreateAnd(b.CreateLShr(warp, bit), 1), i));
  }
  if (reverse) {
    position = b.CreateSub(b.getInt32(lanesAlong - 1), position);
    partOfWarp = b.CreateSub(b.getInt32(warpsAlong - 1), partOfWarp);
  }
  auto join = [&](const Registers &earlier, const Registers &later) {
    return combineValues(op.getCombine(), earlier, later);
  };
  auto choose = [&](Value *condition, const Registers &yes,
                    const Registers &no) {
    Registers chosen;
    for (size_t i = 0; i < n; ++i) {
      chosen.push_back(b.CreateSelect(condition, yes[i], no[i]));
    }
    return chosen;
  };
  SmallVector<Registers> results(n);
  for (Registers &one : results) {
    one.assign(size_t(layout.size(Axis::Register)), nullptr);
  }
  for (auto &[key, line] : lines) {
    std::map<int64_t, Line> stretches;
    for (auto [at, reg] : line) {
      stretches[reverse ? -(at / stretch) : at / stretch].push_back({at, reg});
    }
    std::optional<Registers> carry; // of the stretches before
    for (auto &[number, run] : stretches) {
      if (reverse) {
        std::reverse(run.begin(), run.end());
      }
      // In the thread.
      SmallVector<Registers> own;
      for (auto [at, reg] : run) {
        Registers values;
        for (mlir::Value source : op.getSources()) {
          values.push_back(tile(source)[reg]);
        }
        own.push_back(own.empty() ? values : join(own.back(), values));
      }
      // Over lanes: sums of all up to this one, then those before it.
      Registers upTo = own.back();
      auto fromEarlier = [&](const Registers &values, unsigned distance) {
        Value *source = reverse ? b.CreateAdd(lane, b.getInt32(distance))
                                : b.CreateSub(lane, b.getInt32(distance));
        source = b.CreateAnd(source, hooks.lanes() - 1);
        Registers got;
        for (Value *value : values) {
          got.push_back(shuffleAny(value, source));
        }
        return got;
      };
      for (unsigned distance = 1; distance < lanesAlong; distance *= 2) {
        Registers earlier = fromEarlier(upTo, distance);
        upTo = choose(b.CreateICmpUGE(position, b.getInt32(distance)),
                      join(earlier, upTo), upTo);
      }
      std::optional<Registers> before; // valid where hasBefore
      Value *hasBefore = b.getFalse();
      Registers all = upTo; // of the warp's part of the line
      if (lanesAlong > 1) {
        before = fromEarlier(upTo, 1);
        hasBefore = b.CreateICmpNE(position, b.getInt32(0));
        Value *lastLane = reverse ? b.CreateAnd(lane, ~(lanesAlong - 1))
                                  : b.CreateOr(lane, lanesAlong - 1);
        for (Value *&value : all) {
          value = shuffleAny(value, lastLane);
        }
      }
      auto precede = [&](const Registers &values, Value *isValid) {
        if (!before) {
          before = values;
          hasBefore = isValid;
          return;
        }
        Registers both = choose(hasBefore, join(values, *before), values);
        before = choose(isValid, both, *before);
        hasBefore = b.CreateOr(hasBefore, isValid);
      };
      if (warpsAlong > 1) {
        // One word per warp, line and lane group: all lanes that hold the line.
        const unsigned threads = hooks.lanes() * warps;
        SmallVector<Region> regions;
        for (mlir::Value source : op.getSources()) {
          regions.push_back(allocate(
              uint64_t{threads} *
              tile::storageBytes(tile::elementType(source.getType()))));
        }
        willAccess({{}, regions, {}});
        for (size_t i = 0; i < n; ++i) {
          scratchStore(regions[i], thread, all[i],
                       tile::elementType(op.getSources()[i].getType()));
        }
        willAccess({regions, {}, {}});
        std::optional<Registers> sum, prefix;
        uint32_t warpMask = 0;
        for (unsigned bit : *warpBits) {
          warpMask |= 1u << bit;
        }
        Value *home = b.CreateAnd(warp, ~warpMask);
        for (unsigned p = 0; p < warpsAlong; ++p) {
          const unsigned part = reverse ? warpsAlong - 1 - p : p;
          uint32_t bits = 0;
          for (auto [i, bit] : llvm::enumerate(*warpBits)) {
            bits |= (part >> i & 1) << bit;
          }
          Value *at = b.CreateAdd(
              b.CreateMul(b.CreateOr(home, bits), b.getInt32(hooks.lanes())),
              lane);
          Registers values;
          for (size_t i = 0; i < n; ++i) {
            values.push_back(
                scratchLoad(regions[i], at,
                            tile::elementType(op.getSources()[i].getType())));
          }
          // What lies before part p is the sum of the parts so far.
          if (sum) {
            Value *isMine = b.CreateICmpEQ(partOfWarp, b.getInt32(p));
            prefix = prefix ? choose(isMine, *sum, *prefix) : *sum;
          }
          sum = sum ? join(*sum, values) : values;
        }
        all = *sum;
        precede(*prefix, b.CreateICmpNE(partOfWarp, b.getInt32(0)));
        for (const Region &region : llvm::reverse(regions)) {
          scratch.release(region);
        }
      }
      if (carry) {
        precede(*carry, b.getTrue());
      }
      for (auto [i, place] : llvm::enumerate(run)) {
        Registers values = own[i];
        if (before) {
          values = choose(hasBefore, join(*before, values), values);
        }
        for (size_t k = 0; k < n; ++k) {
          results[k][place.second] = values[k];
        }
      }
      carry = carry ? join(*carry, all) : all;
    }
  }
  for (size_t i = 0; i < n; ++i) {
    // Copies, if there are any.
    std::map<Coordinates, Value *> at;
    for (unsigned reg = 0; reg < results[i].size(); ++reg) {
      Coordinates coordinates = layout.apply(Place{{reg, 0, 0, 0}});
      Value *&known = at[coordinates];
      known = results[i][reg] ? results[i][reg] : known;
      results[i][reg] = known;
    }
    define(op.getResults()[i], std::move(results[i]));
  }
}

void KernelLowering::map(tile::MapOp op) {
  const int64_t count = layoutOf(op.getResults().front()).size(Axis::Register);
  SmallVector<Registers> results(op.getNumResults());
  for (unsigned reg = 0; reg < count; ++reg) {
    Registers arguments;
    for (mlir::Value source : op.getSources()) {
      arguments.push_back(tile(source)[reg]);
    }
    for (auto [i, value] : llvm::enumerate(evaluate(op.getBody(), arguments))) {
      results[i].push_back(value);
    }
  }
  for (auto [result, registers] : llvm::zip_equal(op.getResults(), results)) {
    define(result, std::move(registers));
  }
}

} // namespace tz::simt
