//===- TypeCodec.cpp - strings and types as bytes -------------------------===//
//
// What   The strings and types sections, both ways, and the first half of each
//        table class.
//
//===----------------------------------------------------------------------===//
#include "core/wire/Codec.h"

#include "terrazzo/ir/Tile.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace mlir;

namespace tz::wire {

// Both namespaces have them.
using mlir::Attribute, mlir::FunctionType, mlir::IntegerType, mlir::Type;
using mlir::Operation, mlir::Region, mlir::Value, mlir::DenseMap;

static std::string text(Type type) {
  std::string result;
  raw_string_ostream(result) << type;
  return result;
}

void TableWriter::fail(const Twine &why) {
  if (error.empty()) {
    error = why.str();
  }
}

uint64_t TableWriter::string(StringRef text) {
  StringRef kept = keep.try_emplace(text).first->first();
  return strings.insert({kept, strings.size()}).first->second;
}

std::string TableWriter::stringSection() const {
  ByteWriter out;
  out.number(strings.size());
  for (const auto &[text, index] : strings) {
    out.string(text);
  }
  return std::move(out.bytes);
}

static std::optional<TypeTag> scalarTag(Type type) {
  return llvm::TypeSwitch<Type, std::optional<TypeTag>>(type)
      .Case([](IntegerType integer) -> std::optional<TypeTag> {
        if (!integer.isSignless()) {
          return std::nullopt;
        }
        switch (integer.getWidth()) {
        case 1:
          return TypeTag::I1;
        case 8:
          return TypeTag::I8;
        case 16:
          return TypeTag::I16;
        case 32:
          return TypeTag::I32;
        case 64:
          return TypeTag::I64;
        default:
          return std::nullopt;
        }
      })
#define FLOAT_TYPE(Id, Type, Format)                                           \
  .Case([](Type) -> std::optional<TypeTag> { return TypeTag::Id; })
#include "terrazzo/ElementTypes.def"
      .Case([](Float4E2M1FNType) -> std::optional<TypeTag> {
        return TypeTag::F4E2M1FN;
      })
      .Default([](Type) -> std::optional<TypeTag> { return std::nullopt; });
}

static Type scalarType(TypeTag tag, MLIRContext *context) {
  switch (tag) {
  case TypeTag::I1:
    return IntegerType::get(context, 1);
  case TypeTag::I8:
    return IntegerType::get(context, 8);
  case TypeTag::I16:
    return IntegerType::get(context, 16);
  case TypeTag::I32:
    return IntegerType::get(context, 32);
  case TypeTag::I64:
    return IntegerType::get(context, 64);
#define FLOAT_TYPE(Id, Type, Format)                                           \
  case TypeTag::Id:                                                            \
    return Type::get(context);
#include "terrazzo/ElementTypes.def"
  case TypeTag::F4E2M1FN:
    return Float4E2M1FNType::get(context);
  default:
    return {};
  }
}

static void writeShape(ArrayRef<int64_t> shape, ByteWriter &out) {
  out.number(shape.size());
  for (int64_t dim : shape) {
    out.number(uint64_t(dim));
  }
}

/// Empty and a failure if rank, a dimension or their product is out of bounds.
static SmallVector<int64_t> readShape(ByteReader &reader) {
  SmallVector<int64_t> shape;
  uint64_t rank = reader.count();
  if (rank > MaxRank) {
    reader.fail("a tile of rank " + Twine(rank) + "; the limit is " +
                Twine(MaxRank));
    return {};
  }
  int64_t elements = 1;
  for (uint64_t i = 0; i < rank; ++i) {
    uint64_t dim = reader.number();
    if (dim < 1 || dim > uint64_t(MaxElements / elements)) {
      reader.fail("a tile has no elements or more than " + Twine(MaxElements));
      return {};
    }
    elements *= int64_t(dim);
    shape.push_back(int64_t(dim));
  }
  return shape;
}

uint64_t TableWriter::type(Type type) {
  if (auto it = typeIndex.find(type); it != typeIndex.end()) {
    return it->second;
  }
  ByteWriter entry;
  auto tag = [&](TypeTag value) { entry.fixed<uint8_t>(uint8_t(value)); };
  if (std::optional<TypeTag> scalar = scalarTag(type)) {
    tag(*scalar);
  } else if (auto pointer = dyn_cast<tile::PtrType>(type)) {
    uint64_t pointee = this->type(pointer.getPointee());
    tag(TypeTag::Pointer);
    entry.number(pointee);
  } else if (auto tensor = dyn_cast<RankedTensorType>(type);
             tensor && tensor.hasStaticShape() && !tensor.getEncoding()) {
    uint64_t element = this->type(tensor.getElementType());
    tag(TypeTag::Tile);
    entry.number(element);
    writeShape(tensor.getShape(), entry);
  } else if (auto view = dyn_cast<tile::ViewType>(type)) {
    uint64_t element = this->type(view.getElementType());
    tag(TypeTag::View);
    entry.number(element);
    writeShape(view.getShape(), entry);
  } else if (auto function = dyn_cast<FunctionType>(type)) {
    SmallVector<uint64_t> indices;
    for (Type input : function.getInputs()) {
      indices.push_back(this->type(input));
    }
    if (function.getNumResults() != 0) {
      fail("a kernel with results has no portable form");
    }
    tag(TypeTag::Function);
    entry.number(indices.size());
    for (uint64_t index : indices) {
      entry.number(index);
    }
  } else {
    fail("type " + text(type) + " has no portable form");
  }
  typeBytes += entry.bytes;
  uint64_t index = typeIndex.size();
  typeIndex[type] = index;
  return index;
}

std::string TableWriter::typeSection() const {
  ByteWriter out;
  out.number(typeIndex.size());
  return out.bytes + typeBytes;
}

void TableReader::readStrings(ByteReader &reader) {
  uint64_t count = reader.count();
  for (uint64_t i = 0; i < count && reader.ok(); ++i) {
    strings.push_back(reader.string());
  }
}

Type TableReader::typeAt(ByteReader &reader) {
  uint64_t index = reader.index(types.size(), "type");
  return reader.ok() ? types[index] : Type();
}

Type TableReader::readType(ByteReader &reader) {
  auto tag = TypeTag(reader.fixed<uint8_t>());
  // Called by the checks of the types; the reader collects what they say.
  auto emitError = [&] { return mlir::emitError(UnknownLoc::get(&context)); };
  switch (tag) {
  case TypeTag::Pointer: {
    Type pointee = typeAt(reader);
    return pointee ? tile::PtrType::getChecked(emitError, &context, pointee)
                   : Type();
  }
  case TypeTag::Tile: {
    Type element = typeAt(reader);
    SmallVector<int64_t> shape = readShape(reader);
    if (!reader.ok()) {
      return {};
    }
    if (!scalarTag(element) && !isa<tile::PtrType>(element)) {
      reader.fail("a tile of tiles");
      return {};
    }
    return RankedTensorType::getChecked(emitError, shape, element);
  }
  case TypeTag::View: {
    Type element = typeAt(reader);
    SmallVector<int64_t> shape = readShape(reader);
    return reader.ok()
               ? tile::ViewType::getChecked(emitError, &context,
                                            ArrayRef<int64_t>(shape), element)
               : Type();
  }
  case TypeTag::Function: {
    SmallVector<Type> inputs;
    uint64_t count = reader.count();
    for (uint64_t i = 0; i < count && reader.ok(); ++i) {
      inputs.push_back(typeAt(reader));
    }
    return reader.ok() ? FunctionType::get(&context, inputs, mlir::TypeRange())
                       : Type();
  }
  default:
    if (Type scalar = scalarType(tag, &context)) {
      return scalar;
    }
    reader.fail("type tag " + Twine(unsigned(tag)) + " is unknown");
    return {};
  }
}

void TableReader::readTypes(ByteReader &reader) {
  uint64_t count = reader.count();
  for (uint64_t i = 0; i < count && reader.ok(); ++i) {
    Type type = readType(reader);
    if (!type) {
      reader.fail("type " + Twine(i) + " is not a valid one");
      return;
    }
    types.push_back(type);
  }
}

} // namespace tz::wire
