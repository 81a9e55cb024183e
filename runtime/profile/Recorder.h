//===- Recorder.h - what a session's profiles hear ------------------------===//
//
// What   Takes each launch and scope to the profiles that run, and the times
//        that devices tell later to the launches that they are of.
// Why    Launches, scopes and records of devices come from different threads at
//        different times; here they meet, under one lock.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_PROFILE_RECORDER_H
#define TERRAZZO_RUNTIME_PROFILE_RECORDER_H

#include "runtime/launch/ProgramParts.h"
#include "runtime/profile/DeviceActivity.h"
#include "runtime/profile/DeviceSampler.h"
#include "runtime/profile/Profile.h"
#include "runtime/profile/ProfileHooks.h"
#include "runtime/profile/ThreadScopes.h"

#include <array>
#include <deque>
#include <optional>

namespace tz::runtime {

/// [thread: any]
class Recorder {
public:
  explicit Recorder(ProfileHooks &hooks) : hooks(hooks) { renumber(); }
  ~Recorder();
  Recorder(const Recorder &) = delete;

  /// devices: that are open, whose records begin now.
  std::shared_ptr<Profile>
  start(const ProfileSettings &settings,
        const std::vector<std::shared_ptr<Device>> &devices);
  void stop(const Profile &profile);
  void activate(Profile &profile, bool isActive);
  /// Waits for what devices have to say of launches.
  Status flush();
  /// Runs `body` while nothing is recorded.
  template <typename Body>
  auto locked(Body &&body) {
    std::lock_guard guard(lock);
    return body();
  }

  // Of an activity of the runtime. enter() gives its id and when it began.
  // kernel: of a launch.
  uint64_t enter(ProfileHooks &hooks, uint32_t kind, const char *name,
                 Stream *stream, const LaunchedKernel *kernel, uint64_t &began);
  void leave(uint32_t kind, uint64_t id, int32_t code, Stream *stream,
             uint64_t began);

  /// What a launch has told of its parts.
  void addParts(uint64_t id, LaunchParts parts);
  /// Of a launch whose call has not returned: a flush reads them from the log.
  void awaitParts(uint64_t id, const std::shared_ptr<PartLog> &log);
  void loseParts(uint64_t id);

  /// `tell` gives the calling thread's frames to ThreadScopes, where it
  /// launches by means of another library; null: nobody does.
  static void watchFrames(void (*tell)(void *ctx), void *ctx);
  /// Asks for them. Without the lock: it may wait for an interpreter's.
  static void askForFrames();

  // Of scopes, by ThreadScopes.
  /// A scope or a state was entered: what others launch is below it, until
  /// pathEnds.
  void pathBegins(const ThreadScopes &scopes);
  void pathEnds(const ThreadScopes &scopes);
  void scopeLeft(ThreadScopes &scopes, uint64_t began, uint64_t ended,
                 const std::vector<NamedMetric> &metrics);
  Status addMetric(ThreadScopes &scopes, const NamedMetric &metric);

  /// Every recorder that has a profile.
  template <typename Body>
  static void forEach(Body &&body) {
    if (busy.load(std::memory_order_acquire)) {
      std::lock_guard guard(listLock());
      for (Recorder *one : list()) {
        body(*one);
      }
    }
  }

private:
  /// A launch whose kernel's time is not known yet, in one profile.
  struct Pending {
    uint64_t id;
    Profile *profile;                    ///< it goes with its launches
    std::shared_ptr<ProfilePhase> phase; ///< null: it is done
    uint64_t serial;
    uint64_t programs;
    uint32_t node;
    bool isMade = false;      ///< its call has returned, or is one of `calls`
    bool isAsked = false;     ///< a flush waits for what is told of it
    bool awaitsParts = false; ///< its log is not read yet
    /// What few launches have.
    struct Rest {
      std::vector<NamedMetric> extras; ///< of a trace
      std::shared_ptr<const LaunchParts> parts;
      /// Its times, where they were told before its call has returned or its
      /// log was read.
      std::optional<std::array<uint64_t, 3>> times;
    };
    std::unique_ptr<Rest> more;
    Rest &rest() {
      if (!more) {
        more = std::make_unique<Rest>();
      }
      return *more;
    }
  };
  /// Those of one launch, of which each profile has one.
  std::deque<Pending>::iterator firstOf(uint64_t id);
  /// A launch between two events.
  struct Timed {
    uint64_t id;
    std::shared_ptr<Event> anchor, before, after;
    uint64_t anchorNs, row;
    bool isMade = false; ///< `after` is recorded
  };
  /// A launch of which nobody but a flush asks whether its call has returned:
  /// that needs no lock. 0: none. Each has a line of the cache.
  struct alignas(64) Call {
    std::atomic<uint64_t> launch{0};
  };
  static constexpr size_t MostCalls = 64;
  Call &callOf(const ThreadScopes &scopes) {
    return calls[scopes.number() % MostCalls];
  }
  /// Of one device half.
  struct Source {
    const tz_platform *platform;
    std::unique_ptr<DeviceActivity> activity; ///< null: it makes no records
    std::string why;                          ///< if it makes none
  };

  static std::atomic<bool> busy;
  static std::mutex &listLock();
  static std::vector<Recorder *> &list();
  void setListed(bool isListed);

  /// What is told of launches by other libraries on a thread. Frames stand
  /// between the scopes and the state.
  struct Path {
    std::vector<std::string> names;
    size_t firstFrame = 0, frames = 0;
    std::string key() const;
  };
  uint64_t launching();
  uint64_t numberOf(Path path);
  void keepMainPath(const ThreadScopes &scopes, bool isWhole);
  bool worksForMain(const ThreadScopes &scopes) const;
  void renumber();

  Source &sourceOf(const Device &device, std::unique_lock<std::mutex> &guard);
  void publish();
  void tellEnds();
  uint32_t nodeOf(ThreadScopes &scopes, const Profile &profile,
                  bool hasFrames) const;
  void addPending(ThreadScopes &scopes, uint64_t id, const char *name,
                  const Device &device, const LaunchedKernel &kernel,
                  bool isMade);
  Status beginEvents(uint64_t id, Stream &stream);
  void endEvents(uint64_t id, Stream &stream);
  void readEvents();
  Status readParts();
  void sample(const Device &device);
  void readSamples();
  void dropAsked();
  void drop(uint64_t id, bool isLost);
  void complete(uint64_t id, uint64_t began, uint64_t ended, uint64_t row);
  void read(const Source &source, const tz_record &record);
  void readForeign(const Source &source, const tz_record &record);
  uint32_t scopesOf(ProfilePhase &phase, uint32_t node, uint64_t external,
                    bool hasFrames) const;
  void popDone();
  void addHostEvent(uint32_t kind, uint64_t id, const char *name,
                    uint64_t began, uint64_t ended);

  ProfileHooks &hooks;
  std::atomic<bool> wantsFrames{false}, wantsRanges{false};
  /// When calls end: of traces, and where the host's clock times kernels.
  std::atomic<bool> wantsEnds{false};
  /// Another number whenever numbers of paths are given anew.
  std::atomic<uint64_t> serial;
  /// By the thread's number; entered with the lock. A thread that finds its
  /// own taken waits for the lock when it leaves.
  std::array<Call, MostCalls> calls;
  std::mutex lock; ///< guards what follows
  std::vector<std::shared_ptr<Profile>> profiles;
  std::deque<Pending> pending; ///< by rising id
  std::vector<Timed> timed;
  std::map<const Device *, std::pair<std::shared_ptr<Event>, uint64_t>> anchors;
  std::deque<Source> sources; ///< they stay in place
  std::map<uint64_t, Path> externals;
  std::map<std::string, uint64_t, std::less<>> externalOfPath;
  uint64_t lastExternal = 0;
  /// The thread on which the last profile started. Threads without scopes of
  /// their own, such as those of automatic differentiation, work for it.
  uint32_t mainThread = 0;
  std::vector<std::string> mainScopes;
  std::optional<std::string> mainState;
  uint64_t mainVersion = 0; ///< ThreadScopes::pathVersion() of them
  std::vector<std::shared_ptr<PartLog>> partLogs;
  std::shared_ptr<Profile> sampled; ///< the only one with samples, or null
  std::vector<std::shared_ptr<DeviceSampler>> samplers;
  std::vector<const tz_platform *> askedForSamples;
};

} // namespace tz::runtime

#endif
