//===- Proofs.cpp - cases that passed before ------------------------------===//
//
// What   See Proofs.h.
// Why    The runtime's cache has what such a folder needs: whole entries or
//        none, a hash of each, a limit. What is in an entry is a JSON object.
//===----------------------------------------------------------------------===//
#include "core/conformance/Proofs.h"

#include "llvm/Support/raw_ostream.h"

#include <cmath>

namespace tz::conformance {

/// Of the records. Another one is another layout, whose records are not read.
static constexpr int64_t Format = 1;

static runtime::CacheOptions optionsOf(std::string folder, uint64_t maxBytes) {
  runtime::CacheOptions options;
  options.folder = std::move(folder);
  options.maxBytes = maxBytes;
  // keep() says the same, and who calls it knows what the folder is.
  options.warn = [](const std::string &) {};
  return options;
}

Proofs::Proofs(std::string folder, uint64_t maxBytes)
    : records(optionsOf(std::move(folder), maxBytes)) {}

/// What lies under the key, if it is a record of this format.
std::optional<llvm::json::Value> Proofs::read(const std::string &key) {
  std::optional<std::string> text = records.get(key);
  if (!text) {
    return std::nullopt;
  }
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(*text);
  if (!value) {
    llvm::consumeError(value.takeError());
  } else if (const llvm::json::Object *record = value->getAsObject();
             record && record->getInteger("format") == Format) {
    return std::move(*value);
  }
  ++foreign;
  return std::nullopt;
}

bool Proofs::find(Outcome &outcome) {
  if (outcome.proof.empty()) {
    return false;
  }
  const std::optional<llvm::json::Value> value = read(outcome.proof);
  if (!value) {
    return false;
  }
  const llvm::json::Object &record = *value->getAsObject();
  if (record.getString("name") != llvm::StringRef(outcome.name)) {
    ++foreign;
    return false;
  }
  outcome.status = Outcome::Passed;
  outcome.isProved = true;
  outcome.maxUlps = uint64_t(record.getInteger("max_ulps").value_or(0));
  outcome.worstShare = record.getNumber("worst_share").value_or(0);
  return true;
}

size_t Proofs::bad() const { return foreign + records.statistics().damaged; }

bool Proofs::keep(const Outcome &outcome) {
  if (outcome.status != Outcome::Passed || outcome.isProved ||
      outcome.proof.empty()) {
    return true;
  }
  llvm::json::Object figures = toJson(outcome);
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::json::Value(llvm::json::Object{
      {"format", Format},
      {"name", outcome.name},
      {"max_ulps", figures.getInteger("max_ulps").value_or(0)},
      {"worst_share",
       std::isfinite(outcome.worstShare) ? outcome.worstShare : 0}});
  return records.put(outcome.proof, text, outcome.name);
}

} // namespace tz::conformance
