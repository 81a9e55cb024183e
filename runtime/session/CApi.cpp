//===- CApi.cpp - terrazzo.h: versions, errors, sessions ------------------===//
//
// What   Library, tz_status_t and tz_session_t over the C++ objects.
// Why    See CApiHandles.h.
//===----------------------------------------------------------------------===//
#include "runtime/session/CApiHandles.h"

using namespace tz::runtime;

namespace {

Status readExecutor(const tz_executor &given, uint32_t hostThreads,
                    RegistryOptions &options) {
  tz_executor executor;
  if (!readStruct(&given, executor)) {
    return Status(TZ_E_INVALID_ARGUMENT, "executor.struct_size is not set");
  }
  if (!executor.run) {
    return isNull("executor.run");
  }
  if (executor.flags & ~uint32_t(TZ_EXECUTOR_CONCURRENT)) {
    return Status(TZ_E_INVALID_ARGUMENT,
                  "executor.flags has bits that have no meaning");
  }
  if (executor.threads == 0) {
    return Status(TZ_E_INVALID_ARGUMENT,
                  "executor.threads is 0; it is the number of threads that "
                  "work on one launch, the launching one included");
  }
  if (hostThreads) {
    return Status(TZ_E_INVALID_ARGUMENT,
                  "host_threads and executor are both given; "
                  "executor.threads says how many threads there are");
  }
  options.executor = std::make_shared<ProgramExecutor>(executor);
  return Status();
}

Result<SessionOptions> translate(const tz_session_options &o) {
  SessionOptions options;
  options.allowsNullArrays = o.flags & TZ_SESSION_NULL_ARRAYS;
  options.plugins.hostThreads = o.host_threads;
  options.plugins.simulators = o.flags & TZ_SESSION_SIMULATORS;
  options.plugins.readEnvironment = !(o.flags & TZ_SESSION_IGNORE_ENVIRONMENT);
  options.useCompiler = !(o.flags & TZ_SESSION_NO_COMPILER);
  if (o.num_plugin_folders && !o.plugin_folders) {
    return isNull("plugin_folders");
  }
  for (size_t i = 0; i < o.num_plugin_folders; ++i) {
    if (!o.plugin_folders[i]) {
      return isNull("a plugin folder");
    }
    options.plugins.searchFolders.emplace_back(o.plugin_folders[i]);
  }
  if (o.cache_folder) {
    options.cacheFolder = o.cache_folder;
    options.useCache = *o.cache_folder != 0;
  }
  options.plugins.catchFaults = (o.flags & TZ_SESSION_CATCH_FAULTS) &&
                                (!options.plugins.readEnvironment ||
                                 environment("TERRAZZO_CATCH_FAULTS") != "0");
  if (options.plugins.readEnvironment) {
    options.capture = captureOptions();
  }
  options.plugins.interrupt = {o.on_wait, o.ctx};
  if (o.executor) {
    Status s = readExecutor(*o.executor, o.host_threads, options.plugins);
    if (!s.ok()) {
      return s;
    }
  }
  void *ctx = o.ctx;
  if (auto fn = o.on_diagnostic) {
    options.diagnostics = [fn, ctx](uint32_t severity, std::string_view text) {
      fn(ctx, severity, std::string(text).c_str());
    };
  }
  if (auto fn = o.on_print) {
    options.print = [fn, ctx](std::string_view line) {
      fn(ctx, std::string(line).c_str());
    };
  }
  return options;
}

} // namespace

extern "C" {

const char *tz_version(void) { return productName().data() + 9; }
int32_t tz_has_compiler(void) { return compilerFactory() != nullptr; }

int32_t tz_status_code(tz_status_t s) {
  return s ? s->status.code() : int32_t(TZ_E_OK);
}
const char *tz_status_code_name(int32_t code) { return codeName(code); }
const char *tz_status_message(tz_status_t s) {
  return s ? s->status.message().c_str() : "";
}
const char *tz_status_fact(tz_status_t s, const char *key) {
  const std::string *fact = s && key ? s->status.fact(key) : nullptr;
  return fact ? fact->c_str() : nullptr;
}
void tz_status_release(tz_status_t s) {
  if (s && s != &exhausted()) {
    delete s;
  }
}

tz_status_t tz_session_create(const tz_session_options *options,
                              tz_session_t *out) {
  TZ_REQUIRE(out);
  return guarded([&] {
    tz_session_options o;
    readStruct(options, o);
    Result<SessionOptions> read = translate(o);
    if (!read) {
      return read.takeStatus();
    }
    watchForks();
    std::shared_ptr<ProgramExecutor> executor = read->plugins.executor;
    auto made = std::make_unique<tz_session_s>();
    made->session = std::make_unique<Session>(std::move(*read));
    if (executor) {
      executor->isOwned = true;
    }
    *out = made.release();
    return Status();
  });
}
void tz_session_destroy(tz_session_t session) { destroy(session); }

size_t tz_session_plugin_count(tz_session_t s) {
  return s ? s->session->registry().listing().size() : 0;
}
tz_status_t tz_session_plugin(tz_session_t session, size_t index,
                              tz_plugin_line *out) {
  TZ_REQUIRE(session);
  TZ_REQUIRE(out);
  return guarded([&] {
    const auto &lines = session->session->registry().listing();
    if (index >= lines.size()) {
      return Status(TZ_E_OUT_OF_RANGE,
                    "there are " + std::to_string(lines.size()) + " plugins");
    }
    const PluginListing &l = lines[index];
    writeStruct(out, tz_plugin_line{sizeof(tz_plugin_line), uint32_t(l.state),
                                    0, l.name.c_str(), l.vendor.c_str(),
                                    l.version.c_str(), l.path.c_str(),
                                    l.origin.c_str(), l.reason.c_str()});
    return Status();
  });
}

tz_status_t tz_session_set_hooks(tz_session_t session, const tz_hooks *hooks) {
  TZ_REQUIRE(session);
  return guarded([&] {
    session->session->hooks().set(hooks);
    return Status();
  });
}

} // extern "C"
