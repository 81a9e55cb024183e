//===- ProfileWriter.cpp - a phase of a profile as text -------------------===//
//
// What   See ProfileWriter.h.
// Why    A trace has up to 10^7 records and more: it is written piece by piece,
//        while a tree is as large as the program's scopes.
//===----------------------------------------------------------------------===//
#include "runtime/profile/ProfileWriter.h"

#include "runtime/file/File.h"
#include "runtime/profile/ThreadScopes.h"

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <set>
#include <unistd.h>

namespace tz::runtime {

using Json = nlohmann::ordered_json;

/// Names of a program may be no UTF-8; what is not becomes a mark.
static std::string quoted(const std::string &text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

static Json json(const MetricValue &value) {
  return std::visit([](const auto &one) { return Json(one); }, value);
}

static Status refused() {
  return Status(TZ_E_UNAVAILABLE,
                std::string("the profile cannot be written (") +
                    describeError(errno) + ")");
}

//===--- Trees ------------------------------------------------------------===//

namespace {

class TreeWriter {
public:
  TreeWriter(const Profile &profile, const ProfilePhase &phase)
      : profile(profile), nodes(phase.nodes()), children(nodes.size()) {
    for (uint32_t i = 1; i < nodes.size(); ++i) {
      children[nodes[i].parent].push_back(i);
    }
  }

  Json write() const {
    Json root = node(0);
    root["frame"]["version"] = ProfileFormatVersion;
    root["metrics"] = rootMetrics();
    return Json::array({std::move(root), devices()});
  }

private:
  Json node(uint32_t number) const {
    const ProfileNode &one = nodes[number];
    Json made = {
        {"frame", {{"name", number ? one.name : "ROOT"}, {"type", "function"}}},
        {"metrics", metrics(one)},
        {"children", Json::array()}};
    for (uint32_t child : children[number]) {
      made["children"].push_back(node(child));
    }
    return made;
  }

  Json metrics(const ProfileNode &one) const {
    Json made = Json::object();
    if (one.launches) {
      made["count"] = one.launches;
      made["time (ns)"] = one.ns;
    }
    if (one.device != NoDevice) {
      const ProfileDevice &device = profile.devices()[size_t(one.device)];
      made["device_id"] = std::to_string(device.number);
      made["device_type"] = device.type;
    }
    for (const auto &[number, value] : one.metrics) {
      made[profile.metrics[number].name] = json(value);
    }
    return made;
  }

  /// hatchet sums those metrics over children that its first node has.
  Json rootMetrics() const {
    Json made = Json::object();
    std::set<uint32_t> used;
    for (const ProfileNode &one : nodes) {
      if (one.launches) {
        made["count"] = 0;
        made["time (ns)"] = 0;
      }
      for (const auto &metric : one.metrics) {
        used.insert(metric.first);
      }
    }
    for (uint32_t number : used) {
      const MetricKind &kind = profile.metrics[number];
      if (kind.isInclusive) {
        made[kind.name] = 0;
      }
    }
    for (const auto &[number, value] : nodes[0].metrics) {
      made[profile.metrics[number].name] = json(value);
    }
    return made;
  }

  Json devices() const {
    Json made = Json::object();
    for (const ProfileDevice &device : profile.devices()) {
      Json &facts = made[device.type][std::to_string(device.number)];
      for (const auto &[name, value] : device.facts) {
        facts[name] = json(value);
      }
    }
    return made;
  }

  const Profile &profile;
  const std::deque<ProfileNode> &nodes;
  std::vector<std::vector<uint32_t>> children;
};

} // namespace

Status writeTree(const Profile &profile, const ProfilePhase &phase,
                 bool isPacked, const TextSink &sink) {
  std::string text = TreeWriter(profile, phase)
                         .write()
                         .dump(-1, ' ', false, Json::error_handler_t::replace);
  if (isPacked) {
    // From the text, whose names are UTF-8.
    const std::vector<uint8_t> bytes = Json::to_msgpack(Json::parse(text));
    text.assign(bytes.begin(), bytes.end());
  }
  return sink(text) ? Status() : refused();
}

//===--- Traces -----------------------------------------------------------===//

namespace {

const char *kindName(uint32_t kind) {
  constexpr const char *names[] = {"",       "kernel",  "copy", "fill", "scope",
                                   "launch", "compile", "load", "sync"};
  return names[kind];
}

/// The rows of viewers: the host is one process, with a row for each thread;
/// each device is one, with a row for each stream.
class TraceWriter {
public:
  TraceWriter(const Profile &profile, const ProfilePhase &phase,
              const TextSink &sink)
      : profile(profile), phase(phase), sink(sink) {}

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
    return isTaken &&
           sink("\n], \"terrazzo\": {\"version\": " +
                std::to_string(ProfileFormatVersion) +
                ", \"dropped\": " + std::to_string(phase.dropped) + "}}\n");
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
    return sink(one + ", \"args\": {\"name\": " + quoted(text) + "}}");
  }

  bool writeNames() {
    std::set<int32_t> processes;
    bool isTaken = true;
    for (const auto &[device, row] : rows) {
      if (processes.insert(device).second) {
        isTaken = isTaken && writeName("process_name", device, nullptr,
                                       processName(device));
      }
      isTaken =
          isTaken && writeName("thread_name", device, &row,
                               (device == NoDevice ? "thread " : "stream ") +
                                   std::to_string(row));
    }
    return isTaken;
  }

  std::string processName(int32_t device) const {
    if (device == NoDevice) {
      return "host (process " + std::to_string(getpid()) + ")";
    }
    const ProfileDevice &one = profile.devices()[size_t(device)];
    return one.type + " " + std::to_string(one.number);
  }

  static std::string microseconds(uint64_t ns) {
    char text[32];
    std::snprintf(text, sizeof(text), "%" PRIu64 ".%03u", ns / 1000,
                  unsigned(ns % 1000));
    return text;
  }

  /// Of a node, made once.
  const std::string &stackOf(uint32_t node) {
    auto [known, isNew] = stacks.try_emplace(node);
    if (isNew) {
      const ProfileNode &one = phase.nodes()[node];
      known->second =
          node ? stackOf(one.parent) + ", " + quoted(one.name) : "\"ROOT\"";
    }
    return stacks[node];
  }

  std::string line(const ProfileEvent &event) {
    std::string text =
        next() + "{\"name\": " + quoted(phase.nodes()[event.node].name) +
        ", \"cat\": \"" + kindName(event.kind) +
        "\", \"ph\": \"X\", \"ts\": " + microseconds(event.begin - first) +
        ", \"dur\": " + microseconds(event.end - event.begin) +
        ", \"pid\": " + std::to_string(event.device + 1) +
        ", \"tid\": " + std::to_string(event.row) + ", \"args\": {";
    text += "\"call_stack\": [" + stackOf(event.node) + "]";
    if (event.launch) {
      text += ", \"launch\": " + std::to_string(event.launch);
    }
    for (const NamedMetric &metric : phase.extrasOf(event)) {
      text += ", " + quoted(metric.name) + ": " +
              json(metric.value)
                  .dump(-1, ' ', false, Json::error_handler_t::replace);
    }
    return text + "}}";
  }

  const Profile &profile;
  const ProfilePhase &phase;
  const TextSink &sink;
  uint64_t first = UINT64_MAX;
  std::set<std::pair<int32_t, uint64_t>> rows;
  std::unordered_map<uint32_t, std::string> stacks;
  bool isFirst = true;
};

} // namespace

Status writeTrace(const Profile &profile, const ProfilePhase &phase,
                  const TextSink &sink) {
  return TraceWriter(profile, phase, sink).write() ? Status() : refused();
}

//===--- Files ------------------------------------------------------------===//

Status writeProfileFile(const std::string &path,
                        const std::function<Status(const TextSink &)> &write) {
  const std::string partial = path + "." + randomName();
  Descriptor file(
      open(partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  auto failed = [&](int error) {
    return Status(TZ_E_UNAVAILABLE, "the profile cannot be written to '" +
                                        path + "': " + describeError(error));
  };
  if (!file) {
    return failed(errno);
  }
  std::string buffer;
  constexpr size_t atOnce = size_t(1) << 20;
  auto empty = [&] {
    for (size_t done = 0; done < buffer.size();) {
      const ssize_t n =
          ::write(file.get(), buffer.data() + done, buffer.size() - done);
      if (n < 0 && errno != EINTR) {
        return false;
      }
      done += n > 0 ? size_t(n) : 0;
    }
    buffer.clear();
    return true;
  };
  Status s = write([&](std::string_view text) {
    buffer += text;
    return buffer.size() < atOnce || empty();
  });
  if (s.ok() && (!empty() || !file.close() ||
                 rename(partial.c_str(), path.c_str()) != 0)) {
    s = failed(errno);
  } else if (s.code() == TZ_E_UNAVAILABLE) {
    s = failed(errno);
  }
  if (!s.ok()) {
    unlink(partial.c_str());
  }
  return s;
}

} // namespace tz::runtime
