//===- CheckTarget.h - does a target make sense? ----------------*- C++ -*-===//
//
// What   Tests of what a vendor's Target and Hooks answer.
// Why    Layouts are computed from these answers. A wrong one would show far
//        from its place: as a wrong result, or as a crash of a pass.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_SIMT_CHECKTARGET_H
#define TERRAZZO_CORE_SIMT_CHECKTARGET_H

#include "terrazzo/simt/Hooks.h"
#include "terrazzo/simt/Target.h"

namespace tz::simt {

/// Throws BadTarget (terrazzo/simt/Lowering.h) with the question and what an
/// answer may be.
void checkTarget(const Target &target);
void checkHooks(Hooks &hooks, llvm::LLVMContext &context);

} // namespace tz::simt

#endif // TERRAZZO_CORE_SIMT_CHECKTARGET_H
