//===- Print.cpp - a random kernel as source and arguments ----------------===//
//
// What   Kernel-language text, the arguments it needs, and how long each buffer
//        must be.
// Why    Lengths follow from what is printed: after shrinking, buffers are as
//        short as the accesses that are left allow (K3).
//===----------------------------------------------------------------------===//
#include "core/conformance/random/Kernel.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace tz::conformance::random {

static constexpr EltFacts eltFacts[] = {
    {"int1", "bool", 1, false, false},
    {"int8", "i8", 8, false, true},
    {"int16", "i16", 16, false, true},
    {"int32", "i32", 32, false, true},
    {"int64", "i64", 64, false, true},
    {"uint8", "u8", 8, false, false},
    {"uint16", "u16", 16, false, false},
    {"uint32", "u32", 32, false, false},
    {"uint64", "u64", 64, false, false},
    {"float16", "f16", 16, true, true},
    {"bfloat16", "bf16", 16, true, true},
    {"float32", "f32", 32, true, true},
    {"float64", "f64", 64, true, true},
    {"float8e4nv", "f8e4m3fn", 8, true, true},
    {"float8e5", "f8e5m2", 8, true, true},
};

const EltFacts &factsOf(Elt elt) { return eltFacts[size_t(elt)]; }

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

int Kernel::log2(const Dim &dim) const {
  int sum = dim.twos;
  for (unsigned i = 0; i < SizeCount; ++i) {
    sum += dim.powers[i] * log2Of[i];
  }
  return sum;
}
int Kernel::log2(const Shape &shape) const {
  int sum = 0;
  for (const Dim &dim : shape) {
    sum += log2(dim);
  }
  return sum;
}

/// Functions that reductions and scans combine by.
static constexpr std::pair<std::string_view, std::string_view> combiners[] = {
    {"combine_add", "(a, b):\n    return a + b\n"},
    {"combine_xor", "(a, b):\n    return a ^ b\n"},
    {"combine_larger", "(a, b):\n    return tl.where(a > b, a, b)\n"},
    {"combine_right", "(a, b):\n    return b\n"},
    {"combine_maximum", "(a, b):\n    return tl.maximum(a, b)\n"},
    {"combine_best",
     "(a, i, b, j):\n    first = (a > b) | ((a == b) & (i < j))\n"
     "    return tl.where(first, a, b), tl.where(first, i, j)\n"},
    {"combine_affine", "(a, b, c, d):\n    return a * c, b * c + d\n"},
};

namespace {

class Printer {
public:
  explicit Printer(const Kernel &kernel)
      : kernel(kernel), need(kernel.buffers.size(), 0),
        ownPart(kernel.buffers.size(), 0), isUsed(kernel.buffers.size()) {}
  std::optional<Case> print(std::string name);

private:
  long size(const Dim &dim);
  long count(const Shape &shape);
  std::string dims(const Shape &shape);
  std::string substitute(const Expr &expr);
  std::string text(const Expr &expr);
  std::string load(const Expr &expr);
  std::string standIn(const Type &type) {
    return "tl.full(" + dims(type.shape) + ", " +
           (type.elt == Elt::I1 ? "True" : "1") + ", tl." +
           std::string(factsOf(type.elt).language) + ")";
  }
  std::string linear(const Shape &shape, const std::string &rowLength);
  /// The number of the block, and one more than it can be.
  std::pair<std::string, long> block(const Access &access);
  std::string view(const Access &access, const Shape &shape, bool isStore);
  std::string own(const Access &access, const Shape &shape);
  std::string bufferName(unsigned buffer);
  void measure(const std::vector<Stmt> &body);
  void lines(const std::vector<Stmt> &body, unsigned depth);
  void line(unsigned depth, const std::string &text) {
    out += std::string(4 * depth, ' ') + text + "\n";
  }
  void loop(const Stmt &stmt, unsigned depth);
  void walk(const Stmt &stmt, unsigned depth);
  /// Offsets in a matrix whose rows end at the argument n, and the mask.
  std::pair<std::string, std::string> bounded(const Access &access,
                                              const Shape &shape);

  const Kernel &kernel;
  std::vector<long> need, ownPart;
  std::vector<bool> isUsed;
  std::set<unsigned> defined;
  std::map<unsigned, long> counterBound; ///< counters stay below
  std::string out;
  bool isValid = true;
  bool usesPid = false, usesN = false, usesStride = false;
};

} // namespace

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

std::string Printer::linear(const Shape &shape, const std::string &rowLength) {
  auto range = [&](size_t at) {
    return "tl.arange(0, " + std::to_string(size(shape[at])) + ")";
  };
  switch (shape.size()) {
  case 0:
    return "0";
  case 1:
    return range(0);
  case 2:
    return "(" + range(0) + "[:, None] * " +
           (rowLength.empty() ? std::to_string(size(shape[1])) : rowLength) +
           " + " + range(1) + "[None, :])";
  default:
    return "(" + range(0) + "[:, None, None] * " +
           std::to_string(size(shape[1]) * size(shape[2])) + " + " + range(1) +
           "[None, :, None] * " + std::to_string(size(shape[2])) + " + " +
           range(2) + "[None, None, :])";
  }
}

std::pair<std::string, long> Printer::block(const Access &access) {
  std::string text;
  long bound = 1;
  if (access.followsPid) {
    usesPid = true;
    text = "pid";
    bound = long(kernel.grid[0]) * kernel.grid[1] * kernel.grid[2];
  }
  if (access.loop >= 0 && defined.count(unsigned(access.loop))) {
    text += (text.empty() ? "v" : " + v") + std::to_string(access.loop);
    bound += counterBound[unsigned(access.loop)] - 1;
  }
  return {text.empty() ? "0" : text, bound};
}

/// A block of a matrix: two dimensions, or one.
std::string Printer::view(const Access &access, const Shape &shape,
                          bool isStore) {
  auto [index, bound] = block(access);
  std::string name = bufferName(access.buffer);
  bool isFlat = shape.size() == 1;
  bool isDescriptor = access.form == Access::Descriptor;
  long rows = size(shape[0]), cols = isFlat ? 1 : size(shape[1]);
  bool isTransposed = access.isTransposed && !isDescriptor && !isFlat;
  // The matrix ends within the last block if there is a tail.
  long cut = access.hasTail && rows > 2 ? rows / 2 - 1 : 0;
  long height = bound * rows - cut;
  long width = isFlat ? 1 : cols - (access.hasTail && cols > 2 ? 1 : 0);
  long pitch = isTransposed ? height + 3 : width;
  if (isDescriptor) {
    long bytes = factsOf(kernel.buffers[access.buffer].elt).bits / 8;
    isValid = isValid && (isFlat ? rows : cols) * std::max(bytes, 1L) >= 16;
    pitch = (width + 15) / 16 * 16; // a multiple of 16 bytes
  }
  long length = isFlat         ? height
                : isTransposed ? (width - 1) * pitch + height
                               : (height - 1) * pitch + width;
  need[access.buffer] = std::max(need[access.buffer], length);
  std::string row = "(" + index + ") * " + std::to_string(rows);
  std::string view;
  if (isFlat) {
    view = name + ", (" + std::to_string(height) + ",), (1,), ";
  } else {
    view = name + ", (" + std::to_string(height) + ", " +
           std::to_string(width) + "), " +
           (isTransposed ? "(1, " + std::to_string(pitch) + ")"
                         : "(" + std::to_string(pitch) + ", 1)") +
           ", ";
  }
  std::string offsets = isFlat ? "(" + row + ",)" : "(" + row + ", 0)";
  if (isDescriptor) {
    return "tl.make_tensor_descriptor(" + view + dims(shape) + ")." +
           (isStore ? "store(" + offsets + ", " : "load(" + offsets + ")");
  }
  std::string checks =
      isFlat ? ", boundary_check=(0,)" : ", boundary_check=(0, 1)";
  std::string pointer = "tl.make_block_ptr(" + view + offsets + ", " +
                        dims(shape) +
                        (isFlat         ? ", (0,))"
                         : isTransposed ? ", (0, 1))"
                                        : ", (1, 0))");
  if (isStore) {
    return "tl.store(" + pointer + ", ";
  }
  bool hasPadding = access.flavour % 2 == 1;
  bool isNan = hasPadding && access.flavour % 4 == 3 &&
               isFloat(kernel.buffers[access.buffer].elt);
  return "tl.load(" + pointer + checks +
         (hasPadding ? std::string(", padding_option=\"") +
                           (isNan ? "nan" : "zero") + "\""
                     : "") +
         ")";
}

std::pair<std::string, std::string> Printer::bounded(const Access &access,
                                                     const Shape &shape) {
  usesN = true;
  auto [index, bound] = block(access);
  long rows = size(shape[0]), columns = size(shape[1]);
  long width = columns > 2 ? columns - 1 : columns;
  std::string row = "((" + index + ") * " + std::to_string(rows) +
                    " + tl.arange(0, " + std::to_string(rows) + "))";
  std::string column = "tl.arange(0, " + std::to_string(columns) + ")";
  need[access.buffer] = std::max(
      need[access.buffer], std::min<long>(bound * rows, kernel.n) * width);
  return {row + "[:, None] * " + std::to_string(width) + " + " + column +
              "[None, :]",
          "(" + row + " < n)[:, None] & (" + column + " < " +
              std::to_string(width) + ")[None, :]"};
}

/// Offsets of this program's part of an output; each element once.
std::string Printer::own(const Access &access, const Shape &shape) {
  usesPid = true;
  std::string last = std::to_string(count(shape) - 1);
  std::string start = bufferName(access.buffer) + " + pid * " +
                      std::to_string(ownPart[access.buffer]) + " + ";
  std::string index = linear(shape, "");
  switch (access.form) {
  case Access::Reversed:
    return start + "(" + last + " - " + index + ")";
  case Access::Doubled:
    return start + index + " * 2 + 1";
  case Access::Xored:
    return start + "(" + index + " ^ " +
           std::to_string((count(shape) - 1) & 0x55) + ")";
  default:
    return start + index;
  }
}

static bool isOwn(const Access &access, const Kernel &kernel) {
  return kernel.buffers[access.buffer].role == Buffer::Output;
}

std::string Printer::load(const Expr &expr) {
  const Access &access = expr.access;
  const Shape &shape = expr.type.shape;
  size_t kid = 0;
  std::string pointer, inside;
  if (access.form == Access::BlockPointer ||
      access.form == Access::Descriptor) {
    return view(access, shape, false);
  }
  if (isOwn(access, kernel)) {
    pointer = own(access, shape);
  } else if (access.form == Access::Indexed) {
    pointer =
        bufferName(access.buffer) + " + (" + text(expr.kids[kid++]) + " & 127)";
    need[access.buffer] = std::max(need[access.buffer], 128L);
  } else if (access.form == Access::Bounded && shape.size() == 2) {
    std::tie(pointer, inside) = bounded(access, shape);
    pointer = bufferName(access.buffer) + " + " + pointer;
  } else if (access.form == Access::Wrapped && !shape.empty()) {
    usesN = true;
    std::string index = block(access).first,
                rows = std::to_string(size(shape[0]));
    std::string row =
        "(((" + index + ") * " + rows + " + tl.arange(0, " + rows + ")) % n)";
    long width = count(shape) / size(shape[0]);
    need[access.buffer] = std::max(need[access.buffer], kernel.n * width);
    pointer = bufferName(access.buffer) + " + " + row;
    if (shape.size() > 1) {
      Shape rest(shape.begin() + 1, shape.end());
      pointer +=
          std::string(shape.size() == 2 ? "[:, None]" : "[:, None, None]") +
          " * " + std::to_string(width) + " + (" + linear(rest, "") +
          ")[None, " + (shape.size() == 2 ? ":]" : ":, :]");
    }
  } else {
    auto [index, bound] = block(access);
    std::string name = bufferName(access.buffer), offsets;
    long length = count(shape);
    bool isStrided = access.form == Access::Strided && shape.size() == 2;
    if (isStrided) {
      usesStride = true;
      long pitch = size(shape[1]) + kernel.stride;
      std::string row = "(" + std::to_string(size(shape[1])) + " + stride)";
      offsets = "(" + index + ") * " + std::to_string(size(shape[0])) + " * " +
                row + " + " + linear(shape, row);
      length = bound * size(shape[0]) * pitch - kernel.stride;
    } else {
      std::string start = "(" + index + ") * " + std::to_string(length) + " + ";
      offsets = start + (access.form == Access::Reversed
                             ? "(" + std::to_string(length - 1) + " - " +
                                   linear(shape, "") + ")"
                             : linear(shape, ""));
      length *= bound;
    }
    if (access.hasTail) {
      usesN = true;
      inside = "(" + offsets + " < n)";
      length = std::min<long>(length, kernel.n);
    }
    need[access.buffer] = std::max(need[access.buffer], length);
    pointer = name + " + " + offsets;
  }
  std::string mask = inside;
  if (access.hasMask) {
    mask += (mask.empty() ? "" : " & ") + ("(" + text(expr.kids[kid]) + ")");
    ++kid;
  }
  std::string result = "tl.load(" + pointer;
  if (!mask.empty()) {
    result += ", mask=" + mask;
    if (access.hasOther) {
      result += ", other=" + text(expr.kids[kid]);
    }
  }
  static constexpr const char *flavours[] = {
      "", ", eviction_policy=\"evict_last\"", ", cache_modifier=\".cg\"",
      ", volatile=True"};
  return result + flavours[access.flavour % 4] + ")";
}

/// How much of an output a program has, and how wide matrices are.
void Printer::measure(const std::vector<Stmt> &body) {
  auto ownOf = [&](const Access &access, const Shape &shape) {
    if (isOwn(access, kernel)) {
      long length = count(shape) * (access.form == Access::Doubled ? 2 : 1);
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

/// A loop over the blocks of this program's part of an input.
void Printer::walk(const Stmt &stmt, unsigned depth) {
  std::set<unsigned> before = defined;
  auto named = [&](size_t i) {
    return "v" + std::to_string(stmt.variables[i]);
  };
  const Shape &shape = kernel.variables[stmt.variables[2]].type.shape;
  const Access &access = stmt.access;
  const std::string name = bufferName(access.buffer), counter = named(0);
  const long length = count(shape), trips = stmt.trips;
  const long programs = long(kernel.grid[0]) * kernel.grid[1] * kernel.grid[2];
  usesPid = true;
  std::string next, load = "tl.load(" + named(1);
  long needed;
  if (access.form == Access::BlockPointer) {
    bool isFlat = shape.size() == 1;
    long rows = isFlat ? 1 : size(shape[0]), columns = size(shape.back());
    long width = trips * columns * (isFlat ? programs : 1) -
                 (access.hasTail && columns > 2 ? 2 : 0);
    long height = isFlat ? 1 : programs * rows - (rows > 2 ? 1 : 0);
    needed = height * width;
    std::string w = std::to_string(width), c = std::to_string(columns);
    line(depth,
         named(1) + " = tl.make_block_ptr(" + name + ", " +
             (isFlat ? "(" + w + ",), (1,), (pid * " +
                           std::to_string(trips * columns) + ",), "
                     : "(" + std::to_string(height) + ", " + w + "), (" + w +
                           ", 1), (pid * " + std::to_string(rows) + ", 0), ") +
             dims(shape) + (isFlat ? ", (0,))" : ", (1, 0))"));
    load += isFlat ? ", boundary_check=(0,))" : ", boundary_check=(0, 1))";
    next = named(1) + " = tl.advance(" + named(1) +
           (isFlat ? ", (" + c + ",))" : ", (0, " + c + "))");
  } else {
    std::string step = std::to_string(length);
    line(depth, named(1) + " = " + name + " + pid * " +
                    std::to_string(trips * length) + " + " + linear(shape, ""));
    needed = programs * trips * length;
    if (access.hasTail) {
      usesN = true;
      load += ", mask=" + linear(shape, "") + " < n - " + counter + " * " +
              step + (access.hasOther ? ", other=2" : "");
      needed = (programs - 1) * trips * length +
               std::min<long>(trips * length, kernel.n);
    }
    load += ")";
    next = named(1) + " += " + step;
  }
  need[access.buffer] = std::max(need[access.buffer], needed);
  line(depth,
       "for " + counter + " in range(0, " + std::to_string(trips) + "):");
  line(depth + 1, named(2) + " = " + load);
  defined.insert(stmt.variables[0]);
  defined.insert(stmt.variables[2]);
  counterBound[stmt.variables[0]] = trips;
  lines(stmt.body, depth + 1);
  line(depth + 1, next);
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
    case Stmt::Atomic: {
      const Shape &shape = stmt.exprs[0].type.shape;
      std::string value = text(stmt.exprs[0]), mask, pointer;
      size_t kid = 1;
      if (isOwn(stmt.access, kernel)) {
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
      line(depth, target + "tl." + stmt.pattern + "(" + pointer + ", " + value +
                      mask + ")");
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
  for (const auto &[combiner, definition] : combiners) {
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
  one.source = "import triton\nimport triton.language as tl\n\n\n" + combined +
               functions + "@triton.jit\ndef kernel(" + parameters + "):\n" +
               prologue + body;
  one.options = kernel.options;
  one.grid = std::to_string(kernel.grid[0]) + "," +
             std::to_string(kernel.grid[1]) + "," +
             std::to_string(kernel.grid[2]);
  one.seed = kernel.seed;
  one.allowsUnbounded = true;
  return one;
}

std::optional<Case> print(const Kernel &kernel, std::string name) {
  return Printer(kernel).print(std::move(name));
}

} // namespace tz::conformance::random
