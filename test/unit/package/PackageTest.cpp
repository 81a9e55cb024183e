//===- PackageTest.cpp - the installed package, from outside --------------===//
//
// What   Runs the script of its build: package.sh or tutorials.sh.
// Why    So that it counts among the tests like any other.
//===----------------------------------------------------------------------===//
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>

namespace {

bool passes(const std::string &more) {
  const std::string command =
      "sh " TZ_TEST_SOURCE "/test/unit/package/" TZ_TEST_SCRIPT
      " " TZ_TEST_SOURCE " " TZ_TEST_BUILD " " TZ_TEST_CC " " TZ_TEST_CXX " " +
      more;
  return std::system(command.c_str()) == 0;
}

TEST(Package, AStrangersPluginAndProgramBuildAndRun) {
  EXPECT_TRUE(passes(""));
}

#ifdef TZ_TEST_LONG
TEST(Package, WhatTakesMinutes) {
  if (!std::getenv("TERRAZZO_TEST_LONG")) {
    GTEST_SKIP() << "ci/nightly runs it (--parts tutorials)";
  }
  EXPECT_TRUE(passes(TZ_TEST_LONG));
}
#endif

} // namespace
