//===- Effects.cpp - hints, barrier, print, assert ------------------------===//
//
// What   What a kernel tells the compiler or the user rather than computes.
// Why    These have no result that the rest of the kernel depends on.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/semantics/OpEmitter.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tz::frontend {

OptionalTile OpEmitter::hint(HintKind kind, const TileValue &x,
                             ArrayRef<int64_t> values, SourceLoc loc) {
  StringRef name = kind == HintKind::Divisibility ? "multiple_of"
                   : kind == HintKind::Contiguity ? "max_contiguous"
                                                  : "max_constancy";
  if (x.type.isView()) {
    return error(loc, name + " needs a tile or scalar, found " + x.type.str());
  }
  size_t rank = std::max<size_t>(1, x.type.shape.size());
  if (values.size() != rank) {
    return error(loc, name + " needs one value a dimension: " +
                          llvm::Twine(unsigned(values.size())) + " for " +
                          x.type.str());
  }
  if (llvm::any_of(values, [](int64_t v) { return v <= 0; })) {
    return error(loc, "values of " + name + " must be positive, found " +
                          shapeText(values));
  }
  auto list = b.getDenseI64ArrayAttr(values);
  DenseI64ArrayAttr none;
  auto op = tile::HintOp::create(b, at, x.value.getType(), x.value,
                                 kind == HintKind::Divisibility ? list : none,
                                 kind == HintKind::Contiguity ? list : none,
                                 kind == HintKind::Constancy ? list : none);
  return TileValue{op.getResult(), x.type};
}

bool OpEmitter::assume(const TileValue &value, SourceLoc loc) {
  if (!value.type.isScalar() || value.type.isView()) {
    error(loc, "tl.assume needs a scalar condition, found " + value.type.str());
    return false;
  }
  TileType boolean;
  boolean.elem = DType::I1;
  OptionalTile truth = cast(value, boolean, "", false, loc);
  if (!truth) {
    return false;
  }
  tile::AssumeOp::create(b, at, truth->value);
  return true;
}

bool OpEmitter::barrier(SourceLoc) {
  tile::BarrierOp::create(b, at);
  return true;
}

void OpEmitter::recordScope(StringRef name, bool isEnd) {
  if (recordsScopes) {
    tile::RecordOp::create(b, at, name, isEnd, ValueRange());
  }
}

bool OpEmitter::print(StringRef prefix, ArrayRef<Operand> args, bool hex,
                      SourceLoc loc) {
  SmallVector<Value> values;
  SmallVector<bool> isSigned;
  for (const Operand &operand : args) {
    OptionalTile x = materialise(operand, loc);
    if (x->type.isView()) {
      error(loc, "device_print cannot print " + x->type.str());
      return false;
    }
    values.push_back(x->value);
    isSigned.push_back(!x->type.isPtr && frontend::isSigned(x->type.elem));
  }
  tile::PrintOp::create(b, at, prefix, hex, isSigned, values);
  return true;
}

/// The operation again in 64 bits; not in the library, whose hashes wrap, and
/// not in the regions of reductions, which have no effects.
void OpEmitter::checkOverflow(BinaryFn fn, const Operand &lhs,
                              const Operand &rhs, const TileValue &result,
                              SourceLoc loc) {
  bool checked =
      fn == BinaryFn::Add || fn == BinaryFn::Sub || fn == BinaryFn::Mul;
  DType type = result.type.elem;
  if (!checked || result.type.isPtr || !isInteger(type) || type == DType::I1 ||
      bitWidth(type) >= 64 || !loc.isValid() ||
      StringRef(loc.file->path()).starts_with("<")) {
    return;
  }
  for (Operation *op = b.getInsertionBlock()->getParentOp(); op;
       op = op->getParentOp()) {
    if (isa<tile::ReduceOp, tile::ScanOp, tile::MapOp>(op)) {
      return;
    }
  }
  auto wide = [&](const Operand &operand) -> OptionalTile {
    OptionalTile x;
    if (auto *number = std::get_if<Literal>(&operand)) {
      x = constant(*number, type, loc);
    } else {
      x = convert(std::get<TileValue>(operand), type);
    }
    return x ? OptionalTile(convert(*x, DType::I64)) : x;
  };
  OptionalTile x = wide(lhs), y = wide(rhs);
  OptionalTile exact = x && y ? binaryUnchecked(fn, *x, *y, loc) : std::nullopt;
  OptionalTile same =
      exact ? compare(CompareFn::Eq, *exact, convert(result, DType::I64), loc)
            : std::nullopt;
  if (same) {
    std::string message = "integer overflow of " + dtypeName(type).str() +
                          (fn == BinaryFn::Add   ? " in +"
                           : fn == BinaryFn::Sub ? " in -"
                                                 : " in *");
    tile::AssertOp::create(b, at, same->value, message, Value());
  }
}

bool OpEmitter::deviceAssert(const TileValue &condition, StringRef message,
                             OptionalTile mask, SourceLoc loc) {
  TileType boolean;
  boolean.elem = DType::I1;
  OptionalTile truth = cast(condition, boolean, "", false, loc);
  if (!truth) {
    return false;
  }
  Value lanes;
  if (mask) {
    std::optional<Value> converted = laneMask(*mask, truth->type.shape, loc);
    if (!converted) {
      return false;
    }
    lanes = *converted;
  }
  tile::AssertOp::create(b, at, truth->value, message, lanes);
  return true;
}

} // namespace tz::frontend
