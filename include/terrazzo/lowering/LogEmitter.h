//===- LogEmitter.h - what a kernel writes into its log ring --------------===//
//
// What   Appends a record of a print, and notes that an assert failed; layouts
//        as in plugin.h, section 7.
// Why    No printf and no trap in a kernel: the host decodes the ring when the
//        stream is synchronised (R1). How a record is reserved and what happens
//        when the ring is full must be the same on every target.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_LOWERING_LOGEMITTER_H
#define TERRAZZO_LOWERING_LOGEMITTER_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"

namespace tz::lowering {

/// Elements of a tile in one record.
inline constexpr int64_t LogPieceElements = 64;

/// What a record says beside its elements.
struct LogPiece {
  uint32_t site;             ///< number of the print, from 0
  llvm::Value *value;        ///< i32: which of its values
  llvm::Value *first;        ///< i64: the first element of the tile
  llvm::Value *count;        ///< i64: how many elements
  llvm::Value *payloadBytes; ///< i64
};

/// Emits code for one thread, in the function that the builder stands in. Ends
/// in another block than it began.
class LogEmitter {
public:
  /// i32: the program's place on an axis.
  using ProgramId = llvm::function_ref<llvm::Value *(unsigned axis)>;

  /// `header`: address of the ring. `scope`: who sees the atomics, the device.
  LogEmitter(llvm::IRBuilderBase &b, llvm::Value *header, ProgramId program,
             llvm::SyncScope::ID scope = llvm::SyncScope::System)
      : b(b), header(header), program(program), scope(scope) {}

  /// Reserves a record and calls `fill` with the address of its payload, which
  /// is aligned to 8 bytes, if there is room.
  void append(const LogPiece &piece,
              llvm::function_ref<void(llvm::Value *)> fill);
  /// The first program that fails is noted, with the assert's number.
  void fail(uint32_t site);

private:
  llvm::Value *field(llvm::Value *base, uint64_t offset);
  void emitIf(llvm::Value *condition, llvm::function_ref<void()> then,
              llvm::function_ref<void()> otherwise = {});

  llvm::IRBuilderBase &b;
  llvm::Value *header;
  ProgramId program; ///< the caller's; an emitter lives as long as a call
  llvm::SyncScope::ID scope;
};

} // namespace tz::lowering

#endif // TERRAZZO_LOWERING_LOGEMITTER_H
