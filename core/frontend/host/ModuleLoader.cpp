//===- ModuleLoader.cpp - files and modules of one compilation ------------===//
//
// What   Reading, parsing and running modules; the search for imported files.
// Why    See ModuleLoader.h.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/host/ModuleLoader.h"

#include "core/frontend/evaluate/Evaluator.h"
#include "core/frontend/library/EmbeddedLibrary.h"
#include "core/frontend/parse/Parser.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

using namespace llvm;

namespace tz::frontend {

std::shared_ptr<ModuleObject> ModuleLoader::addModule(std::string path,
                                                      std::string text,
                                                      Evaluator &evaluator,
                                                      ArrayRef<Value> given) {
  auto module = std::make_shared<ModuleObject>();
  module->path = path;
  module->name = sys::path::stem(path).str();
  const unsigned before = evaluator.diagnostics().errorCount();
  module->tree = parseFile(path, std::move(text), evaluator.diagnostics());
  modules[path] = module;
  setGlobals(*module, evaluator);
  for (auto [i, value] : enumerate(given)) {
    module->members["given" + std::to_string(i)] = Binding{value, SourceLoc()};
  }
  run(module, path, before, evaluator);
  return module;
}

void ModuleLoader::run(const std::shared_ptr<ModuleObject> &module,
                       const std::string &key, unsigned before,
                       Evaluator &evaluator) {
  evaluator.runModule(module);
  if (evaluator.diagnostics().errorCount() != before) {
    module->isBroken = true;
    broken.push_back(key);
  }
}

void ModuleLoader::forgetBroken() {
  for (const auto &[module, name] : brokenNames) {
    module->members.erase(name);
    std::erase_if(reads, [&, name = &name, module = module](const auto &read) {
      return !read.isCall && read.scope == module->scope && read.text == *name;
    });
  }
  brokenNames.clear();
  for (const std::string &key : broken) {
    modules.erase(key);
  }
  broken.clear();
}

/// "package.module" of a file, by the packages that it lies in.
static std::string dottedName(StringRef path) {
  std::string name = sys::path::stem(path).str();
  SmallString<128> folder(path);
  sys::path::remove_filename(folder);
  for (SmallString<128> init;; sys::path::remove_filename(folder)) {
    init = folder;
    sys::path::append(init, "__init__.py");
    if (folder.empty() || !sys::fs::exists(init)) {
      return name;
    }
    const std::string package = sys::path::filename(folder).str();
    name = name == "__init__" ? package : package + "." + name;
  }
}

/// Gives the names that Surroundings::globals has for this module their values.
void ModuleLoader::setGlobals(ModuleObject &module, Evaluator &evaluator) {
  if (around.globals.empty() || StringRef(module.path).starts_with("<")) {
    return;
  }
  const std::string prefix = dottedName(module.path) + ".";
  for (const auto &[name, expression] : around.globals) {
    StringRef last = name;
    if (!last.consume_front(prefix) || last.contains('.')) {
      continue;
    }
    auto source = addModule("<value of " + name + ">",
                            "import packaging.version\nimport triton\n"
                            "import triton.language as tl\n"
                            "value = " +
                                expression + "\n",
                            evaluator);
    auto value = source->members.find("value");
    if (value != source->members.end()) {
      module.members[last] = value->second;
      module.given.insert(last);
    }
  }
}

std::shared_ptr<ModuleObject> ModuleLoader::load(const std::string &path,
                                                 StringRef name,
                                                 SourceLoc importLoc,
                                                 Evaluator &evaluator) {
  if (auto it = modules.find(path); it != modules.end()) {
    // Also a module that is being run: a cyclic import.
    return it->second->isBroken ? nullptr : it->second;
  }
  StringRef embedded = path;
  if (embedded.consume_front("<terrazzo>/")) {
    return library(embedded.drop_back(3), evaluator);
  }
  if (modules.size() >= MaxModules) {
    // All imports beyond the limit are one error, at the first.
    tooMany = tooMany.isValid() ? tooMany : importLoc;
    evaluator.diagnostics().error(
        tooMany, "more than " + Twine(MaxModules) +
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
  auto module = addModule(path, (*buffer)->getBuffer().str(), evaluator);
  return module->isBroken ? nullptr : module;
}

/// The file of a dotted name below a folder: a module, a package, or empty.
static std::string fileBelow(StringRef folder, StringRef dotted) {
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
  return sys::fs::is_regular_file(package) ? package.str().str()
                                           : std::string();
}

std::string ModuleLoader::findFile(StringRef importer, unsigned dots,
                                   StringRef dotted) {
  auto [it, isNew] = searched.try_emplace({importer.str(), dots, dotted.str()});
  if (isNew) {
    it->second = findImport(importer, dots, dotted, around.importRoots);
  }
  return it->second;
}

std::optional<std::string> ModuleLoader::environment(StringRef name) {
  auto [it, isNew] = variables.try_emplace(name.str());
  if (isNew) {
    it->second = sys::Process::GetEnv(name);
  }
  return it->second;
}

std::string findImport(StringRef importer, unsigned dots, StringRef dotted,
                       ArrayRef<std::string> importRoots) {
  SmallString<128> folder(importer);
  sys::path::remove_filename(folder);
  // By its name, as Python does: one file has one path, however it is reached.
  auto ascend = [&] {
    sys::path::append(folder, "..");
    sys::path::remove_dots(folder, /*remove_dot_dot=*/true);
  };
  for (unsigned i = 1; i < dots; ++i) {
    ascend();
  }
  if (dots > 0) {
    return fileBelow(folder, dotted);
  }
  // The importer may lie deep inside of the package, so upwards as long as
  // folders are packages: one without __init__.py is a root.
  for (unsigned level = 0; level < 8; ++level) {
    if (std::string file = fileBelow(folder, dotted); !file.empty()) {
      return file;
    }
    SmallString<128> init(folder);
    sys::path::append(init, "__init__.py");
    if (!sys::fs::exists(init)) {
      break;
    }
    ascend();
  }
  for (const std::string &root : importRoots) {
    if (std::string file = fileBelow(root, dotted); !file.empty()) {
      return file;
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
    if (module->tree) {
      sink.keep(module->tree->file);
    }
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
