//===- MemoryOps.cpp - loads, stores, views, atomics ----------------------===//
//
// What   The ops that touch the kernel's memory, lane by lane in order.
// Why    Order of lanes is the meaning of O1 (R6): an op acts over all its
//        lanes before the next, and of two lanes on one address the later wins.
//
//===----------------------------------------------------------------------===//
#include "core/interpreter/Compare.h"
#include "core/interpreter/Machine.h"

#include <cmath>
#include <cstring>

using namespace mlir;

namespace tz::interpreter {

namespace {

enum class Permission { Granted, Skipped, Stopped };

/// Asks whether the access may be done; out of bounds ends an unchecked run.
Permission ask(Machine &m, const Instruction &in, uint64_t address,
               unsigned bytes, AccessKind kind) {
  Memory::Verdict verdict =
      m.memory.access(address, bytes, kind, m.linearProgram());
  if (!verdict.finding) {
    return Permission::Granted;
  }
  if (!verdict.inside && !m.options.checked) {
    m.fail(in, verdict.message);
    return Permission::Stopped;
  }
  m.find(in, *verdict.finding, address, verdict.message);
  return verdict.inside ? Permission::Granted : Permission::Skipped;
}

void *pointerTo(uint64_t address) {
  return reinterpret_cast<void *>(static_cast<uintptr_t>(address));
}

/// One element's bits; an i1 in memory is a byte that is zero or not.
uint64_t readMemory(uint64_t address, Kind kind) {
  uint64_t bits = 0;
  std::memcpy(&bits, pointerTo(address), bytesOf(kind));
  if (kind == Kind::I1) {
    return bits != 0 ? 1 : 0;
  }
  return kind == Kind::E2M1 ? bits & 0xf : bits;
}

void writeMemory(uint64_t address, Kind kind, uint64_t bits) {
  std::memcpy(pointerTo(address), &bits, bytesOf(kind));
}

/// Reads one lane into `result`. False if the run has failed.
bool loadLane(Machine &m, const Instruction &in, uint64_t address,
              AccessKind access, TileValue &result, int64_t lane) {
  switch (ask(m, in, address, result.elementBytes(), access)) {
  case Permission::Granted:
    result.setBits(lane, readMemory(address, result.kind()));
    if (m.options.trackErrors && isFloat(result.kind())) {
      m.loadErrors.resize(result.count(), 0.0);
      m.loadErrors[lane] = m.errorAt(address, result.elementBytes());
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
  switch (ask(m, in, address, value.elementBytes(), AccessKind::Write)) {
  case Permission::Granted:
    writeMemory(address, value.kind(), value.bitsAt(lane));
    if (m.options.trackErrors && isFloat(value.kind())) {
      const double error =
          value.errors() ? value.errors()->data<double>()[lane] : 0.0;
      m.setErrorAt(address, value.elementBytes(), error);
    }
    return true;
  case Permission::Skipped:
    return true;
  case Permission::Stopped:
    return false;
  }
  return false;
}

bool load(Machine &m, const Instruction &in) {
  auto op = cast<tile::LoadOp>(in.op);
  Unsigned addresses = unsignedLanes(m.operand(in, 0));
  const bool masked = static_cast<bool>(op.getMask());
  const bool hasOther = static_cast<bool>(op.getOther());
  // A volatile load is ordered like an atomic one (R6 O4).
  const auto access =
      op.getIsVolatile() ? AccessKind::Atomic : AccessKind::Read;
  TileValue result(in.resultKind, static_cast<int64_t>(addresses.size()));
  for (int64_t i = 0; i < result.count(); ++i) {
    if (masked && !m.operand(in, 1).isTrueAt(i)) {
      if (hasOther) {
        result.setBits(i, m.operand(in, 2).bitsAt(i));
        if (const TileValue *errors = m.operand(in, 2).errors()) {
          m.loadErrors.resize(result.count(), 0.0);
          m.loadErrors[i] = errors->data<double>()[i];
        }
      }
    } else if (!loadLane(m, in, addresses[i], access, result, i)) {
      return false;
    }
  }
  m.setLoaded(in, std::move(result));
  return true;
}

bool store(Machine &m, const Instruction &in) {
  auto op = cast<tile::StoreOp>(in.op);
  Unsigned addresses = unsignedLanes(m.operand(in, 0));
  const TileValue &value = m.operand(in, 1);
  const bool masked = static_cast<bool>(op.getMask());
  for (int64_t i = 0; i < value.count(); ++i) {
    if (masked && !m.operand(in, 2).isTrueAt(i)) {
      continue;
    }
    if (!storeLane(m, in, addresses[i], value, i)) {
      return false;
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
  m.setLoaded(in, std::move(result));
  return true;
}

bool storeView(Machine &m, const Instruction &in) {
  auto op = cast<tile::StoreViewOp>(in.op);
  tile::ViewType type = op.getView().getType();
  const TileValue &value = m.operand(in, 1);
  Signed offsets = offsetsFrom(m, in, 2, type.getRank());
  return forEachElement(
      signedLanes(m.operand(in, 0)), offsets, type, op.getChecked(),
      [&](int64_t lane, uint64_t address, bool inside) {
        return !inside || storeLane(m, in, address, value, lane);
      });
}

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

int64_t signExtended(uint64_t bits, Kind kind) {
  const unsigned unused = 64 - widthOf(kind);
  return static_cast<int64_t>(bits << unused) >> unused;
}

/// The new value of a float read-modify-write.
uint64_t updateFloat(tile::AtomicKind op, Kind kind, uint64_t old,
                     uint64_t operand) {
  const double a = decodeFloat(kind, old), b = decodeFloat(kind, operand);
  if (op == tile::AtomicKind::fadd) {
    return encodeFloat(kind, a + b);
  }
  if (std::isnan(b)) {
    return old; // P11
  }
  const bool better = op == tile::AtomicKind::fmax ? b > a : b < a;
  return std::isnan(a) || better ? operand : old;
}

uint64_t updated(tile::AtomicKind op, Kind kind, uint64_t old,
                 uint64_t operand) {
  using tile::AtomicKind;
  const int64_t a = signExtended(old, kind), b = signExtended(operand, kind);
  switch (op) {
  case AtomicKind::add:
    return old + operand;
  case AtomicKind::max:
    return b > a ? operand : old;
  case AtomicKind::min:
    return b < a ? operand : old;
  case AtomicKind::umax:
    return std::max(old, operand);
  case AtomicKind::umin:
    return std::min(old, operand);
  case AtomicKind::and_:
    return old & operand;
  case AtomicKind::or_:
    return old | operand;
  case AtomicKind::xor_:
    return old ^ operand;
  case AtomicKind::xchg:
    return operand;
  case AtomicKind::fadd:
  case AtomicKind::fmax:
  case AtomicKind::fmin:
    return updateFloat(op, kind, old, operand);
  }
  return old;
}

/// The bound of a cell that an atomic wrote. Programs may come in any order,
/// so each addition rounds.
void updateError(Machine &m, tile::AtomicKind kind, uint64_t address,
                 const TileValue &value, int64_t lane) {
  if (!m.options.trackErrors || !isFloat(value.kind()) ||
      !m.memory.allocationOf(address, value.elementBytes())) {
    return;
  }
  const unsigned bytes = value.elementBytes();
  const double mine = value.errors() ? value.errors()->data<double>()[lane] : 0;
  const double cell = m.errorAt(address, bytes);
  double error = mine;
  if (kind == tile::AtomicKind::fadd) {
    const double sum =
        decodeFloat(value.kind(), readMemory(address, value.kind()));
    error = cell + mine + ulpOf(value.kind(), sum);
  } else if (kind != tile::AtomicKind::xchg) {
    error = std::max(cell, mine);
  }
  m.setErrorAt(address, bytes, error);
}

/// What both atomics share: permission, ordering, read, update, write.
/// `next(old)` gives the new bits, or nothing to leave memory as it is.
template <typename Next>
bool atomicLane(Machine &m, const Instruction &in, uint64_t address,
                tile::MemSem order, TileValue &result, int64_t lane,
                Next next) {
  switch (ask(m, in, address, result.elementBytes(), AccessKind::Atomic)) {
  case Permission::Granted:
    break;
  case Permission::Skipped:
    return true;
  case Permission::Stopped:
    return false;
  }
  if (order == tile::MemSem::acquire || order == tile::MemSem::acq_rel) {
    m.memory.acquire(address, m.linearProgram());
  }
  if (order == tile::MemSem::release || order == tile::MemSem::acq_rel) {
    m.memory.release(address, m.linearProgram());
  }
  const uint64_t old = readMemory(address, result.kind());
  if (std::optional<uint64_t> bits = next(old)) {
    const uint64_t keep = result.kind() == Kind::I1 ? 1 : ~uint64_t{0};
    writeMemory(address, result.kind(), *bits & keep);
  }
  result.setBits(lane, old);
  return true;
}

bool atomicUpdate(Machine &m, const Instruction &in) {
  auto op = cast<tile::AtomicRMWOp>(in.op);
  Unsigned addresses = unsignedLanes(m.operand(in, 0));
  const TileValue &value = m.operand(in, 1);
  const bool masked = static_cast<bool>(op.getMask());
  TileValue result(in.resultKind, static_cast<int64_t>(addresses.size()));
  for (int64_t i = 0; i < result.count(); ++i) {
    if (masked && !m.operand(in, 2).isTrueAt(i)) {
      continue;
    }
    auto next = [&](uint64_t old) -> std::optional<uint64_t> {
      return updated(op.getKind(), result.kind(), old, value.bitsAt(i));
    };
    if (!atomicLane(m, in, addresses[i], op.getSem(), result, i, next)) {
      return false;
    }
    updateError(m, op.getKind(), addresses[i], value, i);
  }
  m.setResult(in, std::move(result));
  return true;
}

bool compareAndSwap(Machine &m, const Instruction &in) {
  auto op = cast<tile::AtomicCASOp>(in.op);
  Unsigned addresses = unsignedLanes(m.operand(in, 0));
  const TileValue &expected = m.operand(in, 1);
  const TileValue &value = m.operand(in, 2);
  TileValue result(in.resultKind, static_cast<int64_t>(addresses.size()));
  for (int64_t i = 0; i < result.count(); ++i) {
    auto next = [&](uint64_t old) -> std::optional<uint64_t> {
      if (old != expected.bitsAt(i)) {
        return std::nullopt;
      }
      return value.bitsAt(i);
    };
    if (!atomicLane(m, in, addresses[i], op.getSem(), result, i, next)) {
      return false;
    }
  }
  m.setResult(in, std::move(result));
  return true;
}

} // namespace

void addMemoryHandlers(HandlerTable &table) {
  table["tile.addptr"] = addPointer;
  table["tile.load"] = load;
  table["tile.store"] = store;
  table["tile.make_view"] = makeView;
  table["tile.advance_view"] = advanceView;
  table["tile.load_view"] = loadView;
  table["tile.store_view"] = storeView;
  table["tile.atomic_rmw"] = atomicUpdate;
  table["tile.atomic_cas"] = compareAndSwap;
}

} // namespace tz::interpreter
