//===- ExpressionTest.cpp - integer expressions of the command line -------===//
//
// What   Values, precedence, and one case for each error.
// Why    A wrong grid launches the wrong programs.
//===----------------------------------------------------------------------===//
#include "core/arguments/Expression.h"

#include <gtest/gtest.h>

namespace {

using namespace tz::tool;
using tz::runtime::Result;
using tz::runtime::Status;

Result<int64_t> lookup(std::string_view name) {
  if (name == "n") {
    return int64_t(1000);
  }
  if (name == "BLOCK") {
    return int64_t(64);
  }
  return Status(TZ_E_INVALID_ARGUMENT,
                "no argument '" + std::string(name) + "'");
}

int64_t value(std::string_view text) {
  Result<int64_t> result = evaluate(text, lookup);
  EXPECT_TRUE(result.ok()) << result.status().message();
  return result ? *result : INT64_MIN;
}

std::string error(std::string_view text) {
  Result<int64_t> result = evaluate(text, lookup);
  EXPECT_FALSE(result.ok()) << text << " = " << *result;
  return result.status().message();
}

TEST(Expression, FollowsPythonsArithmetic) {
  EXPECT_EQ(value("1 + 2 * 3"), 7);
  EXPECT_EQ(value("(1 + 2) * 3"), 9);
  EXPECT_EQ(value("-7 // 2"), -4);
  EXPECT_EQ(value("-7 % 2"), 1);
  EXPECT_EQ(value("7 - 2 - 1"), 4);
  EXPECT_EQ(value("0x10 + 1_000"), 1016);
}

TEST(Expression, KnowsNamesAndFunctions) {
  EXPECT_EQ(value("cdiv(n, BLOCK)"), 16);
  EXPECT_EQ(value("cdiv(n,BLOCK)*cdiv(n, 2*BLOCK)"), 128);
  EXPECT_EQ(value("next_power_of_2(n)"), 1024);
  EXPECT_EQ(value("next_power_of_2(1024)"), 1024);
  EXPECT_EQ(value("min(3, n, 2) + max(1, 5)"), 7);
  EXPECT_EQ(value("cdiv(-3, 2)"), -1);
}

TEST(Expression, ComparesAsPythonDoes) {
  EXPECT_EQ(value("n % BLOCK == 0"), 0);
  EXPECT_EQ(value("1 < n <= 1000"), 1);
  EXPECT_EQ(value("1 < n < 1000"), 0);
  EXPECT_EQ(value("not n > 5 or BLOCK != 64"), 0);
  EXPECT_EQ(value("n and BLOCK"), 64);
  EXPECT_EQ(value("0 or BLOCK"), 64);
  EXPECT_EQ(value("(n > 5) + 1"), 2);
  EXPECT_EQ(value("abs(-3)"), 3);
  auto isTruth = [](std::string_view text) {
    Result<ExpressionValue> made = evaluateValue(text, lookup);
    return made && made->isTruth;
  };
  EXPECT_TRUE(isTruth("n % BLOCK == 0"));
  EXPECT_TRUE(isTruth("not n"));
  EXPECT_TRUE(isTruth("True"));
  EXPECT_TRUE(isTruth("(n == 3)"));
  EXPECT_FALSE(isTruth("1 + (n == 3)"));
  EXPECT_FALSE(isTruth("-(n == 3)"));
  EXPECT_FALSE(isTruth("max(n == 3, 2)"));
  EXPECT_FALSE(isTruth("n"));
  EXPECT_NE(error("n = 3").find("'=' is not expected"), std::string::npos);
  EXPECT_NE(error("n ==").find("is missing"), std::string::npos);
}

TEST(Expression, NamesTheColumnOfAnError) {
  EXPECT_EQ(error("n + m"), "in 'n + m', column 5: no argument 'm'");
  EXPECT_EQ(error("(n"), "in '(n', column 3: ')' is missing");
  EXPECT_EQ(error("n n"), "in 'n n', column 3: 'n' is not expected here");
  EXPECT_NE(error("").find("is missing"), std::string::npos);
  EXPECT_NE(error("1.5").find("an integer is wanted"), std::string::npos);
  EXPECT_NE(error("cdiv(1)").find("cdiv takes 2 values"), std::string::npos);
  EXPECT_NE(error("foo(1)").find("no function 'foo'"), std::string::npos);
}

TEST(Expression, IsTotal) {
  EXPECT_NE(error("n // 0").find("division by zero"), std::string::npos);
  EXPECT_NE(error("n % 0").find("division by zero"), std::string::npos);
  EXPECT_NE(error("9223372036854775807 + 1").find("64 bits"),
            std::string::npos);
  EXPECT_NE(error("99999999999999999999").find("64 bits"), std::string::npos);
  EXPECT_NE(error(std::string(100000, '(')).find("too deeply"),
            std::string::npos);
  EXPECT_NE(error(std::string(100000, '-')).find("too deeply"),
            std::string::npos);
  EXPECT_NE(error("abs(-9223372036854775807 - 1)").find("64 bits"),
            std::string::npos);
}

TEST(Expression, HasAllNumbersOf64Bits) {
  EXPECT_EQ(value("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(value("-0x8000000000000000"), INT64_MIN);
  EXPECT_EQ(value("9223372036854775808 - 1"), INT64_MAX);
  EXPECT_EQ(value("-9223372036854775808 // 2"), INT64_MIN / 2);
  EXPECT_NE(error("9223372036854775808").find("64 bits"), std::string::npos);
  EXPECT_NE(error("-9223372036854775808 // -1").find("64 bits"),
            std::string::npos);
  EXPECT_NE(error("-9223372036854775809").find("64 bits"), std::string::npos);
  EXPECT_EQ(*evaluateUnsigned("18446744073709551615", lookup), UINT64_MAX);
  EXPECT_FALSE(evaluateUnsigned("18446744073709551616", lookup).ok());
  EXPECT_FALSE(evaluateUnsigned("-1", lookup).ok());
}

TEST(Expression, SplitsOutsideOfBrackets) {
  EXPECT_EQ(splitList("cdiv(a,b), 2"),
            (std::vector<std::string>{"cdiv(a,b)", "2"}));
  EXPECT_EQ(splitList("randn:f32[2,3]:x", ':'),
            (std::vector<std::string>{"randn", "f32[2,3]", "x"}));
}

} // namespace
