//===- Pack.cpp - Operands into the formats of Dot.h ----------------------===//
//
// What   emitPackA and emitPackB: copy, convert, pad with zeros, transpose.
// Why    Both formats are rows of units (one f32, one f64, one pair), in A
//        along k, in B along n; a source is contiguous in that direction, in
//        the other one, or in none. So there are three loops for both operands:
//        copy, transpose in registers, and one element after the other. They
//        stand in a function that equal operands of a kernel share.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/dot/Dot.h"
#include "plugins/cpu/compiler/dot/EmitFor.h"
#include "plugins/cpu/compiler/dot/Origin.h"
#include "plugins/cpu/compiler/dot/Shared.h"
#include "plugins/cpu/compiler/math/CpuMath.h"

#include "llvm/IR/Intrinsics.h"

using namespace llvm;

namespace tz::cpu {

namespace {

/// First part of a note's tag; any number that data will not hold by chance.
constexpr int64_t OriginTag = 0x6f726967696e0000;
/// Bytes from tile to tile beyond which nothing is prefetched.
constexpr int64_t FarthestStep = int64_t{1} << 28;

/// `k` runs along the dot's inner dimension, `o` along the other one.
class Packer {
public:
  Packer(IRBuilderBase &b, const DotPlan &plan, const DotSource &src,
         Value *dst, bool isA);
  /// Writes the note of Origin.h and tells the plan about it.
  void noteOrigin();
  /// A function's body: the loops and the return.
  void emitBody();

private:
  using V = Value *;

  V constant(int64_t value) { return b.getInt64(static_cast<uint64_t>(value)); }
  V clamp(V value, V low, V high) {
    return b.CreateBinaryIntrinsic(
        Intrinsic::smax, b.CreateBinaryIntrinsic(Intrinsic::smin, value, high),
        low);
  }
  V least(V x, V y) { return b.CreateBinaryIntrinsic(Intrinsic::smin, x, y); }
  Type *sourceType();
  V sourceAddress(V o, V k);
  /// `n` source elements from (o, k) on in the contiguous direction, of which
  /// `count` are read (null = all) and the others are zero; converted.
  V loadRun(V o, V k, unsigned n, V count);
  V convert(V value);
  /// A vector of units: kGroup elements along k for each of `lanes` units.
  V unitsAlongK(V o, V k, V validHere);
  V unitsAlongO(V o, V k, V validO, V validK);
  V dstAddress(V row, V unit);
  void storeUnits(V units, V row, V unit) {
    b.CreateAlignedStore(units, dstAddress(row, unit), Align(unitBytes));
  }
  void findValid();
  void zeroRow(V row, V fromUnit);

  void copyRows();
  void transpose();
  SmallVector<V, 16> linesOfBlock(V row, V unit, bool masked);
  void scalars();

  IRBuilderBase &b;
  const DotPlan &plan;
  const DotSource &src;
  V dst;
  const bool isA;
  const unsigned lanes, group;
  Type *packed;
  IntegerType *unitType;
  FixedVectorType *unitVector;
  unsigned unitBytes;
  int64_t rows;  ///< of the packed format
  int64_t units; ///< in a row, a multiple of lanes
  V oStride, kStride;
  V validO = nullptr, validK = nullptr; ///< within the shape
  int64_t oCount, kCount;
  bool alongK = false, alongO = false; ///< direction of stride 1
};

bool isOne(Value *v) {
  auto *constant = dyn_cast<ConstantInt>(v);
  return constant && constant->isOne();
}

Packer::Packer(IRBuilderBase &b, const DotPlan &plan, const DotSource &src,
               Value *dst, bool isA)
    : b(b), plan(plan), src(src), dst(dst), isA(isA), lanes(plan.lanes),
      group(plan.kGroup), packed(plan.packedType(b.getContext())),
      unitType(b.getIntNTy(plan.kind == DotKind::FmaF64 ? 64 : 32)),
      unitVector(FixedVectorType::get(unitType, lanes)),
      unitBytes(unitType->getBitWidth() / 8) {
  oCount = isA ? plan.M : plan.N;
  kCount = plan.K;
  oStride = isA ? src.rowStride : src.colStride;
  kStride = isA ? src.colStride : src.rowStride;
  alongK = isOne(kStride);
  alongO = !alongK && isOne(oStride);
  rows = isA ? plan.M : plan.paddedK / group;
  units = isA ? plan.lda / group : (plan.N + plan.NR - 1) / plan.NR * plan.NR;
}

void Packer::findValid() {
  V limitO = isA ? src.validRows : src.validCols;
  V limitK = isA ? src.validCols : src.validRows;
  validO =
      limitO ? clamp(limitO, constant(0), constant(oCount)) : constant(oCount);
  validK =
      limitK ? clamp(limitK, constant(0), constant(kCount)) : constant(kCount);
}

Type *Packer::sourceType() {
  switch (src.type) {
  case DotInput::F32:
    return b.getFloatTy();
  case DotInput::F64:
    return b.getDoubleTy();
  case DotInput::F16:
    return b.getHalfTy();
  case DotInput::BF16:
    return b.getBFloatTy();
  case DotInput::I8:
    break;
  }
  return b.getInt8Ty();
}

Value *Packer::sourceAddress(V o, V k) {
  V index = b.CreateAdd(b.CreateMul(o, oStride), b.CreateMul(k, kStride));
  return b.CreateGEP(sourceType(), src.base, index);
}

Value *Packer::convert(V value) {
  if (src.type != DotInput::I8) {
    return lowering::emitFpCast(b, plan.isa.floatUnits(), value, packed);
  }
  Type *type = value->getType();
  Type *to = packed;
  if (auto *vector = dyn_cast<FixedVectorType>(type)) {
    to = FixedVectorType::get(packed, vector->getNumElements());
  }
  return b.CreateSExt(value, to);
}

Value *Packer::loadRun(V o, V k, unsigned n, V count) {
  Type *element = sourceType();
  // Masked loads of f16 and bf16 are done on their bits.
  Type *bits = b.getIntNTy(element->getPrimitiveSizeInBits());
  auto *type = FixedVectorType::get(bits, n);
  const Align align(element->getPrimitiveSizeInBits() / 8);
  V address = sourceAddress(o, k), value;
  if (!count) {
    value = b.CreateAlignedLoad(type, address, align);
  } else {
    V clamped = clamp(count, constant(0), constant(n));
    V limit = b.CreateVectorSplat(n, b.CreateTrunc(clamped, b.getInt32Ty()));
    SmallVector<Constant *> lane;
    for (unsigned i = 0; i < n; ++i) {
      lane.push_back(b.getInt32(i));
    }
    V mask = b.CreateICmpULT(ConstantVector::get(lane), limit);
    value = b.CreateMaskedLoad(type, address, align, mask,
                               Constant::getNullValue(type));
  }
  return convert(b.CreateBitCast(value, FixedVectorType::get(element, n)));
}

Value *Packer::unitsAlongK(V o, V k, V count) {
  return b.CreateBitCast(loadRun(o, k, lanes * group, count), unitVector);
}

Value *Packer::unitsAlongO(V o, V k, V countO, V countK) {
  if (group == 1) {
    V count = countO;
    if (countO) {
      count = b.CreateSelect(b.CreateICmpSGT(countK, constant(0)), countO,
                             constant(0));
    }
    return b.CreateBitCast(loadRun(o, k, lanes, count), unitVector);
  }
  SmallVector<V, 4> parts(group);
  for (unsigned i = 0; i < group; ++i) {
    V count = countO;
    if (countO) {
      count = b.CreateSelect(b.CreateICmpSGT(countK, constant(i)), countO,
                             constant(0));
    }
    parts[i] = loadRun(o, b.CreateAdd(k, constant(i)), lanes, count);
  }
  SmallVector<int> interleave;
  for (unsigned i = 0; i < lanes; ++i) {
    interleave.push_back(static_cast<int>(i));
    interleave.push_back(static_cast<int>(i + lanes));
  }
  // Neighbours become pairs, and pairs units.
  unsigned bits = unitType->getBitWidth() / group;
  for (; parts.size() > 1; parts.resize(parts.size() / 2)) {
    bits *= 2;
    auto *pairs = FixedVectorType::get(b.getIntNTy(bits), lanes);
    for (size_t i = 0; i + 1 < parts.size(); i += 2) {
      parts[i / 2] = b.CreateBitCast(
          b.CreateShuffleVector(parts[i], parts[i + 1], interleave), pairs);
    }
  }
  return b.CreateBitCast(parts[0], unitVector);
}

Value *Packer::dstAddress(V row, V unit) {
  V index;
  if (isA) {
    index = b.CreateAdd(b.CreateMul(row, constant(units)), unit);
  } else {
    V width = constant(plan.NR);
    V panel = b.CreateUDiv(unit, width);
    index = b.CreateAdd(
        b.CreateMul(b.CreateAdd(b.CreateMul(panel, constant(rows)), row),
                    width),
        b.CreateURem(unit, width));
  }
  return b.CreateGEP(unitType, dst, index);
}

void Packer::noteOrigin() {
  DotOrigin &origin = isA ? plan.originA : plan.originB;
  origin = DotOrigin();
  if (!alongK && !alongO) {
    return;
  }
  const uint64_t bytes = isA ? plan.packedABytes : plan.packedBBytes;
  const int64_t elementBytes = sourceType()->getPrimitiveSizeInBits() / 8;
  auto word = [&](OriginWord w) { return originAddress(b, dst, bytes, w); };
  V base = b.CreatePtrToInt(src.base, b.getInt64Ty());
  // The number of blocks so far differs from place to place in a function.
  V tag = constant(OriginTag + static_cast<int64_t>(
                                   b.GetInsertBlock()->getParent()->size()));
  auto load = [&](OriginWord w) {
    return b.CreateLoad(b.getInt64Ty(), word(w));
  };
  V step = b.CreateSub(base, load(OriginWord::Base));
  V known = b.CreateICmpEQ(load(OriginWord::Tag), tag);
  V near = b.CreateICmpULT(b.CreateAdd(step, constant(FarthestStep)),
                           constant(2 * FarthestStep));
  V next = b.CreateAdd(
      base, b.CreateSelect(b.CreateAnd(known, near), step, constant(0)));
  b.CreateStore(tag, word(OriginWord::Tag));
  b.CreateStore(base, word(OriginWord::Base));
  b.CreateStore(next, word(OriginWord::Next));
  b.CreateStore(b.CreateMul(alongK ? oStride : kStride, constant(elementBytes)),
                word(OriginWord::RowStride));
  origin.packed = dst;
  origin.rows = alongK ? oCount : kCount;
  origin.rowBytes = (alongK ? kCount : oCount) * elementBytes;
}

/// Zeros from a unit that is a multiple of lanes to the end of the row.
void Packer::zeroRow(V row, V fromUnit) {
  emitFor(b, fromUnit, constant(units), lanes, [&](V unit) {
    storeUnits(Constant::getNullValue(unitVector), row, unit);
  });
}

/// The source is contiguous in the direction of the packed rows. Each row has
/// whole vectors, at most one partial vector, and zeros.
void Packer::copyRows() {
  emitFor(b, constant(0), constant(rows), 1, [&](V row) {
    V k0 = isA ? nullptr : b.CreateMul(row, constant(group));
    // Elements of one unit in the direction of the row; elements valid here.
    const int64_t perUnit = isA ? group : 1;
    V valid, kHere = nullptr;
    bool always = false; // known to be whole
    if (isA) {
      valid = src.validRows ? b.CreateSelect(b.CreateICmpSLT(row, validO),
                                             validK, constant(0))
                            : validK;
    } else {
      kHere = b.CreateSub(validK, k0);
      always = !src.validRows && plan.K == plan.paddedK;
      valid = always ? validO
                     : b.CreateSelect(b.CreateICmpSGE(kHere, constant(group)),
                                      validO, constant(0));
    }
    const int64_t run = lanes * perUnit;
    V whole = b.CreateMul(b.CreateSDiv(valid, constant(run)), constant(lanes));
    if (auto *known = dyn_cast<ConstantInt>(valid)) {
      whole = constant(known->getSExtValue() / run * lanes);
    }
    emitFor(b, constant(0), whole, lanes, [&](V unit) {
      V o = isA ? row : unit;
      V k = isA ? b.CreateMul(unit, constant(group)) : k0;
      V value = isA ? unitsAlongK(o, k, nullptr)
                    : unitsAlongO(o, k, nullptr, nullptr);
      storeUnits(value, row, unit);
    });
    auto *knownWhole = dyn_cast<ConstantInt>(whole);
    if (knownWhole && knownWhole->getSExtValue() == units) {
      return;
    }
    // What is left of this row, vector by vector under a mask.
    emitFor(b, whole, constant(units), lanes, [&](V unit) {
      if (isA) {
        V k = b.CreateMul(unit, constant(group));
        storeUnits(unitsAlongK(row, k, b.CreateSub(valid, k)), row, unit);
      } else {
        storeUnits(unitsAlongO(unit, k0, b.CreateSub(validO, unit), kHere), row,
                   unit);
      }
    });
  });
}

/// Transposes a lanes x lanes matrix of units given as rows.
void transposeInRegisters(IRBuilderBase &b, MutableArrayRef<Value *> m) {
  const auto n = static_cast<unsigned>(m.size());
  // Swaps the off-diagonal blocks of size h in each pair of rows.
  for (unsigned h = n / 2; h >= 1; h /= 2) {
    SmallVector<int> low, high;
    for (unsigned i = 0; i < n; ++i) {
      const unsigned within = i % (2 * h);
      low.push_back(static_cast<int>(within < h ? i : n + i - h));
      high.push_back(static_cast<int>(within < h ? i + h : n + i));
    }
    for (unsigned row = 0; row < n; ++row) {
      if (row % (2 * h) < h) {
        Value *x = m[row], *y = m[row + h];
        m[row] = b.CreateShuffleVector(x, y, low);
        m[row + h] = b.CreateShuffleVector(x, y, high);
      }
    }
  }
}

/// The source's runs of a block of lanes x lanes units.
SmallVector<Value *, 16> Packer::linesOfBlock(V row, V unit, bool underMask) {
  SmallVector<Value *, 16> lines;
  for (unsigned i = 0; i < lanes; ++i) {
    V line = b.CreateAdd(unit, constant(i));
    if (isA) {
      // Units along m; a line is a group of k.
      V k = b.CreateMul(line, constant(group));
      lines.push_back(underMask ? unitsAlongO(row, k, b.CreateSub(validO, row),
                                              b.CreateSub(validK, k))
                                : unitsAlongO(row, k, nullptr, nullptr));
      continue;
    }
    // Units along k; a line is a column n.
    V k = b.CreateMul(row, constant(group)), count = nullptr;
    if (underMask) {
      count = b.CreateSelect(b.CreateICmpSLT(line, validO),
                             b.CreateSub(validK, k), constant(0));
    }
    lines.push_back(unitsAlongK(line, k, count));
  }
  return lines;
}

void Packer::transpose() {
  const unsigned tailRows = static_cast<unsigned>(rows % lanes);
  auto band = [&](V row, unsigned numRows) {
    emitFor(b, constant(0), constant(units), lanes, [&](V unit) {
      // Is the whole block inside? Its extent in elements of each direction.
      V lastO = b.CreateAdd(isA ? row : unit, constant(lanes));
      V lastK = b.CreateMul(b.CreateAdd(isA ? unit : row, constant(lanes)),
                            constant(group));
      V inside = b.CreateAnd(b.CreateICmpSLE(lastO, validO),
                             b.CreateICmpSLE(lastK, validK));
      Function *function = b.GetInsertBlock()->getParent();
      auto block = [&](const char *name) {
        return BasicBlock::Create(b.getContext(), name, function);
      };
      BasicBlock *whole = block("whole"), *part = block("part"),
                 *done = block("packed");
      b.CreateCondBr(inside, whole, part);
      b.SetInsertPoint(whole);
      auto plainLines = linesOfBlock(row, unit, false);
      b.CreateBr(done);
      b.SetInsertPoint(part);
      auto maskedLines = linesOfBlock(row, unit, true);
      b.CreateBr(done);
      b.SetInsertPoint(done);
      SmallVector<Value *, 16> lines;
      for (unsigned i = 0; i < lanes; ++i) {
        PHINode *line = b.CreatePHI(unitVector, 2);
        line->addIncoming(plainLines[i], whole);
        line->addIncoming(maskedLines[i], part);
        lines.push_back(line);
      }
      transposeInRegisters(b, lines);
      for (unsigned i = 0; i < numRows; ++i) {
        storeUnits(lines[i], b.CreateAdd(row, constant(i)), unit);
      }
    });
  };
  emitFor(b, constant(0), constant(rows - tailRows), lanes,
          [&](V row) { band(row, lanes); });
  if (tailRows != 0) {
    band(constant(rows - tailRows), tailRows);
  }
}

/// Any strides: zeros first, then one element after the other.
void Packer::scalars() {
  emitFor(b, constant(0), constant(rows), 1,
          [&](V row) { zeroRow(row, constant(0)); });
  emitFor(b, constant(0), validO, 1, [&](V o) {
    emitFor(b, constant(0), validK, 1, [&](V k) {
      V value = b.CreateAlignedLoad(
          sourceType(), sourceAddress(o, k),
          Align(sourceType()->getPrimitiveSizeInBits() / 8));
      V kUnit = b.CreateUDiv(k, constant(group));
      V address = isA ? dstAddress(o, kUnit) : dstAddress(kUnit, o);
      V within = b.CreateURem(k, constant(group));
      b.CreateAlignedStore(convert(value), b.CreateGEP(packed, address, within),
                           Align(packed->getPrimitiveSizeInBits() / 8));
    });
  });
}

void Packer::emitBody() {
  findValid();
  if (isA ? alongK : alongO) {
    copyRows();
  } else if (alongK || alongO) {
    transpose();
  } else {
    scalars();
  }
  b.CreateRetVoid();
}

/// What `value` is in the function: a constant of its name, or an argument.
Value *inFunction(raw_ostream &name, Value *value, Value *argument) {
  if (!value) {
    name << ".all";
    return nullptr;
  }
  if (auto *known = dyn_cast<ConstantInt>(value)) {
    name << "." << known->getSExtValue();
    return value;
  }
  name << ".n";
  return argument;
}

void emitPack(IRBuilderBase &b, const DotPlan &plan, const DotSource &src,
              Value *dst, bool isA) {
  Packer(b, plan, src, dst, isA).noteOrigin();
  Value *const given[] = {src.rowStride, src.colStride, src.validRows,
                          src.validCols};
  SmallString<64> name;
  raw_svector_ostream text(name);
  text << "tz.pack." << (isA ? "a." : "b.") << static_cast<int>(plan.kind)
       << "." << static_cast<int>(src.type) << "." << (isA ? plan.M : plan.N)
       << "x" << plan.K << "." << (isA ? plan.lda : plan.NR);
  for (Value *value : given) {
    inFunction(text, value, nullptr);
  }
  Type *pointer = b.getPtrTy(), *i64 = b.getInt64Ty();
  Function *function = sharedFunction(b.GetInsertBlock()->getParent(), name,
                                      {pointer, pointer, i64, i64, i64, i64});
  if (function->empty()) {
    function->addParamAttr(0, Attribute::NoAlias);
    function->addParamAttr(1, Attribute::NoAlias);
    IRBuilder<> body(BasicBlock::Create(b.getContext(), "", function));
    auto parameter = [&](unsigned i) {
      return inFunction(nulls(), given[i], function->getArg(2 + i));
    };
    DotSource inside;
    inside.base = function->getArg(0);
    inside.type = src.type;
    inside.rowStride = parameter(0);
    inside.colStride = parameter(1);
    inside.validRows = parameter(2);
    inside.validCols = parameter(3);
    Packer(body, plan, inside, function->getArg(1), isA).emitBody();
  }
  SmallVector<Value *, 6> arguments{src.base, dst};
  for (Value *value : given) {
    arguments.push_back(value ? value : b.getInt64(0));
  }
  b.CreateCall(function, arguments);
}

} // namespace

void emitPackA(IRBuilderBase &b, const DotPlan &plan, const DotSource &src,
               Value *dst) {
  emitPack(b, plan, src, dst, true);
}

void emitPackB(IRBuilderBase &b, const DotPlan &plan, const DotSource &src,
               Value *dst) {
  emitPack(b, plan, src, dst, false);
}

} // namespace tz::cpu
