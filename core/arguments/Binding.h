//===- Binding.h - a command line's arguments and a kernel's parameters ---===//
//
// What   From --arg, --buffer, --constexpr and --option to what the compiler
//        and a launch want: a specification per parameter, buffers, values.
// Why    tz run and tz compile must specialise in the same way.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_ARGUMENTS_BINDING_H
#define TERRAZZO_CORE_ARGUMENTS_BINDING_H

#include "core/arguments/Values.h"
#include "core/driver/Driver.h"
#include "core/terminal/Terminal.h"

namespace CLI {
class App;
}

namespace tz::tool {

/// "kernel.py::name"
struct KernelText {
  std::string path, function;
};
KernelText parseKernel(std::string_view text);
/// What is said of the files that a kernel's file imports.
struct ImportOptions {
  std::vector<std::string> roots, globals;
};
/// --import-root and --global.
void addImportOptions(CLI::App &command, ImportOptions &options);
/// As a command line's constant, for options and constexprs.
runtime::KeyValue toKeyValue(const std::string &name, const Constant &value);
/// Reads the file; the source says whether it is tile IR.
runtime::Result<runtime::KernelSource> loadSource(const KernelText &kernel,
                                                  const ImportOptions &imports);
/// The same of a text that somebody else has read.
runtime::Result<runtime::KernelSource> makeSource(const KernelText &kernel,
                                                  std::string text,
                                                  const ImportOptions &imports);

struct BoundBuffer {
  std::string name;
  uint32_t type = 0; // of an element
  std::vector<int64_t> shape;
  uint64_t count = 0;
  ArgumentText text;
  std::vector<uint8_t> content;    // filled by fill(), unless isGiven
  bool isGiven = false;            // the content is there
  std::vector<size_t> addressesOf; // buffers whose addresses it holds

  /// "fp32[517,1031]"
  std::string typeText() const;
};

/// A leaf of the arguments (runtime/launch/RuntimeArtifact.h).
struct BoundLeaf {
  enum Kind { Absent, Buffer, Scalar, Constant } kind = Absent;
  size_t buffer = 0;
  uint64_t offset = 0; // bytes into the buffer
  uint32_t type = 0;
  uint64_t bits = 0;
  bool promised = false;   // of a type alone: it was said to be divisible by 16
  runtime::PointerUse use; // of a Buffer, once the rule is known
};

class Binding {
public:
  struct Options {
    std::vector<std::string> args, buffers, constexprs, options;
    std::vector<std::string> names;       // of numbers that are no arguments
    std::vector<std::string> expressions; // that names may stand in, too
    bool allowTypes = false;              // tz compile
    std::optional<unsigned> debugLevel;
    std::string sanitize; ///< empty: as the environment says
  };
  /// Binds everything to the parameters; sizes and scalars are evaluated.
  runtime::Status bind(const runtime::KernelSignature &signature,
                       const Options &options);
  /// The options alone: tile IR has its arguments already.
  runtime::Status bindOptions(const Options &options);
  /// equalsOne and divisor, once the rule is known.
  void applyRule(const runtime::SpecializationRule &rule);
  /// Gives buffers their content.
  runtime::Status fill(uint64_t seed);
  /// What a launch gives for the parameters, for heuristics: numbers and
  /// buffers. Nothing of a parameter whose type alone is known.
  std::vector<driver::LaunchValue>
  launchValues(const runtime::KernelSignature &signature) const;
  /// The kernel is known to write to the buffer and not to read it.
  bool isOnlyWritten(size_t buffer) const;
  /// An expression over the arguments.
  runtime::Result<int64_t> evaluate(std::string_view text) const;
  /// "X", "X,Y" or "X,Y,Z"
  runtime::Result<std::array<int64_t, 3>> grid(std::string_view text) const;

  std::vector<BoundBuffer> buffers;
  std::vector<BoundLeaf> leaves;
  std::vector<runtime::ArgumentSpec> specs; // one per parameter
  std::vector<runtime::KeyValue> options;

private:
  runtime::Status collect(const Options &options);
  runtime::Status collectNumbers(const runtime::KernelSignature &signature,
                                 const Options &options);
  // BindArguments.cpp: each adds the leaves of the value.
  runtime::Result<runtime::ArgumentSpec>
  bindParameter(const runtime::KernelParameter &parameter,
                const Options &options);
  runtime::Result<runtime::ArgumentSpec> bindArgument(const ArgumentText &text,
                                                      bool allowTypes);
  runtime::Result<runtime::ArgumentSpec>
  bindDescriptor(const ArgumentText &text);
  runtime::Result<runtime::ArgumentSpec>
  bindDescriptorType(const ArgumentText &text);
  runtime::Result<runtime::ArgumentSpec>
  bindConstants(const ArgumentText &text);
  runtime::Result<runtime::ArgumentSpec> bindConstant(const std::string &name,
                                                      std::string_view text);
  runtime::Status bindList(const std::vector<std::string> &texts,
                           const std::string &where, const char *what,
                           std::vector<int64_t> &to) const;
  runtime::Status addBuffers(const ArgumentText &text);
  std::optional<size_t> bufferNamed(std::string_view name) const;
  runtime::Status addBuffer(const ArgumentText &text);
  runtime::Status linkAddresses();
  /// Names whose values are being looked up, innermost first.
  struct Chain {
    std::string_view name;
    const Chain *outer;
  };
  runtime::Result<int64_t> lookup(std::string_view name,
                                  const Chain *outer) const;
  NameLookup names() const;

  std::map<std::string, ArgumentText, std::less<>> args;
  std::map<std::string, ArgumentText, std::less<>> extra; // --buffer
  std::map<std::string, std::string, std::less<>> constexprs;
  std::map<std::string, std::string, std::less<>> numbers; // --let
};

} // namespace tz::tool

#endif
