//===- PackageTest.cpp - the installed package, from outside --------------===//
//
// What   Runs the script of its build: package.sh or tutorials.sh.
// Why    So that it counts among the tests like any other.
//===----------------------------------------------------------------------===//
#include <cstdlib>
#include <gtest/gtest.h>

TEST(Package, AStrangersPluginAndProgramBuildAndRun) {
  std::string command =
      std::string("sh " TZ_TEST_SOURCE "/test/unit/package/" TZ_TEST_SCRIPT) +
      " " + TZ_TEST_SOURCE " " TZ_TEST_BUILD " " TZ_TEST_CC " " TZ_TEST_CXX;
  EXPECT_EQ(std::system(command.c_str()), 0);
}
