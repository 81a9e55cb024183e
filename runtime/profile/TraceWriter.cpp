//===- TraceWriter.cpp - a phase of a trace as text -----------------------===//
//
// What   The JSON of Chrome's and Perfetto's viewers: everything, or kernels
//        and their parts alone.
// Why    A trace has up to 10^7 records and more: it is written piece by piece.
//===----------------------------------------------------------------------===//
#include "runtime/profile/DocumentWriter.h"
#include "runtime/profile/ProfileWriter.h"

#include <algorithm>
#include <cinttypes>
#include <map>
#include <set>
#include <tuple>
#include <unistd.h>

namespace tz::runtime {

namespace {

const char *kindName(uint32_t kind) {
  constexpr const char *names[] = {"",       "kernel",  "copy", "fill", "scope",
                                   "launch", "compile", "load", "sync", "part"};
  return names[kind];
}

std::string microseconds(uint64_t ns) {
  char text[32];
  std::snprintf(text, sizeof(text), "%" PRIu64 ".%03u", ns / 1000,
                unsigned(ns % 1000));
  return text;
}

/// What the file is, and what is missing in it.
std::string ending(const ProfilePhase &phase) {
  return "\"terrazzo\": {\"version\": " + std::to_string(ProfileFormatVersion) +
         ", \"dropped\": " + std::to_string(phase.dropped) + "}";
}

std::string deviceName(const Profile &profile, int32_t device) {
  const ProfileDevice &one = profile.devices()[size_t(device)];
  return one.type + " " + std::to_string(one.number);
}

/// The path of each node as JSON, made once.
class Stacks {
public:
  explicit Stacks(const ProfilePhase &phase) : phase(phase) {}

  const std::string &of(uint32_t node) {
    auto [known, isNew] = made.try_emplace(node);
    if (isNew) {
      const ProfileNode &one = phase.nodes()[node];
      known->second =
          node ? of(one.parent) + ", " + jsonText(one.name) : "\"ROOT\"";
    }
    return made[node];
  }

private:
  const ProfilePhase &phase;
  std::unordered_map<uint32_t, std::string> made;
};

/// The rows of viewers: the host is one process, with a row for each thread;
/// each device is one, with a row for each stream.
class TraceWriter {
public:
  TraceWriter(const Profile &profile, const ProfilePhase &phase,
              const TextSink &sink)
      : profile(profile), phase(phase), sink(sink), stacks(phase) {}

  bool write() {
    for (const ProfileEvent &event : phase.events()) {
      first = std::min(first, event.begin);
      rows.emplace(event.device, event.row);
    }
    // Kernels come last, each behind what launched it.
    bool isTaken = sink("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [");
    isTaken = isTaken && writeNames();
    for (const ProfileEvent &event : phase.events()) {
      isTaken = isTaken && sink(line(event));
    }
    return isTaken && sink("\n], " + ending(phase) + "}\n");
  }

private:
  std::string next() {
    const char *text = isFirst ? "\n" : ",\n";
    isFirst = false;
    return text;
  }

  bool writeName(const char *what, int32_t device, const uint64_t *row,
                 const std::string &text) {
    std::string one =
        next() + "{\"name\": \"" + what +
        "\", \"ph\": \"M\", \"pid\": " + std::to_string(device + 1);
    if (row) {
      one += ", \"tid\": " + std::to_string(*row);
    }
    return sink(one + ", \"args\": {\"name\": " + jsonText(text) + "}}");
  }

  bool writeNames() {
    std::set<int32_t> processes;
    bool isTaken = true;
    for (const auto &[device, row] : rows) {
      if (processes.insert(device).second) {
        isTaken = isTaken && writeName("process_name", device, nullptr,
                                       processName(device));
      }
      const std::string part = phase.partRowName(row);
      isTaken = isTaken &&
                writeName("thread_name", device, &row,
                          part.empty()
                              ? (device == NoDevice ? "thread " : "stream ") +
                                    std::to_string(row)
                              : part);
    }
    return isTaken;
  }

  std::string processName(int32_t device) const {
    if (device == NoDevice) {
      return "host (process " + std::to_string(getpid()) + ")";
    }
    return deviceName(profile, device);
  }

  std::string line(const ProfileEvent &event) {
    std::string text =
        next() + "{\"name\": " + jsonText(phase.nodes()[event.node].name) +
        ", \"cat\": \"" + kindName(event.kind) +
        "\", \"ph\": \"X\", \"ts\": " + microseconds(event.begin - first) +
        ", \"dur\": " + microseconds(event.end - event.begin) +
        ", \"pid\": " + std::to_string(event.device + 1) +
        ", \"tid\": " + std::to_string(event.row) + ", \"args\": {";
    text += "\"call_stack\": [" + stacks.of(event.node) + "]";
    if (event.launch) {
      text += ", \"launch\": " + std::to_string(event.launch);
    }
    for (const NamedMetric &metric : phase.extrasOf(event)) {
      text += ", " + jsonText(metric.name) + ": " + jsonText(metric.value);
    }
    return text + "}}";
  }

  const Profile &profile;
  const ProfilePhase &phase;
  const TextSink &sink;
  uint64_t first = UINT64_MAX;
  std::set<std::pair<int32_t, uint64_t>> rows;
  Stacks stacks;
  bool isFirst = true;
};

/// Processes and rows have no numbers: what they are is their name.
class KernelTraceWriter {
public:
  KernelTraceWriter(const Profile &profile, const ProfilePhase &phase,
                    const TextSink &sink)
      : profile(profile), phase(phase), sink(sink), stacks(phase) {}

  bool write() {
    collect();
    bool isTaken = sink("{\"displayTimeUnit\": \"us\", \"traceEvents\": [");
    const char *before = "\n";
    for (size_t event : wanted) {
      isTaken = isTaken && sink(before + line(phase.events()[event]));
      before = ",\n";
    }
    return isTaken && sink("\n], " + ending(phase) + "}\n");
  }

private:
  void collect() {
    bool hasParts = false;
    for (const ProfileEvent &event : phase.events()) {
      hasParts |= event.kind == TZ_PROFILE_PART;
    }
    const std::deque<ProfileEvent> &events = phase.events();
    for (size_t i = 0; i < events.size(); ++i) {
      if (events[i].kind == (hasParts ? TZ_PROFILE_PART : TZ_PROFILE_KERNEL)) {
        wanted.push_back(i);
        first = std::min(first, events[i].begin);
      }
    }
    // What is in another one comes behind it.
    std::sort(wanted.begin(), wanted.end(), [&](size_t a, size_t b) {
      const auto key = [&](size_t i) {
        return std::tuple(events[i].begin, ~events[i].end, i);
      };
      return key(a) < key(b);
    });
  }

  std::string line(const ProfileEvent &event) {
    const std::string &name = phase.nodes()[event.node].name;
    uint32_t kernel = event.node;
    unsigned depth = 0; // of parts, the outermost 0
    while (phase.nodes()[kernel].device == NoDevice && kernel) {
      kernel = phase.nodes()[kernel].parent;
      ++depth;
    }
    std::string category = "kernel", process, row;
    if (event.kind == TZ_PROFILE_PART) {
      category = phase.nodes()[kernel].name;
      const ProfilePhase::PartRow &part = *phase.partOf(event.row);
      process = category +
                (part.core ? " Core" + std::to_string(part.core - 1) : "") +
                " CTA" + programName(part.program);
      row = "warp " + std::to_string(part.subgroup) + " (line " +
            std::to_string(depth - 1) + ")";
    } else {
      process = deviceName(profile, event.device);
      row = "stream " + std::to_string(event.row);
    }
    std::string text =
        "{\"name\": " + jsonText(name) + ", \"cat\": " + jsonText(category) +
        ", \"ph\": \"X\", \"ts\": " + microseconds(event.begin - first) +
        ", \"dur\": " + microseconds(event.end - event.begin) +
        ", \"pid\": " + jsonText(process) + ", \"tid\": " + jsonText(row) +
        ", \"args\": {\"call_stack\": [" + stacks.of(kernel) + "]";
    if (event.launch) {
      text += ", \"launch\": " + std::to_string(event.launch);
    }
    for (const NamedMetric &metric : phase.extrasOf(event)) {
      text += ", " + jsonText(metric.name) + ": " + jsonText(metric.value);
    }
    return text + "}}";
  }

  /// Of a grid with one axis its number on it.
  static std::string programName(const std::array<uint32_t, 3> &program) {
    const auto &[x, y, z] = program;
    std::string name = std::to_string(x);
    if (y || z) {
      name += "," + std::to_string(y) + "," + std::to_string(z);
    }
    return name;
  }

  const Profile &profile;
  const ProfilePhase &phase;
  const TextSink &sink;
  Stacks stacks;
  std::vector<size_t> wanted; ///< of the phase's events
  uint64_t first = UINT64_MAX;
};

} // namespace

Status writeTrace(const Profile &profile, const ProfilePhase &phase,
                  const TextSink &sink) {
  return TraceWriter(profile, phase, sink).write() ? Status() : refusedBySink();
}
Status writeKernelTrace(const Profile &profile, const ProfilePhase &phase,
                        const TextSink &sink) {
  return KernelTraceWriter(profile, phase, sink).write() ? Status()
                                                         : refusedBySink();
}

} // namespace tz::runtime
