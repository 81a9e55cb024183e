//===- MemoryForms.h - what a memory instruction moves --------------------===//
//
// What   The bytes, signs and halves of loads and stores, and the arithmetic of
//        atomics, for LDS and device memory alike.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_AMD_SIMULATOR_EXECUTE_MEMORYFORMS_H
#define TERRAZZO_PLUGINS_AMD_SIMULATOR_EXECUTE_MEMORYFORMS_H

#include "plugins/amd/simulator/execute/Wave.h"

#include <span>

namespace tz::amd::sim {

/// Of one element of a load or store.
struct AccessForm {
  const char *name;  ///< behind "load_" or "store_" on gfx9
  const char *newer; ///< the same on gfx11
  uint8_t bytes;
  bool isSigned = false;
  bool isHalf = false; ///< writes 16 bits of the register only
  bool isHigh = false; ///< these are the upper ones
};
std::span<const AccessForm> loadForms();
std::span<const AccessForm> storeForms();

/// Puts what was loaded into a lane's registers.
void writeLoaded(Wave &wave, const Operand &to, unsigned lane,
                 const AccessForm &form, const uint8_t *bytes);
/// The bytes that a lane stores; at most 16.
void readStored(Wave &wave, const Operand &from, unsigned lane,
                const AccessForm &form, uint8_t *bytes);

/// An atomic: new from the old value, the data and, for an exchange with a
/// comparison, the value that is expected.
struct AtomicForm {
  const char *name;
  uint8_t bytes;
  uint64_t (*compute)(uint64_t old, uint64_t data, uint64_t expected);
  bool comparesFirst = false; ///< its data are a pair
  bool newFirst = false;      ///< of LDS: the new value before the expected one
};
std::span<const AtomicForm> atomicForms();

/// Reads, computes and writes at `at`; returns the old value.
uint64_t runAtomic(const AtomicForm &form, uint8_t *at, uint64_t data,
                   uint64_t expected);

} // namespace tz::amd::sim

#endif
