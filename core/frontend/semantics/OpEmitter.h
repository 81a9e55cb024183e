//===- OpEmitter.h - typed tile operations of the language ------*- C++ -*-===//
//
// What   One member function for each operation that a kernel can name. It
//        checks the operands, applies the language's rules (weak literals,
//        promotion, broadcasting) and emits tile IR at the builder's place.
// Why    The evaluator knows Python and no types of tiles; this class knows
//        types and nothing of Python.
//
// Invariants
//  1  Each function takes the place of the call for diagnostics. An error is
//     reported there once and the result is empty.
//  2  Ops get the location that setLocation was last given (which holds the
//     chain of inlined calls).
//  3  Language types and SSA types always agree: see irType.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_SEMANTICS_OPEMITTER_H
#define TERRAZZO_CORE_FRONTEND_SEMANTICS_OPEMITTER_H

#include "core/frontend/TileTypes.h"

#include "terrazzo/ir/Tile.h"

#include "mlir/IR/Builders.h"

#include "llvm/ADT/DenseSet.h"

#include <array>

namespace tz::frontend {

using OptionalTile = std::optional<TileValue>;
using TileList = llvm::SmallVector<TileValue, 4>;
using Shape = llvm::SmallVector<int64_t, 4>;

enum class BinaryFn : uint8_t {
  Add,
  Sub,
  Mul,
  Div,
  FloorDiv,
  Mod,
  And,
  Or,
  Xor,
  Shl,
  Shr,
};
enum class CompareFn : uint8_t { Eq, Ne, Lt, Le, Gt, Ge };

/// Emits the combination of scalars `a` and `b` (as many as are reduced) at the
/// builder's place; empty after an error.
using CombineFn = llvm::function_ref<std::optional<TileList>(
    llvm::ArrayRef<TileValue> a, llvm::ArrayRef<TileValue> b)>;

/// Emits a function of scalars at the builder's place; empty after an error.
using MapFn = llvm::function_ref<std::optional<TileList>(
    llvm::ArrayRef<TileValue> arguments)>;

/// The run-time parts of a tensor descriptor.
struct DescriptorParts {
  TileValue base;
  TileList shape, strides; // int64
};

struct LoadOptions {
  OptionalTile mask;
  std::optional<Operand> other;
  llvm::SmallVector<int64_t, 4> boundaryCheck; // dimensions, block pointers
  std::string padding;                         // "", "zero", "nan"
  std::string cache, eviction;
  bool isVolatile = false;
};

struct StoreOptions {
  OptionalTile mask;
  llvm::SmallVector<int64_t, 4> boundaryCheck;
  std::string cache, eviction;
};

struct DotOptions {
  std::string precision;     // "" for the target's default
  int64_t maxImprecise = -1; // not given
  std::optional<DType> outType;
};

/// The type that a Python number has as a run-time scalar.
DType naturalType(const Literal &value);
/// "[64, 32]".
std::string shapeText(llvm::ArrayRef<int64_t> shape);

class OpEmitter {
public:
  OpEmitter(mlir::OpBuilder &builder, DiagnosticSink &sink)
      : b(builder), sink(sink), at(builder.getUnknownLoc()) {}

  void setLocation(mlir::Location location) { at = location; }
  /// Assert that + - * on integers below 64 bits do not overflow.
  bool sanitizeOverflow = false;
  /// The same of the sums that reductions and scans make.
  bool sanitizeSums = false;
  /// Record the scopes of the profiler's language.
  bool recordsScopes = false;
  /// Keep the asserts that a program has of its own.
  bool keepsAsserts = true;
  std::string f32Default; // Specialization's
  /// The SSA type of a language type.
  mlir::Type irType(const TileType &type);
  mlir::Type irElement(DType type);

  //===-- literals and scalars (Scalars.cpp) ------------------------------===//
  /// A scalar of the literal's natural type: i32, i64, u64, fp32, i1.
  OptionalTile literal(const Literal &value, SourceLoc loc);
  OptionalTile constant(const Literal &value, DType type, SourceLoc loc);
  /// The scalar as i1; error for tiles and pointers. `what` names the place.
  OptionalTile condition(const TileValue &value, llvm::StringRef what,
                         SourceLoc loc);
  /// Lower bound, upper bound and step in one integer type.
  std::optional<std::array<TileValue, 3>> loopBounds(const Operand &lower,
                                                     const Operand &upper,
                                                     const Operand &step,
                                                     SourceLoc loc);

  //===-- elementwise (ElementOperators.cpp, ElementFunctions.cpp)
  //---------===//
  OptionalTile binary(BinaryFn fn, const Operand &a, const Operand &b,
                      SourceLoc loc);
  OptionalTile compare(CompareFn fn, const Operand &a, const Operand &b,
                       SourceLoc loc);
  OptionalTile negate(const TileValue &x, SourceLoc loc);
  OptionalTile invert(const TileValue &x, SourceLoc loc); // ~x
  /// `not`, `and`, `or` on run-time values: operands are i1 or pointers.
  OptionalTile logicalNot(const TileValue &x, SourceLoc loc);
  OptionalTile logical(bool isAnd, const Operand &a, const Operand &b,
                       SourceLoc loc);
  OptionalTile where(const Operand &condition, const Operand &x,
                     const Operand &y, SourceLoc loc);
  OptionalTile extremum(bool isMax, const Operand &a, const Operand &b,
                        bool propagateNan, SourceLoc loc);
  OptionalTile clamp(const Operand &x, const Operand &low, const Operand &high,
                     bool propagateNan, SourceLoc loc);
  OptionalTile fma(const Operand &x, const Operand &y, const Operand &z,
                   SourceLoc loc);
  OptionalTile umulhi(const Operand &x, const Operand &y, SourceLoc loc);
  /// tl.fdiv; `rn` for ieee_rounding and tl.div_rn.
  OptionalTile fdiv(const Operand &x, const Operand &y, bool rn, SourceLoc loc);
  OptionalTile math(tile::MathFn fn, const Operand &x, llvm::StringRef name,
                    SourceLoc loc);
  OptionalTile pow(const Operand &x, const Operand &y, SourceLoc loc);
  OptionalTile abs(const Operand &x, SourceLoc loc);
  /// Zero bits above the highest one, as int32; of integers below 32 bits, as
  /// of 32.
  OptionalTile leadingZeros(const Operand &x, SourceLoc loc);
  /// `rounding`: "", "rtne" or "rtz".
  OptionalTile cast(const Operand &x, const TileType &to,
                    llvm::StringRef rounding, bool bitcast, SourceLoc loc);

  //===-- making and shaping (Shapes.cpp) ---------------------------------===//
  OptionalTile programId(int64_t axis, SourceLoc loc);
  OptionalTile numPrograms(int64_t axis, SourceLoc loc);
  OptionalTile arange(int64_t start, int64_t end, SourceLoc loc);
  /// No dtype: the value's own.
  OptionalTile full(llvm::ArrayRef<int64_t> shape, const Operand &value,
                    std::optional<TileType> dtype, SourceLoc loc);
  /// `what` is x in messages, `whose` the shape's owner.
  OptionalTile broadcastTo(const Operand &x, llvm::ArrayRef<int64_t> shape,
                           SourceLoc loc, llvm::StringRef what = "a tile",
                           llvm::StringRef whose = "");
  std::optional<std::pair<TileValue, TileValue>>
  broadcast(const Operand &a, const Operand &b, SourceLoc loc);
  OptionalTile expandDims(const TileValue &x, llvm::ArrayRef<int64_t> axes,
                          SourceLoc loc);
  OptionalTile squeeze(const TileValue &x, int64_t axis, SourceLoc loc);
  OptionalTile reshape(const TileValue &x, llvm::ArrayRef<int64_t> shape,
                       SourceLoc loc);
  /// No dims: the last two are swapped.
  OptionalTile permute(const TileValue &x, llvm::ArrayRef<int64_t> dims,
                       SourceLoc loc);
  OptionalTile join(const Operand &a, const Operand &b, SourceLoc loc);
  std::optional<std::pair<TileValue, TileValue>> split(const TileValue &x,
                                                       SourceLoc loc);
  OptionalTile cat(const TileValue &a, const TileValue &b, int64_t dim,
                   SourceLoc loc);
  OptionalTile gather(const TileValue &x, const TileValue &index, int64_t axis,
                      SourceLoc loc);
  OptionalTile item(const TileValue &x, SourceLoc loc);

  //===-- dot, reduce (DotProduct.cpp, ReduceScan.cpp) --------------------===//
  OptionalTile dot(const TileValue &a, const TileValue &b, OptionalTile acc,
                   const DotOptions &options, SourceLoc loc);
  /// No axis: all dimensions, in row-major order.
  std::optional<TileList> reduce(llvm::ArrayRef<TileValue> sources,
                                 std::optional<int64_t> axis, bool keepDims,
                                 CombineFn combine, SourceLoc loc);
  std::optional<TileList> scan(llvm::ArrayRef<TileValue> sources, int64_t axis,
                               bool reverse, CombineFn combine, SourceLoc loc);
  /// The function at each position of the inputs, which are broadcast; it gets
  /// `pack` neighbours of each at a time (Map.cpp).
  std::optional<TileList> map(llvm::ArrayRef<TileValue> inputs, int64_t pack,
                              MapFn function, SourceLoc loc);
  /// Part j of `pack` parts: elements j, j + pack, ... in row-major order.
  TileList neighbours(const TileValue &x, int64_t pack, SourceLoc loc);
  /// The tile, of one dimension, that has these parts.
  TileValue interleaved(llvm::ArrayRef<TileValue> parts, SourceLoc loc);
  OptionalTile histogram(const TileValue &x, int64_t bins, OptionalTile mask,
                         SourceLoc loc);

  //===-- memory (LoadStore.cpp, Views.cpp) -------------------------------===//
  OptionalTile load(const TileValue &pointer, const LoadOptions &options,
                    SourceLoc loc);
  bool store(const TileValue &pointer, const Operand &value,
             const StoreOptions &options, SourceLoc loc);
  /// `kind`: add max min and or xor xchg.
  OptionalTile atomic(llvm::StringRef kind, const TileValue &pointer,
                      const Operand &value, OptionalTile mask,
                      llvm::StringRef sem, llvm::StringRef scope,
                      SourceLoc loc);
  OptionalTile atomicCas(const TileValue &pointer, const Operand &compare,
                         const Operand &value, llvm::StringRef sem,
                         llvm::StringRef scope, SourceLoc loc);

  //===-- views (Views.cpp) -----------------------------------------------===//
  OptionalTile makeBlockPtr(const TileValue &base,
                            llvm::ArrayRef<Operand> shape,
                            llvm::ArrayRef<Operand> strides,
                            llvm::ArrayRef<Operand> offsets,
                            llvm::ArrayRef<int64_t> block,
                            llvm::ArrayRef<int64_t> order, SourceLoc loc);
  OptionalTile advance(const TileValue &pointer,
                       llvm::ArrayRef<Operand> offsets, SourceLoc loc);
  OptionalTile makeDescriptor(const TileValue &base,
                              llvm::ArrayRef<Operand> shape,
                              llvm::ArrayRef<Operand> strides,
                              llvm::ArrayRef<int64_t> block,
                              llvm::StringRef padding, SourceLoc loc);
  OptionalTile loadDescriptor(const TileValue &descriptor,
                              llvm::ArrayRef<Operand> offsets, SourceLoc loc);
  bool storeDescriptor(const TileValue &descriptor,
                       llvm::ArrayRef<Operand> offsets, const Operand &value,
                       SourceLoc loc);

  //===-- rows and atomics of descriptors (Descriptors.cpp) ---------------===//
  DescriptorParts descriptorParts(const TileValue &descriptor);
  OptionalTile gatherRows(const TileValue &descriptor, const TileValue &rows,
                          const Operand &column, SourceLoc loc);
  bool scatterRows(const TileValue &descriptor, const TileValue &value,
                   const TileValue &rows, const Operand &column, SourceLoc loc);
  /// `kind` as in atomic.
  bool atomicDescriptor(llvm::StringRef kind, const TileValue &descriptor,
                        llvm::ArrayRef<Operand> offsets, const TileValue &value,
                        SourceLoc loc);

  //===-- hints and effects (Effects.cpp) ---------------------------------===//
  enum class HintKind : uint8_t { Divisibility, Contiguity, Constancy };
  OptionalTile hint(HintKind kind, const TileValue &x,
                    llvm::ArrayRef<int64_t> values, SourceLoc loc);
  bool assume(const TileValue &condition, SourceLoc loc);
  bool barrier(SourceLoc loc);
  bool print(llvm::StringRef prefix, llvm::ArrayRef<Operand> args, bool hex,
             SourceLoc loc);
  /// A scope of the profiler begins or ends.
  void recordScope(llvm::StringRef name, bool isEnd);
  bool deviceAssert(const TileValue &condition, llvm::StringRef message,
                    OptionalTile mask, SourceLoc loc);

private:
  mlir::OpBuilder &b;
  DiagnosticSink &sink;
  mlir::Location at;

  std::nullopt_t error(SourceLoc loc, const llvm::Twine &message);

  OptionalTile truth(const TileValue &x, llvm::StringRef word, SourceLoc loc);

  mlir::Value scalarConstant(const Literal &value, DType type);
  mlir::Value splat(mlir::Value scalar, llvm::ArrayRef<int64_t> shape);
  /// The operand as a value; literals get their natural type.
  OptionalTile materialise(const Operand &operand, SourceLoc loc);
  template <typename Op>
  TileValue emitBinary(const TileValue &x, const TileValue &y) {
    auto op = Op::create(b, at, x.value.getType(), x.value, y.value);
    return {op.getResult(), x.type};
  }
  static const TileValue *pointerOf(const Operand &operand);
  OptionalTile binaryUnchecked(BinaryFn fn, const Operand &a, const Operand &b,
                               SourceLoc loc);
  OptionalTile floatBinary(BinaryFn fn, const TileValue &x, const TileValue &y,
                           SourceLoc loc);
  OptionalTile integerBinary(BinaryFn fn, const TileValue &x,
                             const TileValue &y, bool sign);
  void checkOverflow(BinaryFn fn, const Operand &lhs, const Operand &rhs,
                     const TileValue &result, SourceLoc loc); // Effects.cpp
  using WideSum = llvm::function_ref<mlir::Operation *(const TileValue &wide)>;
  void checkSum(llvm::ArrayRef<TileValue> sources, mlir::Operation *op,
                CombineFn combine, WideSum make, SourceLoc loc);
  /// Both operands in their common type, not yet of one shape.
  std::optional<std::pair<TileValue, TileValue>>
  promote(const Operand &a, const Operand &b, bool divides, SourceLoc loc);
  /// promote, then broadcast.
  std::optional<std::pair<TileValue, TileValue>>
  unify(const Operand &a, const Operand &b, bool divides, SourceLoc loc);
  std::optional<DType> commonType(DType a, bool aWeak, DType b, bool bWeak,
                                  bool divides, SourceLoc loc);
  OptionalTile castPointer(const TileValue &x, const TileType &to,
                           SourceLoc loc);
  OptionalTile reinterpret(const TileValue &x, const TileType &to,
                           SourceLoc loc);
  /// Conversion between element types that is always possible.
  mlir::Value convert(mlir::Value value, DType from, DType to,
                      tile::Rounding rounding = tile::Rounding::rtne);
  TileValue convert(const TileValue &x, DType to);
  /// fp8e4b15, whose values are bytes, to fp16 and from any number
  /// (Float8E4B15.cpp).
  TileValue widenE4B15(const TileValue &x);
  TileValue narrowE4B15(const TileValue &value, bool towardZero);
  OptionalTile addPointer(const TileValue &pointer, const Operand &offset,
                          bool subtract, SourceLoc loc);
  std::optional<Shape> broadcastShape(llvm::ArrayRef<int64_t> a,
                                      llvm::ArrayRef<int64_t> b, SourceLoc loc);
  /// To a shape that broadcastShape gave.
  TileValue stretch(const TileValue &x, llvm::ArrayRef<int64_t> shape);
  /// An i1 mask for lanes of `shape`.
  std::optional<mlir::Value>
  laneMask(const TileValue &mask, llvm::ArrayRef<int64_t> shape, SourceLoc loc);
  std::optional<int64_t> dimension(int64_t axis, int64_t rank, SourceLoc loc);
  bool checkShape(llvm::ArrayRef<int64_t> shape, SourceLoc loc);
  std::optional<llvm::SmallVector<mlir::Value, 4>>
  indices(llvm::ArrayRef<Operand> values, llvm::StringRef what, SourceLoc loc);
  std::optional<tile::CacheHint> cacheHint(llvm::StringRef name, bool isLoad,
                                           SourceLoc loc);
  std::optional<tile::Eviction> eviction(llvm::StringRef name, SourceLoc loc);
  /// The operand with elements of a memory's type.
  OptionalTile elementFor(const Operand &value, DType element, SourceLoc loc);
  /// What is written through the pointer: converted, of its shape.
  OptionalTile storedValue(const TileValue &pointer, const Operand &value,
                           llvm::StringRef what, SourceLoc loc);
  bool checkTarget(const TileValue &pointer, llvm::StringRef what,
                   SourceLoc loc);
  std::optional<std::pair<tile::MemSem, tile::MemScope>>
  atomicOrder(llvm::StringRef sem, llvm::StringRef scope, SourceLoc loc);
  OptionalTile loadBlock(const TileValue &pointer, const LoadOptions &options,
                         tile::CacheHint cache, tile::Eviction evict,
                         SourceLoc loc);
  bool storeBlock(const TileValue &pointer, const Operand &value,
                  const StoreOptions &options, tile::CacheHint cache,
                  tile::Eviction evict, SourceLoc loc);
  /// Reads the view at the offsets; `checked` has one entry a dimension.
  TileValue loadView(const TileValue &view, mlir::ValueRange offsets,
                     llvm::ArrayRef<bool> checked, bool nan,
                     tile::CacheHint cache, tile::Eviction evict);
  bool storeView(const TileValue &view, mlir::ValueRange offsets,
                 const Operand &value, llvm::ArrayRef<bool> checked,
                 tile::CacheHint cache, tile::Eviction evict,
                 llvm::StringRef what, SourceLoc loc);
  std::optional<llvm::SmallVector<bool, 4>>
  checkedDimensions(llvm::ArrayRef<int64_t> dims, const TileType &view,
                    SourceLoc loc);
  llvm::SmallVector<mlir::Value, 4> zeroOffsets(size_t rank);
  std::optional<llvm::SmallVector<mlir::Value, 4>>
  descriptorOffsets(const TileValue &descriptor,
                    llvm::ArrayRef<Operand> offsets, SourceLoc loc);
  OptionalTile makeView(const TileValue &base, llvm::ArrayRef<Operand> shape,
                        llvm::ArrayRef<Operand> strides,
                        llvm::ArrayRef<int64_t> block, llvm::StringRef what,
                        SourceLoc loc);
  std::optional<std::pair<TileValue, TileValue>>
  descriptorLanes(const TileValue &descriptor, const TileList &indices,
                  SourceLoc loc);
  OptionalTile indexLine(const TileValue &first, int64_t extent, size_t dim,
                         size_t rank, SourceLoc loc);
  std::optional<TileList> rowIndices(const TileValue &descriptor,
                                     const TileValue &rows,
                                     const Operand &column,
                                     llvm::StringRef what, SourceLoc loc);
  /// Does an op of the region access memory, print or assert?
  static bool hasEffects(mlir::Region &region);
  //===-- dot (DotProduct.cpp) -------------------------------------------===//
  bool checkProduct(const TileValue &a, const TileValue &b, SourceLoc loc);
  std::optional<DType> productSum(DType input, const OptionalTile &acc,
                                  std::optional<DType> asked, SourceLoc loc);
  std::optional<tile::Precision>
  productPrecision(DType input, const std::string &asked, SourceLoc loc);
  TileValue foldBatch(const TileValue &x, SourceLoc loc);

  /// Fills the region with the function of map_elementwise; what it gives.
  std::optional<TileList> mapRegion(mlir::Region &region,
                                    llvm::ArrayRef<TileValue> sources,
                                    int64_t pack, MapFn function,
                                    SourceLoc loc);
  bool combineRegion(mlir::Region &region, llvm::ArrayRef<TileValue> sources,
                     CombineFn combine, SourceLoc loc);
};

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_SEMANTICS_OPEMITTER_H
