//===- CApiProfile.cpp - terrazzo.h: profiles -----------------------------===//
//
// What   tz_profile_t and the scopes of threads over the C++ objects.
// Why    See CApiHandles.h.
//===----------------------------------------------------------------------===//
#include "runtime/profile/ProfileWriter.h"
#include "runtime/profile/Recorder.h"
#include "runtime/session/CApiHandles.h"

using namespace tz::runtime;

struct tz_profile_s {
  Session *session;
  std::shared_ptr<Profile> profile;
  std::string content, note; // of the last call

  Recorder &recorder() const { return session->recorder(); }
};

namespace {

constexpr uint64_t UsualRecords = uint64_t(1) << 24;

Result<MetricValue> valueOf(const tz_metric &metric) {
  switch (metric.kind) {
  case TZ_METRIC_INT:
    return MetricValue(metric.i64);
  case TZ_METRIC_FLOAT:
    return MetricValue(metric.f64);
  case TZ_METRIC_TEXT:
    return metric.text ? Result<MetricValue>(std::string(metric.text))
                       : isNull("metric.text");
  case TZ_METRIC_INTS:
    return metric.i64s || !metric.count
               ? Result<MetricValue>(std::vector<int64_t>(
                     metric.i64s, metric.i64s + metric.count))
               : isNull("metric.i64s");
  case TZ_METRIC_FLOATS:
    return metric.f64s || !metric.count
               ? Result<MetricValue>(std::vector<double>(
                     metric.f64s, metric.f64s + metric.count))
               : isNull("metric.f64s");
  default:
    return Status(TZ_E_INVALID_ARGUMENT,
                  "metric.kind is " + std::to_string(metric.kind) +
                      "; it must be a TZ_METRIC_ constant");
  }
}

} // namespace

extern "C" {

tz_status_t tz_profile_start(tz_session_t session,
                             const tz_profile_options *options,
                             tz_profile_t *out) {
  TZ_REQUIRE(session);
  TZ_REQUIRE(out);
  return guarded([&] {
    tz_profile_options o;
    if (options && !readStruct(options, o)) {
      return Status(TZ_E_INVALID_ARGUMENT, "options.struct_size is not set");
    }
    if (!options) {
      o = {};
    }
    if (o.data > TZ_PROFILE_TRACE) {
      return Status(TZ_E_INVALID_ARGUMENT,
                    "options.data is " + std::to_string(o.data) +
                        "; it must be TZ_PROFILE_TREE or TZ_PROFILE_TRACE");
    }
    if (o.flags &
        ~uint32_t(TZ_PROFILE_FRAMES | TZ_PROFILE_RANGES | TZ_PROFILE_OWN)) {
      return Status(TZ_E_INVALID_ARGUMENT,
                    "options.flags has bits that have no meaning");
    }
    if (o.sample_period && o.data == TZ_PROFILE_TRACE) {
      return Status(TZ_E_INVALID_ARGUMENT,
                    "options.sample_period is of a tree; a trace has no "
                    "samples");
    }
    Session &owner = *session->session;
    auto made = std::make_unique<tz_profile_s>();
    made->session = &owner;
    ProfileSettings settings;
    settings.isTrace = o.data == TZ_PROFILE_TRACE;
    settings.hasFrames = o.flags & TZ_PROFILE_FRAMES;
    settings.hasRanges = o.flags & TZ_PROFILE_RANGES;
    settings.isOwn = o.flags & TZ_PROFILE_OWN;
    settings.maxRecords = o.max_records ? o.max_records : UsualRecords;
    settings.samplePeriod = o.sample_period;
    made->profile = owner.recorder().start(settings, owner.openDevices());
    *out = made.release();
    return Status();
  });
}

void tz_profile_destroy(tz_profile_t profile) {
  if (profile && !isForked()) {
    profile->recorder().stop(*profile->profile);
  }
  destroy(profile);
}

tz_status_t tz_profile_pause(tz_profile_t profile) {
  TZ_REQUIRE(profile);
  return guarded([&] {
    profile->recorder().activate(*profile->profile, false);
    return Status();
  });
}

tz_status_t tz_profile_resume(tz_profile_t profile) {
  TZ_REQUIRE(profile);
  return guarded([&] {
    profile->recorder().activate(*profile->profile, true);
    return Status();
  });
}

tz_status_t tz_profile_flush(tz_profile_t profile) {
  TZ_REQUIRE(profile);
  return guarded([&] { return profile->recorder().flush(); });
}

const char *tz_profile_note(tz_profile_t profile) {
  if (!profile || isForked()) {
    return "";
  }
  try {
    profile->recorder().locked(
        [&] { profile->note = profile->profile->noteText(); });
    return profile->note.c_str();
  } catch (const std::bad_alloc &) {
    return "out of memory\n";
  }
}

tz_status_t tz_profile_enter_scope(const char *name) {
  TZ_REQUIRE(name);
  return guarded([&] {
    ThreadScopes::ofThisThread().enter(name);
    return Status();
  });
}

tz_status_t tz_profile_exit_scope(const char *name) {
  return guarded([&] { return ThreadScopes::ofThisThread().leave(name); });
}

size_t tz_profile_depth(void) { return ThreadScopes::ofThisThread().depth(); }

tz_status_t tz_profile_enter_state(const char *name) {
  TZ_REQUIRE(name);
  return guarded([&] {
    ThreadScopes::ofThisThread().enterState(name);
    return Status();
  });
}

tz_status_t tz_profile_exit_state(void) {
  return guarded([&] { return ThreadScopes::ofThisThread().leaveState(); });
}

tz_status_t tz_profile_name_launches(const char *name) {
  return guarded([&] {
    ThreadScopes::ofThisThread().nameLaunches(
        name ? std::optional<std::string>(name) : std::nullopt);
    return Status();
  });
}

tz_status_t tz_profile_set_frames(const char *const *frames, size_t count) {
  if (count) {
    TZ_REQUIRE(frames);
  }
  return guarded([&] {
    std::vector<std::string> names;
    for (size_t i = 0; i < count; ++i) {
      if (!frames[i]) {
        return isNull("a frame");
      }
      names.emplace_back(frames[i]);
    }
    ThreadScopes::ofThisThread().setFrames(std::move(names));
    return Status();
  });
}

tz_status_t tz_profile_watch_frames(void (*tell)(void *ctx), void *ctx) {
  Recorder::watchFrames(tell, ctx);
  return nullptr;
}

tz_status_t tz_profile_add_metric(const tz_metric *metric) {
  TZ_REQUIRE(metric);
  return guarded([&] {
    tz_metric given;
    if (!readStruct(metric, given)) {
      return Status(TZ_E_INVALID_ARGUMENT, "metric.struct_size is not set");
    }
    if (!given.name || !*given.name) {
      return isNull("metric.name");
    }
    Result<MetricValue> value = valueOf(given);
    return value ? ThreadScopes::ofThisThread().addMetric(
                       namedMetric(given.name, std::move(*value)))
                 : value.takeStatus();
  });
}

tz_status_t tz_profile_advance_phase(tz_profile_t profile, uint64_t *out) {
  TZ_REQUIRE(profile);
  return guarded([&] {
    const uint64_t phase =
        profile->recorder().locked([&] { return profile->profile->advance(); });
    if (out) {
      *out = phase;
    }
    return Status();
  });
}

uint64_t tz_profile_phase(tz_profile_t profile) {
  return profile && !isForked() ? profile->recorder().locked(
                                      [&] { return profile->profile->phase(); })
                                : 0;
}

int32_t tz_profile_is_phase_complete(tz_profile_t profile, uint64_t phase) {
  return profile && !isForked() && profile->recorder().locked([&] {
    return profile->profile->isComplete(phase);
  });
}

tz_status_t tz_profile_clear(tz_profile_t profile, uint64_t first,
                             uint64_t last) {
  TZ_REQUIRE(profile);
  return guarded([&] {
    profile->recorder().locked([&] { profile->profile->clear(first, last); });
    return Status();
  });
}

tz_status_t tz_profile_read(tz_profile_t profile, uint64_t phase,
                            uint64_t first, tz_profile_record *out,
                            size_t count, size_t *given) {
  TZ_REQUIRE(profile);
  TZ_REQUIRE(given);
  if (count) {
    TZ_REQUIRE(out);
  }
  return guarded([&] {
    return profile->recorder().locked([&] {
      const ProfilePhase *data = profile->profile->find(phase);
      size_t made = 0;
      for (; data && made < count && first + made < data->events().size();
           ++made) {
        const ProfileEvent &event = data->events()[first + made];
        writeStruct(&out[made],
                    tz_profile_record{sizeof(tz_profile_record), event.kind,
                                      event.device, event.row, event.launch,
                                      event.begin, event.end,
                                      data->nodes()[event.node].name.c_str()});
      }
      *given = made;
      return Status();
    });
  });
}

tz_status_t tz_profile_content(tz_profile_t profile, uint64_t phase,
                               const char *format, const char **bytes,
                               size_t *size) {
  TZ_REQUIRE(profile);
  TZ_REQUIRE(bytes);
  TZ_REQUIRE(size);
  return guarded([&] {
    std::string made;
    Status s = profile->recorder().locked([&] {
      return profile->profile->write(phase, format ? format : "",
                                     [&](std::string_view text) {
                                       made += text;
                                       return true;
                                     });
    });
    if (s.ok()) {
      profile->content = std::move(made);
      *bytes = profile->content.c_str();
      *size = profile->content.size();
    }
    return s;
  });
}

tz_status_t tz_profile_write(tz_profile_t profile, uint64_t phase,
                             const char *format, const char *path) {
  TZ_REQUIRE(profile);
  TZ_REQUIRE(path);
  return guarded([&] {
    return writeProfileFile(path, [&](const TextSink &sink) {
      return profile->recorder().locked([&] {
        return profile->profile->write(phase, format ? format : "", sink);
      });
    });
  });
}

} // extern "C"
