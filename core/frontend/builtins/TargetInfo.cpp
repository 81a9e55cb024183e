//===- TargetInfo.cpp - tl.target_info ------------------------------------===//
//
// What   current_target and the questions of all known vendors, answered for
//        the target of the specialisation; the vendors' modules of tl.extra.
// Why    See KnownVendors.h.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/KnownVendors.h"
#include "core/frontend/builtins/Builtins.h"
#include "core/frontend/evaluate/Evaluator.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tz::frontend {

static constexpr const char *ModuleName = "triton.language.target_info";

static void bindQuestions(Registry &r, const KnownVendor &vendor) {
  for (const VendorQuestion &question : vendor.questions) {
    StringRef name = question.name;
    r.addHost(ModuleName, name, "", [name](BuiltinCall &call) {
      return Value::boolean(*answerOf(call.evaluator.targetName(), name));
    });
  }
  if (*vendor.atLeast) {
    StringRef name = vendor.atLeast;
    r.addHost(ModuleName, name, "major, minor=0", [name](BuiltinCall &call) {
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
    auto [inner, name] = hint.split('.');
    const std::string own = module + "." + inner.str();
    for (const std::string &place : {module, own}) {
      r.add(place, name, "", [](BuiltinCall &) { return Value::none(); });
    }
    r.makeModule(module)->members[inner] =
        Binding{Value::module(r.makeModule(own)), SourceLoc()};
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
      warp = Value::integer(warpSizeOf(vendor, machine));
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
  r.addHost(ModuleName, "current_target", "", currentTarget);
}

} // namespace tz::frontend
