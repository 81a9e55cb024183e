//===- CheckedForm.cpp - branches that differ in their checks -------------===//
//
// What   See CheckedForm.h.
// Why    See CheckedForm.h.
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/CheckedForm.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tz;

static ArrayRef<bool> checksOf(Operation &op) {
  auto load = dyn_cast<tile::LoadViewOp>(op);
  return load ? load.getChecked() : cast<tile::StoreViewOp>(op).getChecked();
}

static DictionaryAttr withoutChecks(Operation &op) {
  NamedAttrList attributes(op.getAttrs());
  attributes.erase("checked");
  return attributes.getDictionary(op.getContext());
}

namespace {
struct Comparison {
  IRMapping same; // of the full block in the checked one
  llvm::function_ref<bool(Operation *)> mayCheck;

  bool compare(Block &checked, Block &full);
  bool compare(Operation &checked, Operation &full);
};
} // namespace

bool Comparison::compare(Operation &checked, Operation &full) {
  if (full.getName() != checked.getName() ||
      isa<tile::PrintOp, tile::AssertOp, tile::RecordOp>(full) ||
      full.getResultTypes() != checked.getResultTypes() ||
      full.getNumOperands() != checked.getNumOperands() ||
      withoutChecks(full) != withoutChecks(checked)) {
    return false;
  }
  for (auto [a, b] : llvm::zip(full.getOperands(), checked.getOperands())) {
    if (same.lookupOrDefault(a) != b) {
      return false;
    }
  }
  same.map(full.getResults(), checked.getResults());
  for (auto [a, b] : llvm::zip(full.getRegions(), checked.getRegions())) {
    if (a.getBlocks().size() != b.getBlocks().size() ||
        a.getBlocks().size() > 1 ||
        (!a.empty() && !compare(b.front(), a.front()))) {
      return false;
    }
  }
  if (full.getAttrDictionary() == checked.getAttrDictionary()) {
    return true;
  }
  for (auto [has, needs] : llvm::zip(checksOf(checked), checksOf(full))) {
    if (needs && !has) {
      return false;
    }
  }
  return mayCheck(&checked);
}

bool Comparison::compare(Block &checked, Block &full) {
  if (checked.getOperations().size() != full.getOperations().size() ||
      checked.getArgumentTypes() != full.getArgumentTypes()) {
    return false;
  }
  same.map(full.getArguments(), checked.getArguments());
  return llvm::all_of(llvm::zip(checked, full), [&](auto pair) {
    auto &[b, a] = pair;
    return compare(b, a);
  });
}

bool tz::simt::isCheckedForm(Block &checked, Block &full,
                             llvm::function_ref<bool(Operation *)> mayCheck) {
  return Comparison{{}, mayCheck}.compare(checked, full);
}
