//===- Print.cpp - a random kernel as source and arguments ----------------===//
//
// What   Kernel-language text, the arguments it needs, and how long each buffer
//        must be.
// Why    Lengths follow from what is printed: after shrinking, buffers are as
//        short as the accesses that are left allow (K3).
//===----------------------------------------------------------------------===//
#include "core/conformance/random/Printer.h"

namespace tz::conformance::random {

namespace {
enum class Class : uint8_t { Bool, Signed, Unsigned, Float };
} // namespace

static constexpr EltFacts FactsOfElts[] = {
#define ELEMENT_TYPE(Id, Bits, Kind, Name, Long, Text, Fraction, Least)        \
  {Long, Text, Bits, Class::Kind == Class::Float,                              \
   Class::Kind == Class::Float || Class::Kind == Class::Signed},
#include "terrazzo/ElementTypes.def"
};

const EltFacts &factsOf(Elt elt) { return FactsOfElts[size_t(elt)]; }

Dim sizeDim(unsigned size) {
  Dim dim;
  dim.powers[size] = 1;
  return dim;
}
Dim operator*(const Dim &a, const Dim &b) {
  Dim product = a;
  for (unsigned i = 0; i < SizeCount; ++i) {
    product.powers[i] = int8_t(product.powers[i] + b.powers[i]);
  }
  return scaled(product, b.twos);
}
Dim scaled(Dim dim, int by) {
  dim.twos = int8_t(dim.twos + by);
  return dim;
}

int RandomKernel::log2(const Dim &dim) const {
  int sum = dim.twos;
  for (unsigned i = 0; i < SizeCount; ++i) {
    sum += dim.powers[i] * log2Of[i];
  }
  return sum;
}
int RandomKernel::log2(const Shape &shape) const {
  int sum = 0;
  for (const Dim &dim : shape) {
    sum += log2(dim);
  }
  return sum;
}

/// Functions that reductions and scans combine by, and one of elements.
static constexpr std::pair<std::string_view, std::string_view> Combiners[] = {
    {"combine_add", "(a, b):\n    return a + b\n"},
    {"combine_xor", "(a, b):\n    return a ^ b\n"},
    {"combine_larger", "(a, b):\n    return tl.where(a > b, a, b)\n"},
    {"combine_right", "(a, b):\n    return b\n"},
    {"combine_maximum", "(a, b):\n    return tl.maximum(a, b)\n"},
    {"combine_best",
     "(a, i, b, j):\n    first = (a > b) | ((a == b) & (i < j))\n"
     "    return tl.where(first, a, b), tl.where(first, i, j)\n"},
    {"combine_affine", "(a, b, c, d):\n    return a * c, b * c + d\n"},
    {"map_pick", "(a, b):\n    r = a - b\n    if a > b:\n        r = b\n"
                 "    while r > 50:\n        r = r // 3\n    return r\n"},
};

long Printer::size(const Dim &dim) {
  int log = kernel.log2(dim);
  if (log < 0 || log > 14) {
    isValid = false;
    return 1;
  }
  return 1L << log;
}

long Printer::count(const Shape &shape) {
  long product = 1;
  for (const Dim &dim : shape) {
    product *= size(dim);
  }
  isValid = isValid && product <= 1 << 14;
  return product;
}

std::string Printer::dims(const Shape &shape) {
  std::string list;
  for (const Dim &dim : shape) {
    list += (list.empty() ? "" : ", ") + std::to_string(size(dim));
  }
  return "(" + list + (shape.size() == 1 ? ",)" : ")");
}

std::string Printer::bufferName(unsigned buffer) {
  static constexpr const char *letters[] = {"x", "o", "s", "m"};
  isUsed[buffer] = true;
  return letters[kernel.buffers[buffer].role] + std::to_string(buffer);
}

std::string Printer::substitute(const Expr &expr) {
  std::string result;
  for (size_t i = 0; i < expr.pattern.size(); ++i) {
    char c = expr.pattern[i];
    if ((c == '$' || c == '#') && i + 1 < expr.pattern.size()) {
      unsigned index = unsigned(expr.pattern[++i] - '0');
      if (c == '#') {
        result += std::to_string(size(expr.dims[index]));
      } else {
        result += text(expr.kids[index]);
      }
      continue;
    }
    result += c;
  }
  return result;
}

std::string Printer::text(const Expr &expr) {
  for (const Dim &dim : expr.type.shape) {
    size(dim);
  }
  count(expr.type.shape);
  switch (expr.kind) {
  case Expr::Variable:
    return defined.count(expr.variable) ? "v" + std::to_string(expr.variable)
                                        : standIn(expr.type);
  case Expr::Load:
    return load(expr);
  case Expr::Pattern:
    break;
  }
  std::string result = substitute(expr);
  usesPid |= result.find("pid") != std::string::npos;
  return result;
}

/// How much of an output a program has, and how wide matrices are.
void Printer::measure(const std::vector<Stmt> &body) {
  auto ownOf = [&](const Access &access, const Shape &shape) {
    if (isOwn(access)) {
      long length = partOf(access, shape);
      ownPart[access.buffer] = std::max(ownPart[access.buffer], length);
    }
  };
  auto visit = [&](auto &self, const Expr &expr) -> void {
    if (expr.kind == Expr::Load) {
      ownOf(expr.access, expr.type.shape);
    }
    for (const Expr &kid : expr.kids) {
      self(self, kid);
    }
  };
  for (const Stmt &stmt : body) {
    for (const Expr &expr : stmt.exprs) {
      visit(visit, expr);
    }
    if (stmt.kind == Stmt::Store || stmt.kind == Stmt::Atomic) {
      ownOf(stmt.access, stmt.exprs[0].type.shape);
    } else if (stmt.kind == Stmt::Update) {
      ownOf(stmt.access, kernel.variables[stmt.variables[0]].type.shape);
    }
    measure(stmt.body);
    measure(stmt.orelse);
  }
}

void Printer::loop(const Stmt &stmt, unsigned depth) {
  std::set<unsigned> before = defined;
  std::string counter = "v" + std::to_string(stmt.variables[0]);
  std::string trips = std::to_string(stmt.trips);
  if (stmt.kind == Stmt::While) {
    line(depth, counter + " = 0");
    line(depth, "while " + counter + " < " + trips + ":");
  } else {
    std::string header = stmt.pattern;
    if (size_t at = header.find('#'); at != std::string::npos) {
      header.replace(at, 1, trips);
    }
    usesN |= header.find("(n, ") != std::string::npos;
    line(depth, "for " + counter + " in " + header + ":");
  }
  defined.insert(stmt.variables[0]);
  counterBound[stmt.variables[0]] = stmt.trips;
  lines(stmt.body, depth + 1);
  if (stmt.kind == Stmt::While) {
    line(depth + 1, counter + " += 1");
  } else if (stmt.body.empty()) {
    line(depth + 1, "pass");
  }
  defined = std::move(before);
}

void Printer::lines(const std::vector<Stmt> &body, unsigned depth) {
  for (const Stmt &stmt : body) {
    switch (stmt.kind) {
    case Stmt::Assign: {
      std::string left, right;
      for (size_t i = 0; i < stmt.variables.size(); ++i) {
        left += (i ? ", v" : "v") + std::to_string(stmt.variables[i]);
        right += (i ? ", " : "") + text(stmt.exprs[i]);
      }
      line(depth, left + " = " + right);
      defined.insert(stmt.variables.begin(), stmt.variables.end());
      break;
    }
    case Stmt::Store: {
      const Shape &shape = stmt.exprs[0].type.shape;
      std::string value = text(stmt.exprs[0]);
      if (stmt.access.form == Access::BlockPointer ||
          stmt.access.form == Access::Descriptor) {
        bool isDescriptor = stmt.access.form == Access::Descriptor;
        std::string checks = shape.size() == 1 ? "(0,)" : "(0, 1)";
        line(depth,
             view(stmt.access, shape, true) + value +
                 (isDescriptor ? ")" : ", boundary_check=" + checks + ")"));
        break;
      }
      if (stmt.access.form == Access::Bounded) {
        auto [offsets, inside] = bounded(stmt.access, shape);
        line(depth, "tl.store(" + bufferName(stmt.access.buffer) + " + " +
                        offsets + ", " + value + ", mask=" + inside + ")");
        break;
      }
      std::string mask;
      if (stmt.access.hasMask) {
        mask = ", mask=" + text(stmt.exprs[1]);
      }
      line(depth,
           "tl.store(" + own(stmt.access, shape) + ", " + value + mask + ")");
      break;
    }
    case Stmt::Update:
      update(stmt, depth);
      break;
    case Stmt::Atomic: {
      const Shape &shape = stmt.exprs[0].type.shape;
      std::string value = text(stmt.exprs[0]), mask, pointer;
      size_t kid = 1;
      if (isOwn(stmt.access)) {
        pointer = own(stmt.access, shape);
      } else {
        pointer = bufferName(stmt.access.buffer) + " + (" +
                  text(stmt.exprs[kid++]) + " & 15)";
        need[stmt.access.buffer] = 16;
      }
      if (stmt.access.hasMask) {
        mask = ", mask=" + text(stmt.exprs[kid]);
      }
      std::string target;
      if (!stmt.variables.empty()) {
        target = "v" + std::to_string(stmt.variables[0]) + " = ";
        defined.insert(stmt.variables[0]);
      }
      std::string compared;
      if (stmt.pattern == "atomic_cas") {
        compared = text(stmt.exprs[kid]) + ", ";
      }
      line(depth, target + "tl." + stmt.pattern + "(" + pointer + ", " +
                      compared + value + mask + ")");
      break;
    }
    case Stmt::If: {
      std::set<unsigned> before = defined;
      line(depth, "if " + text(stmt.exprs[0]) + ":");
      lines(stmt.body, depth + 1);
      if (stmt.body.empty()) {
        line(depth + 1, "pass");
      }
      defined = before;
      if (!stmt.orelse.empty()) {
        line(depth, "else:");
        lines(stmt.orelse, depth + 1);
        defined = before;
      }
      break;
    }
    case Stmt::For:
    case Stmt::While:
      loop(stmt, depth);
      break;
    case Stmt::Walk:
      walk(stmt, depth);
      break;
    case Stmt::Return:
      usesPid = true;
      line(depth, "if pid == " + std::to_string(stmt.trips) + ":");
      line(depth + 1, "return");
      break;
    }
  }
}

std::optional<Case> Printer::print(std::string name) {
  measure(kernel.body);
  lines(kernel.body, 1);
  std::string body = std::move(out), functions;
  for (size_t i = 0; i < kernel.functions.size(); ++i) {
    const Function &function = kernel.functions[i];
    std::string head = "function" + std::to_string(i) + "(";
    if (body.find(head) == std::string::npos &&
        functions.find(head) == std::string::npos) {
      continue;
    }
    defined.clear();
    std::string parameters, results;
    for (unsigned parameter : function.parameters) {
      parameters +=
          (parameters.empty() ? "v" : ", v") + std::to_string(parameter);
      defined.insert(parameter);
    }
    for (const Expr &result : function.results) {
      results += (results.empty() ? "" : ", ") + text(result);
    }
    functions = "@triton.jit\ndef " + head + parameters + "):\n    return " +
                results + "\n\n\n" + functions;
  }
  if (!isValid) {
    return std::nullopt;
  }
  std::string combined;
  for (const auto &[combiner, definition] : Combiners) {
    if (body.find(combiner) != std::string::npos ||
        functions.find(combiner) != std::string::npos) {
      combined += "@triton.jit\ndef " + std::string(combiner) +
                  std::string(definition) + "\n\n";
    }
  }
  Case one;
  one.name = std::move(name);
  one.family = "random";
  one.function = "kernel";
  std::string parameters;
  auto parameter = [&](const std::string &text) {
    parameters += (parameters.empty() ? "" : ", ") + text;
  };
  long programs = long(kernel.grid[0]) * kernel.grid[1] * kernel.grid[2];
  for (size_t i = 0; i < kernel.buffers.size(); ++i) {
    if (!isUsed[i]) {
      continue;
    }
    const Buffer &buffer = kernel.buffers[i];
    long length = std::max({need[i], programs * ownPart[i], 1L});
    std::string named = bufferName(unsigned(i));
    parameter(named);
    one.args.push_back(named + "=" + buffer.init + ":" +
                       std::string(factsOf(buffer.elt).argument) + "[" +
                       std::to_string(length) + "]");
  }
  auto scalar = [&](const char *named, long value, bool isWanted) {
    if (isWanted) {
      parameter(named);
      one.args.push_back(std::string(named) + "=i32:" + std::to_string(value));
    }
  };
  auto mentions = [&](std::string_view word) {
    return body.find(word) != std::string::npos ||
           functions.find(word) != std::string::npos;
  };
  scalar("n", kernel.n, usesN);
  scalar("stride", kernel.stride, usesStride);
  scalar("number", kernel.number, mentions("number"));
  if (mentions("FLAG")) {
    parameter("FLAG: tl.constexpr");
    one.constexprs.push_back(std::string("FLAG=") +
                             (kernel.flag ? "True" : "False"));
  }
  std::string prologue;
  if (usesPid) {
    prologue = "    pid = tl.program_id(0)";
    if (kernel.grid[1] > 1) {
      prologue += " + tl.num_programs(0) * tl.program_id(1)";
    }
    if (kernel.grid[2] > 1) {
      prologue +=
          " + tl.num_programs(0) * tl.num_programs(1) * tl.program_id(2)";
    }
    prologue += "\n";
  }
  if (body.empty()) {
    return std::nullopt;
  }
  std::string imports = "import triton\nimport triton.language as tl\n";
  if (mentions("libdevice.")) {
    imports += "from triton.language.extra import libdevice\n";
  }
  one.source = imports + "\n\n" + combined + functions +
               "@triton.jit\ndef kernel(" + parameters + "):\n" + prologue +
               body;
  one.options = kernel.options;
  one.grid = std::to_string(kernel.grid[0]) + "," +
             std::to_string(kernel.grid[1]) + "," +
             std::to_string(kernel.grid[2]);
  one.seed = kernel.seed;
  one.allowsUnbounded = true;
  return one;
}

std::optional<Case> print(const RandomKernel &kernel, std::string name) {
  return Printer(kernel).print(std::move(name));
}

} // namespace tz::conformance::random
