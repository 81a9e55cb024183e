//===- Specialize.cpp - from what arguments look like to code -------------===//
//
// What   The lookup of a launch, without a lock when its code is known;
//        compiling and loading when it is not.
// Why    The hot path of a launch is here and nowhere else; that of artifacts
//        from files is in Match.cpp.
//===----------------------------------------------------------------------===//
#include "runtime/session/Addresses.h"
#include "runtime/session/SpecializationTable.h"

namespace tz::runtime {

static uint64_t mix(uint64_t h, uint64_t v) {
  h = (h ^ v) * 0x9e3779b97f4a7c15u;
  return h ^ (h >> 29);
}

bool KernelFunction::isShape(const Shape &shape, uint64_t hash,
                             const Device &device, const Slots &slots) const {
  if (shape.hash != hash || shape.device.get() != &device ||
      shape.key.size() != slots.size()) {
    return false;
  }
  for (size_t i = 0; i < slots.size(); ++i) {
    const tz_arg &key = shape.key[i], &slot = slots[i];
    if (key.type != slot.type || key.element != slot.element) {
      return false;
    }
    if (isConstant(slots, i) &&
        (slot.type == TZ_TYPE_STRING ? shape.texts[i] != textOf(slot)
                                     : key.bits != normalized(slot))) {
      return false;
    }
  }
  return true;
}

KernelFunction::Shape *KernelFunction::findShape(uint64_t hash,
                                                 const Device &device,
                                                 const Slots &slots) const {
  for (size_t probe = 0; probe < TableSize; ++probe) {
    Shape *shape =
        table[(hash + probe) % TableSize].load(std::memory_order_acquire);
    if (!shape || isShape(*shape, hash, device, slots)) {
      return shape;
    }
  }
  return nullptr;
}

/// The slot of each leaf of all parameters, if `given` arguments are launched.
std::vector<uint32_t>
KernelFunction::slotsOfLeaves(const std::vector<ArgumentSpec> &arguments,
                              size_t given) const {
  std::vector<uint32_t> slots;
  size_t next = 0; // of the open parameters
  uint32_t at = 0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    size_t first = slots.size();
    bool isOpen = next < open.size() && open[next] == i;
    if (isOpen && next++ < given) {
      addLeafSlots(arguments[i], at, slots);
      continue;
    }
    uint32_t unused = 0;
    addLeafSlots(arguments[i], unused, slots);
    std::fill(slots.begin() + ptrdiff_t(first), slots.end(), NoSlot);
  }
  return slots;
}

/// Among all shapes: a full table holds the first of them. Needs the lock.
KernelFunction::Shape *
KernelFunction::findListedShape(uint64_t hash, const Device &device,
                                const Slots &slots) const {
  for (const auto &shape : shapes) {
    if (isShape(*shape, hash, device, slots)) {
      return shape.get();
    }
  }
  return nullptr;
}

Result<std::unique_ptr<KernelFunction::Shape>>
KernelFunction::makeShape(uint64_t hash, const std::shared_ptr<Device> &device,
                          const Slots &slots, size_t given) const {
  auto shape = std::make_unique<Shape>();
  shape->hash = hash;
  shape->device = device;
  shape->arguments = bound;
  for (size_t i = 0, at = 0; i < given; ++i) {
    Result<ArgumentSpec> spec =
        describe(signature.parameters[open[i]], signature.function, slots, at);
    if (!spec) {
      return spec.takeStatus();
    }
    shape->arguments[open[i]] = std::move(*spec);
  }
  for (size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].type == TZ_TYPE_PTR && !isConstant(slots, i)) {
      shape->pointers.push_back(uint32_t(i));
    }
    uint64_t bits = isConstant(slots, i) ? normalized(slots[i]) : 0;
    shape->key.push_back({slots[i].type, slots[i].element, bits});
    shape->texts.emplace_back(textOf(slots[i]));
  }
  Result<SpecializationRule> rule = session.compiler()->specializationRule(
      request.source, shape->arguments, session);
  if (!rule) {
    return rule.takeStatus();
  }
  shape->slotOfLeaf = slotsOfLeaves(shape->arguments, given);
  shape->rule.resize(slots.size());
  size_t leaves = std::min(rule->leaves.size(), shape->slotOfLeaf.size());
  for (size_t leaf = 0; leaf < leaves; ++leaf) {
    uint32_t slot = shape->slotOfLeaf[leaf];
    if (slot != NoSlot && !isConstant(slots, slot)) {
      shape->rule[slot] = rule->leaves[leaf];
    }
  }
  shape->uses.resize(given);
  for (size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].type == TZ_TYPE_PTR) {
      shape->uses[slots.owner(i)] = std::move(shape->rule[i].pointer);
    }
  }
  for (size_t i = 1; i < slots.size(); ++i) {
    if (slots.owner(i) == slots.owner(i - 1)) {
      shape->uses[slots.owner(i)] = PointerUse();
    }
  }
  return shape;
}

/// Needs the lock.
KernelFunction::Shape *KernelFunction::addShape(std::unique_ptr<Shape> shape) {
  Shape *made = shape.get();
  shapes.push_back(std::move(shape));
  // A full table still works: such shapes are found in the list, under the
  // lock.
  if (tableUsed < TableSize * 3 / 4) {
    size_t at = made->hash % TableSize;
    while (table[at].load(std::memory_order_relaxed)) {
      at = (at + 1) % TableSize;
    }
    table[at].store(made, std::memory_order_release);
    ++tableUsed;
  }
  return made;
}

Result<std::unique_ptr<LoadedKernel>>
KernelFunction::loadOn(const std::shared_ptr<Device> &device,
                       std::shared_ptr<const Artifact> artifact) {
  Activity activity(session.hooks(), TZ_ACTIVITY_LOAD,
                    signature.function.c_str());
  Result<std::unique_ptr<LoadedKernel>> loaded =
      LoadedKernel::load(device, std::move(artifact),
                         [&](uint32_t severity, const std::string &line) {
                           session.report(severity, line + "\n");
                         });
  activity.code = loaded.status().code();
  return loaded;
}

CompileJob KernelFunction::jobFor(const std::vector<ArgumentSpec> &arguments,
                                  const std::string &plugin,
                                  const std::string &target) const {
  CompileJob job;
  job.source = request.source;
  job.arguments = arguments;
  job.plugin = plugin;
  job.target = target;
  job.options = request.options;
  return job;
}

/// Without the lock: it may take long.
Result<std::unique_ptr<KernelFunction::Specialization>>
KernelFunction::compileSpecialization(Shape &shape, const Bits &bits,
                                      const Slots &slots,
                                      const std::string &plugin,
                                      const std::string &target) {
  CompileJob job = jobFor(shape.arguments, plugin, target);
  std::vector<Leaf> leaves;
  for (size_t i = 0; i < job.arguments.size(); ++i) {
    addLeaves(leaves, job.arguments[i], signature.parameters[i].name,
              uint32_t(i));
  }
  for (size_t i = 0; i < leaves.size(); ++i) {
    ArgumentSpec &spec = *leaves[i].spec;
    uint32_t slot = shape.slotOfLeaf[i];
    if (spec.kind == ArgumentSpec::Runtime && slot != NoSlot) {
      const bool firstAnswer = bits[slot / 32] >> (2 * (slot % 32)) & 1;
      spec.equalsOne = firstAnswer && spec.type != TZ_TYPE_PTR;
      spec.sharesAddress = firstAnswer && spec.type == TZ_TYPE_PTR;
      uint32_t divisor = shape.rule[slot].divisor;
      spec.divisor = divisibleBy(slots[slot], divisor) ? divisor : 0;
    }
  }
  auto made = std::make_unique<Specialization>();
  made->kernel = this;
  made->shape = &shape;
  made->uses = &shape.uses;
  made->bits = bits;
  made->arguments = job.arguments;
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
  for (uint32_t leaf : made->artifact->userLeaves) {
    if (leaf >= leaves.size() || shape.slotOfLeaf[leaf] == NoSlot) {
      return Status(TZ_E_INTERNAL, "the compiled kernel wants leaf " +
                                       std::to_string(leaf) +
                                       ", which is a constant");
    }
    made->fromLaunch.push_back(shape.slotOfLeaf[leaf]);
  }
  return made;
}

Result<std::unique_ptr<KernelFunction::Specialization>>
KernelFunction::makeSpecialization(Shape &shape, const Bits &bits,
                                   const Slots &slots) {
  Result<std::unique_ptr<Specialization>> made =
      compileSpecialization(shape, bits, slots, shape.device->plugin().name(),
                            shape.device->target());
  if (!made) {
    return made.takeStatus();
  }
  Result<std::unique_ptr<LoadedKernel>> loaded =
      loadOn(shape.device, (*made)->artifact);
  if (!loaded) {
    return loaded.takeStatus();
  }
  (*made)->loaded = std::move(*loaded);
  (*made)->prepareRepeats(*this, slots);
  return made;
}

Result<KernelFunction::Specialization *>
KernelFunction::find(const std::shared_ptr<Device> &device, const Slots &slots,
                     size_t given) {
  return fixedArtifact ? match(device, slots, given)
                       : specialize(device, slots, given);
}

uint64_t KernelFunction::hashOf(const Device &device,
                                const Slots &slots) const {
  uint64_t hash = mix(0, reinterpret_cast<uintptr_t>(&device));
  for (size_t i = 0; i < slots.size(); ++i) {
    hash = mix(hash, uint64_t(slots[i].type) << 32 | slots[i].element);
    if (isConstant(slots, i)) {
      hash = mix(hash, slots[i].type == TZ_TYPE_STRING
                           ? std::hash<std::string_view>()(textOf(slots[i]))
                           : normalized(slots[i]));
    }
  }
  return hash;
}

KernelFunction::Bits
KernelFunction::bitsOf(const Shape &shape, const Slots &slots, uint64_t &hash) {
  Bits bits{};
  hash = 0;
  for (size_t i = 0; i < slots.size(); ++i) {
    const auto &rule = shape.rule[i];
    uint64_t answer =
        uint64_t(rule.foldsOne && equalsOne(slots[i])) |
        uint64_t(rule.divisor && divisibleBy(slots[i], rule.divisor)) << 1;
    bits[i / 32] |= answer << (2 * (i % 32));
  }
  // Kernels that work in place get one array twice.
  findShared(slots.values.data(), shape.pointers,
             [&](uint32_t one, uint32_t other) {
               bits[one / 32] |= uint64_t{1} << (2 * (one % 32));
               bits[other / 32] |= uint64_t{1} << (2 * (other % 32));
               return false;
             });
  for (size_t word = 0; word * 32 < slots.size(); ++word) {
    hash = mix(hash, bits[word]);
  }
  return bits;
}

KernelFunction::Specialization *
KernelFunction::Shape::find(const Bits &bits, uint64_t hash) const {
  for (size_t probe = 0; probe < Slots; ++probe) {
    Specialization *one =
        known[(hash + probe) % Slots].load(std::memory_order_acquire);
    if (!one || one->bits == bits) {
      return one;
    }
  }
  return nullptr;
}

KernelFunction::Specialization *
KernelFunction::findListed(const Shape &shape, const Bits &bits) const {
  for (const auto &known : specializations) {
    if (known->shape == &shape && known->bits == bits) {
      return known.get();
    }
  }
  return nullptr;
}

KernelFunction::Specialization *KernelFunction::findKnown(const Device &device,
                                                          const Slots &slots) {
  std::lock_guard guard(lock);
  Shape *shape = findListedShape(hashOf(device, slots), device, slots);
  uint64_t hash = 0;
  return shape ? findListed(*shape, bitsOf(*shape, slots, hash)) : nullptr;
}

/// Until no other thread compiles for these bits of the shape.
Status KernelFunction::awaitOthers(std::unique_lock<std::mutex> &guard,
                                   Device &device, const Shape &shape,
                                   const Bits &bits) {
  auto isIt = [&](const auto &one) {
    return one.first == &shape && one.second == bits;
  };
  while (!compiled.wait_for(guard, Interrupt::Interval, [&] {
    return std::ranges::none_of(pending, isIt);
  })) {
    guard.unlock();
    if (int32_t code = device.plugin().interrupt().code()) {
      return interrupted(code, "another thread that compiles kernel '" +
                                   signature.function + "'");
    }
    guard.lock();
  }
  return Status();
}

Result<KernelFunction::Specialization *>
KernelFunction::specialize(const std::shared_ptr<Device> &device,
                           const Slots &slots, size_t given) {
  const uint64_t hash = hashOf(*device, slots);
  uint64_t bitsHash = 0;
  if (Shape *shape = findShape(hash, *device, slots)) [[likely]] {
    Bits bits = bitsOf(*shape, slots, bitsHash);
    if (Specialization *known = shape->find(bits, bitsHash)) [[likely]] {
      return known;
    }
  }
  std::unique_lock guard(lock);
  Shape *shape = findListedShape(hash, *device, slots);
  if (!shape) {
    guard.unlock();
    Result<std::unique_ptr<Shape>> made = makeShape(hash, device, slots, given);
    if (!made) {
      return made.takeStatus();
    }
    guard.lock();
    shape = findListedShape(hash, *device, slots);
    shape = shape ? shape : addShape(std::move(*made));
  }
  Bits bits = bitsOf(*shape, slots, bitsHash);
  if (Status s = awaitOthers(guard, *device, *shape, bits); !s.ok()) {
    return s;
  }
  if (Specialization *known = findListed(*shape, bits)) {
    return known; // another thread made it meanwhile
  }
  /// Others wait for it to end, however it does.
  struct Turn {
    KernelFunction &kernel;
    std::unique_lock<std::mutex> &guard;
    std::pair<const Shape *, Bits> entry;
    Turn(KernelFunction &kernel, std::unique_lock<std::mutex> &guard,
         std::pair<const Shape *, Bits> entry)
        : kernel(kernel), guard(guard), entry(entry) {
      kernel.pending.push_back(entry);
      guard.unlock();
    }
    ~Turn() {
      guard.lock();
      std::erase(kernel.pending, entry);
      kernel.compiled.notify_all();
    }
  };
  Result<std::unique_ptr<Specialization>> made = [&] {
    Turn turn(*this, guard, {shape, bits});
    return makeSpecialization(*shape, bits, slots);
  }();
  if (!made) {
    return made.takeStatus();
  }
  specializations.push_back(std::move(*made));
  Specialization *result = specializations.back().get();
  for (size_t probe = 0; probe < Shape::Slots; ++probe) {
    auto &slot = shape->known[(bitsHash + probe) % Shape::Slots];
    if (!slot.load(std::memory_order_relaxed)) {
      slot.store(result, std::memory_order_release);
      break;
    }
  }
  return result;
}

} // namespace tz::runtime
