//===- CheckTarget.h - does a target make sense? ----------------*- C++ -*-===//
//
// What   Tests of what a vendor's Target and Hooks answer.
// Why    Layouts are computed from these answers. A wrong one would show far
//        from its place: as a wrong result, or as a crash of a pass.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_SIMT_CHECKTARGET_H
#define TERRAZZO_CORE_SIMT_CHECKTARGET_H

#include "terrazzo/simt/LaunchPlan.h"
#include "terrazzo/simt/SimtHooks.h"
#include "terrazzo/simt/SimtTarget.h"

namespace tz::simt {

/// Throws BadTarget (terrazzo/simt/SimtLowering.h) with the question and what
/// an answer may be.
void checkTarget(const SimtTarget &target, mlir::MLIRContext *context);
/// The kernel has the layouts that the target's passes gave it.
void checkHooks(SimtHooks &hooks, tile::KernelOp kernel,
                llvm::LLVMContext &context);
/// How messages about answers begin.
inline constexpr llvm::StringLiteral AnswerPrefix = "the target answers ";
/// Do the layouts of a dot fit its tiles, and are its buffers rows? Empty, or
/// what is wrong: asked in a pass, which throws nothing.
std::string problemOfDot(const SimtTarget &target, const DotRequest &request,
                         const DotChoice &choice);
/// Do the frames that descriptors describe have limits?
void checkLimits(const FrameLimits &limits);
/// Is what sharedMemory() gave a pointer to the space that is named for it?
void checkShared(const llvm::Value &memory,
                 const lowering::AddressSpaces &spaces);

} // namespace tz::simt

#endif // TERRAZZO_CORE_SIMT_CHECKTARGET_H
