//===- DebuggerExpressionTest.cpp - expressions of the debugger -----------===//
//
// What   Values, precedence, shapes, and one case for each error.
// Why    A wrong value in a debugger sends people the wrong way.
//===----------------------------------------------------------------------===//
#include "core/debugger/DebuggerExpression.h"

#include <gtest/gtest.h>

namespace {

using namespace tz::tool;
using tz::runtime::Result;
using tz::runtime::Status;

/// row = 3, x = [[1, 2, 3], [4, 5, 6]] of floats, c = [10, 20, 30].
Result<DebugValue> lookup(llvm::StringRef name, llvm::StringRef suffix) {
  DebugValue value;
  if (name == "row") {
    return DebugValue::integer(3);
  }
  if (name == "x" && suffix.empty()) {
    value.kind = DebugValue::Float;
    value.shape = {2, 3};
    value.floats = {1, 2, 3, 4, 5, 6};
    return value;
  }
  if (name == "x" && suffix == "[0, 1:3].part") {
    return DebugValue::integer(77);
  }
  if (name == "c" && suffix.empty()) {
    value.kind = DebugValue::Integer;
    value.shape = {3};
    value.integers = {10, 20, 30};
    return value;
  }
  if (name == "program_id" && suffix == "(2)") {
    return DebugValue::integer(5);
  }
  return Status(TZ_E_INVALID_ARGUMENT, "no '" + name.str() + "'");
}

DebugValue value(llvm::StringRef text) {
  Result<DebugValue> made = evaluateDebug(text, lookup);
  EXPECT_TRUE(made.ok()) << text.str() << ": " << made.status().message();
  return made ? *made : DebugValue();
}

int64_t integer(llvm::StringRef text) {
  DebugValue made = value(text);
  EXPECT_EQ(made.kind, DebugValue::Integer) << text.str();
  return made.integers.size() == 1 ? made.integers[0] : INT64_MIN;
}

bool holds(llvm::StringRef text) {
  DebugValue made = value(text);
  EXPECT_EQ(made.kind, DebugValue::Boolean) << text.str();
  return made.count() == 1 && made.isTrue(0);
}

std::string error(llvm::StringRef text) {
  Result<DebugValue> made = evaluateDebug(text, lookup);
  EXPECT_FALSE(made.ok()) << text.str();
  return made.status().message();
}

TEST(DebuggerExpression, FollowsPythonsPrecedence) {
  EXPECT_EQ(integer("1 + 2 * row"), 7);
  EXPECT_EQ(integer("-7 // 2"), -4);
  EXPECT_EQ(integer("-7 % 2"), 1);
  EXPECT_EQ(integer("7 - 2 - 1"), 4);
  EXPECT_EQ(integer("~row & 0xff"), 252);
  EXPECT_EQ(integer("1 | 3 ^ 3"), 1);
  EXPECT_EQ(integer("1 ^ 3 & 2"), 3);
  EXPECT_EQ(value("row / 2").floats[0], 1.5);
  EXPECT_EQ(value("1.5e-3 * 2").floats[0], 0.003);
  EXPECT_TRUE(holds("not row == 2 and row > 1 or False"));
  EXPECT_TRUE(holds("not not True"));
  EXPECT_TRUE(holds("3 > 2 > 1"));
  EXPECT_TRUE(holds("2 < row <= 3 != 4"));
  EXPECT_FALSE(holds("1 < 2 < 2"));
  EXPECT_EQ(integer("program_id(1 + 1)"), 5);
  EXPECT_EQ(integer("%row + x[0, 1:3].part"), 80);
}

TEST(DebuggerExpression, BroadcastsTiles) {
  const DebugValue sum = value("x * 10 + c");
  EXPECT_EQ(sum.kind, DebugValue::Float);
  EXPECT_EQ(sum.floats, (std::vector<double>{20, 40, 60, 50, 70, 90}));
  EXPECT_EQ(value("c > 15").integers, (std::vector<int64_t>{0, 1, 1}));
  EXPECT_EQ(value("-x").floats[5], -6);
  EXPECT_EQ(value("~(c > 15)").integers, (std::vector<int64_t>{1, 0, 0}));
}

TEST(DebuggerExpression, HasFunctions) {
  EXPECT_TRUE(holds("any(x > 5) and all(x > 0)"));
  EXPECT_EQ(integer("sum(c)"), 60);
  EXPECT_EQ(value("mean(x)").floats[0], 3.5);
  EXPECT_EQ(integer("max(c) - min(c)"), 20);
  EXPECT_EQ(integer("max(9007199254740993, 9007199254740992)"),
            9007199254740993);
  EXPECT_EQ(integer("abs(-row)"), 3);
  EXPECT_EQ(value("sqrt(x)").floats[3], 2);
  EXPECT_FALSE(holds("any(isnan(x)) or any(isinf(x))"));
}

TEST(DebuggerExpression, NamesTheColumnOfAnError) {
  EXPECT_EQ(error("row + nothing"),
            "in 'row + nothing', column 7: no 'nothing'");
  EXPECT_EQ(error("x + c[0"), "in 'x + c[0', column 5: no 'c'");
  EXPECT_NE(error("(row").find("')' is missing"), std::string::npos);
  EXPECT_NE(error("row row").find("'r' is not expected"), std::string::npos);
  EXPECT_NE(error("").find("is missing"), std::string::npos);
  EXPECT_NE(error("1.2.3").find("is no number"), std::string::npos);
  EXPECT_NE(error("foo(1)").find("no function 'foo' of 1 value;"),
            std::string::npos);
  EXPECT_NE(error("x & 1").find("'&' takes integers"), std::string::npos);
}

TEST(DebuggerExpression, IsTotal) {
  EXPECT_NE(error("row // 0").find("division by zero"), std::string::npos);
  EXPECT_NE(error("c % (row - 3)").find("division by zero"), std::string::npos);
  EXPECT_NE(error("9223372036854775807 + 1").find("64 bits"),
            std::string::npos);
  EXPECT_NE(error("abs(-9223372036854775807 - 1)").find("64 bits"),
            std::string::npos);
  for (const char *piece : {"(", "-", "not ", "abs("}) {
    std::string text;
    for (int i = 0; i < 100000; ++i) {
      text += piece;
    }
    EXPECT_NE(error(text).find("too deeply"), std::string::npos) << piece;
  }
}

TEST(DebuggerExpression, IsCheckedWithoutValues) {
  EXPECT_TRUE(checkDebugExpression("pid == 3 and any(x[0] // y > 1)").ok());
  EXPECT_FALSE(checkDebugExpression("pid ==").ok());
  EXPECT_TRUE(isPlainName("pair[1].field"));
  EXPECT_TRUE(isPlainName("%q#1"));
  EXPECT_FALSE(isPlainName("pair[1] + 1"));
  EXPECT_FALSE(isPlainName("3"));
  EXPECT_FALSE(isPlainName("sum(x)"));
}

} // namespace
