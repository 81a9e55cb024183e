//===- ModuleLoader.cpp - files and modules of one compilation ------------===//
//
// What   Reading, parsing and running modules; the search for imported files.
// Why    See ModuleLoader.h.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/ModuleLoader.h"

#include "core/frontend/Evaluator.h"
#include "core/frontend/Frontend.h"
#include "core/frontend/Parser.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace tz::frontend {

std::shared_ptr<ModuleObject> ModuleLoader::addModule(std::string path,
                                                      std::string text,
                                                      Evaluator &evaluator) {
  auto module = std::make_shared<ModuleObject>();
  module->path = path;
  module->name = sys::path::stem(path).str();
  module->tree = parseFile(path, std::move(text), evaluator.diagnostics());
  modules[path] = module;
  evaluator.runModule(module);
  return module;
}

std::shared_ptr<ModuleObject> ModuleLoader::load(const std::string &path,
                                                 StringRef name,
                                                 SourceLoc importLoc,
                                                 Evaluator &evaluator) {
  if (auto it = modules.find(path); it != modules.end()) {
    return it->second; // also a module that is being run: a cyclic import
  }
  StringRef embedded = path;
  if (embedded.consume_front("<terrazzo>/")) {
    return library(embedded.drop_back(3), evaluator);
  }
  if (modules.size() >= maxModules) {
    evaluator.diagnostics().error(
        importLoc, "more than " + Twine(maxModules) +
                       " modules are imported (limit of modules)");
    return nullptr;
  }
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer) {
    unreadable = true;
    evaluator.diagnostics().error(
        importLoc, "cannot read '" + path + "' for the import of '" + name +
                       "': " + buffer.getError().message());
    return nullptr;
  }
  return addModule(path, (*buffer)->getBuffer().str(), evaluator);
}

std::string ModuleLoader::findFile(StringRef importer, unsigned dots,
                                   StringRef dotted) {
  auto [it, isNew] = searched.try_emplace({importer.str(), dots, dotted.str()});
  if (isNew) {
    it->second = findImport(importer, dots, dotted);
  }
  return it->second;
}

std::string findImport(StringRef importer, unsigned dots, StringRef dotted) {
  SmallString<128> folder(importer);
  sys::path::remove_filename(folder);
  for (unsigned i = 1; i < dots; ++i) {
    sys::path::append(folder, "..");
  }
  // Absolute names: the importer may lie deep inside of the package.
  unsigned levels = dots ? 1 : 8;
  for (unsigned level = 0; level < levels; ++level) {
    SmallString<128> file(folder);
    SmallVector<StringRef> parts;
    dotted.split(parts, '.', -1, false);
    for (StringRef part : parts) {
      sys::path::append(file, part);
    }
    SmallString<128> package(file);
    sys::path::append(package, "__init__.py");
    file += ".py";
    if (!dotted.empty() && sys::fs::is_regular_file(file)) {
      return file.str().str();
    }
    if (sys::fs::is_regular_file(package)) {
      return package.str().str();
    }
    sys::path::append(folder, "..");
    // Only upwards through packages: a folder without __init__.py is a root.
    SmallString<128> init(importer);
    sys::path::remove_filename(init);
    for (unsigned i = 0; i < level; ++i) {
      sys::path::append(init, "..");
    }
    sys::path::append(init, "__init__.py");
    if (!sys::fs::exists(init)) {
      break;
    }
  }
  return {};
}

std::vector<std::shared_ptr<const SourceFile>> ModuleLoader::files() const {
  std::vector<std::shared_ptr<const SourceFile>> all;
  for (const auto &[path, module] : modules) {
    if (module->tree) {
      all.push_back(module->tree->file);
    }
  }
  return all;
}

void ModuleLoader::keepFiles(DiagnosticSink &sink) const {
  for (const auto &[path, module] : modules) {
    sink.keep(module->tree->file);
  }
}

std::shared_ptr<ModuleObject> ModuleLoader::library(StringRef name,
                                                    Evaluator &evaluator) {
  std::string path = ("<terrazzo>/" + name + ".py").str();
  if (auto it = modules.find(path); it != modules.end()) {
    return it->second;
  }
  for (const LibraryFile &file : embeddedLibrary()) {
    if (name == file.name) {
      return addModule(path, file.text, evaluator);
    }
  }
  return nullptr;
}

} // namespace tz::frontend
