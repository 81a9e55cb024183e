//===- AttributeCodec.cpp - attributes as bytes ---------------------------===//
//
// What   The attributes section, both ways, and enums by frozen number.
// Why    The tag says how a value is stored, the op's record what it means; the
//        reader compares the two, so a value of the wrong kind never reaches an
//        op.
//===----------------------------------------------------------------------===//
#include "core/wire/Codec.h"

#include "terrazzo/ir/Tile.h"

#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace mlir;

namespace tz::wire {

// Both namespaces have them.
using mlir::Attribute, mlir::FunctionType, mlir::IntegerType, mlir::Type;
using mlir::Operation, mlir::Region, mlir::Value, mlir::DenseMap;

// Comparison numbers are frozen here; if the library ever renumbers them, these
// lines stop the build and a table takes their place.
static_assert(unsigned(arith::CmpIPredicate::eq) == 0 &&
              unsigned(arith::CmpIPredicate::sle) == 3 &&
              unsigned(arith::CmpIPredicate::ult) == 6 &&
              unsigned(arith::CmpIPredicate::uge) == 9);
static_assert(unsigned(arith::CmpFPredicate::AlwaysFalse) == 0 &&
              unsigned(arith::CmpFPredicate::OEQ) == 1 &&
              unsigned(arith::CmpFPredicate::OLE) == 5 &&
              unsigned(arith::CmpFPredicate::ORD) == 7 &&
              unsigned(arith::CmpFPredicate::UNE) == 13 &&
              unsigned(arith::CmpFPredicate::AlwaysTrue) == 15);

#define TZ_WIRE_ENUMS(X)                                                       \
  X(MathFn, tile::MathFnAttr, tile::symbolizeMathFn)                           \
  X(DivMode, tile::DivModeAttr, tile::symbolizeDivMode)                        \
  X(Rounding, tile::RoundingAttr, tile::symbolizeRounding)                     \
  X(Precision, tile::PrecisionAttr, tile::symbolizePrecision)                  \
  X(AtomicKind, tile::AtomicKindAttr, tile::symbolizeAtomicKind)               \
  X(MemSem, tile::MemSemAttr, tile::symbolizeMemSem)                           \
  X(MemScope, tile::MemScopeAttr, tile::symbolizeMemScope)                     \
  X(CacheHint, tile::CacheHintAttr, tile::symbolizeCacheHint)                  \
  X(Eviction, tile::EvictionAttr, tile::symbolizeEviction)                     \
  X(CmpI, arith::CmpIPredicateAttr, arith::symbolizeCmpIPredicate)             \
  X(CmpF, arith::CmpFPredicateAttr, arith::symbolizeCmpFPredicate)

Attribute enumFromNumber(MLIRContext &context, AttrKind kind, uint64_t number) {
  if (number > UINT32_MAX) {
    return {};
  }
  switch (kind) {
#define TZ_CASE(name, attr, symbolize)                                         \
  case AttrKind::name: {                                                       \
    auto value = symbolize(uint32_t(number));                                  \
    return value ? Attribute(attr::get(&context, *value)) : Attribute();       \
  }
    TZ_WIRE_ENUMS(TZ_CASE)
#undef TZ_CASE
  default:
    return {};
  }
}

std::optional<uint64_t> enumToNumber(Attribute value, AttrKind kind) {
  switch (kind) {
#define TZ_CASE(name, attr, symbolize)                                         \
  case AttrKind::name:                                                         \
    if (auto known = dyn_cast<attr>(value)) {                                  \
      return uint64_t(known.getValue());                                       \
    }                                                                          \
    return std::nullopt;
    TZ_WIRE_ENUMS(TZ_CASE)
#undef TZ_CASE
  default:
    return std::nullopt;
  }
}

static bool isEnum(AttrKind kind) { return kind >= AttrKind::MathFn; }

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

uint64_t TableWriter::intern(std::string entry) {
  auto [it, isNew] = attrIndex.try_emplace(entry, attrIndex.size());
  if (isNew) {
    attrBytes += entry;
  }
  return it->second;
}

std::string TableWriter::attributeSection() const {
  ByteWriter out;
  out.number(attrIndex.size());
  return out.bytes + attrBytes;
}

static uint64_t bitsOf(const APFloat &value) {
  return value.bitcastToAPInt().getZExtValue();
}

void TableWriter::scalarBits(Attribute value, ByteWriter &out) {
  if (auto integer = dyn_cast<IntegerAttr>(value)) {
    out.signedNumber(integer.getValue().getSExtValue());
  } else if (auto number = dyn_cast<FloatAttr>(value)) {
    out.number(bitsOf(number.getValue()));
  }
}

uint64_t TableWriter::attribute(Attribute value, AttrKind kind) {
  ByteWriter out;
  auto tag = [&](AttrTag which) { out.fixed<uint8_t>(uint8_t(which)); };
  auto list = [&](AttrTag which, auto values) {
    tag(which);
    out.number(values.size());
    for (auto item : values) {
      out.signedNumber(int64_t(item));
    }
  };
  auto refuse = [&] {
    std::string what;
    raw_string_ostream(what) << value;
    fail("attribute " + what + " has no portable form");
    return uint64_t(0);
  };
  if (isEnum(kind)) {
    std::optional<uint64_t> number = enumToNumber(value, kind);
    if (!number) {
      return refuse();
    }
    tag(AttrTag::Enum);
    out.number(*number);
    return intern(out.bytes);
  }
  switch (kind) {
  case AttrKind::Unit:
    if (!isa<UnitAttr>(value)) {
      return refuse();
    }
    tag(AttrTag::Unit);
    break;
  case AttrKind::Bool:
    if (!isa<BoolAttr>(value)) {
      return refuse();
    }
    tag(AttrTag::Bool);
    out.fixed<uint8_t>(cast<BoolAttr>(value).getValue());
    break;
  case AttrKind::I32:
  case AttrKind::I64: {
    auto integer = dyn_cast<IntegerAttr>(value);
    if (!integer ||
        !integer.getType().isSignlessInteger(kind == AttrKind::I32 ? 32 : 64)) {
      return refuse();
    }
    uint64_t typeAt = type(integer.getType());
    tag(AttrTag::Integer);
    out.number(typeAt);
    scalarBits(value, out);
    break;
  }
  case AttrKind::String:
    if (!isa<StringAttr>(value)) {
      return refuse();
    }
    tag(AttrTag::String);
    out.number(string(cast<StringAttr>(value).getValue()));
    break;
  case AttrKind::Type: {
    if (!isa<TypeAttr>(value)) {
      return refuse();
    }
    uint64_t typeAt = type(cast<TypeAttr>(value).getValue());
    tag(AttrTag::Type);
    out.number(typeAt);
    break;
  }
  case AttrKind::I64Array:
    if (!isa<DenseI64ArrayAttr>(value)) {
      return refuse();
    }
    list(AttrTag::I64Array, cast<DenseI64ArrayAttr>(value).asArrayRef());
    break;
  case AttrKind::BoolArray:
    if (!isa<DenseBoolArrayAttr>(value)) {
      return refuse();
    }
    list(AttrTag::BoolArray, cast<DenseBoolArrayAttr>(value).asArrayRef());
    break;
  case AttrKind::Segments:
    if (!isa<DenseI32ArrayAttr>(value)) {
      return refuse();
    }
    list(AttrTag::I32Array, cast<DenseI32ArrayAttr>(value).asArrayRef());
    break;
  case AttrKind::Constant: {
    if (isa<IntegerAttr, FloatAttr>(value)) {
      uint64_t typeAt = type(cast<TypedAttr>(value).getType());
      tag(isa<IntegerAttr>(value) ? AttrTag::Integer : AttrTag::Float);
      out.number(typeAt);
      scalarBits(value, out);
      break;
    }
    auto elements = dyn_cast<DenseElementsAttr>(value);
    if (!elements || !elements.getElementType().isIntOrFloat()) {
      return refuse();
    }
    uint64_t typeAt = type(elements.getType());
    tag(elements.isSplat() ? AttrTag::Splat : AttrTag::Dense);
    out.number(typeAt);
    if (elements.isSplat()) {
      scalarBits(elements.getSplatValue<Attribute>(), out);
    } else {
      for (Attribute element : elements.getValues<Attribute>()) {
        scalarBits(element, out);
      }
    }
    break;
  }
  case AttrKind::ArgumentAttributes: {
    auto array = dyn_cast<ArrayAttr>(value);
    if (!array) {
      return refuse();
    }
    SmallVector<uint64_t> indices;
    for (Attribute item : array) {
      auto dictionary = dyn_cast<DictionaryAttr>(item);
      if (!dictionary) {
        return refuse();
      }
      ByteWriter entry;
      entry.fixed<uint8_t>(uint8_t(AttrTag::Dictionary));
      hints(dictionary.getValue(), entry);
      indices.push_back(intern(entry.bytes));
    }
    tag(AttrTag::List);
    out.number(indices.size());
    for (uint64_t index : indices) {
      out.number(index);
    }
    break;
  }
  default:
    return refuse();
  }
  return intern(out.bytes);
}

void TableWriter::hints(ArrayRef<NamedAttribute> list, ByteWriter &out) {
  ByteWriter entries;
  for (NamedAttribute named : list) {
    const HintRecord *record = findHint(named.getName().getValue());
    if (!record) {
      fail("attribute '" + named.getName().getValue() +
           "' has no portable form");
      return;
    }
    if (record->since > irMinor) {
      fail("attribute '" + Twine(record->name) + "' needs tile IR 0." +
           Twine(record->since));
      return;
    }
    entries.number(record->number);
    entries.number(attribute(named.getValue(), record->kind));
  }
  out.number(list.size());
  out.bytes += entries.bytes;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

Attribute TableReader::readScalar(Type type, ByteReader &reader) {
  if (auto integer = dyn_cast_or_null<IntegerType>(type)) {
    int64_t value = reader.signedNumber();
    if (!isIntN(integer.getWidth(), value)) {
      reader.fail("an integer does not fit its type");
      return {};
    }
    return IntegerAttr::get(type, APInt(integer.getWidth(), uint64_t(value),
                                        /*isSigned=*/true));
  }
  if (auto number = dyn_cast_or_null<FloatType>(type)) {
    uint64_t bits = reader.number();
    if (!isUIntN(number.getWidth(), bits)) {
      reader.fail("a float does not fit its type");
      return {};
    }
    return FloatAttr::get(type, APFloat(number.getFloatSemantics(),
                                        APInt(number.getWidth(), bits)));
  }
  reader.fail("a constant is neither integer nor float");
  return {};
}

Attribute TableReader::readElements(bool splat, ByteReader &reader) {
  auto tensor = dyn_cast_or_null<RankedTensorType>(typeAt(reader));
  if (!tensor || !tensor.getElementType().isIntOrFloat()) {
    reader.fail("a constant tile has no tile type of numbers");
    return {};
  }
  uint64_t count = splat ? 1 : uint64_t(tensor.getNumElements());
  if (count > reader.remaining()) {
    reader.fail("a constant has more elements than bytes");
    return {};
  }
  SmallVector<Attribute> values;
  for (uint64_t i = 0; i < count && reader.ok(); ++i) {
    values.push_back(readScalar(tensor.getElementType(), reader));
  }
  return reader.ok() ? Attribute(DenseElementsAttr::get(tensor, values))
                     : Attribute();
}

TableReader::Entry TableReader::readAttribute(ByteReader &reader) {
  auto tag = AttrTag(reader.fixed<uint8_t>());
  auto numbers = [&] {
    SmallVector<int64_t> values;
    uint64_t count = reader.count();
    for (uint64_t i = 0; i < count && reader.ok(); ++i) {
      values.push_back(reader.signedNumber());
    }
    return values;
  };
  switch (tag) {
  case AttrTag::Unit:
    return {tag, UnitAttr::get(&context)};
  case AttrTag::Bool: {
    uint8_t value = reader.fixed<uint8_t>();
    if (value > 1) {
      reader.fail("a truth value is neither 0 nor 1");
    }
    return {tag, BoolAttr::get(&context, value == 1)};
  }
  case AttrTag::Integer:
  case AttrTag::Float: {
    Type type = typeAt(reader);
    Attribute value = readScalar(type, reader);
    if (value && isa<FloatAttr>(value) != (tag == AttrTag::Float)) {
      reader.fail("a number's tag and type disagree");
    }
    return {tag, value};
  }
  case AttrTag::String: {
    uint64_t index = reader.index(strings.size(), "string");
    return {tag, reader.ok() ? StringAttr::get(&context, strings[index])
                             : StringAttr()};
  }
  case AttrTag::I64Array:
    return {tag, DenseI64ArrayAttr::get(&context, numbers())};
  case AttrTag::BoolArray: {
    SmallVector<bool> values;
    for (int64_t value : numbers()) {
      if (value != 0 && value != 1) {
        reader.fail("a truth value is neither 0 nor 1");
      }
      values.push_back(value == 1);
    }
    return {tag, DenseBoolArrayAttr::get(&context, values)};
  }
  case AttrTag::I32Array: {
    SmallVector<int32_t> values;
    for (int64_t value : numbers()) {
      if (!isInt<32>(value)) {
        reader.fail("an integer does not fit its type");
      }
      values.push_back(int32_t(value));
    }
    return {tag, DenseI32ArrayAttr::get(&context, values)};
  }
  case AttrTag::Splat:
  case AttrTag::Dense:
    return {tag, readElements(tag == AttrTag::Splat, reader)};
  case AttrTag::Type: {
    Type type = typeAt(reader);
    return {tag, type ? TypeAttr::get(type) : TypeAttr()};
  }
  case AttrTag::Enum:
    return {tag, UnitAttr::get(&context), reader.number()};
  case AttrTag::Dictionary: {
    NamedAttrList list;
    readHints(reader, list);
    return {tag, list.getDictionary(&context)};
  }
  case AttrTag::List: {
    SmallVector<Attribute> items;
    uint64_t count = reader.count();
    for (uint64_t i = 0; i < count && reader.ok(); ++i) {
      uint64_t index = reader.index(attributes.size(), "attribute");
      if (!reader.ok() || attributes[index].tag != AttrTag::Dictionary) {
        reader.fail("an argument's attributes are no dictionary");
        break;
      }
      items.push_back(attributes[index].value);
    }
    return {tag, ArrayAttr::get(&context, items)};
  }
  }
  reader.fail("attribute tag " + Twine(unsigned(tag)) + " is unknown");
  return {tag, Attribute()};
}

void TableReader::readAttributes(ByteReader &reader) {
  uint64_t count = reader.count();
  for (uint64_t i = 0; i < count && reader.ok(); ++i) {
    Entry entry = readAttribute(reader);
    if (!reader.ok() || !entry.value) {
      reader.fail("attribute " + Twine(i) + " is not a valid one");
      return;
    }
    attributes.push_back(entry);
  }
}

Attribute TableReader::materialize(const Entry &entry, AttrKind kind) {
  if (isEnum(kind)) {
    return entry.tag == AttrTag::Enum
               ? enumFromNumber(context, kind, entry.number)
               : Attribute();
  }
  auto wants = [&](AttrTag tag) {
    return entry.tag == tag ? entry.value : Attribute();
  };
  auto integer = [&](unsigned width) {
    Attribute value = wants(AttrTag::Integer);
    return value && cast<IntegerAttr>(value).getType().isInteger(width)
               ? value
               : Attribute();
  };
  switch (kind) {
  case AttrKind::Unit:
    return wants(AttrTag::Unit);
  case AttrKind::Bool:
    return wants(AttrTag::Bool);
  case AttrKind::I32:
    return integer(32);
  case AttrKind::I64:
    return integer(64);
  case AttrKind::String:
    return wants(AttrTag::String);
  case AttrKind::Type:
    return wants(AttrTag::Type);
  case AttrKind::I64Array:
    return wants(AttrTag::I64Array);
  case AttrKind::BoolArray:
    return wants(AttrTag::BoolArray);
  case AttrKind::Segments:
    return wants(AttrTag::I32Array);
  case AttrKind::ArgumentAttributes:
    return wants(AttrTag::List);
  case AttrKind::Constant:
    switch (entry.tag) {
    case AttrTag::Integer:
    case AttrTag::Float:
    case AttrTag::Splat:
    case AttrTag::Dense:
      return entry.value;
    default:
      return {};
    }
  default:
    return {};
  }
}

Attribute TableReader::attributeAt(uint64_t index, AttrKind kind,
                                   ByteReader &reader, StringRef name) {
  if (!reader.ok()) {
    return {};
  }
  if (index >= attributes.size()) {
    reader.fail("attribute " + Twine(index) + " does not exist");
    return {};
  }
  Attribute value = materialize(attributes[index], kind);
  if (!value) {
    reader.fail("attribute '" + name + "' has a value of another kind");
  }
  return value;
}

void TableReader::readHints(ByteReader &reader, NamedAttrList &list) {
  uint64_t count = reader.count(2);
  for (uint64_t i = 0; i < count && reader.ok(); ++i) {
    uint64_t number = reader.number();
    uint64_t index = reader.number();
    const HintRecord *record = findHint(number);
    if (!record || record->since > tile::IrMinor) {
      reader.fail("attribute number " + Twine(number) +
                  " is unknown to tile IR 0." + Twine(tile::IrMinor));
      return;
    }
    if (list.get(record->name)) {
      reader.fail("attribute '" + Twine(record->name) + "' is given twice");
      return;
    }
    if (Attribute value =
            attributeAt(index, record->kind, reader, record->name)) {
      list.append(record->name, value);
    }
  }
}

} // namespace tz::wire
