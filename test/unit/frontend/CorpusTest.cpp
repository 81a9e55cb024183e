//===- CorpusTest.cpp - replay of the fuzzer's corpus ---------------------===//
//
// What   Every file of the corpus and of the error tests, whole and cut off at
//        many places, through the whole frontend.
// Why    What the fuzzer has found stays found, without a fuzzer's build.
//
//===----------------------------------------------------------------------===//
#include "test/unit/frontend/AnyInput.h"
#include "test/unit/frontend/KernelFile.h"

#include <gtest/gtest.h>

using namespace tz::frontend::test;

namespace {

TEST(Corpus, EveryFileKeepsTheRules) {
  for (const char *folder :
       {"test/fuzz/frontend/corpus/frontend", "test/frontend/errors"}) {
    for (const std::string &path : kernelFiles(folder)) {
      EXPECT_EQ(runAnyInput(readText(path)), "") << path;
    }
  }
}

TEST(Corpus, CutOffFilesKeepTheRules) {
  for (const std::string &path : kernelFiles("test/frontend/errors")) {
    std::string text = readText(path);
    for (size_t size = 7; size < text.size(); size += text.size() / 9 + 1) {
      EXPECT_EQ(runAnyInput(llvm::StringRef(text).take_front(size)), "")
          << path << " cut at " << size;
    }
  }
}

} // namespace
