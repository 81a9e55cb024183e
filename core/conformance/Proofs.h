//===- Proofs.h - cases that passed before ----------------------*- C++ -*-===//
//
// What   A folder of records, one for each case that passed, under a hash of
//        all that decided its result (run/ProofKey.h).
// Why    A target that takes hours is run in parts, at different commits. What
//        the same code has shown on the same device need not be shown again,
//        and a run says how much of it that was.
//
// Only what passed is kept. A record that is damaged, or that another program
// or another version of the format wrote, counts as none.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_CONFORMANCE_PROOFS_H
#define TERRAZZO_CORE_CONFORMANCE_PROOFS_H

#include "core/conformance/Outcome.h"
#include "runtime/cache/Cache.h"

namespace tz::conformance {

/// Any number of processes on one folder: a record is written beside its place
/// and renamed, and the longest unused go first.
class Proofs {
public:
  /// About 200 bytes a record.
  static constexpr uint64_t MaxBytes = uint64_t(32) << 20;

  explicit Proofs(std::string folder, uint64_t maxBytes = MaxBytes);

  /// Whether a case of the outcome's name passed under the outcome's key; its
  /// figures are then in the outcome.
  bool find(Outcome &outcome);
  /// Keeps what passed now. False if it could not be written.
  bool keep(const Outcome &outcome);
  /// How many records find() has passed over because they were of no use.
  size_t bad() const;

private:
  std::optional<llvm::json::Value> read(const std::string &key);

  runtime::Cache records;
  size_t foreign = 0;
};

} // namespace tz::conformance

#endif // TERRAZZO_CORE_CONFORMANCE_PROOFS_H
