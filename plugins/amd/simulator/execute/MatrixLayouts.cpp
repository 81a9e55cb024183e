//===- MatrixLayouts.cpp - which lane holds which element -----------------===//
//
// What   See MatrixLayouts.h.
//===----------------------------------------------------------------------===//
#include "plugins/amd/simulator/execute/MatrixLayouts.h"

namespace tz::amd::sim {

unsigned bitsOf(Element element) {
  switch (element) {
  case Element::F64:
    return 64;
  case Element::F32:
  case Element::Xf32:
  case Element::I32:
    return 32;
  case Element::F16:
  case Element::Bf16:
    return 16;
  default:
    return 8;
  }
}

std::span<const MatrixShape> matrixShapes() {
  using E = Element;
  static constexpr MatrixShape shapes[] = {
      {"v_mfma_f32_32x32x1_2b_f32", 32, 32, 1, 2, E::F32, E::F32, E::F32},
      {"v_mfma_f32_16x16x1_4b_f32", 16, 16, 1, 4, E::F32, E::F32, E::F32},
      {"v_mfma_f32_4x4x1_16b_f32", 4, 4, 1, 16, E::F32, E::F32, E::F32},
      {"v_mfma_f32_32x32x2_f32", 32, 32, 2, 1, E::F32, E::F32, E::F32},
      {"v_mfma_f32_16x16x4_f32", 16, 16, 4, 1, E::F32, E::F32, E::F32},
      {"v_mfma_f32_32x32x4_xf32", 32, 32, 4, 1, E::Xf32, E::Xf32, E::F32},
      {"v_mfma_f32_16x16x8_xf32", 16, 16, 8, 1, E::Xf32, E::Xf32, E::F32},
      {"v_mfma_f32_32x32x4_2b_f16", 32, 32, 4, 2, E::F16, E::F16, E::F32},
      {"v_mfma_f32_16x16x4_4b_f16", 16, 16, 4, 4, E::F16, E::F16, E::F32},
      {"v_mfma_f32_4x4x4_16b_f16", 4, 4, 4, 16, E::F16, E::F16, E::F32},
      {"v_mfma_f32_32x32x8_f16", 32, 32, 8, 1, E::F16, E::F16, E::F32},
      {"v_mfma_f32_16x16x16_f16", 16, 16, 16, 1, E::F16, E::F16, E::F32},
      {"v_mfma_f32_32x32x16_f16", 32, 32, 16, 1, E::F16, E::F16, E::F32},
      {"v_mfma_f32_16x16x32_f16", 16, 16, 32, 1, E::F16, E::F16, E::F32},
      {"v_mfma_f32_32x32x16_bf16", 32, 32, 16, 1, E::Bf16, E::Bf16, E::F32},
      {"v_mfma_f32_16x16x32_bf16", 16, 16, 32, 1, E::Bf16, E::Bf16, E::F32},
      {"v_mfma_f32_32x32x4_2b_bf16", 32, 32, 4, 2, E::Bf16, E::Bf16, E::F32},
      {"v_mfma_f32_16x16x4_4b_bf16", 16, 16, 4, 4, E::Bf16, E::Bf16, E::F32},
      {"v_mfma_f32_4x4x4_16b_bf16", 4, 4, 4, 16, E::Bf16, E::Bf16, E::F32},
      {"v_mfma_f32_32x32x8_bf16", 32, 32, 8, 1, E::Bf16, E::Bf16, E::F32},
      {"v_mfma_f32_16x16x16_bf16", 16, 16, 16, 1, E::Bf16, E::Bf16, E::F32},
      {"v_mfma_f32_32x32x16_fp8_fp8", 32, 32, 16, 1, E::Fp8, E::Fp8, E::F32},
      {"v_mfma_f32_32x32x16_fp8_bf8", 32, 32, 16, 1, E::Fp8, E::Bf8, E::F32},
      {"v_mfma_f32_32x32x16_bf8_fp8", 32, 32, 16, 1, E::Bf8, E::Fp8, E::F32},
      {"v_mfma_f32_32x32x16_bf8_bf8", 32, 32, 16, 1, E::Bf8, E::Bf8, E::F32},
      {"v_mfma_f32_16x16x32_fp8_fp8", 16, 16, 32, 1, E::Fp8, E::Fp8, E::F32},
      {"v_mfma_f32_16x16x32_fp8_bf8", 16, 16, 32, 1, E::Fp8, E::Bf8, E::F32},
      {"v_mfma_f32_16x16x32_bf8_fp8", 16, 16, 32, 1, E::Bf8, E::Fp8, E::F32},
      {"v_mfma_f32_16x16x32_bf8_bf8", 16, 16, 32, 1, E::Bf8, E::Bf8, E::F32},
      {"v_mfma_i32_32x32x16_i8", 32, 32, 16, 1, E::I8, E::I8, E::I32},
      {"v_mfma_i32_16x16x32_i8", 16, 16, 32, 1, E::I8, E::I8, E::I32},
      {"v_mfma_i32_32x32x32_i8", 32, 32, 32, 1, E::I8, E::I8, E::I32},
      {"v_mfma_i32_16x16x64_i8", 16, 16, 64, 1, E::I8, E::I8, E::I32},
      {"v_mfma_i32_32x32x4_2b_i8", 32, 32, 4, 2, E::I8, E::I8, E::I32},
      {"v_mfma_i32_16x16x4_4b_i8", 16, 16, 4, 4, E::I8, E::I8, E::I32},
      {"v_mfma_i32_4x4x4_16b_i8", 4, 4, 4, 16, E::I8, E::I8, E::I32},
      {"v_mfma_f64_16x16x4_f64", 16, 16, 4, 1, E::F64, E::F64, E::F64},
      {"v_mfma_f64_4x4x4_4b_f64", 4, 4, 4, 4, E::F64, E::F64, E::F64},
  };
  return shapes;
}

MatrixPlace sourcePlace(const MatrixShape &shape, unsigned lane, unsigned at) {
  const unsigned outer = lane % shape.rows, rest = lane / shape.rows;
  // The lanes beyond the rows are blocks first, then groups along the depth.
  return {rest % shape.blocks, outer,
          rest / shape.blocks * shape.sourceElements() + at};
}

MatrixPlace sumPlace(const MatrixShape &shape, unsigned lane, unsigned at) {
  const unsigned column = lane % shape.columns, rest = lane / shape.columns;
  if (shape.sum == Element::F64) {
    // Doubles: lanes run along the rows before elements do.
    const unsigned groups = 64 / shape.columns / shape.blocks;
    return {rest % shape.blocks, at * groups + rest / shape.blocks, column};
  }
  if (shape.rows == 4) {
    return {rest, at, column};
  }
  // Four rows of a lane, then four of the next group of lanes, and so on.
  const unsigned groups = 64 / shape.columns;
  const unsigned inBlock = shape.rows * shape.columns / 64;
  const unsigned element = at % inBlock;
  return {at / inBlock, element / 4 * 4 * groups + rest * 4 + element % 4,
          column};
}

} // namespace tz::amd::sim
