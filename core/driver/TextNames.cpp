//===- TextNames.cpp - tile IR text, its names kept -----------------------===//
//
// What   See TextNames.h.
// Why    The parser's state for editors is the one place that knows names.
//===----------------------------------------------------------------------===//
#include "core/driver/TextNames.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace tz::driver {

/// "x" of `%x`.
static llvm::StringRef nameIn(const AsmParserState::SMDefinition &definition) {
  if (!definition.loc.isValid()) {
    return {};
  }
  const char *begin = definition.loc.Start.getPointer();
  llvm::StringRef text(begin, definition.loc.End.getPointer() - begin);
  text.consume_front("%");
  return text;
}

static void nameArguments(tile::KernelOp kernel, const AsmParserState &state) {
  Block &entry = kernel.getBody().front();
  const AsmParserState::BlockDefinition *block = state.getBlockDef(&entry);
  if (!block) {
    return;
  }
  for (auto [index, definition] : llvm::enumerate(block->arguments)) {
    llvm::StringRef name = nameIn(definition);
    if (name.empty() || llvm::isDigit(name.front()) ||
        kernel.getArgAttr(index, "tile.name") ||
        name == kernel.getArgName(index)) {
      continue;
    }
    kernel.setArgAttr(index, "tile.name",
                      StringAttr::get(kernel.getContext(), name));
  }
}

OwningOpRef<ModuleOp> parseNamedText(llvm::StringRef text, llvm::StringRef path,
                                     MLIRContext &context) {
  llvm::SourceMgr files;
  files.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text, path),
                           llvm::SMLoc());
  OwningOpRef<ModuleOp> module =
      ModuleOp::create(FileLineColLoc::get(&context, path, 1, 1));
  AsmParserState state;
  if (failed(parseAsmSourceFile(files, module->getBody(),
                                ParserConfig(&context), &state))) {
    return {};
  }
  module->walk([&](tile::KernelOp kernel) { nameArguments(kernel, state); });
  if (llvm::hasSingleElement(*module->getBody())) {
    if (auto inner = dyn_cast<ModuleOp>(module->getBody()->front())) {
      inner->remove();
      return inner;
    }
  }
  return module;
}

} // namespace tz::driver
