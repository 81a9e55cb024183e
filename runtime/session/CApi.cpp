//===- CApi.cpp - terrazzo.h over the C++ objects -------------------------===//
//
// What   Handles, option structs, and one wrapper that lets no exception out.
// Why    All decisions are in the classes; here is only translation.
//===----------------------------------------------------------------------===//
#include "runtime/file/File.h"
#include "runtime/session/Fork.h"
#include "runtime/session/KernelFunction.h"

#include <terrazzo/terrazzo.h>

using namespace tz::runtime;

struct tz_status_s {
  Status status;
};
struct tz_session_s {
  std::unique_ptr<Session> session;
  std::mutex lock;
  std::map<Device *, std::unique_ptr<tz_device_s>> devices;
};
struct tz_device_s {
  Session *session;
  std::shared_ptr<Device> device;
};
struct tz_stream_s {
  Session *session;
  std::unique_ptr<Stream> stream;
};
struct tz_event_s {
  std::unique_ptr<Event> event;
};
struct tz_kernel_s {
  std::unique_ptr<KernelFunction> kernel;
};

namespace {

/// For when there is no memory to say that there is none.
tz_status_s &exhausted() {
  static tz_status_s status{Status(TZ_E_OUT_OF_MEMORY, "out of memory")};
  return status;
}

tz_status_t give(Status &&status) {
  if (status.ok()) [[likely]] {
    return nullptr;
  }
  auto *made = new (std::nothrow) tz_status_s{std::move(status)};
  return made ? made : &exhausted();
}

bool isForked() { return forkedWithSession.load(std::memory_order_relaxed); }

/// What a handle holds has threads and devices that a forked child lacks; to
/// destroy it there would wait for them.
template <typename Handle>
void destroy(Handle handle) {
  if (!isForked()) {
    delete handle;
  }
}

template <typename Body>
tz_status_t guarded(Body &&body) noexcept {
  try {
    if (isForked()) [[unlikely]] {
      return give(forkedStatus());
    }
    return give(body());
  } catch (const std::bad_alloc &) {
    return &exhausted();
  } catch (const std::exception &e) {
    try {
      return give(Status(TZ_E_INTERNAL, e.what()));
    } catch (...) {
      return &exhausted();
    }
  } catch (...) {
    return &exhausted();
  }
}

Status isNull(const char *what) {
  return Status(TZ_E_INVALID_ARGUMENT, std::string(what) + " is NULL");
}

/// The caller's struct as this library knows it; missing fields are zero.
template <typename T>
bool readStruct(const T *from, T &to) {
  to = T{};
  if (!from || from->struct_size < sizeof(size_t)) {
    return false;
  }
  std::memcpy(&to, from, std::min(sizeof(T), from->struct_size));
  return true;
}

template <typename T>
void writeStruct(T *out, T value) {
  value.struct_size = std::min(out->struct_size, sizeof(T));
  std::memcpy(static_cast<void *>(out), &value, value.struct_size);
}

#define TZ_REQUIRE(pointer)                                                    \
  if (!(pointer)) {                                                            \
    return give(isNull(#pointer));                                             \
  }

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

Result<KeyValue> option(const tz_named_arg &given) {
  KeyValue kv;
  kv.key = given.name ? given.name : "";
  const tz_arg &v = given.value;
  switch (v.type) {
  case TZ_TYPE_I1:
    kv.kind = TZ_KV_BOOL;
    kv.i64 = v.bits & 1;
    return kv;
  case TZ_TYPE_I32:
  case TZ_TYPE_I64:
  case TZ_TYPE_U32:
    kv.kind = TZ_KV_I64;
    kv.i64 = int64_t(v.bits);
    return kv;
  case TZ_TYPE_F64:
    kv.kind = TZ_KV_F64;
    std::memcpy(&kv.f64, &v.bits, 8);
    return kv;
  case TZ_TYPE_STRING:
    kv.kind = TZ_KV_STR;
    kv.str = v.bits ? reinterpret_cast<const char *>(v.bits) : "";
    return kv;
  default:
    return Status(TZ_E_INVALID_ARGUMENT,
                  "option '" + kv.key +
                      "' must be an integer, bool, fp64 or string");
  }
}

Result<KernelRequest> translate(const tz_kernel_source &s) {
  if (!s.path && !s.text) {
    return Status(TZ_E_INVALID_ARGUMENT,
                  "a kernel source needs a path or a text");
  }
  KernelRequest request;
  request.source.path = s.path ? s.path : "<string>";
  if (s.text) {
    request.source.text.assign(s.text, s.text_size);
  }
  request.source.function = s.function ? s.function : "";
  for (size_t i = 0; i < s.num_constants; ++i) {
    const tz_named_arg &c = s.constants[i];
    request.constants.push_back({c.name ? c.name : "", c.value});
  }
  for (size_t i = 0; i < s.num_options; ++i) {
    Result<KeyValue> kv = option(s.options[i]);
    if (!kv) {
      return kv.takeStatus();
    }
    request.options.push_back(std::move(*kv));
  }
  for (size_t i = 0; i < s.num_import_roots; ++i) {
    if (!s.import_roots[i]) {
      return isNull("an import root");
    }
    if (!isFolder(s.import_roots[i])) {
      return Status(TZ_E_NOT_FOUND, std::string("import root '") +
                                        s.import_roots[i] +
                                        "': no such folder");
    }
    request.source.importRoots.emplace_back(s.import_roots[i]);
  }
  for (size_t i = 0; i < s.num_globals; ++i) {
    const tz_global &g = s.globals[i];
    std::string name = g.name ? g.name : "";
    if (name.find('.') == std::string::npos || !g.expression) {
      return Status(TZ_E_INVALID_ARGUMENT,
                    "global '" + name +
                        "' needs a name package.module.name and an expression");
    }
    request.source.globals[std::move(name)] = g.expression;
  }
  if (s.names) {
    readStruct(s.names, request.source.names);
    if (!request.source.names.find || !s.text || !s.line || !s.scope) {
      return Status(TZ_E_INVALID_ARGUMENT,
                    "a source with names needs their find(), a text, its line "
                    "and a scope");
    }
    request.source.scope = s.scope;
    request.source.line = s.line;
  }
  return request;
}

/// That none of the addresses of `bytes` bytes is NULL.
Status checkRange(uint64_t bytes, std::initializer_list<uint64_t> addresses) {
  for (uint64_t address : addresses) {
    if (bytes && !address) {
      return Status(TZ_E_INVALID_ARGUMENT,
                    "the address of " + std::to_string(bytes) +
                        " bytes to copy or fill is NULL");
    }
  }
  return Status();
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

tz_status_t tz_device_open(tz_session_t session, const char *target,
                           tz_device_t *out) {
  TZ_REQUIRE(session);
  TZ_REQUIRE(out);
  return guarded([&] {
    Result<std::shared_ptr<Device>> device =
        session->session->device(target ? target : "");
    if (!device) {
      return device.takeStatus();
    }
    std::lock_guard guard(session->lock);
    auto &known = session->devices[device->get()];
    if (!known) {
      known = std::make_unique<tz_device_s>(
          tz_device_s{session->session.get(), *device});
    }
    *out = known.get();
    return Status();
  });
}

tz_status_t tz_device_describe(tz_device_t device, tz_device_facts *out) {
  TZ_REQUIRE(device);
  TZ_REQUIRE(out);
  return guarded([&] {
    const Device &d = *device->device;
    tz_device_facts facts{};
    facts.name = d.name().c_str();
    facts.plugin = d.plugin().name().c_str();
    facts.driver_version = d.driverVersion().c_str();
    facts.target = d.target().c_str();
    facts.index = uint32_t(d.index());
    facts.compute_units = d.info().compute_units;
    facts.host_memory = d.isHostMemory();
    facts.total_memory = d.info().total_mem;
    writeStruct(out, facts);
    return Status();
  });
}

tz_status_t tz_memory_alloc(tz_device_t device, uint64_t bytes,
                            uint64_t *address) {
  TZ_REQUIRE(device);
  TZ_REQUIRE(address);
  return guarded([&] {
    Result<tz_dptr> memory = device->device->allocate(bytes);
    if (memory) {
      *address = *memory;
    }
    return memory.takeStatus();
  });
}
tz_status_t tz_memory_free(tz_device_t device, uint64_t address) {
  TZ_REQUIRE(device);
  return guarded([&] { return device->device->free(address); });
}

static Status giveStream(tz_device_t device,
                         Result<std::unique_ptr<Stream>> &&made,
                         tz_stream_t *out) {
  if (!made) {
    return made.takeStatus();
  }
  (*made)->setPrintSink(device->session->printSink());
  *out = new tz_stream_s{device->session, std::move(*made)};
  return Status();
}
tz_status_t tz_stream_create(tz_device_t device, tz_stream_t *out) {
  TZ_REQUIRE(device);
  TZ_REQUIRE(out);
  return guarded(
      [&] { return giveStream(device, device->device->createStream(), out); });
}
tz_status_t tz_stream_wrap(tz_device_t device, void *native, tz_stream_t *out) {
  TZ_REQUIRE(device);
  TZ_REQUIRE(out);
  return guarded([&] {
    return giveStream(device, device->device->wrapStream(native), out);
  });
}
void tz_stream_destroy(tz_stream_t stream) { destroy(stream); }

tz_status_t tz_stream_sync(tz_stream_t stream) {
  TZ_REQUIRE(stream);
  return guarded([&] {
    Activity activity(stream->session->hooks(), TZ_ACTIVITY_SYNC, "");
    Status s = stream->stream->synchronize();
    activity.code = s.code();
    return s;
  });
}
tz_status_t tz_stream_poll(tz_stream_t stream) {
  TZ_REQUIRE(stream);
  return guarded([&] { return stream->stream->poll(); });
}
tz_status_t tz_stream_wait(tz_stream_t stream, tz_event_t event) {
  TZ_REQUIRE(stream);
  TZ_REQUIRE(event);
  return guarded([&] { return stream->stream->wait(*event->event); });
}
tz_status_t tz_stream_cancel(tz_stream_t stream) {
  TZ_REQUIRE(stream);
  return guarded([&] { return stream->stream->cancel(); });
}
tz_status_t tz_stream_set_timeout(tz_stream_t stream, uint64_t ns) {
  TZ_REQUIRE(stream);
  return guarded([&] {
    stream->stream->setTimeout(ns);
    return Status();
  });
}
tz_status_t tz_stream_know_memory(tz_stream_t stream,
                                  const tz_memory_range *ranges,
                                  size_t num_ranges) {
  TZ_REQUIRE(stream);
  if (num_ranges && !ranges) {
    return give(isNull("ranges"));
  }
  return guarded([&] {
    stream->stream->knowMemory({ranges, num_ranges});
    return Status();
  });
}

tz_status_t tz_copy_in(tz_stream_t stream, uint64_t to, const void *from,
                       uint64_t bytes) {
  TZ_REQUIRE(stream);
  return guarded([&] {
    const auto host = reinterpret_cast<uintptr_t>(from);
    Status s = checkRange(bytes, {to, host});
    return s.ok()
               ? stream->stream->copy(to, host, bytes, TZ_COPY_HOST_TO_DEVICE)
               : std::move(s);
  });
}
tz_status_t tz_copy_out(tz_stream_t stream, void *to, uint64_t from,
                        uint64_t bytes) {
  TZ_REQUIRE(stream);
  return guarded([&] {
    const auto host = reinterpret_cast<uintptr_t>(to);
    Status s = checkRange(bytes, {host, from});
    return s.ok()
               ? stream->stream->copy(host, from, bytes, TZ_COPY_DEVICE_TO_HOST)
               : std::move(s);
  });
}
tz_status_t tz_copy(tz_stream_t stream, uint64_t to, uint64_t from,
                    uint64_t bytes) {
  TZ_REQUIRE(stream);
  return guarded([&] {
    Status s = checkRange(bytes, {to, from});
    return s.ok()
               ? stream->stream->copy(to, from, bytes, TZ_COPY_DEVICE_TO_DEVICE)
               : std::move(s);
  });
}
tz_status_t tz_fill(tz_stream_t stream, uint64_t to, uint64_t bytes,
                    uint32_t pattern, uint32_t pattern_bytes) {
  TZ_REQUIRE(stream);
  return guarded([&] {
    Status s = checkRange(bytes, {to});
    return s.ok() ? stream->stream->fill(to, bytes, pattern, pattern_bytes)
                  : std::move(s);
  });
}

tz_status_t tz_event_create(tz_device_t device, tz_event_t *out) {
  TZ_REQUIRE(device);
  TZ_REQUIRE(out);
  return guarded([&] {
    Result<std::unique_ptr<Event>> event = device->device->createEvent(true);
    if (event) {
      *out = new tz_event_s{std::move(*event)};
    }
    return event.takeStatus();
  });
}
void tz_event_destroy(tz_event_t event) { destroy(event); }
tz_status_t tz_event_record(tz_event_t event, tz_stream_t stream) {
  TZ_REQUIRE(event);
  TZ_REQUIRE(stream);
  return guarded([&] { return event->event->record(*stream->stream); });
}
tz_status_t tz_event_query(tz_event_t event, int32_t *done) {
  TZ_REQUIRE(event);
  TZ_REQUIRE(done);
  return guarded([&] {
    Result<bool> passed = event->event->query();
    if (passed) {
      *done = *passed;
    }
    return passed.takeStatus();
  });
}
tz_status_t tz_event_sync(tz_event_t event, uint64_t timeout_ns) {
  TZ_REQUIRE(event);
  return guarded([&] { return event->event->synchronize(timeout_ns); });
}
tz_status_t tz_event_elapsed_ns(tz_event_t start, tz_event_t stop,
                                uint64_t *out) {
  TZ_REQUIRE(start);
  TZ_REQUIRE(stop);
  TZ_REQUIRE(out);
  return guarded([&] {
    Result<uint64_t> ns = start->event->elapsedNs(*stop->event);
    if (ns) {
      *out = *ns;
    }
    return ns.takeStatus();
  });
}

tz_status_t tz_kernel_load(tz_session_t session, const tz_kernel_source *source,
                           tz_kernel_t *out) {
  TZ_REQUIRE(session);
  TZ_REQUIRE(source);
  TZ_REQUIRE(out);
  return guarded([&] {
    tz_kernel_source s;
    readStruct(source, s);
    if ((s.num_constants && !s.constants) || (s.num_options && !s.options)) {
      return isNull("constants or options");
    }
    if ((s.num_import_roots && !s.import_roots) ||
        (s.num_globals && !s.globals)) {
      return isNull("import_roots or globals");
    }
    Result<KernelRequest> request = translate(s);
    if (!request) {
      return request.takeStatus();
    }
    Result<std::unique_ptr<KernelFunction>> kernel =
        KernelFunction::load(*session->session, std::move(*request));
    if (kernel) {
      *out = new tz_kernel_s{std::move(*kernel)};
    }
    return kernel.takeStatus();
  });
}
void tz_kernel_destroy(tz_kernel_t kernel) { destroy(kernel); }

size_t tz_kernel_parameter_count(tz_kernel_t k) {
  return k ? k->kernel->openParameters().size() : 0;
}
const char *tz_kernel_parameter_name(tz_kernel_t k, size_t index) {
  return k && index < k->kernel->openParameters().size()
             ? k->kernel->openParameters()[index].c_str()
             : nullptr;
}

tz_status_t tz_kernel_launch(tz_kernel_t kernel, tz_stream_t stream,
                             const int64_t grid[3], const tz_arg *args,
                             size_t num_args) {
  TZ_REQUIRE(kernel);
  TZ_REQUIRE(stream);
  TZ_REQUIRE(grid);
  if (num_args && !args) {
    return give(isNull("args"));
  }
  return guarded([&] {
    return kernel->kernel->launch(*stream->stream, {grid[0], grid[1], grid[2]},
                                  {args, num_args});
  });
}
tz_status_t tz_kernel_prepare(tz_kernel_t kernel, tz_device_t device,
                              const tz_arg *args, size_t num_args) {
  TZ_REQUIRE(kernel);
  TZ_REQUIRE(device);
  if (num_args && !args) {
    return give(isNull("args"));
  }
  return guarded([&] {
    return kernel->kernel->compile(device->device, {args, num_args})
        .takeStatus();
  });
}
tz_status_t tz_kernel_save(tz_kernel_t kernel, tz_device_t device,
                           const tz_arg *args, size_t num_args,
                           const char *path) {
  TZ_REQUIRE(kernel);
  TZ_REQUIRE(device);
  TZ_REQUIRE(path);
  if (num_args && !args) {
    return give(isNull("args"));
  }
  return guarded([&] {
    Result<std::shared_ptr<const Artifact>> code =
        kernel->kernel->compileAhead(device->device, {args, num_args});
    if (!code) {
      return code.takeStatus();
    }
    return replaceFile(path, (*code)->write());
  });
}

// A tz_code_t is a Code of its kernel's.
static Code *codeOf(tz_code_t code) { return reinterpret_cast<Code *>(code); }

using GetCode = Result<Code *> (KernelFunction::*)(
    const std::shared_ptr<Device> &, std::span<const tz_arg>);

static tz_status_t giveCode(GetCode get, tz_kernel_t kernel, tz_device_t device,
                            const tz_arg *args, size_t num_args,
                            tz_code_t *out) {
  TZ_REQUIRE(kernel);
  TZ_REQUIRE(device);
  TZ_REQUIRE(out);
  if (num_args && !args) {
    return give(isNull("args"));
  }
  return guarded([&] {
    Result<Code *> code =
        ((*kernel->kernel).*get)(device->device, {args, num_args});
    if (code) {
      *out = reinterpret_cast<tz_code_t>(*code);
    }
    return code.takeStatus();
  });
}

tz_status_t tz_kernel_compile(tz_kernel_t kernel, tz_device_t device,
                              const tz_arg *args, size_t num_args,
                              tz_code_t *out) {
  return giveCode(&KernelFunction::compile, kernel, device, args, num_args,
                  out);
}
tz_status_t tz_kernel_compile_for(tz_kernel_t kernel, const char *target,
                                  const tz_arg *args, size_t num_args,
                                  tz_code_t *out) {
  TZ_REQUIRE(kernel);
  TZ_REQUIRE(target);
  TZ_REQUIRE(out);
  if (num_args && !args) {
    return give(isNull("args"));
  }
  return guarded([&] {
    Result<Code *> code = kernel->kernel->compileFor(target, {args, num_args});
    if (code) {
      *out = reinterpret_cast<tz_code_t>(*code);
    }
    return code.takeStatus();
  });
}
tz_status_t tz_kernel_find_code(tz_kernel_t kernel, tz_device_t device,
                                const tz_arg *args, size_t num_args,
                                tz_code_t *out) {
  return giveCode(&KernelFunction::findCode, kernel, device, args, num_args,
                  out);
}
tz_status_t tz_kernel_launch_code(tz_kernel_t kernel, tz_stream_t stream,
                                  const int64_t grid[3], const tz_arg *args,
                                  size_t num_args, tz_code_t *out) {
  TZ_REQUIRE(kernel);
  TZ_REQUIRE(stream);
  TZ_REQUIRE(grid);
  TZ_REQUIRE(out);
  if (num_args && !args) {
    return give(isNull("args"));
  }
  return guarded([&] {
    Code *used = nullptr;
    Status s = kernel->kernel->launch(
        *stream->stream, {grid[0], grid[1], grid[2]}, {args, num_args}, &used);
    if (s.ok()) {
      *out = reinterpret_cast<tz_code_t>(used);
    }
    return s;
  });
}

tz_status_t tz_code_describe(tz_code_t code, tz_code_facts *out) {
  TZ_REQUIRE(code);
  TZ_REQUIRE(out);
  return guarded([&] {
    const Artifact &artifact = codeOf(code)->compiled();
    const Variant &variant = artifact.variants.front();
    tz_code_facts facts{};
    facts.function = artifact.function.c_str();
    facts.plugin = artifact.plugin.c_str();
    facts.target = artifact.target.c_str();
    facts.hash = codeOf(code)->hash().c_str();
    facts.registers = variant.regs;
    facts.spill_bytes = variant.spillBytes;
    facts.threads = 1;
    for (int i = 0; i < 3; ++i) {
      facts.threads *= std::max(variant.block[i], 1u);
      facts.cluster[i] = std::max(variant.cluster[i], 1u);
    }
    facts.variants = uint32_t(artifact.variants.size());
    facts.shared_bytes = variant.staticScratch + variant.dynScratch;
    facts.has_log = !artifact.logSites.empty();
    writeStruct(out, facts);
    return Status();
  });
}
tz_status_t tz_code_pointer_use(tz_code_t code, size_t argument,
                                tz_pointer_use *out) {
  TZ_REQUIRE(code);
  TZ_REQUIRE(out);
  return guarded([&] {
    const PointerUse *use = codeOf(code)->use(argument);
    if (!use) {
      return Status(TZ_E_NOT_FOUND, "it is not known what is done through "
                                    "argument " +
                                        std::to_string(argument));
    }
    tz_pointer_use facts{};
    facts.is_read = use->isRead;
    facts.is_written = use->isWritten;
    facts.has_constant_steps = use->steps.has_value();
    if (use->steps) {
      facts.steps = use->steps->data();
      facts.num_steps = uint32_t(use->steps->size());
    }
    writeStruct(out, facts);
    return Status();
  });
}
tz_status_t tz_code_stage(tz_code_t code, const char *stage, const char **bytes,
                          size_t *size) {
  TZ_REQUIRE(code);
  TZ_REQUIRE(stage);
  TZ_REQUIRE(bytes);
  TZ_REQUIRE(size);
  return guarded([&] {
    Result<std::string_view> text = codeOf(code)->stage(stage);
    if (text) {
      *bytes = text->data();
      *size = text->size();
    }
    return text.takeStatus();
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
