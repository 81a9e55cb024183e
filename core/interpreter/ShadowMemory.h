//===- ShadowMemory.h - known allocations and their shadow ------*- C++ -*-===//
//
// What   Says whether an access is inside known memory, reads what was
//        written, and races with another program (R6 O3).
// Why    The shadow is the interpreter's alone: kernels touch real memory.
//
// A race is two accesses of one byte by different programs, one of them a
// write, not both atomic, and not ordered by an acquire that saw a release. A
// store of what is there already may be excepted (Options).
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_INTERPRETER_SHADOWMEMORY_H
#define TERRAZZO_CORE_INTERPRETER_SHADOWMEMORY_H

#include "core/interpreter/Interpreter.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"

namespace tz::interpreter {

/// AtomicRead: a volatile load, which is ordered like an atomic (R6 O4).
/// ProgramAtomic: atomic among the lanes of its program; to other programs a
/// read and a write.
enum class AccessKind { Read, Write, Atomic, AtomicRead, ProgramAtomic };

class ShadowMemory {
public:
  ShadowMemory(const Options &options, std::array<uint32_t, 3> grid);

  struct Access {
    uint64_t address = 0;
    unsigned bytes = 0;
    AccessKind kind = AccessKind::Read;
    uint32_t program = 0; ///< linear
    mlir::Operation *op = nullptr;
    uint32_t number = 0;            ///< of the op, from 1
    std::optional<uint64_t> stored; ///< bits, of a Write
  };
  struct Verdict {
    bool inside = true;
    /// Set if checked mode has something to say.
    std::optional<FindingKind> finding;
    std::string message;
  };
  /// Judges one access and records it in the shadow.
  Verdict access(const Access &access);
  /// Fills in Report::written.
  void countWritten(Report &report) const;

  /// The allocation that holds the bytes; null = none.
  const Allocation *allocationOf(uint64_t address, unsigned bytes) {
    Region *region = regionOf(address, bytes);
    return region ? &region->allocation : nullptr;
  }

  /// What `program` did so far is seen by who acquires at `address`.
  void release(uint64_t address, uint32_t program);
  void acquire(uint64_t address, uint32_t program);

private:
  struct Byte {
    uint32_t writer = 0; ///< program + 1; 0 = none
    uint32_t reader = 0;
    uint16_t writingOp = 0; ///< its number; 0 = not known
    uint16_t readingOp = 0;
    uint16_t writerReleases = 0; ///< of the writer, before it wrote
    uint16_t readerReleases = 0;
    bool written = false; ///< holds a value
    bool atomicWriter = false;
    bool atomicReader = false;
  };
  struct Region {
    Allocation allocation;
    std::vector<Byte> shadow; ///< checked mode only
    uint64_t written = 0;     ///< bytes that the kernel has written
  };

  Region *regionOf(uint64_t address, unsigned bytes);
  Verdict outside(uint64_t address, unsigned bytes) const;
  bool ordered(uint32_t earlier, uint16_t releases, uint32_t later) const;
  void runs(uint32_t program);
  std::optional<std::string> findRace(const Region &region, uint64_t offset,
                                      const Access &access) const;
  /// `made`: releases of its program so far.
  void record(Region &region, uint64_t offset, const Access &access,
              uint16_t made);
  std::string programName(uint32_t linear) const;

  std::vector<Region> regions; ///< by base
  Region *last = nullptr;
  bool checked, sameValueStoresRace;
  std::array<uint32_t, 3> grid;
  std::vector<mlir::Operation *> ops; ///< by number, of those that had access
  /// Programs that happen before what is acquired at an address.
  llvm::DenseMap<uint64_t, llvm::BitVector> released;
  /// How often a program has released, to MostReleases; programs run one after
  /// the other.
  llvm::DenseMap<uint32_t, uint16_t> releases;
  /// Programs whose releases the running one has seen.
  uint32_t current = 0;
  llvm::BitVector before;
};

} // namespace tz::interpreter

#endif // TERRAZZO_CORE_INTERPRETER_SHADOWMEMORY_H
