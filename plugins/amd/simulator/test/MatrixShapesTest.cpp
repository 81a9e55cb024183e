//===- MatrixShapesTest.cpp - all matrix instructions ---------------------===//
//
// What   Runs each MFMA of gfx942 and gfx950, and WMMA of gfx1100, on operands
// without any
//        symmetry and holds the sums to a plain product.
// Why    Where elements lie is written down here a second time, from element to
//        lane and register. The simulator has it from lane and register to
//        element, and the compiler has a table of its own.
//
// The formulas are those of AMD's matrix instruction calculator.
//===----------------------------------------------------------------------===//
#include "plugins/amd/simulator/execute/Operands.h"
#include "plugins/amd/simulator/execute/SmallFloats.h"
#include "plugins/amd/simulator/test/Fixture.h"

#include <sstream>

namespace tz::amd::sim {

namespace {

/// What the name of an instruction says: "v_mfma_f32_32x32x4_2b_f16".
struct Shape {
  bool isWmma = false, isOcp = false;
  unsigned rows = 0, depth = 0, blocks = 1;
  std::string sum, a, b;
};

Shape shapeOf(std::string name) {
  std::vector<std::string> words;
  std::istringstream stream(name);
  for (std::string word; std::getline(stream, word, '_');) {
    words.push_back(word);
  }
  Shape out;
  out.isWmma = words.at(1) == "wmma";
  out.sum = words.at(2);
  unsigned columns = 0;
  EXPECT_EQ(std::sscanf(words.at(3).c_str(), "%ux%ux%u", &out.rows, &columns,
                        &out.depth),
            3);
  EXPECT_EQ(out.rows, columns);
  size_t next = 4;
  if (words.at(next).ends_with('b') && std::isdigit(words[next][0])) {
    out.blocks = unsigned(std::stoul(words[next++]));
  }
  out.a = words.at(next);
  out.b = next + 1 < words.size() ? words[next + 1] : out.a;
  return out;
}

unsigned bitsOf(const std::string &type) {
  return type == "f64"                                      ? 64
         : type == "f32" || type == "xf32" || type == "i32" ? 32
         : type == "f16" || type == "bf16"                  ? 16
         : type == "iu4"                                    ? 4
                                                            : 8;
}

/// The bits of a small integer as an element.
uint64_t encode(const std::string &type, int value, bool isOcp) {
  if (type == "f64") {
    return std::bit_cast<uint64_t>(double(value));
  }
  if (type == "f32" || type == "xf32") {
    return std::bit_cast<uint32_t>(float(value));
  }
  if (type == "bf16") {
    return std::bit_cast<uint32_t>(float(value)) >> 16;
  }
  if (type == "f16") {
    return std::bit_cast<uint16_t>(half(value));
  }
  if (type == "fp8" || type == "bf8") {
    // Without a bias table: 1, 2 and 3 have exponents 0, 1 and 1.
    const unsigned mantissa = type == "fp8" ? 3 : 2,
                   bias = (type == "fp8" ? 8 : 16) - isOcp;
    const unsigned size = unsigned(std::abs(value));
    const unsigned bits = size == 0
                              ? 0
                              : (bias + (size > 1)) << mantissa |
                                    (size == 3 ? 1u << (mantissa - 1) : 0);
    return bits | (value < 0 ? 0x80 : 0);
  }
  return uint64_t(int64_t(value)) & ((uint64_t{1} << bitsOf(type)) - 1);
}

struct Place {
  unsigned lane, at; ///< at: the element of the lane's registers
};

/// Row or column i and depth k of block b.
Place sourcePlace(const Shape &shape, unsigned b, unsigned i, unsigned k) {
  if (shape.isWmma) {
    return {i, k}; // and lane i + 16
  }
  const unsigned ofLane = shape.rows * shape.depth * shape.blocks / 64;
  return {i + shape.rows * (b + shape.blocks * (k / ofLane)), k % ofLane};
}
Place sumPlace(const Shape &shape, unsigned b, unsigned i, unsigned j) {
  if (shape.isWmma) {
    return {j + 16 * (i % 2), i / 2};
  }
  if (shape.sum == "f64") {
    return shape.rows == 16 ? Place{j + 16 * (i % 4), i / 4}
                            : Place{j + 4 * b + 16 * i, 0};
  }
  switch (shape.rows) {
  case 32:
    return {j + 32 * (i / 4 % 2), 16 * b + 4 * (i / 8) + i % 4};
  case 16:
    return {j + 16 * (i / 4), 4 * b + i % 4};
  default:
    return {j + 4 * b, i};
  }
}

// From -3 to 3, which all types have; no two rows, columns or blocks are alike.
int elementOfA(unsigned b, unsigned i, unsigned k) {
  return int((7 * b + 3 * i + 5 * k + i * k + i / 7) % 7) - 3;
}
int elementOfB(unsigned b, unsigned k, unsigned j) {
  return int((2 * b + 4 * k + 6 * j + j * k / 3 + 1) % 7) - 3;
}
int elementOfC(unsigned b, unsigned i, unsigned j) {
  return int(100 * b + 17 * i + 3 * j) - 200;
}

class MatrixShapesTest : public SimulatorTest {
protected:
  struct Listener final : Environment {
    using Environment::Environment;
    void found(const Wave &, Found, std::string message) override {
      messages += message + "\n";
    }
    std::string messages;
  };

  static void put(Wave &wave, unsigned first, unsigned bits, Place place,
                  uint64_t value) {
    for (unsigned i = 0; i < bits; i += 32) {
      const unsigned bit = place.at * bits + i;
      const size_t at = (first + bit / 32) * size_t{wave.lanes} + place.lane;
      wave.vectors[at] |= uint32_t(value >> i) << bit % 32;
      wave.defined[first + bit / 32] = wave.laneMask();
    }
  }
  static void fill(Wave &wave, const Shape &shape) {
    std::fill(wave.vectors.begin(), wave.vectors.end(), 0);
    for (unsigned b = 0; b < shape.blocks; ++b) {
      for (unsigned i = 0; i < shape.rows; ++i) {
        for (unsigned k = 0; k < shape.depth; ++k) {
          Place place = sourcePlace(shape, b, i, k);
          for (unsigned copy = 0; copy <= unsigned(shape.isWmma); ++copy) {
            put(wave, 64, bitsOf(shape.a), place,
                encode(shape.a, elementOfA(b, i, k), shape.isOcp));
            put(wave, 80, bitsOf(shape.b), place,
                encode(shape.b, elementOfB(b, k, i), shape.isOcp));
            place.lane += 16;
          }
        }
        for (unsigned j = 0; j < shape.rows; ++j) {
          put(wave, 0, bitsOf(shape.sum), sumPlace(shape, b, i, j),
              encode(shape.sum, elementOfC(b, i, j), false));
        }
      }
    }
  }
  static uint64_t sumAt(const Wave &wave, const Shape &shape, Place place) {
    uint64_t out = 0;
    const unsigned dwords = bitsOf(shape.sum) / 32;
    for (unsigned i = 0; i < dwords; ++i) {
      out |=
          uint64_t{
              wave.vectors[(place.at * dwords + i) * wave.lanes + place.lane]}
          << 32 * i;
    }
    return out;
  }
  static unsigned countWrong(const Wave &wave, const Shape &shape) {
    unsigned wrong = 0;
    for (unsigned b = 0; b < shape.blocks; ++b) {
      for (unsigned i = 0; i < shape.rows; ++i) {
        for (unsigned j = 0; j < shape.rows; ++j) {
          int sum = elementOfC(b, i, j);
          for (unsigned k = 0; k < shape.depth; ++k) {
            sum += elementOfA(b, i, k) * elementOfB(b, k, j);
          }
          wrong += sumAt(wave, shape, sumPlace(shape, b, i, j)) !=
                   encode(shape.sum, sum, false);
        }
      }
    }
    return wrong;
  }

  /// Runs all of a code object; returns how many there were.
  unsigned runAll(const std::string &processor) {
    Module module(memory, readKernels("matrices", processor));
    Report report;
    Listener listener(module.machine(), memory, report);
    Group group;
    Wave wave(listener, group, 0, module.machine().lanes);
    wave.setScalar64(scalar::Exec, 0); // The mask does not count.
    unsigned count = 0;
    uint64_t at = module.loaded(module.kernel("matrices")->entry);
    for (;; ++count) {
      const Instruction &in = module.at(at);
      if (in.name == "s_endpgm") {
        break;
      }
      Shape shape = shapeOf(in.name);
      shape.isOcp = module.machine().hasOcpFloats;
      fill(wave, shape);
      wave.current = &in;
      in.row->run(wave, in);
      EXPECT_EQ(countWrong(wave, shape), 0u) << in.text;
      at += in.bytes;
    }
    EXPECT_EQ(listener.messages, "");
    return count;
  }
};

TEST_F(MatrixShapesTest, Mfma) { EXPECT_EQ(runAll("gfx942"), 32u); }
TEST_F(MatrixShapesTest, DeepMfma) { EXPECT_EQ(runAll("gfx950"), 8u); }
TEST_F(MatrixShapesTest, Wmma) { EXPECT_EQ(runAll("gfx1100"), 4u); }

// The halves of a wave hold the same operands; a device takes either.
TEST_F(MatrixShapesTest, WmmaOfDifferentHalvesIsTold) {
  Module module(memory, readKernels("matrices", "gfx1100"));
  Report report;
  Listener listener(module.machine(), memory, report);
  Group group;
  Wave wave(listener, group, 0, 32);
  const Instruction &in =
      module.at(module.loaded(module.kernel("matrices")->entry));
  fill(wave, shapeOf(in.name));
  wave.vectors[size_t{81} * 32 + 21] ^= 0x100;
  wave.current = &in;
  in.row->run(wave, in);
  EXPECT_NE(listener.messages.find("lanes 5 and 21 hold different dwords 1 of "
                                   "matrix B"),
            std::string::npos)
      << listener.messages;
}

} // namespace

} // namespace tz::amd::sim
