//===- FrontendFuzzer.cpp - libFuzzer target of the frontend --------------===//
//
// What   Any bytes as a kernel file: parse, run the top level, elaborate.
// Why    No input may crash the frontend or make it give IR and an error.
//        Corpus: corpus/frontend; seeds: docs/examples and the text tests.
//
//===----------------------------------------------------------------------===//
#include "test/unit/frontend/AnyInput.h"

#include "llvm/Support/raw_ostream.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string wrong = tz::frontend::test::runAnyInput(
      llvm::StringRef(reinterpret_cast<const char *>(data), size));
  if (!wrong.empty()) {
    llvm::errs() << wrong << "\n";
    __builtin_trap();
  }
  return 0;
}
