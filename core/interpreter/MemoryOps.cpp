//===- MemoryOps.cpp - loads, stores, views -------------------------------===//
//
// What   The ops that touch the kernel's memory, lane by lane in order.
// Why    Order of lanes is the meaning of O1 (R6): an op acts over all its
//        lanes before the next, and of two lanes on one address the later wins.
//
//===----------------------------------------------------------------------===//
#include "core/interpreter/Access.h"
#include "core/interpreter/Errors.h"

using namespace mlir;

namespace tz::interpreter {

namespace {

/// Reads one lane into `result`. False if the run has failed.
bool loadLane(Machine &m, const Instruction &in, uint64_t address,
              AccessKind access, TileValue &result, int64_t lane) {
  switch (ask(m, in, address, result.elementBytes(), access)) {
  case Permission::Granted:
    result.setBits(lane, readMemory(address, result.kind()));
    if (m.options.trackErrors) {
      if (const double error = m.errorAt(address, result.elementBytes());
          error != 0) {
        m.loadErrors.resize(result.count(), 0.0);
        m.loadErrors[lane] = error;
      }
    }
    return true;
  case Permission::Skipped:
    return true;
  case Permission::Stopped:
    return false;
  }
  return false;
}

bool storeLane(Machine &m, const Instruction &in, uint64_t address,
               const TileValue &value, int64_t lane) {
  switch (ask(m, in, address, value.elementBytes(), AccessKind::Write,
              value.bitsAt(lane))) {
  case Permission::Granted:
    writeMemory(address, value.kind(), value.bitsAt(lane));
    if (m.options.trackErrors) {
      m.setErrorAt(address, value.elementBytes(), errorOf(value, lane));
      m.additions.erase(address);
    }
    return true;
  case Permission::Skipped:
    return true;
  case Permission::Stopped:
    return false;
  }
  return false;
}

/// Where an inexact mask or address may take other lanes, they are unknown.
void doubtLoaded(Machine &m, const Instruction &in, int64_t count) {
  for (unsigned i = 0; i < 2 && i < in.operands.size(); ++i) {
    if (!hasErrors(m.operand(in, i))) {
      continue;
    }
    m.loadErrors.resize(count, 0.0);
    for (int64_t lane = 0; lane < count; ++lane) {
      if (errorOf(m.operand(in, i), lane) != 0) {
        m.loadErrors[lane] = Unknown;
      }
    }
  }
}

bool load(Machine &m, const Instruction &in) {
  auto op = cast<tile::LoadOp>(in.op);
  Unsigned addresses = unsignedLanes(m.operand(in, 0));
  const bool masked = static_cast<bool>(op.getMask());
  const bool hasOther = static_cast<bool>(op.getOther());
  const auto access =
      op.getIsVolatile() ? AccessKind::AtomicRead : AccessKind::Read;
  TileValue result(in.resultKind, static_cast<int64_t>(addresses.size()));
  for (int64_t i = 0; i < result.count(); ++i) {
    if (masked && !m.operand(in, 1).isTrueAt(i)) {
      if (hasOther) {
        result.setBits(i, m.operand(in, 2).bitsAt(i));
        if (const double error = errorOf(m.operand(in, 2), i); error != 0) {
          m.loadErrors.resize(result.count(), 0.0);
          m.loadErrors[i] = error;
        }
      }
    } else if (!loadLane(m, in, addresses[i], access, result, i)) {
      return false;
    }
  }
  doubtLoaded(m, in, result.count());
  m.setLoaded(in, std::move(result));
  return true;
}

bool store(Machine &m, const Instruction &in) {
  auto op = cast<tile::StoreOp>(in.op);
  Unsigned addresses = unsignedLanes(m.operand(in, 0));
  const TileValue &value = m.operand(in, 1);
  const bool masked = static_cast<bool>(op.getMask());
  m.decideBy(m.operand(in, 0));
  for (int64_t i = 0; i < value.count(); ++i) {
    const bool isActive = !masked || m.operand(in, 2).isTrueAt(i);
    if (isActive && !storeLane(m, in, addresses[i], value, i)) {
      return false;
    }
    if (masked && errorOf(m.operand(in, 2), i) != 0) {
      m.setErrorAt(addresses[i], value.elementBytes(), Unknown);
    }
  }
  return true;
}

bool addPointer(Machine &m, const Instruction &in) {
  auto pointer =
      cast<tile::PtrType>(tile::elementType(in.op->getOperand(0).getType()));
  const uint64_t size = tile::storageBytes(pointer.getPointee());
  Unsigned base = unsignedLanes(m.operand(in, 0));
  Signed offset = signedLanes(m.operand(in, 1));
  for (size_t i = 0; i < base.size(); ++i) {
    base[i] += static_cast<uint64_t>(offset[i]) * size;
  }
  m.setResult(in, fromIntegers(Kind::Ptr, base));
  return true;
}

//===----------------------------------------------------------------------===//
// Views: base, shape[rank], strides[rank], position[rank]
//===----------------------------------------------------------------------===//

bool makeView(Machine &m, const Instruction &in) {
  const auto rank = static_cast<int64_t>((in.operands.size() - 1) / 2);
  TileValue view(Kind::View, 1 + 3 * rank);
  for (unsigned i = 0; i < in.operands.size(); ++i) {
    view.setBits(i, m.operand(in, i).bitsAt(0));
  }
  m.setResult(in, std::move(view));
  return true;
}

bool advanceView(Machine &m, const Instruction &in) {
  Unsigned words = unsignedLanes(m.operand(in, 0));
  const size_t rank = (words.size() - 1) / 3;
  for (size_t d = 0; d < rank; ++d) {
    words[1 + 2 * rank + d] += m.operand(in, 1 + d).bitsAt(0);
  }
  m.setResult(in, fromIntegers(Kind::View, words));
  return true;
}

/// Base, then sizes, strides and positions: the order of the parts.
bool viewParts(Machine &m, const Instruction &in) {
  Signed parts = signedLanes(m.operand(in, 0));
  for (size_t i = 0; i < parts.size(); ++i) {
    TileValue part(i == 0 ? in.resultKind : Kind::I64, 1);
    part.setBits(0, static_cast<uint64_t>(parts[i]));
    m.setResult(in, std::move(part), i);
  }
  return true;
}

/// Calls `body(lane, address, inside)` for the block at the view's position
/// plus offsets; stops when it gives false.
template <typename Body>
bool forEachElement(const Signed &view, const Signed &offsets,
                    tile::ViewType type, ArrayRef<bool> checked, Body body) {
  const size_t rank = type.getRank();
  const uint64_t size = tile::storageBytes(type.getElementType());
  ArrayRef<int64_t> block = type.getShape();
  SmallVector<int64_t> at(rank, 0);
  const int64_t count = type.getTileType().getNumElements();
  for (int64_t lane = 0; lane < count; ++lane) {
    auto address = static_cast<uint64_t>(view[0]);
    bool inside = true;
    for (size_t d = 0; d < rank; ++d) {
      const auto coordinate = static_cast<int64_t>(
          static_cast<uint64_t>(view[1 + 2 * rank + d]) +
          static_cast<uint64_t>(offsets[d]) + static_cast<uint64_t>(at[d]));
      if (checked[d]) {
        inside = inside && coordinate >= 0 && coordinate < view[1 + d];
      }
      address += static_cast<uint64_t>(coordinate) *
                 static_cast<uint64_t>(view[1 + rank + d]) * size;
    }
    if (!body(lane, address, inside)) {
      return false;
    }
    for (size_t d = rank; d-- > 0;) {
      if (++at[d] < block[d]) {
        break;
      }
      at[d] = 0;
    }
  }
  return true;
}

Signed offsetsFrom(Machine &m, const Instruction &in, unsigned first,
                   size_t rank) {
  Signed offsets;
  for (size_t d = 0; d < rank; ++d) {
    offsets.push_back(static_cast<int64_t>(m.operand(in, first + d).bitsAt(0)));
  }
  return offsets;
}

bool loadView(Machine &m, const Instruction &in) {
  auto op = cast<tile::LoadViewOp>(in.op);
  tile::ViewType type = op.getView().getType();
  const size_t rank = type.getRank();
  Signed offsets = offsetsFrom(m, in, 1, rank);
  const uint64_t other = op.getOther() ? m.operand(in, 1 + rank).bitsAt(0) : 0;
  TileValue result(in.resultKind, type.getTileType().getNumElements());
  if (!forEachElement(
          signedLanes(m.operand(in, 0)), offsets, type, op.getChecked(),
          [&](int64_t lane, uint64_t address, bool inside) {
            if (!inside) {
              result.setBits(lane, other);
              return true;
            }
            return loadLane(m, in, address, AccessKind::Read, result, lane);
          })) {
    return false;
  }
  for (const uint32_t slot : in.operands) {
    if (hasErrors(m.valueIn(slot))) {
      m.loadErrors.assign(result.count(), Unknown);
    }
  }
  m.setLoaded(in, std::move(result));
  return true;
}

bool storeView(Machine &m, const Instruction &in) {
  auto op = cast<tile::StoreViewOp>(in.op);
  tile::ViewType type = op.getView().getType();
  const TileValue &value = m.operand(in, 1);
  Signed offsets = offsetsFrom(m, in, 2, type.getRank());
  for (unsigned i = 0; i < in.operands.size(); ++i) {
    if (i != 1) {
      m.decideBy(m.operand(in, i));
    }
  }
  return forEachElement(
      signedLanes(m.operand(in, 0)), offsets, type, op.getChecked(),
      [&](int64_t lane, uint64_t address, bool inside) {
        return !inside || storeLane(m, in, address, value, lane);
      });
}

} // namespace

void addMemoryHandlers(HandlerTable &table) {
  table["tile.addptr"] = unknownIfInexact<addPointer>;
  table["tile.load"] = load;
  table["tile.store"] = store;
  table["tile.make_view"] = unknownIfInexact<makeView>;
  table["tile.advance_view"] = unknownIfInexact<advanceView>;
  table["tile.view_parts"] = unknownIfInexact<viewParts>;
  table["tile.load_view"] = loadView;
  table["tile.store_view"] = storeView;
}

} // namespace tz::interpreter
