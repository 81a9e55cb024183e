//===- TargetsCommand.cpp - tz targets ------------------------------------===//
//
// What   The plugins that were found, their devices and code targets; with -v
//        every manifest that was looked at and why it is not used.
// Why    "Why is my plugin not there?" must have an answer on the screen.
//===----------------------------------------------------------------------===//
#include "core/driver/vendor/VendorCompiler.h"
#include "core/terminal/Terminal.h"
#include "core/tools/tz/Commands.h"
#include "runtime/device/RuntimeDevice.h"

#include <CLI/CLI.hpp>

namespace tz::tool {

using namespace runtime;

/// Returns whether there is a device.
static bool showDevices(Plugin &plugin, bool verbose) {
  if (!plugin.hasDevice()) {
    std::printf("    no device half: compiles only\n");
    return false;
  }
  Result<const Plugin::DeviceList *> list = plugin.devices();
  if (!list && list.status().code() == TZ_E_UNAVAILABLE) {
    // Usual: a machine without this vendor's driver.
    std::printf("    no device: %s\n", list.status().message().c_str());
    return false;
  }
  if (!list) {
    std::printf("    %s %s\n", styled(Style::Bad, "device half:").c_str(),
                list.status().message().c_str());
    return false;
  }
  if ((*list)->empty()) {
    std::printf("    no device in this machine\n");
  }
  for (size_t i = 0; i < (*list)->size(); ++i) {
    Result<std::shared_ptr<Device>> device = Device::open(plugin, i);
    if (!device) {
      std::printf("    %s:%zu  %s\n", plugin.name().c_str(), i,
                  device.status().message().c_str());
      continue;
    }
    std::printf("    %s:%zu  %s%s, %u compute units, compiles for %s\n",
                plugin.name().c_str(), i,
                (*device)->isSimulator() ? "simulator: " : "",
                (*device)->name().c_str(), (*device)->info().compute_units,
                (*device)->target().c_str());
    if (verbose && !(*device)->driverVersion().empty()) {
      std::printf("           driver %s\n", (*device)->driverVersion().c_str());
    }
  }
  return !(*list)->empty();
}

static void showOptions(const std::vector<driver::OptionInfo> &options) {
  for (const driver::OptionInfo &one : options) {
    std::string name = one.name + "=" + one.defaultText();
    std::printf("    option %-20s %s (%s)\n", name.c_str(), one.help.c_str(),
                one.range().c_str());
  }
}

/// The code targets, and their options if `verbose`.
static void showCode(Plugin &plugin, bool verbose) {
  if (!plugin.hasCompiler()) {
    std::printf("    no compiler half: runs artifacts only\n");
    return;
  }
  Result<const Plugin::CompilerHalf *> half = plugin.compiler();
  if (!half) {
    std::printf("    %s %s\n", styled(Style::Bad, "compiler half:").c_str(),
                half.status().message().c_str());
    return;
  }
  std::string list;
  for (const std::string &id : (*half)->targets) {
    list += (list.empty() ? "" : ", ") + id;
  }
  std::printf("    code: %s\n", list.c_str());
  if (!verbose || (*half)->targets.empty()) {
    return;
  }
  Result<driver::TargetDescription> about =
      driver::describeTarget(plugin, (*half)->targets.front());
  if (!about) {
    std::printf("    %s\n",
                styled(Style::Bad, about.status().message()).c_str());
    return;
  }
  Result<std::optional<std::vector<driver::OptionInfo>>> options =
      driver::listOptions(plugin, (*half)->targets.front());
  if (!options) {
    std::printf("    %s\n",
                styled(Style::Bad, options.status().message()).c_str());
  } else if (*options) {
    showOptions(**options);
  }
  for (const std::string &feature : about->unknownFeatures) {
    std::printf("    %s\n",
                styled(Style::Bad, driver::unknownFeature(feature)).c_str());
  }
}

static int showTargets(bool verbose, bool simulators) {
  Registry registry({.wantsCompiler = true, .simulators = simulators});
  std::vector<Plugin *> plugins = registry.plugins();
  for (Plugin *plugin : plugins) {
    std::printf("%s %s (%s)\n", styled(Style::Bold, plugin->name()).c_str(),
                plugin->version().c_str(),
                plugin->description().vendor.c_str());
    // What has a device here says what it compiles for; of what has none the
    // compiler is asked, since code for it can be made all the same.
    if (!showDevices(*plugin, verbose) || verbose) {
      showCode(*plugin, verbose);
    }
  }
  std::printf("%s (reference)\n    runs tile IR exactly and slowly, checks "
              "bounds and uninitialised reads\n",
              styled(Style::Bold, "interp").c_str());
  size_t unused = 0;
  for (const PluginListing &line : registry.listing()) {
    unused += line.state != PluginListing::Usable;
  }
  if (verbose) {
    std::puts("\noptions of every target");
    showOptions(driver::languageOptions());
    std::puts("\nmanifests, in the order of the search");
    for (const PluginListing &line : registry.listing()) {
      const char *states[] = {"usable", "rejected", "shadowed", "filtered"};
      const bool inPart =
          line.state == PluginListing::Usable && !line.reason.empty();
      std::printf("  %-9s %s  %s (%s)\n",
                  inPart ? "in part" : states[line.state],
                  line.name.empty() ? "?" : line.name.c_str(),
                  line.path.c_str(), line.origin.c_str());
      if (!line.reason.empty()) {
        std::printf("            %s\n",
                    styled(Style::Bad, line.reason).c_str());
      }
    }
    if (registry.listing().empty()) {
      std::puts("  none found");
    }
  } else if (unused) {
    std::printf("%zu more %s not used; 'tz targets -v' says why\n", unused,
                unused == 1 ? "plugin is" : "plugins are");
  }
  if (std::optional<std::string> chosen = environment("TERRAZZO_TARGET");
      chosen && !chosen->empty()) {
    Result<ResolvedTarget> target = registry.resolve("", true);
    if (!target) {
      return reportError(target.status().message());
    }
    std::printf("TERRAZZO_TARGET=%s chooses %s\n", chosen->c_str(),
                target->id.c_str());
  }
  return 0;
}

void addTargetsCommand(CLI::App &app, int &status) {
  CLI::App *command = app.add_subcommand(
      "targets", "List targets: plugins, devices, and why one is missing");
  command->footer(
      "Examples\n"
      "  tz targets        what can be used\n"
      "  tz targets -v     every manifest that was looked at, all code "
      "targets\n"
      "  tz targets --simulators   also devices that are simulated\n"
      "  TERRAZZO_PLUGIN_PATH=/opt/vendor tz targets -v\n"
      "The search order of manifests is in docs/reference/abi.md.");
  auto verbose = std::make_shared<bool>(false);
  command->add_flag("-v,--verbose", *verbose,
                    "Also code targets, and manifests that are not used");
  auto simulators = std::make_shared<bool>(false);
  command->add_flag("--simulators", *simulators,
                    "Also simulators of devices that are not here");
  command->callback([verbose, simulators, &status] {
    status = showTargets(*verbose, *simulators);
  });
}

} // namespace tz::tool
