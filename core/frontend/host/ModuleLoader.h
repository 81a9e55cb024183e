//===- ModuleLoader.h - files and modules of one compilation ----*- C++ -*-===//
//
// What   Owns the modules that a compilation has read, finds the files that
//        imports name, hands out the embedded library.
// Why    A kernel file imports its neighbours; each is read once, on first use
//        of one of its names, and no file outside of the search path is.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_HOST_MODULELOADER_H
#define TERRAZZO_CORE_FRONTEND_HOST_MODULELOADER_H

#include "core/frontend/Frontend.h"
#include "core/frontend/evaluate/BuiltinRegistry.h"
#include "core/frontend/evaluate/ModuleSource.h"

#include <map>

namespace tz::frontend {

class ModuleLoader final : public ModuleSource {
public:
  static constexpr unsigned MaxModules = 256;

  explicit ModuleLoader(Surroundings around) : around(std::move(around)) {}

  /// A module of the given text; runs its top level, where `given` are the
  /// names given0, given1 ... Never null.
  std::shared_ptr<ModuleObject> addModule(std::string path, std::string text,
                                          Evaluator &evaluator,
                                          llvm::ArrayRef<Value> given = {});
  std::shared_ptr<ModuleObject> load(const std::string &path,
                                     llvm::StringRef name, SourceLoc importLoc,
                                     Evaluator &evaluator) override;
  /// Absolute names are searched beside the importer, in the packages around it
  /// and below the import roots. The same question has the same answer as long
  /// as the loader lives.
  std::string findFile(llvm::StringRef importer, unsigned dots,
                       llvm::StringRef dotted) override;

  /// Importer, dots, name -> the answer of findFile.
  using Searches =
      std::map<std::tuple<std::string, unsigned, std::string>, std::string>;
  const Searches &searches() const { return searched; }
  std::optional<std::string> environment(llvm::StringRef name) override;
  const EnvironmentReads &environmentReads() const { return variables; }
  /// False once a file that was found could not be read.
  bool readAll() const { return !unreadable; }

  /// Forgets modules with errors and the names that were asked for in them:
  /// what evaluates a kernel anew hears of its errors anew.
  void forgetBroken();

  /// Lets the sink keep the texts of all modules alive.
  void keepFiles(DiagnosticSink &sink) const;
  std::vector<std::shared_ptr<const SourceFile>> files() const;

  /// The text of one function or class, whose free names the host has.
  std::shared_ptr<ModuleObject> addExcerpt(const std::string &path,
                                           std::string text, uint32_t line,
                                           uint64_t scope,
                                           Evaluator &evaluator);
  Binding *ask(ModuleObject &module, llvm::StringRef name, SourceLoc loc,
               Evaluator &evaluator) override;
  Value evaluate(const std::string &expression, llvm::StringRef name,
                 Evaluator &evaluator,
                 llvm::ArrayRef<Value> given = {}) override;
  const HostProgram &host() const { return around.host; }
  /// What was asked of the host program, in order.
  const std::vector<HostRead> &hostReads() const { return reads; }

  /// A module of the embedded library ("standard", "random").
  std::shared_ptr<ModuleObject> library(llvm::StringRef name,
                                        Evaluator &evaluator);

private:
  /// Runs it as the module `key`, and sees whether it is broken: errors beyond
  /// the first `before` of the evaluator's.
  void run(const std::shared_ptr<ModuleObject> &module, const std::string &key,
           unsigned before, Evaluator &evaluator);
  void setGlobals(ModuleObject &module, Evaluator &evaluator);
  Value valueOf(const HostName &answer, llvm::StringRef name, SourceLoc loc,
                Evaluator &evaluator, llvm::ArrayRef<Value> given = {});
  Value callable(const HostName &answer, llvm::StringRef name);

  const Surroundings around;
  std::map<std::string, std::shared_ptr<ModuleObject>> modules;
  Searches searched;
  EnvironmentReads variables;
  std::vector<HostRead> reads;
  std::vector<std::string> broken; // keys of modules
  /// What was asked for and is an error.
  std::vector<std::pair<ModuleObject *, std::string>> brokenNames;
  std::map<uint64_t, Value> callables; // by scope
  std::vector<std::unique_ptr<Builtin>> owned;
  bool unreadable = false;
  SourceLoc tooMany; // the first import beyond maxModules
};

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_HOST_MODULELOADER_H
