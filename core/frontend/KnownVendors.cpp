//===- KnownVendors.cpp - questions about the known vendors ---------------===//
//
// What   Stages by the language's names, answers of tl.target_info.
// Why    See KnownVendors.h.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/KnownVendors.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tz::frontend {

int64_t machineNumber(StringRef machine) {
  StringRef digits = machine.drop_until(isDigit).take_while(isDigit);
  int64_t number = 0;
  return digits.getAsInteger(10, number) ? 0 : number;
}

int warpSizeOf(const KnownVendor &vendor, StringRef machine) {
  SmallVector<StringRef> words;
  SplitString(vendor.warpSizes, words, " ");
  for (StringRef word : words) {
    auto [size, beginning] = word.split('=');
    int lanes = 0;
    if (machine.starts_with(beginning) && !size.getAsInteger(10, lanes)) {
      return lanes;
    }
  }
  return vendor.warpSize;
}

std::vector<KnownStage> knownStages(StringRef folder) {
  std::vector<KnownStage> made = {
      {"ttir", "neutral"}, {"ttgir", "simt"}, {"llir", "llvm"}};
  for (const KnownVendor &vendor : knownVendors()) {
    if (!folder.empty() && folder != vendor.folder) {
      continue;
    }
    SmallVector<StringRef> words;
    StringRef(vendor.stages).split(words, ' ', -1, /*KeepEmpty=*/false);
    for (StringRef word : words) {
      auto [name, ours] = word.split('=');
      made.push_back({name.str(), ours.str()});
    }
  }
  return made;
}

std::optional<bool> answerOf(StringRef target, StringRef question,
                             int64_t atLeast) {
  auto [name, machine] = target.split(':');
  for (const KnownVendor &vendor : knownVendors()) {
    const bool isOurs = name == vendor.folder;
    if (*vendor.atLeast && question == vendor.atLeast) {
      return isOurs && machineNumber(machine) >= atLeast;
    }
    for (const VendorQuestion &one : vendor.questions) {
      if (question == one.name) {
        SmallVector<StringRef> list;
        SplitString(one.machines, list, " ");
        return isOurs && (list.empty() || is_contained(list, machine));
      }
    }
  }
  return std::nullopt;
}

} // namespace tz::frontend
