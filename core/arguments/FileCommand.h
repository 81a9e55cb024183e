//===- FileCommand.h - a command that a kernel's file has -------*- C++ -*-===//
//
// What   Finds a command of tz for a kernel in its file's text, where examples
//        have one in their docstrings, and takes arguments from it.
// Why    An editor elaborates a kernel with them, and `tz run FILE::KERNEL`
//        alone runs it.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_ARGUMENTS_FILECOMMAND_H
#define TERRAZZO_CORE_ARGUMENTS_FILECOMMAND_H

#include "core/arguments/Request.h"

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace tz::tool {

struct FileCommand {
  std::string words; ///< behind the kernel
  size_t line;       ///< from 0
};

/// The first `tz VERB FILE::KERNEL WORDS` in the text; a line that ends in a
/// backslash goes on. `verbs`: a regular expression.
std::optional<FileCommand> findCommand(llvm::StringRef text,
                                       llvm::StringRef kernel,
                                       llvm::StringRef verbs);

/// Where a request for a Python kernel says nothing of its arguments and grid:
/// takes those of a `tz run` in the file. Its words; empty: there is none.
runtime::Result<std::string> takeFileCommand(Request &request);

} // namespace tz::tool

#endif // TERRAZZO_CORE_ARGUMENTS_FILECOMMAND_H
