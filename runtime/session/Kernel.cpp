//===- Kernel.cpp - a kernel function and its specialisations -------------===//
//
// What   A *shape* is device + argument types + constants; the compiler names
//        for it the divisor of each argument. Under a shape, a *specialisation*
//        is one set of answers to "== 1?" and "divisible?".
// Why    Two levels, because which values matter is known only once the types
//        are (decision R8).
//===----------------------------------------------------------------------===//
#include "runtime/session/Kernel.h"

#include <fstream>

namespace tz::runtime {

struct Kernel::Specialization {
  const Shape *shape = nullptr; // null: of an artifact from a file
  Bits bits{};
  std::shared_ptr<const Artifact> artifact;
  std::unique_ptr<LoadedKernel> loaded;
  /// User argument i is launch argument fromLaunch[i].
  std::vector<uint32_t> fromLaunch;
};

struct Kernel::Shape {
  uint64_t hash = 0;
  std::shared_ptr<Device> device;
  std::vector<tz_arg> key; // bits are zero for run-time values
  std::vector<std::string> texts;
  std::vector<ArgumentSpec> arguments;             // one per parameter
  std::vector<SpecializationRule::Parameter> rule; // one per launch argument
  static constexpr size_t Slots = 64;
  std::array<std::atomic<Specialization *>, Slots> known{};
};

namespace {

bool isInteger(uint32_t type) {
  return type >= TZ_TYPE_I8 && type <= TZ_TYPE_U64;
}

/// Bits as ArgValue wants them, whatever a caller wrote above the width.
uint64_t normalized(const tz_arg &arg) {
  switch (arg.type) {
  case TZ_TYPE_I1:
    return arg.bits & 1;
  case TZ_TYPE_I8:
    return uint64_t(int64_t(int8_t(arg.bits)));
  case TZ_TYPE_I16:
    return uint64_t(int64_t(int16_t(arg.bits)));
  case TZ_TYPE_I32:
    return uint64_t(int64_t(int32_t(arg.bits)));
  case TZ_TYPE_U8:
    return uint8_t(arg.bits);
  case TZ_TYPE_U16:
    return uint16_t(arg.bits);
  case TZ_TYPE_U32:
    return uint32_t(arg.bits);
  default:
    return arg.bits;
  }
}

uint64_t mix(uint64_t h, uint64_t v) {
  h = (h ^ v) * 0x9e3779b97f4a7c15u;
  return h ^ (h >> 29);
}

bool equalsOne(const tz_arg &arg) {
  return isInteger(arg.type) && normalized(arg) == 1;
}

bool divisibleBy(const tz_arg &arg, uint32_t divisor) {
  bool countable = isInteger(arg.type) || arg.type == TZ_TYPE_PTR;
  if (!countable || !divisor) {
    return false;
  }
  // Nearly always a power of two, and a 64-bit division is what a launch would
  // spend most of its time on.
  return (divisor & (divisor - 1)) == 0 ? (normalized(arg) & (divisor - 1)) == 0
                                        : normalized(arg) % divisor == 0;
}

/// The text of a launch argument that is a string constant.
std::string_view textOf(const tz_arg &arg) {
  const char *text = arg.type == TZ_TYPE_STRING
                         ? reinterpret_cast<const char *>(arg.bits)
                         : nullptr;
  return text ? std::string_view(text) : std::string_view();
}

Result<std::string> readAll(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::error_code error;
  if (!file || std::filesystem::is_directory(path, error)) {
    return Status(TZ_E_NOT_FOUND,
                  path + ": no such file, or it cannot be read");
  }
  std::string text((std::istreambuf_iterator<char>(file)), {});
  return text;
}

} // namespace

Kernel::Kernel(Session &session, KernelRequest request)
    : session(session), request(std::move(request)) {}

Kernel::~Kernel() = default;

Result<std::unique_ptr<Kernel>> Kernel::load(Session &session,
                                             KernelRequest request) {
  std::unique_ptr<Kernel> kernel(new Kernel(session, std::move(request)));
  if (Status s = kernel->initialize(); !s.ok()) {
    return s;
  }
  return kernel;
}

Status Kernel::initialize() {
  KernelSource &source = request.source;
  if (source.text.empty()) {
    Result<std::string> text = readAll(source.path);
    if (!text) {
      return text.takeStatus();
    }
    source.text = std::move(*text);
  }
  if (source.text.starts_with("TZARTIF\n")) {
    if (Status s = initializeFromArtifact(source.text); !s.ok()) {
      return std::move(s).in(source.path);
    }
    return bindParameters();
  }
  if (!session.mayCompile()) {
    return Status(TZ_E_UNIMPLEMENTED,
                  source.path + ": this session must not compile; give it an "
                                "artifact made by `tz compile`");
  }
  if (!session.compiler()) {
    return Status(TZ_E_UNIMPLEMENTED,
                  source.path +
                      ": this library has no compiler (libterrazzo_runtime); "
                      "link libterrazzo, or load an artifact made by `tz "
                      "compile`");
  }
  // Portable bytes begin with their mark; the text form has its own suffix.
  source.isIR = source.isIR || source.path.ends_with(".mlir") ||
                source.path.ends_with(".tzir") ||
                source.text.find('\0') != std::string::npos;
  Result<KernelSignature> found =
      session.compiler()->signature(source, session);
  if (!found) {
    return found.takeStatus();
  }
  signature = std::move(*found);
  if (source.function.empty()) {
    source.function = signature.function;
  }
  return bindParameters();
}

Status Kernel::initializeFromArtifact(std::string_view bytes) {
  Result<Artifact> read = Artifact::read(bytes);
  if (!read) {
    return read.takeStatus();
  }
  if (!request.source.function.empty() &&
      request.source.function != read->function) {
    return Status(TZ_E_NOT_FOUND, "holds kernel '" + read->function +
                                      "', not '" + request.source.function +
                                      "'");
  }
  signature.function = read->function;
  for (const SpecializedParameter &p : read->parameters) {
    KernelParameter parameter;
    parameter.name = p.name;
    // A constant of the artifact may be given again, or not.
    parameter.isConstexpr = p.spec.kind == ArgumentSpec::Constant;
    parameter.hasDefault = p.spec.kind != ArgumentSpec::Runtime;
    signature.parameters.push_back(std::move(parameter));
  }
  fixedArtifact = std::make_shared<const Artifact>(std::move(*read));
  return Status();
}

/// Python gives f(x, y=1): kinds of constant that a source can take.
Result<ArgumentSpec> Kernel::describe(const KernelParameter &parameter,
                                      const tz_arg &arg,
                                      std::string_view text) const {
  ArgumentSpec spec;
  auto constant = [&](uint32_t kind) {
    spec.kind = ArgumentSpec::Constant;
    spec.constant.key = parameter.name;
    spec.constant.kind = kind;
  };
  if (arg.type == TZ_TYPE_NONE) {
    spec.kind = ArgumentSpec::None;
    return spec;
  }
  if (arg.type == TZ_TYPE_STRING) {
    constant(TZ_KV_STR);
    spec.constant.str = text;
    return spec;
  }
  if (!typeSize(arg.type)) {
    return Status(TZ_E_INVALID_ARGUMENT,
                  "argument '" + parameter.name + "' of kernel '" +
                      signature.function + "' has unknown type " +
                      std::to_string(arg.type));
  }
  if (!parameter.isConstexpr) {
    spec.kind = ArgumentSpec::Runtime;
    spec.type = arg.type;
    spec.element = arg.element;
    if (arg.type == TZ_TYPE_PTR && !typeSize(arg.element)) {
      return Status(TZ_E_INVALID_ARGUMENT,
                    "pointer argument '" + parameter.name + "' of kernel '" +
                        signature.function +
                        "' does not say what it points to (element type)");
    }
    return spec;
  }
  uint64_t bits = normalized(arg);
  if (arg.type == TZ_TYPE_F32) {
    float value = 0;
    uint32_t low = uint32_t(bits);
    std::memcpy(&value, &low, 4);
    constant(TZ_KV_F64);
    spec.constant.f64 = value;
  } else if (arg.type == TZ_TYPE_F64) {
    constant(TZ_KV_F64);
    std::memcpy(&spec.constant.f64, &bits, 8);
  } else if (arg.type == TZ_TYPE_I1 || isInteger(arg.type)) {
    constant(arg.type == TZ_TYPE_I1 ? TZ_KV_BOOL : TZ_KV_I64);
    spec.constant.i64 = int64_t(bits);
  } else {
    return Status(TZ_E_INVALID_ARGUMENT,
                  "parameter '" + parameter.name + "' of kernel '" +
                      signature.function + "' is constexpr and cannot be a " +
                      typeName(arg.type));
  }
  return spec;
}

Status Kernel::bindParameters() {
  size_t count = signature.parameters.size();
  if (count > MaxLaunchArgs) {
    return Status(TZ_E_RESOURCE_LIMIT, "kernel '" + signature.function +
                                           "' has more than 256 parameters");
  }
  bound.resize(count);
  std::vector<bool> isBound(count, false);
  for (const NamedConstant &given : request.constants) {
    size_t i = 0;
    while (i < count && signature.parameters[i].name != given.name) {
      ++i;
    }
    if (i == count) {
      return Status(TZ_E_INVALID_ARGUMENT, "kernel '" + signature.function +
                                               "' has no parameter '" +
                                               given.name + "'");
    }
    KernelParameter parameter = signature.parameters[i];
    parameter.isConstexpr = true; // fixed for all launches
    Result<ArgumentSpec> spec = describe(parameter, given.value, given.text);
    if (!spec) {
      return spec.takeStatus();
    }
    bound[i] = std::move(*spec);
    isBound[i] = true;
  }
  for (size_t i = 0; i < count; ++i) {
    if (!isBound[i]) {
      open.push_back(uint32_t(i));
      openNames.push_back(signature.parameters[i].name);
      openConstexpr.push_back(signature.parameters[i].isConstexpr);
      if (!signature.parameters[i].hasDefault) {
        required = open.size();
      }
    }
  }
  return Status();
}

Status Kernel::checkCount(size_t given) const {
  if (given >= required && given <= open.size()) [[likely]] {
    return Status();
  }
  std::string names;
  for (size_t i = 0; i < openNames.size(); ++i) {
    names += (i ? ", " : "") + openNames[i];
  }
  return Status(TZ_E_INVALID_ARGUMENT,
                "kernel '" + signature.function + "' takes " +
                    (required == open.size()
                         ? std::to_string(required)
                         : "from " + std::to_string(required) + " to " +
                               std::to_string(open.size())) +
                    " arguments (" + names + "), not " + std::to_string(given));
}

bool Kernel::isConstant(size_t i, const tz_arg &arg) const {
  return openConstexpr[i] || arg.type >= TZ_TYPE_NONE;
}

bool Kernel::isShape(const Shape &shape, uint64_t hash, const Device &device,
                     std::span<const tz_arg> args) const {
  if (shape.hash != hash || shape.device.get() != &device ||
      shape.key.size() != args.size()) {
    return false;
  }
  for (size_t i = 0; i < args.size(); ++i) {
    const tz_arg &key = shape.key[i];
    if (key.type != args[i].type || key.element != args[i].element) {
      return false;
    }
    if (isConstant(i, args[i]) &&
        (args[i].type == TZ_TYPE_STRING ? shape.texts[i] != textOf(args[i])
                                        : key.bits != normalized(args[i]))) {
      return false;
    }
  }
  return true;
}

Kernel::Shape *Kernel::findShape(uint64_t hash, const Device &device,
                                 std::span<const tz_arg> args) const {
  for (size_t probe = 0; probe < TableSize; ++probe) {
    Shape *shape =
        table[(hash + probe) % TableSize].load(std::memory_order_acquire);
    if (!shape || isShape(*shape, hash, device, args)) {
      return shape;
    }
  }
  return nullptr;
}

Result<Kernel::Shape *> Kernel::makeShape(uint64_t hash,
                                          const std::shared_ptr<Device> &device,
                                          std::span<const tz_arg> args) {
  auto shape = std::make_unique<Shape>();
  shape->hash = hash;
  shape->device = device;
  shape->arguments = bound;
  shape->texts.resize(args.size());
  for (size_t i = 0; i < args.size(); ++i) {
    const KernelParameter &parameter = signature.parameters[open[i]];
    shape->texts[i] = textOf(args[i]);
    Result<ArgumentSpec> spec = describe(parameter, args[i], shape->texts[i]);
    if (!spec) {
      return spec.takeStatus();
    }
    shape->arguments[open[i]] = std::move(*spec);
    bool constant = isConstant(i, args[i]);
    shape->key.push_back(
        {args[i].type, args[i].element, constant ? normalized(args[i]) : 0});
  }
  Result<SpecializationRule> rule = session.compiler()->specializationRule(
      request.source, shape->arguments, session);
  if (!rule) {
    return rule.takeStatus();
  }
  shape->rule.resize(args.size());
  for (size_t i = 0; i < args.size(); ++i) {
    if (!isConstant(i, args[i]) && open[i] < rule->parameters.size()) {
      shape->rule[i] = rule->parameters[open[i]];
    }
  }
  Shape *made = shape.get();
  shapes.push_back(std::move(shape));
  // A full table still works: such shapes are found in the list, under the
  // lock.
  if (tableUsed < TableSize * 3 / 4) {
    size_t at = hash % TableSize;
    while (table[at].load(std::memory_order_relaxed)) {
      at = (at + 1) % TableSize;
    }
    table[at].store(made, std::memory_order_release);
    ++tableUsed;
  }
  return made;
}

Result<std::unique_ptr<LoadedKernel>>
Kernel::loadOn(const std::shared_ptr<Device> &device,
               std::shared_ptr<const Artifact> artifact) {
  Activity activity(session.hooks(), TZ_ACTIVITY_LOAD,
                    signature.function.c_str());
  Result<std::unique_ptr<LoadedKernel>> loaded =
      LoadedKernel::load(device, std::move(artifact));
  activity.code = loaded.status().code();
  return loaded;
}

Result<Kernel::Specialization *>
Kernel::makeSpecialization(Shape &shape, const Bits &bits,
                           std::span<const tz_arg> args) {
  CompileJob job;
  job.source = request.source;
  job.arguments = shape.arguments;
  job.plugin = shape.device->plugin().name();
  job.target = shape.device->target();
  job.options = request.options;
  for (size_t i = 0; i < args.size(); ++i) {
    ArgumentSpec &spec = job.arguments[open[i]];
    if (spec.kind == ArgumentSpec::Runtime) {
      spec.equalsOne = shape.rule[i].foldsOne && equalsOne(args[i]);
      spec.divisible = divisibleBy(args[i], shape.rule[i].divisor);
    }
  }
  auto made = std::make_unique<Specialization>();
  made->shape = &shape;
  made->bits = bits;
  {
    Activity activity(session.hooks(), TZ_ACTIVITY_COMPILE,
                      signature.function.c_str());
    Result<std::shared_ptr<const Artifact>> artifact =
        session.compiler()->compile(job, session);
    activity.code = artifact.status().code();
    if (!artifact) {
      return artifact.takeStatus();
    }
    made->artifact = *artifact;
  }
  for (uint32_t parameter : made->artifact->userParameters) {
    auto at = std::find(open.begin(), open.end(), parameter);
    size_t index = size_t(at - open.begin());
    if (index >= args.size()) {
      return Status(TZ_E_INTERNAL, "the compiled kernel wants parameter " +
                                       std::to_string(parameter) +
                                       ", which is a constant");
    }
    made->fromLaunch.push_back(uint32_t(index));
  }
  Result<std::unique_ptr<LoadedKernel>> loaded =
      loadOn(shape.device, made->artifact);
  if (!loaded) {
    return loaded.takeStatus();
  }
  made->loaded = std::move(*loaded);
  Specialization *result = made.get();
  specializations.push_back(std::move(made));
  return result;
}

Result<Kernel::Specialization *>
Kernel::specialize(const std::shared_ptr<Device> &device,
                   std::span<const tz_arg> args) {
  uint64_t hash = mix(0, reinterpret_cast<uintptr_t>(device.get()));
  for (size_t i = 0; i < args.size(); ++i) {
    hash = mix(hash, uint64_t(args[i].type) << 32 | args[i].element);
    if (isConstant(i, args[i])) {
      hash = mix(hash, args[i].type == TZ_TYPE_STRING
                           ? std::hash<std::string_view>()(textOf(args[i]))
                           : normalized(args[i]));
    }
  }
  auto bitsOf = [&](const Shape &shape, uint64_t &bitsHash) {
    Bits bits{};
    bitsHash = 0;
    for (size_t i = 0; i < args.size(); ++i) {
      const auto &rule = shape.rule[i];
      uint64_t answer =
          uint64_t(rule.foldsOne && equalsOne(args[i])) |
          uint64_t(rule.divisor && divisibleBy(args[i], rule.divisor)) << 1;
      bits[i / 32] |= answer << (2 * (i % 32));
    }
    for (size_t word = 0; word * 32 < args.size(); ++word) {
      bitsHash = mix(bitsHash, bits[word]);
    }
    return bits;
  };
  auto find = [](const Shape &shape, const Bits &bits,
                 uint64_t bitsHash) -> Specialization * {
    for (size_t probe = 0; probe < Shape::Slots; ++probe) {
      Specialization *known =
          shape.known[(bitsHash + probe) % Shape::Slots].load(
              std::memory_order_acquire);
      if (!known || known->bits == bits) {
        return known;
      }
    }
    return nullptr;
  };
  uint64_t bitsHash = 0;
  if (Shape *shape = findShape(hash, *device, args)) [[likely]] {
    Bits bits = bitsOf(*shape, bitsHash);
    if (Specialization *known = find(*shape, bits, bitsHash)) [[likely]] {
      return known;
    }
  }
  std::lock_guard guard(lock);
  Shape *shape = findShape(hash, *device, args);
  if (!shape) { // beyond the table's capacity?
    for (const auto &other : shapes) {
      if (isShape(*other, hash, *device, args)) {
        shape = other.get();
      }
    }
  }
  if (!shape) {
    Result<Shape *> made = makeShape(hash, device, args);
    if (!made) {
      return made.takeStatus();
    }
    shape = *made;
  }
  Bits bits = bitsOf(*shape, bitsHash);
  if (Specialization *known = find(*shape, bits, bitsHash)) {
    return known; // another thread made it meanwhile
  }
  for (const auto &other : specializations) {
    if (other->shape == shape && other->bits == bits) {
      return other.get(); // beyond the slots of its shape
    }
  }
  Result<Specialization *> made = makeSpecialization(*shape, bits, args);
  if (!made) {
    return made;
  }
  for (size_t probe = 0; probe < Shape::Slots; ++probe) {
    auto &slot = shape->known[(bitsHash + probe) % Shape::Slots];
    if (!slot.load(std::memory_order_relaxed)) {
      slot.store(*made, std::memory_order_release);
      break;
    }
  }
  return made;
}

/// An artifact from a file: do these arguments fit what it was compiled for?
Result<Kernel::Specialization *>
Kernel::match(const std::shared_ptr<Device> &device,
              std::span<const tz_arg> args) {
  const Artifact &artifact = *fixedArtifact;
  auto refuse = [&](size_t i, const std::string &what) {
    return Status(TZ_E_FAILED_PRECONDITION,
                  "argument '" + openNames[i] + "' of kernel '" +
                      signature.function + "' " + what +
                      "; the artifact was compiled for other arguments");
  };
  for (size_t i = 0; i < args.size(); ++i) {
    const SpecializedParameter &p = artifact.parameters[open[i]];
    const ArgumentSpec &spec = p.spec;
    if (spec.kind == ArgumentSpec::Runtime) {
      if (args[i].type != spec.type ||
          (spec.type == TZ_TYPE_PTR && args[i].element != spec.element)) {
        return refuse(i,
                      std::string("is ") + typeName(args[i].type) +
                          (args[i].type == TZ_TYPE_PTR
                               ? std::string(" to ") + typeName(args[i].element)
                               : std::string()));
      }
      if (spec.equalsOne && !equalsOne(args[i])) {
        return refuse(i, "is not 1");
      }
      if (spec.divisible && !divisibleBy(args[i], p.divisor)) {
        return refuse(i, "is no multiple of " + std::to_string(p.divisor));
      }
      continue;
    }
    Result<ArgumentSpec> given =
        describe(signature.parameters[open[i]], args[i], textOf(args[i]));
    if (!given) {
      return given.takeStatus();
    }
    given->constant.key = spec.constant.key;
    if (spec.kind != ArgumentSpec::Default && !(*given == spec)) {
      return refuse(i, "has another value");
    }
  }
  Specialization *last = lastMatch.load(std::memory_order_acquire);
  if (last && &last->loaded->owner() == device.get()) [[likely]] {
    return last;
  }
  std::lock_guard guard(lock);
  for (const auto &known : specializations) {
    if (&known->loaded->owner() == device.get()) {
      return known.get();
    }
  }
  auto made = std::make_unique<Specialization>();
  made->artifact = fixedArtifact;
  for (uint32_t parameter : artifact.userParameters) {
    auto at = std::find(open.begin(), open.end(), parameter);
    if (at == open.end() || size_t(at - open.begin()) >= args.size()) {
      return Status(TZ_E_INVALID_ARGUMENT,
                    "parameter '" + artifact.parameters[parameter].name +
                        "' is a run-time argument of the artifact and must be "
                        "given at the launch");
    }
    made->fromLaunch.push_back(uint32_t(at - open.begin()));
  }
  Result<std::unique_ptr<LoadedKernel>> loaded = loadOn(device, fixedArtifact);
  if (!loaded) {
    return loaded.takeStatus();
  }
  made->loaded = std::move(*loaded);
  specializations.push_back(std::move(made));
  lastMatch.store(specializations.back().get(), std::memory_order_release);
  return specializations.back().get();
}

Status Kernel::launch(Stream &stream, const std::array<int64_t, 3> &grid,
                      std::span<const tz_arg> args) {
  if (Status s = checkCount(args.size()); !s.ok()) {
    return s;
  }
  // Before anything is compiled for a grid that cannot run.
  if (Status s = checkGrid(grid, "grid"); !s.ok()) {
    return s;
  }
  const std::shared_ptr<Device> &device = stream.sharedDevice();
  Result<Specialization *> found =
      fixedArtifact ? match(device, args) : specialize(device, args);
  if (!found) {
    return found.takeStatus();
  }
  const Specialization &s = **found;
  std::array<ArgValue, MaxLaunchArgs> values;
  size_t count = s.fromLaunch.size();
  for (size_t i = 0; i < count; ++i) {
    const tz_arg &arg = args[s.fromLaunch[i]];
    values[i] = {arg.type, normalized(arg)};
  }
  Activity activity(session.hooks(), TZ_ACTIVITY_LAUNCH,
                    signature.function.c_str());
  Status status = s.loaded->launch(stream, grid, {values.data(), count});
  activity.code = status.code();
  return status;
}

Status Kernel::prepare(const std::shared_ptr<Device> &device,
                       std::span<const tz_arg> args) {
  return artifact(device, args).takeStatus();
}

Result<std::shared_ptr<const Artifact>>
Kernel::artifact(const std::shared_ptr<Device> &device,
                 std::span<const tz_arg> args) {
  if (Status s = checkCount(args.size()); !s.ok()) {
    return s;
  }
  Result<Specialization *> found =
      fixedArtifact ? match(device, args) : specialize(device, args);
  if (!found) {
    return found.takeStatus();
  }
  return (*found)->artifact;
}

} // namespace tz::runtime
