//===- Wire.h - the portable form of tile IR --------------------*- C++ -*-===//
//
// What   Writes one kernel as bytes and reads it back: a container of our own
//        with a version, a hash and frozen numbers for ops, types, attributes.
// Why    This is what crosses the plugin boundary, sits in bundles and caches,
//        and outlives the compiler that made it; nothing in it depends on the
//        version of a library.
//
// Container (little endian)
//    0  magic, 8 bytes            8  u16 container version
//   10  u16 IR major             12  u16 IR minor
//   14  u16 flags (bit 0: prepared stage)
//   16  u64 total size           24  u32 number of sections   28  u32 zero
//   32  SHA-256 of the other bytes
//   64  sections: u32 id, u32 flags (bit 0: may be skipped), u64 offset,
//       u64 size; sorted, without gaps but for zero padding to 8 bytes
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_WIRE_WIRE_H
#define TERRAZZO_WIRE_WIRE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace tz::wire {

/// R2: a neutral module is a function of kernel and specialisation; a prepared
/// one has also seen a target description.
enum class Stage : uint16_t { Neutral = 0, Prepared = 1 };

struct WriteOptions {
  Stage stage = Stage::Neutral;
  /// Version of tile IR to write; a feature that is newer is refused by name.
  unsigned irMinor = 1;
  /// Leave debug locations out (R10: they are not part of what the code means).
  bool locations = true;
};

/// What of a module is no tile IR, or newer than the version to be written.
class NotPortable : public llvm::ErrorInfo<NotPortable> {
public:
  static char ID;
  NotPortable(mlir::Location location, std::string what)
      : location(location), what(std::move(what)) {}

  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

  mlir::Location location; ///< of the op
  std::string what;        ///< "arith.divsi: the op has no portable form"
};

/// The bytes of a module that holds exactly one tile.kernel, or NotPortable,
/// which names the op, type or attribute without a portable form. Another error
/// once the thread's CompileBudget is spent.
llvm::Expected<std::string> write(mlir::ModuleOp module,
                                  const WriteOptions &options = {});

/// Reads, rebuilds and verifies. Every input that `write` did not make is
/// rejected with one message; no input ends the process.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
read(llvm::StringRef bytes, mlir::MLIRContext &context);

struct Header {
  unsigned irMajor = 0, irMinor = 0;
  Stage stage = Stage::Neutral;
};

/// Checks container, sizes and hash, and not what the sections hold.
llvm::Expected<Header> inspect(llvm::StringRef bytes);

/// True if the bytes begin as a portable file does.
bool isPortable(llvm::StringRef bytes);

/// Hash for keys of caches, hexadecimal: of everything but debug locations, or
/// of these too, where the code will hold line tables (R10).
llvm::Expected<std::string> codeHash(llvm::StringRef bytes,
                                     bool withLocations = false);

/// Makes the hash of a changed file right again: for tests and fuzzers,
/// which want to reach what lies behind the integrity check.
void rehash(std::string &bytes);

} // namespace tz::wire

#endif // TERRAZZO_WIRE_WIRE_H
