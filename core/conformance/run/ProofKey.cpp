//===- ProofKey.cpp - what decides a case's result ------------------------===//
//
// What   See ProofKey.h. Every part is hashed with its size before it, so that
//        no two cases run together into one.
// Why    See ProofKey.h.
//===----------------------------------------------------------------------===//
#include "core/conformance/run/ProofKey.h"

#include "runtime/cache/Sha256.h"
#include "runtime/file/ByteWriter.h"

namespace tz::tool {

using namespace runtime;
using conformance::Case;

namespace {

/// Numbers and texts as a key takes them.
class KeyWriter {
public:
  void text(std::string_view value) { out.fixedString(value); }
  void number(uint64_t value) { out.fixed(value); }
  void real(double value) { out.fixed(value); }
  void texts(const std::vector<std::string> &values) {
    number(values.size());
    for (const std::string &value : values) {
      text(value);
    }
  }
  std::string finish() const { return toHex(sha256(out.bytes)); }

private:
  ByteWriter out;
};

} // namespace

std::vector<ExpectedBuffer> expectedBuffers(const Reference &reference,
                                            const Binding &binding) {
  std::vector<ExpectedBuffer> made;
  for (size_t i = 0; i < binding.buffers.size(); ++i) {
    const BoundBuffer &buffer = binding.buffers[i];
    ExpectedBuffer one;
    if (buffer.addressesOf.empty()) { // addresses differ from run to run
      one.content.assign(reinterpret_cast<const char *>(reference.content(i)),
                         buffer.content.size());
      one.tolerance = reference.tolerance(buffer, i);
    }
    made.push_back(std::move(one));
  }
  return made;
}

static void addDefinition(KeyWriter &key, const Case &one) {
  key.text(one.name);
  key.texts(one.expected);
  key.text(one.assertion);
  key.number(one.usesReference);
  key.number(one.comparesPrints);
  key.number(one.allowsUnbounded);
  key.number(one.seed);
}

static void addLaunch(KeyWriter &key, const Binding &binding,
                      const std::array<int64_t, 3> &grid) {
  for (int64_t extent : grid) {
    key.number(uint64_t(extent));
  }
  key.number(binding.buffers.size());
  for (const BoundBuffer &buffer : binding.buffers) {
    key.text(buffer.name);
    key.number(buffer.type);
    key.number(buffer.count);
    key.text({reinterpret_cast<const char *>(buffer.content.data()),
              buffer.content.size()});
    key.number(buffer.addressesOf.size());
    for (size_t other : buffer.addressesOf) {
      key.number(other);
    }
  }
  key.number(binding.leaves.size());
  for (const BoundLeaf &leaf : binding.leaves) {
    key.number(leaf.kind);
    key.number(leaf.buffer);
    key.number(leaf.offset);
    key.number(leaf.type);
    key.number(leaf.bits);
  }
}

static void addExpected(KeyWriter &key,
                        const std::vector<ExpectedBuffer> &expected) {
  key.number(expected.size());
  for (const ExpectedBuffer &buffer : expected) {
    key.text(buffer.content);
    key.real(buffer.tolerance.ulps);
    key.real(buffer.tolerance.absolute);
    key.number(buffer.tolerance.bounds.size());
    for (double bound : buffer.tolerance.bounds) {
      key.real(bound);
    }
  }
}

std::string proofKey(const ProofSubject &subject) {
  KeyWriter key;
  key.text("terrazzo proof/1");
  key.text(subject.place);
  key.text(subject.target);
  key.text(subject.artifact);
  addDefinition(key, subject.one);
  addLaunch(key, subject.binding, subject.grid);
  addExpected(key, subject.expected);
  key.texts(subject.printed);
  return key.finish();
}

} // namespace tz::tool
