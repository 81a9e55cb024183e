//===- EmbeddedLibrary.h - the library's Python files -----------*- C++ -*-===//
//
// What   Texts of this folder's Python files.
// Why    They are part of the program: no file is needed at run time.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_LIBRARY_EMBEDDEDLIBRARY_H
#define TERRAZZO_CORE_FRONTEND_LIBRARY_EMBEDDEDLIBRARY_H

#include "llvm/ADT/ArrayRef.h"

namespace tz::frontend {

/// The array is made by EmbedLibrary.cmake.
struct LibraryFile {
  const char *name;
  const char *text;
};
llvm::ArrayRef<LibraryFile> embeddedLibrary();

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_LIBRARY_EMBEDDEDLIBRARY_H
