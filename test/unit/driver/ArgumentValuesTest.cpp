//===- ArgumentValuesTest.cpp - what --arg says, and elements of buffers --===//
//
// What   Each form of an argument, each mistake, conversions of elements.
// Why    These texts are the first that a user gets wrong.
//===----------------------------------------------------------------------===//
#include "core/arguments/Elements.h"

#include <cmath>
#include <gtest/gtest.h>

namespace {

using namespace tz::tool;
using tz::runtime::Result;
using tz::runtime::Status;

Result<int64_t> noNames(std::string_view name) {
  return Status(TZ_E_INVALID_ARGUMENT, "no name '" + std::string(name) + "'");
}

ArgumentText parse(std::string_view text) {
  Result<ArgumentText> result = parseArgument(text);
  EXPECT_TRUE(result.ok()) << result.status().message();
  return result ? *result : ArgumentText();
}

std::string error(std::string_view text) {
  Result<ArgumentText> result = parseArgument(text);
  EXPECT_FALSE(result.ok()) << text;
  return result.status().message();
}

TEST(Values, ReadsEachFormOfAnArgument) {
  ArgumentText x = parse("x=randn:f32[4096,2*n]");
  EXPECT_EQ(x.kind, ArgumentText::Buffer);
  EXPECT_EQ(x.type, uint32_t(TZ_TYPE_F32));
  EXPECT_EQ(x.sizes, (std::vector<std::string>{"4096", "2*n"}));
  EXPECT_EQ(parse("x=full(0.5):bf16[8]").details,
            std::vector<std::string>{"0.5"});
  EXPECT_EQ(parse("x=randint:i32[8]:0:64").details,
            (std::vector<std::string>{"0", "64"}));
  EXPECT_EQ(parse("x=randint(0,64):i32[8]").details,
            (std::vector<std::string>{"0", "64"}));
  EXPECT_EQ(parse("x=values:i32[7,8,9]").sizes, std::vector<std::string>{"3"});
  EXPECT_EQ(parse("p=ptrs:a0,a1").targets,
            (std::vector<std::string>{"a0", "a1"}));
  EXPECT_EQ(parse("n=i32:cdiv(m,4)").value, "cdiv(m,4)");
  EXPECT_EQ(parse("n=12").type, 0u);
  EXPECT_EQ(parse("b=None").kind, ArgumentText::None);
  ArgumentText type = parse("x=*fp16:16");
  EXPECT_EQ(type.kind, ArgumentText::Type);
  EXPECT_TRUE(type.isPointer && type.isDivisible);
  EXPECT_EQ(type.type, uint32_t(TZ_TYPE_F16));
}

TEST(Values, SaysWhatIsWrongAndHowToWriteIt) {
  EXPECT_EQ(error("x"), "--arg 'x': write NAME=VALUE");
  EXPECT_NE(error("x=").find("a value is missing"), std::string::npos);
  EXPECT_NE(error("x=randn").find("randn:f32[1024]"), std::string::npos);
  EXPECT_NE(error("x=randn:f32").find("sizes of the buffer are missing"),
            std::string::npos);
  EXPECT_NE(error("x=randn:f31[4]").find("no type 'f31'; there are bool i8"),
            std::string::npos);
  EXPECT_NE(error("x=rand:f32[4]").find("no initialiser 'rand'"),
            std::string::npos);
  EXPECT_NE(error("x=full:f32[4]").find("full(0.5):f32[1024]"),
            std::string::npos);
  EXPECT_NE(error("x=zeros(1):f32[4]").find("takes no values"),
            std::string::npos);
  EXPECT_NE(error("p=ptrs:a0,").find("is no name of a buffer"),
            std::string::npos);
}

TEST(Values, RefusesScalarsThatDoNotFit) {
  EXPECT_EQ(*scalarBits(TZ_TYPE_I32, "-1", noNames), uint64_t(-1));
  EXPECT_EQ(scalarBits(TZ_TYPE_I8, "128", noNames).status().code(),
            TZ_E_OUT_OF_RANGE);
  EXPECT_EQ(scalarBits(TZ_TYPE_U8, "-1", noNames).status().code(),
            TZ_E_OUT_OF_RANGE);
  EXPECT_EQ(*scalarBits(TZ_TYPE_I64, "-9223372036854775808", noNames),
            uint64_t(1) << 63);
  EXPECT_EQ(*scalarBits(TZ_TYPE_U64, "18446744073709551615", noNames),
            UINT64_MAX);
  EXPECT_EQ(scalarBits(TZ_TYPE_U64, "-1", noNames).status().code(),
            TZ_E_OUT_OF_RANGE);
  EXPECT_FALSE(scalarBits(TZ_TYPE_I32, "0.5", noNames).ok());
  EXPECT_EQ(*scalarBits(TZ_TYPE_F32, "0.5", noNames), 0x3f000000u);
}

TEST(Elements, RoundTripEveryNarrowFloat) {
  for (uint32_t type : {TZ_TYPE_F8E4M3FN, TZ_TYPE_F8E5M2, TZ_TYPE_F8E4M3FNUZ,
                        TZ_TYPE_F8E5M2FNUZ, TZ_TYPE_F16, TZ_TYPE_BF16}) {
    unsigned codes = type == TZ_TYPE_F16 || type == TZ_TYPE_BF16 ? 65536 : 256;
    for (unsigned code = 0; code < codes; ++code) {
      uint16_t bits = uint16_t(code);
      double value = decodeElement(type, &bits);
      if (!std::isnan(value)) {
        EXPECT_EQ(encodeElement(type, value), code) << type;
      }
    }
  }
}

TEST(Elements, FillIsTheSameForASeed) {
  ArgumentText x = parse("x=randn:f32[1000]");
  auto a = fillBuffer(x, 1000, 7, noNames), b = fillBuffer(x, 1000, 7, noNames);
  auto c = fillBuffer(x, 1000, 8, noNames);
  ASSERT_TRUE(a.ok() && b.ok() && c.ok());
  EXPECT_EQ(*a, *b);
  EXPECT_NE(*a, *c);
  double sum = 0, squares = 0;
  for (int i = 0; i < 1000; ++i) {
    double v = decodeElement(TZ_TYPE_F32, a->data() + 4 * i);
    sum += v;
    squares += v * v;
  }
  EXPECT_LT(std::abs(sum / 1000), 0.15);
  EXPECT_NEAR(squares / 1000, 1.0, 0.15);
}

TEST(Elements, RandintStaysInItsRange) {
  ArgumentText x = parse("x=randint(-3,4):i8[4096]");
  auto bytes = fillBuffer(x, 4096, 1, noNames);
  ASSERT_TRUE(bytes.ok());
  std::set<int> seen;
  for (uint8_t byte : *bytes) {
    seen.insert(int8_t(byte));
  }
  EXPECT_EQ(seen, (std::set<int>{-3, -2, -1, 0, 1, 2, 3}));
  EXPECT_FALSE(fillBuffer(parse("x=randint(4,4):i8[4]"), 4, 1, noNames).ok());
}

} // namespace
