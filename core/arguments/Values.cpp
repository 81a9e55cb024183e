//===- Values.cpp - what --arg says ---------------------------------------===//
//
// What   The grammar of Values.h.
// Why    Each mistake names the argument and shows the form that is right.
//===----------------------------------------------------------------------===//
#include "core/arguments/Values.h"

#include "core/arguments/Elements.h"
#include "core/driver/ArgumentTypes.h"

#include <cmath>

namespace tz::tool {

using runtime::Result;
using runtime::Status;

static constexpr std::string_view Initializers[] = {
    "zeros",   "ones", "empty",  "arange", "randn", "uniform",
    "randint", "full", "values", "file",   "edges", "sparse"};

static bool isName(std::string_view text) {
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text[0])) &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
         });
}

/// "x"; also "d.shape0", as the arguments of tile IR are called.
static bool isPath(std::string_view text) {
  std::vector<std::string> parts = splitList(text, '.');
  return isName(parts[0]) &&
         std::all_of(parts.begin(), parts.end(), [](const std::string &part) {
           return isName("_" + part) && !part.empty();
         });
}

static Status wrong(std::string_view name, std::string message) {
  return Status(TZ_E_INVALID_ARGUMENT,
                "argument '" + std::string(name) + "': " + std::move(message));
}

Result<std::pair<std::string, std::string>>
parseAssignment(std::string_view text, std::string_view option) {
  size_t equals = text.find('=');
  std::string_view name = trim(text.substr(0, equals));
  if (equals == std::string_view::npos || !isPath(name)) {
    return Status(TZ_E_INVALID_ARGUMENT, std::string(option) + " '" +
                                             std::string(text) +
                                             "': write NAME=VALUE");
  }
  return std::pair(std::string(name),
                   std::string(trim(text.substr(equals + 1))));
}

static Result<uint32_t> typeOf(std::string_view name, std::string_view text) {
  if (uint32_t type = driver::typeFromName(text)) {
    return type;
  }
  return wrong(name, "no type '" + std::string(text) + "'; there are " +
                         std::string(driver::knownTypeNames()));
}

/// INIT:TYPE[SIZES] or INIT:TYPE[SIZES]:detail:detail
static Result<ArgumentText> parseBuffer(ArgumentText arg,
                                        const std::vector<std::string> &parts) {
  std::string_view head = parts[0];
  if (size_t open = head.find('('); open != std::string_view::npos) {
    if (!head.ends_with(')')) {
      return wrong(arg.name,
                   "')' is missing after '" + std::string(head) + "'");
    }
    arg.details = splitList(head.substr(open + 1, head.size() - open - 2));
    head = head.substr(0, open);
  }
  arg.kind = ArgumentText::Buffer;
  arg.initializer = head;
  if (parts.size() < 2) {
    return wrong(arg.name, "type and sizes are missing; write '" +
                               std::string(head) + ":f32[1024]'");
  }
  std::string_view typed = parts[1];
  size_t open = typed.find('[');
  if (open == std::string_view::npos || !typed.ends_with(']')) {
    return wrong(arg.name, "the sizes of the buffer are missing; write '" +
                               std::string(head) + ":" +
                               std::string(typed.substr(0, open)) + "[1024]'");
  }
  Result<uint32_t> type = typeOf(arg.name, trim(typed.substr(0, open)));
  if (!type) {
    return type.takeStatus();
  }
  arg.type = *type;
  std::vector<std::string> inside =
      splitList(typed.substr(open + 1, typed.size() - open - 2));
  for (size_t i = 2; i < parts.size(); ++i) {
    arg.details.push_back(parts[i]);
  }
  auto wants = [&](size_t count, const char *form) {
    return arg.details.size() == count
               ? Status()
               : wrong(arg.name, "write '" + std::string(form) + "'");
  };
  Status status;
  if (arg.initializer == "values") {
    arg.details = inside;
    arg.sizes = {std::to_string(inside.size())};
    return arg;
  }
  arg.sizes = std::move(inside);
  if (arg.initializer == "full") {
    status = wants(1, "full(0.5):f32[1024]");
  } else if (arg.initializer == "randint") {
    status = wants(2, "randint(0,64):i32[1024]");
  } else if (arg.initializer == "sparse") {
    status = wants(1, "sparse(16):f32[1024]");
  } else if (arg.initializer == "file") {
    status = wants(1, "file(data.bin):f32[1024]");
  } else if (arg.initializer == "edges" && !arg.details.empty()) {
    status = arg.details == std::vector<std::string>{"1"}
                 ? Status()
                 : wrong(arg.name, "write 'edges:f32[1024]', and "
                                   "'edges(1):f32[1024]' for a second operand");
  } else {
    status = arg.details.empty() ||
                     (arg.initializer == "uniform" && arg.details.size() == 2)
                 ? Status()
                 : wrong(arg.name, "'" + arg.initializer +
                                       "' takes no values in parentheses");
  }
  return status.ok() ? Result<ArgumentText>(std::move(arg))
                     : Result<ArgumentText>(std::move(status));
}

/// "*fp16", "*fp16:16", "i32"
static Result<ArgumentText> parseType(ArgumentText arg) {
  std::string_view text = arg.whole;
  arg.kind = ArgumentText::Type;
  arg.isPointer = text[0] == '*';
  if (arg.isPointer) {
    text.remove_prefix(text.starts_with("*k") ? 2 : 1);
  }
  if (text.ends_with(":16")) {
    arg.isDivisible = true;
    text.remove_suffix(3);
  }
  Result<uint32_t> type = typeOf(arg.name, text);
  if (!type) {
    return type.takeStatus();
  }
  arg.type = *type;
  return arg;
}

bool isTuple(std::string_view text) {
  if (text.size() < 2 || text.front() != '(' || text.back() != ')') {
    return false;
  }
  int depth = 0;
  bool hasComma = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    depth += (c == '(' || c == '[') - (c == ')' || c == ']');
    hasComma |= depth == 1 && c == ',';
    if (depth == 0 && i + 1 < text.size()) {
      return false; // (a) * (b)
    }
  }
  return hasComma || trim(text.substr(1, text.size() - 2)).empty();
}

static Result<ArgumentText> parseTuple(ArgumentText arg) {
  constexpr unsigned maxNesting = 32;
  arg.kind = ArgumentText::Tuple;
  if (std::count(arg.name.begin(), arg.name.end(), '.') > maxNesting) {
    return wrong(arg.name, "tuples nest more than " +
                               std::to_string(maxNesting) + " levels deep");
  }
  std::string_view inside(arg.whole);
  std::vector<std::string> parts =
      splitList(inside.substr(1, inside.size() - 2));
  if (parts.back().empty()) {
    parts.pop_back(); // (1,) and ()
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    std::string_view text = parts[i];
    size_t equals = text.find('=');
    std::string_view field = trim(text.substr(0, equals));
    bool isNamed = equals != std::string_view::npos && isName(field);
    if (isNamed != !arg.fields.empty() && i > 0) {
      return wrong(arg.name, "either all items of a tuple have names or none "
                             "has; write '(1, 2)' or '(x=1, y=2)'");
    }
    if (isNamed) {
      arg.fields.emplace_back(field);
      text = trim(text.substr(equals + 1));
    }
    Result<ArgumentText> item = parseValue(
        arg.name + "." + (isNamed ? arg.fields.back() : std::to_string(i)),
        text);
    if (!item) {
      return item.takeStatus();
    }
    arg.items.push_back(std::move(*item));
  }
  return arg;
}

/// "block[64,64]": the list, if the word is that.
static std::optional<std::vector<std::string>> listOf(std::string_view word,
                                                      std::string_view text) {
  if (!text.starts_with(word) || !text.ends_with(']') ||
      text.size() < word.size() + 2 || text[word.size()] != '[') {
    return std::nullopt;
  }
  text.remove_prefix(word.size() + 1);
  text.remove_suffix(1);
  return splitList(text);
}

/// desc:BUFFER:block[64,64], desc:NAME:block[8,8]:nan:offset[3]
static Result<ArgumentText>
parseDescriptor(ArgumentText arg, const std::vector<std::string> &parts) {
  static constexpr const char *form = "desc:randn:f16[512,256]:block[64,64]";
  arg.kind = ArgumentText::Descriptor;
  std::vector<std::string> buffer;
  for (size_t i = 1; i < parts.size(); ++i) {
    const std::string &part = parts[i];
    if (auto block = listOf("block", part)) {
      arg.block = std::move(*block);
    } else if (auto shape = listOf("shape", part)) {
      arg.shape = std::move(*shape);
    } else if (auto strides = listOf("strides", part)) {
      arg.strides = std::move(*strides);
    } else if (auto offset = listOf("offset", part)) {
      arg.offset = std::move(*offset);
    } else if (part == "nan" || part == "zero") {
      arg.padsWithNaN = part == "nan";
    } else {
      buffer.push_back(part);
    }
  }
  if (buffer.empty() || arg.block.empty() || arg.offset.size() > 1) {
    return wrong(arg.name,
                 std::string(buffer.empty()      ? "a buffer"
                             : arg.block.empty() ? "the block of the descriptor"
                                                 : "one offset") +
                     " is missing; write '" + form + "'");
  }
  if (buffer.size() == 1) {
    arg.targets = std::move(buffer);
    return arg;
  }
  ArgumentText inner;
  inner.name = arg.name;
  inner.whole = arg.whole;
  Result<ArgumentText> parsed = parseBuffer(std::move(inner), buffer);
  if (!parsed) {
    return parsed;
  }
  arg.items.push_back(std::move(*parsed));
  return arg;
}

/// "tensordesc<fp16[64, 64], nan>:16"
static Result<ArgumentText> parseDescriptorType(ArgumentText arg) {
  arg.kind = ArgumentText::DescriptorType;
  std::string_view text = arg.whole;
  if (text.ends_with(":16")) {
    arg.isDivisible = true;
    text.remove_suffix(3);
  }
  size_t open = text.find('['), close = text.rfind(']');
  bool hasForm = text.ends_with('>') && open != std::string_view::npos &&
                 close != std::string_view::npos && open < close;
  if (hasForm) {
    std::string_view padding =
        trim(text.substr(close + 1, text.size() - close - 2));
    arg.padsWithNaN =
        padding.starts_with(',') && trim(padding.substr(1)) == "nan";
    hasForm = padding.empty() || arg.padsWithNaN;
  }
  if (!hasForm) {
    return wrong(arg.name, "write 'tensordesc<fp16[64, 64]>', or "
                           "'tensordesc<fp16[64, 64], nan>'");
  }
  constexpr size_t start = std::string_view("tensordesc<").size();
  Result<uint32_t> type =
      typeOf(arg.name, trim(text.substr(start, open - start)));
  if (!type) {
    return type.takeStatus();
  }
  arg.type = *type;
  arg.block = splitList(text.substr(open + 1, close - open - 1));
  return arg;
}

Result<ArgumentText> parseArgument(std::string_view text) {
  Result<std::pair<std::string, std::string>> assignment =
      parseAssignment(text, "--arg");
  return assignment ? parseValue(assignment->first, assignment->second)
                    : Result<ArgumentText>(assignment.takeStatus());
}

Result<ArgumentText> parseValue(std::string_view name, std::string_view text) {
  ArgumentText arg;
  arg.name = name;
  arg.whole = text;
  std::string_view value = arg.whole;
  if (value.empty()) {
    return wrong(arg.name, "a value is missing; write 'randn:f32[1024]' for a "
                           "buffer or 'i32:5' for a number");
  }
  if (value == "None") {
    arg.kind = ArgumentText::None;
    return arg;
  }
  if (isTuple(value)) {
    return parseTuple(std::move(arg));
  }
  if (value.starts_with("tensordesc<")) {
    return parseDescriptorType(std::move(arg));
  }
  if (value[0] == '*' || driver::typeFromName(value)) {
    return parseType(std::move(arg));
  }
  std::vector<std::string> parts = splitList(value, ':');
  std::string_view head = parts[0];
  std::string_view word = head.substr(0, head.find('('));
  if (head == "desc") {
    return parseDescriptor(std::move(arg), parts);
  }
  if (head == "constexpr" && parts.size() == 2) {
    arg.kind = ArgumentText::Constant;
    arg.value = parts[1];
    return arg;
  }
  if ((word == "ptrs" || word == "addresses") && parts.size() == 2) {
    arg.kind = ArgumentText::Addresses;
    arg.type = driver::typeFromName("i64");
    arg.targets = splitList(parts[1]);
    for (const std::string &target : arg.targets) {
      if (!isName(target)) {
        return wrong(arg.name, "'" + target +
                                   "' is no name of a buffer; write "
                                   "'ptrs:a0,a1'");
      }
    }
    return arg;
  }
  if (std::find(std::begin(Initializers), std::end(Initializers), word) !=
      std::end(Initializers)) {
    return parseBuffer(std::move(arg), parts);
  }
  arg.kind = ArgumentText::Scalar;
  if (parts.size() == 1) {
    arg.value = parts[0];
    return arg;
  }
  if (head.find('[') != std::string_view::npos ||
      parts[1].find('[') != std::string::npos) {
    std::string list;
    for (std::string_view one : Initializers) {
      list += (list.empty() ? "" : " ") + std::string(one);
    }
    return wrong(arg.name, "no initialiser '" + std::string(head) +
                               "'; there are " + list);
  }
  Result<uint32_t> type = typeOf(arg.name, head);
  if (!type) {
    return type.takeStatus();
  }
  if (parts.size() > 2) {
    return wrong(arg.name, "'" + arg.whole + "' has too many ':'; write '" +
                               std::string(head) + ":5'");
  }
  arg.type = *type;
  arg.value = parts[1];
  return arg;
}

std::optional<double> parseFloat(std::string_view text) {
  std::string copy(trim(text));
  if (copy.empty() || copy.size() > 64) {
    return std::nullopt;
  }
  char *end = nullptr;
  double value = std::strtod(copy.c_str(), &end);
  if (*end) {
    return std::nullopt;
  }
  return value;
}

static bool looksLikeFloat(std::string_view text) {
  return parseFloat(text) &&
         text.find_first_not_of("0123456789_-+ ") != std::string_view::npos &&
         !text.starts_with("0x") && !text.starts_with("0X");
}

Result<Constant> parseConstant(std::string_view text,
                               const NameLookup &lookup) {
  Constant constant;
  text = trim(text);
  if (text == "True" || text == "False") {
    constant.kind = Constant::Boolean;
    constant.integer = text == "True";
    return constant;
  }
  if (text == "None") {
    constant.kind = Constant::None;
    return constant;
  }
  if (looksLikeFloat(text)) {
    constant.kind = Constant::Float;
    constant.number = *parseFloat(text);
    return constant;
  }
  bool quoted = text.size() >= 2 && (text[0] == '"' || text[0] == '\'') &&
                text.back() == text[0];
  std::string_view word = text.starts_with("tl.") ? text.substr(3) : text;
  if (quoted || text.empty() || (isName(word) && !lookup(word).ok())) {
    constant.kind = Constant::Text;
    constant.text = quoted ? text : word;
    return constant;
  }
  Result<ExpressionValue> value = evaluateValue(text, lookup);
  if (!value) {
    return value.takeStatus();
  }
  constant.kind = value->isTruth ? Constant::Boolean : Constant::Integer;
  constant.integer = value->number;
  return constant;
}

Result<uint64_t> scalarBits(uint32_t type, std::string_view text,
                            const NameLookup &lookup) {
  text = trim(text);
  if (driver::isFloatType(type)) {
    std::optional<double> number = parseFloat(text);
    if (!number) {
      Result<int64_t> value = evaluate(text, lookup);
      if (!value) {
        return value.takeStatus();
      }
      number = double(*value);
    }
    return encodeElement(type, *number);
  }
  if (text == "True" || text == "False") {
    return uint64_t(text == "True");
  }
  if (looksLikeFloat(text)) {
    return Status(TZ_E_INVALID_ARGUMENT,
                  "'" + std::string(text) + "' is a float, but the type is " +
                      std::string(driver::languageName(type)));
  }
  if (type == TZ_TYPE_U64) {
    return evaluateUnsigned(text, lookup);
  }
  Result<int64_t> value = evaluate(text, lookup);
  if (!value) {
    return value.takeStatus();
  }
  unsigned bits = type == TZ_TYPE_I1 ? 1 : driver::elementBytes(type) * 8;
  bool fits =
      bits == 64 || (driver::isSignedType(type)
                         ? *value >= -(int64_t(1) << (bits - 1)) &&
                               *value < (int64_t(1) << (bits - 1))
                         : *value >= 0 && *value < (int64_t(1) << bits));
  if (!fits) {
    return Status(TZ_E_OUT_OF_RANGE,
                  std::to_string(*value) + " does not fit in " +
                      std::string(driver::languageName(type)));
  }
  return uint64_t(*value);
}

} // namespace tz::tool
