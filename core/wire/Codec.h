//===- Codec.h - types, attributes and locations as bytes -------*- C++ -*-===//
//
// What   Tables of strings, types and attributes: interned and written on one
//        side, read back on the other. Entries refer to earlier entries only,
//        so reading needs no recursion and a cycle cannot be written down.
// Why    Tags are ours and frozen (append only): what a library renumbers or
//        renames does not reach a file.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_WIRE_CODEC_H
#define TERRAZZO_CORE_WIRE_CODEC_H

#include "core/wire/Cursor.h"
#include "core/wire/Opcodes.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

#include <optional>

namespace tz::wire {

enum class TypeTag : uint8_t {
  I1 = 1,
  I8 = 2,
  I16 = 3,
  I32 = 4,
  I64 = 5,
  F16 = 10,
  BF16 = 11,
  F32 = 12,
  F64 = 13,
  F8E4M3FN = 14,
  F8E5M2 = 15,
  F8E4M3FNUZ = 16,
  F8E5M2FNUZ = 17,
  F4E2M1FN = 18,
  Pointer = 32,
  Tile = 33,
  View = 34,
  Function = 40,
};

enum class AttrTag : uint8_t {
  Unit = 1,
  Bool = 2,
  Integer = 3,
  Float = 4,
  String = 5,
  I64Array = 6,
  BoolArray = 7,
  I32Array = 8,
  Splat = 9,
  Dense = 10,
  Type = 11,
  Enum = 12,
  Dictionary = 13,
  List = 14,
};

enum class LocTag : uint8_t {
  Unknown = 1,
  Line = 2,
  Range = 3,
  Call = 4,
  Name = 5,
  Fused = 6,
};

inline constexpr unsigned MaxRank = 32;
inline constexpr int64_t MaxElements = int64_t(1) << 30;
inline constexpr unsigned MaxDepth = 256;
inline constexpr uint64_t MaxOps = uint64_t(1) << 20;

/// Interns; the first thing without a portable form sets `error`.
class TableWriter {
public:
  explicit TableWriter(unsigned irMinor) : irMinor(irMinor) {}

  uint64_t string(llvm::StringRef text);
  uint64_t type(mlir::Type type);
  /// The entry of an attribute that an op's record calls a `kind`.
  uint64_t attribute(mlir::Attribute value, AttrKind kind);
  /// Writes number and value of each hint of a list that was sorted by name.
  void hints(llvm::ArrayRef<mlir::NamedAttribute> list, ByteWriter &out);

  std::string stringSection() const;
  std::string typeSection() const;
  std::string attributeSection() const;

  std::string error;

private:
  uint64_t intern(std::string entry);
  void scalarBits(mlir::Attribute value, ByteWriter &out);
  void fail(const llvm::Twine &why);

  unsigned irMinor;
  llvm::MapVector<llvm::StringRef, uint64_t> strings;
  llvm::StringMap<char> keep;
  llvm::DenseMap<mlir::Type, uint64_t> typeIndex;
  std::string typeBytes;
  llvm::StringMap<uint64_t> attrIndex;
  std::string attrBytes;
};

class TableReader {
public:
  explicit TableReader(mlir::MLIRContext &context) : context(context) {}

  void readStrings(ByteReader &reader);
  void readTypes(ByteReader &reader);
  void readAttributes(ByteReader &reader);

  mlir::Type typeAt(ByteReader &reader);
  /// The attribute at the index that is read next, as a `kind`.
  mlir::Attribute attributeAt(uint64_t index, AttrKind kind, ByteReader &reader,
                              llvm::StringRef name);
  void readHints(ByteReader &reader, mlir::NamedAttrList &list);
  uint64_t numAttributes() const { return attributes.size(); }

private:
  struct Entry {
    AttrTag tag;
    mlir::Attribute value;
    uint64_t number = 0;
  };
  mlir::Type readType(ByteReader &reader);
  Entry readAttribute(ByteReader &reader);
  mlir::Attribute readScalar(mlir::Type type, ByteReader &reader);
  mlir::Attribute readElements(bool splat, ByteReader &reader);
  mlir::Attribute materialize(const Entry &entry, AttrKind kind);

  mlir::MLIRContext &context;
  std::vector<llvm::StringRef> strings;
  std::vector<mlir::Type> types;
  std::vector<Entry> attributes;
};

/// The attribute of an enum kind from its number, or null; and back.
mlir::Attribute enumFromNumber(mlir::MLIRContext &context, AttrKind kind,
                               uint64_t number);
std::optional<uint64_t> enumToNumber(mlir::Attribute value, AttrKind kind);

/// Locations, in a section of their own with their own strings, with lines
/// relative to the kernel's first line (R10).
class LocationWriter {
public:
  explicit LocationWriter(int64_t baseLine) : baseLine(baseLine) {}
  void add(mlir::Location location) { perOp.push_back(index(location)); }
  std::string section() const;

private:
  uint64_t index(mlir::LocationAttr location);
  uint64_t string(llvm::StringRef text);

  int64_t baseLine;
  std::vector<std::string> strings;
  llvm::StringMap<uint64_t> stringIndex;
  llvm::DenseMap<mlir::Attribute, uint64_t> known;
  std::string bytes;
  std::vector<uint64_t> perOp;
};

/// One location for each op and block argument, in the order of the ops
/// section.
std::vector<mlir::Location> readLocations(mlir::MLIRContext &context,
                                          ByteReader &reader);

} // namespace tz::wire

#endif // TERRAZZO_CORE_WIRE_CODEC_H
