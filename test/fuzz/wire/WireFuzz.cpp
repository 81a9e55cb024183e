//===- WireFuzz.cpp - the reader of the portable form ---------------------===//
//
// What   Reads the bytes as they are and once more with a right hash; what is
//        accepted must write and read to the same text.
//
//===----------------------------------------------------------------------===//
#include "terrazzo/wire/Wire.h"

#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

static std::string print(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

static void readOnce(const std::string &bytes) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = tz::wire::read(bytes, context);
  if (!module) {
    llvm::consumeError(module.takeError());
    return;
  }
  auto again = tz::wire::write(module->get());
  if (!again) {
    llvm::errs() << llvm::toString(again.takeError()) << "\n";
    std::abort();
  }
  auto second = tz::wire::read(*again, context);
  if (!second || print(second->get()) != print(module->get())) {
    std::abort();
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string bytes(reinterpret_cast<const char *>(data), size);
  readOnce(bytes);
  tz::wire::rehash(bytes);
  // The header's size, too, or a cut file never gets past it.
  if (bytes.size() >= 64) {
    for (int i = 0; i < 8; ++i) {
      bytes[16 + i] = char(uint64_t(size) >> (8 * i));
    }
    tz::wire::rehash(bytes);
    readOnce(bytes);
  }
  return 0;
}
