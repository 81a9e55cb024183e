//===- MatrixLayouts.h - which lane holds which element -------------------===//
//
// What   The shapes of the matrix instructions, and where each element of the
//        operands lies. Tests run two of the shapes; the others follow the same
//        formulas and wait for a test.
// Why    The compiler has a table of its own. A test that runs one against the
//        other finds a slip in either.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_AMD_SIMULATOR_EXECUTE_MATRIXLAYOUTS_H
#define TERRAZZO_PLUGINS_AMD_SIMULATOR_EXECUTE_MATRIXLAYOUTS_H

#include <cstdint>
#include <span>
#include <string_view>

namespace tz::amd::sim {

enum class Element : uint8_t { F64, F32, Xf32, F16, Bf16, Fp8, Bf8, I8, I32 };
unsigned bitsOf(Element element);

/// D = A * B + C, `blocks` times at once: A is rows x depth, B depth x columns.
struct MatrixShape {
  std::string_view name; ///< of the instruction, as gfx942 or gfx950 has it
  uint16_t rows, columns, depth, blocks;
  Element a, b, sum;

  /// Elements of A (and of B) that a lane holds.
  unsigned sourceElements() const { return rows * depth * blocks / 64; }
  /// Elements of C and D that a lane holds.
  unsigned sumElements() const { return rows * columns * blocks / 64; }
};

struct MatrixPlace {
  unsigned block, outer, inner;
};
/// Element `at` of a lane's A: outer is the row, inner the depth. B is the same
/// with the column as outer.
MatrixPlace sourcePlace(const MatrixShape &shape, unsigned lane, unsigned at);
/// Element `at` of a lane's C and D: outer is the row, inner the column.
MatrixPlace sumPlace(const MatrixShape &shape, unsigned lane, unsigned at);

std::span<const MatrixShape> matrixShapes();

} // namespace tz::amd::sim

#endif
