//===- RuntimeSession.h - what one embedding program shares ---------------===//
//
// What   Registry, cache, compiler (if this library has one), opened devices,
//        where diagnostics and prints go.
// Why    Programs may hold several sessions with different settings; nothing of
//        this is global.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_SESSION_RUNTIMESESSION_H
#define TERRAZZO_RUNTIME_SESSION_RUNTIMESESSION_H

#include "runtime/cache/Cache.h"
#include "runtime/capture/Capturer.h"
#include "runtime/device/RuntimeDevice.h"
#include "runtime/profile/ProfileHooks.h"
#include "runtime/profile/Recorder.h"
#include "runtime/session/CompilerService.h"

#include <map>
#include <tuple>

namespace tz::runtime {

struct SessionOptions {
  RegistryOptions plugins;
  std::string cacheFolder; // empty: the usual
  bool useCache = true, useCompiler = true;
  /// Pointers that a kernel follows may be 0.
  bool allowsNullArrays = true;
  std::function<void(uint32_t, std::string_view)> diagnostics; // empty: stderr
  PrintSink print;                                             // empty: stdout
  std::optional<CaptureOptions> capture;
};

/// [thread: any]
class Session final : public DiagnosticSink {
public:
  explicit Session(SessionOptions options);
  ~Session() override;

  Registry &registry() { return *plugins; }
  Cache *cache() { return store.get(); }
  ProfileHooks &hooks() { return profile; }
  Recorder &recorder() { return recorderOfAll; }
  /// Null: no launch is captured.
  Capturer *capturer() { return capturing.get(); }
  /// Null: this library has none, or the session must not compile.
  CompilerService *compiler() { return service.get(); }
  bool mayCompile() const { return options.useCompiler; }
  bool allowsNullArrays() const { return options.allowsNullArrays; }

  /// Kernels for it are compiled for the code target that `target` names, else
  /// for the device's own. One object for equal answers.
  Result<std::shared_ptr<Device>> device(std::string_view target);
  Result<std::unique_ptr<Stream>> stream(Device &device);
  std::vector<std::shared_ptr<Device>> openDevices();
  void report(uint32_t severity, std::string_view rendered) override;
  const PrintSink &printSink() const { return print; }

private:
  SessionOptions options;
  PrintSink print;
  ProfileHooks profile;
  std::unique_ptr<Cache> store;
  std::unique_ptr<Registry> plugins;
  std::unique_ptr<CompilerService> service;
  std::unique_ptr<Capturer> capturing;
  std::mutex lock;
  /// By plugin, number and code target: one device may be open for several.
  std::map<std::tuple<Plugin *, int, std::string>, std::shared_ptr<Device>>
      devices;
  Recorder recorderOfAll{profile}; // ends before what it asks
};

} // namespace tz::runtime

#endif
