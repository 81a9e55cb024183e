//===- ViewModel.cpp - what the page of a kernel shows --------------------===//
//
// What   Compiles a kernel as tz explain does, keeps the text of every stage
//        and of every pass that changed it, and finds what each line comes from.
// Why    See ViewModel.h.
//===----------------------------------------------------------------------===//
#include "core/view/ViewModel.h"

#include "core/driver/LoweredKernel.h"
#include "core/driver/vendor/VendorCompiler.h"
#include "core/frontend/KnownVendors.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace tz::view {

using namespace runtime;
using namespace mlir;

const StageText *Compilation::stage(std::string_view name) const {
  auto found = llvm::find_if(stages, [&](const StageText &one) {
    return one.name == name || one.alias == name;
  });
  return found == stages.end() ? nullptr : &*found;
}

//===----------------------------------------------------------------------===//
// Texts of IR
//===----------------------------------------------------------------------===//

/// The module as the compiler shows it; each op's first line has its place.
static Text textOf(ModuleOp module, Places &places) {
  std::string text;
  llvm::raw_string_ostream os(text);
  AsmState::LocationMap lines;
  AsmState state(module, OpPrintingFlags(), &lines);
  module->print(os, state);
  Text result = readPlain(text);
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto at = lines.find(op);
    if (at == lines.end() || isa<ModuleOp>(op) || at->second.first == 0 ||
        at->second.first > result.at.size()) {
      return;
    }
    std::vector<int> &here = result.at[at->second.first - 1];
    if (int place = places.of(op->getLoc()); place >= 0 && here.empty()) {
      here.push_back(place);
    }
  });
  return result;
}

namespace {
/// Keeps the text behind each pass that changed the kernel.
class StepRecorder final : public PassInstrumentation {
public:
  StepRecorder(ModuleOp module, std::string stage, Text before, Compilation &to,
               Places &places)
      : module(module), stage(std::move(stage)), last(std::move(before.lines)),
        to(to), places(places) {}

  void runBeforePass(Pass *pass, Operation *) override {
    if (!pass->getArgument().empty()) {
      name = pass->getArgument().str();
    }
  }
  void runAfterPass(Pass *pass, Operation *) override {
    if (pass->getArgument().empty()) {
      return; // an adaptor of MLIR's
    }
    PassStep step{pass->getArgument().str(), stage, std::nullopt};
    Text text = textOf(module, places);
    if (text.lines != last) {
      last = text.lines;
      step.text = std::move(text);
    }
    to.passes.push_back(std::move(step));
  }
  std::string name;

private:
  ModuleOp module;
  std::string stage;
  std::vector<std::string> last;
  Compilation &to;
  Places &places;
};
} // namespace

/// Runs a stage's passes once more, one by one.
static void recordPasses(ModuleOp module, const std::string &stage,
                         Compilation &to, Places &places,
                         llvm::function_ref<void(OpPassManager &)> buildStage) {
  PassManager manager(module.getContext(), ModuleOp::getOperationName());
  manager.enableVerifier(false); // the compilation has verified
  auto recorder = std::make_unique<StepRecorder>(
      module, stage, textOf(module, places), to, places);
  StepRecorder &current = *recorder;
  manager.addInstrumentation(std::move(recorder));
  std::vector<ViewRemark> &remarks = to.remarks;
  ScopedDiagnosticHandler handler(
      module.getContext(), [&](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Remark) {
          ViewRemark remark{current.name, "remark", diagnostic.str(),
                            places.of(diagnostic.getLocation())};
          auto isSame = [&](const ViewRemark &one) {
            return one.pass == remark.pass && one.message == remark.message &&
                   one.place == remark.place;
          };
          if (llvm::none_of(remarks, isSame)) {
            remarks.push_back(std::move(remark));
          }
        }
        return success(); // errors were told by the compilation
      });
  buildStage(manager);
  (void)manager.run(module);
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

static void addLayout(Type type, int place, Compilation &to) {
  if (auto ring = dyn_cast<simt::RingType>(type)) {
    addLayout(ring.getBuffer(), place, to);
    to.buffers.back().copies =
        std::max(to.buffers.back().copies, ring.getCount());
    return;
  }
  if (auto buffer = dyn_cast<simt::BufferType>(type)) {
    auto known = llvm::find_if(
        to.buffers, [&](const ViewBuffer &one) { return one.type == buffer; });
    if (known == to.buffers.end()) {
      to.buffers.push_back({buffer, 1, 1, place});
    } else {
      ++known->uses;
      std::rotate(known, known + 1, to.buffers.end());
    }
    return;
  }
  auto tile = dyn_cast<RankedTensorType>(type);
  auto layout = tile ? dyn_cast_or_null<simt::LayoutAttr>(tile.getEncoding())
                     : simt::LayoutAttr();
  if (!layout) {
    return;
  }
  auto known = llvm::find_if(to.layouts, [&](const ViewLayout &one) {
    return one.layout == layout && one.type.getShape() == tile.getShape();
  });
  if (known == to.layouts.end()) {
    to.layouts.push_back({layout, tile, 1, place});
  } else {
    ++known->uses;
  }
}

/// The text that a target gives for the stage simt: the SIMT library's ops with
/// their places, or of a dialect that nobody here knows.
static Text readSimt(const std::string &text, Compilation &to, Places &places) {
  DialectRegistry registry;
  tile::registerTileDialects(registry);
  registry.insert<simt::SimtDialect>();
  to.context =
      std::make_shared<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  ScopedDiagnosticHandler quiet(to.context.get(),
                                [](Diagnostic &) { return success(); });
  ParserConfig config(to.context.get(), /*verifyAfterParse=*/false);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, config);
  if (!module) {
    return readPlain(text);
  }
  // What names no places has been given those of its own text by the parser.
  if (text.find(" loc(") == std::string::npos) {
    module->walk(
        [&](Operation *op) { op->setLoc(UnknownLoc::get(op->getContext())); });
  }
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    const int place = places.of(op->getLoc());
    for (Value value : op->getResults()) {
      addLayout(value.getType(), place, to);
    }
    for (Region &region : op->getRegions()) {
      for (Block &block : region) {
        for (Value value : block.getArguments()) {
          addLayout(value.getType(), place, to);
        }
      }
    }
  });
  return textOf(*module, places);
}

//===----------------------------------------------------------------------===//
// One compilation
//===----------------------------------------------------------------------===//

namespace {
/// Keeps what is no error; errors are handed on at once.
class Listener final : public runtime::DiagnosticSink {
public:
  explicit Listener(runtime::DiagnosticSink &errorsTo) : errorsTo(errorsTo) {}
  void report(uint32_t severity, std::string_view rendered) override {
    if (severity == TZ_SEVERITY_ERROR) {
      errorsTo.report(severity, rendered);
    } else if (!llvm::is_contained(heard, rendered)) {
      heard.emplace_back(rendered);
    }
  }
  std::vector<std::string> heard;

private:
  runtime::DiagnosticSink &errorsTo;
};
} // namespace

/// "file:12:3: remark: text", then the source's line and a caret.
static ViewRemark readMessage(llvm::StringRef rendered, Places &places) {
  ViewRemark made;
  llvm::StringRef first = rendered.split('\n').first;
  for (const char *severity : {"remark", "warning", "note"}) {
    auto [place, message] = first.split(std::string(severity) + ": ");
    if (message.empty()) {
      continue;
    }
    made.severity = severity;
    made.message = message.str();
    unsigned line = 0, column = 0;
    auto [upToLine, columnText] = place.rtrim(": ").rsplit(':');
    auto [file, lineText] = upToLine.rsplit(':');
    if (!columnText.getAsInteger(10, column) &&
        !lineText.getAsInteger(10, line) && line > 0) {
      made.place = places.add(file, line, column);
    }
    return made;
  }
  made.severity = "note";
  made.message = first.str();
  return made;
}

static void addSources(Document &to, const driver::ParsedSource &source) {
  for (const auto &file : source.files()) {
    llvm::SmallString<256> whole(file->path());
    if (file->isFile() && !llvm::sys::fs::make_absolute(whole)) {
      llvm::sys::path::remove_dots(whole, /*remove_dot_dot=*/true);
      to.places.addName(whole.str().str(), file->path().str());
    }
    if (llvm::none_of(to.sources, [&](const SourceText &known) {
          return known.path == file->path();
        })) {
      to.sources.push_back(
          {file->path().str(), file->text().str(), file->firstLine()});
    }
  }
}

/// What the language calls the stage on targets of this vendor alone.
static std::string aliasOf(const std::string &stage,
                           const std::string &vendor) {
  auto isOwn = [&](const frontend::KnownStage &one) {
    return one.ours == stage && one.name != stage &&
           llvm::none_of(frontend::knownStages("any"),
                         [&](const frontend::KnownStage &other) {
                           return other.name == one.name;
                         });
  };
  for (const frontend::KnownStage &one : frontend::knownStages(vendor)) {
    if (isOwn(one)) {
      return one.name;
    }
  }
  return "";
}

/// The stages that are texts behind the ABI, in their order.
static void addTargetStages(Document &to, Compilation &made,
                            const Artifact &artifact,
                            const std::string &vendor) {
  for (const char *name : {"simt", "llvm", "asm", "machine"}) {
    const std::string stage = name;
    const Blob *blob = artifact.findBlob(stage);
    if (!blob || blob->bytes.empty()) {
      made.absent.push_back(
          stage + (stage == "machine"
                       ? ": no tool on this computer shows the instructions"
                       : ": the target has no such stage"));
      continue;
    }
    Text text = stage == "simt"   ? readSimt(blob->bytes, made, to.places)
                : stage == "llvm" ? readLlvm(blob->bytes, to.places)
                                  : readAssembly(blob->bytes, to.places);
    made.stages.push_back({stage, aliasOf(stage, vendor), std::move(text)});
  }
}

static void setDebugLevel(CompileJob &job) {
  auto isLevel = [](const KeyValue &one) { return one.key == "debug_level"; };
  llvm::erase_if(job.options, [&](const KeyValue &one) {
    return isLevel(one) && one.i64 == 0;
  });
  if (llvm::none_of(job.options, isLevel)) {
    KeyValue option;
    option.key = "debug_level";
    option.kind = TZ_KV_I64;
    option.i64 = 1;
    job.options.push_back(option);
  }
}

Status addCompilation(Document &to, Registry &registry, driver::Driver &driver,
                      CompileJob job, std::string title,
                      runtime::DiagnosticSink &diagnostics) {
  setDebugLevel(job);
  job.makeAhead();
  job.emit = {"simt", "llvm", "asm", "machine"};
  Listener listener(diagnostics);
  // The compilation itself comes first: it says what is wrong.
  Result<std::shared_ptr<const Artifact>> artifact =
      driver.compile(job, listener);
  if (!artifact) {
    return artifact.takeStatus();
  }
  Listener unheard(diagnostics);
  Result<driver::LoweredKernel> lowered =
      driver.lower(job, driver::Stage::Tile, unheard);
  if (!lowered) {
    return lowered.takeStatus();
  }
  Result<Plugin *> plugin = registry.find(job.plugin);
  if (!plugin) {
    return plugin.takeStatus();
  }
  Result<driver::TargetDescription> target =
      driver::describeTarget(**plugin, job.target);
  if (!target) {
    return target.takeStatus();
  }
  Compilation made;
  made.title = std::move(title);
  made.target = job.target;
  made.function = (*artifact)->function;
  const driver::LoweredKernel::State &state = lowered->state();
  addSources(to, *state.source);
  ModuleOp module = *state.module;
  auto addStage = [&](const char *name) {
    made.stages.push_back({name, "", textOf(module, to.places)});
  };
  addStage("tile");
  auto wanted = target->facts.properties.find("ir.stage");
  if (wanted == target->facts.properties.end() || wanted->second != "tile") {
    recordPasses(module, "neutral", made, to.places, [&](OpPassManager &to) {
      optimizer::buildNeutral(to, target->facts);
    });
    addStage("neutral");
    recordPasses(module, "prepared", made, to.places, [&](OpPassManager &to) {
      optimizer::buildPrepared(to, target->facts);
    });
    addStage("prepared");
  }
  addTargetStages(to, made, **artifact, job.plugin);
  for (const std::string &message : listener.heard) {
    ViewRemark remark = readMessage(message, to.places);
    if (llvm::none_of(made.remarks, [&](const ViewRemark &known) {
          return known.message == remark.message;
        })) {
      made.remarks.push_back(std::move(remark));
    }
  }
  for (const Variant &variant : (*artifact)->variants) {
    made.plans.emplace_back(variant.name, tool::planOf(variant));
  }
  made.facts = tool::factsOf(**artifact);
  to.kernel = made.function;
  to.compilations.push_back(std::move(made));
  return Status();
}

} // namespace tz::view
