//===- InlineAssemblyTest.cpp - text of instructions as operations --------===//
//
// What   Texts of several instructions, run in the reference interpreter and
//        compared with plain C++.
// Why    What is read must mean what the machine that the text is for does:
//        predicates, bits seen as other types, NaN, widths.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/assembly/InlineAssembly.h"

#include "test/unit/frontend/RunText.h"

#include <cmath>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

using namespace tz::frontend;
using namespace tz::frontend::test;
using testing::ElementsAre;
using tz::interpreter::ArgValue;

namespace {

constexpr float Nan = std::numeric_limits<float>::quiet_NaN();

TEST(InlineAssembly, Parses) {
  auto found = parseAssembly("{ .reg .pred p, q<2>; // declared; twice\n"
                             "@!p add.f32 $0, a, -1.5;\n"
                             "/* nothing; */ mov.b32 t, $1; }");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].predicate, "p");
  EXPECT_TRUE(found[0].negated);
  EXPECT_EQ(found[0].opcode, "add.f32");
  EXPECT_THAT(found[0].operands, ElementsAre("$0", "a", "-1.5"));
  EXPECT_EQ(found[1].opcode, "mov.b32");
  EXPECT_THAT(found[1].operands, ElementsAre("t", "$1"));
  // A line each, without ';'.
  EXPECT_EQ(parseAssembly("v_exp_f32 $0, $1\nv_log_f32 $0, $0\n").size(), 2u);
  EXPECT_EQ(parseAssembly("/* no end").size(), 0u);
  EXPECT_EQ(parseAssembly("// no end").size(), 0u);
}

TEST(InlineAssembly, PredicatesSelect) {
  const char *text = R"py(
TEXT: tl.constexpr = """{
    .reg .pred large;
    setp.ge.f32 large, $1, 0f40800000;   // 4.0
    @large  mul.f32 $0, $1, 10.0;
    @!large ex2.approx.ftz.f32 $0, $1;
    @!large add.f32 $0, $0, 1.0;
}"""

@triton.jit
def k(o, p):
    i = tl.arange(0, 4)
    x = tl.load(p + i)
    tl.store(o + i, tl.inline_asm_elementwise(TEXT, "=f,f", [x], tl.float32, True, 1))
)py";
  std::vector<float> in{2, 4, -1, Nan}, out(4);
  runText(text, "k o=*fp32 p=*fp32",
          {ArgValue::pointer(out.data()), ArgValue::pointer(in.data())});
  EXPECT_FLOAT_EQ(out[0], 5);
  EXPECT_FLOAT_EQ(out[1], 40);
  EXPECT_FLOAT_EQ(out[2], 1.5);
  EXPECT_TRUE(std::isnan(out[3]));
}

TEST(InlineAssembly, BitsOfIntegers) {
  const char *text = R"py(
@triton.jit
def k(o, p):
    i = tl.arange(0, 4)
    x = tl.load(p + i)
    a, b, c = tl.inline_asm_elementwise("""
        .reg .b32 high, low;
        shr.u32 high, $3, 16;
        shl.b32 low, $3, 16;
        or.b32 $0, high, low;
        mad.lo.s32 $1, $3, 3, -1;
        shr.s32 $2, $3, 40;
        """, "=r,=r,=r,r", [x], [tl.uint32, tl.int32, tl.int32], True, 1)
    tl.store(o + i, a.to(tl.int32, bitcast=True))
    tl.store(o + 4 + i, b)
    tl.store(o + 8 + i, c)
    less, below, mixed = tl.inline_asm_elementwise("""
        .reg .pred p, q, r;
        setp.lt.s32 p, $3, 1;
        setp.lo.u32 q, $3, 0x1;
        xor.pred r, p, q;
        selp.b32 $0, 1, 0, p;
        selp.b32 $1, 1, 0, q;
        selp.s32 $2, $3, 0b101, r;
        """, "=r,=r,=r,r", [x], [tl.int32, tl.int32, tl.int32], True, 1)
    tl.store(o + 12 + i, less * 2 + below)
    tl.store(o + 16 + i, mixed)
    tl.store(o + 20 + i, tl.inline_asm_elementwise(
        "abs.s32 $0, $1; neg.s32 $0, $0; max.s32 $0, $0, -100; not.b32 $0, $0;",
        "=r,r", [x], tl.int32, True, 1))
)py";
  std::vector<int32_t> in{0, 1, -2, 0x12345678}, out(24);
  runText(text, "k o=*i32 p=*i32",
          {ArgValue::pointer(out.data()), ArgValue::pointer(in.data())});
  for (int i = 0; i < 4; ++i) {
    uint32_t bits = uint32_t(in[i]);
    EXPECT_EQ(uint32_t(out[i]), bits >> 16 | bits << 16);
    EXPECT_EQ(uint32_t(out[4 + i]), bits * 3 - 1);
    EXPECT_EQ(out[8 + i], in[i] < 0 ? -1 : 0);
    bool less = in[i] < 1, below = bits < 1;
    EXPECT_EQ(out[12 + i], less * 2 + below);
    EXPECT_EQ(out[16 + i], less != below ? in[i] : 5);
    EXPECT_EQ(out[20 + i], ~std::max(-std::abs(in[i]), -100));
  }
}

TEST(InlineAssembly, ComparisonsOfNaN) {
  const char *text = R"py(
@triton.jit
def k(o, p):
    i = tl.arange(0, 2)
    x = tl.load(p + i)
    ne, neu, lt, ltu = tl.inline_asm_elementwise("""
        .reg .pred p;
        setp.ne.f32 p, $4, 1.0;      selp.u32 $0, 1, 0, p;
        setp.neu.f32 p, $4, 1.0;     selp.u32 $1, 1, 0, p;
        setp.lt.ftz.f32 p, $4, 0f80000000; selp.u32 $2, 1, 0, p;
        setp.ltu.f32 p, $4, 0.0;     selp.u32 $3, 1, 0, p;
        """, "=r,=r,=r,=r,f", [x], [tl.int32, tl.int32, tl.int32, tl.int32], True, 1)
    tl.store(o + i, ne * 8 + neu * 4 + lt * 2 + ltu)
    tl.store(p + i, tl.inline_asm_elementwise("max.NaN.f32 $0, $1, 3.0; min.f32 $0, $0, 7.0;",
                                              "=f,f", [x], tl.float32, True, 1))
)py";
  std::vector<float> in{Nan, 2};
  std::vector<int32_t> out(2);
  runText(text, "k o=*i32 p=*fp32",
          {ArgValue::pointer(out.data()), ArgValue::pointer(in.data())});
  EXPECT_THAT(out, ElementsAre(5, 12));
  EXPECT_THAT(in, ElementsAre(7, 3)); // min gives the number
}

TEST(InlineAssembly, LargerMagnitudes) {
  const char *text = R"py(
@triton.jit
def k(o, p):
    i = tl.arange(0, 4)
    x = tl.load(p + i)
    y = tl.load(p + 3 - i)
    a, b = tl.inline_asm_elementwise("""
        max.NaN.xorsign.abs.f32 $0, $2, $3;
        min.xorsign.abs.f32 $1, $2, $3;
    """, "=f,=f,f,f", [x, y], [tl.float32, tl.float32], True, 1)
    tl.store(o + i, a)
    tl.store(o + 4 + i, b)
)py";
  std::vector<float> in{2, -4, -1, Nan}, out(8);
  runText(text, "k o=*fp32 p=*fp32",
          {ArgValue::pointer(out.data()), ArgValue::pointer(in.data())});
  EXPECT_TRUE(std::isnan(out[0]) && std::isnan(out[3]));
  EXPECT_EQ(out[1], 4);
  EXPECT_EQ(out[2], 4);
  EXPECT_EQ(std::abs(out[4]), 2);
  EXPECT_EQ(out[5], 1);
  EXPECT_EQ(std::abs(out[7]), 2);
}

TEST(InlineAssembly, PermutesByARegister) {
  const char *text = R"py(
@triton.jit
def k(o, p):
    i = tl.arange(0, 4)
    a, b = tl.inline_asm_elementwise("""
        .reg .b32 s;
        mov.u32 s, 0xf8152;
        prmt.b32 $0, $2, $3, s;
        prmt.b32 $1, $2, $3, 0x8152;
    """, "=r,=r,r,r", [tl.load(p + i), tl.load(p + 3 - i)], [tl.int32, tl.int32], True, 1)
    tl.store(o + i, a)
    tl.store(o + 4 + i, b)
)py";
  std::vector<uint32_t> in{0x11223344, 0x80ff7f01, 0xa0b0c0d0, 0}, out(8);
  runText(text, "k o=*i32 p=*i32",
          {ArgValue::pointer(out.data()), ArgValue::pointer(in.data())});
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(out[i], out[4 + i]);
  }
  // Bytes 2, 5 (1 of the second), 1, and the sign of byte 0.
  EXPECT_EQ(out[0], 0x00330022u);
  EXPECT_EQ(out[1], 0x007fc0ffu);
}

TEST(InlineAssembly, Conversions) {
  const char *text = R"py(
@triton.jit
def k(o, p):
    i = tl.arange(0, 4)
    x = tl.load(p + i)
    half = tl.inline_asm_elementwise("cvt.rn.f16.f32 $0, $1;", "=h,f", [x], tl.int16, True, 1)
    tl.store(o + i, half.to(tl.float16, bitcast=True).to(tl.float32))
    down = tl.inline_asm_elementwise("cvt.rz.bf16.f32 $0, $1;", "=h,f", [x], tl.bfloat16, True, 1)
    tl.store(o + 4 + i, down.to(tl.float32))
    pair = tl.inline_asm_elementwise(
        "{ .reg .b16 two; cvt.rn.satfinite.e4m3x2.f32 two, $2, $1; cvt.u32.u16 $0, two; }", "=r,f,f",
        [x, 1.0], tl.int32, True, 1)
    tl.store(o + 8 + i, pair.to(tl.float32))
    whole = tl.inline_asm_elementwise("cvt.rni.s32.f32 $0, $1; cvt.rn.f32.s32 $0, $0;", "=r,f", [x], tl.float32, True, 1)
    tl.store(o + 12 + i, whole)
    cut = tl.inline_asm_elementwise("cvt.rzi.s32.f32 $0, $1;", "=r,f", [x], tl.int16, True, 1)
    tl.store(o + 16 + i, cut.to(tl.float32))
    bits = tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,f", [x], tl.uint32, True, 1)
    back = tl.inline_asm_elementwise("and.b32 $0, $1, 0x7fffffffU;", "=f,r", [bits], tl.float32, True, 1)
    tl.store(o + 20 + i, back)
)py";
  std::vector<float> in{1.75f, -2.5f, 1000, 0.1f}, out(24);
  runText(text, "k o=*fp32 p=*fp32",
          {ArgValue::pointer(out.data()), ArgValue::pointer(in.data())});
  EXPECT_FLOAT_EQ(out[3], 0.099975586f);
  EXPECT_FLOAT_EQ(out[7], 0.099609375f);
  // 1.0 is 0x38; the first operand is above. 448 is the largest.
  EXPECT_THAT(std::vector<float>(out.begin() + 8, out.begin() + 12),
              ElementsAre(0x383e, 0x38c2, 0x387e, 0x381d));
  EXPECT_THAT(std::vector<float>(out.begin() + 12, out.begin() + 16),
              ElementsAre(2, -2, 1000, 0));
  EXPECT_THAT(std::vector<float>(out.begin() + 16, out.begin() + 20),
              ElementsAre(1, -2, 1000, 0));
  EXPECT_THAT(std::vector<float>(out.begin() + 20, out.end()),
              ElementsAre(1.75f, 2.5f, 1000, 0.1f));
}

TEST(InlineAssembly, OperandsOfSeveralShapes) {
  const char *text = R"py(
@triton.jit
def k(o, p, s):
    i = tl.arange(0, 4)
    x = tl.load(p + i)
    sums = tl.inline_asm_elementwise("sub.rn.f32 $0, $1, $2; div.rn.f32 $0, $0, $3; neg.f32 $0, $0;",
                                     "=f,f,f,f", [x[:, None], tl.load(p + i)[None, :], s], [tl.float32], True, 1)[0]
    tl.store(o + i[:, None] * 4 + i[None, :], sums)
    # A result of no operand is one for all.
    tl.store(o + 16 + i, tl.inline_asm_elementwise("mov.f32 $0, 2.0;", "=f,f", [x], tl.float32, True, 1))
)py";
  std::vector<float> in{1, 2, 3, 5}, out(20);
  runText(text, "k o=*fp32 p=*fp32 s=fp32",
          {ArgValue::pointer(out.data()), ArgValue::pointer(in.data()),
           ArgValue::f32(2)});
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(out[i], (in[i % 4] - in[i / 4]) / 2);
  }
  EXPECT_EQ(out[19], 2);
}

} // namespace
