//===- ProfileData.cpp - what one phase of a profile holds ----------------===//
//
// What   See ProfileData.h.
// Why    See ProfileData.h.
//===----------------------------------------------------------------------===//
#include "runtime/profile/ProfileData.h"

#include <atomic>
#include <ctime>

namespace tz::runtime {

uint64_t monotonicNs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return uint64_t(now.tv_sec) * 1000000000u + uint64_t(now.tv_nsec);
}

static std::string_view trimmed(std::string_view text) {
  while (text.ends_with(' ')) {
    text.remove_suffix(1);
  }
  return text;
}

NamedMetric namedMetric(std::string_view name, MetricValue value) {
  NamedMetric metric;
  metric.value = std::move(value);
  // Only numbers have sums that mean something.
  metric.isExclusive = metric.value.index() > 1;
  name = trimmed(name);
  for (bool isMore = true; isMore;) {
    isMore = false;
    for (std::string_view mark : {"(inc)", "(exc)", "(pty)"}) {
      if (name.ends_with(mark)) {
        name = trimmed(name.substr(0, name.size() - mark.size()));
        metric.isExclusive |= mark != "(inc)";
        metric.isProperty |= mark == "(pty)";
        isMore = true;
      }
    }
  }
  metric.name = name;
  return metric;
}

static const char *kindName(size_t kind) {
  constexpr const char *names[] = {"an integer", "a float", "a text",
                                   "integers", "floats"};
  return names[kind];
}

Result<uint32_t> MetricTable::number(const NamedMetric &metric) {
  auto known = numbers.find(metric.name);
  if (known == numbers.end()) {
    const auto added = uint32_t(kinds.size());
    kinds.push_back({metric.name, metric.value.index(), !metric.isExclusive});
    numbers.emplace(metric.name, added);
    return added;
  }
  const MetricKind &kind = kinds[known->second];
  // A property is not summed, so its values need not agree.
  if (kind.kind != metric.value.index() && !metric.isProperty) {
    return Status(TZ_E_INVALID_ARGUMENT,
                  "metric '" + metric.name + "' is " +
                      kindName(metric.value.index()) + " here and was " +
                      kindName(kind.kind) +
                      " before; give all its values the same type");
  }
  return known->second;
}

/// Adds up; whole numbers stay at their limit.
static void sum(int64_t &into, int64_t more) {
  if (__builtin_add_overflow(into, more, &into)) {
    into = more < 0 ? INT64_MIN : INT64_MAX;
  }
}
static void sum(double &into, double more) { into += more; }
static void sum(std::string &into, const std::string &more) { into = more; }
template <typename T>
static void sum(std::vector<T> &into, const std::vector<T> &more) {
  if (into.size() < more.size()) {
    into.resize(more.size());
  }
  for (size_t i = 0; i < more.size(); ++i) {
    sum(into[i], more[i]);
  }
}

static uint64_t nextContent() {
  static std::atomic<uint64_t> contents{0};
  return contents.fetch_add(1, std::memory_order_relaxed) + 1;
}

ProfilePhase::ProfilePhase(uint64_t number, bool isTrace, uint64_t maxRecords)
    : number(number), isTrace(isTrace), maxRecords(maxRecords),
      content(nextContent()) {
  tree.emplace_back();
}

uint32_t ProfilePhase::child(uint32_t parent, std::string_view name,
                             int32_t device) {
  if (const ProfileNode &last = tree[lastChild];
      lastChild && last.parent == parent && last.device == device &&
      last.name == name) {
    return lastChild;
  }
  if (auto known = index.find({parent, device, name}); known != index.end()) {
    return lastChild = known->second;
  }
  const auto made = uint32_t(tree.size());
  ProfileNode &node = tree.emplace_back();
  node.parent = parent;
  node.device = device;
  node.name = name;
  index.emplace(Key{parent, device, node.name}, made);
  return made;
}

uint32_t ProfilePhase::find(const std::vector<std::string_view> &path) {
  uint32_t node = 0;
  for (std::string_view name : path) {
    node = child(node, name);
  }
  return node;
}

void ProfilePhase::addMetric(uint32_t node, uint32_t metric,
                             const NamedMetric &value) {
  for (auto &[number, known] : tree[node].metrics) {
    if (number == metric) {
      if (value.isProperty || known.index() != value.value.index()) {
        known = value.value;
      } else {
        std::visit(
            [&](auto &into) {
              sum(into, std::get<std::decay_t<decltype(into)>>(value.value));
            },
            known);
      }
      return;
    }
  }
  tree[node].metrics.emplace_back(metric, value.value);
}

void ProfilePhase::begins(uint32_t node, uint64_t ns) {
  while (tree[node].began > ns) {
    tree[node].began = ns;
    node = tree[node].parent; // of the root: itself
  }
}

void ProfilePhase::describe(uint32_t node, const KernelFacts &kernel) {
  tree[node].kernel = kernel;
}

void ProfilePhase::addKernel(uint32_t node, uint64_t ns, uint64_t programs) {
  ProfileNode &one = tree[node];
  ++one.launches;
  one.ns += ns;
  if (__builtin_add_overflow(one.programs, programs, &one.programs)) {
    one.programs = UINT64_MAX;
  }
}

void ProfilePhase::addEvent(const ProfileEvent &event,
                            const std::vector<NamedMetric> &own) {
  if (!isTrace) {
    return;
  }
  if (records.size() >= maxRecords) {
    ++dropped;
    return;
  }
  records.push_back(event);
  if (!own.empty()) {
    extras.push_back(own);
    records.back().extras = uint32_t(extras.size());
  }
}

const std::vector<NamedMetric> &
ProfilePhase::extrasOf(const ProfileEvent &event) const {
  static const std::vector<NamedMetric> none;
  return event.extras ? extras[event.extras - 1] : none;
}

/// Streams have the addresses of their objects, which end below.
static constexpr uint64_t FirstPartRow = uint64_t(1) << 52;

uint64_t ProfilePhase::partRow(const PartRow &wanted) {
  auto [row, isNew] =
      partRows.try_emplace(wanted, FirstPartRow + partRows.size());
  if (isNew) {
    partRowNames.push_back(wanted);
  }
  return row->second;
}

const ProfilePhase::PartRow *ProfilePhase::partOf(uint64_t row) const {
  return row < FirstPartRow || row - FirstPartRow >= partRowNames.size()
             ? nullptr
             : &partRowNames[row - FirstPartRow];
}

std::string ProfilePhase::partRowName(uint64_t row) const {
  const PartRow *found = partOf(row);
  if (!found) {
    return "";
  }
  const auto &[program, subgroup, core] = *found;
  return "program (" + std::to_string(program[0]) + ", " +
         std::to_string(program[1]) + ", " + std::to_string(program[2]) +
         ") warp " + std::to_string(subgroup) +
         (core ? " core " + std::to_string(core - 1) : "");
}

void ProfilePhase::clear() {
  index.clear();
  lastChild = 0;
  tree.clear();
  tree.emplace_back();
  records.clear();
  extras.clear();
  partRows.clear();
  partRowNames.clear();
  dropped = 0;
  content = nextContent();
}

} // namespace tz::runtime
