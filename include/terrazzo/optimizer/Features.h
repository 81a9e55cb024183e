//===- Features.h - what a target may say that it has -----------*- C++ -*-===//
//
// What   The names of capabilities in a target's description.
// Why    Passes, conformance cases and plugins speak of the same things by
//        text; a name that only one of them knows is a fault, which this finds.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_OPTIMIZER_FEATURES_H
#define TERRAZZO_OPTIMIZER_FEATURES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace tz::optimizer {

enum class Feature {
#define TZ_FEATURE(id, name, reader, meaning) id,
#include "terrazzo/optimizer/Features.def"
};

llvm::StringRef nameOf(Feature feature);

/// Is this a name of the table or of one of its families? What begins with
/// "x." is the vendor's own.
bool isFeature(llvm::StringRef name);

/// The names of the table, without families.
llvm::ArrayRef<llvm::StringRef> featureNames();

} // namespace tz::optimizer

#endif // TERRAZZO_OPTIMIZER_FEATURES_H
