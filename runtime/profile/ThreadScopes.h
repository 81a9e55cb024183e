//===- ThreadScopes.h - the names under which a thread launches -----------===//
//
// What   Scopes, states and the name of launches of each thread.
// Why    They are the program's, not a session's: they may be open before a
//        profile starts, and count in all profiles.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_PROFILE_THREADSCOPES_H
#define TERRAZZO_RUNTIME_PROFILE_THREADSCOPES_H

#include "runtime/loader/Status.h"
#include "runtime/profile/ProfileData.h"

#include <optional>
#include <string>
#include <vector>

namespace tz::runtime {

/// Of one thread, which alone uses it.
class ThreadScopes {
public:
  static ThreadScopes &ofThisThread();

  void enter(std::string name);
  /// Tells every recorder of the scope that ends.
  Status leave(const char *name);
  void enterState(std::string name);
  Status leaveState();
  void setFrames(std::vector<std::string> frames);
  void nameLaunches(std::optional<std::string> name);
  /// To this thread's scope in every profile that runs.
  Status addMetric(const NamedMetric &metric);

  /// Of a vendor's library, in programs whose ranges are scopes.
  void enterRange(std::string_view name, bool isWanted);
  void leaveRange();

  size_t depth() const { return scopes.size(); }
  const std::string &scopeAt(size_t depth) const { return scopes[depth].name; }
  /// Null: none is open.
  const std::string *state() const {
    return states.empty() ? nullptr : &states.back();
  }
  /// One more whenever a scope or a state begins or ends.
  uint64_t pathVersion() const { return pathChanges; }
  size_t frameCount() const { return frames.size(); }
  /// From the outermost in; with the state, if there is one.
  std::vector<std::string_view> path(bool hasFrames) const;
  const std::optional<std::string> &launchName() const { return launch; }
  /// Another number whenever the path or the name of launches is another.
  uint64_t version() const { return changes; }
  /// A small number of this thread, in order of first use.
  uint32_t number() const { return threadNumber; }

  /// What a launch found last, kept for the next one.
  struct Found {
    uint64_t phase = 0, version = 0;
    uint32_t node = 0;
  };
  Found found[2]; ///< without frames, and with them
  /// What the recorder with that serial said of this thread's launches by other
  /// libraries, while its version was this one.
  struct External {
    uint64_t recorder = 0, version = 0, number = 0;
  };
  External external;
  /// Metrics of launches that have a name, until the next launch.
  std::vector<NamedMetric> launchMetrics;

private:
  struct Scope {
    std::string name;
    uint64_t began;
    std::vector<NamedMetric> metrics;
  };
  ThreadScopes();
  std::vector<Scope> scopes;
  std::vector<std::string> frames, states;
  /// Ranges that are open; without a name: that began when nobody wanted them.
  std::vector<std::optional<std::string>> ranges;
  std::optional<std::string> launch;
  uint64_t changes = 1, pathChanges = 0;
  uint32_t threadNumber;
};

} // namespace tz::runtime

#endif
