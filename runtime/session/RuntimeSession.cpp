//===- RuntimeSession.cpp - what one embedding program shares -------------===//
//
// What   Construction in order: cache, plugins, compiler; devices at first use.
// Why    See RuntimeSession.h.
//===----------------------------------------------------------------------===//
#include "runtime/session/RuntimeSession.h"

namespace tz::runtime {

Session::Session(SessionOptions given) : options(std::move(given)) {
  print = options.print ? options.print : [](std::string_view line) {
    std::string text(line);
    text += '\n';
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  };
  if (options.useCache) {
    CacheOptions cache;
    cache.folder = options.cacheFolder;
    store = std::make_unique<Cache>(std::move(cache));
  }
  if (options.capture) {
    capturing = std::make_unique<Capturer>(*options.capture);
  }
  CompilerFactory factory = compilerFactory();
  const bool compiles = factory && options.useCompiler;
  options.plugins.wantsCompiler |= compiles;
  plugins = std::make_unique<Registry>(options.plugins, store.get());
  if (compiles) {
    service = factory(*plugins, store.get());
  }
}

Session::~Session() = default;

Result<std::shared_ptr<Device>> Session::device(std::string_view spec) {
  Result<ResolvedTarget> target = plugins->resolve(spec);
  if (!target) {
    return target.takeStatus();
  }
  std::lock_guard guard(lock);
  std::shared_ptr<Device> &known =
      devices[{target->plugin, target->deviceIndex, target->id}];
  if (!known) {
    Result<std::shared_ptr<Device>> opened =
        Device::open(*target->plugin, size_t(target->deviceIndex), target->id);
    if (!opened) {
      return opened.takeStatus();
    }
    known = *opened;
  }
  return known;
}

std::vector<std::shared_ptr<Device>> Session::openDevices() {
  std::lock_guard guard(lock);
  std::vector<std::shared_ptr<Device>> open;
  for (const auto &[key, device] : devices) {
    if (device) {
      open.push_back(device);
    }
  }
  return open;
}

Result<std::unique_ptr<Stream>> Session::stream(Device &device) {
  Result<std::unique_ptr<Stream>> made = device.createStream();
  if (made) {
    (*made)->setPrintSink(print);
  }
  return made;
}

void Session::report(uint32_t severity, std::string_view rendered) {
  if (options.diagnostics) {
    options.diagnostics(severity, rendered);
  } else if (severity <= TZ_SEVERITY_WARNING || severity == TZ_SEVERITY_NOTE) {
    std::fwrite(rendered.data(), 1, rendered.size(), stderr);
    if (rendered.empty() || rendered.back() != '\n') {
      std::fputc('\n', stderr);
    }
  }
}

} // namespace tz::runtime
