//===- Host.cpp - the services that plugins call --------------------------===//
//
// What   The functions behind tz_host.
// Why    They are called from foreign code on any thread, so each one bounds
//        what it is given and lets no exception out.
//===----------------------------------------------------------------------===//
#include "runtime/loader/Host.h"

#include "runtime/cache/Cache.h"
#include "runtime/loader/Crash.h"

#include <cstdlib>

namespace tz::runtime {

namespace {

HostServices &self(void *ctx) { return *static_cast<HostServices *>(ctx); }

void hostLog(void *ctx, uint32_t level, tz_str component, tz_str text) {
  std::string who = self(ctx).plugin;
  if (component.size) {
    who += "/";
    who += view(component);
  }
  logMessage(level, who, view(text));
}

void hostFree(void *, void *p, size_t, size_t) { std::free(p); }

int32_t handOver(std::string_view from, void **data, size_t *size) {
  void *copy = std::malloc(std::max<size_t>(from.size(), 1));
  if (!copy) {
    return TZ_E_OUT_OF_MEMORY;
  }
  if (!from.empty()) {
    std::memcpy(copy, from.data(), from.size());
  }
  *data = copy;
  *size = from.size();
  return TZ_E_OK;
}

/// Each plugin has its own name space in the cache.
std::string cacheKey(void *ctx, tz_bytes key) {
  return "plugin:" + self(ctx).plugin + ":" +
         std::string(static_cast<const char *>(key.data), key.size);
}

int32_t hostCacheGet(void *ctx, tz_bytes key, void **data, size_t *size) {
  if (!self(ctx).cache || (key.size && !key.data)) {
    return TZ_E_NOT_FOUND;
  }
  try {
    std::optional<std::string> found = self(ctx).cache->get(cacheKey(ctx, key));
    return found ? handOver(*found, data, size) : int32_t(TZ_E_NOT_FOUND);
  } catch (...) {
    return TZ_E_OUT_OF_MEMORY;
  }
}

int32_t hostCachePut(void *ctx, tz_bytes key, tz_bytes value) {
  if (!self(ctx).cache || (key.size && !key.data) ||
      (value.size && !value.data)) {
    return TZ_E_UNAVAILABLE;
  }
  try {
    return self(ctx).cache->put(
               cacheKey(ctx, key),
               {static_cast<const char *>(value.data), value.size},
               "data of plugin " + self(ctx).plugin)
               ? TZ_E_OK
               : TZ_E_UNAVAILABLE;
  } catch (...) {
    return TZ_E_OUT_OF_MEMORY;
  }
}

int32_t hostIsCancelled(void *, uint64_t request) {
  return isCancelledRequest(request);
}

int32_t hostInterrupted(void *ctx) {
  ProgramCode code;
  try {
    return self(ctx).interrupt.code();
  } catch (...) {
    return TZ_E_INTERNAL;
  }
}

int32_t hostExecute(void *ctx, uint32_t count, void (*task)(void *),
                    void *data) {
  const tz_executor &executor = *self(ctx).executor;
  ProgramCode code;
  try {
    return executor.run(executor.ctx, count, task, data);
  } catch (...) {
    return TZ_E_INTERNAL;
  }
}

void hostSpan(void *ctx, uint64_t, tz_str name, uint64_t t0, uint64_t t1) {
  logMessage(3, self(ctx).plugin,
             std::string(view(name)) + ": " + std::to_string((t1 - t0) / 1000) +
                 " us");
}

uint32_t shownLevel() {
  static const uint32_t level = [] {
    std::optional<std::string> text = environment("TERRAZZO_LOG");
    if (!text) {
      return 1u;
    }
    static const char *const names[] = {"error", "warning", "info", "debug"};
    for (uint32_t i = 0; i < 4; ++i) {
      if (*text == names[i] || *text == std::to_string(i)) {
        return i;
      }
    }
    if (!text->empty()) {
      std::fprintf(stderr,
                   "terrazzo: warning: TERRAZZO_LOG=%s is no level; there are "
                   "error, warning, info and debug; 'warning' is taken\n",
                   text->c_str());
    }
    return 1u;
  }();
  return level;
}

} // namespace

HostServices::HostServices(std::string pluginName, Cache *sharedCache,
                           Interrupt interrupt, const tz_executor *executor)
    : plugin(std::move(pluginName)), cache(sharedCache), interrupt(interrupt),
      executor(executor) {
  host.struct_size = sizeof(host);
  host.ctx = this;
  host.abi_major = TZ_ABI_MAJOR;
  host.abi_minor = TZ_ABI_MINOR;
  host.product = str(productName());
  host.log = hostLog;
  host.free = hostFree;
  host.cache_get = hostCacheGet;
  host.cache_put = hostCachePut;
  host.is_cancelled = hostIsCancelled;
  host.span = hostSpan;
  host.interrupted = hostInterrupted;
  if (executor) {
    host.execute = hostExecute;
    host.executor_threads = executor->threads;
    host.executor_flags = executor->flags;
  }
}

std::string_view productName() { return "terrazzo " TERRAZZO_VERSION; }

std::optional<std::string> environment(const char *name) {
  const char *value = secure_getenv(name);
  return value ? std::optional<std::string>(value) : std::nullopt;
}

void checkLogLevel() { (void)shownLevel(); }

void logMessage(uint32_t level, std::string_view component,
                std::string_view text) {
  if (level > shownLevel()) {
    return;
  }
  static const char *const names[] = {"error", "warning", "info", "debug"};
  // One write per line, so that lines of two threads do not mix.
  std::string line = "terrazzo: ";
  line += names[std::min(level, 3u)];
  line += ": ";
  line += component;
  line += component.empty() ? "" : ": ";
  line += text;
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
}

} // namespace tz::runtime
