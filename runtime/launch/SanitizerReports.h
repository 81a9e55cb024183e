//===- SanitizerReports.h - what sanitizers found, as one error -----------===//
//
// What   Joins the records of reports (TZ_LOG_REPORT) to one status: the first
//        of them whole, the others counted by their lines.
// Why    A wrong index is wrong in many programs and elements. A user mends the
//        first and wants to know whether there are other lines.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_LAUNCH_SANITIZERREPORTS_H
#define TERRAZZO_RUNTIME_LAUNCH_SANITIZERREPORTS_H

#include "runtime/launch/RuntimeArtifact.h"

#include <span>

namespace tz::runtime {

class SanitizerReports {
public:
  explicit SanitizerReports(const Artifact &artifact) : artifact(artifact) {}

  /// A record of a site of kind TZ_LOG_REPORT. Its fields may be anything.
  void add(const tz_log_record &record, std::span<const uint8_t> payload);
  /// Success if there is none. Facts: "sanitizer", "file", "line", "column",
  /// "program", "tile_element", "array", "element", "elements".
  Status status() const;

private:
  /// The values that one program wrote for one site.
  struct Report {
    uint32_t site;
    uint32_t program[3];
    std::vector<uint64_t> values;
  };
  Report *openReport(const tz_log_record &record);
  bool isWhole(const Report &report) const;
  const Report *first() const;

  const Artifact &artifact;
  std::vector<Report> reports; ///< in the order of their first values
};

} // namespace tz::runtime

#endif
