//===- DebuggerValues.cpp - what names hold, printed and watched ----------===//
//
// What   The debugger's commands that look at values, and the watches.
// Why    Apart from where the run is and what lets it go on (Debugger.cpp).
//===----------------------------------------------------------------------===//
#include "core/debugger/Debugger.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace tz::tool {

using interpreter::TileValue;
using runtime::Status;

static Status invalid(std::string message) {
  return Status(TZ_E_INVALID_ARGUMENT, std::move(message));
}

/// The language's words; a type that it has none for as the IR's text says it.
static std::string typeText(const frontend::DebugPart &what,
                            const frontend::TileType &type) {
  std::string text = type.str();
  if (type.elem != frontend::DType::Void) {
    return text;
  }
  mlir::Type element = what.value.getType();
  if (auto view = mlir::dyn_cast<tile::ViewType>(element)) {
    element = view.getElementType();
  }
  element = tile::elementType(element);
  if (auto pointer = mlir::dyn_cast<tile::PtrType>(element)) {
    element = pointer.getPointee();
  }
  std::string name;
  llvm::raw_string_ostream(name) << element;
  const llvm::StringRef none = frontend::dtypeName(frontend::DType::Void);
  return text.replace(text.find(none), none.size(), name);
}

/// ".shape", ".dtype", ".numel" of a value, as a kernel would be told.
static std::optional<std::string> attributeText(const frontend::DebugPart &what,
                                                std::string_view attribute) {
  const frontend::TileType &type = what.type;
  if (attribute == ".dtype") {
    return typeText(what, type.scalar());
  }
  if (attribute == ".numel") {
    return std::to_string(type.numElements());
  }
  if (attribute != ".shape") {
    return std::nullopt;
  }
  std::string text;
  for (int64_t extent : type.shape) {
    text += (text.empty() ? "" : ", ") + std::to_string(extent);
  }
  return "(" + text + (type.shape.size() == 1 ? ",)" : ")");
}

Status Debugger::printPart(const std::string &name, const Part &part,
                           std::string_view index, bool whole,
                           bool figures) const {
  const frontend::DebugPart &what = *part.what;
  if (!what.value) {
    if (!index.empty()) {
      return invalid("'" + name + "' is known at compile time: " + what.text);
    }
    std::printf("%s = %s\n", name.c_str(), what.text.c_str());
    return Status();
  }
  if (!part.value) {
    std::printf("%s has no value yet\n", name.c_str());
    return Status();
  }
  if (what.type.isView() && !index.empty()) {
    return invalid("'" + name + "' is a " + typeText(what, what.type) +
                   ": memory, not a tile; print what is loaded from it");
  }
  if (std::optional<std::string> text = attributeText(what, index)) {
    std::printf("%s%s = %s\n", name.c_str(), std::string(index).c_str(),
                text->c_str());
    return Status();
  }
  runtime::Result<std::vector<Extent>> extents =
      parseExtents(index, what.type.shape);
  if (!extents) {
    return extents.takeStatus();
  }
  llvm::SmallVector<int64_t> shape;
  for (const Extent &extent : *extents) {
    if (!extent.isElement) {
      shape.push_back(extent.count);
    }
  }
  const std::string type = typeText(
      what, what.type.isView() ? what.type : what.type.withShape(shape));
  if (figures) {
    std::string text = shower.figures(*part.value, what.type, *extents);
    if (text.empty()) {
      return invalid("'stats' is of numbers, and '" + name + "' is " + type);
    }
    std::printf("%s%s: %s: %s\n", name.c_str(), std::string(index).c_str(),
                type.c_str(), text.c_str());
    return Status();
  }
  const bool isTile = !shape.empty() && !what.type.isView();
  std::printf("%s%s: %s%s%s\n", name.c_str(), std::string(index).c_str(),
              type.c_str(), isTile ? "\n" : " = ",
              shower.text(*part.value, what.type, *extents, whole).c_str());
  return Status();
}

runtime::Result<const Debugger::Name *>
Debugger::find(llvm::StringRef name) const {
  const std::vector<Name> &names = frames[selected].names;
  auto known =
      llvm::find_if(names, [&](const Name &one) { return name == one.name; });
  if (known != names.end()) {
    return &*known;
  }
  llvm::SmallVector<llvm::StringRef> candidates;
  for (const Name &one : names) {
    candidates.push_back(one.name);
  }
  llvm::StringRef near = frontend::nearestName(name, candidates);
  return invalid("'" + name.str() + "' has no value here in " +
                 frames[selected].function +
                 (near.empty() ? "; 'names' lists those that have"
                               : "; did you mean '" + near.str() + "'?"));
}

/// A number that is known at compile time.
static runtime::Result<DebugValue> constantValue(const std::string &name,
                                                 llvm::StringRef text) {
  int64_t integer = 0;
  double number = 0;
  if (text == "True" || text == "False") {
    return DebugValue::boolean(text == "True");
  }
  if (!text.getAsInteger(0, integer)) {
    return DebugValue::integer(integer);
  }
  if (!text.getAsDouble(number)) {
    return DebugValue::number(number);
  }
  return invalid("'" + name + "' is " + text.str() +
                 ", and expressions are of numbers");
}

/// The elements of a part of a tile.
static DebugValue elementsOf(const TileValue &value,
                             const frontend::TileType &type,
                             llvm::ArrayRef<Extent> extents) {
  const bool isSigned =
      type.elem == frontend::DType::Void || frontend::isSigned(type.elem);
  DebugValue made;
  made.kind = interpreter::isFloat(value.kind())      ? DebugValue::Float
              : value.kind() == interpreter::Kind::I1 ? DebugValue::Boolean
                                                      : DebugValue::Integer;
  int64_t count = 1;
  for (const Extent &extent : extents) {
    count *= extent.count;
    if (!extent.isElement) {
      made.shape.push_back(extent.count);
    }
  }
  const interpreter::Floats floats = made.kind == DebugValue::Float
                                         ? floatLanes(value)
                                         : interpreter::Floats();
  const interpreter::Signed integers = made.kind == DebugValue::Integer
                                           ? signedLanes(value)
                                           : interpreter::Signed();
  for (int64_t i = 0; i < count; ++i) {
    int64_t lane = 0, rest = i, step = 1;
    for (size_t d = extents.size(); d-- > 0;) {
      lane += (extents[d].first + rest % extents[d].count) * step;
      rest /= extents[d].count;
      step *= type.shape[d];
    }
    lane = value.count() == 1 ? 0 : lane;
    if (made.kind == DebugValue::Float) {
      made.floats.push_back(floats[lane]);
    } else if (made.kind == DebugValue::Integer && isSigned) {
      made.integers.push_back(integers[lane]);
    } else {
      made.integers.push_back(int64_t(value.bitsAt(lane)));
    }
  }
  return made;
}

/// Positions of an index may be expressions as well.
runtime::Result<std::string>
Debugger::evaluateIndex(llvm::StringRef index) const {
  if (!index.consume_front("[") || !index.consume_back("]")) {
    return index.str();
  }
  std::string text;
  for (const std::string &position : splitList(index)) {
    std::string range;
    const std::vector<std::string> ends = splitList(position, ':');
    for (size_t i = 0; i < ends.size(); ++i) {
      range += i ? ":" : "";
      if (ends[i].empty()) {
        continue;
      }
      runtime::Result<DebugValue> value = evaluateDebug(
          ends[i], [this](llvm::StringRef name, llvm::StringRef rest) {
            return valueOf(name, rest);
          });
      if (!value) {
        return value.takeStatus();
      }
      if (!value->shape.empty() || value->kind != DebugValue::Integer) {
        return invalid("'" + ends[i] +
                       "' is no position: it must be one "
                       "integer");
      }
      range += std::to_string(value->integers[0]);
    }
    text += (text.empty() ? "" : ",") + range;
  }
  return "[" + text + "]";
}

runtime::Result<DebugValue>
Debugger::valueOfPart(const std::string &name, const Part &part,
                      llvm::StringRef suffix) const {
  const frontend::DebugPart &what = *part.what;
  if (!what.value && suffix.empty()) {
    return constantValue(name, what.text);
  }
  if (!what.value || !part.value) {
    return invalid("'" + name + "' has no value yet, or no elements");
  }
  if (what.type.isPtr || what.type.isView()) {
    return invalid("'" + name + "' is a " + typeText(what, what.type) +
                   ", and expressions are of numbers");
  }
  if (suffix == ".numel") {
    return DebugValue::integer(what.type.numElements());
  }
  runtime::Result<std::string> index = evaluateIndex(suffix);
  if (!index) {
    return index.takeStatus();
  }
  runtime::Result<std::vector<Extent>> extents =
      parseExtents(*index, what.type.shape);
  if (!extents) {
    return extents.takeStatus();
  }
  return elementsOf(*part.value, what.type, *extents);
}

runtime::Result<DebugValue> Debugger::valueOf(llvm::StringRef name,
                                              llvm::StringRef suffix) const {
  if (llvm::StringRef axis = suffix; axis.consume_front("(")) {
    uint32_t number = 0;
    if (name == "program_id" && !axis.consumeInteger(10, number) &&
        number < 3) {
      return DebugValue::integer(program[number]);
    }
    return invalid("no function of that name, or no such axis");
  }
  runtime::Result<const Name *> found = find(name);
  if (!found) {
    return name == "pid" && suffix.empty()
               ? DebugValue::integer(program[0])
               : runtime::Result<DebugValue>(found.takeStatus());
  }
  for (const Part &part : (*found)->parts) {
    llvm::StringRef rest = suffix;
    if (rest.consume_front(part.what->path)) {
      return valueOfPart(name.str() + part.what->path, part, rest);
    }
  }
  return invalid("'" + name.str() + "' has " +
                 std::to_string((*found)->parts.size()) +
                 " parts; name one, such as " + name.str() +
                 (*found)->parts.front().what->path);
}

Status Debugger::printExpression(std::string_view text, bool whole,
                                 bool figures) const {
  runtime::Result<DebugValue> value =
      evaluateDebug(text, [this](llvm::StringRef name, llvm::StringRef rest) {
        return valueOf(name, rest);
      });
  if (!value) {
    return value.takeStatus();
  }
  frontend::TileType type;
  type.shape = value->shape;
  TileValue lanes;
  if (value->kind == DebugValue::Float) {
    type.elem = frontend::DType::F64;
    lanes = interpreter::fromFloats(interpreter::Kind::F64, value->floats);
  } else {
    const bool isTruth = value->kind == DebugValue::Boolean;
    type.elem = isTruth ? frontend::DType::I1 : frontend::DType::I64;
    lanes = interpreter::fromIntegers(
        isTruth ? interpreter::Kind::I1 : interpreter::Kind::I64,
        interpreter::Unsigned(value->integers.begin(), value->integers.end()));
  }
  std::vector<Extent> extents;
  for (int64_t size : value->shape) {
    extents.push_back({0, size, false});
  }
  const bool isTile = !value->shape.empty();
  std::printf("%s: %s%s%s\n", std::string(text).c_str(), type.str().c_str(),
              figures  ? ": "
              : isTile ? "\n"
                       : " = ",
              figures ? shower.figures(lanes, type, extents).c_str()
                      : shower.text(lanes, type, extents, whole).c_str());
  return Status();
}

/// "x[i]", "x[0]+1" and the like, which a name's own text is not.
static bool isExpression(llvm::StringRef text) {
  if (!isPlainName(text)) {
    return true;
  }
  const size_t open = text.find('[');
  return open != llvm::StringRef::npos &&
         llvm::any_of(text.substr(open, text.rfind(']') - open), llvm::isAlpha);
}

Status Debugger::print(std::string_view argument, bool whole, bool figures) {
  llvm::StringRef rest = llvm::StringRef(argument).trim();
  if (!rest.empty() && (isExpression(rest) || rest == "pid")) {
    const bool isName = rest == "pid" && find(rest).ok();
    if (!isName) {
      return printExpression(rest, whole, figures);
    }
  }
  rest.consume_front("%"); // of tile IR text
  llvm::StringRef name = rest.take_while(
      [](char c) { return llvm::isAlnum(c) || c == '_' || c & 0x80; });
  if (name.empty()) {
    return invalid("say what to print: a name, as 'names' lists them");
  }
  rest = rest.drop_front(name.size());
  runtime::Result<const Name *> found = find(name);
  if (!found) {
    return found.takeStatus();
  }
  const Name *known = *found;
  // A tile alone, or the parts of a tuple or record below what is written.
  unsigned shown = 0;
  for (const Part &part : known->parts) {
    const std::string &path = part.what->path;
    llvm::StringRef index = rest;
    const bool isInside = llvm::StringRef(path).starts_with(rest);
    if (!isInside && !index.consume_front(path)) {
      continue;
    }
    Status s = printPart(known->name + path, part, isInside ? "" : index.trim(),
                         whole, figures);
    if (!s.ok()) {
      return s;
    }
    ++shown;
  }
  if (!shown) {
    return invalid("'" + known->name + "' has no part '" + rest.str() + "'");
  }
  return Status();
}

void Debugger::showNames() const {
  for (const Name &name : frames[selected].names) {
    for (const Part &part : name.parts) {
      const frontend::DebugPart &what = *part.what;
      std::string text = what.text;
      if (what.value) {
        text = typeText(what, what.type);
        if (part.value && what.type.isScalar()) {
          text += " = " + shower.text(*part.value, what.type, {}, false);
        }
      } else {
        text = "= " + text;
      }
      std::printf("  %-16s %s\n", (name.name + what.path).c_str(),
                  text.c_str());
    }
  }
}

//===----------------------------------------------------------------------===//
// Watches
//===----------------------------------------------------------------------===//

Status Debugger::addWatch(std::string_view name) {
  runtime::Result<const Name *> found = find(llvm::StringRef(name));
  if (!found) {
    return found.takeStatus();
  }
  watches.push_back(
      {++lastNumber, frames[selected].function, (*found)->name, 0});
  std::printf("watch %u: %s of %s\n", lastNumber, (*found)->name.c_str(),
              frames[selected].function.c_str());
  return Status();
}

static int64_t differentLanes(const TileValue &a, const TileValue &b) {
  const int64_t count = std::max(a.count(), b.count());
  int64_t different = 0;
  for (int64_t i = 0; i < count; ++i) {
    different +=
        a.bitsAt(a.count() == 1 ? 0 : i) != b.bitsAt(b.count() == 1 ? 0 : i);
  }
  return different;
}

/// What became of a part: "0 to 380", "12 elements changed"; empty: nothing.
std::string Debugger::changeText(const Part &before, const Part &now) const {
  auto scalar = [&](const Part &part) {
    return !part.what->value ? part.what->text
           : part.value ? shower.text(*part.value, part.what->type, {}, false)
                        : std::string("no value");
  };
  const bool areTiles = before.value && now.value &&
                        before.what->type == now.what->type &&
                        (!now.what->type.isScalar() || now.what->type.isView());
  if (areTiles) {
    const int64_t lanes = differentLanes(*before.value, *now.value);
    return !lanes ? ""
           : now.what->type.isView()
               ? std::string("moved")
               : std::to_string(lanes) + " of " +
                     std::to_string(now.what->type.numElements()) +
                     " elements changed";
  }
  auto isScalar = [](const Part &part) {
    return !part.what->value || part.what->type.isScalar();
  };
  if (!isScalar(before) || !isScalar(now)) {
    return "is now " + (now.what->value ? now.what->type.str() : scalar(now));
  }
  const std::string from = scalar(before), to = scalar(now);
  return from == to ? "" : from + " became " + to;
}

void Debugger::noteChange(const Name &name, const std::vector<Part> &before) {
  for (Watch &watch : watches) {
    const Frame &frame = frames.back();
    if (watch.name != name.name || watch.function != frame.function) {
      continue;
    }
    std::string text;
    if (before.size() != name.parts.size()) {
      text = before.empty() ? "has a value" : "has other parts";
    }
    for (size_t i = 0; text.empty() && i < before.size(); ++i) {
      text = changeText(before[i], name.parts[i]);
    }
    if (!text.empty()) {
      ++watch.hits;
      changed += "watch " + std::to_string(watch.number) + ": " + name.name +
                 ": " + text + ", at line " + std::to_string(frame.at.line) +
                 "\n";
    }
  }
}

} // namespace tz::tool
