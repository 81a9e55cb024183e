//===- Findings.cpp - what a simulated launch found -----------------------===//
//
// What   See Findings.h.
//===----------------------------------------------------------------------===//
#include "plugins/amd/simulator/execute/Findings.h"

#include "plugins/amd/simulator/decode/Text.h"

namespace tz::amd::sim {

const char *name(Found found) {
  switch (found) {
  case Found::MissingWait:
    return "missing wait";
  case Found::LateStore:
    return "store not waited for";
  case Found::OutOfBounds:
    return "out of bounds";
  case Found::Misaligned:
    return "misaligned";
  case Found::Uninitialised:
    return "uninitialised";
  case Found::Race:
    return "race";
  case Found::Barrier:
    return "barrier";
  case Found::Matrix:
    return "matrix operands";
  case Found::Unsupported:
    return "not supported";
  case Found::Endless:
    return "no end";
  }
  return "";
}

const char *name(Class kind) {
  constexpr const char *names[] = {"SALU",     "VALU", "MFMA",  "LDS",
                                   "memory",   "SMEM", "waits", "barriers",
                                   "branches", "other"};
  static_assert(std::size(names) == size_t(Class::Count));
  return names[size_t(kind)];
}

std::string Finding::text() const {
  std::string out = sim::text("{}: kernel '{}', +0x{:x} '{}'{}: {}", name(kind),
                              kernel, offset, instruction,
                              place.empty() ? "" : " of " + place, message);
  if (times > 1) {
    out += sim::text(" ({} times)", times);
  }
  return out;
}

bool Report::repeat(Found kind, uint64_t offset) {
  auto at = known.find({kind, offset});
  if (at == known.end()) {
    return false;
  }
  ++findings[at->second].times;
  return true;
}

void Report::add(Finding finding) {
  auto [at, isNew] =
      known.try_emplace({finding.kind, finding.offset}, findings.size());
  if (isNew) {
    findings.push_back(std::move(finding));
  } else {
    ++findings[at->second].times;
  }
}

} // namespace tz::amd::sim
