//===- CpuCheckTest.cpp - What is refused before machine code is made -----===//
//
// What   One module for each row of the tables in compiler/CpuCheck.cpp and
//        core/lowering/ModuleCheck.cpp.
// Why    The sweeps show that what the lowering makes passes; here is what must
//        not.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/CpuCheck.h"

#include "gtest/gtest.h"

#include "plugins/cpu/compiler/lower/CpuLowering.h"

#include "mlir/Parser/Parser.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/Support/SourceMgr.h"

#include <filesystem>
#include <fstream>
#include <sstream>

using namespace tz::cpu;

namespace {

/// What the check says of a function with this body on AVX2; empty if nothing.
std::string refusal(const std::string &body) {
  mlir::DialectRegistry registry;
  tz::tile::registerTileDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  auto kernels = mlir::parseSourceString<mlir::ModuleOp>(
      "tile.kernel @k() {\n  tile.return\n}\n", &context);
  llvm::LLVMContext llvm;
  llvm::SMDiagnostic problem;
  auto module = llvm::parseAssemblyString(body, problem, llvm);
  if (!module) {
    return "does not parse: " + problem.getMessage().str();
  }
  Isa isa;
  isa.vectorBits = 256;
  isa.avx2 = isa.fma = isa.f16c = true;
  try {
    checkModule(*module, isa, *kernels->getOps<tz::tile::KernelOp>().begin());
  } catch (const Unsupported &refused) {
    return refused.what();
  }
  return "";
}

std::string inFunction(const std::string &line) {
  return "define void @f(ptr %p, <32 x float> %w, float %x, half %h, i128 %i, "
         "bfloat %b) {\n  " +
         line + "\n  ret void\n}\n";
}

/// The kernel's problems, one a line with its place.
std::string problems(const std::string &text, const std::string &name) {
  mlir::DialectRegistry registry;
  tz::tile::registerTileDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context, name);
  if (!module) {
    return "does not parse";
  }
  std::string all;
  llvm::raw_string_ostream stream(all);
  for (auto kernel : module->getOps<tz::tile::KernelOp>()) {
    for (const Problem &one : problemsOf(kernel)) {
      auto at = llvm::cast<mlir::FileLineColLoc>(one.location);
      stream << at.getLine() << ":" << at.getColumn() << ": " << one.message
             << "\n";
    }
  }
  return all;
}

TEST(KernelCheck, NamesEachOpAndTypeOnceAtItsPlace) {
  EXPECT_EQ(problems("tile.kernel @k(%n: i32, %h: f16) {\n"
                     "  %a = arith.divsi %n, %n : i32\n"
                     "  %b = arith.divsi %a, %n : i32\n"
                     "  %x = tile.truncf rtne %h : f16 to f4E2M1FN\n"
                     "  %y = arith.extf %x : f4E2M1FN to f16\n"
                     "  %c = arith.remsi %b, %n : i32\n"
                     "  tile.return\n}\n",
                     "k.mlir"),
            "2:8: 'arith.divsi' is not supported by the cpu target\n"
            "4:8: the cpu target has no values of type f4E2M1FN; unpack them "
            "from i8 into f16 or a wider type\n"
            "6:8: 'arith.remsi' is not supported by the cpu target\n");
}

/// The goldens of the portable form have every op that can come: each is either
/// compiled, or refused here on purpose.
TEST(KernelCheck, TakesEveryOpOfThePortableForm) {
  unsigned files = 0;
  for (const auto &entry :
       std::filesystem::directory_iterator(TZ_TEST_WIRE_GOLDENS)) {
    if (entry.path().extension() != ".mlir") {
      continue;
    }
    ++files;
    std::ifstream file(entry.path());
    std::string text{std::istreambuf_iterator<char>(file), {}};
    std::istringstream lines(problems(text, entry.path()));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_NE(line.find("f4E2M1FN"), std::string::npos)
          << entry.path() << ":" << line;
    }
  }
  EXPECT_GE(files, 5u);
}

TEST(Check, PassesWhatTheTargetHas) {
  EXPECT_EQ(refusal(inFunction("%y = fadd <32 x float> %w, %w")), "");
  EXPECT_EQ(refusal(inFunction("%y = fadd half %h, %h")), "");
  EXPECT_EQ(refusal(inFunction("%y = mul i128 %i, %i")), "");
}

TEST(Check, NamesWhatItHasNot) {
  for (auto [line, what] : {
           std::pair{"%y = load <64 x float>, ptr %p", "<64 x float>"},
           {"%y = load <17 x ptr>, ptr %p", "<17 x ptr>"},
           {"%y = load fp128, ptr %p", "fp128"},
           {"%y = load <vscale x 4 x float>, ptr %p", "vscale"},
           {"%y = frem float %x, %x", "remainder"},
           {"%y = fadd bfloat %b, %b", "'fadd' on 16-bit floats"},
           {"%y = sdiv i128 %i, %i", "a division of 128 bits"},
           {"%y = call float @llvm.sin.f32(float %x)", "llvm.sin.f32"},
           {"%y = call float @sinf(float %x)", "a call"},
       }) {
    std::string text = inFunction(line) + "declare float @llvm.sin.f32(float)\n"
                                          "declare float @sinf(float)\n";
    EXPECT_NE(refusal(text).find(what), std::string::npos)
        << line << ": " << refusal(text);
  }
}

TEST(Check, NamesStraightLinesThatAreTooLong) {
  std::string body;
  for (unsigned i = 0; i < MaxBlock; ++i) {
    body += "%v" + std::to_string(i) + " = fadd float %x, %x\n  ";
  }
  EXPECT_NE(refusal(inFunction(body)).find("straight-line"), std::string::npos);
}

} // namespace
