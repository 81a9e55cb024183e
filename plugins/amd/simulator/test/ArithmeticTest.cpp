//===- ArithmeticTest.cpp - single instructions ---------------------------===//
//
// What   Runs instructions from their text, on registers that the test fills.
//===----------------------------------------------------------------------===//
#include "plugins/amd/simulator/execute/Operands.h"

#include <gtest/gtest.h>
#include <limits>

namespace tz::amd::sim {

namespace {

class ArithmeticTest : public testing::Test, public Environment {
protected:
  ArithmeticTest()
      : Environment(*findMachine("gfx942"), ownMemory, ownReport),
        wave(*this, group, 0, 64) {
    wave.setScalar64(scalar::Exec, ~uint64_t{0});
    wave.setScalar64(scalar::Vcc, 0);
    wave.setScc(false);
  }
  void found(const Wave &, Found, std::string message) override {
    messages += message;
  }

  void run(std::string_view text) {
    auto in = readInstruction(text);
    in->row = findRow(in->name);
    ASSERT_TRUE(in->row) << in->name;
    wave.current = in.get();
    wave.tainted = false;
    in->row->run(wave, *in);
  }
  /// Lane 0 of v0 after the instruction, with a, b and c in v1, v2 and v3.
  template <typename T, typename A = T, typename B = T, typename C = T>
  T vector(std::string_view text, A a, B b = {}, C c = {}) {
    put(1, a);
    put(sizeof(A) == 8 ? 3 : 2, b);
    put(sizeof(A) == 8 ? 5 : 3, c);
    run(text);
    return get<T>(0);
  }
  template <typename T>
  void put(unsigned at, T value, unsigned lane = 0) {
    const uint64_t bits = std::bit_cast<BitsOf<sizeof(T)>>(value);
    wave.setVector(at, lane, uint32_t(bits));
    if (sizeof(T) == 8) {
      wave.setVector(at + 1, lane, uint32_t(bits >> 32));
    }
  }
  template <typename T>
  T get(unsigned at, unsigned lane = 0) {
    uint64_t bits = wave.vector(at, lane);
    if (sizeof(T) == 8) {
      bits |= uint64_t{wave.vector(at + 1, lane)} << 32;
    }
    return std::bit_cast<T>(BitsOf<sizeof(T)>(bits));
  }
  uint32_t scalar32(std::string_view text, uint32_t a, uint32_t b = 0) {
    wave.setScalar(1, a);
    wave.setScalar(2, b);
    run(text);
    return wave.scalars[0];
  }

  Memory ownMemory;
  Report ownReport;
  Group group;
  Wave wave;
  std::string messages;
};

using U = uint32_t;
using I = int32_t;
using F = float;

TEST_F(ArithmeticTest, ScalarSumsSetTheCarry) {
  EXPECT_EQ(scalar32("s_add_u32 s0, s1, s2", 0xFFFFFFFF, 2), 1u);
  EXPECT_TRUE(wave.scc());
  EXPECT_EQ(scalar32("s_addc_u32 s0, s1, s2", 1, 2), 4u);
  EXPECT_FALSE(wave.scc());
  EXPECT_EQ(scalar32("s_sub_u32 s0, s1, s2", 1, 2), 0xFFFFFFFFu);
  EXPECT_TRUE(wave.scc());
  EXPECT_EQ(scalar32("s_add_i32 s0, s1, s2", 0x7FFFFFFF, 1), 0x80000000u);
  EXPECT_TRUE(wave.scc());
  EXPECT_EQ(scalar32("s_sub_i32 s0, s1, s2", 5, 7), 0xFFFFFFFEu);
  EXPECT_FALSE(wave.scc());
}

TEST_F(ArithmeticTest, ScalarBits) {
  EXPECT_EQ(scalar32("s_bfe_u32 s0, s1, 0x80004", 0xABCDE), 0xCDu);
  EXPECT_EQ(scalar32("s_bfe_i32 s0, s1, 0x40004", 0xF0), 0xFFFFFFFFu);
  EXPECT_EQ(scalar32("s_bfe_u32 s0, s1, 0x1f0000", 0xFFFFFFFF), 0x7FFFFFFFu);
  EXPECT_EQ(scalar32("s_ff1_i32_b32 s0, s1", 0x100), 8u);
  EXPECT_EQ(scalar32("s_ff1_i32_b32 s0, s1", 0), 0xFFFFFFFFu);
  EXPECT_EQ(scalar32("s_flbit_i32_b32 s0, s1", 0x100), 23u);
  EXPECT_EQ(scalar32("s_movk_i32 s0, 0xff00", 0), 0xFFFFFF00u);
  EXPECT_EQ(scalar32("s_pack_ll_b32_b16 s0, s1, s2", 0x11112222, 0x33334444),
            0x44442222u);
  wave.setScalar64(4, 0x100000000);
  run("s_bcnt1_i32_b64 s0, s[4:5]");
  EXPECT_EQ(wave.scalars[0], 1u);
  run("s_lshl_b64 s[6:7], s[4:5], 3");
  EXPECT_EQ(wave.scalar64(6), uint64_t{8} << 32);
}

TEST_F(ArithmeticTest, MasksOfLanes) {
  wave.setScalar64(4, 0xFF);
  run("s_and_saveexec_b64 s[6:7], s[4:5]");
  EXPECT_EQ(wave.scalar64(6), ~uint64_t{0});
  EXPECT_EQ(wave.exec(), 0xFFu);
  put<U>(0, 7, 20);
  run("v_mov_b32_e32 v0, 1");
  EXPECT_EQ(get<U>(0, 7), 1u);
  EXPECT_EQ(get<U>(0, 20), 7u);
  for (unsigned lane = 0; lane < 64; ++lane) {
    put<I>(1, I(lane) - 4, lane);
  }
  run("v_cmp_gt_i32_e32 vcc, 0, v1");
  EXPECT_EQ(wave.scalar64(scalar::Vcc), 0xFu);
  run("s_andn2_b64 exec, s[6:7], exec");
  EXPECT_EQ(wave.exec(), ~uint64_t{0xFF});
}

TEST_F(ArithmeticTest, VectorIntegers) {
  EXPECT_EQ(vector<U>("v_sub_u32_e32 v0, v1, v2", 3u, 5u), 0xFFFFFFFEu);
  EXPECT_EQ(vector<U>("v_subrev_u32_e32 v0, v1, v2", 3u, 5u), 2u);
  EXPECT_EQ(vector<I>("v_ashrrev_i32_e32 v0, 4, v1", -256), -16);
  EXPECT_EQ(vector<U>("v_bfe_u32 v0, v1, 4, 8", 0xABCDEu), 0xCDu);
  EXPECT_EQ(vector<I>("v_bfe_i32 v0, v1, 0, 8", 0x80), -128);
  EXPECT_EQ(vector<U>("v_alignbit_b32 v0, v1, v2, 8", 0x11u, 0x22334455u),
            0x11223344u);
  EXPECT_EQ(vector<U>("v_perm_b32 v0, v1, v2, v3", 0x44332211u, 0x88776655u,
                      0x0C040500u),
            0x00112255u);
  EXPECT_EQ(vector<U>("v_mul_hi_u32 v0, v1, v2", 0x80000000u, 6u), 3u);
  EXPECT_EQ(vector<U>("v_mad_u32_u24 v0, v1, v2, v3", 0xFF000002u, 3u, 4u),
            10u);
  EXPECT_EQ(vector<I>("v_med3_i32 v0, v1, v2, v3", 5, -3, 1), 1);
  EXPECT_EQ(vector<uint64_t>("v_lshl_add_u64 v[0:1], v[1:2], 3, v[5:6]",
                             uint64_t{1} << 33, uint64_t{0}, uint64_t{5}),
            (uint64_t{1} << 36) + 5);
  run("v_mad_u64_u32 v[0:1], s[0:1], v2, v3, -1");
  put<U>(2, 0xFFFFFFFF);
  put<U>(3, 0xFFFFFFFF);
  run("v_mad_u64_u32 v[0:1], s[0:1], v2, v3, 0");
  EXPECT_EQ(get<uint64_t>(0), 0xFFFFFFFE00000001u);
}

TEST_F(ArithmeticTest, CarriesOfLanes) {
  put<U>(1, 0xFFFFFFFF);
  put<U>(2, 1);
  put<U>(1, 1, 5);
  put<U>(2, 1, 5);
  run("v_add_co_u32_e32 v0, vcc, v1, v2");
  EXPECT_EQ(wave.scalar64(scalar::Vcc) & 0x21, 1u);
  run("v_addc_co_u32_e32 v4, vcc, 0, v2, vcc");
  EXPECT_EQ(get<U>(4), 2u);
  EXPECT_EQ(get<U>(4, 5), 1u);
}

TEST_F(ArithmeticTest, Floats) {
  const F nan = std::numeric_limits<F>::quiet_NaN();
  EXPECT_EQ(vector<F>("v_add_f32_e64 v0, |v1|, -v2", -3.0f, 1.0f), 2.0f);
  EXPECT_EQ(vector<F>("v_add_f32_e64 v0, v1, v2 clamp", 3.0f, 1.0f), 1.0f);
  EXPECT_EQ(vector<F>("v_mul_f32_e64 v0, v1, v2 mul:4", 3.0f, 2.0f), 24.0f);
  EXPECT_EQ(vector<F>("v_mul_f32_e64 v0, v1, v2 div:2", 3.0f, 2.0f), 3.0f);
  EXPECT_EQ(vector<F>("v_mul_f32_e32 v0, 0x40400000, v1", 2.0f), 6.0f);
  EXPECT_EQ(vector<F>("v_sub_f32_e32 v0, 1.0, v1", 0.25f), 0.75f);
  EXPECT_EQ(vector<F>("v_max_f32_e32 v0, v1, v2", nan, 2.0f), 2.0f);
  EXPECT_TRUE(std::signbit(vector<F>("v_min_f32_e32 v0, v1, v2", 0.0f, -0.0f)));
  EXPECT_EQ(vector<F>("v_exp_f32_e32 v0, v1", -3.0f), 0.125f);
  EXPECT_EQ(vector<F>("v_rndne_f32_e32 v0, v1", 2.5f), 2.0f);
  EXPECT_EQ(vector<F>("v_fract_f32_e32 v0, v1", -0.25f), 0.75f);
  EXPECT_EQ(vector<F>("v_ldexp_f32 v0, v1, v2", 3.0f, I(4)), 48.0f);
  EXPECT_EQ(
      vector<double>("v_fma_f64 v[0:1], v[1:2], v[3:4], v[5:6]", 3.0, 4.0, 0.5),
      12.5);
  EXPECT_EQ(vector<double>("v_add_f64 v[0:1], v[1:2], 1.0", 2.5), 3.5);
}

TEST_F(ArithmeticTest, Conversions) {
  EXPECT_EQ(vector<I>("v_cvt_i32_f32_e32 v0, v1", -2.9f), -2);
  EXPECT_EQ(vector<I>("v_cvt_i32_f32_e32 v0, v1", 3e9f), 0x7FFFFFFF);
  EXPECT_EQ(vector<U>("v_cvt_u32_f32_e32 v0, v1", -1.0f), 0u);
  EXPECT_EQ(vector<U>("v_cvt_f16_f32_e32 v0, v1", 1.0f), 0x3C00u);
  EXPECT_EQ(vector<U>("v_cvt_pkrtz_f16_f32 v0, v1, v2", 1.0009f, 65519.0f),
            0x7BFF3C00u);
  EXPECT_EQ(vector<F>("v_cvt_f32_ubyte2_e32 v0, v1", 0x00AB0000u), 171.0f);
  // FNUZ: 1.0 is 0x40 in fp8, and the largest number is 240.
  wave.setVector(0, 0, 0);
  EXPECT_EQ(vector<U>("v_cvt_pk_fp8_f32 v0, v1, v2", 1.0f, 240.0f), 0x7F40u);
  EXPECT_EQ(vector<U>("v_cvt_pk_fp8_f32 v0, v1, v2", 1000.0f, -0.0f), 0x0080u);
  EXPECT_EQ(vector<F>("v_cvt_pk_f32_fp8_e32 v[0:1], v1", 0x00004A81u),
            -std::ldexp(1.0f, -10));
  EXPECT_EQ(get<F>(1), 5.0f / 2);
}

TEST_F(ArithmeticTest, HalvesAndParts) {
  EXPECT_EQ(vector<U>("v_pk_add_f16 v0, v1, v2", 0x3C004000u, 0x3C003C00u),
            0x40004200u);
  EXPECT_EQ(vector<U>("v_pk_add_u16 v0, v1, v2 op_sel:[1,0] op_sel_hi:[0,1]",
                      0x00010002u, 0x00100020u),
            0x00120021u);
  EXPECT_EQ(
      vector<F>("v_fma_mix_f32 v0, v1, v2, v3 op_sel:[1,0,0] op_sel_hi:[1,0,0]",
                0x40000000u, 3.0f, 0.5f),
      6.5f);
  EXPECT_EQ(vector<U>("v_pack_b32_f16 v0, -v1, |v2|", 0x3C00u, 0xC000u),
            0x4000BC00u);
  wave.setVector(0, 0, 0xAABBCCDD);
  EXPECT_EQ(
      vector<U>(
          "v_add_u16_sdwa v0, v1, v2 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE "
          "src0_sel:WORD_1 src1_sel:DWORD",
          0x00050000u, 3u),
      0xAABB08DDu);
  // 16 bits clear the rest of the register on this processor.
  wave.setVector(0, 0, 0xFFFFFFFF);
  EXPECT_EQ(vector<U>("v_add_u16_e32 v0, v1, v2", 0xFFFFu, 3u), 2u);
}

TEST_F(ArithmeticTest, LaneShuffleIntoItsSource) {
  for (unsigned lane = 0; lane < 64; ++lane) {
    put<U>(1, lane, lane);
    put<U>(2, 100, lane);
  }
  run("v_add_u32_dpp v1, v1, v2 row_shr:1 row_mask:0xf bank_mask:0xf");
  EXPECT_EQ(get<U>(1, 0), 0u); // no lane before it: kept
  EXPECT_EQ(get<U>(1, 1), 100u);
  EXPECT_EQ(get<U>(1, 15), 114u);
  EXPECT_EQ(get<U>(1, 16), 16u);
  run("v_mov_b32_dpp v3, v2 row_bcast:15 row_mask:0xa bank_mask:0xf");
  EXPECT_EQ(get<U>(3, 16), 100u);
  EXPECT_EQ(get<U>(1, 63), 162u);
}

TEST_F(ArithmeticTest, SaturatingSums) {
  EXPECT_EQ((vector<U>("v_sub_u32_e64 v0, v1, v2 clamp", U(3), U(5))), 0u);
  EXPECT_EQ((vector<U>("v_add_u32_e64 v0, v1, v2 clamp", U(-3), U(5))), ~0u);
  EXPECT_EQ(
      (vector<I>("v_add_i32 v0, v1, -2 clamp", std::numeric_limits<I>::min())),
      std::numeric_limits<I>::min());
  EXPECT_EQ((vector<I>("v_sub_nc_i32 v0, v1, v2 clamp", I(0x7FFFFFFF), I(-1))),
            0x7FFFFFFF);
  EXPECT_EQ((vector<I>("v_add_i32 v0, v1, v2", I(0x7FFFFFFF), I(1))),
            std::numeric_limits<I>::min());
  EXPECT_EQ((vector<uint16_t>("v_subrev_u16_e64 v0, v1, v2 clamp", uint16_t(5),
                              uint16_t(3))),
            0);
}

TEST_F(ArithmeticTest, BitsLikeTheSign) {
  EXPECT_EQ((vector<I>("v_ffbh_i32_e32 v0, v1", U(0xFF000000))), 8);
  EXPECT_EQ((vector<I>("v_cls_i32_e32 v0, v1", U(0x00FFFFFF))), 8);
  EXPECT_EQ((vector<I>("v_ffbh_i32_e32 v0, v1", ~U(0))), -1);
  EXPECT_EQ(scalar32("s_flbit_i32 s0, s1", 0xFFFFFFFE), 31u);
  wave.setScalar64(4, ~uint64_t{0} << 40);
  run("s_cls_i32_i64 s0, s[4:5]");
  EXPECT_EQ(wave.scalars[0], 24u);
}

TEST_F(ArithmeticTest, TwoExtremesInOne) {
  EXPECT_EQ((vector<F>("v_maxmin_f32 v0, v1, v2, v3", 1.0f, 5.0f, 3.0f)), 3.0f);
  EXPECT_EQ((vector<I>("v_minmax_i32 v0, v1, v2, v3", 1, 5, 3)), 3);
  EXPECT_EQ((vector<U>("v_sad_u32 v0, v1, v2, v3", U(3), U(10), U(1))), 8u);
}

TEST_F(ArithmeticTest, SwizzleAmongLanes) {
  for (unsigned lane = 0; lane < 64; ++lane) {
    put<U>(1, lane, lane);
  }
  auto swizzle = [&](uint32_t pattern) {
    auto in = readInstruction("ds_swizzle_b32 v0, v1 offset:swizzle(SWAP,16)");
    in->row = findRow(in->name);
    in->encoding[0] = 0xD87A0000 | pattern;
    wave.tainted = false;
    in->row->run(wave, *in);
  };
  swizzle(0x401F); // xor 16
  EXPECT_EQ(get<U>(0, 3), 19u);
  EXPECT_EQ(get<U>(0, 60), 44u);
  swizzle(0x801B); // the four lanes backwards
  EXPECT_EQ(get<U>(0, 4), 7u);
  EXPECT_THROW(swizzle(0xC020), std::exception);
}

// The low half of a sum of 64 bits comes from the low halves alone.
TEST_F(ArithmeticTest, UndefinedUpperHalves) {
  put<U>(1, 3);
  put<U>(2, 4);
  put<U>(4, 5); // and nobody wrote v5
  run("v_mad_u64_u32 v[6:7], vcc, v1, v2, v[4:5]");
  EXPECT_EQ(wave.vectors[6 * 64], 17u);
  EXPECT_TRUE(wave.defined[6] & 1);
  EXPECT_FALSE(wave.defined[7] & 1);
  run("v_lshl_add_u64 v[8:9], v[4:5], 2, v[4:5]");
  EXPECT_TRUE(wave.defined[8] & 1);
  EXPECT_FALSE(wave.defined[9] & 1);
  run("v_lshrrev_b64 v[10:11], 4, v[4:5]");
  EXPECT_FALSE(wave.defined[10] & 1);
}

// A denormal quotient is rounded once: 2^-128 * c lies at a tie, and the
// product is a little more, far below the last bit of c.
TEST_F(ArithmeticTest, LastStepOfADivision) {
  wave.setScalar64(scalar::Vcc, 1);
  const double c = std::ldexp(1024.5, 128 - 1074);
  EXPECT_EQ((vector<double>("v_div_fmas_f64 v[0:1], v[1:2], v[3:4], v[5:6]",
                            std::ldexp(1.0, -500), std::ldexp(1.0, -506), c)),
            std::ldexp(1025.0, -1074));
  EXPECT_EQ((vector<double>("v_div_fmas_f64 v[0:1], v[1:2], v[3:4], v[5:6]",
                            0.0, 1.0, c)),
            std::ldexp(1024.0, -1074));
}

TEST_F(ArithmeticTest, UnknownFormsAreTold) {
  EXPECT_THROW(
      {
        auto in = readInstruction("v_and_b32_e64 v0, v1, v2 clamp");
        in->row = findRow(in->name);
        in->row->run(wave, *in);
      },
      std::exception);
}

} // namespace

} // namespace tz::amd::sim
