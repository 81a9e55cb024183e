//===- Reader.cpp - bytes to a verified module ----------------------------===//
//
// What   Reads the tables, then the op records with a stack of our own, then
//        runs the verifier and gives its first error.
// Why    The input may be anything. Bounds are ByteReader's, depth is a
//        counter, scoping holds by construction (operands are distances into
//        the values in scope); what is left is the ops' own constraints.
//===----------------------------------------------------------------------===//
#include "core/wire/Codec.h"
#include "core/wire/Container.h"

#include "terrazzo/ir/Tile.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

#include "llvm/Support/Threading.h"

using namespace llvm;
using namespace mlir;

namespace tz::wire {

// Both namespaces have them.
using mlir::Attribute, mlir::FunctionType, mlir::IntegerType, mlir::Type;
using mlir::Operation, mlir::Region, mlir::Value, llvm::DenseMap;

namespace {

/// A block that is being filled.
struct Frame {
  Operation *op;
  unsigned nextRegion;
  uint64_t opsLeft;
  size_t mark; ///< values in scope before the block
};

class OpReader {
public:
  OpReader(TableReader &tables, ByteReader &reader, MLIRContext &context,
           ArrayRef<Location> locations)
      : tables(tables), reader(reader), context(context), locations(locations) {
  }

  void readKernel(ModuleOp module);
  uint64_t locationsRead() const { return located; }

private:
  Operation *readOp();
  Location nextLocation() {
    return located++ < locations.size() ? locations[located - 1]
                                        : UnknownLoc::get(&context);
  }
  void readAttributes(const OpRecord &record, OperationState &state);
  void enterRegion(Frame &frame);
  void push(Operation *op);

  TableReader &tables;
  ByteReader &reader;
  MLIRContext &context;
  ArrayRef<Location> locations;
  std::vector<Value> values;
  std::vector<Frame> stack;
  uint64_t count = 0, located = 0;
};

} // namespace

void OpReader::readAttributes(const OpRecord &record, OperationState &state) {
  NamedAttrList list;
  for (const AttrRecord &attr : record.attrs()) {
    if (attr.kind == AttrKind::NoFlags) {
      continue;
    }
    uint64_t entry = reader.number();
    if (!reader.ok()) {
      return;
    }
    if (entry != 0) {
      if (Attribute value =
              tables.attributeAt(entry - 1, attr.kind, reader, attr.name)) {
        list.append(attr.name, value);
      }
    } else if (attr.presence == Presence::Required) {
      reader.fail(Twine(record.name) + " lacks its attribute '" + attr.name +
                  "'");
    }
  }
  tables.readHints(reader, list);
  state.addAttributes(list.getAttrs());
}

Operation *OpReader::readOp() {
  uint64_t opcode = reader.number();
  const OpRecord *record = reader.ok() ? findOp(opcode) : nullptr;
  if (!record || record->since > tile::IrMinor) {
    reader.fail("op number " + Twine(opcode) + " is unknown to tile IR " +
                Twine(tile::IrMajor) + "." + Twine(tile::IrMinor));
    return nullptr;
  }
  if (++count > MaxOps) {
    reader.fail("more than " + Twine(MaxOps) + " ops");
    return nullptr;
  }
  if ((record == &opRecords().front()) != stack.empty()) {
    reader.fail("the one tile.kernel must hold all other ops");
    return nullptr;
  }
  OperationState state(nextLocation(), record->name);
  for (uint64_t n = reader.count(), i = 0; i < n && reader.ok(); ++i) {
    uint64_t distance = reader.number();
    if (distance < 1 || distance > values.size()) {
      reader.fail(Twine(record->name) + ": an operand is not in scope");
      return nullptr;
    }
    state.operands.push_back(values[values.size() - distance]);
  }
  for (uint64_t n = reader.count(), i = 0; i < n && reader.ok(); ++i) {
    state.types.push_back(tables.typeAt(reader));
  }
  readAttributes(*record, state);
  if (!reader.ok()) {
    return nullptr;
  }
  for (unsigned i = 0; i < record->regions; ++i) {
    state.addRegion();
  }
  return Operation::create(state);
}

/// Begins the next region of the op on top of the stack.
void OpReader::enterRegion(Frame &frame) {
  Region &region = frame.op->getRegion(frame.nextRegion++);
  uint64_t blocks = reader.number();
  if (!reader.ok() || blocks > 1) {
    reader.fail("a region has more than one block");
    return;
  }
  if (blocks == 0) {
    return;
  }
  Block *block = new Block();
  region.push_back(block);
  for (uint64_t n = reader.count(), i = 0; i < n && reader.ok(); ++i) {
    if (Type type = tables.typeAt(reader)) {
      values.push_back(block->addArgument(type, nextLocation()));
    }
  }
  frame.opsLeft = reader.count();
}

void OpReader::push(Operation *op) {
  if (stack.size() > MaxDepth) {
    reader.fail("nested deeper than " + Twine(MaxDepth));
    return;
  }
  stack.push_back({op, 0, 0, values.size()});
}

void OpReader::readKernel(ModuleOp module) {
  Operation *kernel = readOp();
  if (!kernel) {
    return;
  }
  module.getBody()->push_back(kernel);
  push(kernel);
  while (!stack.empty() && reader.ok()) {
    Frame &frame = stack.back();
    if (frame.opsLeft > 0) {
      --frame.opsLeft;
      Block &block = frame.op->getRegion(frame.nextRegion - 1).back();
      if (Operation *op = readOp()) {
        block.push_back(op);
        push(op);
      }
      continue;
    }
    values.resize(frame.mark);
    if (frame.nextRegion < frame.op->getNumRegions()) {
      enterRegion(frame);
      continue;
    }
    llvm::append_range(values, frame.op->getResults());
    stack.pop_back();
  }
}

/// The bytes of a section, or nothing if the file has none.
static std::optional<StringRef> sectionBytes(ArrayRef<Section> sections,
                                             SectionId id) {
  for (const Section &section : sections) {
    if (section.id == id) {
      return section.bytes;
    }
  }
  return std::nullopt;
}

/// Runs `part` over a section and checks that it took all of it.
static llvm::Error inSection(ArrayRef<Section> sections, SectionId id,
                             const char *name,
                             llvm::function_ref<void(ByteReader &)> part) {
  std::optional<StringRef> bytes = sectionBytes(sections, id);
  if (!bytes) {
    return failure("portable file: no section of " + Twine(name));
  }
  std::string error;
  ByteReader reader(*bytes, error);
  part(reader);
  if (reader.ok() && !reader.atEnd()) {
    reader.fail("bytes are left at its end");
  }
  return error.empty() ? llvm::Error::success()
                       : failure("portable file: section of " + Twine(name) +
                                 ": " + error);
}

llvm::Expected<OwningOpRef<ModuleOp>> read(StringRef bytes,
                                           MLIRContext &context) {
  SmallVector<Section> sections;
  llvm::Expected<Header> header = unpack(bytes, sections);
  if (!header) {
    return header.takeError();
  }
  context
      .loadDialect<tile::TileDialect, arith::ArithDialect, scf::SCFDialect>();
  // What the types and the verifier say becomes part of the one error; what
  // other threads say in this context is not for us.
  std::string said;
  const uint64_t thread = llvm::get_threadid();
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (llvm::get_threadid() != thread) {
      return mlir::failure();
    }
    if (said.empty()) {
      said = diagnostic.str();
    }
    return success();
  });
  auto withReason = [&](llvm::Error error) {
    std::string text = llvm::toString(std::move(error));
    return failure(said.empty() ? text : text + ": " + said);
  };

  TableReader tables(context);
  struct {
    SectionId id;
    const char *name;
    void (TableReader::*read)(ByteReader &);
  } parts[] = {
      {SectionId::Strings, "strings", &TableReader::readStrings},
      {SectionId::Types, "types", &TableReader::readTypes},
      {SectionId::Attributes, "attributes", &TableReader::readAttributes},
  };
  for (auto &part : parts) {
    if (llvm::Error error =
            inSection(sections, part.id, part.name, [&](ByteReader &reader) {
              (tables.*part.read)(reader);
            })) {
      return withReason(std::move(error));
    }
  }
  std::vector<Location> locations;
  if (sectionBytes(sections, SectionId::Locations)) {
    if (llvm::Error error = inSection(sections, SectionId::Locations,
                                      "locations", [&](ByteReader &reader) {
                                        locations =
                                            readLocations(context, reader);
                                      })) {
      return withReason(std::move(error));
    }
  }
  OwningOpRef<ModuleOp> module(ModuleOp::create(
      locations.empty() ? UnknownLoc::get(&context) : locations.front()));
  uint64_t count = 0;
  if (llvm::Error error =
          inSection(sections, SectionId::Ops, "ops", [&](ByteReader &reader) {
            OpReader ops(tables, reader, context, locations);
            ops.readKernel(*module);
            count = ops.locationsRead();
          })) {
    return withReason(std::move(error));
  }
  if (!locations.empty() && locations.size() != count) {
    return failure("portable file: " + Twine(locations.size()) +
                   " locations for " + Twine(count) + " ops and arguments");
  }
  if (failed(mlir::verify(*module))) {
    return failure("portable file: not valid tile IR: " + said);
  }
  return module;
}

} // namespace tz::wire
