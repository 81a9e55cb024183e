//===- NativeModule.cpp - terrazzo._native --------------------------------===//
//
// What   The extension's functions: version, targets, and the types of a
//        launch.
// Why    What is not on the launch path is bound by nanobind.
//===----------------------------------------------------------------------===//
#include "compile/Code.h"
#include "launch/Function.h"
#include "launch/LaunchHooks.h"
#include "profile/Profiles.h"
#include "session/Devices.h"
#include "values/DlpackExchange.h"
#include "values/ElementTypes.h"

#include <terrazzo/unwritten.h>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

namespace nb = nanobind;
using namespace tz::python;

/// The facts of a device as a dictionary.
static nb::dict describeDevice(const std::string &target) {
  Session *session = Session::get();
  Device *device = session ? session->device(target) : nullptr;
  if (!device) {
    throw nb::python_error();
  }
  tz_device_facts facts{};
  facts.struct_size = sizeof(facts);
  if (!settle(tz_device_describe(device->handle(), &facts))) {
    throw nb::python_error();
  }
  nb::dict made;
  made["name"] = facts.name;
  made["plugin"] = facts.plugin;
  made["driver_version"] = facts.driver_version;
  made["target"] = facts.target;
  made["index"] = facts.index;
  made["compute_units"] = facts.compute_units;
  made["host_memory"] = facts.host_memory != 0;
  made["total_memory"] = facts.total_memory;
  return made;
}

static nb::list plugins() {
  Session *session = Session::get();
  if (!session) {
    throw nb::python_error();
  }
  nb::list made;
  for (size_t i = 0; i < tz_session_plugin_count(session->handle()); ++i) {
    tz_plugin_line line{};
    line.struct_size = sizeof(line);
    if (!settle(tz_session_plugin(session->handle(), i, &line))) {
      throw nb::python_error();
    }
    made.append(nb::make_tuple(line.name, line.version,
                               line.state == TZ_PLUGIN_USABLE, line.path,
                               line.reason));
  }
  return made;
}

NB_MODULE(_native, module) {
  nb::set_leak_warnings(false); // the session outlives the interpreter
  module.doc() = "Terrazzo's compiler and launcher; use the package terrazzo.";
  module.def(
      "version", [] { return tz_version(); },
      "The version of the library, as in '0.1.0'.");
  module.def("describe_device", describeDevice, nb::arg("target") = "",
             "Facts of the device of a target ('cpu', 'auto', ...).");
  module.def("plugins", plugins,
             "(name, version, usable, manifest, reason) of each plugin.");
  module.def(
      "_watch_launches", [] { everHooked = true; },
      "Launches look for hooks from now on.");
  module.def(
      "record_parts",
      [](std::string parts, std::string warps) {
        partsToRecord().records = std::move(parts);
        partsToRecord().warps = std::move(warps);
      },
      nb::arg("parts"), nb::arg("warps"),
      "What kernels that are launched from now on record of themselves, and in "
      "which warps, if their option `records` does not say it: lists as of the "
      "options `records` and `record_warps`.");
  module.def(
      "make_lines", [](bool makes) { partsToRecord().hasLines = makes; },
      nb::arg("makes"),
      "Whether kernels that are launched from now on have line tables, if "
      "neither their option `debug_level` nor the environment says it.");
  module.def(
      "_tell_logs",
      [](std::optional<uintptr_t> only) {
        std::optional<void *> stream;
        if (only) {
          stream = reinterpret_cast<void *>(*only);
        }
        if (!Session::tellLogs(stream)) {
          throw nb::python_error();
        }
      },
      nb::arg("only") = nb::none(),
      "Waits for the streams whose kernels print or assert, or for the one of "
      "that address, and tells what they said.");
  module.def(
      "know_memory",
      [](nb::handle ranges) {
        if (!knowMemory(ranges.ptr())) {
          throw nb::python_error();
        }
      },
      nb::arg("ranges"),
      "The memory that this thread's next launches in the interpreter may "
      "touch: (address, bytes, name) each.");
  module.def(
      "read_dlpack",
      [](nb::handle capsule) {
        PyObject *made = readCapsule(capsule.ptr());
        if (!made) {
          throw nb::python_error();
        }
        return nb::steal(made);
      },
      nb::arg("capsule"),
      "The array of a capsule of __dlpack__(), as an array interface.");
  addProfiles(module);
  addCodeType(module.ptr());
  module.attr("UNWRITTEN") = nb::make_tuple(uint64_t(TZ_UNWRITTEN_FACTOR),
                                            uint64_t(TZ_UNWRITTEN_MASK));
  if (!addElementTypes(module.ptr()) || !addFunctionType(module.ptr())) {
    throw nb::python_error();
  }
}
