//===- CompiledKernel.h - launching what tz compile has written -----------===//
//
// What   From an artifact to what a launch needs of a kernel: its parameters,
//        the constants it was compiled for, and whether arguments fit it.
// Why    An artifact holds code for one specialisation. An argument that its
//        code does not expect would give wrong results without a word.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_ARGUMENTS_COMPILEDKERNEL_H
#define TERRAZZO_CORE_ARGUMENTS_COMPILEDKERNEL_H

#include "core/arguments/Binding.h"

namespace tz::tool {

/// Begins as an artifact does, or is a file NAME.tzo.
bool isArtifact(const runtime::KernelSource &source);

/// Parameters that were constant when it was compiled are constexpr here.
runtime::KernelSignature signatureOf(const runtime::Artifact &artifact);

/// Adds the artifact's constants to what the command line says, and its types
/// to numbers that were given without one. Options are an error.
runtime::Status completeFor(const runtime::Artifact &artifact,
                            Binding::Options &given);

/// Whether types, constants and divisors are those that the code expects. Puts
/// the binding's leaves into the artifact's order.
runtime::Status fitTo(const runtime::Artifact &artifact, Binding &binding);

} // namespace tz::tool

#endif
