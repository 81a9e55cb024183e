//===- SemanticsTest.cpp - types and rules of tile operations -------------===//
//
// What   Small kernels from source through elaborate: result types of the
//        promotion rules (asked by the language's own static_assert), the IR
//        that an operation gives. Misuse: test/frontend/errors.
// Why    The rules are many and small: a table shows them better than prose.
//
//===----------------------------------------------------------------------===//
#include "test/unit/frontend/KernelFile.h"

#include "terrazzo/ir/Tile.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tz::frontend;
using testing::HasSubstr;

namespace {

struct Outcome {
  std::string ir;     // empty after an error
  std::string errors; // one a line
};

class Semantics : public testing::Test {
protected:
  Semantics() {
    mlir::DialectRegistry registry;
    tz::tile::registerTileDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// A kernel `k` with the pointers p16 (fp16), pb (bf16), p32 (fp32), pi
  /// (int32), the const pointer kp and the integer n around the body.
  Outcome run(const std::string &body) {
    std::string text = "import triton\nimport triton.language as tl\n"
                       "@triton.jit\ndef add(a, b):\n    return a + b\n"
                       "@triton.jit\ndef widen(a, b):\n"
                       "    return a.to(tl.float64) + b\n"
                       "@triton.jit\n"
                       "def k(p16, pb, p32, p64, p8, pi, pl, pu, pbool, pc, kp,"
                       " n, B: tl.constexpr):\n";
    std::string line;
    for (char c : body + "\n") {
      if (c == '\n') {
        text += "    " + line + "\n";
        line.clear();
      } else {
        line += c;
      }
    }
    test::KernelRun spec = test::parseRun(
        "k p16=*fp16 pb=*bf16 p32=*fp32 p64=*fp64 p8=*fp8e5 pi=*i32 pl=*i64 "
        "pu=*u32 pbool=*i1 pc=*i8 kp=*kfp32 n=i32 B:=64");
    DiagnosticSink sink;
    Module module = parseModule("test.py", text, sink);
    Outcome outcome;
    auto ir = elaborate(module, "k", spec.spec, context, sink);
    for (const std::string &error : test::errorLines(sink)) {
      outcome.errors += error + "\n";
    }
    if (ir) {
      EXPECT_TRUE(mlir::succeeded(mlir::verify(*ir)));
      std::string printed;
      llvm::raw_string_ostream(printed) << *ir;
      for (char c : printed) { // runs of spaces are the printer's affair
        if (c != ' ' || outcome.ir.empty() || outcome.ir.back() != ' ') {
          outcome.ir += c;
        }
      }
    } else {
      EXPECT_NE(outcome.errors, "") << "no IR and no error for\n" << body;
    }
    return outcome;
  }

  mlir::MLIRContext context;
};

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

struct TypeRow {
  const char *lhs, *expression, *rhs, *result;
};

TEST_F(Semantics, Promotion) {
  const TypeRow rows[] = {
      // Literals are weak: a lower or equal kind takes the tile's type.
      {"uint8", "x + 5", "", "uint8"},
      {"int8", "x * 3", "", "int8"},
      {"float16", "x + 0.1", "", "float16"},
      {"float16", "x * 2", "", "float16"},
      {"bfloat16", "x - 1.5", "", "bfloat16"},
      {"int16", "x + 4.0", "", "float32"},
      {"int1", "x + 1", "", "int32"},
      {"int1", "x & True", "", "int1"},
      {"int64", "x + 1", "", "int64"},
      {"float32", "1 - x", "", "float32"},
      // Two tiles.
      {"float64", "x + y", "float32", "float64"},
      {"float16", "x + y", "float32", "float32"},
      {"float16", "x + y", "bfloat16", "float16"},
      {"float16", "x + y", "int32", "float16"},
      {"bfloat16", "x + y", "bfloat16", "bfloat16"},
      {"bfloat16", "x + y", "int32", "float32"},
      {"bfloat16", "x + y", "float8e5", "float32"},
      {"float8e5", "x + y", "float8e5", "float8e5"},
      {"float8e5", "x + y", "float8e4nv", "float16"},
      {"int32", "x + y", "float32", "float32"},
      // C's conversions.
      {"int8", "x + y", "int32", "int32"},
      {"uint32", "x + y", "int32", "uint32"},
      {"int32", "x + y", "uint32", "uint32"},
      {"uint8", "x + y", "int32", "int32"},
      {"uint32", "x + y", "int64", "int64"},
      {"int1", "x + y", "int8", "int8"},
      // Division.
      {"int32", "x / y", "int32", "float32"},
      {"int64", "x / 2", "", "float32"},
      {"float16", "x / y", "float16", "float32"},
      {"float16", "x / 2", "", "float32"},
      {"float64", "x / y", "float32", "float64"},
      {"int32", "x // 3", "", "int32"},
      {"uint32", "x % 3", "", "uint32"},
      {"bfloat16", "x % y", "bfloat16", "float32"},
      // Comparison, bits, shifts.
      {"float16", "x < y", "float32", "int1"},
      {"uint8", "x & 15", "", "uint8"},
      {"int16", "x << y", "int64", "int64"},
      {"int32", "~x", "", "int32"},
      {"float16", "-x", "", "float16"},
      // where keeps literals weak, the min-max family does not.
      {"float16", "tl.where(x > 0, x, 0.0)", "", "float16"},
      {"float16", "tl.maximum(x, 0.0)", "", "float32"},
      {"bfloat16", "tl.minimum(x, x)", "", "float32"},
      {"float16", "tl.minimum(x, x)", "", "float16"},
      {"uint32", "tl.maximum(x, 0)", "", "uint32"},
      {"float32", "tl.clamp(x, 0.0, 1.0)", "", "float32"},
      {"float32", "tl.fma(x, y, x)", "float32", "float32"},
      {"float32", "tl.exp(x)", "", "float32"},
      {"float64", "tl.sqrt(x)", "", "float64"},
      {"bfloat16", "tl.abs(x)", "", "bfloat16"},
      // Reductions and scans.
      {"int8", "tl.sum(x, 0)", "", "int32"},
      {"int1", "tl.sum(x, 0)", "", "uint32"},
      {"uint16", "tl.sum(x, 0)", "", "uint32"},
      {"float16", "tl.sum(x, 0)", "", "float16"},
      {"float16", "tl.max(x, 0)", "", "float32"},
      {"int16", "tl.min(x, 0)", "", "int32"},
      {"int64", "tl.max(x, 0)", "", "int64"},
      {"float16", "tl.max(x, 0, return_indices=True)[0]", "", "float16"},
      {"bfloat16", "tl.max(x, 0, return_indices=True)[0]", "", "float32"},
      {"float32", "tl.argmax(x, 0)", "", "int32"},
      {"bfloat16", "tl.cumsum(x, 0)", "", "float32"},
      {"int8", "tl.cumsum(x, 0)", "", "int32"},
      {"float16", "tl.cumprod(x, 0)", "", "float16"},
      {"int32", "tl.histogram(x, 16)", "", "int32"},
      {"int32", "tl.arange(0, 8)", "", "int32"},
      {"int32", "tl.cdiv(x, 4)", "", "int32"},
      {"float32", "tl.sigmoid(x)", "", "float32"},
      {"float32", "tl.softmax(x)", "", "float32"},
      {"float16", "x.to(tl.int64)", "", "int64"},
      {"int32", "x.to(tl.float32, bitcast=True)", "", "float32"},
  };
  for (const TypeRow &row : rows) {
    std::string rhs = *row.rhs ? row.rhs : row.lhs;
    std::string body =
        std::string("x = tl.full([B], 1, tl.") + row.lhs +
        ")\ny = tl.full([B], 1, tl." + rhs + ")\nz = " + row.expression +
        "\ntl.static_assert(z.dtype == tl." + row.result + ", z.dtype.name)";
    Outcome outcome = run(body);
    EXPECT_EQ(outcome.errors, "")
        << row.lhs << " " << row.expression << " " << rhs;
  }
}

TEST_F(Semantics, NumbersBecomeScalars) {
  const std::pair<const char *, const char *> rows[] = {
      {"1", "int32"},           {"-2147483648", "int32"},
      {"2147483648", "uint32"}, {"4294967296", "int64"},
      {"-2147483649", "int64"}, {"9223372036854775808", "uint64"},
      {"0.5", "float32"},       {"1e300", "float64"},
      {"True", "int1"},
  };
  for (auto [number, type] : rows) {
    Outcome outcome =
        run(std::string("x = ") + number + "\ntl.static_assert(x.dtype == tl." +
            type + ", x.dtype.name)");
    EXPECT_EQ(outcome.errors, "") << number;
  }
}

TEST_F(Semantics, Shapes) {
  const std::pair<const char *, const char *> rows[] = {
      {"x[:, None]", "[64, 1]"},
      {"x[None, :]", "[1, 64]"},
      {"x[None, :, None]", "[1, 64, 1]"},
      {"x[:, None] + tl.arange(0, 32)[None, :]", "[64, 32]"},
      {"x.reshape(8, 8)", "[8, 8]"},
      {"x.reshape([4, 16]).T", "[16, 4]"},
      {"tl.trans(x.reshape([2, 4, 8]))", "[2, 8, 4]"},
      {"tl.trans(x.reshape([2, 4, 8]), 2, 0, 1)", "[8, 2, 4]"},
      {"tl.permute(x.reshape([2, 4, 8]), (1, 2, 0))", "[4, 8, 2]"},
      {"tl.expand_dims(x, (0, 2))", "[1, 64, 1]"},
      {"tl.broadcast_to(x, (4, 64))", "[4, 64]"},
      {"tl.broadcast_to(x, 4, 64)", "[4, 64]"},
      {"tl.join(x, x)", "[64, 2]"},
      {"tl.interleave(x, x)", "[128]"},
      {"tl.cat(x, x, can_reorder=True)", "[128]"},
      {"tl.join(x, x).split()[0]", "[64]"},
      {"tl.ravel(x.reshape(8, 8))", "[64]"},
      {"tl.sum(x.reshape(4, 16), 1)", "[4]"},
      {"tl.sum(x.reshape(4, 16), -1, keep_dims=True)", "[4, 1]"},
      {"tl.sum(x.reshape(4, 16))", "[]"},
      {"tl.sum(x.reshape(4, 16), keep_dims=True)", "[1, 1]"},
      {"tl.sum(x)", "[]"},
      {"tl.flip(x, 0)", "[64]"},
      {"tl.sort(x)", "[64]"},
      {"tl.topk(x, 8)", "[8]"},
      {"tl.cumsum(x.reshape(4, 16), 1)", "[4, 16]"},
      {"tl.zeros_like(x.reshape(4, 16))", "[4, 16]"},
      {"tl.gather(x, tl.arange(0, 16), 0)", "[16]"},
      {"tl.histogram(x, 16)", "[16]"},
      {"tl.rand(n, x)", "[64]"},
      {"tl.randn(n, x)", "[64]"},
      {"tl.load(pi + x)", "[64]"},
      {"tl.load(pi)", "[]"},
      {"tl.atomic_add(pi + x, 1)", "[64]"},
      {"tl.where(x < 3, x[:, None], 0)", "[64, 64]"},
      {"tl.dot(tl.zeros([16, 32], tl.float16), tl.zeros([32, 64], tl.float16))",
       "[16, 64]"},
      {"tl.dot(tl.zeros([2, 16, 32], tl.float16), tl.zeros([2, 32, 64], "
       "tl.float16))",
       "[2, 16, 64]"},
      {"tl.dot(tl.zeros([2, 2, 16, 32], tl.int8), tl.zeros([2, 2, 32, 16], "
       "tl.int8))",
       "[2, 2, 16, 16]"},
  };
  for (auto [expression, shape] : rows) {
    Outcome outcome =
        run(std::string("x = tl.arange(0, B)\nz = ") + expression +
            "\ntl.static_assert(z.shape == " + shape +
            " or list(z.shape) == " + shape + ")");
    EXPECT_EQ(outcome.errors, "") << expression;
  }
}

//===----------------------------------------------------------------------===//
// IR
//===----------------------------------------------------------------------===//

struct IrRow {
  const char *body;
  std::vector<const char *> fragments;
};

TEST_F(Semantics, Operations) {
  const IrRow rows[] = {
      {"o = tl.program_id(1) * B + tl.arange(0, B)\n"
       "x = tl.load(p32 + o, mask=o < n, other=1.0)\n"
       "tl.store(p16 + o, x, mask=o < n)",
       {"tile.program_id 1", "tile.range 0 to 64 : tensor<64xi32>",
        "tile.addptr", ": tensor<64x!tile.ptr<f32>>, tensor<64xi32>",
        "arith.cmpi slt", "-> tensor<64xf32>", "tile.truncf rtne",
        "tile.store"}},
      // Unsigned offsets widen without sign; 32-bit signed ones stay.
      {"tl.store(p32 + tl.program_id(0).to(tl.uint32), 0.0)",
       {"arith.extui", "tile.addptr", "!tile.ptr<f32>, i64"}},
      // int1 is a byte in memory.
      {"x = tl.load(pbool + tl.arange(0, 8))\n"
       "tl.store(pbool + tl.arange(0, 8), x)",
       {"-> tensor<8xi8>", "arith.cmpi ne", "arith.extui",
        "tensor<8x!tile.ptr<i8>>, tensor<8xi8>"}},
      {"x = tl.load(p32, eviction_policy='evict_last', cache_modifier='.cg', "
       "volatile=True)\ntl.store(p32, x, cache_modifier='.wt')",
       {"evict_last", "cg", "isVolatile", "wt"}},
      {"x = tl.load(pi)\ntl.store(pi, (x // 3) + (x % 3) + (x << 2) + (x >> "
       "1))",
       {"tile.divsi", "tile.remsi", "tile.shl", "tile.shrsi"}},
      {"x = tl.load(pu)\ntl.store(pu, (x // 3) + (x % 3) + (x >> 1))",
       {"tile.divui", "tile.remui", "tile.shrui"}},
      {"x = tl.load(p32)\ntl.store(pi, x.to(tl.int32))", {"tile.fptosi"}},
      {"x = tl.load(p32)\ntl.store(pb, x.to(tl.bfloat16, "
       "fp_downcast_rounding='rtz'))",
       {"tile.truncf rtz"}},
      {"x = tl.load(p32)\ny = tl.fdiv(x, x, ieee_rounding=True) + x / 3",
       {"tile.divf rn", "tile.divf approx"}},
      {"x = tl.load(p32)\ny = tl.maximum(x, 0.0, "
       "propagate_nan=tl.PropagateNan.ALL)",
       {"tile.maxf", "propagate_nan"}},
      {"x = tl.load(p8) + tl.load(p8)\ntl.store(p8, x)",
       {"arith.extf", "arith.addf", "f32", "tile.truncf rtne"}},
      {"x = tl.sum(tl.load(p32 + tl.arange(0, 64)), 0)\ntl.store(p32, x)",
       {"tile.reduce", "axis 0", "arith.addf", "tile.yield",
        "(tensor<64xf32>) -> f32"}},
      {"x = tl.cumsum(tl.load(p32 + tl.arange(0, 64)), 0, reverse=True)",
       {"tile.scan", "reverse"}},
      {"a = tl.zeros([16, 32], tl.float16)\nb = tl.zeros([32, 16], "
       "tl.float16)\n"
       "c = tl.dot(a, b)\nc = tl.dot(a, b, c)",
       {"tile.dot",
        "tensor<16x32xf16>, tensor<32x16xf16> -> tensor<16x16xf32>"}},
      {"a = tl.zeros([16, 16], tl.float32)\nc = tl.dot(a, a)",
       {"target_default"}},
      {"a = tl.zeros([16, 16], tl.float32)\nc = tl.dot(a, a, "
       "input_precision='tf32x3')",
       {"tf32x3"}},
      {"q = tl.make_block_ptr(p16, (n, 64), (64, 1), (tl.program_id(0) * 16, "
       "0),"
       " (16, 64), (1, 0))\nx = tl.load(q, boundary_check=(0,), "
       "padding_option='nan')\nq = tl.advance(q, (16, 0))\n"
       "tl.store(q, x, boundary_check=(0, 1))",
       {"tile.make_view", ": <f16> -> <16x64xf16>", "tile.advance_view",
        "checked [true, false]", "tile.load_view", "other", "tile.store_view",
        "checked [true, true]"}},
      {"d = tl.make_tensor_descriptor(p16, [n, 64], [64, 1], [16, 64])\n"
       "x = d.load([0, 0])\nd.store([16, 0], x)",
       {"tile.make_view", "tile.load_view", "checked [true, true]",
        "tile.store_view"}},
      {"o = tl.arange(0, 8)\nx = tl.atomic_add(p32 + o, 1.0, mask=o < n, "
       "sem='relaxed', scope='cta')\ny = tl.atomic_max(pu, 3)\n"
       "z = tl.atomic_cas(pi, 0, 1)\nw = tl.atomic_xchg(pi, 5)",
       {"tile.atomic_rmw fadd relaxed program",
        "tile.atomic_rmw umax acq_rel "
        "device",
        "tile.atomic_cas acq_rel device", "tile.atomic_rmw xchg"}},
      {"x = tl.multiple_of(tl.max_contiguous(tl.arange(0, 64), 64), 16)",
       {"tile.hint", "contiguity = array<i64: 64>",
        "divisibility = array<i64: 16>"}},
      {"tl.assume(n > 0)\ntl.debug_barrier()\ntl.device_print('n', n, "
       "hex=True)",
       {"tile.assume", "tile.barrier", "tile.print", "hex"}},
      {"x = tl.load(pl).to(tl.pointer_type(tl.float16))\ny = tl.load(x)",
       {"tile.int_to_ptr", "!tile.ptr<f16>"}},
      {"tl.store(pi, tl.umulhi(tl.load(pi), 3))", {"tile.mulhiui"}},
      {"tl.store(p32, tl.exp(tl.load(p32)) + tl.math.rsqrt(tl.load(p32)))",
       {"tile.math exp", "tile.math rsqrt"}},
      {"tl.store(p16 + tl.arange(0, 8), 0)", {"tile.store", "f16"}},
  };
  for (const IrRow &row : rows) {
    Outcome outcome = run(row.body);
    EXPECT_EQ(outcome.errors, "") << row.body;
    for (const char *fragment : row.fragments) {
      EXPECT_THAT(outcome.ir, HasSubstr(fragment)) << row.body;
    }
  }
}

TEST_F(Semantics, GroupsFollowPointers) {
  Outcome outcome = run("x = tl.load(p32)\ntl.store(p16, x)");
  EXPECT_EQ(outcome.errors, "");
  EXPECT_THAT(outcome.ir, HasSubstr("group = 1"));
  EXPECT_THAT(outcome.ir, HasSubstr("group = 3"));
}

} // namespace
