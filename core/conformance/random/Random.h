//===- Random.h - conformance cases made at random --------------*- C++ -*-===//
//
// What   A case by its name: random/SEED, or random/SEED/EDITS for one that the
//        shrinker has cut.
// Why    The name is all that a worker process needs to make the case again.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_CONFORMANCE_RANDOM_RANDOM_H
#define TERRAZZO_CORE_CONFORMANCE_RANDOM_RANDOM_H

#include "core/conformance/random/RandomKernel.h"

namespace tz::conformance {

/// Nothing if the name is not of this form, or an edit of it does not fit.
std::optional<random::RandomKernel> randomKernel(std::string_view name);
/// Nothing, too, if the edits leave no kernel.
std::optional<Case> randomCase(std::string_view name);

} // namespace tz::conformance

#endif // TERRAZZO_CORE_CONFORMANCE_RANDOM_RANDOM_H
