//===- CombineOps.cpp - reduce, scan, map, histogram ----------------------===//
//
// What   Runs combine regions on many lanes at once.
// Why    A region of scalars, given tiles, computes all lanes: a reduction of
//        n elements is log2(n) evaluations of the region. Only regions with
//        control flow inside run lane by lane.
//
//===----------------------------------------------------------------------===//
#include "core/interpreter/Errors.h"
#include "core/interpreter/ProductBound.h"
#include "core/interpreter/SumBound.h"

#include <cstring>

using namespace mlir;

namespace tz::interpreter {

namespace {

using Tiles = SmallVector<TileValue, 2>;

/// The sources of a reduce or scan, axis first: `length` rows of `lanes`.
struct Rows {
  Tiles tiles;
  int64_t length = 0, lanes = 0;
  int64_t outer = 1, inner = 1;
};

TileValue slice(const TileValue &value, int64_t begin, int64_t count) {
  TileValue part(value.kind(), count);
  const size_t bytes = value.elementBytes();
  std::memcpy(part.bytesForWriting(), value.bytes() + begin * bytes,
              count * bytes);
  if (value.errors()) {
    part.setErrors(slice(*value.errors(), begin, count));
  }
  return part;
}

TileValue axisFirst(const TileValue &source, const Rows &rows) {
  TileValue tile(source.kind(), source.count());
  const size_t run = rows.inner * source.elementBytes();
  for (int64_t o = 0; o < rows.outer; ++o) {
    for (int64_t k = 0; k < rows.length; ++k) {
      std::memcpy(tile.bytesForWriting() + (k * rows.outer + o) * run,
                  source.bytes() + (o * rows.length + k) * run, run);
    }
  }
  if (source.errors()) {
    tile.setErrors(axisFirst(*source.errors(), rows));
  }
  return tile;
}

Rows rowsAlong(Machine &m, const Instruction &in, uint32_t axis) {
  Rows rows;
  auto shape = tile::shapeOf(in.op->getOperand(0).getType());
  for (size_t d = 0; d < shape.size(); ++d) {
    if (d != axis) {
      (d < axis ? rows.outer : rows.inner) *= shape[d];
    }
  }
  rows.length = shape[axis];
  rows.lanes = rows.outer * rows.inner;
  for (unsigned i = 0; i < in.operands.size(); ++i) {
    rows.tiles.push_back(axisFirst(m.operand(in, i), rows));
  }
  return rows;
}

/// A region may yield a value that does not depend on the lanes.
TileValue widened(const TileValue &value, int64_t count) {
  if (value.count() == count) {
    return value;
  }
  TileValue result(value.kind(), count);
  for (int64_t i = 0; i < count; ++i) {
    result.setBits(i, value.bitsAt(0));
  }
  if (value.errors()) {
    attachErrors(result, Floats(count, errorLanes(value)[0]));
  }
  return result;
}

/// Evaluates the region once on whole tiles of `count` lanes.
bool evaluateAll(Machine &m, const Code &code, const Tiles &a, const Tiles &b,
                 int64_t count, Tiles &out) {
  for (size_t i = 0; i < a.size(); ++i) {
    m.setValue(code.arguments[i], a[i]);
    m.setValue(code.arguments[a.size() + i], b[i]);
  }
  if (!m.execute(code)) {
    return false;
  }
  out.clear();
  for (uint32_t slot : code.yields) {
    out.push_back(widened(m.valueIn(slot), count));
  }
  return true;
}

bool combine(Machine &m, const Code &code, const Tiles &a, const Tiles &b,
             Tiles &out) {
  const int64_t count = a.front().count();
  if (code.isStraightLine) {
    return evaluateAll(m, code, a, b, count, out);
  }
  Tiles result;
  for (const TileValue &tile : a) {
    result.emplace_back(tile.kind(), count);
  }
  std::vector<Floats> errors(a.size());
  for (int64_t lane = 0; lane < count; ++lane) {
    Tiles x, y, one;
    for (size_t i = 0; i < a.size(); ++i) {
      x.push_back(slice(a[i], lane, 1));
      y.push_back(slice(b[i], lane, 1));
    }
    if (!evaluateAll(m, code, x, y, 1, one)) {
      return false;
    }
    for (size_t i = 0; i < one.size(); ++i) {
      result[i].setBits(lane, one[i].bitsAt(0));
      if (one[i].errors()) {
        errors[i].resize(count, 0.0);
        errors[i][lane] = errorLanes(one[i])[0];
      }
    }
  }
  for (size_t i = 0; i < result.size(); ++i) {
    if (!errors[i].empty()) {
      attachErrors(result[i], std::move(errors[i]));
    }
  }
  out = std::move(result);
  return true;
}

/// Every second row of a tile of rows, from `first`, `count` of them.
TileValue alternateRows(const TileValue &tile, int64_t lanes, int64_t first,
                        int64_t count) {
  TileValue result(tile.kind(), count * lanes);
  const size_t row = lanes * tile.elementBytes();
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(result.bytesForWriting() + i * row,
                tile.bytes() + (first + 2 * i) * row, row);
  }
  if (tile.errors()) {
    result.setErrors(alternateRows(*tile.errors(), lanes, first, count));
  }
  return result;
}

TileValue appended(const TileValue &a, const TileValue &b) {
  TileValue result(a.kind(), a.count() + b.count());
  const size_t bytes = a.count() * a.elementBytes();
  std::memcpy(result.bytesForWriting(), a.bytes(), bytes);
  std::memcpy(result.bytesForWriting() + bytes, b.bytes(),
              b.count() * b.elementBytes());
  if (a.errors() || b.errors()) {
    Floats lanes = errorLanes(a), rest = errorLanes(b);
    lanes.resize(a.count(), 0.0);
    rest.resize(b.count(), 0.0);
    lanes.append(rest.begin(), rest.end());
    attachErrors(result, std::move(lanes));
  }
  return result;
}

/// The region is p + q (p * q) on floats, in a wider type or not, and rounded
/// to nearest. (24 bits are enough to add fp8 numbers, round to f32 and again
/// to fp8 as if there were one rounding.)
template <typename Combine>
bool isFloatFold(const Code &code) {
  if (code.arguments.size() != 2 || code.yields.size() != 1) {
    return false;
  }
  auto definer = [&](uint32_t slot) -> const Instruction * {
    for (const Instruction &in : code.body) {
      if (llvm::is_contained(in.results, slot)) {
        return &in;
      }
    }
    return nullptr;
  };
  uint32_t sum = code.yields[0];
  const Instruction *in = definer(sum);
  if (auto narrow = in ? dyn_cast<tile::TruncFOp>(in->op) : nullptr) {
    if (narrow.getRounding() != tile::Rounding::rtne ||
        unitRoundoff(*kindOf(narrow.getOperand().getType())) >
            unitRoundoff(in->resultKind) * unitRoundoff(in->resultKind) / 4) {
      return false;
    }
    in = definer(in->operands[0]);
  }
  if (!in || !isa<Combine>(in->op)) {
    return false;
  }
  auto argument = [&](uint32_t slot) {
    const Instruction *wide = definer(slot);
    return wide && isa<arith::ExtFOp>(wide->op) ? wide->operands[0] : slot;
  };
  const uint32_t a = argument(in->operands[0]), b = argument(in->operands[1]);
  return a != b && llvm::is_contained(code.arguments, a) &&
         llvm::is_contained(code.arguments, b);
}

/// A sum in any order (E4) of each of so many lanes.
class LaneSums {
public:
  explicit LaneSums(int64_t lanes) : sums(lanes) {}

  void addRow(const TileValue &row) {
    Floats x = floatLanes(row), e = errorLanes(row);
    for (size_t lane = 0; lane < sums.size(); ++lane) {
      sums[lane].add(x[lane], laneOf(e, lane));
    }
  }
  /// Gives our sums of the rows so far their bounds; those that our own
  /// additions left are of our order alone.
  void bound(TileValue &ours) const {
    Floats values = floatLanes(ours), errors(sums.size());
    for (size_t lane = 0; lane < sums.size(); ++lane) {
      errors[lane] = sums[lane].of(ours.kind(), values[lane]);
    }
    ours = ours.recast(ours.kind());
    attachErrors(ours, std::move(errors));
  }

private:
  std::vector<SumBound> sums;
};

/// Products of each of so many lanes, grouped otherwise.
class LaneProducts {
public:
  LaneProducts(int64_t lanes, bool anyOrder)
      : products(lanes, ProductBound(anyOrder)) {}

  void addRow(const TileValue &row) {
    Floats x = floatLanes(row), e = errorLanes(row);
    for (size_t lane = 0; lane < products.size(); ++lane) {
      products[lane].add(x[lane], laneOf(e, lane));
    }
    ++rows;
  }
  /// Takes the bounds of our products of the rows so far away where another
  /// grouping has an infinity on its way. Others are widened: a rounding of
  /// another grouping may be at the foot of a binade, where its half ULP is
  /// twice as much of the product as at the head, where ours may be.
  void bound(TileValue &ours) const {
    Floats errors = errorLanes(ours), values = floatLanes(ours);
    const double binades = 0.5 * double(rows - 1) * unitRoundoff(ours.kind());
    errors.resize(products.size(), errors.size() == 1 ? errors.front() : 0.0);
    for (size_t lane = 0; lane < products.size(); ++lane) {
      if (products[lane].mayLeaveRange(ours.kind())) {
        errors[lane] = Unknown;
      } else if (rows > 2 && std::isfinite(values[lane])) {
        errors[lane] += binades * std::abs(values[lane]);
      }
    }
    ours = ours.recast(ours.kind());
    attachErrors(ours, std::move(errors));
  }

private:
  std::vector<ProductBound> products;
  int64_t rows = 0;
};

/// While it lives, ops of a combine region count as done in any order.
class AnyOrder {
public:
  explicit AnyOrder(Machine &m) : machine(m), before(m.anyOrder) {
    m.anyOrder = true;
  }
  ~AnyOrder() { machine.anyOrder = before; }
  AnyOrder(const AnyOrder &) = delete;
  AnyOrder &operator=(const AnyOrder &) = delete;

private:
  Machine &machine;
  bool before;
};

bool hasRounding(const Code &code) {
  return llvm::any_of(code.body, [](const Instruction &in) {
    return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, tile::DivFOp,
               tile::FmaOp, tile::MathOp, tile::PowOp>(in.op);
  });
}

/// Another order may round as often as a chain does; the tree has only
/// log2(n) levels.
void widenToChain(TileValue &value, int64_t length) {
  if (!value.errors() || length < 3) {
    return;
  }
  Floats lanes = errorLanes(value);
  const double factor = static_cast<double>(length - 1) /
                        std::ceil(std::log2(static_cast<double>(length)));
  for (double &lane : lanes) {
    lane *= factor;
  }
  attachErrors(value, std::move(lanes));
}

bool reduce(Machine &m, const Instruction &in) {
  AnyOrder scope(m);
  auto op = cast<tile::ReduceOp>(in.op);
  const Code &code = in.regions.front();
  Rows rows = rowsAlong(m, in, op.getAxis());
  Tiles tiles = std::move(rows.tiles);
  const bool isSum = m.options.trackErrors && isFloatFold<arith::AddFOp>(code);
  LaneSums sums(isSum ? rows.lanes : 0);
  const bool isProduct =
      m.options.trackErrors && isFloatFold<arith::MulFOp>(code);
  LaneProducts products(isProduct ? rows.lanes : 0, /*anyOrder=*/true);
  for (int64_t k = 0; (isSum || isProduct) && k < rows.length; ++k) {
    const TileValue row = slice(tiles[0], k * rows.lanes, rows.lanes);
    isSum ? sums.addRow(row) : products.addRow(row);
  }
  for (int64_t length = rows.length; length > 1; length = (length + 1) / 2) {
    const int64_t pairs = length / 2;
    Tiles even, odd, next;
    for (const TileValue &tile : tiles) {
      even.push_back(alternateRows(tile, rows.lanes, 0, pairs));
      odd.push_back(alternateRows(tile, rows.lanes, 1, pairs));
    }
    if (!combine(m, code, even, odd, next)) {
      return false;
    }
    if (length % 2 != 0) {
      for (size_t i = 0; i < tiles.size(); ++i) {
        next[i] = appended(
            next[i], slice(tiles[i], (length - 1) * rows.lanes, rows.lanes));
      }
    }
    tiles = std::move(next);
  }
  for (size_t i = 0; i < tiles.size(); ++i) {
    if (isSum) {
      sums.bound(tiles[i]);
    } else if (hasRounding(code)) {
      widenToChain(tiles[i], rows.length);
    }
    if (isProduct) {
      products.bound(tiles[i]);
    }
    m.setResult(in, std::move(tiles[i]), i);
  }
  return true;
}

bool scan(Machine &m, const Instruction &in) {
  AnyOrder scope(m);
  auto op = cast<tile::ScanOp>(in.op);
  const Code &code = in.regions.front();
  const bool reverse = op.getReverse();
  Rows rows = rowsAlong(m, in, op.getAxis());
  Tiles running, results;
  std::vector<Floats> bounds; // like `results`: in the sources' layout
  for (const TileValue &tile : rows.tiles) {
    results.emplace_back(tile.kind(), tile.count());
    bounds.emplace_back();
  }
  const bool isSum = m.options.trackErrors && isFloatFold<arith::AddFOp>(code);
  LaneSums sums(isSum ? rows.lanes : 0);
  const bool isProduct =
      m.options.trackErrors && isFloatFold<arith::MulFOp>(code);
  LaneProducts products(isProduct ? rows.lanes : 0, /*anyOrder=*/false);
  for (int64_t step = 0; step < rows.length; ++step) {
    const int64_t k = reverse ? rows.length - 1 - step : step;
    Tiles row, next;
    for (const TileValue &tile : rows.tiles) {
      row.push_back(slice(tile, k * rows.lanes, rows.lanes));
    }
    if (isSum) {
      sums.addRow(row[0]);
    }
    if (isProduct) {
      products.addRow(row[0]);
    }
    if (step == 0) {
      next = std::move(row);
    } else if (!combine(m, code, running, row, next)) {
      return false;
    }
    running = std::move(next);
    for (size_t i = 0; i < results.size(); ++i) {
      const size_t run = rows.inner * results[i].elementBytes();
      for (int64_t o = 0; o < rows.outer; ++o) {
        std::memcpy(results[i].bytesForWriting() + (o * rows.length + k) * run,
                    running[i].bytes() + o * run, run);
      }
      TileValue part = running[i];
      if (isSum) {
        sums.bound(part);
      }
      if (isProduct) {
        products.bound(part);
      }
      if (part.errors()) {
        Floats row = errorLanes(part);
        bounds[i].resize(results[i].count(), 0.0);
        for (int64_t lane = 0; lane < rows.lanes; ++lane) {
          const int64_t o = lane / rows.inner, x = lane % rows.inner;
          bounds[i][(o * rows.length + k) * rows.inner + x] = row[lane];
        }
      }
    }
  }
  for (size_t i = 0; i < results.size(); ++i) {
    if (!bounds[i].empty()) {
      attachErrors(results[i], std::move(bounds[i]));
    }
    m.setResult(in, std::move(results[i]), i);
  }
  return true;
}

/// Evaluates the region on `count` lanes of each source from `first`.
bool evaluateMap(Machine &m, const Instruction &in, int64_t first,
                 int64_t count, Tiles &out) {
  const Code &code = in.regions.front();
  for (unsigned i = 0; i < in.operands.size(); ++i) {
    m.setValue(code.arguments[i], slice(m.operand(in, i), first, count));
  }
  if (!m.execute(code)) {
    return false;
  }
  out.clear();
  for (uint32_t slot : code.yields) {
    out.push_back(widened(m.valueIn(slot), count));
  }
  return true;
}

bool map(Machine &m, const Instruction &in) {
  const int64_t count = m.operand(in, 0).count();
  const bool together = in.regions.front().isStraightLine;
  Tiles results, part;
  std::vector<Floats> errors(in.results.size());
  for (int64_t lane = 0; lane < count; lane += together ? count : 1) {
    if (!evaluateMap(m, in, lane, together ? count : 1, part)) {
      return false;
    }
    if (together) {
      results = std::move(part);
      break;
    }
    for (size_t i = 0; i < part.size(); ++i) {
      if (lane == 0) {
        results.emplace_back(part[i].kind(), count);
      }
      results[i].setBits(lane, part[i].bitsAt(0));
      if (part[i].errors()) {
        errors[i].resize(count, 0.0);
        errors[i][lane] = errorLanes(part[i])[0];
      }
    }
  }
  for (size_t i = 0; i < results.size(); ++i) {
    if (!errors[i].empty()) {
      attachErrors(results[i], std::move(errors[i]));
    }
    m.setResult(in, std::move(results[i]), i);
  }
  return true;
}

bool histogram(Machine &m, const Instruction &in) {
  auto op = cast<tile::HistogramOp>(in.op);
  Signed values = signedLanes(m.operand(in, 0));
  const int64_t bins = cast<RankedTensorType>(op.getType()).getNumElements();
  const bool masked = static_cast<bool>(op.getMask());
  TileValue result(Kind::I32, bins);
  auto *out = result.dataForWriting<uint32_t>();
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] >= 0 && values[i] < bins &&
        (!masked || m.operand(in, 1).isTrueAt(static_cast<int64_t>(i)))) {
      ++out[values[i]];
    }
  }
  m.setResult(in, std::move(result));
  return true;
}

} // namespace

void addCombineHandlers(HandlerTable &table) {
  table["tile.reduce"] = reduce;
  table["tile.map"] = map;
  table["tile.scan"] = scan;
  table["tile.histogram"] = unknownIfInexact<histogram>;
}

} // namespace tz::interpreter
