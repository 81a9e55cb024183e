//===- FibersFaults.h - an ordering that is wrong on purpose ----*- C++ -*-===//
//
// What   Sites of a kernel where one thing that orders threads can be left out
//        or made wrong, and the one of them that a variable asks for.
// Why    test/fibers/faults shows that the race detector sees each kind.
//
// TERRAZZO_FIBERS_FAULT is "list", or "KIND NUMBER": the site of that number,
// in the order of the code. TERRAZZO_FIBERS_FAULT_LOG names a file: of "list"
// it gets a line "site<tab>ID<tab>KIND<tab>NUMBER<tab>WHAT" for each site, else
// "planted<tab>WHAT"; and "reached<tab>ID" when a thread comes there.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_TEST_FIBERS_FIBERSFAULTS_H
#define TERRAZZO_TEST_FIBERS_FIBERSFAULTS_H

#include "terrazzo/ir/Tile.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Function.h"

#include <string>

namespace tz::fibers {

class OpNames;

/// The sites that stand before an op; of copies and releases, where they act.
inline constexpr llvm::StringLiteral SitesAttr = "fibers.sites";
/// The number of the op that a call is of (OpNames).
inline constexpr llvm::StringLiteral OpMetadata = "fibers.op";

class Faults {
public:
  Faults(); // what the variables ask for
  /// Both parts of the variables: what a cache must tell apart.
  static std::string asked();

  /// Before the lowering: slots, waits, releases.
  void plantIn(tile::KernelOp kernel);
  /// After it: barriers, fences, counts.
  void plantIn(llvm::Function &function, const OpNames &ops);

private:
  /// Its ID, if it is listed or planted here.
  std::optional<uint32_t> site(llvm::StringRef kind, const std::string &what);
  /// True: it was planted, and what stood here may be gone. `at`: where the
  /// site is reached.
  bool inOp(mlir::Operation *op, mlir::Operation *at, llvm::StringRef kind,
            llvm::function_ref<void()> plant);
  bool inCode(llvm::Instruction &instruction, llvm::StringRef kind,
              const std::string &what, llvm::function_ref<void()> plant);
  bool inCall(llvm::CallInst &call, const std::string &where);
  bool inBarrier(llvm::CallInst &call, const std::string &where);
  bool inSplitBarrier(llvm::CallInst &call, const std::string &where);
  bool inPhases(llvm::CallInst &call, const std::string &where);
  bool inWait(llvm::CallInst &call, const std::string &where);
  bool inAtomic(llvm::Instruction &instruction);

  std::string wanted;
  uint64_t number = 0;
  bool isListing = false;
  llvm::StringMap<uint64_t> counts;
  uint32_t sites = 0;
};

/// Adds a line to the log, if there is one.
void logFault(const std::string &line);

} // namespace tz::fibers

#endif // TERRAZZO_TEST_FIBERS_FIBERSFAULTS_H
