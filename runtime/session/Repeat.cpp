//===- Repeat.cpp - launches like one before ------------------------------===//
//
// What   Whether the arguments of a launch are such that known code is theirs,
//        by one row of masks a slot; the last codes of a kernel are asked first.
// Why    Nearly every launch has the types, constants and divisibility of one
//        before it. It is found here without hashing, in as many instructions
//        as the comparison needs.
//===----------------------------------------------------------------------===//
#include "runtime/launch/PlanEvaluator.h"
#include "runtime/session/Addresses.h"
#include "runtime/session/SpecializationTable.h"

#include <bit>

namespace tz::runtime {

/// Type and element in one word.
static uint64_t kindOf(const tz_arg &arg) {
  return uint64_t(arg.element) << 32 | arg.type;
}

/// The bits that count in a value of the type.
static uint64_t valueMask(uint32_t type) {
  if (type == TZ_TYPE_I1) {
    return 1;
  }
  return isInteger(type) ? ~uint64_t{0} >> (64 - 8 * typeSize(type))
                         : ~uint64_t{0};
}

void KernelFunction::Specialization::prepareRepeats(
    const KernelFunction &kernel, const Slots &slots) {
  for (size_t i = 0; i < slots.size(); ++i) {
    const tz_arg &slot = slots[i];
    const SpecializationRule::Leaf &rule = shape->rule[i];
    const uint64_t answer = bits[i / 32] >> (2 * (i % 32)) & 3;
    if (slot.type >= TZ_TYPE_DESCRIPTOR ||
        (slot.type == TZ_TYPE_PTR && (answer & 1)) ||
        (rule.divisor & (rule.divisor - 1))) {
      rows.clear();
      return; // tuples, descriptors, arrays given twice
    }
    Row row{kindOf(slot), 0, 0, 0, true, true};
    if (slot.type == TZ_TYPE_STRING) {
      texts.emplace_back(uint32_t(i), textOf(slot));
    } else if (kernel.isConstant(slots, i)) {
      row.mask = valueMask(slot.type);
      row.value = slot.bits & row.mask;
    } else {
      if (rule.foldsOne && isInteger(slot.type)) {
        row.mask = valueMask(slot.type);
        row.value = 1;
        row.equals = answer & 1;
      }
      if (slot.type == TZ_TYPE_PTR) { // a NULL array is looked at each time
        row.mask = ~uint64_t{0};
        row.equals = slot.bits == 0;
      }
      if (rule.divisor && (isInteger(slot.type) || slot.type == TZ_TYPE_PTR)) {
        row.low = rule.divisor - 1;
        row.divides = answer & 2;
      }
    }
    rows.push_back(row);
  }
}

bool KernelFunction::Specialization::serves(
    const Device &device, std::span<const tz_arg> args) const {
  if (rows.size() != args.size() || shape->device.get() != &device) {
    return false;
  }
  const tz_arg *arg = args.data();
  for (const Row &row : rows) {
    const uint64_t bits = arg->bits;
    if ((kindOf(*arg) != row.kind) |
        (((bits & row.mask) == row.value) != row.equals) |
        (((bits & row.low) == 0) != row.divides)) {
      return false;
    }
    ++arg;
  }
  for (const auto &[slot, text] : texts) {
    if (textOf(args[slot]) != text) {
      return false;
    }
  }
  return !findShared(args.data(), shape->pointers,
                     [](uint32_t, uint32_t) { return true; });
}

void KernelFunction::remember(Specialization &known) {
  if (!known.rows.empty()) {
    uint32_t next = nextRecent.fetch_add(1, std::memory_order_relaxed);
    recent[next % recent.size()].store(&known, std::memory_order_release);
  }
}

KernelFunction::Specialization *
KernelFunction::findRecent(const Device &device,
                           std::span<const tz_arg> args) const {
  for (const auto &entry : recent) {
    Specialization *known = entry.load(std::memory_order_acquire);
    if (!known) {
      return nullptr;
    }
    if (known->serves(device, args)) {
      return known;
    }
  }
  return nullptr;
}

} // namespace tz::runtime
