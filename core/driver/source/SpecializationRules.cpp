//===- SpecializationRules.cpp - which run-time values may matter ---------===//
//
// What   See SpecializationRules.h.
// Why    See SpecializationRules.h.
//===----------------------------------------------------------------------===//
#include "core/driver/source/SpecializationRules.h"

#include "core/driver/ArgumentTypes.h"
#include "core/driver/source/ReadIR.h"

#include "terrazzo/analysis/ArgumentUses.h"
#include "terrazzo/analysis/PointerUses.h"

namespace tz::driver {

using namespace runtime;

std::vector<Leaf> leavesOf(std::vector<ArgumentSpec> &arguments,
                           const std::vector<KernelParameter> &parameters) {
  std::vector<Leaf> leaves;
  for (size_t i = 0; i < parameters.size() && i < arguments.size(); ++i) {
    addLeaves(leaves, arguments[i], parameters[i].name, uint32_t(i));
  }
  return leaves;
}

SpecializationRule ruleFor(const std::vector<Leaf> &leaves) {
  // 16 bytes over the smallest element of all arrays is never too small a
  // divisor.
  uint32_t smallest = 0;
  for (const Leaf &leaf : leaves) {
    if (leaf.spec->kind == ArgumentSpec::Runtime &&
        leaf.spec->type == TZ_TYPE_PTR) {
      uint32_t bytes = elementBytes(leaf.spec->element);
      smallest = bytes && (!smallest || bytes < smallest) ? bytes : smallest;
    }
  }
  SpecializationRule rule;
  for (const Leaf &leaf : leaves) {
    SpecializationRule::Leaf &made = rule.leaves.emplace_back();
    const ArgumentSpec &spec = *leaf.spec;
    if (spec.kind == ArgumentSpec::Runtime) {
      bool isInteger = spec.type >= TZ_TYPE_I8 && spec.type <= TZ_TYPE_U64;
      if (spec.type == TZ_TYPE_PTR) {
        made.divisor = 16;
      } else if (isInteger) {
        made.divisor = smallest && smallest < 16 ? 16 / smallest : 0;
        made.foldsOne = true;
      }
    }
  }
  return rule;
}

void narrowRule(SpecializationRule &rule, mlir::ModuleOp module,
                const std::vector<Leaf> &leaves) {
  tile::KernelOp kernel = kernelOf(module);
  std::vector<analysis::ArgumentUse> uses = analysis::argumentUses(kernel);
  std::vector<analysis::PointerUse> pointers = analysis::pointerUses(kernel);
  for (auto [leaf, made] : llvm::zip(leaves, rule.leaves)) {
    for (unsigned j = 0; j < uses.size(); ++j) {
      if (kernel.getArgName(j) != leaf.name) {
        continue;
      }
      analysis::PointerUse &pointer = pointers[j];
      made.pointer = {pointer.isKnown, pointer.isRead, pointer.isWritten,
                      std::move(pointer.steps)};
      if (!kernel.getArgumentTypes()[j].isInteger()) {
        continue;
      }
      unsigned bytes = uses[j].smallestElement;
      made.divisor = bytes && bytes < 16 ? 16 / bytes : 0;
      made.foldsOne = uses[j].foldsOne;
    }
  }
}

} // namespace tz::driver
