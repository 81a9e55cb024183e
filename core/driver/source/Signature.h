//===- Signature.h - the kernel that a source means -----------------------===//
//
// What   A kernel of a source by its name, its parameters and configurations.
// Why    A caller must know a kernel's parameters before it can specialise it.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_DRIVER_SOURCE_SIGNATURE_H
#define TERRAZZO_CORE_DRIVER_SOURCE_SIGNATURE_H

#include "core/driver/source/Workspace.h"

namespace tz::driver {

/// The kernel of a source with this name; without a name, the only one.
runtime::Result<const frontend::KernelInfo *>
findKernel(const ParsedSource &source, const std::string &function,
           runtime::DiagnosticSink &diagnostics, FirstError &first);

/// What a configuration sets that is no parameter but an option, of this or of
/// another vendor's targets (P24).
bool isOption(const frontend::KernelInfo &kernel, llvm::StringRef name);

/// Of an option; nothing for a text, which only the vendor could read.
std::optional<int> optionValue(const frontend::ConstValue &value);

/// The kernel that the source means: by name, or the only one.
runtime::Result<runtime::KernelSignature>
findSignature(Workspace &workspace, const ParsedSource &source,
              const std::string &function, runtime::DiagnosticSink &diagnostics,
              FirstError &first);

} // namespace tz::driver

#endif
