//===- ExplainCommand.cpp - tz explain ------------------------------------===//
//
// What   Says by source line what became of a kernel's accesses and products
//        and what the passes declined, with the cure; then what each pass
//        changed, the launch plan and the facts of the artifact.
// Why    A user who wants a faster kernel should read the answer, not the IR.
//===----------------------------------------------------------------------===//
#include "core/arguments/Request.h"
#include "core/driver/LoweredKernel.h"
#include "core/tools/tz/Commands.h"
#include "core/view/Explain.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <CLI/CLI.hpp>

namespace tz::tool {

using namespace runtime;

namespace {
struct ExplainOptions {
  Request request;
  std::string target;
  bool json = false;
};

/// Keeps remarks, warnings and notes; errors are shown at once.
class Listener final : public DiagnosticSink {
public:
  explicit Listener(TerminalSink &errorsTo) : errorsTo(errorsTo) {}
  void report(uint32_t severity, std::string_view rendered) override {
    if (severity == TZ_SEVERITY_ERROR) {
      errorsTo.report(severity, rendered);
    } else if (!llvm::is_contained(heard, rendered)) {
      heard.emplace_back(rendered);
    }
  }
  std::vector<std::string> heard;

private:
  TerminalSink &errorsTo;
};
} // namespace

/// What a message adds to those of the passes.
static bool isOfPasses(const std::string &rendered,
                       const std::vector<optimizer::Remark> &remarks) {
  return llvm::any_of(remarks, [&](const optimizer::Remark &remark) {
    return llvm::StringRef(rendered).contains("remark: " + remark.message);
  });
}

static void showLines(const Explanation &all) {
  std::string file;
  for (const ExplainedLine &line : all.lines) {
    if (line.file != file) {
      std::printf("\n%s\n", styled(Style::Bold, line.file).c_str());
      file = line.file;
    }
    std::printf("%5u  %s\n", line.line, line.text.c_str());
    for (const std::string &fact : line.facts) {
      std::printf("         %s\n", fact.c_str());
    }
    for (const ExplainedRemark &remark : line.remarks) {
      std::printf("         %s %s\n",
                  styled(Style::Bad, "[" + remark.pass + "]").c_str(),
                  remark.message.c_str());
    }
  }
}

static void showCounts(const Explanation &all) {
  std::printf("\n%s\n", styled(Style::Bold, "passes").c_str());
  std::string last;
  for (const optimizer::PassCount &count : all.counts) {
    if (count.count == 0) {
      continue;
    }
    std::printf("  %-26s %6llu  %s\n",
                count.pass == last ? "" : count.pass.c_str(),
                static_cast<unsigned long long>(count.count),
                count.description.c_str());
    last = count.pass;
  }
}

static void showPlan(const Artifact &artifact) {
  std::printf("\n%s\n", styled(Style::Bold, "launch plan").c_str());
  if (!artifact.userLeaves.empty()) {
    const std::vector<std::string> leaves = artifact.leafNames();
    std::string names;
    for (auto [i, index] : llvm::enumerate(artifact.userLeaves)) {
      names += (i ? ", " : "") + ("arg" + std::to_string(i)) + " is " +
               leaves[index];
    }
    std::printf("  %s\n", names.c_str());
  }
  for (const Variant &variant : artifact.variants) {
    std::printf("  variant '%s', %s\n", variant.name.c_str(),
                artifact.variants.size() == 1 ? "always"
                : variant.guard.empty()
                    ? "if none before it fits"
                    : ("if " + printExpr(variant.guard)).c_str());
    for (const auto &[what, text] : planOf(variant)) {
      std::printf("    %-12s %s\n", what.c_str(), text.c_str());
    }
    for (const ArgInfo &arg : variant.args) {
      std::printf("    argument     %s\n", argumentText(arg).c_str());
    }
  }
  std::printf("\n%s\n", styled(Style::Bold, "artifact").c_str());
  for (const auto &[what, text] : factsOf(artifact)) {
    std::printf("  %-22s %s\n", what.c_str(), text.c_str());
  }
}

static void show(const Explanation &all, const Artifact &artifact) {
  std::printf("%s for %s\n", styled(Style::Bold, artifact.function).c_str(),
              artifact.target.c_str());
  showLines(all);
  showCounts(all);
  if (!all.messages.empty()) {
    std::printf("\n%s\n", styled(Style::Bold, "also said").c_str());
    for (const std::string &message : all.messages) {
      std::printf("%s", message.c_str());
    }
  }
  showPlan(artifact);
}

static int explain(ExplainOptions &options) {
  TerminalSink sink;
  Cache cache;
  Registry registry({.wantsCompiler = true}, &cache);
  // Not from the cache: what other tools say changes when they are installed.
  driver::Driver driver(registry, nullptr);
  options.request.binding.allowTypes = true;
  Result<Launch> launch = resolve(options.request, driver, sink);
  if (!launch) {
    return reportFailure(launch.status(), sink);
  }
  if (Status s = checkHasSource(*launch); !s.ok()) {
    return reportFailure(s, sink);
  }
  Result<ResolvedTarget> target = registry.resolve(options.target, false);
  if (!target) {
    return reportFailure(target.status(), sink);
  }
  CompileJob &job = launch->job;
  job.plugin = target->plugin->name();
  job.target = target->id;
  job.makeAhead();        // figures of all variants
  job.emit = {"machine"}; // and those that need another tool
  Listener listener(sink);
  optimizer::enableStatistics();
  Result<driver::LoweredKernel> lowered =
      driver.lower(job, driver::Stage::Prepared, listener);
  if (!lowered) {
    return reportFailure(lowered.status(), sink);
  }
  Explanation all;
  all.counts = optimizer::statistics();
  Result<std::shared_ptr<const Artifact>> artifact =
      driver.compile(job, listener);
  if (!artifact) {
    return reportFailure(artifact.status(), sink);
  }
  const driver::LoweredKernel::State &state = lowered->state();
  all.lines = explainLines(*state.module, state.remarks, state.source->files());
  for (const std::string &message : listener.heard) {
    if (!isOfPasses(message, state.remarks)) {
      all.messages.push_back(message);
    }
  }
  if (options.json) {
    std::printf("%s\n",
                llvm::formatv("{0:2}", toJson(all, **artifact)).str().c_str());
    return 0;
  }
  if (!launch->note.empty()) {
    std::printf("%s\n", launch->note.c_str());
  }
  show(all, **artifact);
  return 0;
}

static constexpr const char *Footer =
    R"help(A line is shown with what stands there after the passes: how a tile is loaded or
stored and which of its bounds are still checked, products and their precision.
Below it, in brackets, the pass that declined something there, why, and what to
change.

Arguments are values as for 'tz run' or types as for 'tz compile'. Only what the
code depends on counts: types, divisibility, constexpr values.

Examples
  tz explain softmax.py::softmax_kernel --target cpu --arg out=*fp32:16
      --arg x=*fp32:16 --arg x_row_stride=i32 --arg out_row_stride=i32
      --arg n_cols=i32 --constexpr BLOCK=1024
  tz explain kernel.py::k ... --json > k.json)help";

void addExplainCommand(CLI::App &app, int &status) {
  CLI::App *command = app.add_subcommand(
      "explain", "Say what the compiler did with a kernel, line by line");
  auto o = std::make_shared<ExplainOptions>();
  addRequestOptions(*command, o->request);
  command
      ->add_option("--target", o->target,
                   "cpu, cpu:x86-64-v3 ... (default: TERRAZZO_TARGET)")
      ->type_name("TARGET");
  command->add_flag("--json", o->json, "The same as one JSON document");
  command->footer(Footer);
  command->callback([o, &status] { status = explain(*o); });
}

} // namespace tz::tool
