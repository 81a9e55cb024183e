//===- SelectionCheckTest.cpp - what does not reach LLVM's code generator -===//
//
// What   Modules with one thing that the code generator would end the process
//        for, or call a library for, and what the check says of each.
// Why    Kernels give these only after a fault elsewhere; the check must not
//        wait for one.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/llvm/SelectionCheck.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

namespace {

std::string check(const std::string &body,
                  const std::string &declarations = "") {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  auto module = llvm::parseAssemblyString(
      declarations +
          "\ndefine void @k(ptr %p, float %x, double %d, i128 %w, i32 %i) {\n" +
          body + "\n  ret void\n}\n",
      problem, context);
  if (!module) {
    return "malformed: " + problem.getMessage().str();
  }
  return tz::nvidia::problemOf(*module);
}

TEST(Check, TakesWhatBecomesInstructions) {
  EXPECT_EQ(check("  %a = fadd float %x, 1.0\n  store float %a, ptr %p"), "");
  EXPECT_EQ(
      check("  %a = call float @llvm.fma.f32(float %x, float %x, float %x)",
            "declare float @llvm.fma.f32(float, float, float)"),
      "");
  EXPECT_EQ(check("  %a = call i32 asm \"mov.u32 $0, $1;\", \"=r,r\"(i32 %i)"),
            "");
  EXPECT_EQ(check("  %a = load <4 x float>, ptr %p"), "");
}

TEST(Check, RefusesMathematics) {
  EXPECT_EQ(check("  %a = call float @llvm.sin.f32(float %x)",
                  "declare float @llvm.sin.f32(float)"),
            "the intrinsic llvm.sin.f32");
  EXPECT_EQ(check("  %a = call double @llvm.exp2.f64(double %d)",
                  "declare double @llvm.exp2.f64(double)"),
            "the intrinsic llvm.exp2.f64");
  EXPECT_EQ(check("  %a = frem float %x, %x"), "a remainder of floats");
  EXPECT_EQ(check("  %a = sdiv i128 %w, %w"), "a division of 128 bits");
}

TEST(Check, RefusesCallsAndTypes) {
  EXPECT_EQ(check("  call void @free(ptr %p)", "declare void @free(ptr)"),
            "a call of free");
  EXPECT_EQ(check("  call void %p()"), "a call of what is not known");
  EXPECT_EQ(check("  %a = fpext double %d to fp128"), "a value of type fp128");
  EXPECT_EQ(check("  %a = load <64 x float>, ptr %p"),
            "a vector <64 x float>, wider than 256 bits");
  EXPECT_EQ(check("  %a = load i256, ptr %p"), "a value of type i256");
}

} // namespace
