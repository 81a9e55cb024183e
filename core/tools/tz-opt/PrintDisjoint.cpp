//===- PrintDisjoint.cpp - simt-print-disjoint-accesses -------------------===//
//
// What   Of each load and store, in program order, from which earlier ones it
//        is known to be apart: within an iteration of the loops around both,
//        and in two different iterations of the loop in which both stand. Of
//        tiles with layouts, from which ones each thread by itself is apart,
//        in the same iterations and in any; and whether owners load alone. Last,
//        from which ones it has another residue, in the same iterations and in
//        any; and from which ones it is apart in other iterations if rows do
//        not overlap.
//
//   tile.load_view %5: access 0, apart from [], in other iterations from [0]
//   tile.store_view: access 1, apart from [0], in other iterations from [0, 1]
//   tile.store_view: access 1, apart from [], in other iterations from [0, 1], by thread from [0, 1], always from [1]
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/DisjointAccesses.h"
#include "core/simt/analysis/OwnedLoads.h"
#include "core/simt/analysis/Residues.h"
#include "core/simt/analysis/RowIndices.h"
#include "core/tools/tz-opt/PrintPass.h"

#include <memory>

using namespace mlir;
using namespace tz;
using namespace tz::opt;

Describe tz::opt::describeDisjointAccesses(tile::KernelOp) {
  auto accesses = std::make_shared<SmallVector<Operation *>>();
  return {nullptr,
          [accesses](Operation *op, AsmState &, llvm::raw_ostream &out) {
            if (!isa<tile::LoadViewOp, tile::StoreViewOp, tile::LoadOp,
                     tile::StoreOp>(op)) {
              return;
            }
            accesses->push_back(op);
            SmallVector<size_t> here, inOthers, byThread, always, byResidue,
                everByResidue, byRows;
            for (auto [number, earlier] : llvm::enumerate(*accesses)) {
              if (earlier != op && simt::areDisjoint(earlier, op)) {
                here.push_back(number);
              }
              if (simt::areDisjointInIterations(earlier, op)) {
                inOthers.push_back(number);
              }
              if (simt::areApartByThread(earlier, op, true)) {
                byThread.push_back(number);
              }
              if (simt::areApartByThread(earlier, op, false)) {
                always.push_back(number);
              }
              if (simt::haveOtherResidues(earlier, op, true)) {
                byResidue.push_back(number);
              }
              if (simt::haveOtherResidues(earlier, op, false)) {
                everByResidue.push_back(number);
              }
              if (simt::apartInIterationsIf(earlier, op)) {
                byRows.push_back(number);
              }
            }
            out << "access " << accesses->size() - 1 << ", apart from [";
            llvm::interleaveComma(here, out);
            out << "], in other iterations from [";
            llvm::interleaveComma(inOthers, out);
            out << "]";
            auto load = dyn_cast<tile::LoadViewOp>(op);
            if (load && simt::isLoadedByOwners(load)) {
              out << ", by owners alone";
            }
            auto tell = [&](StringRef how, ArrayRef<size_t> now,
                            ArrayRef<size_t> ever) {
              if (now.empty()) {
                return;
              }
              out << ", by " << how << " from [";
              llvm::interleaveComma(now, out);
              out << "], always from [";
              llvm::interleaveComma(ever, out);
              out << "]";
            };
            tell("thread", byThread, always);
            tell("residue", byResidue, everByResidue);
            if (!byRows.empty()) {
              out << ", in other iterations by rows from [";
              llvm::interleaveComma(byRows, out);
              out << "]";
            }
          }};
}
