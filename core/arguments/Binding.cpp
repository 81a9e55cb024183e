//===- Binding.cpp - a command line's arguments and a kernel's parameters -===//
//
// What   See Binding.h.
// Why    Names may refer to each other in any order (n=m*2 m=8), so values are
//        looked up by need; a chain that comes back to a name is an error.
//===----------------------------------------------------------------------===//
#include "core/arguments/Binding.h"

#include "core/arguments/Elements.h"
#include "core/driver/ArgumentTypes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <CLI/CLI.hpp>
#include <bit>
#include <filesystem>

namespace tz::tool {

using namespace runtime;

static constexpr uint64_t MaxBufferBytes = uint64_t(1) << 40;

KernelText parseKernel(std::string_view text) {
  size_t at = text.rfind("::");
  return at == std::string_view::npos
             ? KernelText{std::string(text), {}}
             : KernelText{std::string(text.substr(0, at)),
                          std::string(text.substr(at + 2))};
}

void addImportOptions(CLI::App &command, ImportOptions &options) {
  command
      .add_option("--import-root", options.roots,
                  "Folder of packages that the file imports (also "
                  "TERRAZZO_IMPORT_PATH=A:B)")
      ->type_name("FOLDER")
      ->take_all()
      ->allow_extra_args(false);
  command
      .add_option("--global", options.globals,
                  "PACKAGE.MODULE.NAME=EXPRESSION: what a module-level name is "
                  "that only running the program would tell")
      ->take_all()
      ->allow_extra_args(false);
}

static Status addImports(KernelSource &source, const ImportOptions &imports) {
  for (const std::string &root : imports.roots) {
    if (std::error_code error; !std::filesystem::is_directory(root, error)) {
      return Status(TZ_E_INVALID_ARGUMENT,
                    "--import-root '" + root + "': no such folder");
    }
  }
  source.importRoots = imports.roots;
  for (const std::string &text : imports.globals) {
    size_t equals = text.find('=');
    std::string name(trim(std::string_view(text).substr(0, equals)));
    if (equals == std::string::npos || name.find('.') == std::string::npos) {
      return Status(TZ_E_INVALID_ARGUMENT,
                    "--global '" + text +
                        "': write PACKAGE.MODULE.NAME=EXPRESSION");
    }
    source.globals[name] = text.substr(equals + 1);
  }
  return Status();
}

Result<KernelSource> loadSource(const KernelText &kernel,
                                const ImportOptions &imports) {
  Result<std::string> text = readFileOrPipe(kernel.path);
  if (!text) {
    Status status = text.takeStatus();
    return Status(status.code(),
                  status.message() +
                      "; write the kernel as file.py::kernel_name");
  }
  return makeSource(kernel, std::move(*text), imports);
}

Result<KernelSource> makeSource(const KernelText &kernel, std::string text,
                                const ImportOptions &imports) {
  KernelSource source;
  source.path = kernel.path;
  source.function = kernel.function;
  source.text = std::move(text);
  if (Status status = addImports(source, imports); !status.ok()) {
    return status;
  }
  std::string_view path = source.path;
  source.isIR =
      path.ends_with(".mlir") || path.ends_with(".tzir") ||
      (!path.ends_with(".py") && source.text.find('\0') != std::string::npos);
  return source;
}

static Status invalid(std::string message) {
  return Status(TZ_E_INVALID_ARGUMENT, std::move(message));
}

/// "; did you mean 'x'?" or nothing.
static std::string suggestion(std::string_view name,
                              const KernelSignature &signature) {
  llvm::StringRef wanted(name.data(), name.size());
  std::string best;
  unsigned distance = unsigned(name.size() / 3 + 2);
  for (const KernelParameter &parameter : signature.parameters) {
    unsigned d = wanted.edit_distance(parameter.name, true, distance);
    if (d < distance) {
      distance = d;
      best = parameter.name;
    }
  }
  if (!best.empty()) {
    return "; did you mean '" + best + "'?";
  }
  std::string all;
  for (const KernelParameter &parameter : signature.parameters) {
    all += (all.empty() ? "" : ", ") + parameter.name;
  }
  return "; its parameters are " + all;
}

static Status
collectArguments(const std::vector<std::string> &texts,
                 std::map<std::string, ArgumentText, std::less<>> &to) {
  for (const std::string &text : texts) {
    Result<ArgumentText> argument = parseArgument(text);
    if (!argument) {
      return argument.takeStatus();
    }
    std::string name = argument->name;
    if (!to.emplace(name, std::move(*argument)).second) {
      return invalid("argument '" + name + "' is given twice");
    }
  }
  return Status();
}

KeyValue toKeyValue(const std::string &name, const Constant &value) {
  KeyValue option;
  option.key = name;
  switch (value.kind) {
  case Constant::Float:
    option.kind = TZ_KV_F64;
    option.f64 = value.number;
    break;
  case Constant::Text:
  case Constant::None:
    option.kind = TZ_KV_STR;
    option.str = value.text;
    break;
  default:
    option.kind = value.kind == Constant::Boolean ? TZ_KV_BOOL : TZ_KV_I64;
    option.i64 = value.integer;
  }
  return option;
}

Status Binding::collect(const Options &given) {
  Status s = collectArguments(given.args, args);
  if (s.ok()) {
    s = collectArguments(given.buffers, extra);
  }
  if (!s.ok()) {
    return s;
  }
  for (const std::string &text : given.constexprs) {
    auto assignment = parseAssignment(text, "--constexpr");
    if (!assignment) {
      return assignment.takeStatus();
    }
    if (!constexprs.insert(*assignment).second) {
      return invalid("constexpr '" + assignment->first + "' is given twice");
    }
  }
  for (const auto &[name, text] : constexprs) {
    if (args.count(name)) {
      return invalid("'" + name + "' is given as --arg and as --constexpr");
    }
  }
  return bindOptions(given);
}

/// Does any of the words refer to the name? What stands before = names itself.
static bool refersTo(const std::vector<std::string> &words,
                     llvm::StringRef name, bool areAssignments) {
  auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  return llvm::any_of(words, [&](llvm::StringRef word) {
    size_t from = areAssignments ? word.find('=') : 0;
    for (size_t at; (at = word.find(name, from)) != llvm::StringRef::npos;
         from = at + 1) {
      size_t end = at + name.size();
      if ((at == 0 || !isPart(word[at - 1])) &&
          (end == word.size() || !isPart(word[end]))) {
        return true;
      }
    }
    return false;
  });
}

Status Binding::collectNumbers(const KernelSignature &signature,
                               const Options &given) {
  for (const std::string &text : given.names) {
    auto assignment = parseAssignment(text, "--let");
    if (!assignment) {
      return assignment.takeStatus();
    }
    const std::string &name = assignment->first;
    if (llvm::any_of(signature.parameters, [&](const KernelParameter &one) {
          return one.name == name;
        })) {
      return invalid("--let " + text + ": '" + name +
                     "' is an argument of the kernel; give it by --arg or "
                     "--constexpr");
    }
    if (!numbers.insert(*assignment).second) {
      return invalid("'" + name + "' is given twice");
    }
    if (!refersTo(given.args, name, true) &&
        !refersTo(given.buffers, name, true) &&
        !refersTo(given.constexprs, name, true) &&
        !refersTo(given.options, name, true) &&
        !refersTo(given.names, name, true) &&
        !refersTo(given.expressions, name, false)) {
      return invalid("nothing refers to '" + name + "', and kernel '" +
                     signature.function + "' has no argument of that name" +
                     suggestion(name, signature));
    }
  }
  return Status();
}

Status Binding::bindOptions(const Options &given) {
  for (const std::string &text : given.options) {
    auto assignment = parseAssignment(text, "--option");
    if (!assignment) {
      return assignment.takeStatus();
    }
    Result<Constant> value = parseConstant(assignment->second, names());
    if (!value) {
      return std::move(value.takeStatus())
          .in("option '" + assignment->first + "'");
    }
    options.push_back(toKeyValue(assignment->first, *value));
  }
  if (!given.sanitize.empty()) {
    KeyValue option;
    option.key = "sanitize";
    option.kind = TZ_KV_STR;
    option.str = given.sanitize;
    options.push_back(std::move(option));
  }
  if (given.debugLevel) {
    KeyValue option;
    option.key = "debug_level";
    std::erase_if(options, [&](const KeyValue &other) {
      return other.key == option.key;
    });
    option.kind = TZ_KV_I64;
    option.i64 = *given.debugLevel;
    options.push_back(std::move(option));
  }
  return Status();
}

NameLookup Binding::names() const {
  return [this](std::string_view name) { return lookup(name, nullptr); };
}

Result<int64_t> Binding::lookup(std::string_view name,
                                const Chain *outer) const {
  std::string path(name);
  for (const Chain *at = outer; at; at = at->outer) {
    path = std::string(at->name) + " -> " + path;
    if (at->name == name) {
      // The code lets the message through expressions as it is.
      return Status(TZ_E_FAILED_PRECONDITION,
                    "the value of '" + std::string(name) +
                        "' refers to itself (" + path + "); give a number");
    }
  }
  const Chain chain{name, outer};
  NameLookup deeper = [this, &chain](std::string_view other) {
    return lookup(other, &chain);
  };
  std::string_view text;
  if (auto constant = constexprs.find(name); constant != constexprs.end()) {
    text = constant->second;
  } else if (auto arg = args.find(name);
             arg != args.end() &&
             (arg->second.kind == ArgumentText::Scalar ||
              arg->second.kind == ArgumentText::Constant)) {
    text = arg->second.value;
  } else if (auto number = numbers.find(name); number != numbers.end()) {
    text = number->second;
  } else if (arg != args.end()) {
    return invalid("'" + std::string(name) + "' has no integer value here");
  } else {
    return invalid("no argument or constexpr '" + std::string(name) + "'");
  }
  if (text == "True" || text == "False") {
    return int64_t(text == "True");
  }
  return tool::evaluate(text, deeper);
}

Result<int64_t> Binding::evaluate(std::string_view text) const {
  return tool::evaluate(text, names());
}

Result<std::array<int64_t, 3>> Binding::grid(std::string_view text) const {
  std::vector<std::string> axes = splitList(text);
  if (axes.size() > 3) {
    return invalid("--grid has " + std::to_string(axes.size()) +
                   " axes; there are at most three: X,Y,Z");
  }
  std::array<int64_t, 3> grid = {1, 1, 1};
  for (size_t i = 0; i < axes.size(); ++i) {
    Result<int64_t> value = evaluate(axes[i]);
    if (!value) {
      return std::move(value.takeStatus()).in("--grid");
    }
    grid[i] = *value;
  }
  return grid;
}

std::string BoundBuffer::typeText() const {
  std::string result(driver::languageName(type));
  result += '[';
  for (size_t i = 0; i < shape.size(); ++i) {
    result += (i ? "," : "") + std::to_string(shape[i]);
  }
  return result + ']';
}

Status Binding::addBuffer(const ArgumentText &text) {
  BoundBuffer buffer;
  buffer.name = text.name;
  buffer.type = text.type;
  buffer.text = text;
  buffer.count = 1;
  std::string where = "argument '" + text.name + "'";
  if (text.kind == ArgumentText::Addresses) {
    buffer.shape = {int64_t(text.targets.size())};
    buffer.count = text.targets.size();
    buffers.push_back(std::move(buffer));
    return Status();
  }
  for (const std::string &size : text.sizes) {
    Result<int64_t> value = evaluate(size);
    if (!value) {
      return std::move(value.takeStatus()).in(where);
    }
    if (*value < 0) {
      return invalid(where + ": size " + std::to_string(*value) +
                     " is negative");
    }
    buffer.shape.push_back(*value);
    if (__builtin_mul_overflow(buffer.count, uint64_t(*value), &buffer.count) ||
        buffer.count > MaxBufferBytes / driver::elementBytes(buffer.type)) {
      return invalid(where + ": the buffer would be larger than 1 TiB");
    }
  }
  buffers.push_back(std::move(buffer));
  return Status();
}

Status Binding::linkAddresses() {
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].text.kind != ArgumentText::Addresses) {
      continue;
    }
    for (const std::string &target : buffers[i].text.targets) {
      std::optional<size_t> at = bufferNamed(target);
      if (!at) {
        return invalid("argument '" + buffers[i].name + "': no buffer '" +
                       target + "'; add --buffer " + target +
                       "=randn:f32[1024]");
      }
      buffers[i].addressesOf.push_back(*at);
    }
  }
  return Status();
}

Status Binding::bind(const KernelSignature &signature, const Options &given) {
  if (Status s = collect(given); !s.ok()) {
    return s;
  }
  if (Status s = collectNumbers(signature, given); !s.ok()) {
    return s;
  }
  auto isParameter = [&](const std::string &name) {
    return llvm::any_of(signature.parameters, [&](const KernelParameter &p) {
      return p.name == name;
    });
  };
  for (const auto &[name, text] : args) {
    if (!isParameter(name)) {
      return invalid("kernel '" + signature.function + "' has no argument '" +
                     name + "'" + suggestion(name, signature));
    }
  }
  for (const auto &[name, text] : constexprs) {
    if (!isParameter(name)) {
      return invalid("kernel '" + signature.function + "' has no constexpr '" +
                     name + "'" + suggestion(name, signature));
    }
  }
  for (const auto &[name, text] : extra) {
    if (text.kind != ArgumentText::Buffer) {
      return invalid("--buffer '" + name +
                     "' is no buffer; write 'randn:f32[1024]'");
    }
    if (Status s = addBuffer(text); !s.ok()) {
      return s;
    }
  }
  // Descriptors may name any buffer.
  for (const KernelParameter &parameter : signature.parameters) {
    auto arg = args.find(parameter.name);
    Status s = arg == args.end() ? Status() : addBuffers(arg->second);
    if (!s.ok()) {
      return s;
    }
  }
  for (const KernelParameter &parameter : signature.parameters) {
    Result<ArgumentSpec> spec = bindParameter(parameter, given);
    if (!spec) {
      return spec.takeStatus();
    }
    specs.push_back(std::move(*spec));
  }
  return linkAddresses();
}

void Binding::applyRule(const SpecializationRule &rule) {
  std::vector<Leaf> known;
  for (ArgumentSpec &spec : specs) {
    addLeaves(known, spec, {}, 0);
  }
  for (auto [leaf, bound, wanted] : llvm::zip(known, leaves, rule.leaves)) {
    ArgumentSpec &spec = *leaf.spec;
    if (spec.kind != ArgumentSpec::Runtime) {
      continue;
    }
    bound.use = wanted.pointer;
    if (bound.kind == BoundLeaf::Scalar) {
      int64_t value = int64_t(bound.bits);
      bool isInteger = !driver::isFloatType(spec.type);
      spec.equalsOne = wanted.foldsOne && isInteger && value == 1;
      bool divides =
          wanted.divisor && isInteger && value % int64_t(wanted.divisor) == 0;
      spec.divisor = divides ? wanted.divisor : 0;
    } else {
      // Buffers of this tool are aligned by far more than 16 bytes.
      bool divides = bound.kind == BoundLeaf::Buffer && wanted.divisor &&
                     bound.offset % wanted.divisor == 0;
      spec.divisor = divides || bound.promised ? wanted.divisor : 0;
    }
  }
}

std::vector<driver::LaunchValue>
Binding::launchValues(const KernelSignature &signature) const {
  std::vector<driver::LaunchValue> made;
  std::vector<ArgumentSpec> copies = specs;
  std::vector<Leaf> known;
  for (auto [i, spec] : llvm::enumerate(copies)) {
    addLeaves(known, spec, signature.parameters[i].name, uint32_t(i));
  }
  for (auto [leaf, bound] : llvm::zip(known, leaves)) {
    const std::string &name = signature.parameters[leaf.parameter].name;
    if (leaf.name != name) {
      continue; // a part of a tuple or a descriptor
    }
    driver::LaunchValue value;
    value.parameter = name;
    if (bound.kind == BoundLeaf::Buffer) {
      value.element = buffers[bound.buffer].type;
      value.shape = buffers[bound.buffer].shape;
    } else if (bound.kind != BoundLeaf::Scalar) {
      continue;
    } else if (driver::isFloatType(bound.type)) {
      value.number.kind = TZ_KV_F64;
      value.number.f64 = decodeElement(bound.type, &bound.bits);
    } else {
      value.number.kind = bound.type == TZ_TYPE_I1 ? TZ_KV_BOOL : TZ_KV_I64;
      value.number.i64 = int64_t(bound.bits);
    }
    made.push_back(std::move(value));
  }
  return made;
}

bool Binding::isOnlyWritten(size_t buffer) const {
  bool isWritten = false;
  for (const BoundLeaf &leaf : leaves) {
    if (leaf.kind != BoundLeaf::Buffer || leaf.buffer != buffer) {
      continue;
    }
    if (!leaf.use.isKnown || leaf.use.isRead) {
      return false;
    }
    isWritten |= leaf.use.isWritten;
  }
  return isWritten && buffers[buffer].addressesOf.empty() &&
         llvm::none_of(buffers, [&](const BoundBuffer &other) {
           return llvm::is_contained(other.addressesOf, buffer);
         });
}

Status Binding::fill(uint64_t seed) {
  for (BoundBuffer &buffer : buffers) {
    if (buffer.isGiven) {
      continue;
    }
    if (buffer.text.kind == ArgumentText::Addresses) {
      buffer.content.resize(buffer.count * 8); // written for each run
      continue;
    }
    Result<std::vector<uint8_t>> content =
        fillBuffer(buffer.text, buffer.count, seed, names());
    if (!content) {
      return content.takeStatus();
    }
    buffer.content = std::move(*content);
  }
  return Status();
}

} // namespace tz::tool
