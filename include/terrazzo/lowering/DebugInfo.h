//===- DebugInfo.h - Lines of the kernel for its machine code -------------===//
//
// What   From locations of tile IR to LLVM's: a compile unit, a subprogram for
//        the kernel and one for each function that was inlined into it, call
//        chains as inlined scopes, the kernel's scalar arguments as variables.
// Why    Debuggers, profilers and simulators show the author's own lines. LLVM
//        writes DWARF 5 from this; instructions are the same as without it.
//
// Levels (tz_compile_request.debug_level)
//   0  nothing
//   1  line tables and inlined calls
//   2  also types and the names of scalar arguments
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_LOWERING_DEBUGINFO_H
#define TERRAZZO_LOWERING_DEBUGINFO_H

#include "terrazzo/ir/Tile.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/IRBuilder.h"

#include <optional>

namespace tz::lowering {

class DebugInfo {
public:
  /// Tables: sections that debuggers read. Directives: lines in the text of an
  /// assembler that makes its tables itself; levels above 1 are 1 then.
  enum class Form : uint8_t { Tables, Directives };
  /// With level 0 everything below does nothing.
  DebugInfo(llvm::Module &module, tile::KernelOp kernel, unsigned level,
            Form form = Form::Tables);

  /// `entry` is the kernel's function.
  void setEntry(llvm::Function *entry);
  /// Null if nothing is known of the place, or wanted.
  llvm::DebugLoc at(mlir::Location location);
  /// `arguments` points to all arguments. At level 2 it is kept on the stack,
  /// so that a debugger finds them wherever the kernel stands. First in the
  /// entry block.
  void keepArguments(llvm::IRBuilderBase &b, llvm::Value *arguments);
  /// Argument number `index` lies `offset` bytes behind that pointer.
  void nameArgument(llvm::IRBuilderBase &b, unsigned index, uint64_t offset);
  /// Gives the functions that the kernel calls, made of one op each, that op's
  /// line. The last call.
  void finish();
  bool isWanted() const { return builder.has_value(); }

private:
  llvm::DILocation *locate(mlir::Location location, llvm::DILocation *site,
                           unsigned &steps);
  llvm::DIFile *file(llvm::StringRef path);
  llvm::DISubprogram *subprogram(llvm::StringRef name, llvm::StringRef symbol,
                                 llvm::DIFile *file, unsigned line,
                                 bool artificial);
  llvm::DIType *type(mlir::Type type);
  bool locateHelper(llvm::Function &function);

  llvm::Module &module;
  tile::KernelOp kernel;
  const unsigned level;
  std::optional<llvm::DIBuilder> builder;
  llvm::DICompileUnit *unit = nullptr;
  llvm::DISubprogram *entryScope = nullptr;
  llvm::Value *argumentsKept = nullptr; ///< where; null: nowhere
  llvm::StringMap<llvm::DIFile *> files;
  llvm::StringMap<llvm::DISubprogram *> inlined; ///< by name and file
  llvm::DenseMap<mlir::Location, llvm::DILocation *> known;
  llvm::DenseMap<llvm::DILocation *, llvm::DILocation *> callSites;
};

} // namespace tz::lowering

#endif
