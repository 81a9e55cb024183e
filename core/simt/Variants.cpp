//===- Variants.cpp - a kernel with and without bulk copies ---------------===//
//
// What   See Variants.h.
// Why    See Variants.h.
//===----------------------------------------------------------------------===//
#include "terrazzo/simt/Variants.h"

#include "core/simt/CheckTarget.h"
#include "core/simt/NearVariant.h"
#include "core/simt/SplitLoop.h"
#include "core/simt/analysis/CheckedForm.h"

#include "terrazzo/plugin/KernelInfo.h"
#include "terrazzo/simt/SimtLowering.h"
#include "terrazzo/simt/SimtPipeline.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Pass/PassManager.h"

using namespace tz;
using namespace tz::simt;
using tz::plugin::Expr;

/// Bytes of a descriptor where only its expressions are looked at.
static constexpr unsigned OfTrial = 16;

static void prepare(tile::KernelOp kernel, const SimtTarget &target,
                    Form form) {
  if (form.clusterBlocks > 1) {
    kernel->setAttr(ClusterName, mlir::Builder(kernel).getI64IntegerAttr(
                                     form.clusterBlocks));
  }
  mlir::PassManager passes(kernel->getContext(),
                           tile::KernelOp::getOperationName());
  Pipeline(target, form).moveTo(passes);
  // The first error of a pass is what the kernel's author is told.
  mlir::Location place = kernel.getLoc();
  std::string said;
  mlir::ScopedDiagnosticHandler handler(
      kernel->getContext(), [&](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error) {
          return mlir::failure(); // remarks are for others
        }
        if (said.empty()) {
          place = diagnostic.getLocation();
          said = diagnostic.str();
        }
        return mlir::success();
      });
  if (failed(passes.run(kernel))) {
    if (llvm::StringRef(said).starts_with(AnswerPrefix)) {
      throw BadTarget(said);
    }
    throw Unsupported(place,
                      said.empty() ? "layouts could not be assigned" : said);
  }
}

/// A copy of the kernel in this form.
static tile::KernelOp prepareCopy(tile::KernelOp kernel,
                                  const SimtTarget &target, Form form,
                                  llvm::StringRef suffix) {
  mlir::OpBuilder builder(kernel);
  auto copy = mlir::cast<tile::KernelOp>(builder.clone(*kernel));
  copy.setSymName((kernel.getSymName() + suffix).str());
  prepare(copy, target, form);
  return copy;
}

static llvm::SmallVector<DescriptorOp> descriptorsOf(tile::KernelOp kernel) {
  llvm::SmallVector<DescriptorOp> descriptors;
  kernel.walk([&](DescriptorOp one) { descriptors.push_back(one); });
  return descriptors;
}

/// Blocks of a cluster, which share copies. None: there is nothing to share.
static tile::KernelOp makeCluster(tile::KernelOp kernel,
                                  const SimtTarget &target,
                                  const FrameLimits &limits) {
  const unsigned blocks = target.clusterBlocks();
  if (blocks == 1) {
    return nullptr;
  }
  tile::KernelOp copy =
      prepareCopy(kernel, target, {false, true, blocks}, "_cluster");
  tz::plugin::KernelDescription trial;
  const bool shares = copy.walk([](BulkCopyOp op) {
                            return op.getShared()
                                       ? mlir::WalkResult::interrupt()
                                       : mlir::WalkResult::advance();
                          })
                          .wasInterrupted();
  if (shares &&
      appendDescriptors(trial, descriptorsOf(copy), OfTrial, limits) &&
      appendCluster(trial, blocks, limits)) {
    return copy;
  }
  copy.erase();
  return nullptr;
}

/// A copy of the kernel several of whose blocks share a program, with bulk
/// copies where they can be: for launches of few programs with long loops.
static std::optional<Variant> makeSplit(tile::KernelOp kernel,
                                        const SimtTarget &inBulk,
                                        const SimtTarget &plain,
                                        const FrameLimits &limits) {
  const unsigned blocks = inBulk.splitBlocks();
  llvm::StringRef why;
  if (blocks == 1) {
    return std::nullopt;
  }
  const SplitPlan plan = planSplit(kernel, why);
  if (plan.loops.empty()) {
    return std::nullopt;
  }
  std::optional<Expr> guard = splitCondition(plan, blocks);
  if (!guard) {
    return std::nullopt;
  }
  for (const SimtTarget *target : {&inBulk, &plain}) {
    tile::KernelOp copy = prepareCopy(
        kernel, *target, {false, target == &inBulk, 1, blocks}, "_split");
    tz::plugin::KernelDescription trial;
    trial.guard = *guard;
    if (appendDescriptors(trial, descriptorsOf(copy), OfTrial, limits)) {
      return Variant{copy, std::move(*guard), {}, /*isRare=*/true};
    }
    copy.erase();
  }
  return std::nullopt;
}

static bool hasLoop(mlir::Region &region) {
  return region
      .walk([](mlir::LoopLikeOpInterface) {
        return mlir::WalkResult::interrupt();
      })
      .wasInterrupted();
}

static bool isChecked(mlir::scf::IfOp branch) {
  return isCheckedForm(*branch.elseBlock(), *branch.thenBlock(),
                       [](mlir::Operation *) { return true; });
}

/// Variants number their prints in the same order.
static bool logs(tile::KernelOp kernel) {
  return kernel
      .walk([](mlir::Operation *op) {
        return tz::plugin::isLogPoint(op) ? mlir::WalkResult::interrupt()
                                          : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// The first branch of the kernel that the host can choose for all programs, if
/// there are loops on both sides. Shorter ones are not worth a variant.
static mlir::scf::IfOp findLaunchBranch(tile::KernelOp kernel,
                                        Expr &condition) {
  if (logs(kernel)) {
    return {};
  }
  const analysis::Hints hints(kernel);
  for (auto branch : kernel.getBody().front().getOps<mlir::scf::IfOp>()) {
    if (!hasLoop(branch.getThenRegion()) || !hasLoop(branch.getElseRegion())) {
      continue;
    }
    // Where programs differ, the other side must do for all of them.
    if (auto found =
            launchCondition(branch.getCondition(), hints, isChecked(branch))) {
      condition = std::move(*found);
      return branch;
    }
  }
  return {};
}

/// The branch becomes what stands in one of its regions.
static void choose(mlir::scf::IfOp branch, bool thenRegion) {
  mlir::Block &taken = thenRegion ? *branch.thenBlock() : *branch.elseBlock();
  mlir::Operation *yield = taken.getTerminator();
  branch.replaceAllUsesWith(yield->getOperands());
  yield->erase();
  branch->getBlock()->getOperations().splice(branch->getIterator(),
                                             taken.getOperations());
  branch.erase();
}

/// A copy that has only the first side of such a branch, if there is one; the
/// kernel keeps the other.
static std::optional<Variant> splitAtLaunch(tile::KernelOp kernel) {
  Expr condition;
  mlir::scf::IfOp branch = findLaunchBranch(kernel, condition);
  if (!branch) {
    return std::nullopt;
  }
  mlir::IRMapping map;
  mlir::OpBuilder builder(kernel);
  auto copy = mlir::cast<tile::KernelOp>(builder.clone(*kernel, map));
  copy.setSymName((kernel.getSymName() + "_then").str());
  choose(mlir::cast<mlir::scf::IfOp>(map.lookup(branch.getOperation())), true);
  choose(branch, false);
  return Variant{copy, std::move(condition)};
}

/// What runs once has its checks everywhere: shorter, and hardly slower.
static void checkEverywhere(tile::KernelOp kernel) {
  for (auto branch : llvm::make_early_inc_range(
           kernel.getBody().front().getOps<mlir::scf::IfOp>())) {
    if (branch.elseBlock() && !hasLoop(branch.getThenRegion()) &&
        isChecked(branch)) {
      choose(branch, false);
    }
  }
}

/// Limits are compared; what must be a multiple leaves a remainder.
static bool asksAlignment(const Expr &guard) {
  return llvm::any_of(guard.steps,
                      [](const auto &step) { return step.op == TZ_X_REM; });
}

/// The kernel, behind a copy that has only the first side of such a branch, if
/// there is one.
static void appendSplit(std::vector<Variant> &variants, tile::KernelOp kernel,
                        const SimtTarget &target) {
  if (std::optional<Variant> first = splitAtLaunch(kernel)) {
    prepare(first->kernel, target, {false, false});
    variants.push_back(std::move(*first));
  }
  prepare(kernel, target, {false, false});
  variants.push_back({kernel});
}

/// Variants for short steps of views, if any access becomes near by that.
static bool appendNear(std::vector<Variant> &variants, tile::KernelOp kernel,
                       const SimtTarget &target) {
  if (target.nearBytes() == 0 || logs(kernel)) {
    return false;
  }
  const llvm::SmallVector<ShortSteps> steps =
      stepsToShorten(kernel, target.nearBytes());
  if (steps.empty()) {
    return false;
  }
  mlir::OpBuilder builder(kernel);
  auto copy = mlir::cast<tile::KernelOp>(builder.clone(*kernel));
  copy.setSymName((kernel.getSymName() + "_near").str());
  assumeNear(copy, steps);
  const size_t first = variants.size();
  appendSplit(variants, copy, target);
  for (Variant &variant : llvm::drop_begin(variants, first)) {
    Expr guard = areNear(steps);
    if (!variant.guard.steps.empty()) {
      guard.steps.insert(guard.steps.end(), variant.guard.steps.begin(),
                         variant.guard.steps.end());
      guard.op(TZ_X_AND);
    }
    variant.guard = std::move(guard);
  }
  return true;
}

std::vector<Variant> tz::simt::makeVariants(tile::KernelOp kernel,
                                            const SimtTarget *inBulk,
                                            const SimtTarget &plain,
                                            const FrameLimits &limits) {
  for (const SimtTarget *target : {inBulk, &plain}) {
    if (target) {
      checkTarget(*target, kernel.getContext());
    }
  }
  checkLimits(limits);
  std::vector<Variant> variants;
  if (inBulk) {
    if (std::optional<Variant> split =
            makeSplit(kernel, *inBulk, plain, limits)) {
      variants.push_back(std::move(*split));
    }
  }
  const size_t splits = variants.size();
  bool isRare = false; // what no descriptor can serve
  // Descriptors of loads alone, if a plan is too short for all.
  for (Form form : {Form{true, true}, {false, true}, {false, false}}) {
    if (!inBulk) {
      break;
    }
    tile::KernelOp copy = prepareCopy(kernel, *inBulk, form, "_bulk");
    const llvm::SmallVector<uint32_t> axes = gridAxes(copy);
    bool loads = false, stores = false;
    copy.walk([&](mlir::Operation *op) {
      loads |= mlir::isa<BulkCopyOp, LoadBlockOp>(op);
      stores |= mlir::isa<BulkStoreOp, StoreBlockOp>(op);
    });
    // A loop over programs whose copies do not go on from one to the next gains
    // nothing; a store alone is not worth a second variant.
    tz::plugin::KernelDescription trial;
    const bool isInVain =
        !axes.empty() && copy.getBody().front().getOps<RingOp>().empty();
    if (loads && !isInVain &&
        appendDescriptors(trial, descriptorsOf(copy), OfTrial, limits) &&
        appendGrid(trial, axes, limits)) {
      // Where a block fills its unit, ring buffers are large and iterations
      // alike.
      if (tile::KernelOp cluster =
              axes.empty() ? nullptr : makeCluster(kernel, *inBulk, limits)) {
        variants.push_back({cluster});
      }
      variants.push_back({copy});
      isRare = !asksAlignment(trial.guard);
      break;
    }
    copy.erase();
    if (axes.empty() && (!loads || !stores)) {
      break;
    }
  }
  if (variants.size() > splits) {
    checkEverywhere(kernel); // what it is for is rare
    prepare(kernel, plain, {false, false});
    variants.push_back({kernel});
  } else if (appendNear(variants, kernel, plain)) {
    checkEverywhere(kernel);
    prepare(kernel, plain, {false, false});
    variants.push_back({kernel});
    isRare = true;
  } else {
    appendSplit(variants, kernel, plain);
  }
  variants.back().isRare = isRare;
  return variants;
}

std::string tz::simt::textOf(tile::KernelOp kernel, unsigned debugLevel) {
  mlir::OpPrintingFlags flags;
  if (debugLevel > 0) {
    flags.enableDebugInfo();
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  kernel->print(os, flags);
  os << "\n";
  return text;
}

tz::plugin::KernelDescription &
tz::simt::appendVariant(tz::plugin::Artifact &artifact, const Variant &variant,
                        const FrameLimits &limits) {
  tile::KernelOp kernel = variant.kernel;
  const Lowered &lowered = variant.lowered;
  tz::plugin::KernelDescription &info = artifact.kernels.emplace_back();
  info.name = kernel.getSymName().str();
  info.guard = variant.guard;
  tz::plugin::appendArguments(info, kernel);
  appendDescriptors(info, lowered.descriptors, lowered.descriptorBytes, limits);
  appendGrid(info, lowered.gridAxes, limits);
  appendCluster(info, lowered.clusterBlocks, limits);
  appendProgramBlocks(info, lowered.splitBlocks);
  if (lowered.countsPrograms) {
    info.append("counter", TZ_ARG_TICKET, 0, TZ_TYPE_PTR, 8);
  }
  if (lowered.usesLog) {
    info.append("log", TZ_ARG_LOG, 0, TZ_TYPE_PTR, 8);
  }
  info.dynScratch = lowered.sharedBytes;
  info.block[0] = lowered.threads;
  if (kernel->hasAttr("tile.waits")) {
    info.flags |= TZ_KERNEL_ORDERED;
  }
  return info;
}
