//===- ShowTile.cpp - a value of a kernel as a person reads it ------------===//
//
// What   See ShowTile.h.
// Why    See ShowTile.h.
//===----------------------------------------------------------------------===//
#include "core/debugger/ShowTile.h"

#include "core/interpreter/ElementText.h"
#include "runtime/launch/PlanEvaluator.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

namespace tz::tool {

using interpreter::Kind;
using interpreter::TileValue;
using runtime::Result;
using runtime::Status;

/// A dimension up to this length is shown whole, a longer one by its edges.
static constexpr int64_t WholeLength = 8;
static constexpr int64_t EdgeLength = 3;

static std::string numbers(llvm::ArrayRef<int64_t> values) {
  std::string text;
  for (int64_t value : values) {
    text += (text.empty() ? "" : ", ") + std::to_string(value);
  }
  return "[" + text + "]";
}

/// A lane of what may be one lane for all (TileValue.h).
static int64_t laneIn(const TileValue &value, int64_t lane) {
  return value.count() == 1 ? 0 : lane;
}

Result<std::vector<Extent>> parseExtents(std::string_view text,
                                         llvm::ArrayRef<int64_t> shape) {
  std::vector<Extent> extents;
  for (int64_t length : shape) {
    extents.push_back({0, length, false});
  }
  llvm::StringRef rest = llvm::StringRef(text.data(), text.size()).trim();
  if (rest.empty()) {
    return extents;
  }
  auto wrong = [&](const std::string &why) {
    return Status(TZ_E_INVALID_ARGUMENT,
                  "'" + std::string(text) + "' " + why + "; a tile of shape " +
                      numbers(shape) +
                      " takes positions and ranges such as [3] or [0:4]");
  };
  if (!rest.consume_front("[") || !rest.consume_back("]")) {
    return wrong("is no index");
  }
  llvm::SmallVector<llvm::StringRef> parts;
  rest.split(parts, ',');
  if (parts.size() > shape.size()) {
    return wrong("has more positions than the value has dimensions");
  }
  for (auto [d, part] : llvm::enumerate(parts)) {
    const int64_t length = shape[d];
    auto [low, high] = part.split(':');
    const bool isRange = part.contains(':');
    auto read = [&](llvm::StringRef word, int64_t otherwise) {
      int64_t value = otherwise;
      bool isBad = !word.trim().empty() && word.trim().getAsInteger(10, value);
      return isBad ? INT64_MIN : value < 0 ? value + length : value;
    };
    if (!isRange && low.trim().empty()) {
      return wrong("lacks a position");
    }
    const int64_t first = read(low, 0);
    const int64_t end = isRange ? read(high, length) : first + 1;
    if (first < 0 || end > length || first >= end) {
      return wrong("is outside");
    }
    extents[d] = {first, end - first, !isRange};
  }
  return extents;
}

std::string TileShower::addressText(uint64_t address) const {
  constexpr int64_t near = int64_t(1) << 24; // as far as guard pages go
  for (size_t i = 0; i < binding.buffers.size(); ++i) {
    const BoundBuffer &buffer = binding.buffers[i];
    const auto base = reinterpret_cast<uintptr_t>(reference.content(i));
    const auto offset = static_cast<int64_t>(address - base);
    const auto size = static_cast<int64_t>(buffer.content.size());
    if (offset < -near || offset >= size + near) {
      continue;
    }
    const int64_t bytes = std::max<uint32_t>(runtime::typeSize(buffer.type), 1);
    const bool isWhole = offset % bytes == 0;
    std::string text =
        buffer.name + (offset < 0 ? " - " : " + ") +
        std::to_string(std::abs(isWhole ? offset / bytes : offset)) +
        (isWhole ? "" : " bytes");
    return offset < 0 || offset >= size ? text + " (outside)" : text;
  }
  return address == 0 ? "null" : "0x" + llvm::utohexstr(address, true);
}

std::string TileShower::element(const TileValue &value,
                                const frontend::TileType &type,
                                int64_t lane) const {
  lane = laneIn(value, lane);
  if (value.kind() == Kind::Ptr) {
    return addressText(value.bitsAt(lane));
  }
  if (value.kind() == Kind::I1) {
    return value.isTrueAt(lane) ? "True" : "False";
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  interpreter::printElement(os, value, lane, frontend::isSigned(type.elem));
  return text;
}

/// A view's words: base, then shape, strides, position.
std::string TileShower::viewText(const TileValue &value) const {
  const int64_t rank = (value.count() - 1) / 3;
  auto part = [&](int64_t which) {
    std::vector<int64_t> words;
    for (int64_t d = 0; d < rank; ++d) {
      words.push_back(int64_t(value.bitsAt(1 + which * rank + d)));
    }
    return numbers(words);
  };
  return addressText(value.bitsAt(0)) + ", shape " + part(0) + ", strides " +
         part(1) + ", at " + part(2);
}

namespace {
/// What is to be written of a tile, before it is known how wide it gets.
class Brackets {
public:
  Brackets(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<Extent> extents,
           bool whole)
      : extents(extents), whole(whole), strides(shape.size(), 1) {
    for (size_t d = shape.size(); d-- > 1;) {
      strides[d - 1] = strides[d] * shape[d];
    }
  }

  std::string write(llvm::function_ref<std::string(int64_t)> element) {
    visit(0, 0,
          [&](int64_t lane) { width = std::max(width, element(lane).size()); });
    std::string text;
    append(text, 0, 0, 0, element);
    return text;
  }

private:
  bool isAbbreviated(size_t d) const {
    return !whole && !extents[d].isElement && extents[d].count > WholeLength;
  }
  /// The positions of a dimension that are shown; -1 stands for a gap.
  std::vector<int64_t> positions(size_t d) const {
    const auto [first, count, isElement] = extents[d];
    std::vector<int64_t> result;
    for (int64_t i = 0; i < count; ++i) {
      if (isAbbreviated(d) && i == EdgeLength) {
        result.push_back(-1);
        i = count - EdgeLength;
      }
      result.push_back(first + i);
    }
    return result;
  }
  void visit(size_t d, int64_t lane, llvm::function_ref<void(int64_t)> see) {
    if (d == extents.size()) {
      see(lane);
      return;
    }
    for (int64_t i : positions(d)) {
      if (i >= 0) {
        visit(d + 1, lane + i * strides[d], see);
      }
    }
  }
  /// Dimensions after `d` that are written in brackets.
  size_t openAfter(size_t d) const {
    size_t open = 0;
    for (size_t e = d + 1; e < extents.size(); ++e) {
      open += !extents[e].isElement;
    }
    return open;
  }
  void append(std::string &text, size_t d, int64_t lane, size_t indent,
              llvm::function_ref<std::string(int64_t)> element) {
    if (d == extents.size()) {
      std::string word = element(lane);
      text += std::string(width - std::min(width, word.size()), ' ') + word;
      return;
    }
    if (extents[d].isElement) {
      append(text, d + 1, lane + extents[d].first * strides[d], indent,
             element);
      return;
    }
    const size_t open = openAfter(d);
    text += '[';
    bool isFirst = true;
    for (int64_t i : positions(d)) {
      if (!isFirst) {
        text += open ? std::string(open, '\n') + std::string(indent + 1, ' ')
                     : std::string(" ");
      }
      isFirst = false;
      if (i < 0) {
        text += "...";
      } else {
        append(text, d + 1, lane + i * strides[d], indent + 1, element);
      }
    }
    text += ']';
  }

  llvm::ArrayRef<Extent> extents;
  bool whole;
  std::vector<int64_t> strides;
  size_t width = 0;
};
} // namespace

std::string TileShower::text(const TileValue &value,
                             const frontend::TileType &type,
                             llvm::ArrayRef<Extent> extents, bool whole) const {
  if (value.kind() == Kind::View) {
    return viewText(value);
  }
  return Brackets(type.shape, extents, whole).write([&](int64_t lane) {
    return element(value, type, lane);
  });
}

/// "[3, 7]" of a lane.
static std::string placeOf(llvm::ArrayRef<int64_t> shape, int64_t lane) {
  std::vector<int64_t> place(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    place[d] = lane % shape[d];
    lane /= shape[d];
  }
  return shape.empty() ? "" : " at " + numbers(place);
}

static bool isInside(llvm::ArrayRef<int64_t> shape,
                     llvm::ArrayRef<Extent> extents, int64_t lane) {
  for (size_t d = shape.size(); d-- > 0;) {
    const int64_t at = lane % shape[d];
    if (at < extents[d].first || at >= extents[d].first + extents[d].count) {
      return false;
    }
    lane /= shape[d];
  }
  return true;
}

std::string TileShower::figures(const TileValue &value,
                                const frontend::TileType &type,
                                llvm::ArrayRef<Extent> extents) const {
  if (value.kind() == Kind::View || value.kind() == Kind::Ptr) {
    return "";
  }
  const bool isFloat = interpreter::isFloat(value.kind());
  interpreter::Floats lanes;
  if (isFloat) {
    lanes = interpreter::floatLanes(value);
  } else if (frontend::isSigned(type.elem)) {
    for (int64_t lane : interpreter::signedLanes(value)) {
      lanes.push_back(double(lane));
    }
  } else {
    for (uint64_t lane : interpreter::unsignedLanes(value)) {
      lanes.push_back(double(lane));
    }
  }
  int64_t low = -1, high = -1;
  size_t nans = 0, infinite = 0, zeros = 0, counted = 0;
  double sum = 0;
  for (auto [i, lane] : llvm::enumerate(lanes)) {
    if (lanes.size() > 1 && !isInside(type.shape, extents, int64_t(i))) {
      continue;
    }
    nans += std::isnan(lane);
    infinite += std::isinf(lane);
    zeros += lane == 0;
    if (std::isnan(lane)) {
      continue;
    }
    const auto at = static_cast<int64_t>(i);
    low = low < 0 || lane < lanes[low] ? at : low;
    high = high < 0 || lane > lanes[high] ? at : high;
    if (!std::isinf(lane)) {
      sum += lane;
      ++counted;
    }
  }
  std::string text;
  if (low >= 0) {
    text += "min " + element(value, type, low) + placeOf(type.shape, low) +
            ", max " + element(value, type, high) + placeOf(type.shape, high);
  }
  if (counted) {
    char mean[32];
    std::snprintf(mean, sizeof(mean), "%.6g", sum / double(counted));
    text += std::string(", mean ") + mean + (infinite ? " of the finite" : "");
  }
  if (isFloat) {
    text += (text.empty() ? "" : ", ") + std::to_string(nans) + " NaN, " +
            std::to_string(infinite) + " infinite";
  }
  return text + ", " + std::to_string(zeros) + " zero";
}

} // namespace tz::tool
