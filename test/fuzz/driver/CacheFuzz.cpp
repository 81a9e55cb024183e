//===- CacheFuzz.cpp - any bytes as an entry of the compile cache ---------===//
//
// What   Reads the bytes as an entry of either level; an outcome that is
//        accepted is written to the same bytes.
// Why    The cache's own hash only tells that a file is as somebody wrote it.
//===----------------------------------------------------------------------===//
#include "core/driver/cache/CacheEntry.h"

#include "mlir/IR/MLIRContext.h"

#include <cstdlib>

using namespace tz::driver;

/// A module of many ops that are all at one place, so that what an entry says
/// of ops can be told.
static const PlaceTable &source() {
  static mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  static const PlaceTable table = [] {
    mlir::Location line = mlir::FileLineColLoc::get(&context, "k.py", 7, 5);
    mlir::Location place =
        mlir::CallSiteLoc::get(line, mlir::CallSiteLoc::get(line, line));
    mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(place);
    for (int i = 0; i < 256; ++i) {
      module->push_back(mlir::ModuleOp::create(place));
    }
    return PlaceTable(*module);
  }();
  return table;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view bytes(reinterpret_cast<const char *>(data), size);
  if (auto outcome = CompileOutcome::read(bytes)) {
    if (outcome->write() != bytes) {
      std::abort();
    }
  }
  if (auto code = CompiledCode::read(bytes, source(), "locations")) {
    std::string again = code->write(source(), "locations");
    if (!CompiledCode::read(again, source(), "locations")) {
      std::abort();
    }
  }
  (void)CompiledCode::readArtifact(bytes);
  return 0;
}
