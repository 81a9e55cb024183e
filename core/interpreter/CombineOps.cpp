//===- CombineOps.cpp - reduce, scan, histogram ---------------------------===//
//
// What   Runs combine regions on many lanes at once.
// Why    A region of scalars, given tiles, computes all lanes: a reduction of
//        n elements is log2(n) evaluations of the region. Only regions with
//        control flow inside run lane by lane.
//
//===----------------------------------------------------------------------===//
#include "core/interpreter/Machine.h"

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
  return part;
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
    const TileValue &source = m.operand(in, i);
    TileValue tile(source.kind(), source.count());
    const size_t run = rows.inner * source.elementBytes();
    for (int64_t o = 0; o < rows.outer; ++o) {
      for (int64_t k = 0; k < rows.length; ++k) {
        std::memcpy(tile.bytesForWriting() + (k * rows.outer + o) * run,
                    source.bytes() + (o * rows.length + k) * run, run);
      }
    }
    rows.tiles.push_back(std::move(tile));
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
  return result;
}

TileValue appended(const TileValue &a, const TileValue &b) {
  TileValue result(a.kind(), a.count() + b.count());
  const size_t bytes = a.count() * a.elementBytes();
  std::memcpy(result.bytesForWriting(), a.bytes(), bytes);
  std::memcpy(result.bytesForWriting() + bytes, b.bytes(),
              b.count() * b.elementBytes());
  return result;
}

bool reduce(Machine &m, const Instruction &in) {
  auto op = cast<tile::ReduceOp>(in.op);
  const Code &code = in.regions.front();
  Rows rows = rowsAlong(m, in, op.getAxis());
  Tiles tiles = std::move(rows.tiles);
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
    m.setResult(in, std::move(tiles[i]), i);
  }
  return true;
}

bool scan(Machine &m, const Instruction &in) {
  auto op = cast<tile::ScanOp>(in.op);
  const Code &code = in.regions.front();
  const bool reverse = op.getReverse();
  Rows rows = rowsAlong(m, in, op.getAxis());
  Tiles running, results;
  for (const TileValue &tile : rows.tiles) {
    results.emplace_back(tile.kind(), tile.count());
  }
  for (int64_t step = 0; step < rows.length; ++step) {
    const int64_t k = reverse ? rows.length - 1 - step : step;
    Tiles row, next;
    for (const TileValue &tile : rows.tiles) {
      row.push_back(slice(tile, k * rows.lanes, rows.lanes));
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
    }
  }
  for (size_t i = 0; i < results.size(); ++i) {
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
  table["tile.scan"] = scan;
  table["tile.histogram"] = histogram;
}

} // namespace tz::interpreter
