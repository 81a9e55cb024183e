//===- CacheKey.cpp - when two compilations are the same ------------------===//
//
// What   See CacheKey.h. Every text is hashed with its length before it, so
//        that no two jobs run together into one.
// Why    See CacheKey.h.
//===----------------------------------------------------------------------===//
#include "core/driver/cache/CacheKey.h"

#include "core/driver/source/Workspace.h"
#include "runtime/cache/Sha256.h"
#include "runtime/file/ByteWriter.h"

#include <algorithm>

namespace tz::driver {

using namespace runtime;

namespace {
class KeyWriter {
public:
  void text(std::string_view value) { out.fixedString(value); }
  void number(uint64_t value) { out.fixed(value); }
  void keyValue(const KeyValue &value) {
    text(value.key);
    number(value.kind);
    out.fixed(value.i64);
    out.fixed(value.f64);
    text(value.str);
  }
  std::string finish() { return toHex(sha256(out.bytes)); }

private:
  ByteWriter out;
};
} // namespace

template <typename T, typename Less>
static std::vector<T> sorted(std::vector<T> values, Less less) {
  std::sort(values.begin(), values.end(), less);
  return values;
}

static void optionsAndBlobs(KeyWriter &key, const CompileJob &job) {
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
}

static void argumentList(KeyWriter &key,
                         const std::vector<ArgumentSpec> &arguments) {
  key.number(arguments.size());
  for (const ArgumentSpec &argument : arguments) {
    key.number(argument.kind);
    key.number(argument.type);
    key.number(argument.element);
    key.number(argument.equalsOne);
    key.number(argument.sharesAddress);
    key.number(argument.divisor);
    KeyValue constant = argument.constant;
    constant.key.clear(); // the position says which parameter it is
    key.keyValue(constant);
    argumentList(key, argument.items);
    key.number(argument.fields.size());
    for (const std::string &field : argument.fields) {
      key.text(field);
    }
    key.number(argument.block.size());
    for (uint32_t extent : argument.block) {
      key.number(extent);
    }
    key.number(argument.padsWithNaN);
  }
}

std::string jobKey(const CompileJob &job, std::string_view fingerprint,
                   std::string_view build) {
  KeyWriter key;
  key.text("terrazzo job/4");
  key.text(build);
  key.text(fingerprint);
  key.text(job.plugin);
  key.text(job.target);
  key.text(job.source.path);
  key.text(job.source.text);
  key.text(job.source.function);
  key.number(job.source.isIR);
  const frontend::Surroundings around = surroundingsOf(job.source);
  key.number(around.importRoots.size());
  for (const std::string &root : around.importRoots) {
    key.text(root);
  }
  key.number(around.globals.size());
  for (const auto &[name, value] : around.globals) {
    key.text(name);
    key.text(value);
  }
  // Which scope it is says nothing in another process; the answers count.
  key.number(job.source.names.find ? job.source.line : 0);
  argumentList(key, job.arguments);
  optionsAndBlobs(key, job);
  return key.finish();
}

std::string codeKey(const CompileJob &job, std::string_view codeHash,
                    std::string_view fingerprint,
                    const optimizer::TargetFacts &facts) {
  KeyWriter key;
  key.text("terrazzo code/1");
  key.text(fingerprint);
  key.text(job.plugin);
  key.text(job.target);
  key.text(codeHash);
  key.number(facts.features.size());
  for (const std::string &feature : facts.features) {
    key.text(feature);
  }
  key.number(facts.properties.size());
  for (const auto &[name, value] : facts.properties) {
    key.text(name);
    key.text(value);
  }
  optionsAndBlobs(key, job);
  return key.finish();
}

bool wantsLines(const CompileJob &job) {
  return std::any_of(job.options.begin(), job.options.end(),
                     [](const KeyValue &option) {
                       return option.key == "debug_level" && option.i64 > 0;
                     });
}

} // namespace tz::driver
