//===- RuntimeArtifact.h - what a compiler half made, owned by the host ---===//
//
// What   The C structs of tz_artifact as values: code blobs, variants with
//        their launch plan, log sites; and what only the host knows: which
//        parameters of the source became user arguments.
// Why    A vendor's artifact lives in the vendor's memory and may lie; ours is
//        copied once, checked once, and can be written to a file and read back.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_LAUNCH_RUNTIMEARTIFACT_H
#define TERRAZZO_RUNTIME_LAUNCH_RUNTIMEARTIFACT_H

#include "runtime/loader/Status.h"

#include <array>
#include <memory>

namespace tz::runtime {

/// A postfix expression; empty = absent.
using Expr = std::vector<tz_expr_step>;

struct ViewInfo {
  uint32_t baseArg = 0, elementBits = 0, flags = 0;
  Expr byteOffset;
  std::vector<Expr> dims, strides;
};

struct ArgInfo {
  std::string name;
  uint32_t kind = 0, index = 0, type = 0, size = 0, align = 1, offset = 0,
           flags = 0;
  ViewInfo view; // kind TZ_ARG_TENSOR_VIEW
};

struct Variant {
  std::string name;
  Expr guard;
  std::array<Expr, 3> grid;
  Expr workspaceBytes;
  uint32_t workspaceAlign = 0, workspaceZero = 0;
  std::vector<ArgInfo> args;
  uint32_t argBytes = 0, flags = 0;
  std::array<uint32_t, 3> block{}, cluster{};
  uint32_t regs = 0, spillBytes = 0;
  uint64_t staticScratch = 0, dynScratch = 0;
};

struct LogValue {
  uint32_t type = 0;
  std::vector<int64_t> shape;
};

struct LogSite {
  uint32_t kind = 0, flags = 0, line = 0, col = 0;
  std::string text, file, function;
  std::vector<LogValue> values;
};

struct Blob {
  std::string name, format, bytes;
};

/// A tz_kv as a value.
struct KeyValue {
  std::string key;
  uint32_t kind = 0; // TZ_KV_*
  int64_t i64 = 0;
  double f64 = 0;
  std::string str;
};

/// What one parameter is in one specialisation. A tuple and a descriptor are
/// made of others; all others are *leaves*, and the leaves of all parameters,
/// in order, are what a specialisation rule and a launch speak of.
struct ArgumentSpec {
  enum Kind : uint32_t {
    Default,    // not given: the source's default value
    Runtime,    // a value at launch
    Constant,   // known now: constexpr value
    None,       // Python's None
    Tuple,      // of `items`, with names if `fields` has them
    Descriptor, // items: base address, sizes (i32), strides (i64; the last is
                // the constant 1); `block` has its rank
  };
  uint32_t kind = Default;
  // Runtime. type: TZ_TYPE_*; element: what a PTR points to (TZ_TYPE_*).
  uint32_t type = 0, element = 0;
  bool equalsOne = false; // value is 1 and the parameter allows folding
  // A PTR, and another argument is the same address.
  bool sharesAddress = false;
  // The value or address was seen to be a multiple of it; 0: nothing is known.
  uint32_t divisor = 0;
  // Constant. kind of constant is TZ_KV_*; a dtype is a STR such as "fp16".
  KeyValue constant;
  std::vector<ArgumentSpec> items;
  std::vector<std::string> fields; // Tuple: empty if it has no names
  std::vector<uint32_t> block;     // Descriptor: extents
  bool padsWithNaN = false;        // Descriptor: outside is NaN, not zero

  bool isLeaf() const { return kind < Tuple; }
  /// A value at launch, or holds one.
  bool hasRuntime() const;
  bool operator==(const ArgumentSpec &) const;
};

/// A parameter of the source function and what the code assumes of it.
struct SpecializedParameter {
  std::string name;
  ArgumentSpec spec;
};

/// "x", "t.0", "t.scale", "d" (the base), "d.shape0", "d.stride1"
struct Leaf {
  std::string name;
  ArgumentSpec *spec;
  uint32_t parameter;
};
/// Adds the leaves of a parameter of that name, in order.
void addLeaves(std::vector<Leaf> &leaves, ArgumentSpec &spec,
               const std::string &name, uint32_t parameter);

/// What checks of a sanitizer ask about the memory behind a user argument: its
/// first byte, the one behind the last, or where its shadow is (0: none).
struct ArrayFact {
  enum Kind { Begin, End, Written, Races, Reads };
  std::string_view array; ///< its name
  Kind kind = Begin;
  uint32_t argument = 0;
  /// Of Races and Reads: bytes of memory that share a key, and keys of each.
  uint32_t granule = 1, planes = 0;
};
/// A kernel's arguments of this kind for each of the launch's, at most.
constexpr size_t MostFacts = 5;
/// "x.begin", "x.end", "x.written", "x.race:4:3", "x.reads:4:3"; not the
/// argument. Nothing: it is no such name.
std::optional<ArrayFact> parseArrayFact(std::string_view name);

struct Artifact {
  // Written by the host (core/driver), before the artifact is kept or launched.
  std::string plugin;   // "cpu"
  std::string target;   // the compiler's target id
  std::string function; // the kernel's name in its source
  /// Every parameter of the source function, constants included.
  std::vector<SpecializedParameter> parameters;
  /// User argument i (parameter i of the compiled function) is leaf
  /// userLeaves[i] of the parameters.
  std::vector<uint32_t> userLeaves;
  /// TZ_TYPE_* of user argument i, for checks at a launch.
  std::vector<uint32_t> userTypes;
  // Written by the compiler half.
  std::string compat;
  std::vector<Blob> blobs;
  std::vector<Variant> variants;
  std::vector<LogSite> logSites;
  std::vector<KeyValue> metadata;

  /// Copies and checks what a plugin returned; does not release it.
  static Result<Artifact> copy(const tz_artifact &from);
  /// The rules of plugin.h: slots inside the buffer and apart, expressions well
  /// formed, last variant without a guard, at least one variant ...
  Status verify() const;

  /// The file form. read() accepts any bytes and checks them, hash included.
  std::string write() const;
  static Result<Artifact> read(std::string_view bytes);

  /// Names of the leaves of all parameters, in order.
  std::vector<std::string> leafNames() const;
  const Blob *findBlob(std::string_view name) const;
  /// A user argument of a variant is behind those of the launch: what it is,
  /// by its name. Nothing: there is no pointer of that name.
  std::optional<ArrayFact> arrayFact(std::string_view name) const;
};

/// Well-formed: known opcodes, no underflow, one value at the end, bounded.
bool isWellFormed(const Expr &expr);

} // namespace tz::runtime

#endif
