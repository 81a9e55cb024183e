//===- MicroKernel.cpp - Blocks of accumulators in registers --------------===//
//
// What   emitDot: loops over panels and row blocks that call micro-kernels, and
//        the micro-kernels: mr x nv vectors of accumulators as loop phis.
// Why    Functions of their own, so that register allocation sees nothing but
//        the block, and so that the same shape is emitted once a module.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/dot/Dot.h"
#include "plugins/cpu/compiler/dot/EmitFor.h"
#include "plugins/cpu/compiler/dot/Origin.h"
#include "plugins/cpu/compiler/dot/Shared.h"
#include "plugins/cpu/compiler/dot/TileKernel.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tz::cpu {

namespace {

constexpr int64_t LineBytes = 64;
/// More would take the load ports away from the multiply-adds.
constexpr unsigned MostLinesPerIteration = 12;

/// Steps of k in an iteration of the loop. Where product and sum are two
/// instructions the optimizer reorders the sums of several steps, and then it
/// spills.
unsigned unrollOf(const DotPlan &plan) {
  bool fused =
      plan.kind == DotKind::PairI16 ? plan.isa.avx512vnni : plan.isa.fma;
  return fused ? 4 : 1;
}

/// One variant: a block of mr rows and nv vectors, of which the last has
/// `tailLanes` columns (0 = all). `lda` below 0 means that it is an argument.
struct Variant {
  unsigned mr, nv, tailLanes;
  int64_t lda;
  bool accumulate;
  /// Prefetched in each iteration: rows of memory, lines of each; 0 = none.
  unsigned prefetchRows = 0, prefetchLines = 0;
};

class MicroKernel {
public:
  MicroKernel(const DotPlan &plan, const Variant &variant, Function *function)
      : plan(plan), v(variant), function(function),
        b(BasicBlock::Create(function->getContext(), "entry", function)),
        accVector(
            FixedVectorType::get(plan.accType(b.getContext()), plan.lanes)),
        unitType(b.getIntNTy(plan.kind == DotKind::FmaF64 ? 64 : 32)),
        unitVector(FixedVectorType::get(unitType, plan.lanes)),
        packedVector(FixedVectorType::get(plan.packedType(b.getContext()),
                                          plan.lanes * plan.kGroup)),
        unitBytes(unitType->getIntegerBitWidth() / 8) {}

  void emit();

private:
  using Accumulators = SmallVector<Value *, 32>;

  Value *offset(Value *pointer, Value *bytes) {
    return b.CreateGEP(b.getInt8Ty(), pointer, bytes);
  }
  Value *offset(Value *pointer, int64_t bytes) {
    return offset(pointer, b.getInt64(static_cast<uint64_t>(bytes)));
  }
  Value *accAddress(unsigned row, unsigned column);
  Value *tailMask();
  bool isTail(unsigned column) const {
    return v.tailLanes != 0 && column + 1 == v.nv;
  }
  Accumulators begin();
  void finish(const Accumulators &acc);
  /// acc += A[:, k] * B[k, :] for the k that the pointers stand at.
  void step(Accumulators &acc, unsigned set, Value *a, Value *bPanel,
            unsigned u);
  Value *multiplyAdd(Value *acc, Value *x, Value *y);
  void prefetch(Value *iteration);

  const DotPlan &plan;
  const Variant v;
  Function *function;
  IRBuilder<> b;
  FixedVectorType *accVector;
  IntegerType *unitType;
  FixedVectorType *unitVector;
  FixedVectorType *packedVector;
  const int64_t unitBytes;
  unsigned sets = 1;
  SmallVector<Value *, 16> rowOffsets; ///< bytes, when lda is an argument
};

Value *MicroKernel::multiplyAdd(Value *acc, Value *x, Value *y) {
  x = b.CreateBitCast(x, packedVector);
  y = b.CreateBitCast(y, packedVector);
  switch (plan.kind) {
  case DotKind::PairBF16:
    return b.CreateIntrinsic(Intrinsic::x86_avx512bf16_dpbf16ps_512, {},
                             {acc, x, y});
  case DotKind::PairI16: {
    Intrinsic::ID id =
        plan.isa.vectorBits == 512   ? Intrinsic::x86_avx512_pmaddw_d_512
        : plan.isa.vectorBits == 256 ? Intrinsic::x86_avx2_pmadd_wd
                                     : Intrinsic::x86_sse2_pmadd_wd;
    return b.CreateAdd(acc, b.CreateIntrinsic(id, {}, {x, y}));
  }
  case DotKind::FmaF32:
  case DotKind::FmaF64:
  case DotKind::TileBF16: // of TileKernel.cpp
  case DotKind::TileI8:
    break;
  }
  if (plan.isa.fma) {
    return b.CreateIntrinsic(Intrinsic::fma, {accVector}, {x, y, acc});
  }
  return b.CreateFAdd(b.CreateFMul(x, y), acc);
}

Value *MicroKernel::accAddress(unsigned row, unsigned column) {
  Value *elements = b.CreateMul(function->getArg(4), b.getInt64(row));
  elements = b.CreateAdd(elements, b.getInt64(uint64_t{column} * plan.lanes));
  return b.CreateGEP(accVector->getElementType(), function->getArg(3),
                     elements);
}

Value *MicroKernel::tailMask() {
  SmallVector<Constant *> bits;
  for (unsigned lane = 0; lane < plan.lanes; ++lane) {
    bits.push_back(b.getInt1(lane < v.tailLanes));
  }
  return ConstantVector::get(bits);
}

MicroKernel::Accumulators MicroKernel::begin() {
  Accumulators acc;
  Constant *zero = Constant::getNullValue(accVector);
  const Align align(plan.accType(b.getContext())->getPrimitiveSizeInBits() / 8);
  for (unsigned set = 0; set < sets; ++set) {
    for (unsigned row = 0; row < v.mr; ++row) {
      for (unsigned column = 0; column < v.nv; ++column) {
        if (set != 0 || !v.accumulate) {
          acc.push_back(zero);
        } else if (isTail(column)) {
          acc.push_back(b.CreateMaskedLoad(accVector, accAddress(row, column),
                                           align, tailMask(), zero));
        } else {
          acc.push_back(
              b.CreateAlignedLoad(accVector, accAddress(row, column), align));
        }
      }
    }
  }
  return acc;
}

void MicroKernel::finish(const Accumulators &acc) {
  const Align align(plan.accType(b.getContext())->getPrimitiveSizeInBits() / 8);
  const unsigned block = v.mr * v.nv;
  for (unsigned row = 0; row < v.mr; ++row) {
    for (unsigned column = 0; column < v.nv; ++column) {
      Value *sum = acc[row * v.nv + column];
      for (unsigned set = 1; set < sets; ++set) {
        Value *part = acc[set * block + row * v.nv + column];
        sum = accVector->getElementType()->isIntegerTy()
                  ? b.CreateAdd(sum, part)
                  : b.CreateFAdd(sum, part);
      }
      if (isTail(column)) {
        b.CreateMaskedStore(sum, accAddress(row, column), align, tailMask());
      } else {
        b.CreateAlignedStore(sum, accAddress(row, column), align);
      }
    }
  }
}

void MicroKernel::step(Accumulators &acc, unsigned set, Value *a, Value *bPanel,
                       unsigned u) {
  SmallVector<Value *, 8> columns;
  for (unsigned column = 0; column < v.nv; ++column) {
    int64_t units = int64_t{u} * plan.NR + int64_t{column} * plan.lanes;
    columns.push_back(b.CreateAlignedLoad(
        unitVector, offset(bPanel, units * unitBytes),
        Align(plan.lanes * static_cast<unsigned>(unitBytes))));
  }
  const Align align(plan.packedType(b.getContext())->getPrimitiveSizeInBits() /
                    8);
  for (unsigned row = 0; row < v.mr; ++row) {
    Value *address =
        v.lda >= 0 ? offset(a, (v.lda / plan.kGroup * row + u) * unitBytes)
                   : offset(offset(a, rowOffsets[row]), u * unitBytes);
    Value *element = b.CreateVectorSplat(
        plan.lanes, b.CreateAlignedLoad(unitType, address, align));
    for (unsigned column = 0; column < v.nv; ++column) {
      Value *&sum = acc[(set * v.mr + row) * v.nv + column];
      sum = multiplyAdd(sum, element, columns[column]);
    }
  }
}

void MicroKernel::prefetch(Value *iteration) {
  Value *stride = function->getArg(6);
  for (unsigned row = 0; row < v.prefetchRows; ++row) {
    Value *index = b.CreateAdd(
        b.CreateMul(iteration, b.getInt64(v.prefetchRows)), b.getInt64(row));
    Value *start = offset(function->getArg(5), b.CreateMul(index, stride));
    for (unsigned line = 0; line < v.prefetchLines; ++line) {
      // Read, second-level cache, data.
      b.CreateIntrinsic(Intrinsic::prefetch, {b.getPtrTy()},
                        {offset(start, int64_t{line} * LineBytes),
                         b.getInt32(0), b.getInt32(2), b.getInt32(1)});
    }
  }
}

void MicroKernel::emit() {
  const int64_t groups = plan.paddedK / plan.kGroup;
  const int64_t unroll = unrollOf(plan);
  const int64_t iterations = groups / unroll;
  // The latency of a multiply-add is covered by eight independent ones.
  while (sets < unroll && sets * v.mr * v.nv < 8 && groups >= 2 * sets) {
    sets *= 2;
  }
  if (v.lda < 0) {
    Value *bytes =
        b.CreateMul(function->getArg(1),
                    b.getInt64(static_cast<uint64_t>(unitBytes / plan.kGroup)));
    for (unsigned row = 0; row < v.mr; ++row) {
      rowOffsets.push_back(b.CreateMul(bytes, b.getInt64(row)));
    }
  }
  Value *a = function->getArg(0), *panel = function->getArg(2);
  Accumulators acc = begin();
  if (iterations > 0) {
    BasicBlock *before = b.GetInsertBlock();
    BasicBlock *loop = BasicBlock::Create(b.getContext(), "k", function);
    BasicBlock *exit = BasicBlock::Create(b.getContext(), "k.end", function);
    b.CreateBr(loop);
    b.SetInsertPoint(loop);
    PHINode *iteration = b.CreatePHI(b.getInt64Ty(), 2);
    SmallVector<PHINode *, 32> phis;
    for (Value *&value : acc) {
      PHINode *phi = b.CreatePHI(accVector, 2);
      phi->addIncoming(value, before);
      phis.push_back(phi);
      value = phi;
    }
    Value *aHere = offset(
        a, b.CreateMul(iteration, b.getInt64(uint64_t(unroll * unitBytes))));
    Value *panelHere = offset(
        panel, b.CreateMul(iteration,
                           b.getInt64(uint64_t(unroll * plan.NR * unitBytes))));
    prefetch(iteration);
    for (unsigned u = 0; u < unroll; ++u) {
      step(acc, u % sets, aHere, panelHere, u);
    }
    for (size_t i = 0; i < acc.size(); ++i) {
      phis[i]->addIncoming(acc[i], loop);
    }
    Value *next = b.CreateAdd(iteration, b.getInt64(1), "", true, true);
    iteration->addIncoming(b.getInt64(0), before);
    iteration->addIncoming(next, loop);
    b.CreateCondBr(b.CreateICmpULT(next, b.getInt64(uint64_t(iterations))),
                   loop, exit);
    b.SetInsertPoint(exit);
  }
  Value *aRest = offset(a, iterations * unroll * unitBytes);
  Value *panelRest = offset(panel, iterations * unroll * plan.NR * unitBytes);
  for (unsigned u = 0; u < static_cast<unsigned>(groups % unroll); ++u) {
    step(acc, u % sets, aRest, panelRest, u);
  }
  finish(acc);
  b.CreateRetVoid();
}

Function *microKernel(IRBuilderBase &b, const DotPlan &plan, const Variant &v) {
  Function *caller = b.GetInsertBlock()->getParent();
  SmallString<64> name;
  raw_svector_ostream(name)
      << "tz.dot." << static_cast<int>(plan.kind) << "." << v.mr << "x" << v.nv
      << "." << plan.NR << ".k" << plan.paddedK << ".t" << v.tailLanes << ".a"
      << v.lda << (v.accumulate ? ".add" : ".set");
  if (v.prefetchRows != 0) {
    raw_svector_ostream(name)
        << ".p" << v.prefetchRows << "x" << v.prefetchLines;
  }
  Type *pointer = b.getPtrTy(), *i64 = b.getInt64Ty();
  Function *function = sharedFunction(
      caller, name, {pointer, i64, pointer, pointer, i64, pointer, i64});
  if (!function->empty()) {
    return function;
  }
  for (unsigned pointerArg : {0u, 2u, 3u}) {
    function->addParamAttr(pointerArg, Attribute::NoAlias);
  }
  MicroKernel(plan, v, function).emit();
  return function;
}

/// A tile that is expected next: runs of memory.
struct DotPrefetch {
  Value *base, *rowStrideBytes;
  int64_t rows, rowBytes;
};

/// Spreads prefetches over the calls of one emitDot: each call takes rows of
/// one source, the first calls those of the first source.
class PrefetchSchedule {
public:
  PrefetchSchedule(const DotPlan &plan, SmallVector<DotPrefetch, 2> next,
                   int64_t calls)
      : sources(std::move(next)),
        iterations(plan.paddedK / plan.kGroup / unrollOf(plan)) {
    auto needed = [&](int64_t rowsPerIteration) {
      int64_t sum = 0;
      for (const DotPrefetch &source : sources) {
        sum += callsFor(source, rowsPerIteration);
      }
      return sum;
    };
    if (iterations > 0 && !sources.empty()) {
      while (rows < 8 && needed(rows) > calls) {
        ++rows;
      }
    }
  }

  int64_t callsFor(const DotPrefetch &source, int64_t rowsPerIteration) const {
    return (source.rows + iterations * rowsPerIteration - 1) /
           (iterations * rowsPerIteration);
  }
  unsigned linesOf(const DotPrefetch &source) const {
    auto lines =
        static_cast<unsigned>((source.rowBytes + LineBytes - 1) / LineBytes);
    return std::min(lines,
                    std::max(1u, MostLinesPerIteration / unsigned(rows)));
  }
  bool active() const { return iterations > 0 && !sources.empty(); }

  const SmallVector<DotPrefetch, 2> sources;
  const int64_t iterations;
  int64_t rows = 1; ///< in an iteration
};

/// Everything that stays the same over the blocks of one emitDot.
class Driver {
public:
  Driver(IRBuilderBase &b, const DotPlan &plan, Value *packedA, Value *lda,
         Value *packedB, Value *acc, Value *ldAcc, bool accumulate)
      : b(b), plan(plan), packedA(packedA), lda(lda), packedB(packedB),
        acc(acc), ldAcc(ldAcc), accumulate(accumulate),
        blocksOfPanel((plan.M + plan.MR - 1) / plan.MR),
        schedule(plan, expected(b, plan, packedA, packedB),
                 blocksOfPanel * ((plan.N + plan.NR - 1) / plan.NR)) {
    auto *known = dyn_cast<ConstantInt>(lda);
    ldaOrArgument = known ? known->getSExtValue() : -1;
    elementBytes =
        plan.packedType(b.getContext())->getPrimitiveSizeInBits() / 8;
  }

  void emit();

private:
  static SmallVector<DotPrefetch, 2>
  expected(IRBuilderBase &b, const DotPlan &plan, Value *a, Value *bPacked);
  Value *constant(int64_t value) {
    return b.getInt64(static_cast<uint64_t>(value));
  }
  void panel(Value *j, unsigned vectors, unsigned tail);
  void block(Value *j, Value *row, Value *panelAddress, unsigned mr,
             unsigned vectors, unsigned tail);
  void call(Variant variant, ArrayRef<Value *> args, Value *callIndex,
            ArrayRef<DotPrefetch> sources);

  IRBuilderBase &b;
  const DotPlan &plan;
  Value *packedA, *lda, *packedB, *acc, *ldAcc;
  const bool accumulate;
  const int64_t blocksOfPanel;
  const PrefetchSchedule schedule;
  int64_t ldaOrArgument = -1;
  int64_t elementBytes = 0;
};

/// What the notes behind the operands say; a direct A has none.
SmallVector<DotPrefetch, 2> Driver::expected(IRBuilderBase &b,
                                             const DotPlan &plan, Value *a,
                                             Value *bPacked) {
  SmallVector<DotPrefetch, 2> list;
  auto look = [&](const DotOrigin &origin, Value *packed, uint64_t bytes) {
    if (origin.packed != packed) {
      return;
    }
    Value *base = b.CreateLoad(
        b.getPtrTy(), originAddress(b, packed, bytes, OriginWord::Next));
    Value *stride = b.CreateLoad(
        b.getInt64Ty(), originAddress(b, packed, bytes, OriginWord::RowStride));
    list.push_back({base, stride, origin.rows, origin.rowBytes});
  };
  look(plan.originA, a, plan.packedABytes);
  look(plan.originB, bPacked, plan.packedBBytes);
  return list;
}

/// Calls the variant that prefetches from the source whose turn it is.
void Driver::call(Variant variant, ArrayRef<Value *> args, Value *callIndex,
                  ArrayRef<DotPrefetch> sources) {
  SmallVector<Value *, 8> all(args);
  if (sources.empty()) {
    all.push_back(ConstantPointerNull::get(b.getPtrTy()));
    all.push_back(constant(0));
    b.CreateCall(microKernel(b, plan, variant), all);
    return;
  }
  const DotPrefetch &source = sources.front();
  Function *function = b.GetInsertBlock()->getParent();
  auto newBlock = [&](const char *name) {
    return BasicBlock::Create(b.getContext(), name, function);
  };
  BasicBlock *here = newBlock("dot.prefetch"), *other = newBlock("dot.other"),
             *done = newBlock("dot.done");
  const int64_t calls = schedule.callsFor(source, schedule.rows);
  b.CreateCondBr(b.CreateICmpSLT(callIndex, constant(calls)), here, other);
  b.SetInsertPoint(here);
  Value *firstRow =
      b.CreateMul(callIndex, constant(schedule.iterations * schedule.rows));
  all.push_back(b.CreateGEP(b.getInt8Ty(), source.base,
                            b.CreateMul(firstRow, source.rowStrideBytes)));
  all.push_back(source.rowStrideBytes);
  Variant prefetching = variant;
  prefetching.prefetchRows = static_cast<unsigned>(schedule.rows);
  prefetching.prefetchLines = schedule.linesOf(source);
  b.CreateCall(microKernel(b, plan, prefetching), all);
  b.CreateBr(done);
  b.SetInsertPoint(other);
  call(variant, args, b.CreateSub(callIndex, constant(calls)),
       sources.drop_front());
  b.CreateBr(done);
  b.SetInsertPoint(done);
}

void Driver::block(Value *j, Value *row, Value *panelAddress, unsigned mr,
                   unsigned vectors, unsigned tail) {
  Value *column = b.CreateMul(j, constant(plan.NR));
  Value *a =
      b.CreateGEP(b.getInt8Ty(), packedA,
                  b.CreateMul(b.CreateMul(row, lda), constant(elementBytes)));
  Value *c = b.CreateGEP(plan.accType(b.getContext()), acc,
                         b.CreateAdd(b.CreateMul(row, ldAcc), column));
  Value *index = b.CreateAdd(b.CreateMul(j, constant(blocksOfPanel)),
                             b.CreateUDiv(row, constant(plan.MR)));
  call({mr, vectors, tail, ldaOrArgument, accumulate},
       {a, lda, panelAddress, c, ldAcc}, index,
       schedule.active() ? ArrayRef<DotPrefetch>(schedule.sources)
                         : ArrayRef<DotPrefetch>());
}

void Driver::panel(Value *j, unsigned vectors, unsigned tail) {
  const int64_t panelBytes = plan.paddedK * plan.NR * elementBytes;
  Value *address =
      b.CreateGEP(b.getInt8Ty(), packedB, b.CreateMul(j, constant(panelBytes)));
  const int64_t full = plan.M / plan.MR * plan.MR;
  emitFor(b, constant(0), constant(full), plan.MR,
          [&](Value *row) { block(j, row, address, plan.MR, vectors, tail); });
  if (full != plan.M) {
    block(j, constant(full), address, static_cast<unsigned>(plan.M - full),
          vectors, tail);
  }
}

void Driver::emit() {
  // A panel of B stays in the first-level cache while all rows pass by.
  const int64_t fullPanels = plan.N / plan.NR;
  emitFor(b, constant(0), constant(fullPanels), 1,
          [&](Value *j) { panel(j, plan.NR / plan.lanes, 0); });
  const int64_t rest = plan.N - fullPanels * plan.NR;
  if (rest > 0) {
    panel(constant(fullPanels),
          static_cast<unsigned>((rest + plan.lanes - 1) / plan.lanes),
          static_cast<unsigned>(plan.N % plan.lanes));
  }
}

} // namespace

void emitDot(IRBuilderBase &b, const DotPlan &plan, Value *packedA, Value *lda,
             Value *packedB, Value *acc, Value *ldAcc, bool accumulate) {
  if (plan.tiles()) {
    emitTileDot(b, plan, packedA, lda, packedB, acc, ldAcc, accumulate);
    return;
  }
  Driver(b, plan, packedA, lda, packedB, acc, ldAcc, accumulate).emit();
}

} // namespace tz::cpu
