//===- NameList.cpp - an option that is a comma list of known names -------===//
//
// What   See NameList.h.
// Why    See NameList.h.
//===----------------------------------------------------------------------===//
#include "core/driver/options/NameList.h"

#include "core/frontend/Diagnostics.h"

#include "llvm/ADT/STLExtras.h"

namespace tz::driver {

using namespace runtime;

std::string NameList::all() const {
  std::string text;
  for (auto [i, name] : llvm::enumerate(names)) {
    text += i == 0 ? "" : i + 1 < names.size() ? ", " : " and ";
    text += name;
  }
  return text;
}

static llvm::SmallVector<llvm::StringRef> split(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> names;
  text.split(names, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef &name : names) {
    name = name.trim();
  }
  llvm::erase(names, "");
  return names;
}

std::vector<std::string> NameList::of(const CompileJob &job) const {
  std::vector<std::string> wanted;
  for (const KeyValue &one : job.options) {
    if (one.key == option.str()) {
      for (llvm::StringRef name : split(one.str)) {
        wanted.push_back(name.str());
      }
    }
  }
  return wanted;
}

Status NameList::settle(CompileJob &job) const {
  auto given = llvm::find_if(job.options, [&](const KeyValue &one) {
    return one.key == option.str();
  });
  if (given == job.options.end()) {
    return Status();
  }
  if (given->kind != TZ_KV_STR) {
    return Status(TZ_E_INVALID_ARGUMENT,
                  option.str() + " is a text: a comma list of " + all());
  }
  const llvm::SmallVector<llvm::StringRef> list = split(given->str);
  for (llvm::StringRef name : list) {
    if (llvm::is_contained(names, name)) {
      continue;
    }
    llvm::SmallVector<llvm::StringRef> known(names.begin(), names.end());
    llvm::StringRef near = frontend::nearestName(name, known);
    return Status(TZ_E_INVALID_ARGUMENT,
                  option.str() + ": there is no " + what.str() + " '" +
                      name.str() + "'; " +
                      (near.empty() ? what.str() + "s are " + all()
                                    : "did you mean '" + near.str() + "'?"));
  }
  std::string settled;
  for (llvm::StringRef name : names) {
    if (llvm::is_contained(list, name)) {
      settled += (settled.empty() ? "" : ",") + name.str();
    }
  }
  if (settled.empty()) {
    job.options.erase(given);
  } else {
    given->str = std::move(settled);
  }
  return Status();
}

} // namespace tz::driver
