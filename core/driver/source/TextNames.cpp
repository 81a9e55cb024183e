//===- TextNames.cpp - tile IR text, its names kept -----------------------===//
//
// What   See TextNames.h.
// Why    The parser's state for editors is the one place that knows names.
//===----------------------------------------------------------------------===//
#include "core/driver/source/TextNames.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace tz::driver {

using frontend::DebugEvent;
using frontend::DType;

namespace {

/// "x" of `%x`; empty if the text has no name for the value.
llvm::StringRef nameIn(const AsmParserState::SMDefinition &definition) {
  if (!definition.loc.isValid()) {
    return {};
  }
  const char *begin = definition.loc.Start.getPointer();
  llvm::StringRef text(begin, definition.loc.End.getPointer() - begin);
  text.consume_front("%");
  return text;
}

void nameArguments(tile::KernelOp kernel, const AsmParserState &state) {
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

/// The language's word for an element type; f4E2M1FN and pointers have none.
DType dtypeOf(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    switch (integer.getWidth()) {
    case 1:
      return DType::I1;
    case 8:
      return DType::I8;
    case 16:
      return DType::I16;
    case 32:
      return DType::I32;
    default:
      return DType::I64;
    }
  }
  return llvm::TypeSwitch<Type, DType>(type)
#define FLOAT_TYPE(Id, Type, Format) .Case([](Type) { return DType::Id; })
#include "terrazzo/ElementTypes.def"
      .Default([](Type) { return DType::Void; });
}

frontend::TileType tileTypeOf(Type type) {
  frontend::TileType made;
  if (auto view = dyn_cast<tile::ViewType>(type)) {
    made.isBlockPtr = true;
    made.elem = dtypeOf(view.getElementType());
    made.shape.assign(view.getShape().begin(), view.getShape().end());
    return made;
  }
  Type element = tile::elementType(type);
  llvm::ArrayRef<int64_t> shape = tile::shapeOf(type);
  made.shape.assign(shape.begin(), shape.end());
  if (auto pointer = dyn_cast<tile::PtrType>(element)) {
    made.isPtr = true;
    element = pointer.getPointee();
  }
  made.elem = dtypeOf(element);
  return made;
}

/// Writes the debugger's map of a kernel.
class Tracer {
public:
  Tracer(const AsmParserState &state, const llvm::SourceMgr &text,
         const frontend::SourceFile &file, frontend::DebugMap &map)
      : state(state), text(text), file(file), map(map) {}

  void trace(tile::KernelOp kernel) {
    OpBuilder at = OpBuilder::atBlockBegin(&kernel.getBody().front());
    map.add(at, {DebugEvent::Enter, placeOf(kernel), kernel.getName().str(),
                 /*parts=*/{}});
    kernel->walk<WalkOrder::PreOrder>([&](Block *block) { trace(*block); });
  }

private:
  void trace(Block &block) {
    OpBuilder at = OpBuilder::atBlockBegin(&block);
    if (const auto *names = state.getBlockDef(&block)) {
      for (auto [argument, definition] :
           llvm::zip(block.getArguments(), names->arguments)) {
        add(at, definition, ValueRange(argument));
      }
    }
    for (Operation &op : block) {
      map.add(at, {DebugEvent::Statement, placeOf(&op), "", {}});
      at.setInsertionPointAfter(&op);
      addResults(at, op);
    }
  }

  void addResults(OpBuilder &at, Operation &op) {
    const auto *definition = state.getOpDef(&op);
    if (!definition) {
      return;
    }
    const auto &groups = definition->resultGroups;
    for (size_t i = 0; i < groups.size(); ++i) {
      const unsigned first = groups[i].startIndex;
      const unsigned end =
          i + 1 < groups.size() ? groups[i + 1].startIndex : op.getNumResults();
      add(at, groups[i].definition, op.getResults().slice(first, end - first));
    }
  }

  /// `%q` of one value, or `%q#0`, `%q#1` ... of several.
  void add(OpBuilder &at, const AsmParserState::SMDefinition &definition,
           ValueRange values) {
    llvm::StringRef name = nameIn(definition).split(':').first;
    if (name.empty()) {
      return;
    }
    DebugEvent event{DebugEvent::Name, placeAt(definition.loc.Start),
                     name.str(), /*parts=*/{}};
    for (auto [i, value] : llvm::enumerate(values)) {
      event.parts.push_back({values.size() == 1 ? "" : "#" + std::to_string(i),
                             "", value, tileTypeOf(value.getType())});
    }
    map.add(at, std::move(event));
  }

  frontend::SourceLoc placeOf(Operation *op) const {
    const auto *definition = state.getOpDef(op);
    return definition ? placeAt(definition->loc.Start) : frontend::SourceLoc();
  }
  frontend::SourceLoc placeAt(llvm::SMLoc at) const {
    auto [line, column] = text.getLineAndColumn(at);
    return {&file, line, column, /*length=*/0};
  }

  const AsmParserState &state;
  const llvm::SourceMgr &text;
  const frontend::SourceFile &file;
  frontend::DebugMap &map;
};

} // namespace

OwningOpRef<ModuleOp> parseNamedText(const frontend::SourceFile &file,
                                     MLIRContext &context,
                                     frontend::DebugMap *debugMap) {
  llvm::SourceMgr files;
  files.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(file.text(), file.path()),
      llvm::SMLoc());
  OwningOpRef<ModuleOp> module =
      ModuleOp::create(FileLineColLoc::get(&context, file.path(), 1, 1));
  AsmParserState state;
  if (failed(parseAsmSourceFile(files, module->getBody(),
                                ParserConfig(&context), &state))) {
    return {};
  }
  module->walk([&](tile::KernelOp kernel) {
    nameArguments(kernel, state);
    if (debugMap) {
      Tracer(state, files, file, *debugMap).trace(kernel);
    }
  });
  if (llvm::hasSingleElement(*module->getBody())) {
    if (auto inner = dyn_cast<ModuleOp>(module->getBody()->front())) {
      inner->remove();
      return inner;
    }
  }
  return module;
}

} // namespace tz::driver
