//===- DotProduct.cpp - tl.dot --------------------------------------------===//
//
// What   The product of two tiles: operands, what it is summed in, precision.
// Why    Its types follow rules of their own
//        (docs/reference/language.md#products).
//
//===----------------------------------------------------------------------===//
#include "core/frontend/semantics/OpEmitter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tz::frontend {

/// What a product of `input` operands is summed in, if nothing is asked for.
static DType defaultAccumulator(DType input) {
  return input == DType::I8    ? DType::I32
         : input == DType::F64 ? DType::F64
                               : DType::F32;
}

static bool accumulates(DType input, DType sum) {
  if (sum == DType::F16) {
    return input == DType::F16 || isFloat8(input);
  }
  return sum == defaultAccumulator(input);
}

/// The operands' types and shapes; false after an error.
bool OpEmitter::checkProduct(const TileValue &a, const TileValue &c,
                             SourceLoc loc) {
  for (const TileValue *x : {&a, &c}) {
    DType type = x->type.elem;
    bool legal = !x->type.isPtr && !x->type.isView() &&
                 (isFloat(type) || type == DType::I8);
    if (!legal) {
      error(loc, "dot needs tiles of int8 or floats, found " + x->type.str());
      return false;
    }
  }
  ArrayRef<int64_t> as = a.type.shape, bs = c.type.shape;
  size_t rank = as.size();
  std::string shapes = a.type.str() + " and " + c.type.str();
  if (rank < 2 || bs.size() != rank) {
    error(loc, "dot needs two tiles of two (or of three) dimensions, "
               "found " +
                   shapes);
    return false;
  }
  if (as[rank - 1] != bs[rank - 2]) {
    error(loc, "dot of " + shapes + ": the inner dimensions " +
                   llvm::Twine(as[rank - 1]) + " and " +
                   llvm::Twine(bs[rank - 2]) + " differ");
    return false;
  }
  if (as.drop_back(2) != bs.drop_back(2)) {
    error(loc, "dot of " + shapes + ": the batch dimensions differ");
    return false;
  }
  DType input = a.type.elem;
  if (input != c.type.elem && !(isFloat8(input) && isFloat8(c.type.elem))) {
    error(loc, "dot needs operands of one type, found " + shapes +
                   "; convert one of the two");
    return false;
  }
  return true;
}

/// What a product of `input` operands is summed in; nothing after an error.
std::optional<DType> OpEmitter::productSum(DType input, const OptionalTile &acc,
                                           std::optional<DType> asked,
                                           SourceLoc loc) {
  if (asked == DType::BF16) {
    return error(loc, "out_dtype of dot cannot be bf16; convert the result "
                      "with .to(tl.bfloat16)");
  }
  // Where the operands leave no choice, out_dtype changes nothing.
  DType sum = defaultAccumulator(input);
  if (asked &&
      (accumulates(input, *asked) || (isFloat(input) && !isFloat(*asked)))) {
    sum = *asked;
  } else if (!asked && acc) {
    sum = acc->type.elem;
  }
  if (!accumulates(input, sum)) {
    return error(loc, "dot of " + dtypeName(input) + " is summed in " +
                          dtypeName(defaultAccumulator(input)) +
                          (accumulates(input, DType::F16) ? " or fp16" : "") +
                          ", not in " + dtypeName(sum));
  }
  return sum;
}

std::optional<tile::Precision>
OpEmitter::productPrecision(DType input, const std::string &asked,
                            SourceLoc loc) {
  std::optional<tile::Precision> precision =
      llvm::StringSwitch<std::optional<tile::Precision>>(
          asked.empty() ? f32Default : asked)
          .Case("", tile::Precision::target_default)
          .Case("ieee", tile::Precision::ieee)
          .Case("tf32", tile::Precision::tf32)
          .Case("tf32x3", tile::Precision::tf32x3)
          .Case("bf16x3", tile::Precision::bf16x3)
          .Case("bf16x6", tile::Precision::bf16x6)
          .Default(std::nullopt);
  if (!precision) {
    return error(loc, "input_precision is 'ieee', 'tf32', 'tf32x3', 'bf16x3' "
                      "or 'bf16x6', found '" +
                          asked + "'");
  }
  // It speaks of fp32 operands only.
  return input == DType::F32 ? precision : tile::Precision::ieee;
}

/// Batch dimensions beyond the first fold into one.
TileValue OpEmitter::foldBatch(const TileValue &x, SourceLoc loc) {
  ArrayRef<int64_t> shape = x.type.shape;
  const size_t rank = shape.size();
  if (rank <= 3) {
    return x;
  }
  int64_t batch = 1;
  for (int64_t extent : shape.drop_back(2)) {
    batch *= extent;
  }
  return *reshape(x, {batch, shape[rank - 2], shape[rank - 1]}, loc);
}

OptionalTile OpEmitter::dot(const TileValue &lhs, const TileValue &rhs,
                            OptionalTile acc, const DotOptions &options,
                            SourceLoc loc) {
  TileValue a = lhs, c = rhs;
  if (a.type.elem == DType::F8E4B15 || c.type.elem == DType::F8E4B15) {
    // No matrix unit has it; fp16 holds its values, and those of other fp8.
    for (TileValue *x : {&a, &c}) {
      if (isFloat8(x->type.elem) && !x->type.isPtr && !x->type.isView()) {
        *x = convert(*x, DType::F16);
      }
    }
  }
  if (!checkProduct(a, c, loc)) {
    return std::nullopt;
  }
  const DType input = a.type.elem;
  const int64_t inner = a.type.shape.back();
  std::optional<DType> sum = productSum(input, acc, options.outType, loc);
  if (!sum) {
    return std::nullopt;
  }
  Shape result(ArrayRef<int64_t>(a.type.shape).drop_back(1));
  result.push_back(c.type.shape.back());
  if (!checkShape(result, loc)) {
    return std::nullopt;
  }
  TileType type = a.type.withElem(*sum).withShape(result);
  if (acc && acc->type != type) {
    return error(loc, "accumulator of dot must be " + type.str() + ", found " +
                          acc->type.str());
  }
  if (options.maxImprecise > inner && isFloat8(input)) {
    return error(
        loc, "max_num_imprecise_acc (" + llvm::Twine(options.maxImprecise) +
                 ") is larger than the inner dimension " + llvm::Twine(inner));
  }
  std::optional<tile::Precision> precision =
      productPrecision(input, options.precision, loc);
  if (!precision) {
    return std::nullopt;
  }
  if (!acc) {
    acc = full(result, Literal(int64_t(0)), type.scalar(), loc);
  }
  a = foldBatch(a, loc);
  c = foldBatch(c, loc);
  acc = foldBatch(*acc, loc);
  // 0 means no bound; the tightest bound that can be asked for is one product.
  int64_t imprecise = isFloat8(input) && options.maxImprecise >= 0
                          ? std::max<int64_t>(1, options.maxImprecise)
                          : 0;
  auto op = tile::DotOp::create(b, at, irType(acc->type), a.value, c.value,
                                acc->value, *precision, imprecise);
  return reshape({op.getResult(), acc->type}, result, loc);
}

} // namespace tz::frontend
