//===- VendorCompiler.cpp - calls of a plugin's compiler half -------------===//
//
// What   See VendorCompiler.h.
// Why    See VendorCompiler.h.
//===----------------------------------------------------------------------===//
#include "core/driver/vendor/VendorCompiler.h"

#include "core/driver/vendor/Background.h"
#include "core/driver/worker/Workers.h"
#include "runtime/loader/Crash.h"

#include "terrazzo/ir/Tile.h"
#include "terrazzo/optimizer/Features.h"

#include <sys/stat.h>

namespace tz::driver {

using namespace runtime;

static tz_str str(std::string_view text) { return {text.data(), text.size()}; }

static std::unique_lock<std::mutex>
serialize(const Plugin::CompilerHalf &half) {
  return half.serial ? std::unique_lock(*half.serial)
                     : std::unique_lock<std::mutex>();
}

static std::string valueText(const tz_kv &kv) {
  switch (kv.kind) {
  case TZ_KV_STR:
    return std::string(view(kv.str));
  case TZ_KV_F64:
    return std::to_string(kv.f64);
  default:
    return std::to_string(kv.i64);
  }
}

Result<TargetDescription> describeTarget(Plugin &plugin,
                                         const std::string &target) {
  Result<const Plugin::CompilerHalf *> opened = plugin.compiler();
  if (!opened) {
    return opened.takeStatus();
  }
  const Plugin::CompilerHalf &half = **opened;
  tz_target_desc d{};
  d.struct_size = sizeof(d);
  {
    auto guard = serialize(half);
    Status s = takeError(
        half.api->describe_target(half.object, str(target), &d), plugin.name());
    if (!s.ok()) {
      return s;
    }
  }
  TargetDescription result;
  result.id = view(d.id).empty() ? target : std::string(view(d.id));
  result.family = view(d.family);
  for (size_t i = 0; i < d.num_features; ++i) {
    if (!d.features[i]) {
      continue;
    }
    auto [name, isNew] = result.facts.features.insert(d.features[i]);
    if (isNew && !optimizer::isFeature(*name)) {
      result.unknownFeatures.push_back(*name);
    }
  }
  for (size_t i = 0; i < d.num_props; ++i) {
    result.facts.properties[std::string(view(d.props[i].key))] =
        valueText(d.props[i]);
  }
  auto number = [&](const char *key, uint64_t value) {
    if (value) {
      result.facts.properties.try_emplace(key, std::to_string(value));
    }
  };
  number("subgroup.size", d.subgroup_size);
  number("threads.per_block", d.max_threads_per_block);
  number("regs.per_thread", d.max_regs_per_thread);
  number("compute.units", d.compute_units);
  number("scratch.bytes", d.scratch_bytes);
  number("l2.bytes", d.l2_bytes);
  number("cluster.max", d.max_cluster);
  bool reads = d.num_ir == 0;
  for (size_t i = 0; i < d.num_ir; ++i) {
    const tz_ir_range &range = d.ir[i];
    reads |= view(range.format) == "tile" && range.min_major == tile::IrMajor &&
             range.max_major == tile::IrMajor &&
             range.min_minor <= tile::IrMinor &&
             range.max_minor >= tile::IrMinor;
  }
  if (!reads) {
    return Status(TZ_E_IR_VERSION,
                  "plugin '" + plugin.name() + "' does not read tile IR " +
                      std::to_string(tile::IrMajor) + "." +
                      std::to_string(tile::IrMinor) +
                      ", which this Terrazzo writes; install a matching "
                      "version of the plugin");
  }
  return result;
}

std::string unknownFeature(const std::string &name) {
  llvm::StringRef near = frontend::nearestName(name, optimizer::featureNames());
  return "unknown feature '" + name + "'" +
         (near.empty() ? "" : "; did you mean '" + near.str() + "'?");
}

static OptionInfo copyOption(const tz_option_info &from) {
  OptionInfo made;
  made.name = view(from.name);
  made.help = view(from.help);
  made.kind = from.kind;
  made.minimum = from.minimum;
  made.maximum = from.maximum;
  made.value = from.value;
  llvm::SmallVector<llvm::StringRef> choices;
  llvm::StringRef(view(from.choices)).split(choices, ',', -1, false);
  made.choices.assign(choices.begin(), choices.end());
  made.choice = view(from.choice);
  return made;
}

Result<std::optional<std::vector<OptionInfo>>>
listOptions(Plugin &plugin, const std::string &target) {
  Result<const Plugin::CompilerHalf *> opened = plugin.compiler();
  if (!opened) {
    return opened.takeStatus();
  }
  const Plugin::CompilerHalf &half = **opened;
  if (!half.api->list_options) {
    return std::optional<std::vector<OptionInfo>>();
  }
  const tz_option_info *const *list = nullptr;
  size_t count = 0;
  auto guard = serialize(half);
  Status s =
      takeError(half.api->list_options(half.object, str(target), &list, &count),
                plugin.name());
  if (!s.ok()) {
    return s;
  }
  std::vector<OptionInfo> options;
  if (count > 4096 || (count && !list)) {
    return Status(TZ_E_INTERNAL, plugin.name() + ": malformed list of options");
  }
  for (size_t i = 0; i < count; ++i) {
    if (list[i] &&
        list[i]->struct_size >= TZ_SIZE_UPTO(tz_option_info, choice)) {
      options.push_back(copyOption(*list[i]));
    }
  }
  return std::optional(std::move(options));
}

uint64_t nextRequestId() {
  static std::atomic<uint64_t> counter{1};
  return counter++;
}

namespace {

/// A request with everything it points to.
struct Request {
  Request(const CompileJob &job, std::string_view ir) {
    raw.struct_size = sizeof(raw);
    raw.request_id = nextRequestId();
    raw.target = str(job.target);
    raw.ir_format = str("tile");
    raw.ir_major = tile::IrMajor;
    raw.ir_minor = tile::IrMinor;
    raw.ir = {ir.data(), ir.size()};
    Sha256 hash = sha256(ir);
    std::memcpy(raw.ir_sha256, hash.data(), hash.size());
    for (const std::string &one : job.emit) {
      emit += (emit.empty() ? "" : ",") + one;
    }
    raw.emit = str(emit);
    raw.opt_level = 3;
    for (const KeyValue &option : job.options) {
      if (option.key == "opt_level" && option.i64 >= 0) {
        raw.opt_level = uint32_t(option.i64);
      } else if (option.key == "debug_level" && option.i64 >= 0) {
        raw.debug_level = uint32_t(option.i64);
      }
      tz_kv kv{};
      kv.key = str(option.key);
      kv.kind = option.kind;
      kv.i64 = option.i64;
      kv.f64 = option.f64;
      kv.str = str(option.str);
      options.push_back(kv);
    }
    raw.options = options.data();
    raw.num_options = options.size();
  }
  Request(const Request &) = delete;

  tz_compile_request raw{};
  std::string emit;
  std::vector<tz_kv> options;
};

} // namespace

static std::string describeOptions(const CompileJob &job) {
  std::string text = job.target;
  for (const KeyValue &option : job.options) {
    text += '\n' + option.key + '=' + std::to_string(option.kind) + ':' +
            std::to_string(option.i64) + ':' + std::to_string(option.f64) +
            ':' + option.str;
  }
  return text;
}

Result<std::string> fingerprint(Plugin &plugin, const CompileJob &job,
                                Cache *cache) {
  const std::string &file = plugin.description().compilerLibrary;
  std::string key;
  struct stat facts{};
  if (cache && !file.empty() && stat(file.c_str(), &facts) == 0) {
    key = "fingerprint/1\n" + plugin.name() + '\n' + plugin.version() + '\n' +
          file + '\n' + std::to_string(facts.st_size) + '\n' +
          std::to_string(facts.st_mtim.tv_sec) + '.' +
          std::to_string(facts.st_mtim.tv_nsec) + '\n' +
          std::to_string(facts.st_ino) + '\n' + describeOptions(job);
    if (std::optional<std::string> known = cache->get(key)) {
      return std::move(*known);
    }
  }
  Result<const Plugin::CompilerHalf *> opened = plugin.compiler();
  if (!opened) {
    return opened.takeStatus();
  }
  const Plugin::CompilerHalf &half = **opened;
  std::string result = plugin.name() + '\n' + plugin.version() + '\n' +
                       std::string(view(half.info->build_id));
  if (half.api->fingerprint) {
    Request request(job, {});
    uint8_t digest[32] = {};
    auto guard = serialize(half);
    Status s =
        takeError(half.api->fingerprint(half.object, &request.raw, digest),
                  plugin.name());
    if (!s.ok()) {
      return s;
    }
    Sha256 bytes;
    std::memcpy(bytes.data(), digest, bytes.size());
    result += '\n' + toHex(bytes);
  }
  if (!key.empty()) {
    cache->put(key, result, "fingerprint of " + plugin.name());
  }
  return result;
}

static void onDiagnostic(void *context, const tz_diagnostic *d) {
  (*static_cast<const VendorListener *>(context))(
      {d->severity,
       std::string(view(d->message)),
       {std::string(view(d->file)), d->line, d->col}});
}

static void listen(Request &request, const VendorListener &listener) {
  request.raw.diag_ctx = const_cast<VendorListener *>(&listener);
  request.raw.on_diagnostic = onDiagnostic;
}

Result<Artifact> compilePortable(Plugin &plugin, const CompileJob &job,
                                 std::string_view ir,
                                 const VendorListener &listener) {
  if (Workers *workers = Workers::of(plugin, ir.size())) {
    return workers->compile(job, ir, listener, plugin.interrupt());
  }
  return compileInBackground(plugin, job, ir, listener);
}

Status checkPortable(Plugin &plugin, const CompileJob &job, std::string_view ir,
                     const VendorListener &listener) {
  Workers *workers = Workers::of(plugin, ir.size());
  return workers ? workers->check(job, ir, listener, plugin.interrupt())
                 : checkHere(plugin, job, ir, listener);
}

Result<Artifact> compileHere(Plugin &plugin, const CompileJob &job,
                             std::string_view ir,
                             const VendorListener &listener, uint64_t id) {
  Result<const Plugin::CompilerHalf *> opened = plugin.compiler();
  if (!opened) {
    return opened.takeStatus();
  }
  const Plugin::CompilerHalf &half = **opened;
  Request request(job, ir);
  request.raw.request_id = id ? id : request.raw.request_id;
  listen(request, listener);
  tz_artifact *made = nullptr;
  Status s;
  PluginCall call(plugin.name(), plugin.description().path,
                  "compiled a kernel for " + job.target);
  {
    auto guard = serialize(half);
    s = takeError(half.api->compile(half.object, &request.raw, &made),
                  plugin.name());
  }
  if (!s.ok()) {
    return s;
  }
  if (!made) {
    return Status(TZ_E_INTERNAL,
                  "plugin '" + plugin.name() + "' answered no artifact");
  }
  Result<Artifact> copied = Artifact::copy(*made);
  if (made->release) {
    made->release(made);
  }
  if (!copied) {
    return copied.takeStatus().in("plugin '" + plugin.name() + "'");
  }
  return copied;
}

Status checkHere(Plugin &plugin, const CompileJob &job, std::string_view ir,
                 const VendorListener &listener) {
  Result<const Plugin::CompilerHalf *> opened = plugin.compiler();
  if (!opened) {
    return opened.takeStatus();
  }
  const Plugin::CompilerHalf &half = **opened;
  if (!half.api->check) {
    return Status(TZ_E_UNIMPLEMENTED,
                  "plugin '" + plugin.name() +
                      "' cannot say without compiling whether it supports a "
                      "kernel; compile it");
  }
  Request request(job, ir);
  listen(request, listener);
  PluginCall call(plugin.name(), plugin.description().path,
                  "checked a kernel for " + job.target);
  auto guard = serialize(half);
  return takeError(half.api->check(half.object, &request.raw), plugin.name());
}

} // namespace tz::driver
