//===- Shrink.h - smaller versions of a random kernel -----------*- C++ -*-===//
//
// What   Edits that make a kernel smaller, as short words, and their effect.
// Why    Delta debugging over the generator's own tree: an edit keeps types
//        right, so that it nearly always leaves a kernel; and a list of edits
//        with the seed is the whole description of a shrunk case.
//
// Edits  sN.C  drop C statements from the Nth on    bN oN  a compound statement
//        by its body, by its else part              tN     one iteration of a loop
//        kN.K  expression N by its Kth operand      cN     by a constant
//        wN vN the plainest load, store              xN yN  without its mask
//        gA    one program along axis A             zS.L   size S becomes 2^L
//        iB    plain contents of buffer B           p      no options
// Statements and expressions are counted in the order of the text.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_CONFORMANCE_RANDOM_SHRINK_H
#define TERRAZZO_CORE_CONFORMANCE_RANDOM_SHRINK_H

#include "core/conformance/random/RandomKernel.h"

namespace tz::conformance::random {

/// What could be cut, the largest pieces first. Every edit makes a kernel
/// smaller by some measure, so that repeated cutting ends.
std::vector<std::string> editsOf(const RandomKernel &kernel);
/// False if there is no such edit.
bool applyEdit(RandomKernel &kernel, std::string_view edit);

} // namespace tz::conformance::random

#endif // TERRAZZO_CORE_CONFORMANCE_RANDOM_SHRINK_H
