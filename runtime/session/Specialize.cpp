//===- Specialize.cpp - from what arguments look like to code -------------===//
//
// What   The lookup of a launch, without a lock when its code is known;
// compiling
//        and loading when it is not; and for artifacts from files, the check
//        that the arguments are what the code assumes.
// Why    The hot path of a launch is here and nowhere else.
//===----------------------------------------------------------------------===//
#include "runtime/session/ArgumentBits.h"
#include "runtime/session/Specialization.h"

namespace tz::runtime {

static uint64_t mix(uint64_t h, uint64_t v) {
  h = (h ^ v) * 0x9e3779b97f4a7c15u;
  return h ^ (h >> 29);
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
      uint32_t divisor = shape.rule[i].divisor;
      spec.divisor = divisibleBy(args[i], divisor) ? divisor : 0;
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
      if (spec.divisor && !divisibleBy(args[i], spec.divisor)) {
        return refuse(i, "is no multiple of " + std::to_string(spec.divisor));
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

} // namespace tz::runtime
