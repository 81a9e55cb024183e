//===- Workspace.cpp - what one compilation works in ----------------------===//
//
// What   See Workspace.h.
// Why    Threads of MLIR are switched off: one kernel is too small for them,
//        and they would cost every process their start.
//===----------------------------------------------------------------------===//
#include "core/driver/source/Workspace.h"

#include "core/ir/CompileBudget.h"
#include "runtime/file/File.h"
#include "runtime/loader/Host.h"

#include "terrazzo/ir/Tile.h"

#include <sstream>

namespace tz::driver {

static constexpr size_t MaxParsed = 16, MaxIdle = 8;

Sources ParsedSource::files() const {
  Sources all;
  if (module) {
    all = module->sources();
  }
  if (file) {
    all.push_back(file);
  }
  return all;
}

bool ParsedSource::isCurrent() const {
  if (!module) {
    return true;
  }
  if (!module->readAll()) {
    return false;
  }
  for (const frontend::ImportSearch &search : module->searches()) {
    if (frontend::findImport(search.importer, search.dots, search.name,
                             around.importRoots) != search.file) {
      return false;
    }
  }
  if (!frontend::isEnvironment(module->environment())) {
    return false;
  }
  for (const auto &read : module->sources()) {
    if (read->path() == path || !read->isFile()) {
      continue;
    }
    // A larger file is another one.
    runtime::Result<std::string> now =
        runtime::readRegular(read->path().str(), read->text().size());
    if (!now || *now != read->text()) {
      return false;
    }
  }
  return true;
}

static mlir::DialectRegistry dialects() {
  mlir::DialectRegistry registry;
  tile::registerTileDialects(registry);
  return registry;
}

Workspace::Workspace()
    : context(dialects(), mlir::MLIRContext::Threading::DISABLED) {
  context.loadAllAvailableDialects();
}

frontend::Surroundings surroundingsOf(const runtime::KernelSource &source) {
  frontend::Surroundings around{source.importRoots, source.globals, {}};
  if (source.names.find) {
    around.host =
        frontend::HostProgram(source.names, source.scope, source.line);
  }
  if (auto path = runtime::environment("TERRAZZO_IMPORT_PATH")) {
    std::istringstream folders(*path);
    for (std::string folder; std::getline(folders, folder, ':');) {
      if (!folder.empty()) {
        around.importRoots.push_back(folder);
      }
    }
  }
  return around;
}

std::shared_ptr<ParsedSource>
Workspace::parse(const runtime::KernelSource &source,
                 runtime::DiagnosticSink &diagnostics, FirstError &first) {
  frontend::Surroundings around = surroundingsOf(source);
  for (size_t i = 0; i < parsed.size(); ++i) {
    if (parsed[i]->path == source.path && parsed[i]->text == source.text &&
        parsed[i]->isIR == source.isIR && parsed[i]->around == around) {
      std::shared_ptr<ParsedSource> found = parsed[i];
      parsed.erase(parsed.begin() + ptrdiff_t(i));
      if (!found->isCurrent()) {
        break;
      }
      parsed.push_back(found);
      return found;
    }
  }
  auto made = std::make_shared<ParsedSource>();
  made->path = source.path;
  made->text = source.text;
  made->isIR = source.isIR;
  made->around = around;
  if (source.isIR) {
    bool isText = source.text.find('\0') == std::string::npos;
    made->file = std::make_shared<frontend::SourceFile>(
        source.path, isText ? source.text : std::string());
  } else {
    frontend::DiagnosticSink sink;
    made->module = frontend::parseModule(source.path, source.text, sink,
                                         std::move(around));
    forward(sink, diagnostics, first);
    if (sink.hasErrors() || CompileBudget::wasSpent()) {
      return nullptr;
    }
  }
  if (parsed.size() >= MaxParsed) {
    parsed.erase(parsed.begin());
  }
  parsed.push_back(made);
  return made;
}

WorkspacePool::Lease WorkspacePool::take() {
  {
    std::lock_guard guard(idle->lock);
    if (!idle->workspaces.empty()) {
      std::unique_ptr<Workspace> workspace = std::move(idle->workspaces.back());
      idle->workspaces.pop_back();
      return Lease(idle, std::move(workspace));
    }
  }
  return Lease(idle, std::make_unique<Workspace>());
}

void WorkspacePool::Idle::giveBack(std::unique_ptr<Workspace> workspace) {
  if (CompileBudget::wasSpent()) {
    workspace->parsed.clear(); // they may hold what was left half read
  }
  std::lock_guard guard(lock);
  if (workspaces.size() < MaxIdle) {
    workspaces.push_back(std::move(workspace));
  }
}

} // namespace tz::driver
