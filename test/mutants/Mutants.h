//===- Mutants.h - lowerings that are wrong on purpose ----------*- C++ -*-===//
//
// What   Changes of a tile kernel and of an LLVM module that a mistake in a
//        lowering would have made, chosen by a line of words.
// Why    R20: a suite that does not fail on these would not see such a mistake.
//
// A mutant is a rule, not a place: it changes every op that fits, as a lowering
// that is wrong for an op or a type would be. test/mutants/run makes the lines:
//   LINE  = CHANGE WORD ...      (TileMutants.cpp)
//         | llvm CHANGE WORD ... (ModuleMutants.cpp)
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_TEST_MUTANTS_MUTANTS_H
#define TERRAZZO_TEST_MUTANTS_MUTANTS_H

#include "terrazzo/ir/Tile.h"

#include "llvm/IR/Module.h"

#include <string>
#include <vector>

namespace tz::mutants {

using Words = std::vector<std::string>;

/// How many places were changed. Throws std::invalid_argument for a line that
/// is none.
unsigned mutate(tile::KernelOp kernel, const Words &line);
unsigned mutate(llvm::Module &module, const Words &line);

} // namespace tz::mutants

#endif // TERRAZZO_TEST_MUTANTS_MUTANTS_H
