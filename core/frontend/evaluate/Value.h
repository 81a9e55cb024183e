//===- Value.h - what a Python expression evaluates to ----------*- C++ -*-===//
//
// What   Value: a compile-time Python object (number, string, tuple, type,
//        function, module ...) or a run-time tile. Payload structs for the
//        compound kinds.
// Why    One type for both worlds, because the language mixes them freely: the
//        same `a + b` is Python arithmetic or an operation of the kernel.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_EVALUATE_VALUE_H
#define TERRAZZO_CORE_FRONTEND_EVALUATE_VALUE_H

#include "core/frontend/TileTypes.h"
#include "core/frontend/parse/AST.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tz::frontend {

class Value;
struct Builtin;
struct FunctionObject;
struct ModuleObject;

/// Integers of the evaluator: wide enough that every 64-bit expression is
/// exact; what leaves this range is an error, never a wrapped number.
using PyInt = __int128;
std::string toString(PyInt value);

enum class ValueKind : uint8_t {
  Error,   // a diagnostic was given; everything made of it is silent
  Unknown, // host value that the evaluator cannot compute, with the reason
  Unset,   // name bound on some paths only, with the reason
  Lazy,    // name of a module that has not been read yet
  None,
  Bool,
  Int,
  Float,
  String,
  Ellipsis,
  Type,
  Tuple,
  List,
  Dict,
  Slice,
  Range,
  Record,
  Class,
  Function,
  Builtin,
  Method,
  Module,
  Tile,
};

struct SequenceObject;
struct DictObject;
struct SliceObject;
struct RangeObject;
struct MethodObject;
struct ReasonObject;
struct LazyObject;
struct ClassObject;

class Value {
public:
  Value() = default; // Error
  Value(const Value &) = default;
  Value(Value &&) = default;
  Value &operator=(const Value &) = default;
  Value &operator=(Value &&) = default;
  ~Value() {
    if (object) {
      release(std::move(object));
    }
  }

  static Value none() { return Value(ValueKind::None); }
  static Value ellipsis() { return Value(ValueKind::Ellipsis); }
  static Value boolean(bool value);
  static Value integer(PyInt value);
  static Value number(double value);
  static Value string(std::string value);
  static Value type(TileType type);
  static Value type(DType scalar);
  static Value tile(TileValue value);
  static Value tuple(std::vector<Value> items);
  static Value integers(llvm::ArrayRef<int64_t> items); // a tuple
  static Value list(std::vector<Value> items);
  static Value dict();
  static Value slice(Value lower, Value upper, Value step);
  static Value range(RangeObject range);
  static Value record(std::shared_ptr<SequenceObject> fields);
  static Value classOf(std::shared_ptr<ClassObject> object);
  static Value function(std::shared_ptr<FunctionObject> function);
  static Value builtin(const Builtin *builtin);
  static Value method(Value self, const Builtin *builtin);
  static Value method(Value self, std::shared_ptr<FunctionObject> function);
  static Value module(std::shared_ptr<ModuleObject> module);
  static Value unknown(SourceLoc loc, std::string reason);
  static Value unset(std::vector<Note> origins, std::string reason);
  static Value lazy(LazyObject lazy);

  ValueKind kind() const { return tag; }
  bool is(ValueKind k) const { return tag == k; }
  bool isError() const { return tag == ValueKind::Error; }
  bool isNone() const { return tag == ValueKind::None; }
  bool isTile() const { return tag == ValueKind::Tile; }
  bool isIntegral() const {
    return tag == ValueKind::Int || tag == ValueKind::Bool;
  }
  bool isNumber() const { return isIntegral() || tag == ValueKind::Float; }
  bool isSequence() const {
    return tag == ValueKind::Tuple || tag == ValueKind::List ||
           tag == ValueKind::Record;
  }

  // Each asks for the right kind; callers check first.
  bool asBool() const { return scalar.integer != 0; }
  PyInt asInt() const { return scalar.integer; }
  double asFloat() const { // also of integers
    return tag == ValueKind::Float ? scalar.number : double(scalar.integer);
  }
  const std::string &asString() const;
  const TileType &asType() const;
  const TileValue &asTile() const;
  llvm::ArrayRef<Value> items() const; // tuple, list, record
  SequenceObject &sequence() const;
  DictObject &dictionary() const;
  const SliceObject &asSlice() const;
  const RangeObject &asRange() const;
  const ClassObject &asClass() const;
  std::shared_ptr<ClassObject> sharedClass() const;
  std::shared_ptr<FunctionObject> asFunction() const;
  const Builtin *asBuiltin() const;
  const MethodObject &asMethod() const;
  std::shared_ptr<ModuleObject> asModule() const;
  const ReasonObject &reason() const; // Unknown and Unset
  const LazyObject &asLazy() const;

  /// Marked by tl.constexpr: a global that kernels may read.
  bool isConstexpr = false;
  /// An integer argument that is known because it equals 1: unlike a constexpr
  /// it may be reassigned in a loop or on one path, as if it were not 1.
  bool isFolded = false;
  Value asConstexpr() const {
    Value copy = *this;
    copy.isConstexpr = true;
    copy.isFolded = false;
    return copy;
  }

private:
  explicit Value(ValueKind kind) : tag(kind) {}
  Value(ValueKind kind, std::shared_ptr<void> object)
      : tag(kind), object(std::move(object)) {}
  /// Gives the object up; what it alone holds is freed afterwards, not inside,
  /// so that a long chain of values does not need a deep stack.
  static void release(std::shared_ptr<void> object);
  template <typename T>
  T &payload() const {
    return *static_cast<T *>(object.get());
  }

  ValueKind tag = ValueKind::Error;
  union Scalar {
    PyInt integer;
    double number;
  } scalar{0};
  std::shared_ptr<void> object;
};

struct SequenceObject {
  std::vector<Value> items;
  std::vector<std::string> names;          // of a record's fields
  std::string className;                   // of a record
  std::shared_ptr<const ClassObject> type; // of an aggregate
  bool isLaunchArray = false;              // a record of dtype, shape and ndim
  /// While its __init__ runs: the block in which fields may be set.
  mlir::Block *open = nullptr;
  const Value *find(llvm::StringRef name) const;
};
struct DictObject {
  std::vector<std::pair<Value, Value>> entries; // in insertion order
  Value *find(const Value &key);
  void set(const Value &key, Value value);
};
struct SliceObject {
  Value lower, upper, step;
};
/// range, tl.range and tl.static_range: bounds may be tiles.
struct RangeObject {
  enum Kind : uint8_t { Plain, Hinted, Static } kind = Plain;
  Value start, stop, step;
  std::vector<std::pair<std::string, Value>> hints; // of tl.range
};
/// A named tuple's class, or an aggregate's: calling it makes a record.
struct ClassObject {
  std::string name;
  std::vector<std::string> fields;
  std::vector<std::optional<Value>> defaults;
  enum FieldKind : uint8_t { Any, Tensor, Constexpr };
  std::vector<FieldKind> kinds; // as annotated
  std::map<std::string, Value, std::less<>> methods;
  bool isAggregate = false;
  SourceLoc loc;
};
struct MethodObject {
  Value self;
  const Builtin *builtin = nullptr;
  std::shared_ptr<FunctionObject> function;
};
struct ReasonObject {
  SourceLoc loc;
  std::string text;
  std::vector<Note> origins; // of Unset: where it is set
};
struct LazyObject {
  std::string path;   // of the file
  std::string module; // as written, for messages
  std::string name;   // empty: the module itself
  SourceLoc loc;
};

/// Names of a Python scope. Keys point into source texts, which live as long
/// as their modules.
struct Binding {
  Value value;
  SourceLoc loc;
};
using Scope = llvm::DenseMap<llvm::StringRef, Binding>;

struct ConfigInfo;

/// A function of a file: jit function, host function or lambda.
struct FunctionObject {
  std::string name;
  std::weak_ptr<ModuleObject> module;
  const ast::FunctionDef *def = nullptr; // null for a lambda
  const ast::Lambda *lambda = nullptr;
  std::shared_ptr<Scope> closure; // of a nested function or lambda
  bool isJit = false;
  bool isConstexprFunction = false;
  bool isExtern = false; // of core.extern: may write dictionaries
  bool noInline = false;
  ReasonObject undecorated;   // why a decorator was not understood
  Value jitOptions;           // keywords of jit(...), a dict
  std::vector<Value> configs; // of autotune: records
  std::vector<std::string> tuneKey;
  std::vector<std::pair<std::string, Value>> heuristics;
  llvm::ArrayRef<ast::Parameter> params() const {
    return def ? def->params : lambda->params;
  }
  SourceLoc loc() const { return def ? def->nameLoc : lambda->loc; }
  /// Marked as one that kernels call; any other is the host's.
  bool isForKernels() const { return isJit || isConstexprFunction; }
};

/// A module: a file of the user, or a built-in one such as triton.language.
struct ModuleObject {
  std::string name;
  std::string path;                  // empty for built-in modules
  std::unique_ptr<ast::Module> tree; // null for built-in modules
  llvm::StringMap<Binding> members;
  /// Members whose values were given from outside: the file's own are ignored.
  llvm::StringSet<> given;
  /// Python's module has more names, which are unknown at compile time.
  bool isPartial = false;
  /// Where the host program looks up the names that it does not define.
  std::optional<uint64_t> scope;
  /// Names that the host program does not have either.
  llvm::StringSet<> unheardOf;
  /// An error was found in it, and given to whoever read it first.
  bool isBroken = false;
  bool isBuiltin() const { return !tree; }
};

/// Python's truth of a compile-time value; nothing for tiles, errors, unknowns.
std::optional<bool> truth(const Value &value);
/// What Python iterates over; nothing if that is not known at compile time or a
/// range has more than `most`.
std::optional<std::vector<Value>> itemsOf(const Value &iterable, size_t most);
/// Equality as Python's `==` on compile-time values.
bool equal(const Value &a, const Value &b);
/// The same object: equal compile-time values of one kind, or the same tiles.
bool identical(const Value &a, const Value &b);
/// As Python prints it: `3`, `'abc'`, `(1, 2)`, `fp32`.
std::string repr(const Value &value);
std::string str(const Value &value);
/// format(value, spec) for numbers and strings; empty if the specification is
/// not one of [[fill]align][sign][0][width][,][.precision][type].
std::optional<std::string> formatValue(const Value &value,
                                       llvm::StringRef spec);
/// What it is, for messages: "int 3", "tile fp32[64]", "function 'f'".
std::string describe(const Value &value);
/// The Python name of its type: "int", "str", "tensor".
llvm::StringRef typeName(const Value &value);

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_EVALUATE_VALUE_H
