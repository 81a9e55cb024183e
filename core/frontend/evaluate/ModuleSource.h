//===- ModuleSource.h - where modules and their names come from -*- C++ -*-===//
//
// What   ModuleSource: what an evaluator asks for beyond the module it runs.
//        host/ModuleLoader.h answers.
// Why    Finding and reading modules needs an evaluator; so the evaluator knows
//        the questions alone.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_EVALUATE_MODULESOURCE_H
#define TERRAZZO_CORE_FRONTEND_EVALUATE_MODULESOURCE_H

#include "core/frontend/evaluate/Value.h"

namespace tz::frontend {

class Evaluator;

class ModuleSource {
public:
  virtual ~ModuleSource() = default;

  /// The module of a file, read and run once. Null after an error.
  virtual std::shared_ptr<ModuleObject> load(const std::string &path,
                                             llvm::StringRef name,
                                             SourceLoc importLoc,
                                             Evaluator &evaluator) = 0;
  /// The file that an import in `importer` means, or empty: `dots` leading
  /// dots, then a dotted name.
  virtual std::string findFile(llvm::StringRef importer, unsigned dots,
                               llvm::StringRef dotted) = 0;
  /// A variable of the environment; read once.
  virtual std::optional<std::string> environment(llvm::StringRef name) = 0;
  /// A name of the module that the host program knows; null if it does not.
  virtual Binding *ask(ModuleObject &module, llvm::StringRef name,
                       SourceLoc loc, Evaluator &evaluator) = 0;
  /// The value of an expression over `triton` and `tl`; `name`: for messages;
  /// `given`: what it calls given0, given1 ...
  virtual Value evaluate(const std::string &expression, llvm::StringRef name,
                         Evaluator &evaluator,
                         llvm::ArrayRef<Value> given = {}) = 0;
};

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_EVALUATE_MODULESOURCE_H
