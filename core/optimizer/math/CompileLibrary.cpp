//===- CompileLibrary.cpp - tz-math-library, a tool of the build ----------===//
//
// What   Compiles each function `<name>_<type>` of the sources that it is given
//        to tile IR on scalars, and writes all of them as one C++ file, the
//        table of MathLibrary.h.
// Why    See MathLibrary.h.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/Frontend.h"

#include "terrazzo/ir/Tile.h"
#include "terrazzo/wire/Wire.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tz;
using mlir::MLIRContext;

namespace {
struct Entry {
  std::string name, type, bytes;
};
} // namespace

static std::string argumentType(StringRef type) {
  return type == "f64" ? "fp64" : "fp32";
}

/// Appends a kernel that stores what the function gives.
static void addKernel(std::string &text, const frontend::KernelInfo &function) {
  std::string list;
  for (const frontend::ParamInfo &param : function.params) {
    list += (list.empty() ? "" : ", ") + param.name;
  }
  text += "\n\n@triton.jit\ndef __store_" + function.name + "(out, " + list +
          "):\n    tl.store(out, " + function.name + "(" + list + "))\n";
}

/// "exp", "f32" of "exp_f32"; nothing for a function that others are made of.
static std::optional<std::pair<StringRef, StringRef>> parts(StringRef name) {
  auto [function, type] = name.rsplit('_');
  bool isPublic = !name.starts_with("_") && (type == "f32" || type == "f64");
  return isPublic ? std::optional(std::pair(function, type)) : std::nullopt;
}

static bool compile(const frontend::Module &source,
                    const frontend::KernelInfo &function, StringRef type,
                    MLIRContext &context, frontend::DiagnosticSink &sink,
                    std::string &bytes) {
  frontend::Specialization spec;
  frontend::ArgSpec out;
  out.name = "out";
  out.type = "*" + argumentType(type);
  spec.args.push_back(out);
  for (const frontend::ParamInfo &param : function.params) {
    frontend::ArgSpec arg;
    arg.name = param.name;
    arg.type = argumentType(type);
    spec.args.push_back(arg);
  }
  auto ir = frontend::elaborate(source, "__store_" + function.name, spec,
                                context, sink);
  if (!ir) {
    return false;
  }
  mlir::PassManager passes(&context);
  passes.addPass(mlir::createCanonicalizerPass());
  passes.addPass(mlir::createCSEPass());
  if (failed(passes.run(*ir))) {
    return false;
  }
  wire::WriteOptions options;
  options.locations = false;
  auto written = wire::write(*ir, options);
  if (!written) {
    errs() << function.name << ": " << toString(written.takeError()) << "\n";
    return false;
  }
  bytes = std::move(*written);
  return true;
}

static bool compileFile(const char *path, MLIRContext &context,
                        std::vector<Entry> &entries) {
  auto file = MemoryBuffer::getFile(path);
  if (!file) {
    errs() << path << ": " << file.getError().message() << "\n";
    return false;
  }
  frontend::DiagnosticSink sink;
  std::string text = (*file)->getBuffer().str();
  auto functions = frontend::parseModule(path, text, sink).kernels();
  erase_if(functions, [](const auto &f) { return !parts(f.name); });
  for (const frontend::KernelInfo &function : functions) {
    addKernel(text, function);
  }
  frontend::Module source = frontend::parseModule(path, text, sink);
  for (const frontend::KernelInfo &function : functions) {
    auto [name, type] = *parts(function.name);
    Entry &entry = entries.emplace_back(Entry{name.str(), type.str(), {}});
    if (!compile(source, function, type, context, sink, entry.bytes)) {
      sink.print(errs());
      return false;
    }
  }
  sink.print(errs());
  return !sink.hasErrors();
}

static std::string render(std::vector<Entry> entries) {
  sort(entries, [](const Entry &a, const Entry &b) {
    return std::tie(a.name, a.type) < std::tie(b.name, b.type);
  });
  std::string text;
  raw_string_ostream os(text);
  os << "// Made by tz-math-library from core/optimizer/math/library.\n"
        "#include \"core/optimizer/math/MathLibrary.h\"\n\n"
        "namespace tz::optimizer::math {\n\n";
  for (auto [index, entry] : enumerate(entries)) {
    os << "static const unsigned char bytes" << index << "[] = {";
    for (unsigned char byte : entry.bytes) {
      os << unsigned(byte) << ",";
    }
    os << "};\n";
  }
  os << "\nllvm::ArrayRef<Function> functions() {\n"
        "  static const Function table[] = {\n";
  for (auto [index, entry] : enumerate(entries)) {
    os << "      {\"" << entry.name << "\", \"" << entry.type
       << "\", {reinterpret_cast<const char *>(bytes" << index << "), "
       << entry.bytes.size() << "}},\n";
  }
  os << "  };\n  return table;\n}\n\n} // namespace tz::optimizer::math\n";
  return text;
}

/// Keeps the file's date where nothing changed, so that nothing is rebuilt.
static bool writeIfChanged(const char *path, const std::string &text) {
  auto before = MemoryBuffer::getFile(path);
  if (before && (*before)->getBuffer() == text) {
    return true;
  }
  std::error_code error;
  raw_fd_ostream out(path, error);
  if (error) {
    errs() << path << ": " << error.message() << "\n";
    return false;
  }
  out << text;
  return true;
}

int main(int argc, char **argv) {
  if (argc < 3) {
    errs() << "usage: tz-math-library OUTPUT.cpp FILE.py...\n";
    return 2;
  }
  mlir::DialectRegistry registry;
  tile::registerTileDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  std::vector<Entry> entries;
  for (int i = 2; i < argc; ++i) {
    if (!compileFile(argv[i], context, entries)) {
      return 1;
    }
  }
  return writeIfChanged(argv[1], render(std::move(entries))) ? 0 : 1;
}
