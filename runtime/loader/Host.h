//===- Host.h - the services that plugins call ----------------------------===//
//
// What   A tz_host for one plugin: log, compile cache, interrupts, threads.
// Why    Plugins write nothing to stdout and own no cache folder; one place
//        decides what is shown and what is kept.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_LOADER_HOST_H
#define TERRAZZO_RUNTIME_LOADER_HOST_H

#include "runtime/loader/Interrupt.h"

#include <terrazzo/terrazzo.h>

#include <memory>

namespace tz::runtime {

class Cache;

struct HostServices {
  /// `cache` may be null. `executor` outlives this object.
  HostServices(std::string plugin, Cache *cache, Interrupt interrupt = {},
               const tz_executor *executor = nullptr);
  const tz_host *table() const { return &host; }

  std::string plugin;
  Cache *cache;
  const Interrupt interrupt;
  const tz_executor *const executor; // of the program; null: it has none

private:
  tz_host host{};
};

/// "terrazzo 0.1.0"
std::string_view productName();
/// Value of an environment variable; nothing when the process runs with raised
/// rights.
std::optional<std::string> environment(const char *name);
/// The folder of the file that holds this code: a library or the program.
std::string ownFolder();
/// Warns, once a process, of a TERRAZZO_LOG that is no level.
void checkLogLevel();
/// Level 0 error .. 3 debug; shown on stderr up to TERRAZZO_LOG (default 1).
void logMessage(uint32_t level, std::string_view component,
                std::string_view text);

} // namespace tz::runtime

#endif
