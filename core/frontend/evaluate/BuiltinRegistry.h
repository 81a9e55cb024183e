//===- BuiltinRegistry.h - the table of built-in functions ------*- C++ -*-===//
//
// What   A Builtin is a name, a parameter list written as in Python, and a C++
//        function. Registry holds the built-in modules (triton,
//        triton.language ...) and the methods of tiles and Python objects.
// Why    Argument matching (keywords, defaults, counts) is done once for all
//        of them, and every built-in gets the same error texts.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_EVALUATE_BUILTINREGISTRY_H
#define TERRAZZO_CORE_FRONTEND_EVALUATE_BUILTINREGISTRY_H

#include "core/frontend/evaluate/Value.h"

#include <functional>
#include <map>

namespace tz::frontend {

class Evaluator;

/// Arguments as written at a call, stars expanded.
struct CallArgs {
  struct Argument {
    Value value;
    SourceLoc loc;
    llvm::StringRef keyword; // empty: positional
  };
  llvm::SmallVector<Argument, 8> list;
  std::vector<Value> keepAlive; // owners of keywords that came from `**dict`

  void add(Value value, SourceLoc loc, llvm::StringRef keyword = {}) {
    list.push_back({std::move(value), loc, keyword});
  }
};

struct BuiltinParam {
  std::string name;
  /// VarKeywords takes every other keyword, as a dictionary.
  enum Kind : uint8_t { Plain, VarArgs, KeywordOnly, VarKeywords } kind = Plain;
  std::optional<Value> defaultValue;
};

/// One call of a built-in, arguments matched to parameters.
class BuiltinCall {
public:
  BuiltinCall(Evaluator &evaluator, const Builtin &builtin, SourceLoc loc)
      : evaluator(evaluator), builtin(builtin), loc(loc) {}

  Evaluator &evaluator;
  const Builtin &builtin;
  SourceLoc loc;
  llvm::SmallVector<Value, 12> values;   // one a parameter; VarArgs: a tuple
  llvm::SmallVector<SourceLoc, 12> locs; // of the argument, or of the call

  const Value &operator[](size_t i) const { return values[i]; }
  bool given(size_t i) const { return locs[i].isValid(); }
  SourceLoc at(size_t i) const { return given(i) ? locs[i] : loc; }
  llvm::StringRef name(size_t i) const;

  /// An error at argument `i` (or at the call), as a result.
  Value error(const llvm::Twine &message) const;
  Value error(size_t i, const llvm::Twine &message) const;

  // Compile-time readings of argument `i`. Empty after an error was reported.
  std::optional<int64_t> integer(size_t i) const;
  std::optional<bool> boolean(size_t i) const;
  std::optional<std::string> string(size_t i) const;
  std::optional<TileType> dtype(size_t i) const;
  /// An integer or a sequence of integers.
  std::optional<llvm::SmallVector<int64_t, 4>> integers(size_t i) const;
};

struct Builtin {
  std::string name; // as shown in messages: "tl.load", "tensor.to"
  std::vector<BuiltinParam> params;
  std::function<Value(BuiltinCall &)> run;
  /// May be called at module level, without a kernel.
  bool isHost = false;
};

using BuiltinFn = std::function<Value(BuiltinCall &)>;

class Registry {
public:
  Registry();

  /// The built-in module of a dotted name, or null.
  std::shared_ptr<ModuleObject> module(llvm::StringRef dotted) const;
  /// The dotted names of all built-in modules, sorted.
  std::vector<llvm::StringRef> moduleNames() const;
  const Builtin *method(ValueKind kind, llvm::StringRef name) const;
  /// A function of the embedded library that tiles have as a method, not read
  /// yet; null if there is none.
  const Value *libraryMethod(llvm::StringRef name) const;
  /// len, range, min ...: the names that need no import.
  const llvm::StringMap<Binding> &python() const {
    return pythonNames->members;
  }
  /// Names of methods of a kind, for suggestions.
  std::vector<llvm::StringRef> methodNames(ValueKind kind) const;

  /// What is wrong with signatures of the table: none, which a test holds.
  const std::vector<std::string> &mistakes() const { return signatureMistakes; }

  // Filling; only while the table is built.
  std::shared_ptr<ModuleObject> makeModule(llvm::StringRef dotted);
  /// `signature` is a Python parameter list: "x, axis=None, *, flag=False".
  const Builtin *add(llvm::StringRef module, llvm::StringRef name,
                     llvm::StringRef signature, BuiltinFn run);
  const Builtin *addMethod(ValueKind kind, llvm::StringRef name,
                           llvm::StringRef signature, BuiltinFn run);
  void set(llvm::StringRef module, llvm::StringRef name, Value value);
  void setLibraryMethod(llvm::StringRef name, Value function);
  /// As add, for functions that host code may call too.
  const Builtin *addHost(llvm::StringRef module, llvm::StringRef name,
                         llvm::StringRef signature, BuiltinFn run);

private:
  std::map<std::string, std::shared_ptr<ModuleObject>, std::less<>> modules;
  std::map<std::pair<ValueKind, std::string>, const Builtin *> methods;
  llvm::StringMap<Value> libraryMethods;
  std::vector<std::unique_ptr<Builtin>> owned;
  std::vector<std::string> signatureMistakes;
  std::shared_ptr<ModuleObject> pythonNames;
};

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_EVALUATE_BUILTINREGISTRY_H
