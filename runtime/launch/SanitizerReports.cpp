//===- SanitizerReports.cpp - what sanitizers found, as one error ---------===//
//
// What   See SanitizerReports.h.
// Why    See SanitizerReports.h; the form of a report is in plugin.h,
// section 7.
//===----------------------------------------------------------------------===//
#include "runtime/launch/SanitizerReports.h"

#include "runtime/launch/LogDecoder.h"
#include "runtime/launch/PlanEvaluator.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace tz::runtime {

namespace {

/// More are counted as one: the ring holds some 10,000.
constexpr size_t MaxLines = 8;
/// Programs whose records may stand between those of one report.
constexpr size_t MaxOpen = 1024;

/// The fields of a report's text.
struct Form {
  std::string check, what, array, more;
  std::vector<int64_t> shape;

  explicit Form(const std::string &text) {
    std::string fields[4];
    size_t at = 0;
    for (std::string &field : fields) {
      const size_t end = std::min(text.find(';', at), text.size());
      field = text.substr(at, end - at);
      at = std::min(end + 1, text.size());
    }
    more = text.substr(std::min(at, text.size()));
    check = std::move(fields[0]);
    what = std::move(fields[1]);
    array = std::move(fields[2]);
    for (size_t from = 0; from < fields[3].size();) {
      const size_t end = std::min(fields[3].find('x', from), fields[3].size());
      shape.push_back(std::strtoll(fields[3].substr(from, end - from).c_str(),
                                   nullptr, 10));
      from = end + 1;
    }
  }
  int64_t elements() const {
    int64_t count = 1;
    for (int64_t extent : shape) {
      count *= extent;
    }
    return count;
  }
};

std::string placeOf(const LogSite &site) {
  return site.file.empty() ? std::string("?")
                           : site.file + ":" + std::to_string(site.line) + ":" +
                                 std::to_string(site.col);
}

std::string countText(int64_t count, const char *what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// "load of element 1000 of 'x', which has elements 0 to 999"
std::string boundsText(const Form &form, int64_t element, int64_t elements) {
  return form.what + " of element " + std::to_string(element) + " of '" +
         form.array + "', which has " +
         (elements == 0 ? std::string("no elements")
                        : "elements 0 to " + std::to_string(elements - 1));
}

/// "load of element 3 of 'x'"
std::string elementText(const Form &form, uint64_t element) {
  return form.what + " of element " + std::to_string(int64_t(element)) +
         " of '" + form.array + "'";
}

/// What the other program does, and where: "writes at k.py:12:5". `more` has
/// "writes@k.py:12:5|reads@k.py:11:9", for each place from 1.
std::string otherText(const Form &form, uint32_t place) {
  std::string_view rest = form.more;
  for (uint32_t i = 1; i < place; ++i) {
    const size_t end = rest.find('|');
    rest = end == rest.npos ? std::string_view() : rest.substr(end + 1);
  }
  const std::string_view one = rest.substr(0, rest.find('|'));
  const size_t at = one.find('@');
  return place == 0 || at == one.npos
             ? "touches"
             : std::string(one.substr(0, at)) + " at " +
                   std::string(one.substr(at + 1));
}

/// Values: element, key of the other access, sizes of the grid.
std::string raceText(const Form &form, const std::vector<uint64_t> &values) {
  const auto key = uint32_t(values[3]);
  const uint32_t x = std::max(uint32_t(values[4]), 1u),
                 y = std::max(uint32_t(values[5]), 1u), linear = (key >> 8) - 1;
  const uint32_t program[3] = {linear % x, linear / x % y, linear / x / y};
  return elementText(form, values[2]) + ", which program " +
         programText(program) + " " + otherText(form, key & 255) +
         "; nothing orders the two";
}

std::string valueText(const Form &form, const LogValue &value, uint64_t bits) {
  uint8_t bytes[8];
  std::memcpy(bytes, &bits, sizeof(bytes));
  const std::string made = formatValue(value.type, bytes, false);
  if (form.check == "nan") {
    return form.what + " gives " + made + " from finite operands";
  }
  const bool isResult = form.what.starts_with("integer overflow of");
  return form.what + (isResult ? ": the exact result is " : " ") + made;
}

} // namespace

SanitizerReports::Report *
SanitizerReports::openReport(const tz_log_record &record) {
  const size_t oldest = reports.size() - std::min(reports.size(), MaxOpen);
  for (size_t i = reports.size(); i-- > oldest;) {
    Report &report = reports[i];
    if (report.site == record.site && report.values.size() == record.value &&
        std::equal(report.program, report.program + 3, record.program)) {
      return &report;
    }
  }
  return nullptr;
}

bool SanitizerReports::isWhole(const Report &report) const {
  return report.values.size() == artifact.logSites[report.site].values.size();
}

void SanitizerReports::add(const tz_log_record &record,
                           std::span<const uint8_t> payload) {
  const LogSite &site = artifact.logSites[record.site];
  if (record.value >= site.values.size() || record.count == 0) {
    return;
  }
  uint64_t bits = 0;
  const size_t size = typeSize(site.values[record.value].type);
  if (payload.size() < size) {
    return;
  }
  std::memcpy(&bits, payload.data(), size);
  if (record.value == 0) {
    Report &report = reports.emplace_back();
    report.site = record.site;
    std::copy_n(record.program, 3, report.program);
    report.values.push_back(bits);
  } else if (Report *report = openReport(record)) {
    report->values.push_back(bits);
  }
}

/// Programs write in any order: the first of the least program is told, so that
/// two runs say the same.
const SanitizerReports::Report *SanitizerReports::first() const {
  const Report *least = nullptr;
  auto key = [](const Report &report) {
    return std::array{report.program[2], report.program[1], report.program[0]};
  };
  for (const Report &report : reports) {
    if (isWhole(report) && report.values.size() >= 3 &&
        (!least || key(report) < key(*least))) {
      least = &report;
    }
  }
  return least;
}

Status SanitizerReports::status() const {
  const Report *told = first();
  if (!told) {
    return Status();
  }
  const LogSite &site = artifact.logSites[told->site];
  const Form form(site.text);
  const int64_t lane = int32_t(told->values[0]);
  const int64_t lanes = int32_t(told->values[1]);
  const bool isBounds = form.check == "bounds" && told->values.size() >= 4;
  const bool isRace = form.check == "race" && told->values.size() >= 6;
  const bool isUnwritten = form.check == "uninitialized";
  std::string text = placeOf(site) + ": " + form.check + ": ";
  text +=
      isBounds
          ? boundsText(form, int64_t(told->values[2]), int64_t(told->values[3]))
      : isRace ? raceText(form, told->values)
      : isUnwritten
          ? elementText(form, told->values[2]) + ", which nothing has written"
          : valueText(form, site.values[2], told->values[2]);
  const std::string where =
      form.shape.empty() ? "" : indexText(uint64_t(lane), form.shape);
  if (!form.shape.empty()) {
    text += "; tile element " + where;
    if (lanes > 1) {
      text += ", the first of " + std::to_string(lanes) + " of " +
              std::to_string(form.elements());
    }
  }
  const std::string program = programText(told->program);
  text += "; program " + program;
  text += site.function.empty() ? "" : " (in " + site.function + ")";
  std::vector<std::string> lines;
  for (const Report &other : reports) {
    const LogSite &at = artifact.logSites[other.site];
    std::string line = placeOf(at);
    if (const std::string check = Form(at.text).check; check != form.check) {
      line += " (" + check + ")";
    }
    // Passes may have copied the access.
    if (line != placeOf(site) &&
        std::find(lines.begin(), lines.end(), line) == lines.end()) {
      lines.push_back(std::move(line));
    }
  }
  if (reports.size() > 1) {
    text += "; " + countText(int64_t(reports.size()) - 1, "more report");
    for (size_t i = 0; i < std::min(lines.size(), MaxLines); ++i) {
      text += (i ? ", " : ", also at ") + lines[i];
    }
    text += lines.size() > MaxLines ? ", ..." : "";
  }
  Status status(TZ_E_ASSERTION, text);
  status.with("sanitizer", form.check)
      .with("file", site.file)
      .with("line", std::to_string(site.line))
      .with("column", std::to_string(site.col))
      .with("program", program)
      .with("tile_element", where)
      .with("array", form.array);
  if (isBounds || isRace || isUnwritten) {
    status.with("element", std::to_string(int64_t(told->values[2])));
  }
  if (isBounds) {
    status.with("elements", std::to_string(int64_t(told->values[3])));
  }
  return status;
}

} // namespace tz::runtime
