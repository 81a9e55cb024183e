//===- Profile.cpp - one profile of a session -----------------------------===//
//
// What   See Profile.h.
// Why    See Profile.h.
//===----------------------------------------------------------------------===//
#include "runtime/profile/Profile.h"

#include "runtime/device/RuntimeDevice.h"
#include "runtime/profile/ProfileWriter.h"

#include <algorithm>

namespace tz::runtime {

ProfilePhase *Profile::find(uint64_t phase) const {
  auto found = std::find_if(phases.begin(), phases.end(), [&](const auto &one) {
    return one->number == phase;
  });
  return found == phases.end() ? nullptr : found->get();
}

uint64_t Profile::advance() {
  phases.push_back(
      std::make_shared<ProfilePhase>(phasesMade, isTrace, maxRecords));
  return phasesMade++;
}

bool Profile::isComplete(uint64_t phase) const {
  const ProfilePhase *found = find(phase);
  return phase < this->phase() && (!found || found->pending == 0);
}

void Profile::clear(uint64_t first, uint64_t last) {
  // The running phase goes on, empty.
  std::erase_if(phases, [&](const auto &one) {
    return one != phases.back() && one->number >= first && one->number <= last;
  });
  if (phase() >= first && phase() <= last) {
    phases.back()->clear();
  }
}

int32_t Profile::place(const void *owner, int number) const {
  for (size_t i = 0; i < known.size(); ++i) {
    if (known[i].owner == owner && known[i].number == number) {
      return int32_t(i);
    }
  }
  return NoDevice;
}

/// What of a device's facts files tell: its type, and numbers under the names
/// that viewers of profiles ask for.
static ProfileDevice describe(const Device &device, const void *owner) {
  ProfileDevice made{owner, device.index(), device.plugin().name(), {}};
  for (char &c : made.type) {
    c = char(std::toupper(c));
  }
  const std::string &target = device.target();
  std::string arch = target.substr(target.find(':') + 1);
  const tz_device_info &info = device.info();
  int64_t clock = 0, memoryClock = 0, busBits = 0;
  for (size_t i = 0; i < info.num_props; ++i) {
    const tz_kv &prop = info.props[i];
    const std::string_view key = view(prop.key);
    if (key == "profile.type" && prop.kind == TZ_KV_STR) {
      made.type = view(prop.str);
    } else if (prop.kind == TZ_KV_I64) {
      arch = key == "capability" ? std::to_string(prop.i64) : arch;
      clock = key == "clock.hz" ? prop.i64 / 1000 : clock;
      memoryClock = key == "memory.clock.hz" ? prop.i64 / 1000 : memoryClock;
      busBits = key == "memory.bus.bits" ? prop.i64 : busBits;
    }
  }
  // One by one: of a list in braces clang destroys texts that it has not made
  // where memory ends.
  made.facts.emplace_back("name", device.name());
  made.facts.emplace_back("arch", arch);
  made.facts.emplace_back("num_sms", int64_t(info.compute_units));
  made.facts.emplace_back("clock_rate", clock);
  made.facts.emplace_back("memory_clock_rate", memoryClock);
  made.facts.emplace_back("bus_width", busBits);
  return made;
}

int32_t Profile::place(const Device &device) {
  const void *owner = device.half().platform;
  int32_t found = place(owner, device.index());
  if (found == NoDevice) {
    found = int32_t(known.size());
    known.push_back(describe(device, owner));
  }
  return found;
}

void Profile::note(std::string line) {
  if (std::find(notes.begin(), notes.end(), line) == notes.end()) {
    notes.push_back(std::move(line));
  }
}

std::string Profile::noteText() const {
  std::string text;
  for (const std::string &line : notes) {
    text += line + "\n";
  }
  auto add = [&](uint64_t count, const char *what) {
    if (count) {
      text += std::to_string(count) + " " + what + "\n";
    }
  };
  add(lostParts.events,
      "events of parts are missing: a program keeps its newest");
  add(lostParts.records,
      "records of parts are missing: their launch told more than it had room "
      "for; TERRAZZO_PROFILE_PART_BYTES sets how much all have");
  add(lostParts.launches,
      "launches told nothing of their parts: there was no room for it; "
      "TERRAZZO_PROFILE_PART_BYTES sets how much there is");
  add(lostSamples,
      "samples of instructions are missing: there was no room for them; a "
      "longer period makes fewer");
  add(current()->dropped,
      "records are missing: there was no room for them, or the device did not "
      "tell them");
  return text;
}

Status Profile::write(uint64_t phase, std::string_view format,
                      const TextSink &sink) const {
  if (format.empty()) {
    format = isTrace ? "chrome_trace" : "hatchet";
  }
  static const ProfilePhase nothing(0, false, 0);
  const ProfilePhase *found = find(phase);
  const ProfilePhase &data = found ? *found : nothing;
  if (isTrace && format == "chrome_trace") {
    return writeTrace(*this, data, sink);
  }
  if (isTrace && format == "kernel_trace") {
    return writeKernelTrace(*this, data, sink);
  }
  if (!isTrace && (format == "hatchet" || format == "hatchet_msgpack")) {
    return writeTree(*this, data, format == "hatchet_msgpack", sink);
  }
  return Status(TZ_E_INVALID_ARGUMENT,
                "a profile that is a " +
                    std::string(isTrace ? "trace" : "tree") +
                    " has no format '" + std::string(format) + "'; it has " +
                    (isTrace ? "chrome_trace and kernel_trace"
                             : "hatchet and hatchet_msgpack"));
}

} // namespace tz::runtime
