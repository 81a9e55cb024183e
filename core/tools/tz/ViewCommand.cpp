//===- ViewCommand.cpp - tz view ------------------------------------------===//
//
// What   Compiles a kernel and writes one page with all stages side by side,
//        linked by the lines of the source; or one stage as text. --beside
//        adds a second compilation to the page.
// Why    Who asks why code is as it is should see from which line it comes and
//        which pass made it so, on any target.
//===----------------------------------------------------------------------===//
#include "core/arguments/Request.h"
#include "core/tools/tz/Commands.h"
#include "core/view/ViewModel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <CLI/CLI.hpp>

namespace tz::tool {

using namespace runtime;

namespace {
/// What is compiled: the words of the command line, or those of --beside.
struct Side {
  Request request;
  std::string target, signature;
  /// The signature is the other side's: arguments of this one come before it.
  bool inheritsSignature = false;
};

struct ViewOptions {
  Side side;
  std::string beside, output, stage, samples;
  bool text = false, json = false;
};
} // namespace

static void addTargetOptions(CLI::App &command, Side &side) {
  command
      .add_option("--target", side.target,
                  "cpu, cpu:x86-64-v3 ... (default: TERRAZZO_TARGET)")
      ->type_name("TARGET");
  command.add_option("--sig", side.signature,
                     "Types of all run-time arguments, in order");
}

/// Adds what `before` says of names of which `words` says nothing.
static void inherit(std::vector<std::string> &words,
                    const std::vector<std::string> &before) {
  const std::vector<std::string> own = words;
  for (const std::string &word : before) {
    const llvm::StringRef name = llvm::StringRef(word).split('=').first;
    if (llvm::none_of(own, [&](const std::string &one) {
          return llvm::StringRef(one).split('=').first == name;
        })) {
      words.push_back(word);
    }
  }
}

/// The words of --beside in the place of those of the command line.
static Result<Side> besideOf(const std::string &words, const Side &first) {
  Side side;
  CLI::App app("", "--beside");
  app.set_help_flag();
  addRequestOptions(app, side.request);
  app.get_option("kernel")->required(false);
  addTargetOptions(app, side);
  if (Status s = parseWords(app, words); !s.ok()) {
    return std::move(s).in("--beside '" + words + "'");
  }
  auto inheritText = [](std::string &mine, const std::string &other) {
    mine = mine.empty() ? other : mine;
  };
  side.inheritsSignature = side.signature.empty();
  inheritText(side.request.kernel, first.request.kernel);
  inheritText(side.request.grid, first.request.grid);
  inheritText(side.target, first.target);
  inheritText(side.signature, first.signature);
  side.request.config =
      side.request.config ? side.request.config : first.request.config;
  Binding::Options &mine = side.request.binding;
  const Binding::Options &given = first.request.binding;
  inherit(mine.args, given.args);
  inherit(mine.buffers, given.buffers);
  inherit(mine.constexprs, given.constexprs);
  inherit(mine.options, given.options);
  inherit(mine.names, given.names);
  inherit(side.request.imports.globals, first.request.imports.globals);
  llvm::append_range(side.request.imports.roots, first.request.imports.roots);
  return side;
}

/// "cpu:x86-64-v4 BLOCK=64 num_warps=8"
static std::string titleOf(const Side &side, const std::string &target) {
  std::string title = target;
  for (const auto *words :
       {&side.request.binding.constexprs, &side.request.binding.options}) {
    for (const std::string &word : *words) {
      title += " " + word;
    }
  }
  return title;
}

static Status addSide(view::Document &document, Side side, Registry &registry,
                      driver::Driver &driver, TerminalSink &sink) {
  side.request.binding.allowTypes = true;
  if (!side.signature.empty()) {
    Result<NamedKernel> kernel = loadKernel(side.request, driver, sink);
    if (!kernel) {
      return kernel.takeStatus();
    }
    Binding::Options types;
    if (Status s = addSignature(side.signature, kernel->signature, types);
        !s.ok()) {
      return s;
    }
    std::vector<std::string> &args = side.request.binding.args;
    if (side.inheritsSignature) {
      inherit(args, types.args);
    } else { // what is given twice is a mistake, told as everywhere
      llvm::append_range(args, types.args);
    }
  }
  Result<Launch> launch = resolve(side.request, driver, sink);
  if (!launch) {
    return launch.takeStatus();
  }
  if (Status s = checkHasSource(*launch); !s.ok()) {
    return s;
  }
  Result<ResolvedTarget> target = registry.resolve(side.target, false);
  if (!target) {
    return target.takeStatus();
  }
  if (!launch->note.empty()) {
    reportNote(launch->note);
  }
  launch->job.plugin = target->plugin->name();
  launch->job.target = target->id;
  return view::addCompilation(document, registry, driver, launch->job,
                              titleOf(side, target->id), sink);
}

/// The stage of --stage, else the last one.
static Result<const view::StageText *>
chosenStage(const view::Compilation &compilation, const std::string &name) {
  if (name.empty()) {
    return &compilation.stages.back();
  }
  if (const view::StageText *stage = compilation.stage(name)) {
    return stage;
  }
  std::string names;
  for (const view::StageText &stage : compilation.stages) {
    names += (names.empty() ? "" : ", ") + stage.name;
  }
  return Status(TZ_E_INVALID_ARGUMENT, "target '" + compilation.target +
                                           "' has no stage '" + name +
                                           "'; it has " + names);
}

static Status write(const ViewOptions &options,
                    const view::Document &document) {
  if (options.json) {
    return writeFile(options.output,
                     llvm::formatv("{0:2}\n", view::toJson(document)).str());
  }
  if (options.text) {
    Result<const view::StageText *> stage =
        chosenStage(document.compilations.front(), options.stage);
    return stage
               ? writeFile(options.output,
                           view::toText(document, document.compilations.front(),
                                        **stage))
               : stage.takeStatus();
  }
  const std::string file =
      options.output.empty() ? document.kernel + ".html" : options.output;
  if (Status s = writeFile(file, view::toPage(document)); !s.ok()) {
    return s;
  }
  if (file != "-") {
    std::printf("%s\n", file.c_str());
  }
  return Status();
}

static int view(ViewOptions &options) {
  TerminalSink sink;
  Cache cache;
  Registry registry({.wantsCompiler = true}, &cache);
  // Not from the cache: what other tools say changes when they are installed.
  driver::Driver driver(registry, nullptr);
  view::Document document;
  if (!options.samples.empty()) {
    Result<std::string> text = readFileOrPipe(options.samples);
    Result<llvm::json::Value> samples =
        text ? view::readSamples(*text)
             : Result<llvm::json::Value>(text.takeStatus());
    if (!samples) {
      return reportFailure(samples.takeStatus().in(options.samples), sink);
    }
    document.samples = std::move(*samples);
  }
  if (Status s = addSide(document, options.side, registry, driver, sink);
      !s.ok()) {
    return reportFailure(s, sink);
  }
  if (!options.beside.empty()) {
    Result<Side> beside = besideOf(options.beside, options.side);
    if (!beside) {
      return reportFailure(beside.status(), sink);
    }
    if (Status s =
            addSide(document, std::move(*beside), registry, driver, sink);
        !s.ok()) {
      return reportFailure(s, sink);
    }
  }
  Status written = write(options, document);
  return written.ok() ? 0 : reportFailure(written, sink);
}

static constexpr const char *Footer =
    R"help(The page is one file of HTML that loads nothing. It shows the source, the IR of
each stage and the target's texts side by side. A line under the mouse marks all
lines that come from the same line of the source, also through inlined calls; a
click keeps the mark. Further tabs show what each pass changed and said, layouts
of tiles and of shared memory, registers, spills and the launch plan.

Arguments are values as for 'tz run' or types as for 'tz compile'. Only what the
code depends on counts: types, divisibility, constexpr values.

Examples
  tz view softmax.py::softmax_kernel --target cpu -o softmax.html
      --sig "*fp32:16,*fp32:16,i32,i32,i32" --constexpr BLOCK=1024
  tz view matmul.py::matmul_kernel ... --beside "--constexpr BLOCK_K=64"
  tz view matmul.py::matmul_kernel ... --text --stage llvm)help";

void addViewCommand(CLI::App &app, int &status) {
  CLI::App *command = app.add_subcommand(
      "view", "Write a page of all stages of a kernel, linked by line");
  auto o = std::make_shared<ViewOptions>();
  addRequestOptions(*command, o->side.request);
  addTargetOptions(*command, o->side);
  command
      ->add_option("-o,--output", o->output,
                   "File (KERNEL.html; stdout for --text and --json)")
      ->type_name("FILE");
  command
      ->add_option("--beside", o->beside,
                   "A second compilation: words that take the place of those "
                   "of the same name, as '--target cpu --constexpr BLOCK=64'")
      ->type_name("WORDS");
  command
      ->add_option("--samples", o->samples,
                   "JSON of a profiler: counts at lines of the source, shown "
                   "beside them (docs/guide/views.md)")
      ->type_name("FILE");
  CLI::Option *text = command->add_flag(
      "--text", o->text,
      "No page: the lines of the source, under each those of a stage");
  command
      ->add_option("--stage", o->stage,
                   "Which stage --text shows (the last one): tile, neutral, "
                   "prepared, simt, llvm, asm, machine, where the target has "
                   "it")
      ->needs(text);
  command->add_flag("--json", o->json, "No page: its data")->excludes(text);
  command->footer(Footer);
  command->callback([o, &status] { status = view(*o); });
}

} // namespace tz::tool
