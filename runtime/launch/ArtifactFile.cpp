//===- ArtifactFile.cpp - an artifact as bytes ----------------------------===//
//
// What   Magic, version, size, SHA-256 of the payload, payload; little-endian,
//        fields in declaration order, counts before lists.
// Why    Cache entries and bundles hold it. Reading it is loading code, so
//        whatever the bytes are, the reader answers with a message: every count
//        is bounded by the bytes that are left before anything is reserved.
//===----------------------------------------------------------------------===//
#include "runtime/cache/Sha256.h"
#include "runtime/file/ByteWriter.h"
#include "runtime/launch/RuntimeArtifact.h"

#include <cstring>

namespace tz::runtime {

namespace {

constexpr char Magic[8] = {'T', 'Z', 'A', 'R', 'T', 'I', 'F', '\n'};
constexpr uint32_t Version = 2;
/// Of tuples in tuples.
constexpr unsigned MaxNesting = 64;
constexpr size_t HeaderSize = 8 + 4 + 4 + 8 + 32;

/// One `field` function per struct serves writing and reading.
struct Writer : ByteWriter {
  bool fine = true;
  unsigned depth = 0;

  template <typename T>
  void number(T &v) {
    fixed(v);
  }
  void text(std::string &s) { fixedString(s); }
  template <typename T>
  size_t count(std::vector<T> &list, size_t) {
    fixed(uint32_t(list.size()));
    return list.size();
  }
};

struct Reader {
  std::string_view in;
  bool fine = true;
  unsigned depth = 0;

  template <typename T>
  void number(T &v) {
    v = T{};
    if (in.size() < sizeof(T)) {
      fine = false;
      in = {};
      return;
    }
    std::memcpy(&v, in.data(), sizeof(T));
    in.remove_prefix(sizeof(T));
  }
  void text(std::string &s) {
    uint64_t n = 0;
    number(n);
    if (n > in.size()) {
      fine = false;
      in = {};
      return;
    }
    s.assign(in.substr(0, n));
    in.remove_prefix(n);
  }
  /// `least`: bytes an element takes at least.
  template <typename T>
  size_t count(std::vector<T> &list, size_t least) {
    uint32_t n = 0;
    number(n);
    if (n > in.size() / least) {
      fine = false;
      in = {};
      n = 0;
    }
    list.resize(n);
    return n;
  }
};

template <typename S>
void field(S &s, uint32_t &v) {
  s.number(v);
}
template <typename S>
void field(S &s, int64_t &v) {
  s.number(v);
}
template <typename S>
void field(S &s, tz_expr_step &v) {
  s.number(v.op);
  s.number(v.index);
  s.number(v.value);
}
template <typename S, typename T>
void list(S &s, std::vector<T> &items, size_t least) {
  size_t n = s.count(items, least);
  for (size_t i = 0; i < n && s.fine; ++i) {
    field(s, items[i]);
  }
}
template <typename S>
void expr(S &s, Expr &e) {
  list(s, e, 16);
}
template <typename S>
void field(S &s, Expr &e) {
  expr(s, e);
}
template <typename S>
void field(S &s, ArgInfo &a) {
  s.text(a.name);
  for (uint32_t *v :
       {&a.kind, &a.index, &a.type, &a.size, &a.align, &a.offset, &a.flags,
        &a.view.baseArg, &a.view.elementBits, &a.view.flags}) {
    s.number(*v);
  }
  expr(s, a.view.byteOffset);
  list(s, a.view.dims, 4);
  list(s, a.view.strides, 4);
}
template <typename S>
void field(S &s, Variant &v) {
  s.text(v.name);
  expr(s, v.guard);
  for (Expr &e : v.grid) {
    expr(s, e);
  }
  expr(s, v.workspaceBytes);
  for (uint32_t *n :
       {&v.workspaceAlign, &v.workspaceZero, &v.argBytes, &v.flags, &v.block[0],
        &v.block[1], &v.block[2], &v.cluster[0], &v.cluster[1], &v.cluster[2],
        &v.regs, &v.spillBytes}) {
    s.number(*n);
  }
  s.number(v.staticScratch);
  s.number(v.dynScratch);
  list(s, v.args, 60);
}
template <typename S>
void field(S &s, LogValue &v) {
  s.number(v.type);
  list(s, v.shape, 8);
}
template <typename S>
void field(S &s, LogSite &v) {
  for (uint32_t *n : {&v.kind, &v.flags, &v.line, &v.col}) {
    s.number(*n);
  }
  s.text(v.text);
  s.text(v.file);
  s.text(v.function);
  list(s, v.values, 8);
}
template <typename S>
void field(S &s, Blob &b) {
  s.text(b.name);
  s.text(b.format);
  s.text(b.bytes);
}
template <typename S>
void field(S &s, KeyValue &v) {
  s.text(v.key);
  s.number(v.kind);
  s.number(v.i64);
  s.number(v.f64);
  s.text(v.str);
}
template <typename S>
void field(S &s, std::string &v) {
  s.text(v);
}
template <typename S>
void field(S &s, ArgumentSpec &a) {
  uint32_t flags = uint32_t(a.equalsOne) | uint32_t(a.padsWithNaN) << 1 |
                   uint32_t(a.sharesAddress) << 2;
  for (uint32_t *n : {&a.kind, &a.type, &a.element, &flags, &a.divisor}) {
    s.number(*n);
  }
  a.equalsOne = flags & 1;
  a.padsWithNaN = flags & 2;
  a.sharesAddress = flags & 4;
  field(s, a.constant);
  s.fine = s.fine && ++s.depth <= MaxNesting;
  list(s, a.items, 68);
  --s.depth;
  list(s, a.fields, 8);
  list(s, a.block, 4);
}
template <typename S>
void field(S &s, SpecializedParameter &p) {
  s.text(p.name);
  field(s, p.spec);
}
template <typename S>
void fields(S &s, Artifact &a) {
  s.text(a.plugin);
  s.text(a.target);
  s.text(a.function);
  list(s, a.parameters, 76);
  list(s, a.userLeaves, 4);
  list(s, a.userTypes, 4);
  s.text(a.compat);
  list(s, a.blobs, 24);
  list(s, a.variants, 100);
  list(s, a.logSites, 44);
  list(s, a.metadata, 36);
}

} // namespace

std::string Artifact::write() const {
  Writer payload;
  // The writer only reads; one function for both directions needs the cast.
  fields(payload, const_cast<Artifact &>(*this));
  Writer file;
  file.bytes.assign(Magic, sizeof(Magic));
  uint32_t version = Version, reserved = 0;
  uint64_t size = payload.bytes.size();
  file.number(version);
  file.number(reserved);
  file.number(size);
  Sha256 hash = sha256(payload.bytes);
  file.bytes.append(reinterpret_cast<const char *>(hash.data()), hash.size());
  return file.bytes + payload.bytes;
}

Result<Artifact> Artifact::read(std::string_view bytes) {
  if (bytes.size() < HeaderSize ||
      std::memcmp(bytes.data(), Magic, sizeof(Magic)) != 0) {
    return Status(TZ_E_INVALID_ARGUMENT,
                  "not a Terrazzo artifact (the file does not begin with its "
                  "mark, or is shorter than a header)");
  }
  Reader header{bytes.substr(sizeof(Magic))};
  uint32_t version = 0, reserved = 0;
  uint64_t size = 0;
  header.number(version);
  header.number(reserved);
  header.number(size);
  if (version != Version) {
    return Status(TZ_E_IR_VERSION,
                  "artifact file version " + std::to_string(version) +
                      ", this runtime reads version " +
                      std::to_string(Version) + "; compile the kernel again");
  }
  std::string_view payload = bytes.substr(HeaderSize);
  if (payload.size() != size) {
    return Status(TZ_E_DATA_LOSS,
                  "artifact file truncated: " + std::to_string(payload.size()) +
                      " of " + std::to_string(size) + " bytes");
  }
  Sha256 hash = sha256(payload);
  if (std::memcmp(header.in.data(), hash.data(), hash.size()) != 0) {
    return Status(TZ_E_DATA_LOSS,
                  "artifact file damaged: its content does not match its hash");
  }
  Reader reader{payload};
  Artifact artifact;
  fields(reader, artifact);
  if (!reader.fine || !reader.in.empty()) {
    return Status(TZ_E_DATA_LOSS, "artifact file malformed");
  }
  if (Status s = artifact.verify(); !s.ok()) {
    return s;
  }
  return artifact;
}

} // namespace tz::runtime
