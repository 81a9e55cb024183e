//===- TargetInfo.cpp - tl.target_info ------------------------------------===//
//
// What   current_target and the questions of all known vendors, answered for
//        the target of the specialisation; the vendors' modules of tl.extra.
// Why    See KnownVendors.h.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/KnownVendors.h"
#include "core/frontend/evaluate/BuiltinRegistry.h"
#include "core/frontend/evaluate/Evaluator.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tz::frontend {

static constexpr const char *moduleName = "triton.language.target_info";

/// The number in a machine's name: "xy_90a" is 90.
static int64_t machineNumber(StringRef machine) {
  StringRef digits = machine.drop_until(isDigit).take_while(isDigit);
  int64_t number = 0;
  return digits.getAsInteger(10, number) ? 0 : number;
}

std::vector<KnownStage> knownStages(StringRef folder) {
  std::vector<KnownStage> made = {
      {"ttir", "neutral"}, {"ttgir", "simt"}, {"llir", "llvm"}};
  for (const KnownVendor &vendor : knownVendors()) {
    if (!folder.empty() && folder != vendor.folder) {
      continue;
    }
    SmallVector<StringRef> words;
    StringRef(vendor.stages).split(words, ' ', -1, /*KeepEmpty=*/false);
    for (StringRef word : words) {
      auto [name, ours] = word.split('=');
      made.push_back({name.str(), ours.str()});
    }
  }
  return made;
}

std::optional<bool> answerOf(StringRef target, StringRef question,
                             int64_t atLeast) {
  auto [name, machine] = target.split(':');
  for (const KnownVendor &vendor : knownVendors()) {
    const bool isOurs = name == vendor.folder;
    if (*vendor.atLeast && question == vendor.atLeast) {
      return isOurs && machineNumber(machine) >= atLeast;
    }
    for (const VendorQuestion &one : vendor.questions) {
      if (question == one.name) {
        SmallVector<StringRef> list;
        SplitString(one.machines, list, " ");
        return isOurs && (list.empty() || is_contained(list, machine));
      }
    }
  }
  return std::nullopt;
}

static void bindQuestions(Registry &r, const KnownVendor &vendor) {
  for (const VendorQuestion &question : vendor.questions) {
    StringRef name = question.name;
    r.addHost(moduleName, name, "", [name](BuiltinCall &call) {
      return Value::boolean(*answerOf(call.evaluator.targetName(), name));
    });
  }
  if (*vendor.atLeast) {
    StringRef name = vendor.atLeast;
    r.addHost(moduleName, name, "major, minor=0", [name](BuiltinCall &call) {
      auto major = call.integer(0), minor = call.integer(1);
      return major && minor
                 ? Value::boolean(*answerOf(call.evaluator.targetName(), name,
                                            *major * 10 + *minor))
                 : Value();
    });
  }
}

/// extra.<backend>.NAME(): so many for each warp of the launch. Kernels size
/// tiles by them, so they are the same numbers on every target.
static void bindCounts(Registry &r, StringRef module,
                       const KnownVendor &vendor) {
  SmallVector<StringRef> counts;
  SplitString(vendor.counts, counts, " ");
  for (StringRef count : counts) {
    auto [name, digits] = count.split('=');
    const int64_t factor = machineNumber(digits);
    r.add(module, name, "", [factor](BuiltinCall &call) {
      return Value::integer(factor * call.evaluator.numWarps());
    });
  }
}

/// The vendor's module of extra: the functions that all targets have, and
/// hints, which change no meaning where they do nothing.
static void bindExtra(Registry &r, const KnownVendor &vendor) {
  const std::string module =
      std::string("triton.language.extra.") + vendor.backend;
  r.makeModule(module)->members["libdevice"] =
      Binding{Value::module(r.makeModule("triton.language.extra.libdevice")),
              SourceLoc()};
  SmallVector<StringRef> hints;
  SplitString(vendor.hints, hints, " ");
  for (StringRef hint : hints) {
    r.add(module, hint, "", [](BuiltinCall &) { return Value::none(); });
  }
  bindCounts(r, module, vendor);
}

static Value currentTarget(BuiltinCall &call) {
  auto [name, machine] = StringRef(call.evaluator.targetName()).split(':');
  auto fields = std::make_shared<SequenceObject>();
  fields->className = "GPUTarget";
  fields->names = {"backend", "arch", "warp_size"};
  Value arch = Value::string(machine.str());
  Value backend = Value::string(name.str());
  Value warp = Value::integer(1);
  for (const KnownVendor &vendor : knownVendors()) {
    if (name == vendor.folder) {
      backend = Value::string(vendor.backend);
      warp = Value::integer(vendor.warpSize);
      arch = *vendor.atLeast ? Value::integer(machineNumber(machine)) : arch;
    }
  }
  fields->items = {backend, arch, warp};
  return Value::record(std::move(fields));
}

void bindTargets(Registry &r) {
  for (const KnownVendor &vendor : knownVendors()) {
    bindQuestions(r, vendor);
    bindExtra(r, vendor);
  }
  r.addHost(moduleName, "current_target", "", currentTarget);
}

} // namespace tz::frontend
