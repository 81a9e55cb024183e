//===- terrazzo/plugin/LLVMOption.h - options that LLVM keeps to itself ---===//
//
// What   setOption("disable-lsr", "true"): an option of LLVM's command line,
// for
//        all compilations of this process.
// Why    Parts of LLVM's code generators can be told in no other way. A new
//        LLVM may rename an option or drop it. That is a Failure with its name,
//        not code that is silently another.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGIN_LLVMOPTION_H
#define TERRAZZO_PLUGIN_LLVMOPTION_H

#include <terrazzo/plugin/Error.h>

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CommandLine.h"

namespace tz::plugin {

/// `value` is text, as on a command line. Throws TZ_E_INTERNAL where this LLVM
/// has no such option, or where the option does not take the value. The options
/// belong to the process: call it under a lock, before the first compilation.
inline void setOption(llvm::StringRef name, llvm::StringRef value) {
  auto &options = llvm::cl::getRegisteredOptions();
  auto found = options.find(name);
  if (found == options.end()) {
    throw Failure(TZ_E_INTERNAL, "this LLVM has no option -" + name.str());
  }
  if (found->second->addOccurrence(0, name, value)) {
    throw Failure(TZ_E_INTERNAL, "option -" + name.str() +
                                     " of this LLVM does not take '" +
                                     value.str() + "'");
  }
}

} // namespace tz::plugin

#endif
