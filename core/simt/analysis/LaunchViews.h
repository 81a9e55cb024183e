//===- LaunchViews.h - views whose frame is known at launch -----*- C++ -*-===//
//
// What   Takes a tile.make_view apart: a frame, whose base, extents and strides
//        are formulas of the kernel's arguments alone, and the position of the
//        view in it, which is what program ids and loops add.
// Why    A descriptor for the bulk copy unit is made by the host before the
//        launch; it cannot depend on the program.
//
// Example: base a + pid*64*stride, shape [M - pid*64, K], strides [stride, 1]
// is the frame a, [M, K], [stride, 1] at position [pid*64, 0]. What moves the
// base along no dimension of the view (pid_batch * stride_batch) becomes a
// dimension of its own before the others, of extent `UnboundedExtent`.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_SIMT_ANALYSIS_LAUNCHVIEWS_H
#define TERRAZZO_CORE_SIMT_ANALYSIS_LAUNCHVIEWS_H

#include "core/optimizer/analysis/LaneForms.h"

#include "terrazzo/simt/Simt.h"

namespace tz::simt {

/// Dimensions outermost first: `more` of the frame alone, then the view's own
/// in its order.
struct LaunchView {
  mlir::BlockArgument base;
  analysis::Polynomial offset; // elements
  llvm::SmallVector<analysis::Polynomial, 5> shape, strides, position;
  unsigned more = 0;
  /// Arguments that must be positive for all of this to hold.
  llvm::SmallVector<mlir::Value, 2> positive;
};

/// Extent of a dimension in which nothing is checked: coordinates are below.
inline constexpr int64_t UnboundedExtent = (int64_t{1} << 31) - 1;

class LaunchViews {
public:
  LaunchViews(tile::KernelOp kernel, const analysis::Hints &hints)
      : hints(hints), forms(kernel) {}

  /// For an access at these offsets. None: `why` says what is in the way.
  std::optional<LaunchView> describe(mlir::Value view, mlir::ValueRange offsets,
                                     llvm::ArrayRef<bool> checked,
                                     llvm::StringRef &why);
  analysis::ScalarTable &scalars() { return forms.scalars(); }
  /// Are these elements whole times so many bytes?
  bool isAligned(const analysis::Polynomial &elements, int64_t elementBytes,
                 int64_t bytes);
  /// ... and with so many more?
  bool isAligned(const analysis::Polynomial &elements, mlir::Value more,
                 int64_t elementBytes, int64_t bytes);
  /// Are they known not to be negative?
  bool isNatural(const analysis::Polynomial &elements, mlir::Value more);

private:
  class Description; // LaunchViews.cpp
  bool isKnown(const analysis::Term &term);
  std::optional<analysis::Polynomial> scalar(mlir::Value value);
  /// What the program adds, and the rest.
  std::pair<analysis::Polynomial, analysis::Polynomial>
  split(const analysis::Polynomial &p);

  bool isCoordinate(const analysis::Polynomial &p,
                    llvm::SmallVectorImpl<mlir::Value> &positive);
  bool isNatural(mlir::Value value,
                 llvm::SmallVectorImpl<mlir::Value> &positive);

  const analysis::Hints &hints;
  analysis::LaneForms forms;
};

/// A frame as the bulk copy unit is told of it, for blocks that lie in a
/// buffer.
struct BulkFrame {
  LaunchView view; // dimensions as they lie in the buffer, slowest first
  DescriptorType type;
};

/// For an access whose block lies in such a buffer: panels are boxes, and
/// `alignment` is SimtTarget::bulkAlignment. None: `why` says what is in the
/// way.
std::optional<BulkFrame> bulkFrame(LaunchViews &launch, mlir::Value view,
                                   mlir::ValueRange offsets,
                                   llvm::ArrayRef<bool> checked,
                                   BufferType buffer, int64_t alignment,
                                   llvm::StringRef &why);
/// The descriptor, at the kernel's entry.
DescriptorOp makeDescriptor(LaunchViews &launch, tile::KernelOp kernel,
                            mlir::Location loc, const BulkFrame &frame);
/// Where the view begins in the frame.
llvm::SmallVector<mlir::Value> positionIn(LaunchViews &launch,
                                          mlir::OpBuilder &builder,
                                          mlir::Location loc,
                                          const BulkFrame &frame);
/// ... and a block at these offsets of the view, that lies in such a buffer.
llvm::SmallVector<mlir::Value> blockIn(mlir::OpBuilder &builder,
                                       mlir::Location loc, BufferType buffer,
                                       llvm::ArrayRef<mlir::Value> position,
                                       mlir::ValueRange offsets);

/// Can the host compute this integer before a launch? Arguments and exact
/// arithmetic on them.
bool isKnownAtLaunch(mlir::Value value);

} // namespace tz::simt

#endif // TERRAZZO_CORE_SIMT_ANALYSIS_LAUNCHVIEWS_H
