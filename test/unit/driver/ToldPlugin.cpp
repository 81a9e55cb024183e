//===- ToldPlugin.cpp - a compiler half that does as it is told -----------===//
//
// What   See ToldPlugin.h.
// Why    See ToldPlugin.h.
//===----------------------------------------------------------------------===//
#include "test/unit/driver/ToldPlugin.h"

#include "terrazzo/ir/Tile.h"
#include "terrazzo/plugin/Compiler.h"
#include "terrazzo/plugin/LLVMError.h"
#include "terrazzo/wire/Wire.h"

#include <chrono>
#include <thread>

namespace tz::test {

using namespace tz::plugin;

std::atomic<unsigned> toldCompilations{0}, toldAtOnce{0};

namespace {

/// Waits until a second compilation is there, or so long.
void meetAnother(std::chrono::milliseconds longest) {
  static std::atomic<unsigned> here{0};
  const auto end = std::chrono::steady_clock::now() + longest;
  ++here;
  do {
    const unsigned now = here;
    if (now > toldAtOnce) {
      toldAtOnce = now;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  } while (toldAtOnce < 2 && std::chrono::steady_clock::now() < end);
  --here;
}

class ToldCompiler final : public Compiler {
public:
  using Compiler::Compiler;

  std::vector<std::string> targets() override { return {"told:any"}; }

  tz_target_desc describe(std::string_view) override {
    static const tz_ir_range ir[] = {{str("tile"), 0, 1, 0, 1}};
    tz_target_desc d{};
    d.id = str("told:any");
    d.family = str("told");
    d.ir = ir;
    d.num_ir = 1;
    return d;
  }

  Artifact compile(const Request &request) override {
    ++toldCompilations;
    if (int64_t longest = request.integer("meet", 0)) {
      meetAnother(std::chrono::milliseconds(longest));
    }
    if (int64_t code = request.integer("fail", 0)) {
      if (!request.integer("silent", 0)) {
        request.report(TZ_SEVERITY_ERROR, "told to fail");
      }
      throw Failure(int32_t(code), "told to fail");
    }
    mlir::DialectRegistry registry;
    tile::registerTileDialects(registry);
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    context.loadAllAvailableDialects();
    auto module = check(wire::read({static_cast<const char *>(request.ir.data),
                                    request.ir.size},
                                   context),
                        TZ_E_INVALID_ARGUMENT);
    Artifact artifact;
    artifact.blobs.push_back({"main", "text", "code"});
    artifact.kernels.emplace_back().name = "told";
    module->walk([&](tile::AssertOp op) {
      auto at = op.getLoc()->findInstanceOf<mlir::FileLineColLoc>();
      LogSite &site = artifact.logSites.emplace_back();
      site.kind = TZ_LOG_ASSERT;
      site.text = op.getMessage().str();
      site.file = at.getFilename().str();
      site.line = at.getLine();
      site.col = at.getColumn();
      request.report(TZ_SEVERITY_REMARK, "checks at run time",
                     request.integer("elsewhere", 0) ? "made-up.c" : site.file,
                     site.line, site.col);
    });
    return artifact;
  }
};

tz_error *compile(tz_compiler *compiler, const tz_compile_request *request,
                  tz_artifact **out) {
  tz_error *error =
      compilerTable<ToldCompiler>()->compile(compiler, request, out);
  if (error && Request(*request).integer("transient", 0)) {
    error->flags |= TZ_ERR_RETRY;
  }
  return error;
}

const void *getInterface(const char *id) {
  static const tz_compiler_api table = [] {
    tz_compiler_api t = *compilerTable<ToldCompiler>();
    t.compile = compile;
    return t;
  }();
  return std::string_view(id) == "tz.compiler/1" ? &table : nullptr;
}

const tz_plugin *query(const tz_query *) {
  static constexpr tz_plugin plugin =
      entry("told", "test", "1", "test", getInterface);
  return &plugin;
}

const tz_plugin *querySerial(const tz_query *) {
  static constexpr tz_plugin plugin = [] {
    tz_plugin made = entry("told", "test", "1", "test", getInterface);
    made.flags = TZ_PLUGIN_SERIAL_COMPILER;
    return made;
  }();
  return &plugin;
}

} // namespace

runtime::BuiltinPlugin toldSerialPlugin() {
  return {"told", querySerial, nullptr};
}
runtime::BuiltinPlugin toldPlugin() { return {"told", query, nullptr}; }

} // namespace tz::test
