//===- Writer.cpp - a module to bytes -------------------------------------===//
//
// What   Walks the ops in order and writes one record each, as its line in
//        Opcodes.def says.
// Why    Refusing here, with the op's name and place, is the only honest
//        moment: a reader could only guess what was dropped.
//===----------------------------------------------------------------------===//
#include "core/ir/CompileBudget.h"
#include "core/wire/Codec.h"
#include "core/wire/Container.h"
#include "core/wire/Versions.h"

#include "terrazzo/ir/Tile.h"

#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace mlir;

namespace tz::wire {

// Both namespaces have them.
using mlir::Attribute, mlir::FunctionType, mlir::IntegerType, mlir::Type;
using mlir::Operation, mlir::Region, mlir::Value, llvm::DenseMap;

namespace {

class ModuleWriter {
public:
  ModuleWriter(const WriteOptions &options, int64_t baseLine)
      : options(options), tables(options.irMinor), locations(baseLine) {}

  void op(Operation &op, unsigned depth);
  void fail(Operation &op, const Twine &why) {
    if (error.empty()) {
      error = (op.getName().getStringRef() + ": " + why).str();
      failedAt = op.getLoc();
    }
  }
  std::string finish();

  std::string error;
  std::optional<Location> failedAt; ///< if there is an error
  /// More than a file may have: the rest is not written.
  uint64_t ops = 0;

private:
  void operandsAndResults(Operation &op);
  void attributes(Operation &op, const OpRecord &record);
  void region(Region &region, unsigned depth);

  WriteOptions options;
  TableWriter tables;
  LocationWriter locations;
  ByteWriter out;
  DenseMap<Value, uint64_t> numbers;
  uint64_t defined = 0;
};

} // namespace

void ModuleWriter::operandsAndResults(Operation &op) {
  out.number(op.getNumOperands());
  for (Value operand : op.getOperands()) {
    auto it = numbers.find(operand);
    if (it == numbers.end()) {
      fail(op, "uses a value that is defined after it");
      return;
    }
    // Distance back to the definition: small numbers, and nothing else than a
    // value in scope can be said.
    out.number(defined - it->second);
  }
  out.number(op.getNumResults());
  for (Type type : op.getResultTypes()) {
    out.number(tables.type(type));
  }
}

static bool flagsAreClear(Attribute value) {
  if (auto flags = dyn_cast<arith::IntegerOverflowFlagsAttr>(value)) {
    return flags.getValue() == arith::IntegerOverflowFlags::none;
  }
  if (auto flags = dyn_cast<arith::FastMathFlagsAttr>(value)) {
    return flags.getValue() == arith::FastMathFlags::none;
  }
  return false;
}

void ModuleWriter::attributes(Operation &op, const OpRecord &record) {
  SmallVector<NamedAttribute> rest(op.getAttrDictionary().getValue());
  auto takeOut = [&](StringRef name) {
    auto it = find_if(
        rest, [&](NamedAttribute named) { return named.getName() == name; });
    if (it == rest.end()) {
      return Attribute();
    }
    Attribute value = it->getValue();
    rest.erase(it);
    return value;
  };
  for (const AttrRecord &attr : record.attrs()) {
    Attribute value = takeOut(attr.name);
    if (attr.since > options.irMinor) {
      continue; // a reader of that version does not expect its entry
    }
    if (attr.kind == AttrKind::Segments) {
      value = segmentsAt(value, record, options.irMinor);
    }
    if (attr.kind == AttrKind::NoFlags) {
      if (value && !flagsAreClear(value)) {
        fail(op, Twine(attr.name) + " do not cross the boundary");
      }
    } else if (!value) {
      if (attr.presence == Presence::Required) {
        fail(op, "lacks its attribute '" + Twine(attr.name) + "'");
      }
      out.number(0);
    } else {
      out.number(tables.attribute(value, attr.kind) + 1);
    }
  }
  tables.hints(rest, out);
}

void ModuleWriter::region(Region &region, unsigned depth) {
  if (region.empty()) {
    out.number(0);
    return;
  }
  out.number(1);
  Block &block = region.front();
  uint64_t mark = defined;
  out.number(block.getNumArguments());
  for (BlockArgument argument : block.getArguments()) {
    out.number(tables.type(argument.getType()));
    locations.add(argument.getLoc());
    numbers[argument] = defined++;
  }
  out.number(block.getOperations().size());
  for (Operation &inner : block) {
    op(inner, depth + 1);
  }
  defined = mark;
}

void ModuleWriter::op(Operation &op, unsigned depth) {
  if (!error.empty() || CompileBudget::isSpent() || ++ops > MaxOps) {
    return;
  }
  const OpRecord *record = findOp(op.getName().getStringRef());
  if (!record) {
    fail(op, "the op has no portable form");
    return;
  }
  if (std::string newer = needsNewer(&op, *record, options.irMinor);
      !newer.empty()) {
    fail(op, newer);
    return;
  }
  if (op.getNumRegions() != record->regions || op.getNumSuccessors() != 0 ||
      any_of(op.getRegions(),
             [](Region &r) { return !r.empty() && !r.hasOneBlock(); })) {
    fail(op, "only structured control flow has a portable form");
    return;
  }
  if (depth > MaxDepth) {
    fail(op, "nested deeper than " + Twine(MaxDepth));
    return;
  }
  out.number(record->opcode);
  locations.add(op.getLoc());
  operandsAndResults(op);
  attributes(op, *record);
  if (!tables.error.empty()) {
    fail(op, tables.error);
    return;
  }
  for (Region &inner : op.getRegions()) {
    region(inner, depth);
  }
  for (OpResult result : op.getResults()) {
    numbers[result] = defined++;
  }
}

std::string ModuleWriter::finish() {
  std::string strings = tables.stringSection(), types = tables.typeSection(),
              attrs = tables.attributeSection(), places = locations.section();
  SmallVector<Section> sections = {{SectionId::Strings, false, strings},
                                   {SectionId::Types, false, types},
                                   {SectionId::Attributes, false, attrs},
                                   {SectionId::Ops, false, out.bytes}};
  if (options.locations) {
    sections.push_back({SectionId::Locations, true, places});
  }
  Header header;
  header.irMajor = tile::IrMajor;
  header.irMinor = options.irMinor;
  header.stage = options.stage;
  return pack(header, sections);
}

char NotPortable::ID = 0;

void NotPortable::log(llvm::raw_ostream &os) const {
  os << "cannot be written: ";
  if (auto at = location->findInstanceOf<FileLineColLoc>()) {
    os << at.getFilename().getValue() << ':' << at.getLine() << ':'
       << at.getColumn() << ": ";
  }
  os << what;
}

llvm::Expected<std::string> write(ModuleOp module,
                                  const WriteOptions &options) {
  if (options.irMinor < 1 || options.irMinor > tile::IrMinor) {
    return failure("tile IR 0." + Twine(options.irMinor) +
                   " cannot be written; this build writes up to 0." +
                   Twine(tile::IrMinor));
  }
  auto kernels = module.getOps<tile::KernelOp>();
  if (std::distance(kernels.begin(), kernels.end()) != 1 ||
      !llvm::hasSingleElement(*module.getBody())) {
    return failure("a portable module holds exactly one tile.kernel and "
                   "nothing else (R9)");
  }
  tile::KernelOp kernel = *kernels.begin();
  auto first = kernel.getLoc()->findInstanceOf<FileLineColLoc>();
  ModuleWriter writer(options, first ? first.getLine() : 0);
  writer.op(*kernel, 0);
  if (!writer.error.empty()) {
    return llvm::make_error<NotPortable>(*writer.failedAt, writer.error);
  }
  if (CompileBudget::wasSpent()) {
    return failure("the compilation was stopped");
  }
  if (writer.ops > MaxOps) {
    return failure("it has more than " + Twine(MaxOps) +
                   " operations (limit of the portable form; one of the "
                   "kernel's text may have become many); move repeated work "
                   "into a loop that is not unrolled");
  }
  std::string bytes = writer.finish();
  if (bytes.size() > MaxTotalSize) {
    return failure("it would have " + Twine(bytes.size()) +
                   " bytes; the limit is " + Twine(MaxTotalSize));
  }
  return bytes;
}

} // namespace tz::wire
