//===- LogDecoder.cpp - print and assert, decoded -------------------------===//
//
// What   One line per printed element: "pid (0, 0, 0) idx (3, 1) prefix: 2.5".
// Why    That is the form that authors of kernels know from Triton, and that
//        their scripts read.
//===----------------------------------------------------------------------===//
#include "runtime/launch/LogDecoder.h"

#include "runtime/launch/PlanEvaluator.h"
#include "runtime/launch/SanitizerReports.h"
#include "runtime/loader/Host.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

namespace tz::runtime {

uint64_t logCapacity() {
  static const uint64_t capacity = [] {
    uint64_t bytes = uint64_t(1) << 20;
    if (auto text = environment("TERRAZZO_LOG_BYTES")) {
      char *end = nullptr;
      unsigned long long value = std::strtoull(text->c_str(), &end, 10);
      if (end && !*end && value >= 4096 && value <= (uint64_t(1) << 30)) {
        bytes = value & ~uint64_t(7);
      } else {
        logMessage(1, "", "TERRAZZO_LOG_BYTES must be from 4096 to 1073741824");
      }
    }
    return bytes;
  }();
  return capacity;
}

tz_log_header emptyLogHeader(uint64_t capacity) {
  tz_log_header header{};
  header.capacity = capacity;
  return header;
}

namespace {

/// Sign, exponent and mantissa of a small float; nan says which bits are NaN or
/// infinity.
struct SmallFloat {
  int exponentBits, mantissaBits, bias;
  bool hasInfinity; // else only all-ones is NaN, or (fnuz) only 0x80
  bool fnuz;
};

double decodeSmall(uint32_t bits, const SmallFloat &f) {
  int width = 1 + f.exponentBits + f.mantissaBits;
  bool negative = bits >> (width - 1) & 1;
  uint32_t exponent = bits >> f.mantissaBits & ((1u << f.exponentBits) - 1);
  uint32_t mantissa = bits & ((1u << f.mantissaBits) - 1);
  bool allOnes = exponent == (1u << f.exponentBits) - 1;
  if (f.fnuz && bits == 1u << (width - 1)) {
    return NAN;
  }
  if (allOnes && f.hasInfinity) {
    double special = mantissa ? NAN : INFINITY;
    return negative ? -special : special;
  }
  if (allOnes && !f.fnuz && mantissa == (1u << f.mantissaBits) - 1) {
    return NAN;
  }
  double value =
      exponent ? std::ldexp(double(mantissa | 1u << f.mantissaBits),
                            int(exponent) - f.bias - f.mantissaBits)
               : std::ldexp(double(mantissa), 1 - f.bias - f.mantissaBits);
  return negative ? -value : value;
}

/// Of a row of ElementTypes.def. What a format has instead of infinities is in
/// its name: FN is finite, UZ has one zero and one NaN.
SmallFloat smallFloat(std::string_view id, int bits, int fraction,
                      int leastExponent) {
  return {bits - 1 - fraction, fraction, 1 - leastExponent,
          id.find("FN") == std::string_view::npos, id.ends_with("UZ")};
}

} // namespace

double decodeFloat(uint32_t type, uint64_t bits) {
  switch (type) {
  case TZ_TYPE_BF16:
    return std::bit_cast<float>(uint32_t(bits) << 16);
  case TZ_TYPE_F32:
    return std::bit_cast<float>(uint32_t(bits));
  case TZ_TYPE_F64:
    return std::bit_cast<double>(bits);
  default:
    break;
  }
#define ELEMENT_TYPE(Id, Bits, Class, Name, Long, Text, Fraction,              \
                     LeastExponent)                                            \
  if (type == TZ_TYPE_##Id) {                                                  \
    return decodeSmall(uint32_t(bits),                                         \
                       smallFloat(#Id, Bits, Fraction, LeastExponent));        \
  }
#include <terrazzo/ElementTypes.def>
  return NAN;
}

namespace {

bool isSigned(uint32_t type) {
  return type >= TZ_TYPE_I8 && type <= TZ_TYPE_I64;
}

std::string place(const LogSite &site) {
  if (site.file.empty()) {
    return "?";
  }
  return site.line ? site.file + ":" + std::to_string(site.line) : site.file;
}

void printRecord(const LogSite &site, const tz_log_record &record,
                 std::span<const uint8_t> payload, const PrintSink &sink) {
  std::string head = "pid " + programText(record.program) + " ";
  if (record.value >= site.values.size() || record.count == 0) {
    sink(head + "idx () " + site.text);
    return;
  }
  const LogValue &value = site.values[record.value];
  uint32_t size = typeSize(value.type);
  uint64_t count = std::min<uint64_t>(record.count, payload.size() / size);
  std::string operand = site.values.size() > 1
                            ? "(operand " + std::to_string(record.value) + ") "
                            : std::string();
  std::string separator =
      !site.text.empty() && site.text.back() == ' ' ? "" : " ";
  for (uint64_t i = 0; i < count; ++i) {
    sink(head + "idx " + indexText(record.first + i, value.shape) + " " +
         operand + site.text + separator +
         formatValue(value.type, payload.data() + i * size,
                     site.flags & TZ_LOG_HEX));
  }
}

/// Adds what a subgroup tells; nothing if memory was overwritten.
void readParts(const Artifact &artifact, const tz_log_record &record,
               std::span<const uint8_t> payload, LaunchParts &parts) {
  tz_log_events head;
  if (payload.size() < sizeof(head) ||
      (payload.size() - sizeof(head)) / sizeof(uint64_t) < record.count) {
    return;
  }
  std::memcpy(&head, payload.data(), sizeof(head));
  const size_t first = parts.events.size();
  const uint8_t *at = payload.data() + sizeof(head);
  for (uint32_t i = 0; i < record.count; ++i, at += sizeof(uint64_t)) {
    uint64_t event;
    std::memcpy(&event, at, sizeof(event));
    const auto site = uint32_t(event >> 48);
    if (site >= artifact.logSites.size() ||
        artifact.logSites[site].kind != TZ_LOG_PART) {
      parts.events.resize(first);
      return;
    }
    parts.events.push_back({site, event & ((uint64_t(1) << 48) - 1)});
  }
  parts.programs.push_back(
      {{record.program[0], record.program[1], record.program[2]},
       head.clock,
       head.subgroup,
       record.value,
       head.began,
       head.ended,
       head.began_ns,
       head.ended_ns,
       record.first,
       first,
       record.count});
}

} // namespace

bool hasParts(const Artifact &artifact) {
  return std::any_of(
      artifact.logSites.begin(), artifact.logSites.end(),
      [](const LogSite &site) { return site.kind == TZ_LOG_PART; });
}

bool hasMessages(const Artifact &artifact) {
  return std::any_of(
      artifact.logSites.begin(), artifact.logSites.end(),
      [](const LogSite &site) { return site.kind != TZ_LOG_PART; });
}

std::string programText(const uint32_t (&program)[3]) {
  return "(" + std::to_string(program[0]) + ", " + std::to_string(program[1]) +
         ", " + std::to_string(program[2]) + ")";
}

std::string indexText(uint64_t linear, const std::vector<int64_t> &shape) {
  std::string text;
  for (size_t i = shape.size(); i-- > 0;) {
    uint64_t extent = uint64_t(std::max<int64_t>(shape[i], 1));
    text = std::to_string(linear % extent) + (text.empty() ? "" : ", ") + text;
    linear /= extent;
  }
  return "(" + text + ")";
}

std::string formatValue(uint32_t type, const uint8_t *bytes, bool hex) {
  uint32_t size = typeSize(type);
  uint64_t bits = 0;
  std::memcpy(&bits, bytes, size);
  char text[64];
  if (hex || type == TZ_TYPE_PTR) {
    std::snprintf(text, sizeof(text), "0x%0*llx", int(size) * 2,
                  static_cast<unsigned long long>(bits));
  } else if (type >= TZ_TYPE_F16) {
    int digits = type == TZ_TYPE_F64 ? 17 : type == TZ_TYPE_F32 ? 9 : 6;
    // The shortest text that reads back as the same value.
    double value = decodeFloat(type, bits);
    if (std::isnan(value)) {
      return "nan"; // whatever its sign, which targets give differently
    }
    for (int n = 6; n <= digits; ++n) {
      std::snprintf(text, sizeof(text), "%.*g", n, value);
      double again = std::strtod(text, nullptr);
      if (type == TZ_TYPE_F64 ? again == value : float(again) == float(value)) {
        break;
      }
    }
  } else if (isSigned(type)) {
    int shift = 64 - int(size) * 8;
    std::snprintf(text, sizeof(text), "%lld",
                  static_cast<long long>(int64_t(bits << shift) >> shift));
  } else {
    std::snprintf(text, sizeof(text), "%llu",
                  static_cast<unsigned long long>(bits));
  }
  return text;
}

Status decodeLog(const Artifact &artifact, const tz_log_header &header,
                 std::span<const uint8_t> records, const PrintSink &sink,
                 LaunchParts *parts) {
  uint64_t end =
      std::min<uint64_t>({header.reserved, header.capacity, records.size()});
  SanitizerReports reports(artifact);
  for (uint64_t at = 0; end - at >= sizeof(tz_log_record);) {
    tz_log_record record;
    std::memcpy(&record, records.data() + at, sizeof(record));
    if (record.size < sizeof(record) || record.size % 8 ||
        record.size > end - at) {
      break; // the record that found no room, or overwritten memory
    }
    const std::span<const uint8_t> payload =
        records.subspan(at + sizeof(record), record.size - sizeof(record));
    if (record.site < artifact.logSites.size()) {
      const LogSite &site = artifact.logSites[record.site];
      if (site.kind == TZ_LOG_REPORT) {
        reports.add(record, payload);
      } else if (site.kind == TZ_LOG_PART) {
        if (parts) {
          readParts(artifact, record, payload, *parts);
        }
      } else if (sink) {
        printRecord(site, record, payload, sink);
      }
    }
    at += record.size;
  }
  if (parts) {
    parts->lost += header.dropped;
  } else if (header.dropped && sink && hasMessages(artifact)) {
    sink("(" + std::to_string(header.dropped) +
         " more records were printed than fit; TERRAZZO_LOG_BYTES sets the "
         "size)");
  }
  if (!header.failed) {
    return reports.status();
  }
  uint32_t index = header.failed - 1;
  LogSite unknown;
  unknown.text = "(unknown assertion)";
  const LogSite &site =
      index < artifact.logSites.size() ? artifact.logSites[index] : unknown;
  Status status(
      TZ_E_ASSERTION,
      place(site) + ": device assertion failed: " + site.text +
          (site.function.empty() ? "" : " (in " + site.function + ")") +
          ", program " + programText(header.failed_program));
  status.with("file", site.file).with("line", std::to_string(site.line));
  return status;
}

} // namespace tz::runtime
