//===- Samples.cpp - what a profiler counted at lines of the source -------===//
//
// What   Reads the file of --samples (docs/guide/views.md) and checks it.
// Why    Wrong numbers on a page are worse than none: what does not fit is
// said.
//===----------------------------------------------------------------------===//
#include "core/view/ViewModel.h"

namespace tz::view {

using namespace llvm::json;
using namespace runtime;

static Status wrong(const std::string &what) {
  return Status(TZ_E_INVALID_ARGUMENT,
                what + "; docs/guide/views.md has the format");
}

/// llvm::json reads a text by recursion.
static bool isDeep(std::string_view text) {
  constexpr int most = 64;
  int depth = 0;
  for (char c : text) {
    depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
    if (depth > most) {
      return true;
    }
  }
  return false;
}

static Status checkLine(const Value &line, size_t number) {
  const std::string which = "'lines' " + std::to_string(number);
  const Object *one = line.getAsObject();
  if (!one || !one->getString("file")) {
    return wrong(which + " has no 'file'");
  }
  if (std::optional<int64_t> at = one->getInteger("line"); !at || *at < 1) {
    return wrong(which + " has no 'line', a number from 1 on");
  }
  if (std::optional<double> count = one->getNumber("count");
      !count || *count < 0) {
    return wrong(which + " has no 'count', a number that is not negative");
  }
  if (const Value *why = one->get("why")) {
    const Object *reasons = why->getAsObject();
    if (!reasons || llvm::any_of(*reasons, [](const auto &reason) {
          return !reason.second.getAsNumber();
        })) {
      return wrong(which + ": 'why' is an object of numbers");
    }
  }
  return Status();
}

Result<Value> readSamples(std::string_view text) {
  if (isDeep(text)) {
    return wrong("the samples are nested too deep");
  }
  llvm::Expected<Value> read = parse(llvm::StringRef(text));
  if (!read) {
    return wrong("the samples are no JSON: " +
                 llvm::toString(read.takeError()));
  }
  const Object *all = read->getAsObject();
  std::optional<llvm::StringRef> format =
      all ? all->getString("format") : std::nullopt;
  if (format != "terrazzo-samples/0") {
    return wrong("the samples have no \"format\": \"terrazzo-samples/0\"");
  }
  const Array *lines = all->getArray("lines");
  if (!lines) {
    return wrong("the samples have no 'lines'");
  }
  for (size_t i = 0; i < lines->size(); ++i) {
    if (Status s = checkLine((*lines)[i], i + 1); !s.ok()) {
      return s;
    }
  }
  return std::move(*read);
}

} // namespace tz::view
