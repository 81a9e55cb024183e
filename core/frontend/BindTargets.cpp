//===- BindTargets.cpp - tl.target_info -----------------------------------===//
//
// What   current_target and the questions of all known vendors, answered for
//        the target of the specialisation; the vendors' modules of tl.extra.
// Why    See KnownVendors.h.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/Builtins.h"
#include "core/frontend/Evaluator.h"
#include "core/frontend/KnownVendors.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tz::frontend {

static constexpr const char *moduleName = "triton.language.target_info";

/// "vendor:machine" of the target.
static std::pair<StringRef, StringRef> targetOf(const BuiltinCall &call) {
  return StringRef(call.evaluator.targetName()).split(':');
}

/// The number in a machine's name: "xy_90a" is 90.
static int64_t machineNumber(StringRef machine) {
  StringRef digits = machine.drop_until(isDigit).take_while(isDigit);
  int64_t number = 0;
  return digits.getAsInteger(10, number) ? 0 : number;
}

static void bindVendor(Registry &r, const KnownVendor &vendor) {
  StringRef folder = vendor.folder;
  for (const VendorQuestion &question : vendor.questions) {
    StringRef machines = question.machines;
    r.addHost(
        moduleName, question.name, "", [folder, machines](BuiltinCall &call) {
          auto [name, machine] = targetOf(call);
          SmallVector<StringRef> list;
          SplitString(machines, list, " ");
          return Value::boolean(name == folder &&
                                (list.empty() || is_contained(list, machine)));
        });
  }
  if (*vendor.atLeast) {
    r.addHost(moduleName, vendor.atLeast, "major, minor=0",
              [folder](BuiltinCall &call) {
                auto major = call.integer(0), minor = call.integer(1);
                auto [name, machine] = targetOf(call);
                int64_t number = machineNumber(machine);
                return major && minor
                           ? Value::boolean(name == folder &&
                                            number >= *major * 10 + *minor)
                           : Value();
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
}

static Value currentTarget(BuiltinCall &call) {
  auto [name, machine] = targetOf(call);
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
    bindVendor(r, vendor);
    bindExtra(r, vendor);
  }
  r.addHost(moduleName, "current_target", "", currentTarget);
}

} // namespace tz::frontend
