//===- PrintMemory.cpp - loads, stores and walks of a random kernel -------===//
//
// What   Pointers, masks, block pointers and descriptors of an access, and how
//        long that makes its buffer.
// Why    See Print.cpp.
//===----------------------------------------------------------------------===//
#include "core/conformance/random/Printer.h"

#include <tuple>

namespace tz::conformance::random {

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

long Printer::partOf(const Access &access, const Shape &shape) {
  switch (access.form) {
  case Access::Doubled:
    return count(shape) * 2;
  case Access::Indexed:
    return 64;
  case Access::Strided:
  case Access::BlockPointer: // rows `stride` apart
    return (size(shape[0]) - 1) * kernel.stride + size(shape[1]);
  default:
    return count(shape);
  }
}

/// Offsets of this program's part of an output; each element once, but where
/// rows overlap or indices are cut (updates).
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
  case Access::Indexed:
    return start + "(" + index + " * 5 & 63)";
  case Access::Strided:
    usesStride = true;
    return start + linear(shape, "stride");
  default:
    return start + index;
  }
}

void Printer::update(const Stmt &stmt, unsigned depth) {
  const std::string name = "v" + std::to_string(stmt.variables[0]);
  const Shape &shape = kernel.variables[stmt.variables[0]].type.shape;
  const Access &access = stmt.access;
  std::string pointer, checks;
  if (access.form == Access::BlockPointer) {
    usesPid = usesStride = true;
    std::string extents =
        access.hasTail ? "(" + std::to_string((size(shape[0]) + 1) / 2) + ", " +
                             std::to_string((size(shape[1]) + 1) / 2) + ")"
                       : dims(shape);
    pointer = "tl.make_block_ptr(" + bufferName(access.buffer) + " + pid * " +
              std::to_string(ownPart[access.buffer]) + ", " + extents +
              ", (stride, 1), (0, 0), " + dims(shape) + ", (1, 0))";
    checks = access.hasTail ? ", boundary_check=(0, 1)" : "";
  } else {
    pointer = own(access, shape);
    if (access.hasTail) {
      usesN = true;
      checks = ", mask=" + linear(shape, "") + " < n";
    }
  }
  std::string value = stmt.pattern;
  for (size_t at; (at = value.find("$0")) != value.npos;) {
    value.replace(at, 2, name);
  }
  line(depth, name + " = tl.load(" + pointer + checks + ")");
  line(depth, "tl.store(" + pointer + ", " + value + checks + ")");
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
  if (isOwn(access)) {
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

} // namespace tz::conformance::random
