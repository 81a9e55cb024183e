//===- TileDialectTypes.cpp - !tile.ptr, !tile.view, questions about types
//-===//
//
// What   Parsing, printing and checks of the dialect's types; elementType,
//        shapeOf, withElement, storageBytes.
//
//===----------------------------------------------------------------------===//
#include "terrazzo/ir/Tile.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tz::tile;

#define GET_TYPEDEF_CLASSES
#include "terrazzo/ir/TileTypes.cpp.inc"

void TileDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "terrazzo/ir/TileTypes.cpp.inc"
      >();
}

static bool isPlainElement(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    return integer.isSignless() &&
           llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
  }
#define FLOAT_TYPE(Id, Type, Format) Type,
  return isa<
#include "terrazzo/ElementTypes.def"
      Float4E2M1FNType>(type);
}

LogicalResult PtrType::verify(function_ref<InFlightDiagnostic()> emitError,
                              Type pointee) {
  if (isPlainElement(pointee) || isa<PtrType>(pointee)) {
    return success();
  }
  return emitError() << "C1: !tile.ptr cannot point to " << pointee;
}

LogicalResult ViewType::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<int64_t> shape, Type elementType) {
  if (shape.empty() || llvm::any_of(shape, [](int64_t d) { return d <= 0; })) {
    return emitError()
           << "C1: !tile.view needs one to many positive dimensions";
  }
  if (!isPlainElement(elementType) && !isa<PtrType>(elementType)) {
    return emitError() << "C2: !tile.view cannot have elements of type "
                       << elementType;
  }
  return success();
}

Type ViewType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type element;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() ||
      parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(element) || parser.parseGreater()) {
    return {};
  }
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    shape, element);
}

void ViewType::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printDimensionList(getShape());
  printer << 'x' << getElementType() << '>';
}

Type tz::tile::elementType(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    return tensor.getElementType();
  }
  return type;
}

ArrayRef<int64_t> tz::tile::shapeOf(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    return tensor.getShape();
  }
  return {};
}

Type tz::tile::withElement(Type like, Type element) {
  if (auto tensor = dyn_cast<RankedTensorType>(like)) {
    return tensor.clone(element); // with what else the type says
  }
  return element;
}

unsigned tz::tile::storageBytes(Type element) {
  if (isa<PtrType>(element)) {
    return 8;
  }
  return std::max(1u, (element.getIntOrFloatBitWidth() + 7) / 8);
}
