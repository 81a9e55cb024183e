//===- Observer.h - somebody who watches a run ------------------*- C++ -*-===//
//
// What   The interface that a run tells of its steps: programs, blocks, ops,
//        mistakes; with the values that exist at that moment.
// Why    A debugger stops between two ops and looks. The interpreter knows
//        nothing of lines, names and commands.
//
// Contract
//  1  All calls come from the thread of run(), and the run waits for them.
//  2  Order: startProgram; then for each execution of a block enterBlock,
//     beforeOp for each op but the terminator, leaveBlock. A block that fails
//     or is ended is not left.
//  3  Blocks of combine regions (tile.reduce, tile.scan, tile.map) come as
//     often as the interpreter evaluates them, with any number of lanes a
//     value.
//  4  Only what returns false ends the run: then no further call comes.
//  5  An observer must not change the IR or the kernel's memory.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_INTERPRETER_OBSERVER_H
#define TERRAZZO_CORE_INTERPRETER_OBSERVER_H

#include "core/interpreter/Interpreter.h"
#include "core/interpreter/TileValue.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tz::interpreter {

class Observer {
public:
  /// The value as last computed by the running program; null if it was not yet.
  /// Valid during the call that it was given to, its answers until the next op.
  using Lookup = llvm::function_ref<const TileValue *(mlir::Value)>;

  virtual ~Observer() = default;

  virtual bool startProgram(const std::array<uint32_t, 3> & /*program*/) {
    return true;
  }
  /// The block's arguments have their values.
  virtual bool enterBlock(mlir::Block & /*block*/, Lookup /*values*/) {
    return true;
  }
  virtual bool beforeOp(mlir::Operation & /*op*/, Lookup /*values*/) {
    return true;
  }
  virtual bool leaveBlock(mlir::Block & /*block*/, Lookup /*values*/) {
    return true;
  }
  /// Checked mode has found a mistake for the first time, in the midst of the
  /// op. The run goes on.
  virtual void found(mlir::Operation & /*op*/, const Finding & /*finding*/) {}
  /// The op is about to store to Options::watched, for one of its lanes.
  virtual void stores(mlir::Operation & /*op*/) {}
  /// The run fails at the op and ends. The message is without the place.
  virtual void failed(mlir::Operation & /*op*/, llvm::StringRef /*message*/) {}
};

} // namespace tz::interpreter

#endif // TERRAZZO_CORE_INTERPRETER_OBSERVER_H
