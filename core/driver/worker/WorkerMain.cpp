//===- WorkerMain.cpp - terrazzo-worker, a compiler in its own process ----===//
//
// What   terrazzo-worker MANIFEST PLUGIN CACHE SCRATCH MEBIBYTES, started by
//        Workers.cpp with a socket as descriptor 3: opens the plugin's compiler
//        half, then answers one request after the other until the socket
//        closes. SCRATCH, its folder of temporary files, goes with it.
// Why    Whatever ends this process ends no more than one compilation.
//===----------------------------------------------------------------------===//
#include "core/driver/vendor/VendorCompiler.h"
#include "core/driver/worker/Channel.h"
#include "runtime/cache/Cache.h"

#include <atomic>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <malloc.h>
#include <poll.h>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

using namespace tz;
using namespace tz::driver;

namespace {

constexpr int Socket = 3;

std::atomic<bool> isBusy = false;
const char *scratch = ""; // may be none

/// The host removes it too, but a host that is gone cannot.
void removeScratch() {
  std::error_code ignored;
  if (*scratch) {
    std::filesystem::remove_all(scratch, ignored);
  }
}

/// A host that is gone wants nothing any more, not even of an assembler that
/// was started. Between requests main() sees the end by itself, and leaves
/// nothing behind.
void endWithHost() {
  std::thread([] {
    pollfd one{Socket, POLLRDHUP, 0};
    while (poll(&one, 1, -1) <= 0) {
    }
    if (isBusy) {
      removeScratch();
      (void)kill(0, SIGKILL);
    }
  }).detach();
}

void limit(const char *mebibytes) {
  rlimit none{0, 0};
  (void)setrlimit(RLIMIT_CORE, &none);
#if !defined(__SANITIZE_ADDRESS__) && !__has_feature(address_sanitizer) &&     \
    !__has_feature(thread_sanitizer)
  rlim_t bytes = std::strtoull(mebibytes, nullptr, 10) << 20;
  rlimit memory{bytes, bytes};
  (void)setrlimit(RLIMIT_AS, &memory);
#endif
}

/// What a kernel needed the next one needs, too: it stays with the process.
void keepMemory() {
  (void)mallopt(M_TRIM_THRESHOLD, 256 << 20);
  (void)mallopt(M_MMAP_THRESHOLD, 32 << 20);
  (void)mallopt(M_TOP_PAD, 16 << 20);
}

void answer(Word word, std::string content) {
  if (Channel(Socket).send({word, std::move(content)}, {}) !=
      Channel::Outcome::Fine) {
    (void)kill(0, SIGKILL);
  }
}

void serve(runtime::Plugin &plugin, const Frame &frame) {
  runtime::CompileJob job;
  std::string ir;
  if (!unpackRequest(frame.content, job, ir)) {
    return answer(Word::Failed,
                  packStatus({TZ_E_INTERNAL, "malformed request"}));
  }
  VendorListener listener = [](const VendorMessage &message) {
    answer(Word::Diagnostic, packMessage(message));
  };
  if (frame.word == Word::Check) {
    runtime::Status status = checkHere(plugin, job, ir, listener);
    return status.ok() ? answer(Word::Passed, {})
                       : answer(Word::Failed, packStatus(status));
  }
  runtime::Result<runtime::Artifact> made =
      compileHere(plugin, job, ir, listener);
  return made ? answer(Word::Artifact, made->write())
              : answer(Word::Failed, packStatus(made.status()));
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 6 || fcntl(Socket, F_GETFD) < 0) {
    std::fprintf(stderr, "terrazzo-worker: started by Terrazzo, not by hand\n");
    return 2;
  }
  // What a plugin starts must not keep the socket: the host would wait for a
  // compiler that has crashed.
  (void)fcntl(Socket, F_SETFD, FD_CLOEXEC);
  limit(argv[5]);
  scratch = argv[4];
  std::atexit(removeScratch); // after whatever plugins leave to the end
  keepMemory();
  endWithHost();
  // What is started here is ended with this process: plugins may keep some.
  (void)setenv("TERRAZZO_WORKER", std::to_string(getpid()).c_str(), 1);
  runtime::RegistryOptions options;
  options.registeredBuiltins = options.readEnvironment = false;
  options.manifestFiles = {argv[1]};
  options.defaultFolders = {"/dev/null"};
  options.trust = runtime::trustOfEnvironment();
  std::optional<runtime::Cache> cache; // of the plugin, not of artifacts
  if (*argv[3]) {
    runtime::CacheOptions where;
    where.folder = argv[3];
    cache.emplace(where);
  }
  runtime::Registry registry(options, cache ? &*cache : nullptr);
  runtime::Result<runtime::Plugin *> plugin = registry.find(argv[2]);
  if (!plugin) {
    answer(Word::Failed, packStatus(plugin.status()));
    return 1;
  }
  if (auto half = (*plugin)->compiler(); !half) {
    answer(Word::Failed, packStatus(half.status()));
    return 1;
  }
  answer(Word::Passed, {});
  Frame frame;
  while (Channel(Socket).receive(frame, {}) == Channel::Outcome::Fine) {
    isBusy = true;
    serve(**plugin, frame);
    isBusy = false;
  }
  return 0;
}
