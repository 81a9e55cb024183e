//===- Access.h - one lane's access to a kernel's memory --------*- C++ -*-===//
//
// What   Permission, reading and writing of one element, and a lane's bound.
// Why    Loads, stores and atomics share it.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_INTERPRETER_ACCESS_H
#define TERRAZZO_CORE_INTERPRETER_ACCESS_H

#include "core/interpreter/Machine.h"
#include "core/interpreter/Observer.h"

#include <cstring>

namespace tz::interpreter {

enum class Permission { Granted, Skipped, Stopped };

/// Asks whether the access may be done; out of bounds ends an unchecked run.
/// `stored`: the bits that a store puts there.
inline Permission ask(Machine &m, const Instruction &in, uint64_t address,
                      unsigned bytes, AccessKind kind,
                      std::optional<uint64_t> stored = std::nullopt) {
  ShadowMemory::Verdict verdict = m.memory.access(
      {address, bytes, kind, m.linearProgram(), in.op, in.number, stored});
  const bool isRead =
      kind == AccessKind::Read || kind == AccessKind::AtomicRead;
  if (m.options.observer && !isRead && m.options.watched - address < bytes) {
    m.options.observer->stores(*in.op);
  }
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

inline void *pointerTo(uint64_t address) {
  return reinterpret_cast<void *>(static_cast<uintptr_t>(address));
}

/// One element's bits; an i1 in memory is a byte that is zero or not.
inline uint64_t readMemory(uint64_t address, Kind kind) {
  uint64_t bits = 0;
  std::memcpy(&bits, pointerTo(address), bytesOf(kind));
  if (kind == Kind::I1) {
    return bits != 0 ? 1 : 0;
  }
  return kind == Kind::F4E2M1FN ? bits & 0xf : bits;
}

inline void writeMemory(uint64_t address, Kind kind, uint64_t bits) {
  std::memcpy(pointerTo(address), &bits, bytesOf(kind));
}

/// The bound of one lane; 0 = exact.
inline double errorOf(const TileValue &value, int64_t lane) {
  return value.errors() ? value.errors()->data<double>()[lane] : 0.0;
}

} // namespace tz::interpreter

#endif // TERRAZZO_CORE_INTERPRETER_ACCESS_H
