//===- RunOp.h - one elementwise op on vectors ------------------*- C++ -*-===//
//
// What   Builds a kernel around one op: loads each operand, applies the op,
//        stores the result.
// Why    An op's test is then its text and two columns of numbers.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_TEST_UNIT_INTERPRETER_RUNOP_H
#define TERRAZZO_TEST_UNIT_INTERPRETER_RUNOP_H

#include "RunKernel.h"

#include "mlir/AsmParser/AsmParser.h"

namespace tz::interpreter {

/// `op` is text over %a, %b, %c; "TA" and "TR" stand for the tile types of the
/// first operand and the result.
class RunOp : public RunKernel {
protected:
  /// One operand: its elements' bits and their type in the IR.
  struct Column {
    std::string type;
    std::vector<uint64_t> bits;
  };

  static Column ints(std::string type, const std::vector<int64_t> &values) {
    return {std::move(type), {values.begin(), values.end()}};
  }
  static Column f32(const std::vector<float> &values) {
    Column column{"f32", {}};
    for (float value : values) {
      column.bits.push_back(ArgValue::f32(value).bits);
    }
    return column;
  }
  static Column f64(const std::vector<double> &values) {
    Column column{"f64", {}};
    for (double value : values) {
      column.bits.push_back(ArgValue::f64(value).bits);
    }
    return column;
  }

  static std::string replaced(std::string text, const std::string &from,
                              const std::string &to) {
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
         at += to.size()) {
      text.replace(at, from.size(), to);
    }
    return text;
  }

  unsigned bytesOfType(const std::string &type) {
    return tile::storageBytes(mlir::parseType(type, &context));
  }

  /// The bits that `op` gives, zero-extended.
  std::vector<uint64_t> apply(const std::string &op,
                              const std::vector<Column> &operands,
                              const std::string &resultType) {
    const size_t n = operands.front().bits.size();
    const std::string count = std::to_string(n);
    std::vector<std::vector<uint8_t>> buffers;
    launch = {};
    options.memory.clear();
    std::string parameters, body;
    auto add = [&](const std::string &name, const std::string &type) {
      buffers.emplace_back(n * bytesOfType(type));
      parameters += (parameters.empty() ? "%p" : ", %p") + name +
                    ": !tile.ptr<" + type + ">";
      std::string pointers = "tensor<" + count + "x!tile.ptr<" + type + ">>";
      body += "%s" + name + " = tile.splat %p" + name + " : !tile.ptr<" + type +
              "> -> " + pointers + "\n%q" + name + " = tile.addptr %s" + name +
              ", %i : " + pointers + ", tensor<" + count + "xi32>\n";
      return pointers;
    };
    const std::string names[] = {"a", "b", "c"};
    for (size_t k = 0; k < operands.size(); ++k) {
      const Column &column = operands[k];
      std::string pointers = add(names[k], column.type);
      body += "%" + names[k] + " = tile.load %q" + names[k] + " : " + pointers +
              " -> tensor<" + count + "x" + column.type + ">\n";
      const unsigned bytes = bytesOfType(column.type);
      for (size_t i = 0; i < n; ++i) {
        std::memcpy(&buffers.back()[i * bytes], &column.bits[i], bytes);
      }
    }
    std::string pointers = add("r", resultType);
    std::string text = replaced(
        op, "TA", "tensor<" + count + "x" + operands.front().type + ">");
    std::string tile = "tensor<" + count + "x" + resultType + ">";
    body += "%r = " + replaced(text, "TR", tile) +
            "\ntile.store %qr, %r : " + pointers + ", " + tile + "\n";
    for (std::vector<uint8_t> &buffer : buffers) {
      give(buffer);
    }
    std::string error =
        run("tile.kernel @k(" + parameters + ") {\n%i = tile.range 0 to " +
            count + " : tensor<" + count + "xi32>\n" + body + "tile.return\n}");
    EXPECT_EQ(error, "") << op;
    std::vector<uint64_t> result(n);
    const unsigned bytes = bytesOfType(resultType);
    for (size_t i = 0; i < n; ++i) {
      std::memcpy(&result[i], &buffers.back()[i * bytes], bytes);
    }
    return result;
  }

  /// Results as signed integers of their width.
  std::vector<int64_t> applyInts(const std::string &op,
                                 const std::vector<Column> &operands,
                                 const std::string &resultType) {
    std::vector<int64_t> values;
    const unsigned unused = 64 - 8 * bytesOfType(resultType);
    for (uint64_t bits : apply(op, operands, resultType)) {
      values.push_back(static_cast<int64_t>(bits << unused) >> unused);
    }
    return values;
  }
  std::vector<float> applyF32(const std::string &op,
                              const std::vector<Column> &operands) {
    std::vector<float> values;
    for (uint64_t bits : apply(op, operands, "f32")) {
      auto word = static_cast<uint32_t>(bits);
      float value;
      std::memcpy(&value, &word, sizeof(value));
      values.push_back(value);
    }
    return values;
  }
};

} // namespace tz::interpreter

#endif // TERRAZZO_TEST_UNIT_INTERPRETER_RUNOP_H
