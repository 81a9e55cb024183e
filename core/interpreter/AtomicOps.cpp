//===- AtomicOps.cpp - read-modify-write, compare-and-swap ----------------===//
//
// What   tile.atomic_rmw and tile.atomic_cas, lane by lane, and the bounds of
//        what they leave behind.
// Why    Only here does the order of programs show in the answer.
//
//===----------------------------------------------------------------------===//
#include "core/interpreter/Access.h"
#include "core/interpreter/Errors.h"

using namespace mlir;

namespace tz::interpreter {

namespace {

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

/// The bound of a cell that an atomic wrote.
void updateError(Machine &m, tile::AtomicKind kind, uint64_t address,
                 uint64_t old, const TileValue &value, int64_t lane) {
  if (!m.options.trackErrors) {
    return;
  }
  const unsigned bytes = value.elementBytes();
  const double mine = errorOf(value, lane);
  const double cell = m.errorAt(address, bytes);
  double error = mine;
  if (!isFloat(value.kind())) {
    const bool adds = kind == tile::AtomicKind::add;
    error = mine == 0 && cell == 0 ? 0 : adds ? mine + cell : Unknown;
  } else if (kind == tile::AtomicKind::fadd) {
    // Programs come in any order: a sum in any order, ours included (E4).
    Machine::Additions &sum = m.additions[address];
    if (sum.terms == 0) {
      sum = {1, std::fabs(decodeFloat(value.kind(), old)) + cell, cell};
    }
    sum.terms += 1;
    sum.magnitude +=
        std::fabs(decodeFloat(value.kind(), value.bitsAt(lane))) + mine;
    sum.given += mine;
    error = sum.given +
            scaled(sum.magnitude, 2 * growth(value.kind(), sum.terms - 1));
    if (value.kind() == Kind::F32) { // denormals may be zero (P13)
      error += sum.terms * leastNormalOf(Kind::F32);
    }
    if (std::isinf(sum.magnitude) || std::isnan(sum.magnitude)) {
      error = sum.given == 0 ? 0 : Unknown;
    } else if (sum.magnitude + error > largestOf(value.kind())) {
      error = Unknown;
    }
  } else if (kind != tile::AtomicKind::xchg) {
    error = std::max(cell, mine);
  }
  m.setErrorAt(address, bytes, error);
}

/// What both atomics share: permission, ordering, read, update, write.
/// `next(old)` gives the new bits, or nothing to leave memory as it is.
template <typename Op, typename Next>
bool atomicLane(Machine &m, const Instruction &in, uint64_t address, Op op,
                TileValue &result, int64_t lane, Next next) {
  // Lanes of a program are in order as it is.
  const bool isNarrow = op.getScope() == tile::MemScope::program;
  const tile::MemSem order = isNarrow ? tile::MemSem::relaxed : op.getSem();
  switch (ask(m, in, address, result.elementBytes(),
              isNarrow ? AccessKind::ProgramAtomic : AccessKind::Atomic)) {
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

/// A sum of floats on its way, seen by one of many programs, may be any. What
/// integer atomics give is taken as it came: tickets are handed out in some
/// order, and a kernel that uses them is right in each.
void doubtOldValues(Machine &m, const Instruction &in, TileValue &result) {
  const auto &grid = m.args.grid;
  const bool isAlone = static_cast<uint64_t>(grid[0]) * grid[1] * grid[2] == 1;
  m.decideBy(m.operand(in, 0));
  if (m.options.trackErrors && isFloat(result.kind()) && !isAlone &&
      !in.op->use_empty()) {
    attachErrors(result, Floats(result.count(), Unknown));
  }
}

bool atomicUpdate(Machine &m, const Instruction &in) {
  auto op = cast<tile::AtomicRMWOp>(in.op);
  Unsigned addresses = unsignedLanes(m.operand(in, 0));
  const TileValue &value = m.operand(in, 1);
  const bool masked = static_cast<bool>(op.getMask());
  TileValue result(in.resultKind, static_cast<int64_t>(addresses.size()));
  for (int64_t i = 0; i < result.count(); ++i) {
    if (masked && !m.operand(in, 2).isTrueAt(i)) {
      if (errorOf(m.operand(in, 2), i) != 0) {
        m.setErrorAt(addresses[i], result.elementBytes(), Unknown);
      }
      continue;
    }
    auto next = [&](uint64_t old) -> std::optional<uint64_t> {
      return updated(op.getKind(), result.kind(), old, value.bitsAt(i));
    };
    if (!atomicLane(m, in, addresses[i], op, result, i, next)) {
      return false;
    }
    updateError(m, op.getKind(), addresses[i], result.bitsAt(i), value, i);
    if (masked && errorOf(m.operand(in, 2), i) != 0) {
      m.setErrorAt(addresses[i], result.elementBytes(), Unknown);
    }
  }
  doubtOldValues(m, in, result);
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
    if (!atomicLane(m, in, addresses[i], op, result, i, next)) {
      return false;
    }
    const unsigned bytes = result.elementBytes();
    if (m.options.trackErrors &&
        (m.errorAt(addresses[i], bytes) != 0 || errorOf(expected, i) != 0 ||
         errorOf(value, i) != 0)) {
      m.setErrorAt(addresses[i], bytes, Unknown); // which of the two?
    }
  }
  doubtOldValues(m, in, result);
  m.setResult(in, std::move(result));
  return true;
}

} // namespace

void addAtomicHandlers(HandlerTable &table) {
  table["tile.atomic_rmw"] = atomicUpdate;
  table["tile.atomic_cas"] = compareAndSwap;
}

} // namespace tz::interpreter
