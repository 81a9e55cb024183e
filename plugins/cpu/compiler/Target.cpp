//===- Target.cpp - The x86-64 levels that can be compiled for ------------===//
//
// What   See Target.h.
// Why    See Target.h.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/Target.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"

using namespace llvm;

namespace tz::cpu {

namespace {

const char *const kExtras[] = {"avx512bf16", "avx512vnni", "avx512fp16",
                               "avxvnni"};
const char *const kLevel2[] = {"sse3",   "ssse3",  "sse4.1",
                               "sse4.2", "popcnt", "cx16"};
const char *const kLevel3[] = {"avx",  "avx2", "bmi",   "bmi2",
                               "f16c", "fma",  "lzcnt", "movbe"};
const char *const kLevel4[] = {"avx512f", "avx512bw", "avx512cd", "avx512dq",
                               "avx512vl"};

} // namespace

std::string hostTargetId() {
  StringMap<bool> host = sys::getHostCPUFeatures();
  auto all = [&](ArrayRef<const char *> names) {
    return llvm::all_of(names, [&](const char *n) { return host.lookup(n); });
  };
  const bool v3 = all(kLevel3), v4 = v3 && all(kLevel4);
  std::string id = v4   ? "cpu:x86-64-v4"
                   : v3 ? "cpu:x86-64-v3"
                        : "cpu:x86-64-v2";
  for (const char *extra : kExtras) {
    if (v3 && host.lookup(extra)) {
      id += std::string("+") + extra;
    }
  }
  return id;
}

std::vector<std::string> targetIds() {
  std::vector<std::string> ids{hostTargetId()};
  for (const char *id : {"cpu:x86-64-v2", "cpu:x86-64-v3", "cpu:x86-64-v4",
                         "cpu:x86-64-v4+avx512bf16+avx512vnni"}) {
    if (ids[0] != id) {
      ids.emplace_back(id);
    }
  }
  return ids;
}

std::optional<Target> parseTarget(std::string_view id) {
  Target target;
  target.id = std::string(id);
  if (id == "cpu") {
    target.id = hostTargetId();
  } else if (id == "cpu:avx2") {
    target.id = "cpu:x86-64-v3";
  } else if (id == "cpu:avx512") {
    target.id = "cpu:x86-64-v4";
  } else if (id == "cpu:avx512bf16") {
    target.id = "cpu:x86-64-v4+avx512bf16";
  }
  StringRef rest = target.id;
  if (!rest.consume_front("cpu:x86-64-v") || rest.empty()) {
    return std::nullopt;
  }
  const char level = rest[0];
  if (level < '2' || level > '4') {
    return std::nullopt;
  }
  SmallVector<StringRef> extras;
  rest.drop_front().split(extras, '+', -1, false);
  if (rest.size() > 1 && rest[1] != '+') {
    return std::nullopt;
  }
  SmallVector<std::string> features;
  auto add = [&](ArrayRef<const char *> names) {
    for (const char *name : names) {
      features.emplace_back(name);
    }
  };
  add(kLevel2);
  if (level >= '3') {
    add(kLevel3);
  }
  if (level >= '4') {
    add(kLevel4);
  }
  for (StringRef extra : extras) {
    const bool needs512 = extra.starts_with("avx512");
    if (!llvm::is_contained(kExtras, extra) || level < '3' ||
        (needs512 && level < '4')) {
      return std::nullopt;
    }
    features.push_back(extra.str());
  }
  target.compat = "x86_64;";
  for (const std::string &feature : features) {
    const char *comma = target.features.empty() ? "" : ",";
    target.features += comma + ("+" + feature);
    target.compat += comma + feature;
  }
  if (level >= '3') {
    // PREFETCHW: does nothing where it is not implemented, so nobody must ask.
    target.features += ",+prfchw";
  }
  target.isa = Isa::fromFeatures(target.features);
  return target;
}

} // namespace tz::cpu
