//===- ProfileData.h - what one phase of a profile holds ------------------===//
//
// What   The tree of scopes and kernels with their numbers, and, of a trace,
//        each record.
// Why    Both kinds of profile name things by nodes of the tree, so a record is
//        a few words whatever its names.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_PROFILE_PROFILEDATA_H
#define TERRAZZO_RUNTIME_PROFILE_PROFILEDATA_H

#include "runtime/loader/Status.h"
#include "runtime/profile/KernelFacts.h"

#include <terrazzo/terrazzo.h>

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

namespace tz::runtime {

/// Of the clock that records are told in.
uint64_t monotonicNs();

using MetricValue = std::variant<int64_t, double, std::string,
                                 std::vector<int64_t>, std::vector<double>>;

/// A value with its metric's name, without what stands behind it.
struct NamedMetric {
  std::string name;
  MetricValue value;
  bool isProperty = false;  ///< the last value counts
  bool isExclusive = false; ///< scopes above do not have its sum
};

/// The name as a program gives it: "tokens", "share (exc)", "seed (pty)".
NamedMetric namedMetric(std::string_view name, MetricValue value);

/// A metric of a profile: what its values must agree in.
struct MetricKind {
  std::string name;
  size_t kind; ///< MetricValue::index()
  bool isInclusive;
};

/// The metrics of a profile by number. Not of a phase: a metric has one kind
/// all along.
class MetricTable {
public:
  /// TZ_E_INVALID_ARGUMENT: its values are of another kind.
  Result<uint32_t> number(const NamedMetric &metric);
  const MetricKind &operator[](uint32_t number) const { return kinds[number]; }
  const std::vector<MetricKind> &all() const { return kinds; }

private:
  std::vector<MetricKind> kinds;
  std::map<std::string, uint32_t, std::less<>> numbers;
};

constexpr int32_t NoDevice = -1;

/// A scope or a kernel. Number 0 is the root.
struct ProfileNode {
  uint32_t parent = 0;
  int32_t device = NoDevice; ///< of a kernel: its place in the profile
  std::string name;
  uint64_t launches = 0, ns = 0;
  /// When the first of it or below it began, ns of the host's clock.
  uint64_t began = UINT64_MAX;
  KernelFacts kernel;    ///< of its last launch
  uint64_t programs = 0; ///< of all launches; at most UINT64_MAX
  std::vector<std::pair<uint32_t, MetricValue>> metrics;
};

/// Of a trace.
struct ProfileEvent {
  uint64_t begin, end;
  uint64_t row, launch;
  uint32_t node;
  uint32_t extras; ///< 1 + place of its own metrics; 0: none
  int32_t device;
  uint32_t kind; ///< TZ_PROFILE_*
};

/// Used by one thread at a time.
class ProfilePhase {
public:
  ProfilePhase(uint64_t number, bool isTrace, uint64_t maxRecords);

  /// The child of that name, made if it is not there.
  uint32_t child(uint32_t parent, std::string_view name,
                 int32_t device = NoDevice);
  uint32_t find(const std::vector<std::string_view> &path);
  void addMetric(uint32_t node, uint32_t metric, const NamedMetric &value);
  /// Something of that node began then.
  void begins(uint32_t node, uint64_t ns);
  bool hasBegun(uint32_t node) const { return tree[node].began != UINT64_MAX; }
  /// What the code of that node's kernel takes.
  void describe(uint32_t node, const KernelFacts &kernel);
  /// Counts a kernel of that node; programs: 0 of what others launch.
  void addKernel(uint32_t node, uint64_t ns, uint64_t programs);
  /// Of a trace; nothing else keeps events.
  void addEvent(const ProfileEvent &event,
                const std::vector<NamedMetric> &extras);
  /// Whose parts a row of a trace shows.
  struct PartRow {
    std::array<uint32_t, 3> program; ///< its place in the grid
    uint32_t subgroup;
    uint32_t core; ///< from 1; 0: not known
    auto operator<=>(const PartRow &) const = default;
  };
  uint64_t partRow(const PartRow &wanted);
  void clear();

  const std::deque<ProfileNode> &nodes() const { return tree; }
  const std::deque<ProfileEvent> &events() const { return records; }
  /// Does it keep events?
  bool keepsEvents() const { return isTrace; }
  const std::vector<NamedMetric> &extrasOf(const ProfileEvent &event) const;
  /// Null: it is no row of parts.
  const PartRow *partOf(uint64_t row) const;
  /// Of a row of parts, else empty.
  std::string partRowName(uint64_t row) const;

  const uint64_t number;
  /// Other than that of any phase that was, or was cleared.
  uint64_t serial() const { return content; }
  uint64_t pending = 0; ///< launches whose time is not known yet
  uint64_t dropped = 0; ///< records for which there was no room

private:
  struct Key {
    uint32_t parent;
    int32_t device;
    std::string_view name;
    bool operator==(const Key &) const = default;
  };
  struct Hash {
    size_t operator()(const Key &key) const {
      return std::hash<std::string_view>()(key.name) * 31 + key.parent * 131 +
             size_t(key.device);
    }
  };
  const bool isTrace;
  const uint64_t maxRecords;
  uint64_t content;
  std::deque<ProfileNode> tree; // names stay in place
  std::unordered_map<Key, uint32_t, Hash> index;
  uint32_t lastChild = 0; ///< a loop launches one kernel again and again
  std::deque<ProfileEvent> records;
  std::vector<std::vector<NamedMetric>> extras;
  std::map<PartRow, uint64_t> partRows;
  std::vector<PartRow> partRowNames;
};

} // namespace tz::runtime

#endif
