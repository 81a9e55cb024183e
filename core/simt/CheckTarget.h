//===- CheckTarget.h - does a target make sense? ----------------*- C++ -*-===//
//
// What   Tests of what a vendor's Target and Hooks answer.
// Why    Layouts are computed from these answers. A wrong one would show far
//        from its place: as a wrong result, or as a crash of a pass.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_SIMT_CHECKTARGET_H
#define TERRAZZO_CORE_SIMT_CHECKTARGET_H

#include "terrazzo/simt/SimtHooks.h"
#include "terrazzo/simt/SimtTarget.h"

namespace tz::simt {

/// Throws BadTarget (terrazzo/simt/SimtLowering.h) with the question and what
/// an answer may be.
void checkTarget(const SimtTarget &target);
void checkHooks(SimtHooks &hooks, llvm::LLVMContext &context);
/// Is what sharedMemory() gave a pointer to the space that is named for it?
void checkShared(const llvm::Value &memory,
                 const lowering::AddressSpaces &spaces);

} // namespace tz::simt

#endif // TERRAZZO_CORE_SIMT_CHECKTARGET_H
