//===- PageFiles.h - the page's own HTML, CSS and JavaScript ----*- C++ -*-===//
//
// What   The files of core/view/page, which the build embeds (EmbedPage.cmake).
// Why    An installed tz needs no file, and a page loads nothing.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_VIEW_PAGEFILES_H
#define TERRAZZO_CORE_VIEW_PAGEFILES_H

#include "llvm/ADT/StringRef.h"

namespace tz::view {

/// The text of a file by its name; empty if there is none.
llvm::StringRef pageFile(llvm::StringRef name);

} // namespace tz::view

#endif
