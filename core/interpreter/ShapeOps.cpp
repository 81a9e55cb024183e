//===- ShapeOps.cpp - making and rearranging tiles ------------------------===//
//
// What   The ops of TileShapeOps.td, as copies of elements.
// Why    All but range are "result element i is source element f(i)".
//
//===----------------------------------------------------------------------===//
#include "core/interpreter/Errors.h"

using namespace mlir;

namespace tz::interpreter {

namespace {

using Shape = ArrayRef<int64_t>;

Shape resultShape(const Instruction &in) {
  return tile::shapeOf(in.op->getResult(0).getType());
}
Shape operandShape(const Instruction &in, unsigned index) {
  return tile::shapeOf(in.op->getOperand(index).getType());
}

SmallVector<int64_t> rowMajorStrides(Shape shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) {
    strides[i - 1] = strides[i] * shape[i];
  }
  return strides;
}

/// The source element that a walk over `shape` in row-major order reads when
/// dimension d moves the source index by `strides[d]`: `body(to, from)`.
template <typename Body>
void walk(Shape shape, Shape strides, Body body) {
  int64_t count = 1;
  for (int64_t size : shape) {
    count *= size;
  }
  SmallVector<int64_t> position(shape.size(), 0);
  int64_t from = 0;
  for (int64_t to = 0; to < count; ++to) {
    body(to, from);
    for (size_t d = shape.size(); d-- > 0;) {
      from += strides[d];
      if (++position[d] < shape[d]) {
        break;
      }
      from -= strides[d] * shape[d];
      position[d] = 0;
    }
  }
}

/// The result read from operand 0 along `strides` (one per result dimension).
bool rearrange(Machine &m, const Instruction &in, Shape strides) {
  const TileValue &source = m.operand(in, 0);
  Shape shape = resultShape(in);
  int64_t count = 1;
  for (int64_t size : shape) {
    count *= size;
  }
  TileValue result(source.kind(), count);
  walk(shape, strides, [&](int64_t to, int64_t from) {
    result.setBits(to, source.bitsAt(from));
  });
  m.setResult(in, std::move(result));
  return true;
}

bool range(Machine &m, const Instruction &in) {
  auto op = cast<tile::RangeOp>(in.op);
  TileValue result(Kind::I32, op.getType().getNumElements());
  auto *out = result.dataForWriting<int32_t>();
  for (int64_t i = 0; i < result.count(); ++i) {
    out[i] = static_cast<int32_t>(op.getStart() + static_cast<uint32_t>(i));
  }
  m.setResult(in, std::move(result));
  return true;
}

bool splat(Machine &m, const Instruction &in) {
  return rearrange(m, in, SmallVector<int64_t>(resultShape(in).size(), 0));
}

bool broadcast(Machine &m, const Instruction &in) {
  Shape from = operandShape(in, 0), to = resultShape(in);
  SmallVector<int64_t> strides = rowMajorStrides(from);
  for (size_t d = 0; d < strides.size(); ++d) {
    strides[d] = from[d] == to[d] ? strides[d] : 0;
  }
  return rearrange(m, in, strides);
}

bool reshape(Machine &m, const Instruction &in) {
  m.setResult(in, m.operand(in, 0));
  return true;
}

bool transpose(Machine &m, const Instruction &in) {
  SmallVector<int64_t> from = rowMajorStrides(operandShape(in, 0));
  SmallVector<int64_t> strides;
  for (int64_t dim : cast<tile::TransposeOp>(in.op).getOrder()) {
    strides.push_back(from[dim]);
  }
  return rearrange(m, in, strides);
}

bool join(Machine &m, const Instruction &in) {
  const TileValue &a = m.operand(in, 0), &b = m.operand(in, 1);
  TileValue result(a.kind(), 2 * a.count());
  for (int64_t i = 0; i < a.count(); ++i) {
    result.setBits(2 * i, a.bitsAt(i));
    result.setBits(2 * i + 1, b.bitsAt(i));
  }
  m.setResult(in, std::move(result));
  return true;
}

bool split(Machine &m, const Instruction &in) {
  const TileValue source = m.operand(in, 0);
  for (unsigned half = 0; half < 2; ++half) {
    TileValue result(source.kind(), source.count() / 2);
    for (int64_t i = 0; i < result.count(); ++i) {
      result.setBits(i, source.bitsAt(2 * i + half));
    }
    m.setResult(in, std::move(result), half);
  }
  return true;
}

bool cat(Machine &m, const Instruction &in) {
  auto op = cast<tile::CatOp>(in.op);
  const TileValue &a = m.operand(in, 0), &b = m.operand(in, 1);
  int64_t outer = 1, inner = 1;
  Shape shape = resultShape(in);
  for (size_t d = 0; d < shape.size(); ++d) {
    (d < op.getDim() ? outer : inner) *= d == op.getDim() ? 1 : shape[d];
  }
  const int64_t rowA = operandShape(in, 0)[op.getDim()] * inner;
  const int64_t rowB = operandShape(in, 1)[op.getDim()] * inner;
  TileValue result(a.kind(), a.count() + b.count());
  int64_t to = 0;
  for (int64_t i = 0; i < outer; ++i) {
    for (int64_t j = 0; j < rowA; ++j) {
      result.setBits(to++, a.bitsAt(i * rowA + j));
    }
    for (int64_t j = 0; j < rowB; ++j) {
      result.setBits(to++, b.bitsAt(i * rowB + j));
    }
  }
  m.setResult(in, std::move(result));
  return true;
}

bool gather(Machine &m, const Instruction &in) {
  const uint32_t axis = cast<tile::GatherOp>(in.op).getAxis();
  const TileValue &source = m.operand(in, 0);
  Signed indices = signedLanes(m.operand(in, 1));
  Shape from = operandShape(in, 0);
  SmallVector<int64_t> strides = rowMajorStrides(from);
  const int64_t step = strides[axis], limit = from[axis];
  strides[axis] = 0; // the index says where along the axis
  TileValue result(source.kind(), static_cast<int64_t>(indices.size()));
  walk(resultShape(in), strides, [&](int64_t to, int64_t base) {
    const int64_t index = indices[to];
    if (index >= 0 && index < limit) {
      result.setBits(to, source.bitsAt(base + index * step));
    }
  });
  m.setResult(in, std::move(result));
  return true;
}

} // namespace

void addShapeHandlers(HandlerTable &table) {
  table["tile.range"] = range;
  table["tile.splat"] = moveWithErrors<splat>;
  table["tile.broadcast"] = moveWithErrors<broadcast>;
  table["tile.reshape"] = reshape;
  table["tile.transpose"] = moveWithErrors<transpose>;
  table["tile.join"] = moveWithErrors<join>;
  table["tile.split"] = moveWithErrors<split>;
  table["tile.cat"] = moveWithErrors<cat>;
  table["tile.gather"] = moveWithErrors<gather, 1>;
}

} // namespace tz::interpreter
