//===- Sweep.cpp - One small kernel against the reference interpreter -----===//
//
// What   See Sweep.h.
// Why    See Sweep.h.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/test/Sweep.h"

#include "gtest/gtest.h"

#include "core/interpreter/Compare.h"
#include "core/interpreter/Interpreter.h"
#include "plugins/cpu/test/Program.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <thread>

namespace tz::cpu::test {

namespace {
/// The classes of ElementTypes.def.
enum class TypeClass { Bool, Signed, Unsigned, Float };

/// The IR's name of a row: "i1", "f32", "f8E4M3FN"; empty if it has no values
/// of the type. Its integers have no sign.
std::string nameInIR(TypeClass kind, unsigned bits, std::string text) {
  if (kind == TypeClass::Unsigned || text == "f8e4b15") {
    return "";
  }
  if (kind == TypeClass::Float) {
    std::transform(text.begin() + 1, text.end(), text.begin() + 1, [&](char c) {
      return char(bits == 8 ? std::toupper(c) : c);
    });
    return text;
  }
  return "i" + std::to_string(bits);
}

std::vector<std::string> typesOf(bool areFloats) {
  std::vector<std::string> types;
#define ELEMENT_TYPE(Id, Bits, Class, Name, Long, Text, Fraction,              \
                     LeastExponent)                                            \
  if ((TypeClass::Class == TypeClass::Float) == areFloats) {                   \
    types.push_back(nameInIR(TypeClass::Class, Bits, Text));                   \
  }
#include "terrazzo/ElementTypes.def"
  std::erase(types, "");
  return types;
}
} // namespace

const std::vector<std::string> IntegerTypes = typesOf(false);
const std::vector<std::string> FloatTypes = typesOf(true);
const std::vector<std::string> PlainTypes = [] {
  std::vector<std::string> all = IntegerTypes;
  all.insert(all.end(), FloatTypes.begin(), FloatTypes.end());
  return all;
}();

Kind kindOf(const std::string &type) {
  return type[0] == '!' ? Kind::Ptr : *interpreter::kindFromName(type);
}

unsigned bitsOf(const std::string &type) {
  return type == "i1" ? 1 : 8 * interpreter::bytesOf(kindOf(type));
}

int64_t countOf(const Shape &shape) {
  int64_t count = 1;
  for (int64_t extent : shape) {
    count *= extent;
  }
  return count;
}

std::string dimensions(const Shape &shape) {
  std::string text;
  for (int64_t extent : shape) {
    text += std::to_string(extent) + "x";
  }
  return text;
}

std::string tileType(const Shape &shape, const std::string &type) {
  return shape.empty() ? type : "tensor<" + dimensions(shape) + type + ">";
}

std::string replaced(std::string text, const std::string &from,
                     const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
       at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::vector<uint64_t> values(const std::string &type, size_t count,
                             unsigned seed, Values which) {
  const Kind kind = kindOf(type);
  const unsigned bits = bitsOf(type);
  const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  std::mt19937_64 engine(seed * 7919 + count);
  std::vector<uint64_t> result;
  if (!interpreter::isFloat(kind)) {
    const uint64_t top = uint64_t{1} << (bits - 1);
    const uint64_t special[] = {0, 1,        mask, top,      top - 1, 2,
                                3, mask - 1, bits, bits - 1, 7,       top + 1};
    while (result.size() < count) {
      uint64_t value = engine();
      if (which == Values::Any) {
        value = result.size() % 3 == 0
                    ? special[(result.size() / 3 + seed) % std::size(special)]
                : result.size() % 3 == 1 ? value >> (engine() % 64)
                                         : value;
      } else {
        value = value % 23 - (bits > 5 ? 11 : 0);
        value = which == Values::NonZero && (value & mask) == 0 ? 1 : value;
      }
      result.push_back(value & mask);
    }
    return result;
  }
  const double inf = std::numeric_limits<double>::infinity();
  const double special[] = {0.0, -0.0, 1.0,  -1.0,  inf,  -inf,  std::nan(""),
                            0.5, 2.5,  -3.5, 100.0, 1e-3, 448.0, 3.0};
  std::uniform_real_distribution<double> uniform(-1, 1);
  while (result.size() < count) {
    double value = uniform(engine);
    if (which == Values::Any && result.size() % 4 == 0) {
      value = special[(result.size() / 4 + seed) % std::size(special)];
    } else if (which == Values::Any && result.size() % 4 == 1) {
      value = std::ldexp(value, int(engine() % 24) - 12);
    } else {
      value =
          2 * value + (which == Values::NonZero ? std::copysign(1, value) : 0);
    }
    if (which == Values::Any &&
        (bits == 8 ? result.size() % 2 : result.size() % 8 == 3)) {
      result.push_back(engine() & mask); // any bits: also denormals, huge
      continue;
    }
    result.push_back(interpreter::encodeFloat(kind, value));
  }
  return result;
}

//===--- Building ---------------------------------------------------------===//

/// Pointers of a tile or a view at `pointer`; the name to load from, with all
/// that stands before the colon and behind it.
std::string Case::access(const std::string &pointer, const std::string &type,
                         const Shape &shape) {
  const std::string id = std::to_string(accesses++);
  if (shape.size() == 1) {
    std::string n = std::to_string(shape[0]);
    std::string pointers = "tensor<" + n + "x!tile.ptr<" + type + ">>";
    lines += "  %r" + id + " = tile.range 0 to " + n + " : tensor<" + n +
             "xi32>\n  %s" + id + " = tile.splat " + pointer + " : !tile.ptr<" +
             type + "> -> " + pointers + "\n  %q" + id + " = tile.addptr %s" +
             id + ", %r" + id + " : " + pointers + ", tensor<" + n + "xi32>\n";
    return "%q" + id;
  }
  std::string sizes, strides;
  int64_t stride = countOf(shape);
  for (size_t d = 0; d < shape.size(); ++d) {
    stride /= shape[d];
    std::string at = id + "_" + std::to_string(d);
    lines += "  %n" + at + " = arith.constant " + std::to_string(shape[d]) +
             " : i64\n  %t" + at + " = arith.constant " +
             std::to_string(stride) + " : i64\n";
    sizes += (d ? ", %n" : "%n") + at;
    strides += (d ? ", %t" : "%t") + at;
  }
  std::string view = "!tile.view<" + dimensions(shape) + type + ">";
  lines += "  %z" + id + " = arith.constant 0 : i64\n  %v" + id +
           " = tile.make_view " + pointer + " shape [" + sizes + "] strides [" +
           strides + "] : !tile.ptr<" + type + "> -> " + view + "\n";
  std::string zeros = "%z" + id, checked = id.back() % 2 ? "true" : "false";
  std::string marks = checked;
  for (size_t d = 1; d < shape.size(); ++d) {
    zeros += ", %z" + id;
    marks += ", " + checked;
  }
  return "%v" + id + " [" + zeros + "]|checked [" + marks + "] : " + view;
}

Case &Case::in(const std::string &value, const std::string &type,
               const Shape &shape, const std::vector<uint64_t> &bits) {
  std::string pointer = "%in" + std::to_string(arguments.size());
  memory(pointer.substr(1), type, bits);
  arrays.back().compared = false;
  std::string tile = tileType(shape, type);
  if (shape.empty()) {
    lines += "  %" + value + " = tile.load " + pointer + " : !tile.ptr<" +
             type + "> -> " + type + "\n";
    return *this;
  }
  std::string from = access(pointer, type, shape);
  if (shape.size() == 1) {
    lines += "  %" + value + " = tile.load " + from + " : " +
             tileType(shape, "!tile.ptr<" + type + ">") + " -> " + tile + "\n";
  } else {
    lines += "  %" + value + " = tile.load_view " + replaced(from, "|", " ") +
             " -> " + tile + "\n";
  }
  return *this;
}

Case &Case::memory(const std::string &value, const std::string &type,
                   const std::vector<uint64_t> &bits) {
  const unsigned bytes = interpreter::bytesOf(kindOf(type));
  Array array{
      type, bits.size(), std::vector<uint8_t>(bits.size() * bytes), true, {}};
  for (size_t i = 0; i < bits.size(); ++i) {
    std::memcpy(&array.bytes[i * bytes], &bits[i], bytes);
  }
  arguments.push_back(
      {value, "!tile.ptr<" + type + ">", static_cast<int>(arrays.size()), 0});
  arrays.push_back(std::move(array));
  return *this;
}

Case &Case::argument(const std::string &value, const std::string &type,
                     uint64_t bits) {
  arguments.push_back({value, type, -1, bits});
  return *this;
}

Case &Case::body(const std::string &text) {
  lines += "  " + text + "\n";
  return *this;
}

Case &Case::out(const std::string &value, const std::string &type,
                const Shape &shape) {
  std::string pointer = "%out" + std::to_string(arguments.size());
  memory(pointer.substr(1), type,
         std::vector<uint64_t>(size_t(countOf(shape)), 0));
  std::string tile = tileType(shape, type);
  if (shape.empty()) {
    lines += "  tile.store " + pointer + ", %" + value + " : !tile.ptr<" +
             type + ">, " + type + "\n";
    return *this;
  }
  std::string to = access(pointer, type, shape);
  if (shape.size() == 1) {
    lines += "  tile.store " + to + ", %" + value + " : " +
             tileType(shape, "!tile.ptr<" + type + ">") + ", " + tile + "\n";
  } else {
    lines += "  tile.store_view " + replaced(to, "|", ", %" + value + " ") +
             ", " + tile + "\n";
  }
  return *this;
}

Case &Case::open(std::function<bool(size_t)> isOpen) {
  arrays.back().isOpen = std::move(isOpen);
  return *this;
}

Case &Case::grid(uint32_t count) {
  programs = count;
  return *this;
}

Case &Case::contracted() {
  attributes = "attributes {tile.contract = true} ";
  return *this;
}

std::string Case::text() const {
  std::string head = "tile.kernel @k(";
  for (size_t i = 0; i < arguments.size(); ++i) {
    head += (i ? ", %" : "%") + arguments[i].name + ": " + arguments[i].type;
  }
  return head + ") " + attributes + "{\n" + lines + "  tile.return\n}\n";
}

//===--- Running ----------------------------------------------------------===//

std::string Case::run(const char *target) const {
  auto problem = [&](const std::string &what) {
    return name + (target ? std::string(" for ") + target : "") + ": " + what +
           "\n" + text();
  };
  try {
    Program program(text().c_str(), target);
    if (program.compileSeconds > 1) {
      return problem("compiled in " + std::to_string(program.compileSeconds) +
                     " s");
    }
    // Both start from the same memory; what is read only is shared, so that
    // addresses are equal too.
    std::vector<std::vector<uint8_t>> ours, theirs;
    for (const Array &array : arrays) {
      ours.push_back(array.bytes);
      theirs.push_back(array.compared ? array.bytes : std::vector<uint8_t>());
    }
    interpreter::LaunchArgs launch;
    interpreter::Options options;
    interpreter::Report report;
    launch.grid = {programs, 1, 1};
    options.trackErrors = true;
    for (const Argument &argument : arguments) {
      if (argument.array < 0) {
        launch.args.push_back({argument.bits});
        program.bits(argument.bits,
                     interpreter::bytesOf(kindOf(argument.type)));
        continue;
      }
      const auto k = size_t(argument.array);
      auto &memory = arrays[k].compared ? theirs[k] : ours[k];
      launch.args.push_back(interpreter::ArgValue::pointer(memory.data()));
      options.memory.push_back({reinterpret_cast<uintptr_t>(memory.data()),
                                memory.size(), argument.name, true});
      program.arg(ours[k].data());
    }
    if (llvm::Error error =
            interpreter::run(program.kernel(), launch, options, report)) {
      return problem("interpreter: " + llvm::toString(std::move(error)));
    }
    program.run(programs);
    for (size_t k = 0; k < arrays.size(); ++k) {
      const Array &array = arrays[k];
      if (!array.compared) {
        continue;
      }
      const Kind kind = kindOf(array.type);
      const unsigned bytes = interpreter::bytesOf(kind);
      for (size_t i = 0; array.isOpen && i < array.count; ++i) {
        if (array.isOpen(i)) {
          std::memcpy(&ours[k][i * bytes], &theirs[k][i * bytes], bytes);
        }
      }
      auto tolerance = interpreter::toleranceFrom(
          report, reinterpret_cast<uintptr_t>(theirs[k].data()), array.count);
      auto result = interpreter::compare(kind, theirs[k].data(), ours[k].data(),
                                         array.count, tolerance);
      if (!result.matches()) {
        return problem("element " + std::to_string(result.worst) + " is " +
                       std::to_string(result.worstActual) + ", not " +
                       std::to_string(result.worstExpected) + "; " +
                       result.summary(tolerance));
      }
    }
  } catch (const Refused &refused) {
    return problem(std::string("refused: ") + refused.what());
  } catch (const std::exception &error) {
    return problem(error.what());
  }
  return "";
}

std::string Case::compile() const {
  try {
    Program program(text().c_str());
    return program.compileSeconds < 1
               ? ""
               : name + ": compiled in " +
                     std::to_string(program.compileSeconds) + " s\n" + text();
  } catch (const std::exception &error) {
    return name + ": " + error.what() + "\n" + text();
  }
}

std::string Case::runRefused() const {
  try {
    Program program(text().c_str());
  } catch (const Refused &refused) {
    if (!refused.hasLine) {
      return name + ": refused without a line: " + refused.what();
    }
    return "";
  } catch (const std::exception &error) {
    return name + ": " + error.what() + "\n" + text();
  }
  return name + ": not refused\n" + text();
}

void Tally::add(Case c) {
  if (work.size() % 10 == 0) {
    for (const std::string &target : targetsThatRun()) {
      if (target != "cpu") {
        work.push_back({c, [target](const Case &what) {
                          return what.run(target.c_str());
                        }});
      }
    }
  }
  work.push_back(
      {std::move(c), [](const Case &what) { return what.run(nullptr); }});
}

Tally::~Tally() {
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  size_t failures = 0;
  auto worker = [&] {
    for (size_t i; (i = next++) < work.size();) {
      std::string problem = work[i].how(work[i].what);
      if (problem.empty()) {
        continue;
      }
      std::lock_guard<std::mutex> lock(mutex);
      // The first with their text; of the others a line.
      ADD_FAILURE() << (++failures <= 12
                            ? problem
                            : problem.substr(0, problem.find('\n')));
    }
  };
  std::vector<std::thread> threads(
      std::clamp(std::thread::hardware_concurrency(), 1u, 8u));
  for (std::thread &thread : threads) {
    thread = std::thread(worker);
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  std::printf("  %s: %zu kernels, %zu wrong\n", what, work.size(), failures);
  EXPECT_FALSE(work.empty());
}

} // namespace tz::cpu::test
