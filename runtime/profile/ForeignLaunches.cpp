//===- ForeignLaunches.cpp - where other libraries launch -----------------===//
//
// What   The path of scopes and frames under which a thread launches a kernel
//        by means of another library, by a number that its record comes with.
// Why    The runtime does not see that call; a device's plugin tells of it
// while
//        it happens, and of its kernel's time much later.
//===----------------------------------------------------------------------===//
#include "runtime/profile/Recorder.h"

namespace tz::runtime {

/// Of names of programs that use them again and again, this many are kept.
static constexpr size_t MaxExternals = 100000;

namespace {
/// Who tells frames. Two words that belong together.
struct FrameTeller {
  std::mutex lock;
  void (*tell)(void *) = nullptr;
  void *ctx = nullptr;
};
} // namespace

static FrameTeller &frameTeller() {
  static auto &one = *new FrameTeller; // threads may outlive statics
  return one;
}

void Recorder::watchFrames(void (*tell)(void *ctx), void *ctx) {
  FrameTeller &teller = frameTeller();
  std::lock_guard guard(teller.lock);
  teller.tell = tell;
  teller.ctx = ctx;
}

void Recorder::askForFrames() {
  FrameTeller &teller = frameTeller();
  void (*tell)(void *) = nullptr;
  void *ctx = nullptr;
  {
    std::lock_guard guard(teller.lock);
    tell = teller.tell;
    ctx = teller.ctx;
  }
  if (tell) {
    tell(ctx);
  }
}

std::string Recorder::Path::key() const {
  std::string text = std::to_string(firstFrame) + "," + std::to_string(frames);
  for (const std::string &name : names) {
    text += '\0';
    text += name;
  }
  return text;
}

void Recorder::renumber() {
  static std::atomic<uint64_t> serials{0};
  serial.store(serials.fetch_add(1, std::memory_order_relaxed) + 1,
               std::memory_order_release);
}

/// With the lock.
uint64_t Recorder::numberOf(Path path) {
  std::string key = path.key();
  if (auto known = externalOfPath.find(key); known != externalOfPath.end()) {
    return known->second;
  }
  if (externals.size() >= MaxExternals) {
    externalOfPath.erase(externals.begin()->second.key());
    externals.erase(externals.begin());
    renumber();
  }
  const uint64_t number = ++lastExternal;
  externals.emplace(number, std::move(path));
  externalOfPath.emplace(std::move(key), number);
  return number;
}

uint64_t Recorder::launching() {
  ThreadScopes &scopes = ThreadScopes::ofThisThread();
  const bool hasFrames = wantsFrames.load(std::memory_order_relaxed);
  if (hasFrames) {
    askForFrames();
  }
  const uint64_t now = serial.load(std::memory_order_acquire);
  ThreadScopes::External &found = scopes.external;
  if (found.recorder == now && found.version == scopes.version()) {
    return found.number;
  }
  const std::vector<std::string_view> own = scopes.path(hasFrames);
  Path path{{own.begin(), own.end()},
            scopes.depth(),
            hasFrames ? scopes.frameCount() : 0};
  std::lock_guard guard(lock);
  if (worksForMain(scopes)) { // until that thread's scope ends
    path.names.insert(path.names.begin(), mainScopes.begin(), mainScopes.end());
    path.firstFrame = mainScopes.size();
    if (mainState && !scopes.state()) {
      path.names.push_back(*mainState);
    }
    return numberOf(std::move(path));
  }
  const uint64_t number = numberOf(std::move(path));
  found = {serial.load(std::memory_order_relaxed), scopes.version(), number};
  return number;
}

/// The node of a path that was told, below another one. With the lock.
uint32_t Recorder::scopesOf(ProfilePhase &phase, uint32_t node,
                            uint64_t external, bool hasFrames) const {
  auto found = externals.find(external);
  if (found == externals.end()) {
    return node;
  }
  const Path &path = found->second;
  for (size_t i = 0; i < path.names.size(); ++i) {
    const bool isFrame = i - path.firstFrame < path.frames;
    if (hasFrames || !isFrame) {
      node = phase.child(node, path.names[i]);
    }
  }
  return node;
}

} // namespace tz::runtime
