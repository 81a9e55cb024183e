//===- JitLink.h - PTX to machine code by a library -----------------------===//
//
// What   nvJitLink, opened at run time: PTX in, machine code and the
//        assembler's words out.
// Why    It comes with the packages of frameworks where ptxas does not. It
//        cannot be cancelled; the compile worker's limit ends it.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_BACKENDS_NVIDIA_COMPILER_ASSEMBLE_JITLINK_H
#define TERRAZZO_BACKENDS_NVIDIA_COMPILER_ASSEMBLE_JITLINK_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace tz::nvidia {

/// TERRAZZO_NVJITLINK ("none": not to be used), the loader's path, then the
/// toolkit's usual place. Null if there is none; `path` says which it is.
void *openJitLink(std::string &path);

struct JitLinked {
  std::string cubin; // empty: refused
  std::string log;
};
JitLinked jitLink(void *library, llvm::StringRef ptx, llvm::StringRef cpu);

} // namespace tz::nvidia

#endif // TERRAZZO_BACKENDS_NVIDIA_COMPILER_ASSEMBLE_JITLINK_H
