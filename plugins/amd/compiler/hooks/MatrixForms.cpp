//===- MatrixForms.cpp - the matrix instructions of each machine ----------===//
//
// What   See MatrixForms.h.
// Why    See MatrixForms.h.
//===----------------------------------------------------------------------===//
#include "plugins/amd/compiler/hooks/MatrixForms.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;
using tz::simt::Axis;

namespace tz::amd {

namespace {

using enum MatrixElement;

constexpr unsigned bit(MatrixUnit unit) { return 1u << unsigned(unit); }
constexpr unsigned Gfx90a = bit(MatrixUnit::mfma90a),
                   Gfx942 = bit(MatrixUnit::mfma942),
                   Gfx950 = bit(MatrixUnit::mfma950),
                   Gfx11 = bit(MatrixUnit::wmma11),
                   Gfx12 = bit(MatrixUnit::wmma12),
                   Gfx9 = Gfx90a | Gfx942 | Gfx950;

struct Row {
  unsigned units; ///< that have it
  MatrixElement a, b;
  unsigned side, share, words, wordBits;
  bool areFloats;
  Intrinsic::ID intrinsic;
};

// The deepest of a kind come first.
constexpr Row Rows[] = {
    // 16-bit floats. gfx90a and gfx942 take bf16 as integers.
    {Gfx950, f16, f16, 32, 8, 8, 16, true,
     Intrinsic::amdgcn_mfma_f32_32x32x16_f16},
    {Gfx950, f16, f16, 16, 8, 8, 16, true,
     Intrinsic::amdgcn_mfma_f32_16x16x32_f16},
    {Gfx950, bf16, bf16, 32, 8, 8, 16, true,
     Intrinsic::amdgcn_mfma_f32_32x32x16_bf16},
    {Gfx950, bf16, bf16, 16, 8, 8, 16, true,
     Intrinsic::amdgcn_mfma_f32_16x16x32_bf16},
    {Gfx9, f16, f16, 32, 4, 4, 16, true, Intrinsic::amdgcn_mfma_f32_32x32x8f16},
    {Gfx9, f16, f16, 16, 4, 4, 16, true,
     Intrinsic::amdgcn_mfma_f32_16x16x16f16},
    {Gfx9, bf16, bf16, 32, 4, 4, 16, false,
     Intrinsic::amdgcn_mfma_f32_32x32x8bf16_1k},
    {Gfx9, bf16, bf16, 16, 4, 4, 16, false,
     Intrinsic::amdgcn_mfma_f32_16x16x16bf16_1k},
    {Gfx11, f16, f16, 16, 16, 16, 16, true,
     Intrinsic::amdgcn_wmma_f32_16x16x16_f16},
    {Gfx11, bf16, bf16, 16, 16, 16, 16, false,
     Intrinsic::amdgcn_wmma_f32_16x16x16_bf16},
    {Gfx12, f16, f16, 16, 8, 8, 16, true,
     Intrinsic::amdgcn_wmma_f32_16x16x16_f16},
    {Gfx12, bf16, bf16, 16, 8, 8, 16, false,
     Intrinsic::amdgcn_wmma_f32_16x16x16_bf16},
    // Integers of 8 bits.
    {Gfx950, i8, i8, 32, 16, 4, 32, false,
     Intrinsic::amdgcn_mfma_i32_32x32x32_i8},
    {Gfx950, i8, i8, 16, 16, 4, 32, false,
     Intrinsic::amdgcn_mfma_i32_16x16x64_i8},
    {Gfx942 | Gfx950, i8, i8, 32, 8, 1, 64, false,
     Intrinsic::amdgcn_mfma_i32_32x32x16_i8},
    {Gfx942 | Gfx950, i8, i8, 16, 8, 1, 64, false,
     Intrinsic::amdgcn_mfma_i32_16x16x32_i8},
    {Gfx90a, i8, i8, 32, 4, 1, 32, false, Intrinsic::amdgcn_mfma_i32_32x32x8i8},
    {Gfx90a, i8, i8, 16, 4, 1, 32, false,
     Intrinsic::amdgcn_mfma_i32_16x16x16i8},
    {Gfx11, i8, i8, 16, 16, 4, 32, false,
     Intrinsic::amdgcn_wmma_i32_16x16x16_iu8},
    {Gfx12, i8, i8, 16, 8, 2, 32, false,
     Intrinsic::amdgcn_wmma_i32_16x16x16_iu8},
    // Floats of 8 bits, e5m2 as "bf8".
    {Gfx942 | Gfx950, e4m3, e4m3, 32, 8, 1, 64, false,
     Intrinsic::amdgcn_mfma_f32_32x32x16_fp8_fp8},
    {Gfx942 | Gfx950, e4m3, e5m2, 32, 8, 1, 64, false,
     Intrinsic::amdgcn_mfma_f32_32x32x16_fp8_bf8},
    {Gfx942 | Gfx950, e5m2, e4m3, 32, 8, 1, 64, false,
     Intrinsic::amdgcn_mfma_f32_32x32x16_bf8_fp8},
    {Gfx942 | Gfx950, e5m2, e5m2, 32, 8, 1, 64, false,
     Intrinsic::amdgcn_mfma_f32_32x32x16_bf8_bf8},
    {Gfx942 | Gfx950, e4m3, e4m3, 16, 8, 1, 64, false,
     Intrinsic::amdgcn_mfma_f32_16x16x32_fp8_fp8},
    {Gfx942 | Gfx950, e4m3, e5m2, 16, 8, 1, 64, false,
     Intrinsic::amdgcn_mfma_f32_16x16x32_fp8_bf8},
    {Gfx942 | Gfx950, e5m2, e4m3, 16, 8, 1, 64, false,
     Intrinsic::amdgcn_mfma_f32_16x16x32_bf8_fp8},
    {Gfx942 | Gfx950, e5m2, e5m2, 16, 8, 1, 64, false,
     Intrinsic::amdgcn_mfma_f32_16x16x32_bf8_bf8},
    {Gfx12, e4m3, e4m3, 16, 8, 2, 32, false,
     Intrinsic::amdgcn_wmma_f32_16x16x16_fp8_fp8},
    {Gfx12, e4m3, e5m2, 16, 8, 2, 32, false,
     Intrinsic::amdgcn_wmma_f32_16x16x16_fp8_bf8},
    {Gfx12, e5m2, e4m3, 16, 8, 2, 32, false,
     Intrinsic::amdgcn_wmma_f32_16x16x16_bf8_fp8},
    {Gfx12, e5m2, e5m2, 16, 8, 2, 32, false,
     Intrinsic::amdgcn_wmma_f32_16x16x16_bf8_bf8},
    // Wide floats.
    {Gfx942, xf32, xf32, 32, 2, 2, 32, true,
     Intrinsic::amdgcn_mfma_f32_32x32x4_xf32},
    {Gfx942, xf32, xf32, 16, 2, 2, 32, true,
     Intrinsic::amdgcn_mfma_f32_16x16x8_xf32},
    {Gfx9, f32, f32, 32, 1, 1, 32, true, Intrinsic::amdgcn_mfma_f32_32x32x2f32},
    {Gfx9, f32, f32, 16, 1, 1, 32, true, Intrinsic::amdgcn_mfma_f32_16x16x4f32},
    {Gfx9, f64, f64, 16, 1, 1, 64, true, Intrinsic::amdgcn_mfma_f64_16x16x4f64},
};

bool isFloat8(mlir::Type type) {
  return isa<mlir::Float8E4M3FNType, mlir::Float8E5M2Type,
             mlir::Float8E4M3FNUZType, mlir::Float8E5M2FNUZType>(type);
}

/// The 8-bit floats that the machine's unit takes; none for others.
std::optional<MatrixElement> nativeFloat8(const Machine &machine,
                                          mlir::Type type) {
  const unsigned unit = bit(machine.unit);
  if (unit & Gfx942) {
    return isa<mlir::Float8E4M3FNUZType>(type)   ? std::optional(e4m3)
           : isa<mlir::Float8E5M2FNUZType>(type) ? std::optional(e5m2)
                                                 : std::nullopt;
  }
  if (unit & (Gfx950 | Gfx12)) {
    return isa<mlir::Float8E4M3FNType>(type) ? std::optional(e4m3)
           : isa<mlir::Float8E5M2Type>(type) ? std::optional(e5m2)
                                             : std::nullopt;
  }
  return std::nullopt;
}

std::optional<MatrixElement> elementOf(mlir::Type type) {
  return type.isF16()        ? std::optional(f16)
         : type.isBF16()     ? std::optional(bf16)
         : type.isInteger(8) ? std::optional(i8)
         : type.isF32()      ? std::optional(f32)
         : type.isF64()      ? std::optional(f64)
                             : std::nullopt;
}

/// What the elements are for the unit, where both are of one kind.
std::optional<std::pair<MatrixElement, MatrixElement>>
elementsOf(const Machine &machine, const MatrixRequest &request) {
  const bool isInteger = request.a.isInteger(8);
  if (isInteger           ? !request.sum.isInteger(32)
      : request.a.isF64() ? !request.sum.isF64()
                          : !request.sum.isF32() && !request.sum.isF16()) {
    return std::nullopt;
  }
  if (isFloat8(request.a) && isFloat8(request.b)) {
    const auto a = nativeFloat8(machine, request.a),
               b = nativeFloat8(machine, request.b);
    return a && b ? std::pair(*a, *b) : std::pair(f16, f16);
  }
  const auto element = elementOf(request.a);
  return element && request.a == request.b
             ? std::optional(std::pair(*element, *element))
             : std::nullopt;
}

} // namespace

std::optional<MatrixForm> matrixForm(const Machine &machine,
                                     const MatrixRequest &request) {
  const auto elements = elementsOf(machine, request);
  if (!elements) {
    return std::nullopt;
  }
  for (const Row &row : Rows) {
    const bool areCopied = bit(machine.unit) & Gfx11;
    const unsigned groups = areCopied ? 1 : machine.lanes / row.side;
    const bool isCoarse =
        row.a == xf32 && request.allowsTf32 && *elements == std::pair(f32, f32);
    if (!(row.units & bit(machine.unit)) ||
        (!isCoarse && std::pair(row.a, row.b) != *elements) ||
        row.side != request.side || request.depth % (row.share * groups) != 0) {
      continue;
    }
    const bool isWave32 = bit(machine.unit) & (Gfx11 | Gfx12);
    return MatrixForm{.side = row.side,
                      .share = row.share,
                      .groups = groups,
                      .sums = row.side * row.side / machine.lanes,
                      .isWave32 = isWave32,
                      .hasSigns = isWave32 && row.a == i8,
                      .a = row.a,
                      .b = row.b,
                      .words = row.words,
                      .wordBits = row.wordBits,
                      .areFloats = row.areFloats,
                      .intrinsic = row.intrinsic};
  }
  return std::nullopt;
}

bool isConverted(const MatrixForm &form, mlir::Type element) {
  return form.a == f16 && isFloat8(element);
}

simt::Layout sumAtom(const Machine &machine, const MatrixForm &form,
                     unsigned rank) {
  simt::Layout atom(rank);
  auto add = [&](Axis axis, unsigned dim, ArrayRef<int64_t> steps) {
    for (int64_t step : steps) {
      simt::Coordinates basis(rank, 0);
      basis[dim] = step;
      atom.addBit(axis, basis);
    }
  };
  const unsigned rows = rank - 1, columns = rank - 2; // of the instruction
  if (form.side == 32) {
    add(Axis::Register, rows, {1, 2, 8, 16});
    add(Axis::Lane, columns, {1, 2, 4, 8, 16});
    add(Axis::Lane, rows, {4});
    return atom;
  }
  const bool isDouble = form.a == f64;
  add(Axis::Register, rows,
      machine.unit == MatrixUnit::wmma11   ? ArrayRef<int64_t>{2, 4, 8}
      : machine.unit == MatrixUnit::wmma12 ? ArrayRef<int64_t>{1, 2, 4}
      : isDouble                           ? ArrayRef<int64_t>{4, 8}
                                           : ArrayRef<int64_t>{1, 2});
  add(Axis::Lane, columns, {1, 2, 4, 8});
  add(Axis::Lane, rows,
      machine.unit == MatrixUnit::wmma11   ? ArrayRef<int64_t>{1}
      : machine.unit == MatrixUnit::wmma12 ? ArrayRef<int64_t>{8}
      : isDouble                           ? ArrayRef<int64_t>{1, 2}
                                           : ArrayRef<int64_t>{4, 8});
  return atom;
}

} // namespace tz::amd
