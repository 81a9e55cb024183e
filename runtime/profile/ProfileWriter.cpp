//===- ProfileWriter.cpp - a phase of a profile as text -------------------===//
//
// What   See ProfileWriter.h.
// Why    A trace has up to 10^7 records and more: it is written piece by piece,
//        while a tree is as large as the program's scopes.
//===----------------------------------------------------------------------===//
#include "runtime/profile/ProfileWriter.h"

#include "runtime/file/File.h"
#include "runtime/profile/DocumentWriter.h"
#include "runtime/profile/ThreadScopes.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <map>
#include <set>
#include <unistd.h>

namespace tz::runtime {

Status refusedBySink() {
  return Status(TZ_E_UNAVAILABLE,
                std::string("the profile cannot be written (") +
                    describeError(errno) + ")");
}

//===--- Trees ------------------------------------------------------------===//

namespace {

/// What is known of a kernel's code and grid, under the names of files.
std::vector<std::pair<const char *, uint64_t>>
factsOf(const ProfileNode &node) {
  std::vector<std::pair<const char *, uint64_t>> made = {
      {"programs", node.programs},
      {"threads", node.kernel.threads > 1 ? node.kernel.threads : 0},
      {"registers", node.kernel.registers},
      {"spill_bytes", node.kernel.spillBytes},
      {"shared_bytes", node.kernel.sharedBytes}};
  std::erase_if(made, [](const auto &one) { return one.second == 0; });
  return made;
}

/// The metrics of a node in the order of their first names.
class NodeMetrics {
public:
  /// A later value of the same name counts. By reference: where a copy runs out
  /// of memory, clang destroys a parameter that was not made.
  void set(const std::string &name, const MetricValue &value) {
    for (NamedMetric &one : all) {
      if (one.name == name) {
        one.value = value;
        return;
      }
    }
    NamedMetric &added = all.emplace_back();
    added.name = name;
    added.value = value;
  }

  void write(DocumentWriter &document) const {
    document.beginObject(all.size());
    for (const NamedMetric &one : all) {
      document.key(one.name);
      document.value(one.value);
    }
    document.end();
  }

private:
  std::vector<NamedMetric> all;
};

class TreeWriter {
public:
  TreeWriter(const Profile &profile, const ProfilePhase &phase,
             DocumentWriter &document)
      : profile(profile), document(document), nodes(phase.nodes()),
        children(nodes.size()) {
    for (uint32_t i = 1; i < nodes.size(); ++i) {
      children[nodes[i].parent].push_back(i);
    }
    // Devices tell of kernels later than the host of its launches.
    for (std::vector<uint32_t> &some : children) {
      std::sort(some.begin(), some.end(), [&](uint32_t a, uint32_t b) {
        return std::pair(nodes[a].began, a) < std::pair(nodes[b].began, b);
      });
    }
  }

  void write() {
    document.beginArray(2);
    writeNodes();
    writeDevices();
    document.end();
  }

private:
  /// Without recursion: a program's scopes may be deep.
  void writeNodes() {
    struct Place {
      uint32_t node;
      size_t next; ///< of its children
    };
    std::vector<Place> path;
    auto enter = [&](uint32_t node) {
      path.push_back({node, 0});
      beginNode(node);
    };
    enter(0);
    while (!path.empty()) {
      Place &at = path.back();
      if (at.next < children[at.node].size()) {
        enter(children[at.node][at.next++]);
        continue;
      }
      path.pop_back();
      document.end(); // its children
      document.end();
    }
  }

  /// Up to its children.
  void beginNode(uint32_t number) {
    const ProfileNode &one = nodes[number];
    document.beginObject(3);
    document.key("frame");
    document.beginObject(number ? 2 : 3);
    document.key("name");
    document.value(number ? one.name : std::string("ROOT"));
    document.key("type");
    document.value(std::string("function"));
    if (!number) {
      document.key("version");
      document.value(int64_t(ProfileFormatVersion));
    }
    document.end();
    document.key("metrics");
    (number ? metrics(one) : rootMetrics()).write(document);
    document.key("children");
    document.beginArray(children[number].size());
  }

  NodeMetrics metrics(const ProfileNode &one) const {
    NodeMetrics made;
    if (one.launches) {
      made.set("count", int64_t(one.launches));
      made.set("time (ns)", int64_t(one.ns));
      for (const auto &[name, fact] : factsOf(one)) {
        made.set(name, int64_t(std::min<uint64_t>(fact, INT64_MAX)));
      }
    }
    if (one.device != NoDevice) {
      const ProfileDevice &device = profile.devices()[size_t(one.device)];
      made.set("device_id", std::to_string(device.number));
      made.set("device_type", device.type);
    }
    for (const auto &[number, value] : one.metrics) {
      made.set(profile.metrics[number].name, value);
    }
    return made;
  }

  /// hatchet sums those metrics over children that its first node has.
  NodeMetrics rootMetrics() const {
    NodeMetrics made;
    std::set<uint32_t> used;
    for (const ProfileNode &one : nodes) {
      if (one.launches) {
        made.set("count", int64_t(0));
        made.set("time (ns)", int64_t(0));
      }
      for (const auto &metric : one.metrics) {
        used.insert(metric.first);
      }
    }
    for (uint32_t number : used) {
      const MetricKind &kind = profile.metrics[number];
      if (kind.isInclusive) {
        made.set(kind.name, int64_t(0));
      }
    }
    for (const auto &[number, value] : nodes[0].metrics) {
      made.set(profile.metrics[number].name, value);
    }
    return made;
  }

  /// type -> number -> facts.
  void writeDevices() {
    std::map<std::string, std::map<int, const ProfileDevice *>> types;
    for (const ProfileDevice &device : profile.devices()) {
      types[device.type][device.number] = &device;
    }
    document.beginObject(types.size());
    for (const auto &[type, devices] : types) {
      document.key(type);
      document.beginObject(devices.size());
      for (const auto &[number, device] : devices) {
        document.key(std::to_string(number));
        NodeMetrics facts;
        for (const auto &[name, value] : device->facts) {
          facts.set(name, value);
        }
        facts.write(document);
      }
      document.end();
    }
    document.end();
  }

  const Profile &profile;
  DocumentWriter &document;
  const std::deque<ProfileNode> &nodes;
  std::vector<std::vector<uint32_t>> children;
};

} // namespace

Status writeTree(const Profile &profile, const ProfilePhase &phase,
                 bool isPacked, const TextSink &sink) {
  DocumentWriter document(isPacked, sink);
  TreeWriter(profile, phase, document).write();
  return document.finish() ? Status() : refusedBySink();
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
