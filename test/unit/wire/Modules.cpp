//===- Modules.cpp - modules for the tests of the portable form -----------===//
//
// What   Text to module, module to text, and the golden files.
//
//===----------------------------------------------------------------------===//
#include "Modules.h"

#include "terrazzo/ir/Tile.h"

#include "mlir/Parser/Parser.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace tz::wire {

std::string slurp(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file),
          std::istreambuf_iterator<char>()};
}

std::vector<std::string> goldenNames() {
  std::vector<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(GoldenFolder)) {
    if (entry.path().extension() == ".mlir") {
      names.push_back(entry.path().stem());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

mlir::OwningOpRef<mlir::ModuleOp> parse(llvm::StringRef text,
                                        mlir::MLIRContext &context) {
  mlir::DialectRegistry registry;
  tile::registerTileDialects(registry);
  context.appendDialectRegistry(registry);
  return mlir::parseSourceString<mlir::ModuleOp>(text, &context);
}

std::string print(mlir::ModuleOp module, bool locations) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  mlir::OpPrintingFlags flags;
  flags.enableDebugInfo(locations);
  module.print(stream, flags);
  return text;
}

std::string written(mlir::ModuleOp module, const WriteOptions &options) {
  llvm::Expected<std::string> bytes = write(module, options);
  if (!bytes) {
    ADD_FAILURE() << llvm::toString(bytes.takeError());
    return "";
  }
  return *bytes;
}

} // namespace tz::wire
