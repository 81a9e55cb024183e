//===- CaseJudge.cpp - whether the results of a case are right ------------===//
//
// What   See CaseJudge.h.
// Why    See CaseJudge.h.
//===----------------------------------------------------------------------===//
#include "core/conformance/run/CaseJudge.h"

#include "core/arguments/Elements.h"
#include "core/driver/ArgumentTypes.h"
#include "core/frontend/KnownVendors.h"

#include <cmath>
#include <cstring>

namespace tz::tool {

using namespace runtime;
using conformance::Case;
using conformance::Outcome;

static interpreter::Kind kindOf(uint32_t type) {
  std::string_view name = driver::languageName(type);
  return interpreter::kindFromName(llvm::StringRef(name.data(), name.size()))
      .value_or(interpreter::Kind::I8);
}

/// Adds a buffer's figures to the outcome; the sentence if it is wrong.
static std::string take(const BoundBuffer &buffer,
                        const interpreter::Comparison &verdict,
                        const interpreter::Tolerance &tolerance,
                        std::string_view against, bool allowsUnbounded,
                        Outcome &outcome) {
  if (interpreter::isFloat(kindOf(buffer.type))) {
    outcome.maxUlps = std::max(outcome.maxUlps, verdict.maxUlps);
  }
  if (double share = verdict.shareOfTolerance(); std::isfinite(share)) {
    outcome.worstShare = std::max(outcome.worstShare, share);
  }
  bool matches =
      verdict.matches() || (allowsUnbounded && verdict.mismatches == 0);
  return matches ? std::string()
                 : buffer.name + " (" + buffer.typeText() + ") is not " +
                       std::string(against) + ": " + verdict.summary(tolerance);
}

/// Digits of any size: bounds of their own.
static void boundEach(interpreter::Tolerance &tolerance,
                      const BoundBuffer &buffer,
                      const std::vector<uint8_t> &content, uint64_t count) {
  tolerance.bounds.resize(count);
  for (uint64_t i = 0; i < count; ++i) {
    double value = decodeElement(
        buffer.type, content.data() + i * driver::elementBytes(buffer.type));
    tolerance.bounds[i] =
        std::isfinite(value)
            ? tolerance.absolute * std::max(std::abs(value), 1e-3)
            : 0;
  }
  tolerance.absolute = 0;
}

/// "[first ]out=values:f32[1,2] within 0.1", without the last part.
static Result<ArgumentText> expectedBuffer(std::string_view text, size_t within,
                                           std::string_view target) {
  const size_t begin = text.starts_with("first ") ? 6 : 0;
  Result<ArgumentText> wanted =
      parseArgument(text.substr(0, within).substr(begin));
  if (!wanted || wanted->kind != ArgumentText::Buffer) {
    return Status(TZ_E_INVALID_ARGUMENT,
                  "the case's expectation '" + std::string(text) +
                      "' is no buffer: " +
                      (wanted ? std::string() : wanted.status().message()));
  }
  for (std::string &value : wanted->details) {
    if (auto answer = frontend::answerOf(std::string(target), value)) {
      value = *answer ? "1" : "0";
    }
  }
  return wanted;
}

static std::string judgeText(const std::string &text, const Case &one,
                             const Binding &binding, std::string_view target,
                             std::span<const std::vector<uint8_t>> results,
                             Outcome &outcome) {
  const size_t within = text.rfind(" within ");
  interpreter::Tolerance tolerance;
  if (within != std::string::npos) {
    tolerance.absolute =
        parseFloat(std::string_view(text).substr(within + 8)).value_or(0);
    tolerance.reason = "the digits that the case gives";
  }
  Result<ArgumentText> wanted = expectedBuffer(text, within, target);
  if (!wanted) {
    return wanted.status().message();
  }
  size_t at = 0;
  while (at < binding.buffers.size() &&
         binding.buffers[at].name != wanted->name) {
    ++at;
  }
  if (at == binding.buffers.size()) {
    return "the case expects something of '" + wanted->name +
           "', which is no buffer";
  }
  const BoundBuffer &buffer = binding.buffers[at];
  NameLookup lookup = [&](std::string_view name) {
    return binding.evaluate(name);
  };
  const bool isFirst = text.starts_with("first ");
  const bool isList = wanted->initializer == "values";
  const uint64_t count =
      isFirst && isList
          ? std::min<uint64_t>(wanted->details.size(), buffer.count)
          : buffer.count;
  Result<std::vector<uint8_t>> content =
      isList && wanted->details.size() != count
          ? Result<std::vector<uint8_t>>(
                Status(TZ_E_INVALID_ARGUMENT, "another number of values"))
          : fillBuffer(*wanted, count, one.seed, lookup);
  if (!content || wanted->type != buffer.type) {
    return "the case's expectation '" + text +
           "' does not fit its buffer of type " + buffer.typeText();
  }
  if (isFirst) {
    boundEach(tolerance, buffer, *content, count);
  }
  return take(buffer,
              interpreter::compare(kindOf(buffer.type), content->data(),
                                   results[at].data(), count, tolerance),
              tolerance, "what the case says", false, outcome);
}

static std::string judgeExpected(const Case &one, const Binding &binding,
                                 std::string_view target,
                                 std::span<const std::vector<uint8_t>> results,
                                 Outcome &outcome) {
  for (const std::string &text : one.expected) {
    if (std::string wrong =
            judgeText(text, one, binding, target, results, outcome);
        !wrong.empty()) {
      return wrong;
    }
  }
  return {};
}

std::string judgeResults(const Case &one, const Binding &binding,
                         std::string_view target,
                         std::span<const std::vector<uint8_t>> results,
                         const Reference *reference, Outcome &outcome) {
  std::string wrong = judgeExpected(one, binding, target, results, outcome);
  bool anyChange = !one.expected.empty() || one.comparesPrints;
  for (size_t i = 0; i < binding.buffers.size(); ++i) {
    const BoundBuffer &buffer = binding.buffers[i];
    if (!buffer.addressesOf.empty()) {
      continue;
    }
    anyChange |= results[i] != buffer.content;
    if (!reference) {
      continue;
    }
    interpreter::Tolerance tolerance;
    interpreter::Comparison verdict =
        reference->judge(buffer, i, results[i].data(), tolerance);
    std::string differs =
        take(buffer, verdict, tolerance, "what the interpreter gives",
             one.allowsUnbounded, outcome);
    if (!differs.empty()) {
      wrong += (wrong.empty() ? "" : "\n") + differs;
    }
    // Did the case have anything to do?
    anyChange |= std::memcmp(reference->content(i), buffer.content.data(),
                             buffer.content.size()) != 0;
  }
  if (wrong.empty() && !anyChange && !one.allowsUnbounded) {
    wrong = "nothing was written, so nothing was tested";
  }
  return wrong;
}

} // namespace tz::tool
