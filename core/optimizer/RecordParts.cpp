//===- RecordParts.cpp - tile-record-parts --------------------------------===//
//
// What   Puts records around loops and operations, where the kernel asks for
//        some in `tile.records`, and tells the end of each part what the part
//        computes.
// Why    A target may compute a value where it is first needed, which is often
//        behind the part that its author measures.
// Example (test/optimizer/record-parts.mlir)
//   before
//     %lane = tile.range 0 to 64 : tensor<64xi32>
//     %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
//     %from = tile.addptr %xs, %lane : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
//     %v = tile.load %from : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
//     %w = arith.mulf %v, %v : tensor<64xf32>
//     %ys = tile.splat %y : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
//     %to = tile.addptr %ys, %lane : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
//     tile.store %to, %w : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
//   after
//     %0 = tile.range 0 to 64 : tensor<64xi32>
//     %1 = tile.splat %arg0 : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
//     %2 = tile.addptr %1, %0 : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
//     tile.record "load@24"
//     %3 = tile.load %2 : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
//     tile.record "load@24" end(%3 : tensor<64xf32>)
//     %4 = arith.mulf %3, %3 : tensor<64xf32>
//     %5 = tile.splat %arg1 : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
//     %6 = tile.addptr %5, %0 : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
//     tile.record "store@28"
//     tile.store %6, %4 : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
//     tile.record "store@28" end
// Needs  IR as the frontend made it: parts are the author's, with their lines.
// Keeps  what the kernel computes.
//===----------------------------------------------------------------------===//
#include "core/optimizer/Passes.h"
#include "core/optimizer/SanitizerChecks.h"

#include "terrazzo/optimizer/TilePipeline.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tz;
using tile::RecordOp;

namespace tz::optimizer {
#define GEN_PASS_DEF_RECORDPARTS
#include "core/optimizer/Passes.h.inc"
} // namespace tz::optimizer

/// What an operation's part is called; empty: none of its own.
static StringRef partOfOperation(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case<tile::LoadOp, tile::LoadViewOp>([](auto) { return "load"; })
      .Case<tile::StoreOp, tile::StoreViewOp>([](auto) { return "store"; })
      .Case<tile::AtomicRMWOp, tile::AtomicCASOp>([](auto) { return "atomic"; })
      .Case<tile::DotOp>([](auto) { return "dot"; })
      .Case<tile::ReduceOp>([](auto) { return "reduce"; })
      .Case<tile::ScanOp>([](auto) { return "scan"; })
      .Default([](auto) { return ""; });
}

static bool isInCombineRegion(Operation *op) {
  return op->getParentOfType<tile::ReduceOp>() ||
         op->getParentOfType<tile::ScanOp>() ||
         op->getParentOfType<tile::MapOp>();
}

/// "load@12"
static std::string partName(StringRef what, Location loc) {
  SmallVector<StringRef, 3> place;
  const std::string text = optimizer::placeText(loc);
  StringRef(text).rsplit(':').first.split(place, ':');
  return (what + "@" + (place.size() > 1 ? place.back() : StringRef("?")))
      .str();
}

static void surround(Operation *op, StringRef what) {
  OpBuilder b(op);
  const std::string name = partName(what, op->getLoc());
  RecordOp::create(b, op->getLoc(), name, /*end=*/false, ValueRange());
  b.setInsertionPointAfter(op);
  RecordOp::create(b, op->getLoc(), name, /*end=*/true, ValueRange());
}

/// Is it worth being computed now? Offsets, masks and pointers are parts of
/// accesses, which targets make without them.
static bool isWork(Value value) {
  if (!isa<RankedTensorType, FloatType, IntegerType>(value.getType()) ||
      matchPattern(value, m_Constant())) {
    return false;
  }
  Type element = tile::elementType(value.getType());
  if (isa<tile::PtrType>(element)) {
    return false;
  }
  Operation *op = value.getDefiningOp();
  return isa<FloatType>(element) || !partOfOperation(op).empty() ||
         op->getNumRegions() > 0;
}

/// The beginning of the part that ends here, in the same block; null: the part
/// began elsewhere.
static RecordOp beginningOf(RecordOp end) {
  unsigned open = 0;
  for (Operation *op = end->getPrevNode(); op; op = op->getPrevNode()) {
    auto other = dyn_cast<RecordOp>(op);
    if (!other || other.getPart() != end.getPart()) {
      continue;
    }
    if (other.getEnd()) {
      ++open;
    } else if (open == 0) {
      return other;
    } else {
      --open;
    }
  }
  return {};
}

static void tellWhatIsDone(RecordOp end) {
  RecordOp begin = beginningOf(end);
  if (!begin || !end.getDone().empty()) {
    return;
  }
  SmallVector<Value> done;
  for (Operation *op = begin->getNextNode(); op != end;
       op = op->getNextNode()) {
    for (Value result : op->getResults()) {
      const bool isUsedLater =
          llvm::any_of(result.getUsers(), [&](Operation *user) {
            Operation *here = end->getBlock()->findAncestorOpInBlock(*user);
            return !here || end->isBeforeInBlock(here);
          });
      if (isUsedLater && isWork(result)) {
        done.push_back(result);
      }
    }
  }
  end.getDoneMutable().assign(done);
}

unsigned tz::optimizer::recordParts(Operation *op) {
  auto kernel = cast<tile::KernelOp>(op);
  auto asks = [&, names = kernel->getAttrOfType<ArrayAttr>("tile.records")](
                  StringRef name) {
    return names &&
           llvm::is_contained(names.getAsValueRange<StringAttr>(), name);
  };
  const bool loops = asks("loops"), dots = asks("dots"),
             operations = asks("operations");
  kernel->removeAttr("tile.records");
  SmallVector<std::pair<Operation *, StringRef>> found;
  kernel.walk([&](Operation *inner) {
    if (loops && isa<scf::ForOp, scf::WhileOp>(inner)) {
      found.emplace_back(inner, isa<scf::ForOp>(inner) ? "for" : "while");
    } else if (StringRef what = partOfOperation(inner);
               (operations || (dots && isa<tile::DotOp>(inner))) &&
               !what.empty() && !isInCombineRegion(inner)) {
      found.emplace_back(inner, what);
    }
  });
  for (auto [inner, what] : found) {
    surround(inner, what);
  }
  unsigned parts = 0;
  kernel.walk([&](RecordOp record) {
    if (record.getEnd()) {
      ++parts;
      tellWhatIsDone(record);
    }
  });
  return parts;
}

namespace {

struct RecordParts : tz::optimizer::impl::RecordPartsBase<RecordParts> {
  void runOnOperation() override {
    const bool isAsked = getOperation()->hasAttr("tile.records");
    const unsigned made = optimizer::recordParts(getOperation());
    parts += made;
    if (!isAsked && made == 0) {
      markAllAnalysesPreserved();
    }
  }
};

} // namespace
