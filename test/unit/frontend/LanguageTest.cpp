//===- LanguageTest.cpp - the table of the language tells the truth -------===//
//
// What   Every name of the registry is in core/frontend/Language.def; each
//        example of a name that works runs in the interpreter and gives the
//        numbers of its row; the others say that they are not implemented.
//        Questions of tl.target_info are answered for each known vendor.
// Why    docs/reference/language.md is made from the table: it must not
// promise.
//
//===----------------------------------------------------------------------===//
#include "test/unit/frontend/LanguageExamples.h"

#include "core/frontend/KnownVendors.h"
#include "core/frontend/builtins/Builtins.h"

#include "mlir/IR/MLIRContext.h"

#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>
#include <set>

using namespace tz::frontend;
using namespace tz::frontend::test;

namespace {

class Language : public testing::TestWithParam<LanguageExample> {};

/// What the example, compiled for `target`, leaves in its buffers.
void runExample(const LanguageExample &row, const std::string &target,
                ExampleBuffers &memory) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  DiagnosticSink sink;
  Module module = parseModule("example.py", exampleKernel(row), sink);
  Specialization types = exampleTypes();
  types.target = target;
  auto ir = elaborate(module, "kernel", types, context, sink);
  if (!row.interp) {
    EXPECT_FALSE(ir) << "it works, but the table says that it does not";
    EXPECT_NE(sink.str().find("not implemented yet"), std::string::npos)
        << sink.str();
    return;
  }
  ASSERT_TRUE(ir) << sink.str();
  auto kernel = *ir->getOps<tz::tile::KernelOp>().begin();
  using tz::interpreter::ArgValue;
  tz::interpreter::LaunchArgs launch;
  launch.args = {ArgValue::pointer(memory.out.data()),
                 ArgValue::pointer(memory.work.data()),
                 ArgValue::pointer(memory.in.data()),
                 ArgValue::pointer(memory.counters.data()),
                 ArgValue::integer(0)};
  tz::interpreter::Options options;
  options.stepLimit = 1000000;
  tz::interpreter::Report report;
  llvm::Error error = tz::interpreter::run(kernel, launch, options, report);
  ASSERT_FALSE(bool(error)) << llvm::toString(std::move(error));
}

TEST_P(Language, WorksAsTheTableSays) {
  ExampleBuffers memory;
  runExample(GetParam(), "", memory);
  if (GetParam().interp && !HasFatalFailure()) {
    EXPECT_EQ(differenceOf(GetParam(), memory.out), "");
  }
}

std::string testName(const testing::TestParamInfo<LanguageExample> &info) {
  std::string name;
  for (char c : info.param.name) {
    name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  }
  return name;
}
INSTANTIATE_TEST_SUITE_P(Names, Language, testing::ValuesIn(languageExamples()),
                         testName);

/// A machine that the vendor's questions are about.
std::string machineOf(const KnownVendor &vendor) {
  for (const VendorQuestion &question : vendor.questions) {
    if (*question.machines) {
      return llvm::StringRef(question.machines).split(' ').first.str();
    }
  }
  return "m_90";
}

TEST(LanguageTable, EachVendorAnswersItsOwnQuestions) {
  unsigned yes = 0;
  for (const KnownVendor &vendor : knownVendors()) {
    const std::string target =
        std::string(vendor.folder) + ":" + machineOf(vendor);
    for (const VendorQuestion &question : vendor.questions) {
      if (!*question.machines) {
        EXPECT_EQ(answerOf(target, question.name), true) << question.name;
        EXPECT_EQ(answerOf("", question.name), false) << question.name;
      }
    }
    if (*vendor.atLeast) {
      EXPECT_EQ(answerOf(target, vendor.atLeast, 90), true);
      EXPECT_EQ(answerOf(target, vendor.atLeast, 91), false);
    }
    for (const LanguageExample &row : languageExamples()) {
      if (auto answer = answerOf(target, row.expected)) {
        SCOPED_TRACE(row.name + " on " + target);
        ExampleBuffers memory;
        ASSERT_NO_FATAL_FAILURE(runExample(row, target, memory));
        EXPECT_EQ(memory.out[0], *answer ? 1 : 0);
        yes += *answer;
      }
    }
  }
  EXPECT_GT(yes, 2u); // two vendors at least have questions
}

/// Machines of one vendor may have warps of different sizes.
TEST(LanguageTable, WarpSizesAreThoseOfAnArchitecture) {
  unsigned others = 0;
  for (const KnownVendor &vendor : knownVendors()) {
    EXPECT_EQ(warpSizeOf(vendor, "unknown"), vendor.warpSize);
    llvm::SmallVector<llvm::StringRef> words;
    llvm::SplitString(vendor.warpSizes, words, " ");
    for (llvm::StringRef word : words) {
      auto [size, beginning] = word.split('=');
      EXPECT_EQ(std::to_string(warpSizeOf(vendor, (beginning + "99").str())),
                size.str())
          << vendor.folder << ":" << beginning.str();
      EXPECT_NE(size.str(), std::to_string(vendor.warpSize));
      ++others;
    }
  }
  EXPECT_GT(others, 0u); // one vendor at least has two
}

TEST(LanguageTable, HoldsEveryNameOnce) {
  std::set<std::string> listed;
  for (const LanguageExample &row : languageExamples()) {
    EXPECT_TRUE(listed.insert(row.name).second) << row.name << " twice";
  }
  auto check = [&](llvm::StringRef module, const std::string &prefix) {
    for (auto &entry : languageBuiltins().module(module)->members) {
      std::string name = prefix + entry.getKey().str();
      EXPECT_TRUE(listed.count(name)) << name << " is not in the table";
    }
  };
  check("triton.language", "tl.");
  check("triton.language.extra.libdevice", "libdevice.");
  check("triton.language.target_info", "tl.target_info.");
}

} // namespace
