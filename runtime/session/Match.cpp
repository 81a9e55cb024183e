//===- Match.cpp - a launch of an artifact from a file --------------------===//
//
// What   Holds the arguments of a launch to what the artifact's code assumes
//        of them, and finds the code on the device.
// Why    There is no compiler to make another variant: what does not fit is
//        refused with the part of the argument that is wrong.
//===----------------------------------------------------------------------===//
#include "runtime/launch/PlanEvaluator.h"
#include "runtime/session/SpecializationTable.h"

#include <bit>

namespace tz::runtime {

namespace {
/// Holds a launch to what the code of an artifact assumes.
class Fit {
public:
  Fit(const Artifact &artifact, const Slots &slots)
      : artifact(artifact), slots(slots) {}

  /// What is wrong with the value of the next parameter; nothing if it fits.
  std::string check(const ArgumentSpec &expected,
                    const KernelParameter &parameter) {
    leaf = 0;
    return checkValue(expected, parameter);
  }
  /// Of the parameter's leaves, the wrong one; nothing: its form is wrong.
  std::optional<size_t> leaf;

private:
  std::string checkValue(const ArgumentSpec &expected,
                         const KernelParameter &parameter);
  std::string checkLeaf(const ArgumentSpec &expected,
                        const KernelParameter &parameter);
  bool sharesAddress() const;
  bool hasForm(const ArgumentSpec &expected, const tz_arg &mark) const;

  const Artifact &artifact;
  const Slots &slots;
  size_t at = 0; // the next slot
};
} // namespace

/// Is the pointer before the next slot another argument's, too?
bool Fit::sharesAddress() const {
  const tz_arg &pointer = slots[at - 1];
  for (size_t i = 0; i < slots.size(); ++i) {
    if (i != at - 1 && slots[i].type == TZ_TYPE_PTR &&
        slots[i].bits == pointer.bits && pointer.bits != 0) {
      return true;
    }
  }
  return false;
}

/// Does the mark say a tuple or descriptor of that form?
bool Fit::hasForm(const ArgumentSpec &expected, const tz_arg &mark) const {
  if (expected.kind == ArgumentSpec::Tuple) {
    return mark.type == TZ_TYPE_TUPLE &&
           mark.element == expected.items.size() * 2 + !expected.fields.empty();
  }
  uint64_t facts = expected.padsWithNaN ? TZ_PADDING_NAN : TZ_PADDING_ZERO;
  for (size_t i = 0; i < expected.block.size(); ++i) {
    facts |= uint64_t(std::countr_zero(expected.block[i])) << (8 * (i + 1));
  }
  return mark.type == TZ_TYPE_DESCRIPTOR &&
         mark.element == expected.block.size() && mark.bits == facts;
}

static std::string formOf(const ArgumentSpec &expected) {
  if (expected.kind == ArgumentSpec::Tuple) {
    return "a tuple of " + std::to_string(expected.items.size()) + " items";
  }
  std::string text = "a tensor descriptor of blocks [";
  for (size_t i = 0; i < expected.block.size(); ++i) {
    text += (i ? ", " : "") + std::to_string(expected.block[i]);
  }
  return text + (expected.padsWithNaN ? "] padded with NaN" : "]");
}

std::string Fit::checkValue(const ArgumentSpec &expected,
                            const KernelParameter &parameter) {
  if (expected.isLeaf()) {
    return checkLeaf(expected, parameter);
  }
  if (!hasForm(expected, slots[at++])) {
    leaf.reset();
    return "is not " + formOf(expected);
  }
  for (size_t i = 0; i < expected.items.size(); ++i) {
    if (!expected.fields.empty() && textOf(slots[at++]) != expected.fields[i]) {
      leaf.reset();
      return "has no '" + expected.fields[i] + "' at " + std::to_string(i);
    }
    if (std::string wrong = checkValue(expected.items[i], parameter);
        !wrong.empty()) {
      return wrong;
    }
  }
  return {};
}

std::string Fit::checkLeaf(const ArgumentSpec &expected,
                           const KernelParameter &parameter) {
  const tz_arg &arg = slots[at];
  if (expected.kind == ArgumentSpec::Runtime) {
    ++at;
    if (arg.type != expected.type ||
        (arg.type == TZ_TYPE_PTR && arg.element != expected.element)) {
      return std::string("is ") +
             (arg.type == TZ_TYPE_TUPLE        ? "a tuple"
              : arg.type == TZ_TYPE_DESCRIPTOR ? "a tensor descriptor"
                                               : typeName(arg.type)) +
             (arg.type == TZ_TYPE_PTR
                  ? std::string(" to ") + typeName(arg.element)
                  : std::string());
    }
    if (expected.equalsOne && !equalsOne(arg)) {
      return "is not 1";
    }
    if (arg.type == TZ_TYPE_PTR && !expected.sharesAddress && sharesAddress()) {
      return "is at the address of another argument";
    }
    if (expected.divisor && !divisibleBy(arg, expected.divisor)) {
      return "is no multiple of " + std::to_string(expected.divisor);
    }
    ++*leaf;
    return {};
  }
  KernelParameter constant = parameter;
  constant.isConstexpr = true;
  Result<ArgumentSpec> given = describe(constant, artifact.function, slots, at);
  if (!given) {
    return given.status().message();
  }
  if (!(*given == expected)) {
    return expected.kind == ArgumentSpec::Default
               ? "was left to its default; leave it out"
               : "has another value";
  }
  ++*leaf;
  return {};
}

/// Do these arguments fit what the artifact was compiled for?
Status KernelFunction::checkFit(const Slots &slots, size_t given) const {
  Fit fit(*fixedArtifact, slots);
  for (size_t i = 0; i < given; ++i) {
    const SpecializedParameter &p = fixedArtifact->parameters[open[i]];
    std::string wrong = fit.check(p.spec, signature.parameters[open[i]]);
    if (wrong.empty()) {
      continue;
    }
    ArgumentSpec spec = p.spec;
    std::vector<Leaf> leaves;
    addLeaves(leaves, spec, p.name, open[i]);
    return Status(TZ_E_FAILED_PRECONDITION,
                  "argument '" + (fit.leaf ? leaves[*fit.leaf].name : p.name) +
                      "' of kernel '" + signature.function + "' " + wrong +
                      "; the artifact was compiled for other arguments");
  }
  return Status();
}

Result<KernelFunction::Specialization *>
KernelFunction::match(const std::shared_ptr<Device> &device, const Slots &slots,
                      size_t given) {
  if (Status s = checkFit(slots, given); !s.ok()) {
    return s;
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
  made->kernel = this;
  made->artifact = fixedArtifact;
  std::vector<ArgumentSpec> arguments;
  for (const SpecializedParameter &parameter : fixedArtifact->parameters) {
    arguments.push_back(parameter.spec);
  }
  const std::vector<uint32_t> slotOfLeaf = slotsOfLeaves(arguments, given);
  for (uint32_t leaf : fixedArtifact->userLeaves) {
    if (slotOfLeaf[leaf] == NoSlot) {
      return Status(TZ_E_INVALID_ARGUMENT,
                    "parameter '" + fixedArtifact->leafNames()[leaf] +
                        "' is a run-time argument of the artifact and must be "
                        "given at the launch");
    }
    made->fromLaunch.push_back(slotOfLeaf[leaf]);
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
