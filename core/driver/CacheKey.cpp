//===- CacheKey.cpp - when two compilations are the same ------------------===//
//
// What   See CacheKey.h. Every text is hashed with its length before it, so
// that
//        no two jobs run together into one.
// Why    See CacheKey.h.
//===----------------------------------------------------------------------===//
#include "core/driver/CacheKey.h"

#include "runtime/cache/Sha256.h"

#include <algorithm>
#include <bit>
#include <filesystem>
#include <fstream>

namespace tz::driver {

using namespace runtime;
namespace fs = std::filesystem;

static constexpr std::string_view dependencyMark = "source.import:";
static constexpr std::string_view pathMark = "source.path";

namespace {
class KeyWriter {
public:
  void text(std::string_view value) {
    number(value.size());
    hasher.update(value);
  }
  void number(uint64_t value) {
    char bytes[8];
    for (int i = 0; i < 8; ++i) {
      bytes[i] = char(value >> (8 * i));
    }
    hasher.update({bytes, 8});
  }
  void keyValue(const KeyValue &value) {
    text(value.key);
    number(value.kind);
    number(uint64_t(value.i64));
    number(std::bit_cast<uint64_t>(value.f64));
    text(value.str);
  }
  std::string finish() { return toHex(hasher.finish()); }

private:
  Sha256Hasher hasher;
};
} // namespace

template <typename T, typename Less>
static std::vector<T> sorted(std::vector<T> values, Less less) {
  std::sort(values.begin(), values.end(), less);
  return values;
}

std::string jobKey(const CompileJob &job, std::string_view fingerprint,
                   std::string_view build) {
  KeyWriter key;
  key.text("terrazzo artifact/1");
  key.text(build);
  key.text(fingerprint);
  key.text(job.plugin);
  key.text(job.target);
  key.text(job.source.text);
  key.text(job.source.function);
  key.number(job.source.isIR);
  key.number(job.arguments.size());
  for (const ArgumentSpec &argument : job.arguments) {
    key.number(argument.kind);
    key.number(argument.type);
    key.number(argument.element);
    key.number(argument.equalsOne);
    key.number(argument.divisor);
    KeyValue constant = argument.constant;
    constant.key.clear(); // the position says which parameter it is
    key.keyValue(constant);
  }
  key.number(job.options.size());
  for (const KeyValue &option :
       sorted(job.options, [](const KeyValue &a, const KeyValue &b) {
         return a.key < b.key;
       })) {
    key.keyValue(option);
  }
  key.number(job.emit.size());
  for (const std::string &one : sorted(job.emit, std::less<>())) {
    key.text(one);
  }
  return key.finish();
}

void addDependency(Artifact &artifact, const Dependency &dependency) {
  KeyValue entry;
  entry.key = std::string(dependencyMark) + dependency.relativePath;
  entry.kind = TZ_KV_STR;
  entry.str = dependency.hash;
  artifact.metadata.push_back(std::move(entry));
}

bool dependenciesHold(const Artifact &artifact, const std::string &path) {
  for (const KeyValue &entry : artifact.metadata) {
    if (!entry.key.starts_with(dependencyMark)) {
      continue;
    }
    fs::path file =
        fs::path(path).parent_path() / entry.key.substr(dependencyMark.size());
    std::ifstream stream(file, std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(stream)), {});
    if (!stream.is_open() || toHex(sha256(text)) != entry.str) {
      return false;
    }
  }
  return true;
}

void setSourcePath(Artifact &artifact, const std::string &path) {
  auto known =
      std::find_if(artifact.metadata.begin(), artifact.metadata.end(),
                   [](const KeyValue &entry) { return entry.key == pathMark; });
  if (known == artifact.metadata.end()) {
    KeyValue entry;
    entry.key = pathMark;
    entry.kind = TZ_KV_STR;
    entry.str = path;
    artifact.metadata.push_back(std::move(entry));
    return;
  }
  for (LogSite &site : artifact.logSites) {
    if (site.file == known->str) {
      site.file = path;
    }
  }
  known->str = path;
}

} // namespace tz::driver
