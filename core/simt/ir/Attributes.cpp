//===- Attributes.cpp - #simt.layout, #simt.shared, !simt.buffer ----------===//
//
// What   Parsing, printing and checks of the dialect's attributes and type.
// Why    See SimtBase.td.
//===----------------------------------------------------------------------===//
#include "terrazzo/simt/Simt.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

#define GET_ATTRDEF_CLASSES
#include "terrazzo/simt/SimtAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "terrazzo/simt/SimtTypes.cpp.inc"

void SimtDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "terrazzo/simt/SimtAttrs.cpp.inc"
      >();
}

void SimtDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "terrazzo/simt/SimtTypes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// #simt.layout
//===----------------------------------------------------------------------===//

/// Coordinates above this are no tile's (2^20 elements at most).
static constexpr int64_t LargestCoordinate = int64_t{1} << 30;
static constexpr size_t MostBits = 32; // of one axis

static ParseResult parseBases(AsmParser &parser, unsigned rank, Axis axis,
                              Layout &layout) {
  size_t bits = 0;
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        Coordinates basis;
        SMLoc loc = parser.getCurrentLocation();
        if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
              return parser.parseInteger(basis.emplace_back());
            })) {
          return failure();
        }
        if (basis.size() != rank) {
          return parser.emitError(loc) << rank << " coordinates are expected";
        }
        if (++bits > MostBits || llvm::any_of(basis, [](int64_t coordinate) {
              return coordinate < 0 || coordinate > LargestCoordinate;
            })) {
          return parser.emitError(loc)
                 << "coordinates are 0 to " << LargestCoordinate
                 << ", an axis has at most " << MostBits << " bits";
        }
        layout.addBit(axis, basis);
        return success();
      });
}

static ParseResult parseRepeat(AsmParser &parser, unsigned rank,
                               Layout &layout) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef axis;
  if (parser.parseKeyword(&axis)) {
    return failure();
  }
  if (axis != "register" && axis != "warp") {
    return parser.emitError(loc, "a repeat is in a register or a warp");
  }
  std::optional<unsigned> dim;
  if (failed(parser.parseOptionalKeyword("copies"))) {
    if (parser.parseInteger(dim.emplace())) {
      return failure();
    }
  }
  int64_t count = 0;
  if (parser.parseKeyword("x") || parser.parseInteger(count)) {
    return failure();
  }
  if (count < 1 || count > LargestCoordinate || (dim && *dim >= rank)) {
    return parser.emitError(loc)
           << "a repeat is along one of " << rank << " dimensions, 1 to "
           << LargestCoordinate << " times";
  }
  layout.repeat(axis == "warp" ? Axis::Warp : Axis::Register, dim, count);
  return success();
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  unsigned rank = 0;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseKeyword("rank") ||
      parser.parseInteger(rank)) {
    return {};
  }
  if (rank > 16) {
    parser.emitError(loc, "a tile has at most 16 dimensions");
    return {};
  }
  Layout layout(rank);
  bool hasRepeats = false;
  while (succeeded(parser.parseOptionalComma())) {
    StringRef word;
    SMLoc at = parser.getCurrentLocation();
    if (parser.parseKeyword(&word)) {
      return {};
    }
    if (word == "repeat") {
      hasRepeats = true;
      if (parseRepeat(parser, rank, layout)) {
        return {};
      }
      continue;
    }
    const Axis *axis =
        llvm::find_if(AllAxes, [&](Axis one) { return axisName(one) == word; });
    if (axis == AllAxes.end() || hasRepeats || !layout.bases(*axis).empty()) {
      parser.emitError(at, "register, lane, warp and block stand once each, "
                           "before all repeats");
      return {};
    }
    if (parseBases(parser, rank, *axis, layout)) {
      return {};
    }
  }
  if (parser.parseGreater()) {
    return {};
  }
  return get(parser.getContext(), layout);
}

void LayoutAttr::print(AsmPrinter &printer) const {
  const Layout &layout = getValue();
  printer << "<rank " << layout.rank();
  for (Axis axis : AllAxes) {
    if (layout.bases(axis).empty()) {
      continue;
    }
    printer << ", " << axisName(axis) << " [";
    llvm::interleaveComma(layout.bases(axis), printer,
                          [&](const Coordinates &basis) {
                            printer << '[';
                            llvm::interleaveComma(basis, printer);
                            printer << ']';
                          });
    printer << ']';
  }
  for (const Layout::Repeat &copy : layout.repeats()) {
    printer << ", repeat " << axisName(copy.axis) << ' ';
    if (copy.dim) {
      printer << *copy.dim;
    } else {
      printer << "copies";
    }
    printer << " x " << copy.count;
  }
  printer << '>';
}

LogicalResult
LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                           function_ref<InFlightDiagnostic()> emitError) const {
  if (getValue().rank() == shape.size() && getValue().covers(shape)) {
    return success();
  }
  InFlightDiagnostic error = emitError()
                             << "C1: the layout does not cover a tile of ";
  llvm::interleave(
      shape, [&](int64_t extent) { error << extent; }, [&] { error << 'x'; });
  return error;
}

//===----------------------------------------------------------------------===//
// #simt.shared and !simt.buffer
//===----------------------------------------------------------------------===//

LogicalResult SharedAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<unsigned> order, int64_t panel,
                                 unsigned bits, unsigned base, unsigned shift,
                                 int64_t padding, int64_t every) {
  SmallVector<bool> seen(order.size(), false);
  for (unsigned dim : order) {
    if (dim >= seen.size() || seen[dim]) {
      return emitError() << "C1: order is not a permutation";
    }
    seen[dim] = true;
  }
  if (panel < 1) {
    return emitError() << "C2: the panel has no elements";
  }
  if (base + bits + shift > 30 || (bits != 0 && shift < bits)) {
    return emitError() << "a swizzle moves bits of the low 30, from above the "
                          "ones that it changes";
  }
  constexpr int64_t most = int64_t{1} << 30;
  if ((padding == 0) != (every == 0) || padding < 0 || padding % 8 != 0 ||
      padding > most ||
      (every != 0 &&
       (every < 16 || every > most || !llvm::isPowerOf2_64(uint64_t(every)))) ||
      (padding != 0 && bits != 0)) {
    return emitError()
           << "C3: padding is a multiple of 8 bytes, every a power "
              "of two from 16 on, and there is no swizzle beside it";
  }
  return success();
}

int64_t SharedAttr::place(int64_t offset) const {
  const int64_t mask = (int64_t{1} << getBits()) - 1;
  offset ^= (offset >> (getBase() + getShift()) & mask) << getBase();
  return getPadding() == 0 ? offset
                           : offset + offset / getEvery() * getPadding();
}

int64_t BufferType::getBytes() const {
  int64_t bytes = tile::storageBytes(getElementType());
  for (int64_t extent : getShape()) {
    bytes *= extent;
  }
  const SharedAttr how = getLayout();
  return how.getPadding() == 0
             ? bytes
             : bytes + (bytes - 1) / how.getEvery() * how.getPadding();
}

int64_t BufferType::getOffset(ArrayRef<int64_t> coordinates) const {
  const SharedAttr how = getLayout();
  ArrayRef<unsigned> order = how.getOrder();
  int64_t row = 0, rows = 1;
  for (size_t i = order.size(); i-- > 1;) {
    row = row * getShape()[order[i]] + coordinates[order[i]];
    rows *= getShape()[order[i]];
  }
  const int64_t fast = coordinates[order[0]], panel = how.getPanel();
  row += fast / panel * rows;
  return how.place((row * panel + fast % panel) *
                   tile::storageBytes(getElementType()));
}

int64_t BufferType::getRun() const {
  const SharedAttr how = getLayout();
  auto even = [](int64_t value) { return value & -value; };
  int64_t run = even(how.getPanel());
  if (how.getBits() != 0) { // pieces that a swizzle leaves whole
    run = std::min(
        run, std::max<int64_t>(1, (int64_t{1} << how.getBase()) /
                                      tile::storageBytes(getElementType())));
  }
  return how.getPadding() == 0
             ? run
             : std::min({run,
                         how.getEvery() / tile::storageBytes(getElementType()),
                         even(how.getPadding()) /
                             tile::storageBytes(getElementType())});
}

BufferType BufferType::permuted(ArrayRef<int64_t> order) const {
  SmallVector<int64_t> shape;
  SmallVector<unsigned> place(order.size()), fastest;
  for (auto [i, dim] : llvm::enumerate(order)) {
    shape.push_back(getShape()[dim]);
    place[dim] = unsigned(i);
  }
  for (unsigned dim : getLayout().getOrder()) {
    fastest.push_back(place[dim]);
  }
  const SharedAttr how = getLayout();
  return get(getContext(), shape, getElementType(),
             SharedAttr::get(getContext(), fastest, how.getPanel(),
                             how.getBits(), how.getBase(), how.getShift(),
                             how.getPadding(), how.getEvery()));
}

Type BufferType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type element;
  Attribute layout;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() ||
      parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(element) || parser.parseComma() ||
      parser.parseAttribute(layout) || parser.parseGreater()) {
    return {};
  }
  auto shared = dyn_cast<SharedAttr>(layout);
  if (!shared || shared.getOrder().size() != shape.size() || shape.empty() ||
      shape[shared.getOrder().front()] % shared.getPanel() != 0) {
    parser.emitError(loc, "a #simt.shared of the buffer's rank is expected, "
                          "whose panel divides the fastest extent");
    return {};
  }
  return get(parser.getContext(), shape, element, shared);
}

void BufferType::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printDimensionList(getShape());
  printer << 'x' << getElementType() << ", " << getLayout() << '>';
}

LogicalResult RingType::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t count, BufferType) {
  if (count < 1 || count > 64) {
    return emitError() << "a ring has 1 to 64 buffers, not " << count;
  }
  return success();
}

LogicalResult BarriersType::verify(function_ref<InFlightDiagnostic()> emitError,
                                   int64_t count, int64_t arrivals) {
  if (count < 1 || count > 64 || arrivals < 1 || arrivals > 4096) {
    return emitError() << "1 to 64 barriers are expected, of 1 to 4096 "
                          "arrivals a phase, not "
                       << count << " of " << arrivals;
  }
  return success();
}
