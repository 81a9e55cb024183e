//===- AssignLayouts.cpp - simt-assign-layouts ----------------------------===//
//
// What   Puts a #simt.layout on the type of every tile, and simt.convert where
//        a value is wanted in two layouts.
// Why    All later questions (which address, which shuffle, which instruction)
//        are answered from the layouts; here they are chosen.
// Example (test/simt/assign-layouts.mlir)
//   before
//     %zero = arith.constant 0 : i64
//     %one = arith.constant 1 : i64
//     %view = tile.make_view %x shape[%n] strides[%one] : <f32> -> <1024xf32>
//     %a = tile.load_view %view[%zero] checked [true] : <1024xf32> -> tensor<1024xf32>
//     %b = arith.addf %a, %a : tensor<1024xf32>
//     tile.store_view %view[%zero], %b checked [true] : <1024xf32>, tensor<1024xf32>
//   after
//     %c0_i64 = arith.constant 0 : i64
//     %c1_i64 = arith.constant 1 : i64
//     %0 = tile.make_view %arg0 shape[%arg1] strides[%c1_i64] : <f32> -> <1024xf32>
//     %1 = tile.load_view %0[%c0_i64] checked [true] : <1024xf32> -> tensor<1024xf32, #layout>
//     %2 = arith.addf %1, %1 : tensor<1024xf32, #layout>
//     tile.store_view %0[%c0_i64], %2 checked [true] : <1024xf32>, tensor<1024xf32, #layout>
// How    What accesses and dots ask for: analysis/Anchors.h. What follows from
//        it for all other tiles: analysis/Spreading.h. Here: types and converts.
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/Spreading.h"
#include "core/simt/layout/Operations.h"
#include "core/simt/passes/Passes.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

namespace tz::simt {
#define GEN_PASS_DEF_ASSIGNLAYOUTS
#include "core/simt/passes/Passes.h.inc"
} // namespace tz::simt

namespace {

/// Gives each tile the type with its layout.
class Assigner {
public:
  Assigner(tile::KernelOp kernel, const SimtTarget &target, unsigned warps)
      : target(target), warps(warps), anchors(kernel, target, warps),
        layouts(kernel, anchors) {}

  void apply(Block &block);

  bool hasFailed() const { return anchors.hasFailed(); }
  uint64_t dots() const { return anchors.dots().size(); }
  uint64_t accesses() const { return anchors.accesses().size(); }
  uint64_t conversions = 0;

private:
  void applyTo(Operation *op);
  void applyAll(Operation *op, const Layout &layout);
  void applyByKind(Operation *op);
  void applyToElementwise(Operation *op);
  void applyToFor(scf::ForOp loop);
  void applyToWhile(scf::WhileOp loop);
  void applyToYield(Operation *op);
  void want(Operation *op, unsigned operand, const Layout &layout);
  void wantAll(Operation *op, const Layout &layout);
  void applyToDot(tile::DotOp dot);
  Value wanted(OpBuilder &builder, Value value, const Layout &layout);
  void settle(Operation *op, Value result, const Layout &natural);

  const SimtTarget &target;
  const unsigned warps;
  const Anchors anchors;
  const Spreading layouts;
};

Value Assigner::wanted(OpBuilder &builder, Value value, const Layout &layout) {
  if (!isTile(value) || layoutOf(value) == layout) {
    return value;
  }
  ++conversions;
  auto type = cast<RankedTensorType>(value.getType());
  return ConvertOp::create(builder, value.getLoc(), withLayout(type, layout),
                           value);
}

/// The result has the layout that the op gives; its users see the chosen one.
void Assigner::settle(Operation *op, Value result, const Layout &natural) {
  auto type = cast<RankedTensorType>(result.getType());
  result.setType(withLayout(type, natural));
  const Layout &users = layouts.of(result);
  if (users != natural) {
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    Value moved = wanted(builder, result, users);
    result.replaceAllUsesExcept(moved, moved.getDefiningOp());
  }
}

void Assigner::applyToDot(tile::DotOp dot) {
  const DotChoice &choice = anchors.dots().find(dot)->second;
  OpBuilder builder(dot);
  auto place = [&](OpOperand &use, const DotOperand &where) -> Value {
    Value operand = use.get();
    // What does not change in a loop is placed once, before it.
    Operation *before = dot;
    while (auto loop = dyn_cast<scf::ForOp>(before->getParentOp())) {
      if (loop->isAncestor(operand.getParentBlock()->getParentOp())) {
        break;
      }
      before = loop;
    }
    OpBuilder builder(before);
    if (auto *registers = std::get_if<Layout>(&where)) {
      return wanted(builder, operand, *registers);
    }
    const Transposition *transposition = anchors.transposition(use);
    if (transposition && layoutOf(operand) == transposition->read) {
      operand = wanted(builder, operand, transposition->written);
    }
    auto type = BufferType::get(dot.getContext(), shapeOf(operand),
                                tile::elementType(operand.getType()),
                                std::get<SharedAttr>(where));
    return StageOp::create(builder, dot.getLoc(), type, operand);
  };
  Value a = place(dot.getAMutable(), choice.a),
        b = place(dot.getBMutable(), choice.b);
  Value acc = wanted(builder, dot.getAcc(), choice.acc);
  auto made = DotOp::create(builder, dot.getLoc(), acc.getType(), a, b, acc,
                            choice.instruction.empty()
                                ? StringAttr()
                                : builder.getStringAttr(choice.instruction),
                            dot.getPrecision(), dot.getMaxImprecise());
  // Users see the chosen layout.
  Value result = wanted(builder, made.getResult(), layouts.of(dot.getResult()));
  dot.getResult().replaceAllUsesWith(result);
  dot.erase();
}

/// The layout that the op's operand is to have.
void Assigner::want(Operation *op, unsigned operand, const Layout &layout) {
  OpBuilder builder(op);
  op->setOperand(operand, wanted(builder, op->getOperand(operand), layout));
}

void Assigner::wantAll(Operation *op, const Layout &layout) {
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    want(op, i, layout);
  }
}

/// Operands and results in one layout.
void Assigner::applyAll(Operation *op, const Layout &layout) {
  wantAll(op, layout);
  for (Value result : op->getResults()) {
    settle(op, result, layout);
  }
}

void Assigner::applyToElementwise(Operation *op) {
  auto isOfTile = [](Value value) { return isTile(value); };
  auto result = llvm::find_if(op->getResults(), isOfTile);
  auto operand = llvm::find_if(op->getOperands(), isOfTile);
  if (result != op->getResults().end()) {
    applyAll(op, Layout(layouts.of(*result)));
  } else if (operand != op->getOperands().end()) {
    applyAll(op, Layout(layoutOf(*operand)));
  }
}

void Assigner::applyToFor(scf::ForOp loop) {
  for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i) {
    Value argument = loop.getRegionIterArg(i);
    if (isTile(argument)) {
      unsigned operand = loop.getNumControlOperands() + i;
      want(loop, operand, layouts.of(argument));
      argument.setType(loop->getOperand(operand).getType());
      settle(loop, loop.getResult(i), layouts.of(argument));
    }
  }
}

void Assigner::applyToWhile(scf::WhileOp loop) {
  for (auto [i, argument] : llvm::enumerate(loop.getBeforeArguments())) {
    if (isTile(argument)) {
      want(loop, i, layouts.of(argument));
      argument.setType(loop->getOperand(i).getType());
    }
  }
  for (auto [i, argument] : llvm::enumerate(loop.getAfterArguments())) {
    if (isTile(argument)) {
      const Layout &layout = layouts.of(argument);
      argument.setType(
          withLayout(cast<RankedTensorType>(argument.getType()), layout));
      settle(loop, loop.getResult(i), layout);
    }
  }
}

/// What ends a block has the layouts of what it is passed to.
void Assigner::applyToYield(Operation *op) {
  Operation *parent = op->getParentOp();
  unsigned skip = isa<scf::ConditionOp>(op) ? 1 : 0;
  for (unsigned i = skip; i < op->getNumOperands(); ++i) {
    if (!isTile(op->getOperand(i))) {
      continue;
    }
    Value target;
    if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      target = loop.getRegionIterArg(i);
    } else if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
      target = skip ? Value(loop.getAfterArguments()[i - skip])
                    : Value(loop.getBeforeArguments()[i]);
    } else {
      target = parent->getResult(i);
    }
    want(op, i, layouts.of(target));
  }
}

void Assigner::applyTo(Operation *op) {
  if (auto dot = dyn_cast<tile::DotOp>(op)) {
    applyToDot(dot);
  } else if (const auto *access = anchors.accesses().find(op);
             access != anchors.accesses().end()) {
    applyAll(op, access->second);
  } else if (isElementwise(op) || isa<tile::AssertOp>(op)) {
    applyToElementwise(op);
  } else {
    applyByKind(op);
  }
}

/// A tile of which an exchange would take much of the shared memory is scanned
/// as it lies: in a few stretches of all lanes, of all warps or of one.
static bool isScannedInPlace(tile::ScanOp scan, unsigned lanes) {
  constexpr int64_t large = 32 << 10; // bytes
  constexpr int64_t mostStretches = 16;
  int64_t bytes = 0;
  const Layout &layout = layoutOf(scan.getSources().front());
  for (Value source : scan.getSources()) {
    auto type = cast<RankedTensorType>(source.getType());
    bytes += type.getNumElements() * tile::storageBytes(type.getElementType());
    if (layoutOf(source) != layout) {
      return false;
    }
  }
  const unsigned axis = scan.getAxis();
  const std::optional<int64_t> stretch = scanStretch(layout, axis);
  const auto along = [&](Axis where) {
    return llvm::count_if(layout.bases(where), [&](const Coordinates &basis) {
      return basis[axis] != 0;
    });
  };
  const int64_t warps = along(Axis::Warp);
  return bytes >= large && layout.isLinear() && stretch &&
         layout.shape()[axis] / *stretch <= mostStretches &&
         int64_t(1) << along(Axis::Lane) == int64_t(lanes) &&
         (warps == 0 || warps == int64_t(layout.bases(Axis::Warp).size()));
}

void Assigner::applyByKind(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case<arith::ConstantOp>([&](auto constant) {
        if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue())) {
          auto type = withLayout(cast<RankedTensorType>(dense.getType()),
                                 layouts.of(constant));
          constant.getResult().setType(type);
          constant.setValueAttr(dense.isSplat() ? dense.resizeSplat(type)
                                                : dense.reshape(type));
        }
      })
      .Case<tile::BroadcastOp>([&](auto broadcast) {
        const Layout &layout = layouts.of(broadcast.getResult());
        want(op, 0, layout.beforeBroadcast(shapeOf(broadcast.getSource())));
        settle(op, broadcast.getResult(), layout);
      })
      .Case<tile::ReshapeOp>([&](auto reshape) {
        const Layout &layout = layouts.of(reshape.getResult());
        std::optional<Layout> source =
            layout.reshaped(shapeOf(reshape.getSource()));
        if (!source) {
          source = layoutOf(reshape.getSource());
          std::optional<Layout> natural =
              source->reshaped(shapeOf(reshape.getResult()));
          settle(op, reshape.getResult(), natural ? *natural : layout);
          return;
        }
        want(op, 0, *source);
        settle(op, reshape.getResult(), layout);
      })
      .Case<tile::TransposeOp>([&](auto transpose) {
        const Layout &layout = layouts.of(transpose.getResult());
        want(op, 0, layout.permuted(inverse(transpose.getOrder())));
        settle(op, transpose.getResult(), layout);
      })
      .Case<tile::ReduceOp>([&](auto reduce) {
        Layout layout = layoutOf(reduce.getSources().front());
        wantAll(op, layout);
        for (Value result : reduce.getResults()) {
          if (isTile(result)) {
            settle(op, result, layout.withoutDim(reduce.getAxis()));
          }
        }
      })
      .Case<tile::ScanOp>([&](auto scan) {
        Value source = scan.getSources().front();
        const int64_t vector =
            target.vectorBytes() /
            tile::storageBytes(tile::elementType(source.getType()));
        Layout layout = isScannedInPlace(scan, target.lanes())
                            ? layoutOf(source)
                            : scanLayout(shapeOf(source), scan.getAxis(),
                                         vector, target.lanes(), warps);
        wantAll(op, layout);
        for (Value result : op->getResults()) {
          settle(op, result, layout);
        }
      })
      .Case<tile::GatherOp>([&](auto gather) {
        // Each thread asks for its own.
        want(op, 1, layouts.of(gather.getResult()));
        settle(op, gather.getResult(), layouts.of(gather.getResult()));
      })
      .Case<BlockSumOp>(
          [&](auto sum) { applyAll(op, Layout(layoutOf(sum.getSource()))); })
      .Case<tile::HistogramOp>([&](auto histogram) {
        wantAll(op, layoutOf(histogram.getSource()));
        settle(op, histogram.getResult(), layouts.of(histogram.getResult()));
      })
      .Case<tile::JoinOp>([&](auto join) {
        Layout half(0);
        if (isTile(join.getLhs())) {
          half = layoutOf(join.getLhs());
        } else { // scalars, which every thread has
          for (unsigned count = 1; count < target.lanes(); count *= 2) {
            half.addBit(Axis::Lane, {});
          }
          half.repeat(Axis::Warp, std::nullopt, warps);
        }
        wantAll(op, half);
        settle(op, join.getResult(), joined(half));
      })
      .Case<tile::SplitOp>([&](auto split) {
        // Both halves in one thread: the last dimension in registers.
        Layout half = layoutOf(split.getSource())
                          .withoutDim(shapeOf(split.getSource()).size() - 1);
        want(op, 0, joined(half));
        for (Value result : op->getResults()) {
          if (isTile(result)) {
            settle(op, result, half);
          }
        }
      })
      .Case<scf::ForOp>([&](auto loop) { applyToFor(loop); })
      .Case<scf::WhileOp>([&](auto loop) { applyToWhile(loop); })
      .Case<scf::YieldOp, scf::ConditionOp>([&](auto) { applyToYield(op); })
      .Default([&](Operation *) {
        // Results without a relation to operands; branches among them.
        for (Value result : op->getResults()) {
          if (isTile(result)) {
            settle(op, result, layouts.of(result));
          }
        }
      });
}

void Assigner::apply(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (isa<ConvertOp, StageOp, DotOp>(op)) {
      continue;
    }
    const bool hasBlocks = isa<scf::ForOp, scf::WhileOp, scf::IfOp>(op);
    applyTo(&op); // erases a dot
    if (hasBlocks) {
      for (Region &region : op.getRegions()) {
        for (Block &inner : region) {
          apply(inner);
        }
      }
    }
  }
}

struct AssignLayouts : tz::simt::impl::AssignLayoutsBase<AssignLayouts> {
  explicit AssignLayouts(const SimtTarget *target) : target(target) {}
  AssignLayouts() = default;
  AssignLayouts(const AssignLayouts &other)
      : AssignLayoutsBase(other), target(other.target) {}

  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    unsigned warps = 4;
    if (auto hint = kernel->getAttrOfType<IntegerAttr>("tile.num_warps")) {
      warps = unsigned(hint.getInt());
    }
    const SimtTarget plain;
    const SimtTarget &machine = target ? *target : plain;
    const unsigned most = machine.mostThreads() / machine.lanes();
    if (!llvm::isPowerOf2_32(warps) || warps > most) {
      InFlightDiagnostic error = kernel.emitError("num_warps is ");
      error << warps << "; a block has ";
      for (unsigned count = 1; count < most; count *= 2) {
        error << count << (count * 2 < most ? ", " : " or ");
      }
      error << most << (most == 1 ? " warp" : " warps");
      signalPassFailure();
      return;
    }
    Assigner assigner(kernel, machine, warps);
    if (assigner.hasFailed()) {
      signalPassFailure();
      return;
    }
    assigner.apply(kernel.getBody().front());
    dots += assigner.dots();
    accesses += assigner.accesses();
    conversions += assigner.conversions;
  }

  const SimtTarget *target = nullptr;
};

} // namespace

std::unique_ptr<Pass> tz::simt::createAssignLayouts(const SimtTarget *target) {
  return std::make_unique<AssignLayouts>(target);
}
