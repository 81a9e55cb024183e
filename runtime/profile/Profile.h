//===- Profile.h - one profile of a session -------------------------------===//
//
// What   Its phases, its metrics and the devices it has heard of.
// Why    What is recorded in a phase is written and forgotten with it; kinds of
//        metrics and numbers of devices hold all along.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_PROFILE_PROFILE_H
#define TERRAZZO_RUNTIME_PROFILE_PROFILE_H

#include "runtime/profile/ProfileData.h"

#include <functional>
#include <memory>

namespace tz::runtime {

class Device;

/// A device as files name it.
struct ProfileDevice {
  const void *owner; ///< its plugin's object
  int number;        ///< in that plugin
  std::string type;  ///< "CPU"
  std::vector<std::pair<std::string, MetricValue>> facts;
};

/// What a text is written to, piece by piece. False: no more is taken.
using TextSink = std::function<bool(std::string_view)>;

/// As in tz_profile_options, with no default left to choose.
struct ProfileSettings {
  bool isTrace = false;
  bool hasFrames = false;
  bool hasRanges = false; ///< a vendor's ranges are scopes
  bool isOwn = false;     ///< nothing that other libraries launch
  uint64_t maxRecords = 0;
  uint64_t samplePeriod = 0; ///< cycles; 0: instructions are not sampled
};

/// All functions: with the lock of its recorder.
class Profile {
public:
  explicit Profile(const ProfileSettings &settings)
      : isTrace(settings.isTrace), hasFrames(settings.hasFrames),
        hasRanges(settings.hasRanges), isOwn(settings.isOwn),
        samplePeriod(settings.samplePeriod), maxRecords(settings.maxRecords) {
    advance();
  }

  const bool isTrace, hasFrames, hasRanges, isOwn;
  const uint64_t samplePeriod;
  bool isActive = true;
  /// Since when it is, ns of the host's clock: what ran before is not of it,
  /// whenever a device tells it.
  uint64_t activeSince = monotonicNs();
  MetricTable metrics;
  /// A line each; see tz_profile_note.
  std::vector<std::string> notes;

  const std::shared_ptr<ProfilePhase> &current() const { return phases.back(); }
  uint64_t phase() const { return phases.back()->number; }
  /// Null: it was cleared, or is yet to come.
  ProfilePhase *find(uint64_t phase) const;
  uint64_t advance();
  bool isComplete(uint64_t phase) const;
  void clear(uint64_t first, uint64_t last);

  /// Its place here.
  int32_t place(const Device &device);
  int32_t place(const void *owner, int number) const;
  const std::vector<ProfileDevice> &devices() const { return known; }

  void note(std::string line);
  /// What is missing of parts of kernels.
  struct LostParts {
    uint64_t launches = 0; ///< of which nothing was told
    uint64_t records = 0;  ///< of programs, or of subgroups
    uint64_t events = 0;   ///< older ones, that a program forgot
  };
  LostParts lostParts;
  uint64_t lostSamples = 0;
  /// `notes`, and what the profile counts.
  std::string noteText() const;

  /// TZ_E_INVALID_ARGUMENT: there is no such format for this profile.
  Status write(uint64_t phase, std::string_view format,
               const TextSink &sink) const;

private:
  const uint64_t maxRecords;
  uint64_t phasesMade = 0;
  std::vector<std::shared_ptr<ProfilePhase>> phases;
  std::vector<ProfileDevice> known;
};

} // namespace tz::runtime

#endif
