//===- LoadStore.cpp - loads, stores and atomics through pointers ---------===//
//
// What   load and store of pointers and tiles of pointers, atomics, and the
//        hints that they take. Block pointers go on to Views.cpp.
// Why    The rules of who is broadcast to whom differ between loads and stores
//        (docs/reference/language.md#two-tiles); they stand side by side here.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/semantics/OpEmitter.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tz::frontend {

std::optional<tile::CacheHint> OpEmitter::cacheHint(StringRef name, bool isLoad,
                                                    SourceLoc loc) {
  using Hint = std::optional<tile::CacheHint>;
  Hint hint = isLoad ? llvm::StringSwitch<Hint>(name)
                           .Case("", tile::CacheHint::none)
                           .Case(".ca", tile::CacheHint::ca)
                           .Case(".cg", tile::CacheHint::cg)
                           .Case(".cv", tile::CacheHint::cv)
                           .Case(".cs", tile::CacheHint::cs)
                           .Default(std::nullopt)
                     : llvm::StringSwitch<Hint>(name)
                           .Case("", tile::CacheHint::none)
                           .Case(".wb", tile::CacheHint::wb)
                           .Case(".cg", tile::CacheHint::cg)
                           .Case(".cs", tile::CacheHint::cs)
                           .Case(".wt", tile::CacheHint::wt)
                           .Default(std::nullopt);
  if (!hint) {
    error(loc, llvm::Twine("cache_modifier of a ") +
                   (isLoad ? "load is '.ca', '.cg', '.cv' or '.cs', found '"
                           : "store is '.wb', '.cg', '.cs' or '.wt', found '") +
                   name + "'");
  }
  return hint;
}

std::optional<tile::Eviction> OpEmitter::eviction(StringRef name,
                                                  SourceLoc loc) {
  auto priority = llvm::StringSwitch<std::optional<tile::Eviction>>(name)
                      .Case("", tile::Eviction::normal)
                      .Case("evict_first", tile::Eviction::evict_first)
                      .Case("evict_last", tile::Eviction::evict_last)
                      .Default(std::nullopt);
  if (!priority) {
    error(loc, "eviction_policy is 'evict_first' or 'evict_last', found '" +
                   name + "'");
  }
  return priority;
}

std::optional<Value> OpEmitter::laneMask(const TileValue &mask,
                                         ArrayRef<int64_t> shape,
                                         SourceLoc loc) {
  if (mask.type.isPtr || mask.type.isView() || mask.type.elem != DType::I1) {
    return error(loc, "a mask must be int1, found " + mask.type.str());
  }
  if (shape.empty() && !mask.type.isScalar()) {
    return error(loc, "mask of shape " + shapeText(mask.type.shape) +
                          " on a scalar pointer; a scalar access has a scalar "
                          "mask");
  }
  OptionalTile spread =
      broadcastTo(mask, shape, loc, "the mask", "the pointer");
  return spread ? std::optional<Value>(spread->value) : std::nullopt;
}

/// What stands where a pointer is needed.
static std::string foundText(const TileValue &value) {
  return value.type.isDescriptor
             ? value.type.str() + "; use its method .load or .store"
             : value.type.str();
}

OptionalTile OpEmitter::load(const TileValue &pointer,
                             const LoadOptions &options, SourceLoc loc) {
  auto cache = cacheHint(options.cache, true, loc);
  auto evict = cache ? eviction(options.eviction, loc) : std::nullopt;
  if (!evict) {
    return std::nullopt;
  }
  if (pointer.type.isBlockPtr) {
    return loadBlock(pointer, options, *cache, *evict, loc);
  }
  if (!pointer.type.isPtr || pointer.type.isView()) {
    return error(loc, "tl.load needs a pointer, found " + foundText(pointer));
  }
  if (pointer.type.elem == DType::Void) {
    return error(loc, "a load through *void has no type; convert the pointer");
  }
  if (!options.boundaryCheck.empty() || !options.padding.empty()) {
    return error(loc, "boundary_check and padding_option are for block "
                      "pointers; the pointer here is " +
                          pointer.type.str());
  }
  if (options.other && !options.mask) {
    return error(loc, "`other` of tl.load needs a mask");
  }
  TileValue source = pointer;
  if (options.mask && !pointer.type.isScalar()) {
    // A mask may be larger than the pointers, which are then repeated.
    auto shape =
        broadcastShape(pointer.type.shape, options.mask->type.shape, loc);
    if (!shape) {
      return std::nullopt;
    }
    source = stretch(pointer, *shape);
  }
  Value mask, other;
  if (options.mask) {
    std::optional<Value> lanes =
        laneMask(*options.mask, source.type.shape, loc);
    if (!lanes) {
      return std::nullopt;
    }
    mask = *lanes;
  }
  TileType element;
  element.elem = pointer.type.elem;
  TileType result = element.withShape(source.type.shape);
  // int1 is a byte in memory: any non-zero byte is true.
  TileType stored =
      element.elem == DType::I1 ? result.withElem(DType::I8) : result;
  if (options.other) {
    OptionalTile fill = elementFor(*options.other, element.elem, loc);
    fill = fill ? broadcastTo(*fill, source.type.shape, loc, "`other`",
                              "the pointer")
                : fill;
    if (!fill) {
      return std::nullopt;
    }
    other = element.elem == DType::I1
                ? convert(fill->value, DType::I1, DType::U8)
                : fill->value;
  }
  auto op =
      tile::LoadOp::create(b, at, irType(stored), source.value, mask, other,
                           /*group=*/0, *cache, *evict, options.isVolatile);
  return convert({op.getResult(), stored}, element.elem);
}

/// Literals go through their natural type as everywhere: integers wrap, floats
/// are rounded to fp32 first.
OptionalTile OpEmitter::elementFor(const Operand &value, DType element,
                                   SourceLoc loc) {
  TileType type;
  type.elem = element;
  if (auto *number = std::get_if<Literal>(&value)) {
    auto *floating = std::get_if<double>(number);
    if (floating && isFloat(element)) {
      DType natural = naturalType(*number);
      return constant(natural == DType::F32 ? double(float(*floating))
                                            : *floating,
                      element, loc);
    }
    if (!floating && isInteger(element) && element != DType::I1) {
      return TileValue{scalarConstant(*number, element), type};
    }
    return constant(*number, element, loc);
  }
  return cast(value, type, "", false, loc);
}

bool OpEmitter::checkTarget(const TileValue &pointer, StringRef what,
                            SourceLoc loc) {
  if (!pointer.type.isPtr || pointer.type.isView()) {
    error(loc, what + " needs a pointer, found " + foundText(pointer));
    return false;
  }
  if (pointer.type.isConstPtr) {
    error(loc,
          what + " writes through the const pointer " + pointer.type.str());
    return false;
  }
  if (pointer.type.elem == DType::Void) {
    error(loc, what + " through *void has no type; convert the pointer");
    return false;
  }
  return true;
}

bool OpEmitter::store(const TileValue &pointer, const Operand &value,
                      const StoreOptions &options, SourceLoc loc) {
  auto cache = cacheHint(options.cache, false, loc);
  auto evict = cache ? eviction(options.eviction, loc) : std::nullopt;
  if (!evict) {
    return false;
  }
  if (pointer.type.isBlockPtr) {
    return storeBlock(pointer, value, options, *cache, *evict, loc);
  }
  if (auto *tile = std::get_if<TileValue>(&value);
      tile && tile->type.isPtr && !pointer.type.isPtr) {
    error(loc, "tl.store takes the pointer first and the value second, found " +
                   pointer.type.str() + " and " + tile->type.str());
    return false;
  }
  if (!checkTarget(pointer, "tl.store", loc)) {
    return false;
  }
  if (!options.boundaryCheck.empty()) {
    error(loc, "boundary_check is for block pointers; the pointer here is " +
                   pointer.type.str());
    return false;
  }
  OptionalTile x = storedValue(pointer, value, "tl.store", loc);
  if (!x) {
    return false;
  }
  Value mask;
  if (options.mask) {
    std::optional<Value> lanes =
        laneMask(*options.mask, pointer.type.shape, loc);
    if (!lanes) {
      return false;
    }
    mask = *lanes;
  }
  tile::StoreOp::create(b, at, pointer.value, x->value, mask, /*group=*/0,
                        *cache, *evict);
  return true;
}

OptionalTile OpEmitter::storedValue(const TileValue &pointer,
                                    const Operand &value, StringRef what,
                                    SourceLoc loc) {
  DType element = pointer.type.elem;
  if (auto *tile = std::get_if<TileValue>(&value)) {
    if (tile->type.isView()) {
      return error(loc, what + " cannot write " + tile->type.str());
    }
    if (pointer.type.isScalar() && !tile->type.isScalar()) {
      return error(loc, what + " of a tile of shape " +
                            shapeText(tile->type.shape) +
                            " through a scalar pointer; add offsets to the "
                            "pointer");
    }
  }
  OptionalTile x = elementFor(value, element, loc);
  x = x ? broadcastTo(*x, pointer.type.shape, loc,
                      ("the value of " + what).str(), "the pointer")
        : x;
  if (x && element == DType::I1) {
    x = convert(*x, DType::U8); // a byte, 0 or 1
  }
  return x;
}

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

static std::optional<tile::MemSem> memSem(StringRef name) {
  return llvm::StringSwitch<std::optional<tile::MemSem>>(name)
      .Case("relaxed", tile::MemSem::relaxed)
      .Case("acquire", tile::MemSem::acquire)
      .Case("release", tile::MemSem::release)
      .Cases({"", "acq_rel"}, tile::MemSem::acq_rel)
      .Default(std::nullopt);
}

static std::optional<tile::MemScope> memScope(StringRef name) {
  return llvm::StringSwitch<std::optional<tile::MemScope>>(name)
      .Case("cta", tile::MemScope::program)
      .Cases({"", "gpu"}, tile::MemScope::device)
      .Case("sys", tile::MemScope::system)
      .Default(std::nullopt);
}

std::optional<std::pair<tile::MemSem, tile::MemScope>>
OpEmitter::atomicOrder(StringRef sem, StringRef scope, SourceLoc loc) {
  auto order = memSem(sem);
  if (!order) {
    return error(loc, "sem is 'acquire', 'release', 'acq_rel' or 'relaxed', "
                      "found '" +
                          sem + "'");
  }
  auto reach = memScope(scope);
  if (!reach) {
    return error(loc, "scope is 'gpu', 'cta' or 'sys', found '" + scope + "'");
  }
  return std::make_pair(*order, *reach);
}

/// The kind for the element type; empty if there is no such atomic.
static std::optional<tile::AtomicKind> atomicKind(StringRef name, DType type) {
  using K = tile::AtomicKind;
  bool floating = isFloat(type), sign = isSigned(type);
  unsigned bits = bitWidth(type);
  if (name == "add") {
    bool legal = floating ? bits >= 16 : bits >= 32;
    return legal ? std::optional(floating ? K::fadd : K::add) : std::nullopt;
  }
  if (bits < 32) {
    return std::nullopt;
  }
  if (name == "xchg") {
    return K::xchg;
  }
  if (name == "max") {
    return floating ? K::fmax : sign ? K::max : K::umax;
  }
  if (name == "min") {
    return floating ? K::fmin : sign ? K::min : K::umin;
  }
  if (floating) {
    return std::nullopt;
  }
  return name == "and" ? K::and_ : name == "or" ? K::or_ : K::xor_;
}

OptionalTile OpEmitter::atomic(StringRef name, const TileValue &pointer,
                               const Operand &value, OptionalTile mask,
                               StringRef sem, StringRef scope, SourceLoc loc) {
  std::string what = ("tl.atomic_" + name).str();
  if (!checkTarget(pointer, what, loc)) {
    return std::nullopt;
  }
  auto order = atomicOrder(sem, scope, loc);
  if (!order) {
    return std::nullopt;
  }
  std::optional<tile::AtomicKind> kind = atomicKind(name, pointer.type.elem);
  if (!kind) {
    return error(loc,
                 what + " is not defined on " + dtypeName(pointer.type.elem));
  }
  OptionalTile x = storedValue(pointer, value, what, loc);
  if (!x) {
    return std::nullopt;
  }
  Value lanes;
  if (mask) {
    std::optional<Value> converted = laneMask(*mask, pointer.type.shape, loc);
    if (!converted) {
      return std::nullopt;
    }
    lanes = *converted;
  }
  auto op = tile::AtomicRMWOp::create(b, at, x->value.getType(), *kind,
                                      pointer.value, x->value, lanes,
                                      order->first, order->second, 0);
  return TileValue{op.getResult(), x->type};
}

OptionalTile OpEmitter::atomicCas(const TileValue &pointer,
                                  const Operand &compare, const Operand &value,
                                  StringRef sem, StringRef scope,
                                  SourceLoc loc) {
  if (!checkTarget(pointer, "tl.atomic_cas", loc)) {
    return std::nullopt;
  }
  auto order = atomicOrder(sem, scope, loc);
  if (!order) {
    return std::nullopt;
  }
  if (bitWidth(pointer.type.elem) < 16) {
    return error(loc, "tl.atomic_cas needs elements of 16, 32 or 64 bits, "
                      "found " +
                          dtypeName(pointer.type.elem));
  }
  OptionalTile expected = storedValue(pointer, compare, "tl.atomic_cas", loc);
  OptionalTile desired =
      expected ? storedValue(pointer, value, "tl.atomic_cas", loc) : expected;
  if (!desired) {
    return std::nullopt;
  }
  auto op = tile::AtomicCASOp::create(
      b, at, desired->value.getType(), pointer.value, expected->value,
      desired->value, order->first, order->second, 0);
  return TileValue{op.getResult(), desired->type};
}

} // namespace tz::frontend
