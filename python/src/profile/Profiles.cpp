//===- Profiles.cpp - profiles of this process ----------------------------===//
//
// What   See Profiles.h.
// Why    See Profiles.h.
//===----------------------------------------------------------------------===//
#include "profile/Profiles.h"

#include "session/PythonSession.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace tz::python {

namespace {

void require(tz_status_t status) {
  if (!settle(status)) {
    throw nb::python_error();
  }
}

/// Without the GIL: it may wait for a device.
template <typename Call>
void requireOutside(Call &&call) {
  tz_status_t status = nullptr;
  {
    nb::gil_scoped_release others;
    status = call();
  }
  require(status);
}

class Profile {
public:
  Profile(bool isTrace, bool hasFrames, bool hasRanges, bool isOwn,
          uint64_t maxRecords, uint64_t samplePeriod) {
    Session *session = Session::get();
    if (!session) {
      throw nb::python_error();
    }
    tz_profile_options options{};
    options.struct_size = sizeof(options);
    options.data = isTrace ? TZ_PROFILE_TRACE : TZ_PROFILE_TREE;
    options.flags = (hasFrames ? TZ_PROFILE_FRAMES : 0) |
                    (hasRanges ? TZ_PROFILE_RANGES : 0) |
                    (isOwn ? TZ_PROFILE_OWN : 0);
    options.max_records = maxRecords;
    options.sample_period = samplePeriod;
    requireOutside(
        [&] { return tz_profile_start(session->handle(), &options, &handle); });
  }
  ~Profile() { close(); }
  Profile(const Profile &) = delete;

  void close() {
    nb::gil_scoped_release others; // one may be telling its frames
    tz_profile_destroy(std::exchange(handle, nullptr));
  }
  void pause() {
    requireOutside([&] { return tz_profile_pause(handle); });
  }
  void resume() {
    requireOutside([&] { return tz_profile_resume(handle); });
  }
  void flush() {
    requireOutside([&] { return tz_profile_flush(handle); });
  }
  std::string note() const { return tz_profile_note(handle); }
  uint64_t phase() const { return tz_profile_phase(handle); }
  uint64_t advance() {
    uint64_t made = 0;
    require(tz_profile_advance_phase(handle, &made));
    return made;
  }
  bool isComplete(uint64_t phase) const {
    return tz_profile_is_phase_complete(handle, phase) != 0;
  }
  void clear(uint64_t first, uint64_t last) {
    require(tz_profile_clear(handle, first, last));
  }
  nb::bytes content(uint64_t phase, const std::string &format) const {
    const char *bytes = nullptr;
    size_t size = 0;
    requireOutside([&] {
      return tz_profile_content(handle, phase, format.c_str(), &bytes, &size);
    });
    return nb::bytes(bytes, size);
  }
  void write(uint64_t phase, const std::string &format,
             const std::string &path) const {
    requireOutside([&] {
      return tz_profile_write(handle, phase, format.c_str(), path.c_str());
    });
  }

private:
  tz_profile_t handle = nullptr;
};

/// True: `value` is a list or tuple of numbers, whose values are in `metric`.
bool readNumbers(nb::handle value, tz_metric &metric,
                 std::vector<int64_t> &whole, std::vector<double> &floats) {
  if (!PyList_Check(value.ptr()) && !PyTuple_Check(value.ptr())) {
    return false;
  }
  bool isWhole = true;
  for (nb::handle one : value) {
    isWhole = isWhole && PyLong_Check(one.ptr());
  }
  for (nb::handle one : value) {
    if (isWhole) {
      whole.push_back(nb::cast<int64_t>(one));
    } else {
      floats.push_back(nb::cast<double>(one));
    }
  }
  metric.kind = isWhole ? TZ_METRIC_INTS : TZ_METRIC_FLOATS;
  metric.i64s = whole.data();
  metric.f64s = floats.data();
  metric.count = isWhole ? whole.size() : floats.size();
  return true;
}

void addMetric(const std::string &name, nb::handle value) {
  tz_metric metric{};
  metric.struct_size = sizeof(metric);
  metric.name = name.c_str();
  std::vector<int64_t> whole;
  std::vector<double> floats;
  std::string text;
  if (PyLong_Check(value.ptr())) {
    metric.kind = TZ_METRIC_INT;
    metric.i64 = nb::cast<int64_t>(value);
  } else if (PyFloat_Check(value.ptr())) {
    metric.kind = TZ_METRIC_FLOAT;
    metric.f64 = nb::cast<double>(value);
  } else if (PyUnicode_Check(value.ptr())) {
    text = nb::cast<std::string>(value);
    metric.kind = TZ_METRIC_TEXT;
    metric.text = text.c_str();
  } else if (!readNumbers(value, metric, whole, floats)) {
    throw nb::type_error(
        ("metric '" + name +
         "' must be a number, a text, a list of numbers or an array of them")
            .c_str());
  }
  require(tz_profile_add_metric(&metric));
}

/// The function that tells frames. Never released: a thread may be in it.
PyObject *frameTeller = nullptr;

/// On a thread that is in another library, with the GIL or without.
void tellFrames(void *) {
  nb::gil_scoped_acquire gil;
  if (PyObject *teller = frameTeller) {
    PyObject *done = PyObject_CallNoArgs(teller);
    if (!done) {
      PyErr_WriteUnraisable(teller);
    }
    Py_XDECREF(done);
  }
}

void watchFrames(nb::object teller) {
  frameTeller = teller.is_none() ? nullptr : teller.release().ptr();
  require(tz_profile_watch_frames(frameTeller ? tellFrames : nullptr, nullptr));
}

const char *textOf(const std::optional<std::string> &text) {
  return text ? text->c_str() : nullptr;
}

} // namespace

void addProfiles(nb::module_ &module) {
  nb::class_<Profile>(module, "Profile", "What launches cost, by scopes.")
      .def(nb::init<bool, bool, bool, bool, uint64_t, uint64_t>(),
           nb::arg("is_trace"), nb::arg("has_frames"), nb::arg("has_ranges"),
           nb::arg("is_own"), nb::arg("max_records"),
           nb::arg("sample_period") = 0)
      .def("close", &Profile::close)
      .def("pause", &Profile::pause)
      .def("resume", &Profile::resume)
      .def("flush", &Profile::flush)
      .def("note", &Profile::note)
      .def("phase", &Profile::phase)
      .def("advance", &Profile::advance)
      .def("is_complete", &Profile::isComplete, nb::arg("phase"))
      .def("clear", &Profile::clear, nb::arg("first"), nb::arg("last"))
      .def("content", &Profile::content, nb::arg("phase"), nb::arg("format"))
      .def("write", &Profile::write, nb::arg("phase"), nb::arg("format"),
           nb::arg("path"));
  module.def(
      "profile_enter_scope",
      [](const std::string &name) {
        require(tz_profile_enter_scope(name.c_str()));
      },
      nb::arg("name"), "Opens a scope of this thread.");
  module.def(
      "profile_exit_scope", [] { require(tz_profile_exit_scope(nullptr)); },
      "Closes this thread's innermost scope.");
  module.def("profile_depth", &tz_profile_depth,
             "How many scopes are open on this thread.");
  module.def(
      "profile_enter_state",
      [](const std::string &name) {
        require(tz_profile_enter_state(name.c_str()));
      },
      nb::arg("name"), "Opens a state of this thread.");
  module.def(
      "profile_exit_state", [] { require(tz_profile_exit_state()); },
      "Closes this thread's innermost state.");
  module.def(
      "profile_name_launches",
      [](const std::optional<std::string> &name) {
        require(tz_profile_name_launches(textOf(name)));
      },
      nb::arg("name").none(),
      "The name of this thread's next launches; None: the kernel's.");
  module.def(
      "profile_set_frames",
      [](const std::vector<std::string> &frames) {
        std::vector<const char *> texts;
        for (const std::string &frame : frames) {
          texts.push_back(frame.c_str());
        }
        require(tz_profile_set_frames(texts.data(), texts.size()));
      },
      nb::arg("frames"), "Where in the program this thread is.");
  module.def("profile_watch_frames", watchFrames, nb::arg("teller").none(),
             "Calls `teller` where another library launches; None: nobody.");
  module.def("profile_add_metric", addMetric, nb::arg("name"), nb::arg("value"),
             "A value for this thread's innermost scope.");
}

} // namespace tz::python
