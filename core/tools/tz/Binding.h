//===- Binding.h - a command line's arguments and a kernel's parameters ---===//
//
// What   From --arg, --buffer, --constexpr and --option to what the compiler
// and
//        a launch want: a specification per parameter, buffers, values.
// Why    tz run and tz compile must specialise in the same way.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_TOOLS_TZ_BINDING_H
#define TERRAZZO_CORE_TOOLS_TZ_BINDING_H

#include "core/driver/Driver.h"
#include "core/tools/tz/Terminal.h"
#include "core/tools/tz/Values.h"

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
/// Reads the file; the source says whether it is tile IR.
runtime::Result<runtime::KernelSource> loadSource(const KernelText &kernel,
                                                  const ImportOptions &imports);

struct BoundBuffer {
  std::string name;
  uint32_t type = 0; // of an element
  std::vector<int64_t> shape;
  uint64_t count = 0;
  ArgumentText text;
  std::vector<uint8_t> content;    // filled by fill()
  std::vector<size_t> addressesOf; // buffers whose addresses it holds

  /// "fp32[517,1031]"
  std::string typeText() const;
};

struct BoundParameter {
  enum Kind { Absent, Buffer, Scalar, Constant } kind = Absent;
  size_t buffer = 0;
  uint32_t type = 0;
  uint64_t bits = 0;
};

class Binding {
public:
  struct Options {
    std::vector<std::string> args, buffers, constexprs, options;
    bool allowTypes = false; // tz compile
    std::optional<unsigned> debugLevel;
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
  /// An expression over the arguments.
  runtime::Result<int64_t> evaluate(std::string_view text) const;
  /// "X", "X,Y" or "X,Y,Z"
  runtime::Result<std::array<int64_t, 3>> grid(std::string_view text) const;

  std::vector<BoundBuffer> buffers;
  std::vector<BoundParameter> parameters; // as the signature's
  std::vector<runtime::ArgumentSpec> specs;
  std::vector<runtime::KeyValue> options;

private:
  runtime::Status collect(const Options &options);
  runtime::Status bindParameter(size_t index,
                                const runtime::KernelParameter &parameter,
                                const Options &options);
  runtime::Status bindArgument(size_t index,
                               const runtime::KernelParameter &parameter,
                               const ArgumentText &text);
  runtime::Status bindConstant(size_t index,
                               const runtime::KernelParameter &parameter,
                               std::string_view text);
  runtime::Result<size_t> addBuffer(const ArgumentText &text);
  runtime::Status linkAddresses();
  runtime::Result<int64_t> lookup(std::string_view name, int depth) const;
  NameLookup names() const;

  std::map<std::string, ArgumentText, std::less<>> args;
  std::map<std::string, ArgumentText, std::less<>> extra; // --buffer
  std::map<std::string, std::string, std::less<>> constexprs;
  std::vector<bool> promised; // types alone: divisible by 16 was said
};

} // namespace tz::tool

#endif
