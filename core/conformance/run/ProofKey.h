//===- ProofKey.h - what decides a case's result ----------------*- C++ -*-===//
//
// What   One hash of the code that is launched, what it is launched with, what
//        is expected of it, and the place where it runs.
// Why    Two runs with one key differ in nothing that the compiler has made, so
//        that the first one's result stands for the second's
//        (core/conformance/Proofs.h).
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_CONFORMANCE_RUN_PROOFKEY_H
#define TERRAZZO_CORE_CONFORMANCE_RUN_PROOFKEY_H

#include "core/arguments/Binding.h"
#include "core/conformance/Suite.h"
#include "core/execution/ReferenceRun.h"
#include "runtime/device/RuntimeDevice.h"

#include "terrazzo/optimizer/TilePipeline.h"

namespace tz::tool {

/// What the interpreter has left in a buffer, and how far off a target may be.
struct ExpectedBuffer {
  std::string content;
  interpreter::Tolerance tolerance;
};
std::vector<ExpectedBuffer> expectedBuffers(const Reference &reference,
                                            const Binding &binding);

struct ProofSubject {
  std::string place;    ///< placeOf()
  std::string target;   ///< what code was made for
  std::string artifact; ///< in the form of its file
  const conformance::Case &one;
  const Binding &binding;
  std::array<int64_t, 3> grid{};
  std::vector<ExpectedBuffer> expected; ///< empty: no reference
  std::vector<std::string> printed;     ///< what is expected to be printed
};

/// Hexadecimal.
std::string proofKey(const ProofSubject &subject);

/// The device as it describes itself; the content of the plugin's device half;
/// which builds of which libraries the process has loaded, the compiler half
/// left out; the processor; variables of ours that are set; the sources of what
/// launches and judges. A failure: a file that cannot be read.
runtime::Result<std::string> placeOf(const runtime::Device &device,
                                     const optimizer::TargetFacts &facts);

/// "TERRAZZO_X=1", sorted. Those that name places or what is logged are left
/// out: they decide nothing.
std::vector<std::string> decidingVariables(char **environment);

} // namespace tz::tool

#endif
