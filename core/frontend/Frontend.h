//===- Frontend.h - source text in, tile IR out -----------------*- C++ -*-===//
//
// What   parseModule reads a kernel file and lists its kernels; elaborate makes
//        the tile IR of one of them for one specialisation.
// Why    This is all that the driver, the tools and the tests know of the
//        frontend. No call aborts on any input: mistakes are in the sink.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_FRONTEND_H
#define TERRAZZO_CORE_FRONTEND_FRONTEND_H

#include "core/frontend/Diagnostics.h"
#include "core/frontend/HostProgram.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tz::frontend {

/// A compile-time value that crosses this interface: of a constexpr parameter,
/// a default, an autotune configuration.
struct ConstValue {
  enum Kind : uint8_t {
    None,
    Bool,
    Int,
    Float,
    String,
    DType,
    Function,
    Tuple,
    Expression, // `text`, over triton, tl and names of the host program
    Array       // an argument in memory, for heuristics: `text` is the element
                // type, `items` the shape
  };
  Kind kind = None;
  bool boolean = false;
  int64_t integer = 0;
  double number = 0;
  std::string text; // String; DType ("fp16"); Function (a name of the file)
  std::vector<ConstValue> items; // Tuple, Array

  static ConstValue fromBool(bool value);
  static ConstValue fromInt(int64_t value);
  static ConstValue fromFloat(double value);
  static ConstValue fromString(std::string value);
  static ConstValue fromDType(std::string name);
  /// As written on a command line: 128, 0.5, True, None, fp16, "text"; a name
  /// that is none of these is a function of the kernel's file.
  static ConstValue parse(llvm::StringRef text);
  /// As Python prints it.
  std::string str() const;
};

struct ParamInfo {
  std::string name;
  bool isConstexpr = false;
  std::string annotation; // as written, empty if none
  std::optional<ConstValue> defaultValue;
  /// From do_not_specialize: no value of the argument makes a new variant.
  bool doNotSpecialize = false;
  /// From do_not_specialize_on_alignment: what divides it makes none.
  bool doNotSpecializeAlignment = false;
};

struct ConfigInfo {
  std::map<std::string, ConstValue> constexprs;
  int numWarps = 4, numStages = 3, numCtas = 1;
};

struct KernelInfo {
  std::string name;
  SourceLoc loc;
  std::vector<ParamInfo> params;
  std::vector<ConfigInfo> configs;     // of triton.autotune, in order
  std::vector<std::string> tuneKey;    // its `key`
  std::vector<std::string> heuristics; // names that triton.heuristics sets
};

/// What is known of a run-time argument.
struct ArgSpec {
  std::string name;
  /// "*fp16", "*kfp16" (const), "i32", "u64", "fp32", "u1";
  /// "tensordesc<fp16[64, 64]>", "tensordesc<fp16[64, 64], nan>": the kernel
  /// then has a pointer, the sizes (i32) and the strides (i64) but the last,
  /// which is 1, as arguments, in this order;
  /// "tuple": the items follow one another, `constexpr` ones are no arguments.
  std::string type;
  /// Of a tuple: names are those of fields. Of a descriptor: what is known of
  /// its arguments, or nothing.
  std::vector<ArgSpec> items;
  std::optional<ConstValue> constant; // of an item of type "constexpr"
  bool divisibleBy16 = false;         // of the address or the integer
  /// The integer (or address) is a multiple of this many; 1: nothing known.
  int64_t divisibility = 1;
  /// The integer equals 1: it is folded into the code.
  bool equalsOne = false;
  /// The address is that of another argument, which says so too: all of them
  /// are one group of memory.
  bool sharesAddress = false;
};

struct Specialization {
  std::vector<ArgSpec> args; // of the parameters that are not constexpr
  std::map<std::string, ConstValue> constexprs;
  int numWarps = 4, numStages = 3, numCtas = 1;
  /// Integers below 64 bits that overflow in + - * end the program.
  bool sanitizeOverflow = false;
  /// The same of sums over tiles, which a sanitizer alone looks at.
  bool sanitizeSums = false;
  /// Scopes of the profiler's language are recorded.
  bool recordsScopes = false;
  /// Asserts of the program are checked (debug).
  bool keepsAsserts = true;
  /// a * b + c may be rounded once (enable_fp_fusion).
  bool contract = true;
  /// The input_precision of dots that name none; "": the target's choice.
  std::string f32Default;
  /// "cpu:...", "interp": only for kernels that ask (tl.target_info) and for
  /// messages.
  std::string target = "interp";
};

/// One question that an import asked of the disk, and its answer: the file that
/// `dots` leading dots and a dotted name mean in the file `importer`.
struct ImportSearch {
  std::string importer;
  unsigned dots = 0;
  std::string name;
  std::string file; // empty: there is none
};

/// The answer today.
std::string findImport(llvm::StringRef importer, unsigned dots,
                       llvm::StringRef name,
                       llvm::ArrayRef<std::string> importRoots);

/// Variables of the environment and what they were; nothing: not set.
using EnvironmentReads = std::map<std::string, std::optional<std::string>>;

/// True if all of them are so today.
bool isEnvironment(const EnvironmentReads &reads);

/// What surrounds a kernel file when Python runs it.
struct Surroundings {
  /// Folders that hold the packages it imports, besides its own.
  std::vector<std::string> importRoots;
  /// "package.module.name" -> an expression over `triton`, `tl` and
  /// `packaging`: values of module-level names that only running the program
  /// would tell.
  std::map<std::string, std::string> globals;
  /// The program that holds the kernel as an object: the text is then one
  /// function's, and this program knows the names that it reads.
  HostProgram host;

  bool operator==(const Surroundings &) const = default;
};

/// A kernel file that was read, with the files that it imports.
class Module {
public:
  ~Module();
  Module(Module &&) noexcept;
  Module &operator=(Module &&) noexcept;

  llvm::StringRef path() const;
  const std::vector<KernelInfo> &kernels() const;
  /// Null if there is none of that name.
  const KernelInfo *kernel(llvm::StringRef name) const;
  /// Why a function of that name is no kernel; empty if there is none.
  std::string whyNoKernel(llvm::StringRef name) const;
  /// The files that were read so far, imports included; without the embedded
  /// library. Imports are read when one of their names is used.
  std::vector<std::shared_ptr<const SourceFile>> sources() const;
  /// What was asked of the disk so far; with sources() and environment() all
  /// that the module's meaning depends on.
  std::vector<ImportSearch> searches() const;
  /// What was asked of the host program so far.
  const std::vector<HostRead> &hostReads() const;
  /// Environment variables that module-level code has asked for.
  const EnvironmentReads &environment() const;
  /// False if a file was there and could not be read: what came of that says
  /// nothing about the module.
  bool readAll() const;

  struct State;
  State &state() const { return *hidden; }

private:
  friend Module parseModule(std::string path, std::string text,
                            DiagnosticSink &sink, Surroundings around);
  explicit Module(Surroundings around);
  std::unique_ptr<State> hidden;
};

/// Reads a module. After errors the module lists what could be understood.
Module parseModule(std::string path, std::string text, DiagnosticSink &sink,
                   Surroundings around = {});

class DebugMap;

/// The tile IR of one kernel: a module with one tile.kernel. Null after an
/// error, which is in the sink. Not for two threads on one Module at once.
/// `debugMap`, if wanted, is of this IR and its places are the Module's.
mlir::OwningOpRef<mlir::ModuleOp>
elaborate(const Module &module, llvm::StringRef kernel,
          const Specialization &spec, mlir::MLIRContext &context,
          DiagnosticSink &sink, DebugMap *debugMap = nullptr);

/// Values of the parameters and options that triton.heuristics computes from
/// the others. `known` holds arguments and constexprs by name, `given`
/// says which of them a heuristic does not change. An option that cannot be
/// computed is left out, a parameter is an error: false.
bool evaluateHeuristics(const Module &module, llvm::StringRef kernel,
                        const std::set<std::string> &given,
                        std::map<std::string, ConstValue> &known,
                        DiagnosticSink &sink);

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_FRONTEND_H
